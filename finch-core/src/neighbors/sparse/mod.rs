//! The k nearest of sparse rows, by products of sparse rows: exactly, or most of them.
//!
//! ‖x−y‖² = ‖x‖² + ‖y‖² − 2x·y, and for Manhattan Σ|xᵢ−yᵢ| = Σ|xᵢ| + Σ|yᵢ| − 2Σ'min(|xᵢ|, |yᵢ|), Σ' being
//! over features of which both values have one sign. Either product has terms only where both rows have
//! values. So a copy of the base by columns tells, feature by feature of a query, which rows have the
//! feature, and one number for each row of the base adds the terms up (Gustavson, *Two fast algorithms
//! for sparse matrices*, 1978). Of texts, a few features that most rows have take most of the time:
//! their columns are kept dense, and added for several queries at a time.
//!
//! The sum is in f64, but not in the order that decides. So it only filters: it bounds the key from
//! below and from above, and rows whose lower bound is above the k-th smallest upper bound are none of
//! the k nearest. The rows that are left, hardly more than k, are compared by key. With n values in the
//! longest row, rounding moves the sum by less than (2n + 128)·ε times what both rows have by themselves
//! (‖x‖² + ‖y‖², or Σ|xᵢ| + Σ|yᵢ|): n products and sums, as many for each ‖x‖², and less than 64
//! roundings of a key, which is at most twice that. The slack is twice as large.
//!
//! The metrics of samples of 0 and 1 follow from the same sums: Hamming distances are Manhattan ones by the
//! number of features, and with D = Σ|xᵢ−yᵢ| and S = Σxᵢ + Σyᵢ Jaccard's is D/(½(S + D)). Sums of 0 and 1
//! are exact, so that their bounds are the keys.
//!
//! - This file has the exact searches: of rows among themselves, and of the rows of a base.
//! - `choose.rs`: which search serves rows among themselves.
//! - `rare_features.rs`, `random_projections.rs`: the approximate searches, by rare features and by random projections.
//! - `mostly_zero.rs`: dense rows most of whose values are 0, searched as sparse ones.
//! - `extend.rs`: the search of new rows beside rows whose nearest are known.
//! - `inverted_index.rs`: the base by columns. `search.rs`: what a thread does.
//!   `products.rs`: the loops.

mod choose;
mod extend;
mod inverted_index;
mod mostly_zero;
mod products;
mod random_projections;
mod rare_features;
mod search;

pub(super) use self::choose::{Task, choice, run};
pub(super) use self::extend::extended;
pub(super) use self::mostly_zero::run_dense;

use rayon::prelude::*;

use self::inverted_index::Base;
use self::search::Search;

use super::lists::{Nearest, Ranking, offer};
use crate::run::progress::Meter;
use crate::samples::sparse::{SparseRow, SparseRows};
use crate::support::memory::filled;

/// Queries that one thread takes at a time, at most: the sums of all threads together take no more
/// memory than the rows.
const BLOCK: usize = 8;

