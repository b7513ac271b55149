//! The clustering equation: connected components of first-neighbour links.

use crate::error::{Error, Result};
use crate::neighbors::{Neighbors, check_neighbors};
use crate::partition::Partition;
use crate::support::memory::caught;
use crate::support::union_find::Sets;

/// Eq. 1 of the paper: samples i and j share a cluster where j = κᵢ, κⱼ = i or κᵢ = κⱼ.
///
/// The third condition joins nothing new (i–κᵢ and j–κⱼ already meet in κᵢ = κⱼ), so the clusters
/// are the components of the at most N links i–κᵢ. O(N) memory, no adjacency matrix, and
/// time that is linear in practice.
pub(crate) fn components(samples: usize, links: impl Iterator<Item = (u32, u32)>) -> Partition {
    let mut sets = Sets::new(samples);
    for (sample, neighbor) in links {
        sets.join(sample, neighbor);
    }
    Partition::of_sets(sets)
}

impl Partition {
    /// The clustering equation alone (Eq. 1 of the paper): the samples that links to their first
    /// neighbours join. `first[i]` is the first neighbour of sample i, from 0, or [`Neighbors::NONE`]; for
    /// one sample, which has none, it is empty.
    ///
    /// # Errors
    /// [`Error::InvalidNeighbor`] for a sample that is its own neighbour, or a number that no
    /// sample has; [`Error::TooManySamples`]; [`Error::OutOfMemory`].
    pub fn of_first_neighbors(first: &[u32]) -> Result<Self> {
        // One sample, not none: there is no data without samples.
        let samples = first.len().max(1);
        if i32::try_from(samples).is_err() {
            return Err(Error::TooManySamples { samples });
        }
        check_neighbors(first)?;
        let links = (0..).zip(first.iter().copied());
        let links = links.filter(|&(_, neighbor)| neighbor != Neighbors::NONE);
        caught(|| Ok(components(samples, links)))
    }
}
