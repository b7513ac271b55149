//! Rows of text, read to numbers in blocks, by several threads.

use std::thread;

use super::cells::Cells;
use super::chosen::Chosen;
use super::field::{boolean, date, number_of};
use super::lines::{Block, Lines};
use super::missing::MissingWords;
use super::row::{Row, SHOWN};
use super::words::Words;
use crate::data::error::Fault;
use crate::data::error::column_at::ColumnAt;
use crate::data::options::choices::Delimiter;
use crate::data::source::memory::Memory;

/// The plan for reading each column of a table.
pub(in crate::data) struct Plan {
    pub(in crate::data) parts: Vec<Part>,
    /// The column of the samples' names.
    pub(in crate::data) name: Option<usize>,
    /// The columns that options name.
    pub(in crate::data) chosen: Chosen,
    pub(in crate::data) missing: MissingWords,
    /// True if the ends of short rows are missing values.
    pub(in crate::data) fill_rows: bool,
    pub(in crate::data) header: Option<Vec<String>>,
    /// The header, if rows that repeat it are left out.
    pub(in crate::data) repeats: Option<Vec<String>>,
    pub(in crate::data) delimiter: Delimiter,
    pub(in crate::data) decimal_comma: bool,
    pub(in crate::data) keep_cells: bool,
    pub(in crate::data) threads: usize,
}

/// The way to read a column.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::data) enum Part {
    /// It is no feature.
    Skipped,
    /// As numbers.
    Number,
    /// As words, which are numbered.
    Words,
}

/// Some rows of a table, or all of them. A missing value is NaN, and a word its number.
#[derive(Debug, Default)]
pub(in crate::data) struct Rows {
    /// Rows × features.
    pub(in crate::data) values: Vec<f64>,
    pub(in crate::data) rows: usize,
    /// The features that are of words,
    pub(in crate::data) of_words: Vec<usize>,
    /// and the words of each of them.
    pub(in crate::data) words: Vec<Words>,
    pub(in crate::data) names: Vec<String>,
    pub(in crate::data) cells: Cells,
    /// The rows that are not on the line after that of the row before: the row and its line.
    pub(in crate::data) breaks: Vec<(usize, u64)>,
    /// The line of the last row.
    line: u64,
    /// Of each feature, what is missing.
    pub(in crate::data) gaps: Vec<Gaps>,
    /// The rows with too few fields, or with too many.
    pub(in crate::data) filled: usize,
    /// The rows that repeat the header, which are left out.
    pub(in crate::data) repeated: usize,
}

/// The missing values of a column.
#[derive(Clone, Debug, Default)]
pub(in crate::data) struct Gaps {
    pub(in crate::data) count: usize,
    /// The line of the first of them, and the field.
    pub(in crate::data) first: Option<(u64, String)>,
    /// The number, among several files, of the file that the first of them is in.
    pub(in crate::data) file: usize,
}

impl Plan {
    /// The columns that are features.
    pub(in crate::data) fn features(&self) -> impl Iterator<Item = usize> {
        (0..self.parts.len()).filter(|&column| self.parts[column] != Part::Skipped)
    }

    pub(in crate::data) fn at(&self, position: usize) -> ColumnAt {
        let name = self.header.as_ref().map(|names| names[position].clone());
        ColumnAt { position, name: name.filter(|name| !name.is_empty()) }
    }

    /// Checks that the words of each column are booleans or dates, unless the column was named as one
    /// of categories.
    pub(in crate::data) fn expect_no_categories(&self, rows: &Rows) -> Result<(), Fault> {
        let features: Vec<usize> = self.features().collect();
        for (words, &feature) in rows.words.iter().zip(&rows.of_words) {
            let column = features[feature];
            let named = {
                let Chosen { categories, numeric, .. } = &self.chosen;
                categories.contains(&column) || numeric.contains(&column)
            };
            if named || words.is_all(boolean) || words.is_all(date) {
                continue;
            }
            let is_value =
                |word: &str| boolean(word.as_bytes()).is_some() || date(word.as_bytes()).is_some();
            let found = words.list.iter().find(|(word, _)| !is_value(word)).or(words.list.first());
            let Some((word, line)) = found else { continue };
            let text: String = word.chars().take(SHOWN).collect();
            // Numbers that are written in another way are not compared as words.
            let numeric = word.trim_start_matches(['+', '-', '.', ',']);
            return Err(match numeric.starts_with(|c: char| c.is_ascii_digit()) {
                true => Fault::NotANumber { line: *line, column: column + 1, text },
                false => Fault::Words { line: *line, column: self.at(column), text },
            });
        }
        Ok(())
    }

