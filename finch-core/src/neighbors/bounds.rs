//! Lower bounds of the distances between two blocks of rows, and what they leave to be compared.

use std::sync::Mutex;

use super::block::{BLOCK, Side};
use super::frame::Frame;
use super::nearest::{Nearest, last, offer};
use super::product::minus_two_products;
use crate::element::Element;
use crate::progress::Meter;

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
        let [of_rows, of_columns] = &mut self.smallest;
        of_rows.clear();
        of_columns.clear();
        of_columns.resize(shape.1, f32::INFINITY);
        for (i, row) in bounds.chunks_exact_mut(shape.1).enumerate() {
            if let Some(itself) = later.place(former.number(i)) {
                row[itself] = f32::INFINITY;
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
        others.load(j, of_other);
        offer(list, queries.rows.metric.key(of_query, of_other), number);
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
pub(super) fn any_within(bounds: &[f32], limits: &[f32; LANES]) -> bool {
    match bounds.first_chunk::<LANES>() {
        // Without a branch for each.
        Some(bounds) => bounds.iter().zip(limits).fold(false, |any, (b, limit)| any | (b <= limit)),
        None => bounds.iter().zip(limits).any(|(bound, limit)| bound <= limit),
    }
}
