//! How far out each sample is, by the distances that neighbour linkage looks at.

use ndarray::{ArrayView1, ArrayView2, Axis, Slice};
use rayon::prelude::*;

use crate::error::Result;
use crate::hierarchy::Hierarchy;
use crate::linkage::twice_the_logarithm;
use crate::memory::{collected, collected_in_parallel, filled};
use crate::metric::Metric;
use crate::neighbor_linkage::neighbors_to_link;
use crate::progress::Stage;
use crate::run::Run;
use crate::samples::AnySamples;

impl Hierarchy {
    /// How far out each of the N samples (× d features) is that the hierarchy was made from: N
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
    /// distance, so that scores are those of the normalised samples under Euclidean. Where r(i) is 0
    /// (there are more than k equal samples) the score is 0, and a sample whose neighbours all lead
    /// to peaks of r = 0 scores 1.
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
        run.operate(samples.len(), |run| {
            let k = around(samples.len());
            let neighbors = neighbors_to_link(Some(samples), self, k, run)?;
            let k = k.min(neighbors.k());
            let nearest = neighbors.index().slice_axis_move(Axis(1), Slice::from(..k));
            run.stage(Stage::Describe, 1, |_| match k {
                0 => filled(0.0, samples.len()),
                _ => scores(nearest, &radii(neighbors.distance().column(k - 1), self.metric())),
            })
        })
    }
}

/// How many nearest of each of N samples are around it. Neighbour linkage looks at as many from 1,024
/// samples on.
fn around(samples: usize) -> usize {
    match samples {
        ..2 => 0,
        _ => twice_the_logarithm(samples).min(samples / 4).max(1),
    }
}

/// The distance of each sample to its k-th nearest, as a length.
fn radii(distances: ArrayView1<'_, f64>, metric: Metric) -> Vec<f64> {
    let length = |&distance: &f64| match metric {
        Metric::Euclidean | Metric::Manhattan | Metric::Hamming | Metric::Jaccard => distance,
        // 1 − cos is half the square of the distance of the normalised rows.
        Metric::Cosine => distance.sqrt(),
    };
    collected(distances.iter().map(length))
}

/// The score of each sample, from its k ≥ 1 nearest (N × k) and the distance to the last of them.
fn scores(nearest: ArrayView2<'_, u32>, radii: &[f64]) -> Vec<f64> {
    let peaks = peaks(nearest, radii);
    let of_peak = |sample: usize| radii[peaks[sample] as usize];
    let score = |sample: usize| {
        let neighbors = nearest.row(sample);
        let sum =
            neighbors.iter().fold(of_peak(sample), |sum, &other| sum + of_peak(other as usize));
        match radii[sample] {
            0.0 => 0.0,
            radius => f64::max(1.0 - sum / (neighbors.len() + 1) as f64 / radius, 0.0),
        }
    };
    collected_in_parallel((0..radii.len()).into_par_iter().map(score))
}

/// The peak that each sample leads to.
fn peaks(nearest: ArrayView2<'_, u32>, radii: &[f64]) -> Vec<u32> {
    let order = |a: &u32, b: &u32| radii[*a as usize].total_cmp(&radii[*b as usize]).then(a.cmp(b));
    let densest = |sample: usize| {
        let around = nearest.row(sample).into_iter().copied().chain([sample as u32]);
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
