//! Sorted lists of the nearest rows so far, which every search fills, and which rows a list keeps:
//! the k nearest, or the nearest and the nearest of another cluster.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::samples::metric::Metric;
use crate::support::memory::{filled, gathered, push};

/// The nearest sample so far.
///
/// It is kept by key and not by distance, since two keys may round to the same distance, and the
/// nearer sample has to win all the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// The number that the metric compares: the squared distance for Euclidean, 2 − 2·cos for cosine, the
    /// distance for Manhattan. Infinite as long as there is no sample, and for a sample that no other can
    /// be a neighbour of: under cosine one of zeros, beside samples that are not.
    pub key: f64,
    /// The number of the sample, from 0; `u32::MAX` as long as there is none.
    pub index: u32,
}

impl Nearest {
    /// No sample yet: farther than any, since values, and so keys, are bounded.
    pub const NONE: Self = Self { key: f64::INFINITY, index: u32::MAX };

    /// Takes another sample if it is nearer, or as near with a smaller index: the tie rule, which
    /// makes the order of offers irrelevant.
    pub fn offer(&mut self, key: f64, index: u32) {
        let offered = Self { key, index };
        if offered.precedes(self) {
            *self = offered;
        }
    }

    /// True if a list has this sample before that one.
    pub(super) fn precedes(&self, other: &Self) -> bool {
        // An infinite key is that of a zero row and another one, which are nobody's neighbours.
        self.key < other.key
            || (self.key == other.key && self.index < other.index && self.key < f64::INFINITY)
    }

    /// The distance of the sample, in the unit of the metric that was searched by.
    pub fn distance(&self, metric: Metric) -> f64 {
        metric.distance(self.key)
    }
}

/// Offers a sample to a list: the k ≥ 1 nearest so far, sorted, with [`Nearest::NONE`] in places
/// that no sample has taken yet. Each sample may be offered once only, since a list takes a sample
/// that it holds already for another one.
///
/// Searches hold the lists of all samples one after the other, also where k = 1: to have code for a
/// list of one would gain nothing that can be measured, beside the time that a key takes.
pub(super) fn offer(list: &mut [Nearest], key: f64, index: u32) {
    let offered = Nearest { key, index };
    if offered.precedes(last(list)) {
        let place = list.partition_point(|kept| kept.precedes(&offered));
        list.copy_within(place..list.len() - 1, place + 1);
        list[place] = offered;
    }
}

/// The farthest of a list: a sample has to precede it to enter the list.
pub(super) fn last(list: &[Nearest]) -> &Nearest {
    list.last().expect("a list has at least one place")
}

/// The lists of some rows under one lock, where several threads offer samples to them. The final content
/// of a list does not depend on which thread came first: the smallest keys and indices win.
pub(super) type LockedLists = Mutex<Vec<Nearest>>;

/// Empty lists of `k` for some rows.
pub(super) fn empty_lists(rows: usize, k: usize) -> LockedLists {
    Mutex::new(filled(Nearest::NONE, rows * k))
}

/// The lists, to be offered to. Where a thread panics or is refused memory while it has the lock, other
/// threads go on until they see it, and what the lists hold is dropped in the end.
pub(super) fn locked(lists: &LockedLists) -> MutexGuard<'_, Vec<Nearest>> {
    lists.lock().unwrap_or_else(PoisonError::into_inner)
}

/// The lists, once every offer has been made.
pub(super) fn unlocked(lists: LockedLists) -> Vec<Nearest> {
    lists.into_inner().expect("a panic has ended the search")
}

/// The rule that decides which of the rows that are offered to a list it keeps. The order of offers, and
/// how often a row is offered, do not show in the list.
pub(super) trait Ranking: Copy + Sync {
    /// The last row of a list, which a row has to precede to enter it.
    fn bar(self, list: &[Nearest], row: u32) -> &Nearest;

    /// The row that some row of a block of rows has to precede to enter a list, at least.
    fn bar_of_block(self, list: &[Nearest], label: Option<u32>) -> &Nearest;

    /// The label that all of some rows have, if labels count.
    fn label(self, rows: impl Iterator<Item = u32>) -> Option<u32>;

    /// Offers a row to a list.
    fn offer(self, list: &mut [Nearest], key: f64, row: u32);

    /// Of rows in ascending order that are equally far from all queries, as many as lists of `k` may
    /// take, where one row may be the query itself.
    fn enough(self, rows: impl Iterator<Item = u32>, k: usize) -> Vec<u32>;

    /// The labels of rows, where blocks of rows had better be of one label.
    fn labels(&self) -> Option<&[u32]>;
}

