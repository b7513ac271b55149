//! The nearest sample so far, for searches that see the data a part at a time.

use std::sync::Mutex;

use crate::metric::Metric;

/// The nearest sample so far.
///
/// It is kept by key and not by distance, since two keys may round to the same distance, and the
/// nearer sample has to win all the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// What the metric compares: the squared distance for Euclidean, 2 − 2·cos for cosine, the
    /// distance for Manhattan. Infinite as long as there is no sample.
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
        self.key < other.key || (self.key == other.key && self.index < other.index)
    }

    /// How far it is, under the metric of the search.
    pub fn distance(&self, metric: Metric) -> f64 {
        metric.distance(self.key)
    }
}

/// Offers a sample to a list: the nearest so far, k ≥ 1 of them and sorted, [`Nearest::NONE`] where
/// there is none yet. A list takes what it holds already for another sample, so each is offered
/// once.
///
/// Searches hold the lists of all samples one after the other, also where each is of one: to tell
/// the two apart when compiling would gain nothing that can be measured, beside a key.
pub(super) fn offer(list: &mut [Nearest], key: f64, index: u32) {
    let offered = Nearest { key, index };
    if offered.precedes(last(list)) {
        let place = list.partition_point(|kept| kept.precedes(&offered));
        list.copy_within(place..list.len() - 1, place + 1);
        list[place] = offered;
    }
}

/// The farthest of a list: what is to enter has to precede it.
pub(super) fn last(list: &[Nearest]) -> &Nearest {
    list.last().expect("a list has at least one place")
}

/// The lists of a block's rows. By block, since a thread that multiplies two blocks finds
/// neighbours for both. What is found does not depend on who comes first: the smallest key and
/// index win.
pub(super) type Lists = Mutex<Vec<Nearest>>;

/// So many empty lists of `k`.
pub(super) fn empty_lists(rows: usize, k: usize) -> Lists {
    Mutex::new(vec![Nearest::NONE; rows * k])
}

/// What lists hold in the end.
pub(super) fn filled(lists: Lists) -> Vec<Nearest> {
    lists.into_inner().expect("a panic has ended the search")
}
