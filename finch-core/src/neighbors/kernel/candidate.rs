//! The number of what may be near, and how far it seems.

/// The number of a thing and how far it is: bits of the squared distance above those of the number,
/// which sort as both do, since squared distances are not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Candidate(u64);

impl Candidate {
    #[inline(always)]
    pub(crate) const fn new(distance: f32, number: u32) -> Self {
        Self((distance.to_bits() as u64) << 32 | number as u64)
    }

    /// Nothing, which keeps its place from what is farther than this.
    pub(crate) const fn nothing(distance: f32) -> Self {
        Self::new(distance, u32::MAX)
    }

    pub(crate) fn is_nothing(self) -> bool {
        self.number() == u32::MAX
    }

    pub(crate) fn number(self) -> u32 {
        self.0 as u32
    }

    /// The squared distance.
    #[inline(always)]
    pub(crate) fn distance(self) -> f32 {
        f32::from_bits((self.0 >> 32) as u32)
    }
}
