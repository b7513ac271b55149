//! The choices of training, from a preset, a file and the command line.

use std::error::Error;
use std::fs;
use std::path::{Path, PathBuf};

use clap::builder::PossibleValuesParser;
use finch_core::Metric;
use finch_deep::data::Escaped;
use finch_deep::train::{Config, Cut, Objective, Optimizer, Preset, PseudoLabels, Schedule};
use serde::Serialize;
use toml::Table;

use super::values::whole;

/// The options of the command line. Each has the name of a field of [`Config`], but for `config`,
/// and for `partition`, which is a way to give `pseudo_labels`.
#[derive(clap::Args, Serialize)]
#[command(next_help_heading = "Training")]
pub(crate) struct TrainingArgs {
    /// TOML file of these options, such as config.toml of a run; the command line overrides it
    #[arg(long, value_name = "FILE")]
    #[serde(skip)]
    config: Option<PathBuf>,

    /// Values of the options that you leave out [default: best]
    #[arg(long)]
    preset: Option<Preset>,

    /// Clusters of the result [default: as many as finch cluster --suggest recommends]
    #[arg(short = 'k', long, value_name = "K", value_parser = whole::<usize>)]
    clusters: Option<usize>,

    /// Objectives of the networks, one after the other
    ///
    /// labels: tell pseudo-labels apart. graph: keep nearest neighbours near. The result is the clusters of
    /// one of them, or what the clusters of all and of the input agree on.
    #[arg(long, value_name = "OBJECTIVE,…", value_delimiter = ',')]
    objectives: Option<Vec<Objective>>,

    /// Graph: nearest neighbours that each sample is linked to
    #[arg(long, value_name = "K", value_parser = whole::<usize>)]
    neighbors: Option<usize>,

    /// Graph: samples that each linked sample is told apart from
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    negatives: Option<usize>,

    /// Graph: networks, 1 or 2; with two, clusters are judged in the embedding of a network that they do
    /// not come from
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    graph_networks: Option<usize>,

    /// Graph: width of the embedding
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    dimensions: Option<usize>,

    /// Pseudo-labels to tell apart: a number of clusters, or a multiple of K, such as 3K
    #[arg(long, value_name = "N", value_parser = pseudo_labels, conflicts_with = "partition")]
    pseudo_labels: Option<String>,

    /// Pseudo-labels to tell apart: a partition, by its number from 0, the finest
    #[arg(long, value_name = "PARTITION", value_parser = whole::<usize>)]
    #[serde(skip)]
    partition: Option<usize>,

    /// Epochs: passes of each network over as many samples as there are
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    epochs: Option<usize>,

    /// Graph: least number of steps of gradient descent, for small data [default: 1500, at most 4·N]
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    least_steps: Option<usize>,

    /// Epochs from one clustering to the next
    #[arg(long, value_name = "EPOCHS", value_parser = whole::<usize>)]
    relabel_every: Option<usize>,

    /// Rounds of training beyond the result; with --resume, beyond the end of the run
    ///
    /// The network that is kept goes on. After each round the result is decided anew.
    #[arg(long, value_name = "N", value_parser = whole::<usize>)]
    pub(crate) rounds: Option<usize>,

    /// Samples, or links, in a step of gradient descent
    #[arg(long, value_name = "SAMPLES", value_parser = whole::<usize>)]
    batch: Option<usize>,

    /// Optimizer of the network
    #[arg(long)]
    optimizer: Option<Optimizer>,

    /// Learning rate at the beginning
    #[arg(long, value_name = "RATE", allow_negative_numbers = true)]
    learning_rate: Option<f64>,

    /// Divisor of the learning rate at each clustering of the embedding
    #[arg(long, value_name = "DIVISOR", allow_negative_numbers = true)]
    learning_rate_divisor: Option<f64>,

    /// Fall of the learning rate between two clusterings
    #[arg(long)]
    schedule: Option<Schedule>,

    /// Momentum of sgd, from 0 to less than 1
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    momentum: Option<f64>,

    /// Weight decay: share of the weights that is added to their gradient
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    weight_decay: Option<f64>,

