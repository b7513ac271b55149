//! The search of one thread: sums of products of a few queries with all rows of the base, and the rows that
//! these sums leave to be compared.

use super::inverted_index::{InvertedIndex, Keys, Place, alone};
use super::products::{add_dense_least, add_dense_products, add_least, add_products, next_within};
use crate::neighbors::lists::{Nearest, last, offer};
use crate::samples::sparse::{SparseRow, SparseRows};
use crate::support::memory::{filled, push};

/// Rows of dense columns that are added to the sums of all queries of a block before the next rows.
const TILE: usize = 1024;
/// Below this, products may have lost digits.
const TINY: f64 = 1e-290;

/// The parts that a thread needs to search.
pub(super) struct Search<'a> {
    base: &'a InvertedIndex<'a>,
    /// The rows that the queries are of: the rows of the base, or others.
    queries: &'a SparseRows<'a>,
    /// The numbers of the queries, where not all rows are queries.
    numbers: Option<&'a [u32]>,
    /// The queries of a block.
    loaded: Vec<SparseRow>,
    other: SparseRow,
    /// For each query twice the product of the query and each row, or what a metric has in its place.
    shared: Vec<f64>,
    /// The values of the queries in columns that are kept dense: column, query, value.
    of_dense: Vec<(usize, usize, f64)>,
    passed: Passed,
}

impl<'a> Search<'a> {
    /// A search for blocks of queries.
    pub(super) fn of(
        base: &'a InvertedIndex<'a>,
        queries: &'a SparseRows<'a>,
        numbers: Option<&'a [u32]>,
        block: usize,
    ) -> Self {
        Self {
            base,
            queries,
            numbers,
            loaded: filled(SparseRow::default(), block),
            other: SparseRow::default(),
            shared: filled(0.0, block * base.rows.len()),
            of_dense: Vec::new(),
            passed: Passed::default(),
        }
    }

    /// Fills the lists of `k` of queries from the `first` one on: each by `fill_list`, which is given the
    /// search, the number of the query, its place in the block, and its list.
    pub(super) fn fill(
        &mut self,
        first: usize,
        lists: &mut [Nearest],
        k: usize,
        fill_list: impl Fn(&mut Compared<'_, 'a>, usize, &mut [Nearest]),
    ) {
        let Self { base, queries, numbers, loaded, shared, of_dense, other, passed } = self;
        let number = |at: usize| numbers.map_or(first + at, |numbers| numbers[first + at] as usize);
        let rows = base.rows.len();
        let is_product = base.rows.metric().has_products();
        of_dense.clear();
        for (at, query) in loaded.iter_mut().take(lists.len() / k).enumerate() {
            queries.load(number(at), query);
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
            let (row, shared) = (&loaded[at], &mut shared[at * rows..][..rows]);
            let mut compared = Compared { base, row, shared, other, passed };
            compared.add_sparse_columns();
            fill_list(&mut compared, number(at), list);
            compared.shared.fill(0.0);
        }
    }
}

/// A query, and the sums of its products with all rows of the base.
pub(super) struct Compared<'s, 'a> {
    base: &'s InvertedIndex<'a>,
    row: &'s SparseRow,
    shared: &'s mut [f64],
    other: &'s mut SparseRow,
    passed: &'s mut Passed,
}

impl Compared<'_, '_> {
    /// Adds the columns that are not kept dense.
    fn add_sparse_columns(&mut self) {
        let base = self.base;
        for (feature, value) in self.row.terms() {
            let Place::Sparse(column) = base.place(feature) else {
                continue;
            };
            let (numbers, values) = (&base.numbers[column.clone()], &base.values[column]);
            match base.rows.metric().has_products() {
                true => add_products(self.shared, numbers, values, 2.0 * value),
                false => add_least(self.shared, numbers, values, value),
            }
        }
    }

    /// Fills a list with the nearest of the rows that may be in it, and of those that it holds.
    pub(super) fn fill_list(&mut self, list: &mut [Nearest], may_be: impl Fn(usize) -> bool) {
        let Self { base, row, shared, other, passed } = self;
        if row.is_zero() {
            return base.offer_zero_rows(list, may_be);
        }
        let rows = base.rows.len();
        let (keys, alone) = (Keys::of(base), alone(base.rows.metric(), row));
        let own = alone * (1.0 - base.slack) - TINY;
        // From a lower bound to the upper one.
        let above = |row: usize| {
            let both = alone + base.alone[row];
            keys.above(2.0 * (base.slack * both + TINY), both)
        };
        let next = |from: usize, limit: f64| {
            let [factor, limit] = keys.limit(limit);
            next_within(shared, &base.least, from, [factor, limit - factor * own])
        };
        passed.begin(list.len(), last(list).key);
        let mut number = next(0, passed.limit);
        while number < rows {
            if may_be(number) {
                let sum = own + (base.least[number] - shared[number]);
                passed.add(keys.lower(sum, alone + base.alone[number]), number as u32, above);
            }
            number = next(number + 1, passed.limit);
        }
        passed.tighten(above);
        // In rising order, so that once as many equal rows are there as are asked for, none is nearer.
        for &(lower, number) in &passed.rows {
            let (farthest, name) = (last(list), base.name(number as usize));
            if farthest.key == 0.0 && farthest.index < name {
                break;
            }
            // At the same key only smaller numbers are nearer.
            if (lower, name) < (farthest.key, farthest.index) {
                base.rows.load(number as usize, other);
                offer(list, base.rows.key(row, other), name);
            }
        }
    }
}

/// Rows that pass the filter before it is tightened, beside four for each neighbour.
const PASSED: usize = 64;

/// Rows that may be among the k nearest of a query, by bounds.
#[derive(Default)]
pub(super) struct Passed {
    k: usize,
    /// The lower bound of the key of each row, and its number, rising.
    pub(super) rows: Vec<(f64, u32)>,
    /// Room for upper bounds.
    upper: Vec<f64>,
    /// The k-th smallest upper bound, among the rows so far; no more than at the beginning.
    pub(super) limit: f64,
    /// The number of rows that there may be before the limit is looked at again.
    most: usize,
}

impl Passed {
    /// Begins with a key that none of the k nearest is above.
    pub(super) fn begin(&mut self, k: usize, limit: f64) {
        self.rows.clear();
        (self.k, self.limit, self.most) = (k, limit, 4 * k + PASSED);
    }

    /// Adds a row whose lower bound is within the limit. `above` is what the upper bound of a row is
    /// above its lower one.
    pub(super) fn add(&mut self, lower: f64, row: u32, above: impl Fn(usize) -> f64) {
        push(&mut self.rows, (lower, row));
        if self.rows.len() == self.most {
            self.tighten(above);
            // Of many equally near rows, all stay.
            self.most = usize::max(self.most, 2 * self.rows.len());
        }
    }

    /// Lowers the limit, and drops rows that are above it.
    pub(super) fn tighten(&mut self, above: impl Fn(usize) -> f64) {
        if self.rows.len() <= self.k {
            return;
        }
        self.upper.clear();
        for &(lower, row) in &self.rows {
            push(&mut self.upper, lower + above(row as usize));
        }
        let (_, limit, _) = self.upper.select_nth_unstable_by(self.k - 1, f64::total_cmp);
        self.limit = f64::min(self.limit, *limit);
        self.rows.retain(|(lower, _)| *lower <= self.limit);
    }
}
