//! The graph of the copies of weighted samples, each linked to its nearest copies.

use rayon::prelude::*;

use super::graph::Graph;
use super::local_scale::Reach;
use super::similarity::Amount;
use crate::error::{Error, Result};
use crate::neighbors::Neighbors;
use crate::neighbors::copies::Own;
use crate::samples::comparable::Keyed;
use crate::samples::weights::{Copies, Weights};
use crate::support::memory::{collected, filled, room};
use crate::support::parallel::SharedSplitting as _;

/// Rows of one thread.
const PART: usize = 256;

/// The copies of all samples, each linked to its k nearest.
///
/// Of each sample the first k + 1 copies and one more are nodes of the graph. The last node stands for
/// all copies that are left: these have the same k nearest, and are nobody's nearest, since k copies
/// of their sample come before them.
pub(crate) struct CopyGraph<W> {
    k: usize,
    /// The sample of each node.
    samples: Vec<u32>,
    /// For each sample the nearest k + 1 nodes to a copy of it, which itself may be among them.
    nearest: Vec<u32>,
    /// The distance of each of them.
    distances: Vec<f64>,
    reach: Reach,
    /// The weight of all copies that a node stands for.
    weights: Vec<W>,
    /// The weight of a copy of each sample.
    weights_of_one: Vec<W>,
}

impl<W: Amount> CopyGraph<W> {
    /// The graph of `k` nearest copies, from the nearest k samples of each sample (or from all, where
    /// there are no more).
    ///
    /// # Errors
    /// [`Error::TooManySamples`] for more nodes than can be numbered.
    pub(crate) fn of(
        rows: &impl Keyed,
        weights: &Weights,
        neighbors: &Neighbors,
        k: usize,
    ) -> Result<Self> {
        let (count, metric) = (rows.len(), rows.metric());
        let mut starts = room(count + 1);
        let mut nodes = 0;
        for sample in 0..count as u32 {
            starts.push(nodes as u32);
            nodes += u64::min(weights.of(sample).count, k as u64 + 2);
            if nodes >= u64::from(u32::MAX) {
                return Err(Error::TooManySamples { samples: nodes as usize });
            }
        }
        starts.push(nodes as u32);

        let (mut sample_of, mut weights_of_nodes) = (room(nodes as usize), room(nodes as usize));
        for sample in 0..count as u32 {
            let Copies { mut count, weight } = weights.of(sample);
            let nodes = starts[sample as usize]..starts[sample as usize + 1];
            for node in nodes.clone() {
                let of_node = if node + 1 < nodes.end { 1 } else { count };
                count -= of_node;
                sample_of.push(sample);
                weights_of_nodes.push(W::of(Copies { count: of_node, weight }));
            }
        }
        let weight_of_one = |sample| W::of(Copies { count: 1, ..weights.of(sample) });
        let weights_of_one = collected((0..count as u32).map(weight_of_one));

        let mut nearest = filled(Neighbors::NONE, count * (k + 1));
        let mut distances = filled(f64::INFINITY, count * (k + 1));
        let parts = nearest.par_chunks_mut((k + 1) * PART);
        parts.zip(distances.par_chunks_mut((k + 1) * PART)).enumerate().shared().for_each_init(
            || Own::new(rows),
            |own, (part, (nearest, distances))| {
                let lists = nearest.chunks_mut(k + 1).zip(distances.chunks_mut(k + 1));
                for (at, (nearest, distances)) in lists.enumerate() {
                    let sample = part * PART + at;
                    let others = neighbors.of_sample(sample as u32).take(k);
                    let copies = weights.of(sample as u32).count;
                    let in_order = own.among_others(sample as u32, copies, others);
                    let nodes = in_order.flat_map(|(sample, distance)| {
                        let nodes = starts[sample as usize]..starts[sample as usize + 1];
                        nodes.take(k + 1).map(move |node| (node, distance))
                    });
                    let places = nearest.iter_mut().zip(distances);
                    places.zip(nodes).for_each(|((near, length), (node, distance))| {
                        (*near, *length) = (node, distance);
                    });
                }
            },
        );
        // Without the node itself. Other copies of its sample follow it, at one distance.
        let own_places = (0..count).map(|sample| {
            let list = &nearest[sample * (k + 1)..][..k];
            let own = |&node: &u32| sample_of.get(node as usize) == Some(&(sample as u32));
            list.iter().position(own).unwrap_or(k) as u32
        });
        let own_places = collected(own_places);
        let rows = (0..count).map(|sample| {
            let list = &nearest[sample * (k + 1)..][..k + 1];
            let there = list.iter().filter(|&&node| node != Neighbors::NONE).count();
            // Of a full list the node itself, or the last one, is left out.
            let own = usize::from(list[..k].get(own_places[sample] as usize).is_some());
            (weights.of(sample as u32).count, (there - own.min(there)).min(k))
        });
        let reach = Reach::new(metric, k, rows, |sample, rank| {
            let place = rank + usize::from(rank >= own_places[sample] as usize);
            distances[sample * (k + 1) + place]
        });
        Ok(Self {
            k,
            samples: sample_of,
            nearest,
            distances,
            reach,
            weights: weights_of_nodes,
            weights_of_one,
        })
    }
}

impl<W: Amount> Graph for CopyGraph<W> {
    type Weight = W;

    fn len(&self) -> usize {
        self.samples.len()
    }

    fn sample(&self, node: u32) -> u32 {
        self.samples[node as usize]
    }

    fn nearest(&self, node: u32) -> impl Iterator<Item = u32> {
        let sample = self.sample(node) as usize;
        let nearest = &self.nearest[sample * (self.k + 1)..][..self.k + 1];
        let there = nearest.iter().copied().take_while(|&other| other != Neighbors::NONE);
        there.filter(move |&other| other != node).take(self.k)
    }

    fn links(&self, node: u32) -> impl Iterator<Item = (u32, f64)> {
        let start = self.sample(node) as usize * (self.k + 1);
        let list = start..start + self.k + 1;
        let distances = self.distances[list.clone()].iter().copied();
        let links = self.nearest[list].iter().copied().zip(distances);
        let links = links.take_while(|&(other, _)| other != Neighbors::NONE);
        links.filter(move |&(other, _)| other != node).take(self.k)
    }

    fn weight(&self, node: u32, neighbor: u32, distance: f64, shared: u64) -> W {
        let samples = [node, neighbor].map(|node| self.sample(node));
        self.amount(node, neighbor) * W::whole(self.reach.weight(samples, distance, shared))
    }

    fn amount(&self, node: u32, neighbor: u32) -> W {
        self.weights[node as usize] * self.weights_of_one[self.sample(neighbor) as usize]
    }
}
