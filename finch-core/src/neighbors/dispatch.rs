//! Which search runs: what was asked for or, where that is left open, what is fastest.

use super::approximate::{self, Aim};
use super::choice::{Choice, Reason, Search};
use super::exact::projected::{self, Axes, Plan};
use super::exact::{blocked, brute, nanoseconds_of_blocked, tree};
use super::nearest::Nearest;
use super::orthogonal;
use super::table::Neighbors;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::metric::Metric;
use crate::progress::{Meter, Stage};
use crate::rows::Rows;
use crate::run::Run;
use crate::samples::{AnySamples, Samples, with_element};

/// From here on `Auto` looks whether main axes help: below, to find them takes as long as what they
/// could save.
const MANY_SAMPLES: usize = 8_192;
/// The same where axes are known.
const MANY_SAMPLES_OF_AXES: usize = 4_096;
const MANY_FEATURES: usize = 48;

/// Seconds of one core beyond which `Auto` takes the approximate search.
const LONG: f64 = 300.0;

/// How to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query {
    pub(crate) metric: Metric,
    pub(crate) search: Search,
    pub(crate) aim: Aim,
}

impl Search {
    /// The most features that the k-d tree serves (its dimension is fixed when compiled).
    pub const KD_TREE_FEATURES: usize = tree::MAX_FEATURES;

    /// The fewest features that have main axes to search along.
    pub const PROJECTED_FEATURES: usize = projected::MIN_FEATURES;

    /// What `Auto` means, unless that takes long (where it is `Projected`, the data may have no
    /// main axes). The limits of the tree are where the medians of `benches/search.rs` cross: it
    /// gains much on data of few true dimensions, and loses at most about twice on noise.
    fn fastest(
        metric: Metric,
        samples: usize,
        features: usize,
        axes_are_known: bool,
    ) -> (Self, Reason) {
        let many = if axes_are_known { MANY_SAMPLES_OF_AXES } else { MANY_SAMPLES };
        let tree_features = match (metric, samples) {
            (Metric::Manhattan, _) => Self::KD_TREE_FEATURES,
            (_, ..20_000) => 8,
            (_, 20_000..) => 12,
        };
        match metric {
            _ if samples <= 200 => (Search::Brute, Reason::FewSamples),
            _ if features <= tree_features => (Search::KdTree, Reason::FewFeatures),
            Metric::Manhattan => (Search::Brute, Reason::Metric),
            _ if features >= MANY_FEATURES && samples >= many => (Search::Projected, Reason::Axes),
            Metric::Euclidean | Metric::Cosine => (Search::Blocked, Reason::Small),
        }
    }

    /// Settles `Auto`, and refuses what cannot be done.
    pub(super) fn resolve(
        self,
        metric: Metric,
        samples: usize,
        features: usize,
        axes_are_known: bool,
    ) -> Result<(Self, Reason)> {
        let refused = |reason| Err(Error::UnsupportedSearch { search: self.name(), reason });
        match self {
            Search::Auto => Ok(Self::fastest(metric, samples, features, axes_are_known)),
            Search::KdTree if features > Self::KD_TREE_FEATURES => {
                refused("it takes 16 features at most")
            }
            Search::Projected if features < projected::MIN_FEATURES => {
                refused("it takes 8 features at least")
            }
            Search::Blocked | Search::Projected | Search::Approximate
                if metric == Metric::Manhattan =>
            {
                refused("a matrix product gives no Manhattan distances")
            }
            asked => Ok((asked, Reason::Asked)),
        }
    }
}

/// Seconds that one core takes for all pairs, with so many nanoseconds for each.
fn seconds(samples: usize, pair: f64) -> f64 {
    samples as f64 * (samples as f64 - 1.0) / 2.0 * pair * 1e-9
}

impl Neighbors {
    /// Searches all samples for the `k` nearest, or as many as there are others.
    pub(crate) fn find(
        samples: AnySamples<'_>,
        k: usize,
        query: Query,
        level: usize,
        axes: &mut Axes,
        run: &mut Run<'_>,
    ) -> Result<Self> {
        with_element!(samples, samples => Self::find_of(samples, k, query, level, axes, run))
    }

