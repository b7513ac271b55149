//! Labels: of the truth, or of partitions that `finch` wrote.

use std::collections::HashMap;
use std::collections::hash_map::Entry;
use std::path::Path;

use super::error::column_at::ColumnAt;
use super::error::sparse::SparseFault;
use super::error::{Fault, ReadError};
use super::format::Format;
use super::formats::csv::field::number;
use super::formats::csv::row::Row;
use super::formats::csv::table::Table;
use super::formats::{as_text, columnar, csv, idx, mat5, npy, npz, svmlight};
use super::matrix::dtype::LabelArray;
use super::options::choices::{Column, Delimiter};
use super::options::label_column::LabelColumn;
use super::options::{ReadOptions, Serves, expect_useful};
use super::recognise::format_of;
use super::source::Source;
use super::source::guard::guarded;
use super::source::memory::{Memory, copied};
use super::source::pipe;
use super::source::spool::Spool;

/// One or several labellings of the same samples.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Labels {
    /// The labellings, at least one, in the order of the file's columns.
    pub columns: Vec<Labelling>,
    /// Of a table, the column that the labels are of; of several the first.
    pub of: Option<LabelColumn>,
}

/// A label for each sample.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub struct Labelling {
    /// The class of each sample, numbered from 0 by first appearance.
    pub labels: Vec<u32>,
    /// The number of classes.
    pub classes: usize,
    /// The class of the label −1, which clusterings give to noise, if there is one.
    pub noise: Option<u32>,
}

/// Options for reading labels. The default recognises whatever it can.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct LabelOptions {
    /// The format of all files. `None`: as the name of each says, or else its first bytes.
    pub format: Option<Format>,
    /// Text and spreadsheets: whether the first row names the columns. `None`: it does if it has no number and later
    /// rows have one, or if one of `columns` is a name; a first row with numbers, but not in a column of
    /// labels that are numbers, is an error. Of labels that are all text, it cannot tell.
    pub header: Option<bool>,
    /// Text: what separates the fields. `None`: the first of tab, semicolon and comma that the
    /// first line has, else white space.
    pub delimiter: Option<Delimiter>,
    /// Tables: the columns of labels, a labelling each. Empty: the last that is no `…_probability`.
    pub columns: Vec<Column>,
    /// `.npz` and `.mat`: the variable to read. `None`: `y`, else the only list of integers, else
    /// the only list.
    pub variable: Option<String>,
    /// Spreadsheets: the sheet, by its name or by its number from 0. `None`: the first of several columns, or else with a value.
    pub sheet: Option<String>,
    /// The bytes of memory that reading may take. `None`: as for
    /// [samples](crate::data::ReadOptions::memory_limit).
    pub memory_limit: Option<u64>,
}

impl LabelOptions {
    /// Checks that each option that is given serves at least one of these files.
    /// [`read_labels`] does not: who compares labels may give one option for files of two kinds.
    ///
    /// # Errors
    /// [`Fault::UselessOption`], of the first file.
    pub fn expect_useful(&self, paths: &[impl AsRef<Path>]) -> Result<(), ReadError> {
        let options = [
            ("label-header", Serves::Rows, self.header == Some(true)),
            ("label-column", Serves::Tables, !self.columns.is_empty()),
            ("label-variable", Serves::Archives, self.variable.is_some()),
            ("label-sheet", Serves::Sheets, self.sheet.is_some()),
        ];
        expect_useful(paths, self.format, &options)
    }
}

/// Reads the labels of one file, or of several stacked in this order.
///
/// The formats are those of [`read`](crate::data::read()). An array of two dimensions is samples ×
/// labellings, but one of a single row, unless it is IDX, is a list: 1 × N are N labels of one
/// labelling, since nobody labels a single sample in N ways. A table gives one labelling, or one for
/// each of [`LabelOptions::columns`], and its labels may be words. Labels are equal, within and across
/// files, if their numbers are, or else their texts.
///
/// # Errors
/// [`ReadError`] names the file; its [`Fault`] tells what is wrong with it and where: NaN and
/// fractions in arrays, and empty fields in text, are no labels.
pub fn read_labels(
    paths: &[impl AsRef<Path>],
    options: &LabelOptions,
) -> Result<Labels, ReadError> {
    paths.iter().for_each(|path| pipe::forget(path.as_ref()));
    let memory = Memory::new(options.memory_limit);
    let (mut columns, mut of) = (Vec::<Numbering>::new(), None);
    for path in paths {
        let array = guarded(path.as_ref(), |path| {
            let found = read_one(path, options, &mut columns, &mut of, &memory).map_err(
                |fault| match fault {
                    Fault::Element { found } => Fault::LabelElement { found },
                    Fault::Inexact { row, column, value } => {
                        Fault::InexactLabel { row, column, value }
                    }
                    fault => fault,
                },
            )?;
            match columns.len() {
                expected if expected == found => Ok(()),
                expected => {
                    let other = paths[0].as_ref().to_path_buf();
                    Err(Fault::ColumnCount { what: "labellings", found, expected, other })
                }
            }
        });
        array?;
    }
    if paths.is_empty() {
        return Err(ReadError::new(Path::new(""), Fault::NoInput));
    }
    Ok(Labels { columns: columns.into_iter().map(Numbering::finish).collect(), of })
}

