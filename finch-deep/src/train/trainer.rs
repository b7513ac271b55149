//! The training loop: clusterings and epochs in turn.

use std::ops::ControlFlow;

use burn::optim::ModuleOptimizer;
use burn::tensor::Device;
use finch_core::{Contingency, Neighbors, Run};

use super::checkpoint::Checkpoint;
use super::clustering::{Clustering, Found, nearest};
use super::config::{Config, Cut, PseudoLabels};
use super::cut::Merged;
use super::device::Backend;
use super::embedding::embedding;
use super::error::TrainError;
use super::event::{Clustered, Event};
use super::features::{Features, each};
use super::network::Network;
use super::optimizer::{from_bytes, optimizer, to_bytes};
use super::pass::{Pass, Trained};
use super::progress::{Progress, Watch};
use super::random::{Purpose, stream};
use super::smoothness::distances;
use crate::data::Matrix;
use crate::metrics::Epoch;

/// Trains a network on clusters of N samples.
///
/// ```
/// use finch_deep::train::{Backend, Config, Event, Trainer};
/// use ndarray::Array2;
///
/// let samples = Array2::from_shape_fn((60, 4), |(i, j)| ((i % 3) * (j + 1)) as f32 + 0.01 * i as f32);
/// let mut config = Config::default();
/// (config.clusters, config.epochs, config.batch) = (Some(3), 2, 20);
/// let mut trainer = Trainer::new(samples.view().into(), config, Backend::Cpu)?;
/// let result = loop {
///     match trainer.advance()? {
///         Event::Trained(epoch) => println!("epoch {}: loss {:.3}", epoch.epoch, epoch.loss),
///         Event::Clustered(clustered) if trainer.is_done() => break clustered,
///         Event::Clustered(clustered) => println!("{:?}", clustered.hierarchy.cluster_counts()),
///     }
/// };
/// assert_eq!(result.clusters.clusters(), 3);
/// # Ok::<_, finch_deep::train::TrainError>(())
/// ```
pub struct Trainer<'a> {
    input: Features<'a>,
    checksum: u32,
    config: Config,
    device: Device,
    threads: usize,
    epoch: usize,
    /// K, once the input is clustered.
    clusters: Option<usize>,
    /// Pseudo-labels of the newest clustering.
    labels: Option<Vec<u32>>,
    /// Whether a clustering is what comes next.
    clustering_due: bool,
    /// The nearest neighbours of the input; after a pause, only once they are needed.
    graph: Option<Neighbors>,
    /// The radius around each sample within which the network's answer should stay the same, once
    /// computed.
    radii: Option<Vec<f32>>,
    network: Option<Network>,
    optimizer: ModuleOptimizer,
}

/// Weights of all hidden layers: those of f32 take 8 GiB, and training four times as much.
const MOST_WEIGHTS: usize = 1 << 31;

impl<'a> Trainer<'a> {
    /// Prepares to train on N samples × d features.
    ///
    /// # Errors
    /// [`TrainError::Setting`], [`TrainError::Batch`] and [`TrainError::TooManyLabels`] for what the
    /// configuration asks, [`TrainError::Device`] if there is no such device, and [`TrainError::Core`] for samples that
    /// cannot be clustered.
    pub fn new(
        samples: Matrix<'a>,
        mut config: Config,
        backend: Backend,
    ) -> Result<Self, TrainError> {
        config.check()?;
        let input = Features::new(samples, None)?;
        config.resolve(input.samples(), input.features());
        if config.batch > input.samples() {
            return Err(TrainError::Batch { batch: config.batch, samples: input.samples() });
        }
        if let Some(requested) = config.clusters.filter(|&clusters| clusters > input.samples()) {
            let samples = input.samples();
            return Err(finch_core::Error::ClusterCount { requested, samples }.into());
        }
        let asked_for = match config.pseudo_labels {
            PseudoLabels::Partition(_) => None,
            PseudoLabels::Clusters(count) => Some(count),
            PseudoLabels::TimesClusters(times) => {
                config.clusters.map(|clusters| clusters.saturating_mul(times))
            }
        };
        if let Some(labels) = asked_for {
            expect_few(labels, input.samples())?;
        }
        let widths = [input.features()].into_iter().chain(config.hidden.iter().copied());
        let weights = widths.zip(&config.hidden).map(|(from, &to)| from.saturating_mul(to));
        if weights.fold(0, usize::saturating_add) > MOST_WEIGHTS {
            let allowed = "narrower: these layers have more than 2³¹ weights";
            return Err(TrainError::Setting { name: "hidden", allowed });
        }
        let (checksum, optimizer) = (input.checksum(), optimizer(&config));
        Ok(Self {
            input,
            checksum,
            config,
            device: backend.device()?,
            threads: 0,
            epoch: 0,
            clusters: None,
            labels: None,
            clustering_due: true,
            graph: None,
            radii: None,
            network: None,
            optimizer,
        })
    }

