//! A column of a table as people have it, and the part that it can take in a clustering.

use serde::Serialize;

use super::words::{CLASSES, MISSING, SENTINELS, is_id, is_name};
use crate::data::error::column_at::ColumnAt;
use crate::data::formats::csv::field::{boolean, date, number};
use crate::data::formats::csv::written::is_measured;
use crate::data::options::writing::Writing;

/// Characters of an example.
const SHOWN: usize = 24;

/// The share of rows that are numbers in a column of numbers, where others are known words of missing values,
/// and where others are unknown words.
const MOSTLY: f64 = 0.5;
const NEARLY_ALL: f64 = 0.9;

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
    /// True if each word is a plain number.
    #[serde(skip)]
    pub(in crate::data) is_plain: bool,
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
    /// Each word, and its number of rows, without those of missing values.
    pub(in crate::data) list: Vec<(&'a str, usize)>,
    /// The word of each row, by its place in the list; none where it is missing.
    pub(in crate::data) order: Vec<Option<usize>>,
}

impl Words<'_> {
    fn name(&self) -> &str {
        self.at.name.as_deref().unwrap_or_default()
    }

    /// The rows with a value.
    fn there(&self) -> usize {
        self.list.iter().map(|(_, count)| count).sum()
    }

    /// The words of the column that stand for missing values, if others are numbers.
    pub(in crate::data) fn missing(&self) -> Vec<String> {
        let is_known = |word: &str| MISSING.iter().any(|known| known.eq_ignore_ascii_case(word));
        let measured = |word: &str| is_measured(word) || date(word.as_bytes()).is_some();
        let (mut of_numbers, mut known, mut other) = (0, Vec::new(), Vec::new());
        for &(word, count) in &self.list {
            match () {
                () if is_known(word) => known.push(word.to_string()),
                () if measured(word) => of_numbers += count,
                () => other.push(word.to_string()),
            }
        }
        let share = of_numbers as f64 / self.there().max(1) as f64;
        match other.len() {
            0 if share >= MOSTLY => known,
            1.. if (NEARLY_ALL..1.0).contains(&share) && !is_id(self.name()) => {
                known.append(&mut other);
                known
            }
            _ => Vec::new(),
        }
    }

    /// The numbers that stand for missing values: far from all others, and of nines.
    pub(in crate::data) fn sentinels(&self) -> Vec<String> {
        let parsed = |word: &str| number(word.as_bytes()).filter(|value| value.is_finite());
        let values: Option<Vec<f64>> = self.list.iter().map(|(word, _)| parsed(word)).collect();
        let Some(values) = values.filter(|values| values.len() > 2) else { return Vec::new() };
        let far = |&(at, value): &(usize, f64)| {
            let others = || values.iter().copied().filter(|other| *other != value);
            let least = others().fold(f64::INFINITY, f64::min);
            let most = others().fold(f64::NEG_INFINITY, f64::max);
            let below = value < 0.0 && least >= 0.0;
            let away = if value < least { least - value } else { value - most };
            let often = self.list[at].1 > 1 || self.order.len() < 50 && value < 0.0;
            SENTINELS.contains(&value) && often && (below || away > 5.0 * (most - least))
        };
        let found = values.iter().copied().enumerate().filter(far);
        found.map(|(at, _)| self.list[at].0.to_string()).collect()
    }

    /// The part that the column takes, where no option says.
    pub(in crate::data) fn survey(&self, day_first: Option<bool>) -> ColumnSurvey {
        let rows = self.order.len();
        let (there, distinct) = (self.there(), self.list.len());
        let texts: Vec<&str> = self.list.iter().map(|(word, _)| *word).collect();
        let finite = |word: &str| number(word.as_bytes()).filter(|value| value.is_finite());
        let plain: Option<Vec<f64>> = texts.iter().map(|word| finite(word)).collect();
        let plain = plain.filter(|numbers| !numbers.is_empty());
        let all = |read: &dyn Fn(&[u8]) -> bool| {
            distinct > 0 && texts.iter().all(|word| read(word.as_bytes()))
        };
        let is_date = all(&|word| date(word).is_some());
        let is_boolean = all(&|word| boolean(word).is_some());
        let writing = match plain.is_some() || is_date || is_boolean {
            true => None,
            false => Writing::of(&texts, day_first),
        };
        let (role, why) = match (&plain, &writing) {
            _ if there == 0 => (Role::LeftOut, "no value".into()),
            _ if distinct == 1 => (Role::LeftOut, "one value".into()),
            (Some(numbers), _) => match self.id(numbers) {
                Some(why) => (Role::LeftOut, why.into()),
                None => (Role::Number, String::new()),
            },
            (None, Some(writing)) => self.written(writing, &texts),
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
            class_like: few && role != Role::LeftOut && CLASSES.contains(&&name[..]),
            writing: writing.filter(|_| matches!(role, Role::Number | Role::Date)),
            role,
            why,
            distinct,
            missing: rows - there,
            example: example.chars().take(SHOWN).collect(),
            is_plain: plain.is_some(),
        }
    }

    /// Why a column of plain numbers is an id, if it is.
    fn id(&self, numbers: &[f64]) -> Option<&'static str> {
        let whole = numbers.iter().all(|value| value.fract() == 0.0);
        if !whole || self.order.len() < 3 {
            return None;
        }
        let name = self.name().to_lowercase();
        let of_time = ["year", "day", "month", "date", "time", "hour", "week", "age", "jahr"];
        let values: Vec<f64> = self.order.iter().flatten().map(|&word| numbers[word]).collect();
        let is_time = of_time.iter().any(|word| name.contains(word));
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
            _ => None,
        }
    }

    /// The part of a column whose numbers people wrote.
    fn written(&self, writing: &Writing, texts: &[&str]) -> (Role, String) {
        if let Writing::Number { .. } = writing
            && is_id(self.name())
            && 10 * self.list.len() >= 9 * self.there()
        {
            return (Role::LeftOut, "an id".into());
        }
        let longest = texts.iter().min_by_key(|text| std::cmp::Reverse(text.len()));
        let example = longest.copied().unwrap_or_default();
        let value = writing.value(example).unwrap_or(f64::NAN);
        let shown: String = example.chars().take(SHOWN).collect();
        let mut why = match writing {
            Writing::Number { .. } => format!("{shown:?} as {value}"),
            Writing::Date { .. } => {
                let day = crate::data::formats::csv::field::day(value.floor() as i64);
                format!("{shown:?} as {day}")
            }
            Writing::Time => format!("{shown:?} as {value:.3} hours"),
            Writing::Order(words) => words.join(" < "),
        };
        if writing.is_ambiguous(texts) {
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
            () if distinct == self.order.len() && !is_text => {
                (Role::Names, "each of its words is there once".into())
            }
            () if named => (Role::LeftOut, "an id".into()),
            () if is_text && often < 5.0 => (Role::LeftOut, "text".into()),
            () if few => (Role::Category, String::new()),
            () => (Role::LeftOut, format!("{distinct} different words")),
        }
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

/// True if numbers of this name say nothing by their size.
fn is_code(name: &str) -> bool {
    let codes =
        ["zip", "postal", "postcode", "post code", "phone", "plz", "fax", "ssn", "isbn", "ean"];
    codes.iter().any(|code| name.contains(code))
}
