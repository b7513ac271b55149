//! Time stamps of samples, from a file or a column.

use std::path::PathBuf;

use finch_core::Times;
use finch_deep::data::{Column, date};

use crate::per_sample::PerSample;
use crate::reading::column;

// When each sample was. Not a doc comment: clap would make that the description of the command.
#[derive(clap::Args)]
pub(crate) struct Timing {
    /// Tables: the column of the inputs that tells when each sample was, in numbers of any unit or dates
    /// (2024-02-29, 2024-02-29T12:30:05), by name or by number from 0. It is no feature then. Distances
    /// count times the time between samples, and those of clusters are of their means and mean times
    /// (TW-FINCH, which takes --metric cosine); --linkage is centroid unless it is ward
    #[arg(long, value_name = "COLUMN", value_parser = column, group = "when", conflicts_with_all = UNTIMED)]
    time: Option<Column>,

    /// The same from a file: one number for each sample, such as a .npy of as many
    #[arg(long, value_name = "FILE", group = "when", conflicts_with_all = UNTIMED)]
    times: Option<PathBuf>,

    /// Make each cluster a contiguous segment of time
    #[arg(long, requires = "when")]
    segments: bool,
}

/// The operations that do not look at times.
const UNTIMED: [&str; 7] =
    ["weights", "weight_column", "known_neighbors", "precomputed", "suggest", "report", "model"];

impl Timing {
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
