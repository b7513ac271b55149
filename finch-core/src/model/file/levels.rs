//! The searches of the levels, as rows of numbers, and back.

use super::format::SEARCHES;
use crate::hierarchy::Level;
use crate::neighbors::{Choice, Evidence, Reason, Recall, Search};

/// The numbers of a row.
pub(in crate::model) const WIDTH: usize = 10 + 2 * Evidence::MOST;

/// Reasons by their numbers in a file, which do not change. The seconds stand apart.
const REASONS: [Reason; 14] = [
    Reason::Asked,
    Reason::FewSamples,
    Reason::AllEqual,
    Reason::FewFeatures,
    Reason::FewDimensions,
    Reason::Metric,
    Reason::Small,
    Reason::Axes,
    Reason::NoAxes,
    Reason::Long { seconds: 0.0 },
    Reason::Unreached,
    Reason::Extended,
    Reason::Sparse,
    Reason::Bits,
];

const UNKNOWN: f64 = f64::NAN;

fn number_of(search: Search) -> f64 {
    let number = SEARCHES.iter().position(|known| *known == search);
    number.expect("every search has a number") as f64
}

/// The numbers of a level.
pub(in crate::model) fn numbers(level: &Level) -> [f64; WIDTH] {
    let mut row = [UNKNOWN; WIDTH];
    row[0] = level.samples as f64;
    let Some(Choice { search, reason, recall, evidence }) = level.choice else { return row };
    let (reason, seconds) = match reason {
        Reason::Long { seconds } => (Reason::Long { seconds: 0.0 }, seconds),
        other => (other, UNKNOWN),
    };
    let number = REASONS.iter().position(|known| *known == reason);
    row[1] = number_of(search);
    row[2] = number.expect("every reason has a number") as f64;
    row[3] = seconds;
    if let Some(Recall { estimate, low, high, samples, .. }) = recall {
        row[4..8].copy_from_slice(&[estimate, low, high, samples as f64]);
    }
    row[8] = evidence.distinct.map_or(UNKNOWN, |distinct| distinct as f64);
    row[9] = evidence.dimension.unwrap_or(UNKNOWN);
    for (place, considered) in row[10..].chunks_exact_mut(2).zip(evidence.places()) {
        if let Some((search, seconds)) = *considered {
            place.copy_from_slice(&[number_of(search), seconds]);
        }
    }
    row
}

/// The level of a row of numbers; `None` for numbers that no level has.
pub(in crate::model) fn level(row: &[f64; WIDTH]) -> Option<Level> {
    let samples = count(row[0])?;
    if row[1].is_nan() {
        let choice = None;
        return row[2..].iter().all(|number| number.is_nan()).then_some(Level { samples, choice });
    }
    let search = searched(row[1])?;
    let reason = match *REASONS.get(count(row[2])?)? {
        Reason::Long { .. } => Reason::Long { seconds: positive(row[3])? },
        other if row[3].is_nan() => other,
        _ => return None,
    };
    let recall = match row[4..8] {
        [estimate, low, high, samples] if !estimate.is_nan() => {
            let [estimate, low, high] = [share(estimate)?, share(low)?, share(high)?];
            Some(Recall { estimate, low, high, samples: count(samples)? })
        }
        _ => None,
    };
    let mut considered = [None; Evidence::MOST];
    for (considered, place) in considered.iter_mut().zip(row[10..].chunks_exact(2)) {
        if !place[0].is_nan() {
            *considered = Some((searched(place[0])?, positive(place[1])?));
        }
    }
    let distinct = if row[8].is_nan() { None } else { Some(count(row[8])?) };
    let dimension = if row[9].is_nan() { None } else { Some(positive(row[9])?) };
    let evidence = Evidence::of(distinct, dimension, considered);
    Some(Level { samples, choice: Some(Choice { search, reason, recall, evidence }) })
}

/// The search of this number, which has run, and so is not [`Search::Auto`].
fn searched(number: f64) -> Option<Search> {
    let search = *SEARCHES.get(count(number)?)?;
    (search != Search::Auto).then_some(search)
}

/// A whole number that f64 holds exactly.
fn count(number: f64) -> Option<usize> {
    let is_count = number >= 0.0 && number <= (1_u64 << 53) as f64 && number.fract() == 0.0;
    is_count.then_some(number as usize)
}

fn share(number: f64) -> Option<f64> {
    (0.0..=1.0).contains(&number).then_some(number)
}

/// Not NaN, either.
fn positive(number: f64) -> Option<f64> {
    (number >= 0.0).then_some(number)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_level_comes_back() {
        let considered = [Some((Search::KdTree, 0.5)), None, Some((Search::Blocked, 1e9)), None];
        let recall = Recall { estimate: 0.75, low: 0.5, high: 1.0, samples: 2048 };
        let looks = [
            Evidence::default(),
            Evidence::of(Some(7), None, [None; 4]),
            Evidence::of(None, Some(3.25), considered),
        ];
        for reason in REASONS.into_iter().chain([Reason::Long { seconds: 1e7 / 3.0 }]) {
            for (search, evidence) in
                SEARCHES[1..].iter().flat_map(|s| looks.map(|evidence| (*s, evidence)))
            {
                let recall = (search == Search::Approximate).then_some(recall);
                let choice = Choice { search, reason, recall, evidence };
                for choice in [Some(choice), None] {
                    let expected = Level { samples: 70_000, choice };
                    assert_eq!(level(&numbers(&expected)), Some(expected));
                }
            }
        }
    }

    #[test]
    fn numbers_that_no_level_has_are_refused() {
        let choice = Choice {
            search: Search::Brute,
            reason: Reason::Asked,
            recall: None,
            evidence: Evidence::default(),
        };
        let sound = numbers(&Level { samples: 5, choice: Some(choice) });
        assert!(level(&sound).is_some());
        for (place, number) in [
            (0, 0.5),
            (0, -1.0),
            (0, f64::NAN),
            (0, 1e300),
            (1, 0.0),
            (1, 6.0),
            (1, -0.5),
            (1, f64::NAN),
            (2, 14.0),
            (2, 9.0),
            (2, f64::INFINITY),
            (3, 1.0),
            (4, 1.5),
            (4, 0.5),
            (8, 0.1),
            (9, -2.0),
            (10, 0.0),
            (10, 1.0),
        ] {
            let mut row = sound;
            row[place] = number;
            assert_eq!(level(&row), None, "{number} at {place}");
        }
    }
}
