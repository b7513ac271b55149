//! Things by how near they are: the leaders nearest to each row, the rows nearest to a row.

use std::sync::Mutex;

/// Rows of one lock.
const SHARD: usize = 64;

/// The number of a thing and how far it is: bits of the squared distance above those of the number,
/// which sort as both do, since squared distances are not negative.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Candidate(u64);

impl Candidate {
    /// Nothing, farther than all.
    pub(super) const NONE: Self = Self(u64::MAX);

    #[inline(always)]
    pub(super) fn new(distance: f32, number: u32) -> Self {
        Self(u64::from(distance.to_bits()) << 32 | u64::from(number))
    }

    pub(super) fn number(self) -> u32 {
        self.0 as u32
    }

    /// The squared distance; infinite for nothing.
    #[inline(always)]
    pub(super) fn distance(self) -> f32 {
        match self {
            Self::NONE => f32::INFINITY,
            Self(bits) => f32::from_bits((bits >> 32) as u32),
        }
    }
}

/// For each row the nearest so far, by distance and then number.
///
/// What a row has in the end does not depend on the order in which threads offer.
pub(super) struct Candidates {
    most: usize,
    shards: Vec<Mutex<Vec<Candidate>>>,
}

impl Candidates {
    /// Empty lists of at most so many for each row.
    pub(super) fn new(rows: usize, most: usize) -> Self {
        let shard = |first| vec![Candidate::NONE; SHARD.min(rows - first) * most];
        Self {
            most,
            shards: (0..rows).step_by(SHARD).map(|first| Mutex::new(shard(first))).collect(),
        }
    }

    /// Offers to the list of a row. What is there already is kept with the smaller of its distances.
    pub(super) fn offer(&self, row: u32, offered: impl Iterator<Item = Candidate>) {
        let row = row as usize;
        let mut shard = self.shards[row / SHARD].lock().expect("a panic has ended the search");
        let list = &mut shard[row % SHARD * self.most..][..self.most];
        for offered in offered {
            let there = list.iter().position(|there| there.number() == offered.number());
            let end = there.map_or(self.most, |place| place + 1);
            insert(&mut list[..end], offered);
        }
    }

    /// The lists of all rows, one after the other.
    pub(super) fn lists(&mut self) -> impl Iterator<Item = &[Candidate]> {
        let most = self.most;
        self.shards.iter_mut().flat_map(move |shard| {
            shard.get_mut().expect("a panic has ended the search").chunks_exact(most)
        })
    }
}

/// Takes a candidate into a sorted list, if it precedes the last one, which falls out.
#[inline(always)]
pub(super) fn insert(list: &mut [Candidate], inserted: Candidate) {
    let mut place = list.len();
    while place > 0 && inserted < list[place - 1] {
        if place < list.len() {
            list[place] = list[place - 1];
        }
        place -= 1;
    }
    if place < list.len() {
        list[place] = inserted;
    }
}
