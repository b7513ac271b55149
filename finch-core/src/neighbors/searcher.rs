//! The searcher: from the search that is asked for to the neighbours that it finds.
//!
//! Where the search is left open, `plan/` decides.
//! Equal rows are searched as one (`equal_rows/`), unless brute force is asked for, the oracle of all
//! others.

use std::time::{Duration, Instant};

use super::approximate::Aim;
use super::equal_rows::ties::Tied;
use super::exact::projected::{self, Axes};
use super::extend;
use super::known::Known;
use super::lists::Nearest;
use super::plan::{self, AnyRows, Task};
use super::search::{Choice, Evidence, Reason, Recall, Search};
use super::table::{FirstNeighbors, Neighbors};
use crate::error::warning::Warning;
use crate::error::{Error, Result};
use crate::run::Run;
use crate::run::progress::{Meter, Stage};
use crate::samples::bits::BitArray;
use crate::samples::element::AnyMatrix;
use crate::samples::metric::Metric;
use crate::samples::owned::OwnedSamples;
use crate::samples::{AnySamples, Kind};
use crate::support::memory::filled;

/// Equal rows are taken out of the data, which copies the distinct ones, where that leaves at most
/// this share of all.
const COLLAPSED: f64 = 0.9;

impl Search {
    /// The fewest features that have principal axes to search along.
    pub const PROJECTED_FEATURES: usize = projected::MIN_FEATURES;

    /// Refuses a search that cannot serve the metric or the number of features.
    pub(super) fn check(self, metric: Metric, features: usize) -> Result<()> {
        let refused = |reason| Err(Error::UnsupportedSearch { search: self.name(), reason });
        match self {
            Search::KdTree if metric.is_of_bits() => refused("its bounds are of other metrics"),
            Search::Projected if features < Self::PROJECTED_FEATURES => {
                refused("it takes 8 features at least")
            }
            Search::Projected if !metric.has_products() => refused(
                "a matrix product tells nothing of Manhattan, Hamming and Jaccard distances",
            ),
            Search::Approximate if metric.is_of_bits() => {
                refused("principal axes tell nothing of Hamming and Jaccard distances")
            }
            Search::Auto | Search::Brute | Search::Blocked => Ok(()),
            Search::KdTree | Search::Projected | Search::Approximate => Ok(()),
        }
    }

    /// Settles what `Auto` means for shards, of which nobody knows how many are to come, and
    /// refuses a search that cannot serve them or the metric.
    pub(super) fn resolve_for_shards(self, metric: Metric) -> Result<Self> {
        self.resolve_for_two(metric, "it would begin anew with each part")
    }

    /// Refuses a search that cannot serve samples, or the metric by which they are searched.
    fn check_samples(self, metric: Metric, samples: &AnySamples<'_>) -> Result<()> {
        match (self, &samples.0) {
            (Search::KdTree | Search::Projected, Kind::Sparse(_)) => {
                let reason = "it takes dense samples";
                Err(Error::UnsupportedSearch { search: self.name(), reason })
            }
            _ => self.check(metric, samples.features()),
        }
    }

    /// Settles what `Auto` means for two sets of rows, and refuses, for this reason, a search that
    /// takes one.
    pub(super) fn resolve_for_two(self, metric: Metric, reason: &'static str) -> Result<Self> {
        match self {
            Search::KdTree | Search::Projected | Search::Approximate => {
                Err(Error::UnsupportedSearch { search: self.name(), reason })
            }
            Search::Auto => Ok(Search::Blocked),
            Search::Brute | Search::Blocked => self.check(metric, usize::MAX).map(|()| self),
        }
    }
}

/// The parameters of a search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query {
    pub(crate) metric: Metric,
    pub(crate) search: Search,
    /// The share of true neighbours that is enough for an approximate search.
    pub(crate) recall: f64,
    /// The seed of the random numbers of an approximate search.
    pub(crate) seed: u64,
    /// The limit of the time of all searches of an operation, if that is bounded.
    pub(crate) time_limit: Option<Duration>,
}

/// The searches of one operation, level after level.
pub(crate) struct Searcher<'r, 'c> {
    query: Query,
    aim: Aim,
    /// Principal axes, which one level leaves to the next.
    axes: Axes,
    /// The ties of the first neighbours of level 0, where that is asked for: none, or all, or some.
    pub(crate) ties: Option<Vec<Tied>>,
    /// The run that the operation is a part of.
    pub(crate) run: &'r mut Run<'c>,
}

impl<'r, 'c> Searcher<'r, 'c> {
    /// A searcher that knows no axes yet. Its time begins.
    pub(crate) fn new(query: Query, run: &'r mut Run<'c>) -> Self {
        // A limit beyond what a clock can tell is none.
        let deadline = query.time_limit.and_then(|limit| Instant::now().checked_add(limit));
        let aim = Aim { recall: query.recall, seed: query.seed, deadline };
        Self { query, aim, axes: Axes::default(), ties: None, run }
    }

