//! The k nearest of sparse rows, exactly, by products of sparse rows.
//!
//! ‖x−y‖² = ‖x‖² + ‖y‖² − 2x·y, and for Manhattan Σ|xᵢ−yᵢ| = Σ|xᵢ| + Σ|yᵢ| − 2Σ'min(|xᵢ|, |yᵢ|), Σ' being
//! over features of which both values have one sign. Either product has terms only where both rows have
//! values. So a copy of the base by columns tells, feature by feature of a query, which rows have the
//! feature, and one number for each row of the base adds the terms up (Gustavson, *Two fast algorithms
//! for sparse matrices*, 1978).
//!
//! Such a sum is in f64, but not in the order that decides. So it only filters: it bounds the key from
//! below and from above, and rows whose lower bound is above the k-th smallest upper bound are none of
//! the k nearest. The rows that are left, hardly more than k, are compared by key. With n values in the
//! longest row, rounding moves the sum by less than (2n + 128)·ε times what both rows have by
//! themselves (‖x‖² + ‖y‖², or Σ|xᵢ| + Σ|yᵢ|): n products and sums, as many for each ‖x‖², and less than
//! 64 roundings of a key, which is at most twice that. The slack is twice as large.

use rayon::prelude::*;

use super::nearest::{Nearest, last, offer};
use crate::memory::{collected, collected_in_parallel, filled, push, room};
use crate::metric::Metric;
use crate::progress::Meter;
use crate::sparse::{SparseRow, SparseRows};
use crate::vector::vectorized;

/// Queries that one thread takes at a time.
const BLOCK: usize = 16;
/// Below this, products may have lost digits.
const TINY: f64 = 1e-290;
/// Rows that pass the filter before it is tightened, beside four for each neighbour.
const PASSED: usize = 64;

/// Lists of the `k` nearest of each row, by keys of all pairs: the oracle.
pub(super) fn by_brute_force(rows: &SparseRows<'_>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let mut nearest = filled(Nearest::NONE, rows.len() * k);
    nearest.par_chunks_mut(k).enumerate().for_each_init(
        || [(); 2].map(|()| SparseRow::default()),
        |[row, other], (number, list)| {
            rows.load(number, row);
            for j in (0..rows.len()).filter(|&j| j != number && !meter.stopped()) {
                rows.load(j, other);
                offer(list, rows.key(row, other), j as u32);
            }
            meter.advance(rows.len() as u64);
        },
    );
    nearest
}

/// Lists of the `k` nearest of each row.
pub(super) fn search(rows: &SparseRows<'_>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let base = Base::of(rows);
    let mut nearest = filled(Nearest::NONE, rows.len() * k);
    nearest.par_chunks_mut(BLOCK * k).enumerate().for_each_init(
        || Search::of(&base),
        |search, (block, lists)| {
            for (at, list) in lists.chunks_exact_mut(k).enumerate() {
                if meter.stopped() {
                    return;
                }
                search.fill(block * BLOCK + at, list);
                meter.advance(rows.len() as u64);
            }
        },
    );
    nearest
}

/// Rows that queries are compared with, by columns.
struct Base<'a> {
    rows: &'a SparseRows<'a>,
    /// The features that have a column; empty where every feature has one.
    features: Vec<u32>,
    /// Where each column begins, and where the last one ends.
    starts: Vec<usize>,
    /// The rows of each column, rising, and their values.
    terms: Vec<(u32, f64)>,
    /// What each row has by itself, as a metric counts it: the square of its length, or Σ|xᵢ|.
    alone: Vec<f64>,
    /// `alone`, less the slack.
    least: Vec<f64>,
    /// Slack for rounding, as a share of what rows have by themselves.
    slack: f64,
}

