//! A number with the squared distance that a kernel saw.

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