    fn find_of<A: Element>(
        samples: &Samples<'_, A>,
        k: usize,
        query: Query,
        level: usize,
        axes: &mut Axes,
        run: &mut Run<'_>,
    ) -> Result<Self> {
        let (metric, aim) = (query.metric, query.aim);
        if !(aim.recall > 0.0 && aim.recall <= 1.0) {
            return Err(Error::InvalidRecall { recall: aim.recall });
        }
        let asked = query.search;
        let (search, reason) =
            asked.resolve(metric, samples.len(), samples.features(), axes.are_known())?;
        let rows = Rows::new(*samples, metric);
        let k = k.min(rows.len() - 1);
        let choice = Choice { search, reason, recall: None };
        let (nearest, choice) = if rows.len() == 1 {
            (Vec::new(), choice)
        } else {
            let pairs = (rows.len() as u64).pow(2);
            run.stage(Stage::Neighbors { level }, pairs, |meter| {
                let (nearest, choice) = match asked {
                    Search::Auto => fastest(&rows, k, choice, aim, LONG, axes, meter),
                    _ => this(&rows, k, choice, aim, meter),
                };
                // Brute force compares these by key, too.
                let nearest = match choice.search {
                    Search::Brute => nearest,
                    _ => orthogonal::added(&rows, nearest),
                };
                (nearest, choice)
            })?
        };
        Ok(Self::of(rows.len(), k, &nearest, metric, choice))
    }
}

/// The search that was asked for.
fn this<A: Element>(
    rows: &Rows<'_, A>,
    k: usize,
    choice: Choice,
    aim: Aim,
    meter: &Meter,
) -> (Vec<Nearest>, Choice) {
    let nearest = match choice.search {
        Search::Brute => brute::search(rows, k, meter),
        Search::KdTree => tree::search(rows, k, meter),
        Search::Blocked => blocked::search(rows, k, meter),
        Search::Projected => {
            let mut axes = Axes::default();
            let found = projected::search(rows, k, &Plan::forced(rows, &mut axes, meter), meter);
            found.expect("a forced search does not give up")
        }
        Search::Approximate => {
            let found = approximate::search(rows, k, aim, true, meter);
            let (nearest, recall) = found.expect("a forced search ends with what it has");
            return (nearest, Choice { recall, ..choice });
        }
        Search::Auto => unreachable!("settled before"),
    };
    (nearest, choice)
}

/// The search that `Auto` stands for, or a faster one where a look at the data tells so: the
/// approximate one where it takes one core more seconds than `long`.
fn fastest<A: Element>(
    rows: &Rows<'_, A>,
    k: usize,
    choice: Choice,
    aim: Aim,
    long: f64,
    axes: &mut Axes,
    meter: &Meter,
) -> (Vec<Nearest>, Choice) {
    let plan = (choice.search == Search::Projected).then(|| Plan::of(rows, k, axes, meter));
    let pair = match choice.search {
        Search::Blocked => nanoseconds_of_blocked(rows.features()),
        // Trees do not look at all pairs, and few samples have few.
        _ => plan.as_ref().and_then(Plan::nanoseconds).unwrap_or(0.0),
    };
    let seconds = seconds(rows.len(), pair);
    // A sample of which all neighbours are found does not tell that those of all samples are.
    let too_long = seconds > long && aim.recall < 1.0;
    if too_long && let Some((nearest, recall)) = approximate::search(rows, k, aim, false, meter) {
        let reason = Reason::Long { seconds };
        if plan.is_some_and(|plan| plan.is_hopeless()) {
            *axes = Axes::default();
        }
        return (nearest, Choice { search: Search::Approximate, reason, recall });
    }
    let (nearest, choice) = match plan {
        None => this(rows, k, choice, aim, meter),
        Some(plan) => match projected::search(rows, k, &plan, meter) {
            None => {
                axes.forget();
                let choice = Choice { search: Search::Blocked, reason: Reason::NoAxes, ..choice };
                (blocked::search(rows, k, meter), choice)
            }
            Some(nearest) => (nearest, choice),
        },
    };
    let reason = if too_long { Reason::Unreached } else { choice.reason };
    (nearest, Choice { reason, ..choice })
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
            let aim = Aim { recall: 0.99, seed: 0 };
            let (axes, meter) = (&mut Axes::default(), &Meter::stopped_at_once(false));
            let (found, choice) = fastest(&rows, 1, resolved, aim, 0.0, axes, meter);
            assert_eq!(choice.search == Search::Approximate, approximate, "{choice:?}");
            let (exact, of_exact) = fastest(&rows, 1, resolved, aim, f64::INFINITY, axes, meter);
            assert!(of_exact.exact());
            let aim = Aim { recall: 1.0, ..aim };
            let (all, of_all) = fastest(&rows, 1, resolved, aim, 0.0, axes, meter);
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
