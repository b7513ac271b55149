//! The arguments of `finch train`.

use std::path::PathBuf;

use finch_deep::report::Image;
use finch_deep::train::Backend;

use crate::args::sources::SourceArgs;
use crate::args::training::TrainingArgs;
use crate::args::values::{threads, whole};

/// Train an embedding of samples on clusters of them, without labels
///
/// One network learns to tell the clusters of the input apart; finch clusters its last hidden layer, and
/// goes on. A second network learns to keep nearest neighbours near, and a third learns the same, to judge the
/// clusters of the others by. The result is the clusters of an embedding, if these are clearly better, or what
/// the input and both embeddings agree on. finch says in the end if training helped, as far as that shows
/// without labels, and why; if not, the result is the clusters of the input.
///
/// The run directory gets labels.csv, the labels with the names of the samples; report.html, a page to look
/// at; embedding.npy; the files of finch cluster --out for the embedding; the configuration; the metrics of
/// each epoch; and the last two checkpoints. A run is a model: finch predict RUN finds the clusters of new
/// samples.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch train features.npy --clusters 10 --out run
  finch train train-images-idx3-ubyte.gz --labels train-labels-idx1-ubyte.gz --out run
  finch train features.npy --objectives graph --clusters 10 --out run
  finch train features.npy --preset paper --clusters 10 --out run
  finch train features.npy --config other/config.toml --seed 1 --out run
  finch train features.npy --clusters 10 --seeds 5 --out runs
  finch train --resume run
  finch train --resume run --rounds 2
  finch predict run new.npy
  finch embed run new.npy --out embedding.npy")]
pub(crate) struct Args {
    /// The run directory, empty or new
    #[arg(short, long, value_name = "RUN")]
    pub(super) out: Option<PathBuf>,

    /// Go on with a run that was stopped, or with --rounds beyond its end
    ///
    /// The result is the same as if nobody had stopped the run.
    #[arg(long, value_name = "RUN", conflicts_with_all = ["out", "backend"])]
    pub(super) resume: Option<PathBuf>,

    /// Train N runs, 2 or more, of the seeds from --seed on, into RUN/seed-0, RUN/seed-1, …
    ///
    /// finch tells the scores of each run with their mean and deviation, and the run whose clusters are the
    /// most modular among the input's nearest neighbours, which is told without labels.
    #[arg(long, value_name = "N", value_parser = whole::<usize>, conflicts_with = "resume")]
    pub(super) seeds: Option<usize>,

    /// Begin a run anew in the directory of an earlier one, whose files are removed
    #[arg(long, conflicts_with_all = ["resume", "seeds"])]
    pub(super) force: bool,

    /// Device that computes the network
    #[arg(long, default_value = "cpu")]
    pub(super) backend: Backend,

    /// Show samples as images of this size, such as 28x28, or 32x32x3 for red, green and blue
    #[arg(long, value_name = "HxW", conflicts_with = "resume")]
    pub(super) image: Option<Image>,

    /// Number of threads; no result depends on it [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads)]
    pub(super) threads: Option<usize>,

    /// No table, no progress bar, and no line for each epoch where standard error is no terminal
    #[arg(short, long)]
    pub(super) quiet: bool,

    // Flattened last: options that follow would come under its last heading in the help.
    #[command(flatten)]
    pub(super) sources: SourceArgs,

    #[command(flatten)]
    pub(super) choices: TrainingArgs,
}
