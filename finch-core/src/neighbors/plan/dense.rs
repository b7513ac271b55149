//! The meaning of [`Search::Auto`] for dense rows: the one place that decides it, but for rows most of whose
//! values are 0 (`mostly_zero.rs`).
//!
//! First by the numbers of samples and features, which settle small and narrow data; then by a look at
//! the data, which tells what each search would cost: how many rows a k-d tree visits (`exact/kd_tree/`), and
//! what bounds along principal axes leave (`exact/projected/estimate.rs`). The least cost wins. Where the least is long, and
//! the approximate search is expected to take much less, that runs, unless it finds too little.

use std::time::Instant;

use super::Task;
use super::intrinsic_dimension::intrinsic_dimension;
use super::steps::{Plan, Step};
use super::tuning::{LONG, LOOKED_AT, are_few};
use crate::neighbors::approximate::{self, ASKED_BY_FEATURES, Breadth, WORTH_EXACT};
use crate::neighbors::exact::bits::bits_of;
use crate::neighbors::exact::few;
use crate::neighbors::exact::kd_tree::forecast;
use crate::neighbors::exact::projected::{AlongAxes, Axes};
use crate::neighbors::exact::{nanoseconds_of_blocked, need_groups, pace};
use crate::neighbors::search::{Evidence, Reason, Search};
use crate::run::work::is_little;
use crate::samples::AnySamples;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;

/// The most features that a tree searches fastest, whatever the data is.
pub(in crate::neighbors) const FEW_FEATURES: usize = 3;
/// The most features for which it does where there are too few samples to look at.
const FEW_FEATURES_OF_FEW_SAMPLES: usize = 8;

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
/// The share of the time that is left in a time limit that a look may take.
const TIME_OF_LOOK: f64 = 0.25;
/// An exact search that is told to take at most this share of the time that is left runs. The pairs that it
/// has not compared when the time is over are then fewer than an approximate search of noise misses, and
/// what is told is within a tenth, measured where it runs (`exact/pace.rs`).
const MEETS: f64 = 1.1;
/// True for samples whose pairs are compared on the calling thread, without a loop of rayon's, and so those of their
/// means, which are fewer.
pub(crate) fn are_compared_alone(samples: &AnySamples<'_>, metric: Metric) -> bool {
    let (count, features) = (samples.len(), samples.features());
    let rows = samples.matrix().map(|matrix| Rows::new(matrix, metric));
    are_few(count) && is_little(count, features) && rows.is_some_and(|rows| few::serves(&rows))
}

/// True if rows are so many, and have so many features, that principal axes may help.
pub(in crate::neighbors) fn may_have_axes(rows: &Rows<'_>, axes_are_known: bool) -> bool {
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

/// The search that takes least time. With a time limit, the exact one if it is expected to end in
/// that time; also if it is expected to have compared half of all pairs by then, and the approximate one
/// would not end by then, either. The search that is behind when the time is over is left.
pub(super) fn plan<'a>(rows: &Rows<'_>, task: &Task<'_, '_>, axes: &mut Axes) -> Plan<'a> {
    let aim = task.aim;
    if let Some(step) = step_of_few(rows) {
        return Plan::new(vec![step]);
    }
    // Where numbers settle the search, what blocks take has no say, and a look would take longer than it saves.
    let of_pair = match by_numbers(rows, axes.are_known()).0 {
        Search::Brute | Search::KdTree => 0.0,
        _ => nanoseconds_of_blocked(rows, task.meter),
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
    plan_within(rows, task, of_pair, long, axes)
}

/// The search of rows so few that nothing has to be known of them, in place of brute force or of blocks.
fn step_of_few(rows: &Rows<'_>) -> Option<Step> {
    let (search, reason) = by_numbers(rows, false);
    let is_served = matches!(reason, Reason::FewSamples | Reason::Small) && few::serves(rows);
    is_served.then(|| Step { are_few: true, ..Step::new(search, reason) })
}

