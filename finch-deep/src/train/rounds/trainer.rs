//! The training loop: clusterings and epochs in turn.

use std::ops::ControlFlow;

use burn::optim::ModuleOptimizer;
use burn::tensor::Device;
use finch_core::{Contingency, Neighbors, Run};
use ndarray::Array2;

use super::checkpoint::{Checkpoint, Stored};
use super::clustering::{Clustering, Found};
use super::cut::Merged;
use super::embedding::embedding;
use super::ensemble::{Judge, Member, decide, learnt};
use super::epoch::{Trained, pass};
use super::event::{Clustered, Event};
use super::round::Round;
use super::surroundings::Surroundings;
use crate::data::Matrix;
use crate::metrics::Source;
use crate::train::config::{Config, Cut, Objective, PseudoLabels};
use crate::train::error::TrainError;
use crate::train::loss::graph::Graph;
use crate::train::loss::lesson::{Desk, Lesson};
use crate::train::network::Network;
use crate::train::network::device::Backend;
use crate::train::network::features::{Features, Prepare};
use crate::train::network::optimizer::{from_bytes, optimizer, to_bytes};
use crate::train::progress::{Progress, Watch};
use crate::train::random::{Purpose, stream};
use crate::with_matrix;

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
    /// Clusters of the input, once it is clustered, and of each network that is trained to its end.
    members: Vec<Member>,
    /// Pseudo-labels of the newest clustering.
    labels: Option<Vec<u32>>,
    /// True if a clustering is what comes next.
    clustering_due: bool,
    surroundings: Surroundings,
    network: Option<Network>,
    /// The objective of the network or, at the end, of the network that is kept.
    learns: Objective,
    /// True while the network is the second of the graph.
    second: bool,
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
            _ if !config.objectives.contains(&Objective::Labels) => None,
            PseudoLabels::Partition(_) => None,
            PseudoLabels::Clusters(count) => Some(count),
            PseudoLabels::TimesClusters(times) => {
                config.clusters.map(|clusters| clusters.saturating_mul(times))
            }
        };
        if let Some(labels) = asked_for {
            expect_few(labels, input.samples())?;
        }
        let widths = [input.width()].into_iter().chain(config.hidden.iter().copied());
        let weights = widths.zip(&config.hidden).map(|(from, &to)| from.saturating_mul(to));
        if weights.fold(0, usize::saturating_add) > MOST_WEIGHTS {
            let allowed = "narrower: these layers have more than 2³¹ weights";
            return Err(TrainError::Setting { name: "hidden", allowed });
        }
        let (checksum, optimizer) = (input.checksum(), optimizer(&config));
        let learns = config.objectives[0];
        Ok(Self {
            input,
            checksum,
            config,
            device: backend.device()?,
            threads: 0,
            epoch: 0,
            clusters: None,
            members: Vec::new(),
            labels: None,
            clustering_due: true,
            surroundings: Surroundings::default(),
            network: None,
            learns,
            second: false,
            optimizer,
        })
    }

    /// Goes on from a checkpoint, with the same samples.
    ///
    /// # Errors
    /// The errors of [`Trainer::new`]; [`TrainError::Features`] and [`TrainError::OtherInput`] if the
    /// samples are not those of the checkpoint.
    pub fn resume(
        samples: Matrix<'a>,
        checkpoint: &Checkpoint,
        backend: Backend,
    ) -> Result<Self, TrainError> {
        let (rows, found) = with_matrix!(&samples, view => view.dim());
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
        trainer.members = checkpoint.members(&device);
        trainer.labels.clone_from(&checkpoint.labels);
        trainer.clustering_due = checkpoint.clustering_due;
        (trainer.network, trainer.learns) = (checkpoint.network(&device), checkpoint.learns);
        trainer.second = checkpoint.second;
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

    /// The nearest neighbours of the input in which the result is decided, once it is.
    pub fn neighbors(&self) -> Option<&Neighbors> {
        let decided = self.is_done() && self.config.cut == Cut::Auto;
        self.surroundings.found().filter(|_| decided)
    }

    /// CRC-32 of the samples' values, row by row as little-endian f64.
    pub fn checksum(&self) -> u32 {
        self.checksum
    }

    /// Epochs done so far.
    pub fn epoch(&self) -> usize {
        self.epoch
    }

    /// True if all epochs are done and the last embedding is clustered.
    pub fn is_done(&self) -> bool {
        self.epoch == self.config.all_epochs() && !self.clustering_due
    }

    /// Does what is next: a clustering before the first epoch, after every
    /// [`relabel_every`](Config::relabel_every) of a network that learns labels, after the last one of
    /// each network, and after each of [`rounds`](Config::rounds); else an epoch. After the end it
    /// clusters the last embedding again.
    ///
    /// # Errors
    /// [`TrainError::OneLabel`] and [`TrainError::TooManyLabels`] for pseudo-labels that teach
    /// nothing, [`TrainError::Diverged`], and [`TrainError::Core`]. The work that was done before is kept.
    pub fn advance(&mut self) -> Result<Event, TrainError> {
        self.advance_watched(&mut |_| ControlFlow::Continue(()))
    }

    /// [`Trainer::advance`] with a callback.
    ///
    /// # Errors
    /// The errors of [`Trainer::advance`], and [`TrainError::Stopped`] if the callback stopped the run;
    /// the trainer is then as it was before the call.
    pub fn advance_watched(&mut self, watch: &mut Watch<'_>) -> Result<Event, TrainError> {
        if self.clustering_due || self.is_done() {
            return self.cluster(watch).map(Box::new).map(Event::Clustered);
        }
        let Self { input, config, device, surroundings, threads, .. } = self;
        let round = Round::of(config, self.learns, self.epoch);
        let lesson = match self.learns {
            Objective::Labels => Lesson::Labels {
                labels: self.labels.as_deref().expect("a clustering came before"),
                radii: surroundings.radii(input, config, *threads, watch)?,
            },
            Objective::Graph => Lesson::Graph(surroundings.graph(input, config, *threads, watch)?),
        };
        let network = self.network.clone().expect("a clustering came before");
        let trained = pass(
            &Desk { input, lesson, config, device },
            self.epoch,
            round,
            network,
            self.optimizer.clone(),
            watch,
        )?;
        let Trained { network, optimizer, epoch } = trained;
        (self.network, self.optimizer, self.epoch) = (Some(network), optimizer, epoch.epoch);
        self.clustering_due = round.is_last_epoch();
        Ok(Event::Trained(epoch))
    }

    /// The state to store, so that a later [`Trainer::resume`] goes on from here.
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
            members: self.members.iter().map(Stored::of).collect(),
            learns: self.learns,
            second: self.second,
            labels: self.labels.clone(),
            weights: self.network.as_ref().map(Network::weights).unwrap_or_default(),
            optimizer: to_bytes(&self.optimizer),
        }
    }

    /// Clusters the newest embedding, or the input, and prepares to train on it; once all networks are
    /// trained decides what the result is.
    fn cluster(&mut self, watch: &mut Watch<'_>) -> Result<Clustered, TrainError> {
        let Self { input, config, surroundings, threads, .. } = self;
        let last = self.epoch == config.all_epochs();
        let decides = self.epoch >= config.first_epochs();
        let begins = !decides && self.epoch.is_multiple_of(config.epochs);
        let learns_labels = |learns| !last && learns == Objective::Labels;
        let graph = match self.epoch > 0 && config.cut == Cut::Auto {
            true => {
                let neighbors = surroundings.neighbors(input, config, *threads, watch)?;
                // Of all neighbours: with the 15 that training looks at, Reuters loses 27 points, since
                // large topics are then worth less than the input's many small clusters.
                Some(Graph::of(neighbors, neighbors.k()))
            }
            false => None,
        };
        let graph = graph.as_ref();
        let (mut embedding, mut found) = match &self.network {
            Some(network) => {
                let labels = !begins && learns_labels(self.learns);
                let (embedding, found) =
                    self.in_embedding(network, self.learns, labels, graph, watch)?;
                (Some(embedding), found)
            }
            None => {
                let labels = self.config.objectives.contains(&Objective::Labels);
                (None, self.in_input(labels, watch)?)
            }
        };
        let mut members = self.members.clone();
        let source = match embedding.is_some() {
            true if self.second => Source::SecondGraph,
            true => self.learns.into(),
            false => Source::Input,
        };
        if begins || decides {
            let clusters = found.merged.clusters.labels().to_vec();
            let member = Member { source, clusters, network: self.network.clone() };
            match members.iter_mut().find(|member| member.source == source) {
                Some(before) => *before = member,
                None => members.push(member),
            }
        }
        let mut learns = self.learns;
        let mut decision = None;
        if let Some(graph) = graph.filter(|_| decides) {
            let judges = self.judges(&members, watch)?;
            let made = decide(&members, &judges, graph, found.merged.clusters.clusters())?;
            // The network that is kept is chosen once, and goes on.
            let chooses =
                |kept: &Objective| if judges.is_empty() { *kept != learns } else { self.second };
            let chosen = made.kept.filter(chooses);
            if let Some(kept) = chosen {
                let of_kept = members.iter().find(|member| member.source == kept.into());
                if let Some(network) = of_kept.and_then(|member| member.network.clone()) {
                    let (places, in_places) =
                        self.in_embedding(&network, kept, learns_labels(kept), Some(graph), watch)?;
                    (embedding, found, learns) = (Some(places), in_places, kept);
                    self.network = Some(network);
                }
            }
            if made.result == Source::Input {
                let pseudo_labels = found.pseudo_labels;
                found = Found { pseudo_labels, ..self.in_input(false, watch)? };
            }
            for member in &mut members {
                let judges = !judges.is_empty() && learnt(member.source) == Some(Objective::Graph);
                member.network.take_if(|_| !judges);
            }
            decision = Some(made);
        }
        let Found { hierarchy, merged, pseudo_labels, scores } = found;
        let mut agreement = None;
        if let Some(next) = &pseudo_labels {
            if next.clusters() < 2 {
                return Err(TrainError::OneLabel { epoch: self.epoch });
            }
            expect_few(next.clusters(), self.input.samples())?;
            if let Some(before) = self.labels.as_ref().filter(|_| self.epoch > 0) {
                agreement = Some(Contingency::new(next.labels(), before)?.scores()?.nmi);
            }
            self.labels = Some(next.labels().to_vec());
        }
        if embedding.is_none() {
            self.surroundings.keep(hierarchy.neighbors().cloned());
        }
        (self.members, self.clusters) = (members, Some(merged.clusters.clusters()));
        (self.learns, self.clustering_due) = (learns, false);
        self.second &= decision.is_none();
        let metric = self.config.metric(learns);
        if !last {
            self.renew(begins);
        }
        let Merged { clusters, linkage, from } = merged;
        let mut clustered = Clustered {
            epoch: self.epoch,
            hierarchy,
            clusters,
            linkage: Some(linkage),
            from,
            pseudo_labels,
            agreement,
            embedding,
            metric,
            result: None,
            scores,
            candidates: Vec::new(),
        };
        if let Some(decision) = decision {
            if decision.result == Source::Consensus {
                (clustered.linkage, clustered.from) = (None, None);
                clustered.clusters = decision.taken().clusters.clone();
            }
            clustered.result = Some(decision.result);
            clustered.candidates = decision.candidates;
        }
        Ok(clustered)
    }

    /// Clusters the input.
    fn in_input(&self, labels: bool, watch: &mut Watch<'_>) -> Result<Found, TrainError> {
        let config = &self.config;
        let clustering = Clustering { config, clusters: self.clusters.or(config.clusters), labels };
        let mut run = Run::new()
            .threads(self.threads)
            .progress(|progress| watch(Progress::Clustering(progress)));
        let found = with_matrix!(self.input.matrix(), view => {
            clustering.find(view.view(), config.input_metric, None, &mut run)
        });
        Ok(found?)
    }

    /// Computes the embedding of a network, and clusters it.
    fn in_embedding(
        &self,
        network: &Network,
        learnt: Objective,
        labels: bool,
        graph: Option<&Graph>,
        watch: &mut Watch<'_>,
    ) -> Result<(Array2<f32>, Found), TrainError> {
        let Self { input, config, device, .. } = self;
        let embedding = embedding(network, learnt, input, config, device, watch)?;
        let clustering = Clustering { config, clusters: self.clusters.or(config.clusters), labels };
        let mut run = Run::new()
            .threads(self.threads)
            .progress(|progress| watch(Progress::Clustering(progress)));
        let found = clustering.find(embedding.view(), self.config.metric(learnt), graph, &mut run);
        let found = found.map_err(|error| match error {
            // The samples were checked before, so the fault is the network's.
            finch_core::Error::NonFinite { .. } | finch_core::Error::TooLarge { .. } => {
                TrainError::Diverged { epoch: self.epoch }
            }
            error => error.into(),
        })?;
        Ok((embedding, found))
    }

    /// The embeddings of the networks of the graph, if there are two.
    fn judges(&self, members: &[Member], watch: &mut Watch<'_>) -> Result<Vec<Judge>, TrainError> {
        let Self { input, config, device, .. } = self;
        let mut judges = Vec::new();
        if !members.iter().any(|member| member.source == Source::SecondGraph) {
            return Ok(judges);
        }
        for Member { source, network, .. } in members {
            let learnt = learnt(*source).filter(|learnt| *learnt == Objective::Graph);
            if let (Some(learnt), Some(network)) = (learnt, network) {
                let embedding = embedding(network, learnt, input, config, device, watch)?;
                judges.push(Judge { source: *source, embedding });
            }
        }
        Ok(judges)
    }

    /// Begins to train a network, or goes on with the one that there is: on new pseudo-labels with a new
    /// output layer, and always with an optimizer that knows nothing of the steps before.
    fn renew(&mut self, begins: bool) {
        if begins {
            (self.learns, self.second) = self.config.network(self.epoch);
        }
        let outputs = match (self.learns, &self.labels) {
            (Objective::Labels, Some(labels)) => {
                labels.iter().max().map_or(0, |&last| last as usize + 1)
            }
            _ => self.config.dimensions,
        };
        let random = &mut stream(self.config.seed, Purpose::Weights, self.epoch);
        let device = &self.device.clone().autodiff();
        match &mut self.network {
            Some(_) if !begins && self.learns == Objective::Graph => {}
            Some(network) if !begins && !self.config.fresh_weights => {
                network.renew_output(outputs, random, device);
            }
            network => {
                let features = self.input.width();
                *network =
                    Some(Network::new(features, &self.config.hidden, outputs, random, device));
            }
        }
        self.optimizer = optimizer(&self.config);
    }
}

/// Checks that most pseudo-labels can have more than one sample.
fn expect_few(labels: usize, samples: usize) -> Result<(), TrainError> {
    match labels > samples / 2 {
        true => Err(TrainError::TooManyLabels { labels, samples }),
        false => Ok(()),
    }
}
