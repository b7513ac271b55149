//! Merging by means under rules, where every cluster is compared with all others.

use std::cmp::{Ordering, Reverse};

use rayon::prelude::*;

use super::any_clusters::with_clusters;
use super::clusters::{MeanLinkage, Merging};
use crate::error::Result;
use crate::hierarchy::dendrogram::Merge;
use crate::merging::rules::{Joins, Partners, merge_by_rules};
use crate::partition::Partition;
use crate::run::Run;
use crate::run::progress::{Meter, Stage};
use crate::samples::AnySamples;
use crate::samples::metric::Metric;
use crate::samples::weights::Weights;
use crate::support::memory::collected;
use crate::support::parallel::SharedSplitting as _;

/// Clusters that one thread compares with a cluster at a time.
const CHUNK: usize = 256;

/// Merges the clusters of a partition until as many are left as are wanted, or no two may join, and
/// returns the merges.
pub(crate) fn merge_means_by_rules(
    samples: AnySamples<'_>,
    weights: Option<&Weights>,
    start: &Partition,
    metric: Metric,
    linkage: MeanLinkage,
    joins: &mut Joins<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Merge>> {
    let parts = start.clusters().saturating_sub(joins.wanted());
    run.stage(Stage::Merge, parts as u64, |meter| {
        with_clusters!(&samples.0, Of, samples => {
            let clusters = Of::of(samples, weights, start, metric, linkage);
            merge_clusters_by_rules(clusters, joins, meter)
        })
    })
}

/// Merges clusters until as many are left as are wanted, or no two may join, and returns the merges.
pub(super) fn merge_clusters_by_rules(
    clusters: impl Merging,
    joins: &mut Joins<'_>,
    meter: &Meter,
) -> Vec<Merge> {
    let alive = collected(0..clusters.len() as u32);
    merge_by_rules(Means { clusters, alive }, joins, meter)
}

/// The closest of some clusters that may be, by the heights of all, of which the greatest is the closest;
/// of equally close ones that of the smaller number. There is a buffer for each part of the clusters.
pub(super) fn closest_of<H: Ord + Send, B>(
    clusters: &[u32],
    may: impl Fn(u32) -> bool + Sync,
    buffer: impl Fn() -> B + Sync,
    height: impl Fn(u32, &mut B) -> H + Sync,
) -> Option<(H, u32)> {
    let closest = clusters.par_chunks(CHUNK).map(|clusters| {
        let mut buffer = buffer();
        let clusters = clusters.iter().copied().filter(|&cluster| may(cluster));
        clusters.map(|cluster| (height(cluster, &mut buffer), Reverse(cluster))).max()
    });
    let (height, Reverse(cluster)) = closest.shared().max().flatten()?;
    Some((height, cluster))
}

struct Means<C> {
    clusters: C,
    /// The numbers of the clusters that are left, rising.
    alive: Vec<u32>,
}

/// A height, of which the smaller is closer.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Height(f64);

impl Eq for Height {}

impl Ord for Height {
    fn cmp(&self, other: &Self) -> Ordering {
        other.0.total_cmp(&self.0)
    }
}

impl PartialOrd for Height {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<C: Merging> Partners for Means<C> {
    type Closeness = Height;

    fn closest(
        &mut self,
        cluster: u32,
        may: &(dyn Fn(u32) -> bool + Sync),
    ) -> Option<(Height, u32)> {
        let mean = self.clusters.mean(cluster);
        closest_of(
            &self.alive,
            |other| other != cluster && may(other),
            || self.clusters.mean(cluster),
            |other, buffer| {
                let key = self.clusters.key(&mean, other, buffer);
                Height(self.clusters.height(cluster, other, key))
            },
        )
    }

    fn join(&mut self, [kept, gone]: [u32; 2]) {
        self.clusters.join([kept, gone]);
        self.alive.retain(|&cluster| cluster != gone);
    }

    fn height(closeness: Height) -> f64 {
        closeness.0
    }
}
