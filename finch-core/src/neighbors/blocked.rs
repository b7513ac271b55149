//! Exact search in many dimensions: blocks of a matrix product decide what need not be compared.
//!
//! ‖x−y‖² = ‖x‖² + ‖y‖² − 2x·y costs one f32 matrix product for a whole block of pairs, but it is
//! rounded. So it only filters: a pair whose product, less all that rounding can add, is above the
//! k-th smallest key so far is none of the k nearest; what is left is compared by key, in f64. With
//! u = 2⁻²⁴ the rounding is below (2d + 16)·u·(‖x‖² + ‖y‖²): d·u·Σ|xᵢyᵢ| for a product summed in
//! any order, fused or not (Jeannerod & Rump 2013), where 2|xᵢyᵢ| ≤ xᵢ² + yᵢ²; a few u for rows,
//! norms and sums rounded to f32; and as much again for safety. It is taken off the norms
//! beforehand, which makes every entry a lower bound and the filter one comparison. Each block of
//! pairs is multiplied once, and serves the rows of both sides.
//!
//! Rows are centred first, since the bound grows with their length, and scaled by a power of two,
//! so that f32 neither overflows nor loses small numbers.

use std::ops::Range;
use std::sync::Mutex;

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayViewMut1, ArrayViewMut2};
use rayon::prelude::*;

use super::nearest::{Nearest, last, offer};
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

/// Lists of the `k` nearest of each row. Those without a direction have empty ones, and are in no
/// other's.
pub(super) fn search<A: Element>(rows: &Rows<'_, A>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let frame = Frame::of([rows, rows], meter);
    // By block, since a thread that multiplies two blocks finds neighbours for both. What is found
    // does not depend on who comes first: the smallest key and index win.
    let nearest: Vec<Mutex<Vec<Nearest>>> = blocks(0..rows.len(), BLOCK)
        .into_iter()
        .map(|block| Mutex::new(vec![Nearest::NONE; block.len() * k]))
        .collect();
    for slab in blocks(0..rows.len(), slab_rows(rows)) {
        let later = frame.pack_blocks(rows, slab.clone(), meter);
        blocks(0..slab.end, BLOCK).into_par_iter().for_each_init(
            || Scratch::new(rows.features()),
            |scratch, block| {
                // Before anything is packed, too: after a stop all blocks pass by here.
                if meter.stopped() {
                    return;
                }
                let former = frame.pack(rows, block);
                for later in later.iter().filter(|later| later.first >= former.first) {
                    if meter.stopped() {
                        return;
                    }
                    scratch.multiply(former.of(rows), later.of(rows));
                    let mut offer = |[queries, others]: [Side<'_, A>; 2], bounds| {
                        let nearest = &nearest[queries.block.first / BLOCK];
                        let mut nearest = nearest.lock().expect("a panic has ended the search");
                        scratch.offer(&frame, [queries, others], bounds, &mut nearest);
                        meter.advance(queries.block.len() as u64 * others.block.len() as u64);
                    };
                    offer([former.of(rows), later.of(rows)], Bounds::OfFormer);
                    if former.first != later.first {
                        offer([later.of(rows), former.of(rows)], Bounds::OfLater);
                    }
                }
            },
        );
    }
    let unlocked = |block: Mutex<_>| block.into_inner().expect("a panic has ended the search");
    nearest.into_iter().flat_map(unlocked).collect()
}

/// Offers every row of `base` to every row of `queries`, which have lists of one length, but for
/// those without a direction.
pub(super) fn update<'a, A: Element>(
    queries: &Rows<'a, A>,
    base: &Rows<'a, A>,
    nearest: &mut [Nearest],
    meter: &Meter,
) {
    let frame = Frame::of([queries, base], meter);
    // Few queries are cut into smaller blocks, so that every thread has some.
    let size = queries.len().div_ceil(4 * rayon::current_num_threads()).clamp(LOADED, BLOCK);
    let k = nearest.len() / queries.len();
    for slab in blocks(0..base.len(), slab_rows(base)) {
        let base_blocks = frame.pack_blocks(base, slab, meter);
        nearest.par_chunks_mut(size * k).enumerate().for_each_init(
            || Scratch::new(base.features()),
            |scratch, (block, nearest)| {
                if meter.stopped() {
                    return;
                }
                let first = block * size;
                let query_block = frame.pack(queries, first..first + nearest.len() / k);
                for base_block in &base_blocks {
                    if meter.stopped() {
                        return;
                    }
                    let sides = [query_block.of(queries), base_block.of(base)];
                    scratch.multiply(sides[0], sides[1]);
                    scratch.offer(&frame, sides, Bounds::OfFormer, nearest);
                    meter.advance(query_block.len() as u64 * base_block.len() as u64);
                }
            },
        );
    }
}

