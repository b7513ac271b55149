//! Moves: after merging, each sample goes to the cluster that it is linked to most.
//!
//! A sample that the first partition joined to the wrong cluster is never parted from it by merging. Therefore, at
//! the end, all samples move at once, each to the cluster C with the largest
//!
//! ```text
//! l(C)/min(|C|, h)      l(C) = Σ over j in C: [j is among the h nearest] + [the sample is among the h nearest of j]
//! ```
//!
//! for h = ⌈log₂ N⌉, or k where that is less: the links to the cluster, for each that there could be. The sample itself counts neither in l nor
//! in |C|. It stays where no cluster has more than its own; of others that have as much the one of the smallest number
//! counts. That is done up to ten times, as long as samples move. A cluster that all its samples would leave keeps
//! them: there are K clusters before and after. Equal samples are one place, and move together.
//!
//! Along thin curves moves would go on from one curve to the next. Nothing moves therefore in three dimensions and
//! less, by the mean of (distance of the i-th neighbour/distance of the k-th)² over i < k, which is D/(D + 2) in D
//! dimensions: a half in a plane.
//!
//! The rule was chosen on one half of the sets in `benches/run.py moves`. There division by the size itself, its root
//! or its fourth root lost large clusters to small ones, none at all lost clusters of fewer than h samples, and links
//! weighed by shared neighbours, or of one direction alone, gained less. In the plane nothing gains, and spirals of
//! 200 samples lose 16 points in the mean.

use std::ops::Range;

use super::graph::Graph;
use super::similarity::Amount;
use crate::error::Result;
use crate::merging::moves::keep_clusters;
use crate::partition::Partition;
use crate::run::progress::Meter;
use crate::run::work::mapped;
use crate::samples::metric::Metric;
use crate::samples::weights::Weights;
use crate::support::memory::{collected, filled, reserve};
use crate::support::union_find::Sets;

/// The most rounds. After three of them the accuracy of no set changes by more than 0.5 points.
const ROUNDS: usize = 10;

/// The mean of squared ratios of distances, above, between those of three dimensions and of four.
const BEYOND_THREE: f64 = 3.5 / 5.5;

/// The links of a sample, or copy, by which it moves: to its ⌈log₂ N⌉ nearest of N `copies`, or to `k` where these
/// are fewer.
pub(super) fn links_of_sample(k: usize, copies: u64) -> usize {
    k.min(copies.next_power_of_two().ilog2() as usize)
}

/// The moves of the samples of a partition.
pub(super) struct Moves<'m> {
    pub(super) partition: &'m Partition,
    pub(super) weights: Option<&'m Weights>,
    /// The metric that distances in the graph are of.
    pub(super) metric: Metric,
    /// The number of neighbours of a node.
    pub(super) k: usize,
    /// Samples that a rule names, which do not move.
    pub(super) fixed: &'m [[u32; 2]],
}

impl Moves<'_> {
    /// The number of links of a node that count, h.
    fn links(&self) -> usize {
        let copies = self.weights.map_or(self.partition.samples() as u64, Weights::copies);
        links_of_sample(self.k, copies)
    }

    /// The mean square of the length of the h-th link of a node, or of its last where it has fewer.
    pub(super) fn reach(&self, graph: &impl Graph, meter: &Meter) -> f64 {
        let (h, nodes) = (self.links(), graph.len() as u32);
        let last = |node: u32| graph.links(node).take(h).last();
        let links = (0..nodes).take_while(|_| !meter.stopped()).filter_map(last);
        let (mut sum, mut counted) = (0.0, 0.0);
        links.for_each(|(_, distance)| {
            sum += self.metric.length(distance).powi(2);
            counted += 1.0;
        });
        // Cosine distances are half the squares of chords.
        let factor = if self.metric == Metric::Cosine { 2.0 } else { 1.0 };
        if counted > 0.0 { factor * sum / counted } else { 0.0 }
    }

    /// The clusters after all moves; where it is stopped, any clusters.
    pub(super) fn of<W: Amount>(
        &self,
        graph: &impl Graph<Weight = W>,
        meter: &Meter,
    ) -> Result<Partition> {
        if mean_ratio(graph, self.metric, meter) < BEYOND_THREE {
            return Ok(self.partition.copied());
        }
        let h = self.links();
        let least = h as f64 * self.weights.map_or(1.0, Weights::mean_weight);
        let places = Places::of(graph, self, h, meter);
        let clusters = self.partition.clusters();
        let mut labels = collected(places.labels.iter().copied());
        for _ in 0..ROUNDS {
            let mut sizes = filled(0.0, clusters);
            let sized = labels.iter().zip(&places.sizes);
            sized.for_each(|(&label, size)| sizes[label as usize] += size);
            let best = |links: &mut Vec<(u32, f64)>, place: usize| match meter.stopped() {
                true => labels[place],
                false => places.best(place, &labels, &sizes, least, links),
            };
            let mut moved = mapped(labels.len(), false, Vec::new, best);
            keep_clusters(&mut moved, &labels, clusters);
            if moved == labels || meter.stopped() {
                break;
            }
            labels = moved;
        }
        let samples = self.partition.labels().iter().zip(&places.of_samples);
        let labels = samples.map(|(&label, &place)| match places.is_fixed[place as usize] {
            true => label,
            false => labels[place as usize],
        });
        Partition::new(&collected(labels))
    }
}

