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
    /// Where K was suggested and not given, of the input: the scores of 2 clusters and more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Vec<f64>>,
    /// What was decided after the last epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

/// What was decided after the last epoch, without the truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Verdict {
    /// Whose clusters are the result.
    pub result: Source,
    /// The clusters that could have been the result.
    pub candidates: Vec<Candidate>,
}

/// Where clusters come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Source {
    /// The input.
    Input,
    /// The embedding of the network that learns labels.
    Labels,
    /// The embedding of the network that learns the graph.
    Graph,
    /// What the others agree on.
    Consensus,
}

/// For people.
impl Display for Source {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::Input => "input",
            Self::Labels => "embedding, from labels",
            Self::Graph => "embedding, from the graph",
            Self::Consensus => "consensus",
        })
    }
}

/// K clusters that could have been the result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Where they come from.
    pub source: Source,
    /// Their modularity (Newman, 2004) in the graph of the input's nearest neighbours: from −0.5 to 1.
    pub modularity: f64,
    /// How far they agree with the result: NMI in percent.
    pub agreement: f64,
    /// The scores against the truth, where it is known. They have no say.
    #[serde(flatten)]
    pub scores: Option<Percentages>,
}

impl Verdict {
    /// Whether the result has something of what was learnt, and is not the input's.
    pub fn helped(&self) -> bool {
        self.result != Source::Input
    }

    fn modularity(&self, source: Source) -> f64 {
        let found = self.candidates.iter().find(|candidate| candidate.source == source);
        found.map_or(f64::NAN, |candidate| candidate.modularity)
    }
}

/// A sentence for people.
impl Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let input = self.modularity(Source::Input);
        let best = self.candidates.iter().filter(|one| one.source != Source::Input);
        let best = best.map(|candidate| candidate.modularity).fold(f64::NEG_INFINITY, f64::max);
        let found = self.modularity(self.result);
        let among = "among the input's nearest neighbours";
        match self.result {
            Source::Input => write!(
                f,
                "training did not help here, and the result is the input's clusters: {among} they \
                 have a modularity of {input:.3}, and what was learnt {best:.3} at best"
            ),
            result if found >= input => write!(
                f,
                "training helped, and the result is the clusters of the {result}: {among} they have a \
                 modularity of {found:.3}, and those of the input {input:.3}"
            ),
            result => write!(
                f,
                "the result is the clusters of the {result}, and whether training helped cannot be \
                 told: {among} they have a modularity of {found:.3}, and those of the input {input:.3}"
            ),
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