    pub(crate) fn metric(&self) -> Metric {
        self.query.metric
    }

    /// The first neighbour of each sample of a level.
    pub(crate) fn first(
        &mut self,
        samples: AnySamples<'_>,
        level: usize,
    ) -> Result<FirstNeighbors> {
        Ok(self.nearest(samples, 1, level)?.into_first())
    }

    /// [`Searcher::first`] of a level of one mean, which has no other, whatever it is.
    pub(crate) fn first_of_one(&self) -> FirstNeighbors {
        Neighbors::none(1, choice_of_none(self.requested(1), 1)).into_first()
    }

    /// The search that is requested of a level.
    fn requested(&self, level: usize) -> Search {
        match self.query.search {
            // It has served the samples, and their means are no bits.
            Search::Approximate if level > 0 && self.metric().is_of_bits() => Search::Auto,
            requested => requested,
        }
    }

    /// The `k` nearest of each sample of a level, or as many as there are other samples.
    pub(crate) fn nearest(
        &mut self,
        samples: AnySamples<'_>,
        k: usize,
        level: usize,
    ) -> Result<Neighbors> {
        self.nearest_of_any(samples, k, level, None)
    }

    /// [`Searcher::nearest`] of samples of which some have neighbours that are known.
    pub(crate) fn extended(
        &mut self,
        samples: AnySamples<'_>,
        k: usize,
        level: usize,
        known: Known<'_>,
    ) -> Result<Neighbors> {
        self.nearest_of_any(samples, k, level, Some(known))
    }

    /// [`Searcher::nearest`] or [`Searcher::extended`].
    pub(crate) fn nearest_of_any(
        &mut self,
        samples: AnySamples<'_>,
        k: usize,
        level: usize,
        known: Option<Known<'_>>,
    ) -> Result<Neighbors> {
        self.aim.check()?;
        let rows = samples.len();
        let packed = self.packed(&samples, level)?;
        let found = match &packed {
            Some(bits) => {
                let bits = AnySamples(Kind::Dense(AnyMatrix::Bits(bits.view())));
                self.nearest_of(&bits, k, level, known)
            }
            None => self.nearest_of(&samples, k, level, known),
        }?;
        let recall = found.recall().map(|recall| recall.estimate);
        if let Some(warning) = Warning::of_recall(level, rows, recall, self.aim.recall) {
            self.run.warn(warning);
        }
        Ok(found)
    }

    /// A copy of dense samples as bits, where the metric takes such. Sparse ones are as they are.
    ///
    /// # Errors
    /// [`Error::NotBinary`] for samples that are not of 0 and 1. Of level 0 are samples, and of other levels
    /// their means, which need not be.
    fn packed(&mut self, samples: &AnySamples<'_>, level: usize) -> Result<Option<BitArray>> {
        let metric = self.metric();
        if !metric.is_of_bits() || level > 0 {
            return Ok(None);
        }
        self.run.install(|| match &samples.0 {
            Kind::Dense(matrix) => matrix.packed(metric.name()).map(Some),
            Kind::Sparse(samples) => samples.expect_bits(metric.name()).map(|()| None),
        })?
    }

    fn nearest_of(
        &mut self,
        samples: &AnySamples<'_>,
        k: usize,
        level: usize,
        known: Option<Known<'_>>,
    ) -> Result<Neighbors> {
        let (metric, requested) = (self.metric(), self.requested(level));
        let by = searched_by(metric, samples, level);
        requested.check_samples(by, samples)?;
        let count = samples.len();
        let k = k.min(count - 1);
        if k == 0 {
            return Ok(Neighbors::none(count, choice_of_none(requested, count)));
        }
        let (aim, axes) = (self.aim, &mut self.axes);
        let ties = self.ties.as_mut().filter(|_| level == 0 && k == 1);
        let pairs = (count as u64).pow(2);
        self.run.stage(Stage::Neighbors { level }, pairs, |meter| {
            let rows = AnyRows::new(samples.reborrow(), by);
            let aim = aim.of_search(requested, count, rows.values() / count);
            let task = &Task { rows: &rows, k, aim, meter };
            let (mut nearest, choice) = search_beside(task, requested, known, axes);
            if meter.stopped() {
                return Neighbors::none(count, choice);
            }
            if let Some(ties) = ties {
                *ties = rows.ties(&nearest, meter);
            }
            if by != metric {
                let of_count = |key: f64| metric.key_of_bits(samples.features(), key as u64, 0);
                nearest.iter_mut().for_each(|nearest| nearest.key = of_count(nearest.key));
            }
            Neighbors::of(count, k, &nearest, metric, choice)
        })
    }
}

