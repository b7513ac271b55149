//! The longest distance of a pair of samples that Eq. 1 joins: of a sample and its first neighbour, or of
//! two samples with the same first neighbour.
//!
//! N links join as many as N²/2 pairs, since one sample may be the first neighbour of all others. So pairs
//! are passed over that cannot be longer than the longest so far: two samples are at most as far apart as
//! the lengths of their links add up to. The rest of a large group is searched by a tree of balls
//! (`tree.rs`). The groups that may have the longest pair come first.
//!
//! The set of pairs that are passed over depends on threads; the longest pair does not. A pair is passed
//! over only where it counts as no longer than a pair that is there
//! ([`rounded_up`](crate::hierarchy::link_bound::rounded_up)).

mod bounds;
mod groups;
mod longest;
mod task;
mod timed;
mod tree;

pub(crate) use self::timed::longest_in_time;

use rayon::prelude::*;

use self::bounds::Bounds;
use self::groups::{Groups, pairs_of};
use self::longest::Longest;
use self::task::Task;
use self::tree::Tree;

use crate::error::{Error, Result};
use crate::neighbors::{Distances, FirstNeighbors, Neighbors};
use crate::run::progress::Meter;
use crate::samples::comparable::Keyed;
use crate::support::memory::{collected, collected_in_parallel};
use crate::support::parallel::SharedSplitting as _;

/// Samples of a group that are compared without a tree, at most.
const SMALL: usize = 256;

/// The number of pairs of samples with the same first neighbour.
pub(crate) fn pairs(links: &FirstNeighbors) -> u64 {
    Groups::of(links).pairs()
}

/// The longest distance of a pair that Eq. 1 joins. Advances the meter by [`pairs`]; where it is stopped,
/// any length.
pub(crate) fn longest<R: Keyed>(
    rows: &R,
    features: usize,
    links: &FirstNeighbors,
    meter: &Meter,
) -> f64 {
    let bounds = Bounds::new(rows.metric(), features);
    let task = Task { rows, bounds, longest: Longest::new(links.longest()), meter };
    let groups = Groups::of(links);
    let length = |&member: &u32| bounds.length(links.distance()[member as usize]);
    // The two longest links of each group.
    let most = |&number: &u32| {
        let two =
            groups.members(number).iter().map(length).fold([0.0; 2], |[first, second], next| {
                [f64::max(first, next), f64::max(second, f64::min(first, next))]
            });
        (bounds.of_path(two[0] + two[1]), number)
    };
    let mut order: Vec<(f64, u32)> = collected_in_parallel(groups.numbers.par_iter().map(most));
    order.par_sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
    let is_small = |members: &[u32]| members.len() <= SMALL;
    // Small groups first: their longest pairs are cheap, and leave less of the large ones.
    order.par_iter().with_max_len(64).shared().for_each_init(
        || [(); 2].map(|()| rows.room()),
        |room, &(most, number)| {
            let members = groups.members(number);
            if !is_small(members) {
                return;
            }
            if meter.stopped() || !task.longest.may_grow_by(most) {
                meter.advance(pairs_of(members.len()));
                return;
            }
            task.compare(members, &collected(members.iter().map(length)), room);
        },
    );
    for (most, number) in order {
        let members = groups.members(number);
        if is_small(members) {
            continue;
        }
        match meter.stopped() || !task.longest.may_grow_by(most) {
            true => meter.advance(pairs_of(members.len())),
            false => {
                Tree::new(&task, members, &collected(members.iter().map(length))).search(&task)
            }
        }
    }
    task.longest.get()
}

/// [`longest()`] where the distances of all pairs are known. Advances the meter by [`pairs`].
pub(crate) fn longest_of_known(
    distances: &Distances<'_>,
    links: &FirstNeighbors,
    meter: &Meter,
) -> f64 {
    let longest = Longest::new(links.longest());
    let groups = Groups::of(links);
    groups.numbers.par_iter().with_max_len(64).shared().for_each(|&number| {
        let members = groups.members(number);
        for (at, &member) in members.iter().enumerate() {
            if meter.stopped() {
                return;
            }
            let row = distances.row(member as usize);
            members[at + 1..].iter().for_each(|&other| longest.offer(row[other as usize]));
            meter.advance((members.len() - at - 1) as u64);
        }
    });
    longest.get()
}

/// [`longest()`] where the distances of a table are known, and no others. Of a pair that is in both rows, the
/// distance from the row of the smaller number counts.
///
/// # Errors
/// [`Error::UnknownPair`] for the first pair that is in neither row.
pub(crate) fn longest_of_graph(neighbors: &Neighbors, links: &FirstNeighbors) -> Result<f64> {
    let (index, distance) = (neighbors.index(), neighbors.distance());
    let known = |from: u32, to: u32| {
        let mut row = index.row(from as usize).into_iter();
        row.position(|&other| other == to).map(|at| distance[[from as usize, at]])
    };
    let mut longest = links.longest();
    let groups = Groups::of(links);
    for &neighbor in &groups.numbers {
        let members = groups.members(neighbor);
        for (at, &one) in members.iter().enumerate() {
            for &other in &members[at + 1..] {
                let distance = known(one, other).or_else(|| known(other, one));
                let unknown = Error::UnknownPair { pair: [one, other], neighbor };
                longest = f64::max(longest, distance.ok_or(unknown)?);
            }
        }
    }
    Ok(longest)
}

#[cfg(test)]
mod tests;