/// Lists of the `k` nearest of each row, by keys of all pairs: the oracle.
fn by_brute_force(rows: &SparseRows<'_>, k: usize, meter: &Meter) -> Vec<Nearest> {
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

/// Lists of the `k` nearest of each row of a base.
fn search(base: &Base<'_>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let mut nearest = filled(Nearest::NONE, base.rows.len() * k);
    fill(base, None, k, &mut nearest, base.rows.len(), meter);
    nearest
}

/// Lists of the `k` nearest of the rows of these numbers, of a base.
fn nearest_of(base: &Base<'_>, numbers: &[u32], k: usize, meter: &Meter) -> Vec<Nearest> {
    let mut nearest = filled(Nearest::NONE, numbers.len() * k);
    // No progress, since all rows are still to be searched.
    fill(base, Some(numbers), k, &mut nearest, 0, meter);
    nearest
}

/// Fills lists of `k` of the rows of a base, of all or of those of these numbers, each of which is so many
/// `pairs` of all that are to be compared.
fn fill(
    base: &Base<'_>,
    numbers: Option<&[u32]>,
    k: usize,
    lists: &mut [Nearest],
    pairs: usize,
    meter: &Meter,
) {
    let block = block_of(base.rows);
    lists.par_chunks_mut(block * k).enumerate().for_each_init(
        || Search::of(base, base.rows, numbers, block),
        |search, (number, lists)| {
            if !meter.stopped() {
                search.fill(number * block, lists, k, |compared, query, list| {
                    compared.fill_list(list, |row| row != query);
                });
                meter.advance((lists.len() / k * pairs) as u64);
            }
        },
    );
}

/// The rows of a base that are looked for.
#[derive(Clone, Copy)]
pub(super) enum OfRows<'a> {
    /// The nearest, as many as fit in a list.
    Nearest,
    /// The nearest, and the nearest of those that have another label than that one.
    OtherLabel(&'a [u32]),
}

/// Fills lists of `k` of each query with rows of the base, of as many features.
pub(super) fn search_base(
    [queries, base]: [&SparseRows<'_>; 2],
    of_rows: OfRows<'_>,
    k: usize,
    lists: &mut [Nearest],
    meter: &Meter,
) {
    let slack = slack_of(&[queries, base]);
    let (rows, block) = (base.len(), block_of(base));
    let base = Base::of(base, None, slack);
    lists.par_chunks_mut(block * k).enumerate().for_each_init(
        || Search::of(&base, queries, None, block),
        |search, (number, lists)| {
            if !meter.stopped() {
                search.fill(number * block, lists, k, |compared, _, list| match of_rows {
                    OfRows::Nearest => compared.fill_list(list, |_| true),
                    OfRows::OtherLabel(labels) => {
                        let [first, second] = list else { unreachable!("a list of two") };
                        compared.fill_list(std::slice::from_mut(first), |_| true);
                        // A zero row finds none where the base has no other.
                        let Some(&label) = labels.get(first.index as usize) else { return };
                        let is_other = |row: usize| labels[row] != label;
                        compared.fill_list(std::slice::from_mut(second), is_other);
                    }
                });
                meter.advance((lists.len() / k * rows) as u64);
            }
        },
    );
}

/// [`search_base`] by keys of all pairs: the oracle.
pub(super) fn base_by_brute_force<R: Ranking>(
    [queries, base]: [&SparseRows<'_>; 2],
    ranking: R,
    k: usize,
    lists: &mut [Nearest],
    meter: &Meter,
) {
    lists.par_chunks_mut(k).enumerate().for_each_init(
        || [(); 2].map(|()| SparseRow::default()),
        |[row, other], (number, list)| {
            queries.load(number, row);
            for j in (0..base.len()).filter(|_| !meter.stopped()) {
                base.load(j, other);
                ranking.offer(list, base.key(row, other), j as u32);
            }
            meter.advance(base.len() as u64);
        },
    );
}

/// The amount that rounding can add to a sum of two rows of these, as a share of what both have by
/// themselves: nothing, where all are of 0 and 1 under a metric that takes such.
fn slack_of(of: &[&SparseRows<'_>]) -> f64 {
    let are_bits = |rows: &&SparseRows<'_>| {
        rows.metric().is_of_bits() && rows.samples.expect_bits(rows.metric().name()).is_ok()
    };
    if of.iter().all(are_bits) {
        return 0.0;
    }
    let lengths =
        of.iter().flat_map(|rows| (0..rows.len()).map(|row| rows.samples.range(row).len()));
    // The values of the row that has most.
    let longest = lengths.max().unwrap_or(0);
    4.0 * (longest + 64) as f64 * f64::EPSILON
}

/// Queries of a block, where rows of the base are so many.
fn block_of(base: &SparseRows<'_>) -> usize {
    let values_a_thread = base.samples.values() / rayon::current_num_threads();
    (values_a_thread / base.len()).clamp(1, BLOCK)
}
