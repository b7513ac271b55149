//! Blocks of rows in f32, whose product bounds the distances of their pairs from below.

use std::ops::Range;

use super::bytes::round;
use super::frame::{Frame, rounding};
use crate::neighbors::exact::tuning::{LOADED, LOADED_VALUES};
use crate::neighbors::kernel::{Panels, Terms, squared_distance};
use crate::run::progress::Meter;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, copied, filled};
use crate::support::simd::vectorized;

/// Some rows, by numbers whose distances are not above those of the rows themselves: all features,
/// or coordinates along principal axes.
pub(in crate::neighbors::exact) struct Block {
    /// The places of the rows in their data, ascending.
    pub(in crate::neighbors::exact) rows: Vec<u32>,
    /// The numbers of each row and its end (see [`lowered`], [`raised`]): the sum of a pair is −½ of a
    /// lower bound of its key, in units of the frame.
    pub(in crate::neighbors::exact) panels: Panels,
    /// A closer bound for the pairs that the product leaves.
    pub(in crate::neighbors::exact) fine: Option<Fine>,
}

impl Block {
    /// A block of some rows, ascending, by all features. If the run is stopped, their values are any.
    pub(in crate::neighbors::exact) fn of_features(
        rows: &Rows<'_>,
        members: &[u32],
        frame: &Frame,
        meter: &Meter,
    ) -> Self {
        let (width, terms) = (rows.features(), frame.terms());
        let mut panels = Panels::new(members.len(), width, terms);
        let (mut values, mut packed) = (Vec::new(), filled(0.0, width));
        let at_once = (LOADED_VALUES / width).clamp(1, LOADED);
        for (part, loaded) in members.chunks(at_once).enumerate() {
            if meter.stopped() {
                break;
            }
            rows.load_points(loaded.iter().map(|&row| row as usize), &mut values);
            for (place, values) in values.chunks_exact_mut(width).enumerate() {
                let squared_length = frame.move_and_scale(values);
                let lost = if terms == Terms::Bytes { round(values) } else { 0.0 };
                for (packed, &value) in packed.iter_mut().zip(&*values) {
                    *packed = if value.is_nan() { 0.0 } else { value as f32 };
                }
                let end = match terms {
                    Terms::Products => lowered(squared_length, width, 0.0),
                    Terms::Larger => raised(&packed),
                    Terms::Bytes => raised_by_lost(&packed, lost),
                    Terms::Squares => 0.0,
                };
                panels.set(part * at_once + place, &packed, end);
            }
        }
        Self { rows: copied(members), panels, fine: None }
    }

    /// The number of rows.
    pub(in crate::neighbors::exact) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The block as a side of a comparison, with the data that its rows are from.
    pub(in crate::neighbors::exact) fn of<'a>(&'a self, rows: &'a Rows<'_>) -> Side<'a> {
        Side { rows: rows.reborrow(), block: self }
    }
}

/// −½ of a row's squared length, lowered by what rounding can add to a product of `width` numbers
/// (see `blocked/`), and by a `share` of itself for other roundings. For a row without a
/// direction, whose length is NaN, −∞, so that the row never passes the filter.
pub(in crate::neighbors::exact) fn lowered(squared_length: f64, width: usize, share: f64) -> f32 {
    match squared_length.is_nan() {
        true => f32::NEG_INFINITY,
        false => (-0.5 * squared_length * (1.0 - rounding(width) - share)) as f32,
    }
}

/// ½ of the sum of a row's values, raised by what rounding can take from a sum of larger values (see
/// `blocked/`).
fn raised(values: &[f32]) -> f32 {
    let (mut sum, mut magnitudes) = (0.0, 0.0);
    for value in values.iter().copied().map(f64::from) {
        (sum, magnitudes) = (sum + value, magnitudes + value.abs());
    }
    let rounding = rounding(values.len());
    match rounding < 1.0 {
        true => (0.5 * (sum + rounding * magnitudes)) as f32,
        // A sum of so many values bounds nothing: the row is near all others.
        false => f32::MAX / 4.0,
    }
}

/// ½ of the distance that rounding to bytes has moved a row by (see `bytes.rs`), raised by what rounding can
/// take from a sum, which adds three numbers.
fn raised_by_lost(bytes: &[f32], lost: f64) -> f32 {
    let sum: f64 = bytes.iter().copied().map(f64::from).sum();
    (0.5 * (lost + rounding(0) * (lost + sum))) as f32
}

/// Consecutive parts of a range, each of `size` but perhaps the last.
pub(in crate::neighbors::exact) fn parts(range: Range<usize>, size: usize) -> Vec<Range<usize>> {
    let end = range.end;
    collected(range.step_by(size).map(|start| start..end.min(start + size)))
}