impl<'a> Base<'a> {
    fn of(rows: &'a SparseRows<'a>) -> Self {
        let samples = &rows.samples;
        let mut features = Vec::new();
        // A start for every feature, if these are no more than half as many as the values.
        if samples.features() > usize::max(samples.values() / 2, 1 << 16) {
            features = room(samples.values());
            for row in 0..rows.len() {
                samples.for_each(row, |feature, _| features.push(feature));
            }
            features.par_sort_unstable();
            features.dedup();
        }
        let columns = if features.is_empty() { samples.features() } else { features.len() };
        let mut base = Self {
            rows,
            features,
            starts: filled(0, columns + 1),
            terms: Vec::new(),
            alone: Vec::new(),
            least: Vec::new(),
            slack: 0.0,
        };
        base.transpose();
        let longest = (0..rows.len()).map(|row| samples.range(row).len()).max().unwrap_or(0);
        base.slack = 4.0 * (longest + 64) as f64 * f64::EPSILON;
        let alone = (0..rows.len()).into_par_iter().map_init(SparseRow::default, |row, number| {
            rows.load(number, row);
            let values = row.terms().map(|(_, value)| value);
            match rows.metric() {
                Metric::Cosine => 1.0,
                Metric::Euclidean => values.map(|value| value * value).sum(),
                Metric::Manhattan => values.map(f64::abs).sum(),
            }
        });
        base.alone = collected_in_parallel(alone);
        base.least = collected(base.alone.iter().map(|alone| alone * (1.0 - base.slack)));
        base
    }

    /// Copies the rows by columns: a counting sort.
    fn transpose(&mut self) {
        let mut count = 0;
        for row in 0..self.rows.len() {
            self.rows.samples.for_each(row, |feature, value| {
                if value != 0.0 {
                    let column = column(&self.features, feature).expect("a feature of the base");
                    self.starts[column + 1] += 1;
                    count += 1;
                }
            });
        }
        for column in 1..self.starts.len() {
            self.starts[column] += self.starts[column - 1];
        }
        let mut next = collected(self.starts.iter().copied());
        self.terms = filled((0, 0.0), count);
        let mut loaded = SparseRow::default();
        for row in 0..self.rows.len() {
            self.rows.load(row, &mut loaded);
            for (feature, value) in loaded.terms() {
                let column = column(&self.features, feature).expect("a feature of the base");
                self.terms[next[column]] = (row as u32, value);
                next[column] += 1;
            }
        }
    }

    /// The rows that have a feature, and their values.
    fn column(&self, feature: u32) -> &[(u32, f64)] {
        match column(&self.features, feature) {
            Some(column) => &self.terms[self.starts[column]..self.starts[column + 1]],
            None => &[],
        }
    }
}

/// The column of a feature, given the features that have one, or none where all have.
fn column(features: &[u32], feature: u32) -> Option<usize> {
    match features.is_empty() {
        true => Some(feature as usize),
        false => features.binary_search(&feature).ok(),
    }
}

/// What a thread needs to search.
struct Search<'a> {
    base: &'a Base<'a>,
    row: SparseRow,
    other: SparseRow,
    /// Twice the product of the query and each row, or what a metric has in its place.
    shared: Vec<f64>,
    passed: Passed,
}

impl<'a> Search<'a> {
    fn of(base: &'a Base<'a>) -> Self {
        let [row, other] = [(); 2].map(|()| SparseRow::default());
        let shared = filled(0.0, base.rows.len());
        Self { base, row, other, shared, passed: Passed::default() }
    }

    /// Fills the list of a row.
    fn fill(&mut self, query: usize, list: &mut [Nearest]) {
        let Self { base, row, other, shared, passed } = self;
        base.rows.load(query, row);
        for (feature, value) in row.terms() {
            match base.rows.metric() {
                Metric::Euclidean | Metric::Cosine => {
                    add_products(shared, base.column(feature), 2.0 * value);
                }
                Metric::Manhattan => add_least(shared, base.column(feature), value),
            }
        }
        let alone = base.alone[query];
        let own = alone * (1.0 - base.slack) - TINY;
        // From a lower bound to the upper one.
        let above = |row: usize| 2.0 * (base.slack * (alone + base.alone[row]) + TINY);
        passed.begin(list.len());
        let mut row_number = 0;
        loop {
            row_number = next_within(shared, &base.least, row_number, passed.limit - own);
            if row_number == shared.len() {
                break;
            }
            if row_number != query {
                let lower = own + (base.least[row_number] - shared[row_number]);
                passed.add(lower, row_number as u32, &above);
            }
            row_number += 1;
        }
        shared.fill(0.0);
        passed.tighten(&above);
        // In rising order, so that once as many equal rows are there as are asked for, none is nearer.
        for &(lower, number) in &passed.rows {
            let farthest = last(list);
            if farthest.key == 0.0 {
                break;
            }
            if lower <= farthest.key {
                base.rows.load(number as usize, other);
                offer(list, base.rows.key(row, other), number);
            }
        }
    }
}

