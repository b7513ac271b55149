//! Links between clusters: a sample is linked to its nearest neighbours, with the number of neighbours
//! that the two samples share as the weight.

use ndarray::ArrayView2;
use rayon::prelude::*;

use crate::members::Members;
use crate::memory::{collected, filled, push, room};
use crate::partition::Partition;
use crate::progress::Meter;

/// A link from one cluster to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) cluster: u32,
    pub(crate) weight: u64,
}

/// Parts into which the clusters are divided for each thread. Every part has notes of its own, which
/// take memory; a part that is too large leaves other threads idle at the end.
const PARTS: usize = 8;

/// The links of the clusters of a partition.
///
/// Samples i and j are linked where one of the two is among the k nearest of the other, with the
/// weight |N(i) ∩ N(j)|, where N(i) is i and its k nearest: 1 to k + 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Links {
    /// The links of each cluster to other clusters. A link is in the lists of both of its clusters. A
    /// cluster may occur twice in a list, once from either side.
    pub(crate) between: Vec<Vec<Link>>,
    /// The weight of the links within each cluster.
    pub(crate) within: Vec<u64>,
}

impl Links {
    /// The links that the nearest neighbours (N × k) make; where it is stopped, any links.
    pub(crate) fn of(neighbors: ArrayView2<'_, u32>, partition: &Partition, meter: &Meter) -> Self {
        let (labels, members) = (partition.labels(), Members::of(partition));
        let clusters = partition.clusters();
        let found = (0..clusters)
            .into_par_iter()
            .with_min_len(clusters.div_ceil(PARTS * rayon::current_num_threads()))
            .map_init(
                || Notes::new(labels.len(), clusters),
                |notes, cluster| {
                    if meter.stopped() {
                        return (Vec::new(), 0);
                    }
                    for &sample in members.cluster(cluster) {
                        notes.visit(sample, neighbors, labels);
                    }
                    meter.advance(1);
                    notes.take(cluster as u32)
                },
            );
        let (mut between, mut within) = (room(clusters), room(clusters));
        found.unzip_into_vecs(&mut between, &mut within);

        let outgoing: Vec<usize> = collected(between.iter().map(Vec::len));
        for (cluster, outgoing) in outgoing.into_iter().enumerate() {
            for at in 0..outgoing {
                let Link { cluster: other, weight } = between[cluster][at];
                push(&mut between[other as usize], Link { cluster: cluster as u32, weight });
            }
        }
        Self { between, within }
    }

    /// The weight of all links of each cluster. A link within the cluster counts at both of its ends.
    pub(crate) fn volumes(&self) -> Vec<u64> {
        let between = self.between.iter().map(|links| links.iter().map(|link| link.weight).sum());
        collected(between.zip(&self.within).map(|(between, within): (u64, _)| between + 2 * within))
    }
}

/// The weights of the links of N samples by their definition, N × N, for tests.
#[cfg(test)]
pub(crate) fn weights_by_definition(neighbors: ArrayView2<'_, u32>) -> ndarray::Array2<u64> {
    let samples = neighbors.nrows();
    let near = |i: usize, j: usize| i == j || neighbors.row(i).iter().any(|&n| n == j as u32);
    ndarray::Array2::from_shape_fn((samples, samples), |(i, j)| {
        let common = (0..samples).filter(|&other| near(i, other) && near(j, other)).count();
        if i != j && (near(i, j) || near(j, i)) { common as u64 } else { 0 }
    })
}

/// What one thread notes while it goes through the samples of a cluster.
struct Notes {
    /// For each sample s, one plus the number of the last visited sample that has s as a neighbour.
    neighbor_of: Vec<u32>,
    /// For each cluster, the weight of the links to it.
    weights: Vec<u64>,
    /// The clusters whose weight is not 0.
    linked: Vec<u32>,
}

impl Notes {
    fn new(samples: usize, clusters: usize) -> Self {
        Self { neighbor_of: filled(0, samples), weights: filled(0, clusters), linked: Vec::new() }
    }

    /// Adds the links of one sample.
    fn visit(&mut self, sample: u32, neighbors: ArrayView2<'_, u32>, labels: &[u32]) {
        let of = |sample: u32| neighbors.row(sample as usize);
        let mark = sample + 1;
        self.neighbor_of[sample as usize] = mark;
        of(sample).iter().for_each(|&neighbor| self.neighbor_of[neighbor as usize] = mark);
        for &neighbor in of(sample) {
            // The neighbour is in both sets; the sample is, if it is a neighbour of its neighbour.
            let (mut shared, mut mutual) = (1, false);
            for &other in of(neighbor) {
                shared += u64::from(self.neighbor_of[other as usize] == mark);
                mutual |= other == sample;
            }
            // Where both samples are neighbours of each other, the smaller one notes the link.
            if mutual && neighbor < sample {
                continue;
            }
            let cluster = labels[neighbor as usize];
            let weight = &mut self.weights[cluster as usize];
            if *weight == 0 {
                push(&mut self.linked, cluster);
            }
            *weight += shared;
        }
    }

    /// Takes the links of the cluster to other clusters, and the weight of the links within it, and
    /// leaves the notes empty.
    fn take(&mut self, cluster: u32) -> (Vec<Link>, u64) {
        let mut weight = |cluster: u32| std::mem::take(&mut self.weights[cluster as usize]);
        let within = weight(cluster);
        let mut links = room(self.linked.len());
        let others = self.linked.drain(..).filter(|&other| other != cluster);
        links.extend(others.map(|cluster| Link { cluster, weight: weight(cluster) }));
        (links, within)
    }
}
