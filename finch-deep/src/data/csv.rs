//! Tables of text: `.csv`, `.tsv`, `.txt`.

use std::io::{BufRead, ErrorKind, Read};
use std::ops::Range;

use csv::{ByteRecord, ReaderBuilder};

use super::elements::{Array, Elements};
use super::error::Fault;
use super::options::{Column, Delimiter, NameColumn, ReadOptions};
use super::source::Source;

/// Rows by which the header and the name column are recognised.
const HEAD: usize = 100;

/// Bytes of a line, which text tables are far from: a million features take some 20 MB. More is
/// another kind of file, or one that never ends.
const LONGEST_LINE: usize = 256 << 20;

/// How programs write that a value is missing, beside NaN, which is a number here.
const MISSING: [&str; 9] = ["", "NA", "N/A", "<NA>", "null", "none", "missing", "?", "-"];

/// What the column of names is called in a header, but hardly a sample.
const NAMES_OF_NAMES: [&str; 8] = ["", "name", "names", "id", "ids", "index", "sample", "samples"];

/// Characters of a field that an error shows.
const SHOWN: usize = 40;

/// Reads a table of numbers, and the samples' names if there is a column of them.
pub(super) fn samples(
    source: Source,
    options: &ReadOptions,
) -> Result<(Array, Option<Vec<String>>), Fault> {
    let named = |column: &Column| matches!(column, Column::Name(_));
    let by_name = options.exclude.iter().any(named)
        || matches!(&options.names, NameColumn::At(column) if named(column));
    let header = options.header.or(by_name.then_some(true));
    let mut table =
        Table::open(source, header, options.delimiter, |head| header_of_samples(head, options))?;

    let name_column = match &options.names {
        NameColumn::Auto => table.starts_with_names().then_some(0),
        NameColumn::None => None,
        NameColumn::At(column) => Some(table.find(column)?),
    };
    let mut is_feature = vec![true; table.columns];
    for column in &options.exclude {
        is_feature[table.find(column)?] = false;
    }
    name_column.inspect(|&column| is_feature[column] = false);
    let features: Vec<_> = (0..table.columns).filter(|&column| is_feature[column]).collect();

    let (mut values, mut names, mut samples) = (Vec::new(), Vec::new(), 0);
    while let Some(row) = table.next_row()? {
        let bytes = (features.len() * size_of::<f64>()) as u64;
        values.try_reserve(features.len()).map_err(|_| Fault::Memory { bytes })?;
        for &column in &features {
            values.push(number(row.field(column)).ok_or_else(|| Fault::NotANumber {
                line: row.line,
                column: column + 1,
                text: row.shown(column),
            })?);
        }
        if let Some(column) = name_column {
            push(&mut names, owned(&row.text(column))?)?;
        }
        samples += 1;
    }
    let shape = vec![samples, features.len()];
    let array = Array { elements: Elements::F64(values), shape, column_major: false };
    Ok((array, name_column.map(|_| names)))
}

/// Whether the first row names the columns: if no feature of it is a number, and some of later rows
/// is. An error if it might as well be a sample that lacks a value.
fn header_of_samples(head: &[Row], options: &ReadOptions) -> Result<bool, Fault> {
    let Some((first, later)) = head.split_first() else {
        return Ok(false);
    };
    let at = |column: &Column| match column {
        Column::Index(index) => Some(*index),
        Column::Name(_) => None,
    };
    let name_column = match &options.names {
        NameColumn::Auto => {
            let rows = if later.is_empty() { head } else { later };
            (first.fields.len() > 1 && !has_number(rows, 0)).then_some(0)
        }
        NameColumn::None => None,
        NameColumn::At(column) => at(column),
    };
    let is_feature = |column: &usize| {
        Some(*column) != name_column && !options.exclude.iter().any(|x| at(x) == Some(*column))
    };
    let (numbers, others): (Vec<_>, Vec<_>) =
        (0..first.fields.len()).filter(is_feature).partition(|&column| first.is_number(column));
    // Only those that a later row has a number for are missing one.
    let missing = others.iter().copied().find(|&column| has_number(later, column));
    let ambiguous = |column| {
        Err(Fault::Header { line: first.line, column: column + 1, text: first.shown(column) })
    };
    let unnamed = |&column: &usize| first.is_one_of(column, &MISSING);
    match (missing, name_column) {
        (Some(column), _) if !numbers.is_empty() || others.iter().all(unnamed) => ambiguous(column),
        (Some(_), _) => Ok(true),
        // Years, say, or the column numbers that pandas writes.
        (None, Some(0)) if !numbers.is_empty() && first.is_one_of(0, &NAMES_OF_NAMES) => {
            match later.iter().any(|row| !row.is_one_of(0, &NAMES_OF_NAMES)) {
                true => ambiguous(0),
                false => Ok(false),
            }
        }
        (None, _) if later.is_empty() && numbers.is_empty() && !others.iter().all(unnamed) => {
            Err(Fault::OnlyHeader)
        }
        (None, _) => Ok(false),
    }
}

