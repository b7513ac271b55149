//! Links between clusters: a sample is linked to its nearest neighbours, the more strongly the more
//! neighbours the two samples share.

use ndarray::{ArrayView2, Axis, Slice};
use rayon::prelude::*;

use super::local_scale::Reach;
use super::similarity::Amount;
use crate::neighbors::Neighbors;
use crate::partition::Partition;
use crate::partition::members::Members;
use crate::run::progress::Meter;
use crate::samples::metric::Metric;
use crate::support::memory::{collected, filled, push, room};

/// A link from one cluster to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Link<W> {
    pub(crate) cluster: u32,
    pub(crate) weight: W,
}

/// Nodes and the nearest of each. A node is a sample, or some of the copies of a weighted sample.
pub(crate) trait Graph: Sync {
    /// The unit in which links are weighed.
    type Weight: Amount;

    /// The number of nodes.
    fn len(&self) -> usize;

    /// The sample of a node.
    fn sample(&self, node: u32) -> u32;

    /// The k nodes nearest to a node, never the node itself; fewer where no more are known.
    fn nearest(&self, node: u32) -> impl Iterator<Item = u32>;

    /// The k nodes nearest to a node, each with its distance.
    fn links(&self, node: u32) -> impl Iterator<Item = (u32, f64)>;

    /// The weight of the link between a node and one of its nearest, at this distance, that share so
    /// many neighbours.
    fn weight(&self, node: u32, neighbor: u32, distance: f64, shared: u64) -> Self::Weight;

    /// The number of samples that a link counts for, a pair of one copy of a node and one of its nearest.
    fn amount(&self, node: u32, neighbor: u32) -> Self::Weight;
}

/// Samples without weights, each linked to its k nearest.
pub(crate) struct NearestLinks<'a> {
    index: ArrayView2<'a, u32>,
    distance: ArrayView2<'a, f64>,
    reach: Reach,
}

impl<'a> NearestLinks<'a> {
    /// Of the neighbours that were found by a metric, the `k` nearest.
    pub(crate) fn new(found: &'a Neighbors, k: usize, metric: Metric) -> Self {
        let nearest = Slice::from(..k);
        let index = found.index().slice_axis_move(Axis(1), nearest);
        let distance = found.distance().slice_axis_move(Axis(1), nearest);
        let rows = (0..distance.nrows()).map(|sample| (1, found.count(sample).min(k)));
        let reach = Reach::new(metric, k, rows, |sample, rank| distance[[sample, rank]]);
        Self { index, distance, reach }
    }
}

impl Graph for NearestLinks<'_> {
    type Weight = u64;

    fn len(&self) -> usize {
        self.index.nrows()
    }

    #[inline(always)]
    fn sample(&self, node: u32) -> u32 {
        node
    }

    #[inline(always)]
    fn nearest(&self, node: u32) -> impl Iterator<Item = u32> {
        let row = self.index.row(node as usize).into_iter().copied();
        row.take_while(|&other| other != Neighbors::NONE)
    }

    #[inline(always)]
    fn links(&self, node: u32) -> impl Iterator<Item = (u32, f64)> {
        self.nearest(node).zip(self.distance.row(node as usize).into_iter().copied())
    }

    #[inline(always)]
    fn weight(&self, node: u32, neighbor: u32, distance: f64, shared: u64) -> u64 {
        self.reach.weight([node, neighbor], distance, shared)
    }

    #[inline(always)]
    fn amount(&self, _: u32, _: u32) -> u64 {
        1
    }
}

/// Parts into which the clusters are divided for each thread. Every part has notes of its own, which
/// take memory; a part that is too large leaves other threads idle at the end.
const PARTS: usize = 8;

/// The links of the clusters of a partition.
///
/// Samples i and j are linked where one of the two is among the k nearest of the other, with the
/// weight that [`Reach`] defines. Of weighted samples the copies are linked so, and a link weighs that
/// times the weights of both.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Links<W> {
    /// The links of each cluster to other clusters. A link is in the lists of both of its clusters. A
    /// cluster may occur twice in a list, once from either side.
    pub(crate) between: Vec<Vec<Link<W>>>,
    /// The weight of the links within each cluster.
    pub(crate) within: Vec<W>,
}

impl<W: Amount> Links<W> {
    /// The links that the nearest neighbours make; where it is stopped, any links.
    pub(crate) fn of(graph: &impl Graph<Weight = W>, partition: &Partition, meter: &Meter) -> Self {
        let (labels, clusters) = (partition.labels(), partition.clusters());
        let label = |node: u32| labels[graph.sample(node) as usize];
        let members = Members::of_each(clusters, graph.len(), |node| [label(node)]);
        let found = (0..clusters)
            .into_par_iter()
            .with_min_len(clusters.div_ceil(PARTS * rayon::current_num_threads()))
            .map_init(
                || Notes::new(graph.len(), clusters),
                |notes, cluster| {
                    if meter.stopped() {
                        return (Vec::new(), W::default());
                    }
                    for &node in members.cluster(cluster) {
                        notes.visit(node, graph, label);
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
    pub(crate) fn volumes(&self) -> Vec<f64> {
        let between = self.between.iter().map(|links| links.iter().map(|link| link.weight).sum());
        let volume = |(mut volume, &within): (W, _)| {
            volume += within;
            volume += within;
            volume.to_f64()
        };
        collected(between.zip(&self.within).map(volume))
    }
}

/// The notes of one thread while it goes through the nodes of a cluster.
struct Notes<W> {
    /// For each node n, one plus the number of the last visited node that has n as a neighbour.
    neighbor_of: Vec<u32>,
    /// For each cluster, the weight of the links to it.
    weights: Vec<W>,
    /// The clusters whose weight is not 0.
    linked: Vec<u32>,
}

impl<W: Amount> Notes<W> {
    fn new(nodes: usize, clusters: usize) -> Self {
        let (neighbor_of, weights) = (filled(0, nodes), filled(W::default(), clusters));
        Self { neighbor_of, weights, linked: Vec::new() }
    }

    /// Adds the links of one node.
    fn visit(&mut self, node: u32, graph: &impl Graph<Weight = W>, label: impl Fn(u32) -> u32) {
        let mark = node + 1;
        self.neighbor_of[node as usize] = mark;
        graph.nearest(node).for_each(|neighbor| self.neighbor_of[neighbor as usize] = mark);
        for (neighbor, distance) in graph.links(node) {
            // The neighbour is in both sets; the node is, if it is a neighbour of its neighbour.
            let (mut shared, mut mutual) = (1, false);
            for other in graph.nearest(neighbor) {
                shared += u64::from(self.neighbor_of[other as usize] == mark);
                mutual |= other == node;
            }
            // Where both nodes are neighbours of each other, the smaller one notes the link.
            if mutual && neighbor < node {
                continue;
            }
            let cluster = label(neighbor);
            let weight = &mut self.weights[cluster as usize];
            if *weight == W::default() {
                push(&mut self.linked, cluster);
            }
            *weight += graph.weight(node, neighbor, distance, shared);
        }
    }

    /// Takes the links of the cluster to other clusters, and the weight of the links within it, and
    /// leaves the notes empty.
    fn take(&mut self, cluster: u32) -> (Vec<Link<W>>, W) {
        let mut weight = |cluster: u32| std::mem::take(&mut self.weights[cluster as usize]);
        let within = weight(cluster);
        let mut links = room(self.linked.len());
        let others = self.linked.drain(..).filter(|&other| other != cluster);
        links.extend(others.map(|cluster| Link { cluster, weight: weight(cluster) }));
        (links, within)
    }
}
