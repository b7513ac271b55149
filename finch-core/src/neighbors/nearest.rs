//! The nearest sample so far, and sorted lists of the k nearest so far, which every search fills.

use std::sync::{Mutex, MutexGuard, PoisonError};

use crate::memory::filled;
use crate::metric::Metric;

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

    fn precedes(&self, other: &Self) -> bool {
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
