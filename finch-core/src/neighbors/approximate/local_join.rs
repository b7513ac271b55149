//! Local joins, as in NN-descent: small sets of rows that are near one row, and so perhaps near
//! each other; the second way to find what to compare.

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::candidates::CandidateLists;
use super::tuning::{LONE, NEAR_OF_ROW, NEAR_TO_ROW};
use crate::partition::members::Members;
use crate::support::memory::{collected_in_parallel, filled, push, reserve};
use crate::support::parallel::SharedSplitting as _;

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
        nearest.par_iter_mut().enumerate().shared().for_each_init(
            Vec::new,
            |found, (place, nearest)| {
                near.copy(place as u32, found);
                nearest.fill(place as u32);
                nearest.iter_mut().zip(found).for_each(|(near, found)| *near = found.number());
            },
        );
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

    /// The nearest of each place.
    pub(super) fn into_nearest(self) -> Vec<[u32; NEAR_OF_ROW]> {
        self.nearest
    }
}

/// Replaces `fresh` by those of the `members` of a place's neighbourhood that were near to it neither way
/// when the nearest were those `before`. Of many that a place was near to, some were left out of its
/// neighbourhood then, and count as compared all the same: of texts, joins find as many as where all are
/// compared again.
pub(super) fn write_fresh(
    place: u32,
    before: &[[u32; NEAR_OF_ROW]],
    members: &[u32],
    fresh: &mut Vec<u32>,
) {
    let was_near = |one: u32, other: u32| before[one as usize].contains(&other);
    let is_fresh =
        |&member: &u32| member != place && !was_near(place, member) && !was_near(member, place);
    fresh.clear();
    reserve(fresh, members.len());
    fresh.extend(members.iter().copied().filter(is_fresh));
}

/// For each place whether it is among the nearest of few others, so that joins hardly reach it. Places
/// whose nearest are all equal to them have nothing nearer to find.
pub(super) fn are_lone(near: &CandidateLists) -> Vec<bool> {
    let places = (0..near.len() as u32).into_par_iter();
    let counts: Vec<AtomicU32> = collected_in_parallel(places.clone().map(|_| AtomicU32::new(0)));
    places.shared().for_each_init(Vec::new, |found, place| {
        near.copy(place, found);
        for near in found.iter().take(NEAR_OF_ROW) {
            counts[near.number() as usize].fetch_add(1, Relaxed);
        }
    });
    let is_lone = |place: u32| {
        counts[place as usize].load(Relaxed) as usize <= LONE && near.limit(place) > 0.0
    };
    collected_in_parallel((0..near.len() as u32).into_par_iter().map(is_lone))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::kernel::Candidate;

    /// Lists of candidates, the nearest first.
    fn lists<'a>(near: impl IntoIterator<Item = &'a [u32]>) -> CandidateLists {
        let near: Vec<&[u32]> = near.into_iter().collect();
        let lists = CandidateLists::new(near.len(), NEAR_OF_ROW, |_| f32::INFINITY);
        for (place, near) in (0..).zip(near) {
            for (rank, &other) in near.iter().enumerate() {
                lists.offer(place, &[Candidate::new(rank as f32, other)]);
            }
        }
        lists
    }

    #[test]
    fn a_place_that_is_near_to_few_is_lone() {
        let rows = 2 * LONE as u32;
        // All have 0 among their nearest, LONE have 1, one more has 2, and nobody has the others.
        let near: Vec<Vec<u32>> = (0..rows)
            .map(|place| {
                let few = (place as usize) < LONE;
                [(true, 0), (few, 1), (few || place == rows - 1, 2)]
                    .into_iter()
                    .filter_map(|(has, other)| has.then_some(other))
                    .collect()
            })
            .collect();
        let mut expected = vec![true; rows as usize];
        expected[0] = false;
        expected[2] = false;
        assert_eq!(are_lone(&lists(near.iter().map(Vec::as_slice))), expected);
    }

    #[test]
    fn members_are_fresh_unless_they_were_near_either_way() {
        let before: [&[u32]; 5] = [&[1], &[2], &[0], &[4], &[3]];
        let before = Neighborhoods::of(&lists(before)).into_nearest();
        let after: [&[u32]; 5] = [&[3, 1], &[2], &[0], &[4], &[0, 3]];
        let after = Neighborhoods::of(&lists(after));
        let [mut members, mut fresh] = [Vec::new(), Vec::new()];
        after.write(0, &mut members);
        assert_eq!(members, [0, 1, 2, 3, 4]);
        write_fresh(0, &before, &members, &mut fresh);
        assert_eq!(fresh, [3, 4]);
        after.write(1, &mut members);
        write_fresh(1, &before, &members, &mut fresh);
        assert_eq!(fresh, [] as [u32; 0]);
    }
}
