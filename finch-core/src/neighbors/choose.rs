//! The meaning of [`Search::Auto`] for dense rows: the one place that decides it, but for rows most of whose
//! values are 0 (`sparse/mostly_zero.rs`).
//!
//! First by the numbers of samples and features, which settle small and narrow data; then by a look at
//! the data, which tells what each search would cost: how many rows a k-d tree visits (`exact/kd_tree/`), and
//! what bounds along principal axes leave (`exact/projected/estimate.rs`). The least cost wins. Where the least is long, and
//! the approximate search is expected to take much less, that runs, unless it finds too little.

use std::time::Instant;

use super::approximate::{self, Aim, Breadth};
use super::exact::bits::{self, bits_of};
use super::exact::kd_tree::{self, forecast};
use super::exact::projected::{self, Axes, Plan};
use super::exact::{blocked, brute, nanoseconds_of_blocked, need_groups, pace};
use super::intrinsic_dimension::true_dimension;
use super::lists::Nearest;
use super::search::{Choice, Evidence, Reason, Recall, Search};
use crate::run::progress::Meter;
use crate::samples::rows::Rows;

/// The largest number of samples that `Auto` compares pair by pair, since nothing is faster.
const FEW_SAMPLES: usize = 200;
/// The most features that a tree searches fastest, whatever the data is.
pub(super) const FEW_FEATURES: usize = 3;
/// The most features for which it does where there are too few samples to look at.
const FEW_FEATURES_OF_FEW_SAMPLES: usize = 8;

/// The fewest samples that are looked at: with fewer, a look takes as long as it could save.
pub(super) const LOOKED_AT: usize = 4_096;
/// The fewest samples for which `Auto` looks whether principal axes help, if it has to find the axes:
/// with fewer samples that takes as long as axes could save.
const MANY_SAMPLES: usize = 8_192;
/// The fewest features for which `Auto` looks whether principal axes help.
const MANY_FEATURES: usize = 48;

/// A tree that takes less than this share of the time of blocks needs no comparison with principal axes.
const MUCH_FASTER: f64 = 0.1;

/// The share of all work that a look is taken for where it finds principal axes: of 60,000 rows of 64 features it
/// takes 0.16 of the time.
const PART_OF_LOOK: f64 = 0.15;
/// Seconds of one core that nobody minds an exact search to take.
pub(super) const LONG: f64 = 20.0;
/// The share of the time that is left in a time limit that a look may take.
const TIME_OF_LOOK: f64 = 0.25;
/// An exact search that is told to take at most this share of the time that is left runs. The pairs that it
/// has not compared when the time is over are then fewer than an approximate search of noise misses, and
/// what is told is within a tenth, measured where it runs (`exact/pace.rs`).
const MEETS: f64 = 1.1;
/// An exact search that takes at most this many times as long as the approximate one is worth it.
pub(super) const WORTH_EXACT: f64 = 2.0;

/// True for samples so few that they are compared pair by pair.
pub(super) fn are_few(samples: usize) -> bool {
    samples <= FEW_SAMPLES
}

/// True if rows are so many, and have so many features, that principal axes may help.
pub(super) fn may_have_axes(rows: &Rows<'_>, axes_are_known: bool) -> bool {
    by_numbers(rows, axes_are_known).0 == Search::Projected
}

/// The search that `Auto` means by the kind of rows and the numbers of samples and features alone.
fn by_numbers(rows: &Rows<'_>, axes_are_known: bool) -> (Search, Reason) {
    let (samples, features) = (rows.len(), rows.features());
    let few_features =
        if samples >= LOOKED_AT { FEW_FEATURES } else { FEW_FEATURES_OF_FEW_SAMPLES };
    let many_samples = if axes_are_known { LOOKED_AT } else { MANY_SAMPLES };
    if are_few(samples) {
        (Search::Brute, Reason::FewSamples)
    } else if bits_of(rows).is_some() {
        (Search::Blocked, Reason::Bits)
    } else if rows.metric.is_of_bits() {
        (Search::Blocked, Reason::Metric)
    } else if features <= few_features {
        (Search::KdTree, Reason::FewFeatures)
    } else if !rows.metric.has_products() {
        (Search::Blocked, Reason::Metric)
    } else if features >= MANY_FEATURES && samples >= many_samples {
        (Search::Projected, Reason::Axes)
    } else {
        (Search::Blocked, Reason::Small)
    }
}

