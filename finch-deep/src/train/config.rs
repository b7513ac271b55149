//! The configuration of training: every choice, its default, and what is allowed.

use std::fmt::{self, Display};
use std::str::FromStr;

use clap::ValueEnum;
use finch_core::Metric;
use serde::{Deserialize, Serialize};

use super::error::TrainError;

/// Every choice of a training run.
///
/// In TOML, a key that is missing has its default, and a key that is no field here is an error.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields, default)]
#[non_exhaustive]
pub struct Config {
    /// The set of values for fields that are not given.
    pub preset: Preset,
    /// K, the number of clusters of the result. None: as many as
    /// [`Hierarchy::suggest`](finch_core::Hierarchy::suggest) recommends for the input.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub clusters: Option<usize>,
    /// The objectives of networks: one network for each, one after the other. The result comes from their clusters
    /// and the input's ([`Cut::Auto`]).
    pub objectives: Vec<Objective>,
    /// The number of nearest neighbours that a sample is linked to, for [`Objective::Graph`].
    pub neighbors: usize,
    /// The number of samples that each sample of a link is told apart from, for [`Objective::Graph`].
    pub negatives: usize,
    /// The number of networks of [`Objective::Graph`], 1 or 2: the second differs by its random numbers alone. With
    /// two, clusters are judged in the embedding of a network that they do not come from ([`Cut::Auto`]).
    pub graph_networks: usize,
    /// The width of the embedding, for [`Objective::Graph`].
    pub dimensions: usize,
    /// Clusters of the newest clustering that serve as pseudo-labels, for [`Objective::Labels`].
    #[serde(with = "by_name")]
    pub pseudo_labels: PseudoLabels,
    /// The number of times that each network sees as many samples as there are.
    pub epochs: usize,
    /// Steps of gradient descent, at least, for [`Objective::Graph`]: where samples are few, an epoch
    /// has more steps than the samples fill. None: 1,500, but at most 4·N, since of 300 samples or fewer more
    /// steps change nothing.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub least_steps: Option<usize>,
    /// Epochs from one clustering to the next, for [`Objective::Labels`].
    pub relabel_every: usize,
    /// Rounds of [`relabel_every`](Self::relabel_every) epochs for which the network that is kept goes
    /// on, once the result is decided. After each round the result is decided anew.
    pub rounds: usize,
    /// Samples, or links, in a step of gradient descent; all, where there are fewer.
    pub batch: usize,
    /// The optimizer: the step that follows from the gradient.
    pub optimizer: Optimizer,
    /// The learning rate at the beginning.
    pub learning_rate: f64,
    /// Divisor of the learning rate at each clustering of the embedding.
    pub learning_rate_divisor: f64,
    /// The fall of the learning rate between two clusterings.
    pub schedule: Schedule,
    /// Momentum of [`Optimizer::Sgd`], from 0 to less than 1.
    pub momentum: f64,
    /// Weight decay: share of the weights that is added to their gradient.
    pub weight_decay: f64,
    /// Widths of the hidden layers, first to last; for [`Objective::Labels`] the last width is that of
    /// the embedding.
    pub hidden: Vec<usize>,
    /// Share of the features that training leaves out, at random, for [`Objective::Labels`]. None:
    /// 2·d/N, but at least 0.2 and at most 0.5, since the fewer samples there are for each feature, the
    /// more is learnt by heart.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub input_dropout: Option<f64>,
    /// Share of each hidden layer that training leaves out, at random, for [`Objective::Labels`].
    pub hidden_dropout: f64,
    /// Share of the target that is spread evenly over all pseudo-labels.
    pub label_smoothing: f64,
    /// Weight of virtual adversarial training in the loss, or 0 for none.
    pub adversarial_weight: f64,
    /// Radius of virtual adversarial training, as a share of the distance from a sample to its 10th
    /// neighbour.
    pub adversarial_radius: f64,
    /// True if hidden layers, too, begin anew at each clustering. The output layer always does.
    pub fresh_weights: bool,
    /// Distance between samples of the input.
    #[serde(with = "by_name")]
    pub input_metric: Metric,
    /// Distance between samples of the embedding, for [`Objective::Labels`]. The lessons learnt from the
    /// graph are places, with Euclidean distances.
    #[serde(with = "by_name")]
    pub embedding_metric: Metric,
    /// True if the embedding is that of the last hidden layer after its activation, false if before, for
    /// [`Objective::Labels`].
    pub rectified: bool,
    /// The cut of embeddings into K clusters.
    pub cut: Cut,
    /// The seed of all random numbers.
    pub seed: u64,
}

/// A set of values for [`Config`].
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Preset {
    /// What measured best on data of many kinds: a network that learns pseudo-labels, another that
    /// learns the graph of nearest neighbours, one more of the graph to judge by, and the best of both and the
    /// input, or their consensus.
    #[default]
    Best,
    /// The letter of the paper, section 3.3, and plain choices where it says nothing.
    Paper,
}

