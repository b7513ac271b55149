//! Faults of a table that is read as one before.

use super::Fault;
use super::column::ColumnFault;
use super::column_at::ColumnAt;

/// A value that a column does not take, since the recipe of samples before says what it is of.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SettledFault {
    /// A missing value, where the recipe fills none.
    #[error(
        "{place}, {column}: the value is missing, and nothing fills it, since the first samples were read \
         without --missing: write a value, leave the row out, or make the model with --missing median"
    )]
    Missing {
        /// The line, or the row.
        place: String,
        /// The column.
        column: ColumnAt,
    },
    /// A word in a column of numbers.
    #[error(
        "{place}, {column}: {text:?} is not a number, as this column had in the first samples: write a \
         number, or leave the row out"
    )]
    Words {
        /// The line, or the row.
        place: String,
        /// The column.
        column: ColumnAt,
        /// The text.
        text: String,
    },
}

impl Fault {
    /// The same fault of a table that is read as one before, where no option on columns helps.
    pub(in crate::data) fn of_settled(self) -> Self {
        let line = |line: u64| format!("line {line}");
        let row = |row: u64| format!("row {row} (from 0)");
        let settled = match self {
            Self::MissingValue { line: at, column, .. } => {
                SettledFault::Missing { place: line(at), column }
            }
            Self::Words { line: at, column, text } => {
                SettledFault::Words { place: line(at), column, text }
            }
            Self::Column(ColumnFault::Missing { row: at, column }) => {
                SettledFault::Missing { place: row(at), column }
            }
            Self::Column(ColumnFault::Words { row: at, column, text }) => {
                SettledFault::Words { place: row(at), column, text }
            }
            other => return other,
        };
        settled.into()
    }
}
