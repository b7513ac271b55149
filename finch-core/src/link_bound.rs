//! Which first-neighbour links count.

use crate::names::named;

/// Which first-neighbour links may merge clusters from the second level on.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum LinkBound {
    /// All links: Algorithm 1 as listed.
    #[default]
    None,
    /// Only links no longer than the longest first-neighbour distance between samples, so that a
    /// cluster far from everything stays alone. This bound is not in the paper's listing, but the
    /// paper's published tables were made with it (Table 8 comes out digit for digit).
    FirstNeighbor,
}

named!(LinkBound, "link bound", None = "none", FirstNeighbor = "first-neighbor");
