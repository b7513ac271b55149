//! The means and the sizes of clusters that are being merged.

use ndarray::{Array2, ArrayView1, ArrayViewMut1, Zip, s};
use rayon::prelude::*;

use super::bounds::{Bounds, PROJECTED_FEATURES};
use crate::partition::Partition;
use crate::partition::means::{cluster_sizes, sums};
use crate::partition::members::Members;
use crate::partition::undirected::Lengths;
use crate::samples::element::{AnyMatrix, Element};
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::samples::weights::{Copies, Weights};
use crate::samples::{AnySamples, Kind};
use crate::support::memory::{collected_in_parallel, expect_room};
use crate::support::repeated_sum::added;

/// The choice of the two closest clusters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeanLinkage {
    Centroid,
    Ward,
}

impl MeanLinkage {
    /// The height of a merge of two clusters of these sizes, from the key of their means: the key
    /// itself for centroid linkage, the weighted squared distance for Ward's. The height rises with the
    /// key, also when rounded.
    pub(super) fn height(self, metric: Metric, [a, b]: [f64; 2], key: f64) -> f64 {
        match self {
            MeanLinkage::Centroid => key,
            MeanLinkage::Ward => a * b / (a + b) * metric.squared(key),
        }
    }

    /// A lower bound of the heights of a cluster and clusters of at least some size, from a lower bound
    /// of the keys: |A|·|B|/(|A|+|B|) rises with |B|, but for rounding.
    pub(super) fn least_height(self, metric: Metric, sizes: [f64; 2], key: f64) -> f64 {
        let height = self.height(metric, sizes, key);
        match self {
            MeanLinkage::Centroid => height,
            MeanLinkage::Ward => height * (1.0 - 1e-14),
        }
    }
}

/// Clusters that are being merged, as comparing all pairs sees them. A merged cluster keeps the smaller
/// of its two numbers.
pub(super) trait Merging: Sync {
    /// A mean, to be compared with others.
    type Mean: Sync;

    fn metric(&self) -> Metric;

    fn linkage(&self) -> MeanLinkage;

    /// The number of clusters at the start.
    fn len(&self) -> usize;

    /// The size of a cluster: the sum of weights; without weights the number of samples.
    fn size(&self, cluster: u32) -> f64;

    /// The mean of a cluster.
    fn mean(&self, cluster: u32) -> Self::Mean;

    /// The key of a mean and the mean of another cluster, which is loaded into `buffer`.
    fn key(&self, mean: &Self::Mean, other: u32, buffer: &mut Self::Mean) -> f64;

    /// Merges cluster b into cluster a < b.
    fn join(&mut self, clusters: [u32; 2]);

    /// Bounds of the distances of means, where they pay.
    fn bounds(&self) -> Option<Bounds>;

    /// Tells bounds that the mean of a cluster has changed.
    fn update(&self, bounds: &mut Bounds, cluster: u32);

    /// The height of a merge of two clusters, from the key of their means.
    fn height(&self, a: u32, b: u32, key: f64) -> f64 {
        let sizes = [a, b].map(|cluster| self.size(cluster));
        self.linkage().height(self.metric(), sizes, key)
    }
}

/// Clusters of dense samples that are being merged.
pub(super) struct Clusters<M> {
    pub(super) metric: Metric,
    pub(super) linkage: MeanLinkage,
    sums: Array2<f64>,
    /// Sums of weights; without weights the numbers of samples.
    sizes: Vec<f64>,
    means: Array2<M>,
    lengths: Option<Lengths>,
}

impl<M: Element<Mean = M>> Clusters<M> {
    /// The clusters of a partition of samples whose means are M.
    pub(super) fn of(
        samples: &AnyMatrix<'_>,
        weights: Option<&Weights>,
        start: &Partition,
        metric: Metric,
        linkage: MeanLinkage,
    ) -> Self {
        let (sums, sizes) = (sums(samples, weights, start), cluster_sizes(start, weights));
        expect_room(sums.len() * size_of::<M>());
        let means = sums.mapv(|_| M::default());
        let samples = AnySamples(Kind::Dense(samples.reborrow()));
        let lengths = Lengths::of(&samples, weights, start, metric);
        let mut clusters = Self { metric, linkage, sums, sizes, means, lengths };
        (0..clusters.sizes.len()).for_each(|cluster| clusters.average(cluster));
        clusters
    }

