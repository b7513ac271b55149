//! The options of a clustering, [`Finch`], and its entry points: samples, weights, first neighbours.

mod algorithm;
mod batch;
pub(crate) mod components;
mod extend;
mod joined_pair;
mod mean_distances;
mod precomputed;
mod timed;

use std::time::Duration;

use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::link_bound::LinkBound;
use crate::hierarchy::linkage::Linkage;
use crate::neighbors::{
    FirstNeighbors, Nearest, Neighbors, NumberedNearest, NumberedSamples, Query, Search, Searcher,
    Shard, are_compared_alone, check_rank, update, update_numbered,
};
use crate::run::Run;
use crate::samples::AnySamples;
use crate::samples::element::Element;
use crate::samples::metric::Metric;
use crate::samples::weights::Weights;

/// FINCH and its options, all of which have a default.
///
/// ```
/// use finch_core::{Finch, Metric, Samples};
/// use ndarray::array;
///
/// let points = array![[0.0, 0.0], [0.1, 0.0], [5.0, 5.0], [5.1, 5.0], [5.2, 5.1]];
/// let hierarchy = Finch::new().metric(Metric::Euclidean).fit(&Samples::new(points.view())?)?;
/// assert_eq!(hierarchy.finest().labels(), [0, 0, 1, 1, 1]);
/// # Ok::<(), finch_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Finch {
    metric: Metric,
    link_bound: LinkBound,
    search: Search,
    recall: f64,
    seed: u64,
    time_limit: Option<Duration>,
    keep_neighbors: usize,
    refinable: Option<Linkage>,
}

impl Default for Finch {
    fn default() -> Self {
        Self {
            metric: Metric::default(),
            link_bound: LinkBound::default(),
            search: Search::default(),
            recall: Self::DEFAULT_RECALL,
            seed: 0,
            time_limit: None,
            keep_neighbors: 0,
            refinable: None,
        }
    }
}

impl Finch {
    /// The recall that an approximate search aims at unless told otherwise.
    pub const DEFAULT_RECALL: f64 = 0.99;

    /// Euclidean, no link bound, the fastest search.
    pub fn new() -> Self {
        Self::default()
    }

    /// The distance between samples, and between cluster means.
    pub fn metric(self, metric: Metric) -> Self {
        Self { metric, ..self }
    }

    /// The links that may merge clusters.
    pub fn link_bound(self, link_bound: LinkBound) -> Self {
        Self { link_bound, ..self }
    }

    /// The search for neighbours, of samples and of means.
    pub fn search(self, search: Search) -> Self {
        Self { search, ..self }
    }

    /// The share of true neighbours that is enough for an approximate search, above 0 and at most
    /// 1; [`Finch::DEFAULT_RECALL`] by default. The search goes on until it has found this share
    /// for 2,048 random samples; the share that it then measures on 1,024 other samples may be a
    /// little less (under [`Metric::Manhattan`], 512 and 256). With 1, [`Search::Auto`] is exact.
    /// If k neighbours are kept ([`Finch::keep_neighbors`]), the share is that of these k neighbours,
    /// and the first neighbours found may differ from those of a search for them alone.
    pub fn recall(self, recall: f64) -> Self {
        Self { recall, ..self }
    }

    /// The seed of the random numbers of an approximate search; 0 by default. Exact searches
    /// have none.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// The longest time of the searches of an operation; unlimited by default. [`Search::Auto`] then
    /// takes an exact search if it expects one to end in this time, and else the approximate one.
    /// There is one deadline for all levels. At the deadline a search stops at once, an exact one, too,
    /// and the neighbours found until then count. A sample that the search has not reached gets neighbours
    /// among the samples that are about as far as itself from one of two random samples. The recall is
    /// measured, and [`Hierarchy::warnings`] says if it is low. This is the one option that makes the
    /// result depend on the machine.
    ///
    /// The limit does not count a few passes over the samples (for equal ones, for the neighbours above,
    /// and for the recall); searches of a tenth of a second at most, such as those of means; means and
    /// merging, which are no search; and an exact search that you name, which ends when it ends.
    pub fn time_limit(self, limit: Duration) -> Self {
        Self { time_limit: Some(limit), ..self }
    }

