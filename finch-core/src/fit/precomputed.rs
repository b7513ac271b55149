//! Clustering from neighbours or distances that the caller brings.

use ndarray::ArrayView2;

use super::mean_distances::{SumsOfAll, SumsOfKnown};
use super::{Finch, joined_pair};
use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::linkage::Linkage;
use crate::neighbors::{Distances, Neighbors, share_of_ties, ties_of_table};
use crate::run::Run;
use crate::run::progress::Stage;
use crate::samples::AnySamples;

impl Finch {
    /// Clusters N samples whose k nearest neighbours the caller brings ([`Neighbors::given`], or a
    /// table that a search of this crate found). The first column is the first neighbours; means of
    /// later levels are searched as usual, under [`Finch::metric`], which is to be that of the table.
    ///
    /// The hierarchy keeps the whole table, and [`Refine`](crate::Refine) by neighbour linkage and
    /// [`Hierarchy::suggest`] take it, however few neighbours it has: nothing is searched that the
    /// caller has brought. They look at [`Linkage::neighbors`] neighbours of each sample. With half as
    /// many results are a little worse (`benches/linkage.md`), and with one neighbour, clusters of the
    /// first partition have no links. The distances of the table are what neighbour linkage knows of
    /// lengths: they are to be in the unit of the metric, but for a factor. Where all are equal, every
    /// link weighs as many neighbours as it shares. [`Finch::keep_neighbors`] and [`Finch::refinable`]
    /// change nothing here.
    ///
    /// # Errors
    /// [`Error::SampleCount`](crate::Error::SampleCount) unless there is a row for each sample, and
    /// what [`Finch::fit_with`] returns.
    pub fn fit_neighbors<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        neighbors: Neighbors,
        run: &mut Run<'_>,
    ) -> Result<Hierarchy> {
        let samples = samples.into();
        samples.expect_len(neighbors.samples())?;
        run.operate(samples.len(), |run| {
            let neighbors = neighbors.given_by_caller();
            let first = neighbors.first();
            let ties = run.install(|| ties_of_table(&neighbors, Some(samples.reborrow())))?;
            let searcher = &mut self.searcher(run);
            let grown =
                self.grow_by_means(samples, None, first, Some(neighbors), None, searcher)?;
            Ok(Hierarchy { ties: share_of_ties(&ties, None), ..grown })
        })
    }

    /// Clusters N samples of which nothing but a table of neighbours is known: a graph.
    ///
    /// The first partition is that of the paper. Later levels differ from the paper, which compares
    /// the means of the samples of clusters: here the distance of two clusters is the mean of the known
    /// distances between a sample of one and a sample of the other, a pair that is in both rows counting
    /// once, with the distance from the row of the smaller number. The cluster at the smallest mean
    /// distance is the first neighbour, of equals the one with the smallest number. Distances are known
    /// of near pairs alone, so this mean is mostly below that of all pairs, the more so the fewer
    /// neighbours there are. A cluster without any known distance to another one has no link and
    /// stays as it is, and pieces of a graph stay apart. The end is that of Algorithm 1: before only one
    /// cluster would be left, or when nothing merges.
    ///
    /// [`Refine::run_without_samples`](crate::Refine::run_without_samples) and
    /// [`Hierarchy::suggest_without_samples`] take the hierarchy, by the table that it keeps.
    /// [`Finch::metric`] says what the distances are to these two: lengths, or under cosine 1 − cos, which
    /// is half the square of a length. It decides nothing else.
    ///
    /// ```
    /// use finch_core::{Finch, Neighbors, Refine, Run};
    /// use ndarray::array;
    ///
    /// // Three far pairs: of each sample the other of its pair, and one more.
    /// let index = array![[1, 2], [0, 2], [3, 1], [2, 1], [5, 3], [4, 3]];
    /// let distance = array![[1.0, 9.0], [1.0, 8.0], [1.0, 8.0], [1.0, 9.0], [1.0, 30.0], [1.0, 31.0]];
    /// let run = &mut Run::new();
    /// let neighbors = Neighbors::given(index.view(), distance.view(), run)?;
    /// let hierarchy = Finch::new().fit_graph(neighbors, run)?;
    /// assert_eq!(hierarchy.cluster_counts(), [3]);
    /// let two = Refine::new(2).run_without_samples(&hierarchy, run)?;
    /// assert_eq!(two.clusters(), 2);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// [`LinkBound::JoinedPair`](crate::LinkBound::JoinedPair) needs the distance of any two samples with the
    /// same first neighbour, from either row.
    ///
    /// # Errors
    /// [`Error::UnknownPair`](crate::Error::UnknownPair) for such a pair that is not in the table;
    /// [`Error::Threads`](crate::Error::Threads), [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    /// [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn fit_graph(&self, neighbors: Neighbors, run: &mut Run<'_>) -> Result<Hierarchy> {
        let samples = neighbors.samples();
        run.operate(samples, |run| {
            let neighbors = neighbors.given_by_caller();
            let first = neighbors.first();
            let ties = run.install(|| ties_of_table(&neighbors, None))?;
            let bound = self.bound_of_links().longest(&first, || {
                run.install(|| joined_pair::longest_of_graph(&neighbors, &first))?
            })?;
            let mut before = None;
            let mut hierarchy =
                self.grow([samples, 0], first, None, bound, None, |partitions| {
                    let (stage, parts) =
                        (stage_of(partitions.len()), SumsOfKnown::parts(partitions));
                    let (sums, nearest) = run.stage(stage, parts, |meter| {
                        let sums = SumsOfKnown::of(&neighbors, before.take(), partitions, meter);
                        let nearest = sums.nearest();
                        (sums, nearest)
                    })?;
                    before = Some(sums);
                    Ok(nearest)
                })?;
            hierarchy.neighbors = Some(neighbors);
            Ok(Hierarchy { ties: share_of_ties(&ties, None), ..hierarchy })
        })
    }

    /// Clusters N samples of which the distances of all pairs are known, N × N: any measure of how far
    /// apart two samples are, from 0 to 10²⁸⁰, whether or not a triangle inequality holds.
    ///
    /// The first partition is that of the paper, equal distances going to the smaller number. Later
    /// levels differ from the paper, which compares the means of the samples of clusters: here the
    /// distance of two clusters is the mean distance of all pairs of a sample of one and a sample of the
    /// other (average linkage, of first neighbours).
    ///
    /// The matrix has to be symmetric, and 0 on its diagonal, but for rounding: 10⁻¹² of the largest
    /// distance, or 10⁻⁶ where all distances are numbers of 32 bits, as those of float32 are that were
    /// converted. A distance that rounding has made less than 0 counts as 0.
    /// The matrix is not copied: beside it there are C × C sums for the C clusters of the first
    /// partition, at most a quarter of its size. The hierarchy keeps as many neighbours as
    /// [`Finch::keep_neighbors`] asks for, and no fewer than neighbour linkage looks at
    /// ([`Linkage::neighbors`]), so that
    /// [`Refine::run_without_samples`](crate::Refine::run_without_samples) and
    /// [`Hierarchy::suggest_without_samples`] need no distances. [`Finch::metric`] says what the distances
    /// are to these two, as in [`Finch::fit_graph`].
    ///
    /// ```
    /// use finch_core::{Finch, Run};
    /// use ndarray::array;
    ///
    /// let distances = array![[0.0, 1.0, 7.0, 9.0], [1.0, 0.0, 8.0, 9.0], [7.0, 8.0, 0.0, 2.0], [9.0, 9.0, 2.0, 0.0]];
    /// let hierarchy = Finch::new().fit_distances(distances.view(), &mut Run::new())?;
    /// assert_eq!(hierarchy.finest().labels(), [0, 0, 1, 1]);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::NoSamples`](crate::Error::NoSamples), [`Error::Shape`](crate::Error::Shape): the
    ///   matrix is empty, or not square. [`Error::TooManySamples`](crate::Error::TooManySamples).
    /// - [`Error::InvalidDistance`](crate::Error::InvalidDistance): a distance that is not finite, is
    ///   negative or above 10²⁸⁰, is not 0 on the diagonal, or differs from its mirror image.
    /// - [`Error::Threads`](crate::Error::Threads), [`Error::OutOfMemory`](crate::Error::OutOfMemory),
    ///   [`Error::Cancelled`](crate::Error::Cancelled).
    pub fn fit_distances(
        &self,
        distances: ArrayView2<'_, f64>,
        run: &mut Run<'_>,
    ) -> Result<Hierarchy> {
        let distances = Distances::square(distances)?;
        let samples = distances.samples();
        run.operate(samples, |run| {
            let linked = Linkage::Neighbor.neighbors(samples);
            let k = self.neighbors_to_keep(samples).max(linked);
            // To check a row, and to search it.
            let parts = 2 * (samples as u64).pow(2);
            let neighbors = run.stage(stage_of(0), parts, |meter| {
                distances.check(meter)?;
                Ok(distances.nearest(k, meter))
            })??;
            let first = neighbors.first();
            let ties = run.install(|| ties_of_table(&neighbors, None))?;
            let bound = self.bound_of_links().longest(&first, || {
                let pairs = run.install(|| joined_pair::pairs(&first))?;
                run.stage(Stage::Bound, pairs, |meter| {
                    joined_pair::longest_of_known(&distances, &first, meter)
                })
            })?;
            let mut before = None;
            let grown =
                self.grow([samples, 0], first, None, bound, Some(neighbors), |partitions| {
                    let (stage, parts) = (stage_of(partitions.len()), SumsOfAll::parts(partitions));
                    let (sums, nearest) = run.stage(stage, parts, |meter| {
                        let sums = SumsOfAll::of(&distances, before.take(), partitions, meter);
                        let nearest = sums.nearest();
                        (sums, nearest)
                    })?;
                    before = Some(sums);
                    Ok(nearest)
                })?;
            Ok(Hierarchy { ties: share_of_ties(&ties, None), ..grown })
        })
    }
}

fn stage_of(level: usize) -> Stage {
    Stage::Neighbors { level }
}