/// Appends the labels of a file to `columns` and says how many columns it has. Nothing is appended
/// if that differs from those that there are already.
fn read_one(
    path: &Path,
    options: &LabelOptions,
    columns: &mut Vec<Numbering>,
    of: &mut Option<LabelColumn>,
    memory: &Memory,
) -> Result<usize, Fault> {
    let format = format_of(path, options.format);
    if format.is_some_and(Format::is_text) {
        let of_samples = ReadOptions {
            delimiter: options.delimiter,
            header: options.header,
            sheet: options.sheet.clone(),
            ..ReadOptions::default()
        };
        let spool = Spool::default();
        let text = as_text::open(path, format, &of_samples, &spool, memory)?;
        return append_text(text.source, options, &text.options, columns, of, memory);
    }
    let source = Source::open(path)?;
    let variable = options.variable.as_deref();
    let array = match format.ok_or(Fault::UnknownExtension)? {
        Format::Npy => npy::labels(source, memory)?,
        Format::Npz => npz::labels(source, variable, memory)?,
        Format::Mat => LabelArray::Numbers(mat5::labels(source, variable, memory)?),
        Format::Idx => LabelArray::Numbers(idx::labels(source, memory)?),
        Format::Mtx => return Err(SparseFault::NoLabels.into()),
        Format::Svmlight => return append_svmlight(source, columns, memory),
        Format::Text | Format::Spreadsheet | Format::Json | Format::Arff => {
            unreachable!("text was read above")
        }
        format @ (Format::Parquet | Format::Arrow) => {
            return append_columns(source, format, options, columns, of, memory);
        }
    };
    append_array(&array, columns, memory)
}

fn append_array(
    array: &LabelArray,
    columns: &mut Vec<Numbering>,
    memory: &Memory,
) -> Result<usize, Fault> {
    let (rows, found) = array.dim();
    if rows == 0 || found == 0 {
        return Err(Fault::Empty);
    }
    if columns.is_empty() {
        columns.resize_with(found, Numbering::default);
    }
    if columns.len() != found {
        return Ok(found);
    }
    for (column, numbering) in columns.iter_mut().enumerate() {
        memory.reserve(&mut numbering.labels, rows)?;
        for row in 0..rows {
            let label = match array {
                LabelArray::Numbers(array) => {
                    let value = array.value(row, column);
                    if !value.is_finite() || value.fract() != 0.0 {
                        return Err(Fault::NotALabel { row, column, value });
                    }
                    Label::number(value)
                }
                LabelArray::Integers(integers) => Label::Integer(integers.value(row, column)),
            };
            numbering.push(label, memory)?;
        }
    }
    Ok(found)
}

fn append_text(
    source: Source,
    options: &LabelOptions,
    of_text: &ReadOptions,
    columns: &mut Vec<Numbering>,
    of: &mut Option<LabelColumn>,
    memory: &Memory,
) -> Result<usize, Fault> {
    let by_name = options.columns.iter().any(|column| matches!(column, Column::Name(_)));
    let header = of_text.header.or(by_name.then_some(true));
    let recognise = |head: &[Row]| csv::header_of_labels(head, &options.columns);
    let mut table = Table::open(source, header, of_text, recognise, memory)?;
    let places = match &options.columns[..] {
        [] => {
            let names = table.header().unwrap_or_default();
            vec![LabelColumn::last_of(&names).unwrap_or(table.columns - 1)]
        }
        some => some.iter().map(|column| table.find(column)).collect::<Result<_, _>>()?,
    };
    let name = table.header().map(|mut names| names.swap_remove(places[0]));
    let at = ColumnAt { position: places[0], name: name.filter(|name| !name.is_empty()) };
    of.get_or_insert(LabelColumn { at, columns: table.columns });
    if columns.is_empty() {
        columns.resize_with(places.len(), Numbering::default);
    }
    if columns.len() != places.len() {
        return Ok(places.len());
    }
    while let Some(row) = table.next_row()? {
        for (&column, numbering) in places.iter().zip(&mut *columns) {
            let field = row.field(column);
            let number = number(field);
            if field.is_empty() || number.is_some_and(f64::is_nan) {
                let (line, text) = (row.line, row.shown(column));
                return Err(Fault::MissingLabel { line, column: column + 1, text });
            }
            numbering.push(Label::read(field, number)?, memory)?;
        }
    }
    Ok(places.len())
}

