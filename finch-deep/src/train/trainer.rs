//! The training loop.

use std::ops::ControlFlow;
use std::time::Instant;

use burn::module::Module;
use burn::optim::{AdamConfig, GradientsParams, ModuleOptimizer, SgdConfig};
use burn::optim::{decay::WeightDecayConfig, momentum::MomentumConfig};
use burn::tensor::{Bytes, Device, Tensor, TensorData};
use finch_core::{
    Contingency, Element, Finch, Hierarchy, Linkage, Metric, Neighbors, Partition, Refine, Run,
    Samples,
};
use ndarray::{Array2, ArrayView2};
use rand::seq::SliceRandom;

use super::checkpoint::Checkpoint;
use super::config::{Config, Cut, Optimizer, PseudoLabels, Schedule};
use super::cut::{Merged, cut};
use super::device::Backend;
use super::dropout::Dropout;
use super::error::TrainError;
use super::features::{Features, each};
use super::loss::{Answers, Loss, values};
use super::network::Network;
use super::random::{Purpose, Random, stream};
use super::smoothness::{distances, divergence};
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
    /// How far around each sample its answer should be the same, once that is trained.
    radii: Option<Vec<f32>>,
    network: Option<Network>,
    optimizer: ModuleOptimizer,
}

/// What one call of [`Trainer::advance`] did.
#[derive(Debug)]
pub enum Event {
    /// All samples were clustered, and what follows is trained on it.
    Clustered(Box<Clustered>),
    /// The network saw all samples once.
    Trained(Epoch),
}

/// A clustering of all samples.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Clustered {
    /// Epochs before it; at 0 it is the input that was clustered, later the embedding.
    pub epoch: usize,
    /// All partitions.
    pub hierarchy: Hierarchy,
    /// Exactly K clusters.
    pub clusters: Partition,
    /// What merged them.
    pub linkage: Linkage,
    /// The partition that merging began with; none where the first one was split.
    pub from: Option<usize>,
    /// What the network is trained on next: a label for each sample. None after the last epoch.
    pub pseudo_labels: Option<Partition>,
    /// NMI of these pseudo-labels and those before, from 0 to 1.
    pub agreement: Option<f64>,
    /// The embedding that was clustered, N × the width of the last hidden layer.
    pub embedding: Option<Array2<f32>>,
}

/// How far a call of [`Trainer::advance`] has come.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Progress {
    /// The network is trained.
    Training {
        /// The epoch, from 1.
        epoch: usize,
        /// The part of it that is done, from 0 to 1.
        fraction: f64,
        /// The mean loss so far.
        loss: f64,
        /// Samples trained on in a second.
        samples_per_second: f64,
    },
    /// The embedding of all samples is computed.
    Embedding {
        /// The part that is done, from 0 to 1.
        fraction: f64,
    },
    /// FINCH runs.
    Clustering(finch_core::Progress),
}

/// Sees progress, and may stop the run by returning [`ControlFlow::Break`].
pub type Watch<'a> = dyn FnMut(Progress) -> ControlFlow<()> + Send + 'a;

