//! A run directory: what a training run leaves, and what it needs in order to go on.
//!
//! | file | what |
//! |---|---|
//! | `config.toml` | the configuration as used, every value |
//! | `run.json` | versions, inputs and their fingerprint, the device |
//! | `recipe.json` | how the samples were read: columns, missing values, scales |
//! | `metrics.jsonl` | a measurement a line |
//! | `checkpoints/` | the last two checkpoints, by their epoch |
//! | `embedding.npy`, `labels.npy`, `labels.csv`, `hierarchy.json`, `report.html` | the result |
//! | `model.finch` | what predicts the clusters of later samples |
//! | `lock` | held by the process that trains here |
//!
//! The same samples and configuration, with their seed, give the same bytes in every file but
//! three, on any number of threads: `metrics.jsonl` and `report.html` say how many samples were
//! trained on in a second, and `run.json` says where the samples were read.
//!
//! Without the feature `train` a run directory is only recognised, by [`is_run`].

#[cfg(feature = "train")]
mod directory;
#[cfg(feature = "train")]
mod error;
#[cfg(feature = "train")]
mod facts;
mod files;

#[cfg(feature = "train")]
pub use self::directory::{Run, newest_checkpoint, recipe};
#[cfg(feature = "train")]
pub use self::error::RunError;
#[cfg(feature = "train")]
pub use self::facts::{Argument, Facts};
pub use self::files::{EMBEDDING, LABELS, MODEL, REPORT, SEEDS, is_run};