    pub(in crate::data) fn no_rows(&self) -> Rows {
        let parts = self.features().map(|column| self.parts[column]);
        let of_words = parts.enumerate().filter(|&(_, part)| part == Part::Words);
        let of_words: Vec<usize> = of_words.map(|(feature, _)| feature).collect();
        Rows {
            words: of_words.iter().map(|_| Words::default()).collect(),
            of_words,
            gaps: vec![Gaps::default(); self.features().count()],
            cells: Cells::new(self.header.clone(), self.parts.len()),
            ..Rows::default()
        }
    }

    /// Reads all rows: those of `head`, and those of `lines`.
    pub(in crate::data) fn read(
        &self,
        head: &[Row],
        mut lines: Lines<'_>,
        memory: &Memory,
    ) -> Result<Rows, Fault> {
        let (mut all, mut first) = (self.no_rows(), self.no_rows());
        head.iter().try_for_each(|row| first.push(row, self))?;
        all.append(first, memory)?;
        let mut blocks = self.next_blocks(&mut lines)?;
        while !blocks.is_empty() {
            // The threads read the rows of some blocks while the next blocks are read from the file.
            let (parsed, next) = match &blocks[..] {
                [block] => (vec![self.parse(block)], Ok(Vec::new())),
                blocks => thread::scope(|scope| {
                    let begin = |block| scope.spawn(move || self.parse(block));
                    let begun: Vec<_> = blocks.iter().map(begin).collect();
                    let next = self.next_blocks(&mut lines);
                    let ended = begun.into_iter().map(|thread| {
                        thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic))
                    });
                    (ended.collect(), next)
                }),
            };
            for rows in parsed {
                all.append(rows?, memory)?;
            }
            blocks = match blocks.len() {
                1 => self.next_blocks(&mut lines)?,
                _ => next?,
            };
        }
        Ok(all)
    }

    fn next_blocks(&self, lines: &mut Lines<'_>) -> Result<Vec<Block>, Fault> {
        let mut blocks = Vec::new();
        while blocks.len() < self.threads {
            match lines.read_block()? {
                Some(block) => blocks.push(block),
                None => break,
            }
        }
        Ok(blocks)
    }

    /// Reads the rows of a block.
    fn parse(&self, block: &Block) -> Result<Rows, Fault> {
        // Blocks are small: what they take counts when it is appended to the table.
        let memory = Memory::new(Some(u64::MAX));
        let (mut rows, mut row) = (self.no_rows(), Row::default());
        match self.plain(block) {
            Some(delimiter) => self.parse_plain(block, delimiter, &mut rows)?,
            None => {
                let mut lines = Lines::of(block, self.delimiter, &memory);
                while lines.read(&mut row)? {
                    rows.push(&row, self)?;
                }
            }
        }
        Ok(rows)
    }

    /// The separator of the fields of a block where they are read without a look at each line first: of
    /// numbers alone, without quotes.
    fn plain(&self, block: &Block) -> Option<u8> {
        let numbers = !self.parts.contains(&Part::Words) && self.name.is_none();
        let plain = numbers
            && !block.quoted
            && !self.keep_cells
            && !self.decimal_comma
            && self.missing.is_empty();
        match self.delimiter {
            Delimiter::Byte(byte @ (b',' | b';' | b'\t' | b'|')) => plain.then_some(byte),
            Delimiter::WhiteSpace => plain.then_some(b' '),
            Delimiter::Byte(_) | Delimiter::Aligned => None,
        }
    }

    fn parse_plain(&self, block: &Block, delimiter: u8, rows: &mut Rows) -> Result<(), Fault> {
        let memory = Memory::new(Some(u64::MAX));
        let (mut rest, mut line, mut row) = (&block.bytes[..], block.line, Row::default());
        while !rest.is_empty() {
            let start = rows.values.len();
            if let Some(length) = self.plain_row(rest, delimiter, &mut rows.values) {
                rest = &rest[length..];
                rows.count(line + 1);
            } else {
                // Blank, with a missing value, or wrong.
                rows.values.truncate(start);
                let length = rest.iter().position(|&byte| byte == b'\n');
                let (bytes, later) = rest.split_at(length.map_or(rest.len(), |length| length + 1));
                rest = later;
                if Lines::within(bytes, line, self.delimiter, &memory).read(&mut row)? {
                    rows.push(&row, self)?;
                }
            }
            line += 1;
        }
        Ok(())
    }

    /// Appends the finite numbers of the row that `text` begins with, and says how long the row is;
    /// none if it has anything else.
    fn plain_row(&self, text: &[u8], delimiter: u8, values: &mut Vec<f64>) -> Option<usize> {
        let skip = |mut at: usize| {
            while let Some(b' ' | b'\t') = text.get(at)
                && (text[at] == b' ' || delimiter == b' ')
            {
                at += 1;
            }
            at
        };
        let mut at = 0;
        for (column, &part) in self.parts.iter().enumerate() {
            at = skip(at);
            match part {
                Part::Number => {
                    let (value, length) = fast_float2::parse_partial::<f64, _>(&text[at..]).ok()?;
                    if !value.is_finite() {
                        return None;
                    }
                    values.push(value);
                    at += length;
                }
                _ => {
                    let ends = |&byte: &u8| {
                        byte == delimiter
                            || byte == b'\n'
                            || delimiter == b' ' && byte.is_ascii_whitespace()
                    };
                    at += text[at..].iter().position(ends).unwrap_or(text.len() - at);
                }
            }
            let end = skip(at);
            if column + 1 == self.parts.len() {
                return match &text[end..] {
                    [] => Some(end),
                    [b'\n', ..] => Some(end + 1),
                    [b'\r', b'\n', ..] => Some(end + 2),
                    _ => None,
                };
            }
            at = match text.get(end) {
                Some(&byte) if byte == delimiter && delimiter != b' ' => end + 1,
                _ if delimiter == b' ' && end > at => end,
                _ => return None,
            };
        }
        None
    }
}

