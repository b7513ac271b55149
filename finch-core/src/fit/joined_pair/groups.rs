//! Samples that have the same first neighbour.

use crate::neighbors::FirstNeighbors;
use crate::partition::members::Members;
use crate::support::memory::gathered;

/// The samples that have the same first neighbour, in groups of two and more.
pub(super) struct Groups {
    members: Members,
    /// The sample that a group has as its first neighbour, for each group.
    pub(super) numbers: Vec<u32>,
}

impl Groups {
    pub(super) fn of(links: &FirstNeighbors) -> Self {
        let index = links.index();
        // A sample that stands for several equal rows may be its own first neighbour, and one to which the
        // caller brought no neighbour has none.
        let sound = |sample: u32, other: u32| other != sample && (other as usize) < index.len();
        let other =
            |sample: u32| Some(index[sample as usize]).filter(|&other| sound(sample, other));
        let members = Members::of_each(index.len(), index.len(), other);
        let several = |&number: &u32| members.cluster(number as usize).len() > 1;
        let numbers = gathered((0..index.len() as u32).filter(several));
        Self { members, numbers }
    }

    pub(super) fn members(&self, number: u32) -> &[u32] {
        self.members.cluster(number as usize)
    }

    /// The number of pairs of all groups: what the searches of this folder advance a meter by.
    pub(super) fn pairs(&self) -> u64 {
        self.numbers.iter().map(|&number| pairs_of(self.members(number).len())).sum()
    }
}

pub(super) fn pairs_of(members: usize) -> u64 {
    let members = members as u64;
    members * (members - 1) / 2
}
