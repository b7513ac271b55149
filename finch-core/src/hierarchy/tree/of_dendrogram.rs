//! The tree of a dendrogram, from the clusters that it starts from or from single samples.

use super::Tree;
use super::joins::{Joins, rise};
use super::of_hierarchy::{joins_into, operate};
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::hierarchy::dendrogram::Dendrogram;
use crate::partition::Partition;
use crate::support::memory::{collected, gathered};

impl Dendrogram {
    /// The tree whose leaves are the clusters of [`Dendrogram::start`].
    ///
    /// Heights are those of the merges ([`Merge::height`](crate::Merge::height)), but they rise from
    /// each join to the next, so that every cut is to be had: in SciPy, `fcluster(Z, K, "maxclust")`
    /// is [`Dendrogram::cut`] to K clusters.
    ///
    /// - A merge that is not higher than all before (centroid linkage inverts) gets the next number
    ///   above the highest before.
    /// - Infinite heights (of clusters that no link connects) become twice the largest finite
    ///   height: 2 if there is no finite height, 1 if all finite heights are 0. Clusters that the
    ///   dendrogram leaves apart join there, too: the tree has one root, however few merges were asked
    ///   for.
    ///
    /// # Errors
    /// [`Error::Threads`], [`Error::OutOfMemory`].
    pub fn tree(&self) -> Result<Tree> {
        let clusters = self.start().clusters();
        operate(clusters, || {
            let leaves = collected(0..clusters as u32);
            self.finished(Joins::new(clusters), &leaves, &Scale::of(self))
        })
    }

    /// The tree whose leaves are the samples: below the joins of [`Dendrogram::tree`] are those of
    /// [`Hierarchy::tree`] that lead to the partition that the dendrogram starts from.
    ///
    /// Heights of [`Hierarchy::tree`] and of merges have no common unit. The former are scaled so
    /// that the starting partition is complete at the height of the first merge (at 1 without a
    /// merge of finite height). Then all heights rise, as in [`Dendrogram::tree`], so that
    /// `fcluster(Z, K, "maxclust")` is [`Dendrogram::cut`] to K clusters, and for a larger K, where
    /// the dendrogram starts from the finest partition, what [`Refine`](crate::Refine) makes.
    ///
    /// # Errors
    /// [`Error::SampleCount`], [`Error::OtherHierarchy`]: the dendrogram is not one of this
    /// hierarchy. [`Error::Threads`], [`Error::OutOfMemory`].
    pub fn tree_of_samples(&self, hierarchy: &Hierarchy) -> Result<Tree> {
        let start = self.start();
        let (expected, found) = (start.samples(), hierarchy.samples());
        if found != expected {
            return Err(Error::SampleCount { expected, found });
        }
        let number = hierarchy.partitions().iter().position(|partition| partition == start);
        let other = Error::OtherHierarchy { clusters: start.clusters() };
        let levels = number.ok_or(other)? as f64 + 1.0;
        operate(found, || {
            let scale = Scale::of(self);
            let mut joins = joins_into(hierarchy, start);
            for join in joins.joined() {
                join.height *= scale.first / levels;
            }
            self.finished(joins, &first_samples(start), &scale)
        })
    }

    /// Adds the merges to joins, and joins what is left. `leaves` has one leaf of each cluster.
    fn finished(&self, mut joins: Joins, leaves: &[u32], scale: &Scale) -> Tree {
        for merge in self.merges() {
            let [a, b] = merge.clusters.map(|cluster| leaves[cluster as usize]);
            joins.join(a, b, f64::min(merge.height, scale.top));
        }
        joins.join_groups(|_| 0, scale.top);
        rise(joins.joined());
        Tree::of(joins)
    }
}

/// The heights between which those of a dendrogram's tree lie.
struct Scale {
    /// The height of the first merge, or 1 if there is none of finite height.
    first: f64,
    /// In the place of infinite heights: above all finite ones.
    top: f64,
}

impl Scale {
    fn of(dendrogram: &Dendrogram) -> Self {
        let heights = dendrogram.merges().iter().map(|merge| merge.height);
        let mut finite = heights.filter(|height| height.is_finite());
        let first = finite.next().unwrap_or(1.0);
        let largest = finite.fold(first, f64::max);
        Self { first, top: if largest > 0.0 { 2.0 * largest } else { 1.0 } }
    }
}

/// The first sample of each cluster.
fn first_samples(partition: &Partition) -> Vec<u32> {
    let mut seen = 0;
    // Clusters are numbered by first appearance.
    gathered((0..).zip(partition.labels()).filter_map(|(sample, &label)| {
        let first = label == seen;
        seen += u32::from(first);
        first.then_some(sample)
    }))
}
