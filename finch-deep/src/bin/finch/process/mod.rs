//! The process of a command: its progress, signals and panics.

pub(crate) mod panics;
pub(crate) mod progress;
pub(crate) mod signals;
#[cfg(feature = "train")]
pub(crate) mod training_progress;
