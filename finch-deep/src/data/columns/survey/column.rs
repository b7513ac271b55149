//! A column of a table as people have it, and the part that it can take in a clustering.

use std::iter::{self, Skip, StepBy};
use std::slice::Iter;

use serde::Serialize;

use super::words::{
    CLASSES, begins_alike, is_fill, is_id, is_key, is_name, is_of_stata, is_sentinel, is_tick,
};
use crate::data::columns::sentinel::{FEWEST_ANSWERS, OFTEN, OTHERS, is_answer, is_no_answer};
use crate::data::error::column_at::ColumnAt;
use crate::data::formats::csv::field::{boolean, date, number_of};
use crate::data::formats::csv::layout::totals::sums;
use crate::data::formats::csv::missing::{MissingWords, is_told};
use crate::data::formats::csv::written::{are_dates_of_digits, is_measured, plain_numbers};
use crate::data::options::ReadOptions;
use crate::data::options::writing::Writing;

/// Characters of an example.
const SHOWN: usize = 24;

/// The share of rows that are numbers in a column of numbers, where others are known words of missing values,
/// and where others are unknown words.
const MOSTLY: f64 = 0.5;
const MOSTLY_OF_FEW: f64 = 0.75;
const NEARLY_ALL: f64 = 0.9;

/// Unknown words that a column of numbers has for missing values, at most: each becomes an argument of the
/// command to copy, and a column of many is one of words.
const MOST_STRAYS: usize = 4;

/// Numbers that may be levels beside words, at most.
const MOST_LEVELS: usize = 6;

/// A whole number below zero may stand for missing values from here on, if it is far from all others.
const LEAST_SENTINEL: f64 = -9.0;
const TIMES_APART: f64 = 2.0;
/// One row of so many has it at most.
const OFTEN_AT_MOST: usize = 4;

/// Fewer samples rise by chance.
const RISING: usize = 10;

/// A category of so many words, and more where each is there often.
const FEW_WORDS: usize = 20;
const MANY_WORDS: usize = 100;

/// Words of a text, about, and letters of it.
const TEXT_WORDS: f64 = 4.0;
const TEXT_LETTERS: f64 = 40.0;

/// A column, and the part that it takes.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[non_exhaustive]
pub struct ColumnSurvey {
    /// The position in the file, from 0.
    pub column: usize,
    /// The name in the header.
    pub name: Option<String>,
    /// The part that the column takes.
    pub role: Role,
    /// Why, or how its values are written.
    pub why: String,
    /// The number of different words.
    pub distinct: usize,
    /// The rows without a value.
    pub missing: usize,
    /// One of the words.
    pub example: String,
    /// True if the column may hold true classes.
    pub class_like: bool,
    /// True if an option told the part.
    #[serde(skip)]
    pub(in crate::data) given: bool,
    /// True if no other column has the name, and the name is no number.
    #[serde(skip)]
    pub(in crate::data) is_unique: bool,
    /// True if each word is a plain number.
    #[serde(skip)]
    pub(in crate::data) is_plain: bool,
    /// True if each word is a date, or each is a boolean.
    #[serde(skip)]
    pub(in crate::data) is_typed: bool,
    #[serde(skip)]
    pub(in crate::data) writing: Option<Writing>,
}

/// The part that a column takes in a clustering.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Role {
    /// It names the samples.
    Names,
    /// It is left out.
    LeftOut,
    /// Its numbers are compared; so are times, and words by their order.
    Number,
    /// Its dates are compared.
    Date,
    /// True and false are compared, as 1 and 0.
    Boolean,
    /// Its words are compared: equal or not.
    Category,
}

/// The words of a column, each with the rows that it is in.
pub(in crate::data) struct Words<'a> {
    pub(in crate::data) at: ColumnAt,
    pub(in crate::data) rows: usize,
    /// Each word, and its number of rows, without those of missing values.
    pub(in crate::data) list: Vec<(&'a str, usize)>,
    /// The place in the list of each word that was read; none where it says that the value is missing.
    pub(in crate::data) places: Vec<Option<usize>>,
    /// The word of each row as it was read, by its number; NaN where it is missing.
    pub(in crate::data) values: StepBy<Skip<Iter<'a, f64>>>,
}

