//! The faults of sparse samples, and of requests for them.

use std::path::PathBuf;

use super::text::{Escaped, Shape};

/// The fault of the sparse samples of a file. Lines are counted from 1.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum SparseFault {
    /// An option that would fill in the values that are left out.
    #[error(
        "--{option} takes dense rows, and those of the file are sparse: leave it out, or say --dense to have \
         all values in memory"
    )]
    NeedsDense {
        /// The option, as the command line has it.
        option: &'static str,
    },
    /// Some of the stacked files are sparse, and some are not.
    #[error(
        "of this file and {} one has sparse rows and the other dense ones: say --dense to have all values \
         in memory",
        Escaped(other.display())
    )]
    Mixed {
        /// The first file.
        other: PathBuf,
    },
    /// Labels are asked of a format of sparse matrices.
    #[error("a Matrix Market file has no labels: save them as text, one a line, or as .npy")]
    NoLabels,
    /// More columns than a number of 32 bits can count.
    #[error("the sparse matrix has {features} columns, and 2147483647 are the most")]
    TooManyFeatures {
        /// The columns.
        features: usize,
    },
    /// A Matrix Market file of another kind of matrix.
    #[error(
        "line 1: a Matrix Market file of {found:?}: finch reads matrix coordinate or array, real, integer or \
         pattern (of coordinates), general, symmetric or skew-symmetric"
    )]
    MarketKind {
        /// The kind in the first line.
        found: String,
    },
    /// A line of a text of sparse rows that is not what it should be.
    #[error("line {line}: {text:?} is not {expected}")]
    Line {
        /// The line.
        line: u64,
        /// The line, or its beginning.
        text: String,
        /// The text that should be there.
        expected: &'static str,
    },
    /// A value outside of the matrix.
    #[error(
        "line {line}: row {}, column {} is outside of the matrix of {}: rows and columns are counted from 1",
        place[0],
        place[1],
        Shape(shape)
    )]
    MarketPlace {
        /// The line.
        line: u64,
        /// Row and column, as they are there.
        place: [usize; 2],
        /// The shape of the matrix.
        shape: [usize; 2],
    },
    /// A value on the diagonal of a skew-symmetric matrix, which is 0 there.
    #[error("line {line}: a skew-symmetric matrix has no value on its diagonal, where it is 0")]
    SkewDiagonal {
        /// The line.
        line: u64,
    },
    /// A symmetric matrix that is not square.
    #[error("line {line}: a symmetric matrix of {}: it has as many rows as columns", Shape(shape))]
    NotSquare {
        /// The line.
        line: u64,
        /// The shape of the matrix.
        shape: [usize; 2],
    },
    /// More or fewer values than the header of a Matrix Market file declares.
    #[error("line {line}: {found} values, and {expected} are declared: is the file complete?")]
    MarketCount {
        /// The line, or the last one.
        line: u64,
        /// Values until there.
        found: usize,
        /// Values that are declared.
        expected: usize,
    },
}

/// Bytes of a line that an error shows.
const SHOWN: usize = 60;

impl SparseFault {
    /// The fault of a line that is not what it should be, by its beginning.
    pub(in crate::data) fn of_line(number: u64, line: &[u8], expected: &'static str) -> Self {
        let line = line.trim_ascii();
        let text = String::from_utf8_lossy(&line[..line.len().min(SHOWN)]).into_owned();
        Self::Line { line: number, text, expected }
    }
}
