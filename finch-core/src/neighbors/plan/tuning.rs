//! The constants of plans that dense and sparse rows share.

/// The largest number of samples that `Auto` compares pair by pair, since nothing is faster.
const FEW_SAMPLES: usize = 200;
/// The fewest samples that are looked at: with fewer, a look takes as long as it could save.
pub(in crate::neighbors) const LOOKED_AT: usize = 4_096;
/// Seconds of one core that nobody minds an exact search to take.
pub(super) const LONG: f64 = 20.0;

/// True for samples so few that they are compared pair by pair.
pub(in crate::neighbors) fn are_few(samples: usize) -> bool {
    samples <= FEW_SAMPLES
}
