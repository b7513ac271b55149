//! Bounded lists of the nearest candidates, filled by many threads: of the leaders nearest to each
//! row, or of the rows nearest to it.

use std::iter;
use std::sync::Mutex;
use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::tuning::LOCKED_ROWS;
use crate::neighbors::kernel::Candidate;
use crate::support::memory::{collected, collected_in_parallel, filled_in_parallel, reserve, room};
use crate::support::parallel::SharedSplitting as _;
use crate::support::simd::vectorized;

/// For each row a sorted list of the nearest candidates so far.
///
/// The final content of a list does not depend on the order in which threads offer: the nearest of all
/// candidates that were offered, each at the smallest distance that it was offered with.
pub(super) struct CandidateLists {
    most: usize,
    /// The distance of each list's last candidate, as bits. They are read without the list's lock,
    /// and so may be old, and too large.
    limits: Vec<AtomicU32>,
    shards: Vec<Mutex<Vec<Candidate>>>,
}

impl CandidateLists {
    /// Lists of at most `most` candidates for each row, which take none that is farther than the
    /// row's limit.
    pub(super) fn new(rows: usize, most: usize, limit: impl Fn(usize) -> f32 + Sync) -> Self {
        let limit = |row| AtomicU32::new(limit(row).to_bits());
        let limits: Vec<AtomicU32> = collected_in_parallel((0..rows).into_par_iter().map(limit));
        let nothing = |limit: &AtomicU32| Candidate::nothing(f32::from_bits(limit.load(Relaxed)));
        let shard = |limits: &[AtomicU32]| {
            let mut lists = room(limits.len() * most);
            lists.extend(limits.iter().flat_map(|limit| iter::repeat_n(nothing(limit), most)));
            Mutex::new(lists)
        };
        let shards = collected_in_parallel(limits.par_chunks(LOCKED_ROWS).map(shard));
        Self { most, limits, shards }
    }

    /// The same lists with room for `most` candidates each, which is more; those that are full take any again.
    pub(super) fn lengthened(self, most: usize) -> Self {
        let old = self.most;
        let limit = |row: usize| {
            let shard = self.shards[row / LOCKED_ROWS].lock();
            let shard = shard.expect("a panic has ended the search");
            let last = shard[row % LOCKED_ROWS * old + old - 1];
            if last.is_nothing() { last.distance() } else { f32::INFINITY }
        };
        let lists = Self::new(self.len(), most, limit);
        let shards = lists.shards.par_iter().zip(&self.shards);
        shards.shared().for_each(|(new, shard)| {
            let [mut new, shard] =
                [new, shard].map(|of| of.lock().expect("a panic has ended the search"));
            let each = new.chunks_exact_mut(most).zip(shard.chunks_exact(old));
            each.for_each(|(new, shard)| new[..old].copy_from_slice(shard));
        });
        lists
    }

    /// Sorts the lists by other distances: of two rows, the function tells it. The limit of a list that is not full
    /// stays.
    pub(super) fn measure_anew(&mut self, distance: impl Fn(u32, u32) -> f32 + Sync) {
        let most = self.most;
        let shards = self.shards.par_iter_mut().zip(self.limits.par_chunks_mut(LOCKED_ROWS));
        shards.enumerate().shared().for_each(|(shard, (lists, limits))| {
            let lists = lists.get_mut().expect("a panic has ended the search");
            for (at, (list, limit)) in lists.chunks_exact_mut(most).zip(limits).enumerate() {
                let row = (shard * LOCKED_ROWS + at) as u32;
                let last = list[most - 1];
                let farthest = if last.is_nothing() { last.distance() } else { f32::INFINITY };
                for candidate in list.iter_mut().take_while(|candidate| !candidate.is_nothing()) {
                    let anew =
                        Candidate::new(distance(row, candidate.number()), candidate.number());
                    let is_near = anew.distance() <= farthest;
                    *candidate = if is_near { anew } else { Candidate::nothing(farthest) };
                }
                list.sort_unstable();
                *limit.get_mut() = list[most - 1].distance().to_bits();
            }
        });
    }

    /// The distance of the candidate at one place of each row's list: the limit, if the place is
    /// empty.
    pub(super) fn distances(&mut self, place: usize) -> Vec<f32> {
        let mut distances = filled_in_parallel(0.0, self.len());
        let shards = distances.par_chunks_mut(LOCKED_ROWS).zip(&mut self.shards);
        shards.shared().for_each(|(distances, shard)| {
            let lists = shard.get_mut().expect("a panic has ended the search");
            let lists = lists.chunks_exact(self.most);
            distances.iter_mut().zip(lists).for_each(|(distance, list)| {
                *distance = list[place].distance();
            });
        });
        distances
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.limits.len()
    }

