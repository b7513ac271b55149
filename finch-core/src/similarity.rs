//! The similarity of two clusters by the links between them.

use std::cmp::Ordering;

use crate::amount::Amount;
use crate::reach::UNIT;

/// links(A, B) / (|A|·|B|), as a fraction. The larger, the more similar.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Similarity<W> {
    pub(crate) weight: W,
    pub(crate) pairs: W,
}

impl<W: Amount> Similarity<W> {
    /// The number of pairs of samples for each neighbour that they share.
    pub(crate) fn height(self) -> f64 {
        self.pairs.to_f64() * UNIT as f64 / self.weight.to_f64()
    }
}

impl<W: Amount> Ord for Similarity<W> {
    fn cmp(&self, other: &Self) -> Ordering {
        W::order_of_fractions([self.weight, self.pairs], [other.weight, other.pairs])
    }
}

impl<W: Amount> PartialOrd for Similarity<W> {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<W: Amount> PartialEq for Similarity<W> {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}

impl<W: Amount> Eq for Similarity<W> {}
