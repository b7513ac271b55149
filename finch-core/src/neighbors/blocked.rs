//! Exact search in many dimensions: blocks of a matrix product decide what need not be compared.
//!
//! ‖x−y‖² = ‖x‖² + ‖y‖² − 2x·y costs one f32 matrix product for a whole block of pairs, but it is
//! rounded. So it only filters: a pair whose product, less all that rounding can add, is above the
//! smallest key so far cannot be nearest; what is left is compared by key, in f64. With u = 2⁻²⁴
//! the rounding is below (2d + 16)·u·(‖x‖² + ‖y‖²): d·u·Σ|xᵢyᵢ| for a product summed in any order,
//! fused or not (Jeannerod & Rump 2013), where 2|xᵢyᵢ| ≤ xᵢ² + yᵢ²; a few u for rows, norms and
//! sums rounded to f32; and as much again for safety. It is taken off the norms beforehand, which
//! makes every entry a lower bound and the filter one comparison. Each block of pairs is multiplied
//! once, and serves the rows of both sides.
//!
//! Rows are centred first, since the bound grows with their length, and scaled by a power of two,
//! so that f32 neither overflows nor loses small numbers.

use std::ops::Range;
use std::sync::Mutex;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView1, ArrayViewMut1, ArrayViewMut2};
use rayon::prelude::*;

use super::Nearest;
use crate::element::Element;
use crate::progress::Meter;
use crate::rows::Rows;

/// Rows of a block: a block of products (1 MiB) stays in a core's second cache while it is looked
/// through.
const BLOCK: usize = 512;
/// Rows held in f32 at a time: so many blocks that writing the others anew for each slab is
/// nothing, unless the rows are so wide that they take more memory than this.
const SLAB: usize = 32 * BLOCK;
const SLAB_BYTES: usize = 64 << 20;
/// Rows loaded in f64 at a time.
const LOADED: usize = 32;

/// Leaves samples without a direction at [`Nearest::NONE`], and offers them to no other.
pub(super) fn search<A: Element>(rows: &Rows<'_, A>, meter: &Meter) -> Vec<Nearest> {
    let frame = Frame::of(rows);
    // By block, since a thread that multiplies two blocks finds neighbours for both. What is found
    // does not depend on who comes first: the smallest key and index win.
    let nearest: Vec<Mutex<Vec<Nearest>>> = blocks(0..rows.len(), BLOCK)
        .into_iter()
        .map(|block| Mutex::new(vec![Nearest::NONE; block.len()]))
        .collect();
    let fitting = SLAB_BYTES / (rows.features() * size_of::<f32>()) / BLOCK * BLOCK;
    for slab in blocks(0..rows.len(), fitting.clamp(BLOCK, SLAB)) {
        let pack = |block| frame.pack(rows, block);
        let later: Vec<Packed> = blocks(slab.clone(), BLOCK).into_par_iter().map(pack).collect();
        blocks(0..slab.end, BLOCK).into_par_iter().for_each_init(
            || Scratch::new(rows.features()),
            |scratch, block| {
                let former = frame.pack(rows, block);
                for later in later.iter().filter(|later| later.first >= former.first) {
                    if meter.stopped() {
                        return;
                    }
                    meter.advance(scratch.compare(rows, &frame, [&former, later], &nearest));
                }
            },
        );
    }
    let unlocked = |block: Mutex<_>| block.into_inner().expect("a panic has ended the search");
    nearest.into_iter().flat_map(unlocked).collect()
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
        let center = rows.center();
        let largest = blocks(0..rows.len(), LOADED)
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
        // Not beyond 2^440: keys below 1e-308 are rounded to multiples of 2^-1074, which must stay
        // far below UNDERFLOW when they are scaled. Rows that small all pass the filter.
        Self {
            center,
            scale: exponent.clamp(-500.0, 440.0).exp2(),
            shrink: 1.0 - (2 * features + 16) as f64 * f64::from(f32::EPSILON / 2.0),
        }
    }

    /// Writes a block of rows.
    fn pack<A: Element>(&self, rows: &Rows<'_, A>, block: Range<usize>) -> Packed {
        let mut packed = Array2::zeros((block.len(), rows.features()));
        let mut norms = Vec::with_capacity(block.len());
        let mut values = Vec::new();
        let mut packed_rows = packed.outer_iter_mut();
        for block in blocks(block.clone(), LOADED) {
            rows.load_block(block, &mut values);
            for (row, packed) in values.chunks_exact(rows.features()).zip(&mut packed_rows) {
                norms.push(self.pack_row(row, packed));
            }
        }
        Packed { first: block.start, rows: packed, norms }
    }

    /// Writes one row, and returns its squared norm, less the rounding of its products. A row
    /// without direction is infinitely far, so that it never passes the filter.
    fn pack_row(&self, row: &[f64], packed: ArrayViewMut1<'_, f32>) -> f32 {
        let mut norm = 0.0;
        for ((packed, value), center) in packed.into_iter().zip(row).zip(&self.center) {
            let value = (value - center) * self.scale;
            norm += value * value;
            *packed = if value.is_nan() { 0.0 } else { value as f32 };
        }
        if norm.is_nan() { f32::INFINITY } else { (norm * self.shrink) as f32 }
    }

    /// The largest lower bound with which another row may still be nearer, or as near.
    fn limit(&self, nearest: &Nearest) -> f32 {
        ((nearest.key * self.scale * self.scale + UNDERFLOW) as f32).next_up()
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
    smallest: [Vec<f32>; 2],
    pair: [Vec<f64>; 2],
}

