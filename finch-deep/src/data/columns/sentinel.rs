//! Numbers that may stand for missing values, as notes tell of them.

use super::profile::{Numbers, column_at, column_of};
use crate::data::error::column_at::ColumnAt;
use crate::data::error::note::Note;
use crate::data::matrix::Matrix;
use crate::data::options::feature::{Feature, FeatureKind};
use crate::with_matrix;

/// Numbers that stand for missing values where no other is below zero.
const USUAL: [f64; 6] = [-99.0, -999.0, -9999.0, -99_999.0, -666_666_666.0, -999_999_999.0];

/// Rows that repeat a number, and other numbers of the column, at least: a step of -1 among few is a level.
pub(super) const OFTEN: usize = 3;
pub(super) const OTHERS: usize = 6;

/// Codes at one end of a column, at most, and the times of the range of all others that several are away.
const MOST_CODES: usize = 4;
const CODES_APART: f64 = 2.0;

/// Answers of a survey by whole numbers, at most, and the fewest different ones.
const MOST_ANSWER: f64 = 10.0;
pub(super) const FEWEST_ANSWERS: usize = 3;

/// The least or the largest number of a column.
#[derive(Clone, Copy)]
struct Extreme {
    column: usize,
    value: f64,
    rows: usize,
    /// Its distance from the next number, and the range of all others.
    away: f64,
    range: f64,
    /// True if it is below zero, and no other is.
    is_alone_below: bool,
    /// True if there are many other numbers.
    has_others: bool,
    /// True if the others are answers of a survey: small whole numbers.
    are_answers: bool,
    /// True if it is one of several codes at this end of the column, which are far from all others.
    is_among_codes: bool,
    /// True if it is 7, 8 or 9 above answers from 1 on without a gap, and one number at least is between.
    is_above_answers: bool,
}

/// Notes on features in which a number may stand for missing values.
pub(in crate::data) fn sentinels(
    matrix: &Matrix<'_>,
    features: &[Feature],
    numbers: &[Option<Numbers>],
) -> Vec<Note> {
    let is_plain =
        |at: &usize| features[*at].kind == FeatureKind::Number && features[*at].writing.is_none();
    let may_be =
        |at: &usize| numbers[*at].is_some_and(|of| is_code(of.least) || is_code(of.largest));
    let columns = (0..numbers.len()).filter(|at| is_plain(at) && may_be(at));
    told(columns.map(|at| {
        let (values, _) = with_matrix!(matrix, view => column_of(view, at));
        (column_at(&features[at]), values)
    }))
}

/// Notes on columns of numbers in which one may stand for missing values: the only one below zero, one that is far from
/// all others in two columns, or the code of a survey beside its answers.
pub(super) fn told(columns: impl Iterator<Item = (ColumnAt, Vec<f64>)>) -> Vec<Note> {
    let (mut named, mut found) = (Vec::new(), Vec::new());
    for (at, values) in columns {
        found.extend(extremes(named.len(), values));
        named.push(at);
    }
    let is_far = |one: &Extreme| {
        let enough = if one.value < 0.0 { one.range } else { 0.5 * one.range };
        // Levels of an experiment are few.
        let are_levels = one.value < 0.0 && !one.has_others;
        one.rows > 1 && one.range > 0.0 && one.away >= enough && !are_levels
    };
    let is_shared = |one: &Extreme| {
        let same = |other: &&Extreme| other.value == one.value && is_far(other);
        is_far(one) && found.iter().filter(same).count() > 1
    };
    let is_alone = |one: &Extreme| {
        let is_usual = USUAL.contains(&one.value);
        one.is_alone_below && (is_usual || one.has_others && one.rows >= OFTEN)
    };
    let is_no_answer = |one: &Extreme| {
        let same = |other: &&Extreme| other.are_answers && other.value == one.value;
        let is_often = one.rows > 1 || found.iter().filter(same).count() > 1;
        one.are_answers && is_often && is_no_answer(one.value)
    };
    let is_above_answers = |one: &Extreme| {
        let same = |other: &&Extreme| other.is_above_answers && other.value == one.value;
        one.is_above_answers && (one.rows > 1 || found.iter().filter(same).count() > 1)
    };
    let is_told = |one: &&Extreme| {
        is_alone(one)
            || is_shared(one)
            || is_no_answer(one)
            || is_above_answers(one)
            || one.is_among_codes
    };
    let told = found.iter().filter(is_told);
    told.map(|one| Note::Sentinel(named[one.column].clone(), one.value.to_string())).collect()
}

/// True for a whole number that people take for a missing value: below zero, of nines, or a code of surveys.
fn is_code(value: f64) -> bool {
    let is_nines = || value.to_string().bytes().all(|digit| digit == b'9');
    let is_of_survey = || is_no_answer(value) || is_of_survey(value);
    value.fract() == 0.0 && value.abs() < 1e10 && (value < 0.0 || is_nines() || is_of_survey())
}

