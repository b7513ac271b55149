//! The rows of a sheet, by its cells.

use crate::data::error::Fault;
use crate::data::formats::as_text::rows::Rows;
use crate::data::source::memory::Memory;

/// The format, for errors.
pub(super) const FORMAT: &str = "a spreadsheet";

/// Rows and columns that a sheet may have: those of Excel, and as many rows as LibreOffice has.
pub(super) const MOST_ROWS: u32 = 1 << 24;
const MOST_COLUMNS: u32 = 1 << 14;

/// The number of the sheet that is meant among some: by its name, or else by its number.
pub(super) fn place(wanted: &str, names: &[String]) -> Option<usize> {
    let named = names.iter().position(|name| name == wanted);
    named.or_else(|| wanted.parse().ok().filter(|&number| number < names.len()))
}

/// The fault of a sheet with a cell that is beyond all sheets, or out of order.
pub(super) fn misplaced(row: u32, column: u32) -> Fault {
    Fault::malformed(FORMAT, format!("a cell is at row {row}, column {column} (from 0)"))
}

/// A workbook, of which one sheet is read.
pub(super) struct Book<'m> {
    /// The names of its sheets, in their order, at least up to that which was read.
    pub(super) names: Vec<String>,
    /// The place of the sheet that was read among the names, and its rows; none where no sheet is the wanted one.
    pub(super) read: Option<(usize, Rows<'m>)>,
    /// The names of further sheets with a value, where no sheet was named.
    pub(super) others: Vec<String>,
}

/// The rows of a sheet, by their cells in order.
pub(super) struct Sheet<'m> {
    rows: Rows<'m>,
    /// Rows that were ended.
    ended: u32,
    /// The place behind the last cell of the row.
    column: u32,
}

impl<'m> Sheet<'m> {
    pub(super) fn new(memory: &'m Memory) -> Result<Self, Fault> {
        Ok(Self { rows: Rows::new(memory)?, ended: 0, column: 0 })
    }

    /// Puts a text into a cell behind all others.
    pub(super) fn put(&mut self, row: u32, column: u32, text: &str) -> Result<(), Fault> {
        let in_order = row > self.ended || row == self.ended && column >= self.column;
        if row >= MOST_ROWS || column >= MOST_COLUMNS || !in_order {
            return Err(misplaced(row, column));
        }
        while self.ended < row {
            self.rows.end()?;
            (self.ended, self.column) = (self.ended + 1, 0);
        }
        self.rows.skip((column - self.column) as usize);
        self.column = column + 1;
        self.rows.field(text)
    }

    /// The rows of all cells.
    pub(super) fn finish(mut self) -> Result<Rows<'m>, Fault> {
        self.rows.end()?;
        Ok(self.rows)
    }
}
