//! Readers for files of samples, behind the `finch` command.
#![deny(unsafe_code)] // Memory-mapping, in `data::npy`, is the one exception.

pub mod data;
pub mod metrics;
pub mod report;
pub mod run;
pub mod scores;
pub mod train;
