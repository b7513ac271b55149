//! A hierarchy extended by more samples, and what the hierarchy of the first samples leaves to it.

use std::iter;

use ndarray::ArrayView2;

use super::Finch;
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::neighbors::{Choice, FirstNeighbors, Known};
use crate::partition::Partition;
use crate::run::Run;
use crate::samples::AnySamples;
use crate::samples::weights::Weights;
use crate::support::memory::{caught, filled, gathered, room};

impl Finch {
    /// Clusters samples of which the first N were clustered before: with the same options, the result
    /// is what [`Finch::fit`] gives for all N + M samples, bit for bit, where searches are exact. Of
    /// the first level, the part that takes longest, only pairs with a new sample are compared:
    /// N·M + M² / 2 in place of (N + M)² / 2. Of later levels, only pairs of means are, of which one is
    /// that of a cluster that has changed, or whose nearest mean was; but all of a hierarchy that comes
    /// from a file, which has not kept the neighbours of means. Not in the paper.
    ///
    /// `samples` are all N + M samples (× d features), those of `hierarchy` first. The metric is that
    /// of the hierarchy, whatever [`Finch::metric`] says. Neighbours that the hierarchy has kept are
    /// extended, too, where it has kept as many as are asked for; otherwise, and where the caller gave
    /// first neighbours, all samples are searched anew. Where an approximate search found the
    /// neighbours of the first samples, what it missed stays missed, and new samples are compared
    /// with all, exactly.
    ///
    /// If the first samples have weights, they keep them, and new samples weigh 1.
    ///
    /// To keep the names that clusters had, see [`Partition::named_after`](crate::Partition::named_after).
    ///
    /// ```
    /// use finch_core::{Finch, Run, Samples};
    /// use ndarray::{array, s};
    ///
    /// let points = array![[0.0], [1.0], [10.0], [11.0], [0.5], [30.0], [31.0]];
    /// let before = Samples::new(points.slice(s![..4, ..]))?;
    /// let hierarchy = Finch::new().fit(&before)?;
    /// let all = Samples::new(points.view())?;
    /// let extended = Finch::new().extend(&hierarchy, &all, &mut Run::new())?;
    /// assert_eq!(extended, Finch::new().fit(&all)?);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SampleCount`] for fewer samples than the hierarchy has, [`Error::FeatureCount`] for
    /// another number of features, [`Error::InvalidTimes`] for a hierarchy that was made with times, and those
    /// of [`Finch::fit_with`].
    pub fn extend<'s>(
        &self,
        hierarchy: &Hierarchy,
        samples: impl Into<AnySamples<'s>>,
        run: &mut Run<'_>,
    ) -> Result<Hierarchy> {
        let samples = samples.into();
        match hierarchy.weights() {
            None => self.extend_by(hierarchy, samples, None, run),
            Some(weights) => {
                let all = weights.iter().copied().chain(iter::repeat(1.0)).take(samples.len());
                let all: Vec<f64> = caught(|| Ok(gathered(all)))?;
                self.extend_by(hierarchy, samples, Some(&all), run)
            }
        }
    }

    /// [`Finch::extend`], as [`Finch::fit_weighted`] clusters: all N + M samples have weights, which
    /// need not be those that the first N samples had.
    ///
    /// # Errors
    /// The errors of [`Finch::extend`] and of [`Finch::fit_weighted`].
    pub fn extend_weighted<'s>(
        &self,
        hierarchy: &Hierarchy,
        samples: impl Into<AnySamples<'s>>,
        weights: &[f64],
        run: &mut Run<'_>,
    ) -> Result<Hierarchy> {
        self.extend_by(hierarchy, samples.into(), Some(weights), run)
    }

    fn extend_by(
        &self,
        hierarchy: &Hierarchy,
        samples: AnySamples<'_>,
        weights: Option<&[f64]>,
        run: &mut Run<'_>,
    ) -> Result<Hierarchy> {
        hierarchy.expect_untimed("extending a hierarchy")?;
        let (expected, found) = (hierarchy.samples(), samples.len());
        if found < expected {
            return Err(Error::SampleCount { expected, found });
        }
        let (expected, found) = (hierarchy.features(), samples.features());
        if found != expected {
            return Err(Error::FeatureCount { expected, found });
        }
        run.operate(samples.len(), |run| {
            let weights =
                weights.map(|weights| Weights::new(weights, samples.len())).transpose()?;
            let this = self.metric(hierarchy.metric());
            this.cluster(samples, weights, Some(&Former::new(hierarchy)), run)
        })
    }
}