/// The mean over all nodes of (distance of the i-th neighbour/distance of the k-th)² for i < k; 0 where none tells.
fn mean_ratio(graph: &impl Graph, metric: Metric, meter: &Meter) -> f64 {
    let (mut sum, mut counted) = (0.0, 0.0);
    let mut lengths = Vec::new();
    for node in 0..graph.len() as u32 {
        if meter.stopped() {
            break;
        }
        lengths.clear();
        lengths.extend(graph.links(node).map(|(_, distance)| metric.length(distance)));
        let Some((last, nearer)) = lengths.split_last() else { continue };
        // Half of equal samples tell nothing about how others are spread.
        if nearer.is_empty() || nearer[nearer.len() / 2] == 0.0 {
            continue;
        }
        let squares = nearer.iter().map(|nearer| (nearer / last) * (nearer / last));
        sum += squares.sum::<f64>() / nearer.len() as f64;
        counted += 1.0;
    }
    if counted > 0.0 { sum / counted } else { 0.0 }
}

/// Places of equal samples, and their links.
struct Places {
    /// The place of each sample.
    of_samples: Vec<u32>,
    /// For each place the cluster of its samples.
    labels: Vec<u32>,
    /// For each place the size of its samples together.
    sizes: Vec<f64>,
    /// For each place, true if its samples do not move.
    is_fixed: Vec<bool>,
    /// For each place, where its links begin in `others`.
    starts: Vec<usize>,
    /// The places that places are linked to, once for each link and direction.
    others: Vec<u32>,
    /// The amount that each link counts, unless each counts 1.
    amounts: Option<Vec<f64>>,
}

impl Places {
    /// The places of samples, and their links to the `h` nearest.
    fn of<W: Amount>(
        graph: &impl Graph<Weight = W>,
        moves: &Moves<'_>,
        h: usize,
        meter: &Meter,
    ) -> Self {
        let Moves { partition, weights, fixed, .. } = *moves;
        let nodes = 0..graph.len() as u32;
        let mut equal = Sets::new(partition.samples());
        for node in nodes.clone() {
            let links = graph.links(node).take(h).take_while(|(_, distance)| *distance == 0.0);
            links.for_each(|(other, _)| equal.join(graph.sample(node), graph.sample(other)));
        }
        let equal = Partition::of_sets(equal);
        let count = equal.clusters();
        let of_samples = equal.into_labels();
        let (mut labels, mut is_fixed) = (filled(u32::MAX, count), filled(false, count));
        let mut sizes = filled(0.0, count);
        for (sample, (&place, &label)) in of_samples.iter().zip(partition.labels()).enumerate() {
            let place = place as usize;
            sizes[place] += weights.map_or(1.0, |weights| weights.as_slice()[sample]);
            match labels[place] {
                u32::MAX => labels[place] = label,
                // A rule keeps equal samples apart, or first neighbours that the caller brought do.
                first => is_fixed[place] |= first != label,
            }
        }
        fixed.as_flattened().iter().for_each(|&sample| {
            is_fixed[of_samples[sample as usize] as usize] = true;
        });

        let place = |node: u32| of_samples[graph.sample(node) as usize];
        let links = |node: u32| {
            let pairs =
                graph.nearest(node).take(h).map(move |other| (other, [node, other].map(place)));
            pairs.filter(|(_, [a, b])| a != b)
        };
        let mut starts = filled(0, count + 1);
        for (_, pair) in nodes.clone().flat_map(links) {
            pair.into_iter().for_each(|place| starts[place as usize + 1] += 1);
        }
        (0..count).for_each(|place| starts[place + 1] += starts[place]);
        let mut others = filled(0, starts[count]);
        let mut amounts = weights.map(|_| filled(0.0, starts[count]));
        let mut ends = collected(starts.iter().copied());
        for node in nodes.take_while(|_| !meter.stopped()) {
            for (other, [a, b]) in links(node) {
                for (from, to) in [(a, b), (b, a)] {
                    let at = &mut ends[from as usize];
                    others[*at] = to;
                    if let Some(amounts) = &mut amounts {
                        amounts[*at] = graph.amount(node, other).to_f64();
                    }
                    *at += 1;
                }
            }
        }
        Self { of_samples, labels, sizes, is_fixed, starts, others, amounts }
    }

    fn links(&self, place: usize) -> Range<usize> {
        self.starts[place]..self.starts[place + 1]
    }

