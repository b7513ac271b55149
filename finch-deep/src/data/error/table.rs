//! Faults of tables that are no text of themselves: spreadsheets, JSON, and ARFF.

use super::text::Escaped;

/// The fault of a spreadsheet, of JSON or of ARFF.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TableFault {
    /// Spreadsheets were left out when this program was built.
    #[error(
        "this finch was built without spreadsheets: build it with the feature spreadsheets, or save the \
         sheet as .csv"
    )]
    NotBuilt,
    /// The spreadsheet can be read with a password alone.
    #[error("the spreadsheet is protected by a password: save a copy without one")]
    Protected,
    /// There is no sheet of that name or number.
    #[error("there is no sheet {wanted:?}; the file has {}{}", Escaped(found.join(", ")), meant(nearest))]
    NoSuchSheet {
        /// The name or the number.
        wanted: String,
        /// The names of all sheets.
        found: Vec<String>,
        /// The name that was meant, if one is near.
        nearest: Option<String>,
    },
    /// No sheet has a cell with a value.
    #[error("no sheet has a value in it; the file has {}", Escaped(found.join(", ")))]
    NoValues {
        /// The names of all sheets that were looked at.
        found: Vec<String>,
    },
    /// A value of JSON that is no cell.
    #[error(
        "record {record} (from 0), {key:?}: {found} is no value of a table: flatten it, as \
         pandas.json_normalize does, or leave the key out"
    )]
    Nested {
        /// The record.
        record: u64,
        /// The key, or the place in a list.
        key: String,
        /// The kind of the value, such as `an array`.
        found: &'static str,
    },
    /// A record of JSON with two values of one column.
    #[error("record {record} (from 0) has two values called {key:?}: rename one")]
    Twice {
        /// The record.
        record: u64,
        /// The column.
        key: String,
    },
    /// An array of JSON that is longer or shorter than the first.
    #[error("record {record} (from 0) has {found} values, and the first has {expected}")]
    Width {
        /// The record.
        record: u64,
        /// The values of the first.
        expected: usize,
        /// The values of this one.
        found: usize,
    },
    /// Text that is no JSON.
    #[error("no JSON at line {line}, column {column}: {}", Escaped(reason))]
    Json {
        /// The line, from 1.
        line: usize,
        /// The column, from 1.
        column: usize,
        /// The message of the parser.
        reason: String,
    },
    /// JSON that is no table.
    #[error(
        "the JSON is {found}: a table is an array of flat objects, an array of arrays of numbers, an \
         object on each line, or what pandas.DataFrame.to_json writes"
    )]
    NoTable {
        /// The kind of the JSON, such as `a number`.
        found: &'static str,
    },
    /// A line of ARFF that is not as the format has it.
    #[error("line {line}: {}", Escaped(reason))]
    Arff {
        /// The line, from 1.
        line: u64,
        /// The fault.
        reason: String,
    },
    /// A value that the attribute of ARFF does not declare.
    #[error(
        "line {line}: {text:?} is none of the values that the attribute {attribute:?} declares: add it \
         there, or mend it"
    )]
    Undeclared {
        /// The line, from 1.
        line: u64,
        /// The name of the attribute.
        attribute: String,
        /// The value.
        text: String,
    },
    /// Rows that cannot be made columns.
    #[error(
        "--transpose takes text, spreadsheets, JSON, ARFF and arrays, and this is {found}: {remedy}"
    )]
    NotTransposed {
        /// The kind of the file.
        found: &'static str,
        /// The way to have it transposed.
        remedy: &'static str,
    },
}

fn meant(nearest: &Option<String>) -> String {
    nearest.as_ref().map(|name| format!("; did you mean {name:?}?")).unwrap_or_default()
}
