//! Things by how near they are: the leaders nearest to each row, the rows nearest to a row.

use std::iter;
use std::ops::Range;
use std::sync::{Mutex, MutexGuard};

use rayon::prelude::*;

use super::few::near_few;
use super::group::Scale;

/// Rows of one lock.
const SHARD: usize = 64;

/// The number of a thing and how far it is: bits of the squared distance above those of the number,
/// which sort as both do, since squared distances are not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate(u64);

impl Candidate {
    #[inline(always)]
    pub(super) const fn new(distance: f32, number: u32) -> Self {
        Self((distance.to_bits() as u64) << 32 | number as u64)
    }

    /// Nothing, which keeps its place from what is farther than this.
    pub(super) const fn nothing(distance: f32) -> Self {
        Self::new(distance, u32::MAX)
    }

    pub(super) fn is_nothing(self) -> bool {
        self.number() == u32::MAX
    }

    pub(super) fn number(self) -> u32 {
        self.0 as u32
    }

    /// The squared distance.
    #[inline(always)]
    pub(super) fn distance(self) -> f32 {
        f32::from_bits((self.0 >> 32) as u32)
    }
}

/// For each row the nearest so far, by distance and then number.
///
/// What a row has in the end does not depend on the order in which threads offer: the nearest of
/// all that were offered, each as near as it ever was.
pub(super) struct Candidates {
    most: usize,
    shards: Vec<Mutex<Vec<Candidate>>>,
}

impl Candidates {
    /// Lists of at most so many for each row, which take nothing that is farther than `limit`.
    pub(super) fn new(rows: usize, most: usize, limit: impl Fn(usize) -> f32 + Sync) -> Self {
        let shard = |first: usize| {
            let rows = first..rows.min(first + SHARD);
            let lists = rows.flat_map(|row| iter::repeat_n(Candidate::nothing(limit(row)), most));
            Mutex::new(lists.collect())
        };
        let shards = (0..rows.div_ceil(SHARD)).into_par_iter();
        Self { most, shards: shards.map(|shard_number| shard(shard_number * SHARD)).collect() }
    }

    /// How far the one at a place of each row's list is.
    pub(super) fn distances(&mut self, place: usize) -> impl Iterator<Item = f32> {
        let most = self.most;
        self.shards.iter_mut().flat_map(move |shard| {
            let lists = shard.get_mut().expect("a panic has ended the search").chunks_exact(most);
            lists.map(move |list| list[place].distance())
        })
    }

    /// Offers one to a row; returns the farthest of the list then.
    pub(super) fn offer(&self, row: u32, offered: Candidate) -> Candidate {
        let mut shard = self.shard(row);
        let list = &mut shard[self.place(row)];
        offer(list, offered);
        list[self.most - 1]
    }

    /// Offers to a row those that have these `numbers` and squared `distances`, in steps of this
    /// scale. Works in `near`.
    pub(super) fn offer_all(
        &self,
        row: u32,
        scale: Scale,
        distances: &[f32],
        numbers: &[u32],
        near: &mut Vec<Candidate>,
    ) {
        let mut shard = self.shard(row);
        let list = &mut shard[self.place(row)];
        near_few(distances, scale.steps(list[self.most - 1].distance()), self.most, near);
        for near in near.iter() {
            let number = numbers[near.number() as usize];
            offer(list, Candidate::new(scale.real(near.distance()), number));
        }
    }

    fn shard(&self, row: u32) -> MutexGuard<'_, Vec<Candidate>> {
        self.shards[row as usize / SHARD].lock().expect("a panic has ended the search")
    }

    fn place(&self, row: u32) -> Range<usize> {
        let first = row as usize % SHARD * self.most;
        first..first + self.most
    }

    /// The lists of all rows, when all offers have been made.
    pub(super) fn into_lists(self) -> NearLists {
        let shards = self.shards.into_iter();
        let shards = shards.map(|shard| shard.into_inner().expect("a panic has ended the search"));
        NearLists { most: self.most, shards: shards.collect() }
    }
}

/// The nearest of each row.
pub(super) struct NearLists {
    most: usize,
    shards: Vec<Vec<Candidate>>,
}

impl NearLists {
    /// Those of a row, the nearest first.
    pub(super) fn of(&self, row: u32) -> impl Iterator<Item = Candidate> + Clone {
        let first = row as usize % SHARD * self.most;
        let list = &self.shards[row as usize / SHARD][first..first + self.most];
        list.iter().copied().take_while(|candidate| !candidate.is_nothing())
    }
}

/// Takes a candidate into a sorted list, if it precedes the last one, which falls out. What is
/// there already is kept with the smaller of its distances.
#[inline(always)]
fn offer(list: &mut [Candidate], offered: Candidate) {
    if offered >= list[list.len() - 1] {
        return;
    }
    let there = list.iter().position(|there| there.number() == offered.number());
    let mut place = there.unwrap_or(list.len() - 1);
    while place > 0 && offered < list[place - 1] {
        list[place] = list[place - 1];
        place -= 1;
    }
    // Otherwise it is there, and as near.
    if offered < list[place] || there.is_none() {
        list[place] = offered;
    }
}