/// Runs the search that takes least time. With a time limit, the exact one if it is expected to end in
/// that time; also if it is expected to have compared half of all pairs by then, and the approximate one
/// would not end by then, either. The search that is behind when the time is over is left.
pub(super) fn run(task: &Task<'_>, axes: &mut Axes) -> (Vec<Nearest>, Choice) {
    let Task { ref rows, aim, meter, .. } = *task;
    // Where numbers settle the search, what blocks take has no say, and a look would take longer than it saves.
    let of_pair = match by_numbers(rows, axes.are_known()).0 {
        Search::Brute | Search::KdTree => 0.0,
        _ => nanoseconds_of_blocked(rows, meter),
    };
    let pace = match aim.deadline {
        Some(_) if of_pair > 0.0 => pace::measured(rows, of_pair, aim.time_left()),
        _ => 1.0,
    };
    let long = |approximate: f64| match aim.deadline {
        Some(_) => {
            let left = aim.seconds_left() * rayon::current_num_threads() as f64 / pace;
            if approximate > left { WORTH_EXACT * left } else { MEETS * left }
        }
        None => LONG.max(WORTH_EXACT * approximate),
    };
    run_within(task, of_pair, long, axes)
}

/// [`run`], where blocks take a pair so many nanoseconds; approximate, where an exact search would take one core
/// more seconds than are `long` once all has been looked at, beside those of the approximate one.
fn run_within(
    task: &Task<'_>,
    of_pair: f64,
    long: impl Fn(f64) -> f64,
    axes: &mut Axes,
) -> (Vec<Nearest>, Choice) {
    let Task { ref rows, k, aim, .. } = *task;
    // A look may take a part of the time that is left.
    let looked = aim.deadline.map(|_| Instant::now() + aim.time_left().mul_f64(TIME_OF_LOOK));
    let meter = &task.meter.until(looked);
    let count = rows.len();
    let (mut search, mut reason) = by_numbers(rows, axes.are_known());
    // Principal axes lead from group to group. Along principal axes, too, rounding about one centre hides the
    // distances within a group.
    if search == Search::Projected && need_groups(rows, meter) {
        (search, reason) = (Search::Blocked, Reason::NoAxes);
    }
    let has_tree = reason != Reason::Bits && !rows.metric.is_of_bits();
    let is_looked_at = count >= LOOKED_AT && search != Search::KdTree && has_tree;
    let seconds_of_all = seconds_of_all_pairs(count, of_pair);
    // A plan needs all principal axes anyway, and the forecast takes the first of them. Without a plan the
    // forecast finds the few that a tree has.
    let has_plan = search == Search::Projected;
    let of_step = if has_plan { PART_OF_LOOK / 3.0 } else { 0.0 };
    let advance = || task.meter.advance((of_step * (count as f64).powi(2)) as u64);
    let planned = has_plan.then(|| axes.of(rows, meter));
    advance();
    let by_tree = match is_looked_at {
        true => forecast::seconds_of_tree(rows, k, planned, seconds_of_all, meter),
        false => f64::INFINITY,
    };
    advance();
    if by_tree < MUCH_FASTER * seconds_of_all {
        (search, reason) = (Search::KdTree, Reason::FewDimensions);
    }
    let mut plan = (search == Search::Projected).then(|| Plan::of(rows, k, axes, meter));
    advance();
    let mut seconds = match search {
        Search::KdTree if !is_looked_at => 0.0,
        Search::KdTree => by_tree,
        _ => plan
            .as_ref()
            .and_then(Plan::nanoseconds)
            .map_or(seconds_of_all, |of_pair| seconds_of_all_pairs(count, of_pair)),
    };
    // Principal axes do not help, as the sample tells before all rows are projected.
    if plan.as_ref().is_some_and(Plan::is_hopeless) {
        (search, reason, plan) = (Search::Blocked, Reason::NoAxes, None);
        axes.forget();
    }
    if by_tree < seconds {
        (search, reason, seconds) = (Search::KdTree, Reason::FewDimensions, by_tree);
    }
    let mut evidence = Evidence::default();
    let mut approximate = seconds_of_approximate(rows, of_pair, None, k, aim.recall);
    if is_looked_at {
        evidence.dimension = true_dimension(rows, meter);
        let along_axes = if search == Search::Projected { seconds } else { f64::INFINITY };
        approximate = match rows.metric.is_of_bits() {
            true => f64::INFINITY,
            false => seconds_of_approximate(rows, of_pair, evidence.dimension, k, aim.recall),
        };
        evidence.considered = [
            (Search::KdTree, by_tree),
            (Search::Blocked, seconds_of_all),
            (Search::Projected, along_axes),
            (Search::Approximate, approximate),
        ]
        .map(|considered| considered.1.is_finite().then_some(considered));
    }
    // A look that was left has told nothing. The time of blocks is known without it.
    if meter.is_late() {
        plan = None;
        axes.forget();
        (seconds, evidence) = (seconds_of_all, Evidence::default());
        (search, reason) = (Search::Blocked, Reason::Small);
    }
    // Without a time limit never with a recall of 1: that a sample has all its neighbours does not
    // tell that all have.
    let weighted = &task.meter.weighted(1.0 - 3.0 * of_step);
    let task = &Task { rows: rows.reborrow(), meter: weighted, ..*task };
    let is_bounded = aim.deadline.is_some();
    let may_miss = aim.recall < 1.0 || is_bounded;
    let too_long = seconds > long(approximate) && may_miss && !rows.metric.is_of_bits();
    let instead = (!is_bounded).then_some(seconds);
    let found = too_long.then(|| task.run(Search::Approximate, None, instead)).flatten();
    if let Some((nearest, recall)) = found {
        let reason = Reason::Long { seconds };
        return (nearest, Choice { search: Search::Approximate, reason, recall, evidence });
    }
    let mut found = task.run(search, plan.as_ref(), None);
    if found.is_none() {
        // Principal axes do not help, as all rows tell.
        axes.forget();
        (search, reason) = (Search::Blocked, Reason::NoAxes);
        found = task.run(search, None, None);
    }
    let (nearest, recall) = found.expect("a search by all features does not give up");
    let reason = if too_long { Reason::Unreached } else { reason };
    (nearest, Choice { search, reason, recall, evidence })
}

