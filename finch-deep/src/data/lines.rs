//! Lines of text, split to the fields of a table.

use std::io::{BufRead, ErrorKind, Read};

use csv::{ByteRecord, ReaderBuilder};

use super::error::Fault;
use super::memory::Memory;
use super::options::Delimiter;
use super::row::Row;
use super::source::Source;

/// Bytes of a line, which text tables are far from: a million features take some 20 MB. More is
/// another kind of file, or one that never ends.
pub(super) const LONGEST_LINE: usize = 256 << 20;

/// The lines of a file, split to fields.
pub(super) struct Lines<'a> {
    reader: Box<dyn BufRead>,
    delimiter: Delimiter,
    /// Lines read so far.
    line: u64,
    memory: &'a Memory,
}

impl<'a> Lines<'a> {
    /// Skips blank lines and those of comments (`#`) at the start, and recognises the delimiter by
    /// the line that follows.
    pub(super) fn open(
        source: Source,
        delimiter: Option<Delimiter>,
        memory: &'a Memory,
    ) -> Result<Self, Fault> {
        let mut reader = source.reader();
        let (mut first, mut skipped) = (Vec::new(), 0);
        loop {
            if read_line(&mut reader, &mut first, skipped + 1, memory)? == 0 {
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
            if read_line(&mut reader, &mut first, skipped + 1, memory)? == 0 {
                break;
            }
            open = !has_open_quote(&first[seen..]);
        }
        let delimiter = delimiter.unwrap_or_else(|| recognise(&first));
        let reader = Box::new(std::io::Cursor::new(first).chain(reader));
        Ok(Self { reader, delimiter, line: skipped, memory })
    }

    /// Reads the next line that is not blank. False at the end.
    pub(super) fn read(&mut self, row: &mut Row) -> Result<bool, Fault> {
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
                        self.memory.push(&mut row.fields, start..end - 1)?;
                    }
                }
            }
            Delimiter::Byte(delimiter) if row.content.contains(&b'"') => {
                self.read_quoted(row, delimiter)?;
            }
            Delimiter::Byte(delimiter) => {
                let mut start = 0;
                for field in row.content.split(|&byte| byte == delimiter) {
                    self.memory.push(&mut row.fields, start..start + field.len())?;
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
        let read = read_line(&mut self.reader, &mut row.content, row.line, self.memory)?;
        self.line += 1;
        Ok(read > 0)
    }
}

/// Appends a line with its end to `row`, which is that of line `number`, and says how long it is.
fn read_line(
    reader: &mut dyn BufRead,
    row: &mut Vec<u8>,
    number: u64,
    memory: &Memory,
) -> Result<usize, Fault> {
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
        memory.reserve(row, length)?;
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