/// More numbers for each row of a block, for a closer bound.
pub(in crate::neighbors::exact) struct Fine {
    /// The numbers of a row.
    pub(in crate::neighbors::exact) width: usize,
    /// The numbers of all rows, row by row.
    pub(in crate::neighbors::exact) values: Vec<f32>,
    /// The amount that the rounding of a row's numbers can add to a squared distance, for each row.
    pub(in crate::neighbors::exact) slack: Vec<f32>,
}

impl Fine {
    /// A lower bound of the squared distance of row `i` to row `j` of another block.
    pub(in crate::neighbors::exact) fn bound(&self, i: usize, other: &Self, j: usize) -> f32 {
        let row = |fine: &'_ Self, i: usize| i * fine.width..(i + 1) * fine.width;
        let squares = fine_squares(&self.values[row(self, i)], &other.values[row(other, j)]);
        // Each term and sum is rounded by half an ulp, at most; all of it twice over, for safety.
        let rounding = (self.width + 4) as f32 * f32::EPSILON;
        squares * (1.0 - rounding) - self.slack[i] - other.slack[j]
    }
}

vectorized! {
    fn fine_squares<'a>(x: &'a [f32], y: &'a [f32]) -> f32 {
        squared_distance(x, y)
    }
}

/// One side of a comparison: a block, and the data that its rows are from.
#[derive(Clone, Copy)]
pub(in crate::neighbors::exact) struct Side<'a> {
    pub(in crate::neighbors::exact) rows: Rows<'a>,
    pub(in crate::neighbors::exact) block: &'a Block,
}

impl Side<'_> {
    /// The number of the block's row `i` in the whole data, of which the rows may be a part.
    pub(in crate::neighbors::exact) fn number(&self, i: usize) -> usize {
        self.rows.first + self.block.rows[i] as usize
    }

    /// The key of a row, which is loaded, and the block's row `i` (see [`Rows::key_within`]).
    pub(in crate::neighbors::exact) fn key_within(
        &self,
        row: &[f64],
        i: usize,
        limit: f64,
        buffer: &mut [f64],
    ) -> f64 {
        self.rows.key_within(row, self.block.rows[i] as usize, limit, buffer)
    }

    /// Loads the block's row `i`.
    pub(in crate::neighbors::exact) fn load(&self, i: usize, out: &mut [f64]) {
        self.rows.load(self.block.rows[i] as usize, out);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::neighbors::kernel::all_sums;
    use crate::samples::Samples;
    use crate::samples::metric::Metric;
    use crate::support::random::scrambled;

    /// Rows all about, hardly apart for their length, and with a few large values.
    #[test]
    fn sums_of_features_bound_keys_from_below() {
        let meter = &Meter::stopped_at_once(false);
        let noise = |number: usize| (scrambled(number as u64) >> 40) as f64 / 1e7 - 0.8;
        for features in [1, 9, 130, 2_500] {
            for (kind, share) in [("noise", 1.0), ("twins", 1e-6), ("cells", 1.0)] {
                let matrix = Array2::from_shape_fn((90, features), |(row, column)| {
                    let cell = kind == "cells" && (row + column) % 40 == 7;
                    let base = if cell { 1e20 } else { noise(row / 2 * features + column) };
                    base + share * noise(row * features + column + 1_000_000)
                });
                for &metric in Metric::ALL {
                    let rows = Rows::new(Samples::new(matrix.view()).unwrap(), metric);
                    let frame = Frame::of(&rows, meter);
                    let all: Vec<u32> = (0..90).collect();
                    let block = Block::of_features(&rows, &all, &frame, meter);
                    let sums = all_sums(&block.panels, &block.panels);
                    let [mut x, mut buffer] = [(); 2].map(|()| vec![0.0; features]);
                    for (i, j) in (0..90).flat_map(|i| (0..i).map(move |j| (i, j))) {
                        rows.load(i, &mut x);
                        let key = rows.key(&x, j, &mut buffer);
                        let limit = frame.limit(key);
                        let bound = -2.0 * sums[i][j];
                        let context = format!("{kind} of {features}, {metric:?}");
                        assert!(bound <= limit, "{context}: {bound} above {limit}");
                        let is_close = kind == "noise"
                            && matches!(metric, Metric::Manhattan | Metric::Hamming);
                        // Either row moves by half a step for each feature at most, which the bound allows for.
                        let moved = if frame.terms() == Terms::Bytes { 2 * features } else { 0 };
                        let least = limit * 0.99 - moved as f32;
                        assert!(!is_close || bound >= least, "{context}: {bound}, {limit}");
                    }
                }
            }
        }
    }
}
