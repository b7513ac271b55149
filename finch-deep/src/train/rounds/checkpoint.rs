//! All that a run needs in order to go on, as safetensors.

use std::collections::HashMap;
use std::fs;
use std::path::Path;

use burn::tensor::{Device, TensorData};
use finch_core::Metric;
use ndarray::Array2;
use safetensors::tensor::TensorView;
use safetensors::{Dtype, SafeTensors};
use serde::{Deserialize, Serialize};

use super::ensemble::{Member, learnt};
use crate::data::{WriteError, write_atomically};
use crate::metrics::{Measurement, Source};
use crate::train::config::{Config, Objective};
use crate::train::error::TrainError;
use crate::train::network::Network;
use crate::train::network::preparation::Preparation;

/// All that [`Trainer::resume`](crate::train::Trainer::resume) and [`embed`](crate::train::embed) need.
///
/// A checkpoint is stored as safetensors: the layers as `hidden.0.weight` (inputs × outputs, f32),
/// `hidden.0.bias`, …, `output.weight`, `output.bias`; `input.center` (f32), which is subtracted from the
/// scaled input, if anything is; `input.axes` (r × d, f32), along which the first layer then sees it, if not as it
/// is; `pseudo_labels` (u32, N) and `input.clusters`, `labels.clusters`,
/// `graph.clusters`, `second_graph.clusters`, as far as they were found; the state of the optimizer as bytes; and
/// the rest as JSON under `finch` in the metadata. The layers of networks that were trained before have the same
/// names with `labels.`, `graph.` or `second_graph.` before them. Of these, networks of the graph stay, since the
/// result of further rounds is judged in their embeddings.
#[derive(Clone, Debug)]
pub struct Checkpoint {
    pub(in crate::train) config: Config,
    pub(in crate::train) features: usize,
    pub(in crate::train) samples: usize,
    pub(in crate::train) checksum: u32,
    pub(in crate::train) preparation: Preparation,
    pub(in crate::train) epoch: usize,
    pub(in crate::train) clusters: Option<usize>,
    pub(in crate::train) clustering_due: bool,
    pub(in crate::train) members: Vec<Stored>,
    pub(in crate::train) learns: Objective,
    /// True while the network is the second of the graph.
    pub(in crate::train) second: bool,
    pub(in crate::train) labels: Option<Vec<u32>>,
    pub(in crate::train) weights: Vec<[TensorData; 2]>,
    pub(in crate::train) optimizer: Vec<u8>,
}

/// Clusters that have a say in the result, and the weights of their network while it may yet be kept.
#[derive(Clone, Debug)]
pub(in crate::train) struct Stored {
    source: Source,
    clusters: Vec<u32>,
    weights: Vec<[TensorData; 2]>,
}

impl Stored {
    pub(in crate::train) fn of(member: &Member) -> Self {
        let Member { source, clusters, network } = member;
        let weights = network.as_ref().map(Network::weights).unwrap_or_default();
        Self { source: *source, clusters: clusters.clone(), weights }
    }

    fn member(&self, device: &Device) -> Member {
        let network = Network::of(self.weights.clone(), device);
        Member { source: self.source, clusters: self.clusters.clone(), network }
    }
}

/// The parts that are no tensors.
#[derive(Serialize, Deserialize)]
struct Header {
    version: String,
    config: Config,
    features: usize,
    samples: usize,
    /// The checksum of the samples.
    checksum: u32,
    scale: f64,
    epoch: usize,
    clusters: Option<usize>,
    clustering_due: bool,
    /// The objective of the network, or the one that it has learnt.
    learns: Objective,
    /// True while the network is the second of the graph.
    #[serde(default)]
    second: bool,
    /// Whose clusters there are, in their order.
    members: Vec<Source>,
    /// The checksum of the tensors, in the order of their names. The format itself would not notice
    /// a changed bit.
    tensors: u32,
}

const HEADER: &str = "finch";
const CENTER: &str = "input.center";
const AXES: &str = "input.axes";
const LABELS: &str = "pseudo_labels";
const OPTIMIZER: &str = "optimizer";

