//! Merging under rules, by any linkage.
//!
//! A queue has, for each cluster, the closest pair that the cluster may join in, as it was when the
//! cluster was searched: at the start, after it merged, and again when its pair comes first but the
//! partner has changed since. The first pair of the queue whose clusters have not changed is the closest
//! of all that may join, ties included, for the reason that `merging/by_means/queue.rs` gives: a pair that
//! may join now was allowed when the later of its two clusters was searched, since no pair is ever
//! allowed anew.
//!
//! The rule for two clusters of the least size is the exception: it changes to and fro. Their pairs are
//! laid aside while the rule forbids them, and such a cluster then has a second pair in the queue, with
//! the closest of the smaller clusters.

use std::cmp::Ordering;
use std::collections::BinaryHeap;

use super::joins::Joins;
use crate::hierarchy::dendrogram::Merge;
use crate::run::progress::Meter;
use crate::support::memory::{filled, push, reserve_queue, room};

/// Clusters that are being merged. A merged cluster keeps the smaller of its two numbers.
pub(crate) trait Partners {
    /// The closeness of two clusters; the greater, the closer.
    type Closeness: Copy + Ord;

    /// The closest to a cluster of the others that may join it, of equals the one with the smallest
    /// number.
    fn closest(
        &mut self,
        cluster: u32,
        may: &(dyn Fn(u32) -> bool + Sync),
    ) -> Option<(Self::Closeness, u32)>;

    /// A pair of clusters, the smaller number first, that merges before the closest one, which is given with
    /// its closeness.
    fn sooner(
        &mut self,
        _closest: [u32; 2],
        _closeness: Self::Closeness,
        _may: &(dyn Fn([u32; 2]) -> bool + Sync),
    ) -> Option<[u32; 2]> {
        None
    }

    /// Merges the second cluster into the first, which has the smaller number.
    fn join(&mut self, pair: [u32; 2]);

    /// The height of a merge.
    fn height(closeness: Self::Closeness) -> f64;
}

/// In place of the number of merges after which a cluster changed, where the cluster is gone.
const GONE: u32 = u32::MAX;

/// Merges until as many clusters are left as are wanted, or no two may join, or it is stopped. Advances
/// the meter by 1 for each merge.
pub(crate) fn merge_by_rules<P: Partners>(
    partners: P,
    joins: &mut Joins<'_>,
    meter: &Meter,
) -> Vec<Merge> {
    let clusters = joins.len();
    let (queue, changed) = (BinaryHeap::from(room(clusters)), filled(0, clusters));
    let merges = room(clusters.saturating_sub(joins.wanted()));
    let mut merging = Merging { partners, joins, queue, aside: Vec::new(), changed, merges };
    for cluster in 0..clusters as u32 {
        if meter.stopped() {
            break;
        }
        merging.search(cluster);
    }
    while merging.joins.left() > merging.joins.wanted() && !meter.stopped() {
        if !merging.step() {
            break;
        }
        meter.advance(1);
    }
    merging.merges
}

struct Merging<'m, 'r, P: Partners> {
    partners: P,
    joins: &'m mut Joins<'r>,
    queue: BinaryHeap<Pair<P::Closeness>>,
    /// Pairs of two clusters of the least size, while these may not join.
    aside: Vec<Pair<P::Closeness>>,
    /// The number of merges after which each cluster last changed.
    changed: Vec<u32>,
    merges: Vec<Merge>,
}

