//! Rows that an approximate search compares by key in the end, whatever it finds them by.

use super::sketches::Sketches;
use super::truth;
use crate::neighbors::lists::Nearest;
use crate::run::progress::Meter;
use crate::samples::rows::Rows;
use crate::samples::sparse::{SparseRow, SparseRows};
use crate::support::memory::filled;

/// Rows that are compared by key.
pub(in crate::neighbors) trait Compared: Sync {
    /// A row that is loaded, or room for one.
    type Row: Send + Sync;

    /// The number of rows.
    fn len(&self) -> usize;

    /// Room for a row.
    fn room(&self) -> Self::Row;

    /// Loads a row.
    fn load(&self, number: usize, row: &mut Self::Row);

    /// The key of a row that is loaded and the row of number `other`; or infinity where one look tells
    /// that the key is above `limit`.
    fn key_within(&self, row: &Self::Row, other: usize, limit: f64, room: &mut Self::Row) -> f64;
}

/// Rows that have sketches, and are compared by key.
pub(in crate::neighbors) trait Keyed: Compared {
    /// The squared Euclidean distance that rows of this key have, at most.
    fn squared(&self, key: f64) -> f64;

    /// Lists of the true `k` nearest of the rows at the places that are asked for, among the rows at the
    /// places of the base. For each of these rows, `known` has a key that at least `k` others do not
    /// exceed.
    fn truth(
        &self,
        sketches: &Sketches,
        base_and_asked: [&[u32]; 2],
        k: usize,
        known: &(impl Fn(usize) -> f64 + Sync),
        meter: &Meter,
    ) -> Vec<Nearest>;
}

impl Compared for Rows<'_> {
    type Row = Vec<f64>;

    fn len(&self) -> usize {
        Rows::len(self)
    }

    fn room(&self) -> Vec<f64> {
        filled(0.0, self.features())
    }

    fn load(&self, number: usize, row: &mut Vec<f64>) {
        Rows::load(self, number, row);
    }

    fn key_within(&self, row: &Vec<f64>, other: usize, limit: f64, room: &mut Vec<f64>) -> f64 {
        match limit < f64::INFINITY {
            true => Rows::key_within(self, row, other, limit, room),
            false => self.key(row, other, room),
        }
    }
}

impl Compared for SparseRows<'_> {
    type Row = SparseRow;

    fn len(&self) -> usize {
        SparseRows::len(self)
    }

    fn room(&self) -> SparseRow {
        SparseRow::default()
    }

    fn load(&self, number: usize, row: &mut SparseRow) {
        SparseRows::load(self, number, row);
    }

    fn key_within(&self, row: &SparseRow, other: usize, _: f64, room: &mut SparseRow) -> f64 {
        SparseRows::load(self, other, room);
        self.key(row, room)
    }
}

impl Keyed for Rows<'_> {
    fn squared(&self, key: f64) -> f64 {
        self.metric.squared_of_points(key)
    }

    fn truth(
        &self,
        sketches: &Sketches,
        base_and_asked: [&[u32]; 2],
        k: usize,
        known: &(impl Fn(usize) -> f64 + Sync),
        meter: &Meter,
    ) -> Vec<Nearest> {
        match self.metric.has_products() {
            true => truth::nearest_of(self, sketches, base_and_asked, k, known, meter),
            // Sketches bound sums of differences so loosely that nearly all rows would be compared by key.
            false => truth::nearest_by_features(self, sketches, base_and_asked, k, meter),
        }
    }
}
