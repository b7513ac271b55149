//! Which search runs: the one that is asked for or, where that is left open, the fastest.
//!
//! What [`Search::Auto`] means is decided twice: by [`auto`] from the numbers of samples and
//! features, and by [`Task::run_auto`] from a look at the data. The one `match` that runs a search
//! is [`Task::run`]; for data that comes in parts, it is [`update_lists`].

use super::approximate::{self, Aim};
use super::choice::{Choice, Reason, Search};
use super::exact::projected::{self, Axes, Plan};
use super::exact::{blocked, brute, nanoseconds_of_blocked, tree};
use super::first::FirstNeighbors;
use super::nearest::Nearest;
use super::orthogonal;
use super::recall::Recall;
use super::table::Neighbors;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::metric::Metric;
use crate::progress::{Meter, Stage};
use crate::rows::Rows;
use crate::run::Run;
use crate::samples::{AnySamples, Samples, with_element};

/// The largest number of samples that `Auto` compares pair by pair, since nothing is faster.
const FEW_SAMPLES: usize = 200;

/// The fewest samples for which `Auto` looks whether main axes help, if it has to find the axes:
/// with fewer samples that takes as long as axes could save.
const MANY_SAMPLES: usize = 8_192;
/// The fewest samples for which it looks so if axes are known from a level before.
const MANY_SAMPLES_OF_AXES: usize = 4_096;
/// The fewest features for which `Auto` looks whether main axes help.
const MANY_FEATURES: usize = 48;

/// Seconds of one core: where an exact search would take longer, `Auto` takes the approximate
/// search.
const LONG: f64 = 300.0;

impl Search {
    /// The fewest features that have main axes to search along.
    pub const PROJECTED_FEATURES: usize = projected::MIN_FEATURES;

    /// Settles what `Auto` means before anybody looks at the data, and refuses a search that cannot
    /// serve the metric or the number of features.
    fn resolve(
        self,
        metric: Metric,
        samples: usize,
        features: usize,
        axes_are_known: bool,
    ) -> Result<(Self, Reason)> {
        let refused = |reason| Err(Error::UnsupportedSearch { search: self.name(), reason });
        match self {
            Search::Auto => Ok(auto(metric, samples, features, axes_are_known)),
            Search::Projected if features < Self::PROJECTED_FEATURES => {
                refused("it takes 8 features at least")
            }
            Search::Blocked | Search::Projected | Search::Approximate if !metric.has_products() => {
                refused("a matrix product gives no Manhattan distances")
            }
            requested => Ok((requested, Reason::Asked)),
        }
    }

    /// Settles what `Auto` means for shards, of which nobody knows how many are to come, and
    /// refuses a search that cannot serve them or the metric.
    pub(super) fn resolve_for_shards(self, metric: Metric) -> Result<Self> {
        match self {
            Search::KdTree | Search::Projected | Search::Approximate => {
                let reason = "it would begin anew with each part";
                Err(Error::UnsupportedSearch { search: self.name(), reason })
            }
            Search::Auto if metric.has_products() => Ok(Search::Blocked),
            Search::Auto => Ok(Search::Brute),
            requested => Ok(requested.resolve(metric, usize::MAX, usize::MAX, false)?.0),
        }
    }
}

/// What `Auto` means by the numbers of samples and features. Where it is `Projected`, a look at the
/// data may tell that there are no main axes; where an exact search takes long, it may become
/// `Approximate`.
///
/// The limits of the tree are where the medians of `benches/search.rs` cross: the tree gains much
/// on data of few true dimensions, and loses at most about twice on noise.
fn auto(metric: Metric, samples: usize, features: usize, axes_are_known: bool) -> (Search, Reason) {
    let many_samples = if axes_are_known { MANY_SAMPLES_OF_AXES } else { MANY_SAMPLES };
    let tree_features = match samples {
        _ if !metric.has_products() => 16,
        ..20_000 => 8,
        20_000.. => 12,
    };
    if samples <= FEW_SAMPLES {
        (Search::Brute, Reason::FewSamples)
    } else if features <= tree_features {
        (Search::KdTree, Reason::FewFeatures)
    } else if !metric.has_products() {
        (Search::Brute, Reason::Metric)
    } else if features >= MANY_FEATURES && samples >= many_samples {
        (Search::Projected, Reason::Axes)
    } else {
        (Search::Blocked, Reason::Small)
    }
}

/// What to search by.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query {
    pub(crate) metric: Metric,
    pub(crate) search: Search,
    pub(crate) aim: Aim,
}

