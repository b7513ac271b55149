//! Merges of clusters that no link joins: of which nothing is known but the partitions they are in.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::rules::{Joins, Partners, merge_by_rules};
use crate::hierarchy::Hierarchy;
use crate::hierarchy::dendrogram::Merge;
use crate::partition::Partition;
use crate::run::progress::Meter;
use crate::support::memory::{filled, room};
use crate::support::union_find::Sets;

/// Merges clusters between which there is no link, and that have no means, until `clusters` are left.
///
/// Clusters that share a cluster of a partition of the hierarchy merge first, in the order of the
/// partitions and in each in the order of samples: the partitions were made from all distances that
/// were known. Then the two of fewest samples merge, of equals those of the smallest numbers. So would
/// Ward linkage merge clusters whose means are all equally far apart. The largest stay apart, and what
/// is a few samples only is not a cluster for want of a link.
pub(crate) fn merge_pieces(
    hierarchy: &Hierarchy,
    pieces: &Partition,
    clusters: usize,
) -> Vec<Merge> {
    const UNSEEN: u32 = u32::MAX;
    let mut merges = room(pieces.clusters().saturating_sub(clusters));
    let mut sets = Sets::new(pieces.clusters());
    let mut sizes = pieces.cluster_sizes();
    let mut join = |sets: &mut Sets, sizes: &mut [usize], pair: [u32; 2]| {
        let [kept, gone] = [pair[0].min(pair[1]), pair[0].max(pair[1])];
        sets.join(kept, gone);
        sizes[kept as usize] += std::mem::take(&mut sizes[gone as usize]);
        merges.push(Merge { clusters: [kept, gone], height: f64::INFINITY });
        kept
    };
    for partition in hierarchy.partitions() {
        let mut seen = filled(UNSEEN, partition.clusters());
        for (&piece, &cluster) in pieces.labels().iter().zip(partition.labels()) {
            let seen = &mut seen[cluster as usize];
            if *seen == UNSEEN {
                *seen = piece;
            }
            let pair = [*seen, piece].map(|piece| sets.root(piece));
            if pair[0] != pair[1] && sets.count() > clusters {
                join(&mut sets, &mut sizes, pair);
            }
        }
    }
    let left = (0..).zip(&sizes).filter(|(_, size)| **size > 0);
    let mut smallest = BinaryHeap::from(room(sets.count()));
    smallest.extend(left.map(|(piece, &size): (u32, _)| Reverse((size, piece))));
    while sets.count() > clusters {
        let pair = [(); 2].map(|()| smallest.pop().expect("two are left").0.1);
        let kept = join(&mut sets, &mut sizes, pair);
        smallest.push(Reverse((sizes[kept as usize], kept)));
    }
    merges
}

/// Merges such clusters under rules: the two of fewest samples that may join, of equals those of the
/// smallest numbers.
pub(crate) fn merge_pieces_by_rules(
    pieces: &Partition,
    joins: &mut Joins<'_>,
    meter: &Meter,
) -> Vec<Merge> {
    merge_by_rules(Pieces { sizes: pieces.cluster_sizes() }, joins, meter)
}

/// The number of samples of each piece; 0 if it is gone.
struct Pieces {
    sizes: Vec<usize>,
}

impl Partners for Pieces {
    /// The larger size of the two, then the smaller one.
    type Closeness = Reverse<[usize; 2]>;

    fn closest(
        &mut self,
        cluster: u32,
        may: &(dyn Fn(u32) -> bool + Sync),
    ) -> Option<(Self::Closeness, u32)> {
        let size = self.sizes[cluster as usize];
        let others = (0..).zip(&self.sizes);
        let others = others.filter(|&(other, &size)| size > 0 && other != cluster && may(other));
        let pairs = others.map(|(other, &of_other)| {
            (Reverse([size.max(of_other), size.min(of_other)]), Reverse(other))
        });
        let (closeness, Reverse(other)) = pairs.max()?;
        Some((closeness, other))
    }

    fn join(&mut self, [kept, gone]: [u32; 2]) {
        self.sizes[kept as usize] += std::mem::take(&mut self.sizes[gone as usize]);
    }

    fn height(_: Self::Closeness) -> f64 {
        f64::INFINITY
    }
}
