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

/// The least separation of clusters that are clearly more separate than the input's.
///
/// (Clusters of a network of the graph in the embedding of a second one, on nine sets and two seeds each: 0.08 to
/// 0.26 on faces, web pages, news and embeddings of texts, which gain 1 to 9 points of ACC; −0.08 to 0.02 on the
/// other five.)
pub const SEPARATE: f64 = 0.05;

/// The separation below which clusters have no say. (Spoken letters: clusters from labels that lose 8 points of ACC
/// have −0.12, and as much modularity as the input.)
pub const TORN: f64 = -0.1;

/// The least modularity, as a share of the input's, of clearly more separate clusters. (Web pages and news gain
/// with 0.990; printed letters have 0.979, and lose 4 points of ACC.)
pub const NEARLY: f64 = 0.985;

/// The least stability, in percent, of clusters of the graph that have a say. (77 to 100 on 18 sets. Where two
/// networks find other clusters, neither tells what is there.)
pub const STABLE: f64 = 50.0;

/// The number of samples below which the result is the input's clusters unless others are as modular and clearly more
/// separate: so few samples seldom tell a network more than the input does.
pub const FEW: usize = 300;

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
    /// The embedding of the second network that learns the graph. Clusters of others are judged in it; its own are
    /// compared with those of the first.
    SecondGraph,
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
            Self::SecondGraph => "embedding, from the graph, second network",
            Self::Consensus => "consensus",
        })
    }
}

/// The say of clusters in the result, and the reason for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Voice {
    /// The input's, which others are compared with.
    Input,
    /// The second network of the graph, which others are judged by.
    Judge,
    /// Clearly more modular than the input ([`CLEARLY`]).
    Modular,
    /// Clearly more separate than the input in the embedding of another network ([`SEPARATE`]).
    Separate,
    /// As modular as the input, or nearly ([`SOUND`]).
    #[default]
    Sound,
    /// None: less modular than the input.
    LessModular,
    /// None: much less separate than the input in the embedding of another network ([`TORN`]).
    Torn,
    /// None: two networks that differ by random numbers alone find other clusters ([`STABLE`]).
    Unstable,
    /// None: the samples are few, and the clusters not both as modular as the input and clearly more separate
    /// ([`FEW`]).
    Few,
}

impl Voice {
    /// The say of clusters that were learnt from so many samples: of this modularity, beside the input's
    /// clusters of that; of this separation and stability, where they are known.
    pub fn of(
        samples: usize,
        [modularity, of_input]: [f64; 2],
        separation: Option<f64>,
        stability: Option<f64>,
    ) -> Self {
        let separate = separation.is_some_and(|gain| gain >= SEPARATE);
        let torn = separation.is_some_and(|gain| gain < TORN);
        let all = modularity >= SOUND * of_input && separation.is_none_or(|gain| gain >= SEPARATE);
        if stability.is_some_and(|agreement| agreement < STABLE) {
            Self::Unstable
        } else if samples < FEW && !all {
            Self::Few
        } else if modularity > of_input && modularity >= CLEARLY * of_input {
            Self::Modular
        } else if separate && modularity >= NEARLY * of_input {
            Self::Separate
        } else if modularity < SOUND * of_input {
            Self::LessModular
        } else if torn {
            Self::Torn
        } else {
            Self::Sound
        }
    }

    /// True if the clusters have a say.
    pub fn counts(self) -> bool {
        matches!(self, Self::Input | Self::Modular | Self::Separate | Self::Sound)
    }
}

/// K clusters that could have been the result.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
pub struct Candidate {
    /// Where they come from.
    pub source: Source,
    /// Their modularity (Newman, 2004) in the graph of the input's nearest neighbours: from −0.5 to 1.
    pub modularity: f64,
    /// Their silhouette less that of the input's clusters, in the embeddings of networks of the graph that they do
    /// not come from: the mean over these networks. None where there is none, and for the input.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub separation: Option<f64>,
    /// The agreement of the clusters of both networks of the graph: NMI in percent. None for others.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub stability: Option<f64>,
    /// The say that the clusters have in the result, and the reason.
    #[serde(default)]
    pub voice: Voice,
    /// The agreement of the clusters with the result: NMI in percent.
    pub agreement: f64,
    /// The scores against the truth, where it is known. They have no say.
    #[serde(flatten)]
    pub scores: Option<Percentages>,
}

impl Verdict {
    /// The verdict for this result.
    pub fn new(result: Source, candidates: Vec<Candidate>) -> Self {
        let of = |source| candidates.iter().find(|one: &&Candidate| one.source == source);
        let training = match (of(Source::Input), of(result)) {
            _ if result == Source::Input => Effect::DidNotHelp,
            (Some(input), _) if input.agreement >= 100.0 => Effect::ChangedNothing,
            (_, Some(Candidate { voice: Voice::Modular | Voice::Separate, .. })) => Effect::Helped,
            _ => Effect::Unclear,
        };
        Self { result, training, candidates, beside: Vec::new() }
    }

    /// True if the result is other clusters than the input's, and clearly better ones.
    pub fn helped(&self) -> bool {
        self.training == Effect::Helped
    }

