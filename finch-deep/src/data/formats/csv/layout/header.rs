//! Rows that name columns, though they look like samples or stand below the names.

use std::borrow::Cow;
use std::collections::HashSet;

use crate::data::formats::csv::field::number_of;
use crate::data::formats::csv::missing::{MissingWords, is_told};
use crate::data::formats::csv::row::Row;
use crate::data::formats::csv::written::is_measured;

/// Names of a first column that number or name the samples.
const NAMES_OF_NAMES: [&str; 9] =
    ["", "name", "names", "id", "ids", "index", "sample", "samples", "unnamed: 0"];

/// Names of further first columns, beside which a number that is no value of its column names that.
const NAMES_OF_ROWS: [&str; 14] = [
    "country",
    "countries",
    "region",
    "state",
    "city",
    "county",
    "geo",
    "area",
    "station",
    "gene",
    "date",
    "month",
    "class",
    "species",
];

/// Rows below the names that may describe the columns, at most, and the fewest samples that tell.
const MOST_BELOW: usize = 2;
pub(in crate::data) const FEWEST: usize = 3;

/// Rows below the names that tell of series by a word first, at most, and rows below these that tell, at least.
const MOST_OF_SERIES: usize = 12;
const FEWEST_BELOW: usize = 8;

/// Words of which one at least begins a row that tells of series.
const OF_SERIES: [&str; 12] = [
    "unit",
    "source",
    "release",
    "updated",
    "update",
    "series",
    "frequency",
    "cdid",
    "description",
    "title",
    "comment",
    "kommentar",
];

/// Rows by which the header and the name column are recognised.
pub(in crate::data) const HEAD: usize = 100;

/// Numbers in a row that count by the same step, where later values have fractions, and where they may be whole.
const COUNTED: usize = 4;
const COUNTED_AT_LEAST: usize = 20;

/// The factor by which a year is beyond all numbers of its column, at least.
const FAR: f64 = 3.0;

/// Years of two columns beside each other that are this far apart, at most, unless they rise.
const YEARS_APART: f64 = 10.0;

/// The numbers of a first row, if they may name columns, with words before them, or none.
struct Numbers {
    values: Vec<f64>,
    /// The place of the first of them.
    start: usize,
    rise: bool,
    by_one_step: bool,
}

impl Numbers {
    fn of(first: &[String]) -> Option<Self> {
        let number =
            |text: &String| number_of(text.as_bytes(), true).filter(|value| value.is_finite());
        let start = first.iter().position(|text| number(text).is_some())?;
        let end = first.iter().rposition(|text| number(text).is_some())? + 1;
        let values: Vec<f64> = first[start..end].iter().map(number).collect::<Option<_>>()?;
        let whole = values.iter().all(|value| value.fract() == 0.0);
        let rise = values.windows(2).all(|pair| pair[0] < pair[1]);
        // Steps such as 0.1 are equal but for their rounding.
        let step = |pair: &[f64]| pair[1] - pair[0];
        let is_step = |pair: &[f64]| (step(pair) - step(&values)).abs() <= 1e-9 * pair[1].abs();
        let by_one_step = rise && values.windows(2).all(is_step);
        let may_name = whole || by_one_step && values.len() >= COUNTED;
        (values.len() > 1 && may_name).then_some(Self { values, start, rise, by_one_step })
    }
}

/// True if numbers in the first row name columns, and are no values of these: years, wavelengths and the like behind
/// words, or numbers that count all columns, as pandas writes them.
pub(in crate::data) fn names_by_numbers(first: &[String], later: &[&Row]) -> bool {
    let of_column = |at: usize| {
        let texts = later.iter().map(move |row| row.field(at));
        texts.filter_map(|text| number_of(text, true))
    };
    let Some(Numbers { values, start, rise, by_one_step }) = Numbers::of(first) else {
        return are_years_among_names(first, later);
    };
    let places = start..start + values.len();
    let of_columns = || places.clone().flat_map(of_column);
    let fractions = of_columns().filter(|value| value.fract() != 0.0).count();
    let are_fractions = 5 * fractions >= 4 * of_columns().count() && fractions > 0;
    let are_whole = values.iter().all(|value| value.fract() == 0.0);
    if by_one_step && values.len() >= COUNTED && are_fractions && (are_whole || start > 0) {
        return true;
    }
    if start > 0 && by_one_step && values.iter().any(|value| value.fract() != 0.0) {
        // Wavelengths, behind a word that no row has.
        return !later.iter().any(|row| row.text(0) == first[0]);
    }
    if start == 0 {
        let are_years = values.iter().all(|&value| is_year(value)) && values.len() == first.len();
        let is_step = || [1.0, 2.0, 5.0, 10.0].contains(&(values[1] - values[0]));
        if are_years && values.len() >= FEWEST && by_one_step && is_step() {
            let is_far = |at: usize| of_column(at).all(|value| values[at] > FAR * value.abs());
            return places.clone().all(is_far);
        }
        let counts = [0.0, 1.0].contains(&values[0]) && values[1] - values[0] == 1.0;
        return counts
            && by_one_step
            && values.len() == first.len()
            && values.len() >= COUNTED_AT_LEAST;
    }
    if !values.iter().all(|&value| is_year(value)) {
        return false;
    }
    // Falling years, repeated ones and others in no order are near each other, and values are not.
    let are_near = values.windows(2).all(|pair| (pair[1] - pair[0]).abs() <= YEARS_APART);
    let years = of_columns().filter(|&value| is_year(value)).count();
    match rise {
        true => !places.clone().all(|at| of_column(at).all(is_year)),
        false => are_near && 5 * years <= of_columns().count(),
    }
}

