//! Lower bounds of the distances between two blocks of rows, and what they leave to be compared.

use std::ops::Range;
use std::sync::Mutex;

use super::block::{BLOCK, Side};
use super::frame::Frame;
use super::nearest::{Nearest, last, offer};
use super::product::minus_two_products;
use crate::element::Element;
use crate::progress::Meter;
use crate::vector::vectorized;

/// The lists of a block's rows. By block, since a thread that multiplies two blocks finds neighbours
/// for both. What is found does not depend on who comes first: the smallest key and index win.
pub(super) type Lists = Mutex<Vec<Nearest>>;

/// So many empty lists of `k`.
pub(super) fn empty_lists(rows: usize, k: usize) -> Lists {
    Mutex::new(vec![Nearest::NONE; rows * k])
}

/// What lists hold in the end.
pub(super) fn filled(lists: Lists) -> Vec<Nearest> {
    lists.into_inner().expect("a panic has ended the search")
}

/// Whose bounds, of the two blocks that were multiplied.
#[derive(Clone, Copy)]
pub(super) enum Bounds {
    OfFormer,
    OfLater,
}

/// Numbers that are compared at a time, with vector instructions.
pub(super) const LANES: usize = 16;

/// A lower bound, and the row of a block that it is the bound of.
type Candidate = (f32, usize);

/// What one thread works in.
pub(super) struct Scratch {
    /// The lower bounds of all pairs of two blocks, row by row.
    bounds: Vec<f32>,
    /// The smallest bound of each row, and of each column.
    smallest: [Vec<f32>; 2],
    pair: [Vec<f64>; 2],
    /// Of a few queries, the others that their bounds leave.
    candidates: [Vec<Candidate>; LANES],
}

impl Scratch {
    pub(super) fn new(features: usize) -> Self {
        Self {
            bounds: vec![0.0; BLOCK * BLOCK],
            smallest: [(); 2].map(|()| Vec::with_capacity(BLOCK)),
            pair: [(); 2].map(|()| vec![0.0; features]),
            candidates: [(); LANES].map(|()| Vec::with_capacity(BLOCK)),
        }
    }