/// A hierarchy of the first samples.
pub(crate) struct Former<'a> {
    hierarchy: &'a Hierarchy,
    /// The neighbours of the first samples; `None` for a single sample, which has none, and where the
    /// caller gave them, of which nobody knows what they are.
    pub(crate) known: Option<Known<'a>>,
}

impl<'a> Former<'a> {
    pub(crate) fn new(hierarchy: &'a Hierarchy) -> Self {
        let first = hierarchy.first_neighbors();
        let choice = first.choice().filter(|_| !first.index().is_empty());
        let known = choice.map(|choice| match hierarchy.neighbors() {
            Some(kept) => Known { rows: None, index: kept.index(), choice },
            None => Known { rows: None, index: column(first.index()), choice },
        });
        Self { hierarchy, known }
    }

    /// The clusters of the last of some partitions that the partition of the hierarchy has, too, and so
    /// with the same mean, and whose nearest mean is that of such a cluster. `None` where nothing is
    /// known of the means.
    pub(crate) fn unchanged(
        &self,
        weights: Option<&Weights>,
        partitions: &[Partition],
    ) -> Option<Unchanged> {
        let number = partitions.len() - 1;
        let first = self.hierarchy.neighbors_of_means(number)?;
        let choice = first.choice().filter(|choice| choice.exact())?;
        let partition = self.hierarchy.partitions().get(number)?;
        let of_before = weights.map(|weights| &weights.as_slice()[..partition.samples()]);
        let found = Unchanged::of([partition, &partitions[number]], first, choice);
        (self.hierarchy.weights() == of_before && !first.index().is_empty()).then_some(found)
    }
}

/// Clusters that are what they were, and their first neighbours among each other.
pub(crate) struct Unchanged {
    clusters: Vec<u32>,
    first: Vec<u32>,
    choice: Choice,
}

impl Unchanged {
    /// Clusters are numbered by first appearance, so that those that are what they were are in the same
    /// order as before: of equally near means the same one is the first neighbour.
    fn of([before, now]: [&Partition; 2], first: &FirstNeighbors, choice: Choice) -> Self {
        const OTHER: u32 = u32::MAX;
        // For each cluster of now, the cluster that all of its samples were in.
        let mut former = filled(OTHER, now.clusters());
        let mut seen = filled(false, now.clusters());
        let old = before.labels().iter().copied().chain(std::iter::repeat(OTHER));
        for (&label, old) in now.labels().iter().zip(old) {
            let (former, seen) = (&mut former[label as usize], &mut seen[label as usize]);
            *former = if *seen && *former != old { OTHER } else { old };
            *seen = true;
        }
        let (before_sizes, sizes) = (before.cluster_sizes(), now.cluster_sizes());
        // For each cluster of before, the cluster of now that is the same.
        let mut same = filled(OTHER, before.clusters());
        for ((cluster, &former), &size) in (0..).zip(&former).zip(&sizes) {
            if former != OTHER && before_sizes[former as usize] == size {
                same[former as usize] = cluster;
            }
        }
        let pairs = same.iter().zip(first.index());
        let now = |first: u32| same.get(first as usize).copied().unwrap_or(OTHER);
        let pairs = pairs.map(|(&cluster, &first)| (cluster, now(first)));
        let kept: Vec<(u32, u32)> =
            gathered(pairs.filter(|&(cluster, first)| cluster != OTHER && first != OTHER));
        let (mut clusters, mut first) = (room(kept.len()), room(kept.len()));
        clusters.extend(kept.iter().map(|pair| pair.0));
        first.extend(kept.iter().map(|pair| pair.1));
        Self { clusters, first, choice }
    }

    pub(crate) fn known(&self) -> Known<'_> {
        Known { rows: Some(&self.clusters), index: column(&self.first), choice: self.choice }
    }
}

fn column(numbers: &[u32]) -> ArrayView2<'_, u32> {
    ArrayView2::from_shape((numbers.len(), 1), numbers).expect("one in each row")
}
