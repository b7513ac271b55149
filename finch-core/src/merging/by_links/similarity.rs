//! The similarity of two clusters by the links between them, and the numbers that links and sizes
//! are counted in.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{AddAssign, Mul};

use super::local_scale::UNIT;
use crate::samples::weights::Copies;

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

/// Whole numbers, whose sums and fractions are exact, or real numbers, where weights are.
pub(crate) trait Amount:
    Copy + Debug + Default + PartialEq + AddAssign + Mul<Output = Self> + Sum + Send + Sync
{
    /// So many copies of some weight.
    fn of(copies: Copies) -> Self;

    fn to_f64(self) -> f64;

    /// The order of amounts.
    fn order(self, other: Self) -> Ordering;

    /// The order in which amounts are added up, where it shows in the sum.
    fn order_of_terms(self, other: Self) -> Ordering;

    /// The order of two fractions, each a numerator and a denominator.
    fn order_of_fractions(left: [Self; 2], right: [Self; 2]) -> Ordering;

    /// A whole number.
    fn whole(count: u64) -> Self {
        Self::of(Copies { count, weight: 1.0 })
    }
}

impl Amount for u64 {
    fn of(copies: Copies) -> Self {
        copies.count
    }

    fn to_f64(self) -> f64 {
        self as f64
    }

    fn order(self, other: Self) -> Ordering {
        self.cmp(&other)
    }

    #[inline(always)]
    fn order_of_terms(self, _: Self) -> Ordering {
        Ordering::Equal
    }

    fn order_of_fractions(left: [Self; 2], right: [Self; 2]) -> Ordering {
        let product = |a: u64, b: u64| u128::from(a) * u128::from(b);
        product(left[0], right[1]).cmp(&product(right[0], left[1]))
    }
}

impl Amount for f64 {
    fn of(copies: Copies) -> Self {
        copies.count as f64 * copies.weight
    }

    fn to_f64(self) -> f64 {
        self
    }

    fn order(self, other: Self) -> Ordering {
        self.total_cmp(&other)
    }

    #[inline(always)]
    fn order_of_terms(self, other: Self) -> Ordering {
        self.order(other)
    }

    fn order_of_fractions(left: [Self; 2], right: [Self; 2]) -> Ordering {
        (left[0] / left[1]).total_cmp(&(right[0] / right[1]))
    }
}
