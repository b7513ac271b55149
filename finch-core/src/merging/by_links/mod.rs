//! Neighbour linkage: average linkage on the graph of shared nearest neighbours.
//!
//! The two clusters A and B with the largest links(A, B) / (|A|·|B|) merge. The similarity of the
//! merged cluster to a third cluster is the mean of the two similarities before, weighted by sizes, so
//! it is never above the larger of them. Therefore a cluster's most similar partner changes only when
//! that partner itself merges; until then the partner's similarity is an upper bound (Müllner, *Modern
//! hierarchical, agglomerative clustering algorithms*, 2011, Fig. 3, for sparse similarities). A heap
//! with one pair for each cluster is enough, and there is no C × C matrix: with E links merging takes
//! usually O(E log E).
//!
//! Islands merge sooner than their similarity says (see `islands.rs`). That takes no other pair from the heap: a
//! pair whose partner has grown is looked at anew, as ever.
//!
//! Weights are whole numbers (see `local_scale.rs`), so similarities are fractions, which are compared exactly.
//! Of samples whose own weights are not whole, or many, similarities are real numbers, and rounded.

pub(crate) mod copies;
mod graph;
mod islands;
pub(crate) mod local_scale;
mod mixing;
mod moves;
pub(crate) mod places;
pub(crate) mod sample_links;
mod similarity;

use std::borrow::Cow;
use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;
use std::iter;

use copies::CopyGraph;
use graph::{Graph, Link, Links, NearestLinks};
use islands::Islands;
use local_scale::UNIT;
use mixing::{Size, mixing};
use moves::Moves;
use similarity::{Amount, Similarity};

use super::by_means::{Means, Nearest, merge_by_separation, merge_by_separation_and_rules};
use super::rules::{Joins, Partners, Rules, merge_by_rules};
use super::unlinked::{merge_pieces, merge_pieces_by_rules};
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::hierarchy::dendrogram::{Dendrogram, Merge};
use crate::hierarchy::linkage::Linkage;
use crate::neighbors::{Neighbors, Query, Searcher};
use crate::partition::Partition;
use crate::partition::means::cluster_sizes;
use crate::run::Run;
use crate::run::progress::{Meter, Stage};
use crate::samples::AnySamples;
use crate::samples::comparable::with_keyed;
use crate::samples::metric::Metric;
use crate::samples::weights::{Copies, Weights};
use crate::support::memory::{collected, filled, gathered, reserve, reserve_queue, room};
use crate::support::union_find::Sets;

/// A partition merged by neighbour linkage.
pub(crate) struct Linked {
    pub(crate) dendrogram: Dendrogram,
    /// The same merged by links alone, where islands merged sooner, all clusters merged, and there were no
    /// rules.
    pub(crate) plain: Option<Dendrogram>,
    /// The clusters after moves, where they were asked for.
    pub(crate) moved: Option<Partition>,
    /// The mean square of the length of the last link that samples move by, where they were asked to move.
    pub(crate) reach: Option<f64>,
    /// For each cluster at the start, the weight of the links within it, in shared neighbours.
    pub(crate) within: Vec<f64>,
    /// For each cluster at the start, the weight of all its links, in shared neighbours. A link within
    /// the cluster counts at both of its ends.
    pub(crate) volumes: Vec<f64>,
    /// The size of each cluster at the start.
    pub(crate) sizes: Vec<f64>,
    /// The weight of a link of one shared neighbour that does not reach too far, on average: 1 if all
    /// weights of samples are whole numbers.
    pub(crate) one: f64,
    /// The mixing of clusters ([`mixing()`]); 1 unless all clusters merged, without rules.
    pub(crate) mixing: f64,
}

/// The cut of a dendrogram whose samples move.
pub(crate) type CutToMove<'c> = &'c dyn Fn(&Linked) -> Result<Partition>;