/// How many rows are held in f32 at a time.
fn slab_rows<A: Element>(rows: &Rows<'_, A>) -> usize {
    let fitting = SLAB_BYTES / (rows.features() * size_of::<f32>()) / BLOCK * BLOCK;
    fitting.clamp(BLOCK, SLAB)
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
    /// A frame for rows that are compared with each other.
    fn of<A: Element>(sides: [&Rows<'_, A>; 2], meter: &Meter) -> Self {
        let features = sides[0].features();
        let center = sides[1].center();
        let largest = |rows: &Rows<'_, A>| {
            blocks(0..rows.len(), LOADED)
                .into_par_iter()
                .map_init(Vec::new, |values, block| {
                    if meter.stopped() {
                        return 0.0;
                    }
                    rows.load_block(block, values);
                    let rows = values.chunks_exact(features);
                    rows.flat_map(|row| row.iter().zip(&center))
                        .map(|(value, center)| (value - center).abs())
                        .fold(0.0, f64::max)
                })
                .reduce(|| 0.0, f64::max)
        };
        let largest = f64::max(largest(sides[0]), largest(sides[1]));
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

    /// Writes several blocks of rows, or none if nobody waits for them any more.
    fn pack_blocks<A: Element>(
        &self,
        rows: &Rows<'_, A>,
        range: Range<usize>,
        meter: &Meter,
    ) -> Vec<Packed> {
        let blocks = blocks(range, BLOCK).into_par_iter();
        blocks.filter(|_| !meter.stopped()).map(|block| self.pack(rows, block)).collect()
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

    /// The largest lower bound with which another row may still enter a list.
    fn limit(&self, list: &[Nearest]) -> f32 {
        ((last(list).key * self.scale * self.scale + UNDERFLOW) as f32).next_up()
    }
}

/// A block of rows in f32, with their squared norms less the rounding of any product.
struct Packed {
    first: usize,
    rows: Array2<f32>,
    norms: Vec<f32>,
}

impl Packed {
    fn len(&self) -> usize {
        self.norms.len()
    }

    fn of<'a, A: Element>(&'a self, rows: &'a Rows<'_, A>) -> Side<'a, A> {
        Side { rows: rows.reborrow(), block: self }
    }
}

/// A block and the rows that it is from.
#[derive(Clone, Copy)]
struct Side<'a, A> {
    rows: Rows<'a, A>,
    block: &'a Packed,
}

impl<A: Element> Side<'_, A> {
    /// The number of the block's row `i`, in the data that the rows are a part of.
    fn number(&self, i: usize) -> usize {
        self.rows.first + self.block.first + i
    }

    fn load(&self, i: usize, out: &mut [f64]) {
        self.rows.load(self.block.first + i, out);
    }
}

/// Whose bounds, of the two blocks that were multiplied.
#[derive(Clone, Copy)]
enum Bounds {
    OfFormer,
    OfLater,
}

/// Numbers that are compared at a time, with vector instructions.
const LANES: usize = 16;

/// A lower bound, and the row of a block that it is the bound of.
type Candidate = (f32, usize);

/// What one thread works in.
struct Scratch {
    /// The lower bounds of all pairs of two blocks, row by row.
    bounds: Vec<f32>,
    /// The smallest bound of each row, and of each column.
    smallest: [Vec<f32>; 2],
    pair: [Vec<f64>; 2],
    /// Of a few queries, the others that their bounds leave.
    candidates: [Vec<Candidate>; LANES],
}

impl Scratch {
    fn new(features: usize) -> Self {
        Self {
            bounds: vec![0.0; BLOCK * BLOCK],
            smallest: [(); 2].map(|()| Vec::with_capacity(BLOCK)),
            pair: [(); 2].map(|()| vec![0.0; features]),
            candidates: [(); LANES].map(|()| Vec::with_capacity(BLOCK)),
        }
    }

    /// Bounds the distances of all pairs of two blocks, except that of a row to itself.
    fn multiply<A: Element>(&mut self, former: Side<'_, A>, later: Side<'_, A>) {
        let shape = (former.block.len(), later.block.len());
        let bounds = &mut self.bounds[..shape.0 * shape.1];
        let mut bounds = ArrayViewMut2::from_shape(shape, bounds).expect("sizes agree");
        let (of_former, of_later) = (&former.block.rows, later.block.rows.t());
        general_mat_mul(-2.0, of_former, &of_later, 0.0, &mut bounds);

        // Products become lower bounds, and the smallest of each row and column is noted.
        let [of_rows, of_columns] = &mut self.smallest;
        of_rows.clear();
        of_columns.clear();
        of_columns.resize(shape.1, f32::INFINITY);
        for (i, mut row) in bounds.outer_iter_mut().enumerate() {
            let row = row.as_slice_mut().expect("rows of products are contiguous");
            let itself = former.number(i).checked_sub(later.number(0));
            if let Some(bound) = itself.and_then(|j| row.get_mut(j)) {
                *bound = f32::INFINITY;
            }
            let of_row = former.block.norms[i];
            for ((bound, norm), smallest) in
                row.iter_mut().zip(&later.block.norms).zip(&mut *of_columns)
            {
                *bound += of_row + norm;
                *smallest = smaller(*smallest, *bound);
            }
            of_rows.push(minimum(row));
        }
    }

