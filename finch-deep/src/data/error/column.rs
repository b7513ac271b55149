//! Faults of a column of a table, beside those on a line of text, and what a table lacks beside the
//! one that a recipe is of.

use std::fmt;
use std::path::PathBuf;

use super::column_at::ColumnAt;
use super::text::Escaped;

/// The fault of a column of a table. Rows are counted from 0.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ColumnFault {
    /// Parquet and Arrow were left out when this program was built.
    #[error(
        "this finch was built without Parquet and Arrow: build it with the feature parquet, or save \
         the table as .csv"
    )]
    NotBuilt,
    /// The names of columns differ from those of the first file.
    #[error(
        "{column} is {} in {}: the files of one table have equal headers",
        Named(expected),
        Escaped(other.display())
    )]
    Header {
        /// The column.
        column: ColumnAt,
        /// The name of the column in its place in the first file; none if that is empty.
        expected: Option<String>,
        /// The first file.
        other: PathBuf,
    },
    /// The values of a column cannot be read as numbers or words.
    #[error(
        "{column} has values of the type {}, which are neither numbers, booleans, dates nor text: \
         leave it out by --exclude {}",
        Escaped(found),
        column.argument()
    )]
    Type {
        /// The column.
        column: ColumnAt,
        /// The type, as Arrow calls it.
        found: String,
    },
    /// A value below 0, where logarithms are taken.
    #[error(
        "{}, {column}: {value} is below 0, and --log takes the logarithm of 1 + x of numbers from 0 on, here or for \
         the model: mend the value, or read all samples without the column or without --log",
        Place { row: *row, line: *line }
    )]
    Negative {
        /// The row.
        row: u64,
        /// The line, of text.
        line: Option<u64>,
        /// The column.
        column: ColumnAt,
        /// The value.
        value: f64,
    },
    /// A list of another length than the first one of its column.
    #[error(
        "row {row} (from 0), {column}: a list of {found} values, and the first has {expected}: only \
         lists of one length are columns; leave it out by --exclude {}",
        column.argument()
    )]
    List {
        /// The row.
        row: u64,
        /// The column.
        column: ColumnAt,
        /// The values in this list.
        found: usize,
        /// The values in the first list.
        expected: usize,
    },
    /// Text in a column of features.
    #[error(
        "row {row} (from 0), {column}: {text:?} is not a number; leave the column out by --exclude {}, \
         or compare its words by --categorical {}",
        column.argument(),
        column.argument()
    )]
    Words {
        /// The row.
        row: u64,
        /// The column.
        column: ColumnAt,
        /// The text.
        text: String,
    },
    /// A missing value, where nothing was said about them.
    #[error(
        "row {row} (from 0), {column}: the value is missing; say --missing drop, mean or median, or \
         leave the column out by --exclude {}",
        column.argument()
    )]
    Missing {
        /// The row.
        row: u64,
        /// The column.
        column: ColumnAt,
    },
    /// A number that is infinite.
    #[error("row {row} (from 0), {column}: {text:?} is not finite; remove the sample or mend it")]
    Infinite {
        /// The row.
        row: u64,
        /// The column.
        column: ColumnAt,
        /// The number.
        text: String,
    },
    /// A row without its label.
    #[error("row {row} (from 0), {column}: there is no label; remove the sample or label it")]
    NoLabel {
        /// The row.
        row: u64,
        /// The column.
        column: ColumnAt,
    },
}

/// `called "mass"`, or `without a name`.
struct Named<'a>(&'a Option<String>);

impl std::fmt::Display for Named<'_> {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        match self.0 {
            Some(name) => write!(f, "called {name:?}"),
            None => f.write_str("without a name"),
        }
    }
}

/// A table that lacks what the samples of a recipe are made of.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Mismatch {
    /// Another number of features.
    #[error("{found} features here, and {expected} where the model was made{}", of_names(names))]
    Features {
        /// Features of this file.
        found: usize,
        /// Features of the recipe.
        expected: usize,
        /// The columns of the recipe, if they have names.
        names: Vec<String>,
    },
    /// Another number of columns, where columns go by their places.
    #[error(
        "{found} columns here, and {expected} where the model was made: columns without names go by their places"
    )]
    Columns {
        /// Columns of this file.
        found: usize,
        /// Columns of the table of the recipe.
        expected: usize,
    },
    /// A column is of something else.
    #[error("{column} is of {found}s here, and of {expected}s where the model was made")]
    Kind {
        /// The column.
        column: ColumnAt,
        /// The kind that it was of.
        expected: &'static str,
        /// The kind that it is of.
        found: &'static str,
    },
}

fn of_names(names: &[String]) -> String {
    if names.is_empty() { String::new() } else { format!(": {}", names.join(", ")) }
}

/// A line from 1, or a row from 0 where there are no lines.
struct Place {
    row: u64,
    line: Option<u64>,
}

impl fmt::Display for Place {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.line {
            Some(line) => write!(f, "line {line}"),
            None => write!(f, "row {} (from 0)", self.row),
        }
    }
}