/// The objective of a network.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Objective {
    /// To tell the pseudo-labels of the newest clustering apart (section 3.3 of the paper): cross
    /// entropy. The embedding is the last hidden layer.
    Labels,
    /// To keep nearest neighbours of the input near, and others apart: the cross entropy of UMAP
    /// (McInnes et al., 2018). The embedding is the output layer.
    Graph,
}

/// The clusters that serve as pseudo-labels. Written `partition 1`, `30` or `3K`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum PseudoLabels {
    /// A partition of the hierarchy, by its number from 0, the finest; the coarsest if there are
    /// fewer.
    Partition(usize),
    /// This many clusters, by neighbour linkage.
    Clusters(usize),
    /// This many times K clusters, by neighbour linkage.
    TimesClusters(usize),
}

impl Display for PseudoLabels {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Partition(number) => write!(f, "partition {number}"),
            Self::Clusters(count) => write!(f, "{count}"),
            Self::TimesClusters(1) => f.write_str("K"),
            Self::TimesClusters(times) => write!(f, "{times}K"),
        }
    }
}

impl FromStr for PseudoLabels {
    type Err = &'static str;

    fn from_str(text: &str) -> Result<Self, Self::Err> {
        let parsed = match (text.strip_prefix("partition "), text.strip_suffix('K')) {
            (Some(number), _) => number.parse().map(Self::Partition),
            (_, Some("")) => Ok(Self::TimesClusters(1)),
            (_, Some(times)) => times.parse().map(Self::TimesClusters),
            _ => text.parse().map(Self::Clusters),
        };
        parsed.map_err(|_| {
            "give a number of clusters, such as 30, a multiple of K, such as 3K, or a partition, \
             such as partition 1"
        })
    }
}

/// The optimizer: the step that follows from the gradient.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Optimizer {
    /// Stochastic gradient descent with momentum.
    Sgd,
    /// Adam (Kingma and Ba, 2015).
    Adam,
}

/// The fall of the learning rate between two clusterings.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Schedule {
    /// The learning rate does not fall.
    Constant,
    /// The learning rate falls along half a period of the cosine, to 0, step by step.
    Cosine,
}

/// The cut of embeddings into K clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, ValueEnum)]
#[serde(rename_all = "kebab-case")]
#[non_exhaustive]
pub enum Cut {
    /// By neighbour linkage; the clusters of the last embedding are the result.
    Neighbor,
    /// By neighbour linkage, or by centroid linkage from one of the partitions where those clusters
    /// are more modular in the graph of the input's nearest neighbours. The result is an embedding's clusters where
    /// these are clearly more modular than the input's, or more separate in the embedding of another network; else the
    /// consensus of the clusters of the input and of two embeddings; of those of the input and of one embedding, the
    /// more modular ones.
    Auto,
}

/// More epochs than any run has: names of checkpoints have six digits for them.
const MOST_EPOCHS: usize = 1_000_000;

impl Default for Config {
    fn default() -> Self {
        Self::preset(Preset::default())
    }
}

impl Config {
    /// The values of a preset.
    pub fn preset(preset: Preset) -> Self {
        let best = Self {
            preset: Preset::Best,
            clusters: None,
            objectives: vec![Objective::Labels, Objective::Graph],
            neighbors: 15,
            negatives: 5,
            graph_networks: 2,
            dimensions: 10,
            pseudo_labels: PseudoLabels::TimesClusters(1),
            epochs: 16,
            least_steps: None,
            relabel_every: 8,
            rounds: 0,
            batch: 256,
            optimizer: Optimizer::Adam,
            learning_rate: 0.001,
            learning_rate_divisor: 1.0,
            schedule: Schedule::Cosine,
            momentum: 0.9,
            weight_decay: 0.0,
            hidden: vec![512, 512],
            input_dropout: None,
            hidden_dropout: 0.3,
            label_smoothing: 0.0,
            adversarial_weight: 1.0,
            adversarial_radius: 0.25,
            fresh_weights: false,
            input_metric: Metric::Cosine,
            embedding_metric: Metric::Cosine,
            rectified: true,
            cut: Cut::Auto,
            seed: 0,
        };
        match preset {
            Preset::Best => best,
            Preset::Paper => Self {
                preset: Preset::Paper,
                objectives: vec![Objective::Labels],
                pseudo_labels: PseudoLabels::Partition(1),
                epochs: 60,
                relabel_every: 20,
                optimizer: Optimizer::Sgd,
                learning_rate: 0.01,
                learning_rate_divisor: 10.0,
                schedule: Schedule::Constant,
                input_dropout: Some(0.0),
                hidden_dropout: 0.0,
                adversarial_weight: 0.0,
                cut: Cut::Neighbor,
                ..best
            },
        }
    }

    /// Epochs of all networks together.
    pub fn all_epochs(&self) -> usize {
        self.first_epochs() + self.rounds * self.relabel_every
    }

