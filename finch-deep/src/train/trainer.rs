//! The training loop: clusterings and epochs in turn.

use std::ops::ControlFlow;

use burn::optim::ModuleOptimizer;
use burn::tensor::Device;
use finch_core::{Contingency, Neighbors, Partition, Run};

use super::checkpoint::Checkpoint;
use super::clustering::{Clustering, Found, nearest};
use super::config::{Config, Cut, Objective, PseudoLabels};
use super::cut::Merged;
use super::device::Backend;
use super::embedding::embedding;
use super::error::TrainError;
use super::event::{Clustered, Event};
use super::features::{Features, Prepare, each};
use super::graph::Graph;
use super::lesson::{Desk, Lesson};
use super::network::Network;
use super::optimizer::{from_bytes, optimizer, to_bytes};
use super::pass::{Trained, pass};
use super::progress::{Progress, Watch};
use super::random::{Purpose, stream};
use super::smoothness::distances;
use crate::data::Matrix;
use crate::metrics::{Epoch, Verdict};

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
    /// K clusters of the input, once it is clustered.
    input_clusters: Option<Vec<u32>>,
    /// Pseudo-labels of the newest clustering.
    labels: Option<Vec<u32>>,
    /// Whether a clustering is what comes next.
    clustering_due: bool,
    /// The nearest neighbours of the input; after a pause, only once they are needed.
    neighbors: Option<Neighbors>,
    /// Their graph, once something is learnt from it.
    graph: Option<Graph>,
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
    /// [`TrainError::Setting`] and [`TrainError::TooManyLabels`] for what the configuration asks,
    /// [`TrainError::Device`] if there is no such device, and [`TrainError::Core`] for samples that cannot
    /// be clustered.
    pub fn new(
        samples: Matrix<'a>,
        mut config: Config,
        backend: Backend,
    ) -> Result<Self, TrainError> {
        config.check()?;
        let input = Features::new(samples, Prepare::As(&config))?;
        config.resolve(input.samples(), input.features());
        if let Some(requested) = config.clusters.filter(|&clusters| clusters > input.samples()) {
            let samples = input.samples();
            return Err(finch_core::Error::ClusterCount { requested, samples }.into());
        }
        let asked_for = match config.pseudo_labels {
            _ if config.objective == Objective::Graph => None,
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
            input_clusters: None,
            labels: None,
            clustering_due: true,
            neighbors: None,
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
        trainer.input_clusters.clone_from(&checkpoint.input_clusters);
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
        if self.clustering_due || self.epoch == self.config.epochs {
            return self.cluster(watch).map(Box::new).map(Event::Clustered);
        }
        let lesson = match self.config.objective {
            Objective::Labels => {
                self.find_radii(watch)?;
                let labels = self.labels.as_deref().expect("a clustering came before");
                Lesson::Labels { labels, radii: self.radii.as_deref() }
            }
            Objective::Graph => {
                self.find_graph(watch)?;
                Lesson::Graph(self.graph.as_ref().expect("it was found"))
            }
        };
        let Self { input, config, device, .. } = self;
        let network = self.network.clone().expect("a clustering came before");
        let trained = pass(
            &Desk { input, lesson, config, device },
            self.epoch,
            network,
            self.optimizer.clone(),
            watch,
        )?;
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
            preparation: self.input.preparation().clone(),
            epoch: self.epoch,
            clusters: self.clusters,
            clustering_due: self.clustering_due,
            input_clusters: self.input_clusters.clone(),
            labels: self.labels.clone(),
            weights: self.network.as_ref().map(Network::weights).unwrap_or_default(),
            optimizer: to_bytes(&self.optimizer),
        }
    }

    /// Clusters the newest embedding, or the input, and prepares to train on it.
    fn cluster(&mut self, watch: &mut Watch<'_>) -> Result<Clustered, TrainError> {
        let last = self.epoch == self.config.epochs;
        let compares = last && self.config.cut == Cut::Auto;
        if compares {
            self.neighbors = Some(self.take_neighbors(watch)?);
        }
        let config = &self.config;
        let embedding = match &self.network {
            Some(network) => Some(embedding(network, &self.input, config, &self.device, watch)?),
            None => None,
        };
        let clustering = Clustering { config, clusters: self.clusters.or(config.clusters), last };
        let threads = self.threads;
        let mut run =
            Run::new().threads(threads).progress(|progress| watch(Progress::Clustering(progress)));
        let of_input = |run: &mut Run<'_>| {
            each!(self.input.matrix(), view => {
                clustering.find(view.view(), config.input_metric, None, run)
            })
        };
        // Of all neighbours: with the 15 that training looks at, Reuters loses 27 points, since large
        // topics are then worth less than the input's many small clusters.
        let graph = self.neighbors.as_ref().filter(|_| compares);
        let graph = &graph.map(|neighbors| Graph::of(neighbors, neighbors.k()));
        let graph = graph.as_ref();
        let found = match &embedding {
            Some(embedding) => {
                clustering.find(embedding.view(), config.embedding_metric, graph, &mut run)
            }
            None => of_input(&mut run),
        };
        let mut found = found.map_err(|error| match error {
            // The samples were checked before, so the fault is the network's.
            finch_core::Error::NonFinite { .. } | finch_core::Error::TooLarge { .. } => {
                TrainError::Diverged { epoch: self.epoch }
            }
            error => error.into(),
        })?;
        let mut verdict = None;
        if let (Some(graph), Some(of_input)) = (graph, &self.input_clusters) {
            verdict = Some(Verdict {
                input: graph.modularity(&Partition::new(of_input)?),
                embedding: graph.modularity(&found.merged.clusters),
            });
        }
        if verdict.is_some_and(|verdict| !verdict.helped()) {
            found = of_input(&mut run)?;
        }
        let Found { hierarchy, merged, pseudo_labels } = found;
        if embedding.is_none() {
            self.neighbors = hierarchy.neighbors().cloned();
            self.input_clusters = Some(merged.clusters.labels().to_vec());
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
        } else if self.network.is_none() {
            self.renew(self.config.dimensions);
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
            verdict,
        })
    }

    /// Begins to train, or to train on new pseudo-labels: with a new output layer, and an optimizer that
    /// knows nothing of the steps before.
    fn renew(&mut self, outputs: usize) {
        let random = &mut stream(self.config.seed, Purpose::Weights, self.epoch);
        let device = &self.device.clone().autodiff();
        match &mut self.network {
            Some(network) if !self.config.fresh_weights => {
                network.renew_output(outputs, random, device);
            }
            network => {
                let features = self.input.features();
                *network =
                    Some(Network::new(features, &self.config.hidden, outputs, random, device));
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
        let neighbors = self.take_neighbors(watch)?;
        let mut radii = distances(&self.input, neighbors.index());
        radii.iter_mut().for_each(|radius| *radius *= self.config.adversarial_radius as f32);
        (self.neighbors, self.radii) = (Some(neighbors), Some(radii));
        Ok(())
    }

    /// Finds the graph of nearest neighbours that is learnt from.
    fn find_graph(&mut self, watch: &mut Watch<'_>) -> Result<(), TrainError> {
        if self.graph.is_none() {
            let neighbors = self.take_neighbors(watch)?;
            self.graph = Some(Graph::of(&neighbors, self.config.neighbors));
            self.neighbors = Some(neighbors);
        }
        Ok(())
    }

    /// The nearest neighbours of the input, which are searched again after a pause.
    fn take_neighbors(&mut self, watch: &mut Watch<'_>) -> Result<Neighbors, TrainError> {
        if let Some(neighbors) = self.neighbors.take() {
            return Ok(neighbors);
        }
        let threads = self.threads;
        let mut run =
            Run::new().threads(threads).progress(|progress| watch(Progress::Clustering(progress)));
        Ok(nearest(&self.input, self.config.input_metric, &mut run)?)
    }
}

/// Checks that most pseudo-labels can have more than one sample.
fn expect_few(labels: usize, samples: usize) -> Result<(), TrainError> {
    match labels > samples / 2 {
        true => Err(TrainError::TooManyLabels { labels, samples }),
        false => Ok(()),
    }
}
