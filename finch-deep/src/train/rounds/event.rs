//! The event of a step of the training loop.

use finch_core::{Hierarchy, Linkage, Metric, Partition};
use ndarray::Array2;

use super::ensemble::Candidate;
use crate::metrics::{Epoch, Source};

/// The result of one call of [`Trainer::advance`](crate::train::Trainer::advance).
#[derive(Debug)]
pub enum Event {
    /// All samples were clustered, and the next epoch trains on the clusters.
    Clustered(Box<Clustered>),
    /// The network saw all samples once.
    Trained(Epoch),
}

/// A clustering of all samples.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Clustered {
    /// Epochs before the clustering. At 0 the input was clustered, later the embedding.
    pub epoch: usize,
    /// All partitions.
    pub hierarchy: Hierarchy,
    /// Exactly K clusters.
    pub clusters: Partition,
    /// The linkage that merged clusters down to K; none where they are a consensus.
    pub linkage: Option<Linkage>,
    /// The partition that merging began with; none where the first partition was split, or where the
    /// clusters are a consensus.
    pub from: Option<usize>,
    /// The labels that the network is trained on next: a label for each sample. None after the last epoch.
    pub pseudo_labels: Option<Partition>,
    /// NMI of these pseudo-labels and the pseudo-labels before, from 0 to 1.
    pub agreement: Option<f64>,
    /// The embedding, N × its width. After the last epoch: of the network that is kept.
    pub embedding: Option<Array2<f32>>,
    /// The distance between samples of the embedding.
    pub metric: Metric,
    /// After the last epoch, with [`Cut::Auto`](crate::train::Cut::Auto): whose clusters are the result. Where
    /// it is the input, the hierarchy is the input's, too.
    pub result: Option<Source>,
    /// Where K was not given, of the input: the score of each number of clusters, from 2 on
    /// ([`Suggestion::scores`](finch_core::Suggestion::scores)).
    pub scores: Option<Vec<f64>>,
    /// The clusters that could have been the result.
    pub candidates: Vec<Candidate>,
}
