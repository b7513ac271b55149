//! A clustering by FINCH between two rounds of training: K clusters, and what to train on next.

use finch_core::{
    Element, Finch, Hierarchy, Linkage, Metric, Neighbors, Partition, Refine, Run, Samples,
};
use ndarray::ArrayView2;

use super::config::{Config, PseudoLabels};
use super::cut::{Merged, cut};
use super::features::{Features, each};
use super::graph::Graph;

/// The options by which samples are clustered.
pub(super) struct Clustering<'c> {
    pub(super) config: &'c Config,
    /// K, once the input is clustered, or where it was asked for.
    pub(super) clusters: Option<usize>,
    /// True if pseudo-labels are learnt next.
    pub(super) labels: bool,
}

/// The clusters that were found.
pub(super) struct Found {
    pub(super) hierarchy: Hierarchy,
    pub(super) merged: Merged,
    /// The labels to train on next, where that is asked for.
    pub(super) pseudo_labels: Option<Partition>,
    /// The score of each number of clusters, from 2 on, where K was to be suggested.
    pub(super) scores: Option<Vec<f64>>,
}

impl Clustering<'_> {
    /// Clusters N samples × d features: the input, or the embedding. `graph` is that of
    /// the input where K clusters are chosen by it.
    pub(super) fn find<A: Element>(
        &self,
        matrix: ArrayView2<'_, A>,
        metric: Metric,
        graph: Option<&Graph>,
        run: &mut Run<'_>,
    ) -> finch_core::Result<Found> {
        let samples = Samples::new(matrix)?;
        let finch = Finch::new().metric(metric).refinable(Linkage::Neighbor);
        let hierarchy = finch.fit_with(&samples, run)?;
        let (merged, scores) = match self.clusters {
            Some(clusters) => {
                (cut(self.config.cut, clusters, &samples, &hierarchy, graph, run)?, None)
            }
            None => {
                let suggestion = hierarchy.suggest_with(&samples, run)?;
                let (linkage, from) = (Linkage::Neighbor, Some(0));
                (Merged { clusters: suggestion.cut, linkage, from }, Some(suggestion.scores))
            }
        };
        let mut refine = |clusters: usize| {
            let refine = Refine::new(clusters.min(samples.len()));
            refine.run_with(&samples, &hierarchy, run)
        };
        let pseudo_labels = match self.config.pseudo_labels {
            _ if !self.labels => None,
            PseudoLabels::Partition(number) => {
                let coarsest = hierarchy.partitions().len() - 1;
                Some(hierarchy.partitions()[number.min(coarsest)].clone())
            }
            PseudoLabels::TimesClusters(1) => Some(merged.clusters.clone()),
            PseudoLabels::TimesClusters(times) => {
                Some(refine(times.saturating_mul(merged.clusters.clusters()))?)
            }
            PseudoLabels::Clusters(count) => Some(refine(count)?),
        };
        Ok(Found { hierarchy, merged, pseudo_labels, scores })
    }
}

/// The nearest neighbours of the input, as many of each sample as neighbour linkage looks at.
pub(super) fn nearest(
    input: &Features<'_>,
    metric: Metric,
    run: &mut Run<'_>,
) -> finch_core::Result<Neighbors> {
    fn of<A: Element>(
        matrix: ArrayView2<'_, A>,
        metric: Metric,
        run: &mut Run<'_>,
    ) -> finch_core::Result<Neighbors> {
        let samples = Samples::new(matrix)?;
        let k = Linkage::Neighbor.neighbors(samples.len());
        Finch::new().metric(metric).nearest_neighbors(&samples, k, run)
    }
    each!(input.matrix(), view => of(view.view(), metric, run))
}