/// [`plan`], where blocks take a pair so many nanoseconds; approximate, where an exact search would take one core
/// more seconds than are `long` once all has been looked at, beside those of the approximate one.
fn plan_within<'a>(
    rows: &Rows<'_>,
    task: &Task<'_, '_>,
    of_pair: f64,
    long: impl Fn(f64) -> f64,
    axes: &mut Axes,
) -> Plan<'a> {
    let Task { k, aim, .. } = *task;
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
    // A search along axes needs all of them anyway, and the forecast takes the first. Without such a search the
    // forecast finds the few that a tree has.
    let may_have_axes = search == Search::Projected;
    let of_step = if may_have_axes { PART_OF_LOOK / 3.0 } else { 0.0 };
    let advance = || task.meter.advance((of_step * (count as f64).powi(2)) as u64);
    let projection = may_have_axes.then(|| axes.of(rows, meter));
    advance();
    let by_tree = match is_looked_at {
        true => forecast::seconds_of_tree(rows, k, projection.as_deref(), seconds_of_all, meter),
        false => f64::INFINITY,
    };
    advance();
    if by_tree < MUCH_FASTER * seconds_of_all {
        (search, reason) = (Search::KdTree, Reason::FewDimensions);
    }
    let mut along = (search == Search::Projected).then(|| AlongAxes::of(rows, k, axes, meter));
    advance();
    let mut seconds = match search {
        Search::KdTree if !is_looked_at => 0.0,
        Search::KdTree => by_tree,
        _ => along
            .as_ref()
            .and_then(AlongAxes::nanoseconds)
            .map_or(seconds_of_all, |of_pair| seconds_of_all_pairs(count, of_pair)),
    };
    // Principal axes do not help, as the sample tells before all rows are projected.
    if along.as_ref().is_some_and(AlongAxes::is_hopeless) {
        (search, reason, along) = (Search::Blocked, Reason::NoAxes, None);
        axes.forget();
    }
    if by_tree < seconds {
        (search, reason, seconds) = (Search::KdTree, Reason::FewDimensions, by_tree);
    }
    let mut evidence = Evidence::default();
    // The test of recall compares all features where sketches tell little, and under a metric without products.
    let by_features = reason == Reason::NoAxes || !rows.metric.has_products();
    let of_pair = if by_features { of_pair } else { 0.0 };
    let seconds_of_approximate =
        |dimension| seconds_of_approximate(rows, of_pair, dimension, k, aim.recall);
    let mut approximate = seconds_of_approximate(None);
    if is_looked_at {
        evidence.dimension = intrinsic_dimension(rows, meter);
        let along_axes = if search == Search::Projected { seconds } else { f64::INFINITY };
        approximate = match rows.metric.is_of_bits() {
            true => f64::INFINITY,
            false => seconds_of_approximate(evidence.dimension),
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
        along = None;
        axes.forget();
        (seconds, evidence) = (seconds_of_all, Evidence::default());
        (search, reason) = (Search::Blocked, Reason::Small);
    }
    // Without a time limit never with a recall of 1: that a sample has all its neighbours does not
    // tell that all have.
    let is_bounded = aim.deadline.is_some();
    let may_miss = aim.recall < 1.0 || is_bounded;
    let too_long = seconds > long(approximate) && may_miss && !rows.metric.is_of_bits();
    let step = |search, reason, instead| Step { evidence, instead, ..Step::new(search, reason) };
    let mut steps = Vec::with_capacity(3);
    if too_long {
        let instead = (!is_bounded).then_some(seconds);
        steps.push(step(Search::Approximate, Reason::Long { seconds }, instead));
        reason = Reason::Unreached;
    }
    steps.push(step(search, reason, None));
    // Principal axes may turn out not to help once all rows are projected.
    if search == Search::Projected {
        let reason = if too_long { reason } else { Reason::NoAxes };
        steps.push(step(Search::Blocked, reason, None));
    }
    Plan { along, left: 1.0 - 3.0 * of_step, ..Plan::new(steps) }
}