impl Words<'_> {
    fn name(&self) -> &str {
        self.at.name.as_deref().unwrap_or_default()
    }

    /// The words.
    pub(in crate::data) fn texts(&self) -> Vec<&str> {
        self.list.iter().map(|(word, _)| *word).collect()
    }

    /// The place in the list of the word of each row, if it has one.
    fn place_by_row(&self) -> impl Iterator<Item = Option<usize>> + Clone {
        let place = |&value: &f64| if value.is_nan() { None } else { self.places[value as usize] };
        self.values.clone().map(place)
    }

    /// The rows that are called sums of others, and how.
    pub(in crate::data) fn sums(&self) -> Vec<(usize, String)> {
        // A word is asked once, in however many rows it is.
        let names = self.list.iter().map(|(word, _)| Some(*word));
        if sums(names.chain(iter::repeat_n(None, self.list.len()))).is_empty() {
            return Vec::new();
        }
        sums(self.place_by_row().map(|place| place.map(|at| self.list[at].0)))
    }

    /// The number of each row, of a column of numbers; NaN where it is missing.
    pub(in crate::data) fn numbers_by_row(
        &self,
        column: &ColumnSurvey,
    ) -> Option<impl Iterator<Item = f64>> {
        let value = |word: &str| match &column.writing {
            Some(writing) => writing.value(word),
            None => number_of(word.as_bytes(), true),
        };
        if column.role != Role::Number || !column.is_plain && column.writing.is_none() {
            return None;
        }
        let numbers: Vec<f64> =
            self.list.iter().map(|(word, _)| value(word).unwrap_or(f64::NAN)).collect();
        Some(self.place_by_row().map(move |place| place.map_or(f64::NAN, |at| numbers[at])))
    }

    /// True if a word is there more than once.
    fn is_often(&self, word: &str) -> bool {
        self.list.iter().any(|&(other, count)| other == word && count > 1)
    }

    /// The rows with a value.
    fn there(&self) -> usize {
        self.list.iter().map(|(_, count)| count).sum()
    }

    /// The words of the column that stand for missing values, if others are numbers: words that say so, and
    /// unknown words; beside words with an order those that say so alone.
    pub(in crate::data) fn missing(&self) -> [Vec<&str>; 2] {
        let is_known = |word: &str| is_of_stata(word) || is_told(word);
        let (mut of_numbers, mut known, mut strays) = (0, Vec::new(), Vec::new());
        for &(word, count) in &self.list {
            match () {
                () if is_known(word) => known.push(word),
                () if is_measured(word) => of_numbers += count,
                () => strays.push(word),
            }
        }
        let share = of_numbers as f64 / self.there().max(1) as f64;
        // Each is looked for among all words.
        let are_few = strays.len() <= MOST_STRAYS;
        let is_often = are_few && strays.iter().all(|word| self.is_often(word));
        let are_missing = match strays.len() {
            0 => share >= MOSTLY,
            _ if !are_few || is_id(self.name()) || self.is_level(&strays) => false,
            // A word that a column of numbers repeats.
            1 if is_often => share >= MOSTLY,
            // Of few rows one may lack its value.
            1 if self.rows < RISING => share >= MOSTLY_OF_FEW,
            _ if is_often => share >= MOSTLY_OF_FEW,
            _ => (NEARLY_ALL..1.0).contains(&share),
        };
        match are_missing {
            true => [known, strays],
            false if !known.is_empty() && are_ordered(&strays) => [known, Vec::new()],
            false => [Vec::new(), Vec::new()],
        }
    }

    /// True if words are levels beside few numbers, `non-stop` beside `1 stop` and `2 stops`: as often as these.
    fn is_level(&self, strays: &[&str]) -> bool {
        let is_stray = |word: &str| strays.contains(&word);
        let others = self.list.iter().filter(|(word, _)| !is_stray(word) && is_measured(word));
        let (kinds, rows) =
            others.fold((0, 0), |(kinds, rows), (_, count)| (kinds + 1, rows + count));
        let rarest = self.list.iter().filter(|(word, _)| is_stray(word)).map(|(_, count)| *count);
        let rarest = rarest.min().unwrap_or_default();
        kinds <= MOST_LEVELS && rows >= 2 * kinds && 2 * rarest * kinds >= rows
    }

    /// The numbers that may stand for missing values: far from all others, and of nines, codes of surveys, or below
    /// zero. True for those that do, whatever other columns have.
    pub(in crate::data) fn sentinels(&self, options: &ReadOptions) -> Vec<(f64, bool)> {
        let Some(values) = self.numbers(options).filter(|values| values.len() > 2) else {
            return Vec::new();
        };
        let are_answers =
            values.iter().all(|&value| is_answer(value) || is_no_answer(value) || value.is_nan())
                && values.iter().filter(|value| is_answer(**value)).count() >= FEWEST_ANSWERS;
        // Few numbers begin with two like digits, and most of a column are asked no further.
        let may_be = |at: usize| {
            begins_alike(self.list[at].0) && is_sentinel(values[at])
                || is_fill(values[at])
                || are_answers && is_no_answer(values[at]) && self.list[at].1 >= OFTEN
        };
        let candidates: Vec<usize> = (0..values.len()).filter(|&at| may_be(at)).collect();
        let is_candidate = |at: usize| candidates.binary_search(&at).is_ok();
        let far = |&at: &usize| {
            let value = values[at];
            let is_other = |(other, of): &(usize, f64)| *of != value && !is_candidate(*other);
            let others = || values.iter().copied().enumerate().filter(is_other).map(|(_, of)| of);
            others().next()?;
            let least = others().fold(f64::INFINITY, f64::min);
            let most = others().fold(f64::NEG_INFINITY, f64::max);
            let below = value < 0.0 && least >= 0.0;
            let away = if value < least { least - value } else { value - most };
            let often = self.list[at].1 > 1 || self.rows < 50 && value < 0.0;
            (below || away > 5.0 * (most - least)).then_some((value, often))
        };
        let mut found: Vec<(f64, bool)> = candidates.iter().filter_map(far).collect();
        let least = values.iter().copied().fold(f64::INFINITY, f64::min);
        let others = || values.iter().copied().filter(|value| *value > least);
        let next = others().fold(f64::INFINITY, f64::min);
        let most = others().fold(f64::NEG_INFINITY, f64::max);
        let rows = self.list.iter().zip(&values).filter(|(_, value)| **value == least);
        let rows: usize = rows.map(|((_, rows), _)| rows).sum();
        let is_far = least <= LEAST_SENTINEL
            && least.fract() == 0.0
            && next - least >= TIMES_APART * (most - next);
        let is_rare = OFTEN_AT_MOST * rows <= self.there();
        // Levels of an experiment are few.
        let has_others = others().take(OTHERS).count() == OTHERS;
        if is_far
            && is_rare
            && has_others
            && rows > 1
            && found.iter().all(|(value, _)| *value != least)
        {
            found.push((least, false));
        }
        found
    }

    /// The numbers of the words, plain or as people write them, but for those that may stand for missing values.
    fn numbers(&self, options: &ReadOptions) -> Option<Vec<f64>> {
        let plain = |word: &str| {
            let value = number_of(word.as_bytes(), options.decimal_comma);
            value.filter(|value| value.is_finite())
        };
        let texts = || self.list.iter().map(|(word, _)| *word);
        let or_missing = |word| plain(word).or_else(|| is_told(word).then_some(f64::NAN));
        let all: Option<Vec<f64>> = texts().map(or_missing).collect();
        if all.is_some() {
            return all;
        }
        let stands_for_none = |word: &&str| plain(word).is_some_and(is_sentinel);
        let is_other = |word: &&str| !stands_for_none(word) && !is_told(word);
        let others: Vec<&str> = texts().filter(is_other).collect();
        let writing = Writing::of_numbers(&others, options.decimal_comma)?;
        let value = |word| or_missing(word).filter(|one| is_sentinel(*one) || one.is_nan());
        texts().map(|word| value(word).or_else(|| writing.value(word))).collect()
    }

    /// True if one of the words is a word of missing values.
    fn has(&self, missing: &MissingWords) -> bool {
        self.list.iter().any(|(word, _)| missing.has(word.as_bytes()))
    }

    /// The rows with one of some words of missing values.
    pub(in crate::data) fn rows_with(&self, missing: &MissingWords) -> usize {
        let with = self.list.iter().filter(|(word, _)| missing.has(word.as_bytes()));
        with.map(|(_, count)| count).sum()
    }

    /// Makes some words missing values.
    pub(in crate::data) fn take_out(&mut self, missing: &MissingWords) {
        if missing.is_empty() || !self.has(missing) {
            return;
        }
        let (mut kept, mut places) = (Vec::new(), Vec::new());
        for &(word, count) in &self.list {
            let is_kept = !missing.has(word.as_bytes());
            places.push(is_kept.then_some(kept.len()));
            kept.extend(is_kept.then_some((word, count)));
        }
        self.places.iter_mut().for_each(|place| *place = place.and_then(|at| places[at]));
        self.list = kept;
    }

    /// The part that the column takes, where no option says.
    pub(in crate::data) fn survey(&self, options: &ReadOptions) -> ColumnSurvey {
        let (day_first, decimal_comma) = (options.day_first, options.decimal_comma);
        let rows = self.rows;
        let (there, distinct) = (self.there(), self.list.len());
        let texts = self.texts();
        let numbers = |decimal_comma| {
            plain_numbers(&texts, decimal_comma).filter(|numbers| !numbers.is_empty())
        };
        let mut plain = numbers(decimal_comma);
        let all = |read: &dyn Fn(&[u8]) -> bool| {
            distinct > 0 && texts.iter().all(|word| read(word.as_bytes()))
        };
        // Numbers of customers may look like dates, and codes begin with zeros.
        let is_compact = are_dates_of_digits(&texts) && !is_id(self.name());
        let are_codes = plain.is_some() && self.has_leading_zeros();
        if is_compact || are_codes {
            plain = None;
        }
        let is_date = all(&|word| date(word).is_some());
        let is_boolean = all(&|word| boolean(word).is_some());
        let writing = match plain.is_some() || is_date || is_boolean || are_codes {
            true => None,
            false => Writing::of(&texts, day_first, decimal_comma),
        };
        if plain.is_none() && writing.is_none() && decimal_comma && !are_codes {
            // Points before decimals, as the reader of plain numbers has them.
            plain = numbers(false);
        }
        let (role, why) = match (&plain, &writing) {
            _ if there == 0 => (Role::LeftOut, "no value".into()),
            _ if distinct == 1 && there < rows && is_tick(texts[0]) => {
                (Role::Category, format!("{:?} or nothing", texts[0]))
            }
            _ if distinct == 1 && there < rows => {
                (Role::LeftOut, format!("one value, {} missing", rows - there))
            }
            _ if distinct == 1 => (Role::LeftOut, "one value".into()),
            (Some(numbers), _) => match self.id(numbers) {
                Some(why) => (Role::LeftOut, why.into()),
                None if self.is_key(numbers) => (Role::Category, "numbers of a key".into()),
                None => (Role::Number, String::new()),
            },
            (None, Some(writing)) => self.written(writing, &texts, options),
            _ if is_date => (Role::Date, String::new()),
            _ if is_boolean => (Role::Boolean, String::new()),
            (None, None) => self.text(),
        };
        let name = self.name().to_lowercase();
        let example = texts.first().copied().unwrap_or_default();
        let few = distinct <= FEW_WORDS && 2 * distinct <= there;
        ColumnSurvey {
            column: self.at.position,
            name: self.at.name.clone(),
            given: false,
            is_unique: false,
            class_like: few && role != Role::LeftOut && CLASSES.contains(&&name[..]),
            writing,
            role,
            why,
            distinct,
            missing: rows - there,
            example: example.chars().take(SHOWN).collect(),
            is_plain: plain.is_some(),
            is_typed: is_date || is_boolean,
        }
    }

    /// Why a column of plain numbers is an id, if it is.
    fn id(&self, numbers: &[f64]) -> Option<&'static str> {
        let whole = numbers.iter().all(|value| value.fract() == 0.0);
        if !whole || self.rows < 3 {
            return None;
        }
        let name = self.name().to_lowercase();
        let of_time = ["year", "day", "month", "date", "time", "hour", "week", "age", "jahr"];
        let there = self.values.clone().filter(|value| !value.is_nan());
        let words = there.filter_map(|&value| self.places[value as usize]);
        let values: Vec<f64> = words.map(|word| numbers[word]).collect();
        let is_time = of_time.iter().any(|word| name.contains(word));
        if self.are_long_and_distinct() && !is_time {
            return Some("long numbers, each there once");
        }
        if values.windows(2).all(|pair| pair[1] == pair[0] + 1.0) && !is_time {
            return Some("numbers the rows");
        }
        let rises = values.windows(2).all(|pair| pair[1] > pair[0]);
        if rises && self.at.position == 0 && values.len() >= RISING && !is_time {
            return Some("its whole numbers only rise");
        }
        match is_id(self.name()) {
            true if 10 * numbers.len() >= 9 * self.there() => Some("an id"),
            true if is_code(&name) => Some("a code"),
            _ if !is_time && is_key(self.name()) && numbers.len() > FEW_WORDS => {
                let repeat = numbers.len() < self.there();
                Some(if repeat { "a key, whose numbers repeat" } else { "a key" })
            }
            _ => None,
        }
    }

    /// True if few whole numbers are keys of another table, as words are.
    fn is_key(&self, numbers: &[f64]) -> bool {
        let name = self.name().to_lowercase();
        let is_time =
            ["year", "day", "month", "hour", "week"].iter().any(|word| name.contains(word));
        is_key(self.name()) && !is_time && numbers.iter().all(|value| value.fract() == 0.0)
    }

    /// True if each of many rows has a whole number of its own, of as many digits as all others and at least eight: a
    /// number of a customer, say.
    fn are_long_and_distinct(&self) -> bool {
        const DIGITS: usize = 8;
        let length = self.list.first().map_or(0, |(word, _)| word.len());
        let is_long = |word: &str| word.len() == length && word.bytes().all(|c| c.is_ascii_digit());
        length >= DIGITS
            && self.list.len() >= RISING
            && self.list.len() == self.there()
            && self.list.iter().all(|(word, _)| is_long(word))
    }

    /// True if whole numbers begin with zeros, as codes do, but for those of times.
    fn has_leading_zeros(&self) -> bool {
        let name = self.name().to_lowercase();
        let is_time = ["year", "month", "day", "hour", "week", "min", "sec", "time", "date"]
            .iter()
            .any(|word| name.contains(word));
        let is_whole = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
        let begins = |word: &str| word.len() > 1 && word.starts_with('0');
        !is_time
            && self.list.iter().all(|(word, _)| is_whole(word))
            && self.list.iter().any(|(word, _)| begins(word))
    }

    /// The part of a column whose numbers people wrote.
    fn written(&self, writing: &Writing, texts: &[&str], options: &ReadOptions) -> (Role, String) {
        if let Writing::Number { .. } = writing
            && is_id(self.name())
            && 10 * self.list.len() >= 9 * self.there()
        {
            return (Role::LeftOut, "an id".into());
        }
        // The end of a range tells more than the longest word.
        let is_limit = |text: &str| text.trim_start().starts_with(['<', '>', '≤', '≥']);
        let telling =
            texts.iter().min_by_key(|text| (!is_limit(text), std::cmp::Reverse(text.len())));
        let example = telling.copied().unwrap_or_default();
        let limits = self.list.iter().filter(|(word, _)| is_limit(word)).map(|(_, count)| count);
        let limits: usize = limits.sum();
        let value = writing.value(example).unwrap_or(f64::NAN);
        let shown: String = example.chars().take(SHOWN).collect();
        let mut why = match writing {
            Writing::Number { .. } if limits > 0 => {
                let ends = if limits == 1 { "is the end of a range" } else { "are ends of ranges" };
                format!("{shown:?} as {value}: {limits} {ends}")
            }
            Writing::Order(words) => words.join(" < "),
            _ => format!("{shown:?} as {}", writing.shown(example, value)),
        };
        if writing.is_ambiguous(texts, options.day_first, options.decimal_comma) {
            why += match writing {
                Writing::Date { .. } => ", which may be read otherwise: --dates",
                _ => ", unless the comma is before decimals",
            };
        }
        let role = match writing {
            Writing::Date { .. } => Role::Date,
            _ => Role::Number,
        };
        (role, why)
    }

    /// The part of a column of words.
    fn text(&self) -> (Role, String) {
        let (there, distinct) = (self.there(), self.list.len());
        let mean = |size: &dyn Fn(&str) -> usize| {
            self.list.iter().map(|(word, _)| size(word)).sum::<usize>() as f64 / distinct as f64
        };
        let words = mean(&|word| word.split_whitespace().count());
        let letters = mean(&|word| word.chars().count());
        let is_text = words > TEXT_WORDS || letters > TEXT_LETTERS;
        let often = there as f64 / distinct as f64;
        let few = match distinct {
            0..=2 => often >= 1.5,
            3..=10 => often >= 2.0,
            11..=FEW_WORDS => often >= 2.5,
            21..=50 => often >= 4.0,
            51..=MANY_WORDS => often >= 10.0,
            _ => false,
        };
        let named = is_id(self.name())
            && (5 * distinct >= 4 * there || is_code(&self.name().to_lowercase()));
        match () {
            // Amounts in a way of writing that is not known.
            () if often < 2.0 && self.are_amounts() && !is_name(self.name()) => {
                (Role::LeftOut, "numbers that could not be read".into())
            }
            () if distinct == self.rows && (!is_text || self.may_name(letters)) => {
                (Role::Names, "each of its words is there once".into())
            }
            () if named => (Role::LeftOut, "an id".into()),
            () if is_text && often < 5.0 => (Role::LeftOut, "text".into()),
            () if few => (Role::Category, String::new()),
            () => (Role::LeftOut, format!("{distinct} different words")),
        }
    }

    /// True if words are longer than most names, of a column that is called one of names all the same.
    fn may_name(&self, letters: f64) -> bool {
        is_name(self.name()) && letters <= TEXT_LETTERS
    }

    /// True if nearly all words have digits on both sides of a point, a comma or a colon, as amounts and times have.
    fn are_amounts(&self) -> bool {
        let is_amount = |word: &str| {
            let digit = |byte: Option<&u8>| byte.is_some_and(u8::is_ascii_digit);
            let bytes = word.as_bytes();
            // `ENSG00000000003.14` and `10.0.0.1` are names.
            let is_name = word.starts_with(|c: char| c.is_ascii_alphabetic())
                || word.bytes().filter(|byte| *byte == b'.').count() > 1;
            if is_name {
                return false;
            }
            let separates = |at: &usize| b".,:".contains(&bytes[*at]);
            (1..bytes.len().max(1))
                .filter(separates)
                .any(|at| digit(bytes.get(at - 1)) && digit(bytes.get(at + 1)))
        };
        let amounts = self.list.iter().filter(|(word, _)| is_amount(word)).count();
        amounts as f64 >= NEARLY_ALL * self.list.len() as f64
    }

    /// The rank of the column among those that may name the samples: columns that are called so come first,
    /// and words before codes.
    pub(in crate::data) fn rank_of_names(&self) -> (bool, bool, usize) {
        let coded =
            self.list.iter().filter(|(word, _)| word.contains(|c: char| c.is_ascii_digit()));
        let codes = 2 * coded.count() > self.list.len();
        (!is_name(self.name()), codes, self.at.position)
    }
}

