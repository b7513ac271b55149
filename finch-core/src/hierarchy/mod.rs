//! The result of clustering: partitions from fine to coarse.

pub(crate) mod dendrogram;
pub(crate) mod link_bound;
pub(crate) mod linkage;
mod persistence;
mod same_samples;
pub(crate) mod tree;

use ndarray::Array2;

use link_bound::LinkBound;

use crate::error::times::TimeFault;
use crate::error::warning::Warning;
use crate::error::{Error, Result};
use crate::neighbors::{Choice, FirstNeighbors, Neighbors, Query};
use crate::partition::Partition;
use crate::partition::means::{cluster_sizes, means};
use crate::partition::times::Timeline;
use crate::partition::undirected::ZeroRows;
use crate::run::Run;
use crate::samples::element::Element;
use crate::samples::metric::Metric;
use crate::samples::weights::Weights;
use crate::samples::{AnySamples, Samples};
use crate::support::memory::caught;

/// All partitions of one clustering (𝓛 in Algorithm 1), the first neighbours that the finest partition
/// comes from, and the metric.
///
/// Partitions are numbered from 0, the finest; each partition is a coarsening of the one before.
/// There is always at least one partition. The hierarchy does not keep the samples: functions that
/// need the samples take them again.
///
/// Two hierarchies are equal if their partitions, neighbours, weights, times, metrics, link bounds and numbers
/// of features are equal, whatever searches found the neighbours.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    pub(crate) partitions: Vec<Partition>,
    pub(crate) first_neighbors: FirstNeighbors,
    pub(crate) neighbors: Option<Neighbors>,
    pub(crate) levels: Vec<Level>,
    /// The first neighbours of the means of each partition, finest first; none where nobody kept them.
    pub(crate) of_means: Vec<FirstNeighbors>,
    pub(crate) query: Query,
    pub(crate) link_bound: LinkBound,
    pub(crate) features: usize,
    pub(crate) weighted: Option<Weighted>,
    /// The times of the samples, if they have some.
    pub(crate) timeline: Option<Timeline>,
    /// The share of the first neighbours that are ties, where they were looked at.
    pub(crate) ties: Option<f64>,
    pub(crate) zero_rows: Option<ZeroRows>,
}

/// The extra parts of a hierarchy of weighted samples.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weighted {
    pub(crate) weights: Weights,
    /// The links of the first level, by which a sample of several copies may be its own neighbour.
    pub(crate) links: FirstNeighbors,
}

/// The search of one level: level 0 is the samples, level 1 the means of the first partition, …
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Level {
    /// The number of samples, or of means.
    pub samples: usize,
    /// The search for the first neighbours of this level; `None` where the caller gave the first
    /// neighbours, or the distances that they follow from.
    pub choice: Option<Choice>,
}

impl PartialEq for Hierarchy {
    fn eq(&self, other: &Self) -> bool {
        let parts = |this: &Self| (this.query.metric, this.link_bound, this.features);
        parts(self) == parts(other)
            && self.partitions == other.partitions
            && self.first_neighbors == other.first_neighbors
            && self.neighbors == other.neighbors
            && self.weighted == other.weighted
            && self.timeline == other.timeline
    }
}

impl Hierarchy {
    /// A hierarchy of these parts, and of no others.
    pub(crate) fn new(
        partitions: Vec<Partition>,
        first_neighbors: FirstNeighbors,
        levels: Vec<Level>,
        query: Query,
        features: usize,
    ) -> Self {
        Self {
            partitions,
            first_neighbors,
            neighbors: None,
            levels,
            of_means: Vec::new(),
            query,
            link_bound: LinkBound::default(),
            features,
            weighted: None,
            timeline: None,
            ties: None,
            zero_rows: None,
        }
    }

    /// The first neighbours of the means of a partition, if they were kept.
    pub(crate) fn neighbors_of_means(&self, partition: usize) -> Option<&FirstNeighbors> {
        self.of_means.get(partition)
    }

    /// The times of the samples, if they have some.
    pub(crate) fn timeline(&self) -> Option<&Timeline> {
        self.timeline.as_ref()
    }

