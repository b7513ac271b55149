//! Rows as a few numbers that are the same on every machine.
//!
//! The numbers are (y, r), the coordinates along the main axes and the distance to them, as in
//! `coordinates.rs`; their distances are lower bounds of those of the rows. There they only decide
//! what is compared. Here they decide what is found, so that no processor may round them in its own
//! way: rows and axes are rounded beforehand to so few bits that f64 holds their products, and the
//! sums of these, exactly.

use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, s};
use rayon::prelude::*;

use super::block::squares;
use super::product::{Matrix, minus_two_products};
use crate::element::Element;
use crate::progress::Meter;
use crate::projection::{Projection, exact_bits, power_of_two_above, rounded};
use crate::rows::Rows;
use crate::vector::vectorized;

/// Main axes, of which 63 and the distance to them fill four cache lines. On 10⁶ samples of 256
/// features distances of sketches are 0.8 times those of rows (of 31 axes 0.67, which leaves several
/// times as many rows to be compared by key).
const AXES: usize = 63;
/// Rows that are projected at a time, and values of them at most.
const PART: usize = 256;
const PART_VALUES: usize = 1 << 20;
/// How much larger than those of a sample values may be. What is beyond counts as if it were there,
/// which brings rows nearer to each other.
const HEADROOM: f64 = 4.0;

/// Sketches compared with others at a time, so that their products stay in a core's second cache.
const COMPARED: usize = 128;

/// Rows as sketches.
pub(super) struct Sketch {
    width: usize,
    /// (y, r) row by row, N × width.
    values: Vec<f32>,
    /// The rows that have a direction.
    rows: Vec<u32>,
    /// What rows were multiplied by.
    scale: f64,
    /// How much farther than rows their sketches may be, for rounding.
    error: f64,
}

impl Sketch {
    /// Sketches all rows, unless nobody waits for them any more.
    pub(super) fn of<A: Element>(rows: &Rows<'_, A>, meter: &Meter) -> Self {
        let features = rows.features();
        let projection = Projection::of(rows, AXES.min(features), || meter.stopped());
        let axes = rounded(projection.axes().to_owned(), features);
        let scale = 1.0 / (HEADROOM * power_of_two_above(projection.largest()));
        let steps = (1u64 << exact_bits(features)) as f64;

        let [along, width] = [axes.nrows(), axes.nrows() + 1];
        let part_rows = PART.min(PART_VALUES / features).max(1);
        let mut values = vec![0.0; rows.len() * width];
        values.par_chunks_mut(part_rows * width).enumerate().for_each_init(
            || (Vec::new(), Array2::zeros((part_rows, along))),
            |(loaded, products), (part, values)| {
                if meter.stopped() {
                    return;
                }
                let (first, count) = (part * part_rows, values.len() / width);
                rows.load_block(first..first + count, loaded);
                for row in loaded.chunks_exact_mut(features) {
                    for (value, center) in row.iter_mut().zip(projection.center()) {
                        let scaled = ((*value - center) * scale).clamp(-1.0, 1.0);
                        *value = nearest_integer(scaled * steps) / steps;
                    }
                }
                let rows = ArrayView2::from_shape((count, features), loaded);
                let rows = rows.expect("rows are whole");
                let mut products = products.slice_mut(s![..count, ..]);
                general_mat_mul(1.0, &rows, &axes.t(), 0.0, &mut products);
                let sketches = values.chunks_exact_mut(width);
                for ((row, y), values) in rows.outer_iter().zip(products.outer_iter()).zip(sketches)
                {
                    let length = row.dot(&row);
                    let within = y.iter().fold(0.0, |sum, y| sum + y * y);
                    values.iter_mut().zip(y).for_each(|(value, y)| *value = *y as f32);
                    values[along] = (length - within).max(0.0).sqrt() as f32;
                }
            },
        );
        let numbers = 0..rows.len() as u32;
        let rows = numbers.filter(|&row| !values[row as usize * width].is_nan()).collect();
        // Of a row, half a step in each feature; along each axis, half a step in each feature of it
        // times the row's length. Of two rows, and twice over for safety.
        let squares = values.par_chunks_exact(width).map(|x| x.iter().map(|x| x * x).sum::<f32>());
        let longest = squares.filter(|square| !square.is_nan()).reduce(|| 0.0, f32::max).sqrt();
        let root = |count: usize| (count as f64).sqrt();
        let error = 2.0 * root(features) / steps * (1.0 + root(along) * f64::from(longest));
        Self { width, values, rows, scale, error }
    }

    /// The rows that have a direction, ascending.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The number of all rows.
    pub(super) fn len(&self) -> usize {
        self.values.len() / self.width
    }

    /// The sketch of a row.
    pub(super) fn values(&self, row: u32) -> &[f32] {
        &self.values[row as usize * self.width..][..self.width]
    }

    /// The largest distance of two sketches whose rows have at most this squared distance.
    pub(super) fn limit(&self, key: f64) -> f64 {
        key.sqrt() * self.scale + self.error
    }
}