    /// Offers the rows of two blocks of the same data to each other, or of one block among
    /// themselves, unless nobody waits for it any more.
    pub(super) fn compare<'a, A: Element>(
        &mut self,
        frame: &Frame,
        [former, later]: [(Side<'a, A>, &Lists); 2],
        meter: &Meter,
    ) {
        if meter.stopped() {
            return;
        }
        self.multiply(former.0, later.0);
        let mut offer = |(queries, lists): (Side<'a, A>, &Lists), others: Side<'a, A>, bounds| {
            let mut nearest = lists.lock().expect("a panic has ended the search");
            self.offer(frame, [queries, others], bounds, &mut nearest);
            meter.advance(queries.block.len() as u64 * others.block.len() as u64);
        };
        offer(former, later.0, Bounds::OfFormer);
        if former.0.number(0) != later.0.number(0) {
            offer(later, former.0, Bounds::OfLater);
        }
    }

    /// Bounds the distances of all pairs of two blocks, except that of a row to itself.
    pub(super) fn multiply<A: Element>(&mut self, former: Side<'_, A>, later: Side<'_, A>) {
        let shape = (former.block.len(), later.block.len());
        let bounds = &mut self.bounds[..shape.0 * shape.1];
        minus_two_products(former.block.matrix(), later.block.matrix(), bounds);

        // Products become lower bounds, and the smallest of each row and column is noted.
        for (i, row) in bounds.chunks_exact_mut(shape.1).enumerate() {
            if let Some(itself) = later.place(former.number(i)) {
                row[itself] = f32::INFINITY;
            }
        }
        to_bounds(bounds, &former.block.norms, &later.block.norms, &mut self.smallest);
    }

    /// Offers the rows of one of the two blocks to those of the other, as far as bounds leave them.
    pub(super) fn offer<A: Element>(
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
                within_of_row(row, limit, &mut self.candidates[i]);
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
        let bounds = &self.bounds[..rows * width];
        within_of_columns(bounds, width, first..end, limits, &mut self.candidates);
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
    // The most promising first: after as many as the list holds, few others pass. Without it, as
    // long as a list is not full, whole blocks would be compared.
    let by_bound = |a: &Candidate, b: &Candidate| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let promising = list.len().min(candidates.len());
    if promising < candidates.len() {
        candidates.select_nth_unstable_by(promising, by_bound);
    }
    candidates[..promising].sort_unstable_by(by_bound);
    let mut loaded = false;
    let fine = queries.block.fine.as_ref().zip(others.block.fine.as_ref());
    for &(bound, j) in &*candidates {
        let number = others.number(j) as u32;
        // At distance 0 only smaller numbers could win.
        let settled = last(list).key == 0.0 && number >= last(list).index;
        let limit = frame.limit(list);
        if bound > limit || settled || fine.is_some_and(|(x, y)| x.bound(i, y, j) > limit) {
            continue;
        }
        if !loaded {
            queries.load(i, of_query);
            loaded = true;
        }
        offer(list, others.key(of_query, j, of_other), number);
    }
}

vectorized! {
    /// Adds the norms of rows and columns to a block of products, and notes the smallest sums of each.
    fn to_bounds<'a>(
        products: &'a mut [f32],
        norms: &'a [f32],
        of_columns: &'a [f32],
        smallest: &'a mut [Vec<f32>; 2],
    ) -> () {
        let [in_rows, in_columns] = smallest;
        in_rows.clear();
        in_columns.clear();
        in_columns.resize(of_columns.len(), f32::INFINITY);
        for (row, norm) in products.chunks_exact_mut(of_columns.len()).zip(norms) {
            for ((bound, of_column), smallest) in row.iter_mut().zip(of_columns).zip(&mut *in_columns) {
                *bound += norm + of_column;
                *smallest = smaller(*smallest, *bound);
            }
            in_rows.push(minimum(row));
        }
    }
}

vectorized! {
    /// Adds the bounds of a row that are within a limit to its candidates.
    fn within_of_row<'a>(bounds: &'a [f32], limit: f32, near: &'a mut Vec<Candidate>) -> () {
        let limits = [limit; LANES];
        for (group, bounds) in bounds.chunks(LANES).enumerate() {
            if any_within(bounds, &limits) {
                for (lane, &bound) in bounds.iter().enumerate() {
                    if bound <= limit {
                        near.push((bound, group * LANES + lane));
                    }
                }
            }
        }
    }
}

vectorized! {
    /// Adds the bounds of a few columns that are within the limit of the column to its candidates.
    fn within_of_columns<'a>(
        bounds: &'a [f32],
        width: usize,
        columns: Range<usize>,
        limits: &'a [f32; LANES],
        near: &'a mut [Vec<Candidate>; LANES],
    ) -> () {
        for (row, bounds) in bounds.chunks_exact(width).enumerate() {
            let bounds = &bounds[columns.start..columns.end];
            if any_within(bounds, limits) {
                for ((&bound, limit), near) in bounds.iter().zip(limits).zip(&mut *near) {
                    if bound <= *limit {
                        near.push((bound, row));
                    }
                }
            }
        }
    }
}

#[inline(always)]
pub(super) fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// The smallest of some numbers, none NaN. By lanes, so that it is done with vector instructions.
#[inline(always)]
fn minimum(values: &[f32]) -> f32 {
    let (lanes, rest) = values.as_chunks::<LANES>();
    let lanes = lanes.iter().fold([f32::INFINITY; LANES], |mut smallest, lanes| {
        smallest.iter_mut().zip(lanes).for_each(|(a, &b)| *a = smaller(*a, b));
        smallest
    });
    lanes.into_iter().chain(rest.iter().copied()).fold(f32::INFINITY, smaller)
}

/// Whether some of a few bounds, as many as there are limits or fewer, is within its limit.
#[inline(always)]
fn any_within(bounds: &[f32], limits: &[f32; LANES]) -> bool {
    match bounds.first_chunk::<LANES>() {
        // Without a branch for each.
        Some(bounds) => bounds.iter().zip(limits).fold(false, |any, (b, limit)| any | (b <= limit)),
        None => bounds.iter().zip(limits).any(|(bound, limit)| bound <= limit),
    }
}
