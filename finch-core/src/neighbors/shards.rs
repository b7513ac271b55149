//! Samples of which a part is at hand at a time.

use super::choice::Search;
use super::exact::{blocked, brute};
use super::nearest::Nearest;
use super::orthogonal;
use crate::element::{AnyMatrix, Element};
use crate::error::{Error, Result};
use crate::metric::Metric;
use crate::progress::{Meter, Stage};
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
    fn end(&self) -> usize {
        self.first.saturating_add(self.samples.len())
    }

    fn rows(&self, metric: Metric) -> Rows<'_, A> {
        Rows { first: self.first, ..Rows::new(self.samples.reborrow(), metric) }
    }
}

/// Offers every sample of `base` to every query but itself.
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
        [queries.samples.any(), base.samples.any()],
        [queries.first, base.first],
        nearest,
        run,
    )
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
    macro_rules! of {
        ($queries:expr, $base:expr) => {{
            let queries = Shard { samples: Samples::checked($queries), first: first_query };
            let base = Shard { samples: Samples::checked($base), first: first_base };
            update_of(metric, search, &queries, &base, nearest, run)
        }};
    }
    match (queries.0, base.0) {
        (AnyMatrix::F64(queries), AnyMatrix::F64(base)) => of!(queries, base),
        (AnyMatrix::F32(queries), AnyMatrix::F32(base)) => of!(queries, base),
        (AnyMatrix::U8(queries), AnyMatrix::U8(base)) => of!(queries, base),
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
    let search = match search {
        Search::KdTree | Search::Projected | Search::Approximate => {
            let reason = "it would begin anew with each part";
            return Err(Error::UnsupportedSearch { search: search.name(), reason });
        }
        // Nobody knows how much is to come.
        Search::Auto if metric == Metric::Manhattan => Search::Brute,
        Search::Auto => Search::Blocked,
        search => search.resolve(metric, usize::MAX, usize::MAX, false)?.0,
    };
    let [queries, base] = [queries.rows(metric), base.rows(metric)];
    // What a cancelled search has found so far is not given out.
    let mut updated = nearest.to_vec();
    let pairs = queries.len() as u64 * base.len() as u64;
    let work = |meter: &Meter| match search {
        Search::Blocked => {
            blocked::update(&queries, &base, &mut updated, meter);
            orthogonal::update(&queries, &base, &mut updated);
        }
        _ => brute::update(&queries, &base, &mut updated, meter),
    };
    run.stage(Stage::Neighbors { level: 0 }, pairs, work)?;
    nearest.copy_from_slice(&updated);
    Ok(())
}
