//! The searcher: from the search that is asked for to the neighbours that it finds.
//!
//! Where the search is left open, `choose.rs` decides, or `sparse/` for rows most of whose values are 0.
//! Equal rows are searched as one (`equal_rows/`), unless brute force is asked for, the oracle of all
//! others.

use std::time::{Duration, Instant};

use super::approximate::{Aim, deadline};
use super::choose::{self, Task};
use super::equal_rows::ties::{self, Tied};
use super::equal_rows::{Alike, Firsts};
use super::exact::projected::{self, Axes};
use super::extend::{self, Known};
use super::lists::Nearest;
use super::search::{Choice, Evidence, Reason, Recall, Search};
use super::table::{FirstNeighbors, Neighbors};
use super::{sparse, zero_rows};
use crate::error::warning::Warning;
use crate::error::{Error, Result};
use crate::run::Run;
use crate::run::progress::{Meter, Stage};
use crate::samples::element::AnyMatrix;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::samples::sparse::{SparseMatrix, SparseRows, SparseSamples};
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
                refused("main axes tell nothing of Hamming and Jaccard distances")
            }
            _ => Ok(()),
        }
    }

    /// Settles what `Auto` means for shards, of which nobody knows how many are to come, and
    /// refuses a search that cannot serve them or the metric.
    pub(super) fn resolve_for_shards(self, metric: Metric) -> Result<Self> {
        self.resolve_for_two(metric, "it would begin anew with each part")
    }

    /// Refuses a search that takes dense samples, or does not serve the metric.
    fn check_sparse(self, metric: Metric) -> Result<()> {
        match self {
            Search::Approximate if metric.is_of_bits() => self.check(metric, usize::MAX),
            Search::Auto | Search::Brute | Search::Blocked | Search::Approximate => Ok(()),
            Search::KdTree | Search::Projected => {
                let reason = "it takes dense samples";
                Err(Error::UnsupportedSearch { search: self.name(), reason })
            }
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
            requested => requested.check(metric, usize::MAX).map(|()| requested),
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
        let rows = samples.len();
        let found = match samples.0 {
            Kind::Dense(samples) => self.nearest_of(samples, k, level, known),
            Kind::Sparse(samples) => self.nearest_of_sparse(samples, k, level, known),
        }?;
        let recall = found.recall().map(|recall| recall.estimate);
        if let Some(warning) = Warning::of_recall(level, rows, recall, self.aim.recall) {
            self.run.warn(warning);
        }
        Ok(found)
    }

    fn nearest_of_sparse(
        &mut self,
        samples: SparseSamples<'_>,
        k: usize,
        level: usize,
        known: Option<Known<'_>>,
    ) -> Result<Neighbors> {
        let Query { metric, search: requested, .. } = self.query;
        self.check_recall()?;
        let aim = self.aim;
        // Of level 0 are samples, and of other levels their means, as in the search of dense samples.
        if metric.is_of_bits() && level == 0 {
            self.run.install(|| samples.expect_bits(metric.name()))??;
        }
        let by = match metric {
            Metric::Hamming if level == 0 => Metric::Manhattan,
            _ => metric,
        };
        let requested = match requested {
            // It has served the samples.
            Search::Approximate if level > 0 && metric.is_of_bits() => Search::Auto,
            _ => requested,
        };
        requested.check_sparse(by)?;
        let count = samples.len();
        let k = k.min(count - 1);
        if k == 0 {
            return Ok(Neighbors::none(count, choice_of_none(requested, count)));
        }
        let pairs = (count as u64).pow(2);
        let ties = self.ties.as_mut().filter(|_| level == 0 && k == 1);
        self.run.stage(Stage::Neighbors { level }, pairs, |meter| {
            let aim = aim.of_search(requested, count, samples.values() / count);
            let task = sparse::Task { rows: SparseRows::new(samples, by), k, aim, meter };
            let extended = known.filter(|_| requested != Search::Brute);
            let bounded = &meter.until(aim.deadline);
            let extended =
                extended.and_then(|known| sparse::extended(&task.rows, k, known, bounded));
            let (mut nearest, choice) = match extended {
                Some(nearest) => {
                    let found = (nearest, sparse::choice(Search::Blocked, Reason::Extended));
                    deadline::completed(&task.rows, samples.values(), aim.seed, bounded, found)
                }
                None if requested == Search::Brute || choose::are_few(count) => {
                    search_sparse(&task, requested)
                }
                None => search_distinct_sparse(&task, requested),
            };
            if meter.stopped() {
                return Neighbors::none(count, choice);
            }
            if let Some(ties) = ties {
                let values = samples.values() / count;
                *ties = ties::of_first(&task.rows, values, &samples, &nearest, meter);
            }
            if by != metric {
                let of_count = |key: f64| metric.key_of_bits(samples.features(), key as u64, 0);
                nearest.iter_mut().for_each(|nearest| nearest.key = of_count(nearest.key));
            }
            Neighbors::of(count, k, &nearest, metric, choice)
        })
    }

    fn check_recall(&self) -> Result<()> {
        let recall = self.aim.recall;
        match recall > 0.0 && recall <= 1.0 {
            true => Ok(()),
            false => Err(Error::InvalidRecall { recall }),
        }
    }

    fn nearest_of(
        &mut self,
        samples: AnyMatrix<'_>,
        k: usize,
        level: usize,
        known: Option<Known<'_>>,
    ) -> Result<Neighbors> {
        let Query { metric, search: requested, .. } = self.query;
        let aim = self.aim;
        self.check_recall()?;
        // Of level 0 are samples, which have to be of 0 and 1 there, and of other levels their means.
        let packed = match metric.is_of_bits() && level == 0 {
            true => Some(self.run.install(|| samples.packed(metric.name()))??),
            false => None,
        };
        let samples = match &packed {
            Some(bits) => AnyMatrix::Bits(bits.view()),
            None => samples.reborrow(),
        };
        let by = searched_by(metric, &samples);
        let requested = match requested {
            // It has served the samples.
            Search::Approximate if level > 0 && metric.is_of_bits() => Search::Auto,
            _ => requested,
        };
        requested.check(by, samples.features())?;
        let (count, axes) = (samples.len(), &mut self.axes);
        let ties = self.ties.as_mut();
        let k = k.min(count - 1);
        if k == 0 {
            return Ok(Neighbors::none(count, choice_of_none(requested, count)));
        }
        let pairs = (count as u64).pow(2);
        self.run.stage(Stage::Neighbors { level }, pairs, |meter| {
            let aim = aim.of_search(requested, count, samples.features());
            let task = Task { rows: Rows::new(samples.reborrow(), by), k, aim, meter };
            let bounded = &meter.until(aim.deadline);
            let extended = known.and_then(|known| {
                let rows = task.rows.reborrow();
                extend::search(&Task { rows, meter: bounded, ..task }, requested, known, axes)
            });
            let (mut nearest, choice) = match (extended, requested) {
                (Some(extended), _) => completed(&task, bounded, axes, extended),
                (None, Search::Brute) => search(&task, requested, axes),
                (None, Search::Auto) if choose::are_few(count) => search(&task, requested, axes),
                _ => search_distinct(&task, requested, axes),
            };
            if meter.stopped() {
                return Neighbors::none(count, choice);
            }
            if let Some(ties) = ties.filter(|_| level == 0 && k == 1) {
                let features = samples.features();
                *ties = ties::of_first(&task.rows, features, &samples, &nearest, meter);
            }
            if by != metric {
                let of_count = |key: f64| metric.key_of_bits(samples.features(), key as u64, 0);
                nearest.iter_mut().for_each(|nearest| nearest.key = of_count(nearest.key));
            }
            Neighbors::of(count, k, &nearest, metric, choice)
        })
    }
}

