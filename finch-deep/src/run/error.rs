//! The faults of a run directory.

use std::io;
use std::path::{Path, PathBuf};

use super::files::is_run;
use crate::data::WriteError;
use crate::train::TrainError;

/// A run directory cannot be used.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum RunError {
    /// The directory has a run already, or something else.
    #[error("{} is not empty: choose another directory{}", .0.display(), of_run(.0))]
    Taken(PathBuf),
    /// The directory has something else among the files of a run.
    #[error(
        "{} is not empty: {name} is no file of a run: choose another directory, or move that file away",
        directory.display()
    )]
    Foreign {
        /// The directory.
        directory: PathBuf,
        /// The name of the file.
        name: String,
    },
    /// There is no run.
    #[error("{} is no run directory of finch: {} is missing", directory.display(), missing)]
    NoRun {
        /// The directory.
        directory: PathBuf,
        /// A file that each run has.
        missing: &'static str,
    },
    /// The run does not say how its samples were read.
    #[error(
        "{} has no recipe.json, which says what was done with the columns of the samples: finch train \
         --resume {} writes it",
        .0.display(),
        .0.display()
    )]
    NoRecipe(PathBuf),
    /// Another process trains here.
    #[error("another process is training in {}: let it end, or stop it", .0.display())]
    Busy(PathBuf),
    /// A file of the run is damaged.
    #[error("{}: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// The fault.
        reason: String,
    },
    /// No checkpoint can be read.
    #[error("no checkpoint in {} can be read{}", directory.display(), list(.faults))]
    NoCheckpoint {
        /// Where checkpoints are.
        directory: PathBuf,
        /// The fault of each checkpoint.
        faults: Vec<TrainError>,
    },
    /// The system will not read or write.
    #[error("{}: {source}", path.display())]
    System {
        /// The file.
        path: PathBuf,
        /// Why.
        source: io::Error,
    },
    /// The system will not write.
    #[error(transparent)]
    Write(#[from] WriteError),
}

/// The ways on where there is a run.
fn of_run(directory: &Path) -> &'static str {
    match is_run(directory) {
        true => ", or go on with the run in it by --resume, or begin it anew by --force",
        false => "",
    }
}

fn list(faults: &[TrainError]) -> String {
    faults.iter().map(|fault| format!("\n  {fault}")).collect()
}
