//! Refinement of a hierarchy to exactly K clusters: merging (Algorithm 2, and other linkages), and
//! splitting.

use super::by_links::{CutToMove, Linked, merge_by_links};
use super::by_means::{
    MeanLinkage, merge_by_means, merge_by_times, merge_means_by_rules, move_to_means,
};
use super::rules::{Joins, Rules, start_by_rules, why_unmet};
use crate::error::times::TimeFault;
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::hierarchy::dendrogram::Dendrogram;
use crate::hierarchy::linkage::Linkage;
use crate::neighbors::{FirstNeighbors, links_of_equal};
use crate::partition::Partition;
use crate::partition::times::Timeline;
use crate::run::Run;
use crate::run::progress::Meter;
use crate::samples::AnySamples;
use crate::samples::metric::Metric;
use crate::support::union_find::Sets;

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
pub struct Refine<'r> {
    clusters: usize,
    linkage: Linkage,
    from: Option<usize>,
    nested: bool,
    rules: Rules<'r>,
}

/// Exactly K clusters, and the linkage that made them.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Refined {
    /// The clusters.
    pub partition: Partition,
    /// The linkage, never [`Linkage::Auto`]: as asked for, or the one that was chosen. Where there is no choice
    /// [`Linkage::Auto`] is neighbour linkage. Of samples with times that is centroid linkage, also by name. Where the
    /// first partition was split, no clusters merged.
    pub linkage: Linkage,
}

/// The merges of a partition, and the clusters after moves, where there were any.
pub(super) struct Merged {
    dendrogram: Dendrogram,
    moved: Option<Partition>,
    /// As of [`Linked`].
    reach: Option<f64>,
}

impl Merged {
    fn of(dendrogram: Dendrogram) -> Self {
        Self { dendrogram, moved: None, reach: None }
    }

    pub(super) fn partition(self) -> Result<Partition> {
        match self.moved {
            Some(moved) => Ok(moved),
            None => self.dendrogram.coarsest(),
        }
    }
}

impl<'r> Refine<'r> {
    /// Asks for `clusters` clusters (K), by neighbour linkage or by means ([`Linkage::Auto`]).
    pub fn new(clusters: usize) -> Self {
        let (linkage, rules) = (Linkage::default(), Rules::default());
        Self { clusters, linkage, from: None, nested: false, rules }
    }

    /// The clusters that merge first.
    pub fn linkage(self, linkage: Linkage) -> Self {
        Self { linkage, ..self }
    }

    /// The partition to merge from, 0 being the finest. By default the finest for neighbour linkage; for
    /// other linkages the coarsest one that has at least K clusters.
    pub fn from(self, partition: usize) -> Self {
        Self { from: Some(partition), ..self }
    }

    /// True for clusters that are nested over all K: those of [`Refine::dendrogram`], cut.
    ///
    /// By default, and by neighbour linkage, samples move after the last merge (by [`Linkage::Means`] to the nearest mean): each goes to the cluster that most of
    /// its nearest neighbours are in, for each that could be, with those whose nearest it is among. That mends what the
    /// first partition joined too early, in more than three dimensions: in fewer, along curves, under a
    /// least or greatest size, and of samples that a rule names, nothing moves. Equal samples move together, and
    /// there are K clusters before and after. Where K is the number of clusters that merging begins with, or more,
    /// nothing moves. On embeddings it gains most (`benches/linkage.md`).
    pub fn nested(self, nested: bool) -> Self {
        Self { nested, ..self }
    }