fn is_year(value: f64) -> bool {
    (1500.0..2200.0).contains(&value)
}

/// True if years are among words that no later row has, above numbers that are no years. Beside one year alone, another
/// column has to repeat its words.
fn are_years_among_names(first: &[String], later: &[&Row]) -> bool {
    let reads_as_year = |text: &[u8]| {
        number_of(text, true).is_some_and(|value| value.fract() == 0.0 && is_year(value))
    };
    let (years, names): (Vec<usize>, Vec<usize>) =
        (0..first.len()).partition(|&at| reads_as_year(first[at].as_bytes()));
    let texts = |at: usize| later.iter().map(move |row| row.text(at));
    let is_name = |&at: &usize| !is_measured(&first[at]) && texts(at).all(|text| text != first[at]);
    let is_of_numbers = |&at: &usize| {
        let numbers = texts(at).filter(|text| is_measured(text)).count();
        let years = texts(at).filter(|text| reads_as_year(text.as_bytes())).count();
        5 * numbers >= 3 * later.len() && 2 * years < numbers
    };
    // A first sample may have a number like a year, but hardly one far from all others.
    let is_far = |at: usize| {
        let year = number_of(first[at].as_bytes(), true).unwrap_or_default();
        let values = || texts(at).filter_map(|text| number_of(text.as_bytes(), true));
        let (least, most) = (values().fold(f64::INFINITY, f64::min), values().fold(0.0, f64::max));
        year > FAR * most || FAR * year < least
    };
    let repeats = |&at: &usize| 2 * texts(at).collect::<HashSet<_>>().len() <= later.len();
    let is_sure = match years[..] {
        [] => false,
        [at] => {
            let is_called_so = || NAMES_OF_ROWS.contains(&&first[0].to_lowercase()[..]);
            at > 0
                && is_far(at)
                && (names.iter().any(repeats) || names.len() == 1 && is_called_so())
        }
        _ => years.iter().any(|&at| is_far(at)),
    };
    // Of several years one may stand above numbers that look like years by chance.
    let of_numbers = years.iter().filter(|at| is_of_numbers(at)).count();
    let are_of_numbers =
        of_numbers == years.len() || years.len() > 2 && 2 * of_numbers > years.len();
    is_sure && !names.is_empty() && names.iter().all(is_name) && are_of_numbers
}

/// True if numbers in the first row count columns behind one of names.
pub(in crate::data) fn counts_behind_names(first: &[String]) -> bool {
    Numbers::of(first).is_some_and(|found| found.start == 1 && found.by_one_step)
        && NAMES_OF_NAMES.contains(&first[0].to_lowercase().as_str())
}

/// The number of first rows below the names of columns that describe these: units, or the questions of a survey. Where
/// later rows have numbers, they have words, in two columns or more.
pub(in crate::data) fn below_names(rows: &[Row], missing: &MissingWords) -> usize {
    let describes =
        |at: &usize| rows.get(*at).is_some_and(|row| is_below(row, &rows[at + 1..], missing));
    (0..MOST_BELOW).take_while(describes).count().max(of_series(rows, missing))
}

/// The number of first rows that tell of series, `Unit` and `Release date`, as offices of statistics write them: each
/// begins with a word, the first perhaps with none, and all below with a date or a number.
fn of_series(rows: &[Row], missing: &MissingWords) -> usize {
    let is_word =
        |text: &str| !missing.is_missing(text.as_bytes()) && !is_told(text) && !is_measured(text);
    let tells =
        |row: &&Row| is_word(&row.text(0)) || row.line == rows[0].line && row.field(0).is_empty();
    let found = rows.iter().take_while(tells).count();
    let (above, below) = rows.split_at(found);
    let numbers = |at: usize| below.iter().filter(|row| is_measured(&row.text(at))).count();
    let width = rows.first().map_or(0, |row| row.fields.len());
    // In a column of numbers they have words.
    let has_words = |at: &usize| above.iter().any(|row| is_word(&row.text(*at)));
    let first: HashSet<String> = above.iter().map(|row| row.text(0).to_lowercase()).collect();
    let is_told = first
        .iter()
        .any(|text| text.split(|c: char| !c.is_alphabetic()).any(|word| OF_SERIES.contains(&word)));
    let sound = (2..=MOST_OF_SERIES).contains(&found)
        && below.len() >= FEWEST_BELOW
        && first.len() == found
        && is_told
        && 20 * numbers(0) >= 19 * below.len()
        && (1..width).filter(has_words).any(|at| 5 * numbers(at) >= 4 * below.len());
    if sound { found } else { 0 }
}