/// The searches of one operation, level after level.
pub(crate) struct Searcher<'r, 'c> {
    query: Query,
    /// Main axes, which one level leaves to the next.
    axes: Axes,
    /// The run that the operation is a part of.
    pub(crate) run: &'r mut Run<'c>,
}

impl<'r, 'c> Searcher<'r, 'c> {
    /// A searcher that knows no axes yet.
    pub(crate) fn new(query: Query, run: &'r mut Run<'c>) -> Self {
        Self { query, axes: Axes::default(), run }
    }

    /// The first neighbour of each sample of a level.
    pub(crate) fn first<A: Element>(
        &mut self,
        samples: &Samples<'_, A>,
        level: usize,
    ) -> Result<FirstNeighbors> {
        Ok(self.nearest(samples, 1, level)?.first())
    }

    /// The `k` nearest of each sample of a level, or as many as there are other samples.
    pub(crate) fn nearest<A: Element>(
        &mut self,
        samples: &Samples<'_, A>,
        k: usize,
        level: usize,
    ) -> Result<Neighbors> {
        self.nearest_of_any(samples.any(), k, level)
    }

    /// [`Searcher::nearest`], compiled here for each element type.
    fn nearest_of_any(
        &mut self,
        samples: AnySamples<'_>,
        k: usize,
        level: usize,
    ) -> Result<Neighbors> {
        with_element!(samples, samples => self.nearest_of(samples, k, level))
    }

    fn nearest_of<A: Element>(
        &mut self,
        samples: &Samples<'_, A>,
        k: usize,
        level: usize,
    ) -> Result<Neighbors> {
        let Query { metric, search: requested, aim } = self.query;
        if !(aim.recall > 0.0 && aim.recall <= 1.0) {
            return Err(Error::InvalidRecall { recall: aim.recall });
        }
        let axes = &mut self.axes;
        let [count, features] = [samples.len(), samples.features()];
        let (search, reason) = requested.resolve(metric, count, features, axes.are_known())?;
        let choice = Choice { search, reason, recall: None };
        let k = k.min(count - 1);
        if count == 1 {
            return Ok(Neighbors::of(count, k, &[], metric, choice));
        }
        let pairs = (count as u64).pow(2);
        let (nearest, choice) = self.run.stage(Stage::Neighbors { level }, pairs, |meter| {
            let task = Task { rows: Rows::new(samples.reborrow(), metric), k, aim, meter };
            let (nearest, choice) = match requested {
                Search::Auto => task.run_auto(choice, LONG, axes),
                _ => task.run_requested(choice),
            };
            // Brute force compares rows without a direction by key, too; all others leave them out.
            let nearest = match choice.search {
                Search::Brute => nearest,
                _ => orthogonal::added(&task.rows, nearest),
            };
            (nearest, choice)
        })?;
        Ok(Neighbors::of(count, k, &nearest, metric, choice))
    }
}

/// What a search found: lists of the k nearest, and the recall if it is approximate.
type Found = (Vec<Nearest>, Option<Recall>);

/// One search of all samples.
struct Task<'a, A> {
    rows: Rows<'a, A>,
    k: usize,
    aim: Aim,
    meter: &'a Meter<'a>,
}

