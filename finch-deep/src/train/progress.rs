//! The progress of training, for whoever watches.

use std::ops::ControlFlow;

/// The progress of a call of [`Trainer::advance`](crate::train::Trainer::advance) or of [`embed`](crate::train::embed).
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// The network is trained.
    Training {
        /// The epoch, from 1.
        epoch: usize,
        /// The part of the epoch that is done, from 0 to 1.
        fraction: f64,
        /// The mean loss of the epoch so far.
        loss: f64,
        /// Samples trained on in a second.
        samples_per_second: f64,
    },
    /// The embedding of all samples is computed.
    Embedding {
        /// The part of the samples that is embedded, from 0 to 1.
        fraction: f64,
    },
    /// FINCH clusters the samples.
    Clustering(finch_core::Progress),
}

/// A callback that sees the progress, and may stop the run by returning [`ControlFlow::Break`].
pub type Watch<'a> = dyn FnMut(Progress) -> ControlFlow<()> + Send + 'a;
