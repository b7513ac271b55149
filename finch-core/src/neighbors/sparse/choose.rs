//! The choice of a search for sparse rows: the one place that decides it.
//!
//! An exact search takes as many steps as its columns tell. Where that is long, a sample of rows, whose
//! true neighbours are found, tells how far a search by rare features would have to go; and it or the one by
//! projections runs, whichever takes less.

use super::inverted_index::Base;
use super::rare_features::{Budget, Rare};
use super::{by_brute_force, nearest_of, random_projections, search, slack_of};
use crate::neighbors::approximate::{Aim, drawn, share};
use crate::neighbors::choose::{LONG, LOOKED_AT, WORTH_EXACT};
use crate::neighbors::lists::Nearest;
use crate::neighbors::search::{Choice, Evidence, Reason, Recall, Search};
use crate::neighbors::zero_rows;
use crate::run::progress::Meter;
use crate::samples::sparse::SparseRows;
use crate::support::memory::{collected, gathered};

/// Rows whose true neighbours tell how far to go, and as many others that tell the recall, at most.
const ASKED: usize = 1024;

/// One search of sparse rows among each other.
pub(in crate::neighbors) struct Task<'a> {
    pub(in crate::neighbors) rows: SparseRows<'a>,
    pub(in crate::neighbors) k: usize,
    pub(in crate::neighbors) aim: Aim,
    pub(in crate::neighbors) meter: &'a Meter<'a>,
}

/// Lists of the `k` nearest of each row, by the search that is asked for, and what searched.
pub(in crate::neighbors) fn run(task: &Task<'_>, requested: Search) -> (Vec<Nearest>, Choice) {
    let Task { ref rows, k, meter, .. } = *task;
    if requested == Search::Brute {
        return (by_brute_force(rows, k, meter), choice(requested, Reason::Asked));
    }
    let base = Base::of(rows, None, slack_of(&[rows]));
    match requested {
        Search::Approximate => task.approximate(&base, None).unwrap_or_else(|| {
            (search(&base, k, meter), choice(Search::Blocked, Reason::Unreached))
        }),
        Search::Auto => task.either(&base, task.long()),
        _ => (search(&base, k, meter), choice(requested, Reason::Asked)),
    }
}

/// The approximate search, if that is asked for; else the one that `Auto` takes, if an exact one takes one core
/// at most so many seconds as `most`. `None` where the approximate one finds too few.
pub(super) fn run_instead(
    task: &Task<'_>,
    requested: Search,
    most: f64,
) -> Option<(Vec<Nearest>, Choice)> {
    let base = Base::of(&task.rows, None, slack_of(&[&task.rows]));
    match requested {
        Search::Approximate => task.approximate(&base, None),
        _ if base.seconds() > most => None,
        _ => task.within(&base, task.long()),
    }
}

