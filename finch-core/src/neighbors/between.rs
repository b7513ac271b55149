//! The nearest between two sets of rows: for each query the nearest rows of the *base*.

use super::dispatch::update_lists;
use super::nearest::Nearest;
use super::ranking::KNearest;
use super::search::Search;
use super::sparse::{self, OfRows};
use crate::memory::filled;
use crate::metric::Metric;
use crate::progress::Meter;
use crate::rows::Rows;
use crate::samples::{AnySamples, Kind};
use crate::sparse::SparseRows;

/// For each query the `k` nearest rows of the base, sorted: lists with [`Nearest::NONE`] where the
/// base has fewer rows, or where it is stopped. Exact. Advances the meter by each pair. Both are dense, or
/// both sparse.
pub(crate) fn nearest_between(
    metric: Metric,
    [queries, base]: [AnySamples<'_>; 2],
    k: usize,
    meter: &Meter,
) -> Vec<Nearest> {
    let mut nearest = filled(Nearest::NONE, queries.len() * k);
    match (queries.0, base.0) {
        (Kind::Dense(queries), Kind::Dense(base)) => {
            let base = Rows::new(base, metric);
            // Numbers behind those of the base, so that no query is taken for a row of it.
            let queries = Rows { first: base.len(), ..Rows::new(queries, metric) };
            update_lists(Search::Blocked, KNearest, &queries, &base, &mut nearest, meter);
        }
        (Kind::Sparse(queries), Kind::Sparse(base)) => {
            let [queries, base] = [queries, base].map(|rows| SparseRows::new(rows, metric));
            sparse::search_base([&queries, &base], OfRows::Nearest, k, &mut nearest, meter);
        }
        _ => unreachable!("one side is dense and one is sparse"),
    }
    nearest
}
