//! First neighbours of clusters by mean distance, where there are no samples to take means of.
//!
//! The distance of two clusters is the mean of the distances that are known of pairs of a sample of
//! one and a sample of the other: of all pairs ([`SumsOfAll`]), or of neighbours alone
//! ([`SumsOfKnown`]). The paper compares the means of the samples of the clusters.

use rayon::prelude::*;

use crate::neighbors::{Distances, FirstNeighbors, Nearest, Neighbors};
use crate::partition::Partition;
use crate::partition::members::Members;
use crate::run::progress::Meter;
use crate::support::memory::{collected, collected_in_parallel, filled, push, room};
use crate::support::parallel::SharedSplitting as _;

/// Parts into which the clusters are divided for each thread, each with notes of its own.
const PARTS: usize = 8;

/// The known distances between a cluster and another one.
#[derive(Clone, Copy, Debug)]
struct Known {
    other: u32,
    sum: f64,
    /// The pairs of samples whose distance is known.
    pairs: u64,
}

/// The sums and the numbers of the known distances between clusters.
pub(crate) struct SumsOfKnown {
    /// For each cluster, the clusters of larger numbers to which distances are known, by number.
    of: Vec<Vec<Known>>,
}

impl SumsOfKnown {
    /// The number of clusters and samples that are gone through to find the first neighbours of the
    /// clusters of the last partition.
    pub(crate) fn parts(partitions: &[Partition]) -> u64 {
        rows_read(partitions)
    }

    /// The sums between the clusters of the last partition, from those of the partition before, if
    /// there is one. Advances the meter by [`SumsOfKnown::parts`]; where it is stopped, any sums.
    pub(crate) fn of(
        neighbors: &Neighbors,
        before: Option<Self>,
        partitions: &[Partition],
        meter: &Meter,
    ) -> Self {
        let last = partitions.last().expect("there is a partition");
        match (before, joined(partitions)) {
            (Some(before), Some(joined)) => Self::between(&joined, meter, |cluster, notes| {
                for known in &before.of[cluster as usize] {
                    notes.add(joined.labels()[known.other as usize], known.sum, known.pairs);
                }
            }),
            _ => {
                let (index, distance) = (neighbors.index(), neighbors.distance());
                let of = |sample: u32| index.row(sample as usize);
                Self::between(last, meter, |sample, notes| {
                    let row = of(sample).into_iter().zip(distance.row(sample as usize));
                    for (&other, &distance) in row.filter(|(other, _)| **other != Neighbors::NONE) {
                        // A pair that both rows name is known once: from the row of the smaller number.
                        let noted = other < sample && of(other).iter().any(|&back| back == sample);
                        if !noted {
                            notes.add(last.labels()[other as usize], distance, 1);
                        }
                    }
                })
            }
        }
    }

    /// The sums between the clusters of a partition, where `add` notes the distances that are known
    /// from one member.
    fn between(partition: &Partition, meter: &Meter, add: impl Fn(u32, &mut Notes) + Sync) -> Self {
        let (clusters, members) = (partition.clusters(), Members::of(partition));
        let found = (0..clusters)
            .into_par_iter()
            .with_min_len(clusters.div_ceil(PARTS * rayon::current_num_threads()))
            .map_init(
                || Notes::new(clusters),
                |notes, cluster| {
                    if !meter.stopped() {
                        let members = members.cluster(cluster);
                        members.iter().for_each(|&member| add(member, notes));
                        meter.advance(members.len() as u64);
                    }
                    notes.take(cluster as u32)
                },
            );
        let mut of: Vec<Vec<Known>> = collected_in_parallel(found);
        // Distances known from the larger number's side go to the smaller number.
        for cluster in 0..clusters {
            let larger = of[cluster].partition_point(|known| known.other < cluster as u32);
            for at in 0..larger {
                let Known { other, sum, pairs } = of[cluster][at];
                push(&mut of[other as usize], Known { other: cluster as u32, sum, pairs });
            }
            of[cluster].drain(..larger);
        }
        of.par_iter_mut().shared().for_each(|known| {
            // Each other cluster is there once from either side: two numbers, which add up to the same
            // in any order.
            known.sort_unstable_by_key(|known| known.other);
            known.dedup_by(|known, kept| {
                let same = known.other == kept.other;
                if same {
                    kept.sum += known.sum;
                    kept.pairs += known.pairs;
                }
                same
            });
        });
        Self { of }
    }

    /// The cluster nearest to each by the mean of the known distances, of equals the one with the
    /// smallest number. A cluster without any known distance has none.
    pub(crate) fn nearest(&self) -> FirstNeighbors {
        let clusters = self.of.len();
        if clusters == 1 {
            return FirstNeighbors::new(Vec::new(), Vec::new(), None);
        }
        let mut nearest = filled(Nearest::NONE, clusters);
        for (cluster, known) in self.of.iter().enumerate() {
            for &Known { other, sum, pairs } in known {
                let mean = sum / pairs as f64;
                nearest[cluster].offer(mean, other);
                nearest[other as usize].offer(mean, cluster as u32);
            }
        }
        FirstNeighbors::new(
            collected(nearest.iter().map(|nearest| nearest.index)),
            collected(nearest.iter().map(|nearest| nearest.key)),
            None,
        )
    }
}