impl Rows {
    /// Counts a row of this line.
    fn count(&mut self, line: u64) {
        if self.rows == 0 || line != self.line + 1 {
            self.breaks.push((self.rows, line));
        }
        (self.line, self.rows) = (line, self.rows + 1);
    }

    pub(in crate::data) fn push(&mut self, row: &Row, plan: &Plan) -> Result<(), Fault> {
        row.check(plan.parts.len(), plan.fill_rows)?;
        if plan.repeats.as_ref().is_some_and(|header| row.is(header)) {
            self.repeated += 1;
            return Ok(());
        }
        self.filled += usize::from(row.fields.len() != plan.parts.len());
        let line = row.line;
        let (mut feature, mut words) = (0, 0);
        for (column, &part) in plan.parts.iter().enumerate() {
            let field = row.field(column);
            let value = match part {
                Part::Skipped => continue,
                _ if plan.missing.is_missing(field) => {
                    let gaps = &mut self.gaps[feature];
                    gaps.count += 1;
                    gaps.first.get_or_insert_with(|| (line, row.shown(column)));
                    f64::NAN
                }
                Part::Number => {
                    let text = || row.shown(column);
                    match number_of(field, plan.decimal_comma) {
                        Some(value) if value.is_finite() => value,
                        Some(_) => {
                            let (column, text) = (plan.at(column), text());
                            return Err(Fault::Infinite { line, column, text });
                        }
                        None => {
                            let (column, text) = (column + 1, text());
                            return Err(Fault::NotANumber { line, column, text });
                        }
                    }
                }
                Part::Words => f64::from(self.words[words].number(&row.text(column), line)),
            };
            words += usize::from(part == Part::Words);
            feature += 1;
            self.values.push(value);
        }
        if let Some(column) = plan.name {
            self.names.push(row.text(column).into_owned());
        }
        if plan.keep_cells {
            (0..plan.parts.len()).for_each(|column| self.cells.push(row.field(column)));
        }
        self.count(line);
        Ok(())
    }

    /// Appends later rows, of the same plan or of one with the same parts.
    pub(in crate::data) fn append(
        &mut self,
        mut later: Rows,
        memory: &Memory,
    ) -> Result<(), Fault> {
        let features = self.gaps.len();
        memory.reserve(&mut self.values, later.values.len())?;
        self.values.append(&mut later.values);
        memory.reserve(&mut self.names, later.names.len())?;
        for name in later.names {
            memory.take(name.capacity() as u64)?;
            self.names.push(name);
        }
        self.cells.append(&later.cells, memory)?;
        let followed =
            |&(row, line): &(usize, u64)| row > 0 || self.rows == 0 || line != self.line + 1;
        let breaks = later.breaks.iter().filter(|at| followed(at)).copied();
        self.breaks.extend(breaks.map(|(row, line)| (self.rows + row, line)));
        for (gaps, later) in self.gaps.iter_mut().zip(later.gaps) {
            gaps.count += later.count;
            if gaps.first.is_none() {
                (gaps.first, gaps.file) = (later.first, later.file);
            }
        }
        let start = self.rows * features;
        self.filled += later.filled;
        self.repeated += later.repeated;
        self.rows += later.rows;
        self.line = if later.rows > 0 { later.line } else { self.line };
        for (number, (words, later)) in self.words.iter_mut().zip(&later.words).enumerate() {
            let numbers = words.append(later, memory)?;
            let column = self.of_words[number];
            for value in self.values[start..].iter_mut().skip(column).step_by(features) {
                if !value.is_nan() {
                    *value = f64::from(numbers[*value as usize]);
                }
            }
        }
        Ok(())
    }
}
