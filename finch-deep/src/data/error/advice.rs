//! The columns of a table that are no plain numbers, and the arguments that read it all the same.

use std::fmt;

/// The columns of a table that was refused, and the arguments that read it.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Advice {
    /// The number of all columns.
    pub columns: usize,
    /// The columns that are no plain numbers, or lack values.
    pub odd: Vec<OddColumn>,
    /// The arguments of the command line that read the table as `--auto` does.
    pub arguments: Vec<String>,
}

/// A column that is no plain number, or lacks values.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct OddColumn {
    /// The name, or the number.
    pub title: String,
    /// The part that `--auto` would give it.
    pub part: String,
    /// The number of different words.
    pub distinct: usize,
    /// The rows without a value.
    pub missing: usize,
    /// One of the words.
    pub example: String,
}

impl fmt::Display for Advice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (odd, all) = (self.odd.len(), self.columns);
        match odd {
            0 => write!(f, "all {all} columns are numbers"),
            1 if all == 1 => write!(f, "the only column is no plain number, or lacks values:"),
            1 => write!(f, "1 of {all} columns is no plain number, or lacks values:"),
            _ => write!(f, "{odd} of {all} columns are no plain numbers, or lack values:"),
        }
    }
}