    /// Goes on from a checkpoint, with the same samples.
    ///
    /// # Errors
    /// Those of [`Trainer::new`]; [`TrainError::Features`] and [`TrainError::OtherInput`] if the
    /// samples are not those of the checkpoint.
    pub fn resume(
        samples: Matrix<'a>,
        checkpoint: &Checkpoint,
        backend: Backend,
    ) -> Result<Self, TrainError> {
        let (rows, found) = each!(&samples, view => view.dim());
        let expected = checkpoint.features;
        if found != expected {
            return Err(TrainError::Features { found, expected });
        }
        if rows != checkpoint.samples {
            return Err(TrainError::OtherInput { what: "the number of samples" });
        }
        let mut trainer = Self::new(samples, checkpoint.config.clone(), backend)?;
        if trainer.checksum != checkpoint.checksum {
            return Err(TrainError::OtherInput { what: "a value" });
        }
        let device = trainer.device.clone().autodiff();
        trainer.epoch = checkpoint.epoch;
        trainer.clusters = checkpoint.clusters;
        trainer.labels.clone_from(&checkpoint.labels);
        trainer.clustering_due = checkpoint.clustering_due;
        trainer.network = checkpoint.network(&device);
        trainer.optimizer = from_bytes(trainer.optimizer, &checkpoint.optimizer)?;
        Ok(trainer)
    }

    /// Clusters with this many threads; 0, the default, means one for each core. (The network takes
    /// those of the rayon pool that it is called in.) No result depends on it.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// The configuration.
    pub fn config(&self) -> &Config {
        &self.config
    }

    /// CRC-32 of the samples' values, row by row as little-endian f64.
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Epochs done so far.
    pub fn epoch(&self) -> usize {
        self.epoch
    }

    /// Whether all epochs are done and the last embedding is clustered.
    pub fn is_done(&self) -> bool {
        self.epoch == self.config.epochs && !self.clustering_due
    }

    /// Does what is next: a clustering before the first epoch, after every
    /// [`relabel_every`](Config::relabel_every) and after the last one; else an epoch. After the end
    /// it clusters the last embedding again.
    ///
    /// # Errors
    /// [`TrainError::OneLabel`] and [`TrainError::TooManyLabels`] for pseudo-labels that teach
    /// nothing, [`TrainError::Diverged`], and [`TrainError::Core`]. What was done before is kept.
    pub fn advance(&mut self) -> Result<Event, TrainError> {
        self.advance_watched(&mut |_| ControlFlow::Continue(()))
    }

    /// [`Trainer::advance`] with a callback.
    ///
    /// # Errors
    /// Those of [`Trainer::advance`], and [`TrainError::Stopped`] if the callback stopped the run;
    /// the trainer is then as it was before the call.
    pub fn advance_watched(&mut self, watch: &mut Watch<'_>) -> Result<Event, TrainError> {
        let trains = !self.clustering_due && self.epoch < self.config.epochs;
        if trains {
            self.find_radii(watch)?;
        }
        let (Some(network), Some(labels), true) = (&self.network, &self.labels, trains) else {
            return self.cluster(watch).map(Box::new).map(Event::Clustered);
        };
        let pass = Pass {
            input: &self.input,
            labels,
            radii: self.radii.as_deref(),
            config: &self.config,
            device: &self.device,
            epochs: self.epoch,
        };
        let trained = pass.run(network.clone(), self.optimizer.clone(), watch)?;
        Ok(Event::Trained(self.keep(trained)))
    }

    /// Keeps the network and the optimizer of a finished epoch.
    fn keep(&mut self, trained: Trained) -> Epoch {
        let Trained { network, optimizer, epoch } = trained;
        (self.network, self.optimizer, self.epoch) = (Some(network), optimizer, epoch.epoch);
        self.clustering_due = self.epoch.is_multiple_of(self.config.relabel_every)
            || self.epoch == self.config.epochs;
        epoch
    }