impl<P: Partners> Merging<'_, '_, P> {
    /// Makes one merge; returns whether there was one to make.
    fn step(&mut self) -> bool {
        if self.joins.large_may() {
            reserve_queue(&mut self.queue, self.aside.len());
            self.queue.extend(self.aside.drain(..));
        }
        while let Some(pair) = self.queue.pop() {
            let has_changed = |cluster: u32| self.changed[cluster as usize] > pair.merges;
            if has_changed(pair.searched) {
                continue;
            }
            if pair.clusters.into_iter().any(has_changed) {
                self.search(pair.searched);
                continue;
            }
            if self.must_wait(&pair) {
                self.wait(pair);
                continue;
            }
            let joins = &*self.joins;
            let may = |[a, b]: [u32; 2]| {
                joins.may(a, b) && (joins.large_may() || !joins.is_large(a) || !joins.is_large(b))
            };
            match self.partners.sooner(pair.clusters, pair.closeness, &may) {
                Some(clusters) => {
                    self.join(clusters, pair.closeness);
                    self.queue(pair);
                }
                None => self.join(pair.clusters, pair.closeness),
            }
            return true;
        }
        false
    }

    /// Joins two clusters, at the height of a closeness.
    fn join(&mut self, [kept, gone]: [u32; 2], closeness: P::Closeness) {
        let height = P::height(closeness);
        self.merges.push(Merge { clusters: [kept, gone], height });
        self.partners.join([kept, gone]);
        self.joins.join([kept, gone]);
        self.changed[kept as usize] = self.merges.len() as u32;
        self.changed[gone as usize] = GONE;
        self.search(kept);
    }

    fn must_wait(&self, pair: &Pair<P::Closeness>) -> bool {
        !self.joins.large_may() && pair.clusters.iter().all(|&cluster| self.joins.is_large(cluster))
    }

    /// Puts the closest pair of a cluster on the queue.
    fn search(&mut self, cluster: u32) {
        let joins = &*self.joins;
        let found = self.partners.closest(cluster, &|other| joins.may(cluster, other));
        let Some(found) = found else { return };
        let pair = self.pair(cluster, found);
        match self.must_wait(&pair) {
            true => self.wait(pair),
            false => self.queue(pair),
        }
    }

    /// Lays a pair of large clusters aside, and puts the closest pair of the one that was searched and
    /// a smaller one on the queue.
    fn wait(&mut self, pair: Pair<P::Closeness>) {
        let searched = pair.searched;
        push(&mut self.aside, pair);
        let joins = &*self.joins;
        let may = |other| !joins.is_large(other) && joins.may(searched, other);
        let found = self.partners.closest(searched, &may);
        if let Some(found) = found {
            let pair = self.pair(searched, found);
            self.queue(pair);
        }
    }

    fn pair(&self, searched: u32, found: (P::Closeness, u32)) -> Pair<P::Closeness> {
        let (closeness, other) = found;
        let clusters = [searched.min(other), searched.max(other)];
        Pair { closeness, clusters, searched, merges: self.merges.len() as u32 }
    }

    fn queue(&mut self, pair: Pair<P::Closeness>) {
        reserve_queue(&mut self.queue, 1);
        self.queue.push(pair);
    }
}

/// A cluster and the closest one to it, as they were when it was searched.
struct Pair<C> {
    closeness: C,
    /// The two clusters, the smaller number first.
    clusters: [u32; 2],
    /// That of the two that the closest one was searched for.
    searched: u32,
    /// The number of merges before it was searched.
    merges: u32,
}

/// The queue gives the greatest first: the closest pair, and of equally close ones that with the
/// smallest numbers.
impl<C: Ord> Ord for Pair<C> {
    fn cmp(&self, other: &Self) -> Ordering {
        self.closeness.cmp(&other.closeness).then(other.clusters.cmp(&self.clusters))
    }
}