    /// Pairs of samples that are to be in one cluster (must-link). These samples are joined first, also
    /// those that several pairs lead to.
    ///
    /// With this rule and the next three, clusters of the partition to merge from that share such
    /// samples are joined. A cluster that then breaks another rule falls apart into clusters of the next
    /// finer partition, and at last into samples, which the links i–κᵢ join where rules allow it, the
    /// shortest first. From there on the two closest clusters merge of those that may. The result keeps
    /// every rule, or there is an error: as merging never takes a merge back, it may end in an error
    /// although some other partition would keep all rules. Without rules, or where they forbid nothing
    /// that would merge anyway, the result is the same as ever. (By neighbour linkage islands merge before two
    /// large clusters: where a rule forbids the merge of these two, islands merge before another one, or last.)
    ///
    /// ```
    /// use finch_core::{Finch, Refine, Samples};
    /// use ndarray::array;
    ///
    /// let points = array![[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]];
    /// let samples = Samples::new(points.view())?;
    /// let hierarchy = Finch::new().fit(&samples)?;
    /// let two = Refine::new(2).must_link(&[[0, 4]]).cannot_link(&[[2, 3]]);
    /// assert_eq!(two.run(&samples, &hierarchy)?.labels(), [0, 0, 0, 1, 0, 0]);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    pub fn must_link(self, pairs: &'r [[u32; 2]]) -> Self {
        Self { rules: Rules { together: pairs, ..self.rules }, ..self }
    }

    /// Pairs of samples that are to be in two clusters (cannot-link).
    pub fn cannot_link(self, pairs: &'r [[u32; 2]]) -> Self {
        Self { rules: Rules { apart: pairs, ..self.rules }, ..self }
    }

    /// The least size of a cluster: of samples, or where they have weights, of the sum of these. Two
    /// clusters of this size merge only while there are more than K of them, so that smaller ones merge
    /// first, until there is none.
    pub fn min_size(self, size: usize) -> Self {
        Self { rules: Rules { least: size, ..self.rules }, ..self }
    }

    /// The greatest size of a cluster, as of [`Refine::min_size`]. Clusters that would be larger together
    /// never merge.
    pub fn max_size(self, size: usize) -> Self {
        Self { rules: Rules { most: size, ..self.rules }, ..self }
    }

    /// Makes exactly K clusters of the N samples (× d features) that the hierarchy was made from.
    ///
    /// Where K is below the number of clusters of the partition to start from, one pair of clusters
    /// merges at a time. Of equally close pairs, the one with the smallest numbers merges. A merged
    /// cluster keeps the smaller of its two numbers.
    ///
    /// Neighbour linkage takes usually O(N·k² + E log E) for E links between clusters (O(C·E log E)
    /// at worst, if one cluster is linked to all others), once the neighbours are there. Neighbours
    /// that the hierarchy has not kept ([`Finch::refinable`](crate::Finch::refinable)) are
    /// searched, which takes longer than all else. Linkages by means (Algorithm 2, where each merge
    /// is of the globally closest pair) are agglomeration started from a partition of C clusters.
    /// Where means have few features, or below a hundred features lie near a surface of few
    /// dimensions, merging takes usually O(C·d·log C); elsewhere usually O(C²d) (O(C³d) at worst).
    /// Recomputing all first neighbours would cost O(C²d) for each merge.
    ///
    /// Where K is above the number of clusters of the first partition, that partition is split: of the
    /// links i–κᵢ the shortest are kept (ties by i), as many as leave K components. Equal samples are
    /// linked before all others, also under cosine, where parallel ones are as near: they are parted only
    /// where there are fewer distinct samples than K.
    ///
    /// Samples with weights ([`Finch::fit_weighted`](crate::Finch::fit_weighted)) are merged and split
    /// as the equal rows that they stand for, which are never split apart: K is at most the number N of
    /// samples.
    ///
    /// # Errors
    /// - [`Error::ClusterCount`]: K is 0 or above N.
    /// - [`Error::NoSuchPartition`], [`Error::TooCoarse`]: the partition to merge from does not
    ///   exist, or has fewer than K clusters.
    /// - [`Error::SampleCount`], [`Error::FeatureCount`]: the hierarchy was made from another
    ///   number of samples, or of features.
    /// - [`Error::InvalidPair`], [`Error::InvalidClusterSize`]: a pair or a size that cannot be met, or
    ///   that merging did not meet. [`Error::InvalidTimes`]: must-link pairs for contiguous segments.
    /// - [`Error::Threads`], [`Error::OutOfMemory`].
    pub fn run<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        hierarchy: &Hierarchy,
    ) -> Result<Partition> {
        self.run_with(samples, hierarchy, &mut Run::new())
    }

    /// [`Refine::run`] in a [`Run`], which has the threads and the callback.
    ///
    /// # Errors
    /// The errors of [`Refine::run`], and [`Error::Cancelled`] if the callback stopped the run.
    pub fn run_with<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        hierarchy: &Hierarchy,
        run: &mut Run<'_>,
    ) -> Result<Partition> {
        Ok(self.run_explained(samples, hierarchy, run)?.partition)
    }

    /// [`Refine::run_with`], and the linkage that made the clusters: by [`Linkage::Auto`] one of two.
    ///
    /// # Errors
    /// The errors of [`Refine::run_with`].
    pub fn run_explained<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        hierarchy: &Hierarchy,
        run: &mut Run<'_>,
    ) -> Result<Refined> {
        let samples = samples.into();
        hierarchy.expect_samples(samples)?;
        self.refined(Some(samples), hierarchy, run)
    }

    /// [`Refine::run_with`] for a hierarchy that was made without samples, by the neighbours that it
    /// keeps.
    ///
    /// Clusters without any link left cannot merge by their distances, where there are no means. Islands without
    /// links merge then, too, and those with links sooner, as they do where there are samples.
    /// Clusters that share a cluster in a partition of the hierarchy merge first, in the order of the
    /// partitions; then, as by Ward linkage with all means equally far apart, the two of fewest samples,
    /// of equals those of the smallest numbers.
    ///
    /// # Errors
    /// [`Error::NeedsSamples`] if the hierarchy was made from samples, or the linkage is one by means;
    /// [`Error::ClusterCount`], [`Error::NoSuchPartition`], [`Error::TooCoarse`], [`Error::Threads`],
    /// [`Error::OutOfMemory`], [`Error::Cancelled`], as in [`Refine::run_with`].
    pub fn run_without_samples(
        &self,
        hierarchy: &Hierarchy,
        run: &mut Run<'_>,
    ) -> Result<Partition> {
        Ok(self.run_without_samples_explained(hierarchy, run)?.partition)
    }

    /// [`Refine::run_without_samples`], and the linkage that made the clusters: neighbour linkage.
    ///
    /// # Errors
    /// The errors of [`Refine::run_without_samples`].
    pub fn run_without_samples_explained(
        &self,
        hierarchy: &Hierarchy,
        run: &mut Run<'_>,
    ) -> Result<Refined> {
        hierarchy.expect_none()?;
        self.refined(None, hierarchy, run)
    }

    fn refined(
        &self,
        samples: Option<AnySamples<'_>>,
        hierarchy: &Hierarchy,
        run: &mut Run<'_>,
    ) -> Result<Refined> {
        let (count, start) = (hierarchy.samples(), self.start(hierarchy)?);
        let linkage = match self.linkage {
            // Clusters with times have no other links than by means.
            Linkage::Auto | Linkage::Neighbor if hierarchy.timeline().is_some() => {
                Linkage::Centroid
            }
            Linkage::Auto => Linkage::Neighbor,
            linkage => linkage,
        };
        run.operate(count, |run| match start {
            _ if !self.rules.is_empty() => {
                let partition = self.ruled(samples, hierarchy, start, run)?.partition()?;
                Ok(Refined { partition, linkage })
            }
            Some(_) if self.linkage == Linkage::Auto => {
                self.chosen(linkage, samples, hierarchy, run)
            }
            Some(_) => {
                let partition = self.merged(samples, hierarchy, run)?.partition()?;
                Ok(Refined { partition, linkage })
            }
            None => {
                let (nearest, metric) = (hierarchy.links(), hierarchy.metric());
                let of_split =
                    || split(nearest, equal_ones(&samples, metric), count, self.clusters);
                Ok(Refined { partition: run.install(of_split)?, linkage })
            }
        })
    }

    /// The clusters by the linkage where there is no choice, or by means where these tell clusters better.
    fn chosen(
        &self,
        linkage: Linkage,
        samples: Option<AnySamples<'_>>,
        hierarchy: &Hierarchy,
        run: &mut Run<'_>,
    ) -> Result<Refined> {
        let again = samples.as_ref().map(AnySamples::reborrow);
        let merged = self.merged(again, hierarchy, run)?;
        let reach = merged.reach;
        let partition = merged.partition()?;
        if let (Some(samples), Some(reach), true) = (samples, reach, self.is_open(hierarchy)) {
            let metric = hierarchy.metric();
            if self.prefers_means(&samples, metric, &partition, reach, run)? {
                let by_means = self.linkage(Linkage::Means);
                let partition = by_means.merged(Some(samples), hierarchy, run)?.partition()?;
                return Ok(Refined { partition, linkage: Linkage::Means });
            }
        }
        Ok(Refined { partition, linkage })
    }

    /// The merges of the partition to merge from, which has at least K clusters, and what moves after them.
    pub(super) fn merged(
        &self,
        samples: Option<AnySamples<'_>>,
        hierarchy: &Hierarchy,
        run: &mut Run<'_>,
    ) -> Result<Merged> {
        let start = self.start(hierarchy)?.unwrap_or_default();
        self.merge(samples, hierarchy, hierarchy.partition(start)?, run)
    }

    /// The number of clusters that is asked for, K.
    pub(super) fn clusters(&self) -> usize {
        self.clusters
    }

    /// True if the clusters may be any: no partition to merge from is named, no rule is to be kept, and clusters
    /// of another K need not be nested.
    pub(super) fn is_free(&self) -> bool {
        self.from.is_none() && self.moves() && self.rules.is_empty()
    }

    /// True if samples move where they are linked to another cluster.
    fn moves(&self) -> bool {
        let sized = Rules { together: &[], apart: &[], ..self.rules };
        !self.nested && sized.is_empty()
    }

    /// The merges from the partition to merge from down to K clusters, from which every number of
    /// clusters between follows. (Ask for 1 cluster to have all merges, and by [`Refine::from`] for
    /// the finest partition: by default linkages by means begin at the coarsest.) With rules, as of
    /// [`Refine::must_link`], merging may start from another partition, and every cut keeps the rules but
    /// for the least size, which that into K clusters keeps.
    ///
    /// # Errors
    /// The errors of [`Refine::run_with`]; [`Error::TooCoarse`] also for more clusters than the first
    /// partition has.
    pub fn dendrogram<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        hierarchy: &Hierarchy,
        run: &mut Run<'_>,
    ) -> Result<Dendrogram> {
        let samples = samples.into();
        hierarchy.expect_samples(samples)?;
        self.merges(Some(samples), hierarchy, run)
    }

    /// [`Refine::dendrogram`] for a hierarchy that was made without samples, as
    /// [`Refine::run_without_samples`] merges.
    ///
    /// # Errors
    /// The errors of [`Refine::run_without_samples`]; [`Error::TooCoarse`] also for more clusters than the
    /// first partition has.
    pub fn dendrogram_without_samples(
        &self,
        hierarchy: &Hierarchy,
        run: &mut Run<'_>,
    ) -> Result<Dendrogram> {
        hierarchy.expect_none()?;
        self.merges(None, hierarchy, run)
    }

    fn merges(
        &self,
        samples: Option<AnySamples<'_>>,
        hierarchy: &Hierarchy,
        run: &mut Run<'_>,
    ) -> Result<Dendrogram> {
        // A dendrogram has no place for samples that move.
        let nested = self.nested(true);
        let start = self.start(hierarchy)?;
        if !self.rules.is_empty() {
            let ruled = |run: &mut Run<'_>| nested.ruled(samples, hierarchy, start, run);
            return Ok(run.operate(hierarchy.samples(), ruled)?.dendrogram);
        }
        let Some(start) = start else {
            let (requested, clusters) = (self.clusters, hierarchy.finest().clusters());
            return Err(Error::TooCoarse { partition: 0, clusters, requested });
        };
        let start = hierarchy.partition(start)?;
        let merge = |run: &mut Run<'_>| nested.merge(samples, hierarchy, start, run);
        Ok(run.operate(hierarchy.samples(), merge)?.dendrogram)
    }

    /// Merges under rules from a partition, or from samples, until K clusters are left.
    fn ruled(
        &self,
        samples: Option<AnySamples<'_>>,
        hierarchy: &Hierarchy,
        start: Option<usize>,
        run: &mut Run<'_>,
    ) -> Result<Merged> {
        let Self { rules, clusters, .. } = *self;
        rules.check(hierarchy, clusters)?;
        if hierarchy.timeline().is_some_and(Timeline::is_contiguous) && !rules.together.is_empty() {
            let what = "joining must-link pairs";
            return Err(Error::InvalidTimes { fault: TimeFault::Apart { what } });
        }
        let equal = run.install(|| equal_ones(&samples, hierarchy.metric()))?;
        let start = run.install(|| start_by_rules(rules, hierarchy, &equal, start, clusters))??;
        let merged = self.merge(samples, hierarchy, &start, run)?;
        let left = merged.dendrogram.coarsest()?;
        match why_unmet(rules, hierarchy, &left, clusters) {
            Some(error) => Err(error),
            None => Ok(merged),
        }
    }

    /// Merges the clusters of a partition until K are left, or under rules until no two may merge.
    fn merge(
        &self,
        samples: Option<AnySamples<'_>>,
        hierarchy: &Hierarchy,
        start: &Partition,
        run: &mut Run<'_>,
    ) -> Result<Merged> {
        let Self { clusters, rules, .. } = *self;
        let moves_to_means = self.linkage == Linkage::Means && self.moves() && rules.is_empty();
        if start.clusters() == clusters && !moves_to_means {
            return Ok(Merged::of(Dendrogram::new(start, hierarchy.checked_weights(), Vec::new())));
        }
        let by_means = match self.linkage {
            Linkage::Auto | Linkage::Neighbor if hierarchy.timeline().is_some() => {
                MeanLinkage::Centroid
            }
            Linkage::Auto | Linkage::Neighbor => {
                let left: CutToMove<'_> = &|linked| linked.dendrogram.coarsest();
                let to_move = self.moves().then_some(left);
                let linked =
                    merge_by_links(samples, hierarchy, start, clusters, rules, to_move, run)?;
                let Linked { dendrogram, moved, reach, .. } = linked;
                return Ok(Merged { dendrogram, moved, reach });
            }
            Linkage::Centroid => MeanLinkage::Centroid,
            Linkage::Means | Linkage::Ward => MeanLinkage::Ward,
        };
        let Some(samples) = samples else {
            return Err(Error::NeedsSamples { what: "a linkage by means" });
        };
        let (metric, weights) = (hierarchy.metric(), hierarchy.checked_weights());
        if let Some(timeline) = hierarchy.timeline() {
            let joins = &mut Joins::of(rules, start, weights, clusters);
            let merges = merge_by_times(samples, timeline, start, metric, by_means, joins, run)?;
            return Ok(Merged::of(Dendrogram::new(start, weights, merges)));
        }
        let merges = match rules.is_empty() {
            true if start.clusters() == clusters => Ok(Vec::new()),
            true => {
                merge_by_means(samples.reborrow(), weights, start, metric, by_means, clusters, run)
            }
            false => {
                let joins = &mut Joins::of(rules, start, weights, clusters);
                merge_means_by_rules(
                    samples.reborrow(),
                    weights,
                    start,
                    metric,
                    by_means,
                    joins,
                    run,
                )
            }
        }?;
        let merged = Merged::of(Dendrogram::new(start, weights, merges));
        if !moves_to_means {
            return Ok(merged);
        }
        let left = merged.dendrogram.coarsest()?;
        let to_means = |meter: &Meter| move_to_means(&samples, weights, left, metric, meter);
        let moved = Some(run.between(to_means)??);
        Ok(Merged { moved, ..merged })
    }

    /// The number of the partition whose clusters are merged, or `None` where the first partition has
    /// to be split.
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
            Linkage::Auto | Linkage::Neighbor if hierarchy.timeline().is_none() => {
                coarsest.map(|_| 0)
            }
            _ => coarsest,
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

/// The links of equal samples that those to first neighbours may lack.
fn equal_ones(samples: &Option<AnySamples<'_>>, metric: Metric) -> Vec<(u32, u32)> {
    samples.as_ref().map_or(Vec::new(), |samples| links_of_equal(samples, metric))
}

/// Keeps the shortest links that leave `clusters` components, those of equal samples before all others.
fn split(
    nearest: &FirstNeighbors,
    equal: Vec<(u32, u32)>,
    samples: usize,
    clusters: usize,
) -> Partition {
    let mut sets = Sets::new(samples);
    for (sample, neighbor) in equal.into_iter().chain(nearest.links_by_length()) {
        if sets.count() == clusters {
            break;
        }
        sets.join(sample, neighbor);
    }
    Partition::of_sets(sets)
}