/// The metric by which samples are searched: where bits are counted, that of which every search knows.
fn searched_by(metric: Metric, samples: &AnyMatrix<'_>) -> Metric {
    match (metric, samples) {
        (Metric::Manhattan | Metric::Hamming, AnyMatrix::Bits(_)) => Metric::Euclidean,
        _ => metric,
    }
}

/// Searches all samples, as if no rows were equal; in the time that is left, if that is bounded.
fn search(task: &Task<'_>, requested: Search, axes: &mut Axes) -> (Vec<Nearest>, Choice) {
    let bounded = &task.meter.until(task.aim.deadline);
    let found = match bounded.stopped() {
        true => nothing(task.rows.len(), task.k, requested),
        false => {
            let rows = task.rows.reborrow();
            search_on(&Task { rows, meter: bounded, ..*task }, requested, axes)
        }
    };
    completed(task, bounded, axes, found)
}

/// The neighbours that a search has found in its time.
fn completed(
    task: &Task<'_>,
    bounded: &Meter<'_>,
    axes: &mut Axes,
    found: (Vec<Nearest>, Choice),
) -> (Vec<Nearest>, Choice) {
    if bounded.is_late() {
        axes.forget();
    }
    let Task { rows, aim, .. } = task;
    deadline::completed(rows, rows.len() * rows.features(), aim.seed, bounded, found)
}

