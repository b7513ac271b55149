//! Merges of clusters, one pair at a time, from which any number of clusters follows.

use crate::error::{Error, Result};
use crate::partition::Partition;
use crate::partition::means::cluster_sizes;
use crate::samples::weights::Weights;
use crate::support::memory::{caught, filled, gathered, reserve};
use crate::support::union_find::Sets;

/// One merge of two clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Merge {
    /// The two clusters, by their numbers in the partition that the merging started from, the smaller
    /// number first. The merged cluster keeps the smaller number.
    pub clusters: [u32; 2],
    /// The distance of the two clusters A and B, in the unit that the linkage compares.
    ///
    /// - Centroid linkage: between the means, the squared distance for Euclidean, 2 − 2·cos for
    ///   cosine, the distance for Manhattan. Heights may fall from one merge to the next.
    /// - Ward linkage: the squared distance of the means (2 − 2·cos for cosine) times
    ///   |A|·|B|/(|A|+|B|), which is half the square of SciPy's height.
    /// - Neighbour linkage: |A|·|B| over the weight of the links between A and B. This height never
    ///   falls, and is infinite where no links are left. An island that merges sooner
    ///   ([`Linkage::Neighbor`](crate::Linkage::Neighbor)) has the height of the merge that it comes before.
    ///
    /// Under cosine the height of a zero row and another row is infinite, by every linkage.
    pub height: f64,
}

/// The merges of a partition's clusters in their order. Every smaller number of clusters follows
/// from the merges, and results are nested: the partition of K clusters is a coarsening of that of
/// K + 1.
///
/// ```
/// use finch_core::{Finch, Linkage, Refine, Run, Samples};
/// use ndarray::array;
///
/// let points = array![[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]];
/// let samples = Samples::new(points.view())?;
/// let hierarchy = Finch::new().fit(&samples)?;
/// let dendrogram = Refine::new(1).linkage(Linkage::Ward).dendrogram(&samples, &hierarchy, &mut Run::new())?;
/// assert_eq!(dendrogram.cut(3)?.labels(), [0, 0, 1, 1, 2, 2]);
/// assert_eq!(dendrogram.cut(2)?.labels(), [0, 0, 0, 0, 1, 1]);
/// # Ok::<(), finch_core::Error>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Dendrogram {
    start: Partition,
    /// The size of each cluster of the start: the weight of its samples.
    sizes: Vec<f64>,
    merges: Vec<Merge>,
}

impl Dendrogram {
    pub(crate) fn new(start: &Partition, weights: Option<&Weights>, merges: Vec<Merge>) -> Self {
        Self { start: start.copied(), sizes: cluster_sizes(start, weights), merges }
    }

    /// Appends merges of the clusters of [`Dendrogram::coarsest`], by the numbers that they have in
    /// that partition.
    pub(crate) fn append(&mut self, merges: Vec<Merge>) {
        // Clusters are numbered by first appearance. So the n-th cluster of the coarsest partition has
        // the n-th smallest of the numbers, of the start, that are still in use.
        let mut used = filled(true, self.start.clusters());
        for merge in &self.merges {
            used[merge.clusters[1] as usize] = false;
        }
        let left = gathered((0..).zip(&used).filter(|(_, used)| **used).map(|(c, _)| c));
        reserve(&mut self.merges, merges.len());
        self.merges.extend(merges.into_iter().map(|Merge { clusters, height }| Merge {
            clusters: clusters.map(|cluster: u32| left[cluster as usize]),
            height,
        }));
    }

    /// The partition that the merging started from.
    pub fn start(&self) -> &Partition {
        &self.start
    }

    /// The size of each cluster of [`Dendrogram::start`]: its samples, or with weights their weight.
    pub(super) fn sizes(&self) -> &[f64] {
        &self.sizes
    }

    /// All merges in their order. The merge of the last two clusters is among them if merging was asked
    /// to go on to one cluster.
    pub fn merges(&self) -> &[Merge] {
        &self.merges
    }

    /// The partition after the last merge.
    ///
    /// # Errors
    /// [`Error::OutOfMemory`].
    pub fn coarsest(&self) -> Result<Partition> {
        self.after(self.merges.len())
    }

    /// The partition of exactly `clusters` clusters.
    ///
    /// # Errors
    /// [`Error::NoSuchCut`] for more clusters than the merging started from, or for fewer than the
    /// merging ended with; [`Error::OutOfMemory`].
    pub fn cut(&self, clusters: usize) -> Result<Partition> {
        self.after(self.merges_to(clusters)?)
    }

    /// The number of merges after which `clusters` are left.
    pub(super) fn merges_to(&self, clusters: usize) -> Result<usize> {
        let most = self.start.clusters();
        let fewest = most - self.merges.len();
        match (fewest..=most).contains(&clusters) {
            true => Ok(most - clusters),
            false => Err(Error::NoSuchCut { requested: clusters, fewest, most }),
        }
    }

    fn after(&self, merges: usize) -> Result<Partition> {
        caught(|| {
            let mut sets = Sets::new(self.start.clusters());
            for merge in &self.merges[..merges] {
                let [a, b] = merge.clusters;
                sets.join(a, b);
            }
            Ok(self.start.coarsened(&Partition::of_sets(sets)))
        })
    }
}