    /// Checks that the samples have no times, where these would not be looked at.
    pub(crate) fn expect_untimed(&self, what: &'static str) -> Result<()> {
        self.timeline
            .as_ref()
            .map_or(Ok(()), |_| Err(Error::InvalidTimes { fault: TimeFault::Ignored { what } }))
    }

    /// All partitions, finest first.
    pub fn partitions(&self) -> &[Partition] {
        &self.partitions
    }

    /// The number of clusters of each partition, falling.
    pub fn cluster_counts(&self) -> Vec<usize> {
        self.partitions.iter().map(Partition::clusters).collect()
    }

    /// The partition with the most clusters: that of the first level.
    pub fn finest(&self) -> &Partition {
        &self.partitions[0]
    }

    /// The partition with the fewest clusters.
    pub fn coarsest(&self) -> &Partition {
        &self.partitions[self.partitions.len() - 1]
    }

    /// A partition by its number, 0 being the finest.
    ///
    /// # Errors
    /// [`Error::NoSuchPartition`].
    pub fn partition(&self, partition: usize) -> Result<&Partition> {
        let partitions = self.partitions.len();
        let missing = Error::NoSuchPartition { partition, partitions };
        self.partitions.get(partition).ok_or(missing)
    }

    /// The number of the finest partition of at most `clusters` clusters, if there is one.
    pub fn at_most(&self, clusters: usize) -> Option<usize> {
        self.partitions.iter().position(|partition| partition.clusters() <= clusters)
    }

    /// The number of the coarsest partition of at least `clusters` clusters, if there is one.
    pub fn at_least(&self, clusters: usize) -> Option<usize> {
        self.partitions.iter().rposition(|partition| partition.clusters() >= clusters)
    }

    /// The number of the partition whose cluster count is nearest to `clusters`; of two that are
    /// equally near, the finer one.
    pub fn closest(&self, clusters: usize) -> usize {
        let off = |&partition: &usize| self.partitions[partition].clusters().abs_diff(clusters);
        (0..self.partitions.len()).min_by_key(off).expect("there is at least one partition")
    }

    /// The number of samples, N.
    pub fn samples(&self) -> usize {
        self.finest().samples()
    }

    /// The number of features of the samples, d; 0 where the hierarchy was made without samples
    /// ([`Finch::fit_graph`](crate::Finch::fit_graph),
    /// [`Finch::fit_distances`](crate::Finch::fit_distances)).
    pub fn features(&self) -> usize {
        self.features
    }

