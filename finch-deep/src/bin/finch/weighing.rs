//! Weights of samples, from a file or a column.

use std::error::Error;
use std::path::PathBuf;

use finch_deep::data::{self, Column, Escaped, Fault, Input, NameColumn, ReadError, ReadOptions};

use crate::reading::column;
use crate::typed::{typed, wide};
use data::Matrix;

// How much each sample counts. Not a doc comment: clap would make that the description of the command.
#[derive(clap::Args)]
pub(crate) struct Weighing {
    /// The weight of each sample, a number above 0: a whole one counts as that many equal rows
    #[arg(long, value_name = "FILE", conflicts_with = "weight_column")]
    weights: Option<PathBuf>,

    /// Tables: the column of the inputs that has the weights, by name or by number from 0
    #[arg(long, value_name = "COLUMN", value_parser = column)]
    weight_column: Option<Column>,
}

/// Weights that cannot be had.
#[derive(Debug, thiserror::Error)]
enum WeightError {
    #[error("{}: weights are one number for each sample, and here are {columns}", Escaped(path.display()))]
    Several { path: PathBuf, columns: usize },
    #[error(
        "{}: {found} weights, and {samples} samples: give one for each",
        Escaped(path.display())
    )]
    Count { path: PathBuf, found: usize, samples: usize },
    #[error("row {row} (from 0), column {column}: {text:?} is no weight")]
    NoNumber { row: usize, column: Column, text: String },
}

impl Weighing {
    /// Reads the column of weights, too, which is no feature.
    pub(crate) fn prepare(&self, options: &mut ReadOptions) {
        if let Some(column) = &self.weight_column {
            options.exclude.push(column.clone());
            options.keep_cells = true;
        }
    }

    /// The error of reading, of the option that was given.
    pub(crate) fn of_option(&self, mut error: ReadError) -> ReadError {
        if let (Fault::UselessOption { option, .. }, Some(_)) =
            (&mut error.fault, &self.weight_column)
            && ["exclude", "append"].contains(option)
        {
            *option = "weight-column";
        }
        error
    }

    /// The weight of each sample that was not left out.
    pub(crate) fn read(
        &self,
        input: &Input,
        options: &ReadOptions,
    ) -> Result<Option<Vec<f64>>, Box<dyn Error>> {
        let mut all = match (&self.weights, &self.weight_column) {
            (Some(path), _) => of_file(path, options, input)?,
            (None, Some(column)) => of_column(column, options, input)?,
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
}

fn of_file(
    path: &PathBuf,
    options: &ReadOptions,
    input: &Input,
) -> Result<Vec<f64>, Box<dyn Error>> {
    let mut of_weights = ReadOptions::default();
    of_weights.names = NameColumn::None;
    of_weights.memory_limit = options.memory_limit;
    let read = data::read(&[path], &of_weights)?;
    if read.features() != 1 {
        return Err(WeightError::Several { path: path.clone(), columns: read.features() }.into());
    }
    let samples = input.samples() + input.dropped().len();
    if read.samples() != samples {
        let found = read.samples();
        return Err(WeightError::Count { path: path.clone(), found, samples }.into());
    }
    Ok(typed!(read.matrix(), view => view.iter().map(|&weight| wide(weight)).collect()))
}

fn of_column(
    column: &Column,
    options: &ReadOptions,
    input: &Input,
) -> Result<Vec<f64>, WeightError> {
    let cells = input.cells().expect("they were asked for");
    let place = match column {
        Column::Index(index) => Some(*index),
        Column::Name(name) => cells.header().and_then(|all| all.iter().position(|x| x == name)),
    };
    let place = place.expect("the column was found when it was left out");
    let mut dropped = input.dropped().iter().peekable();
    let weight = |row: usize| {
        let cell = cells.row(row).nth(place).unwrap_or_default();
        let text = if options.decimal_comma { cell.replace(',', ".") } else { cell.into_owned() };
        let gone = dropped.next_if(|dropped| dropped.row == row).is_some();
        let number = text.trim().parse().ok().filter(|number: &f64| number.is_finite());
        let nothing = gone.then_some(1.0);
        let column = column.clone();
        number.or(nothing).ok_or(WeightError::NoNumber { row, column, text })
    };
    (0..cells.rows()).map(weight).collect()
}
