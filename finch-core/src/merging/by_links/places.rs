//! Equal samples as one place.
//!
//! The nearest neighbours of a sample with many equals are these equals, and say nothing of what is around
//! them: rounded noise falls apart into its values. So places are linked in place of samples, each with
//! the weight of its samples: a link counts with the product of the weights of its two places, which
//! is as many pairs of samples.

use super::graph::{Graph, Links, NearestLinks};
use super::merge_linked;
use super::mixing::{Size, mixing};
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::linkage::Linkage;
use crate::neighbors::{FirstNeighbors, Nearest, Neighbors, Query, Searcher};
use crate::partition::Partition;
use crate::partition::means::cluster_sizes;
use crate::run::Run;
use crate::run::progress::Stage;
use crate::samples::AnySamples;
use crate::samples::comparable::{Keyed, with_keyed};
use crate::samples::metric::Metric;
use crate::samples::owned::OwnedSamples;
use crate::samples::weights::Weights;
use crate::support::memory::{collected, filled, gathered, push};
use crate::support::union_find::Sets;

/// The share of samples that have an equal one, above which places are looked at. Below, the lists of
/// most samples reach beyond their own place.
const REPEATED: f64 = 0.1;

/// The share of samples whose place needs a known neighbour, where the caller brought neighbours.
const KNOWN: f64 = 0.9;

/// Samples at distance 0 of each other as places, numbered by their first samples.
pub(crate) struct Places {
    /// The place of each sample.
    of: Partition,
    /// The first sample of each place.
    firsts: Vec<u32>,
    /// The weight of each place.
    weights: Vec<f64>,
}

impl Places {
    /// [`Places::of`], where more than a tenth of the samples are repeated.
    pub(crate) fn of_repeated(
        first: &FirstNeighbors,
        weights: Option<&Weights>,
        samples: usize,
        zero_rows: &[u32],
    ) -> Option<Self> {
        let copies = |sample: usize| weights.map_or(1, |weights| weights.of(sample as u32).count);
        let (mut repeated, mut all) = (0, 0);
        for sample in 0..samples {
            let count = copies(sample);
            let equal = count > 1 || first.distance().get(sample) == Some(&0.0);
            repeated += if equal { count } else { 0 };
            all += count;
        }
        // All zero rows are equal, whatever their distance is said to be.
        let of_zero_rows = || zero_rows.iter().map(|&sample| copies(sample as usize));
        if of_zero_rows().sum::<u64>() > 1 {
            let told = |&&sample: &&u32| {
                let sample = sample as usize;
                copies(sample) == 1 && first.distance().get(sample) != Some(&0.0)
            };
            repeated += zero_rows.iter().filter(told).count() as u64;
        }
        let is_repeated = repeated as f64 > REPEATED * all as f64;
        is_repeated.then(|| Self::of(first, weights, samples, zero_rows))
    }

    /// The places of samples with these first neighbours. Of equal samples each one's first neighbour is
    /// the first of the others, so that links of length 0 join all.
    pub(crate) fn of(
        first: &FirstNeighbors,
        weights: Option<&Weights>,
        samples: usize,
        zero_rows: &[u32],
    ) -> Self {
        let mut sets = Sets::new(samples);
        first.links(0.0).for_each(|(sample, other)| sets.join(sample, other));
        zero_rows.array_windows().for_each(|&[one, other]| sets.join(one, other));
        let of = Partition::of_sets(sets);
        let mut firsts = filled(u32::MAX, of.clusters());
        for (sample, &place) in (0..).zip(of.labels()) {
            let first = &mut firsts[place as usize];
            *first = sample.min(*first);
        }
        let weights = cluster_sizes(&of, weights);
        Self { of, firsts, weights }
    }

    /// The number of places.
    pub(crate) fn len(&self) -> usize {
        self.firsts.len()
    }

    /// The place of each sample.
    pub(crate) fn labels(&self) -> &[u32] {
        self.of.labels()
    }

