//! One number for each sample, its weight or its time stamp, from a file or from a column of the
//! inputs.

use std::error::Error;
use std::path::{Path, PathBuf};

use finch_core::Times;
use finch_deep::data::{
    self, Column, Escaped, Fault, Input, NameColumn, ReadError, ReadOptions, date,
};
use finch_deep::with_matrix;

use super::read::column;
use crate::input::samples::wide;

/// Where the numbers are, and what they are.
pub(crate) struct PerSample<'a> {
    /// A file of numbers.
    pub(crate) file: Option<&'a Path>,
    /// A column of the inputs, which is no feature.
    pub(crate) column: Option<&'a Column>,
    /// The option that names the column.
    pub(crate) option: &'static str,
    /// The noun for one number, such as "weight"; with an s at the end, several.
    pub(crate) what: &'static str,
    /// The number that the text of a cell says.
    pub(crate) parse: fn(&str) -> Option<f64>,
}

/// Numbers that cannot be had.
#[derive(Debug, thiserror::Error)]
enum PerSampleError {
    #[error("{}: {what}s are one number for each sample, and here are {columns}", Escaped(path.display()))]
    Several { path: PathBuf, what: &'static str, columns: usize },
    #[error(
        "{}: {found} {what}s, and {samples} samples: give one for each",
        Escaped(path.display())
    )]
    Count { path: PathBuf, what: &'static str, found: usize, samples: usize },
    #[error("{}: there is no column {column}", Escaped(path.display()))]
    NoColumn { path: PathBuf, column: Column },
    #[error("row {row} (from 0), column {column}: {text:?} is no {what}")]
    NoNumber { row: usize, column: Column, text: String, what: &'static str },
}

impl PerSample<'_> {
    /// Reads the column, too, which is no feature.
    pub(crate) fn prepare(&self, options: &mut ReadOptions) {
        if let Some(column) = self.column {
            options.exclude.push(column.clone());
            options.keep_cells = true;
        }
    }

    /// The error of reading, of the option that was given.
    pub(crate) fn of_option(&self, mut error: ReadError) -> ReadError {
        if let (Fault::UselessOption { option, .. }, Some(_)) = (&mut error.fault, self.column)
            && ["exclude", "append"].contains(option)
        {
            *option = self.option;
        }
        error
    }

    /// The number of each sample that was not left out.
    pub(crate) fn read(
        &self,
        input: &Input,
        options: &ReadOptions,
    ) -> Result<Option<Vec<f64>>, Box<dyn Error>> {
        let mut all = match (self.file, self.column) {
            (Some(path), _) => self.of_file(path, options, input)?,
            (None, Some(column)) => self.of_column(column, options, input)?,
            (None, None) => return Ok(None),
        };
        let mut dropped = input.dropped().iter().peekable();
        let mut row = 0;
        all.retain(|_| {
            let keep = dropped.next_if(|dropped| dropped.row == row).is_none();
            row += 1;
            keep
        });
        Ok(Some(all))
    }

    fn of_file(
        &self,
        path: &Path,
        options: &ReadOptions,
        input: &Input,
    ) -> Result<Vec<f64>, Box<dyn Error>> {
        let mut of_numbers = ReadOptions::default();
        of_numbers.names = NameColumn::None;
        of_numbers.lists = true;
        of_numbers.memory_limit = options.memory_limit;
        let read = data::read(&[path], &of_numbers)?;
        let (path, what) = (path.into(), self.what);
        if read.features() != 1 {
            let columns = read.features();
            return Err(PerSampleError::Several { path, what, columns }.into());
        }
        let samples = input.samples() + input.dropped().len();
        if read.samples() != samples {
            let found = read.samples();
            return Err(PerSampleError::Count { path, what, found, samples }.into());
        }
        Ok(with_matrix!(read.matrix(), view => view.iter().map(|&number| wide(number)).collect()))
    }

    fn of_column(
        &self,
        column: &Column,
        options: &ReadOptions,
        input: &Input,
    ) -> Result<Vec<f64>, PerSampleError> {
        let cells = input.cells().expect("they were asked for");
        let place = match column {
            Column::Index(index) => Some(*index),
            Column::Name(name) => cells.header().and_then(|all| all.iter().position(|x| x == name)),
        };
        let place = place.filter(|&place| place < cells.columns()).ok_or_else(|| {
            PerSampleError::NoColumn { path: input.path().into(), column: column.clone() }
        })?;
        let mut dropped = input.dropped().iter().peekable();
        let number = |row: usize| {
            let cell = cells.row(row).nth(place).unwrap_or_default();
            let text =
                if options.decimal_comma { cell.replace(',', ".") } else { cell.into_owned() };
            let gone = dropped.next_if(|dropped| dropped.row == row).is_some();
            let number = (self.parse)(text.trim()).filter(|number| number.is_finite());
            let nothing = gone.then_some(1.0);
            let (column, what) = (column.clone(), self.what);
            number.or(nothing).ok_or(PerSampleError::NoNumber { row, column, text, what })
        };
        (0..cells.rows()).map(number).collect()
    }
}

// When each sample was. Not a doc comment: clap would make that the description of the command.
#[derive(clap::Args)]
pub(crate) struct TimeArgs {
    /// Tables: the column of time stamps, by name or by number from 0
    ///
    /// Numbers of any unit, or dates (2024-02-29, 2024-02-29T12:30:05). The column is then no feature. A
    /// distance counts times the time between the two samples; for clusters, between their means and
    /// mean times (TW-FINCH, which takes --metric cosine). --linkage is centroid unless it is ward.
    #[arg(long, value_name = "COLUMN", value_parser = column, group = "when", conflicts_with_all = UNTIMED)]
    time: Option<Column>,

    /// Time stamps from a file, such as .npy: one number for each sample
    #[arg(long, value_name = "FILE", group = "when", conflicts_with_all = UNTIMED)]
    times: Option<PathBuf>,

    /// Make each cluster a contiguous segment of time
    #[arg(long, requires = "when")]
    segments: bool,
}

/// The operations that do not look at times.
const UNTIMED: [&str; 7] =
    ["weights", "weight_column", "known_neighbors", "precomputed", "suggest", "report", "model"];

impl TimeArgs {
    /// The time stamp of each sample; of dates the days.
    pub(crate) fn numbers(&self) -> PerSample<'_> {
        PerSample {
            file: self.times.as_deref(),
            column: self.time.as_ref(),
            option: "time",
            what: "time",
            parse: |text| text.parse().ok().or_else(|| date(text.as_bytes())),
        }
    }

    /// The times that clusters are made by.
    pub(crate) fn of<'t>(&self, stamps: &'t [f64]) -> Times<'t> {
        Times::new(stamps).contiguous(self.segments)
    }
}

// The weight of each sample. Not a doc comment: clap would make that the description of the command.
#[derive(clap::Args)]
pub(crate) struct WeightArgs {
    /// Weights from a file: a number above 0 for each sample; 3 counts as three equal rows
    #[arg(long, value_name = "FILE", conflicts_with = "weight_column")]
    weights: Option<PathBuf>,

    /// Tables: the column of weights, by name or by number from 0
    #[arg(long, value_name = "COLUMN", value_parser = column)]
    weight_column: Option<Column>,
}

impl WeightArgs {
    /// The weight of each sample.
    pub(crate) fn numbers(&self) -> PerSample<'_> {
        PerSample {
            file: self.weights.as_deref(),
            column: self.weight_column.as_ref(),
            option: "weight-column",
            what: "weight",
            parse: |text| text.parse().ok(),
        }
    }
}
