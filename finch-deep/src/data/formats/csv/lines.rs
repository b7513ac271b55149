//! Lines of text, split to the fields of a table.

use std::collections::HashSet;
use std::io::{BufRead, Cursor, ErrorKind, Read};
use std::slice;

use csv::{ByteRecord, ReaderBuilder};

use super::delimiter::{LOOKED_AT, beside_blanks, recognise, separator};
use super::encoding::Encoding;
use super::field::number_of;
use super::missing::MissingWords;
use super::quotes::{
    Closed, Closing, count, ends_quoted, last_end, next_word, open_at, open_quote,
    quote_stray_quotes, without_blanks_before_quotes,
};
use super::remarks::{is_of_print, is_remark, is_rule};
use super::row::Row;
use super::written::is_amount;
use crate::data::error::Fault;
use crate::data::error::note::Note;
use crate::data::options::ReadOptions;
use crate::data::options::choices::Delimiter;
use crate::data::source::Source;
use crate::data::source::held_back::HeldBack;
use crate::data::source::memory::Memory;
use crate::data::source::spool::LONGEST_LINE;

/// The bytes of a block of rows, about.
const BLOCK: usize = 1 << 20;

/// The lines of a file, split to fields.
pub(in crate::data) struct Lines<'a> {
    reader: Box<dyn BufRead + 'a>,
    pub(in crate::data) delimiter: Delimiter,
    /// True if numbers have a decimal comma.
    decimal_comma: bool,
    /// Lines read so far.
    line: u64,
    /// The first rows that begin with `#`.
    hashed: usize,
    /// True if the first row names the columns behind a `#`, which is taken away.
    pub(in crate::data) is_named: bool,
    pub(in crate::data) encoding: Encoding,
    /// The bytes read beyond the last block, or given back, and how many of them have been taken since.
    rest: Vec<u8>,
    taken: usize,
    /// True if no quote ends a field from here to the end of the file.
    has_no_closing: bool,
    memory: &'a Memory,
}

/// Some whole rows, as they are in the file.
pub(in crate::data) struct Block {
    pub(in crate::data) bytes: Vec<u8>,
    /// Lines before the block.
    pub(in crate::data) line: u64,
    /// True if there is a quote in it.
    pub(in crate::data) quoted: bool,
}

impl<'a> Lines<'a> {
    /// Skips the lines that are to be skipped, blank lines and those of comments (`#`) at the start, and
    /// recognises the delimiter by the lines that follow.
    pub(in crate::data) fn open(
        source: Source,
        options: &ReadOptions,
        memory: &'a Memory,
    ) -> Result<Self, Fault> {
        let encoding = Encoding::default();
        let mut reader = encoding.recoded(source.reader(), memory)?;
        if options.skip_last > 0 {
            reader = Box::new(HeldBack::new(reader, options.skip_last));
        }
        let decimal_comma = options.decimal_comma;
        let Start { mut first, mut skipped, mut hashed, delimiter } =
            Start::read(&mut reader, options, memory)?;
        end_quotes(&mut first, &mut reader, delimiter, decimal_comma, skipped + 1, memory)?;
        expect_lines(&first)?;
        let delimiter = match delimiter.unwrap_or_else(|| recognise(&first, decimal_comma)) {
            Delimiter::WhiteSpace if delimiter.is_none() => {
                // A pipe has as much as has arrived: whole lines are waited for.
                let (mut after, mut lines) = (Vec::new(), 1);
                while lines < LOOKED_AT && after.len() < BLOCK {
                    let line = skipped + 1 + lines as u64;
                    if read_line(&mut reader, &mut after, line, memory)? == 0 {
                        break;
                    }
                    lines += 1;
                }
                let delimiter = beside_blanks(&first, &after);
                first.append(&mut after);
                delimiter
            }
            found => found,
        };
        let missing = MissingWords::new(&options.missing_words, decimal_comma);
        let rows = rows_above(&hashed, &first, delimiter, &missing, memory);
        let mut above = hashed.split_off(hashed.len() - rows);
        let hashed_rows = count(&above, b'\n');
        skipped -= hashed_rows as u64;
        let mut is_named = false;
        if rows == 0
            && options.header != Some(false)
            && let Some((_, names)) = names_above(&hashed, &first, delimiter, decimal_comma, memory)
        {
            (above, skipped, is_named) = (names, skipped - 1, true);
        }
        let reader = Box::new(Cursor::new(above).chain(Cursor::new(first)).chain(reader));
        Ok(Self {
            reader,
            delimiter,
            decimal_comma,
            line: skipped,
            hashed: hashed_rows,
            is_named,
            encoding,
            rest: Vec::new(),
            taken: 0,
            has_no_closing: false,
            memory,
        })
    }

