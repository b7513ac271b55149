//! The approximate search of sparse rows: by rare features, or by random projections.
//!
//! A sample of rows, whose true neighbours are found, tells how far a search by rare features would have to
//! go; and it or the one by projections runs, whichever takes less.

use super::inverted_index::InvertedIndex;
use super::rare_features::{Budget, Rare};
use super::{nearest_of, random_projections};
use crate::neighbors::approximate::{Aim, WORTH_EXACT, drawn, share};
use crate::neighbors::lists::Nearest;
use crate::neighbors::search::Recall;
use crate::neighbors::zero_rows;
use crate::run::progress::Meter;
use crate::support::memory::{collected, gathered};

/// Rows whose true neighbours tell how far to go, and as many others that tell the recall, at most.
const ASKED: usize = 1024;

/// The result of an approximate search.
pub(in crate::neighbors) struct Found {
    /// Lists of near rows.
    pub(in crate::neighbors) nearest: Vec<Nearest>,
    pub(in crate::neighbors) recall: Option<Recall>,
    /// The time that the search was expected to take, in seconds of one core.
    pub(in crate::neighbors) seconds: f64,
}

/// Lists of `k` near rows of each row of an index. `None` where clearly fewer than enough of these would be
/// the nearest; or where the search would not be worth its time beside an exact one that takes one core so
/// many seconds as `instead`.
pub(in crate::neighbors) fn approximate(
    index: &InvertedIndex<'_>,
    k: usize,
    aim: Aim,
    instead: Option<f64>,
    meter: &Meter,
) -> Option<Found> {
    let rows = index.rows;
    let mut asked = drawn(rows.len(), 2 * ASKED, aim.seed);
    // Zero rows are found without a search.
    asked.retain(|row| index.zero_rows.binary_search(row).is_err());
    let [steering, measured]: [Vec<u32>; 2] =
        [0, 1].map(|first| collected(asked.iter().copied().skip(first).step_by(2)));
    let truth = nearest_of(index, &steering, k, meter);
    let enough = |found: &[Nearest]| share(found, &truth, k) >= aim.recall;
    let by_projections = match rows.metric().has_products()
        && random_projections::serve(index, &steering, &truth, k, aim.seed, meter)
    {
        true => random_projections::seconds(rows, k, aim.recall),
        false => f64::INFINITY,
    };
    let worth = instead.map_or(f64::INFINITY, |exact| exact / WORTH_EXACT);
    let rare = Rare::new(index, k);
    let budget = rare.budget(&steering, enough, by_projections.min(worth), meter);
    // Within a time limit whatever can be found has to do.
    let is_last = aim.deadline.is_some() && by_projections.is_infinite();
    let budget = budget.or(is_last.then(Budget::default));
    let (nearest, recall, seconds) = match budget {
        Some(budget) => {
            let nearest = rare.search(budget, aim, meter);
            let truth = nearest_of(index, &measured, k, meter);
            let of_row = |&row: &u32| nearest[row as usize * k..][..k].iter().copied();
            let found: Vec<Nearest> = gathered(measured.iter().flat_map(of_row));
            let share = share(&found, &truth, k);
            (nearest, Recall::of(share, measured.len()), budget.seconds)
        }
        None if by_projections > worth || by_projections.is_infinite() => return None,
        None => {
            drop(rare);
            let (nearest, recall) = random_projections::search(index, k, aim, instead, meter)?;
            (zero_rows::added(&rows.zero_rows(), nearest, rows.len()), recall, by_projections)
        }
    };
    Some(Found { nearest, recall, seconds })
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;
    use crate::neighbors::sparse::{by_brute_force, search};
    use crate::samples::metric::Metric;
    use crate::samples::sparse::{SparseRows, SparseSamples};
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
    fn a_sample_tells_what_finds_enough() {
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
            let meter = &Meter::stopped_at_once(false);
            let rows = SparseRows::new(samples.unwrap(), metric);
            let index = InvertedIndex::of_all(&rows);
            let context = format!("{features} {metric:?}");
            let exact = search(&index, 2, meter);
            assert_eq!(exact, by_brute_force(&rows, 2, meter), "{context}");

            let aim = Aim { recall: 0.95, seed: 0, deadline: None };
            let found_in = |aim| approximate(&index, 2, aim, None, meter);
            let approximate = found_in(aim);
            assert_eq!(approximate.is_some(), found, "{context}");
            let Some(Found { nearest, recall, .. }) = approximate else {
                // In a time limit whatever is found has to do.
                let deadline = Some(Instant::now());
                assert!(found_in(Aim { deadline, ..aim }).is_some(), "{context}");
                continue;
            };
            let recall = recall.unwrap().estimate;
            assert!(recall > 0.94, "{context}: {recall}");
            let share = share(&nearest, &exact, 2);
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
            let index = InvertedIndex::of_all(&rows);
            let meter = &Meter::stopped_at_once(false);
            let exact = search(&index, 3, meter);
            let all: Vec<u32> = (0..ROWS as u32).collect();
            let serve = random_projections::serve(&index, &all, &exact, 3, 0, meter);
            let aim = Aim { recall: 0.97, seed: 0, deadline: None };
            let (near, recall) = random_projections::search(&index, 3, aim, None, meter).unwrap();
            let (told, share) = (recall.unwrap().estimate, share(&near, &exact, 3));
            let context = format!("{features}, {subjects}, {metric:?}: {share}, {told}");
            assert!((share - told).abs() < 0.02, "{context}");
            assert_eq!([serve, share > 0.96], [subjects == 300; 2], "{context}");
        }
    }
}