/// Whether the first row of a table of labels names the columns: if it has no number, and later
/// rows have one. An error if it has, but not where the label of later rows is one.
pub(super) fn header_of_labels(head: &[Row], column: Option<&Column>) -> Result<bool, Fault> {
    let Some((first, later)) = head.split_first() else {
        return Ok(false);
    };
    let columns = 0..first.fields.len();
    let lacks = |column| !first.is_number(column) && has_number(later, column);
    if !columns.clone().any(|column| first.is_number(column)) {
        return Ok(columns.clone().any(lacks));
    }
    let label = match column {
        Some(Column::Index(index)) => *index,
        _ => columns.end - 1,
    };
    match columns.contains(&label) && lacks(label) {
        true => {
            let (line, text) = (first.line, first.shown(label));
            Err(Fault::Header { line, column: label + 1, text })
        }
        false => Ok(false),
    }
}

fn has_number(rows: &[Row], column: usize) -> bool {
    rows.iter().any(|row| row.is_number(column))
}

/// Appends `value`, if there is memory for it.
fn push<T>(to: &mut Vec<T>, value: T) -> Result<(), Fault> {
    let bytes = (to.len() * size_of::<T>()) as u64; // By as many a vector grows.
    to.try_reserve(1).map_err(|_| Fault::Memory { bytes })?;
    to.push(value);
    Ok(())
}

/// A copy of `text`, if there is memory for it.
pub(super) fn owned(text: &str) -> Result<String, Fault> {
    let (mut copy, bytes) = (String::new(), text.len() as u64);
    copy.try_reserve_exact(text.len()).map_err(|_| Fault::Memory { bytes })?;
    copy.push_str(text);
    Ok(copy)
}

/// A number as programs write it, NaN and infinities included.
pub(super) fn number(field: &[u8]) -> Option<f64> {
    fast_float2::parse(field).ok()
}

/// A table whose rows are read one by one; all have as many fields as the first.
pub(super) struct Table {
    lines: Lines,
    pub(super) columns: usize,
    header: Option<Row>,
    /// Rows that were read ahead, the next one last.
    head: Vec<Row>,
    row: Row,
}

impl Table {
    /// Reads the first rows. Without `header`, `recognise` tells by them whether there is one; and
    /// without `delimiter`, it is recognised.
    pub(super) fn open(
        source: Source,
        header: Option<bool>,
        delimiter: Option<Delimiter>,
        recognise: impl FnOnce(&[Row]) -> Result<bool, Fault>,
    ) -> Result<Self, Fault> {
        let mut lines = Lines::open(source, delimiter)?;
        let (mut head, mut bytes) = (Vec::new(), 0);
        while head.len() <= HEAD && bytes < LONGEST_LINE {
            let mut row = Row::default();
            if !lines.read(&mut row)? {
                break;
            }
            bytes += row.content.len();
            head.push(row);
        }
        let columns = head.first().ok_or(Fault::Empty)?.fields.len();
        head.iter().try_for_each(|row: &Row| row.check(columns))?;
        let has_header = header.map_or_else(|| recognise(&head), Ok)?;
        head.reverse();
        let header = if has_header { head.pop() } else { None };
        if head.is_empty() {
            return Err(Fault::OnlyHeader);
        }
        Ok(Self { lines, columns, header, head, row: Row::default() })
    }

