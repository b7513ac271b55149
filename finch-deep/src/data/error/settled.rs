//! Faults of a table that is read as one before.

use std::fmt;

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
        /// Where it is.
        place: Place,
        /// The column.
        column: ColumnAt,
    },
    /// A word in a column of numbers.
    #[error(
        "{place}, {column}: {text:?} is not a number, as this column had in the first samples: write a \
         number, or leave the row out"
    )]
    Words {
        /// Where it is.
        place: Place,
        /// The column.
        column: ColumnAt,
        /// The text.
        text: String,
    },
}

/// The place of a value: a line of text, or a row of another table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Place {
    /// From 1.
    Line(u64),
    /// From 0.
    Row(u64),
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Line(line) => write!(f, "line {line}"),
            Self::Row(row) => write!(f, "row {row} (from 0)"),
        }
    }
}
