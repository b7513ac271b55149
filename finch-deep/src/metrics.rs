//! What a training run measures on its way: the lines of `metrics.jsonl`.

use std::fmt::{self, Display};

use finch_core::Partition;
use serde::{Deserialize, Serialize};

use crate::scores::Percentages;

/// One line of `metrics.jsonl`.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Measurement {
    /// The network has seen all samples once more.
    Epoch(Epoch),
    /// FINCH has clustered the input (at epoch 0) or the embedding.
    Clustering(Clustering),
}

impl Measurement {
    /// The clustering, if the measurement is one.
    pub fn clustering(&self) -> Option<&Clustering> {
        match self {
            Measurement::Clustering(clustering) => Some(clustering),
            Measurement::Epoch(_) => None,
        }
    }
}

/// An epoch of training.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Epoch {
    /// The number of the epoch, from 1.
    pub epoch: usize,
    /// Mean loss of the samples trained on.
    pub loss: f64,
    /// Share of the samples trained on, in percent, for which the network answers the pseudo-label;
    /// none where it learns no labels.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub accuracy: Option<f64>,
    /// The learning rate.
    pub learning_rate: f64,
    /// Samples trained on in a second.
    pub samples_per_second: f64,
}

/// A clustering of all samples.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Clustering {
    /// The epochs trained before the clustering. At 0 the input is clustered, later the embedding.
    pub epoch: usize,
    /// The partitions of the hierarchy, the finest first.
    pub partitions: Vec<ScoredPartition>,
    /// The partition that was asked for: refined to K clusters.
    pub requested: Option<ScoredPartition>,
    /// How many pseudo-labels the network is trained on next; none after the last epoch.
    pub pseudo_labels: Option<usize>,
    /// How far these pseudo-labels agree with the ones before: NMI in percent.
    pub agreement: Option<f64>,
    /// Whether training helped, after the last epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

/// Whether training helped, as told without the truth: by the modularity of K clusters in the graph of
/// the input's nearest neighbours.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// The modularity of the K clusters of the input.
    pub input: f64,
    /// The modularity of the K clusters of the embedding.
    pub embedding: f64,
}

impl Verdict {
    /// Whether the result are the clusters of the embedding, and not those of the input.
    pub fn helped(&self) -> bool {
        self.embedding >= self.input
    }
}

/// A sentence for people.
impl Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { input, embedding } = self;
        let found = format_args!(
            "among the input's nearest neighbours the clusters of the embedding have a modularity of \
             {embedding:.3}, and those of the input {input:.3}"
        );
        match self.helped() {
            true => write!(f, "training helped: {found}"),
            false => {
                write!(f, "training did not help here, and the result is the input's: {found}")
            }
        }
    }
}

/// A partition, and its scores where the truth is known.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct ScoredPartition {
    /// The number of clusters.
    pub clusters: usize,
    /// The scores against the truth.
    #[serde(flatten)]
    pub scores: Option<Percentages>,
}

impl ScoredPartition {
    /// Measures a partition.
    ///
    /// # Errors
    /// [`finch_core::Error::SampleCount`] if the truth is of another number of samples.
    pub fn of(partition: &Partition, truth: Option<&[u32]>) -> finch_core::Result<Self> {
        let scores = truth.map(|truth| Percentages::of(partition.labels(), truth)).transpose()?;
        Ok(Self { clusters: partition.clusters(), scores })
    }
}