/// A tensor by its name.
struct Named {
    name: String,
    dtype: Dtype,
    shape: Vec<usize>,
    bytes: Vec<u8>,
}

impl Checkpoint {
    /// Epochs trained before the checkpoint.
    pub fn epoch(&self) -> usize {
        self.epoch
    }

    /// The extension of files of checkpoints.
    pub const EXTENSION: &str = "safetensors";

    /// A name for the file of the checkpoint. In the order of names, later checkpoints come last.
    pub fn file_name(&self) -> String {
        let clustered = if self.clustering_due { "" } else { "_clustered" };
        format!("epoch-{:06}{clustered}.{}", self.epoch, Self::EXTENSION)
    }

    /// True if something was measured before the checkpoint.
    pub fn includes(&self, metric: &Measurement) -> bool {
        match metric {
            Measurement::Epoch(epoch) => epoch.epoch <= self.epoch,
            Measurement::Clustering(clustering) => {
                clustering.epoch < self.epoch
                    || clustering.epoch == self.epoch && !self.clustering_due
            }
        }
    }

    /// Goes on for so many [`rounds`](Config::rounds) in all, if that is more than the run was to have.
    ///
    /// # Errors
    /// [`TrainError::Setting`] if the rounds have too many epochs.
    pub fn extend(&mut self, rounds: usize) -> Result<(), TrainError> {
        if rounds > self.config.rounds {
            // The last embedding was clustered for the result alone, and not for what to learn next.
            self.clustering_due |= self.epoch == self.config.all_epochs();
            self.config.rounds = rounds;
        }
        self.config.check()
    }

