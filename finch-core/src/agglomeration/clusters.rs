//! The means and the sizes of clusters that are being merged.

use ndarray::{Array2, ArrayView1, ArrayViewMut1, Zip, s};

use crate::element::Element;
use crate::means::sums;
use crate::memory::expect_room;
use crate::metric::Metric;
use crate::partition::Partition;
use crate::rows::Rows;
use crate::samples::Samples;
use crate::weights::{Weights, cluster_sizes};

/// Which two clusters are closest, by their means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeanLinkage {
    Centroid,
    Ward,
}

impl MeanLinkage {
    /// How close two clusters of these sizes are, from the key of their means: the key itself for
    /// centroid linkage, the weighted squared distance for Ward's. The height rises with the key, also
    /// when rounded.
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

/// Clusters that are being merged. A merged cluster keeps the smaller of its two numbers.
pub(super) struct Clusters<M> {
    pub(super) metric: Metric,
    pub(super) linkage: MeanLinkage,
    sums: Array2<f64>,
    /// Sums of weights; without weights the numbers of samples.
    sizes: Vec<f64>,
    means: Array2<M>,
}

impl<M: Element<Mean = M>> Clusters<M> {
    pub(super) fn of<A: Element<Mean = M>>(
        samples: &Samples<'_, A>,
        weights: Option<&Weights>,
        start: &Partition,
        metric: Metric,
        linkage: MeanLinkage,
    ) -> Self {
        let (sums, sizes) = (sums(samples, weights, start), cluster_sizes(start, weights));
        expect_room(sums.len() * size_of::<M>());
        let mut means = sums.mapv(|_| M::default());
        for ((mut mean, sum), &size) in means.outer_iter_mut().zip(sums.outer_iter()).zip(&sizes) {
            average(&mut mean, sum, size);
        }
        Self { metric, linkage, sums, sizes, means }
    }

    /// The number of clusters at the start.
    pub(super) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The size of a cluster.
    pub(super) fn size(&self, cluster: u32) -> f64 {
        self.sizes[cluster as usize]
    }

    /// The means, a row for each cluster of the start.
    pub(super) fn rows(&self) -> Rows<'_, M> {
        Rows::new(Samples::checked(self.means.view()), self.metric)
    }

    /// How close two clusters are, from the key of their means.
    pub(super) fn height(&self, a: u32, b: u32, key: f64) -> f64 {
        self.linkage.height(self.metric, [a, b].map(|cluster| self.size(cluster)), key)
    }

    /// Merges cluster b into cluster a < b.
    pub(super) fn join(&mut self, [a, b]: [u32; 2]) {
        let [a, b] = [a, b].map(|cluster| cluster as usize);
        self.sizes[a] += self.sizes[b];
        let (mut kept, gone) = self.sums.multi_slice_mut((s![a, ..], s![b, ..]));
        kept += &gone;
        average(&mut self.means.row_mut(a), kept.view(), self.sizes[a]);
    }
}

fn average<M: Element<Mean = M>>(
    mean: &mut ArrayViewMut1<'_, M>,
    sum: ArrayView1<'_, f64>,
    size: f64,
) {
    Zip::from(mean).and(sum).for_each(|mean, sum| *mean = M::mean(sum / size));
}