    /// The next row, or none after the last.
    pub(super) fn next_row(&mut self) -> Result<Option<&Row>, Fault> {
        match self.head.pop() {
            Some(row) => self.row = row,
            None if !self.lines.read(&mut self.row)? => return Ok(None),
            None => self.row.check(self.columns)?,
        }
        Ok(Some(&self.row))
    }

    /// The position of a column.
    pub(super) fn find(&self, column: &Column) -> Result<usize, Fault> {
        let header =
            || self.header.iter().flat_map(|row| (0..row.fields.len()).map(|at| row.text(at)));
        let found = match column {
            Column::Index(index) => (*index < self.columns).then_some(*index),
            Column::Name(name) => header().position(|other| other == *name),
        };
        found.ok_or_else(|| Fault::NoSuchColumn {
            column: column.to_string(),
            columns: match column {
                Column::Index(_) => self.columns.to_string(),
                Column::Name(_) => header().collect::<Vec<_>>().join(", "),
            },
        })
    }

    /// Whether there is a first column without any number, and others beside it.
    fn starts_with_names(&self) -> bool {
        self.columns > 1 && !has_number(&self.head, 0)
    }
}

/// A row: its line, and where in that each field is.
#[derive(Debug, Default)]
pub(super) struct Row {
    content: Vec<u8>,
    fields: Vec<Range<usize>>,
    /// The number of the line that the row starts on, from 1.
    pub(super) line: u64,
}

impl Row {
    /// A field, without the white space around it.
    pub(super) fn field(&self, column: usize) -> &[u8] {
        self.content[self.fields[column].clone()].trim_ascii()
    }

    /// Checks that there are as many fields as in the first row.
    fn check(&self, expected: usize) -> Result<(), Fault> {
        match self.fields.len() {
            found if found == expected => Ok(()),
            found => Err(Fault::Ragged { line: self.line, expected, found }),
        }
    }

    fn is_number(&self, column: usize) -> bool {
        number(self.field(column)).is_some()
    }

    /// Whether the field is one of these words, in capitals or not.
    fn is_one_of(&self, column: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.field(column).eq_ignore_ascii_case(word.as_bytes()))
    }

    /// The same as text.
    pub(super) fn text(&self, column: usize) -> std::borrow::Cow<'_, str> {
        String::from_utf8_lossy(self.field(column))
    }

    /// As much of the same as an error should show.
    pub(super) fn shown(&self, column: usize) -> String {
        self.text(column).chars().take(SHOWN).collect()
    }
}

/// The lines of a file, split to fields.
struct Lines {
    reader: Box<dyn BufRead>,
    delimiter: Delimiter,
    /// Lines read so far.
    line: u64,
}

impl Lines {
    /// Skips blank lines and those of comments (`#`) at the start, and recognises the delimiter by
    /// the line that follows.
    fn open(source: Source, delimiter: Option<Delimiter>) -> Result<Self, Fault> {
        let mut reader = source.reader();
        let (mut first, mut skipped) = (Vec::new(), 0);
        loop {
            if read_line(&mut reader, &mut first, skipped + 1)? == 0 {
                return Err(Fault::Empty);
            }
            if skipped == 0 && first.starts_with(b"\xef\xbb\xbf") {
                first.drain(..3); // The byte order mark of UTF-8, which Excel writes.
            }
            let start = first.trim_ascii_start();
            if !start.is_empty() && !start.starts_with(b"#") {
                break;
            }
            skipped += 1;
            first.clear();
        }
        // A quoted field may go on in the next line.
        let mut open = has_open_quote(&first);
        while open {
            let seen = first.len();
            if read_line(&mut reader, &mut first, skipped + 1)? == 0 {
                break;
            }
            open = !has_open_quote(&first[seen..]);
        }
        let delimiter = delimiter.unwrap_or_else(|| recognise(&first));
        let reader = Box::new(std::io::Cursor::new(first).chain(reader));
        Ok(Self { reader, delimiter, line: skipped })
    }