/// Samples whose embedding is computed at a time.
const EMBEDDED: usize = 1024;
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
    /// samples are others.
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
        trainer.optimizer = loaded(trainer.optimizer, &checkpoint.optimizer)?;
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
        match &self.network {
            Some(network) if !self.clustering_due && self.epoch < self.config.epochs => {
                let (network, labels) = (network.clone(), self.labels.take().unwrap_or_default());
                let trained = self.train(network, &labels, watch);
                self.labels = Some(labels);
                trained.map(Event::Trained)
            }
            _ => self.cluster(watch).map(Box::new).map(Event::Clustered),
        }
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
            optimizer: stored(&self.optimizer),
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
        let threads = self.threads;
        let mut run =
            Run::new().threads(threads).progress(|progress| watch(Progress::Clustering(progress)));
        let graph = match self.graph.take() {
            None if last && config.cut == Cut::Auto => {
                Some(each!(self.input.matrix(), view => self.nearest(view.view(), &mut run))?)
            }
            graph => graph,
        };
        let found = match &embedding {
            Some(embedding) => {
                let metric = config.embedding_metric;
                let graph = graph.as_ref().filter(|_| last);
                self.found(embedding.view(), metric, graph, &mut run)
            }
            None => each!(self.input.matrix(), view => {
                self.found(view.view(), config.input_metric, None, &mut run)
            }),
        };
        self.graph = graph;
        let Found { hierarchy, merged, pseudo_labels } = found.map_err(|error| match error {
            // The samples were found sound, so it is the network that is not.
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
                agreement = Some(Contingency::new(next.labels(), before)?.scores().nmi);
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

    /// The nearest neighbours of the input, as its clustering found them.
    fn nearest<A: Element>(
        &self,
        matrix: ArrayView2<'_, A>,
        run: &mut Run<'_>,
    ) -> finch_core::Result<Neighbors> {
        let samples = Samples::new(matrix)?;
        let finch = Finch::new().metric(self.config.input_metric);
        finch.nearest_neighbors(&samples, Linkage::Neighbor.neighbors(samples.len()), run)
    }

    fn found<A: Element>(
        &self,
        matrix: ArrayView2<'_, A>,
        metric: Metric,
        graph: Option<&Neighbors>,
        run: &mut Run<'_>,
    ) -> finch_core::Result<Found> {
        let samples = Samples::new(matrix)?;
        let finch = Finch::new().metric(metric).refinable(Linkage::Neighbor);
        let hierarchy = finch.fit_with(&samples, run)?;
        let merged = match self.clusters.or(self.config.clusters) {
            Some(clusters) => {
                let how = self.config.cut;
                cut(how, clusters, &samples, &hierarchy, graph, run)?
            }
            None => {
                let clusters = hierarchy.suggest_with(&samples, run)?.cut;
                Merged { clusters, linkage: Linkage::Neighbor, from: Some(0) }
            }
        };
        let mut refine = |clusters: usize| {
            let refine = Refine::new(clusters.min(samples.len()));
            refine.run_with(&samples, &hierarchy, run)
        };
        let pseudo_labels = match self.config.pseudo_labels {
            // Nothing is trained any more.
            _ if self.epoch == self.config.epochs => None,
            PseudoLabels::Partition(number) => {
                let coarsest = hierarchy.partitions().len() - 1;
                Some(hierarchy.partitions()[number.min(coarsest)].clone())
            }
            PseudoLabels::TimesClusters(1) => Some(merged.clusters.clone()),
            PseudoLabels::TimesClusters(times) => {
                Some(refine(times.saturating_mul(merged.clusters.clusters()))?)
            }
            PseudoLabels::Clusters(count) => Some(refine(count)?),
        };
        Ok(Found { hierarchy, merged, pseudo_labels })
    }

    /// Begins to train on other labels: with a new output layer, and nothing left of the steps
    /// before.
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

    /// Trains on all samples once, but for those that would be less than a batch at the end.
    fn train(
        &mut self,
        mut network: Network,
        labels: &[u32],
        watch: &mut Watch<'_>,
    ) -> Result<Epoch, TrainError> {
        let number = self.epoch + 1;
        self.find_radii(watch)?;
        let random = &mut stream(self.config.seed, Purpose::Epoch, self.epoch);
        let mut order: Vec<usize> = (0..self.input.samples()).collect();
        order.shuffle(random);
        let batches = order.len() / self.config.batch;
        let mut optimizer = self.optimizer.clone();
        let (mut loss, mut right) = (0.0, 0);
        let outputs = network.outputs();
        let began = Instant::now();
        for (done, rows) in order.chunks_exact(self.config.batch).enumerate() {
            let rate = self.learning_rate(done as f64 / batches as f64);
            let values = self.input.batch(rows);
            let near = self.radii.as_ref().map(|radii| {
                let radii: Vec<f32> = rows.iter().map(|&row| radii[row]).collect();
                (on_device(values.clone(), rows.len(), &self.device), radii)
            });
            let batch = Batch::new(values, rows, &self.config, random, &self.device);
            let of_rows: Vec<u32> = rows.iter().map(|&row| labels[row]).collect();
            let asked = Answers::of_labels(&of_rows, outputs, self.config.label_smoothing);
            let scores = network.forward(batch.samples, batch.masks);
            let Loss { mean, mut origin, right: of_batch } = Loss::new(scores, &asked)?;
            (loss, right) = (loss + mean, right + of_batch);
            if let Some((samples, radii)) = near {
                let weight = self.config.adversarial_weight;
                let uneven = divergence(&network, samples, &radii, random, &self.device)?;
                (loss, origin) = (loss + weight * uneven.mean, origin + uneven.origin * weight);
            }
            let gradients = GradientsParams::from_grads(origin.backward(), &network);
            network = optimizer.step(rate, network, gradients);
            if !loss.is_finite() {
                return Err(TrainError::Diverged { epoch: number });
            }
            let done = done + 1;
            let samples_per_second =
                (done * self.config.batch) as f64 / began.elapsed().as_secs_f64().max(1e-9);
            let progress = Progress::Training {
                epoch: number,
                fraction: done as f64 / batches as f64,
                loss: loss / done as f64,
                samples_per_second,
            };
            if watch(progress).is_break() {
                return Err(TrainError::Stopped);
            }
        }
        let seen = (batches * self.config.batch) as f64;
        let epoch = Epoch {
            epoch: number,
            loss: loss / batches as f64,
            accuracy: 100.0 * right as f64 / seen,
            learning_rate: self.learning_rate(0.0),
            samples_per_second: seen / began.elapsed().as_secs_f64().max(1e-9),
        };
        (self.network, self.optimizer, self.epoch) = (Some(network), optimizer, number);
        self.clustering_due =
            number.is_multiple_of(self.config.relabel_every) || number == self.config.epochs;
        Ok(epoch)
    }

    /// Finds how far around each sample its answer should be the same, if that is trained.
    fn find_radii(&mut self, watch: &mut Watch<'_>) -> Result<(), TrainError> {
        if self.config.adversarial_weight == 0.0 || self.radii.is_some() {
            return Ok(());
        }
        let threads = self.threads;
        let mut run =
            Run::new().threads(threads).progress(|progress| watch(Progress::Clustering(progress)));
        let graph = match self.graph.take() {
            Some(graph) => graph,
            None => each!(self.input.matrix(), view => self.nearest(view.view(), &mut run))?,
        };
        let mut radii = distances(&self.input, graph.index());
        radii.iter_mut().for_each(|radius| *radius *= self.config.adversarial_radius as f32);
        (self.graph, self.radii) = (Some(graph), Some(radii));
        Ok(())
    }

    /// The learning rate when this part of the epoch is done.
    fn learning_rate(&self, part: f64) -> f64 {
        let (round, every) = (self.epoch / self.config.relabel_every, self.config.relabel_every);
        let base = self.config.learning_rate / self.config.learning_rate_divisor.powi(round as i32);
        let length = every.min(self.config.epochs - round * every);
        match self.config.schedule {
            Schedule::Constant => base,
            Schedule::Cosine => {
                let done = ((self.epoch % every) as f64 + part) / length as f64;
                base * 0.5 * (1.0 + (std::f64::consts::PI * done).cos())
            }
        }
    }
}

struct Found {
    hierarchy: Hierarchy,
    merged: Merged,
    /// None after the last epoch.
    pseudo_labels: Option<Partition>,
}

/// Checks that most pseudo-labels can have more than one sample.
fn expect_few(labels: usize, samples: usize) -> Result<(), TrainError> {
    match labels > samples / 2 {
        true => Err(TrainError::TooManyLabels { labels, samples }),
        false => Ok(()),
    }
}

fn optimizer(config: &Config) -> ModuleOptimizer {
    let decay =
        (config.weight_decay > 0.0).then(|| WeightDecayConfig::new(config.weight_decay as f32));
    match config.optimizer {
        Optimizer::Sgd => {
            let momentum = (config.momentum > 0.0)
                .then(|| MomentumConfig::new().with_momentum(config.momentum).with_dampening(0.0));
            SgdConfig::new().with_momentum(momentum).with_weight_decay(decay).init()
        }
        Optimizer::Adam => AdamConfig::new().with_epsilon(1e-8).with_weight_decay(decay).init(),
    }
}

/// The state of an optimizer as bytes.
fn stored(optimizer: &ModuleOptimizer) -> Vec<u8> {
    let record = optimizer.to_record();
    if record.is_empty() {
        return Vec::new();
    }
    record.into_bytes().expect("a record in memory serialises").to_vec()
}

/// An optimizer with this state.
fn loaded(optimizer: ModuleOptimizer, bytes: &[u8]) -> Result<ModuleOptimizer, TrainError> {
    if bytes.is_empty() {
        return Ok(optimizer);
    }
    let state = Bytes::from_bytes_vec(bytes.to_vec());
    optimizer.from_bytes(state).map_err(|error| TrainError::Device(error.to_string()))
}

/// A step's samples, on the device.
struct Batch {
    samples: Tensor<2>,
    masks: Vec<Tensor<2>>,
}

impl Batch {
    fn new(
        mut samples: Vec<f32>,
        rows: &[usize],
        config: &Config,
        random: &mut Random,
        device: &Device,
    ) -> Self {
        let device = &device.clone().autodiff();
        if let Some(dropout) = Dropout::new(config.input_dropout.unwrap_or(0.0)) {
            dropout.apply(&mut samples, random);
        }
        let masks = Dropout::new(config.hidden_dropout).map(|dropout| {
            let mask = |&width: &usize| {
                on_device(dropout.mask(rows.len() * width, random), rows.len(), device)
            };
            config.hidden.iter().map(mask).collect()
        });
        Self { samples: on_device(samples, rows.len(), device), masks: masks.unwrap_or_default() }
    }
}

/// Values of so many rows as a matrix on the device.
fn on_device(values: Vec<f32>, rows: usize, device: &Device) -> Tensor<2> {
    let columns = values.len() / rows;
    Tensor::from_data(TensorData::new(values, [rows, columns]), device)
}

/// The embedding of N samples, N × the width of the last hidden layer.
fn embedding(
    network: &Network,
    input: &Features<'_>,
    rectified: bool,
    device: &Device,
    watch: &mut Watch<'_>,
) -> Result<Array2<f32>, TrainError> {
    let network = network.valid();
    let samples = input.samples();
    let rows: Vec<usize> = (0..samples).collect();
    let mut embedding = Vec::with_capacity(samples * network.width());
    for rows in rows.chunks(EMBEDDED) {
        let batch = network.embed(on_device(input.batch(rows), rows.len(), device), rectified);
        embedding.extend(values(batch)?);
        let fraction = (rows[rows.len() - 1] + 1) as f64 / samples as f64;
        if watch(Progress::Embedding { fraction }).is_break() {
            return Err(TrainError::Stopped);
        }
    }
    Array2::from_shape_vec((samples, network.width()), embedding)
        .map_err(|error| TrainError::Device(error.to_string()))
}

/// The embedding of N samples × d features by a stored network: N × the width of its last hidden
/// layer.
///
/// # Errors
/// [`TrainError::Features`] for another number of features, [`TrainError::Device`], and
/// [`TrainError::Core`] for samples that are not finite.
pub fn embed(
    checkpoint: &Checkpoint,
    samples: Matrix<'_>,
    backend: Backend,
    watch: &mut Watch<'_>,
) -> Result<Array2<f32>, TrainError> {
    let input = Features::new(samples, Some(checkpoint.scale))?;
    let (found, expected) = (input.features(), checkpoint.features);
    if found != expected {
        return Err(TrainError::Features { found, expected });
    }
    let device = backend.device()?;
    // Before the first epoch its weights are random.
    let network = checkpoint.network(&device).filter(|_| checkpoint.epoch > 0);
    let network = network.ok_or(TrainError::Untrained)?;
    embedding(&network, &input, checkpoint.config.rectified, &device, watch)
}
