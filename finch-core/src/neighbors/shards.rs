//! Samples that come in parts: the nearest so far, updated by each part.

use super::dispatch::update_lists;
use super::nearest::Nearest;
use super::ranking::KNearest;
use super::search::Search;
use crate::element::{AnyMatrix, Element};
use crate::error::{Error, Result};
use crate::memory::collected;
use crate::metric::Metric;
use crate::progress::Stage;
use crate::rows::Rows;
use crate::run::Run;
use crate::samples::Samples;

/// Consecutive samples of data that is spread over files or machines.
#[derive(Clone, Copy, Debug)]
pub struct Shard<'a, A> {
    /// The samples of this part.
    pub samples: Samples<'a, A>,
    /// The number of the first of them in the whole data, from 0.
    pub first: usize,
}

/// Offers every sample of `base` to every sample of `queries`, but to itself.
///
/// # Errors
/// The errors of [`Finch::update_nearest`](crate::Finch::update_nearest). After an error `nearest` is as
/// it was.
pub(crate) fn update<A: Element>(
    metric: Metric,
    search: Search,
    queries: &Shard<'_, A>,
    base: &Shard<'_, A>,
    nearest: &mut [Nearest],
    run: &mut Run<'_>,
) -> Result<()> {
    update_any(
        metric,
        search,
        [queries.samples.reborrow().into(), base.samples.reborrow().into()],
        [queries.first, base.first],
        nearest,
        run,
    )
}

/// [`update`], which is not compiled for each element type.
fn update_any(
    metric: Metric,
    search: Search,
    [queries, base]: [AnyMatrix<'_>; 2],
    [first_query, first_base]: [usize; 2],
    nearest: &mut [Nearest],
    run: &mut Run<'_>,
) -> Result<()> {
    if nearest.len() != queries.len() {
        return Err(Error::SampleCount { expected: nearest.len(), found: queries.len() });
    }
    let (expected, found) = (base.features(), queries.features());
    if found != expected {
        return Err(Error::FeatureCount { expected, found });
    }
    let packed = match metric.is_of_bits() {
        true => Some(
            run.install(|| Ok([queries.packed(metric.name())?, base.packed(metric.name())?]))??,
        ),
        false => None,
    };
    let [queries, base] = match &packed {
        Some(packed) => packed.each_ref().map(|bits| AnyMatrix::Bits(bits.view())),
        None => [queries.reborrow(), base.reborrow()],
    };
    let queries = Rows { first: first_query, ..Rows::new(queries, metric) };
    let base = Rows { first: first_base, ..Rows::new(base, metric) };
    for rows in [&queries, &base] {
        let samples = rows.first.saturating_add(rows.len());
        if i32::try_from(samples).is_err() {
            return Err(Error::TooManySamples { samples });
        }
    }
    let search = search.resolve_for_shards(metric)?;
    // A copy, since what a cancelled search has found so far is not given out.
    let mut updated: Vec<Nearest> = collected(nearest.iter().copied());
    let pairs = queries.len() as u64 * base.len() as u64;
    run.stage(Stage::Neighbors { level: 0 }, pairs, |meter| {
        update_lists(search, KNearest, &queries, &base, &mut updated, meter);
    })?;
    nearest.copy_from_slice(&updated);
    Ok(())
}
