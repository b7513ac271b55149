//! The measurements of a training run on its way: the lines of `metrics.jsonl`.

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
    Clustering(Box<Clustering>),
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
    /// The number of pseudo-labels that the network is trained on next; none after the last epoch.
    pub pseudo_labels: Option<usize>,
    /// The agreement of these pseudo-labels with the ones before: NMI in percent.
    pub agreement: Option<f64>,
    /// Where K was suggested and not given, of the input: the scores of 2 clusters and more.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub suggestion: Option<Vec<f64>>,
    /// The decision after the last epoch.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub verdict: Option<Verdict>,
}

/// The factor by which clusters must be more modular than the input's to be clearly better. (Measured on eight
/// data sets and three seeds of each: the clusters beyond it, which few sets have, all gained ACC. Below 1.03
/// Reuters lost up to 20 points, and a difference of a few thousandths was one of 20 points in either
/// direction: it lies within what seeds change.)
pub const CLEARLY: f64 = 1.04;

/// The least modularity, as a share of the input's, of clusters that have a say, and of a consensus that
/// is the result. (On eight sets and three seeds: with a share of 0.99 digits lose 2 points of ACC in the
/// mean, and 6 in one run. With 0.997 Reuters loses 10, since its best clusters have no say.)
pub const SOUND: f64 = 0.995;

/// The decision after the last epoch, without the truth.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Verdict {
    /// Whose clusters are the result.
    pub result: Source,
    /// The effect of training.
    #[serde(default)]
    pub training: Effect,
    /// The clusters that could have been the result.
    pub candidates: Vec<Candidate>,
    /// The clusters of the input by other methods, where the truth is known. They have no say.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub beside: Vec<Beside>,
}

/// K clusters of the input by a method that people know, to compare with.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Beside {
    /// The method.
    pub method: Method,
    /// The scores against the truth.
    #[serde(flatten)]
    pub scores: Percentages,
}

/// A method of clustering beside FINCH.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
#[non_exhaustive]
pub enum Method {
    /// k-means.
    KMeans,
    /// Ward linkage, from the first partition of FINCH.
    Ward,
}

/// For people.
impl Display for Method {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Self::KMeans => "input, by k-means",
            Self::Ward => "input, by Ward linkage",
        })
    }
}

/// The effect of training, as far as that can be told without labels.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Effect {
    /// The result is other clusters than the input's, and they are clearly better ([`CLEARLY`]).
    Helped,
    /// The result is other clusters than the input's, and no more than as good for all that can be told.
    #[default]
    Unclear,
    /// The result came from what was learnt, and is the input's clusters all the same.
    ChangedNothing,
    /// The clusters that were learnt are worse, and the result is the input's.
    DidNotHelp,
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
    /// The consensus of the others.
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
    /// The agreement of the clusters with the result: NMI in percent.
    pub agreement: f64,
    /// The scores against the truth, where it is known. They have no say.
    #[serde(flatten)]
    pub scores: Option<Percentages>,
}

impl Verdict {
    /// The verdict for this result.
    pub fn new(result: Source, candidates: Vec<Candidate>) -> Self {
        let training = Effect::Unclear;
        let verdict = Self { result, training, candidates, beside: Vec::new() };
        let of = |source| verdict.candidates.iter().find(|one| one.source == source);
        let training = match (of(Source::Input), of(result)) {
            _ if result == Source::Input => Effect::DidNotHelp,
            (Some(input), _) if input.agreement >= 100.0 => Effect::ChangedNothing,
            (Some(input), Some(found))
                if found.modularity > input.modularity
                    && found.modularity >= CLEARLY * input.modularity =>
            {
                Effect::Helped
            }
            _ => Effect::Unclear,
        };
        Self { training, ..verdict }
    }

    /// True if the result is other clusters than the input's, and clearly better ones.
    pub fn helped(&self) -> bool {
        self.training == Effect::Helped
    }

    /// The reason why a candidate is the result, or is not.
    pub fn why(&self, candidate: &Candidate) -> &'static str {
        let (input, found) = (self.modularity(Source::Input), candidate.modularity);
        let is_sound = found >= SOUND * input;
        match (candidate.source == self.result, candidate.source) {
            (true, Source::Consensus) => "the result: what the others agree on",
            (true, Source::Input) => "the result: nothing learnt is as modular",
            (true, _) if found >= CLEARLY * input => {
                "the result: clearly more modular than the input"
            }
            (true, _) => "the result: as modular as the input, or more",
            (false, _) if !is_sound => "less modular than the input, and without a say",
            (false, _) if self.result == Source::Consensus => "has a say in the consensus",
            (false, Source::Consensus) => "another is clearly more modular",
            (false, _) => "no more modular than the result",
        }
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
        let (result, found) = (self.result, self.modularity(self.result));
        let among = "among the input's nearest neighbours";
        match self.training {
            Effect::DidNotHelp => write!(
                f,
                "training did not help here, and the result is the input's clusters: {among} they \
                 have a modularity of {input:.3}, and what was learnt {best:.3} at best"
            ),
            Effect::ChangedNothing => write!(
                f,
                "training changed nothing: the clusters of the {result} are those of the input, with a \
                 modularity of {input:.3} {among}"
            ),
            Effect::Helped => write!(
                f,
                "training helped, and the result is the clusters of the {result}: {among} they have a \
                 modularity of {found:.3}, and those of the input {input:.3}"
            ),
            Effect::Unclear => write!(
                f,
                "the result is the clusters of the {result}, and whether training helped cannot be \
                 told: {among} they have a modularity of {found:.3}, and those of the input \
                 {input:.3}, and only {:.0} % more would tell",
                100.0 * (CLEARLY - 1.0)
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

#[cfg(test)]
mod tests {
    use super::*;

    /// A verdict on the graph's clusters, beside those of the input.
    fn verdict(input: f64, found: f64, agreement: f64) -> Verdict {
        let candidate = |source, modularity, agreement| Candidate {
            source,
            modularity,
            agreement,
            scores: None,
        };
        let candidates = vec![
            candidate(Source::Input, input, agreement),
            candidate(Source::Graph, found, 100.0),
        ];
        Verdict::new(Source::Graph, candidates)
    }

    #[test]
    fn training_helped_only_where_other_clusters_are_clearly_better() {
        for (input, found, agreement, expected, sentence) in [
            (0.8, 0.9, 90.0, Effect::Helped, "training helped, and"),
            (0.842, 0.845, 90.0, Effect::Unclear, "whether training helped cannot be told"),
            (0.8, 0.831, 90.0, Effect::Unclear, "only 4 % more would tell"),
            (0.8, 0.79, 90.0, Effect::Unclear, "cannot be told"),
            (-0.1, -0.103, 90.0, Effect::Unclear, "cannot be told"),
            (0.0, 0.0, 90.0, Effect::Unclear, "cannot be told"),
            (0.8, 0.8, 100.0, Effect::ChangedNothing, "training changed nothing"),
        ] {
            let found = verdict(input, found, agreement);
            let text = found.to_string();
            assert_eq!(found.training, expected, "{text}");
            assert!(text.contains(sentence), "{text}");
            assert_eq!(text.contains("training helped, and"), found.helped());
            let json = serde_json::to_string(&found).unwrap();
            assert_eq!(serde_json::from_str::<Verdict>(&json).unwrap(), found);
        }
        let kept = Verdict::new(Source::Input, verdict(0.8, 0.7, 100.0).candidates);
        assert_eq!(kept.training, Effect::DidNotHelp);
        assert!(serde_json::to_string(&kept).unwrap().contains("\"training\":\"did_not_help\""));
    }
}