    /// The configuration of the run.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// The file's content.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut tensors = Vec::new();
        tensors.extend(layers("", &self.weights));
        for member in &self.members {
            tensors.extend(layers(&prefix(member.source), &member.weights));
        }
        let center = &self.preparation.center;
        if !center.is_empty() {
            tensors.push(Named {
                name: CENTER.into(),
                dtype: Dtype::F32,
                shape: vec![center.len()],
                bytes: center.iter().flat_map(|mean| mean.to_le_bytes()).collect(),
            });
        }
        if let Some(axes) = &self.preparation.axes {
            tensors.push(Named {
                name: AXES.into(),
                dtype: Dtype::F32,
                shape: axes.shape().to_vec(),
                bytes: axes.iter().flat_map(|value| value.to_le_bytes()).collect(),
            });
        }
        let of_members =
            self.members.iter().map(|member| (clusters(member.source), &member.clusters));
        let pseudo_labels = self.labels.iter().map(|labels| (LABELS.into(), labels));
        tensors.extend(of_members.chain(pseudo_labels).map(|(name, labels)| Named {
            name,
            dtype: Dtype::U32,
            shape: vec![labels.len()],
            bytes: labels.iter().flat_map(|label| label.to_le_bytes()).collect(),
        }));
        tensors.push(Named {
            name: OPTIMIZER.into(),
            dtype: Dtype::U8,
            shape: vec![self.optimizer.len()],
            bytes: self.optimizer.clone(),
        });
        let header = Header {
            version: env!("CARGO_PKG_VERSION").into(),
            config: self.config.clone(),
            features: self.features,
            samples: self.samples,
            checksum: self.checksum,
            scale: self.preparation.scale,
            epoch: self.epoch,
            clusters: self.clusters,
            clustering_due: self.clustering_due,
            learns: self.learns,
            second: self.second,
            members: self.members.iter().map(|member| member.source).collect(),
            tensors: checksum(tensors.iter().map(|tensor| (&*tensor.name, &*tensor.bytes))),
        };
        let header = serde_json::to_string(&header).expect("plain fields serialise");
        let views = tensors.iter().map(|tensor| {
            let view = TensorView::new(tensor.dtype, tensor.shape.clone(), &tensor.bytes);
            (&tensor.name, view.expect("shapes are those of the bytes"))
        });
        let metadata = HashMap::from([(HEADER.to_string(), header)]);
        safetensors::serialize(views, Some(metadata)).expect("names differ")
    }

    /// Writes the file, as a whole or not at all.
    ///
    /// # Errors
    /// [`WriteError`] if the system will not write.
    pub fn save(&self, path: &Path) -> Result<(), WriteError> {
        write_atomically(path, |file| file.write_all(&self.to_bytes()))
    }

    /// Reads the file of a checkpoint.
    ///
    /// # Errors
    /// [`TrainError::Checkpoint`] if the file cannot be read, is no checkpoint, is cut or damaged,
    /// or is of another version.
    pub fn load(path: &Path) -> Result<Self, TrainError> {
        let bytes = fs::read(path).map_err(|error| error.to_string());
        bytes
            .and_then(|bytes| Self::from_bytes(&bytes))
            .map_err(|reason| TrainError::Checkpoint { path: path.into(), reason })
    }

    fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let damaged = |what: &str| format!("not a whole checkpoint: {what}");
        let (_, metadata) =
            SafeTensors::read_metadata(bytes).map_err(|error| damaged(&error.to_string()))?;
        let tensors =
            SafeTensors::deserialize(bytes).map_err(|error| damaged(&error.to_string()))?;
        let header = metadata.metadata().as_ref().and_then(|metadata| metadata.get(HEADER));
        let header = header.ok_or("not a checkpoint of finch, but other safetensors")?;
        let header: Header = serde_json::from_str(header)
            .map_err(|error| format!("a checkpoint of another version of finch: {error}"))?;
        if header.version != env!("CARGO_PKG_VERSION") {
            let (found, version) = (&header.version, env!("CARGO_PKG_VERSION"));
            return Err(format!("a checkpoint of finch {found}, and this is {version}"));
        }
        let found = tensors.tensors();
        if checksum(found.iter().map(|(name, tensor)| (&**name, tensor.data()))) != header.tensors {
            return Err(damaged("its checksum differs"));
        }
        // The checksum fits, so from here on the content is what was written.
        let tensor = |name: &str| tensors.tensor(name).map_err(|error| damaged(&error.to_string()));
        let floats = |name: &str| {
            let tensor = tensor(name)?;
            let words = tensor.data().chunks_exact(4);
            let values: Vec<f32> = words
                .map(|word| f32::from_le_bytes([word[0], word[1], word[2], word[3]]))
                .collect();
            Ok::<_, String>(TensorData::new(values, tensor.shape().to_vec()))
        };
        let layers = |prefix: &str| {
            let mut weights = Vec::new();
            if tensor(&format!("{prefix}output.weight")).is_ok() {
                for layer in names(prefix, header.config.hidden.len()) {
                    weights.push([
                        floats(&format!("{layer}.weight"))?,
                        floats(&format!("{layer}.bias"))?,
                    ]);
                }
            }
            Ok::<_, String>(weights)
        };
        let center = match tensor(CENTER) {
            Ok(_) => floats(CENTER)?.iter::<f32>().collect(),
            Err(_) => Vec::new(),
        };
        let axes = match tensor(AXES) {
            Ok(found) => {
                let shape = (found.shape()[0], found.shape()[1]);
                let values = floats(AXES)?.iter::<f32>().collect();
                Some(Array2::from_shape_vec(shape, values).map_err(|_| damaged(AXES))?)
            }
            Err(_) => None,
        };
        let normalized = Preparation::normalizes(&header.config);
        let preparation = Preparation { normalized, scale: header.scale, center, axes };
        let of_samples = |name: &str| {
            let words = tensor(name).ok()?.data().chunks_exact(4);
            let number = |word: &[u8]| u32::from_le_bytes([word[0], word[1], word[2], word[3]]);
            Some(words.map(number).collect())
        };
        let mut members = Vec::new();
        for &source in &header.members {
            let missing = || damaged(&clusters(source));
            let clusters = of_samples(&clusters(source)).ok_or_else(missing)?;
            members.push(Stored { source, clusters, weights: layers(&prefix(source))? });
        }
        let weights = layers("")?;
        Ok(Self {
            optimizer: tensor(OPTIMIZER)?.data().to_vec(),
            config: header.config,
            features: header.features,
            samples: header.samples,
            checksum: header.checksum,
            preparation,
            epoch: header.epoch,
            clusters: header.clusters,
            clustering_due: header.clustering_due,
            members,
            learns: header.learns,
            second: header.second,
            labels: of_samples(LABELS),
            weights,
        })
    }

    /// The network in training, or in the end the one that is kept; none before the first clustering.
    pub(in crate::train) fn network(&self, device: &Device) -> Option<Network> {
        Network::of(self.weights.clone(), device)
    }

    /// The members, with their networks.
    pub(in crate::train) fn members(&self, device: &Device) -> Vec<Member> {
        self.members.iter().map(|member| member.member(device)).collect()
    }

    /// The network that [`embed`](crate::train::embed) uses.
    pub(in crate::train) fn trained(&self, device: &Device) -> Option<(Network, Objective)> {
        let (weights, learnt) = self.newest()?;
        Some((Network::of(weights.to_vec(), device)?, learnt))
    }

    /// The distance between samples as [`embed`](crate::train::embed) embeds them; none before the first epoch.
    pub fn metric(&self) -> Option<Metric> {
        self.newest().map(|(_, learnt)| self.config.metric(learnt))
    }

    /// The newest network that has trained at all, and what it has learnt: before its first epoch a
    /// network's weights are random.
    pub(in crate::train) fn newest(&self) -> Option<(&[[TensorData; 2]], Objective)> {
        let fresh = self.epoch.is_multiple_of(self.config.epochs) && !self.clustering_due;
        if !fresh || self.epoch >= self.config.first_epochs() {
            return Some((&*self.weights, self.learns)).filter(|(weights, _)| !weights.is_empty());
        }
        let trained = self.members.iter().rfind(|member| !member.weights.is_empty())?;
        Some((&*trained.weights, learnt(trained.source)?))
    }
}

