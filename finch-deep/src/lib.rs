//! Deep clustering: an embedding trained on FINCH's own labels, and what the `finch` command is made
//! of.
//!
//! - [`train`]: the training loop, for samples in memory.
//! - [`run`]: a directory that a training run lives in; [`metrics`] are its measures, and [`report`] a
//!   page about it for people.
//! - [`data`]: files of samples and of labels.
//! - [`scores`]: agreement with true classes, in percent.
#![deny(unsafe_code)] // Memory-mapping, in `data::mapped`, is the one exception.

pub mod data;
pub mod metrics;
pub mod report;
pub mod run;
pub mod scores;
pub mod train;
