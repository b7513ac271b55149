//! From a hierarchy to exactly K clusters: merging (Algorithm 2, and others), and splitting.

use rayon::prelude::*;

use crate::agglomeration::{MeanLinkage, merge_by_means};
use crate::components::Sets;
use crate::dendrogram::Dendrogram;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::names::named;
use crate::neighbor_linkage::merge_by_links;
use crate::neighbors::FirstNeighbors;
use crate::partition::Partition;
use crate::progress::{Callback, Runner};
use crate::samples::Samples;

/// Which two clusters are closest, and so merge first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Linkage {
    /// The two with the strongest links for each pair of their samples: a sample is linked to its
    /// nearest neighbours, the more strongly the more neighbours the two share. Not in the paper.
    /// It has no parameter, follows clusters of any shape and is hardly disturbed by outliers: of
    /// the three by far the best on average (see the README). (Not single linkage, which goes by
    /// "nearest neighbour" elsewhere.)
    ///
    /// Samples i and j are linked where one is among the k nearest of the other, by |N(i) ∩ N(j)|,
    /// N(i) being i and its k nearest (Jarvis and Patrick, *Clustering using a similarity measure
    /// based on shared near neighbors*, 1973); k is [`Linkage::neighbors`]. The similarity of two
    /// clusters is the mean of that over all pairs of a sample here and one there, 0 for those that
    /// are not linked (average linkage). Clusters without any link left, of data in far pieces,
    /// merge as by Ward linkage.
    #[default]
    Neighbor,
    /// The two with the smallest distance between means: Algorithm 2 of the paper.
    Centroid,
    /// The two whose merging adds least to the squared distances of samples to their means:
    /// the squared distance between means, times nᵢnⱼ/(nᵢ+nⱼ). Not in the paper.
    Ward,
}

named!(Linkage, "linkage", Neighbor = "neighbor", Centroid = "centroid", Ward = "ward");

impl Linkage {
    /// How many nearest neighbours of each of N samples the linkage looks at: ⌈2·log₂ N⌉ for
    /// neighbour linkage, but at most a quarter of the samples, and one at least if there are two;
    /// none for the others.
    ///
    /// The graph of k nearest neighbours is connected only if k grows with log N (Brito et al.,
    /// *Connectivity of the mutual k-nearest-neighbor graph in clustering and outlier detection*,
    /// 1997), and results hardly change with the factor, from 1.5 to 3 (`benches/linkage.py`).
    /// Among fewer than 48 samples so many would be neighbours of everything. With one neighbour,
    /// below 8 samples, clusters of the first partition have no links: what remains is Ward
    /// linkage.
    ///
    /// Clusters of fewer samples than that are linked to others, however far those are, and may be
    /// torn or joined with them: for many such clusters take one of the linkages by means.
    pub fn neighbors(self, samples: usize) -> usize {
        match self {
            Linkage::Neighbor if samples > 1 => {
                // ⌈log₂ N²⌉ is the number of bits of N² − 1.
                let squared = (samples as u128).pow(2);
                let bits = u128::BITS - (squared - 1).leading_zeros();
                (bits as usize).min(samples / 4).max(1)
            }
            Linkage::Neighbor | Linkage::Centroid | Linkage::Ward => 0,
        }
    }
}

/// The request for exactly K clusters.
///
/// ```
/// use finch_core::{Finch, Linkage, Refine, Samples};
/// use ndarray::array;
///
/// let points = array![[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]];
/// let samples = Samples::new(points.view())?;
/// let hierarchy = Finch::new().fit(&samples)?;
/// let two = Refine::new(2).linkage(Linkage::Ward).run(&samples, &hierarchy)?;
/// assert_eq!(two.labels(), [0, 0, 0, 0, 1, 1]);
/// # Ok::<(), finch_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Refine {
    clusters: usize,
    linkage: Linkage,
    from: Option<usize>,
    threads: usize,
}

impl Refine {
    /// Asks for `clusters` clusters (K), by neighbour linkage.
    pub fn new(clusters: usize) -> Self {
        Self { clusters, linkage: Linkage::default(), from: None, threads: 0 }
    }

    /// Which clusters merge first.
    pub fn linkage(self, linkage: Linkage) -> Self {
        Self { linkage, ..self }
    }

    /// The partition to merge from, 0 being the finest. By default the finest for neighbour
    /// linkage, so that the results for all K are nested; for the others the coarsest one that has
    /// at least K clusters.
    pub fn from(self, partition: usize) -> Self {
        Self { from: Some(partition), ..self }
    }

