//! Neighbours of the copies of weighted samples.
//!
//! A copy's nearest are searched among all copies, as if each were a row of its own: first the other
//! copies of its sample, which are equal to it, then those of other samples. A sample at the same key
//! as the copies themselves, which is a sample of an equal row, comes before them if its number is
//! smaller. No copy is ever compared: the nearest samples tell all.

use rayon::prelude::*;

use super::table::{FirstNeighbors, Neighbors};
use crate::samples::comparable::Keyed;
use crate::samples::weights::Weights;
use crate::support::memory::filled;
use crate::support::parallel::SharedSplitting as _;

/// Rows of one thread.
const PART: usize = 256;

/// A sample whose copies are compared with its neighbours.
pub(crate) struct Own<'a, R: Keyed> {
    rows: &'a R,
    sample: u32,
    row: R::Row,
    other: R::Row,
    /// The key of two copies of the sample: 0.
    key: f64,
}

impl<'a, R: Keyed> Own<'a, R> {
    pub(crate) fn new(rows: &'a R) -> Self {
        let [row, other] = [(); 2].map(|()| rows.room());
        Self { rows, sample: 0, row, other, key: 0.0 }
    }

    pub(crate) fn load(&mut self, sample: u32) {
        self.sample = sample;
        self.rows.load(sample as usize, &mut self.row);
        self.key = self.rows.key(&self.row, sample as usize, &mut self.other);
    }

    /// The distance of two copies of the sample.
    pub(crate) fn distance(&self) -> f64 {
        self.rows.metric().distance(self.key)
    }

    /// True if another sample is nearer to each copy of the sample than the other copies are.
    pub(crate) fn is_preceded_by(&mut self, other: u32, distance: f64) -> bool {
        // Two keys may round to the same distance.
        let near = distance <= self.distance();
        near && {
            let key = self.rows.key(&self.row, other as usize, &mut self.other);
            key < self.key || (key == self.key && other < self.sample)
        }
    }

    /// The samples in the order in which their copies are near to a copy of a sample, each with its distance:
    /// the sample itself among its nearest others.
    pub(crate) fn among_others(
        &mut self,
        sample: u32,
        copies: u64,
        others: impl Iterator<Item = (u32, f64)> + Clone,
    ) -> impl Iterator<Item = (u32, f64)> {
        // Where there is one copy, it is nearest to nothing of its own.
        let (mut before, mut of_copies) = (0, 0.0);
        if copies > 1 {
            self.load(sample);
            of_copies = self.distance();
            let precede = |&(other, distance): &(u32, f64)| self.is_preceded_by(other, distance);
            before = others.clone().take_while(precede).count();
        }
        others.clone().take(before).chain([(sample, of_copies)]).chain(others.skip(before))
    }
}

/// The `k` nearest copies of a copy of each sample, as the numbers of their samples, from the `k` nearest samples of
/// each sample (or from all, where there are no more): a sample stands in a row as often as its copies are near, and
/// in its own row with the other copies of itself.
pub(crate) fn nearest_copies(
    rows: &impl Keyed,
    weights: &Weights,
    neighbors: &Neighbors,
    k: usize,
) -> Neighbors {
    let samples = rows.len();
    let mut index = filled(Neighbors::NONE, samples * k);
    let mut distance = filled(f64::INFINITY, samples * k);
    let parts = index.par_chunks_mut(k * PART).zip(distance.par_chunks_mut(k * PART)).enumerate();
    parts.shared().for_each_init(
        || Own::new(rows),
        |own, (part, (index, distance))| {
            let lists = index.chunks_mut(k).zip(distance.chunks_mut(k));
            for (at, (index, distance)) in lists.enumerate() {
                let sample = (part * PART + at) as u32;
                let count = |other: u32| weights.of(other).count - u64::from(other == sample);
                let in_order =
                    own.among_others(sample, weights.of(sample).count, neighbors.of_sample(sample));
                let copies = in_order.flat_map(|near| (0..count(near.0)).map(move |_| near));
                let places = index.iter_mut().zip(distance);
                places.zip(copies).for_each(|(place, near)| (*place.0, *place.1) = near);
            }
        },
    );
    Neighbors::of_parts([samples, k], index, distance, neighbors.choice())
}

/// The links of the copies, for each sample one: a sample whose copies are first neighbours of each
/// other is its own first neighbour, at the distance of its copies.
pub(crate) fn links_of_copies(
    rows: &impl Keyed,
    weights: &Weights,
    first: &FirstNeighbors,
) -> FirstNeighbors {
    let mut links = first.copied();
    let (index, distance) = links.parts_mut();
    let parts = index.par_chunks_mut(PART).zip(distance.par_chunks_mut(PART)).enumerate();
    parts.shared().for_each_init(
        || Own::new(rows),
        |own, (part, (index, distance))| {
            for (at, (neighbor, distance)) in index.iter_mut().zip(distance).enumerate() {
                let sample = (part * PART + at) as u32;
                if weights.of(sample).count > 1 {
                    own.load(sample);
                    if !own.is_preceded_by(*neighbor, *distance) {
                        (*neighbor, *distance) = (sample, own.distance());
                    }
                }
            }
        },
    );
    links
}
