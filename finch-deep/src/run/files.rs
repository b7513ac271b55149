//! The names of what is in a run directory, and how a run directory is recognised.

use std::path::Path;

/// What the run began with. This file makes a directory a run, so it is written last.
pub(super) const FACTS: &str = "run.json";
/// The 512 numbers of each sample.
pub const EMBEDDING: &str = "embedding.npy";
/// Plots.
pub const REPORT: &str = "report.html";

/// Whether a directory has a run that has begun.
pub fn is_run(directory: &Path) -> bool {
    directory.join(FACTS).exists()
}
