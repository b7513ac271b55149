//! Merging the two clusters with the closest means, again and again (Algorithm 2).
//!
//! The paper's listing recomputes all first neighbours after each merge and keeps the shortest link.
//! The shortest link joins the globally closest pair, and there are two ways to find this pair sooner.
//! Where means have few features, or lie near a surface of few dimensions, a tree of the means tells
//! the closest cluster to any one, and C clusters merge in about C log C steps ([`merge_by_tree`]).
//! Elsewhere the boxes of a tree are too wide to rule much out, and a merged cluster is compared with
//! all others, C² pairs in all ([`merge_by_scan`]). Both ways give the same merges, ties included.

mod any_clusters;
mod bounds;
mod clusters;
mod means_tree;
mod moves;
mod queue;
mod ruled;
mod scan;
mod sparse;
mod spread;
mod timed;

pub(crate) use clusters::MeanLinkage;
pub(crate) use moves::{mean_square, move_to_means};
pub(crate) use ruled::merge_means_by_rules;
pub(crate) use spread::{Means, Nearest, merge_by_separation, merge_by_separation_and_rules};
pub(crate) use timed::merge_by_times;

use bounds::PROJECTED_FEATURES;
use clusters::{Clusters, Merging};
use means_tree::Tree;
use queue::merge_by_tree;
use scan::merge_by_scan;
use sparse::SparseClusters;

use crate::error::Result;
use crate::hierarchy::dendrogram::Merge;
use crate::partition::Partition;
use crate::run::Run;
use crate::run::progress::{Meter, Stage};
use crate::samples::element::{Element, ElementType};
use crate::samples::metric::Metric;
use crate::samples::weights::Weights;
use crate::samples::{AnySamples, Kind};
use crate::support::random::spread;

/// The most features for which clusters are always searched in a tree. Uniform samples are the worst
/// case: in 8 features 3,892 clusters of them merge down to 10 on one thread in 0.08 s by the tree and
/// in 0.57 s by comparing.
const FEW_FEATURES: usize = 8;
/// Clusters that are searched to tell how many of the other clusters a search in the tree looks at.
const PROBED: usize = 32;

/// Merges the clusters of a partition until `clusters` are left, and returns the merges.
pub(crate) fn merge_by_means(
    samples: AnySamples<'_>,
    weights: Option<&Weights>,
    start: &Partition,
    metric: Metric,
    linkage: MeanLinkage,
    clusters: usize,
    run: &mut Run<'_>,
) -> Result<Vec<Merge>> {
    match samples.0 {
        Kind::Dense(samples) => run.stage(Stage::Merge, parts(start, clusters), |meter| {
            match samples.element().of_means() {
                ElementType::F64 => {
                    let of_start = Clusters::<f64>::of(&samples, weights, start, metric, linkage);
                    merge_dense(of_start, clusters, meter)
                }
                _ => {
                    let of_start = Clusters::<f32>::of(&samples, weights, start, metric, linkage);
                    merge_dense(of_start, clusters, meter)
                }
            }
        }),
        Kind::Sparse(samples) => run.stage(Stage::Merge, parts(start, clusters), |meter| {
            let of_start = SparseClusters::of(&samples, weights, start, metric, linkage);
            merge_by_scan(of_start, clusters, meter)
        }),
    }
}

/// One part for each cluster, which is searched at first, and one for each merge.
fn parts(start: &Partition, left: usize) -> u64 {
    (2 * start.clusters() - left) as u64
}

fn merge_dense<M: Element<Mean = M>>(
    clusters: Clusters<M>,
    left: usize,
    meter: &Meter,
) -> Vec<Merge> {
    match tree_that_pays(&clusters, meter) {
        Some(tree) => merge_by_tree(clusters, tree, left, meter),
        None => merge_by_scan(clusters, left, meter),
    }
}

/// A tree of the clusters, where a search in it is faster than comparing with all clusters.
///
/// A search in the tree is one thread's, and all threads share in comparing with all clusters, so
/// that the tree may look at one in so many clusters as there are threads. Merging down to 10 clusters
/// on two threads by the tree and by comparing, by centroid linkage: 0.73 and 8.8 s for 40,000 samples
/// of a table of 38 features (1 % looked at), 1.2 and 9.6 s for a manifold in 64 features (1 %), 0.34
/// and 0.90 s for 15,000 uniform samples in 12 features (26 %), and 0.78 and 0.53 s in 24 (99 %). Where
/// a projection pays, comparing is faster than the tree: 1.9 and 8.3 s for 40,000 image patches of 128
/// features (33 %).
fn tree_that_pays<M: Element<Mean = M>>(clusters: &Clusters<M>, meter: &Meter) -> Option<Tree> {
    let features = clusters.rows().features();
    if features >= PROJECTED_FEATURES {
        return None;
    }
    let tree = Tree::of(clusters, meter);
    let pays = || {
        let probed = spread(clusters.len(), clusters.len().div_ceil(PROBED));
        let all = probed.len() * clusters.len();
        let looks = |cluster| if meter.stopped() { 0 } else { tree.looks(cluster as u32) };
        probed.map(looks).sum::<usize>() * rayon::current_num_threads() <= all
    };
    (features <= FEW_FEATURES || pays()).then_some(tree)
}

#[cfg(test)]
mod tests;