/// The prefix of the names of a finished network's tensors.
fn prefix(source: Source) -> String {
    match source {
        Source::Input => "input.",
        Source::Labels => "labels.",
        Source::Graph => "graph.",
        Source::SecondGraph => "second_graph.",
        Source::Consensus => "consensus.",
    }
    .into()
}

/// The name of a member's clusters.
fn clusters(source: Source) -> String {
    prefix(source) + "clusters"
}

/// The names of a network's layers, the output layer last.
fn names(prefix: &str, hidden: usize) -> impl Iterator<Item = String> {
    let hidden = (0..hidden).map(move |number| format!("{prefix}hidden.{number}"));
    hidden.chain([format!("{prefix}output")])
}

/// The tensors of a network's layers; none without a network.
fn layers(prefix: &str, weights: &[[TensorData; 2]]) -> Vec<Named> {
    let hidden = weights.len().saturating_sub(1);
    let mut tensors = Vec::new();
    for (layer, data) in names(prefix, hidden).zip(weights) {
        for (kind, data) in ["weight", "bias"].into_iter().zip(data) {
            tensors.push(Named {
                name: format!("{layer}.{kind}"),
                dtype: Dtype::F32,
                shape: data.shape().to_vec(),
                bytes: data.iter::<f32>().flat_map(f32::to_le_bytes).collect(),
            });
        }
    }
    tensors
}

/// The checksum of the tensors, in the order of their names, whatever the order given.
fn checksum<'a>(tensors: impl Iterator<Item = (&'a str, &'a [u8])>) -> u32 {
    let mut tensors: Vec<_> = tensors.collect();
    tensors.sort_unstable_by_key(|(name, _)| *name);
    let mut hasher = crc32fast::Hasher::new();
    for (name, bytes) in tensors {
        hasher.update(name.as_bytes());
        hasher.update(bytes);
    }
    hasher.finalize()
}