/// Merges the clusters of a partition until `clusters` are left: by links, islands before large clusters, and
/// where no links are left by separation linkage on means, or without samples as [`merge_pieces`] does. Takes the
/// neighbours that the hierarchy has kept, or else searches them. Neighbours that the caller brought are taken however few
/// they are. Under rules more clusters may be left, of which no two may merge. The samples of the cut `to_move` then
/// move.
pub(crate) fn merge_by_links(
    samples: Option<AnySamples<'_>>,
    hierarchy: &Hierarchy,
    start: &Partition,
    clusters: usize,
    rules: Rules<'_>,
    to_move: Option<CutToMove<'_>>,
    run: &mut Run<'_>,
) -> Result<Linked> {
    let weights = hierarchy.checked_weights();
    let copies = weights.map_or(hierarchy.samples(), |weights| weights.copies() as usize);
    let k = Linkage::Neighbor.neighbors(copies);
    let neighbors = &*neighbors_to_link(samples, hierarchy, k, run)?;
    let metric = hierarchy.metric();
    let samples = samples.as_ref();
    let nearest = samples.map(|samples| Nearest::new(Means::new(samples, weights, metric), start));
    let merging = Merging { start, clusters, rules, weights, k, nearest };
    let rest = |left: &Partition, run: &mut Run<'_>| {
        let joins = || Joins::of(rules, left, weights, clusters);
        let means = samples.map(|samples| Means::new(samples, weights, metric));
        let mut merges = match (means, rules.is_empty()) {
            (Some(means), true) => merge_by_separation(&means, left, clusters, run)?,
            (Some(means), false) => merge_by_separation_and_rules(&means, left, &mut joins(), run)?,
            (None, true) => merge_pieces(hierarchy, left, clusters),
            (None, false) => {
                let parts = (left.clusters() - clusters) as u64;
                let merge = |meter: &Meter| merge_pieces_by_rules(left, &mut joins(), meter);
                run.stage(Stage::Merge, parts, merge)?
            }
        };
        merges.iter_mut().for_each(|merge| merge.height = f64::INFINITY);
        Ok(merges)
    };
    let steps = Steps { merging, rest: &rest, to_move, metric, neighbors: k.min(neighbors.k()) };
    match (weights, samples) {
        (Some(weights), Some(samples)) if weights.countable() => {
            let graph = run.install(|| {
                with_keyed!(samples.reborrow(), metric, rows => CopyGraph::<u64>::of(rows, weights, neighbors, k))
            })??;
            steps.take(&graph, run)
        }
        (Some(weights), Some(samples)) => {
            let graph = run.install(|| {
                with_keyed!(samples.reborrow(), metric, rows => CopyGraph::<f64>::of(rows, weights, neighbors, k))
            })??;
            steps.take(&graph, run)
        }
        // Where there are no samples, there are no weights.
        (None, _) | (_, None) => {
            let graph =
                run.install(|| NearestLinks::new(neighbors, k.min(neighbors.k()), metric))?;
            steps.take(&graph, run)
        }
    }
}

/// The steps of neighbour linkage on a graph: merging by links, the merging of what no link joins, and moves.
struct Steps<'m> {
    merging: Merging<'m>,
    /// Merges the clusters that links leave.
    rest: &'m dyn Fn(&Partition, &mut Run<'_>) -> Result<Vec<Merge>>,
    to_move: Option<CutToMove<'m>>,
    /// The metric of the distances.
    metric: Metric,
    /// The number of neighbours of a sample that the graph has.
    neighbors: usize,
}

impl Steps<'_> {
    fn take<W: Amount>(self, graph: &impl Graph<Weight = W>, run: &mut Run<'_>) -> Result<Linked> {
        let Self { merging, rest, to_move, metric, neighbors } = self;
        let Merging { clusters, rules, weights, .. } = merging;
        let mut linked = merging.link(graph, run)?;
        for dendrogram in iter::once(&mut linked.dendrogram).chain(&mut linked.plain) {
            let left = dendrogram.coarsest()?;
            if left.clusters() > clusters {
                dendrogram.append(rest(&left, run)?);
            }
        }
        if let Some(to_move) = to_move {
            let partition = &to_move(&linked)?;
            let fixed = gathered(rules.together.iter().chain(rules.apart).copied());
            let moves = Moves { partition, weights, metric, k: neighbors, fixed: &fixed };
            linked.reach = Some(run.between(|meter| moves.reach(graph, meter))?);
            linked.moved = Some(run.between(|meter| moves.of(graph, meter))??);
        }
        Ok(linked)
    }
}

