//! The k nearest of sparse rows, exactly, by products of sparse rows.
//!
//! ‖x−y‖² = ‖x‖² + ‖y‖² − 2x·y, and for Manhattan Σ|xᵢ−yᵢ| = Σ|xᵢ| + Σ|yᵢ| − 2Σ'min(|xᵢ|, |yᵢ|), Σ' being
//! over features of which both values have one sign. Either product has terms only where both rows have
//! values. So a copy of the base by columns tells, feature by feature of a query, which rows have the
//! feature, and one number for each row of the base adds the terms up (Gustavson, *Two fast algorithms
//! for sparse matrices*, 1978). Of texts, a few features that most rows have take most of the time:
//! their columns are kept dense, and added for several queries at a time.
//!
//! Such a sum is in f64, but not in the order that decides. So it only filters: it bounds the key from
//! below and from above, and rows whose lower bound is above the k-th smallest upper bound are none of
//! the k nearest. The rows that are left, hardly more than k, are compared by key. With n values in the
//! longest row, rounding moves the sum by less than (2n + 128)·ε times what both rows have by
//! themselves (‖x‖² + ‖y‖², or Σ|xᵢ| + Σ|yᵢ|): n products and sums, as many for each ‖x‖², and less than
//! 64 roundings of a key, which is at most twice that. The slack is twice as large.

use std::cmp::Reverse;
use std::ops::Range;

use rayon::prelude::*;

use super::nearest::{Nearest, last, offer};
use crate::memory::{collected, collected_in_parallel, filled, gathered, push, room};
use crate::metric::Metric;
use crate::progress::Meter;
use crate::sparse::{SparseRow, SparseRows};
use crate::vector::vectorized;

/// Queries that one thread takes at a time, at most: the sums of all threads together take no more
/// memory than the rows.
const BLOCK: usize = 8;
/// A column is kept dense if one in so many rows has its feature: vectors hold so many f64.
const FREQUENT: usize = 8;
/// Rows of dense columns that are added to the sums of all queries of a block before the next rows.
const TILE: usize = 1024;
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
    let values_a_thread = rows.samples.values() / rayon::current_num_threads();
    let block = (values_a_thread / rows.len()).clamp(1, BLOCK);
    nearest.par_chunks_mut(block * k).enumerate().for_each_init(
        || Search::of(&base, block),
        |search, (number, lists)| {
            if !meter.stopped() {
                search.fill(number * block, lists, k);
                meter.advance((lists.len() / k * rows.len()) as u64);
            }
        },
    );
    nearest
}

/// Rows that queries are compared with, by columns.
struct Base<'a> {
    rows: &'a SparseRows<'a>,
    /// The features that have a column, rising, where not every feature has one.
    features: Option<Vec<u32>>,
    /// The columns that are kept dense, rising.
    frequent: Vec<u32>,
    /// The values of all rows in these columns, column after column.
    dense: Vec<f64>,
    /// Where each other column begins, and where the last one ends.
    starts: Vec<usize>,
    /// The rows of each other column, rising.
    numbers: Vec<u32>,
    /// Their values.
    values: Vec<f64>,
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
        let mut features = None;
        // A start for every feature, if these are no more than half as many as the values.
        if samples.features() > usize::max(samples.values() / 2, 1 << 16) {
            let mut with_values = room(samples.values());
            for row in 0..rows.len() {
                samples.for_each(row, |feature, _| with_values.push(feature));
            }
            with_values.par_sort_unstable();
            with_values.dedup();
            features = Some(with_values);
        }
        let columns = features.as_ref().map_or(samples.features(), Vec::len);
        let mut base = Self {
            rows,
            features,
            frequent: Vec::new(),
            dense: Vec::new(),
            starts: filled(0, columns + 1),
            numbers: Vec::new(),
            values: Vec::new(),
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
        let rows = self.rows.len();
        for row in 0..rows {
            self.rows.samples.for_each(row, |feature, value| {
                if value != 0.0 {
                    let column =
                        column(self.features.as_deref(), feature).expect("a feature of the base");
                    self.starts[column + 1] += 1;
                }
            });
        }
        self.choose_frequent();
        for column in 1..self.starts.len() {
            self.starts[column] += self.starts[column - 1];
        }
        let mut next = collected(self.starts.iter().copied());
        let count = self.starts[self.starts.len() - 1];
        (self.numbers, self.values) = (filled(0, count), filled(0.0, count));
        self.dense = filled(0.0, self.frequent.len() * rows);
        let mut loaded = SparseRow::default();
        for row in 0..rows {
            self.rows.load(row, &mut loaded);
            for (feature, value) in loaded.terms() {
                let column =
                    column(self.features.as_deref(), feature).expect("a feature of the base");
                match self.frequent.binary_search(&(column as u32)) {
                    Ok(at) => self.dense[at * rows + row] = value,
                    Err(_) => {
                        let place = next[column];
                        (self.numbers[place], self.values[place]) = (row as u32, value);
                        next[column] += 1;
                    }
                }
            }
        }
    }

    /// Takes the most frequent columns out of the counts: they will be kept dense, as many as take no
    /// more memory than the rows.
    fn choose_frequent(&mut self) {
        let rows = self.rows.len();
        let is_frequent = |column: &u32| self.starts[*column as usize + 1] * FREQUENT >= rows;
        self.frequent = gathered((0..self.starts.len() as u32 - 1).filter(is_frequent));
        self.frequent.par_sort_unstable_by_key(|&column| {
            (Reverse(self.starts[column as usize + 1]), column)
        });
        // A value takes 12 bytes, of which the column is 4.
        self.frequent.truncate(3 * self.rows.samples.values() / (2 * rows));
        self.frequent.par_sort_unstable();
        self.frequent.iter().for_each(|&column| self.starts[column as usize + 1] = 0);
    }

    /// Where a column is among those that are kept dense.
    fn place(&self, feature: u32) -> Place {
        let Some(column) = column(self.features.as_deref(), feature) else {
            return Place::Nowhere;
        };
        match self.frequent.binary_search(&(column as u32)) {
            Ok(at) => Place::Dense(at),
            Err(_) => Place::Sparse(self.starts[column]..self.starts[column + 1]),
        }
    }
}