    /// Takes the mean of a cluster anew from its sum.
    fn average(&mut self, cluster: usize) {
        let (mut mean, sum) = (self.means.row_mut(cluster), self.sums.row(cluster));
        let size = self.sizes[cluster];
        let of_sum = sum.as_slice().expect("sums are row by row");
        let cancel = |lengths: &Lengths| lengths.cancel(cluster, size, of_sum);
        match self.lengths.as_ref().is_some_and(cancel) {
            true => mean.fill(M::default()),
            false => average(&mut mean, sum, size),
        }
    }

    /// For each cluster of the start the sum of the squared distances of its samples to its mean.
    pub(super) fn squares(
        &self,
        samples: &AnyMatrix<'_>,
        weights: Option<&Weights>,
        start: &Partition,
    ) -> Vec<f64> {
        let (rows, means) = (Rows::new(samples.reborrow(), self.metric), self.rows());
        let members = Members::of(start);
        let squares = (0..start.clusters()).into_par_iter().map_init(
            || [(); 2].map(|()| vec![0.0; rows.features()]),
            |[row, buffer], cluster| {
                let squared = |sample: u32| {
                    rows.load(sample as usize, row);
                    let key = means.key(row, cluster, buffer);
                    // Under cosine a zero row, or a mean without a direction, has no distance.
                    self.metric.squared(self.metric.finite(key))
                };
                sum_of_copies(members.cluster(cluster), weights, squared)
            },
        );
        collected_in_parallel(squares)
    }

    /// The means, a row for each cluster of the start.
    pub(super) fn rows(&self) -> Rows<'_> {
        Rows::new(M::any(self.means.view()), self.metric)
    }
}

impl<M: Element<Mean = M>> Merging for Clusters<M> {
    type Mean = Vec<f64>;

    fn metric(&self) -> Metric {
        self.metric
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

    fn mean(&self, cluster: u32) -> Vec<f64> {
        let rows = self.rows();
        let mut mean = vec![0.0; rows.features()];
        rows.load(cluster as usize, &mut mean);
        mean
    }

    fn key(&self, mean: &Vec<f64>, other: u32, buffer: &mut Vec<f64>) -> f64 {
        self.rows().key(mean, other as usize, buffer)
    }

    fn bounds(&self) -> Option<Bounds> {
        let rows = self.rows();
        (rows.features() >= PROJECTED_FEATURES).then(|| Bounds::of(&rows))
    }

    fn update(&self, bounds: &mut Bounds, cluster: u32) {
        bounds.update(&self.rows(), cluster as usize);
    }

    fn join(&mut self, [a, b]: [u32; 2]) {
        let [a, b] = [a, b].map(|cluster| cluster as usize);
        self.sizes[a] += self.sizes[b];
        let (mut kept, gone) = self.sums.multi_slice_mut((s![a, ..], s![b, ..]));
        kept += &gone;
        if let Some(lengths) = &mut self.lengths {
            lengths.join([a, b]);
        }
        self.average(a);
    }
}

/// The sum of a term of each sample, as often as the sample has copies, and with their weight.
pub(super) fn sum_of_copies(
    samples: &[u32],
    weights: Option<&Weights>,
    mut term: impl FnMut(u32) -> f64,
) -> f64 {
    samples.iter().fold(0.0, |sum, &sample| {
        let Copies { count, weight } =
            weights.map_or(Copies { count: 1, weight: 1.0 }, |weights| weights.of(sample));
        added(sum, weight * term(sample), count)
    })
}

fn average<M: Element<Mean = M>>(
    mean: &mut ArrayViewMut1<'_, M>,
    sum: ArrayView1<'_, f64>,
    size: f64,
) {
    Zip::from(mean).and(sum).for_each(|mean, sum| *mean = M::mean(sum / size));
}