/// True for a number that answers a question of a survey: a small whole one.
pub(super) fn is_answer(value: f64) -> bool {
    value.fract() == 0.0 && (0.0..=MOST_ANSWER).contains(&value)
}

/// True for a code of surveys for an answer that is none, beside answers by small whole numbers.
pub(super) fn is_no_answer(value: f64) -> bool {
    const CODES: [f64; 8] = [66.0, 77.0, 88.0, 97.0, 98.0, 99.0, 8.0, 9.0];
    CODES[..6].contains(&value) || value < -1.0 && (CODES.contains(&-value) || value == -7.0)
}

/// True for a number that surveys write for an answer that is none, of as many digits as answers have: `998`, `-99`, `77`.
fn is_of_survey(value: f64) -> bool {
    let digits = value.abs().to_string();
    let is_repeated = |digits: &str, of: &[u8]| {
        digits.len() > 1 && of.iter().any(|one| digits.bytes().all(|digit| digit == *one))
    };
    let before_last = &digits[..digits.len() - 1];
    is_repeated(&digits, b"6789")
        || digits.ends_with(['7', '8'])
            && before_last.bytes().all(|digit| digit == b'9')
            && digits.len() > 1
}

/// The codes at an end of a column, from the outermost: several where all are codes of surveys.
fn codes(distinct: &[f64], from_least: bool) -> Vec<f64> {
    let inwards: Vec<f64> = match from_least {
        true => distinct.iter().copied().take(MOST_CODES + 1).collect(),
        false => distinct.iter().rev().copied().take(MOST_CODES + 1).collect(),
    };
    let is_code = |value: &&f64| is_of_survey(**value) || **value < 0.0 && is_no_answer(**value);
    let found = inwards.iter().take_while(is_code).count();
    let found = if found > MOST_CODES { 1 } else { found.max(1) };
    inwards[..found].to_vec()
}

/// The codes 7, 8 and 9 above answers, from the largest: answers are 1, 2, 3 and so on, and one number at least is between.
fn above_answers(distinct: &[f64]) -> Vec<f64> {
    let is_above = |value: &f64| [7.0, 8.0, 9.0].contains(value);
    let others = distinct.iter().filter(|value| !is_no_answer(**value));
    let (codes, answers): (Vec<f64>, Vec<f64>) = others.copied().partition(is_above);
    let counts = answers.iter().zip(1..).all(|(&answer, number)| answer == f64::from(number));
    let are_apart = |lowest: &f64| *lowest >= answers.len() as f64 + 2.0;
    match counts && answers.len() >= FEWEST_ANSWERS && codes.first().is_some_and(are_apart) {
        true => codes.into_iter().rev().collect(),
        false => Vec::new(),
    }
}

fn are_answers(distinct: &[f64]) -> bool {
    distinct.len() >= FEWEST_ANSWERS && distinct.iter().all(|value| is_answer(*value))
}