    /// Checks that samples have the shape of those that were clustered, and that a few of them are as far from their
    /// first neighbours. Beside a hierarchy made without samples they may have any number of features.
    ///
    /// # Errors
    /// [`Error::SampleCount`], [`Error::FeatureCount`], [`Error::OtherSamples`]; [`Error::NotBinary`], [`Error::NeedsDense`] under
    /// a metric of bits.
    pub fn expect_samples<'s>(&self, samples: impl Into<AnySamples<'s>>) -> Result<()> {
        let samples = samples.into();
        samples.expect_len(self.samples())?;
        let (expected, found) = (self.features, samples.features());
        if self.has_samples() && found != expected {
            return Err(Error::FeatureCount { expected, found });
        }
        samples.expect_metric(self.metric())?;
        if self.has_samples() { caught(|| self.expect_same(&samples)) } else { Ok(()) }
    }

    /// Checks that the hierarchy was made without samples.
    pub(crate) fn expect_none(&self) -> Result<()> {
        match self.has_samples() {
            true => Err(Error::NeedsSamples { what: "a hierarchy that was made from samples" }),
            false => Ok(()),
        }
    }

    /// True if the hierarchy was made from samples, and not from distances alone.
    pub(crate) fn has_samples(&self) -> bool {
        self.features > 0
    }

    /// The first neighbours of the samples and their distances, and which search found them.
    pub fn first_neighbors(&self) -> &FirstNeighbors {
        &self.first_neighbors
    }

    /// The k nearest neighbours of the samples, whose first column is the first neighbours: those
    /// that the caller brought, or that [`Finch::keep_neighbors`](crate::Finch::keep_neighbors) or
    /// [`Finch::refinable`](crate::Finch::refinable) asked for. `None` if nobody asked, and where the
    /// caller brought first neighbours alone.
    pub fn neighbors(&self) -> Option<&Neighbors> {
        self.neighbors.as_ref()
    }

    /// The metric of samples and of means.
    pub fn metric(&self) -> Metric {
        self.query.metric
    }

    /// The weight of each sample, N numbers, which [`Refine`](crate::Refine), [`Hierarchy::suggest`],
    /// [`Hierarchy::sizes`] and [`Hierarchy::means`] use by themselves; `None` unless the samples were
    /// clustered with weights ([`Finch::fit_weighted`](crate::Finch::fit_weighted)).
    pub fn weights(&self) -> Option<&[f64]> {
        self.checked_weights().map(Weights::as_slice)
    }

    /// The size of each cluster of a partition of the N samples: the sum of its samples' weights, or
    /// without weights the number of its samples.
    ///
    /// # Errors
    /// [`Error::SampleCount`] for a partition of another number of samples, [`Error::OutOfMemory`].
    pub fn sizes(&self, partition: &Partition) -> Result<Vec<f64>> {
        self.expect_partition(partition)?;
        caught(|| Ok(cluster_sizes(partition, self.checked_weights())))
    }

    /// The mean of each cluster of a partition of the N samples, C × d, each sample counting by its
    /// weight; without weights [`Partition::means_with`].
    ///
    /// The copies of a sample ([`Finch::fit_weighted`](crate::Finch::fit_weighted)) are added one by
    /// one, so that whole weights give the means of repeated rows bit for bit.
    ///
    /// # Errors
    /// [`Error::SampleCount`], [`Error::FeatureCount`]: the hierarchy was made from another number of
    /// samples, or of features. [`Error::Threads`], [`Error::OutOfMemory`].
    pub fn means<A: Element>(
        &self,
        partition: &Partition,
        samples: &Samples<'_, A>,
        run: &mut Run<'_>,
    ) -> Result<Array2<A::Mean>> {
        self.expect_samples(samples)?;
        self.expect_partition(partition)?;
        let weights = self.checked_weights();
        let means = run.operate(samples.len(), |run| {
            run.install(|| means(&(*samples).into(), weights, partition))
        })?;
        Ok(means.of_type())
    }

    fn expect_partition(&self, partition: &Partition) -> Result<()> {
        match (self.samples(), partition.samples()) {
            (expected, found) if expected != found => Err(Error::SampleCount { expected, found }),
            _ => Ok(()),
        }
    }

    /// [`Hierarchy::weights`] as they were checked.
    pub(crate) fn checked_weights(&self) -> Option<&Weights> {
        self.weighted.as_ref().map(|weighted| &weighted.weights)
    }

    /// The links that the first partition comes from: to first neighbours, or of samples that stand
    /// for several equal rows to themselves.
    pub(crate) fn links(&self) -> &FirstNeighbors {
        self.weighted.as_ref().map_or(&self.first_neighbors, |weighted| &weighted.links)
    }

    /// The links that could merge clusters.
    pub fn link_bound(&self) -> LinkBound {
        self.link_bound
    }

    /// The searches for first neighbours, level by level. The last level made no partition.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// The warnings of the hierarchy, such as searches that found too few neighbours; empty where
    /// nothing is to be said. Of each kind the one of the finest level is first.
    pub fn warnings(&self) -> Vec<Warning> {
        let asked = self.query.recall;
        let of_level = |(level, of_level): (usize, &Level)| {
            let recall = of_level.choice.and_then(|choice| choice.recall?.estimate.into());
            Warning::of_recall(level, of_level.samples, recall, asked)
        };
        let of_levels = self.levels.iter().enumerate().filter_map(of_level);
        let of_rows =
            self.zero_rows.map(|ZeroRows { rows, first }| Warning::ZeroRows { rows, first });
        of_levels.chain(of_rows).chain(Warning::of_ties(self.ties)).collect()
    }

    /// The search for neighbours that was asked for.
    pub(crate) fn query(&self) -> Query {
        self.query
    }
}
