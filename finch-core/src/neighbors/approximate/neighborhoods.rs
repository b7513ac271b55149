//! Small sets of rows that are near one row, and so perhaps near each other: the second way to find
//! what to compare, as NN-descent does.

use rayon::prelude::*;

use super::candidates::CandidateLists;
use super::tuning::{NEAR_OF_ROW, NEAR_TO_ROW};
use crate::members::Members;
use crate::memory::{filled, push};
use crate::rows::scrambled;

/// Of each place, those of the nearest so far, and those that it is one of the nearest of.
pub(super) struct Neighborhoods {
    /// The nearest of each place; itself where it has fewer.
    nearest: Vec<[u32; NEAR_OF_ROW]>,
    /// For each place those that have it among their nearest.
    nearest_to: Members,
}

impl Neighborhoods {
    /// By what lists of candidates hold now.
    pub(super) fn of(near: &CandidateLists) -> Self {
        let places = near.len();
        let mut nearest = filled([0; NEAR_OF_ROW], places);
        nearest.par_iter_mut().enumerate().for_each_init(Vec::new, |found, (place, nearest)| {
            near.copy(place as u32, found);
            nearest.fill(place as u32);
            nearest.iter_mut().zip(found).for_each(|(near, found)| *near = found.number());
        });
        let others =
            |place: u32| nearest[place as usize].into_iter().filter(move |&near| near != place);
        let nearest_to = Members::of_each(places, places, others);
        Self { nearest, nearest_to }
    }

    /// Replaces `members` by a place, its nearest, and some of those that it is one of the nearest
    /// of, ascending: few, or the places that are near to many would take all time.
    pub(super) fn write(&self, place: u32, members: &mut Vec<u32>) {
        members.clear();
        push(members, place);
        members.extend(self.nearest[place as usize]);
        let nearest_to = self.nearest_to.cluster(place as usize);
        let step = nearest_to.len().div_ceil(NEAR_TO_ROW).max(1);
        members.extend(nearest_to.iter().step_by(step));
        members.sort_unstable();
        members.dedup();
    }
}

/// What tells a set of places from others: two sets of the same are one, but for a chance of 2⁻⁶⁴.
pub(super) fn fingerprint(members: &[u32]) -> u64 {
    members.iter().fold(0, |print, &member| scrambled(print ^ u64::from(member)))
}