/// Seconds that one core takes for an approximate search, where blocks take a pair so many nanoseconds.
fn seconds_of_approximate(
    rows: &Rows<'_>,
    of_pair: f64,
    dimension: Option<f64>,
    k: usize,
    recall: f64,
) -> f64 {
    let breadth = Breadth::of(rows.metric, k);
    let seconds = approximate::seconds(rows.len(), rows.features(), dimension, breadth, recall);
    if rows.metric.has_products() {
        return seconds;
    }
    // The test of its recall compares all features.
    let asked = (3 * breadth.asked).min(rows.len()) as f64;
    seconds + asked * rows.len() as f64 * of_pair * 1e-9
}

/// Seconds that one core takes for all pairs.
pub(super) fn seconds_of_all_pairs(samples: usize, nanoseconds_of_pair: f64) -> f64 {
    samples as f64 * (samples as f64 - 1.0) / 2.0 * nanoseconds_of_pair * 1e-9
}

/// The result of a search: lists of the k nearest, and the recall if it is approximate.
pub(super) type Found = (Vec<Nearest>, Option<Recall>);

/// One search of all samples.
pub(super) struct Task<'a> {
    pub(super) rows: Rows<'a>,
    pub(super) k: usize,
    pub(super) aim: Aim,
    pub(super) meter: &'a Meter<'a>,
}