impl Task<'_> {
    /// As many seconds of one core are long for an exact search.
    fn long(&self) -> f64 {
        match self.aim.deadline {
            Some(_) => self.aim.seconds_left() * rayon::current_num_threads() as f64,
            None => LONG,
        }
    }

    /// The exact search, unless it takes more than `long` and the approximate one finds enough in less time.
    fn either(&self, base: &Base<'_>, long: f64) -> (Vec<Nearest>, Choice) {
        self.within(base, long).unwrap_or_else(|| self.exact(base, Reason::Unreached))
    }

    /// The exact search, unless it takes more than `long`; then the approximate one. `None` where that would
    /// find too few in less time.
    fn within(&self, base: &Base<'_>, long: f64) -> Option<(Vec<Nearest>, Choice)> {
        let seconds = base.seconds();
        let is_bounded = self.aim.deadline.is_some();
        // Rare features tell sums, of which keys of bits are no share that is the same for all pairs.
        let serves = !self.rows.metric().is_of_bits();
        if seconds <= long || !serves || self.aim.recall >= 1.0 && !is_bounded {
            return Some(self.exact(base, Reason::Sparse));
        }
        let (nearest, found) = self.approximate(base, (!is_bounded).then_some(seconds))?;
        Some((nearest, Choice { reason: Reason::Long { seconds }, ..found }))
    }

    /// The exact search, and why it ran.
    fn exact(&self, base: &Base<'_>, reason: Reason) -> (Vec<Nearest>, Choice) {
        let mut evidence = Evidence::default();
        if self.rows.len() >= LOOKED_AT {
            evidence.considered[0] = Some((Search::Blocked, base.seconds()));
        }
        (search(base, self.k, self.meter), Choice { evidence, ..choice(Search::Blocked, reason) })
    }

    /// Lists of near rows. `None` where clearly fewer than enough of these would be the nearest; or where
    /// the search would not be worth its time beside an exact one that takes one core so many seconds as
    /// `instead`.
    fn approximate(&self, base: &Base<'_>, instead: Option<f64>) -> Option<(Vec<Nearest>, Choice)> {
        let Self { ref rows, k, aim, meter } = *self;
        let mut asked = drawn(rows.len(), 2 * ASKED, aim.seed);
        // Zero rows are found without a search.
        asked.retain(|row| base.zero_rows.binary_search(row).is_err());
        let [steering, measured]: [Vec<u32>; 2] =
            [0, 1].map(|first| collected(asked.iter().copied().skip(first).step_by(2)));
        let truth = nearest_of(base, &steering, k, meter);
        let enough = |found: &[Nearest]| share(found, &truth, k) >= aim.recall;
        let by_projections = match rows.metric().has_products()
            && random_projections::serve(base, &steering, &truth, k, aim.seed, meter)
        {
            true => random_projections::seconds(rows, k, aim.recall),
            false => f64::INFINITY,
        };
        let worth = instead.map_or(f64::INFINITY, |exact| exact / WORTH_EXACT);
        let rare = Rare::new(base, k);
        let budget = rare.budget(&steering, enough, by_projections.min(worth), meter);
        // Within a time limit whatever can be found has to do.
        let is_last = aim.deadline.is_some() && by_projections.is_infinite();
        let budget = budget.or(is_last.then(Budget::default));
        let (nearest, recall, seconds) = match budget {
            Some(budget) => {
                let nearest = rare.search(budget, aim, meter);
                let truth = nearest_of(base, &measured, k, meter);
                let of_row = |&row: &u32| nearest[row as usize * k..][..k].iter().copied();
                let found: Vec<Nearest> = gathered(measured.iter().flat_map(of_row));
                let share = share(&found, &truth, k);
                (nearest, Recall::of(share, measured.len()), budget.seconds)
            }
            None if by_projections > worth || by_projections.is_infinite() => return None,
            None => {
                drop(rare);
                let (nearest, recall) = random_projections::search(base, k, aim, instead, meter)?;
                (zero_rows::added(&rows.zero_rows(), nearest, rows.len()), recall, by_projections)
            }
        };
        let of_exact = instead.unwrap_or_else(|| base.seconds());
        let considered = [(Search::Blocked, of_exact), (Search::Approximate, seconds)];
        let [exact, approximate] = considered.map(Some);
        let evidence =
            Evidence { considered: [exact, approximate, None, None], ..Evidence::default() };
        Some((nearest, Choice { recall, evidence, ..choice(Search::Approximate, Reason::Asked) }))
    }
}

