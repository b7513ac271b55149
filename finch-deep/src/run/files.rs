//! The names of what is in a run directory, and how a run directory is recognised.

use std::path::Path;

/// The facts with which the run began. This file makes a directory a run, so it is written last.
pub(super) const FACTS: &str = "run.json";
/// The recipe by which the samples were read.
#[cfg(feature = "train")]
pub(super) const RECIPE: &str = "recipe.json";
/// The embedding of each sample.
pub const EMBEDDING: &str = "embedding.npy";
/// The labels of each sample as a table, with the names of the samples.
pub const LABELS: &str = "labels.csv";
/// The model that predicts the clusters of later samples. Where the embedding is clustered, it keeps no samples:
/// they are the embedding.
pub const MODEL: &str = "model.finch";
/// Beside runs of several seeds: their results, and the name of the best.
pub const SEEDS: &str = "seeds.json";
/// The page about the run, for people.
pub const REPORT: &str = "report.html";

/// True if a directory has a run that has begun.
pub fn is_run(directory: &Path) -> bool {
    directory.join(FACTS).exists()
}
