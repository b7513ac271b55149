//! For each of some rows, the nearest of other rows, the *base*.

use super::dispatch::update_lists;
use super::nearest::Nearest;
use super::ranking::{KNearest, OtherLabel};
use super::search::Search;
use crate::element::{AnyMatrix, Element};
use crate::error::Result;
use crate::memory::filled;
use crate::metric::Metric;
use crate::progress::Stage;
use crate::rows::Rows;
use crate::run::Run;
use crate::samples::{AnySamples, Samples};

/// Which rows of the base are looked for.
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

/// What is wanted of the base, for each query: lists, with [`Nearest::NONE`] where there is no row.
///
/// Queries and base are of one element type and have as many features.
///
/// # Errors
/// [`Error::UnsupportedSearch`](crate::Error::UnsupportedSearch) for a search that takes one set of
/// rows, or does not serve the metric; and what a stage returns.
pub(crate) fn nearest_of_base(
    metric: Metric,
    search: Search,
    [queries, base]: [AnySamples<'_>; 2],
    wanted: Wanted<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Nearest>> {
    let reason = "it serves to search samples among themselves";
    let search = search.resolve_for_two(metric, reason)?;
    let what = "a search between two sets of samples";
    match (queries.dense(what)?, base.dense(what)?) {
        (AnyMatrix::F64(queries), AnyMatrix::F64(base)) => {
            let samples = [Samples::checked(queries), Samples::checked(base)];
            nearest_of(metric, search, samples, wanted, run)
        }
        (AnyMatrix::F32(queries), AnyMatrix::F32(base)) => {
            let samples = [Samples::checked(queries), Samples::checked(base)];
            nearest_of(metric, search, samples, wanted, run)
        }
        (AnyMatrix::U8(queries), AnyMatrix::U8(base)) => {
            let samples = [Samples::checked(queries), Samples::checked(base)];
            nearest_of(metric, search, samples, wanted, run)
        }
        _ => unreachable!("queries and base have one element type"),
    }
}

fn nearest_of<A: Element>(
    metric: Metric,
    search: Search,
    [queries, base]: [Samples<'_, A>; 2],
    wanted: Wanted<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Nearest>> {
    let base = Rows::new(base.reborrow(), metric);
    // Behind the base, so that no query is taken for a row of it.
    let queries = Rows { first: base.len(), ..Rows::new(queries.reborrow(), metric) };
    let mut nearest = filled(Nearest::NONE, queries.len() * wanted.list());
    let pairs = queries.len() as u64 * base.len() as u64;
    run.stage(Stage::Predict, pairs, |meter| {
        let lists = &mut nearest;
        match wanted {
            Wanted::Nearest(_) => update_lists(search, KNearest, &queries, &base, lists, meter),
            Wanted::OtherLabel(labels) => {
                update_lists(search, OtherLabel(labels), &queries, &base, lists, meter)
            }
        }
    })?;
    Ok(nearest)
}
