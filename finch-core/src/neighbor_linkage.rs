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
//! Weights are whole numbers, so similarities are fractions, which are compared exactly.

use std::borrow::Cow;
use std::cmp::Ordering;
use std::collections::BinaryHeap;

use ndarray::{Axis, Slice};

use crate::agglomeration::{MeanLinkage, merge_by_means};
use crate::dendrogram::{Dendrogram, Merge};
use crate::element::Element;
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::linkage::Linkage;
use crate::links::{Link, Links};
use crate::memory::{collected, reserve, room};
use crate::neighbors::{Neighbors, Query, Searcher};
use crate::partition::Partition;
use crate::progress::{Meter, Stage};
use crate::run::Run;
use crate::samples::Samples;
use crate::sets::Sets;

/// A partition merged by neighbour linkage.
pub(crate) struct Linked {
    pub(crate) dendrogram: Dendrogram,
    /// For each cluster at the start, the weight of the links within it.
    pub(crate) within: Vec<u64>,
    /// For each cluster at the start, the weight of all its links. A link within the cluster counts at
    /// both of its ends.
    pub(crate) volumes: Vec<u64>,
}

/// Merges the clusters of a partition until `clusters` are left: by links, and where no links are left
/// by Ward linkage on means. Takes the neighbours that the hierarchy has kept, or else searches them.
pub(crate) fn merge_by_links<A: Element>(
    samples: &Samples<'_, A>,
    hierarchy: &Hierarchy,
    start: &Partition,
    clusters: usize,
    run: &mut Run<'_>,
) -> Result<Linked> {
    let neighbors = linked_neighbors(samples, hierarchy, run)?;
    let k = Linkage::Neighbor.neighbors(samples.len());
    let nearest = neighbors.index().slice_axis_move(Axis(1), Slice::from(..k));
    // One part of the stage for each cluster that is linked, and one for each merge.
    let parts = (2 * start.clusters() - clusters) as u64;
    let (within, volumes, merges) = run.stage(Stage::Link, parts, |meter| {
        let links = Links::of(nearest, start, meter);
        let volumes = links.volumes();
        let Links { between, within } = links;
        let merges = NeighborLinkage::new(between, &start.cluster_sizes()).merge(clusters, meter);
        (within, volumes, merges)
    })?;

    let mut dendrogram = Dendrogram::new(start, merges);
    let left = dendrogram.coarsest()?;
    if left.clusters() > clusters {
        let (metric, ward) = (hierarchy.metric(), MeanLinkage::Ward);
        let mut merges = merge_by_means(samples.any(), &left, metric, ward, clusters, run)?;
        merges.iter_mut().for_each(|merge| merge.height = f64::INFINITY);
        dendrogram.append(merges);
    }
    Ok(Linked { dendrogram, within, volumes })
}

/// The neighbours that neighbour linkage looks at, or more: those that the hierarchy has kept, or else
/// they are searched.
pub(crate) fn linked_neighbors<'h, A: Element>(
    samples: &Samples<'_, A>,
    hierarchy: &'h Hierarchy,
    run: &mut Run<'_>,
) -> Result<Cow<'h, Neighbors>> {
    let k = Linkage::Neighbor.neighbors(samples.len());
    if let Some(kept) = hierarchy.neighbors().filter(|kept| kept.k() >= k) {
        return Ok(Cow::Borrowed(kept));
    }
    // By the search that found the first neighbours; where the caller brought first neighbours, by
    // the fastest search.
    let search = hierarchy.first_neighbors().search().unwrap_or_default();
    let query = Query { search, ..hierarchy.query() };
    Ok(Cow::Owned(Searcher::new(query, run).nearest(samples, k, 0)?))
}

/// links(A, B) / (|A|·|B|), as a fraction. The larger, the more similar.
#[derive(Clone, Copy, Debug)]
struct Similarity {
    weight: u64,
    pairs: u64,
}

impl Ord for Similarity {
    fn cmp(&self, other: &Self) -> Ordering {
        let product = |weight: u64, pairs: u64| u128::from(weight) * u128::from(pairs);
        product(self.weight, other.pairs).cmp(&product(other.weight, self.pairs))
    }
}

impl PartialOrd for Similarity {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl PartialEq for Similarity {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl Eq for Similarity {}

/// A cluster and the cluster most similar to it, as they were when the pair was formed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Pair {
    similarity: Similarity,
    clusters: [u32; 2],
    /// The sizes that the two clusters had then.
    sizes: [u64; 2],
}

impl Ord for Pair {
    /// The greatest pair is the most similar one; of equally similar pairs the one with the smallest
    /// numbers.
    fn cmp(&self, other: &Self) -> Ordering {
        let by_similarity = self.similarity.cmp(&other.similarity);
        by_similarity.then(other.clusters.cmp(&self.clusters)).then(other.sizes.cmp(&self.sizes))
    }
}

impl PartialOrd for Pair {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

/// Clusters that are being merged. A merged cluster keeps the smaller of its two numbers.
struct NeighborLinkage {
    /// The links of each cluster. A list may name clusters that have merged since it was made, and may
    /// name one cluster several times.
    links: Vec<Vec<Link>>,
    sizes: Vec<u64>,
    sets: Sets,
    pairs: BinaryHeap<Pair>,
}

impl NeighborLinkage {
    /// Clusters of these sizes, and the links between them.
    fn new(links: Vec<Vec<Link>>, sizes: &[usize]) -> Self {
        let mut merging = Self {
            links,
            sizes: collected(sizes.iter().map(|&size| size as u64)),
            sets: Sets::new(sizes.len()),
            pairs: BinaryHeap::from(room(sizes.len())),
        };
        (0..sizes.len() as u32).for_each(|cluster| merging.look(cluster));
        merging
    }