fn is_below(row: &Row, later: &[Row], missing: &MissingWords) -> bool {
    let is_word = |text: &str| {
        text.chars().any(|c| c.is_alphabetic() || "°%$€£µ".contains(c))
            && !missing.is_missing(text.as_bytes())
            && !is_told(text)
            && !is_measured(text)
    };
    // The formats of columns that tables of the Geological Survey have: `5s`, `20d`, `14n`.
    let is_format = |text: &str| {
        let digits = text.trim_end_matches(['s', 'd', 'n']);
        digits.len() + 1 == text.len()
            && digits.bytes().all(|byte| byte.is_ascii_digit())
            && !digits.is_empty()
    };
    let are_formats = |row: &Row| (0..row.fields.len()).all(|at| is_format(&row.text(at)));
    let kinds: HashSet<_> =
        (0..row.fields.len()).map(|at| row.text(at).chars().next_back()).collect();
    // Durations such as `5s` are formats of one kind, and so are those of later rows.
    if row.fields.len() > 2 && (kinds.len() > 1 || later.len() > FEWEST) && are_formats(row) {
        return !later.iter().any(are_formats);
    }
    // Strokes below the names, as long as a column is wide; `---` is a missing value.
    let is_stroke = |text: &str| text.bytes().all(|byte| byte == b'-');
    let texts = || (0..row.fields.len()).map(|at| row.text(at));
    if texts().all(|text| is_stroke(&text)) && texts().any(|text| text.len() > 3) {
        return true;
    }
    // Most first samples are no such row, however many columns they have. A unit alone is in brackets.
    let is_bracketed = |text: &str| {
        text.starts_with('(') && text.ends_with(')') || text.starts_with('[') && text.ends_with(']')
    };
    let is_unit_alone = texts().filter(|text| !text.is_empty()).count() == 1
        && texts().any(|text| is_bracketed(&text));
    // A survey writes `Response` below the questions, and nothing below the number of the respondent.
    let is_response = row.fields.len() > 2
        && row.field(0).is_empty()
        && texts().any(|text| text.to_lowercase().contains("response"));
    // Units, which are short, have no name where each sample has one. `see note` is a remark on a sample.
    let is_short = |text: &str| !text.contains(' ') && (text.len() <= 6 || text.contains('/'));
    let lacks_name = row.field(0).is_empty()
        && texts().all(|text| is_short(&text))
        && later.len() >= FEWEST_BELOW
        && later.iter().all(|row| !row.field(0).is_empty());
    let fewest = if is_unit_alone || lacks_name { 1 } else { 2 };
    if texts().filter(|text| is_word(text)).count() < fewest {
        return false;
    }
    // A further row of words may stand between this one and the samples.
    let later = &later[later.len().min(MOST_BELOW - 1)..];
    let of_numbers = |at: &usize| {
        let texts = later.iter().map(|row| row.text(*at));
        let is_there = |text: &Cow<'_, str>| !missing.is_missing(text.as_bytes()) && !is_told(text);
        let there: Vec<_> = texts.filter(is_there).collect();
        let numbers = there.iter().filter(|text| is_measured(text)).count();
        there.len() >= FEWEST && 5 * numbers >= 4 * there.len()
    };
    let columns: Vec<usize> = (0..row.fields.len()).filter(of_numbers).collect();
    let texts: Vec<_> = columns.iter().map(|&at| row.text(at)).collect();
    let words = texts.iter().filter(|text| is_word(text)).count();
    let empty = texts.iter().filter(|text| text.is_empty()).count();
    let later_words: HashSet<_> =
        later.iter().flat_map(|row| columns.iter().map(|&at| row.text(at))).collect();
    let fewest = if is_response { 1 } else { fewest };
    words >= fewest
        && words + empty == columns.len()
        && !texts.iter().any(|text| !text.is_empty() && later_words.contains(text))
}

/// True if the first row lacks the name of the first column, as the header of R does: each other row has one
/// field more, and words that differ are first, or the numbers of rows.
pub(in crate::data) fn lacks_first_name(rows: &[Row]) -> bool {
    let Some((first, later)) = rows.split_first() else { return false };
    let later = &later[..later.len().min(HEAD)];
    let width = first.fields.len();
    let longer = |row: &Row| row.fields.len() == width + 1 && !row.field(width).is_empty();
    if later.is_empty() || !later.iter().all(longer) {
        return false;
    }
    let names: HashSet<_> = later.iter().map(|row| row.text(0)).collect();
    let number = |row: &Row| row.text(0).parse::<u64>().ok();
    let by_one = later
        .windows(2)
        .all(|pair| number(&pair[0]).is_some_and(|value| number(&pair[1]) == Some(value + 1)));
    let of_words = !later.iter().any(|row| row.is_number(0));
    names.len() == later.len() && (of_words || by_one && later.len() > 2)
}