    /// The note on first rows that begin with `#`, if there are some, before any row has been read.
    pub(in crate::data) fn note_on_start(&self) -> Option<Note> {
        let skip = self.line + self.hashed as u64;
        (self.hashed > 0).then_some(Note::Hashed { rows: self.hashed, skip })
    }

    /// The rows of a block.
    pub(in crate::data) fn of(block: &'a Block, delimiter: Delimiter, memory: &'a Memory) -> Self {
        Self::within(&block.bytes, block.line, delimiter, memory)
    }

    /// The rows of `bytes`, before which there are `line` lines.
    pub(in crate::data) fn within(
        bytes: &'a [u8],
        line: u64,
        delimiter: Delimiter,
        memory: &'a Memory,
    ) -> Self {
        Self {
            reader: Box::new(bytes),
            delimiter,
            decimal_comma: false,
            line,
            hashed: 0,
            is_named: false,
            encoding: Encoding::default(),
            rest: Vec::new(),
            taken: 0,
            has_no_closing: false,
            memory,
        }
    }

    /// Reads a block of rows; none at the end.
    pub(in crate::data) fn read_block(&mut self) -> Result<Option<Block>, Fault> {
        let mut bytes = std::mem::take(&mut self.rest);
        bytes.drain(..std::mem::take(&mut self.taken));
        let delimiter = self.delimiter.byte();
        loop {
            // Twice as much each time: a row is looked through again when more of it is there.
            let wanted = BLOCK.max(bytes.len());
            let read = (&mut self.reader).take(wanted as u64).read_to_end(&mut bytes)?;
            let end = if read < wanted { Some(bytes.len()) } else { last_end(&bytes, delimiter) };
            match end {
                Some(end) => {
                    self.rest = bytes.split_off(end);
                    break;
                }
                None if bytes.len() > LONGEST_LINE => {
                    return Err(Fault::LongLine { line: self.line + 1, limit: LONGEST_LINE });
                }
                None => {}
            }
        }
        let quoted = delimiter.is_some() && bytes.contains(&b'"');
        let block = Block { line: self.line, quoted, bytes };
        self.line += count(&block.bytes, b'\n') as u64;
        Ok((!block.bytes.is_empty()).then_some(block))
    }