/// Both ends of a column, as far as they may stand for missing values.
fn extremes(column: usize, mut values: Vec<f64>) -> Vec<Extreme> {
    let least = values.iter().copied().fold(f64::INFINITY, f64::min);
    let largest = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
    if !is_code(least) && !is_code(largest) {
        return Vec::new();
    }
    values.retain(|value| !value.is_nan());
    values.sort_unstable_by(f64::total_cmp);
    let mut distinct = values.clone();
    distinct.dedup();
    let above_answers = above_answers(&distinct);
    let of_end = |from_least: bool| {
        let codes = match from_least || above_answers.is_empty() {
            true => codes(&distinct, from_least),
            false => above_answers.clone(),
        };
        let others = distinct.iter().copied().filter(|value| !codes.contains(value));
        let (no_answers, rest): (Vec<f64>, Vec<f64>) =
            others.partition(|value| is_no_answer(*value));
        // Beside answers, those at the other end are codes, too.
        let are_answers = are_answers(&rest);
        let is_of_column = |value: &f64| !are_answers || !no_answers.contains(value);
        let distinct: Vec<f64> = distinct.iter().copied().filter(is_of_column).collect();
        let of_column: Vec<f64> =
            distinct.iter().copied().filter(|value| !codes.contains(value)).collect();
        let (Some(&least), Some(&largest)) = (of_column.first(), of_column.last()) else {
            return Vec::new();
        };
        let of_code = |&value: &f64| {
            let mut others = distinct.iter().filter(|other| **other != value);
            let (first, last) = (others.next().copied()?, others.next_back());
            let last = last.copied().unwrap_or(first);
            let is_below = value < 0.0 && least >= 0.0;
            let away = if value < least { least - value } else { value - largest };
            let is_apart = is_below || away >= CODES_APART * (largest - least);
            let has_others = of_column.len() >= OTHERS;
            Some(Extreme {
                column,
                value,
                rows: values.iter().filter(|other| **other == value).count(),
                away: if value < first { first - value } else { value - last },
                range: last - first,
                is_alone_below: is_below && codes.len() == 1,
                has_others,
                are_answers,
                // Refused, not known, not asked.
                is_among_codes: codes.len() > 1 && is_apart && (has_others || are_answers),
                is_above_answers: !from_least && !above_answers.is_empty(),
            })
        };
        let is_told = |value: &&f64| is_code(**value) || above_answers.contains(*value);
        codes.iter().filter(is_told).filter_map(of_code).collect()
    };
    let mut found = of_end(true);
    let mut of_largest: Vec<Extreme> = of_end(false);
    // Where all are codes the ends overlap.
    of_largest.retain(|one| found.iter().all(|other: &Extreme| other.value != one.value));
    found.append(&mut of_largest);
    found
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, Axis, stack};

    use super::*;
    use crate::data::columns::profile;

    fn told(columns: &[&[f64]]) -> Vec<(usize, String)> {
        let views: Vec<_> = columns.iter().map(|column| ndarray::aview1(column)).collect();
        let table: Array2<f64> = stack(Axis(1), &views).unwrap();
        let feature = |column| Feature {
            column,
            name: None,
            kind: FeatureKind::Number,
            word: None,
            writing: None,
        };
        let features: Vec<Feature> = (0..columns.len()).map(feature).collect();
        let matrix = Matrix::from(table.view());
        let notes = sentinels(&matrix, &features, &profile::numbers(&matrix));
        let of = |note| match note {
            Note::Sentinel(ColumnAt { position, .. }, word) => (position, word),
            other => panic!("{other}"),
        };
        notes.into_iter().map(of).collect()
    }

    #[test]
    fn the_only_number_below_zero_is_told_where_it_is_often() {
        let rising = |first: &[f64]| -> Vec<f64> {
            first.iter().copied().chain((0..20).map(f64::from)).collect()
        };
        assert_eq!(told(&[&rising(&[-1.0, -1.0, -1.0])]), [(0, "-1".into())]);
        assert_eq!(told(&[&rising(&[-999.0])]), [(0, "-999".into())]);
        assert_eq!(told(&[&rising(&[-1.0])]), []);
        assert_eq!(told(&[&rising(&[-1.0, -1.0, -2.0])]), []);
        assert_eq!(told(&[&rising(&[-1.5, -1.5, -1.5])]), []);
        // Levels.
        assert_eq!(told(&[&[-1.0, 0.0, 1.0, -1.0, 0.0, 1.0, -1.0, -1.0]]), []);
    }

    #[test]
    fn a_number_that_is_far_from_all_others_in_two_columns_is_told() {
        let air = [-200.0, 13.5, -1.9, 44.6, 20.0, 7.0, 9.5, -200.0];
        let steam = [-200.0, 0.7, 1.1, -200.0, 0.2, 0.3, 0.4, 0.6];
        assert_eq!(told(&[&air, &steam]), [(0, "-200".into()), (1, "-200".into())]);
        assert_eq!(told(&[&air]), []);
        // Levels of an experiment.
        let levels = [-10.0, 0.0, 10.0, -10.0, 0.0, 10.0];
        assert_eq!(told(&[&levels, &levels]), []);
        let answers = [[1.0, 5.0, 2.0, 9.0, 9.0, 3.0], [9.0, 9.0, 1.0, 2.0, 3.0, 4.0]];
        let each: Vec<&[f64]> = answers.iter().map(|answers| &answers[..]).collect();
        assert_eq!(told(&each), [(0, "9".into()), (1, "9".into())]);
        // Codes at both ends, and at one end.
        let both = [3.0, 1.0, 2.0, 9.0, 4.0, -8.0, 2.0, 9.0, 1.0, -8.0];
        let below = [4.0, -8.0, 5.0, 1.0, 2.0, -9.0, 3.0, 1.0, 5.0, 4.0];
        let known = [(0, "-8".into()), (0, "9".into()), (1, "-9".into()), (1, "-8".into())];
        assert_eq!(told(&[&both, &below]), known);
        let beside = [9.0, 1.0, 2.0, 9.0, 4.0, 3.0, 1.0, 1.0, 2.0, 2.0];
        let of_beside = [(2, "9".to_string())];
        assert_eq!(told(&[&both, &below, &beside]), [&known[..], &of_beside].concat());
        // Refused and not known, and no code where a number leads up to it.
        let above = [1.0, 5.0, 8.0, 2.0, 3.0, 4.0, 9.0, 8.0, 9.0, 2.0];
        assert_eq!(told(&[&above]), [(0, "9".into()), (0, "8".into())]);
        let count = [0.0, 1.0, 2.0, 3.0, 8.0, 8.0, 9.0, 9.0, 1.0, 2.0];
        assert_eq!(told(&[&count]), []);
        // Both are as others are.
        let ages = [[99.0, 98.0, 99.0, 20.0, 30.0, 71.0]; 2];
        let each: Vec<&[f64]> = ages.iter().map(|ages| &ages[..]).collect();
        assert_eq!(told(&each), []);
    }
}
