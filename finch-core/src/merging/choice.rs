//! The choice between neighbour linkage and means, for exactly K clusters.
//!
//! Neighbour linkage follows clusters of any shape, and loses where noise in many dimensions moves a sample's neighbours
//! farther away than the mean of its cluster is: a mean is of many samples, and its noise cancels. Two measures tell
//! that without knowing classes ([`Linkage::Auto`]):
//!
//! - the mean square of the distance to the h-th neighbour, h = ⌈log₂ N⌉, over that to the mean of the cluster. It
//!   is nearly 2 for a Gaussian in many dimensions, where all samples are about equally far from each other, and less
//!   than 1 on a surface of few dimensions;
//! - the agreement of the clusters of two overlapping parts of the samples, in what they share, by each linkage.
//!
//! Either alone fails. Texts as counts of words have far neighbours, and there neighbour linkage has up to 20 points
//! more than means, whose clusters do not come back. On handwritten digits they come back, and are wrong.
//! `benches/linkage.md` has the figures, of the sets that the rule was chosen on, and of others.

use super::by_means::mean_square;
use super::refine::Refine;
use crate::error::Result;
use crate::fit::Finch;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::linkage::Linkage;
use crate::partition::Partition;
use crate::run::Run;
use crate::samples::AnySamples;
use crate::samples::metric::Metric;
use crate::samples::owned::OwnedSamples;
use crate::score::Contingency;
use crate::score::measures::Average;
use crate::support::memory::{collected, gathered};
use crate::support::random::scrambled;

/// The fewest samples of which parts are clustered.
const FEWEST: usize = 500;
/// The fewest samples for each cluster.
const FEWEST_OF_CLUSTER: usize = 40;
/// The most samples that parts are drawn from, where there are few clusters.
const MOST: usize = 4000;
/// The samples for each cluster that parts are drawn from, where there are many.
const OF_CLUSTER: usize = 50;
/// The number of times that two parts are drawn.
const DRAWS: u64 = 2;
/// The normalised mutual information by which clusters by means have to come back more surely.
const MARGIN: f64 = 0.05;

impl Refine<'_> {
    /// True if means are looked at beside neighbour linkage.
    pub(super) fn is_open(&self, hierarchy: &Hierarchy) -> bool {
        let (clusters, samples) = (self.clusters(), hierarchy.samples());
        let is_plain = hierarchy.checked_weights().is_none()
            && hierarchy.timeline().is_none()
            && hierarchy.query().time_limit.is_none()
            && hierarchy.first_neighbors().search().is_some();
        self.is_free()
            && clusters > 1
            && samples >= usize::max(FEWEST, FEWEST_OF_CLUSTER * clusters)
            && matches!(hierarchy.metric(), Metric::Euclidean | Metric::Cosine)
            && is_plain
    }

    /// True if means tell clusters better than neighbour linkage, which made `linked`.
    pub(super) fn prefers_means(
        &self,
        samples: &AnySamples<'_>,
        metric: Metric,
        linked: &Partition,
        reach: f64,
        run: &mut Run<'_>,
    ) -> Result<bool> {
        let to_means = run.between(|_| mean_square(samples, linked, metric))?;
        if reach <= to_means {
            return Ok(false);
        }
        for draw in 0..DRAWS {
            let gain = self.gain_of_means(samples, metric, draw, run)?;
            if gain.is_none_or(|gain| gain <= MARGIN) {
                return Ok(false);
            }
        }
        Ok(true)
    }

    /// The normalised mutual information of the clusters of two overlapping parts, by means less by neighbour
    /// linkage; `None` if a part has too few clusters.
    fn gain_of_means(
        &self,
        samples: &AnySamples<'_>,
        metric: Metric,
        draw: u64,
        run: &mut Run<'_>,
    ) -> Result<Option<f64>> {
        let most = usize::max(MOST, OF_CLUSTER * self.clusters());
        let (parts, shared) = run.install(|| parts(samples.len(), most, draw))?;
        let mut labels = [const { Vec::new() }; 4];
        for (at, rows) in parts.iter().enumerate() {
            let part = run.install(|| OwnedSamples::selected(samples.reborrow(), rows))?;
            let finch = Finch::new().metric(metric).refinable(Linkage::Neighbor);
            let hierarchy = finch.cluster(part.samples(), None, None, run)?;
            if hierarchy.finest().clusters() < self.clusters() {
                return Ok(None);
            }
            for (of, linkage) in [Linkage::Neighbor, Linkage::Means].into_iter().enumerate() {
                let refine = Refine::new(self.clusters()).linkage(linkage);
                let merged = refine.merged(Some(part.samples()), &hierarchy, run)?.partition()?;
                let at_shared = |row: &u32| rows.binary_search(row).ok();
                let places = shared.iter().filter_map(at_shared);
                labels[2 * of + at] = gathered(places.map(|place| merged.labels()[place]));
            }
        }
        let agreement = |of: usize| {
            let counts = Contingency::counted(&labels[2 * of], &labels[2 * of + 1], None)?;
            Ok(counts.nmi(Average::Arithmetic))
        };
        Ok(Some(agreement(1)? - agreement(0)?))
    }
}

/// Three quarters of the samples each, at most, and what is in both: from a random order the first three quarters,
/// and the last. Their numbers rise.
fn parts(samples: usize, most: usize, draw: u64) -> ([Vec<u32>; 2], Vec<u32>) {
    let mut order: Vec<u32> = collected(0..samples as u32);
    order.sort_unstable_by_key(|&row| scrambled((draw << 32) | u64::from(row)));
    order.truncate(most);
    let quarter = order.len() / 4;
    let rising = |rows: &[u32]| {
        let mut rows = collected(rows.iter().copied());
        rows.sort_unstable();
        rows
    };
    let (first, last) = (&order[..order.len() - quarter], &order[quarter..]);
    ([rising(first), rising(last)], rising(&order[quarter..order.len() - quarter]))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn two_parts_share_half_of_what_is_drawn() {
        let (parts, shared) = parts(1000, 400, 1);
        assert_eq!(parts.each_ref().map(Vec::len), [300, 300]);
        assert_eq!(shared.len(), 200);
        for rows in parts.iter().chain([&shared]) {
            assert!(rows.is_sorted() && rows.windows(2).all(|pair| pair[0] < pair[1]));
            assert!(rows.iter().any(|&row| row < 100) && rows.iter().any(|&row| row >= 900));
        }
        assert!(shared.iter().all(|row| parts.iter().all(|part| part.binary_search(row).is_ok())));
        assert_ne!(parts[0], super::parts(1000, 400, 0).0[0]);
    }
}
