//! Numbers that weights of links and sizes of clusters are counted in.

use std::cmp::Ordering;
use std::fmt::Debug;
use std::iter::Sum;
use std::ops::{AddAssign, Mul};

use crate::weights::Copies;

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
