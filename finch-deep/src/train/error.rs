//! The errors of training.

use std::path::PathBuf;

/// An error of training.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum TrainError {
    /// A value of the configuration is not allowed.
    #[error("{name} has to be {allowed}")]
    Setting {
        /// The option.
        name: &'static str,
        /// The values that it may have.
        allowed: &'static str,
    },
    /// There is one pseudo-label, and so nothing to tell apart.
    #[error(
        "{} clustering has one cluster only, and a network cannot learn from one pseudo-label: {}",
        if *.epoch == 0 { "the input's".into() } else { format!("after epoch {epoch} the embedding's") },
        "ask for more of them, or for a finer partition"
    )]
    OneLabel {
        /// Epochs before this clustering.
        epoch: usize,
    },
    /// Most pseudo-labels would have a single sample.
    #[error(
        "{labels} pseudo-labels for {samples} samples are more than one for two: ask for fewer of \
         them, or for a coarser partition"
    )]
    TooManyLabels {
        /// Pseudo-labels.
        labels: usize,
        /// Samples.
        samples: usize,
    },
    /// The weights grew beyond all bounds.
    #[error("the loss is no longer a number in epoch {epoch}: lower the learning rate")]
    Diverged {
        /// The epoch, from 1.
        epoch: usize,
    },
    /// The samples are not those that the network was trained on.
    #[error(
        "the network was trained on {expected} features for each sample, and the input has {found}"
    )]
    Features {
        /// Features of the input.
        found: usize,
        /// Features of the network.
        expected: usize,
    },
    /// The samples are not those that the run began with.
    #[error("the input is not the one that the run began with: {what} differs")]
    OtherInput {
        /// The part that differs.
        what: &'static str,
    },
    /// A checkpoint cannot be used.
    #[error("{}: {reason}", path.display())]
    Checkpoint {
        /// The file.
        path: PathBuf,
        /// The fault of the file.
        reason: String,
    },
    /// The checkpoint is from before the end of the first epoch.
    #[error("this network is not trained yet: finish the run first")]
    Untrained,
    /// The device does not exist here, or failed.
    #[error("{0}")]
    Device(String),
    /// Clustering failed, or the samples cannot be clustered.
    #[error(transparent)]
    Core(finch_core::Error),
    /// The watcher asked to stop.
    #[error("stopped")]
    Stopped,
}

impl From<finch_core::Error> for TrainError {
    fn from(error: finch_core::Error) -> Self {
        match error {
            finch_core::Error::Cancelled => Self::Stopped,
            error => Self::Core(error),
        }
    }
}
