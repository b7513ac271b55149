//! The result of clustering: partitions from fine to coarse.

use crate::element::Element;
use crate::error::{Error, Result};
use crate::metric::Metric;
use crate::neighbors::{Choice, FirstNeighbors, Neighbors, Query};
use crate::partition::Partition;
use crate::samples::Samples;

/// All partitions of one clustering (𝓛 in Algorithm 1), the first neighbours that the finest partition
/// comes from, and the metric.
///
/// Partitions are numbered from 0, the finest; each partition is a coarsening of the one before.
/// There is always at least one partition. The hierarchy does not keep the samples: functions that
/// need the samples take them again.
///
/// Two hierarchies are equal if their partitions, neighbours, metrics and numbers of features are
/// equal, whatever searches found the neighbours.
#[derive(Clone, Debug)]
pub struct Hierarchy {
    partitions: Vec<Partition>,
    first_neighbors: FirstNeighbors,
    neighbors: Option<Neighbors>,
    levels: Vec<Level>,
    query: Query,
    features: usize,
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
        let parts = |this: &Self| (this.query.metric, this.features);
        parts(self) == parts(other)
            && self.partitions == other.partitions
            && self.first_neighbors == other.first_neighbors
            && self.neighbors == other.neighbors
    }
}

impl Hierarchy {
    pub(crate) fn new(
        partitions: Vec<Partition>,
        first_neighbors: FirstNeighbors,
        neighbors: Option<Neighbors>,
        levels: Vec<Level>,
        query: Query,
        features: usize,
    ) -> Self {
        Self { partitions, first_neighbors, neighbors, levels, query, features }
    }

    /// Keeps the k nearest neighbours.
    pub(crate) fn keep(&mut self, neighbors: Neighbors) {
        self.neighbors = Some(neighbors);
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

    /// Checks that samples have the shape of those that were clustered. Beside a hierarchy made
    /// without samples they may have any number of features.
    ///
    /// # Errors
    /// [`Error::SampleCount`], [`Error::FeatureCount`].
    pub fn expect_samples<A: Element>(&self, samples: &Samples<'_, A>) -> Result<()> {
        samples.expect_len(self.samples())?;
        let (expected, found) = (self.features, samples.features());
        if self.has_samples() && found != expected {
            return Err(Error::FeatureCount { expected, found });
        }
        Ok(())
    }

    /// Checks that the hierarchy was made without samples.
    pub(crate) fn expect_none(&self) -> Result<()> {
        match self.has_samples() {
            true => Err(Error::NeedsSamples { what: "a hierarchy that was made from samples" }),
            false => Ok(()),
        }
    }

    /// Whether the hierarchy was made from samples, and not from distances alone.
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

    /// How first neighbours were searched, level by level. The last level made no partition.
    pub fn levels(&self) -> &[Level] {
        &self.levels
    }

    /// How neighbours were asked to be searched.
    pub(crate) fn query(&self) -> Query {
        self.query
    }
}
