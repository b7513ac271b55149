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
use crate::samples::{AnySamples, Samples};

/// Consecutive samples of data that is spread over files or machines.
#[derive(Clone, Copy, Debug)]
pub struct Shard<'a, A> {
    /// The samples of this part.
    pub samples: Samples<'a, A>,
    /// The number of the first of them in the whole data, from 0.
    pub first: usize,
}

impl<A: Element> Shard<'_, A> {
    /// The number after that of the last sample.
    fn end(&self) -> usize {
        self.first.saturating_add(self.samples.len())
    }

    fn rows(&self, metric: Metric) -> Rows<'_, A> {
        Rows { first: self.first, ..Rows::new(self.samples.reborrow(), metric) }
    }
}

/// Offers every sample of `base` to every sample of `queries`, but to itself.
///
/// # Errors
/// Those of [`Finch::update_nearest`](crate::Finch::update_nearest). After an error `nearest` is as
/// it was.
pub(crate) fn update<A: Element>(
    metric: Metric,
    search: Search,
    queries: &Shard<'_, A>,
    base: &Shard<'_, A>,
    nearest: &mut [Nearest],
    run: &mut Run<'_>,
) -> Result<()> {
    let samples = [queries.samples.any(), base.samples.any()];
    update_any(metric, search, samples, [queries.first, base.first], nearest, run)
}

/// [`update`], compiled here for each element type.
fn update_any(
    metric: Metric,
    search: Search,
    [queries, base]: [AnySamples<'_>; 2],
    [first_query, first_base]: [usize; 2],
    nearest: &mut [Nearest],
    run: &mut Run<'_>,
) -> Result<()> {
    macro_rules! update_of_type {
        ($queries:expr, $base:expr) => {{
            let queries = Shard { samples: Samples::checked($queries), first: first_query };
            let base = Shard { samples: Samples::checked($base), first: first_base };
            update_of(metric, search, &queries, &base, nearest, run)
        }};
    }
    let what = "an update of neighbours";
    match (queries.dense(what)?, base.dense(what)?) {
        (AnyMatrix::F64(queries), AnyMatrix::F64(base)) => update_of_type!(queries, base),
        (AnyMatrix::F32(queries), AnyMatrix::F32(base)) => update_of_type!(queries, base),
        (AnyMatrix::U8(queries), AnyMatrix::U8(base)) => update_of_type!(queries, base),
        _ => unreachable!("both shards have one element type"),
    }
}

fn update_of<A: Element>(
    metric: Metric,
    search: Search,
    queries: &Shard<'_, A>,
    base: &Shard<'_, A>,
    nearest: &mut [Nearest],
    run: &mut Run<'_>,
) -> Result<()> {
    queries.samples.expect_len(nearest.len())?;
    let (expected, found) = (base.samples.features(), queries.samples.features());
    if found != expected {
        return Err(Error::FeatureCount { expected, found });
    }
    for samples in [queries.end(), base.end()] {
        if i32::try_from(samples).is_err() {
            return Err(Error::TooManySamples { samples });
        }
    }
    let search = search.resolve_for_shards(metric)?;
    let [queries, base] = [queries.rows(metric), base.rows(metric)];
    // A copy, since what a cancelled search has found so far is not given out.
    let mut updated: Vec<Nearest> = collected(nearest.iter().copied());
    let pairs = queries.len() as u64 * base.len() as u64;
    run.stage(Stage::Neighbors { level: 0 }, pairs, |meter| {
        update_lists(search, KNearest, &queries, &base, &mut updated, meter);
    })?;
    nearest.copy_from_slice(&updated);
    Ok(())
}