/// The `k` nearest neighbours of all samples, or more: those that the hierarchy has kept, or else they are
/// searched. Fewer, where the caller brought fewer, and where there are fewer other samples.
pub(crate) fn neighbors_to_link<'h>(
    samples: Option<AnySamples<'_>>,
    hierarchy: &'h Hierarchy,
    k: usize,
    run: &mut Run<'_>,
) -> Result<Cow<'h, Neighbors>> {
    let k = k.min(hierarchy.samples() - 1);
    let suffices = |kept: &&Neighbors| kept.k() >= k || kept.choice().is_none();
    if let Some(kept) = hierarchy.neighbors().filter(suffices) {
        return Ok(Cow::Borrowed(kept));
    }
    let Some(samples) = samples else {
        return Err(Error::NeedsSamples { what: "a search of neighbours" });
    };
    // By the search that found the first neighbours; where the caller brought first neighbours, by
    // the fastest search. A time limit begins anew, and with it the choice of what fits.
    let query = hierarchy.query();
    let search = match query.time_limit {
        Some(_) => query.search,
        None => hierarchy.first_neighbors().search().unwrap_or_default(),
    };
    let query = Query { search, ..query };
    Ok(Cow::Owned(Searcher::new(query, run).nearest_of_any(samples, k, 0, None)?))
}

/// The request that links are merged by.
struct Merging<'m> {
    start: &'m Partition,
    /// The number of clusters wanted.
    clusters: usize,
    rules: Rules<'m>,
    weights: Option<&'m Weights>,
    /// The number of neighbours of a sample, or copy.
    k: usize,
    nearest: Option<Nearest<'m>>,
}

impl Linked {
    /// The merges by links alone.
    pub(crate) fn by_links(&self) -> &Dendrogram {
        self.plain.as_ref().unwrap_or(&self.dendrogram)
    }
}

impl Merging<'_> {
    /// Merges the clusters of a partition until as many are left as are wanted, or no links.
    fn link<W: Amount>(self, graph: &impl Graph<Weight = W>, run: &mut Run<'_>) -> Result<Linked> {
        let Self { start, clusters, rules, weights, k, nearest } = self;
        // One part of the stage for each cluster that is linked, and one for each merge.
        let parts = (2 * start.clusters() - clusters) as u64;
        let mean_weight = weights.map_or(1.0, Weights::mean_weight);
        let sizes = cluster_sizes(start, weights);
        run.stage(Stage::Link, parts, |meter| {
            let links = Links::of(graph, start, meter);
            let volumes = links.volumes();
            let Links { between, within } = links;
            let amounts = || amounts::<W>(start, weights);
            let of_start = amounts();
            let islands = Islands::new(&within, &of_start, k as f64 * mean_weight, nearest);
            let mut merging = NeighborLinkage::new(between, of_start, Some(islands));
            let merges = match rules.is_empty() {
                true => merging.merge(clusters, meter),
                false => {
                    let joins = &mut Joins::of(rules, start, weights, clusters);
                    merge_by_rules(&mut merging, joins, meter)
                }
            };
            let to_one = clusters == 1 && rules.is_empty();
            let plain = (to_one && merging.is_changed).then(|| {
                let unmetered = Meter::new(1);
                let between = Links::of(graph, start, &unmetered).between;
                merge_linked(between, amounts(), 1, &unmetered)
            });
            let mixing = match to_one {
                true => {
                    let size = |&weight: &f64| Size { weight, nodes: weight / mean_weight };
                    let sizes = collected(sizes.iter().map(size));
                    mixing(graph, start, &sizes, plain.as_ref().unwrap_or(&merges), meter)
                }
                false => 1.0,
            };
            Linked {
                dendrogram: Dendrogram::new(start, weights, merges),
                plain: plain.map(|merges| Dendrogram::new(start, weights, merges)),
                moved: None,
                reach: None,
                within: collected(within.iter().map(|within| in_shared(within.to_f64()))),
                volumes: collected(volumes.into_iter().map(in_shared)),
                sizes,
                one: mean_weight.powi(2),
                mixing,
            }
        })
    }
}

/// Merges clusters of these sizes, and with these links between them, until `clusters` are left, or no
/// links.
pub(crate) fn merge_linked<W: Amount>(
    between: Vec<Vec<Link<W>>>,
    sizes: Vec<W>,
    clusters: usize,
    meter: &Meter,
) -> Vec<Merge> {
    NeighborLinkage::new(between, sizes, None).merge(clusters, meter)
}

/// A weight in shared neighbours.
fn in_shared(weight: f64) -> f64 {
    weight / UNIT as f64
}

/// The size of each cluster, as links are weighed.
fn amounts<W: Amount>(partition: &Partition, weights: Option<&Weights>) -> Vec<W> {
    let mut sizes = filled(W::default(), partition.clusters());
    for (sample, &label) in (0..).zip(partition.labels()) {
        let one = Copies { count: 1, weight: 1.0 };
        sizes[label as usize] += W::of(weights.map_or(one, |weights| weights.of(sample)));
    }
    sizes
}

