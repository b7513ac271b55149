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

use super::block::{lowered, squares};
use super::bounds::{LANES, any_within};
use super::product::{Matrix, minus_two_products};
use crate::element::Element;
use crate::progress::Meter;
use crate::projection::{Projection, exact_bits, power_of_two_above, rounded};
use crate::rows::Rows;

/// Main axes, of which 63 and the distance to them fill four cache lines. Of the first neighbours of
/// 10⁶ samples of 256 features, 97.3 % are among 16 candidates with 31 axes, and 99.5 % with 63; with
/// 127, which takes more than half again as long, 99.4 % are among 8, and with 63 98.8 %.
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
    /// Squared lengths of these, less all that rounding can add to a product; infinite without a
    /// direction.
    norms: Vec<f32>,
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
        let mut norms = vec![0.0; rows.len()];
        let parts = values.par_chunks_mut(part_rows * width).zip(norms.par_chunks_mut(part_rows));
        parts.enumerate().for_each_init(
            || (Vec::new(), Array2::zeros((part_rows, along))),
            |(loaded, products), (part, (values, norms))| {
                if meter.stopped() {
                    return;
                }
                let first = part * part_rows;
                rows.load_block(first..first + norms.len(), loaded);
                for row in loaded.chunks_exact_mut(features) {
                    for (value, center) in row.iter_mut().zip(projection.center()) {
                        let scaled = ((*value - center) * scale).clamp(-1.0, 1.0);
                        *value = nearest_integer(scaled * steps) / steps;
                    }
                }
                let rows = ArrayView2::from_shape((norms.len(), features), loaded);
                let rows = rows.expect("rows are whole");
                let mut products = products.slice_mut(s![..norms.len(), ..]);
                general_mat_mul(1.0, &rows, &axes.t(), 0.0, &mut products);
                let sketches = values.chunks_exact_mut(width).zip(norms);
                for ((row, y), (values, norm)) in
                    rows.outer_iter().zip(products.outer_iter()).zip(sketches)
                {
                    let length = row.dot(&row);
                    let within = y.iter().fold(0.0, |sum, y| sum + y * y);
                    values.iter_mut().zip(y).for_each(|(value, y)| *value = *y as f32);
                    values[along] = (length - within).max(0.0).sqrt() as f32;
                    let squares = values.iter().map(|&value| f64::from(value).powi(2));
                    *norm = lowered(squares.sum(), width, 0.0);
                }
            },
        );
        let numbers = 0..rows.len() as u32;
        let rows = numbers.filter(|&row| norms[row as usize].is_finite()).collect();
        // Of a row, half a step in each feature; along each axis, half a step in each feature of it
        // times the row's length. Of two rows, and twice over for safety.
        let finite = norms.iter().filter(|norm| norm.is_finite());
        let longest = finite.fold(0.0, |longest, &norm| f32::max(longest, norm)).sqrt();
        let root = |count: usize| (count as f64).sqrt();
        let error = 2.0 * root(features) / steps * (1.0 + root(along) * f64::from(longest));
        Self { width, values, norms, rows, scale, error }
    }

    /// The rows that have a direction, ascending.
    pub(super) fn rows(&self) -> &[u32] {
        &self.rows
    }

    /// The number of all rows.
    pub(super) fn len(&self) -> usize {
        self.norms.len()
    }

    /// Rows that follow each other.
    pub(super) fn span(&self, rows: Range<usize>) -> Span<'_> {
        let values = &self.values[rows.start * self.width..rows.end * self.width];
        Span { values, width: self.width, norms: &self.norms[rows] }
    }

    /// The largest squared distance of two sketches whose rows have at most this squared distance.
    pub(super) fn limit(&self, key: f64) -> f32 {
        let distance = key.sqrt() * self.scale;
        ((distance + self.error) * (1.0 + 1e-3)).powi(2) as f32
    }
}

/// Sketches one after the other, and their squared lengths, lowered.
#[derive(Clone, Copy)]
pub(super) struct Span<'a> {
    values: &'a [f32],
    width: usize,
    norms: &'a [f32],
}

impl<'a> Span<'a> {
    /// The number of sketches.
    pub(super) fn len(&self) -> usize {
        self.norms.len()
    }

    /// Some of them.
    pub(super) fn part(&self, range: Range<usize>) -> Self {
        let values = &self.values[range.start * self.width..range.end * self.width];
        Self { values, norms: &self.norms[range], ..*self }
    }

    /// The squared distance of one to one of others, the same on every machine.
    pub(super) fn distance(&self, i: usize, others: &Span<'_>, j: usize) -> f32 {
        squares(self.values(i), others.values(j))
    }

    fn values(&self, i: usize) -> &'a [f32] {
        &self.values[i * self.width..][..self.width]
    }

    fn matrix(&self) -> Matrix<'a> {
        Matrix::new(self.values, self.width)
    }
}

/// Sketches of rows from here and there, brought together.
#[derive(Default)]
pub(super) struct Group {
    width: usize,
    values: Vec<f32>,
    norms: Vec<f32>,
}

impl Group {
    /// Replaces the group by that of other rows.
    pub(super) fn gather(&mut self, sketch: &Sketch, rows: &[u32]) {
        self.width = sketch.width;
        self.values.clear();
        self.norms.clear();
        for row in rows.iter().map(|&row| row as usize) {
            self.values.extend_from_slice(&sketch.values[row * self.width..][..self.width]);
            self.norms.push(sketch.norms[row]);
        }
    }

    pub(super) fn span(&self) -> Span<'_> {
        Span { values: &self.values, width: self.width, norms: &self.norms }
    }
}

/// Calls `found` with each sketch of `queries` and what tells which others are near it. Keeps its
/// numbers in `products`.
pub(super) fn compare(
    queries: Span<'_>,
    others: Span<'_>,
    products: &mut Vec<f32>,
    mut found: impl FnMut(usize, Bounds<'_>),
) {
    for first in (0..queries.len()).step_by(COMPARED) {
        let part = queries.part(first..queries.len().min(first + COMPARED));
        products.resize(part.len() * others.len(), 0.0);
        minus_two_products(part.matrix(), others.matrix(), products);
        for (i, products) in products.chunks_exact_mut(others.len()).enumerate() {
            products.iter_mut().zip(others.norms).for_each(|(product, norm)| *product += norm);
            found(first + i, Bounds { less: products, norm: part.norms[i] });
        }
    }
}

/// Lower bounds of the squared distances of one sketch to others: no processor's product is above
/// the distance that all have in common.
pub(super) struct Bounds<'a> {
    /// The bounds, less `norm`.
    less: &'a [f32],
    norm: f32,
}

impl Bounds<'_> {
    /// Calls `near` with each of the others whose bound is within the limit, which `near` may lower.
    pub(super) fn within(&self, limit: f32, mut near: impl FnMut(usize) -> f32) {
        // Rounded up: what the limit has left is of another size.
        let less = |limit: f32| (limit - self.norm).next_up();
        let mut limit = less(limit);
        for (group, bounds) in self.less.chunks(LANES).enumerate() {
            if any_within(bounds, &[limit; LANES]) {
                for (j, bound) in bounds.iter().enumerate() {
                    if *bound <= limit {
                        limit = less(near(group * LANES + j));
                    }
                }
            }
        }
    }
}

/// Rounds a number below 2⁵¹; in two additions where `round` may be a call.
fn nearest_integer(number: f64) -> f64 {
    const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;
    number + SHIFT - SHIFT
}