/// The result where no time is left.
fn nothing(rows: usize, k: usize, requested: Search) -> (Vec<Nearest>, Choice) {
    let (search, seconds, evidence) = (Search::Approximate, 0.0, Evidence::default());
    let reason = match requested {
        Search::Auto => Reason::Long { seconds },
        _ => Reason::Asked,
    };
    (filled(Nearest::NONE, rows * k), Choice { search, reason, recall: None, evidence })
}

/// [`sparse::run`], in the time that is left, if that is bounded.
fn search_sparse(task: &sparse::Task<'_>, requested: Search) -> (Vec<Nearest>, Choice) {
    let sparse::Task { ref rows, k, aim, meter } = *task;
    let bounded = &meter.until(aim.deadline);
    let found = match bounded.stopped() {
        true => nothing(rows.len(), k, requested),
        false => {
            let rows = SparseRows::new(rows.samples, rows.metric());
            sparse::run(&sparse::Task { rows, k, aim, meter: bounded }, requested)
        }
    };
    deadline::completed(rows, rows.samples.values(), aim.seed, bounded, found)
}

/// [`search`], however long it takes.
fn search_on(task: &Task<'_>, requested: Search, axes: &mut Axes) -> (Vec<Nearest>, Choice) {
    let is_free = matches!(requested, Search::Auto | Search::Approximate);
    if let Some(found) = is_free.then(|| sparse::run_dense(task, requested)).flatten() {
        return found;
    }
    let (nearest, choice) = match requested {
        Search::Auto => choose::run(task, axes),
        _ => task.run_requested(requested),
    };
    // Brute force compares zero rows by key, too; all others leave them out.
    let nearest = match choice.search {
        Search::Brute => nearest,
        _ => zero_rows::added(&task.rows.zero_rows(), nearest, task.rows.len()),
    };
    (nearest, choice)
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

/// Searches distinct rows, if there are fewer of them than samples.
fn search_distinct(task: &Task<'_>, requested: Search, axes: &mut Axes) -> (Vec<Nearest>, Choice) {
    let Task { ref rows, k, aim, meter } = *task;
    collapsed(&rows.samples, k, requested, meter, |of_distinct| match of_distinct {
        None => search(task, requested, axes),
        Some((firsts, k)) => {
            let matrix = rows.samples.select(firsts);
            let rows = Rows::new(matrix.view(), rows.metric);
            search(&Task { rows, k, aim, meter }, requested, axes)
        }
    })
}

/// [`search_distinct`] of sparse samples.
fn search_distinct_sparse(task: &sparse::Task<'_>, requested: Search) -> (Vec<Nearest>, Choice) {
    let sparse::Task { ref rows, k, aim, meter } = *task;
    collapsed(&rows.samples, k, requested, meter, |of_distinct| match of_distinct {
        None => search_sparse(task, requested),
        Some((firsts, k)) => {
            let matrix = SparseMatrix::selected(&rows.samples, firsts);
            let rows = SparseRows::new(matrix.samples(), rows.metric());
            search_sparse(&sparse::Task { rows, k, aim, meter }, requested)
        }
    })
}

/// Lists of the `k` nearest of samples by a `search` of all, or of the distinct ones: of the samples of these
/// numbers, and as many nearest.
fn collapsed(
    samples: &impl Alike,
    k: usize,
    requested: Search,
    meter: &Meter,
    search: impl FnOnce(Option<(&[u32], usize)>) -> (Vec<Nearest>, Choice),
) -> (Vec<Nearest>, Choice) {
    let firsts = Firsts::of(samples, meter);
    let count = firsts.samples();
    let count_of_distinct = firsts.count();
    if count_of_distinct as f64 > COLLAPSED * count as f64 {
        let (mut nearest, mut choice) = search(None);
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
        k => search(Some((&distinct.firsts(), k))),
    };
    choice.evidence.distinct = Some(count_of_distinct);
    (distinct.spread(&found, k), choice)
}