impl<A: Element> Task<'_, A> {
    /// Runs a search. `None` if the search gave up, which it may unless it is `forced`: along main
    /// axes that do not help, or where more passes would find too little. `plan` is for a search
    /// along main axes.
    fn run(&self, search: Search, plan: Option<&Plan<'_>>, forced: bool) -> Option<Found> {
        let Self { rows, k, aim, meter } = self;
        let nearest = match search {
            Search::Brute => brute::search(rows, *k, meter),
            Search::KdTree => tree::search(rows, *k, meter),
            Search::Blocked => blocked::search(rows, *k, meter),
            Search::Projected => {
                let plan = plan.expect("a search along main axes has a plan");
                projected::search(rows, *k, plan, meter)?
            }
            Search::Approximate => return approximate::search(rows, *k, *aim, forced, meter),
            Search::Auto => unreachable!("resolved before"),
        };
        Some((nearest, None))
    }

    /// Runs the search that was asked for.
    fn run_requested(&self, choice: Choice) -> (Vec<Nearest>, Choice) {
        let mut axes = Axes::default();
        let plan = (choice.search == Search::Projected)
            .then(|| Plan::forced(&self.rows, &mut axes, self.meter));
        let found = self.run(choice.search, plan.as_ref(), true);
        let (nearest, recall) = found.expect("a forced search does not give up");
        (nearest, Choice { recall, ..choice })
    }

    /// Runs the search that [`auto`] chose, or another where a look at the data tells that it is
    /// faster: the approximate search where an exact one would take one core more seconds than
    /// `long`.
    fn run_auto(&self, choice: Choice, long: f64, axes: &mut Axes) -> (Vec<Nearest>, Choice) {
        let plan = (choice.search == Search::Projected)
            .then(|| Plan::of(&self.rows, self.k, axes, self.meter));
        let nanoseconds = match choice.search {
            Search::Blocked => nanoseconds_of_blocked(self.rows.features()),
            // Trees do not look at all pairs, and few samples have few pairs.
            _ => plan.as_ref().and_then(Plan::nanoseconds).unwrap_or(0.0),
        };
        let seconds = seconds_of_all_pairs(self.rows.len(), nanoseconds);
        // Never with a recall of 1: that a sample has all its neighbours does not tell that all
        // have.
        let too_long = seconds > long && self.aim.recall < 1.0;
        if too_long && let Some((nearest, recall)) = self.run(Search::Approximate, None, false) {
            if plan.is_some_and(|plan| plan.is_hopeless()) {
                axes.forget();
            }
            let reason = Reason::Long { seconds };
            return (nearest, Choice { search: Search::Approximate, reason, recall });
        }
        let (found, choice) = match self.run(choice.search, plan.as_ref(), false) {
            Some(found) => (Some(found), choice),
            // Main axes do not help.
            None => {
                axes.forget();
                let choice = Choice { search: Search::Blocked, reason: Reason::NoAxes, ..choice };
                (self.run(Search::Blocked, None, false), choice)
            }
        };
        let (nearest, _) = found.expect("a search by all features does not give up");
        let reason = if too_long { Reason::Unreached } else { choice.reason };
        (nearest, Choice { reason, ..choice })
    }
}

/// Seconds that one core takes for all pairs.
fn seconds_of_all_pairs(samples: usize, nanoseconds_of_pair: f64) -> f64 {
    samples as f64 * (samples as f64 - 1.0) / 2.0 * nanoseconds_of_pair * 1e-9
}

/// Offers every row of `base` to every row of `queries` by a search for shards.
pub(super) fn update_lists<'a, A: Element>(
    search: Search,
    queries: &Rows<'a, A>,
    base: &Rows<'a, A>,
    nearest: &mut [Nearest],
    meter: &Meter,
) {
    match search {
        Search::Brute => brute::update(queries, base, nearest, meter),
        Search::Blocked => {
            blocked::update(queries, base, nearest, meter);
            orthogonal::update(queries, base, nearest);
        }
        _ => unreachable!("refused before"),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::rows::scrambled;

    /// Where an exact search seems long, the approximate one runs; and if it finds too few, as in
    /// noise, the exact one after all.
    #[test]
    fn auto_is_approximate_only_where_that_finds_enough() {
        let noise = |number: usize| (scrambled(number as u64) >> 40) as f64 / (1 << 24) as f64;
        let places = Array2::from_shape_fn((9_000, 4), |(i, j)| noise(4 * i + j));
        let directions = Array2::from_shape_fn((4, 60), |(i, j)| noise(60 * i + j + 40_000) - 0.5);
        let plane = places.dot(&directions);
        let noise = Array2::from_shape_fn((20_000, 200), |(i, j)| noise(200 * i + j));
        for (matrix, approximate) in [(plane, true), (noise, false)] {
            let samples = Samples::new(matrix.view()).unwrap();
            let rows = Rows::new(samples, Metric::Euclidean);
            let (search, reason) = Search::Auto
                .resolve(Metric::Euclidean, rows.len(), rows.features(), false)
                .unwrap();
            let resolved = Choice { search, reason, recall: None };
            let (axes, meter) = (&mut Axes::default(), &Meter::stopped_at_once(false));
            let task =
                |recall| Task { rows: rows.reborrow(), k: 1, aim: Aim { recall, seed: 0 }, meter };
            let (found, choice) = task(0.99).run_auto(resolved, 0.0, axes);
            assert_eq!(choice.search == Search::Approximate, approximate, "{choice:?}");
            let (exact, of_exact) = task(0.99).run_auto(resolved, f64::INFINITY, axes);
            assert!(of_exact.exact());
            let (all, of_all) = task(1.0).run_auto(resolved, 0.0, axes);
            assert!(of_all == of_exact && all == exact, "{of_all:?}");
            let same = found.iter().zip(&exact).filter(|(a, b)| a == b).count();
            match approximate {
                true => assert!(choice.recall.unwrap().estimate > 0.98 && same > 8_800, "{same}"),
                false => {
                    assert!(choice.reason == Reason::Unreached && same == 20_000, "{choice:?}")
                }
            }
        }
    }
}