    /// What to store, so that a later [`Trainer::resume`] goes on from here.
    pub fn checkpoint(&self) -> Checkpoint {
        Checkpoint {
            config: self.config.clone(),
            features: self.input.features(),
            samples: self.input.samples(),
            checksum: self.checksum,
            scale: self.input.scale(),
            epoch: self.epoch,
            clusters: self.clusters,
            clustering_due: self.clustering_due,
            labels: self.labels.clone(),
            weights: self.network.as_ref().map(Network::weights).unwrap_or_default(),
            optimizer: to_bytes(&self.optimizer),
        }
    }

    /// Clusters the newest embedding, or the input, and prepares to train on it.
    fn cluster(&mut self, watch: &mut Watch<'_>) -> Result<Clustered, TrainError> {
        let config = &self.config;
        let embedding = match &self.network {
            Some(network) => {
                Some(embedding(network, &self.input, config.rectified, &self.device, watch)?)
            }
            None => None,
        };
        let last = self.epoch == config.epochs;
        let clustering = Clustering { config, clusters: self.clusters.or(config.clusters), last };
        let threads = self.threads;
        let mut run =
            Run::new().threads(threads).progress(|progress| watch(Progress::Clustering(progress)));
        let graph = match self.graph.take() {
            None if last && config.cut == Cut::Auto => {
                Some(nearest(&self.input, config.input_metric, &mut run)?)
            }
            graph => graph,
        };
        let found = match &embedding {
            Some(embedding) => {
                let metric = config.embedding_metric;
                let graph = graph.as_ref().filter(|_| last);
                clustering.find(embedding.view(), metric, graph, &mut run)
            }
            None => each!(self.input.matrix(), view => {
                clustering.find(view.view(), config.input_metric, None, &mut run)
            }),
        };
        self.graph = graph;
        let Found { hierarchy, merged, pseudo_labels } = found.map_err(|error| match error {
            // The samples were checked before, so the fault is the network's.
            finch_core::Error::NonFinite { .. } | finch_core::Error::TooLarge { .. } => {
                TrainError::Diverged { epoch: self.epoch }
            }
            error => error.into(),
        })?;
        if embedding.is_none() {
            self.graph = hierarchy.neighbors().cloned();
        }
        let mut agreement = None;
        if let Some(next) = &pseudo_labels {
            if next.clusters() < 2 {
                return Err(TrainError::OneLabel { epoch: self.epoch });
            }
            expect_few(next.clusters(), self.input.samples())?;
            if let Some(before) = &self.labels {
                agreement = Some(Contingency::new(next.labels(), before)?.scores()?.nmi);
            }
            self.renew(next.clusters());
            self.labels = Some(next.labels().to_vec());
        }
        let Merged { clusters, linkage, from } = merged;
        self.clusters = Some(clusters.clusters());
        self.clustering_due = false;
        Ok(Clustered {
            epoch: self.epoch,
            hierarchy,
            clusters,
            linkage,
            from,
            pseudo_labels,
            agreement,
            embedding,
        })
    }

    /// Begins to train on new pseudo-labels: with a new output layer, and an optimizer that knows
    /// nothing of the steps before.
    fn renew(&mut self, labels: usize) {
        let random = &mut stream(self.config.seed, Purpose::Weights, self.epoch);
        let device = &self.device.clone().autodiff();
        match &mut self.network {
            Some(network) if !self.config.fresh_weights => {
                network.renew_output(labels, random, device);
            }
            network => {
                let features = self.input.features();
                *network =
                    Some(Network::new(features, &self.config.hidden, labels, random, device));
            }
        }
        self.optimizer = optimizer(&self.config);
    }

    /// Finds the radius around each sample within which the network's answer should stay the same,
    /// if the loss has an adversarial part.
    fn find_radii(&mut self, watch: &mut Watch<'_>) -> Result<(), TrainError> {
        if self.config.adversarial_weight == 0.0 || self.radii.is_some() {
            return Ok(());
        }
        let threads = self.threads;
        let mut run =
            Run::new().threads(threads).progress(|progress| watch(Progress::Clustering(progress)));
        let graph = match self.graph.take() {
            Some(graph) => graph,
            None => nearest(&self.input, self.config.input_metric, &mut run)?,
        };
        let mut radii = distances(&self.input, graph.index());
        radii.iter_mut().for_each(|radius| *radius *= self.config.adversarial_radius as f32);
        (self.graph, self.radii) = (Some(graph), Some(radii));
        Ok(())
    }
}

/// Checks that most pseudo-labels can have more than one sample.
fn expect_few(labels: usize, samples: usize) -> Result<(), TrainError> {
    match labels > samples / 2 {
        true => Err(TrainError::TooManyLabels { labels, samples }),
        false => Ok(()),
    }
}
