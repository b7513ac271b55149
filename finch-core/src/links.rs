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

/// The links of each cluster of a partition, each of them noted with both of its clusters.
///
/// Samples i and j are linked where one of the two is among the k nearest of the other, with the
/// weight |N(i) ∩ N(j)|, where N(i) is i and its k nearest: 1 to k + 1. A cluster may occur twice in
/// a list, once from either side.
pub(crate) fn links(
    neighbors: ArrayView2<'_, u32>,
    partition: &Partition,
    meter: &Meter,
) -> Vec<Vec<Link>> {
    let (labels, members) = (partition.labels(), Members::of(partition));
    let clusters = partition.clusters();
    let outgoing: Vec<Vec<Link>> = (0..clusters)
        .into_par_iter()
        .with_min_len(clusters.div_ceil(PARTS * rayon::current_num_threads()))
        .map_init(
            || Notes::new(labels.len(), clusters),
            |notes, cluster| {
                if meter.stopped() {
                    return Vec::new();
                }
                for &sample in members.cluster(cluster) {
                    notes.visit(sample, neighbors, labels);
                }
                notes.take()
            },
        )
        .collect();

    let mut links = outgoing.clone();
    for (cluster, outgoing) in outgoing.into_iter().enumerate() {
        for link in outgoing {
            let back = Link { cluster: cluster as u32, ..link };
            links[link.cluster as usize].push(back);
        }
    }
    links
}

/// What one thread notes of the cluster that it is at.
struct Notes {
    /// For each sample, the last one it was found to be a neighbour of, plus one.
    neighbor_of: Vec<u32>,
    /// For each other cluster the weight of the links to it, and those with a weight.
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
            let cluster = labels[neighbor as usize];
            if cluster == labels[sample as usize] {
                continue;
            }
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
            let weight = &mut self.weights[cluster as usize];
            if *weight == 0 {
                self.linked.push(cluster);
            }
            *weight += shared;
        }
    }

    /// The links of the cluster, leaving the notes empty.
    fn take(&mut self) -> Vec<Link> {
        let weights = &mut self.weights;
        let weight = |cluster: u32| std::mem::take(&mut weights[cluster as usize]);
        let linked = self.linked.drain(..);
        linked
            .scan(weight, |weight, cluster| Some(Link { cluster, weight: weight(cluster) }))
            .collect()
    }
}
