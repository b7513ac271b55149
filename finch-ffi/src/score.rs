//! How well two labellings agree.

use std::mem::offset_of;

use finch_core::Contingency;

use crate::guard::guard;
use crate::memory::{Caller, Growing};
use crate::status::finch_status;

/// Measures of how well clusters agree with known classes, as fractions: 1 is full agreement.
/// Fields may be added to the end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct finch_scores {
    /// Normalised mutual information, by the geometric mean of the entropies, as in the paper.
    pub nmi: f64,
    /// Normalised mutual information, by the arithmetic mean, as in scikit-learn.
    pub nmi_arithmetic: f64,
    /// The part of samples that are right when clusters and classes are matched one to one in the
    /// best way (ACC). NaN where finding it would take too long: for thousands of clusters that
    /// have little to do with thousands of classes.
    pub accuracy: f64,
    /// The part of samples that are right when each cluster stands for its largest class.
    pub purity: f64,
    /// The adjusted Rand index, which is 0 for agreement by chance, and may be below.
    pub ari: f64,
    /// Pairs of samples: of those that share a cluster, the part that shares a class.
    pub pairwise_precision: f64,
    /// Pairs of samples: of those that share a class, the part that shares a cluster.
    pub pairwise_recall: f64,
    /// The harmonic mean of the two.
    pub pairwise_f: f64,
    /// The B-cubed precision.
    pub bcubed_precision: f64,
    /// The B-cubed recall.
    pub bcubed_recall: f64,
    /// The harmonic mean of the two.
    pub bcubed_f: f64,
}

// SAFETY: numbers.
unsafe impl Growing for finch_scores {
    const NAME: &'static str = "scores";
    const FIRST_SIZE: usize = offset_of!(Self, bcubed_f) + size_of::<f64>();
}

/// Compares the clusters of `count` samples with their known classes, `truth`; the labels of both
/// may be any integers. Call it with `sizeof *scores` as `size`. No pointer may be NULL. From any
/// thread.
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
        let found = Contingency::new(labels, truth)?.scores();
        let values = finch_scores {
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
        };
        caller.write_sized(scores, size, false, values)
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}
