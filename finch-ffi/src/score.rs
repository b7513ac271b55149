//! The agreement of two labellings.

use std::mem::offset_of;

use finch_core::{Contingency, Scores};

use crate::border::caller::{Caller, Growing};
use crate::border::fault::Fault;
use crate::border::guard::guard;
use crate::border::status::finch_status;
use crate::hierarchy::WEIGHTS;

/// Measures of how well clusters agree with known classes, as fractions: 1 is full agreement. NMI
/// is normalised mutual information. `accuracy` is NaN where the best matching would take more
/// than some seconds: for millions of samples in tens of thousands of clusters that have nothing to
/// do with as many classes. The struct grows at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct finch_scores {
    /// NMI by the geometric mean of entropies, as in the paper.
    pub nmi: f64,
    /// NMI by the arithmetic mean of entropies, as in scikit-learn.
    pub nmi_arithmetic: f64,
    /// Share of samples right by the best one-to-one matching (ACC).
    pub accuracy: f64,
    /// Share of samples in the largest class of their cluster.
    pub purity: f64,
    /// The adjusted Rand index: 0 for agreement by chance.
    pub ari: f64,
    /// Of pairs of samples in one cluster, the share in one class.
    pub pairwise_precision: f64,
    /// Of pairs of samples in one class, the share in one cluster.
    pub pairwise_recall: f64,
    /// The harmonic mean of pairwise precision and recall.
    pub pairwise_f: f64,
    /// The B-cubed precision.
    pub bcubed_precision: f64,
    /// The B-cubed recall.
    pub bcubed_recall: f64,
    /// The harmonic mean of B-cubed precision and recall.
    pub bcubed_f: f64,
    /// Share of samples of label -1, which the others leave out.
    pub noise: f64,
}

// SAFETY: numbers.
unsafe impl Growing for finch_scores {
    const NAME: &'static str = "scores";
    const FIRST_SIZE: usize = offset_of!(Self, bcubed_f) + size_of::<f64>();
    const END: usize = offset_of!(Self, noise) + size_of::<f64>();
    const ADVICE: &'static str = "pass sizeof of the struct";
}

/// Compares the clusters of `count` samples, `labels`, with their known classes, `truth`. Clusters
/// and classes may be any integers, but samples whose label is -1, noise, are left out; `noise` is
/// their share. `size` is `sizeof *scores`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_score(
    labels: *const i32,
    truth: *const i32,
    count: usize,
    scores: *mut finch_scores,
    size: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let labels = caller.slice("labels", labels, count)?;
        let truth = caller.slice("truth", truth, count)?;
        let found = scores_without_noise(labels, truth, None)?;
        caller.write_sized(scores, size, false, found)
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Compares like `finch_score`, each sample by its weight: `count` numbers as those of
/// `finch_cluster_weighted`. A weight is a number of equal samples: a pair of samples counts by the
/// product of its two weights, and a sample of weight 2 or more is pairs of its own, too, so that
/// the pairs and `ari` depend on the scale of the weights.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_score_weighted(
    labels: *const i32,
    truth: *const i32,
    weights: *const f64,
    count: usize,
    scores: *mut finch_scores,
    size: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let labels = caller.slice("labels", labels, count)?;
        let truth = caller.slice("truth", truth, count)?;
        let weights = caller.slice(WEIGHTS, weights, count)?;
        let found = scores_without_noise(labels, truth, Some(weights))?;
        caller.write_sized(scores, size, false, found)
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// The scores of the samples whose label is not -1.
fn scores_without_noise(
    labels: &[i32],
    truth: &[i32],
    weights: Option<&[f64]>,
) -> Result<finch_scores, Fault> {
    let (counted, noise) = Contingency::without_noise(labels, truth, weights, -1)?;
    Ok(finch_scores { noise, ..counted.scores()?.into() })
}

impl From<Scores> for finch_scores {
    fn from(found: Scores) -> Self {
        Self {
            nmi: found.nmi,
            nmi_arithmetic: found.nmi_arithmetic,
            accuracy: found.accuracy.unwrap_or(f64::NAN),
            purity: found.purity,
            ari: found.ari,
            pairwise_precision: found.pairwise.precision,
            pairwise_recall: found.pairwise.recall,
            pairwise_f: found.pairwise.f(),
            bcubed_precision: found.bcubed.precision,
            bcubed_recall: found.bcubed.recall,
            bcubed_f: found.bcubed.f(),
            noise: 0.0,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size that programs compiled with the first header have.
    #[test]
    fn the_first_size_does_not_change() {
        assert_eq!(finch_scores::FIRST_SIZE, 88);
    }
}
