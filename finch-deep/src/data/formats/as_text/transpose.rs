//! Rows of a table of text made columns, as most tables of genes need.

use super::rows::Rows;
use crate::data::error::Fault;
use crate::data::formats::csv::layout::header::lacks_first_name;
use crate::data::formats::csv::lines::Lines;
use crate::data::formats::csv::row::Row;
use crate::data::options::ReadOptions;
use crate::data::source::Source;
use crate::data::source::memory::Memory;
use crate::data::source::spool::MadeText;

/// Rows by which a header is recognised that lacks the name of the first column.
const HEAD: usize = 100;

/// Reads all fields, and writes columns as rows. The fields are kept in memory, which is counted.
pub(super) fn text(
    source: Source,
    options: &ReadOptions,
    memory: &Memory,
) -> Result<MadeText, Fault> {
    let before = memory.taken();
    let mut lines = Lines::open(source, options, memory)?;
    let hashed = lines.note_on_start();
    let mut fields = Fields::default();
    let mut head = Vec::new();
    while head.len() <= HEAD {
        let mut row = Row::default();
        if !lines.read(&mut row)? {
            break;
        }
        head.push(row);
    }
    let short = lacks_first_name(&head);
    let width = head.first().ok_or(Fault::Empty)?.fields.len() + usize::from(short);
    for (at, row) in head.iter().enumerate() {
        if short && at == 0 {
            fields.push(b"", memory)?;
            fields.append(row, width - 1, options, memory)?;
        } else {
            fields.append(row, width, options, memory)?;
        }
    }
    drop(head);
    let mut row = Row::default();
    while lines.read(&mut row)? {
        fields.append(&row, width, options, memory)?;
    }
    let notes = hashed.into_iter().chain(lines.encoding.note()).collect();
    drop(lines);
    let mut rows = Rows::new(memory)?;
    let height = fields.ends.len() / width;
    for column in 0..width {
        for line in 0..height {
            rows.field(&String::from_utf8_lossy(fields.get(line * width + column)))?;
        }
        rows.end_sample()?;
    }
    let file = rows.finish(None)?;
    memory.settle(before);
    Ok(MadeText { file, header: None, notes })
}

/// The fields of a table, row after row.
#[derive(Default)]
struct Fields {
    bytes: Vec<u8>,
    ends: Vec<usize>,
}

impl Fields {
    fn push(&mut self, field: &[u8], memory: &Memory) -> Result<(), Fault> {
        memory.reserve(&mut self.bytes, field.len())?;
        self.bytes.extend_from_slice(field);
        memory.push(&mut self.ends, self.bytes.len())
    }

    /// Appends the fields of a row.
    fn append(
        &mut self,
        row: &Row,
        width: usize,
        options: &ReadOptions,
        memory: &Memory,
    ) -> Result<(), Fault> {
        row.check(width, options.fill_rows)?;
        (0..width).try_for_each(|column| self.push(row.field(column), memory))
    }

    fn get(&self, at: usize) -> &[u8] {
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }
}
