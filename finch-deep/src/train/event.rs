//! What a step of the training loop did.

use finch_core::{Hierarchy, Linkage, Partition};
use ndarray::Array2;

use crate::metrics::{Epoch, Verdict};

/// What one call of [`Trainer::advance`](super::Trainer::advance) did.
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
    /// The linkage that merged clusters down to K.
    pub linkage: Linkage,
    /// The partition that merging began with; none where the first partition was split.
    pub from: Option<usize>,
    /// What the network is trained on next: a label for each sample. None after the last epoch.
    pub pseudo_labels: Option<Partition>,
    /// NMI of these pseudo-labels and the pseudo-labels before, from 0 to 1.
    pub agreement: Option<f64>,
    /// The embedding, N × its width.
    pub embedding: Option<Array2<f32>>,
    /// Whether training helped, after the last epoch, where that was asked ([`Cut::Auto`]). Where it
    /// did not, the hierarchy and the K clusters are those of the input.
    ///
    /// [`Cut::Auto`]: super::Cut::Auto
    pub verdict: Option<Verdict>,
}
