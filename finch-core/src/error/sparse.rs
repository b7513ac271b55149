//! The faults of compressed sparse rows.

use std::fmt::{self, Display};

use super::counted::counted_from;

/// The fault of compressed sparse rows ([`SparseSamples`](crate::SparseSamples)). Rows, features and
/// places are counted from 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum SparseFault {
    /// There are no starts, not even the one where the first row begins.
    NoStarts,
    /// The first row does not begin at place 0.
    FirstStart {
        /// Where it begins.
        start: i64,
    },
    /// A row ends before it begins.
    Falls {
        /// The row.
        row: usize,
        /// Where it begins.
        start: i64,
        /// Where it ends, which is where the next row begins.
        end: i64,
    },
    /// The last row ends elsewhere than the features or the values do.
    Length {
        /// Where the last row ends.
        end: i64,
        /// The number of features that are named.
        columns: usize,
        /// The number of values.
        values: usize,
    },
    /// A feature that the samples do not have.
    NoSuchFeature {
        /// The row.
        row: usize,
        /// The feature named.
        column: i64,
        /// The number of features.
        features: usize,
    },
    /// A feature does not rise above the one before it in its row: the row is not sorted, or has a
    /// feature twice.
    Unsorted {
        /// The row.
        row: usize,
        /// The feature before.
        before: i64,
        /// The feature.
        column: i64,
    },
    /// More features than a 32-bit integer can number.
    TooManyFeatures {
        /// The number of features.
        features: usize,
    },
}

impl Display for SparseFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, from) = counted_from(f);
        let at = |column: i64| column.saturating_add(first as i64);
        match *self {
            Self::NoStarts => {
                f.write_str("there are no starts of rows: give one for each row, and one more")
            }
            Self::FirstStart { start } => {
                write!(f, "the first row starts at {start}, and not at 0")
            }
            Self::Falls { row, start, end } => {
                write!(f, "row {}{from} starts at {start} and ends at {end}", row + first)
            }
            Self::Length { end, columns, values } => write!(
                f,
                "the last row ends at {end}, beside {columns} features and {values} values"
            ),
            Self::NoSuchFeature { row, column, features } => {
                let (row, column) = (row + first, at(column));
                write!(f, "row {row} names feature {column} of {features}{from}")
            }
            Self::Unsorted { row, before, column } if before == column => write!(
                f,
                "row {}{from} has feature {} twice: add up repeated features (in SciPy \
                 sum_duplicates())",
                row + first,
                at(column)
            ),
            Self::Unsorted { row, before, column } => write!(
                f,
                "row {}{from} has feature {} behind feature {}: sort the features of each row (in \
                 SciPy sort_indices())",
                row + first,
                at(column),
                at(before)
            ),
            Self::TooManyFeatures { features } => {
                write!(f, "{features} features are more than 2^31 - 1")
            }
        }
    }
}