/// Lists of the k nearest. A row that a list holds may not be offered again.
#[derive(Clone, Copy)]
pub(super) struct KNearest;

impl Ranking for KNearest {
    #[inline(always)]
    fn bar(self, list: &[Nearest], _: u32) -> &Nearest {
        last(list)
    }

    #[inline(always)]
    fn bar_of_block(self, list: &[Nearest], _: Option<u32>) -> &Nearest {
        last(list)
    }

    fn label(self, _: impl Iterator<Item = u32>) -> Option<u32> {
        None
    }

    #[inline(always)]
    fn offer(self, list: &mut [Nearest], key: f64, row: u32) {
        offer(list, key, row);
    }

    fn enough(self, rows: impl Iterator<Item = u32>, k: usize) -> Vec<u32> {
        gathered(rows.take(k + 1))
    }

    fn labels(&self) -> Option<&[u32]> {
        None
    }
}

/// Lists of two: the nearest row, and the nearest of the rows that have another label than this one.
///
/// A row of the label of the first of the list has to precede the first, every other row the second. If
/// a row of another label precedes the first, the former first becomes the second: it precedes all
/// other rows of its label, and all that the list has passed over.
#[derive(Clone, Copy)]
pub(super) struct OtherLabel<'a>(pub(super) &'a [u32]);

impl OtherLabel<'_> {
    /// True if a label is that of the first of a list.
    #[inline(always)]
    fn is_first(self, list: &[Nearest], label: u32) -> bool {
        list[0] != Nearest::NONE && self.0[list[0].index as usize] == label
    }
}

impl Ranking for OtherLabel<'_> {
    #[inline(always)]
    fn bar(self, list: &[Nearest], row: u32) -> &Nearest {
        &list[usize::from(!self.is_first(list, self.0[row as usize]))]
    }

    #[inline(always)]
    fn bar_of_block(self, list: &[Nearest], label: Option<u32>) -> &Nearest {
        &list[usize::from(label.is_none_or(|label| !self.is_first(list, label)))]
    }

    fn label(self, mut rows: impl Iterator<Item = u32>) -> Option<u32> {
        let label = self.0[rows.next()? as usize];
        rows.all(|row| self.0[row as usize] == label).then_some(label)
    }

    fn offer(self, list: &mut [Nearest], key: f64, row: u32) {
        let is_first = self.is_first(list, self.0[row as usize]);
        let former = list[0];
        list[0].offer(key, row);
        if is_first {
            return;
        }
        match list[0] == former {
            true => list[1].offer(key, row),
            false => list[1] = former,
        }
    }

    fn enough(self, rows: impl Iterator<Item = u32>, _: usize) -> Vec<u32> {
        let mut enough = Vec::new();
        for row in rows {
            match enough.first() {
                None => push(&mut enough, row),
                Some(&first) if self.0[first as usize] == self.0[row as usize] => {}
                Some(_) => {
                    push(&mut enough, row);
                    break;
                }
            }
        }
        enough
    }

    fn labels(&self) -> Option<&[u32]> {
        Some(self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::random::scrambled;

    /// In any order, and however often each is offered.
    #[test]
    fn the_nearest_and_the_nearest_of_another_label_are_kept() {
        for trial in 0..2_000 {
            let number = |i: u64, below: u64| (scrambled(trial * 1_000 + i) >> 32) % below;
            let (count, of_labels, of_keys) =
                (1 + number(0, 9), 1 + number(1, 4), 1 + number(2, 6));
            let labels: Vec<u32> = (0..count).map(|i| number(10 + i, of_labels) as u32).collect();
            let keys: Vec<f64> = (0..count).map(|i| number(100 + i, of_keys) as f64).collect();
            let mut list = [Nearest::NONE; 2];
            for i in 0..count {
                let row = number(200 + i, count) as u32;
                OtherLabel(&labels).offer(&mut list, keys[row as usize], row);
            }
            for row in (0..count as u32).rev() {
                let before = list;
                let bar = *OtherLabel(&labels).bar(&list, row);
                OtherLabel(&labels).offer(&mut list, keys[row as usize], row);
                let mut entered = bar;
                entered.offer(keys[row as usize], row);
                assert_eq!(before == list, entered == bar);
            }
            let mut expected = [Nearest::NONE; 2];
            (0..count as u32).for_each(|row| expected[0].offer(keys[row as usize], row));
            let first = labels[expected[0].index as usize];
            for row in (0..count as u32).filter(|row| labels[*row as usize] != first) {
                expected[1].offer(keys[row as usize], row);
            }
            assert_eq!(list, expected, "{labels:?} {keys:?}");
        }
    }
}