    /// The number of threads, as in [`Finch::threads`](crate::Finch::threads).
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Makes exactly K clusters of the N samples (× d features) that the hierarchy was made from.
    ///
    /// Below the count of the partition it starts from, it merges one pair of clusters at a time;
    /// equally close pairs by the smallest numbers, a merged cluster keeping the smaller of its
    /// two.
    ///
    /// Neighbour linkage takes usually O(N·k² + E log E) for E links between clusters (O(C·E log E)
    /// at worst, if one cluster is linked to all others), once the neighbours are there: if the
    /// hierarchy has not kept them ([`Finch::keep_neighbors`](crate::Finch::keep_neighbors)), they
    /// are searched, which takes longer than all else. Linkages by means (Algorithm 2, where each
    /// merge is of the globally closest pair) are agglomeration started from a partition: usually
    /// O(C²d) for C clusters (O(C³d) at worst), where recomputing all first neighbours costs O(C²d)
    /// for each merge.
    ///
    /// Above the count of the first partition, it splits it: of the links i–κᵢ it keeps the
    /// shortest (ties by i) that leave K components.
    ///
    /// # Errors
    /// - [`Error::ClusterCount`]: K is 0 or above N.
    /// - [`Error::NoSuchPartition`], [`Error::TooCoarse`]: the partition to merge from is not
    ///   there, or has fewer than K clusters.
    /// - [`Error::SampleCount`], [`Error::FeatureCount`]: the hierarchy was made from another
    ///   number of samples, or of features.
    /// - [`Error::Threads`].
    pub fn run<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        hierarchy: &Hierarchy,
    ) -> Result<Partition> {
        self.run_from(samples, hierarchy, None)
    }

    /// [`Refine::run`] with a callback that is told how far the run is, on the calling thread, and
    /// may stop it.
    ///
    /// # Errors
    /// Those of [`Refine::run`], and [`Error::Cancelled`] if the callback stopped the run.
    pub fn run_watched<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        hierarchy: &Hierarchy,
        progress: &mut Callback<'_>,
    ) -> Result<Partition> {
        self.run_from(samples, hierarchy, Some(progress))
    }

    /// The merges from the partition to merge from down to K clusters, from which every number of
    /// clusters between follows. (Ask for 1 to have them all, and by [`Refine::from`] for the
    /// finest partition: by default means-based linkages begin at the coarsest.)
    ///
    /// # Errors
    /// Those of [`Refine::run`]; [`Error::TooCoarse`] also for more clusters than the first
    /// partition has.
    pub fn dendrogram<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        hierarchy: &Hierarchy,
    ) -> Result<Dendrogram> {
        self.dendrogram_from(samples, hierarchy, None)
    }

    /// [`Refine::dendrogram`] with a callback, as in [`Refine::run_watched`].
    ///
    /// # Errors
    /// Those of both.
    pub fn dendrogram_watched<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        hierarchy: &Hierarchy,
        progress: &mut Callback<'_>,
    ) -> Result<Dendrogram> {
        self.dendrogram_from(samples, hierarchy, Some(progress))
    }

    fn dendrogram_from<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        hierarchy: &Hierarchy,
        progress: Option<&mut Callback<'_>>,
    ) -> Result<Dendrogram> {
        hierarchy.expect_samples(samples)?;
        let Some(start) = self.start(hierarchy)? else {
            let (requested, clusters) = (self.clusters, hierarchy.finest().clusters());
            return Err(Error::TooCoarse { partition: 0, clusters, requested });
        };
        let mut runner = Runner::new(self.threads, progress)?;
        self.merge(samples, hierarchy, start, &mut runner)
    }

    fn run_from<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        hierarchy: &Hierarchy,
        progress: Option<&mut Callback<'_>>,
    ) -> Result<Partition> {
        hierarchy.expect_samples(samples)?;
        let start = self.start(hierarchy)?;
        let mut runner = Runner::new(self.threads, progress)?;
        match start {
            Some(start) => Ok(self.merge(samples, hierarchy, start, &mut runner)?.coarsest()),
            None => {
                let nearest = hierarchy.first_neighbors();
                Ok(runner.install(|| split(nearest, samples.len(), self.clusters)))
            }
        }
    }

    /// Merges the clusters of partition `start` until K are left.
    fn merge<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        hierarchy: &Hierarchy,
        start: usize,
        runner: &mut Runner<'_, '_>,
    ) -> Result<Dendrogram> {
        let (start, clusters) = (hierarchy.partition(start)?, self.clusters);
        if start.clusters() == clusters {
            return Ok(Dendrogram::new(start, Vec::new()));
        }
        let by_means = match self.linkage {
            Linkage::Neighbor => {
                let linked = merge_by_links(samples, hierarchy, start, clusters, runner)?;
                return Ok(linked.dendrogram);
            }
            Linkage::Centroid => MeanLinkage::Centroid,
            Linkage::Ward => MeanLinkage::Ward,
        };
        let metric = hierarchy.metric();
        let merges = merge_by_means(samples, start, metric, by_means, clusters, runner)?;
        Ok(Dendrogram::new(start, merges))
    }

    /// The number of the partition whose clusters are merged, or none where the first has to be
    /// split.
    ///
    /// # Errors
    /// [`Error::ClusterCount`], [`Error::NoSuchPartition`], [`Error::TooCoarse`], as in
    /// [`Refine::run`].
    pub fn start(&self, hierarchy: &Hierarchy) -> Result<Option<usize>> {
        let Self { clusters: requested, linkage, from, .. } = *self;
        let samples = hierarchy.samples();
        if requested == 0 || requested > samples {
            return Err(Error::ClusterCount { requested, samples });
        }
        let coarsest = hierarchy.at_least(requested);
        let default = match linkage {
            Linkage::Neighbor => coarsest.map(|_| 0),
            Linkage::Centroid | Linkage::Ward => coarsest,
        };
        let Some(partition) = from.or(default) else {
            return Ok(None);
        };
        match hierarchy.partition(partition)?.clusters() {
            clusters if clusters < requested => {
                Err(Error::TooCoarse { partition, clusters, requested })
            }
            _ => Ok(Some(partition)),
        }
    }
}

/// Keeps the shortest links that leave `clusters` components.
fn split(nearest: &FirstNeighbors, samples: usize, clusters: usize) -> Partition {
    let distance = |sample: u32| nearest.distance()[sample as usize];
    let mut links: Vec<(u32, u32)> = nearest.links(f64::INFINITY).collect();
    links.par_sort_unstable_by(|&(a, _), &(b, _)| {
        distance(a).total_cmp(&distance(b)).then(a.cmp(&b))
    });
    let mut sets = Sets::new(samples);
    for (sample, neighbor) in links {
        if sets.count() == clusters {
            break;
        }
        sets.join(sample, neighbor);
    }
    sets.partition()
}
