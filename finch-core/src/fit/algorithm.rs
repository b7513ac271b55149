//! Algorithm 1: first neighbours, components, means of these, and so again.

use super::components::components;
use super::extend::Former;
use super::{Finch, joined_pair};
use crate::error::Result;
use crate::hierarchy::link_bound::LinkBound;
use crate::hierarchy::{Hierarchy, Level, Weighted};
use crate::neighbors::copies::links_of_copies;
use crate::neighbors::{FirstNeighbors, Neighbors, Searcher, share_of_ties, ties_of_table};
use crate::partition::Partition;
use crate::partition::means::LevelMeans;
use crate::partition::undirected::{ZeroRows, directed_means, zero_rows_of};
use crate::run::Run;
use crate::run::progress::Stage;
use crate::samples::AnySamples;
use crate::samples::comparable::with_keyed;
use crate::samples::weights::Weights;
use crate::support::memory::push;

impl Finch {
    /// The loop of Algorithm 1, from the first neighbours of the samples on. Where samples are linked by other
    /// neighbours than their nearest, these are the `links`.
    ///
    /// `nearest_of_means` gives the first neighbour of the mean of each cluster of the newest partition. Links of
    /// clusters that are longer than `bound` do not count; the paper has no bound, and so infinity.
    pub(crate) fn grow(
        &self,
        [samples, features]: [usize; 2],
        nearest: FirstNeighbors,
        links: Option<&FirstNeighbors>,
        bound: f64,
        kept: Option<Neighbors>,
        mut nearest_of_means: impl FnMut(&[Partition]) -> Result<FirstNeighbors>,
    ) -> Result<Hierarchy> {
        let linked = links.unwrap_or(&nearest);
        let mut partitions = vec![components(samples, linked.links(f64::INFINITY))];
        let mut levels = vec![Level { samples, choice: nearest.choice() }];
        let mut of_means = Vec::new();
        loop {
            let nearest = nearest_of_means(&partitions)?;
            let newest = &partitions[partitions.len() - 1];
            let clusters = newest.clusters();
            let merged = components(clusters, nearest.links(bound));
            levels.push(Level { samples: clusters, choice: nearest.choice() });
            push(&mut of_means, nearest);
            // One cluster is left; or, under a bound, no link that counts.
            if merged.clusters() == 1 || merged.clusters() == clusters {
                break;
            }
            partitions.push(newest.coarsened(&merged));
        }
        let hierarchy = Hierarchy::new(partitions, nearest, levels, self.query(), features);
        Ok(Hierarchy { neighbors: kept, of_means, link_bound: self.link_bound, ..hierarchy })
    }

    /// The search of the samples' neighbours, and the loop of Algorithm 1. The first samples may have been
    /// clustered before.
    pub(crate) fn cluster(
        &self,
        samples: AnySamples<'_>,
        weights: Option<Weights>,
        before: Option<&Former<'_>>,
        run: &mut Run<'_>,
    ) -> Result<Hierarchy> {
        let mut searcher = self.searcher(run);
        searcher.ties = Some(Vec::new());
        let copies = weights.as_ref().map_or(samples.len(), |weights| weights.copies() as usize);
        let kept = self.neighbors_to_keep(copies);
        let k = kept.max(1).min(samples.len() - 1);
        let known = before.and_then(|before| before.known);
        let found = match known.filter(|known| known.index.ncols() >= k) {
            Some(known) => searcher.extended(samples, k, 0, known)?,
            None => searcher.nearest(samples, k, 0)?,
        };
        let ties = match found.k() {
            ..2 => searcher.ties.take().unwrap_or_default(),
            _ => searcher.run.install(|| ties_of_table(&found, Some(samples.reborrow())))?,
        };
        let ties = share_of_ties(&ties, weights.as_ref());
        let (nearest, kept) = match kept {
            0 => (found.into_first(), None),
            _ => (found.first(), Some(found)),
        };
        let Some(weights) = weights else {
            let grown = self.grow_by_means(samples, None, nearest, kept, before, &mut searcher)?;
            return Ok(Hierarchy { ties, ..grown });
        };
        let links = searcher.run.install(
            || with_keyed!(samples, self.metric, rows => links_of_copies(rows, &weights, &nearest)),
        )?;
        let weighted = Weighted { weights, links };
        let hierarchy =
            self.grow_by_means(samples, Some(&weighted), nearest, kept, before, &mut searcher)?;
        Ok(Hierarchy { weighted: Some(weighted), ties, ..hierarchy })
    }

    /// [`Finch::grow`] by the means of the clusters.
    pub(crate) fn grow_by_means(
        &self,
        samples: AnySamples<'_>,
        weighted: Option<&Weighted>,
        nearest: FirstNeighbors,
        kept: Option<Neighbors>,
        before: Option<&Former<'_>>,
        searcher: &mut Searcher<'_, '_>,
    ) -> Result<Hierarchy> {
        let shape = [samples.len(), samples.features()];
        let weights = weighted.map(|weighted| &weighted.weights);
        let links = weighted.map(|weighted| &weighted.links);
        let bound = self.bound(samples.reborrow(), links.unwrap_or(&nearest), searcher.run)?;
        let mut levels = LevelMeans::default();
        let zero_rows = searcher.run.install(|| ZeroRows::of(&samples, self.metric))?;
        let hierarchy = self.grow(shape, nearest, links, bound, kept, |partitions| {
            if partitions.last().is_some_and(|newest| newest.clusters() == 1) {
                return Ok(searcher.first_of_one());
            }
            let means = searcher.run.between(|meter| {
                directed_means(&mut levels, &samples, weights, partitions, self.metric, meter)
            })?;
            let (means, level) = (means.samples(), partitions.len());
            let unchanged = before.and_then(|before| before.unchanged(weights, partitions));
            let found = match &unchanged {
                None => searcher.first(means.reborrow(), level),
                Some(found) => {
                    let found = searcher.extended(means.reborrow(), 1, level, found.known());
                    found.map(Neighbors::into_first)
                }
            };
            Ok(found?.unlinked(&zero_rows_of(&means, self.metric)))
        })?;
        Ok(Hierarchy { zero_rows, ..hierarchy })
    }

    /// The longest link that may merge clusters of samples that have these links.
    fn bound(
        &self,
        samples: AnySamples<'_>,
        links: &FirstNeighbors,
        run: &mut Run<'_>,
    ) -> Result<f64> {
        self.link_bound.longest(links, || {
            let features = samples.features();
            let pairs = run.install(|| joined_pair::pairs(links))?;
            run.stage(Stage::Bound, pairs, |meter| {
                with_keyed!(samples, self.metric, rows => {
                    joined_pair::longest(rows, features, links, meter)
                })
            })
        })
    }

    /// The links that may merge clusters.
    pub(crate) fn bound_of_links(&self) -> LinkBound {
        self.link_bound
    }

    /// The number of neighbours of each of N samples to keep.
    pub(crate) fn neighbors_to_keep(&self, samples: usize) -> usize {
        let linked = self.refinable.map_or(0, |linkage| linkage.neighbors(samples));
        self.keep_neighbors.max(linked)
    }
}
