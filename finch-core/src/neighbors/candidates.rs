//! What may be the nearest of each row: the nearest by sketches.

use std::sync::{Mutex, MutexGuard};

/// Rows of one lock.
const SHARD: usize = 64;

/// For each row the nearest so far, by distance and then number.
///
/// What a row has in the end does not depend on the order in which threads offer.
pub(super) struct Candidates {
    most: usize,
    shards: Vec<Mutex<Vec<Candidate>>>,
}

/// A row and how far its sketch is: bits of the squared distance above those of the row, which sort
/// as both do, since squared distances are not negative.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate(u64);

impl Candidate {
    /// No row, farther than any.
    pub(super) const NONE: Self = Self(u64::MAX);

    pub(super) fn new(distance: f32, row: u32) -> Self {
        Self(u64::from(distance.to_bits()) << 32 | u64::from(row))
    }

    pub(super) fn row(self) -> u32 {
        self.0 as u32
    }

    /// The squared distance of the sketches; infinite for none.
    pub(super) fn distance(self) -> f32 {
        match self {
            Self::NONE => f32::INFINITY,
            Self(bits) => f32::from_bits((bits >> 32) as u32),
        }
    }
}

impl Candidates {
    /// Empty lists of at most so many candidates for each row.
    pub(super) fn new(rows: usize, most: usize) -> Self {
        let shard = |first| vec![Candidate::NONE; SHARD.min(rows - first) * most];
        Self {
            most,
            shards: (0..rows).step_by(SHARD).map(|first| Mutex::new(shard(first))).collect(),
        }
    }

    /// The list of a row, and those of some others, for this thread alone.
    pub(super) fn lock(&self, row: u32) -> List<'_> {
        let row = row as usize;
        let shard = self.shards[row / SHARD].lock().expect("a panic has ended the search");
        List { shard, first: row % SHARD * self.most, most: self.most }
    }
}

/// The candidates of a row.
pub(super) struct List<'a> {
    shard: MutexGuard<'a, Vec<Candidate>>,
    first: usize,
    most: usize,
}

impl List<'_> {
    /// As many as a list may have, nearest first, and then [`Candidate::NONE`].
    pub(super) fn candidates(&self) -> &[Candidate] {
        &self.shard[self.first..][..self.most]
    }

    /// The distance from which on a candidate is too far.
    pub(super) fn limit(&self) -> f32 {
        self.candidates()[self.most - 1].distance()
    }

    /// Whether a row is among the candidates.
    pub(super) fn has(&self, row: u32) -> bool {
        // Without a branch for each.
        self.candidates().iter().fold(false, |has, candidate| has | (candidate.row() == row))
    }

    /// Takes a candidate that is not there yet, if it is nearer than the last.
    pub(super) fn offer(&mut self, offered: Candidate) {
        let list = &mut self.shard[self.first..][..self.most];
        if offered < list[list.len() - 1] {
            insert(list, offered);
        }
    }
}

/// Inserts a candidate that precedes the last one of a sorted list, which falls out.
pub(super) fn insert(list: &mut [Candidate], inserted: Candidate) {
    let mut place = list.len() - 1;
    while place > 0 && inserted < list[place - 1] {
        list[place] = list[place - 1];
        place -= 1;
    }
    list[place] = inserted;
}