    /// Offers the rows of one of the two blocks to those of the other, as far as bounds leave them.
    fn offer<A: Element>(
        &mut self,
        frame: &Frame,
        [queries, others]: [Side<'_, A>; 2],
        bounds: Bounds,
        nearest: &mut [Nearest],
    ) {
        let k = nearest.len() / queries.block.len();
        for (group, lists) in nearest.chunks_mut(LANES * k).enumerate() {
            let first = group * LANES;
            let mut limits = [f32::NEG_INFINITY; LANES];
            for (limit, list) in limits.iter_mut().zip(lists.chunks_exact(k)) {
                // What follows cannot be as near and have a smaller number.
                let settled =
                    last(list).key == 0.0 && (last(list).index as usize) < others.number(0);
                if !settled {
                    // Bounds that are infinite are of rows that must not be offered.
                    *limit = frame.limit(list).min(f32::MAX);
                }
            }
            match bounds {
                Bounds::OfFormer => self.gather_of_rows(first, others.block.len(), &limits),
                Bounds::OfLater => self.gather_of_columns(first, queries.block.len(), &limits),
            }
            for (i, list) in lists.chunks_exact_mut(k).enumerate() {
                let candidates = &mut self.candidates[i];
                if !candidates.is_empty() {
                    settle(frame, [queries, others], first + i, candidates, list, &mut self.pair);
                }
            }
        }
    }

    /// Gathers the bounds of a few rows, from `first` on, that are within the row's limit.
    fn gather_of_rows(&mut self, first: usize, width: usize, limits: &[f32; LANES]) {
        let smallest = &self.smallest[0][first..];
        self.candidates.iter_mut().for_each(Vec::clear);
        for (i, (&limit, &smallest)) in limits.iter().zip(smallest).enumerate() {
            if smallest <= limit {
                let row = &self.bounds[(first + i) * width..][..width];
                for (group, bounds) in row.chunks(LANES).enumerate() {
                    if any_within(bounds, &[limit; LANES]) {
                        let bounds = bounds.iter().copied().zip(group * LANES..);
                        self.candidates[i].extend(bounds.filter(|&(bound, _)| bound <= limit));
                    }
                }
            }
        }
    }

    /// Gathers the bounds of a few columns, from `first` on, that are within the column's limit.
    ///
    /// Of all of them at a time: a column by itself takes a cache line for each of its bounds.
    fn gather_of_columns(&mut self, first: usize, width: usize, limits: &[f32; LANES]) {
        let end = width.min(first + LANES);
        self.candidates.iter_mut().for_each(Vec::clear);
        if !any_within(&self.smallest[1][first..end], limits) {
            return;
        }
        let rows = self.smallest[0].len();
        for (j, row) in self.bounds[..rows * width].chunks_exact(width).enumerate() {
            let bounds = &row[first..end];
            if any_within(bounds, limits) {
                let within = bounds.iter().zip(limits).map(|(bound, limit)| bound <= limit);
                for (i, _) in within.enumerate().filter(|&(_, within)| within) {
                    self.candidates[i].push((bounds[i], j));
                }
            }
        }
    }
}

/// Compares query `i` by key with the candidates of a block of others.
fn settle<A: Element>(
    frame: &Frame,
    [queries, others]: [Side<'_, A>; 2],
    i: usize,
    candidates: &mut [Candidate],
    list: &mut [Nearest],
    [of_query, of_other]: &mut [Vec<f64>; 2],
) {
    queries.load(i, of_query);
    // The most promising first: after as many as the list holds, few others pass. Without it, as
    // long as a list is not full, whole blocks would be compared.
    let by_bound = |a: &Candidate, b: &Candidate| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let promising = list.len().min(candidates.len());
    if promising < candidates.len() {
        candidates.select_nth_unstable_by(promising, by_bound);
    }
    candidates[..promising].sort_unstable_by(by_bound);
    for &(bound, j) in &*candidates {
        let number = others.number(j) as u32;
        // At distance 0 only smaller numbers could win.
        let settled = last(list).key == 0.0 && number >= last(list).index;
        if bound <= frame.limit(list) && !settled {
            others.load(j, of_other);
            offer(list, queries.rows.metric.key(of_query, of_other), number);
        }
    }
}

fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// The smallest of some numbers, none NaN. By lanes, so that it is done with vector instructions.
fn minimum(values: &[f32]) -> f32 {
    let (lanes, rest) = values.as_chunks::<LANES>();
    let lanes = lanes.iter().fold([f32::INFINITY; LANES], |mut smallest, lanes| {
        smallest.iter_mut().zip(lanes).for_each(|(a, &b)| *a = smaller(*a, b));
        smallest
    });
    lanes.into_iter().chain(rest.iter().copied()).fold(f32::INFINITY, smaller)
}

/// Whether some of a few bounds, as many as there are limits or fewer, is within its limit.
fn any_within(bounds: &[f32], limits: &[f32; LANES]) -> bool {
    match bounds.first_chunk::<LANES>() {
        // Without a branch for each.
        Some(bounds) => bounds.iter().zip(limits).fold(false, |any, (b, limit)| any | (b <= limit)),
        None => bounds.iter().zip(limits).any(|(bound, limit)| bound <= limit),
    }
}
