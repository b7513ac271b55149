//! All pairs of two sets of rows, by the kernel of their terms.

use std::ops::Range;

#[cfg(test)]
use pulp::Simd;

use super::bytes;
#[cfg(test)]
use super::panels::{Line, VECTORS, lines_mut};
use super::panels::{Pairs, Panels, Terms};
use super::product::{self, Larger, Products, Squares};
use crate::run::progress::Meter;

/// Shows `pairs` the sum of each row of `left` with each row of `right`; not of all, if the run is
/// stopped.
pub(crate) fn all_pairs(left: &Panels, right: &Panels, pairs: &mut impl Pairs, meter: &Meter) {
    match left.terms() {
        Terms::Products => product::all_pairs([left, right], pairs, Products, meter),
        Terms::Larger => product::all_pairs([left, right], pairs, Larger, meter),
        Terms::Squares => product::all_pairs([left, right], pairs, Squares, meter),
        Terms::Bytes => bytes::all_pairs([left, right], pairs, meter),
    }
}

/// Shows `pairs` the sums of some rows of a set in f32, from the first of a panel on, with all rows of the set from
/// that panel's first on; not of all, if the run is stopped.
pub(super) fn upper_pairs(
    panels: &Panels,
    rows: Range<usize>,
    pairs: &mut impl Pairs,
    meter: &Meter,
) {
    match panels.terms() {
        Terms::Products => product::upper_pairs(panels, rows, pairs, Products, meter),
        Terms::Larger => product::upper_pairs(panels, rows, pairs, Larger, meter),
        Terms::Squares => product::upper_pairs(panels, rows, pairs, Squares, meter),
        Terms::Bytes => unreachable!("rows of bytes are compared with others"),
    }
}

/// The sums of some pairs that have been shown, a vector for each row of the left.
#[cfg(test)]
pub(super) struct Shown {
    pub(super) sums: Vec<Vec<Option<f32>>>,
}

#[cfg(test)]
impl Shown {
    pub(super) fn of([rows, others]: [usize; 2]) -> Self {
        Self { sums: vec![vec![None; others]; rows] }
    }
}

#[cfg(test)]
impl Pairs for Shown {
    fn look<S: Simd>(&mut self, _: S, row: usize, first: usize, sums: &Line<S>) {
        let mut line = vec![0.0; VECTORS * S::F32_LANES];
        lines_mut::<S>(&mut line)[0] = *sums;
        for (place, sum) in (first..).zip(line) {
            match self.sums[row].get_mut(place) {
                Some(shown) => assert_eq!(shown.replace(sum), None, "once"),
                None => assert_eq!(sum, f32::NEG_INFINITY, "beyond the last row"),
            }
        }
    }
}

/// The sum of each pair, a vector for each row of the left.
#[cfg(test)]
pub(crate) fn all_sums(left: &Panels, right: &Panels) -> Vec<Vec<f32>> {
    let mut shown = Shown::of([left, right].map(Panels::rows));
    all_pairs(left, right, &mut shown, &Meter::stopped_at_once(false));
    let of_row = |sums: Vec<Option<f32>>| sums.into_iter().map(|sum| sum.expect("all are shown"));
    shown.sums.into_iter().map(|sums| of_row(sums).collect()).collect()
}
