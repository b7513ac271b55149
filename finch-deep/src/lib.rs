//! Deep clustering, an embedding trained on FINCH's own labels; and the parts of the `finch` command.
//!
//! - [`data`]: readers and writers of files of samples and labels.
//! - [`report`]: HTML pages about a clustering or a training run.
//! - [`scores`]: agreement with true classes, in percent.
//!
//! With the feature `train`, which compiles [burn](https://burn.dev) for some minutes:
//!
//! - `train`: the training loop, for samples in memory.
//! - [`run`]: the directory of a training run; `metrics` are the run's measures.
//!
//! The crate `finch-core` clusters; take it alone if your samples are in memory.
#![deny(unsafe_code)] // Memory-mapping, in `data::formats::npy_mapped`, is the one exception.

pub mod data;
#[cfg(feature = "train")]
pub mod metrics;
pub mod report;
pub mod run;
pub mod scores;
#[cfg(feature = "train")]
pub mod train;
