//! Mean distances of clusters where the distances of all pairs of samples are known.

use rayon::prelude::*;

use super::joined;
use crate::members::Members;
use crate::memory::{collected, collected_in_parallel, filled};
use crate::neighbors::{Distances, FirstNeighbors, Nearest};
use crate::partition::Partition;
use crate::progress::Meter;

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
        let read = match partitions {
            [.., finer, _] => finer.clusters(),
            _ => partitions[0].samples(),
        };
        (read as u64).pow(2)
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
    sums.par_chunks_exact_mut(clusters).enumerate().for_each(|(cluster, sums)| {
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