/// The notes of one thread while it goes through the members of a cluster.
struct Notes {
    /// For each cluster, the sum and the number of the distances noted.
    sums: Vec<f64>,
    pairs: Vec<u64>,
    /// The clusters with a distance noted.
    noted: Vec<u32>,
}

impl Notes {
    fn new(clusters: usize) -> Self {
        Self { sums: filled(0.0, clusters), pairs: filled(0, clusters), noted: Vec::new() }
    }

    fn add(&mut self, other: u32, sum: f64, pairs: u64) {
        let at = other as usize;
        if self.pairs[at] == 0 {
            push(&mut self.noted, other);
        }
        self.sums[at] += sum;
        self.pairs[at] += pairs;
    }

    /// Takes what is noted of other clusters, by number, and leaves the notes empty.
    fn take(&mut self, cluster: u32) -> Vec<Known> {
        self.noted.sort_unstable();
        let mut known = room(self.noted.len());
        for other in self.noted.drain(..) {
            let at = other as usize;
            let sum = std::mem::take(&mut self.sums[at]);
            let pairs = std::mem::take(&mut self.pairs[at]);
            if other != cluster {
                known.push(Known { other, sum, pairs });
            }
        }
        known
    }
}

/// The sums of the distances of all pairs between two clusters, for all pairs of clusters.
///
/// The first level takes C × C numbers, at most a quarter of the matrix, since no cluster of the first
/// partition has one sample alone; the matrix itself is read twice and not copied. Later levels add up
/// the sums of the level before.
pub(crate) struct SumsOfAll {
    /// Row by row. The sum of clusters a and b is in the row of the smaller number, so that it does not
    /// depend on whose neighbour is searched. Sums below the diagonal are not looked at.
    sums: Vec<f64>,
    /// The number of samples of each cluster.
    sizes: Vec<usize>,
}

impl SumsOfAll {
    /// The number of sums that are read to find the first neighbours of the clusters of the last partition.
    pub(crate) fn parts(partitions: &[Partition]) -> u64 {
        rows_read(partitions).pow(2)
    }

    /// The sums between the clusters of the last partition, from those of the partition before, if
    /// there is one. Advances the meter by [`SumsOfAll::parts`]; where it is stopped, any sums.
    pub(crate) fn of(
        distances: &Distances<'_>,
        before: Option<Self>,
        partitions: &[Partition],
        meter: &Meter,
    ) -> Self {
        let last = partitions.last().expect("there is a partition");
        let sizes = last.cluster_sizes();
        let sums = match (before, joined(partitions)) {
            (Some(before), Some(joined)) => sums(&joined, meter, |cluster, sums| {
                for (other, &above) in joined.labels().iter().enumerate() {
                    sums[above as usize] += before.sum(cluster, other);
                }
            }),
            _ => sums(last, meter, |sample, sums| {
                for (distance, &cluster) in distances.from(sample).zip(last.labels()) {
                    sums[cluster as usize] += distance;
                }
            }),
        };
        Self { sums, sizes }
    }

    fn sum(&self, a: usize, b: usize) -> f64 {
        self.sums[a.min(b) * self.sizes.len() + a.max(b)]
    }

    /// The cluster nearest to each by mean distance, of equals the one with the smallest number.
    pub(crate) fn nearest(&self) -> FirstNeighbors {
        let clusters = self.sizes.len();
        if clusters == 1 {
            return FirstNeighbors::new(Vec::new(), Vec::new(), None);
        }
        let nearest = (0..clusters).into_par_iter().map(|cluster| {
            let mut nearest = Nearest::NONE;
            for other in (0..clusters).filter(|&other| other != cluster) {
                let pairs = self.sizes[cluster] as f64 * self.sizes[other] as f64;
                nearest.offer(self.sum(cluster, other) / pairs, other as u32);
            }
            nearest
        });
        let nearest: Vec<Nearest> = collected_in_parallel(nearest);
        FirstNeighbors::new(
            collected(nearest.iter().map(|nearest| nearest.index)),
            collected(nearest.iter().map(|nearest| nearest.key)),
            None,
        )
    }
}

/// Sums between clusters, of which `add` adds those of one member, by cluster. Each sum is taken in
/// the order of members by one thread.
fn sums(partition: &Partition, meter: &Meter, add: impl Fn(usize, &mut [f64]) + Sync) -> Vec<f64> {
    let (clusters, members) = (partition.clusters(), Members::of(partition));
    let mut sums = filled(0.0, clusters * clusters);
    sums.par_chunks_exact_mut(clusters).enumerate().shared().for_each(|(cluster, sums)| {
        for &member in members.cluster(cluster) {
            if meter.stopped() {
                return;
            }
            add(member as usize, sums);
            meter.advance(partition.samples() as u64);
        }
    });
    sums
}

/// The rows of sums that a level reads: those of the clusters of the level before, or at first of the samples.
fn rows_read(partitions: &[Partition]) -> u64 {
    let rows = match partitions {
        [.., finer, _] => finer.clusters(),
        _ => partitions[0].samples(),
    };
    rows as u64
}

/// The map by which the last partition joins the clusters of the one before: a label for each of these.
fn joined(partitions: &[Partition]) -> Option<Partition> {
    let [.., finer, coarser] = partitions else {
        return None;
    };
    let mut labels = filled(0, finer.clusters());
    for (&cluster, &above) in finer.labels().iter().zip(coarser.labels()) {
        labels[cluster as usize] = above;
    }
    Some(Partition::numbered(labels, coarser.clusters()))
}
