//! A clustering by FINCH between two rounds of training: K clusters, and what to train on next.

use finch_core::{
    Element, Finch, Hierarchy, Linkage, Metric, Neighbors, Partition, Refine, Run, Samples,
};
use ndarray::ArrayView2;

use super::cut::{Merged, cut};
use crate::train::config::{Config, PseudoLabels};
use crate::train::loss::graph::Graph;
use crate::train::network::features::Features;
use crate::with_matrix;

/// The options by which samples are clustered.
pub(in crate::train) struct Clustering<'c> {
    pub(in crate::train) config: &'c Config,
    /// K, once the input is clustered, or where it was asked for.
    pub(in crate::train) clusters: Option<usize>,
    /// True if pseudo-labels are learnt next.
    pub(in crate::train) labels: bool,
}

/// The clusters that were found.
pub(in crate::train) struct Found {
    pub(in crate::train) hierarchy: Hierarchy,
    pub(in crate::train) merged: Merged,
    /// The labels to train on next, where that is asked for.
    pub(in crate::train) pseudo_labels: Option<Partition>,
    /// The score of each number of clusters, from 2 on, where K was to be suggested.
    pub(in crate::train) scores: Option<Vec<f64>>,
}

impl Clustering<'_> {
    /// Clusters N samples × d features: the input, or the embedding. `graph` is that of
    /// the input where K clusters are chosen by it.
    pub(in crate::train) fn find<A: Element>(
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
            Refine::new(clusters.min(samples.len())).run_with(&samples, &hierarchy, run)
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
pub(in crate::train) fn nearest(
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
    with_matrix!(input.matrix(), view => of(view.view(), metric, run))
}
