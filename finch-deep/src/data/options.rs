//! How samples are read.

use std::fmt;
use std::path::Path;

use super::error::{Fault, ReadError};
use super::format::Format;

/// How to read samples. The default recognises whatever it can.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct ReadOptions {
    /// Text: whether the first row names the columns. `None`: it does if no feature in it is a
    /// number and some of later rows is, or if another option refers to a column by its name. A
    /// first row that may as well be a sample that lacks a value is an error.
    pub header: Option<bool>,
    /// Text: what separates the fields. `None`: the first of tab, semicolon and comma that the
    /// first line has, else white space.
    pub delimiter: Option<Delimiter>,
    /// Text: the column of the samples' names.
    pub names: NameColumn,
    /// Text: columns to leave out, such as one of labels.
    pub exclude: Vec<Column>,
    /// `.npz` and `.mat`: the variable to read. `None`: `X`, else the only matrix that there is.
    pub variable: Option<String>,
    /// The bytes of memory that reading may take; files that are mapped take none. `None`: nine
    /// tenths of what is available by the system, the control groups and the limits of the process,
    /// where the system tells (Linux does).
    pub memory_limit: Option<u64>,
}

impl Default for ReadOptions {
    fn default() -> Self {
        Self {
            header: None,
            delimiter: None,
            names: NameColumn::Auto,
            exclude: Vec::new(),
            variable: None,
            memory_limit: None,
        }
    }
}

impl ReadOptions {
    /// Checks that each option serves a file: a column that was to be left out, and is not, makes a
    /// result that is wrong and looks right.
    pub(super) fn expect_useful(&self, paths: &[impl AsRef<Path>]) -> Result<(), ReadError> {
        let of_text = [
            ("header", self.header == Some(true)),
            ("names", matches!(self.names, NameColumn::At(_))),
            ("exclude", !self.exclude.is_empty()),
        ];
        expect_useful(paths, &of_text, ("variable", self.variable.is_some()))
    }
}

/// Checks that each option that is given, of those for text and the one for archives, serves at
/// least one of the files.
pub(super) fn expect_useful(
    paths: &[impl AsRef<Path>],
    of_text: &[(&'static str, bool)],
    of_archives: (&'static str, bool),
) -> Result<(), ReadError> {
    let formats = paths.iter().map(|path| Format::of(path.as_ref()));
    // Files that cannot be read have errors of their own.
    let Some(formats) = formats.collect::<Option<Vec<_>>>() else { return Ok(()) };
    let text = formats.contains(&Format::Text);
    let archive = formats.contains(&Format::Npz) || formats.contains(&Format::Mat);
    let of_text = of_text.iter().filter(|_| !text);
    let useless = of_text.chain([&of_archives].into_iter().filter(|_| !archive));
    match (useless.into_iter().find(|(_, given)| *given), paths.first()) {
        (Some((option, _)), Some(path)) => {
            Err(ReadError::new(path.as_ref(), Fault::UselessOption { option }))
        }
        _ => Ok(()),
    }
}

/// A column of a text table.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Column {
    /// By position, from 0.
    Index(usize),
    /// By the name that the header gives it.
    Name(String),
}

impl fmt::Display for Column {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Column::Index(index) => write!(f, "{index} (from 0)"),
            Column::Name(name) => write!(f, "{name:?}"),
        }
    }
}

/// Which column of a text table names the samples.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum NameColumn {
    /// The first column, if none of the first hundred rows has a number there.
    #[default]
    Auto,
    /// No column: every one is a feature.
    None,
    /// The column of this name or number.
    At(Column),
}

/// What separates the fields of a text table.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Delimiter {
    /// Any run of spaces and tabs.
    WhiteSpace,
    /// This byte, once. Fields may be quoted.
    Byte(u8),
}