    /// The number of nearest neighbours of each sample that [`Finch::fit`] searches and the
    /// hierarchy keeps ([`Hierarchy::neighbors`]): 12·k bytes a sample. 0, the default, keeps none. Partitions are
    /// the same either way, if the search is exact.
    ///
    /// If there are fewer than `k` other samples, the hierarchy keeps all N − 1. [`Finch::fit_given`],
    /// which searches no neighbours of samples, keeps none.
    pub fn keep_neighbors(self, k: usize) -> Self {
        Self { keep_neighbors: k, ..self }
    }

    /// Makes [`Finch::fit`] keep the neighbours that [`Refine`](crate::Refine) takes by this linkage
    /// ([`Linkage::neighbors`]), so that refining searches none. [`Hierarchy::suggest`] takes those of
    /// [`Linkage::Neighbor`]. Beside [`Finch::keep_neighbors`] the larger number counts.
    pub fn refinable(self, linkage: Linkage) -> Self {
        Self { refinable: Some(linkage), ..self }
    }

    /// Clusters N samples × d features (Algorithm 1): [`Samples`](crate::Samples),
    /// [`BitSamples`](crate::BitSamples) or [`SparseSamples`](crate::SparseSamples).
    ///
    /// Of samples that are equally near, the one of the smallest number is the first neighbour. Where such
    /// ties are many, as of whole or rounded numbers, the clusters depend on the order of the samples, and
    /// [`Warning::Ties`](crate::Warning::Ties) says so ([`Hierarchy::warnings`]).
    ///
    /// # Errors
    /// [`Error::UnsupportedSearch`](crate::Error::UnsupportedSearch),
    /// [`Error::InvalidRecall`](crate::Error::InvalidRecall),
    /// [`Error::Threads`](crate::Error::Threads), [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn fit<'s>(&self, samples: impl Into<AnySamples<'s>>) -> Result<Hierarchy> {
        self.fit_with(samples, &mut Run::new())
    }

    /// [`Finch::fit`] in a [`Run`], which has the threads and the callback.
    ///
    /// # Errors
    /// The errors of [`Finch::fit`], and [`Error::Cancelled`](crate::Error::Cancelled) if the callback
    /// stopped the run.
    pub fn fit_with<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        run: &mut Run<'_>,
    ) -> Result<Hierarchy> {
        self.fit_any(samples.into(), run)
    }

    fn fit_any(&self, samples: AnySamples<'_>, run: &mut Run<'_>) -> Result<Hierarchy> {
        match self.is_little(&samples) {
            true => run.operate_alone(|run| self.cluster(samples, None, None, run)),
            false => run.operate(samples.len(), |run| self.cluster(samples, None, None, run)),
        }
    }

    /// True if clustering samples is so little work that the calling thread does it all: nothing that it takes calls
    /// a loop of rayon's then.
    fn is_little(&self, samples: &AnySamples<'_>) -> bool {
        let is_plain = self.search == Search::Auto
            && self.time_limit.is_none()
            && self.link_bound != LinkBound::JoinedPair
            && self.neighbors_to_keep(samples.len()) == 0;
        is_plain && are_compared_alone(samples, self.metric)
    }

    /// Clusters N samples × d features that have weights, N numbers. Not in the paper.
    ///
    /// A sample of weight w stands for c = max(1, ⌊w⌋) equal rows, its copies, that follow each other in
    /// the sample's place, each of weight w / c. So whole weights give the labels that repeating the
    /// rows gives (as NumPy's `repeat` does), where the search is exact, without the copies being
    /// searched or kept:
    ///
    /// - A copy's first neighbour is another copy of its sample, since it is equal; of equal rows the
    ///   one with the smallest number, as always. So a sample of weight 2 or more can be a cluster of
    ///   the first partition by itself, and the longest first-neighbour distance, if links are bounded
    ///   by it ([`LinkBound`]), is that of copies. [`Hierarchy::first_neighbors`] and
    ///   [`Hierarchy::neighbors`] remain those of the samples as given.
    /// - Means are of all copies, added up one by one, bit for bit as those of repeated rows; also
    ///   Ward linkage has them, and sizes that are sums of weights. Means have no weights in the
    ///   search for their neighbours (as in Algorithm 1).
    /// - Neighbour linkage looks at k nearest copies, k following from the number of all copies
    ///   ([`Linkage::neighbors`]); a link counts with the product of the weights of its two copies.
    ///   For whole weights of up to 2³¹ − 1 copies all sums are exact, and else rounded.
    ///
    /// ```
    /// use finch_core::{Finch, Run, Samples};
    /// use ndarray::array;
    ///
    /// let points = array![[0.0], [1.0], [3.0], [9.0], [12.0]];
    /// let samples = Samples::new(points.view())?;
    /// let finch = Finch::new();
    /// assert_eq!(finch.fit(&samples)?.finest().labels(), [0, 0, 0, 1, 1]);
    /// // 3 stands for two rows, which are nearest to each other.
    /// let weights = [1.0, 1.0, 2.0, 1.0, 1.0];
    /// let hierarchy = finch.fit_weighted(&samples, &weights, &mut Run::new())?;
    /// assert_eq!(hierarchy.finest().labels(), [0, 0, 1, 2, 2]);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SampleCount`](crate::Error::SampleCount) unless there are N weights,
    /// [`Error::InvalidWeight`](crate::Error::InvalidWeight) for a weight that is NaN, infinite, zero,
    /// negative or below 10⁻¹⁰⁰, and if the weights add up to 2⁵³ or more; those of
    /// [`Finch::fit_with`].
    pub fn fit_weighted<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        weights: &[f64],
        run: &mut Run<'_>,
    ) -> Result<Hierarchy> {
        let samples = samples.into();
        run.operate(samples.len(), |run| {
            let weights = Weights::new(weights, samples.len())?;
            self.cluster(samples, Some(weights), None, run)
        })
    }

    /// Clusters N samples whose first neighbours the caller brings: `first[i]` is the sample
    /// nearest to sample i, from 0. Means of later levels are searched as usual.
    ///
    /// # Errors
    /// [`Error::NeighborCount`](crate::Error::NeighborCount) unless there are N first neighbours
    /// (none for one sample), [`Error::InvalidNeighbor`](crate::Error::InvalidNeighbor) for a
    /// sample that is its own neighbour or an index from N on, and what [`Finch::fit_with`]
    /// returns.
    pub fn fit_given<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        first: &[u32],
        run: &mut Run<'_>,
    ) -> Result<Hierarchy> {
        let samples = samples.into();
        run.operate(samples.len(), |run| {
            samples.expect_metric(self.metric)?;
            let given = || FirstNeighbors::given(samples.reborrow(), self.metric, first);
            let nearest = run.install(given)??;
            self.grow_by_means(samples, None, nearest, None, None, &mut self.searcher(run))
        })
    }

    /// The first neighbours alone. Of a zero row under cosine that is the only one, [`Neighbors::NONE`].
    ///
    /// # Errors
    /// The errors of [`Finch::fit_with`].
    pub fn first_neighbors<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        run: &mut Run<'_>,
    ) -> Result<FirstNeighbors> {
        let samples = samples.into();
        run.operate(samples.len(), |run| self.searcher(run).first(samples, 0))
    }

    /// The `k` nearest neighbours alone; [`Neighbors::NONE`], infinitely far, where there are fewer: under cosine
    /// zero rows are near to each other, and to no other row.
    ///
    /// # Errors
    /// [`Error::NeighborRank`](crate::Error::NeighborRank) unless `k` is from 1 to N − 1, and those
    /// of [`Finch::fit_with`].
    pub fn nearest_neighbors<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        k: usize,
        run: &mut Run<'_>,
    ) -> Result<Neighbors> {
        let samples = samples.into();
        check_rank(k, samples.len() - 1)?;
        run.operate(samples.len(), |run| self.searcher(run).nearest(samples, k, 0))
    }

    /// Offers every sample of `base` to every sample of `queries`, of which `nearest` holds the
    /// nearest so far: for data that is spread over files or machines. A sample is not offered to
    /// itself, by its number in the whole data. Once all samples have been offered, in any order
    /// and in parts of any size, `nearest` is what [`Finch::first_neighbors`] finds, bit for bit.
    /// (But a part in which no value reaches 10⁻¹⁴⁰ is refused, since each part is checked by
    /// itself.)
    ///
    /// ```
    /// use finch_core::{Finch, Nearest, Run, Samples, Shard};
    /// use ndarray::s;
    ///
    /// let points = ndarray::array![[0.0], [5.0], [1.0], [4.5]];
    /// let samples = Samples::new(points.view())?;
    /// let mut nearest = [Nearest::NONE; 4];
    /// for first in [0, 2] {
    ///     let part = Samples::new(points.slice(s![first..first + 2, ..]))?;
    ///     let [queries, base] = [Shard { samples, first: 0 }, Shard { samples: part, first }];
    ///     Finch::new().update_nearest(&queries, &base, &mut nearest, &mut Run::new())?;
    /// }
    /// assert_eq!(nearest.map(|nearest| nearest.index), [2, 3, 0, 1]);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Finch::fit_with`] ([`Search::KdTree`] is not supported here),
    /// [`Error::FeatureCount`](crate::Error::FeatureCount) if `queries` and `base` differ in
    /// features, [`Error::SampleCount`](crate::Error::SampleCount) unless there is one `nearest`
    /// for each query, [`Error::TooManySamples`](crate::Error::TooManySamples) if numbers go beyond
    /// 2³¹ − 1. After an error `nearest` is as it was.
    pub fn update_nearest<A: Element>(
        &self,
        queries: &Shard<'_, A>,
        base: &Shard<'_, A>,
        nearest: &mut [Nearest],
        run: &mut Run<'_>,
    ) -> Result<()> {
        let samples = queries.samples.len().max(base.samples.len());
        run.operate(samples, |run| update(self.metric, self.search, queries, base, nearest, run))
    }

    /// Offers every sample of `base` to every sample of `queries`, but to itself, as
    /// [`Finch::update_nearest`], and keeps the `k` nearest so far: `lists` are k places for each query,
    /// sorted, of which any may be [`NumberedNearest::NONE`]. Samples may come from anywhere in the
    /// whole data, and a pair may be offered more than once.
    ///
    /// # Errors
    /// The errors of [`Finch::update_nearest`]; [`Error::NeighborRank`](crate::Error::NeighborRank) for `k` of 0,
    /// [`Error::InvalidShard`](crate::Error::InvalidShard) unless the numbers of `base` ascend from 0.
    /// After an error `lists` are as they were.
    pub fn update_k_nearest<A: Element>(
        &self,
        queries: &NumberedSamples<'_, A>,
        base: &NumberedSamples<'_, A>,
        k: usize,
        lists: &mut [NumberedNearest],
        run: &mut Run<'_>,
    ) -> Result<()> {
        let samples = queries.len().max(base.len());
        run.operate(samples, |run| {
            update_numbered(self.metric, self.search, queries, base, k, lists, run)
        })
    }

    pub(crate) fn query(&self) -> Query {
        let Self { metric, search, recall, seed, time_limit, .. } = *self;
        Query { metric, search, recall, seed, time_limit }
    }

    pub(crate) fn searcher<'r, 'c>(&self, run: &'r mut Run<'c>) -> Searcher<'r, 'c> {
        Searcher::new(self.query(), run)
    }
}
