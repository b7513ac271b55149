//! Merging by means and mean times, where every cluster is compared with all others, or segments of time
//! with those beside.

use std::cmp::Ordering;

use super::clusters::{Clusters, MeanLinkage, Merging};
use super::ruled::closest_of;
use crate::error::Result;
use crate::hierarchy::dendrogram::Merge;
use crate::merging::rules::{Joins, Partners, merge_by_rules};
use crate::partition::Partition;
use crate::partition::times::{Timeline, weighted};
use crate::run::Run;
use crate::run::progress::Stage;
use crate::samples::AnySamples;
use crate::samples::element::{Element, ElementType};
use crate::samples::metric::Metric;
use crate::support::memory::{collected, filled};

/// Merges the clusters of a partition, by distances that are weighted by time, until as many are left as
/// are wanted, or no two may join, and returns the merges.
pub(crate) fn merge_by_times(
    samples: AnySamples<'_>,
    timeline: &Timeline,
    start: &Partition,
    metric: Metric,
    linkage: MeanLinkage,
    joins: &mut Joins<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Merge>> {
    let matrix = samples.dense("clustering with times")?;
    let parts = start.clusters().saturating_sub(joins.wanted());
    run.stage(Stage::Merge, parts as u64, |meter| match matrix.element().of_means() {
        ElementType::F64 => {
            let clusters = Clusters::<f64>::of(&matrix, None, start, metric, linkage);
            merge_by_rules(TimedMeans::of(clusters, timeline, start), joins, meter)
        }
        _ => {
            let clusters = Clusters::<f32>::of(&matrix, None, start, metric, linkage);
            merge_by_rules(TimedMeans::of(clusters, timeline, start), joins, meter)
        }
    })
}

struct TimedMeans<M> {
    clusters: Clusters<M>,
    /// The sum of the times of each cluster.
    times: Vec<f64>,
    among: Among,
}

/// The other clusters that a cluster may merge with.
enum Among {
    /// Any of those that are left: their numbers, rising.
    All(Vec<u32>),
    /// The clusters beside it in time: for each cluster the one before and the one after.
    Beside(Vec<[Option<u32>; 2]>),
}

/// The height of a merge of two clusters; the smaller the closer.
#[derive(Clone, Copy, Debug, PartialEq)]
struct TimedHeight {
    height: f64,
    /// The height by the distance of means alone, which decides where time makes heights equal.
    untimed: f64,
}

impl Eq for TimedHeight {}

impl Ord for TimedHeight {
    fn cmp(&self, other: &Self) -> Ordering {
        other.height.total_cmp(&self.height).then(other.untimed.total_cmp(&self.untimed))
    }
}

impl PartialOrd for TimedHeight {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<M: Element<Mean = M>> TimedMeans<M> {
    fn of(clusters: Clusters<M>, timeline: &Timeline, start: &Partition) -> Self {
        let among = match timeline.is_contiguous() {
            false => Among::All(collected(0..clusters.len() as u32)),
            true => {
                let mut beside = filled([None; 2], clusters.len());
                for pair in timeline.segments(start).windows(2) {
                    beside[pair[0] as usize][1] = Some(pair[1]);
                    beside[pair[1] as usize][0] = Some(pair[0]);
                }
                Among::Beside(beside)
            }
        };
        Self { clusters, times: timeline.sums(start), among }
    }

    fn time(&self, cluster: u32) -> f64 {
        self.times[cluster as usize] / self.clusters.size(cluster)
    }

    /// The height of a merge of a cluster and another one, which is loaded.
    fn height(
        &self,
        cluster: u32,
        mean: &Vec<f64>,
        other: u32,
        buffer: &mut Vec<f64>,
    ) -> TimedHeight {
        let clusters = &self.clusters;
        let key = clusters.key(mean, other, buffer);
        let apart = (self.time(cluster) - self.time(other)).abs();
        let [height, untimed] = [weighted(clusters.metric(), key, apart), key]
            .map(|key| clusters.height(cluster, other, key));
        TimedHeight { height, untimed }
    }
}

impl<M: Element<Mean = M>> Partners for TimedMeans<M> {
    type Closeness = TimedHeight;

    fn closest(
        &mut self,
        cluster: u32,
        may: &(dyn Fn(u32) -> bool + Sync),
    ) -> Option<(TimedHeight, u32)> {
        let mean = self.clusters.mean(cluster);
        let beside: Vec<u32>;
        let others = match &self.among {
            Among::All(alive) => alive,
            Among::Beside(all) => {
                beside = all[cluster as usize].into_iter().flatten().collect();
                &beside
            }
        };
        closest_of(
            others,
            |other| other != cluster && may(other),
            || filled(0.0, mean.len()),
            |other, buffer| self.height(cluster, &mean, other, buffer),
        )
    }

    fn join(&mut self, [kept, gone]: [u32; 2]) {
        self.clusters.join([kept, gone]);
        self.times[kept as usize] += self.times[gone as usize];
        match &mut self.among {
            Among::All(alive) => alive.retain(|&cluster| cluster != gone),
            Among::Beside(beside) => {
                let of_gone = beside[gone as usize];
                for side in 0..2 {
                    // The two are beside each other: one has the other on its one side.
                    if beside[kept as usize][side] == Some(gone) {
                        beside[kept as usize][side] = of_gone[side];
                        if let Some(next) = of_gone[side] {
                            beside[next as usize][1 - side] = Some(kept);
                        }
                    }
                }
            }
        }
    }

    fn height(closeness: TimedHeight) -> f64 {
        closeness.height
    }
}