    /// Epochs before the result is decided for the first time.
    pub(super) fn first_epochs(&self) -> usize {
        self.epochs * (self.objectives.len() + usize::from(self.has_second_graph()))
    }

    /// True if a second network learns the graph, after all others: to judge by, so only where there is a
    /// decision.
    fn has_second_graph(&self) -> bool {
        let learns_graph = self.objectives.contains(&Objective::Graph);
        learns_graph && self.cut == Cut::Auto && self.graph_networks > 1
    }

    /// The objective of the network that begins after this many epochs, and true if it is the second of the graph.
    pub(super) fn network(&self, epochs: usize) -> (Objective, bool) {
        match self.objectives.get(epochs / self.epochs) {
            Some(&objective) => (objective, false),
            None => (Objective::Graph, true),
        }
    }

    /// The distance between samples of an embedding that was learnt by this.
    pub(super) fn metric(&self, learnt: Objective) -> Metric {
        match learnt {
            Objective::Labels => self.embedding_metric,
            Objective::Graph => Metric::Euclidean,
        }
    }

    /// Decides what depends on the samples: N of d features each.
    pub(super) fn resolve(&mut self, samples: usize, features: usize) {
        let crowded = 2.0 * features as f64 / samples as f64;
        self.input_dropout.get_or_insert(crowded.clamp(0.2, 0.5));
        self.least_steps.get_or_insert(1_500.min(4 * samples));
    }

    /// Checks what can be checked without samples.
    ///
    /// # Errors
    /// [`TrainError::Setting`] names the first value that is not allowed.
    pub fn check(&self) -> Result<(), TrainError> {
        let share = |value: f64| (0.0..1.0).contains(&value);
        let finite = |value: f64, least: f64| value.is_finite() && value >= least;
        let counts = |layers: &[usize]| !layers.is_empty() && layers.iter().all(|&width| width > 0);
        let positive = "a number above 0";
        let part = "a number from 0 to less than 1";
        let whole = "a whole number above 0";
        let pseudo_labels = match self.pseudo_labels {
            PseudoLabels::Clusters(count) => count > 1,
            PseudoLabels::TimesClusters(times) => times > 0,
            PseudoLabels::Partition(_) => true,
        };
        let further = self.rounds.saturating_mul(self.relabel_every);
        let mut seen = self.objectives.iter().enumerate();
        let distinct = !self.objectives.is_empty()
            && seen.all(|(place, one)| !self.objectives[..place].contains(one));
        let rules = [
            ("objectives", distinct, "one or more, each once"),
            ("clusters", self.clusters.is_none_or(|clusters| clusters > 1), "at least 2"),
            ("pseudo-labels", pseudo_labels, "at least 2 of them"),
            ("epochs", (1..MOST_EPOCHS).contains(&self.epochs), "a whole number from 1 to 999999"),
            (
                "least-steps",
                self.least_steps.is_none_or(|least| least < 1_000_000_000),
                "below 1000000000",
            ),
            ("relabel-every", self.relabel_every > 0, whole),
            ("rounds", further < MOST_EPOCHS, "fewer: all epochs together are more than 999999"),
            ("neighbors", self.neighbors > 0, whole),
            ("negatives", self.negatives > 0, whole),
            ("graph-networks", matches!(self.graph_networks, 1 | 2), "1 or 2"),
            ("dimensions", self.dimensions > 0, whole),
            ("batch", self.batch > 0, whole),
            ("learning-rate", finite(self.learning_rate, f64::MIN_POSITIVE), positive),
            ("learning-rate-divisor", finite(self.learning_rate_divisor, 1.0), "at least 1"),
            ("momentum", share(self.momentum), part),
            ("weight-decay", finite(self.weight_decay, 0.0), "0 or more"),
            ("hidden", counts(&self.hidden), "one or more widths above 0"),
            ("input-dropout", self.input_dropout.is_none_or(share), part),
            ("hidden-dropout", share(self.hidden_dropout), part),
            ("adversarial-weight", finite(self.adversarial_weight, 0.0), "0 or more"),
            ("adversarial-radius", finite(self.adversarial_radius, 0.0), "0 or more"),
            ("label-smoothing", share(self.label_smoothing), part),
        ];
        match rules.into_iter().find(|(_, sound, _)| !sound) {
            Some((name, _, allowed)) => Err(TrainError::Setting { name, allowed }),
            None => Ok(()),
        }
    }
}

/// Values that are written by name, as options spell them.
mod by_name {
    use serde::de::Error as _;
    use serde::{Deserializer, Serializer};

    use super::*;

    pub(super) fn serialize<T: Display, S: Serializer>(
        value: &T,
        serializer: S,
    ) -> Result<S::Ok, S::Error> {
        serializer.collect_str(value)
    }

    pub(super) fn deserialize<'de, T, D>(deserializer: D) -> Result<T, D::Error>
    where
        T: FromStr<Err: Display>,
        D: Deserializer<'de>,
    {
        String::deserialize(deserializer)?.parse().map_err(D::Error::custom)
    }
}