    /// Reads the next line that is not blank. False at the end.
    fn read(&mut self, row: &mut Row) -> Result<bool, Fault> {
        loop {
            row.content.clear();
            row.line = self.line + 1;
            if !self.read_line(row)? {
                return Ok(false);
            }
            if !row.content.trim_ascii().is_empty() {
                break;
            }
        }
        row.fields.clear();
        match self.delimiter {
            Delimiter::WhiteSpace => {
                let mut end = 0;
                for field in row.content.split(u8::is_ascii_whitespace) {
                    let start = end;
                    end = start + field.len() + 1;
                    if !field.is_empty() {
                        push(&mut row.fields, start..end - 1)?;
                    }
                }
            }
            Delimiter::Byte(delimiter) if row.content.contains(&b'"') => {
                self.read_quoted(row, delimiter)?;
            }
            Delimiter::Byte(delimiter) => {
                let mut start = 0;
                for field in row.content.split(|&byte| byte == delimiter) {
                    push(&mut row.fields, start..start + field.len())?;
                    start += field.len() + 1;
                }
            }
        }
        Ok(true)
    }

    /// Splits a row with quotes, of which an odd number means that it goes on in the next line.
    ///
    /// Only such rows go through the csv crate: its line numbers are off after blank lines and in
    /// files of CRLF, and plain rows split faster without it.
    fn read_quoted(&mut self, row: &mut Row, delimiter: u8) -> Result<(), Fault> {
        let mut open = has_open_quote(&row.content);
        while open {
            let seen = row.content.len();
            if !self.read_line(row)? {
                break;
            }
            open = !has_open_quote(&row.content[seen..]);
        }
        let mut reader = ReaderBuilder::new();
        let reader = reader.has_headers(false).delimiter(delimiter).from_reader(&row.content[..]);
        let record = reader.into_byte_records().next().transpose();
        let record = record.map_err(|error| Fault::malformed("a text table", error))?;
        let record: ByteRecord = record.unwrap_or_default();
        row.fields.extend((0..record.len()).filter_map(|column| record.range(column)));
        row.content.clear();
        row.content.extend_from_slice(record.as_slice());
        Ok(())
    }

    /// Appends a line to the row.
    fn read_line(&mut self, row: &mut Row) -> Result<bool, Fault> {
        let read = read_line(&mut self.reader, &mut row.content, row.line)?;
        self.line += 1;
        Ok(read > 0)
    }
}

/// Appends a line with its end to `row`, which is that of line `number`, and says how long it is.
fn read_line(reader: &mut dyn BufRead, row: &mut Vec<u8>, number: u64) -> Result<usize, Fault> {
    let seen = row.len();
    loop {
        let available = match reader.fill_buf() {
            Err(error) if error.kind() == ErrorKind::Interrupted => continue,
            available => available?,
        };
        let length = (&*available).skip_until(b'\n')?; // By the fast search of std.
        let ended = available[..length].ends_with(b"\n") || length == 0;
        if row.len() + length > LONGEST_LINE {
            return Err(Fault::LongLine { line: number, limit: LONGEST_LINE });
        }
        row.try_reserve(length).map_err(|_| Fault::Memory { bytes: row.len() as u64 })?;
        row.extend_from_slice(&available[..length]);
        reader.consume(length);
        if ended {
            return Ok(row.len() - seen);
        }
    }
}

/// Whether a quote is opened and not closed: one within a quoted field is doubled.
fn has_open_quote(text: &[u8]) -> bool {
    text.iter().filter(|&&byte| byte == b'"').count() % 2 == 1
}

/// The delimiter of a line: tab, semicolon or comma, outside of quotes, else white space.
///
/// Tab and semicolon come first since a comma may be within text, or be a decimal comma.
fn recognise(line: &[u8]) -> Delimiter {
    let mut bytes = line.to_vec();
    let mut quoted = false;
    bytes.retain(|&byte| {
        quoted ^= byte == b'"';
        !quoted
    });
    let candidates = [b'\t', b';', b','].into_iter();
    let found = candidates.into_iter().find(|delimiter| bytes.trim_ascii().contains(delimiter));
    found.map_or(Delimiter::WhiteSpace, Delimiter::Byte)
}