impl Task<'_> {
    /// Runs a search. `None` if the search gave up: along principal axes that do not help; or where more
    /// passes would find too little, or all would take longer than what runs `instead`, in seconds of
    /// one core. Without one, it does not give up. `plan` is for a search along principal axes.
    pub(super) fn run(
        &self,
        search: Search,
        plan: Option<&Plan<'_>>,
        instead: Option<f64>,
    ) -> Option<Found> {
        let Self { rows, k, aim, meter } = self;
        let nearest = match search {
            Search::Brute => brute::search(rows, *k, meter),
            Search::KdTree => kd_tree::search(rows, *k, meter),
            Search::Blocked => match bits::bits_of(rows) {
                Some(bits) => bits::search(rows, bits, *k, meter),
                None => blocked::search(rows, *k, meter),
            },
            Search::Projected => {
                let plan = plan.expect("a search along main axes has a plan");
                projected::search(rows, *k, plan, meter)?
            }
            Search::Approximate => return approximate::search(rows, *k, *aim, instead, meter),
            Search::Auto => unreachable!("resolved before"),
        };
        Some((nearest, None))
    }

    /// Runs the search that was asked for.
    pub(super) fn run_requested(&self, search: Search) -> (Vec<Nearest>, Choice) {
        let mut axes = Axes::default();
        let plan =
            (search == Search::Projected).then(|| Plan::forced(&self.rows, &mut axes, self.meter));
        let found = self.run(search, plan.as_ref(), None);
        let (nearest, recall) = found.expect("a forced search does not give up");
        (nearest, Choice { search, reason: Reason::Asked, recall, evidence: Evidence::default() })
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::neighbors::approximate::Aim;
    use crate::run::progress::Meter;
    use crate::samples::Samples;
    use crate::samples::metric::Metric;
    use crate::samples::rows::Rows;
    use crate::support::random::scrambled;

    /// Noise has axes that do not help; and where samples are few, axes are not looked for.
    #[test]
    fn axes_that_do_not_help_are_not_kept() {
        let noise = |(i, j)| (scrambled((60 * i + j) as u64) >> 40) as f64;
        for (count, reason) in [(5_000, Reason::Small), (9_000, Reason::NoAxes)] {
            let matrix = Array2::from_shape_fn((count, 60), noise);
            let rows = Rows::new(Samples::new(matrix.view()).unwrap(), Metric::Euclidean);
            let (axes, meter) = (&mut Axes::default(), &Meter::stopped_at_once(false));
            let task =
                Task { rows, k: 1, aim: Aim { recall: 0.99, seed: 0, deadline: None }, meter };
            let (_, choice) = run(&task, axes);
            assert_eq!((choice.search, choice.reason), (Search::Blocked, reason));
            assert!(!axes.are_known());
        }
    }

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
            let (axes, meter) = (&mut Axes::default(), &Meter::stopped_at_once(false));
            let aim = |recall| Aim { recall, seed: 0, deadline: None };
            let of_pair = nanoseconds_of_blocked(&rows, meter);
            let task = |recall| Task { rows: rows.reborrow(), k: 1, aim: aim(recall), meter };
            let (found, choice) = run_within(&task(0.99), of_pair, |_| 0.0, axes);
            assert_eq!(choice.search == Search::Approximate, approximate, "{choice:?}");
            let (exact, of_exact) = run_within(&task(0.99), of_pair, |_| f64::INFINITY, axes);
            assert!(of_exact.exact());
            let (all, of_all) = run_within(&task(1.0), of_pair, |_| 0.0, axes);
            assert!(of_all.search == of_exact.search && all == exact, "{of_all:?}");
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
