//! Tables of text: `.csv`, `.tsv`, `.txt`.

use std::io::{BufRead, Read};
use std::ops::Range;

use csv::{ByteRecord, ReaderBuilder};

use super::element::{Array, Elements};
use super::error::Fault;
use super::source::Source;
use super::{Column, Delimiter, NameColumn, ReadOptions};

/// Rows by which the header and the name column are recognised.
const HEAD: usize = 100;

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
    let mut table =
        Table::open(source, options.header.or(by_name.then_some(true)), options.delimiter)?;

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
        names.extend(name_column.map(|column| row.text(column).into_owned()));
        samples += 1;
    }
    let shape = vec![samples, features.len()];
    let array = Array { elements: Elements::F64(values), shape, column_major: false };
    Ok((array, name_column.map(|_| names)))
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
    /// Reads the first rows. Without `header` or `delimiter`, they are recognised.
    pub(super) fn open(
        source: Source,
        header: Option<bool>,
        delimiter: Option<Delimiter>,
    ) -> Result<Self, Fault> {
        let mut lines = Lines::open(source, delimiter)?;
        let mut head = Vec::new();
        while head.len() <= HEAD {
            let mut row = Row::default();
            if !lines.read(&mut row)? {
                break;
            }
            head.push(row);
        }
        let Some((first, later)) = head.split_first() else {
            return Err(Fault::Empty);
        };
        let columns = first.fields.len();
        let names_a_number = |column| {
            let is_number =
                |row: &Row| column < row.fields.len() && number(row.field(column)).is_some();
            !is_number(first) && later.iter().any(is_number)
        };
        let has_header = header.unwrap_or_else(|| (0..columns).any(names_a_number));
        head.reverse();
        let header = if has_header { head.pop() } else { None };
        if head.is_empty() {
            return Err(Fault::Empty);
        }
        Ok(Self { lines, columns, header, head, row: Row::default() })
    }

    /// The next row, or none after the last.
    pub(super) fn next_row(&mut self) -> Result<Option<&Row>, Fault> {
        match self.head.pop() {
            Some(row) => self.row = row,
            None if !self.lines.read(&mut self.row)? => return Ok(None),
            None => {}
        }
        match self.row.fields.len() {
            found if found == self.columns => Ok(Some(&self.row)),
            found => Err(Fault::Ragged { line: self.row.line, expected: self.columns, found }),
        }
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
        self.columns > 1 && self.head.iter().all(|row| number(row.field(0)).is_none())
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
            if reader.read_until(b'\n', &mut first)? == 0 {
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
        while has_open_quote(&first) && reader.read_until(b'\n', &mut first)? > 0 {}
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
                        row.fields.push(start..end - 1);
                    }
                }
            }
            Delimiter::Byte(delimiter) if row.content.contains(&b'"') => {
                self.read_quoted(row, delimiter)?;
            }
            Delimiter::Byte(delimiter) => {
                let mut start = 0;
                for field in row.content.split(|&byte| byte == delimiter) {
                    row.fields.push(start..start + field.len());
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
        let read = self.reader.read_until(b'\n', &mut row.content)?;
        self.line += 1;
        Ok(read > 0)
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
