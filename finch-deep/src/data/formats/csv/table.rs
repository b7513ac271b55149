//! Rows of a text table, all with as many fields as the first.

use super::lines::{LONGEST_LINE, Lines};
use super::row::Row;
use crate::data::error::Fault;
use crate::data::options::choices::{Column, Delimiter};
use crate::data::source::Source;
use crate::data::source::memory::Memory;

/// Rows by which the header and the name column are recognised.
const HEAD: usize = 100;

/// A table whose rows are read one by one; all have as many fields as the first.
pub(in crate::data) struct Table<'a> {
    lines: Lines<'a>,
    pub(in crate::data) columns: usize,
    header: Option<Row>,
    /// Rows that were read ahead, the next one last.
    head: Vec<Row>,
    row: Row,
}

impl<'a> Table<'a> {
    /// Reads the first rows. Without `header`, `recognise` tells by them whether there is one; and
    /// without `delimiter`, it is recognised.
    pub(in crate::data) fn open(
        source: Source,
        header: Option<bool>,
        delimiter: Option<Delimiter>,
        decimal_comma: bool,
        recognise: impl FnOnce(&[Row]) -> Result<bool, Fault>,
        memory: &'a Memory,
    ) -> Result<Self, Fault> {
        let mut lines = Lines::open(source, delimiter, decimal_comma, memory)?;
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
    pub(in crate::data) fn next_row(&mut self) -> Result<Option<&Row>, Fault> {
        match self.head.pop() {
            Some(row) => self.row = row,
            None if !self.lines.read(&mut self.row)? => return Ok(None),
            None => self.row.check(self.columns)?,
        }
        Ok(Some(&self.row))
    }

    /// The rows that were read ahead, the last first.
    pub(in crate::data) fn head(&self) -> &[Row] {
        &self.head
    }

    pub(in crate::data) fn delimiter(&self) -> Delimiter {
        self.lines.delimiter
    }

    /// The names of the columns, if the first row names them.
    pub(in crate::data) fn header(&self) -> Option<Vec<String>> {
        let row = self.header.as_ref()?;
        Some((0..row.fields.len()).map(|at| row.text(at).into_owned()).collect())
    }

    /// The rows that were read ahead, the first first, and the lines after them.
    pub(in crate::data) fn into_rows(mut self) -> (Vec<Row>, Lines<'a>) {
        self.head.reverse();
        (self.head, self.lines)
    }

    /// The position of a column.
    pub(in crate::data) fn find(&self, column: &Column) -> Result<usize, Fault> {
        let header =
            || self.header.iter().flat_map(|row| (0..row.fields.len()).map(|at| row.text(at)));
        let found = match column {
            Column::Index(index) => (*index < self.columns).then_some(*index),
            Column::Name(name) => {
                let mut found = header().enumerate().filter(|(_, other)| other == name);
                let first = found.next().map(|(at, _)| at);
                if let (Some(first), Some((second, _))) = (first, found.next()) {
                    let name = name.clone();
                    return Err(Fault::AmbiguousColumn { name, first, second });
                }
                first
            }
        };
        found.ok_or_else(|| Fault::NoSuchColumn {
            column: column.to_string(),
            columns: match column {
                Column::Index(_) => self.columns.to_string(),
                Column::Name(_) => header().collect::<Vec<_>>().join(", "),
            },
        })
    }

    /// True if there is a first column without any number, and others beside it.
    pub(in crate::data) fn starts_with_names(&self) -> bool {
        self.columns > 1 && !has_number(&self.head, 0)
    }
}

/// True if one of `rows` has a number in a column.
pub(in crate::data) fn has_number(rows: &[Row], column: usize) -> bool {
    rows.iter().any(|row| row.is_number(column))
}