    /// The cluster that a place goes to, among clusters of these sizes. `links` is room for its links.
    fn best(
        &self,
        place: usize,
        labels: &[u32],
        sizes: &[f64],
        least: f64,
        links: &mut Vec<(u32, f64)>,
    ) -> u32 {
        let own = labels[place];
        let range = self.links(place);
        let label = |at: usize| labels[self.others[at] as usize];
        if self.is_fixed[place] || range.clone().all(|at| label(at) == own) {
            return own;
        }
        let amount = |at: usize| self.amounts.as_ref().map_or(1.0, |amounts| amounts[at]);
        links.clear();
        reserve(links, range.len());
        links.extend(range.map(|at| (label(at), amount(at))));
        links.sort_unstable_by(|(a, of_a), (b, of_b)| a.cmp(b).then(of_a.total_cmp(of_b)));
        // Of whole amounts, equal shares are equal numbers, and others are not: both parts are small.
        let (mut of_own, mut best) = (0.0, (own, 0.0));
        for links in links.chunk_by(|(a, _), (b, _)| a == b) {
            let label = links[0].0;
            let sum: f64 = links.iter().map(|(_, amount)| amount).sum();
            let of_itself = if label == own { self.sizes[place] } else { 0.0 };
            let share = sum / f64::min(sizes[label as usize] - of_itself, least);
            match label == own {
                true => of_own = share,
                false if share > best.1 => best = (label, share),
                false => {}
            }
        }
        if best.1 > of_own { best.0 } else { own }
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::super::graph::NearestLinks;
    use super::*;
    use crate::neighbors::Neighbors;
    use crate::run::Run;

    /// Neighbours at distances of 10, 11, …, as in many dimensions: the first is nearly as far as the last.
    fn found(lists: &[&[u32]]) -> Neighbors {
        let k = lists.iter().map(|list| list.len()).max().unwrap();
        let index = Array2::from_shape_fn((lists.len(), k), |(row, rank)| {
            lists[row].get(rank).map_or(-1, |&other| other as i32)
        });
        let distance = Array2::from_shape_fn((lists.len(), k), |(_, rank)| 10.0 + rank as f64);
        Neighbors::given(index.view(), distance.view(), &mut Run::new()).unwrap()
    }

    fn moved(lists: &[&[u32]], labels: &[u32], fixed: &[[u32; 2]]) -> Vec<u32> {
        let (found, partition) = (found(lists), Partition::new(labels).unwrap());
        let graph = NearestLinks::new(&found, found.k(), Metric::Euclidean);
        let (metric, k) = (Metric::Euclidean, found.k());
        let moves = Moves { partition: &partition, weights: None, metric, k, fixed };
        moves.of(&graph, &Meter::new(1)).unwrap().into_labels()
    }

    /// Sample 3 is linked to 4, 5 and 6 and was joined to 0, 1 and 2.
    const LISTS: [&[u32]; 7] =
        [&[1, 2, 3], &[0, 2, 3], &[0, 1, 3], &[4, 5, 6], &[3, 5, 6], &[3, 4, 6], &[3, 4, 5]];

    #[test]
    fn a_sample_goes_where_it_is_linked_most_unless_a_rule_names_it() {
        let joined = [0, 0, 0, 0, 1, 1, 1];
        assert_eq!(moved(&LISTS, &joined, &[]), [0, 0, 0, 1, 1, 1, 1]);
        assert_eq!(moved(&LISTS, &joined, &[[3, 4]]), joined);
        // A cluster that its only sample would leave keeps it, and one that other samples would come to.
        assert_eq!(moved(&LISTS, &[0, 0, 0, 1, 2, 2, 2], &[]), [0, 0, 0, 1, 2, 2, 2]);
        let round: [&[u32]; 4] = [&[2, 3], &[2, 3], &[0, 1], &[0, 1]];
        assert_eq!(moved(&round, &[0, 0, 1, 1], &[]), [0, 0, 1, 1]);
    }

    #[test]
    fn the_dimension_is_told_by_distances() {
        let on_a_line: [&[u32]; 3] = [&[1, 2], &[0, 2], &[1, 0]];
        let distance = ndarray::array![[1.0, 2.0], [1.0, 1.0], [1.0, 2.0]];
        let index = Array2::from_shape_fn((3, 2), |(row, rank)| on_a_line[row][rank] as i32);
        let found = Neighbors::given(index.view(), distance.view(), &mut Run::new()).unwrap();
        let graph = NearestLinks::new(&found, 2, Metric::Euclidean);
        let mean_ratio = |metric| mean_ratio(&graph, metric, &Meter::new(1));
        assert_eq!(mean_ratio(Metric::Euclidean), (0.25 + 1.0 + 0.25) / 3.0);
        assert!((mean_ratio(Metric::Cosine) - (0.5 + 1.0 + 0.5) / 3.0).abs() < 1e-15);
    }
}
