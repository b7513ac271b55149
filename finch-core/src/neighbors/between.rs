//! The nearest between two sets of rows: for each query the nearest rows of the *base*.

use super::dispatch::update_lists;
use super::nearest::Nearest;
use super::ranking::KNearest;
use super::search::Search;
use crate::element::AnyMatrix;
use crate::memory::filled;
use crate::metric::Metric;
use crate::progress::Meter;
use crate::rows::Rows;

/// For each query the `k` nearest rows of the base, sorted: lists with [`Nearest::NONE`] where the
/// base has fewer rows, or where it is stopped. Exact. Advances the meter by each pair.
pub(crate) fn nearest_between(
    metric: Metric,
    [queries, base]: [AnyMatrix<'_>; 2],
    k: usize,
    meter: &Meter,
) -> Vec<Nearest> {
    let base = Rows::new(base, metric);
    // Numbers behind those of the base, so that no query is taken for a row of it.
    let queries = Rows { first: base.len(), ..Rows::new(queries, metric) };
    let mut nearest = filled(Nearest::NONE, queries.len() * k);
    update_lists(Search::Blocked, KNearest, &queries, &base, &mut nearest, meter);
    nearest
}