    /// Reads the next line that is not blank. False at the end.
    pub(in crate::data) fn read(&mut self, row: &mut Row) -> Result<bool, Fault> {
        loop {
            row.content.clear();
            (row.line, row.decimal_comma) = (self.line + 1, self.decimal_comma);
            if !self.read_line(row)? {
                return Ok(false);
            }
            let line = row.content.trim_ascii();
            if !line.is_empty() && !is_rule(line) && !is_of_print(line) {
                break;
            }
        }
        row.fields.clear();
        match self.delimiter {
            Delimiter::WhiteSpace | Delimiter::Aligned => {
                let (mut at, mut has_quotes) = (0, row.content.contains(&b'"'));
                while let Some(field) = next_word(&row.content, at, &mut has_quotes) {
                    at = field.end + 1;
                    self.memory.push(&mut row.fields, field)?;
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

    /// Splits a row with quotes, which goes on in the next line where a quoted field is open at its end.
    ///
    /// Only such rows go through the csv crate: its line numbers are off after blank lines and in
    /// files of CRLF, and plain rows split faster without it.
    fn read_quoted(&mut self, row: &mut Row, delimiter: u8) -> Result<(), Fault> {
        match delimiter {
            b'\t' => {
                self.end_quotes_before_tabs(row)?;
                quote_stray_quotes(&mut row.content);
            }
            _ => {
                let mut open = ends_quoted(&row.content, false, &[delimiter]);
                while open {
                    let seen = row.content.len();
                    if !self.read_line(row)? {
                        return Err(open_quote(&row.content, delimiter, row.line));
                    }
                    open = ends_quoted(&row.content[seen..], true, &[delimiter]);
                }
            }
        }
        without_blanks_before_quotes(&mut row.content, delimiter);
        let mut reader = ReaderBuilder::new();
        let reader = reader.has_headers(false).delimiter(delimiter).from_reader(&row.content[..]);
        let mut records = reader.into_byte_records();
        let record = records.next().transpose();
        let record = record.map_err(|error| Fault::malformed("a text table", error))?;
        let record: ByteRecord = record.unwrap_or_default();
        if records.next().is_some() {
            let reason = format!("the quotes of line {} do not tell where it ends", row.line);
            return Err(Fault::malformed("a text table", reason));
        }
        row.fields.extend((0..record.len()).filter_map(|column| record.range(column)));
        row.content.clear();
        row.content.extend_from_slice(record.as_slice());
        Ok(())
    }

    /// Reads the lines in which quoted fields of a row go on. Where none ends the field, the row ends with its line, and
    /// what was read beyond it is given back.
    fn end_quotes_before_tabs(&mut self, row: &mut Row) -> Result<(), Fault> {
        let mut from = 0;
        while let Some(quote) = open_at(&row.content, b'\t', from) {
            let mut closing = Closing::of(quote);
            loop {
                match closing.find(&row.content) {
                    Closed::At(end) => {
                        from = end;
                        break;
                    }
                    Closed::Open if !self.has_no_closing => {
                        // Where no quote ends the field up to the end of the file, none ends a later one.
                        self.has_no_closing = !self.read_line(row)?;
                    }
                    _ => return self.give_back(row, quote),
                }
            }
        }
        Ok(())
    }

    /// Gives the lines of a row back that are behind the line of a quote.
    fn give_back(&mut self, row: &mut Row, quote: usize) -> Result<(), Fault> {
        let end = row.content[quote..].iter().position(|&byte| byte == b'\n');
        let beyond = row.content.split_off(end.map_or(row.content.len(), |end| quote + end + 1));
        if !beyond.is_empty() {
            let is_cut = !beyond.ends_with(b"\n");
            self.line -= count(&beyond, b'\n') as u64 + u64::from(is_cut);
            let left = &self.rest[self.taken..];
            let mut rest = beyond;
            self.memory.reserve(&mut rest, left.len())?;
            rest.extend_from_slice(left);
            (self.rest, self.taken) = (rest, 0);
        }
        Ok(())
    }

    /// Appends a line to the row: of those that were given back, or the next.
    fn read_line(&mut self, row: &mut Row) -> Result<bool, Fault> {
        let left = &self.rest[self.taken..];
        let seen = row.content.len();
        if !left.is_empty() {
            let end = left.iter().position(|&byte| byte == b'\n');
            let line = &left[..end.map_or(left.len(), |end| end + 1)];
            self.memory.reserve(&mut row.content, line.len())?;
            row.content.extend_from_slice(line);
            self.taken += line.len();
        }
        if !row.content[seen..].ends_with(b"\n") {
            read_line(&mut self.reader, &mut row.content, row.line, self.memory)?;
        }
        let is_there = row.content.len() > seen;
        self.line += u64::from(is_there);
        Ok(is_there)
    }
}

/// The start of a file.
struct Start {
    /// The first line that is not skipped.
    first: Vec<u8>,
    /// The lines before it.
    skipped: u64,
    /// The lines right before it that begin with `#`.
    hashed: Vec<u8>,
    /// The delimiter that an option or a line `sep=;` tells.
    delimiter: Option<Delimiter>,
}

impl Start {
    /// Reads lines up to the first that is a row.
    fn read(
        reader: &mut dyn BufRead,
        options: &ReadOptions,
        memory: &Memory,
    ) -> Result<Self, Fault> {
        let (mut first, mut skipped, mut hashed) = (Vec::new(), 0, Vec::new());
        let mut delimiter = options.delimiter;
        loop {
            if read_line(reader, &mut first, skipped + 1, memory)? == 0 {
                return Err(Fault::Empty);
            }
            if skipped == 0 && first.starts_with(b"\xef\xbb\xbf") {
                first.drain(..3); // The byte order mark of UTF-8, which Excel writes.
            }
            let start = first.trim_ascii_start();
            let separator = separator(&first);
            let is_skipped = skipped < options.skip as u64;
            if !is_skipped && !start.is_empty() && !is_remark(start) && separator.is_none() {
                return Ok(Self { first, skipped, hashed, delimiter });
            }
            match start.starts_with(b"#") && !is_skipped && hashed.len() <= LONGEST_LINE {
                true => {
                    memory.reserve(&mut hashed, first.len())?;
                    hashed.append(&mut first);
                }
                false => hashed.clear(),
            }
            delimiter = delimiter.or(separator);
            skipped += 1;
            first.clear();
        }
    }
}

/// Reads the lines that a quoted field of the first one, line `number`, goes on in.
fn end_quotes(
    first: &mut Vec<u8>,
    reader: &mut dyn BufRead,
    delimiter: Option<Delimiter>,
    decimal_comma: bool,
    number: u64,
    memory: &Memory,
) -> Result<(), Fault> {
    let delimiters = match &delimiter {
        Some(Delimiter::Byte(delimiter)) => slice::from_ref(delimiter),
        Some(Delimiter::WhiteSpace | Delimiter::Aligned) => return Ok(()),
        None => DELIMITERS,
    };
    let mut open = ends_quoted(first, false, delimiters);
    let line = first.len();
    while open {
        let seen = first.len();
        if read_line(reader, first, number, memory)? == 0 {
            // Behind another delimiter than that of the table a quote is a character.
            let is_kept = |byte: &u8| *byte != b'"';
            let unquoted: Vec<u8> = first[..line].iter().copied().filter(is_kept).collect();
            let found = delimiter.unwrap_or_else(|| recognise(&unquoted, decimal_comma));
            let Delimiter::Byte(found) = found else { break };
            if !ends_quoted(first, false, &[found]) {
                break;
            }
            return Err(open_quote(first, found, number));
        }
        open = ends_quoted(&first[seen..], true, delimiters);
    }
    Ok(())
}

/// Checks that the first line is text, and that lines end as those of text do.
fn expect_lines(first: &[u8]) -> Result<(), Fault> {
    if first.contains(&0) {
        let reason = "it has zero bytes: save it as UTF-8, if it is text at all";
        return Err(Fault::malformed("a text table", reason));
    }
    let bare = |pair: &[u8]| pair[0] == b'\r' && !b"\r\n".contains(&pair[1]);
    if !first.contains(&b'"') && first.windows(2).any(bare) {
        let reason = "its lines end with a carriage return alone: end them with a line feed";
        return Err(Fault::malformed("a text table", reason));
    }
    Ok(())
}

/// The bytes at the end of `above`, lines that begin with `#`, that are rows all the same, as a first column of
/// hashtags or ranks has them: where the row below has a number, so have they, or a missing value, and both have a word
/// first.
pub(in crate::data) fn rows_above(
    above: &[u8],
    below: &[u8],
    delimiter: Delimiter,
    missing: &MissingWords,
    memory: &Memory,
) -> usize {
    if above.is_empty() {
        return 0;
    }
    let cells_of = |line: &[u8]| cells_of(&row_of(line, delimiter, memory), missing);
    let below = cells_of(below);
    let is_row = |line: &&[u8]| {
        let line = line.trim_ascii();
        // A mark alone begins a remark where fields are apart by blanks.
        let is_marked = line.starts_with(b"#") && line.get(1).is_some_and(|byte| *byte != b' ');
        let is_hashed = match delimiter {
            Delimiter::Byte(_) => line.starts_with(b"#"),
            Delimiter::WhiteSpace | Delimiter::Aligned => is_marked,
        };
        let cells = if is_hashed { cells_of(line) } else { Vec::new() };
        let pairs = || cells.iter().zip(&below);
        cells.len() == below.len()
            && pairs().all(|pair| !matches!(pair, (Cell::Word, Cell::Number)))
            && pairs().any(|pair| matches!(pair, (Cell::Number, Cell::Number | Cell::Missing)))
    };
    let lines = above.split_inclusive(|&byte| byte == b'\n').rev();
    lines.take_while(is_row).map(<[u8]>::len).sum()
}

/// The length of the last line of `above`, and the line without the `#` that it begins with, if it names the columns of
/// the rows below, as programs of genetics and NumPy write headers: as many words that differ as the row below has
/// fields, and that has a number.
pub(in crate::data) fn names_above(
    above: &[u8],
    below: &[u8],
    delimiter: Delimiter,
    decimal_comma: bool,
    memory: &Memory,
) -> Option<(usize, Vec<u8>)> {
    // Words of missing values are found later, and would have the same line judged in another way.
    let missing = &MissingWords::new(&[], decimal_comma);
    let last = above.split_inclusive(|&byte| byte == b'\n').next_back()?;
    let mark = last.iter().position(|byte| !byte.is_ascii_whitespace() && *byte != b'#')?;
    let below = row_of(below, delimiter, memory);
    let mut line = last[mark..].to_vec();
    let mut names = row_of(&line, delimiter, memory);
    // A mark alone is the name of numbers of rows.
    if delimiter != Delimiter::WhiteSpace && !names.fields.is_empty() && names.field(0).is_empty() {
        line = last.trim_ascii_start().to_vec();
        names = row_of(&line, delimiter, memory);
    }
    // A delimiter behind the last name, as some programs write it, may be behind the values of rows or not.
    let ends_empty =
        |row: &Row| row.fields.len().checked_sub(1).is_some_and(|last| row.field(last).is_empty());
    let mut unnamed = 0;
    if let Delimiter::Byte(delimiter) = delimiter
        && ends_empty(&names)
    {
        if names.fields.len() == below.fields.len() + 1 {
            let end = line.iter().rposition(|&byte| byte == delimiter).unwrap_or(line.len());
            line.truncate(end);
            line.push(b'\n');
            names.fields.pop();
        } else {
            unnamed = usize::from(ends_empty(&below));
        }
    } else if let Delimiter::Byte(delimiter) = delimiter
        && ends_empty(&below)
        && names.fields.len() + 1 == below.fields.len()
    {
        line.truncate(line.trim_ascii_end().len());
        line.extend([delimiter, b'\n']);
        names = row_of(&line, Delimiter::Byte(delimiter), memory);
        unnamed = 1;
    }
    let named = names.fields.len().checked_sub(unnamed)?;
    let has_number = cells_of(&below, missing).iter().any(|cell| matches!(cell, Cell::Number));
    let are_words =
        cells_of(&names, missing)[..named].iter().all(|cell| matches!(cell, Cell::Word));
    let texts: HashSet<_> = (0..named).map(|at| names.text(at)).collect();
    let fits = names.fields.len() == below.fields.len() && texts.len() == named;
    (fits && texts.len() > 1 && has_number && are_words).then_some((last.len(), line))
}

/// The first row of a text; none of its fields where it cannot be split.
fn row_of(text: &[u8], delimiter: Delimiter, memory: &Memory) -> Row {
    let mut row = Row::default();
    match Lines::within(text, 0, delimiter, memory).read(&mut row) {
        Ok(true) => row,
        _ => Row::default(),
    }
}

fn cells_of(row: &Row, missing: &MissingWords) -> Vec<Cell> {
    (0..row.fields.len()).map(|at| Cell::of(row.field(at), missing)).collect()
}

/// The kind of a field.
enum Cell {
    Number,
    Missing,
    Word,
}

impl Cell {
    fn of(field: &[u8], missing: &MissingWords) -> Self {
        match () {
            () if missing.is_missing(field) => Self::Missing,
            () if number_of(field, missing.has_comma()).is_some() => Self::Number,
            () if is_amount(&String::from_utf8_lossy(field)) => Self::Number,
            () => Self::Word,
        }
    }
}

/// Appends a line with its end to `row`, which is that of line `number`, and says how long it is.
pub(in crate::data) fn read_line(
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

/// The delimiters that a quoted field may begin after, where that of the table is not known yet.
const DELIMITERS: &[u8] = b"\t;,|";