/// Appends the labels that lines begin with.
fn append_svmlight(
    source: Source,
    columns: &mut Vec<Numbering>,
    memory: &Memory,
) -> Result<usize, Fault> {
    if columns.is_empty() {
        columns.resize_with(1, Numbering::default);
    }
    let [numbering] = &mut columns[..] else { return Ok(1) };
    svmlight::labels(source, memory, |label, line| {
        let number = number(label);
        if number.is_some_and(f64::is_nan) {
            let text = String::from_utf8_lossy(label).into_owned();
            return Err(Fault::MissingLabel { line, column: 1, text });
        }
        numbering.push(Label::read(label, number)?, memory)
    })?;
    Ok(1)
}

/// Appends the labels of columns of a table of Parquet or Arrow.
fn append_columns(
    source: Source,
    format: Format,
    options: &LabelOptions,
    columns: &mut Vec<Numbering>,
    of: &mut Option<LabelColumn>,
    memory: &Memory,
) -> Result<usize, Fault> {
    let wanted = options.columns.len().max(1);
    if columns.is_empty() {
        columns.resize_with(wanted, Numbering::default);
    }
    if columns.len() != wanted {
        return Ok(wanted);
    }
    let found = columnar::labels(source, format, &options.columns, memory, |place, text| {
        let field = text.trim_ascii().as_bytes();
        columns[place].push(Label::read(field, number(field))?, memory)
    })?;
    of.get_or_insert(found);
    Ok(wanted)
}

/// A label as it is in a file.
#[derive(PartialEq, Eq, Hash)]
enum Label {
    Integer(i128),
    /// The bits of a number that is no integer below 2^127.
    Number(u64),
    Text(String),
}

impl Label {
    fn number(number: f64) -> Self {
        // The cast of a whole number is exact below 2^127, where it begins to saturate.
        let integer = number as i128;
        match integer as f64 == number && integer != i128::MAX {
            true => Label::Integer(integer),
            false => Label::Number(number.to_bits()),
        }
    }

    /// The bytes that the label takes beyond its own size: those of its text.
    fn text_bytes(&self) -> u64 {
        match self {
            Label::Text(text) => text.capacity() as u64,
            Label::Integer(_) | Label::Number(_) => 0,
        }
    }

    /// The label of a field of text; `number` is what the field reads as.
    fn read(field: &[u8], number: Option<f64>) -> Result<Self, Fault> {
        let text = String::from_utf8_lossy(field);
        let integer = match text.split_once('.') {
            Some((whole, rest)) if rest.bytes().all(|byte| byte == b'0') => whole.parse(),
            _ => text.parse(),
        };
        Ok(match (integer, number) {
            (Ok(integer), _) => Label::Integer(integer),
            (_, Some(number)) if number.abs() < DISTINCT => Label::number(number),
            // Beyond 2^53, numbers that differ in the text may read as the same f64.
            _ => Label::Text(copied(&text)?),
        })
    }
}

/// 2^53: below it, f64 tells all integers apart.
const DISTINCT: f64 = (1u64 << 53) as f64;

/// Numbers labels by first appearance.
#[derive(Default)]
struct Numbering {
    numbers: HashMap<Label, u32>,
    labels: Vec<u32>,
}

impl Numbering {
    fn push(&mut self, label: Label, memory: &Memory) -> Result<(), Fault> {
        if self.numbers.len() == self.numbers.capacity() {
            // The map doubles, with a byte of its own for each entry.
            let entries = self.numbers.capacity().max(1);
            let bytes = (entries * (size_of::<(Label, u32)>() + 1)) as u64;
            memory.take(bytes)?;
            self.numbers.try_reserve(entries).map_err(|_| Fault::Memory { bytes })?;
        }
        // Labels beyond 2^32 classes would take hundreds of gigabytes in the map alone.
        let next = u32::try_from(self.numbers.len()).expect("fewer classes than 2^32");
        let number = match self.numbers.entry(label) {
            Entry::Occupied(known) => *known.get(),
            Entry::Vacant(new) => {
                memory.take(new.key().text_bytes())?;
                *new.insert(next)
            }
        };
        memory.push(&mut self.labels, number)
    }

    fn finish(self) -> Labelling {
        let noise = self.numbers.get(&Label::Integer(-1)).copied();
        Labelling { labels: self.labels, classes: self.numbers.len(), noise }
    }
}
