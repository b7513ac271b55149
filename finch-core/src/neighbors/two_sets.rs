//! The nearest rows of one set, the *base*, for each row of another set, the queries.

use super::approximate::{self, Aim, Sides};
use super::exact::bits::{self, bits_of};
use super::exact::{blocked, brute};
use super::lists::{KNearest, Nearest, OtherLabel, Ranking};
use super::search::{Recall, Search};
use super::sparse::{self, OfRows};
use super::zero_rows;
use crate::error::{Error, Result};
use crate::run::Run;
use crate::run::progress::{Meter, Stage};
use crate::samples::element::AnyMatrix;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::samples::sparse::{SparseRows, SparseSamples};
use crate::samples::{AnySamples, Kind};
use crate::support::memory::filled;

/// The rows of the base that are looked for.
#[derive(Clone, Copy)]
pub(crate) enum Wanted<'a> {
    /// The k nearest; fewer, where the base has fewer.
    Nearest(usize),
    /// The nearest, and the nearest of those that have another label than that one. The labels are
    /// those of the base.
    OtherLabel(&'a [u32]),
}

impl Wanted<'_> {
    /// The length of a list.
    fn list(self) -> usize {
        match self {
            Self::Nearest(k) => k,
            Self::OtherLabel(_) => 2,
        }
    }
}

/// The result of a search of the base.
pub(crate) struct OfBase {
    /// For each query a list, with [`Nearest::NONE`] where there is no row.
    pub(crate) lists: Vec<Nearest>,
    /// The share of the nearest that an approximate search found.
    pub(crate) recall: Option<Recall>,
}

/// The result wanted of the base, for each query.
///
/// Queries and base are of one element type and have as many features. An approximate search takes a
/// copy of both.
///
/// # Errors
/// [`Error::UnsupportedSearch`] for a search that takes one set of rows, or does not serve the metric
/// or what is wanted; [`Error::InvalidRecall`]; and what a stage returns.
pub(crate) fn nearest_of_base(
    metric: Metric,
    search: Search,
    aim: Aim,
    [queries, base]: [AnySamples<'_>; 2],
    wanted: Wanted<'_>,
    run: &mut Run<'_>,
) -> Result<OfBase> {
    let refused = |reason| Err(Error::UnsupportedSearch { search: search.name(), reason });
    if !(aim.recall > 0.0 && aim.recall <= 1.0) {
        return Err(Error::InvalidRecall { recall: aim.recall });
    }
    let search = match (search, wanted) {
        (Search::Approximate, Wanted::OtherLabel(_)) => {
            return refused("it finds no nearest of another cluster: ask for no confidence");
        }
        (Search::Approximate, Wanted::Nearest(_)) => {
            search.check(metric, usize::MAX)?;
            search
        }
        _ => search.resolve_for_two(metric, "it serves to search samples among themselves")?,
    };
    if let (Kind::Sparse(queries), Kind::Sparse(base)) = (queries.0, base.0) {
        return match search {
            Search::Approximate => refused("it takes dense samples"),
            _ => {
                // Means are not of 0 and 1.
                if metric.is_of_bits() {
                    run.install(|| queries.expect_bits(metric.name()))??;
                }
                nearest_of_sparse(metric, search, [queries, base], wanted, run)
            }
        };
    }
    let what = "a search between two sets of samples";
    let [queries, base] = [queries.dense(what)?, base.dense(what)?];
    // Means are not of 0 and 1.
    let packed = match metric.is_of_bits() {
        true => run.install(|| {
            Ok([Some(queries.packed(metric.name())?), base.packed(metric.name()).ok()])
        })??,
        false => [None, None],
    };
    let [queries, base] = match &packed {
        [Some(queries), Some(base)] => [queries, base].map(|bits| AnyMatrix::Bits(bits.view())),
        _ => [queries.reborrow(), base.reborrow()],
    };
    let count = queries.len() + base.len();
    if search == Search::Approximate && i32::try_from(count).is_err() {
        return Err(Error::TooManySamples { samples: count });
    }
    let both = match search {
        Search::Approximate => {
            Some(run.install(|| AnyMatrix::stacked([base.reborrow(), queries.reborrow()]))?)
        }
        _ => None,
    };
    let base = Rows::new(base, metric);
    // Behind the base, so that no query is taken for a row of it.
    let queries = Rows { first: base.len(), ..Rows::new(queries, metric) };
    let k = wanted.list();
    let pairs = queries.len() as u64 * base.len() as u64;
    run.stage(Stage::Predict, pairs, |meter| {
        if let Some(both) = &both {
            let rows = Rows::new(both.view(), metric);
            let sides = Sides::two(rows.len(), base.len());
            let found = approximate::search_sides(&rows, sides, k, aim, None, meter);
            let (mut lists, recall) = found.expect("nothing runs instead");
            zero_rows::update(KNearest, &queries, &base, &mut lists);
            return OfBase { lists, recall };
        }
        let mut lists = filled(Nearest::NONE, queries.len() * k);
        match wanted {
            Wanted::Nearest(_) => {
                update_lists(search, KNearest, &queries, &base, &mut lists, meter)
            }
            Wanted::OtherLabel(labels) => {
                update_lists(search, OtherLabel(labels), &queries, &base, &mut lists, meter)
            }
        }
        OfBase { lists, recall: None }
    })
}

fn nearest_of_sparse(
    metric: Metric,
    search: Search,
    samples: [SparseSamples<'_>; 2],
    wanted: Wanted<'_>,
    run: &mut Run<'_>,
) -> Result<OfBase> {
    let [queries, base] = &samples;
    let (k, pairs) = (wanted.list(), queries.len() as u64 * base.len() as u64);
    let lists = run.stage(Stage::Predict, pairs, |meter| {
        let mut lists = filled(Nearest::NONE, queries.len() * k);
        let [queries, base] = &samples.map(|samples| SparseRows::new(samples, metric));
        let rows = [queries, base];
        match (search, wanted) {
            (Search::Brute, Wanted::Nearest(_)) => {
                sparse::base_by_brute_force(rows, KNearest, k, &mut lists, meter);
            }
            (Search::Brute, Wanted::OtherLabel(labels)) => {
                sparse::base_by_brute_force(rows, OtherLabel(labels), k, &mut lists, meter);
            }
            (_, Wanted::Nearest(_)) => {
                sparse::search_base(rows, OfRows::Nearest, k, &mut lists, meter);
            }
            (_, Wanted::OtherLabel(labels)) => {
                sparse::search_base(rows, OfRows::OtherLabel(labels), k, &mut lists, meter);
            }
        }
        lists
    })?;
    Ok(OfBase { lists, recall: None })
}

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

/// Offers every row of `base` to every row of `queries` by a search for shards.
pub(crate) fn update_lists<'a>(
    search: Search,
    ranking: impl Ranking,
    queries: &Rows<'a>,
    base: &Rows<'a>,
    nearest: &mut [Nearest],
    meter: &Meter,
) {
    match search {
        Search::Brute => brute::update(ranking, queries, base, nearest, meter),
        Search::Blocked => {
            if let (Some(of_queries), Some(of_base)) = (bits_of(queries), bits_of(base)) {
                let rows = [queries, base];
                return bits::update(ranking, rows, [of_queries, of_base], nearest, meter);
            }
            blocked::update(ranking, queries, base, nearest, meter);
            zero_rows::update(ranking, queries, base, nearest);
        }
        _ => unreachable!("refused before"),
    }
}
