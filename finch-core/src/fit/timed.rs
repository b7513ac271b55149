//! Clustering samples that have time stamps.

use super::{Finch, joined_pair};
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::neighbors::{Query, Search, Searcher};
use crate::partition::means::LevelMeans;
use crate::partition::times::{Timeline, Times, order};
use crate::partition::undirected::{ZeroRows, directed_means, zero_rows_of};
use crate::run::Run;
use crate::run::progress::Stage;
use crate::samples::AnySamples;
use crate::samples::rows::Rows;

impl Finch {
    /// Clusters N samples × d features that have time stamps, such as the frames of a video or the lines
    /// of a log: TW-FINCH (Sarfraz, Murray, Sharma, Diba, Van Gool, Stiefelhagen, *Temporally-Weighted
    /// Hierarchical Clustering for Unsupervised Action Segmentation*, CVPR 2021).
    ///
    /// The distance of two samples i and j is d(xᵢ, xⱼ)·|tᵢ − tⱼ| / T, d being that of [`Finch::metric`]
    /// and T the time from the first stamp to the last; that of two clusters is that of their means and
    /// mean stamps. All else is Algorithm 1. The paper's d is 1 − cos ([`Metric::Cosine`]), and
    /// its stamps are 1 to N. Of equal weighted distances, as those of all samples of one stamp are, the
    /// smaller d counts, then the smaller number (not in the paper). If all stamps are equal, time tells
    /// nothing, and clusters are those of [`Finch::fit`].
    ///
    /// With [`Times::contiguous`] the neighbours of a sample are the one before and the one after in the
    /// order of time (of equal stamps in that of samples), and those of a cluster likewise, so that each
    /// cluster is a segment of time. Not in the paper.
    ///
    /// [`Refine`](crate::Refine) makes exactly K clusters by the same distance, as the paper does: it
    /// merges the two clusters with the closest means ([`Linkage::Centroid`], and
    /// [`Linkage::Neighbor`] likewise, as no k nearest neighbours are kept), or by [`Linkage::Ward`] on
    /// weighted distances; segments with segments beside. [`Hierarchy::first_neighbors`] tells weighted
    /// distances, in the metric's unit.
    ///
    /// The result is exact for any N, and no N × N matrix is made: the nearest samples by d alone are
    /// searched first, and bound how far in time the neighbours can be. [`Finch::recall`] and
    /// [`Finch::time_limit`] change nothing.
    ///
    /// See [`Times`] for an example.
    ///
    /// [`Metric::Cosine`]: crate::Metric::Cosine
    /// [`Linkage::Centroid`]: crate::Linkage::Centroid
    /// [`Linkage::Neighbor`]: crate::Linkage::Neighbor
    /// [`Linkage::Ward`]: crate::Linkage::Ward
    ///
    /// # Errors
    /// [`Error::SampleCount`] unless there are N stamps, [`Error::InvalidTimes`] for a stamp that is not
    /// finite or beyond ±10¹⁴⁰, [`Error::NeedsDense`] for sparse samples, [`Error::UnsupportedSearch`]
    /// for [`Search::Approximate`]; those of [`Finch::fit_with`].
    pub fn fit_timed<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        times: Times<'_>,
        run: &mut Run<'_>,
    ) -> Result<Hierarchy> {
        let samples = samples.into();
        if self.query().search == Search::Approximate {
            let (search, reason) =
                (Search::Approximate.name(), "distances that time weights are searched exactly");
            return Err(Error::UnsupportedSearch { search, reason });
        }
        run.operate(samples.len(), |run| {
            let timeline = Timeline::new(times, samples.len())?;
            samples.expect_metric(self.query().metric)?;
            let query = Query { recall: 1.0, time_limit: None, ..self.query() };
            let mut searcher = Searcher::new(query, run);
            let nearest = match timeline.is_contiguous() {
                false => searcher.first_in_time(samples, timeline.times(), 0)?,
                true => {
                    let order = searcher.run.install(|| order(timeline.times()))?;
                    searcher.first_beside(samples, timeline.times(), &order)?
                }
            };
            let bound = self.bound_of_links().longest(&nearest, || {
                let matrix = samples.dense("clustering with times")?;
                let pairs = searcher.run.install(|| joined_pair::pairs(&nearest))?;
                searcher.run.stage(Stage::Bound, pairs, |meter| {
                    let rows = Rows::new(matrix, query.metric);
                    joined_pair::longest_in_time(&rows, timeline.times(), &nearest, meter)
                })
            })?;
            let mut levels = LevelMeans::default();
            let shape = [samples.len(), samples.features()];
            let zero_rows = searcher.run.install(|| ZeroRows::of(&samples, query.metric))?;
            let hierarchy = self.grow(shape, nearest, None, bound, None, |partitions| {
                let level = partitions.len();
                let partition = &partitions[level - 1];
                let means = searcher.run.between(|meter| {
                    directed_means(&mut levels, &samples, None, partitions, query.metric, meter)
                })?;
                let means = means.samples();
                let zero_rows = zero_rows_of(&means, query.metric);
                let times = timeline.means(partition);
                let found = match timeline.is_contiguous() {
                    false => searcher.first_in_time(means, &times, level),
                    true => {
                        let segments = searcher.run.install(|| timeline.segments(partition))?;
                        searcher.first_beside(means, &times, &segments)
                    }
                };
                Ok(found?.unlinked(&zero_rows))
            })?;
            Ok(Hierarchy { timeline: Some(timeline), zero_rows, ..hierarchy })
        })
    }
}

#[cfg(test)]
mod tests;
