//! The training loop: clusterings and epochs in turn.

use std::ops::ControlFlow;

use burn::optim::ModuleOptimizer;
use burn::tensor::Device;
use finch_core::{Contingency, Neighbors, Partition, Run};
use ndarray::Array2;

use super::checkpoint::{Checkpoint, Stored};
use super::clustering::{Clustering, Found};
use super::cut::Merged;
use super::embedding::embedding;
use super::ensemble::{Decision, Judge, Member, decide, learnt};
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

/// The clusters of the newest embedding, or of the input.
struct Newest {
    source: Source,
    /// None of the input.
    embedding: Option<Array2<f32>>,
    found: Found,
    /// The objective that the embedding was learnt by.
    learns: Objective,
}

impl Newest {
    /// Takes its place among the members, with the network that has made it.
    fn join(&self, members: &mut Vec<Member>, network: Option<&Network>) {
        let clusters = self.found.merged.clusters.labels().to_vec();
        let member = Member { source: self.source, clusters, network: network.cloned() };
        match members.iter_mut().find(|member| member.source == self.source) {
            Some(before) => *before = member,
            None => members.push(member),
        }
    }
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
        let decides = self.epoch >= self.config.first_epochs();
        let begins = !decides && self.epoch.is_multiple_of(self.config.epochs);
        let graph = self.graph(watch)?;
        let mut newest = self.newest(begins, graph.as_ref(), watch)?;
        let mut members = self.members.clone();
        if begins || decides {
            newest.join(&mut members, self.network.as_ref());
        }
        let decision = match graph.as_ref().filter(|_| decides) {
            Some(graph) => Some(self.choose(&mut newest, &mut members, graph, watch)?),
            None => None,
        };
        let Newest { embedding, found, learns, .. } = newest;
        let Found { hierarchy, merged, pseudo_labels, scores } = found;
        let agreement = match &pseudo_labels {
            Some(next) => self.teach(next)?,
            None => None,
        };
        if embedding.is_none() {
            self.surroundings.keep(hierarchy.neighbors().cloned());
        }
        (self.members, self.clusters) = (members, Some(merged.clusters.clusters()));
        (self.learns, self.clustering_due) = (learns, false);
        self.second &= decision.is_none();
        if !self.is_last() {
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
            metric: self.config.metric(learns),
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

    /// True if no epoch is left.
    fn is_last(&self) -> bool {
        self.epoch == self.config.all_epochs()
    }

    /// True if clusters found now are pseudo-labels of an objective.
    fn learns_labels(&self, learns: Objective) -> bool {
        !self.is_last() && learns == Objective::Labels
    }

    /// The graph of the input's neighbours, where it chooses the cut of an embedding.
    fn graph(&mut self, watch: &mut Watch<'_>) -> Result<Option<Graph>, TrainError> {
        let Self { input, config, surroundings, threads, .. } = self;
        if self.epoch == 0 || config.cut != Cut::Auto {
            return Ok(None);
        }
        let neighbors = surroundings.neighbors(input, config, *threads, watch)?;
        // Of all neighbours: with the 15 that training looks at, Reuters loses 27 points, since
        // large topics are then worth less than the input's many small clusters.
        Ok(Some(Graph::of(neighbors, neighbors.k())))
    }

    /// Clusters of the newest embedding or, before there is one, of the input.
    fn newest(
        &self,
        begins: bool,
        graph: Option<&Graph>,
        watch: &mut Watch<'_>,
    ) -> Result<Newest, TrainError> {
        let learns = self.learns;
        let Some(network) = &self.network else {
            let labels = self.config.objectives.contains(&Objective::Labels);
            let found = self.in_input(labels, watch)?;
            return Ok(Newest { source: Source::Input, embedding: None, found, learns });
        };
        let source = if self.second { Source::SecondGraph } else { learns.into() };
        let labels = !begins && self.learns_labels(learns);
        let (embedding, found) = self.in_embedding(network, learns, labels, graph, watch)?;
        Ok(Newest { source, embedding: Some(embedding), found, learns })
    }

    /// Decides among the members, and goes on with the network that is kept. A network that judges no more is dropped.
    fn choose(
        &mut self,
        newest: &mut Newest,
        members: &mut [Member],
        graph: &Graph,
        watch: &mut Watch<'_>,
    ) -> Result<Decision, TrainError> {
        let judges = self.judges(members, watch)?;
        let has_judges = !judges.is_empty();
        let made = decide(members, &judges, graph, newest.found.merged.clusters.clusters())?;
        // The network that is kept is chosen once, and goes on.
        let chooses =
            |kept: &Objective| if has_judges { self.second } else { *kept != newest.learns };
        if let Some(kept) = made.kept.filter(chooses) {
            let of_kept = members.iter().find(|member| member.source == kept.into());
            if let Some(network) = of_kept.and_then(|member| member.network.clone()) {
                let labels = self.learns_labels(kept);
                let (embedding, found) =
                    self.in_embedding(&network, kept, labels, Some(graph), watch)?;
                (newest.embedding, newest.found, newest.learns) = (Some(embedding), found, kept);
                self.network = Some(network);
            }
        }
        if made.result == Source::Input {
            let of_input = self.in_input(false, watch)?;
            let pseudo_labels = newest.found.pseudo_labels.take();
            newest.found = Found { pseudo_labels, ..of_input };
        }
        for member in members {
            let judges = has_judges && learnt(member.source) == Some(Objective::Graph);
            member.network.take_if(|_| !judges);
        }
        Ok(made)
    }

    /// Takes the pseudo-labels of the next epochs, and says how far they agree with those before.
    fn teach(&mut self, next: &Partition) -> Result<Option<f64>, TrainError> {
        if next.clusters() < 2 {
            return Err(TrainError::OneLabel { epoch: self.epoch });
        }
        expect_few(next.clusters(), self.input.samples())?;
        let agreement = match self.labels.as_ref().filter(|_| self.epoch > 0) {
            Some(before) => Some(Contingency::new(next.labels(), before)?.scores()?.nmi),
            None => None,
        };
        self.labels = Some(next.labels().to_vec());
        Ok(agreement)
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
