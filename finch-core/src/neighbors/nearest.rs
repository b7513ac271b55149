//! The nearest sample so far, for searches that see the data a part at a time.

use super::{Search, blocked, brute, orthogonal};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::metric::Metric;
use crate::progress::{Meter, Runner, Stage};
use crate::rows::Rows;
use crate::samples::Samples;

/// The nearest sample so far.
///
/// It is kept by key and not by distance, since two keys may round to the same distance, and the
/// nearer sample has to win all the same.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Nearest {
    /// What the metric compares: the squared distance for Euclidean, 2 − 2·cos for cosine, the
    /// distance for Manhattan. Infinite as long as there is no sample.
    pub key: f64,
    /// The number of the sample, from 0; `u32::MAX` as long as there is none.
    pub index: u32,
}

impl Nearest {
    /// No sample yet: farther than any, since values, and so keys, are bounded.
    pub const NONE: Self = Self { key: f64::INFINITY, index: u32::MAX };

    /// Takes another sample if it is nearer, or as near with a smaller index: the tie rule, which
    /// makes the order of offers irrelevant.
    pub fn offer(&mut self, key: f64, index: u32) {
        let offered = Self { key, index };
        if offered.precedes(self) {
            *self = offered;
        }
    }

    fn precedes(&self, other: &Self) -> bool {
        self.key < other.key || (self.key == other.key && self.index < other.index)
    }

    /// How far it is, under the metric of the search.
    pub fn distance(&self, metric: Metric) -> f64 {
        metric.distance(self.key)
    }
}

/// Offers a sample to a list: the nearest so far, k ≥ 1 of them and sorted, [`Nearest::NONE`] where
/// there is none yet. A list takes what it holds already for another sample, so each is offered
/// once.
///
/// Searches hold the lists of all samples one after the other, also where each is of one: to tell
/// the two apart when compiling would gain nothing that can be measured, beside a key.
pub(super) fn offer(list: &mut [Nearest], key: f64, index: u32) {
    let offered = Nearest { key, index };
    if offered.precedes(last(list)) {
        let place = list.partition_point(|kept| kept.precedes(&offered));
        list.copy_within(place..list.len() - 1, place + 1);
        list[place] = offered;
    }
}

/// The farthest of a list: what is to enter has to precede it.
pub(super) fn last(list: &[Nearest]) -> &Nearest {
    list.last().expect("a list has at least one place")
}

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
    runner: &mut Runner<'_, '_>,
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
    runner.stage(Stage::Neighbors { level: 0 }, pairs, work)?;
    nearest.copy_from_slice(&updated);
    Ok(())
}