/// Where the column of a feature is.
enum Place {
    /// No row of the base has the feature.
    Nowhere,
    /// Among the columns that are kept dense.
    Dense(usize),
    /// The places of its rows and values.
    Sparse(Range<usize>),
}

/// The column of a feature, given the features that have one, where not all have.
fn column(features: Option<&[u32]>, feature: u32) -> Option<usize> {
    match features {
        None => Some(feature as usize),
        Some(features) => features.binary_search(&feature).ok(),
    }
}

/// What a thread needs to search.
struct Search<'a> {
    base: &'a Base<'a>,
    /// The queries of a block.
    queries: Vec<SparseRow>,
    other: SparseRow,
    /// For each query twice the product of the query and each row, or what a metric has in its place.
    shared: Vec<f64>,
    /// The values of the queries in columns that are kept dense: column, query, value.
    of_dense: Vec<(usize, usize, f64)>,
    passed: Passed,
}

impl<'a> Search<'a> {
    fn of(base: &'a Base<'a>, block: usize) -> Self {
        Self {
            base,
            queries: filled(SparseRow::default(), block),
            other: SparseRow::default(),
            shared: filled(0.0, block * base.rows.len()),
            of_dense: Vec::new(),
            passed: Passed::default(),
        }
    }

    /// Fills the lists of rows that follow each other.
    fn fill(&mut self, first: usize, lists: &mut [Nearest], k: usize) {
        let Self { base, queries, shared, of_dense, .. } = self;
        let rows = base.rows.len();
        let is_product = base.rows.metric().has_products();
        of_dense.clear();
        for (at, query) in queries.iter_mut().take(lists.len() / k).enumerate() {
            base.rows.load(first + at, query);
            for (feature, value) in query.terms() {
                if let Place::Dense(column) = base.place(feature) {
                    push(of_dense, (column, at, value));
                }
            }
        }
        of_dense.sort_unstable_by_key(|&(column, at, _)| (column, at));
        for start in (0..rows).step_by(TILE) {
            let tile = start..rows.min(start + TILE);
            for &(column, at, value) in of_dense.iter() {
                let of_query = &mut shared[at * rows..][tile.clone()];
                let column = &base.dense[column * rows..][tile.clone()];
                match is_product {
                    true => add_dense_products(of_query, column, 2.0 * value),
                    false => add_dense_least(of_query, column, value),
                }
            }
        }
        for (at, list) in lists.chunks_exact_mut(k).enumerate() {
            self.fill_list(first + at, at, list);
        }
    }

    /// Fills the list of a query, once dense columns are in its sums.
    fn fill_list(&mut self, query: usize, at: usize, list: &mut [Nearest]) {
        let Self { base, queries, other, shared, passed, .. } = self;
        let (row, rows) = (&queries[at], base.rows.len());
        let shared = &mut shared[at * rows..][..rows];
        for (feature, value) in row.terms() {
            let Place::Sparse(column) = base.place(feature) else {
                continue;
            };
            let (numbers, values) = (&base.numbers[column.clone()], &base.values[column]);
            match base.rows.metric().has_products() {
                true => add_products(shared, numbers, values, 2.0 * value),
                false => add_least(shared, numbers, values, value),
            }
        }
        let alone = base.alone[query];
        let own = alone * (1.0 - base.slack) - TINY;
        // From a lower bound to the upper one.
        let above = |row: usize| 2.0 * (base.slack * (alone + base.alone[row]) + TINY);
        passed.begin(list.len());
        let mut number = next_within(shared, &base.least, 0, f64::INFINITY);
        while number < rows {
            if number != query {
                let lower = own + (base.least[number] - shared[number]);
                passed.add(lower, number as u32, above);
            }
            number = next_within(shared, &base.least, number + 1, passed.limit - own);
        }
        shared.fill(0.0);
        passed.tighten(above);
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
fn add_products(sums: &mut [f64], rows: &[u32], values: &[f64], factor: f64) {
    for (&row, value) in rows.iter().zip(values) {
        sums[row as usize] += factor * value;
    }
}

/// Adds twice the smaller magnitude of a value and the value of each row, where both have one sign.
fn add_least(sums: &mut [f64], rows: &[u32], values: &[f64], value: f64) {
    for (&row, &other) in rows.iter().zip(values) {
        sums[row as usize] += 2.0 * least(value, other);
    }
}

/// The smaller magnitude of two values of one sign; 0 for values of different signs.
#[inline(always)]
fn least(value: f64, other: f64) -> f64 {
    if value < 0.0 {
        f64::min(-value, f64::max(-other, 0.0))
    } else {
        f64::min(value, f64::max(other, 0.0))
    }
}

vectorized! {
    /// [`add_products`] of a column that is kept dense.
    fn add_dense_products<'a>(sums: &'a mut [f64], column: &'a [f64], factor: f64) -> () {
        sums.iter_mut().zip(column).for_each(|(sum, value)| *sum += factor * value);
    }
}

vectorized! {
    /// [`add_least`] of a column that is kept dense.
    fn add_dense_least<'a>(sums: &'a mut [f64], column: &'a [f64], value: f64) -> () {
        sums.iter_mut().zip(column).for_each(|(sum, &other)| *sum += 2.0 * least(value, other));
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
