//! Rows in f32 of which a matrix product tells what need not be compared.

use crate::element::Element;
use crate::neighbors::kernel::Panels;
use crate::neighbors::kernel::squares;
use crate::rows::Rows;
use crate::vector::vectorized;

/// Rows of a block: along a few main axes, those of two stay in a core's second cache while they
/// are compared.
pub(super) const BLOCK: usize = 512;

/// Some rows, by numbers of which no distance between two is above that of the rows themselves.
pub(super) struct Block {
    /// The rows, ascending.
    pub(super) rows: Vec<u32>,
    /// The numbers, and −½ of the squared lengths (see [`lowered`]): what is seen of a pair is −½
    /// of a lower bound.
    pub(super) panels: Panels,
    /// A closer bound for the pairs that these leave.
    pub(super) fine: Option<Fine>,
}

impl Block {
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    pub(super) fn of<'a, A: Element>(&'a self, rows: &'a Rows<'_, A>) -> Side<'a, A> {
        Side { rows: rows.reborrow(), block: self }
    }
}

/// −½ of a squared length that is lowered by what rounding can add to a product of so many numbers
/// (see `blocked.rs`), and by a share of it for what else is rounded. That of a row without
/// direction, NaN, becomes −∞, so that the row never passes the filter.
pub(super) fn lowered(norm: f64, width: usize, share: f64) -> f32 {
    let product = (4 * width + 16) as f64 * f64::from(f32::EPSILON / 2.0);
    if norm.is_nan() { f32::NEG_INFINITY } else { (-0.5 * norm * (1.0 - product - share)) as f32 }
}

/// More numbers for each row of a block.
pub(super) struct Fine {
    pub(super) width: usize,
    pub(super) values: Vec<f32>,
    /// What the rounding of these can add to a squared distance.
    pub(super) slack: Vec<f32>,
}

impl Fine {
    /// A lower bound of the squared distance of a row to one of another block.
    pub(super) fn bound(&self, i: usize, other: &Self, j: usize) -> f32 {
        let row = |fine: &'_ Self, i: usize| i * fine.width..(i + 1) * fine.width;
        let squares = squares_of(&self.values[row(self, i)], &other.values[row(other, j)]);
        // Each term and sum is rounded by half an ulp, at most; all of it twice over, for safety.
        let rounding = (self.width + 4) as f32 * f32::EPSILON;
        squares * (1.0 - rounding) - self.slack[i] - other.slack[j]
    }
}

vectorized! {
    fn squares_of<'a>(x: &'a [f32], y: &'a [f32]) -> f32 {
        squares(x, y)
    }
}

/// A block and the rows that it is from.
#[derive(Clone, Copy)]
pub(super) struct Side<'a, A> {
    pub(super) rows: Rows<'a, A>,
    pub(super) block: &'a Block,
}

impl<A: Element> Side<'_, A> {
    /// The number of the block's row `i`, in the data that the rows are a part of.
    pub(super) fn number(&self, i: usize) -> usize {
        self.rows.first + self.block.rows[i] as usize
    }

    /// The key of a row, which is loaded, and the block's row `i` (see [`Rows::key`]).
    pub(super) fn key(&self, row: &[f64], i: usize, buffer: &mut [f64]) -> f64 {
        self.rows.key(row, self.block.rows[i] as usize, buffer)
    }

    pub(super) fn load(&self, i: usize, out: &mut [f64]) {
        self.rows.load(self.block.rows[i] as usize, out);
    }
}
