//! Links between clusters: the nearest neighbours of their samples, weighted by how many
//! neighbours the two have in common.

use ndarray::ArrayView2;
use rayon::prelude::*;

use crate::members::Members;
use crate::partition::Partition;
use crate::progress::Meter;

/// A link from one cluster to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link {
    pub(crate) cluster: u32,
    pub(crate) weight: u64,
}

/// Parts that clusters are given out to threads in, for each thread: each part has its own notes.
const PARTS: usize = 8;

/// The links of the clusters of a partition.
///
/// Samples i and j are linked where one of the two is among the k nearest of the other, with the
/// weight |N(i) ∩ N(j)|, where N(i) is i and its k nearest: 1 to k + 1.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Links {
    /// Those of each cluster to others, each noted with both of its clusters. A cluster may occur
    /// twice in a list, once from either side.
    pub(crate) between: Vec<Vec<Link>>,
    /// The weight of those within each cluster.
    pub(crate) within: Vec<u64>,
}

impl Links {
    /// The links that these neighbours make, N × k. Returns anything if stopped.
    pub(crate) fn of(neighbors: ArrayView2<'_, u32>, partition: &Partition, meter: &Meter) -> Self {
        let (labels, members) = (partition.labels(), Members::of(partition));
        let clusters = partition.clusters();
        let (mut between, within): (Vec<Vec<Link>>, Vec<u64>) = (0..clusters)
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
            )
            .unzip();

        let outgoing: Vec<usize> = between.iter().map(Vec::len).collect();
        for (cluster, outgoing) in outgoing.into_iter().enumerate() {
            for at in 0..outgoing {
                let Link { cluster: other, weight } = between[cluster][at];
                between[other as usize].push(Link { cluster: cluster as u32, weight });
            }
        }
        Self { between, within }
    }

    /// The weight of all links that each cluster has, those within it counted at both ends.
    pub(crate) fn volumes(&self) -> Vec<u64> {
        let between = self.between.iter().map(|links| links.iter().map(|link| link.weight).sum());
        between.zip(&self.within).map(|(between, within): (u64, _)| between + 2 * within).collect()
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

/// What one thread notes of the cluster that it is at.
struct Notes {
    /// For each sample, the last one it was found to be a neighbour of, plus one.
    neighbor_of: Vec<u32>,
    /// For each cluster the weight of the links to it, and those with a weight.
    weights: Vec<u64>,
    linked: Vec<u32>,
}

impl Notes {
    fn new(samples: usize, clusters: usize) -> Self {
        Self { neighbor_of: vec![0; samples], weights: vec![0; clusters], linked: Vec::new() }
    }

    /// Adds the links of one sample.
    fn visit(&mut self, sample: u32, neighbors: ArrayView2<'_, u32>, labels: &[u32]) {
        let of = |sample: u32| neighbors.row(sample as usize);
        let mark = sample + 1;
        self.neighbor_of[sample as usize] = mark;
        of(sample).iter().for_each(|&neighbor| self.neighbor_of[neighbor as usize] = mark);
        for &neighbor in of(sample) {
            // The neighbour itself is shared, and this sample if it is a neighbour of the other.
            let (mut shared, mut mutual) = (1, false);
            for &other in of(neighbor) {
                shared += u64::from(self.neighbor_of[other as usize] == mark);
                mutual |= other == sample;
            }
            // A link that both of its samples have is noted by one of them.
            if mutual && neighbor < sample {
                continue;
            }
            let cluster = labels[neighbor as usize];
            let weight = &mut self.weights[cluster as usize];
            if *weight == 0 {
                self.linked.push(cluster);
            }
            *weight += shared;
        }
    }

    /// The links of the cluster to others, and the weight of those within, leaving the notes empty.
    fn take(&mut self, cluster: u32) -> (Vec<Link>, u64) {
        let mut weight = |cluster: u32| std::mem::take(&mut self.weights[cluster as usize]);
        let within = weight(cluster);
        let others = self.linked.drain(..).filter(|&other| other != cluster);
        let links = others.map(|cluster| Link { cluster, weight: weight(cluster) }).collect();
        (links, within)
    }
}
