//! The squared distance of two short rows in f32, and a row with the squared distance that a kernel
//! saw.

use crate::support::simd::stored;

/// Σ(xᵢ−yᵢ)² in f32, always summed in the same order: the result is the same on every machine.
#[inline(always)]
pub(crate) fn squared_distance(x: &[f32], y: &[f32]) -> f32 {
    const LANES: usize = 16;
    let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<LANES>(), y.as_chunks::<LANES>());
    let mut lanes = [0.0_f32; LANES];
    for (x, y) in x.iter().zip(y) {
        for lane in 0..LANES {
            lanes[lane] += (x[lane] - y[lane]) * (x[lane] - y[lane]);
        }
    }
    let lanes = stored(lanes);
    let quarter = |lane| (lanes[lane] + lanes[lane + 4]) + (lanes[lane + 8] + lanes[lane + 12]);
    let mut sum = (quarter(0) + quarter(1)) + (quarter(2) + quarter(3));
    for (x, y) in x_rest.iter().zip(y_rest) {
        sum += (x - y) * (x - y);
    }
    sum
}

/// The number of a row, or of a leader, and its squared distance in f32, which rounding has
/// blurred: what is left to be compared by key, where [`Nearest`](crate::neighbors::Nearest) is
/// what a comparison by key gave.
///
/// The bits of the distance stand above those of the number. Bits of floats that are not negative
/// sort as the floats do, so candidates sort by distance and then by number.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate(u64);

impl Candidate {
    /// A candidate at a distance that is not negative.
    #[inline(always)]
    pub(crate) const fn new(distance: f32, number: u32) -> Self {
        Self((distance.to_bits() as u64) << 32 | number as u64)
    }

    /// A candidate at a lower bound of a distance; rounding may have made the bound negative.
    #[inline(always)]
    pub(crate) fn at_bound(bound: f32, number: u32) -> Self {
        Self::new(if bound > 0.0 { bound } else { 0.0 }, number)
    }

    /// An empty place of a list, which only candidates nearer than `distance` may take.
    pub(crate) const fn nothing(distance: f32) -> Self {
        Self::new(distance, u32::MAX)
    }

    pub(crate) fn is_nothing(self) -> bool {
        self.number() == u32::MAX
    }

    #[inline(always)]
    pub(crate) fn number(self) -> u32 {
        self.0 as u32
    }

    /// The squared distance.
    #[inline(always)]
    pub(crate) fn distance(self) -> f32 {
        f32::from_bits((self.0 >> 32) as u32)
    }
}
