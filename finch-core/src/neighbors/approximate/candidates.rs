//! Things by how near they are: the leaders nearest to each row, the rows nearest to a row.

use std::iter;
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use crate::neighbors::kernel::Candidate;

/// Rows of one lock.
const SHARD: usize = 64;

/// For each row the nearest so far, by distance and then number.
///
/// What a row has in the end does not depend on the order in which threads offer: the nearest of
/// all that were offered, each as near as it ever was.
pub(super) struct Candidates {
    most: usize,
    /// The bits of how far the last of each list is, which are read without its lock: they may be
    /// old, and then too large.
    limits: Vec<AtomicU32>,
    shards: Vec<Mutex<Vec<Candidate>>>,
}

impl Candidates {
    /// Lists of at most so many for each row, which take nothing that is farther than `limit`.
    pub(super) fn new(rows: usize, most: usize, limit: impl Fn(usize) -> f32 + Sync) -> Self {
        let limit = |row| AtomicU32::new(limit(row).to_bits());
        let limits: Vec<AtomicU32> = (0..rows).into_par_iter().map(limit).collect();
        let nothing = |limit: &AtomicU32| Candidate::nothing(f32::from_bits(limit.load(Relaxed)));
        let shard = |limits: &[AtomicU32]| {
            let lists = limits.iter().flat_map(|limit| iter::repeat_n(nothing(limit), most));
            Mutex::new(lists.collect())
        };
        let shards = limits.par_chunks(SHARD).map(shard).collect();
        Self { most, limits, shards }
    }

    /// How far the one at a place of each row's list is.
    pub(super) fn distances(&mut self, place: usize) -> impl Iterator<Item = f32> {
        let most = self.most;
        self.shards.iter_mut().flat_map(move |shard| {
            let lists = shard.get_mut().expect("a panic has ended the search").chunks_exact(most);
            lists.map(move |list| list[place].distance())
        })
    }

    /// The number in a list.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// How far one may be that is offered to a row: none that is farther is taken.
    #[inline(always)]
    pub(super) fn limit(&self, row: u32) -> f32 {
        f32::from_bits(self.limits[row as usize].load(Relaxed))
    }

    /// Offers some to a row.
    pub(super) fn offer(&self, row: u32, offered: &[Candidate]) {
        if offered.is_empty() {
            return;
        }
        let shard = self.shards[row as usize / SHARD].lock();
        let mut shard = shard.expect("a panic has ended the search");
        let list = &mut shard[row as usize % SHARD * self.most..][..self.most];
        offered.iter().for_each(|&offered| offer(list, offered));
        let last = list[self.most - 1].distance();
        self.limits[row as usize].store(last.to_bits(), Relaxed);
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
    let same = |there: &Candidate| there.number() == offered.number();
    // No branch for each of the list, here and below: where it would end cannot be foretold.
    if list.iter().fold(false, |any, there| any | same(there)) {
        let there = list.iter().position(same).expect("it is there");
        if offered < list[there] {
            let place = list[..there].partition_point(|&before| before < offered);
            list[place..=there].rotate_right(1);
            list[place] = offered;
        }
        return;
    }
    let mut moved = offered;
    for there in list {
        (*there, moved) = ((*there).min(moved), (*there).max(moved));
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::scrambled;

    /// Whatever the order, and however often each is offered, and how near.
    #[test]
    fn the_nearest_of_all_are_kept() {
        const MOST: usize = 5;
        const LIMIT: f32 = 60.0;
        let random = |number: u64| (scrambled(number) >> 32) as u32;
        let offers = |row: u64| {
            let offer = move |i: u64| {
                Candidate::new((random(row * 91 + i) % 90) as f32, random(row * 57 + i) % 30)
            };
            (0..(row % 50)).map(offer)
        };
        let forth = Candidates::new(100, MOST, |_| LIMIT);
        let back = Candidates::new(100, MOST, |_| LIMIT);
        for row in 0..100 {
            let offered: Vec<Candidate> = offers(row).collect();
            offered.chunks(3).for_each(|offered| forth.offer(row as u32, offered));
            offered.iter().rev().for_each(|&offered| back.offer(row as u32, &[offered]));
        }
        let limits: Vec<f32> = (0..100).map(|row| forth.limit(row)).collect();
        let [forth, back] = [forth, back].map(Candidates::into_lists);
        for row in 0..100 {
            let mut expected: Vec<Candidate> = offers(row).collect();
            expected.sort();
            let mut numbers = Vec::new();
            expected.retain(|candidate| {
                let is_new = !numbers.contains(&candidate.number());
                numbers.push(candidate.number());
                is_new && candidate.distance() <= LIMIT
            });
            expected.truncate(MOST);
            assert_eq!(forth.of(row as u32).collect::<Vec<_>>(), expected);
            assert_eq!(back.of(row as u32).collect::<Vec<_>>(), expected);
            let last = if expected.len() < MOST { LIMIT } else { expected[MOST - 1].distance() };
            assert_eq!(limits[row as usize], last);
        }
    }
}
