//! The plan of a search of sparse rows.
//!
//! An exact search takes as many steps as the columns tell. Where that is long, the approximate search of
//! sparse rows (`neighbors/sparse/approximate.rs`) runs, unless it finds too few.

use super::Task;
use super::steps::{Plan, Step};
use super::tuning::{LONG, LOOKED_AT};
use crate::neighbors::search::{Evidence, Reason, Search};
use crate::neighbors::sparse::InvertedIndex;
use crate::samples::sparse::SparseRows;

/// The plan of the search that is requested.
pub(super) fn plan<'a>(
    rows: &'a SparseRows<'a>,
    task: &Task<'_, '_>,
    requested: Search,
) -> Plan<'a> {
    if requested == Search::Brute {
        return Plan::new(vec![Step::new(requested, Reason::Asked)]);
    }
    let index = InvertedIndex::of_all(rows);
    let long = match task.aim.deadline {
        Some(_) => task.aim.seconds_left() * rayon::current_num_threads() as f64,
        None => LONG,
    };
    let steps = steps(task, requested, index.seconds(), long);
    Plan { index: Some(index), ..Plan::new(steps) }
}

/// The searches that are to run, where an exact one takes one core so many `seconds`, and `long` is long.
fn steps(task: &Task<'_, '_>, requested: Search, seconds: f64, long: f64) -> Vec<Step> {
    let mut of_exact = Evidence::default();
    of_exact.considered[0] = Some((Search::Blocked, seconds));
    let exact = |reason| {
        let is_looked_at = task.rows.len() >= LOOKED_AT;
        let evidence = if is_looked_at { of_exact } else { Evidence::default() };
        Step { evidence, ..Step::new(Search::Blocked, reason) }
    };
    let approximate =
        |reason| Step { evidence: of_exact, ..Step::new(Search::Approximate, reason) };
    let is_bounded = task.aim.deadline.is_some();
    // Rare features tell sums, of which keys of bits are no share that is the same for all pairs. A recall of
    // 1 of some rows does not tell that all have their neighbours.
    let may_miss = !task.rows.metric().is_of_bits() && (task.aim.recall < 1.0 || is_bounded);
    match requested {
        Search::Approximate => vec![approximate(Reason::Asked), exact(Reason::Unreached)],
        Search::Auto if seconds <= long || !may_miss => vec![exact(Reason::Sparse)],
        Search::Auto => {
            let instead = (!is_bounded).then_some(seconds);
            let approximate = Step { instead, ..approximate(Reason::Long { seconds }) };
            vec![approximate, exact(Reason::Unreached)]
        }
        _ => vec![exact(Reason::Asked)],
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::neighbors::approximate::Aim;
    use crate::neighbors::plan::AnyRows;
    use crate::run::progress::Meter;
    use crate::samples::metric::Metric;
    use crate::samples::sparse::SparseSamples;

    /// An exact search that takes long comes second, unless no neighbour may be missed, or the approximate one
    /// does not serve.
    #[test]
    fn a_long_search_is_approximate_where_that_may_miss() {
        let samples = SparseSamples::new(3, &[0, 1, 2][..], &[0, 2][..], &[1.0_f32, 1.0][..]);
        let samples = samples.unwrap();
        let long = Reason::Long { seconds: 9.0 };
        let exact = |reason| (Search::Blocked, reason, None);
        let approximate = |reason, instead| (Search::Approximate, reason, instead);
        let both = |instead| vec![approximate(long, instead), exact(Reason::Unreached)];
        let [auto, now] = [Search::Auto, Search::Approximate];
        for (requested, metric, recall, bounded, long, expected) in [
            (auto, Metric::Cosine, 0.9, false, 10.0, vec![exact(Reason::Sparse)]),
            (auto, Metric::Cosine, 0.9, false, 8.0, both(Some(9.0))),
            (auto, Metric::Cosine, 0.9, true, 8.0, both(None)),
            (auto, Metric::Cosine, 1.0, false, 8.0, vec![exact(Reason::Sparse)]),
            (auto, Metric::Cosine, 1.0, true, 8.0, both(None)),
            (auto, Metric::Jaccard, 0.9, true, 8.0, vec![exact(Reason::Sparse)]),
            (
                now,
                Metric::Euclidean,
                1.0,
                false,
                10.0,
                vec![approximate(Reason::Asked, None), exact(Reason::Unreached)],
            ),
            (Search::Blocked, Metric::Cosine, 0.9, false, 8.0, vec![exact(Reason::Asked)]),
        ] {
            let rows = &AnyRows::Sparse(SparseRows::new(samples, metric));
            let aim = Aim { recall, seed: 0, deadline: bounded.then(Instant::now) };
            let task = &Task { rows, k: 1, aim, meter: &Meter::new(1) };
            let steps = steps(task, requested, 9.0, long).into_iter();
            let steps: Vec<_> =
                steps.map(|step| (step.search, step.reason, step.instead)).collect();
            assert_eq!(steps, expected, "{requested:?} {metric:?} {recall} {bounded} {long}");
        }
    }
}
