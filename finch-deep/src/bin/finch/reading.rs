//! Options on how files are read, shared by the commands.

#[cfg(feature = "train")]
mod arguments;

use std::path::PathBuf;

use finch_deep::data::{self, Column, Escaped, LabelOptions, NameColumn, ReadError, ReadOptions};

use crate::values::bytes;

// How text tables and archives are read; by default the file's layout is recognised. Not a doc
// comment: clap would make that the description of the command.
#[derive(clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct Reading {
    /// Text: the first line names the columns
    #[arg(long, conflicts_with = "no_header")]
    header: bool,

    /// Text: the first line is a sample
    #[arg(long)]
    no_header: bool,

    /// Text: the column that names the samples, by name or by number from 0
    #[arg(long, value_name = "COLUMN", value_parser = column, conflicts_with = "no_names")]
    names: Option<Column>,

    /// Text: no column names the samples
    #[arg(long)]
    no_names: bool,

    /// Text: a column to leave out, by name or by number from 0; may be repeated
    #[arg(long, value_name = "COLUMN", value_parser = column)]
    exclude: Vec<Column>,

    /// .npz and .mat: the variable that holds the samples [default: X, or the only matrix]
    #[arg(long, value_name = "NAME")]
    variable: Option<String>,

    #[command(flatten)]
    memory: MemoryLimit,
}

// How much memory reading may take.
#[derive(clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct MemoryLimit {
    /// Memory that reading samples or labels may take, such as 500M or 1.5G (of 2^30 bytes); large
    /// .npy files take none [default: nine tenths of what is available]
    #[arg(long, value_name = "SIZE", value_parser = bytes)]
    pub(crate) memory_limit: Option<u64>,
}

// How files of labels are read.
#[derive(clap::Args)]
#[command(next_help_heading = "Reading")]
pub(crate) struct LabelReading {
    /// Labels in text: the column, by name or by number from 0 [default: the last]
    #[arg(long, value_name = "COLUMN", value_parser = column, requires = "labels")]
    label_column: Option<Column>,

    /// Labels in text: the first line is a header
    #[arg(long, requires = "labels")]
    label_header: bool,

    /// Labels in .npz and .mat: the variable [default: y, or the only list]
    #[arg(long, value_name = "NAME", requires = "labels")]
    label_variable: Option<String>,
}

impl Reading {
    pub(crate) fn options(&self) -> ReadOptions {
        let mut options = ReadOptions::default();
        options.header = match (self.header, self.no_header) {
            (true, _) => Some(true),
            (_, true) => Some(false),
            _ => None,
        };
        options.names = match &self.names {
            Some(column) => NameColumn::At(column.clone()),
            None if self.no_names => NameColumn::None,
            None => NameColumn::Auto,
        };
        options.exclude = self.exclude.clone();
        options.variable = self.variable.clone();
        options.memory_limit = self.memory_limit();
        options
    }

    /// The same options with another limit of memory.
    #[cfg(feature = "train")]
    pub(crate) fn within(self, memory_limit: Option<u64>) -> Self {
        Self { memory: MemoryLimit { memory_limit }, ..self }
    }

    /// The bytes that reading may take, if the command line says.
    pub(crate) fn memory_limit(&self) -> Option<u64> {
        self.memory.memory_limit
    }
}

impl LabelReading {
    /// The options for labels that may take this much memory.
    pub(crate) fn options(&self, memory_limit: Option<u64>) -> LabelOptions {
        let mut options = LabelOptions::default();
        options.header = self.label_header.then_some(true);
        options.column = self.label_column.clone();
        options.variable = self.label_variable.clone();
        options.memory_limit = memory_limit;
        options
    }

    /// Reads files that hold one labelling, and checks that each option serves one of them.
    pub(crate) fn read_truth(
        &self,
        files: &[PathBuf],
        memory_limit: Option<u64>,
    ) -> Result<Vec<u32>, TruthError> {
        let options = self.options(memory_limit);
        options.expect_useful(files)?;
        one_labelling(files, &options)
    }
}

/// Reads files that hold one labelling.
pub(crate) fn one_labelling(
    files: &[PathBuf],
    options: &LabelOptions,
) -> Result<Vec<u32>, TruthError> {
    let mut labels = data::read_labels(files, options)?.columns;
    match labels.len() {
        1 => Ok(labels.remove(0).labels),
        // Stacked files have equally many columns.
        columns => {
            let file = files.first().cloned().unwrap_or_default();
            Err(TruthError::Several { file, columns })
        }
    }
}

/// Why the true classes cannot be had.
#[derive(Debug, thiserror::Error)]
pub(crate) enum TruthError {
    #[error(transparent)]
    Read(#[from] ReadError),
    #[error(
        "{}: true classes are one label for each sample, and here are {columns}",
        Escaped(file.display())
    )]
    Several { file: PathBuf, columns: usize },
}

fn column(text: &str) -> Result<Column, String> {
    match text.parse() {
        Ok(index) => Ok(Column::Index(index)),
        Err(_) if text.is_empty() => Err("name a column, or give its number from 0".into()),
        Err(_) => Ok(Column::Name(text.into())),
    }
}
