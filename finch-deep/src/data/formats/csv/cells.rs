//! The fields of a table, kept as they are.

use std::borrow::Cow;

use crate::data::error::Fault;
use crate::data::source::memory::Memory;

/// The fields of all columns of a table, also of those that are no features.
#[derive(Debug, Default)]
pub struct Cells {
    /// The names of the columns, if the table has a header.
    pub(in crate::data) header: Option<Vec<String>>,
    pub(in crate::data) columns: usize,
    bytes: Vec<u8>,
    /// Where in `bytes` each field ends.
    ends: Vec<usize>,
}

impl Cells {
    pub(in crate::data) fn new(header: Option<Vec<String>>, columns: usize) -> Self {
        Self { header, columns, ..Self::default() }
    }

    pub(in crate::data) fn push(&mut self, field: &[u8]) {
        self.bytes.extend_from_slice(field);
        self.ends.push(self.bytes.len());
    }

    pub(in crate::data) fn append(&mut self, later: &Cells, memory: &Memory) -> Result<(), Fault> {
        memory.reserve(&mut self.bytes, later.bytes.len())?;
        memory.reserve(&mut self.ends, later.ends.len())?;
        let start = self.bytes.len();
        self.bytes.extend_from_slice(&later.bytes);
        self.ends.extend(later.ends.iter().map(|end| start + end));
        Ok(())
    }

    pub(in crate::data) fn size(&self) -> u64 {
        (self.bytes.len() + size_of_val(&self.ends[..])) as u64
    }

    /// The names of the columns, if the table has a header.
    pub fn header(&self) -> Option<&[String]> {
        self.header.as_deref()
    }

    /// The number of columns.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The number of rows: that of samples and of those that were dropped.
    pub fn rows(&self) -> usize {
        self.ends.len() / self.columns.max(1)
    }

    /// A field, without the white space around it.
    pub(in crate::data) fn field(&self, row: usize, column: usize) -> &[u8] {
        let at = row * self.columns + column;
        let start = if at == 0 { 0 } else { self.ends[at - 1] };
        &self.bytes[start..self.ends[at]]
    }

    /// The fields of a row, without the white space around each.
    pub fn row(&self, row: usize) -> impl Iterator<Item = Cow<'_, str>> {
        (0..self.columns).map(move |column| String::from_utf8_lossy(self.field(row, column)))
    }
}
