//! The tree of a hierarchy: single samples, the clusters of each partition, and the root.

use super::Tree;
use super::joins::{Joins, cap, rise};
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::partition::Partition;
use crate::run::Run;

impl Hierarchy {
    /// The tree from single samples up through all P partitions to one root: N leaves.
    ///
    /// Heights count levels. Cut at height p + 1, the tree gives partition p: in SciPy,
    /// `fcluster(Z, p + 1, "distance")`.
    ///
    /// - From 0 to 1: samples join along the links to their first neighbours, shortest first, those
    ///   of equal length by the number of the sample. The height is the length of the link, as a
    ///   part of the longest one. No two heights are equal, if by a last digit only, so that
    ///   `fcluster(Z, K, "maxclust")` makes the K clusters that [`Refine`](crate::Refine) makes
    ///   wherever it splits the finest partition, which has fewer. Under cosine equal samples may be
    ///   parted, which `Refine` first joins: a hierarchy keeps no samples to tell them from parallel ones.
    /// - At p + 1, for p from 1 to P − 1: the clusters of partition p − 1 that share a cluster of
    ///   partition p. FINCH joins them at once, in no order.
    /// - At P + 1: the clusters of the coarsest partition, which FINCH leaves apart.
    ///
    /// # Errors
    /// [`Error::Threads`](crate::Error::Threads), [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn tree(&self) -> Result<Tree> {
        operate(self.samples(), || {
            let mut joins = joins_into(self, self.coarsest());
            joins.join_groups(|_| 0, self.partitions().len() as f64 + 1.0);
            Tree::of(joins)
        })
    }
}

/// Runs `work` on this thread, as one operation.
pub(super) fn operate<T: Send>(samples: usize, work: impl FnOnce() -> T + Send) -> Result<T> {
    Run::new().threads(1).operate(samples, |run| run.install(work))
}

/// The joins of samples into the clusters of a partition of the hierarchy, at the heights of
/// [`Hierarchy::tree`].
pub(super) fn joins_into(hierarchy: &Hierarchy, last: &Partition) -> Joins {
    let mut joins = Joins::new(hierarchy.samples());
    let finest = hierarchy.finest().labels();
    let nearest = hierarchy.links();
    let lengths = nearest.distance();
    let longest = lengths.iter().copied().filter(|length| length.is_finite()).fold(0.0, f64::max);
    for (sample, neighbor) in nearest.links_by_length() {
        // First neighbours that were given need not be what the partition comes from.
        if finest.get(neighbor as usize) == Some(&finest[sample as usize]) {
            let length = lengths[sample as usize];
            let part = if longest > 0.0 { f64::min(length / longest, 1.0) } else { 0.0 };
            joins.join(sample, neighbor, part);
        }
    }
    rise(joins.joined());
    cap(joins.joined(), 1.0);
    for (partition, height) in hierarchy.partitions().iter().zip(1..) {
        let labels = partition.labels();
        joins.join_groups(|sample| labels[sample as usize], f64::from(height));
        if partition.clusters() == last.clusters() {
            break;
        }
    }
    joins
}
