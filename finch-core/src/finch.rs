//! Algorithm 1: from samples to a hierarchy of partitions, without a parameter.

use ndarray::Array2;

use crate::components::components;
use crate::element::Element;
use crate::error::Result;
use crate::hierarchy::{Hierarchy, Level};
use crate::means::means;
use crate::metric::Metric;
use crate::names::named;
use crate::neighbors::{
    Aim, Axes, FirstNeighbors, Nearest, Neighbors, Query, Search, Shard, check_rank, update,
};
use crate::partition::Partition;
use crate::progress::{Callback, MOST_THREADS, Runner};
use crate::samples::Samples;

/// Which first-neighbour links may merge clusters from the second level on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LinkBound {
    /// All: Algorithm 1 as listed.
    #[default]
    None,
    /// Only links no longer than the longest first-neighbour distance between samples, so that a
    /// cluster far from everything stays alone. Not in the paper's listing, but its published
    /// tables were made with it (Table 8 comes out digit for digit).
    FirstNeighbor,
}

named!(LinkBound, "link bound", None = "none", FirstNeighbor = "first-neighbor");

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
    keep_neighbors: usize,
    threads: usize,
}

impl Default for Finch {
    fn default() -> Self {
        Self {
            metric: Metric::default(),
            link_bound: LinkBound::default(),
            search: Search::default(),
            recall: Self::DEFAULT_RECALL,
            seed: 0,
            keep_neighbors: 0,
            threads: 0,
        }
    }
}

impl Finch {
    /// The most threads that are started, whatever is asked for.
    pub const MOST_THREADS: usize = MOST_THREADS;

    /// The recall that an approximate search aims at unless told otherwise.
    pub const DEFAULT_RECALL: f64 = 0.99;

    /// Euclidean, no link bound, the fastest search, all threads.
    pub fn new() -> Self {
        Self::default()
    }

    /// The distance between samples, and between cluster means.
    pub fn metric(self, metric: Metric) -> Self {
        Self { metric, ..self }
    }

    /// Which links may merge clusters.
    pub fn link_bound(self, link_bound: LinkBound) -> Self {
        Self { link_bound, ..self }
    }

    /// How neighbours are searched, of samples and of means.
    pub fn search(self, search: Search) -> Self {
        Self { search, ..self }
    }

    /// The share of true neighbours that is enough for an approximate search, above 0 and at most
    /// 1; [`Finch::DEFAULT_RECALL`] by default. It searches until so many have been found of a
    /// sample of 2,048; what it then measures on 2,048 others may be a little less. With 1,
    /// [`Search::Auto`] is exact. Where k neighbours are kept ([`Finch::keep_neighbors`]), it is
    /// the share of these k, and the first ones found may be others than without.
    pub fn recall(self, recall: f64) -> Self {
        Self { recall, ..self }
    }

    /// What the random numbers of an approximate search begin with; 0 by default. Exact searches
    /// have none.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// How many nearest neighbours of each sample [`Finch::fit`] searches and the hierarchy keeps
    /// ([`Hierarchy::neighbors`]): 12·k bytes a sample. 0, the default, keeps none. Partitions are
    /// the same either way, where the search is exact.
    ///
    /// It is a wish: where samples have fewer than `k` others, all N − 1 are kept. And
    /// [`Finch::fit_given`], which searches no neighbours of samples, keeps none.
    pub fn keep_neighbors(self, k: usize) -> Self {
        Self { keep_neighbors: k, ..self }
    }

    /// The number of threads, at most [`Finch::MOST_THREADS`]; 0, the default, takes the rayon pool
    /// that the caller runs in, or else the global one (a thread per core). The answer does not
    /// depend on it.
    pub fn threads(self, threads: usize) -> Self {
        Self { threads, ..self }
    }

    /// Clusters N samples × d features (Algorithm 1).
    ///
    /// # Errors
    /// [`Error::UnsupportedSearch`](crate::Error::UnsupportedSearch),
    /// [`Error::Threads`](crate::Error::Threads).
    pub fn fit<A: Element>(&self, samples: &Samples<'_, A>) -> Result<Hierarchy> {
        self.fit_from(samples, None, None)
    }