/// True for few words that have an order: `low`, `medium` and `high`.
fn are_ordered(words: &[&str]) -> bool {
    const MOST: usize = 12;
    words.len() <= MOST && matches!(Writing::of(words, None, false), Some(Writing::Order(_)))
}

/// True if numbers of this name say nothing by their size.
fn is_code(name: &str) -> bool {
    let codes =
        ["zip", "postal", "postcode", "post code", "phone", "plz", "fax", "ssn", "isbn", "ean"];
    codes.iter().any(|code| name.contains(code))
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    fn words(list: Vec<(&str, usize)>) -> Words<'_> {
        let rows = list.iter().map(|(_, count)| count).sum();
        let (places, values) =
            ((0..list.len()).map(Some).collect(), [0.0].iter().skip(1).step_by(1));
        Words { at: ColumnAt { position: 0, name: None }, rows, list, places, values }
    }

    /// 100,000 numbers compared with each other would take a minute.
    #[test]
    fn sentinels_of_many_words_are_found_at_once() {
        let texts: Vec<String> = (0..100_000).map(|at| format!("{at}.5")).collect();
        let mut list: Vec<(&str, usize)> = texts.iter().map(|text| (&text[..], 1)).collect();
        list.extend([("-999", 2), ("-9999", 1)]);
        let begun = Instant::now();
        assert_eq!(
            words(list).sentinels(&ReadOptions::default()),
            [(-999.0, true), (-9999.0, false)]
        );
        assert!(begun.elapsed() < Duration::from_secs(5), "{:?}", begun.elapsed());
    }

    #[test]
    fn few_strays_are_missing_values() {
        let texts: Vec<String> = (0..100).map(|at| at.to_string()).collect();
        for (strays, expected) in [(1, 1), (MOST_STRAYS, MOST_STRAYS), (MOST_STRAYS + 1, 0)] {
            let odd: Vec<String> = (0..strays).map(|at| format!("odd{at}")).collect();
            let all = texts.iter().chain(&odd).map(|text| (&text[..], 1)).collect();
            assert_eq!(words(all).missing()[1].len(), expected);
        }
    }
}
