//! The outlier score of each sample, by the distances that neighbour linkage looks at.

use std::borrow::Cow;

use ndarray::{ArrayView2, Axis, Slice};
use rayon::prelude::*;

use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::hierarchy::linkage::twice_the_logarithm;
use crate::merging::by_links::neighbors_to_link;
use crate::merging::by_links::places::Places;
use crate::neighbors::copies::nearest_copies;
use crate::neighbors::{FirstNeighbors, Neighbors};
use crate::run::Run;
use crate::run::progress::Stage;
use crate::samples::AnySamples;
use crate::samples::comparable::with_keyed;
use crate::samples::metric::Metric;
use crate::samples::weights::Weights;
use crate::support::memory::{collected, collected_in_parallel, filled};
use crate::support::repeated_sum::added;

impl Hierarchy {
    /// The outlier score of each of the N samples (× d features) that the hierarchy was made from: N
    /// numbers from 0 to 1. Not in the paper.
    ///
    /// Let N(i) be sample i and its k nearest, k = ⌈2·log₂ N⌉ or N/4 where that is less, and r(i) the
    /// distance to the k-th nearest: the denser it is around i, the smaller. From i go to the sample of
    /// N(i) with the smallest r (of equals the first), from there again, until a sample is the densest
    /// of its own neighbours, the *peak* p(i) of i. The score is
    ///
    /// 1 − mean of r(p(j)) over j in N(i) / r(i), but at least 0.
    ///
    /// A score of 1/2 says that the neighbours of i are twice as far as those of the samples at the
    /// hearts of the clusters around i. Samples amid a cluster are near 0. As only densities of one
    /// neighbourhood are compared, clusters of different densities do not disturb each other; the
    /// samples of a small group of up to k are outliers, too. Under cosine r is the root of the
    /// distance, so that scores are those of the normalised samples under Euclidean. Where the k nearest
    /// are all equal to i, r(i) is half the distance to the nearest sample that is not: copies of a
    /// rounded sample may be anywhere around it, as far as that. A sample to which the caller brought no
    /// neighbour scores 1.
    ///
    /// Of samples clustered with weights ([`Finch::fit_weighted`](crate::Finch::fit_weighted)) the score is that of a
    /// copy: N is the number of copies, the k nearest are copies, first the others of its own sample, and the mean
    /// is weighted by the weights of copies. So whole weights give the scores of repeated rows.
    ///
    /// The score has no parameter. It is related to the local outlier factor (Breunig et al. 2000),
    /// which compares with neighbours, not with peaks, and to GLOSH (Campello et al. 2015), which
    /// compares with the densest sample of a whole cluster of HDBSCAN's; `benches/outliers.md`
    /// compares all three.
    ///
    /// Neighbours that the hierarchy has kept ([`Finch::refinable`](crate::Finch::refinable), for 1,024
    /// samples or more) are used; others are searched, which takes longer than all else. The score of a
    /// single sample is 0.
    ///
    /// ```
    /// use finch_core::{Finch, Linkage, Run, Samples};
    /// use ndarray::Array2;
    ///
    /// // 60 samples in a row, and one beside it.
    /// let row = Array2::from_shape_fn((61, 2), |(sample, feature)| match (sample, feature) {
    ///     (60, _) => 30.0,
    ///     (_, 0) => sample as f64,
    ///     _ => 0.0,
    /// });
    /// let samples = Samples::new(row.view())?;
    /// let hierarchy = Finch::new().refinable(Linkage::Neighbor).fit(&samples)?;
    /// let scores = hierarchy.outlier_scores(&samples, &mut Run::new())?;
    /// assert!(scores[60] > 0.7);
    /// assert!(scores[10..50].iter().all(|&score| score < 0.1));
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SampleCount`](crate::Error::SampleCount),
    /// [`Error::FeatureCount`](crate::Error::FeatureCount): the hierarchy was made from another
    /// number of samples, or of features. [`Error::Threads`](crate::Error::Threads),
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory), and
    /// [`Error::Cancelled`](crate::Error::Cancelled) if the callback stopped the run.
    pub fn outlier_scores<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        run: &mut Run<'_>,
    ) -> Result<Vec<f64>> {
        let samples = samples.into();
        self.expect_samples(samples)?;
        run.operate(samples.len(), |run| self.scores_of_outliers(Some(samples), run))
    }

    /// [`Hierarchy::outlier_scores`] within an operation; without samples by the neighbours that are kept.
    pub(crate) fn scores_of_outliers(
        &self,
        samples: Option<AnySamples<'_>>,
        run: &mut Run<'_>,
    ) -> Result<Vec<f64>> {
        let weights = self.checked_weights();
        let copies = weights.map_or(self.samples(), |weights| weights.copies() as usize);
        let k = around(copies);
        let neighbors = neighbors_to_link(samples, self, k, run)?;
        let near = match (weights, samples) {
            (Some(weights), Some(samples)) if k > 0 => Cow::Owned(run.install(|| {
                with_keyed!(samples, self.metric(), rows => nearest_copies(rows, weights, &neighbors, k))
            })?),
            // Where there are no samples, there are no weights.
            _ => Cow::Borrowed(&*neighbors),
        };
        let k = k.min(near.k());
        if k == 0 {
            return Ok(filled(0.0, self.samples()));
        }
        let mut radii = run.install(|| radii(&near, k, self.metric(), weights))?;
        if radii.contains(&0.0) {
            let is_short = |sample: usize| near.count(sample) < k;
            self.widen(&mut radii, &neighbors.first(), is_short, samples, run)?;
        }
        let nearest = near.index().slice_axis_move(Axis(1), Slice::from(..k));
        run.stage(Stage::Describe, 1, |_| scores(nearest, &radii, weights))
    }
}

impl Hierarchy {
    /// Gives samples whose k nearest are equal to them half the length to the nearest other place: their
    /// copies may be anywhere in the cell that ends there. Under cosine zero rows have no other place: they are
    /// far out where they are fewer than k.
    fn widen(
        &self,
        radii: &mut [f64],
        first: &FirstNeighbors,
        is_short: impl Fn(usize) -> bool,
        samples: Option<AnySamples<'_>>,
        run: &mut Run<'_>,
    ) -> Result<()> {
        // A sample whose copies are each other's first neighbours is linked to no sample, as its copies are.
        let links = self.weighted.as_ref().map_or(first, |weighted| &weighted.links);
        let places = Places::of(links, None, self.samples(), &[]);
        let found = match places.len() {
            1 => return Ok(()),
            // Weights alone repeat samples: each is a place.
            all if all == self.samples() => None,
            // Without samples the kept neighbours may tell of too few places what is around them.
            _ => match places.nearest(samples, self, 1, run)? {
                None => return Ok(()),
                found => found,
            },
        };
        for (sample, (radius, &place)) in radii.iter_mut().zip(places.labels()).enumerate() {
            let apart = match &found {
                Some(found) => found.distance()[[place as usize, 0]],
                None => first.distance()[sample],
            };
            if *radius == 0.0 && (apart < f64::INFINITY || is_short(sample)) {
                *radius = self.metric().length(apart) / 2.0;
            }
        }
        Ok(())
    }
}

/// The number of nearest of each of N samples that are around it. Neighbour linkage looks at as many
/// from 1,024 samples on.
fn around(samples: usize) -> usize {
    match samples {
        ..2 => 0,
        _ => twice_the_logarithm(samples).min(samples / 4).max(1),
    }
}

/// The distance of each sample, or copy, to its k-th nearest, as a length; infinite where it has no neighbour.
///
/// Where the caller brought m < k neighbours of a sample, their last is farther out than the m-th of k:
/// its length is multiplied by (k/m)ᵉ, where lengths grow with the rank to the power of e. Of the samples
/// with k neighbours, e is the mean of log₂ of the ratio of the lengths at k and k/2, at most 1, as on
/// a line.
fn radii(neighbors: &Neighbors, k: usize, metric: Metric, weights: Option<&Weights>) -> Vec<f64> {
    let distance = neighbors.distance();
    let length = |sample: usize, rank: usize| metric.length(distance[[sample, rank - 1]]);
    let counts = collected((0..neighbors.samples()).map(|sample| neighbors.count(sample).min(k)));
    let growth = || {
        let (half, mut sum, mut counted) = (k.div_ceil(2), 0.0, 0_u64);
        let whole = (0..counts.len()).filter(|&sample| counts[sample] == k && k > half);
        for sample in whole.filter(|&sample| length(sample, half) > 0.0) {
            let ratio = (length(sample, k) / length(sample, half)).log2();
            let copies = weights.map_or(1, |weights| weights.of(sample as u32).count);
            sum = added(sum, ratio / (k as f64 / half as f64).log2(), copies);
            counted += copies;
        }
        if counted == 0 { 1.0 } else { f64::min(sum / counted as f64, 1.0) }
    };
    let growth = if counts.iter().all(|&count| count == k) { 0.0 } else { growth() };
    let radius = |(sample, &count): (usize, &usize)| match count {
        0 => f64::INFINITY,
        _ if count == k => length(sample, k),
        _ => length(sample, count) * (k as f64 / count as f64).powf(growth),
    };
    collected(counts.iter().enumerate().map(radius))
}

/// The neighbours in a row of a table.
fn around_row(nearest: ArrayView2<'_, u32>, sample: usize) -> impl Iterator<Item = u32> {
    let row = nearest.index_axis_move(Axis(0), sample).into_iter().copied();
    row.take_while(|&other| other != Neighbors::NONE)
}

/// The score of each sample, from its k ≥ 1 nearest (N × k) and the distance to the last of them. Of weighted samples
/// the nearest are copies, which count with their weights.
fn scores(nearest: ArrayView2<'_, u32>, radii: &[f64], weights: Option<&Weights>) -> Vec<f64> {
    let peaks = peaks(nearest, radii);
    let of_peak = |sample: u32| radii[peaks[sample as usize] as usize];
    let weight = |sample: u32| weights.map_or(1.0, |weights| weights.of(sample).weight);
    let score = |sample: usize| {
        let near = [sample as u32].into_iter().chain(around_row(nearest, sample));
        let peaks = near.map(|other| (of_peak(other), weight(other)));
        // A neighbour that itself has none leads nowhere.
        let peaks = peaks.filter(|(peak, _)| peak.is_finite());
        let (sum, total) = peaks
            .fold((0.0, 0.0), |(sum, total), (peak, weight)| (sum + weight * peak, total + weight));
        match radii[sample] {
            0.0 => 0.0,
            f64::INFINITY => 1.0,
            radius => f64::max(1.0 - sum / total / radius, 0.0),
        }
    };
    collected_in_parallel((0..radii.len()).into_par_iter().map(score))
}

/// The peak that each sample leads to.
fn peaks(nearest: ArrayView2<'_, u32>, radii: &[f64]) -> Vec<u32> {
    let order = |a: &u32, b: &u32| radii[*a as usize].total_cmp(&radii[*b as usize]).then(a.cmp(b));
    let densest = |sample: usize| {
        let around = around_row(nearest, sample).chain([sample as u32]);
        around.min_by(order).expect("the sample itself is there")
    };
    let mut next = collected_in_parallel((0..radii.len()).into_par_iter().map(densest));
    for sample in 0..next.len() {
        let mut at = sample;
        // Each step is to a smaller radius or number, so that there is an end. Steps are halved, as
        // in a union of sets, so that long ways are gone once.
        while next[at] as usize != at {
            next[at] = next[next[at] as usize];
            at = next[at] as usize;
        }
        next[sample] = at as u32;
    }
    next
}
