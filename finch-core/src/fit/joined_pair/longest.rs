//! The longest pair so far.

use std::sync::atomic::{AtomicU64, Ordering};

use crate::hierarchy::link_bound::rounded_up;

/// The longest pair so far, by the threads of a run.
pub(super) struct Longest(AtomicU64);

impl Longest {
    pub(super) fn new(length: f64) -> Self {
        Self(AtomicU64::new(length.to_bits()))
    }

    /// Takes a distance. A distance that is not finite is that of samples without a place, and no
    /// length. Of distances that a caller brings rounding may have left less than 0.
    pub(super) fn offer(&self, distance: f64) {
        if distance.is_finite() && distance > 0.0 {
            // The bits of numbers above 0 are in the order of the numbers.
            self.0.fetch_max(distance.to_bits(), Ordering::Relaxed);
        }
    }

    pub(super) fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Ordering::Relaxed))
    }

    /// True if a pair that is at most this far apart may be longer than the longest so far.
    pub(super) fn may_grow_by(&self, most: f64) -> bool {
        most.is_nan() || most > rounded_up(self.get())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_length_is_not_the_longest() {
        let longest = Longest::new(0.5);
        for distance in [0.25, -0.0, -1e-17, -2.0, f64::INFINITY, f64::NAN] {
            longest.offer(distance);
            assert_eq!(longest.get(), 0.5, "{distance}");
        }
        longest.offer(0.75);
        assert_eq!(longest.get(), 0.75);
    }
}