/// A cluster and the cluster most similar to it, as they were when the pair was formed.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Pair<W: Amount> {
    similarity: Similarity<W>,
    clusters: [u32; 2],
    /// The sizes that the two clusters had then.
    sizes: [W; 2],
}

impl<W: Amount> Eq for Pair<W> {}

impl<W: Amount> Ord for Pair<W> {
    /// The greatest pair is the most similar one; of equally similar pairs the one with the smallest
    /// numbers.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_similarity = self.similarity.cmp(&other.similarity);
        let by_size = |at: usize| other.sizes[at].order(self.sizes[at]);
        by_similarity
            .then(other.clusters.cmp(&self.clusters))
            .then_with(|| by_size(0).then_with(|| by_size(1)))
    }
}

impl<W: Amount> PartialOrd for Pair<W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Clusters that are being merged. A merged cluster keeps the smaller of its two numbers.
struct NeighborLinkage<'s, W: Amount> {
    /// The links of each cluster. A list may name clusters that have merged since it was made, and may
    /// name one cluster several times.
    links: Vec<Vec<Link<W>>>,
    sizes: Vec<W>,
    sets: Sets,
    pairs: BinaryHeap<Pair<W>>,
    /// The islands, where these merge sooner.
    islands: Option<Islands<'s>>,
    /// True if an island has merged sooner.
    is_changed: bool,
}

impl<'s, W: Amount> NeighborLinkage<'s, W> {
    /// Clusters of these sizes, and the links between them.
    fn new(links: Vec<Vec<Link<W>>>, sizes: Vec<W>, islands: Option<Islands<'s>>) -> Self {
        let (clusters, pairs) = (sizes.len(), BinaryHeap::from(room(sizes.len())));
        Self { links, sizes, sets: Sets::new(clusters), pairs, islands, is_changed: false }
    }

    /// Merges until `clusters` are left, or no links between them, or it is stopped.
    fn merge(&mut self, clusters: usize, meter: &Meter) -> Vec<Merge> {
        (0..self.sizes.len() as u32).for_each(|cluster| self.look(cluster));
        let mut merges = room(self.sizes.len().saturating_sub(clusters));
        while self.sets.count() > clusters && !meter.stopped() {
            let Some(next) = self.pairs.pop() else {
                break;
            };
            let Pair { clusters: [a, b], similarity, sizes } = next;
            let current = [a, b].map(|cluster| self.sizes[cluster as usize]);
            // A cluster that is gone has size 0. A cluster that has grown has a newer pair in the heap.
            if current[0] != sizes[0] {
                continue;
            }
            if current[1] != sizes[1] {
                self.look(a);
                continue;
            }
            let mut pair = [a.min(b), a.max(b)];
            if let Some(sooner) = self.sooner(pair, similarity, &|_| true) {
                reserve_queue(&mut self.pairs, 1);
                self.pairs.push(next);
                pair = sooner;
            }
            self.join(pair);
            self.look(pair[0]);
            let height = similarity.height();
            merges.push(Merge { clusters: pair, height });
            meter.advance(1);
        }
        merges
    }

    fn join(&mut self, [kept, gone]: [u32; 2]) {
        let [kept_at, gone_at] = [kept, gone].map(|cluster| cluster as usize);
        if let Some(islands) = &mut self.islands {
            let links = self.links[gone_at].iter();
            let between = links.filter(|link| self.sets.root(link.cluster) == kept);
            let between = between.map(|link| link.weight).sum::<W>().to_f64();
            let sizes = [kept_at, gone_at].map(|cluster| self.sizes[cluster].to_f64());
            islands.join([kept, gone], sizes, between);
        }
        self.sets.join(kept, gone);
        let size = std::mem::take(&mut self.sizes[gone_at]);
        self.sizes[kept_at] += size;
        let mut links = std::mem::take(&mut self.links[gone_at]);
        reserve(&mut self.links[kept_at], links.len());
        self.links[kept_at].append(&mut links);
    }

