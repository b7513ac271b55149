//! Blocks of rows in f32, whose product bounds the distances of their pairs from below.

use std::ops::Range;

use super::frame::{Frame, rounding};
use super::tuning::LOADED;
use crate::element::Element;
use crate::memory::{collected, copied, filled};
use crate::neighbors::kernel::{Panels, squared_distance};
use crate::rows::Rows;
use crate::vector::vectorized;

/// Some rows, by numbers whose distances are not above those of the rows themselves: all features,
/// or coordinates along main axes.
pub(super) struct Block {
    /// The places of the rows in their data, ascending.
    pub(super) rows: Vec<u32>,
    /// The numbers of each row, which end with −½ of its squared length (see [`lowered`]): the sum
    /// of a pair is −½ of a lower bound of its squared distance.
    pub(super) panels: Panels,
    /// A closer bound for the pairs that the product leaves.
    pub(super) fine: Option<Fine>,
}

impl Block {
    /// A block of some rows, ascending, by all features.
    pub(super) fn of_features<A: Element>(
        rows: &Rows<'_, A>,
        members: &[u32],
        frame: &Frame,
    ) -> Self {
        let width = rows.features();
        let mut panels = Panels::new(members.len(), width);
        let (mut values, mut packed) = (Vec::new(), filled(0.0, width));
        for (part, loaded) in members.chunks(LOADED).enumerate() {
            rows.load_all(loaded.iter().map(|&row| row as usize), &mut values);
            for (place, values) in values.chunks_exact_mut(width).enumerate() {
                let end = lowered(frame.move_and_scale(values), width, 0.0);
                for (packed, &value) in packed.iter_mut().zip(&*values) {
                    *packed = if value.is_nan() { 0.0 } else { value as f32 };
                }
                panels.set(part * LOADED + place, &packed, end);
            }
        }
        Self { rows: copied(members), panels, fine: None }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The block as a side of a comparison, with the data that its rows are from.
    pub(super) fn of<'a, A: Element>(&'a self, rows: &'a Rows<'_, A>) -> Side<'a, A> {
        Side { rows: rows.reborrow(), block: self }
    }
}

/// −½ of a row's squared length, lowered by what rounding can add to a product of `width` numbers
/// (see `blocked.rs`), and by a `share` of itself for other roundings. For a row without a
/// direction, whose length is NaN, −∞, so that the row never passes the filter.
pub(super) fn lowered(squared_length: f64, width: usize, share: f64) -> f32 {
    match squared_length.is_nan() {
        true => f32::NEG_INFINITY,
        false => (-0.5 * squared_length * (1.0 - rounding(width) - share)) as f32,
    }
}

/// Consecutive parts of a range, each of `size` but perhaps the last.
pub(super) fn parts(range: Range<usize>, size: usize) -> Vec<Range<usize>> {
    let end = range.end;
    collected(range.step_by(size).map(|start| start..end.min(start + size)))
}

/// More numbers for each row of a block, for a closer bound.
pub(super) struct Fine {
    /// The numbers of a row.
    pub(super) width: usize,
    /// The numbers of all rows, row by row.
    pub(super) values: Vec<f32>,
    /// What the rounding of a row's numbers can add to a squared distance, for each row.
    pub(super) slack: Vec<f32>,
}

impl Fine {
    /// A lower bound of the squared distance of row `i` to row `j` of another block.
    pub(super) fn bound(&self, i: usize, other: &Self, j: usize) -> f32 {
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
pub(super) struct Side<'a, A> {
    pub(super) rows: Rows<'a, A>,
    pub(super) block: &'a Block,
}

impl<A: Element> Side<'_, A> {
    /// The number of the block's row `i` in the whole data, of which the rows may be a part.
    pub(super) fn number(&self, i: usize) -> usize {
        self.rows.first + self.block.rows[i] as usize
    }

    /// The key of a row, which is loaded, and the block's row `i` (see [`Rows::key_within`]).
    pub(super) fn key_within(&self, row: &[f64], i: usize, limit: f64, buffer: &mut [f64]) -> f64 {
        self.rows.key_within(row, self.block.rows[i] as usize, limit, buffer)
    }

    /// Loads the block's row `i`.
    pub(super) fn load(&self, i: usize, out: &mut [f64]) {
        self.rows.load(self.block.rows[i] as usize, out);
    }
}
