//! Weights of samples, from a file or a column.

use std::path::PathBuf;

use finch_deep::data::Column;

use crate::per_sample::PerSample;
use crate::reading::column;

// The weight of each sample. Not a doc comment: clap would make that the description of the command.
#[derive(clap::Args)]
pub(crate) struct Weighing {
    /// The weight of each sample, a number above 0: a whole one counts as that many equal rows
    #[arg(long, value_name = "FILE", conflicts_with = "weight_column")]
    weights: Option<PathBuf>,

    /// Tables: the column of the inputs that has the weights, by name or by number from 0
    #[arg(long, value_name = "COLUMN", value_parser = column)]
    weight_column: Option<Column>,
}

impl Weighing {
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
