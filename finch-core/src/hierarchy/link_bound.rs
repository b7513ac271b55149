//! The bound of first-neighbour links that count.

use crate::error::Result;
use crate::neighbors::FirstNeighbors;
use crate::support::names::named;

/// The first-neighbour links that may merge clusters from the second level on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LinkBound {
    /// All links: Algorithm 1 as listed.
    #[default]
    None,
    /// Only links no longer than the longest first-neighbour distance between samples, so that a
    /// cluster far from everything stays alone. This bound is not in the paper's listing, but the
    /// paper's published tables were made with a bound, and Table 8 comes out with this one and the next
    /// digit for digit.
    FirstNeighbor,
    /// Only links no longer than the longest distance of any pair of samples that Eq. 1 joins: of a
    /// sample and its first neighbour, or of two samples with the same first neighbour. This is the
    /// bound of the authors' MATLAB code. It is never below that of [`LinkBound::FirstNeighbor`], and at
    /// most twice as long (under cosine four times).
    ///
    /// Lengths that differ by rounding alone count as equal: a link may be longer than the longest pair
    /// by up to 2⁻³² of its length.
    JoinedPair,
}

named!(
    LinkBound,
    "link bound",
    None = "none",
    FirstNeighbor = "first-neighbor",
    JoinedPair = "joined-pair",
);

impl LinkBound {
    /// The longest link that may merge clusters, where samples have these links. `joined` finds the
    /// longest pair that they join.
    pub(crate) fn longest(
        self,
        links: &FirstNeighbors,
        joined: impl FnOnce() -> Result<f64>,
    ) -> Result<f64> {
        match self {
            LinkBound::None => Ok(f64::INFINITY),
            LinkBound::FirstNeighbor => Ok(links.longest()),
            LinkBound::JoinedPair => joined().map(rounded_up),
        }
    }
}

/// The last bits of a number, which hold rounding: 2⁻³² of it, at most.
const ROUNDING: u64 = (1 << 20) - 1;

/// The largest of the numbers that count as equal to a length of 0 or more.
///
/// Numbers are cut into steps of 2⁻³² of their size. A search may then pass over all pairs that cannot
/// leave the step of the longest pair so far, of which there may be billions: where all rows have length 1
/// and no two share a feature, all pairs are √2 apart, but for rounding. The steps begin half a step beside
/// whole numbers and their halves, beside which rounding puts most of what is equal.
pub(crate) fn rounded_up(length: f64) -> f64 {
    const HALF: u64 = ROUNDING.div_ceil(2);
    match length > 0.0 && length < f64::MAX {
        true => f64::from_bits(((length.to_bits() + HALF) | ROUNDING) - HALF),
        false => length,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lengths_that_differ_by_rounding_count_as_equal() {
        assert_eq!(rounded_up(0.0), 0.0);
        for length in [1e-300, 0.1, 0.5, 1.0, 2f64.sqrt(), 2.0, 3.0, 1e280] {
            let up = rounded_up(length);
            assert!(up > length && up < length * (1.0 + 2f64.powi(-31)), "{length}");
            for near in [length * (1.0 - 1e-15), length * (1.0 + 1e-15), up] {
                assert_eq!(rounded_up(near), up, "{length}");
            }
            assert!(rounded_up(up.next_up()) > up);
            assert!(rounded_up(length * (1.0 - 1e-9)) < length);
        }
    }
}