    /// The `k` nearest places of each place: searched among the first samples of places; without samples
    /// those that the kept neighbours tell, fewer than `k` where they tell fewer, and `None` where they
    /// tell none of too many.
    pub(crate) fn nearest(
        &self,
        samples: Option<AnySamples<'_>>,
        hierarchy: &Hierarchy,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<Option<Neighbors>> {
        let Some(samples) = samples else {
            return Ok(hierarchy.neighbors().and_then(|neighbors| self.known(neighbors, k)));
        };
        let firsts = run.install(|| OwnedSamples::selected(samples, &self.firsts))?;
        let search = hierarchy.first_neighbors().search().unwrap_or_default();
        let query = Query { search, ..hierarchy.query() };
        Searcher::new(query, run).nearest_of_any(firsts.samples(), k, 0, None).map(Some)
    }

    fn known(&self, neighbors: &Neighbors, k: usize) -> Option<Neighbors> {
        let labels = self.of.labels();
        let mut lists: Vec<Vec<Nearest>> = collected(self.weights.iter().map(|_| Vec::new()));
        for ((sample, rank), &other) in neighbors.index().indexed_iter() {
            let place = labels[sample];
            if other != Neighbors::NONE && labels[other as usize] != place {
                let key = neighbors.distance()[[sample, rank]];
                push(&mut lists[place as usize], Nearest { key, index: labels[other as usize] });
            }
        }
        let mut index = filled(Neighbors::NONE, k * lists.len());
        let mut distance = filled(f64::INFINITY, index.len());
        let (mut known, mut all) = (0.0, 0.0);
        for (place, list) in lists.iter_mut().enumerate() {
            list.sort_unstable_by(|a, b| a.index.cmp(&b.index).then(a.key.total_cmp(&b.key)));
            list.dedup_by_key(|nearest| nearest.index);
            list.sort_unstable_by(|a, b| a.key.total_cmp(&b.key).then(a.index.cmp(&b.index)));
            for (rank, nearest) in list.iter().take(k).enumerate() {
                (index[place * k + rank], distance[place * k + rank]) =
                    (nearest.index, nearest.key);
            }
            all += self.weights[place];
            known += if list.is_empty() { 0.0 } else { self.weights[place] };
        }
        let found = Neighbors::of_parts([lists.len(), k], index, distance, None);
        (known >= KNOWN * all).then_some(found)
    }

    /// The mixing of clusters of places at their borders ([`mixing`]); 1 where no cluster tells.
    pub(crate) fn mixing(
        &self,
        samples: Option<AnySamples<'_>>,
        hierarchy: &Hierarchy,
        run: &mut Run<'_>,
    ) -> Result<f64> {
        let places = self.len();
        let k = Linkage::Neighbor.neighbors(places);
        if places < 3 {
            return Ok(1.0);
        }
        let Some(neighbors) = self.nearest(samples, hierarchy, k, run)? else { return Ok(1.0) };
        let k = k.min(neighbors.k());
        let metric = hierarchy.metric();
        run.stage(Stage::Link, 2 * places as u64 - 1, |meter| {
            let links = NearestLinks::new(&neighbors, k, metric);
            let graph = PlaceGraph { links, weights: &self.weights };
            // Each place alone: on a grid ties join all places by first neighbours at once.
            let start = Partition::numbered(collected(0..places as u32), places);
            let between = Links::of(&graph, &start, meter).between;
            let merges = merge_linked(between, collected(self.weights.iter().copied()), 1, meter);
            let size = |&weight: &f64| Size { weight, nodes: 1.0 };
            let sizes = gathered(self.weights.iter().map(size));
            mixing(&graph, &start, &sizes, &merges, meter)
        })
    }
}

/// The samples without a direction, by a metric that takes one: those at a distance from themselves.
pub(crate) fn zero_rows(samples: Option<AnySamples<'_>>, metric: Metric) -> Vec<u32> {
    let Some(samples) = samples.filter(|_| metric == Metric::Cosine) else { return Vec::new() };
    with_keyed!(samples, metric, rows => {
        let [mut row, mut other] = [(); 2].map(|()| rows.room());
        gathered((0..rows.len() as u32).filter(|&sample| {
            rows.load(sample as usize, &mut row);
            rows.load(sample as usize, &mut other);
            rows.key_of_loaded(&row, &other) > 1.0
        }))
    })
}

/// Places, each linked to its nearest, by the weights of both.
struct PlaceGraph<'a> {
    links: NearestLinks<'a>,
    weights: &'a [f64],
}

impl Graph for PlaceGraph<'_> {
    type Weight = f64;

    fn len(&self) -> usize {
        self.weights.len()
    }

    fn sample(&self, node: u32) -> u32 {
        node
    }

    fn nearest(&self, node: u32) -> impl Iterator<Item = u32> {
        self.links.nearest(node)
    }

    fn links(&self, node: u32) -> impl Iterator<Item = (u32, f64)> {
        self.links.links(node)
    }

    fn weight(&self, node: u32, neighbor: u32, distance: f64, shared: u64) -> f64 {
        let weight = self.links.weight(node, neighbor, distance, shared);
        self.amount(node, neighbor) * weight as f64
    }

    fn amount(&self, node: u32, neighbor: u32) -> f64 {
        self.weights[node as usize] * self.weights[neighbor as usize]
    }
}
