//! The inputs of commands: files, samples in memory, and kept models.

pub(crate) mod error;
pub(crate) mod mapped;
pub(crate) mod model_file;
pub(crate) mod paths;
pub(crate) mod run_folder;
pub(crate) mod samples;
