//! Rows of fields, written as a table of text to a file without a name.

use std::borrow::Cow;
use std::fs::File;
use std::io::{BufRead, BufReader, BufWriter, Seek, Write};

use crate::data::error::Fault;
use crate::data::source::memory::Memory;

/// Text whose memory is counted at once.
const STEP: u64 = 1 << 20;

/// A table of text that is being written: fields that a comma separates, each row on a line of its own.
///
/// The text counts as memory while it is written, since a small archive may hold a table that fills a disk.
pub(super) struct Rows<'m> {
    file: BufWriter<File>,
    memory: &'m Memory,
    /// The fields of the row so far.
    fields: usize,
    /// Empty fields that no field follows so far.
    empty: usize,
    /// Runs of rows of equally many fields: the rows, and their fields.
    runs: Vec<(u64, usize)>,
    /// Columns at the left that are empty in all rows.
    left: usize,
    width: usize,
    written: u64,
    taken: u64,
}

impl<'m> Rows<'m> {
    pub(super) fn new(memory: &'m Memory) -> Result<Self, Fault> {
        let file = tempfile::tempfile().map_err(Fault::Unreadable)?;
        Ok(Self {
            file: BufWriter::with_capacity(1 << 16, file),
            memory,
            fields: 0,
            empty: 0,
            runs: Vec::new(),
            left: usize::MAX,
            width: 0,
            written: 0,
            taken: 0,
        })
    }

    /// Appends a field to the row; empty ones at its end are left out.
    pub(super) fn field(&mut self, text: &str) -> Result<(), Fault> {
        if text.is_empty() {
            self.empty += 1;
            return Ok(());
        }
        if self.fields == 0 {
            self.left = self.left.min(self.empty);
        }
        let separators = self.empty + usize::from(self.fields > 0);
        for _ in 0..separators {
            self.write(b",")?;
        }
        self.fields += self.empty + 1;
        self.empty = 0;
        let text: Cow<'_, str> = match text.contains(['\r', '\n']) {
            true => text.replace(['\r', '\n'], " ").into(),
            false => text.into(),
        };
        match plain(&text) {
            true => self.write(text.as_bytes()),
            false => self.write(format!("\"{}\"", text.replace('"', "\"\"")).as_bytes()),
        }
    }

    /// Appends empty fields.
    #[cfg(any(test, feature = "spreadsheets"))]
    pub(super) fn skip(&mut self, fields: usize) {
        self.empty = self.empty.saturating_add(fields);
    }

    /// Ends the row. Without a field it is a blank line, and no sample.
    pub(super) fn end(&mut self) -> Result<(), Fault> {
        self.write(b"\n")?;
        self.width = self.width.max(self.fields);
        match self.runs.last_mut() {
            Some((rows, fields)) if *fields == self.fields => *rows += 1,
            _ => self.memory.push(&mut self.runs, (1, self.fields))?,
        }
        (self.fields, self.empty) = (0, 0);
        Ok(())
    }

    /// Ends the row of a sample: one without any value is a sample, too.
    pub(super) fn end_sample(&mut self) -> Result<(), Fault> {
        if self.fields == 0 {
            (self.left, self.fields, self.empty) = (0, 1, 0);
            self.write(b"\"\"")?;
        }
        self.end()
    }

    /// True if there is no field in any row.
    #[cfg(feature = "spreadsheets")]
    pub(super) fn is_empty(&self) -> bool {
        self.width == 0
    }

    /// True if there is one column at most: of remarks, say.
    #[cfg(feature = "spreadsheets")]
    pub(super) fn is_list(&self) -> bool {
        self.width.saturating_sub(self.left.min(self.width)) < 2
    }

    /// The table, with all rows as wide as the widest, and below `header` if there is one.
    pub(super) fn finish(mut self, header: Option<&[String]>) -> Result<File, Fault> {
        let width = self.width.max(header.map_or(0, <[String]>::len));
        let left = if header.is_some() { 0 } else { self.left.min(width) };
        let ragged = |&(_, fields): &(u64, usize)| fields != width && fields > 0;
        if header.is_none() && left == 0 && !self.runs.iter().any(ragged) {
            let file = rewound(self.file)?;
            self.memory.give_back(self.taken);
            return Ok(file);
        }
        let mut padded = Rows::new(self.memory)?;
        if let Some(header) = header {
            header.iter().try_for_each(|name| padded.field(name))?;
            // A header without a single name.
            padded.end_sample()?;
        }
        let mut from = BufReader::with_capacity(1 << 16, rewound(self.file)?);
        let (mut line, commas) = (Vec::new(), [b','; 1 << 10]);
        for (rows, fields) in std::mem::take(&mut self.runs) {
            for _ in 0..rows {
                line.clear();
                from.read_until(b'\n', &mut line).map_err(Fault::Unreadable)?;
                if fields == 0 {
                    padded.write(b"\n")?;
                    continue;
                }
                // Fields that are empty in all rows are their commas alone.
                padded.write(&line[left..line.len() - 1])?;
                let mut lacking = width - fields;
                while lacking > 0 {
                    let some = lacking.min(commas.len());
                    padded.write(&commas[..some])?;
                    lacking -= some;
                }
                padded.write(b"\n")?;
            }
        }
        let file = rewound(padded.file)?;
        self.memory.give_back(self.taken + padded.taken);
        Ok(file)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<(), Fault> {
        self.written += bytes.len() as u64;
        while self.written > self.taken {
            self.memory.take(STEP)?;
            self.taken += STEP;
        }
        self.file.write_all(bytes).map_err(Fault::Unreadable)
    }
}

fn rewound(file: BufWriter<File>) -> Result<File, Fault> {
    let mut file = file.into_inner().map_err(|error| Fault::Unreadable(error.into_error()))?;
    file.rewind().map_err(Fault::Unreadable)?;
    Ok(file)
}

/// True if a field needs no quotes: it has no separator, and begins no line that readers of text skip.
fn plain(text: &str) -> bool {
    let first = text.as_bytes().first().copied().unwrap_or(b' ');
    !text.contains([',', '"', '\0'])
        && !b"#\t \xef".contains(&first)
        && !text[..].starts_with("sep=")
}

/// The whole text of a file, for tests.
#[cfg(test)]
pub(super) fn text_of(mut file: File) -> String {
    let mut text = String::new();
    std::io::Read::read_to_string(&mut file, &mut text).unwrap();
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_as_wide_as_the_widest_and_begin_where_the_first_field_is() {
        let memory = Memory::new(None);
        let mut rows = Rows::new(&memory).unwrap();
        for row in [&["", "a", "b,c"][..], &[], &["", "# 1"], &["", "", "\"x\"\ny", "4", ""]] {
            row.iter().for_each(|field| rows.field(field).unwrap());
            rows.end().unwrap();
        }
        let text = text_of(rows.finish(None).unwrap());
        assert_eq!(text, "a,\"b,c\",\n\n\"# 1\",,\n,\"\"\"x\"\" y\",4\n");
        assert_eq!(memory.taken(), 4 * size_of::<(u64, usize)>() as u64);
    }

    #[test]
    fn a_table_that_would_be_far_larger_than_its_fields_is_refused() {
        let memory = Memory::new(Some(4 << 20));
        let mut rows = Rows::new(&memory).unwrap();
        for skipped in [0; 1000].into_iter().chain([100_000]) {
            rows.skip(skipped);
            rows.field("1").unwrap();
            rows.end().unwrap();
        }
        assert!(matches!(rows.finish(None), Err(Fault::MemoryLimit { .. })));
    }
}
