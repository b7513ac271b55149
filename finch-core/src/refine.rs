//! From a hierarchy to exactly K clusters: Algorithm 2, and splitting.

use rayon::prelude::*;

use crate::agglomeration::Agglomeration;
use crate::components::Sets;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::names::named;
use crate::neighbors::FirstNeighbors;
use crate::partition::Partition;
use crate::progress::{Callback, Runner, Stage};
use crate::samples::Samples;

/// Which two clusters are closest, and so merge first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Linkage {
    /// The two with the smallest distance between means: Algorithm 2 of the paper.
    #[default]
    Centroid,
    /// The two whose merging adds least to the squared distances of samples to their means:
    /// the squared distance between means, times nᵢnⱼ/(nᵢ+nⱼ). Not in the paper.
    Ward,
}

named!(Linkage, "linkage", Centroid = "centroid", Ward = "ward");

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
    /// Asks for `clusters` clusters (K), by centroid linkage.
    pub fn new(clusters: usize) -> Self {
        Self { clusters, linkage: Linkage::default(), from: None, threads: 0 }
    }

    /// Which clusters merge first.
    pub fn linkage(self, linkage: Linkage) -> Self {
        Self { linkage, ..self }
    }

    /// The partition to merge from, 0 being the finest. By default the coarsest one that has at
    /// least K clusters.
    pub fn from(self, partition: usize) -> Self {
        Self { from: Some(partition), ..self }
    }

    /// The number of threads, as in [`Finch::threads`](crate::Finch::threads).
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Makes exactly K clusters of the N samples (× d features) that the hierarchy was made from.
    ///
    /// Below the count of the partition it starts from, it merges one pair of clusters at a time
    /// (Algorithm 2); equally close pairs by the smallest numbers, a merged cluster keeping the
    /// smaller of its two. Each merge is of the globally closest pair, so this is agglomeration
    /// started from a partition: usually O(C²d) for C clusters and d features (O(C³d) at worst),
    /// where recomputing all first neighbours costs O(C²d) for each merge.
    ///
    /// Above the count of the first partition, it splits it: of the links i–κᵢ it keeps the
    /// shortest (ties by i) that leave K components.
    ///
    /// # Errors
    /// - [`Error::ClusterCount`]: K is 0 or above N.
    /// - [`Error::NoSuchPartition`], [`Error::TooCoarse`]: the partition to merge from is not
    ///   there, or has fewer than K clusters.
    /// - [`Error::SampleCount`], [`Error::FeatureCount`]: the hierarchy was made from another number
    ///   of samples, or of features.
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

    fn run_from<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        hierarchy: &Hierarchy,
        progress: Option<&mut Callback<'_>>,
    ) -> Result<Partition> {
        hierarchy.expect_samples(samples)?;
        let Self { clusters, linkage, threads, .. } = *self;
        let start = self.start(hierarchy)?;
        let mut runner = Runner::new(threads, progress)?;
        let Some(start) = start else {
            let nearest = hierarchy.first_neighbors();
            return Ok(runner.install(|| split(nearest, samples.len(), clusters)));
        };
        // One part for each distance: all pairs at first, then a row for each merge.
        let parts = start.clusters() * (2 * start.clusters() - clusters);
        runner.stage(Stage::Merge, parts as u64, |meter| {
            let merging = Agglomeration::new(samples, start, hierarchy.metric(), linkage);
            start.coarsened(&merging.merge(clusters, meter))
        })
    }

    /// The partition to merge, or none where the first has to be split.
    fn start<'h>(&self, hierarchy: &'h Hierarchy) -> Result<Option<&'h Partition>> {
        let Self { clusters: requested, from, .. } = *self;
        let samples = hierarchy.samples();
        if requested == 0 || requested > samples {
            return Err(Error::ClusterCount { requested, samples });
        }
        let Some(partition) = from.or(hierarchy.at_least(requested)) else {
            return Ok(None);
        };
        match hierarchy.partition(partition)? {
            start if start.clusters() < requested => {
                Err(Error::TooCoarse { partition, clusters: start.clusters(), requested })
            }
            start => Ok(Some(start)),
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
