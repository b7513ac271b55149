//! The means and the sizes of clusters of sparse samples that are being merged.

use std::mem;

use rayon::prelude::*;

use super::bounds::Bounds;
use super::clusters::{MeanLinkage, Merging, sum_of_copies};
use crate::partition::Partition;
use crate::partition::means::cluster_sizes;
use crate::partition::members::Members;
use crate::partition::sparse_means::{joined, sums_of_cluster};
use crate::partition::undirected::Lengths;
use crate::samples::element::{Element, ElementType};
use crate::samples::metric::Metric;
use crate::samples::sparse::{Loading, SparseRow, SparseRows, SparseSamples};
use crate::samples::weights::Weights;
use crate::support::memory::{collected, collected_in_parallel};

/// Clusters of sparse samples that are being merged. Sums and means are sparse, too.
pub(super) struct SparseClusters {
    linkage: MeanLinkage,
    loading: Loading,
    /// True if means are rounded to f32.
    single: bool,
    sizes: Vec<f64>,
    sums: Vec<Vec<(u32, f64)>>,
    lengths: Option<Lengths>,
    /// The means as the metric compares them.
    means: Vec<SparseRow>,
}

impl SparseClusters {
    pub(super) fn of(
        samples: &SparseSamples<'_>,
        weights: Option<&Weights>,
        start: &Partition,
        metric: Metric,
        linkage: MeanLinkage,
    ) -> Self {
        let members = Members::of(start);
        let sums = (0..start.clusters())
            .into_par_iter()
            .map(|cluster| sums_of_cluster(samples, weights, members.cluster(cluster)));
        let mut clusters = Self {
            linkage,
            loading: Loading::new(samples, metric),
            single: samples.element() == ElementType::F32,
            sizes: cluster_sizes(start, weights),
            sums: collected_in_parallel(sums),
            lengths: Lengths::of(&samples.into(), weights, start, metric),
            means: Vec::new(),
        };
        let means = (0..start.clusters()).into_par_iter().map(|cluster| clusters.loaded(cluster));
        clusters.means = collected_in_parallel(means);
        clusters
    }

    /// For each cluster of the start the sum of the squared distances of its samples to its mean.
    pub(super) fn squares(
        &self,
        samples: &SparseSamples<'_>,
        weights: Option<&Weights>,
        start: &Partition,
    ) -> Vec<f64> {
        let rows = SparseRows::new(*samples, self.metric());
        let members = Members::of(start);
        let squares =
            (0..start.clusters()).into_par_iter().map_init(SparseRow::default, |row, cluster| {
                let squared = |sample: u32| {
                    rows.load(sample as usize, row);
                    let key = self.loading.key(row, &self.means[cluster]);
                    // Under cosine a zero row, or a mean without a direction, has no distance.
                    self.metric().squared(self.metric().finite(key))
                };
                sum_of_copies(members.cluster(cluster), weights, squared)
            });
        collected_in_parallel(squares)
    }

    /// The mean of a cluster, from its sum.
    fn loaded(&self, cluster: usize) -> SparseRow {
        let Self { single, ref sums, ref sizes, .. } = *self;
        let mean = |&(feature, sum): &(u32, f64)| {
            let mean = sum / sizes[cluster];
            (feature, if single { <f32 as Element>::mean(mean).to_f64() } else { mean })
        };
        let mut loaded = SparseRow::default();
        let cancel = |lengths: &Lengths| {
            let of_sum: Vec<f64> = collected(sums[cluster].iter().map(|(_, sum)| *sum));
            lengths.cancel(cluster, sizes[cluster], &of_sum)
        };
        if self.lengths.as_ref().is_some_and(cancel) {
            self.loading.load(&[], &mut loaded);
            return loaded;
        }
        self.loading.load(&collected(sums[cluster].iter().map(mean)), &mut loaded);
        loaded
    }
}

impl Merging for SparseClusters {
    /// The number of the cluster: means are there, loaded.
    type Mean = u32;

    fn metric(&self) -> Metric {
        self.loading.metric
    }

    fn linkage(&self) -> MeanLinkage {
        self.linkage
    }

    fn len(&self) -> usize {
        self.sizes.len()
    }

    fn size(&self, cluster: u32) -> f64 {
        self.sizes[cluster as usize]
    }

    fn mean(&self, cluster: u32) -> u32 {
        cluster
    }

    fn key(&self, mean: &u32, other: u32, _: &mut u32) -> f64 {
        self.loading.key(&self.means[*mean as usize], &self.means[other as usize])
    }

    fn bounds(&self) -> Option<Bounds> {
        None
    }

    fn update(&self, _: &mut Bounds, _: u32) {}

    fn join(&mut self, [a, b]: [u32; 2]) {
        let [a, b] = [a, b].map(|cluster| cluster as usize);
        self.sizes[a] += self.sizes[b];
        let gone = mem::take(&mut self.sums[b]);
        self.sums[a] = joined(&self.sums[a], &gone);
        if let Some(lengths) = &mut self.lengths {
            lengths.join([a, b]);
        }
        self.means[b] = SparseRow::default();
        self.means[a] = self.loaded(a);
    }
}