/// The largest length of a sketch in steps of its group.
const STEPS: f32 = 2000.0;

/// Rows of a group whose mean is its middle.
const CENTRAL: usize = 32;

/// Sketches of some rows, in whole steps from their middle.
///
/// With so few steps, f32 holds all sums of products of two of them exactly.
#[derive(Default)]
pub(super) struct Group {
    /// Steps to a unit of the sketch; 0 if all are equal.
    fineness: f32,
    /// What rounding may add to a distance, in steps.
    error: f64,
    width: usize,
    sketches: Vec<f32>,
    /// (x, −1/2, −‖x‖²/2) and (x, ‖x‖², 1) of each: the product of the one of x and the other of y
    /// is −‖x−y‖²/2.
    left: Vec<f32>,
    right: Vec<f32>,
}

impl Group {
    /// Replaces the group by that of other rows, some after some others.
    pub(super) fn gather(&mut self, sketch: &Sketch, rows: &[u32], others: &[u32]) {
        self.width = sketch.width + 2;
        self.sketches.clear();
        for &row in rows.iter().chain(others) {
            self.sketches.extend_from_slice(sketch.values(row));
        }
        let values = (rows.len() + others.len()) * self.width;
        self.left.resize(values, 0.0);
        self.right.resize(values, 0.0);
        self.fineness = to_steps(&self.sketches, sketch.width, [&mut self.left, &mut self.right]);
        // Half a step in each number of both, and a hair for the rounding of what is rounded.
        self.error = 2.0 * 0.501 * (sketch.width as f64).sqrt();
    }

    /// Calls `found` with each of some sketches and its squared distances, in steps, to some others:
    /// the same on every machine. Keeps its numbers in `products`.
    pub(super) fn distances(
        &self,
        of: Range<usize>,
        to: Range<usize>,
        products: &mut Vec<f32>,
        mut found: impl FnMut(usize, &mut [f32]),
    ) {
        if to.is_empty() {
            return;
        }
        for first in of.clone().step_by(COMPARED) {
            let rows = first..of.end.min(first + COMPARED);
            products.resize(rows.len() * to.len(), 0.0);
            let left =
                Matrix::new(&self.left[rows.start * self.width..rows.end * self.width], self.width);
            let right =
                Matrix::new(&self.right[to.start * self.width..to.end * self.width], self.width);
            minus_two_products(left, right, products);
            for (row, distances) in rows.zip(products.chunks_exact_mut(to.len())) {
                found(row, distances);
            }
        }
    }

    /// A squared distance in units of the sketch.
    pub(super) fn real(&self, distance: f32) -> f32 {
        if self.fineness > 0.0 { distance / self.fineness / self.fineness } else { 0.0 }
    }

    /// The largest squared distance, in steps, of two rows whose sketches are at most so far from
    /// each other.
    pub(super) fn limit(&self, distance: f64) -> f32 {
        let steps = distance * f64::from(self.fineness) + self.error;
        // What is infinite is not near.
        ((steps * steps * (1.0 + 1e-6)) as f32).min(f32::MAX)
    }
}

vectorized! {
    /// Writes both sides of the product for sketches of this width, and returns how many steps make
    /// a unit.
    fn to_steps<'a>(sketches: &'a [f32], width: usize, sides: [&'a mut [f32]; 2]) -> f32 {
        let mut center = vec![0.0; width];
        for sketch in sketches.chunks_exact(width).take(CENTRAL) {
            for (center, value) in center.iter_mut().zip(sketch) {
                *center += value;
            }
        }
        let count = (sketches.len() / width).min(CENTRAL) as f32;
        for center in &mut center {
            *center /= count;
        }
        let mut farthest = 0.0;
        for sketch in sketches.chunks_exact(width) {
            farthest = f32::max(farthest, squares(sketch, &center));
        }
        let origin = vec![0.0; width];
        let fineness = if farthest > 0.0 { STEPS / farthest.sqrt() } else { 0.0 };
        let [left, right] = sides;
        let sides = left.chunks_exact_mut(width + 2).zip(right.chunks_exact_mut(width + 2));
        for (sketch, (left, right)) in sketches.chunks_exact(width).zip(sides) {
            for ((x, center), (left, right)) in
                sketch.iter().zip(&center).zip(left.iter_mut().zip(right.iter_mut()))
            {
                let step = nearest_step((x - center) * fineness);
                *left = step;
                *right = step;
            }
            let norm = squares(&left[..width], &origin);
            (left[width], left[width + 1]) = (-0.5, -0.5 * norm);
            (right[width], right[width + 1]) = (norm, 1.0);
        }
        fineness
    }
}

/// Rounds a number below 2⁵¹; in two additions where `round` may be a call.
fn nearest_integer(number: f64) -> f64 {
    const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;
    number + SHIFT - SHIFT
}

/// The same in f32, below 2²².
#[inline(always)]
fn nearest_step(number: f32) -> f32 {
    const SHIFT: f32 = 1.5 * (1u32 << 23) as f32;
    number + SHIFT - SHIFT
}