    /// Puts a cluster and its most similar partner on the heap; of equally similar partners the one with
    /// the smallest number.
    fn look(&mut self, cluster: u32) {
        self.tidy(cluster);
        self.note(cluster);
        let size = self.sizes[cluster as usize];
        let pairs = self.links[cluster as usize].iter().map(|link| {
            let sizes = [size, self.sizes[link.cluster as usize]];
            Pair {
                similarity: Similarity { weight: link.weight, pairs: sizes[0] * sizes[1] },
                clusters: [cluster, link.cluster],
                sizes,
            }
        });
        let closest = pairs.max();
        reserve_queue(&mut self.pairs, 1);
        self.pairs.extend(closest);
    }

    /// Notes a cluster, whose links are tidy, if it is an island.
    fn note(&mut self, cluster: u32) {
        if let Some(islands) = &mut self.islands {
            let leaving = self.links[cluster as usize].iter().map(|link| link.weight).sum::<W>();
            islands.note(cluster, self.sizes[cluster as usize].to_f64(), leaving.to_f64());
        }
    }

    /// An island and its partner, which merge before two clusters of this similarity do, if there are any. An
    /// island without a partner merges by links, or where no links are left.
    fn sooner(
        &mut self,
        pair: [u32; 2],
        similarity: Similarity<W>,
        may: &(dyn Fn([u32; 2]) -> bool + Sync),
    ) -> Option<[u32; 2]> {
        let sizes = pair.map(|cluster| self.sizes[cluster as usize].to_f64());
        let islands = self.islands.as_ref()?;
        let worth = islands.worth(pair, sizes, similarity.weight.to_f64());
        loop {
            let islands = self.islands.as_mut()?;
            let island = islands.below(worth, |cluster| self.sizes[cluster as usize].to_f64())?;
            if let Some(other) = self.partner(island, may) {
                self.is_changed = true;
                return Some([island.min(other), island.max(other)]);
            }
        }
    }

    /// The cluster that an island merges with: the most similar one that it may merge with, or without links
    /// the nearest one.
    fn partner(&mut self, island: u32, may: &(dyn Fn([u32; 2]) -> bool + Sync)) -> Option<u32> {
        let may = |other: u32| may([island, other]);
        if !self.links[island as usize].is_empty() {
            return self.most_similar(island, &may).map(|(_, other)| other);
        }
        let nearest = self.islands.as_mut()?.nearest.as_mut()?;
        nearest.of(island, &mut self.sets, &may)
    }

    /// The cluster most similar to a cluster of those that it may merge with, of equally similar ones that
    /// with the smallest number.
    fn most_similar(
        &mut self,
        cluster: u32,
        may: &(dyn Fn(u32) -> bool + Sync),
    ) -> Option<(Similarity<W>, u32)> {
        self.tidy(cluster);
        let size = self.sizes[cluster as usize];
        let links = self.links[cluster as usize].iter().filter(|link| may(link.cluster));
        let pairs = links.map(|&Link { cluster, weight }| {
            let pairs = size * self.sizes[cluster as usize];
            (Similarity { weight, pairs }, Reverse(cluster))
        });
        let (similarity, Reverse(partner)) = pairs.max()?;
        Some((similarity, partner))
    }

    /// Names in the links of a cluster the clusters that are left, each once.
    fn tidy(&mut self, cluster: u32) {
        let mut links = std::mem::take(&mut self.links[cluster as usize]);
        links.iter_mut().for_each(|link| link.cluster = self.sets.root(link.cluster));
        links.retain(|link| link.cluster != cluster);
        // By weight, too, where the order in which weights are added up shows.
        links.sort_unstable_by(|a, b| {
            a.cluster.cmp(&b.cluster).then_with(|| a.weight.order_of_terms(b.weight))
        });
        links.dedup_by(|link, kept| {
            let same = link.cluster == kept.cluster;
            if same {
                kept.weight += link.weight;
            }
            same
        });
        self.links[cluster as usize] = links;
    }
}

