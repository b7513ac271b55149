//! Merging where the closest cluster to each is searched in a tree, and the pairs wait in a queue.
//!
//! For each cluster the queue has the closest pair that the cluster was in when it was searched: at
//! the start, after it merged, and again when its pair comes first but its partner has changed since
//! the search. Pairs are ordered by height, then by the smaller number, then by the larger one. The
//! cluster closest to a merged cluster is thus known at once, also where heights fall, and no other
//! pair is updated.
//!
//! The first pair of the queue whose clusters have not changed is the closest pair {a, b} of all, ties
//! included. Say a has not changed since b was searched, which holds for a or for b, since each is
//! searched when it changes. Then b was searched among others that a was one of, and its pair in the
//! queue is {a, b} or comes before {a, b}. If the partner of b has not changed, the pair is as close
//! as it says, and so is {a, b} itself. If the partner has changed, the pair comes first, b is searched
//! anew, and finds a.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use rayon::prelude::*;

use super::clusters::{Clusters, Merging};
use super::means_tree::{Closest, Tree};
use crate::hierarchy::dendrogram::Merge;
use crate::run::progress::Meter;
use crate::samples::element::Element;
use crate::support::memory::{collected, collected_in_parallel, filled, room};

/// In place of the number of merges after which a cluster changed, where the cluster is gone.
const GONE: u32 = u32::MAX;

/// Merges clusters, which are in a tree, until `left` are left, and returns the merges; where it is
/// stopped, any merges. Advances the meter by 1 for each cluster, and for each merge.
pub(super) fn merge_by_tree<M: Element<Mean = M>>(
    mut clusters: Clusters<M>,
    mut tree: Tree,
    left: usize,
    meter: &Meter,
) -> Vec<Merge> {
    let mut queue = pairs(&tree, meter);
    // The number of merges after which each cluster last changed.
    let mut changed = filled(0, clusters.len());
    let mut merges = room(clusters.len().saturating_sub(left));
    while clusters.len() - merges.len() > left && !meter.stopped() {
        let pair = queue.pop().expect("each cluster that is left has a pair");
        let has_changed = |cluster: u32| changed[cluster as usize] > pair.merges;
        if has_changed(pair.searched) {
            continue;
        }
        if pair.clusters.into_iter().any(has_changed) {
            queue.push(Pair::of(pair.searched, &tree, merges.len()));
            continue;
        }
        let [a, b] = pair.clusters;
        merges.push(Merge { clusters: [a, b], height: pair.height });
        clusters.join([a, b]);
        tree.join([a, b], &clusters, meter);
        if 2 * (clusters.len() - merges.len()) <= tree.len() {
            tree = tree.rebuilt(&clusters, meter);
        }
        changed[a as usize] = merges.len() as u32;
        changed[b as usize] = GONE;
        // The queue never grows: a pair has left it.
        queue.push(Pair::of(a, &tree, merges.len()));
        meter.advance(1);
    }
    merges
}

/// The pair of each cluster and the closest one to it.
fn pairs(tree: &Tree, meter: &Meter) -> BinaryHeap<Pair> {
    let order = collected(tree.clusters());
    let pairs = order.into_par_iter().map(|cluster| {
        if meter.stopped() {
            return Pair::NONE;
        }
        meter.advance(1);
        Pair::of(cluster, tree, 0)
    });
    BinaryHeap::from(collected_in_parallel(pairs))
}

/// A cluster and the closest one to it, as they were when it was searched.
struct Pair {
    height: f64,
    /// The two clusters, the smaller number first.
    clusters: [u32; 2],
    /// That of the two that the closest one was searched for.
    searched: u32,
    /// The number of merges before it was searched.
    merges: u32,
}

impl Pair {
    const NONE: Self = Self { height: f64::INFINITY, clusters: [0; 2], searched: 0, merges: 0 };

    fn of(searched: u32, tree: &Tree, merges: usize) -> Self {
        let Closest { height, cluster } = tree.closest(searched);
        let clusters = [searched.min(cluster), searched.max(cluster)];
        Self { height, clusters, searched, merges: merges as u32 }
    }
}

/// The queue gives the greatest first: the closest pair, and of equally close ones that with the
/// smallest numbers.
impl Ord for Pair {
    fn cmp(&self, other: &Self) -> Ordering {
        other.height.total_cmp(&self.height).then(other.clusters.cmp(&self.clusters))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Pair {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Pair {}