/// The metric by which samples are searched: where differences of bits are counted, that of which every
/// search knows.
fn searched_by(metric: Metric, samples: &AnySamples<'_>, level: usize) -> Metric {
    match (metric, &samples.0) {
        (Metric::Manhattan | Metric::Hamming, Kind::Dense(AnyMatrix::Bits(_))) => Metric::Euclidean,
        (Metric::Hamming, Kind::Sparse(_)) if level == 0 => Metric::Manhattan,
        _ => metric,
    }
}

/// The nearest of all rows, of which some may be known.
fn search_beside(
    task: &Task<'_, '_>,
    requested: Search,
    known: Option<Known<'_>>,
    axes: &mut Axes,
) -> (Vec<Nearest>, Choice) {
    let meter = &task.meter.until(task.aim.deadline);
    let extended =
        known.and_then(|known| extend::search(&Task { meter, ..*task }, requested, known, axes));
    match (extended, requested) {
        (Some(extended), _) => completed(task, meter, axes, extended),
        (None, Search::Brute) => search(task, requested, axes),
        (None, Search::Auto) if plan::are_few(task.rows.len()) => search(task, requested, axes),
        _ => search_distinct(task, requested, axes),
    }
}

/// Searches all samples, as if no rows were equal; in the time that is left, if that is bounded.
fn search(task: &Task<'_, '_>, requested: Search, axes: &mut Axes) -> (Vec<Nearest>, Choice) {
    let meter = &task.meter.until(task.aim.deadline);
    let found = match meter.stopped() {
        true => nothing(task, requested),
        false => plan::search(&Task { meter, ..*task }, requested, axes),
    };
    completed(task, meter, axes, found)
}

/// The neighbours that a search has found in its time.
fn completed(
    task: &Task<'_, '_>,
    bounded: &Meter<'_>,
    axes: &mut Axes,
    found: (Vec<Nearest>, Choice),
) -> (Vec<Nearest>, Choice) {
    if bounded.is_late() {
        axes.forget();
    }
    task.rows.completed(task.aim.seed, bounded, found)
}

/// The result where no time is left.
fn nothing(task: &Task<'_, '_>, requested: Search) -> (Vec<Nearest>, Choice) {
    let (search, seconds, evidence) = (Search::Approximate, 0.0, Evidence::default());
    let reason = match requested {
        Search::Auto => Reason::Long { seconds },
        _ => Reason::Asked,
    };
    let nearest = filled(Nearest::NONE, task.rows.len() * task.k);
    (nearest, Choice { search, reason, recall: None, evidence })
}

/// Searches distinct rows, if there are fewer of them than samples.
fn search_distinct(
    task: &Task<'_, '_>,
    requested: Search,
    axes: &mut Axes,
) -> (Vec<Nearest>, Choice) {
    let Task { rows, k, meter, .. } = *task;
    let firsts = rows.firsts(meter);
    let count = firsts.samples();
    let count_of_distinct = firsts.count();
    if count_of_distinct as f64 > COLLAPSED * count as f64 {
        let (mut nearest, mut choice) = search(task, requested, axes);
        choice.evidence.distinct = Some(count_of_distinct);
        // An exact search has found equal rows; an approximate one may have missed some.
        if !choice.exact() && count_of_distinct < count {
            firsts.grouped().offer_all_equal(&mut nearest);
        }
        return (nearest, choice);
    }
    let distinct = firsts.grouped();
    meter.advance((count as u64).pow(2) - (distinct.len() as u64).pow(2));
    let (found, mut choice) = match k.min(distinct.len() - 1) {
        0 => (Vec::new(), choice_of_none(requested, count)),
        k => {
            let copy = OwnedSamples::selected(rows.samples(), &distinct.firsts());
            let rows = &AnyRows::new(copy.samples(), rows.metric());
            search(&Task { rows, k, ..*task }, requested, axes)
        }
    };
    choice.evidence.distinct = Some(count_of_distinct);
    (distinct.spread(&found, k), choice)
}

/// The choice reported for samples of which none needs to be: a single one, or samples that are all
/// equal.
fn choice_of_none(requested: Search, samples: usize) -> Choice {
    let (search, reason) = match requested {
        Search::Auto if samples == 1 => (Search::Brute, Reason::FewSamples),
        Search::Auto => (Search::Brute, Reason::AllEqual),
        _ => (requested, Reason::Asked),
    };
    let is_approximate = search == Search::Approximate;
    let recall = is_approximate.then(|| Recall::of(1.0, samples)).flatten();
    Choice { search, reason, recall, evidence: Evidence::default() }
}