    /// Merges until `clusters` are left, or no links between them, or it is stopped.
    fn merge(mut self, clusters: usize, meter: &Meter) -> Vec<Merge> {
        let mut merges = room(self.sizes.len().saturating_sub(clusters));
        while self.sets.count() > clusters && !meter.stopped() {
            let Some(Pair { clusters: pair, similarity, sizes }) = self.pairs.pop() else {
                break;
            };
            let [a, b] = pair;
            let current = [a, b].map(|cluster| self.sizes[cluster as usize]);
            // A cluster that is gone has size 0. A cluster that has grown has a newer pair in the heap.
            if current[0] != sizes[0] {
                continue;
            }
            if current[1] != sizes[1] {
                self.look(a);
                continue;
            }
            let pair = [a.min(b), a.max(b)];
            self.join(pair);
            let height = similarity.pairs as f64 / similarity.weight as f64;
            merges.push(Merge { clusters: pair, height });
            meter.advance(1);
        }
        merges
    }

    fn join(&mut self, [kept, gone]: [u32; 2]) {
        self.sets.join(kept, gone);
        let [kept_at, gone_at] = [kept, gone].map(|cluster| cluster as usize);
        self.sizes[kept_at] += std::mem::take(&mut self.sizes[gone_at]);
        let mut links = std::mem::take(&mut self.links[gone_at]);
        reserve(&mut self.links[kept_at], links.len());
        self.links[kept_at].append(&mut links);
        self.look(kept);
    }

    /// Tidies the links of a cluster, and puts the cluster and its most similar partner on the heap; of
    /// equally similar partners the one with the smallest number.
    fn look(&mut self, cluster: u32) {
        let mut links = std::mem::take(&mut self.links[cluster as usize]);
        links.iter_mut().for_each(|link| link.cluster = self.sets.root(link.cluster));
        links.retain(|link| link.cluster != cluster);
        links.sort_unstable_by_key(|link| link.cluster);
        links.dedup_by(|link, kept| {
            let same = link.cluster == kept.cluster;
            if same {
                kept.weight += link.weight;
            }
            same
        });
        let size = self.sizes[cluster as usize];
        let pairs = links.iter().map(|link| {
            let sizes = [size, self.sizes[link.cluster as usize]];
            Pair {
                similarity: Similarity { weight: link.weight, pairs: sizes[0] * sizes[1] },
                clusters: [cluster, link.cluster],
                sizes,
            }
        });
        self.pairs.extend(pairs.max());
        self.links[cluster as usize] = links;
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, ArrayView2};

    use super::*;
    use crate::Finch;
    use crate::links::weights_by_definition;

    /// The definition: of all pairs anew for each merge, the one with the largest mean merges.
    fn by_definition(
        neighbors: ArrayView2<'_, u32>,
        start: &Partition,
        clusters: usize,
    ) -> Vec<Merge> {
        let samples = start.samples();
        let mut labels = start.labels().to_vec();
        let weights = weights_by_definition(neighbors);
        let mut merges = Vec::new();
        while start.clusters() - merges.len() > clusters {
            let mut alive = labels.clone();
            alive.sort_unstable();
            alive.dedup();
            let members = |a: u32| (0..samples).filter(|&i| labels[i] == a).collect::<Vec<_>>();
            let mut best: Option<(Similarity, [u32; 2])> = None;
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
            let Some((Similarity { weight, pairs }, [a, b])) = best else {
                break;
            };
            labels.iter_mut().filter(|label| **label == b).for_each(|label| *label = a);
            merges.push(Merge { clusters: [a, b], height: pairs as f64 / weight as f64 });
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
        let [going, stopped] = [Meter::stopped_at_once(false), Meter::stopped_at_once(true)];
        let links = Links::of(neighbors.index(), &start, &stopped);
        assert!(links.between.iter().all(Vec::is_empty));
        let links = Links::of(neighbors.index(), &start, &going);
        let merging = || NeighborLinkage::new(links.between.clone(), &start.sizes());
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
                for clusters in [1, 3] {
                    let mut run = Run::new();
                    let merged = run
                        .stage(Stage::Merge, 1, |meter| {
                            let links = Links::of(neighbors.index(), &start, meter);
                            NeighborLinkage::new(links.between, &start.sizes())
                                .merge(clusters, meter)
                        })
                        .unwrap();
                    let defined = by_definition(neighbors.index(), &start, clusters);
                    assert_eq!(merged, defined, "seed {seed}, k = {k}, to {clusters}");
                }
            }
        }
    }
}