/// Seconds that one core takes for an approximate search, whose test of recall takes a pair so many nanoseconds.
fn seconds_of_approximate(
    rows: &Rows<'_>,
    of_pair: f64,
    dimension: Option<f64>,
    k: usize,
    recall: f64,
) -> f64 {
    let breadth = Breadth::of(rows.metric, k);
    let seconds = approximate::seconds(rows.len(), rows.features(), dimension, breadth, recall);
    let asked = (3 * ASKED_BY_FEATURES).min(rows.len()) as f64;
    seconds + asked * rows.len() as f64 * of_pair * 1e-9
}

/// Seconds that one core takes for all pairs.
pub(in crate::neighbors) fn seconds_of_all_pairs(samples: usize, nanoseconds_of_pair: f64) -> f64 {
    samples as f64 * (samples as f64 - 1.0) / 2.0 * nanoseconds_of_pair * 1e-9
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::neighbors::approximate::Aim;
    use crate::neighbors::plan::AnyRows;
    use crate::run::progress::Meter;
    use crate::samples::Samples;
    use crate::samples::metric::Metric;
    use crate::support::random::scrambled;

    /// The rows of a matrix, and a task on them.
    fn with_task<T>(
        matrix: &Array2<f64>,
        recall: f64,
        f: impl FnOnce(&Rows<'_>, &Task<'_, '_>) -> T,
    ) -> T {
        let rows = || Rows::new(Samples::new(matrix.view()).unwrap(), Metric::Euclidean);
        let (any, meter) = (AnyRows::Dense(rows()), &Meter::stopped_at_once(false));
        let aim = Aim { recall, seed: 0, deadline: None };
        f(&rows(), &Task { rows: &any, k: 1, aim, meter })
    }

    /// Noise has axes that do not help; and where samples are few, axes are not looked for.
    #[test]
    fn axes_that_do_not_help_are_not_kept() {
        let noise = |(i, j)| (scrambled((60 * i + j) as u64) >> 40) as f64;
        for (count, reason) in [(5_000, Reason::Small), (9_000, Reason::NoAxes)] {
            let matrix = Array2::from_shape_fn((count, 60), noise);
            with_task(&matrix, 0.99, |rows, task| {
                let axes = &mut Axes::default();
                let plan = plan(rows, task, axes);
                let [step] = &plan.steps[..] else { panic!("{} steps", plan.steps.len()) };
                assert_eq!((step.search, step.reason), (Search::Blocked, reason));
                assert!(!axes.are_known() && plan.along.is_none());
            });
        }
    }

    /// Where an exact search seems long, the approximate one comes first, and the exact one behind it.
    #[test]
    fn auto_is_approximate_where_an_exact_search_seems_long() {
        let noise = |number: usize| (scrambled(number as u64) >> 40) as f64 / (1 << 24) as f64;
        let places = Array2::from_shape_fn((9_000, 4), |(i, j)| noise(4 * i + j));
        let directions = Array2::from_shape_fn((4, 60), |(i, j)| noise(60 * i + j + 40_000) - 0.5);
        let plane = places.dot(&directions);
        let searches = |recall, long: f64| {
            with_task(&plane, recall, |rows, task| {
                let of_pair = nanoseconds_of_blocked(rows, task.meter);
                let plan = plan_within(rows, task, of_pair, |_| long, &mut Axes::default());
                let steps = plan.steps.iter();
                steps.map(|step| (step.search, step.reason, step.instead)).collect::<Vec<_>>()
            })
        };
        let exact = searches(0.99, f64::INFINITY);
        assert_eq!(exact, [(Search::KdTree, Reason::FewDimensions, None)]);
        assert_eq!(searches(1.0, 0.0), exact, "all neighbours are asked for");
        let [approximate, behind] = searches(0.99, 0.0)[..] else { panic!("two searches") };
        let (Search::Approximate, Reason::Long { seconds }, instead) = approximate else {
            panic!("{approximate:?}")
        };
        assert_eq!(instead, Some(seconds));
        assert_eq!(behind, (Search::KdTree, Reason::Unreached, None));
    }
}