    /// [`Finch::fit`] with a callback that is told how far the run is, on the calling thread, and
    /// may stop it.
    ///
    /// # Errors
    /// Those of [`Finch::fit`], and [`Error::Cancelled`](crate::Error::Cancelled) if the callback
    /// stopped the run.
    pub fn fit_watched<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        progress: &mut Callback<'_>,
    ) -> Result<Hierarchy> {
        self.fit_from(samples, None, Some(progress))
    }

    /// Clusters N samples whose first neighbours the caller brings: `first[i]` is the sample
    /// nearest to sample i, from 0. Means of later levels are searched as usual.
    ///
    /// # Errors
    /// [`Error::NeighborCount`](crate::Error::NeighborCount) unless there are N of them (none for
    /// one sample), [`Error::InvalidNeighbor`](crate::Error::InvalidNeighbor) for a sample that is
    /// its own neighbour or an index from N on, and what [`Finch::fit`] returns.
    pub fn fit_given<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        first: &[u32],
    ) -> Result<Hierarchy> {
        self.fit_from(samples, Some(first), None)
    }

    /// [`Finch::fit_given`] with a callback, as in [`Finch::fit_watched`].
    ///
    /// # Errors
    /// Those of both.
    pub fn fit_given_watched<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        first: &[u32],
        progress: &mut Callback<'_>,
    ) -> Result<Hierarchy> {
        self.fit_from(samples, Some(first), Some(progress))
    }

    /// The first neighbours alone.
    ///
    /// # Errors
    /// Those of [`Finch::fit`].
    pub fn first_neighbors<A: Element>(&self, samples: &Samples<'_, A>) -> Result<FirstNeighbors> {
        self.find_first(samples, 0, &mut Axes::default(), &mut Runner::new(self.threads, None)?)
    }

    /// [`Finch::first_neighbors`] with a callback, as in [`Finch::fit_watched`].
    ///
    /// # Errors
    /// Those of [`Finch::fit_watched`].
    pub fn first_neighbors_watched<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        progress: &mut Callback<'_>,
    ) -> Result<FirstNeighbors> {
        let mut runner = Runner::new(self.threads, Some(progress))?;
        self.find_first(samples, 0, &mut Axes::default(), &mut runner)
    }

    /// The `k` nearest neighbours alone.
    ///
    /// # Errors
    /// [`Error::NeighborRank`](crate::Error::NeighborRank) unless `k` is from 1 to N − 1, and those
    /// of [`Finch::fit`].
    pub fn nearest_neighbors<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        k: usize,
    ) -> Result<Neighbors> {
        self.find(samples, k, None)
    }

    /// [`Finch::nearest_neighbors`] with a callback, as in [`Finch::fit_watched`].
    ///
    /// # Errors
    /// Those of both.
    pub fn nearest_neighbors_watched<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        k: usize,
        progress: &mut Callback<'_>,
    ) -> Result<Neighbors> {
        self.find(samples, k, Some(progress))
    }

    /// Offers every sample of `base` to every sample of `queries`, of which `nearest` holds the
    /// nearest so far: for data that is spread over files or machines. A sample is not offered to
    /// itself, by its number in the whole data. Once all has been offered, in any order and in
    /// parts of any size, `nearest` is what [`Finch::first_neighbors`] finds, bit for bit. (But a
    /// part in which no value reaches 10⁻¹⁴⁰ is refused, since each part is checked by itself.)
    ///
    /// ```
    /// use finch_core::{Finch, Nearest, Samples, Shard};
    /// use ndarray::s;
    ///
    /// let points = ndarray::array![[0.0], [5.0], [1.0], [4.5]];
    /// let samples = Samples::new(points.view())?;
    /// let mut nearest = [Nearest::NONE; 4];
    /// for first in [0, 2] {
    ///     let part = Samples::new(points.slice(s![first..first + 2, ..]))?;
    ///     let [queries, base] = [Shard { samples, first: 0 }, Shard { samples: part, first }];
    ///     Finch::new().update_nearest(&queries, &base, &mut nearest)?;
    /// }
    /// assert_eq!(nearest.map(|nearest| nearest.index), [2, 3, 0, 1]);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// Those of [`Finch::fit`] ([`Search::KdTree`] is not supported here),
    /// [`Error::FeatureCount`](crate::Error::FeatureCount) if the two differ in features,
    /// [`Error::SampleCount`](crate::Error::SampleCount) unless there is one `nearest` for each
    /// query, [`Error::TooManySamples`](crate::Error::TooManySamples) if numbers go beyond 2³¹ − 1.
    /// After an error `nearest` is as it was.
    pub fn update_nearest<A: Element>(
        &self,
        queries: &Shard<'_, A>,
        base: &Shard<'_, A>,
        nearest: &mut [Nearest],
    ) -> Result<()> {
        let mut runner = Runner::new(self.threads, None)?;
        update(self.metric, self.search, queries, base, nearest, &mut runner)
    }

    /// [`Finch::update_nearest`] with a callback, as in [`Finch::fit_watched`].
    ///
    /// # Errors
    /// Those of both.
    pub fn update_nearest_watched<A: Element>(
        &self,
        queries: &Shard<'_, A>,
        base: &Shard<'_, A>,
        nearest: &mut [Nearest],
        progress: &mut Callback<'_>,
    ) -> Result<()> {
        let mut runner = Runner::new(self.threads, Some(progress))?;
        update(self.metric, self.search, queries, base, nearest, &mut runner)
    }

    /// [`Partition::means`] on this many threads, which makes no difference to the means.
    ///
    /// # Errors
    /// [`Error::SampleCount`](crate::Error::SampleCount) unless the partition is of the samples,
    /// [`Error::Threads`](crate::Error::Threads).
    pub fn means<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        partition: &Partition,
    ) -> Result<Array2<A::Mean>> {
        Runner::new(self.threads, None)?.install(|| partition.means(samples))
    }

    fn query(&self) -> Query {
        let aim = Aim { recall: self.recall, seed: self.seed };
        Query { metric: self.metric, search: self.search, aim }
    }

    fn find<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        k: usize,
        progress: Option<&mut Callback<'_>>,
    ) -> Result<Neighbors> {
        check_rank(k, samples.len() - 1)?;
        let mut runner = Runner::new(self.threads, progress)?;
        Neighbors::find(samples, k, self.query(), 0, &mut Axes::default(), &mut runner)
    }

    fn find_first<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        level: usize,
        axes: &mut Axes,
        runner: &mut Runner<'_, '_>,
    ) -> Result<FirstNeighbors> {
        Ok(Neighbors::find(samples, 1, self.query(), level, axes, runner)?.first())
    }

    fn fit_from<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        first: Option<&[u32]>,
        progress: Option<&mut Callback<'_>>,
    ) -> Result<Hierarchy> {
        let (mut axes, mut runner) = (Axes::default(), Runner::new(self.threads, progress)?);
        let (nearest, kept) = match (first, self.keep_neighbors) {
            (Some(first), _) => (FirstNeighbors::given(samples, self.metric, first)?, None),
            (None, 0) => (self.find_first(samples, 0, &mut axes, &mut runner)?, None),
            (None, k) => {
                let query = self.query();
                let found = Neighbors::find(samples, k, query, 0, &mut axes, &mut runner)?;
                (found.first(), Some(found))
            }
        };
        self.grow(samples, nearest, kept, axes, &mut runner)
    }

    /// The loop of Algorithm 1, from the first neighbours of the samples on.
    fn grow<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        nearest: FirstNeighbors,
        kept: Option<Neighbors>,
        mut axes: Axes,
        runner: &mut Runner<'_, '_>,
    ) -> Result<Hierarchy> {
        let bound = match self.link_bound {
            LinkBound::None => f64::INFINITY,
            LinkBound::FirstNeighbor => nearest.longest(),
        };
        let mut partitions = vec![components(samples.len(), nearest.links(f64::INFINITY))];
        let mut levels = vec![Level { samples: samples.len(), choice: nearest.choice() }];
        loop {
            let newest = &partitions[partitions.len() - 1];
            let means = runner.install(|| means(samples, newest));
            let level = Samples::of_means(means.view());
            let nearest = self.find_first(&level, partitions.len(), &mut axes, runner)?;
            levels.push(Level { samples: level.len(), choice: nearest.choice() });
            let merged = components(level.len(), nearest.links(bound));
            if merged.clusters() == 1 || merged.clusters() == level.len() {
                break;
            }
            partitions.push(newest.coarsened(&merged));
        }
        Ok(Hierarchy::new(partitions, nearest, kept, levels, self.query(), samples.features()))
    }
}