impl<C: Ord> PartialOrd for Pair<C> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<C: Ord> PartialEq for Pair<C> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<C: Ord> Eq for Pair<C> {}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::merging::rules::Rules;
    use crate::partition::Partition;
    use crate::support::random::scrambled;

    /// Clusters that are the closer the larger the sum of the numbers between them is for their sizes;
    /// 0 is no link.
    #[derive(Clone)]
    struct Dense {
        weights: Vec<Vec<u64>>,
        sizes: Vec<u64>,
    }

    impl Partners for Dense {
        type Closeness = u64;

        fn closest(
            &mut self,
            cluster: u32,
            may: &(dyn Fn(u32) -> bool + Sync),
        ) -> Option<(u64, u32)> {
            let others = (0..self.sizes.len() as u32)
                .rev()
                .filter(|&other| other != cluster && self.sizes[other as usize] > 0 && may(other));
            let pairs = others.map(|other| (self.closeness([cluster, other]), other));
            pairs.filter(|pair| pair.0 > 0).max_by_key(|pair| pair.0)
        }

        fn join(&mut self, [kept, gone]: [u32; 2]) {
            let [kept, gone] = [kept, gone].map(|cluster| cluster as usize);
            for other in 0..self.sizes.len() {
                let moved = std::mem::take(&mut self.weights[gone][other]);
                self.weights[kept][other] += moved;
                self.weights[other][kept] += std::mem::take(&mut self.weights[other][gone]);
            }
            self.sizes[kept] += std::mem::take(&mut self.sizes[gone]);
        }

        fn height(closeness: u64) -> f64 {
            closeness as f64
        }
    }

    impl Dense {
        /// May rise and fall as clusters grow, unlike the mean.
        fn closeness(&self, pair: [u32; 2]) -> u64 {
            let [a, b] = pair.map(|cluster| cluster as usize);
            100 * self.weights[a][b] / (self.sizes[a] + self.sizes[b])
        }
    }

    /// All pairs anew for each merge.
    fn by_definition(mut dense: Dense, joins: &mut Joins<'_>) -> Vec<Merge> {
        let mut merges = Vec::new();
        let clusters = joins.len() as u32;
        while joins.left() > joins.wanted() {
            let alive = |cluster: &u32| dense.sizes[*cluster as usize] > 0;
            let mut best = (0, [0; 2]);
            for a in (0..clusters).filter(alive) {
                for b in (a + 1..clusters).filter(alive) {
                    let waits = joins.is_large(a) && joins.is_large(b) && !joins.large_may();
                    let closeness = dense.closeness([a, b]);
                    if joins.may(a, b) && !waits && closeness > best.0 {
                        best = (closeness, [a, b]);
                    }
                }
            }
            let (closeness @ 1.., clusters) = best else { break };
            merges.push(Merge { clusters, height: closeness as f64 });
            dense.join(clusters);
            joins.join(clusters);
        }
        merges
    }

    #[test]
    fn merges_by_definition() {
        let mut number = 0;
        let mut random = |below: usize| {
            number += 1;
            scrambled(number) as usize % below
        };
        for trial in 0..400 {
            let samples = 2 + random(30);
            let labels: Vec<usize> = (0..samples).map(|_| random(samples)).collect();
            let start = Partition::new(&labels).unwrap();
            let clusters = start.clusters();
            let (most, dense) = (1 + random(6), 1 + random(4));
            let mut weights = vec![vec![0; clusters]; clusters];
            for (a, b) in (0..clusters).flat_map(|a| (0..a).map(move |b| (a, b))) {
                let weight = if random(dense) == 0 { random(most * 20) as u64 } else { 0 };
                (weights[a][b], weights[b][a]) = (weight, weight);
            }
            let sizes = start.sizes().into_iter().map(|size| size as u64).collect();
            let apart: Vec<[u32; 2]> = (0..random(samples))
                .map(|_| [(); 2].map(|()| random(samples) as u32))
                .filter(|[a, b]| start.labels()[*a as usize] != start.labels()[*b as usize])
                .collect();
            let wanted = 1 + random(clusters);
            let rules = Rules {
                apart: &apart,
                least: if trial % 3 == 0 { 0 } else { random(samples / wanted + 2) },
                most: if trial % 2 == 0 { usize::MAX } else { samples / wanted + random(9) },
                ..Rules::default()
            };
            let joins = || Joins::of(rules, &start, None, wanted);
            let dense = Dense { weights, sizes };
            let expected = by_definition(dense.clone(), &mut joins());
            let found = merge_by_rules(dense, &mut joins(), &Meter::stopped_at_once(false));
            assert_eq!(found, expected, "{trial}");
        }
    }
}