    /// Widths of the hidden layers; the last one is the embedding
    #[arg(long, value_name = "WIDTH,…", value_delimiter = ',', value_parser = whole::<usize>)]
    hidden: Option<Vec<usize>>,

    /// Share of the features that training leaves out at random [default: 2·d/N, at least 0.2 and at
    /// most 0.5]
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    input_dropout: Option<f64>,

    /// Share of each hidden layer that training leaves out at random
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    hidden_dropout: Option<f64>,

    /// Label smoothing: share of the target that is spread over all pseudo-labels
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    label_smoothing: Option<f64>,

    /// Weight of virtual adversarial training: the answers should not change near a sample
    #[arg(long, value_name = "WEIGHT", allow_negative_numbers = true)]
    adversarial_weight: Option<f64>,

    /// Radius of virtual adversarial training, as a share of the distance to the 10th neighbour
    #[arg(long, value_name = "SHARE", allow_negative_numbers = true)]
    adversarial_radius: Option<f64>,

    /// Begin hidden layers anew at each clustering: true or false
    #[arg(long, value_name = "BOOL")]
    fresh_weights: Option<bool>,

    /// Distance between samples of the input
    #[arg(long, value_name = "METRIC", value_parser = names(Metric::ALL, Metric::name))]
    input_metric: Option<String>,

    /// Distance between samples of the embedding
    #[arg(long, value_name = "METRIC", value_parser = names(Metric::ALL, Metric::name))]
    embedding_metric: Option<String>,

    /// Take the last hidden layer after its activation (true) or before (false) as the embedding
    #[arg(long, value_name = "BOOL")]
    rectified: Option<bool>,

    /// Cut of embeddings into K clusters
    #[arg(long)]
    cut: Option<Cut>,

    /// Seed of all random numbers
    #[arg(long, value_name = "N", value_parser = whole::<u64>, allow_negative_numbers = true)]
    seed: Option<u64>,
}

fn names<T: Copy>(values: &[T], name: fn(T) -> &'static str) -> PossibleValuesParser {
    PossibleValuesParser::new(values.iter().map(|&value| name(value)))
}

fn pseudo_labels(text: &str) -> Result<String, &'static str> {
    text.parse::<PseudoLabels>().map(|labels| labels.to_string())
}

/// A configuration that cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", Escaped(path.display()))]
struct Unusable {
    path: PathBuf,
    reason: String,
}

impl TrainingArgs {
    /// True if any option was given but for `rounds`, which a run can have more of.
    pub(crate) fn any_but_rounds(&self) -> bool {
        let given = |table: Table| table.keys().any(|name| name != "rounds");
        self.config.is_some() || self.table().is_ok_and(given)
    }

    fn table(&self) -> Result<Table, toml::ser::Error> {
        let mut table = Table::try_from(self)?;
        if let Some(number) = self.partition {
            let partition = PseudoLabels::Partition(number).to_string();
            table.insert("pseudo_labels".into(), partition.into());
        }
        Ok(table)
    }

    /// The configuration: each value is the command line's, else the file's, else the preset's.
    ///
    /// # Errors
    /// The fault of the file, or of a value.
    pub(crate) fn config(&self) -> Result<Config, Box<dyn Error>> {
        let file = self.config.as_deref().map(read).transpose()?.unwrap_or_default();
        let (chosen, preset) = (self.table()?, file.get("preset").cloned());
        let preset = match (self.preset, preset) {
            (Some(preset), _) => preset,
            (None, Some(preset)) => preset.try_into()?,
            (None, None) => Preset::default(),
        };
        let mut table = Table::try_from(Config::preset(preset))?;
        table.extend(file);
        table.extend(chosen);
        let config: Config = table.try_into()?;
        config.check()?;
        Ok(config)
    }
}

/// Reads a file, and checks that each key is known and each value has the key's type.
fn read(path: &Path) -> Result<Table, Box<dyn Error>> {
    let unusable = |reason: String| Unusable { path: path.into(), reason };
    let text = fs::read_to_string(path).map_err(|error| unusable(error.to_string()))?;
    // Read as a configuration first, for errors that say in which line they are.
    toml::from_str::<Config>(&text).map_err(|error| unusable(error.to_string()))?;
    Ok(toml::from_str(&text).map_err(|error| unusable(error.to_string()))?)
}
