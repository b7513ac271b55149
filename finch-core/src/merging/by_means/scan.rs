//! Merging where a merged cluster is compared with all others.
//!
//! It is enough to keep, for every cluster, the closest cluster with a larger number, and to search it
//! anew only where it is in doubt. This is the generic algorithm of Müllner, "Modern hierarchical,
//! agglomerative clustering algorithms", 2011, Fig. 3, which holds for centroid linkage too, whose
//! heights may fall. There is no C × C matrix, and in many dimensions a projection rules out most
//! distances ([`Bounds`]).

use rayon::prelude::*;

use super::bounds::Bounds;
use super::clusters::Merging;
use crate::hierarchy::dendrogram::Merge;
use crate::run::progress::Meter;
use crate::support::memory::{collected, collected_in_parallel, filled, push, room};

/// Clusters that one thread compares with a cluster at a time.
const CHUNK: usize = 1024;

/// Merges until `left` clusters are left, and returns the merges; where it is stopped, any merges.
/// Advances the meter by 1 for each cluster, and for each merge.
pub(super) fn merge_by_scan(clusters: impl Merging, left: usize, meter: &Meter) -> Vec<Merge> {
    Scan::of(clusters).merge(left, meter)
}

/// Clusters that are being merged, and the closest partner of each.
struct Scan<C> {
    clusters: C,
    bounds: Option<Bounds>,
    /// The numbers of the clusters that are left, rising.
    alive: Vec<u32>,
    /// For each cluster, the closest one among the clusters with larger numbers.
    closest: Vec<Closest>,
}

/// The closest partner of a cluster, for the next merge.
#[derive(Clone, Copy)]
struct Closest {
    /// The height of a merge with the partner; the pair with the smallest height merges next.
    height: f64,
    /// The partner's number.
    cluster: u32,
    /// False where the partner has changed since it was found. No cluster is then closer than
    /// `height`, but the closest one has to be searched anew.
    settled: bool,
}

impl Closest {
    const NONE: Self = Self { height: f64::INFINITY, cluster: u32::MAX, settled: true };

    fn or(self, other: Self) -> Self {
        let first = (other.height, other.cluster) < (self.height, self.cluster);
        if first { other } else { self }
    }
}

impl<C: Merging> Scan<C> {
    fn of(clusters: C) -> Self {
        let bounds = clusters.bounds();
        let alive = collected(0..clusters.len() as u32);
        let closest = filled(Closest::NONE, clusters.len());
        Self { clusters, bounds, alive, closest }
    }

    fn merge(mut self, left: usize, meter: &Meter) -> Vec<Merge> {
        let closest = (0..self.alive.len()).into_par_iter().map(|at| {
            if meter.stopped() {
                return Closest::NONE;
            }
            meter.advance(1);
            self.search(at)
        });
        self.closest = collected_in_parallel(closest);
        let mut merges = room(self.alive.len().saturating_sub(left));
        while self.alive.len() > left && !meter.stopped() {
            let merge = self.closest_pair();
            self.join(merge.clusters);
            merges.push(merge);
            meter.advance(1);
        }
        merges
    }

    /// The closest pair a < b; of equally close ones that with the smallest a, then b.
    fn closest_pair(&mut self) -> Merge {
        loop {
            let height = |at: &usize| self.closest[self.alive[*at] as usize].height;
            let at = (0..self.alive.len())
                .reduce(|a, b| if height(&b) < height(&a) { b } else { a })
                .expect("a cluster is left");
            let a = self.alive[at];
            let Closest { cluster: b, settled, height } = self.closest[a as usize];
            if settled {
                return Merge { clusters: [a, b], height };
            }
            self.closest[a as usize] = self.search(at);
        }
    }

    /// Merges cluster b into cluster a < b.
    fn join(&mut self, [a, b]: [u32; 2]) {
        self.clusters.join([a, b]);
        if let Some(bounds) = &mut self.bounds {
            self.clusters.update(bounds, a);
        }
        self.alive.retain(|&cluster| cluster != b);

        for &c in &self.alive {
            let closest = &mut self.closest[c as usize];
            closest.settled &= closest.cluster != a && closest.cluster != b;
        }
        let at = self.alive.partition_point(|&cluster| cluster < a);
        let nearer = self.alive[..at].par_chunks(CHUNK).map(|others| {
            let mut pairs = Pairs::of(&self.clusters, a);
            let mut nearer = Vec::new();
            for &c in others {
                if self.lower_bound(a, c) <= self.closest[c as usize].height {
                    push(&mut nearer, (c, pairs.height(c)));
                }
            }
            nearer
        });
        let nearer: Vec<Vec<(u32, f64)>> = collected_in_parallel(nearer);
        for (c, height) in nearer.into_iter().flatten() {
            let closest = &mut self.closest[c as usize];
            let tie = height == closest.height && closest.settled && a < closest.cluster;
            if height < closest.height || tie {
                *closest = Closest { height, cluster: a, settled: true };
            }
        }
        self.closest[a as usize] = self.search(at);
    }

    /// The closest cluster to the one at place `at` of `alive`, among the clusters with larger
    /// numbers.
    fn search(&self, at: usize) -> Closest {
        let a = self.alive[at];
        self.alive[at + 1..]
            .par_chunks(CHUNK)
            .map(|others| {
                let mut pairs = Pairs::of(&self.clusters, a);
                let mut closest = Closest::NONE;
                let mut offer = |c: u32| {
                    let candidate = Closest { height: pairs.height(c), cluster: c, settled: true };
                    closest = closest.or(candidate);
                    closest.height
                };
                let lower: Vec<f64> = others.iter().map(|&c| self.lower_bound(a, c)).collect();
                // The cluster with the smallest lower bound first: few others then pass the limit.
                let promising = (0..others.len())
                    .reduce(|i, j| if lower[j] < lower[i] { j } else { i })
                    .expect("a chunk has at least one cluster");
                let mut limit = offer(others[promising]);
                for (&c, &lower) in others.iter().zip(&lower) {
                    if lower <= limit {
                        limit = offer(c);
                    }
                }
                closest
            })
            .reduce(|| Closest::NONE, Closest::or)
    }

    /// A lower bound of the pair's height.
    fn lower_bound(&self, a: u32, b: u32) -> f64 {
        let squared = self.bounds.as_ref().map_or(0.0, |bounds| bounds.squared(a, b));
        let key = self.clusters.metric().key_from(squared);
        self.clusters.height(a, b, key)
    }
}

/// One cluster, to be compared with many.
struct Pairs<'a, C: Merging> {
    clusters: &'a C,
    a: u32,
    mean: C::Mean,
    other: C::Mean,
}

impl<'a, C: Merging> Pairs<'a, C> {
    fn of(clusters: &'a C, a: u32) -> Self {
        let [mean, other] = [(); 2].map(|()| clusters.mean(a));
        Self { clusters, a, mean, other }
    }

    fn height(&mut self, b: u32) -> f64 {
        let key = self.clusters.key(&self.mean, b, &mut self.other);
        self.clusters.height(self.a, b, key)
    }
}