impl Scratch {
    fn new(features: usize) -> Self {
        Self {
            products: vec![0.0; BLOCK * BLOCK],
            smallest: [(); 2].map(|()| Vec::with_capacity(BLOCK)),
            pair: [(); 2].map(|()| vec![0.0; features]),
        }
    }

    /// Offers the rows of two blocks to each other, or those of one block among themselves.
    /// Returns the number of offers.
    fn compare<A: Element>(
        &mut self,
        rows: &Rows<'_, A>,
        frame: &Frame,
        packed: [&Packed; 2],
        nearest: &[Mutex<Vec<Nearest>>],
    ) -> u64 {
        let [former, later] = packed;
        let shape = (former.norms.len(), later.norms.len());
        let products = &mut self.products[..shape.0 * shape.1];
        let mut bounds = ArrayViewMut2::from_shape(shape, products).expect("sizes agree");
        general_mat_mul(-2.0, &former.rows, &later.rows.t(), 0.0, &mut bounds);
        let itself = former.first == later.first;

        // Products become lower bounds, and the smallest of each row and column is noted.
        let [of_rows, of_columns] = &mut self.smallest;
        of_rows.clear();
        of_columns.clear();
        of_columns.resize(shape.1, f32::INFINITY);
        for (i, (mut row, former)) in bounds.outer_iter_mut().zip(&former.norms).enumerate() {
            let row = row.as_slice_mut().expect("rows of products are contiguous");
            if itself {
                row[i] = f32::INFINITY;
            }
            for ((bound, later), smallest) in row.iter_mut().zip(&later.norms).zip(&mut *of_columns)
            {
                *bound += former + later;
                *smallest = smaller(*smallest, *bound);
            }
            of_rows.push(minimum(row));
        }

        let sides =
            [(former, later, &*of_rows, bounds.view()), (later, former, &*of_columns, bounds.t())];
        let sides = &sides[..if itself { 1 } else { 2 }];
        for (queries, others, smallest, bounds) in sides {
            let block = &nearest[queries.first / BLOCK];
            let mut nearest = block.lock().expect("a panic has ended the search");
            for (i, nearest) in nearest.iter_mut().enumerate() {
                let equal = nearest.key == 0.0 && nearest.index < others.first as u32;
                if smallest[i] <= frame.limit(nearest) && smallest[i] < f32::INFINITY && !equal {
                    let query = queries.first + i;
                    settle(
                        rows,
                        frame,
                        query,
                        others.first,
                        bounds.row(i),
                        nearest,
                        &mut self.pair,
                    );
                }
            }
        }
        (bounds.len() * sides.len()) as u64
    }
}

/// Compares a query by key with those of a block of others that its bounds leave.
fn settle<A: Element>(
    rows: &Rows<'_, A>,
    frame: &Frame,
    query: usize,
    others: usize,
    bounds: ArrayView1<'_, f32>,
    nearest: &mut Nearest,
    [of_query, of_other]: &mut [Vec<f64>; 2],
) {
    rows.load(query, of_query);
    let mut offer = |j: usize| {
        rows.load(others + j, of_other);
        nearest.offer(rows.metric.key(of_query, of_other), (others + j) as u32);
        // At distance 0 only smaller numbers could win, and those that follow are larger.
        let last = nearest.key == 0.0 && (others + j) as u32 >= nearest.index;
        if last { f32::NEG_INFINITY } else { frame.limit(nearest) }
    };
    // The most promising first: after it, few others pass.
    let first = (0..bounds.len()).reduce(|i, j| if bounds[j] < bounds[i] { j } else { i });
    let first = first.expect("a block has at least one row");
    let mut limit = offer(first);
    for (j, &bound) in bounds.iter().enumerate() {
        if bound <= limit && j != first {
            limit = offer(j);
        }
    }
}

fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// The smallest of some numbers, none NaN. By lanes, so that it is done with vector instructions.
fn minimum(values: &[f32]) -> f32 {
    let (lanes, rest) = values.as_chunks::<16>();
    let lanes = lanes.iter().fold([f32::INFINITY; 16], |mut smallest, lanes| {
        smallest.iter_mut().zip(lanes).for_each(|(a, &b)| *a = smaller(*a, b));
        smallest
    });
    lanes.into_iter().chain(rest.iter().copied()).fold(f32::INFINITY, smaller)
}
