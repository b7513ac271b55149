//! A look at the words of all columns.

use super::column::{ColumnSurvey, Role, Words};
use crate::data::formats::csv::Raw;
use crate::data::formats::csv::blocks::Part;
use crate::data::formats::csv::missing::MissingWords;
use crate::data::formats::csv::written::read_either_way;
use crate::data::options::ReadOptions;
use crate::data::options::writing::Writing;

/// The doubt of plain numbers with a point.
pub(super) const DOUBT: &str = ", unless points are between thousands: --decimal comma";

/// A look at the words of a table.
pub(super) struct Looked<'a> {
    /// The words of each column, without those of missing values.
    pub(super) all: Vec<Words<'a>>,
    pub(super) missing_words: Vec<String>,
    pub(super) columns: Vec<ColumnSurvey>,
}

impl<'a> Looked<'a> {
    pub(super) fn at(raw: &'a Raw, options: &ReadOptions) -> Self {
        let mut all = columns(raw);
        let missing_words = missing_words(&all, options);
        let missing = MissingWords::new(&missing_words, options.decimal_comma);
        all.iter_mut().for_each(|words| words.take_out(&missing));
        let columns = all.iter().map(|words| words.survey(options)).collect();
        Self { all, missing_words, columns }
    }

    /// True for each column of numbers that has commas before decimals, false for each that has points. Columns that
    /// may be read either way do not tell.
    pub(super) fn decimal_commas(&self) -> Vec<bool> {
        let sign = |(words, column): (&Words<'_>, &ColumnSurvey)| {
            let comma = match column.writing {
                Some(Writing::Number { decimal_comma }) => decimal_comma,
                _ if column.is_plain => false,
                _ => return None,
            };
            (!read_either_way(&words.texts(), comma)).then_some(comma)
        };
        self.all.iter().zip(&self.columns).filter_map(sign).collect()
    }

    /// Says of columns of plain numbers that points may be between thousands; or only of those where some numbers
    /// have none.
    pub(super) fn doubt_points(&mut self, if_mixed: bool) {
        let all = self.all.iter().zip(&mut self.columns);
        for (words, column) in all.filter(|(_, one)| one.is_plain && one.role == Role::Number) {
            let texts = words.texts();
            let has_point = texts.iter().find(|text| text.contains('.'));
            let is_mixed = texts.iter().any(|text| !text.contains('.'));
            let is_doubted = |_: &&&str| (is_mixed || !if_mixed) && read_either_way(&texts, false);
            if let Some(example) = has_point.filter(is_doubted) {
                column.why = format!("{example:?} as {example}{DOUBT}");
            }
        }
    }
}

/// The words, beside those that are given, by which columns of numbers say that a value is missing.
fn missing_words(all: &[Words<'_>], given: &ReadOptions) -> Vec<String> {
    let decimal_comma = given.decimal_comma;
    let found: Vec<_> = all.iter().map(|words| words.missing()).collect();
    let sentinels: Vec<Vec<(f64, bool)>> = all.iter().map(|words| words.sentinels(given)).collect();
    let mut missing: Vec<String> =
        found.iter().flat_map(|[known, _]| known.iter().map(|word| word.to_string())).collect();
    // A word is one of missing values in all columns. A stray word in one may be a category of another, or
    // name a sample, and so may a number. One that a column of numbers repeats is no category where few have it, nor
    // where no more than a third have it if two columns repeat it.
    let is_free = |word: &String, of: &dyn Fn(usize) -> bool| {
        let one = MissingWords::new(std::slice::from_ref(word), decimal_comma);
        let of_numbers = (0..all.len()).filter(|&at| of(at)).map(|at| all[at].rows_with(&one));
        let repeats = of_numbers.clone().filter(|&rows| rows > 1).count();
        let of_numbers = of_numbers.max().unwrap_or_default();
        let mut others = all.iter().enumerate().filter(|&(at, _)| !of(at));
        others.all(|(_, words)| {
            let (with, role) = (words.rows_with(&one), || words.survey(given).role);
            let is_rare = || {
                let are_few = repeats > 0 && with <= of_numbers && 10 * with <= words.rows;
                (are_few || repeats > 1 && 3 * with <= words.rows) && role() == Role::Category
            };
            with == 0 || role() == Role::LeftOut || is_rare()
        })
    };
    let mut strays: Vec<String> =
        found.iter().flat_map(|[_, strays]| strays.iter().map(|word| word.to_string())).collect();
    strays.sort_unstable();
    strays.dedup();
    missing.extend(strays.into_iter().filter(|word| {
        let is = |other: &&str| other.eq_ignore_ascii_case(word);
        is_free(word, &|at| found[at][1].iter().any(is))
    }));
    // One that is far from all others in two columns is sure, too.
    let of_two = |value: f64| {
        let has = |found: &&Vec<(f64, bool)>| found.iter().any(|(other, _)| *other == value);
        sentinels.iter().filter(has).nth(1).is_some()
    };
    let sure = sentinels.iter().flatten().filter(|(value, is_sure)| *is_sure || of_two(*value));
    let mut numbers: Vec<f64> = sure.map(|(value, _)| *value).collect();
    numbers.sort_unstable_by(f64::total_cmp);
    numbers.dedup();
    let may_be = |at: usize, value: f64| sentinels[at].iter().any(|(other, _)| *other == value);
    let is_sentinel = |value: &f64| is_free(&value.to_string(), &|at| may_be(at, *value));
    missing.extend(numbers.iter().filter(|value| is_sentinel(value)).map(f64::to_string));
    missing.sort_unstable();
    missing.dedup();
    missing
}

/// The words of all columns that were read.
pub(super) fn columns(raw: &Raw) -> Vec<Words<'_>> {
    let (plan, rows) = (&raw.plan, &raw.rows);
    let features = plan.features().count();
    let mut words = rows.words.iter().enumerate();
    let mut all = Vec::new();
    for column in 0..plan.parts.len() {
        // All columns are of words, but those of types that are not read.
        let read = (plan.parts[column] == Part::Words).then(|| words.next()).flatten();
        let (values, of): (&[f64], _) = match read {
            Some((feature, words)) => (&rows.values, Some((feature, words))),
            None => (&[], None),
        };
        let values =
            values.iter().skip(of.map_or(0, |(feature, _)| feature)).step_by(features.max(1));
        let words = of.map_or(&[][..], |(_, words)| &words.list);
        let mut list: Vec<(&str, usize)> = words.iter().map(|(word, _)| (&word[..], 0)).collect();
        for &value in values.clone().filter(|value| !value.is_nan()) {
            list[value as usize].1 += 1;
        }
        let places = (0..list.len()).map(Some).collect();
        all.push(Words { at: plan.at(column), rows: rows.rows, list, places, values });
    }
    all
}
