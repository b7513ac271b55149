//! Deep clustering: an embedding trained on FINCH's own labels, and what the `finch` command is made
//! of.
//!
//! - [`data`]: files of samples and of labels.
//! - [`report`]: pages for people, about a clustering or a training run.
//! - [`scores`]: agreement with true classes, in percent.
//!
//! With the feature `train`, which compiles [burn](https://burn.dev) and takes minutes the first time:
//!
//! - `train`: the training loop, for samples in memory.
//! - [`run`]: a directory that a training run lives in; `metrics` are the run's measures.
#![deny(unsafe_code)] // Memory-mapping, in `data::formats::npy_mapped`, is the one exception.

pub mod data;
#[cfg(feature = "train")]
pub mod metrics;
pub mod report;
pub mod run;
pub mod scores;
#[cfg(feature = "train")]
pub mod train;