    /// Replaces `found` by what a row's list holds now, the nearest first.
    pub(super) fn copy(&self, row: u32, found: &mut Vec<Candidate>) {
        found.clear();
        reserve(found, self.most);
        let shard = self.shards[row as usize / LOCKED_ROWS].lock();
        let shard = shard.expect("a panic has ended the search");
        found.extend(there(&shard, row, self.most));
    }

    /// The candidates in a list at most.
    pub(super) fn most(&self) -> usize {
        self.most
    }

    /// The limit of a row's list: no candidate that is farther is taken.
    #[inline(always)]
    pub(super) fn limit(&self, row: u32) -> f32 {
        f32::from_bits(self.limits[row as usize].load(Relaxed))
    }

    /// Offers candidates to a row.
    pub(super) fn offer(&self, row: u32, offered: &[Candidate]) {
        if offered.is_empty() {
            return;
        }
        let shard = self.shards[row as usize / LOCKED_ROWS].lock();
        let mut shard = shard.expect("a panic has ended the search");
        let list = &mut shard[row as usize % LOCKED_ROWS * self.most..][..self.most];
        offer(list, offered);
        let last = list[self.most - 1].distance();
        self.limits[row as usize].store(last.to_bits(), Relaxed);
    }

    /// The lists, once every offer has been made.
    pub(super) fn into_filled(self) -> FilledLists {
        let shards = self.shards.into_iter();
        let shards = shards.map(|shard| shard.into_inner().expect("a panic has ended the search"));
        FilledLists { most: self.most, shards: collected(shards) }
    }
}

/// For each row a sorted list of the nearest candidates.
pub(super) struct FilledLists {
    most: usize,
    shards: Vec<Vec<Candidate>>,
}

impl FilledLists {
    /// The candidates of a row, the nearest first.
    pub(super) fn of(&self, row: u32) -> impl Iterator<Item = Candidate> + Clone {
        there(&self.shards[row as usize / LOCKED_ROWS], row, self.most)
    }
}

/// The candidates in the list of a row, which is one of the lists of a shard.
fn there(lists: &[Candidate], row: u32, most: usize) -> impl Iterator<Item = Candidate> + Clone {
    let list = &lists[row as usize % LOCKED_ROWS * most..][..most];
    list.iter().copied().take_while(|candidate| !candidate.is_nothing())
}

vectorized! {
    /// Takes candidates into a sorted list, each if it precedes the last one, which falls out. A
    /// candidate that is in the list already is kept once, with the smaller of its distances.
    fn offer<'a>(list: &'a mut [Candidate], offered: &'a [Candidate]) -> () {
        let last = list.len() - 1;
        for &offered in offered {
            if offered >= list[last] {
                continue;
            }
            // Most are in the list. No branch for each candidate of the list, here and below: where it
            // would be taken cannot be foretold.
            let mut is_there = false;
            for there in list.iter() {
                is_there |= there.number() == offered.number();
            }
            if is_there {
                sharpen(list, offered);
                continue;
            }
            // From the last on: what precedes a place is still what it was.
            for place in (1..=last).rev() {
                list[place] = list[place].min(list[place - 1].max(offered));
            }
            list[0] = list[0].min(offered);
        }
    }
}

/// Gives a candidate of a sorted list the distance that it is offered at, if that is smaller.
fn sharpen(list: &mut [Candidate], offered: Candidate) {
    let there = list.iter().position(|there| there.number() == offered.number());
    let there = there.expect("the candidate is in the list");
    if offered < list[there] {
        let place = list[..there].partition_point(|&before| before < offered);
        list[place..=there].rotate_right(1);
        list[place] = offered;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::random::scrambled;

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
        let forth = CandidateLists::new(100, MOST, |_| LIMIT);
        let back = CandidateLists::new(100, MOST, |_| LIMIT);
        for row in 0..100 {
            let offered: Vec<Candidate> = offers(row).collect();
            offered.chunks(3).for_each(|offered| forth.offer(row as u32, offered));
            offered.iter().rev().for_each(|&offered| back.offer(row as u32, &[offered]));
        }
        let limits: Vec<f32> = (0..100).map(|row| forth.limit(row)).collect();
        let [forth, back] = [forth, back].map(CandidateLists::into_filled);
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
