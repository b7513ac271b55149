//! Exact search in many dimensions: blocks of a matrix product decide what need not be compared.
//!
//! ‖x−y‖² = ‖x‖² + ‖y‖² − 2x·y costs one f32 matrix product for a whole block of pairs, but it is
//! rounded. So it only filters: a pair whose product, less all that rounding can add, is above the
//! smallest key so far cannot be nearest; what is left is compared by key, in f64. With u = 2⁻²⁴
//! the rounding is at most (2d + 16)·u·(‖x‖² + ‖y‖²): d·u for each of the multiplications and the
//! additions of the product (in any order, fused or not; 2|x||y| ≤ |x|²+|y|²), and a few u for
//! rows, norms and sums rounded to f32. It is taken off the norms beforehand, which makes every
//! entry a lower bound and the filter one comparison.
//!
//! Rows are centred first, since the bound grows with their length, and scaled by a power of two,
//! so that f32 neither overflows nor loses small numbers.

use std::ops::Range;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayViewMut2};
use rayon::prelude::*;

use super::Nearest;
use crate::element::Element;
use crate::metric::Rows;
use crate::progress::Meter;

/// Rows that one thread searches for at a time, and rows that it multiplies them with: the block
/// of products (1 MiB) stays in a core's second cache while it is looked through.
const QUERIES: usize = 256;
const OTHERS: usize = 1024;
/// Rows held in f32 at a time; so many that writing the queries anew for each slab is nothing.
const SLAB: usize = 16 * OTHERS;

/// Leaves samples without a direction at [`Nearest::NONE`], and offers them to no other.
pub(super) fn search<A: Element>(rows: &Rows<'_, A>, meter: &Meter) -> Vec<Nearest> {
    let frame = Frame::of(rows);
    let mut nearest = vec![Nearest::NONE; rows.len()];
    for start in (0..rows.len()).step_by(SLAB) {
        let slab = start..rows.len().min(start + SLAB);
        let others: Vec<Packed> = blocks(slab.clone(), OTHERS)
            .into_par_iter()
            .map(|block| frame.pack(rows, block))
            .collect();
        nearest.par_chunks_mut(QUERIES).enumerate().for_each_init(
            || Scratch::new(rows.features()),
            |scratch, (block, nearest)| {
                let first = block * QUERIES;
                let queries = frame.pack(rows, first..first + nearest.len());
                for others in &others {
                    if meter.stopped() {
                        return;
                    }
                    scratch.compare(rows, &frame, &queries, others, nearest);
                }
                meter.advance(nearest.len() * slab.len());
            },
        );
    }
    nearest
}

fn blocks(range: Range<usize>, size: usize) -> Vec<Range<usize>> {
    let end = range.end;
    range.step_by(size).map(|start| start..end.min(start + size)).collect()
}

/// The origin and the unit in which rows are written in f32, and what that rounds away.
struct Frame {
    center: Vec<f64>,
    scale: f64,
    shrink: f64,
}

/// What is lost where numbers are too small for f32, as a squared distance of scaled rows, whose
/// values are at most 1.
const UNDERFLOW: f64 = 1e-30;

impl Frame {
    fn of<A: Element>(rows: &Rows<'_, A>) -> Self {
        let features = rows.features();
        // Any origin serves; the mean of a few rows across the data is near enough to the best.
        let few = (0..rows.len()).step_by(rows.len().div_ceil(256));
        let mut center = vec![0.0; features];
        let mut row = vec![0.0; features];
        for index in few.clone() {
            rows.load(index, &mut row);
            if !row[0].is_nan() {
                center.iter_mut().zip(&row).for_each(|(sum, value)| *sum += value);
            }
        }
        center.iter_mut().for_each(|sum| *sum /= few.len() as f64);

        let largest = blocks(0..rows.len(), QUERIES)
            .into_par_iter()
            .map_init(Vec::new, |values, block| {
                rows.load_block(block, values);
                let rows = values.chunks_exact(features);
                rows.flat_map(|row| row.iter().zip(&center))
                    .map(|(value, center)| (value - center).abs())
                    .fold(0.0, f64::max)
            })
            .reduce(|| 0.0, f64::max);
        let exponent = if largest > 0.0 { -largest.log2().ceil() } else { 0.0 };
        Self {
            center,
            scale: exponent.clamp(-500.0, 500.0).exp2(),
            shrink: 1.0 - (2 * features + 16) as f64 * f64::from(f32::EPSILON / 2.0),
        }
    }