/// A search that nothing was looked at for.
pub(in crate::neighbors) fn choice(search: Search, reason: Reason) -> Choice {
    Choice { search, reason, recall: None, evidence: Evidence::default() }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::metric::Metric;
    use crate::samples::sparse::SparseSamples;
    use crate::support::random::scrambled;

    const ROWS: usize = 2_000;

    /// Texts of some of `features` words, each on one of so many `subjects`.
    fn texts(features: u64, subjects: u64) -> [Vec<i32>; 2] {
        let mut number = 0;
        let mut random = |below: u64| {
            number += 1;
            scrambled(number) % below
        };
        let (mut starts, mut columns) = (vec![0], Vec::new());
        for row in 0..ROWS {
            // Two of three words are of the subject.
            let mut words: Vec<i32> = (0..24)
                .map(|word| match word % 3 {
                    0 => random(features) as i32,
                    _ => (scrambled(row as u64 % subjects * 20 + random(20)) % features) as i32,
                })
                .collect();
            words.sort_unstable();
            words.dedup();
            columns.extend(words);
            starts.push(columns.len() as i32);
        }
        [starts, columns]
    }

    /// A sample tells if rare words tell, or projections, or neither.
    #[test]
    fn what_takes_long_is_approximate_where_that_finds_enough() {
        for (features, metric, found) in [
            (50_000, Metric::Cosine, true),
            (50_000, Metric::Manhattan, true),
            (400, Metric::Euclidean, true),
            (30, Metric::Manhattan, false),
        ] {
            let [starts, columns] = texts(features, 300);
            let value = |place: usize| 1.0 + (scrambled(place as u64) % 8) as f32;
            let values: Vec<f32> = (0..columns.len()).map(value).collect();
            let samples =
                SparseSamples::new(features as usize, &starts[..], &columns[..], &values[..]);
            let samples = samples.unwrap();
            let meter = &Meter::stopped_at_once(false);
            let aim = Aim { recall: 0.95, seed: 0, deadline: None };
            let task = |aim| Task { rows: SparseRows::new(samples, metric), k: 2, aim, meter };
            let rows = SparseRows::new(samples, metric);
            let base = Base::of(&rows, None, slack_of(&[&rows]));
            let context = format!("{features} {metric:?}");

            let (exact, of_exact) = task(aim).either(&base, f64::INFINITY);
            assert_eq!((of_exact.search, of_exact.reason), (Search::Blocked, Reason::Sparse));
            assert_eq!(exact, by_brute_force(&rows, 2, meter), "{context}");
            let (all, of_all) = task(Aim { recall: 1.0, ..aim }).either(&base, 0.0);
            assert_eq!((of_all.search, all), (Search::Blocked, exact.clone()), "{context}");

            let approximate = task(aim).approximate(&base, None);
            assert_eq!(approximate.is_some(), found, "{context}");
            let Some((near, choice)) = approximate else {
                assert_eq!(task(aim).either(&base, 0.0).1.reason, Reason::Unreached);
                // The neighbours found have to do.
                let deadline = Some(std::time::Instant::now());
                let (_, in_time) = task(Aim { deadline, ..aim }).either(&base, 0.0);
                assert_eq!(in_time.search, Search::Approximate, "{context}");
                continue;
            };
            let recall = choice.recall.unwrap().estimate;
            assert!(recall > 0.94, "{context}: {recall}");
            let share = share(&near, &exact, 2);
            assert!((share - recall).abs() < 0.02, "{context}: {share}, {recall}");
        }
    }

    /// Where neighbours have much in common, projections find them, and it is known beforehand.
    #[test]
    fn projections_find_what_has_much_in_common() {
        for (features, subjects, metric) in [
            (400, 300, Metric::Cosine),
            (50_000, 300, Metric::Euclidean),
            (50_000, ROWS as u64, Metric::Cosine),
        ] {
            let [starts, columns] = texts(features, subjects);
            let values: Vec<f32> = vec![3.0; columns.len()];
            let samples =
                SparseSamples::new(features as usize, &starts[..], &columns[..], &values[..]);
            let rows = SparseRows::new(samples.unwrap(), metric);
            let base = Base::of(&rows, None, slack_of(&[&rows]));
            let meter = &Meter::stopped_at_once(false);
            let exact = search(&base, 3, meter);
            let all: Vec<u32> = (0..ROWS as u32).collect();
            let serve = random_projections::serve(&base, &all, &exact, 3, 0, meter);
            let aim = Aim { recall: 0.97, seed: 0, deadline: None };
            let (near, recall) = random_projections::search(&base, 3, aim, None, meter).unwrap();
            let (told, share) = (recall.unwrap().estimate, share(&near, &exact, 3));
            let context = format!("{features}, {subjects}, {metric:?}: {share}, {told}");
            assert!((share - told).abs() < 0.02, "{context}");
            assert_eq!([serve, share > 0.96], [subjects == 300; 2], "{context}");
        }
    }
}
