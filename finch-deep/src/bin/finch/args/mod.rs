//! The options that commands share.

pub(crate) mod constraints;
pub(crate) mod help;
pub(crate) mod noise;
pub(crate) mod per_sample;
pub(crate) mod precomputed;
pub(crate) mod read;
pub(crate) mod report;
pub(crate) mod search;
#[cfg(feature = "train")]
pub(crate) mod sources;
#[cfg(feature = "train")]
pub(crate) mod training;
pub(crate) mod values;
pub(crate) mod write;