impl<W: Amount> Partners for &mut NeighborLinkage<'_, W> {
    type Closeness = Similarity<W>;

    fn closest(
        &mut self,
        cluster: u32,
        may: &(dyn Fn(u32) -> bool + Sync),
    ) -> Option<(Similarity<W>, u32)> {
        let closest = self.most_similar(cluster, may);
        self.note(cluster);
        closest
    }

    fn sooner(
        &mut self,
        closest: [u32; 2],
        similarity: Similarity<W>,
        may: &(dyn Fn([u32; 2]) -> bool + Sync),
    ) -> Option<[u32; 2]> {
        NeighborLinkage::sooner(self, closest, similarity, may)
    }

    fn join(&mut self, pair: [u32; 2]) {
        NeighborLinkage::join(self, pair);
    }

    fn height(similarity: Similarity<W>) -> f64 {
        similarity.height()
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::merging::by_links::local_scale::weights_by_definition;
    use crate::{Finch, Metric, Samples};

    /// The definition: of all pairs anew for each merge, the one with the largest mean merges.
    fn by_definition(neighbors: &Neighbors, start: &Partition, clusters: usize) -> Vec<Merge> {
        let samples = start.samples();
        let mut labels = start.labels().to_vec();
        let weights = weights_by_definition(neighbors, Metric::Euclidean);
        let mut merges = Vec::new();
        while start.clusters() - merges.len() > clusters {
            let mut alive = labels.clone();
            alive.sort_unstable();
            alive.dedup();
            let members = |a: u32| (0..samples).filter(|&i| labels[i] == a).collect::<Vec<_>>();
            let mut best: Option<(Similarity<u64>, [u32; 2])> = None;
            for (at, &a) in alive.iter().enumerate() {
                for &b in &alive[at + 1..] {
                    let (of_a, of_b) = (members(a), members(b));
                    let pairs = of_a.iter().flat_map(|&i| of_b.iter().map(move |&j| (i, j)));
                    let weight = pairs.clone().map(|(i, j)| weights[(i, j)]).sum();
                    let similarity = Similarity { weight, pairs: pairs.count() as u64 };
                    if weight > 0 && best.is_none_or(|(most, _)| similarity > most) {
                        best = Some((similarity, [a, b]));
                    }
                }
            }
            let Some((similarity, [a, b])) = best else {
                break;
            };
            labels.iter_mut().filter(|label| **label == b).for_each(|label| *label = a);
            merges.push(Merge { clusters: [a, b], height: similarity.height() });
        }
        merges
    }

    #[test]
    fn nothing_is_linked_or_merged_after_a_stop() {
        let matrix =
            Array2::from_shape_fn((60, 2), |(row, column)| ((row * 7 + column) as f64).sin());
        let samples = Samples::new(matrix.view()).unwrap();
        let start = Finch::new().fit(&samples).unwrap().finest().clone();
        let neighbors = Finch::new().nearest_neighbors(&samples, 5, &mut Run::new()).unwrap();
        let graph = NearestLinks::new(&neighbors, 5, Metric::Euclidean);
        let [going, stopped] = [Meter::stopped_at_once(false), Meter::stopped_at_once(true)];
        let links = Links::of(&graph, &start, &stopped);
        assert!(links.between.iter().all(Vec::is_empty));
        let links = Links::of(&graph, &start, &going);
        let merging = || NeighborLinkage::new(links.between.clone(), amounts(&start, None), None);
        assert!(merging().merge(1, &stopped).is_empty());
        assert!(!merging().merge(1, &going).is_empty());
    }

    #[test]
    fn merges_by_definition() {
        for seed in 0..40_usize {
            let (samples, features) = (12 + seed % 30, 1 + seed % 3);
            let value = |row: usize, column: usize| match seed % 4 {
                0 => ((row * 37 + column * 11 + seed) as f64).sin(),
                1 => ((row * row + 3 * column * row + seed) % 7) as f64,
                2 => (row / 6) as f64 * 100.0 + ((row * 5 + column) % 6) as f64,
                _ => ((row % 3) * 5) as f64 + ((row * 29 + column * 7) as f64).cos(),
            };
            let matrix =
                Array2::from_shape_fn((samples, features), |(row, column)| value(row, column));
            let samples = Samples::new(matrix.view()).unwrap();
            let start = Finch::new().fit(&samples).unwrap().finest().clone();
            for k in [1, 2, 4, 7] {
                let neighbors =
                    Finch::new().nearest_neighbors(&samples, k, &mut Run::new()).unwrap();
                let graph = NearestLinks::new(&neighbors, k, Metric::Euclidean);
                for clusters in [1, 3] {
                    let mut run = Run::new();
                    let merged = run
                        .stage(Stage::Merge, 1, |meter| {
                            let links = Links::of(&graph, &start, meter);
                            NeighborLinkage::new(links.between, amounts(&start, None), None)
                                .merge(clusters, meter)
                        })
                        .unwrap();
                    let defined = by_definition(&neighbors, &start, clusters);
                    assert_eq!(merged, defined, "seed {seed}, k = {k}, to {clusters}");
                }
            }
        }
    }
}