/// Rows that may be among the k nearest of a query, by bounds.
#[derive(Default)]
struct Passed {
    k: usize,
    /// The lower bound of the key of each row, and its number, rising.
    rows: Vec<(f64, u32)>,
    /// Room for upper bounds.
    upper: Vec<f64>,
    /// The k-th smallest upper bound, among the rows so far.
    limit: f64,
    /// How many rows there may be before the limit is looked at again.
    most: usize,
}

impl Passed {
    fn begin(&mut self, k: usize) {
        self.rows.clear();
        (self.k, self.limit, self.most) = (k, f64::INFINITY, 4 * k + PASSED);
    }

    /// Adds a row whose lower bound is within the limit. `above` is what the upper bound of a row is
    /// above its lower one.
    fn add(&mut self, lower: f64, row: u32, above: impl Fn(usize) -> f64) {
        push(&mut self.rows, (lower, row));
        if self.rows.len() == self.most {
            self.tighten(above);
            // Of many equally near rows, all stay.
            self.most = usize::max(self.most, 2 * self.rows.len());
        }
    }

    /// Lowers the limit, and drops rows that are above it.
    fn tighten(&mut self, above: impl Fn(usize) -> f64) {
        if self.rows.len() <= self.k {
            return;
        }
        self.upper.clear();
        for &(lower, row) in &self.rows {
            push(&mut self.upper, lower + above(row as usize));
        }
        let (_, limit, _) = self.upper.select_nth_unstable_by(self.k - 1, f64::total_cmp);
        self.limit = *limit;
        self.rows.retain(|(lower, _)| *lower <= self.limit);
    }
}

/// Adds a multiple of a column to the sums of the rows.
fn add_products(sums: &mut [f64], column: &[(u32, f64)], factor: f64) {
    for &(row, value) in column {
        sums[row as usize] += factor * value;
    }
}

/// Adds twice the smaller magnitude of a value and the value of each row, where both have one sign.
fn add_least(sums: &mut [f64], column: &[(u32, f64)], value: f64) {
    for &(row, other) in column {
        if (other < 0.0) == (value < 0.0) {
            sums[row as usize] += 2.0 * f64::min(value.abs(), other.abs());
        }
    }
}

vectorized! {
    /// The first place from `from` on where `least` less `shared` is at most the limit; the number of
    /// places, if there is none.
    fn next_within<'a>(shared: &'a [f64], least: &'a [f64], from: usize, limit: f64) -> usize {
        const WIDE: usize = 32;
        let within = |at: &usize| least[*at] - shared[*at] <= limit;
        // Up to where groups begin.
        let first = from.next_multiple_of(WIDE).min(shared.len());
        if let Some(at) = (from..first).find(within) {
            return at;
        }
        let groups = shared[first..].as_chunks::<WIDE>().0.iter();
        let groups = groups.zip(least[first..].as_chunks::<WIDE>().0);
        let mut at = first;
        for (shared, least) in groups {
            let mut any = false;
            for lane in 0..WIDE {
                any |= least[lane] - shared[lane] <= limit;
            }
            if any {
                return (at..at + WIDE).find(within).expect("found a moment ago");
            }
            at += WIDE;
        }
        (at..shared.len()).find(within).unwrap_or(shared.len())
    }
}
