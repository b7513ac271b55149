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
//! - `approximate.rs`: the approximate search, by rare features (`rare_features.rs`) or by random
//!   projections (`random_projections.rs`).
//! - `extend.rs`: the search of new rows beside rows whose nearest are known.
//! - `inverted_index.rs`: the base by columns. `search.rs`: what a thread does.
//!   `products.rs`: the loops.

mod approximate;
mod extend;
mod inverted_index;
mod products;
mod random_projections;
mod rare_features;
mod search;

pub(super) use self::approximate::approximate;
pub(super) use self::extend::extended;
pub(super) use self::inverted_index::InvertedIndex;

use rayon::prelude::*;

use self::inverted_index::slack_of;
use self::search::Search;
use super::lists::{Nearest, Ranking, offer};
use crate::run::progress::Meter;
use crate::samples::sparse::{SparseRow, SparseRows};
use crate::support::memory::filled;
use crate::support::parallel::SharedSplitting as _;

/// Queries that one thread takes at a time, at most: the sums of all threads together take no more
/// memory than the rows.
const BLOCK: usize = 8;

/// Lists of the `k` nearest of each row, by keys of all pairs: the oracle.
pub(super) fn by_brute_force(rows: &SparseRows<'_>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let mut nearest = filled(Nearest::NONE, rows.len() * k);
    nearest.par_chunks_mut(k).enumerate().shared().for_each_init(
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
pub(super) fn search(base: &InvertedIndex<'_>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let mut nearest = filled(Nearest::NONE, base.rows.len() * k);
    fill(base, None, k, &mut nearest, base.rows.len(), meter);
    nearest
}

/// Lists of the `k` nearest of the rows of these numbers, of a base.
fn nearest_of(base: &InvertedIndex<'_>, numbers: &[u32], k: usize, meter: &Meter) -> Vec<Nearest> {
    let mut nearest = filled(Nearest::NONE, numbers.len() * k);
    // No progress, since all rows are still to be searched.
    fill(base, Some(numbers), k, &mut nearest, 0, meter);
    nearest
}

/// Fills lists of `k` of the rows of a base, of all or of those of these numbers, each of which is so many
/// `pairs` of all that are to be compared.
fn fill(
    base: &InvertedIndex<'_>,
    numbers: Option<&[u32]>,
    k: usize,
    lists: &mut [Nearest],
    pairs: usize,
    meter: &Meter,
) {
    let block = block_of(base.rows);
    lists.par_chunks_mut(block * k).enumerate().shared().for_each_init(
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

/// Fills the list of each query with rows of the base, of as many features.
pub(super) fn search_base<R: Ranking>(
    ranking: R,
    [queries, base]: [&SparseRows<'_>; 2],
    k: usize,
    lists: &mut [Nearest],
    meter: &Meter,
) {
    let slack = slack_of(&[queries, base]);
    let (rows, block) = (base.len(), block_of(base));
    let base = InvertedIndex::of(base, None, slack);
    lists.par_chunks_mut(block * k).enumerate().shared().for_each_init(
        || Search::of(&base, queries, None, block),
        |search, (number, lists)| {
            if !meter.stopped() {
                search.fill(number * block, lists, k, |compared, _, list| match ranking.labels() {
                    None => compared.fill_list(list, |_| true),
                    Some(labels) => {
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
    ranking: R,
    [queries, base]: [&SparseRows<'_>; 2],
    k: usize,
    lists: &mut [Nearest],
    meter: &Meter,
) {
    lists.par_chunks_mut(k).enumerate().shared().for_each_init(
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

/// Queries of a block, where rows of the base are so many.
fn block_of(base: &SparseRows<'_>) -> usize {
    let values_a_thread = base.samples.values() / rayon::current_num_threads();
    (values_a_thread / base.len()).clamp(1, BLOCK)
}