    /// Writes a block of rows.
    fn pack<A: Element>(&self, rows: &Rows<'_, A>, block: Range<usize>) -> Packed {
        let mut values = Vec::new();
        rows.load_block(block.clone(), &mut values);
        let mut packed = Array2::zeros((block.len(), rows.features()));
        let mut norms = Vec::with_capacity(block.len());
        for (mut packed, row) in packed.outer_iter_mut().zip(values.chunks_exact(self.center.len()))
        {
            let mut norm = 0.0;
            for ((packed, value), center) in packed.iter_mut().zip(row).zip(&self.center) {
                let value = (value - center) * self.scale;
                norm += value * value;
                *packed = value as f32;
            }
            if norm.is_nan() {
                // A row without direction: infinitely far, so that it never passes the filter.
                packed.fill(0.0);
                norm = f64::INFINITY;
            }
            norms.push((norm * self.shrink) as f32);
        }
        Packed { first: block.start, rows: packed, norms }
    }

    /// The largest value of ‖y‖² − 2x·y with which y may still be the nearest to x.
    fn limit(&self, nearest: &Nearest, norm: f32) -> f32 {
        let limit = nearest.key * self.scale * self.scale + UNDERFLOW - f64::from(norm);
        (limit as f32).next_up()
    }
}

/// A block of rows in f32, with their squared norms less the rounding of any product.
struct Packed {
    first: usize,
    rows: Array2<f32>,
    norms: Vec<f32>,
}

/// What one thread works in.
struct Scratch {
    products: Vec<f32>,
    query: Vec<f64>,
    other: Vec<f64>,
}

impl Scratch {
    fn new(features: usize) -> Self {
        Self {
            products: vec![0.0; QUERIES * OTHERS],
            query: vec![0.0; features],
            other: vec![0.0; features],
        }
    }

    /// Offers a block of others to a block of queries.
    fn compare<A: Element>(
        &mut self,
        rows: &Rows<'_, A>,
        frame: &Frame,
        queries: &Packed,
        others: &Packed,
        nearest: &mut [Nearest],
    ) {
        let shape = (queries.norms.len(), others.norms.len());
        let products = &mut self.products[..shape.0 * shape.1];
        let mut products = ArrayViewMut2::from_shape(shape, products).expect("sizes agree");
        general_mat_mul(-2.0, &queries.rows, &others.rows.t(), 0.0, &mut products);
        for (i, mut bounds) in products.outer_iter_mut().enumerate() {
            let sample = queries.first + i;
            let bounds = bounds.as_slice_mut().expect("rows of products are contiguous");
            bounds.iter_mut().zip(&others.norms).for_each(|(bound, norm)| *bound += norm);
            if let Some(itself) = sample.checked_sub(others.first) {
                bounds.iter_mut().skip(itself).take(1).for_each(|bound| *bound = f32::INFINITY);
            }
            let smallest = minimum(bounds);
            let mut limit = frame.limit(&nearest[i], queries.norms[i]);
            let nowhere = queries.norms[i] == f32::INFINITY || smallest == f32::INFINITY;
            if nowhere || smallest > limit {
                continue;
            }
            rows.load(sample, &mut self.query);
            let mut offer = |j: usize| {
                let index = others.first + j;
                rows.load(index, &mut self.other);
                nearest[i].offer(rows.metric.key(&self.query, &self.other), index as u32);
                frame.limit(&nearest[i], queries.norms[i])
            };
            // The most promising first: after it, few others pass.
            let promising = bounds.iter().position(|&bound| bound == smallest);
            if let Some(j) = promising {
                limit = offer(j);
                bounds[j] = f32::INFINITY;
            }
            for (j, &bound) in bounds.iter().enumerate() {
                if bound <= limit {
                    limit = offer(j);
                }
            }
        }
    }
}

/// The smallest of some numbers, none NaN. By lanes, so that it is done with vector instructions.
fn minimum(values: &[f32]) -> f32 {
    let smaller = |a: f32, b: f32| if b < a { b } else { a };
    let (lanes, rest) = values.as_chunks::<16>();
    let lanes = lanes.iter().fold([f32::INFINITY; 16], |mut smallest, lanes| {
        for (smallest, &value) in smallest.iter_mut().zip(lanes) {
            *smallest = smaller(*smallest, value);
        }
        smallest
    });
    lanes.iter().chain(rest).fold(f32::INFINITY, |a, &b| smaller(a, b))
}