    /// The reason why a candidate is the result, or is not.
    pub fn why(&self, candidate: &Candidate) -> &'static str {
        match (candidate.source == self.result, candidate.voice) {
            (true, _) if candidate.source == Source::Consensus => {
                "the result: what the others agree on"
            }
            (true, Voice::Input) => "the result: nothing learnt is better, as far as that shows",
            (true, Voice::Modular) => "the result: clearly more modular than the input",
            (true, Voice::Separate) => {
                "the result: clearly more separate than the input, as another network sees them"
            }
            (true, _) => "the result: as modular as the input, or more",
            (false, Voice::Judge) => "judges the others",
            (false, Voice::LessModular) => "less modular than the input, and without a say",
            (false, Voice::Torn) => {
                "much less separate than the input, as another network sees them, and without a say"
            }
            (false, Voice::Unstable) => "two networks find other clusters, and without a say",
            (false, Voice::Few) => "few samples, and not all voices are for it: without a say",
            (false, Voice::Modular | Voice::Separate) => "another is more modular, or separate",
            (false, _) if candidate.source == Source::Consensus => "another is clearly better",
            (false, _) if self.result == Source::Consensus => "has a say in the consensus",
            (false, _) => "no better than the result",
        }
    }

    fn of(&self, source: Source) -> Option<&Candidate> {
        self.candidates.iter().find(|candidate| candidate.source == source)
    }

    fn modularity(&self, source: Source) -> f64 {
        self.of(source).map_or(f64::NAN, |candidate| candidate.modularity)
    }
}

/// A sentence for people.
impl Display for Verdict {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let input = self.modularity(Source::Input);
        let (result, found) = (self.result, self.modularity(self.result));
        let among = "among the input's nearest neighbours";
        match (self.training, self.of(result)) {
            (Effect::DidNotHelp, _) => {
                f.write_str(
                    "training did not help here, and the result is the input's clusters: ",
                )?;
                let learnt =
                    [Source::Labels, Source::Graph].into_iter().filter_map(|one| self.of(one));
                for (number, candidate) in learnt.enumerate() {
                    let and = if number > 0 { "; " } else { "" };
                    write!(f, "{and}{} ({})", candidate.source, self.why(candidate))?;
                }
                Ok(())
            }
            (Effect::ChangedNothing, _) => write!(
                f,
                "training changed nothing: the clusters of the {result} are those of the input, with a \
                 modularity of {input:.3} {among}"
            ),
            (
                Effect::Helped,
                Some(Candidate { voice: Voice::Separate, separation: Some(more), .. }),
            ) => {
                write!(
                    f,
                    "training helped, and the result is the clusters of the {result}: another network \
                     sees them more separate than those of the input, by {more:.3} of silhouette; {among} \
                     they have a modularity of {found:.3}, and those of the input {input:.3}"
                )
            }
            (Effect::Helped, _) => write!(
                f,
                "training helped, and the result is the clusters of the {result}: {among} they have a \
                 modularity of {found:.3}, and those of the input {input:.3}"
            ),
            (Effect::Unclear, _) => write!(
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
        let candidate = |source, modularity, agreement, voice| Candidate {
            source,
            modularity,
            separation: None,
            stability: None,
            voice,
            agreement,
            scores: None,
        };
        let voice = Voice::of(1000, [found, input], None, None);
        let candidates = vec![
            candidate(Source::Input, input, agreement, Voice::Input),
            candidate(Source::Graph, found, 100.0, voice),
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

    /// Measured, but for the last ones: each of one seed.
    #[test]
    fn clusters_are_heard_by_modularity_and_by_how_another_network_sees_them() {
        let of = |samples, modularity, separation, stability| {
            Voice::of(samples, [modularity, 1.0], Some(separation), stability)
        };
        // Web pages, and the embeddings of texts.
        assert_eq!(of(2340, 0.993, 0.123, Some(90.0)), Voice::Separate);
        assert_eq!(of(3000, 1.000, 0.109, Some(77.0)), Voice::Separate);
        // Segments of images: modularity tells.
        assert_eq!(of(2310, 1.064, -0.174, None), Voice::Modular);
        // Spoken letters, from labels and from the graph.
        assert_eq!(of(1560, 0.996, -0.123, None), Voice::Torn);
        assert_eq!(of(1560, 1.018, -0.015, Some(98.0)), Voice::Sound);
        // Digits.
        assert_eq!(of(3000, 0.990, 0.019, Some(91.0)), Voice::LessModular);
        // Printed letters: more separate, and too far from the graph.
        assert_eq!(of(5000, 0.979, 0.084, Some(88.0)), Voice::LessModular);
        // Two networks that find other clusters: neither is heard, whatever else is told of them.
        assert_eq!(of(2000, 1.1, 0.2, Some(35.0)), Voice::Unstable);
        // Few samples.
        assert_eq!(of(130, 1.01, 0.04, Some(90.0)), Voice::Few);
        assert_eq!(of(130, 0.99, 0.2, Some(90.0)), Voice::Few);
        assert_eq!(of(130, 1.01, 0.2, Some(90.0)), Voice::Separate);
        // Without a second network modularity alone is asked.
        assert_eq!(Voice::of(2000, [0.999, 1.0], None, None), Voice::Sound);
    }

    #[test]
    fn a_verdict_says_that_another_network_sees_clusters_more_separate() {
        let mut found = verdict(0.7, 0.69, 60.0);
        for (voice, expected, words) in [
            (Voice::Separate, Effect::Helped, "more separate than those of the input, by 0.082"),
            (Voice::Sound, Effect::Unclear, "cannot be told"),
        ] {
            (found.candidates[1].voice, found.candidates[1].separation) = (voice, Some(0.0821));
            let told = Verdict::new(Source::Graph, found.candidates.clone());
            assert_eq!(told.training, expected);
            assert!(told.to_string().contains(words), "{told}");
        }
        let json = serde_json::to_value(&found).unwrap();
        assert_eq!(json["candidates"][1]["voice"], "sound");
        assert_eq!(json["candidates"][1]["separation"], 0.0821);
        found.candidates[1].voice = Voice::Torn;
        let kept = Verdict::new(Source::Input, found.candidates).to_string();
        assert!(kept.contains("from the graph (much less separate than the input"), "{kept}");
    }
}
