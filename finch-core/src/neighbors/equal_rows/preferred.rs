//! The equal one of several samples that are equally near.
//!
//! Under cosine all parallel samples are at distance 0, of which the one of the smallest number is the
//! nearest. A sample that is itself among them is to be told by itself.

use rayon::prelude::*;

use super::Alike;
use crate::neighbors::lists::Nearest;
use crate::run::progress::Meter;
use crate::run::work::threads_beside;
use crate::samples::element::AnyMatrix;
use crate::samples::metric::Metric;
use crate::samples::{AnySamples, Kind};
use crate::support::memory::{filled, gathered};
use crate::support::parallel::SharedSplitting as _;

/// The largest key of parallel rows, whatever rounding adds to it.
const PARALLEL: f64 = 1e-12;

/// Queries for each of which the base is read, until a value differs: to hash all rows takes longer.
const FEW: usize = 64;

/// Puts the first row of the base that is equal to a query in the place of a parallel one, in lists of
/// `k`. With the labels of the base, lists are the nearest and the nearest of another label.
pub(crate) fn prefer_equal(
    metric: Metric,
    [queries, base]: [&AnySamples<'_>; 2],
    labels: Option<&[u32]>,
    lists: &mut [Nearest],
) {
    let k = lists.len() / queries.len();
    let is_unequal = |query: usize| {
        let Nearest { key, index } = lists[query * k];
        key <= PARALLEL && !are_equal([queries, base], [query, index as usize])
    };
    let parallel: Vec<usize> = match metric {
        Metric::Cosine => gathered((0..queries.len()).filter(|&query| is_unequal(query))),
        _ => return,
    };
    if parallel.is_empty() {
        return;
    }
    let place = |query: usize, row: usize, lists: &mut [Nearest]| {
        let list = &mut lists[query * k..][..k];
        let equal = Nearest { index: row as u32, ..list[0] };
        // The parallel row is the nearest of another label, if it has another one.
        if labels.is_some_and(|labels| labels[row] != labels[list[0].index as usize]) {
            list[k - 1] = list[0];
        }
        list[0] = equal;
    };
    if let (true, Kind::Dense(queries), Kind::Dense(base)) =
        (parallel.len() <= FEW, &queries.0, &base.0)
    {
        for query in parallel {
            if let Some(row) = first_equal(queries, query, base) {
                place(query, row, lists);
            }
        }
        return;
    }
    let meter = &Meter::new(1);
    let of_queries = queries.hashes(meter);
    let mut wanted = gathered(parallel.into_iter().map(|query| (of_queries[query], query)));
    wanted.sort_unstable();
    let mut found = filled(false, wanted.len());
    for (row, hash) in base.hashes(meter).into_iter().enumerate() {
        let from = wanted.partition_point(|&(of_query, _)| of_query < hash);
        for at in (from..wanted.len()).take_while(|&at| wanted[at].0 == hash) {
            let query = wanted[at].1;
            if found[at] || !are_equal([queries, base], [query, row]) {
                continue;
            }
            found[at] = true;
            place(query, row, lists);
        }
    }
}

/// The first row of the base that has the values of a query: found on this thread where that is little work.
fn first_equal(queries: &AnyMatrix<'_>, query: usize, base: &AnyMatrix<'_>) -> Option<usize> {
    let mut values = filled(0.0, queries.features());
    queries.load(query, &mut values);
    let is_equal = |row: &usize| base.has_values(*row, &values);
    match threads_beside(1, [base.len(), base.features()]) == 1 {
        true => (0..base.len()).find(is_equal),
        false => (0..base.len()).into_par_iter().shared().find_first(is_equal),
    }
}

/// True if a query and a row of the base have the same values, of whatever type.
fn are_equal([queries, base]: [&AnySamples<'_>; 2], [query, row]: [usize; 2]) -> bool {
    match (&queries.0, &base.0) {
        (Kind::Dense(queries), Kind::Dense(base)) => {
            let [mut one, mut other] = [(); 2].map(|()| filled(0.0, queries.features()));
            queries.load(query, &mut one);
            base.load(row, &mut other);
            one == other
        }
        (Kind::Sparse(queries), Kind::Sparse(base)) => {
            let one = queries.given(query).filter(|at| at.1 != 0.0);
            one.eq(base.given(row).filter(|at| at.1 != 0.0))
        }
        _ => false,
    }
}
