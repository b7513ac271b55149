//! Rows that an approximate search compares by key in the end, whatever it finds them by.

use super::sketches::Sketches;
use super::truth;
use crate::neighbors::lists::Nearest;
use crate::run::progress::Meter;
use crate::samples::comparable::Keyed;
use crate::samples::rows::Rows;

/// Rows that have sketches.
pub(in crate::neighbors) trait Sketched: Sync {
    type Rows: Keyed;

    /// The rows, which are compared by key.
    fn rows(&self) -> &Self::Rows;

    /// The squared Euclidean distance that rows of this key have, at most.
    fn squared(&self, key: f64) -> f64;

    /// True if there can be sketches of all features that tell more than these.
    fn has_more(&self, _: &Sketches) -> bool {
        false
    }

    /// Sketches of all features in the places of these; `None` without such, and where the run is stopped.
    fn in_full(&self, _: &Sketches, _: &Meter) -> Option<Sketches> {
        None
    }

    /// Lists of the true `k` nearest of the rows at the places that are asked for, among the rows at the
    /// places of the base. For each of these rows, `known` has a key that at least `k` others do not
    /// exceed. Where all features have to be compared, only the first `most_by_features` rows get lists.
    fn truth(
        &self,
        sketches: &Sketches,
        base_and_asked: [&[u32]; 2],
        k: usize,
        known: &(impl Fn(usize) -> f64 + Sync),
        most_by_features: usize,
        meter: &Meter,
    ) -> Vec<Nearest>;
}

impl<'a> Sketched for Rows<'a> {
    type Rows = Rows<'a>;

    fn rows(&self) -> &Rows<'a> {
        self
    }

    fn squared(&self, key: f64) -> f64 {
        self.metric.squared_of_points(key)
    }

    fn has_more(&self, sketches: &Sketches) -> bool {
        // Distances of sketches are Euclidean.
        self.metric.has_products() && sketches.may_have_all_features()
    }

    fn in_full(&self, sketches: &Sketches, meter: &Meter) -> Option<Sketches> {
        sketches.of_all_features(self, meter)
    }

    fn truth(
        &self,
        sketches: &Sketches,
        base_and_asked: [&[u32]; 2],
        k: usize,
        known: &(impl Fn(usize) -> f64 + Sync),
        most_by_features: usize,
        meter: &Meter,
    ) -> Vec<Nearest> {
        match self.metric.has_products() {
            true => {
                let most = most_by_features;
                truth::nearest_of(self, sketches, base_and_asked, k, known, most, meter)
            }
            // Sketches bound sums of differences so loosely that nearly all rows would be compared by key.
            false => truth::nearest_by_features(self, sketches, base_and_asked, k, meter),
        }
    }
}
