//! Rows that name columns, though they look like samples or stand below the names.

use std::collections::HashSet;

use super::field::number_of;
use super::missing::MissingWords;
use super::row::Row;
use super::written::is_measured;

/// Names of a first column that number or name the samples.
const NAMES_OF_NAMES: [&str; 9] =
    ["", "name", "names", "id", "ids", "index", "sample", "samples", "unnamed: 0"];

/// Rows below the names that may describe the columns, at most, and the fewest samples that tell.
const MOST_BELOW: usize = 2;
const FEWEST: usize = 3;

/// Numbers in a row that count by the same step, where later values have fractions, and where they may be whole.
const COUNTED: usize = 4;
const COUNTED_AT_LEAST: usize = 20;

/// True if numbers in the first row may name columns: whole ones that rise, and no values of their columns. These are
/// years, wavelengths and the like behind words, or numbers that count all columns, as pandas writes them.
pub(in crate::data) fn names_by_numbers(first: &[String], later: &[&Row]) -> bool {
    let number = |text: &String| number_of(text.as_bytes(), true).filter(|value| value.is_finite());
    let start = first.iter().position(|text| number(text).is_some()).unwrap_or(first.len());
    let end = first.iter().rposition(|text| number(text).is_some()).map_or(start, |at| at + 1);
    let numbers: Vec<f64> = first[start..end].iter().filter_map(number).collect();
    let whole = numbers.iter().all(|value| value.fract() == 0.0);
    let rises = numbers.windows(2).all(|pair| pair[0] < pair[1]);
    if numbers.len() != end - start || numbers.len() < 2 || !whole || !rises {
        return false;
    }
    let by_one_step = numbers.windows(2).all(|pair| pair[1] - pair[0] == numbers[1] - numbers[0]);
    let of_column = |at: usize| {
        let texts = later.iter().map(move |row| row.field(at));
        texts.filter_map(|text| number_of(text, true))
    };
    let values = || (start..end).flat_map(of_column);
    let fractions = values().filter(|value| value.fract() != 0.0).count();
    let are_fractions = 5 * fractions >= 4 * values().count() && fractions > 0;
    if by_one_step && numbers.len() >= COUNTED && are_fractions {
        return true;
    }
    if start == 0 {
        let counts = numbers[0] == 0.0 || numbers[0] == 1.0;
        let counts = counts && numbers[1] - numbers[0] == 1.0 && by_one_step;
        return counts && end == first.len() && numbers.len() >= COUNTED_AT_LEAST;
    }
    let is_year = |value: f64| (1500.0..2200.0).contains(&value);
    let are_years = numbers.iter().all(|&value| is_year(value))
        && !(start..end).all(|at| of_column(at).all(is_year));
    let is_named = NAMES_OF_NAMES.contains(&first[0].to_lowercase().as_str());
    are_years || is_named && start == 1 && by_one_step
}

/// The number of first rows below the names of columns that describe these: units, or the questions of a survey. Where
/// later rows have numbers, they have words, in two columns or more.
pub(in crate::data) fn below_names(rows: &[Row], missing: &MissingWords) -> usize {
    let describes =
        |at: &usize| rows.get(*at).is_some_and(|row| is_below(row, &rows[at + 1..], missing));
    (0..MOST_BELOW).take_while(describes).count()
}

fn is_below(row: &Row, later: &[Row], missing: &MissingWords) -> bool {
    // A further row of words may stand between this one and the samples.
    let later = &later[later.len().min(MOST_BELOW - 1)..];
    let of_numbers = |at: &usize| {
        let texts = later.iter().map(|row| row.text(*at));
        let there: Vec<_> = texts.filter(|text| !missing.is_missing(text.as_bytes())).collect();
        let numbers = there.iter().filter(|text| is_measured(text)).count();
        there.len() >= FEWEST && 5 * numbers >= 4 * there.len()
    };
    let columns: Vec<usize> = (0..row.fields.len()).filter(of_numbers).collect();
    let is_word = |text: &str| {
        text.chars().any(|c| c.is_alphabetic() || "°%$€£µ".contains(c))
            && !missing.is_missing(text.as_bytes())
            && !["missing", "unknown", "inf", "-inf", "n.a.", "nd"]
                .contains(&&text.to_lowercase()[..])
            && !is_measured(text)
    };
    let texts: Vec<_> = columns.iter().map(|&at| row.text(at)).collect();
    let words = texts.iter().filter(|text| is_word(text)).count();
    let empty = texts.iter().filter(|text| text.is_empty()).count();
    let later_words: HashSet<_> =
        later.iter().flat_map(|row| columns.iter().map(|&at| row.text(at))).collect();
    words >= 2
        && words + empty == columns.len()
        && !texts.iter().any(|text| !text.is_empty() && later_words.contains(text))
}
