//! The features that the columns of a text table become.

use crate::data::error::Fault;
use crate::data::error::column_at::ColumnAt;
use crate::data::error::note::Note;
use crate::data::formats::csv::Raw;
use crate::data::formats::csv::blocks::{Gaps, Part, Rows};
use crate::data::formats::csv::field::{boolean, date, day};
use crate::data::formats::csv::layout::totals::sums;
use crate::data::formats::csv::row::SHOWN;
use crate::data::formats::csv::words::Words;
use crate::data::formats::csv::written::{are_dates_of_digits, is_measured, plain_numbers, unlike};
use crate::data::matrix::elements::{Array, Elements};
use crate::data::options::ReadOptions;
use crate::data::options::choices::{Categorical, Missing};
use crate::data::options::feature::{Feature, FeatureKind};
use crate::data::options::writing::Writing;
use crate::data::source::memory::Memory;

/// Different words of a column that is taken as categories by itself. More are hardly categories, and
/// would take as many columns.
const MOST_WORDS: usize = 100;

/// Fewer samples rise by chance.
const RISING: usize = 10;

/// The making of a feature from the values as they were read.
pub(in crate::data) enum Make {
    Same,
    /// The value of each word.
    Each(Vec<f64>),
    /// 1 for this word, else 0.
    Is(u32),
}

/// The samples of a table.
pub(in crate::data) struct Featured {
    pub(in crate::data) array: Array,
    pub(in crate::data) features: Vec<Feature>,
    pub(in crate::data) notes: Vec<Note>,
}

/// Makes the samples of the rows that were read; an error is of the first file but for one of a
/// missing value, which comes with the number of the file.
pub(in crate::data) fn featured(
    raw: &mut Raw,
    options: &ReadOptions,
    memory: &Memory,
) -> Result<Featured, (usize, Fault)> {
    let first = |fault| (0, fault);
    let mut rows = std::mem::take(&mut raw.rows);
    let plan = &raw.plan;
    let columns: Vec<usize> = plan.features().collect();
    let (mut features, mut makes, mut notes) = (Vec::new(), Vec::new(), Vec::new());
    if let Some(name) = plan.name.filter(|_| raw.names_recognised) {
        notes.push(Note::Names(plan.at(name)));
    }
    notes.extend(Note::of_sums(sums(rows.names.iter().map(|name| Some(&name[..]))), rows.rows));
    notes.extend((rows.filled > 0).then_some(Note::FilledRows(rows.filled)));
    expect_no_gaps(&rows, raw, options, rows.rows)?;
    let mut words = rows.words.iter();
    for (from, &column) in columns.iter().enumerate() {
        let at = plan.at(column);
        let of_words = (plan.parts[column] == Part::Words).then(|| words.next()).flatten();
        if rows.gaps[from].count == rows.rows {
            notes.push(Note::NoValues(at));
            continue;
        }
        let mut add = |kind, word, make| {
            let (name, writing) = (at.name.clone(), None);
            features.push(Feature { column, name, kind, word, writing });
            makes.push((from, make));
        };
        match of_words {
            None => {
                add(FeatureKind::Number, None, Make::Same);
                // As the index of pandas is written, and row names of R.
                let unnamed = plan.header.is_some() && at.name.is_none();
                if unnamed && numbers_rows(&rows, from, columns.len()) {
                    notes.push(Note::Id(at, "it has no name and numbers the rows"));
                } else if let Some(why) = looks_like_id(&rows, from, columns.len(), &at) {
                    notes.push(Note::Id(at, why));
                }
            }
            Some(words) => {
                let named = plan.chosen.categories.contains(&column);
                if plan.chosen.numeric.contains(&column) && !named {
                    let (kind, values, writing) = written(words, options, &at).map_err(first)?;
                    let of = |found| note(found, words, options, &at);
                    notes.extend(writing.as_ref().and_then(of));
                    add(kind, None, Make::Each(values));
                    if let Some(feature) = features.last_mut() {
                        feature.writing = writing;
                    }
                    continue;
                }
                match values(words).filter(|_| !named) {
                    Some((kind, values)) => add(kind, None, Make::Each(values)),
                    None => {
                        let found = words.list.len();
                        if !named && options.categorical == Categorical::Auto && found > MOST_WORDS
                        {
                            let samples = rows.rows;
                            return Err(first(Fault::ManyWords {
                                column: at,
                                words: found,
                                samples,
                            }));
                        }
                        let mut order: Vec<usize> = (0..found).collect();
                        order.sort_unstable_by_key(|&number| &words.list[number].0);
                        for number in order {
                            let word = words.list[number].0.clone();
                            add(FeatureKind::Category, Some(word), Make::Is(number as u32));
                        }
                        if found > 2 && found + rows.gaps[from].count == rows.rows {
                            notes.push(Note::Id(at, "each of its words is there once"));
                        }
                    }
                }
            }
        }
    }
    if features.is_empty() {
        return Err(first(Fault::NoFeatures { columns: plan.parts.len() }));
    }
    let values =
        made(std::mem::take(&mut rows.values), columns.len(), &makes, memory).map_err(first)?;
    let shape = vec![rows.rows, features.len()];
    let array = Array { elements: Elements::F64(values), shape, column_major: false };
    raw.rows = rows;
    Ok(Featured { array, features, notes })
}

/// Checks that no value is missing but in columns that lack `allowed` values or more, unless there is a
/// way to go on.
pub(in crate::data) fn expect_no_gaps(
    rows: &Rows,
    raw: &Raw,
    options: &ReadOptions,
    allowed: usize,
) -> Result<(), (usize, Fault)> {
    if options.missing.unwrap_or_default() != Missing::Error {
        return Ok(());
    }
    let gaps = raw.plan.features().zip(&rows.gaps);
    let gaps = gaps.filter(|(_, gaps)| gaps.count < allowed);
    let of = |(column, gaps): (usize, &Gaps)| {
        gaps.first.clone().map(|(line, text)| (gaps.file, line, column, text))
    };
    match gaps.filter_map(of).min() {
        None => Ok(()),
        Some((file, line, column, text)) => {
            Err((file, Fault::MissingValue { line, column: raw.plan.at(column), text }))
        }
    }
}

/// The values of the words of a column, if all are booleans or all are dates.
pub(in crate::data) fn values(words: &Words) -> Option<(FeatureKind, Vec<f64>)> {
    let all = |read: &dyn Fn(&[u8]) -> Option<f64>| -> Option<Vec<f64>> {
        words.list.iter().map(|(word, _)| read(word.as_bytes())).collect()
    };
    let of_boolean = |word: &[u8]| boolean(word).map(|is| f64::from(u8::from(is)));
    let booleans = all(&of_boolean).map(|values| (FeatureKind::Boolean, values));
    booleans.or_else(|| all(&date).map(|values| (FeatureKind::Date, values)))
}

impl Feature {
    /// A value, or a mean of values, as people read it: a date, hours, a word of an order; none of a plain number.
    pub fn in_words(&self, value: f64) -> Option<String> {
        if !value.is_finite() {
            return None;
        }
        let decimals = |value: f64| format!("{value:.2}").replace('-', "−");
        match &self.writing {
            _ if self.kind == FeatureKind::Date => Some(day(value.floor() as i64)),
            Some(Writing::Duration) if value.abs() < 1.0 => {
                Some(format!("{} min", decimals(60.0 * value)))
            }
            Some(Writing::Time | Writing::Duration) => Some(format!("{} hours", decimals(value))),
            Some(Writing::Angle) => Some(format!("{}°", decimals(value))),
            Some(Writing::Order(words)) => {
                let nearest = value.round().clamp(0.0, words.len().saturating_sub(1) as f64);
                let place = 1.0 + value;
                words
                    .get(nearest as usize)
                    .map(|word| format!("{word} ({place:.1} of {})", words.len()))
            }
            _ => None,
        }
    }
}

/// A note on the way in which the numbers of a column are written.
fn note(writing: &Writing, words: &Words, options: &ReadOptions, at: &ColumnAt) -> Option<Note> {
    let texts: Vec<&str> = words.list.iter().map(|(word, _)| &word[..]).collect();
    let word = *texts.iter().min_by_key(|text| std::cmp::Reverse(text.len()))?;
    let value = writing.value(word)?;
    let value = writing.shown(word, value);
    let (column, word) = (at.clone(), word.chars().take(SHOWN).collect());
    let ambiguous = writing.is_ambiguous(&texts, options.day_first, options.decimal_comma);
    Some(Note::Written { column, word, value, ambiguous })
}

/// The numbers of the words of a column, and the way in which they are written unless that is plain or of
/// ISO 8601.
type Written = (FeatureKind, Vec<f64>, Option<Writing>);

fn written(words: &Words, options: &ReadOptions, at: &ColumnAt) -> Result<Written, Fault> {
    let (day_first, decimal_comma) = (options.day_first, options.decimal_comma);
    let texts: Vec<&str> = words.list.iter().map(|(word, _)| &word[..]).collect();
    let numbers = |values| (FeatureKind::Number, values);
    let plain = || plain_numbers(&texts, decimal_comma).map(numbers).or_else(|| values(words));
    if !are_dates_of_digits(&texts)
        && let Some((kind, values)) = plain()
    {
        return Ok((kind, values, None));
    }
    let Some(writing) = Writing::of(&texts, day_first, decimal_comma) else {
        // Points before decimals, as a column has them that is not said to be numeric.
        if let Some(values) = plain_numbers(&texts, false) {
            return Ok((FeatureKind::Number, values, None));
        }
        let shown = |at: usize| texts[at].chars().take(SHOWN).collect::<String>();
        let column = at.clone();
        return Err(match unlike(&texts, day_first, decimal_comma) {
            Some((other, odd)) => Fault::Unlike {
                line: words.list[odd].1,
                column,
                text: shown(odd),
                other: Box::new((words.list[other].1, shown(other))),
            },
            None => {
                let odd = texts.iter().position(|text| !is_measured(text)).unwrap_or_default();
                Fault::NotWritten { line: words.list[odd].1, column, text: shown(odd) }
            }
        });
    };
    let values = texts.iter().map(|text| writing.value(text).unwrap_or(f64::NAN)).collect();
    let kind = match writing {
        Writing::Date { .. } => FeatureKind::Date,
        _ => FeatureKind::Number,
    };
    Ok((kind, values, Some(writing)))
}

/// The numbers of the words of a column that are written in this way, and NaN for others.
pub(in crate::data) fn read_as(words: &Words, writing: &Writing) -> Vec<f64> {
    let value = |(word, _): &(String, u64)| writing.value(word).unwrap_or(f64::NAN);
    words.list.iter().map(value).collect()
}

/// The values of the features, of those of the columns as they were read.
pub(in crate::data) fn made(
    mut values: Vec<f64>,
    columns: usize,
    makes: &[(usize, Make)],
    memory: &Memory,
) -> Result<Vec<f64>, Fault> {
    let make = |make: &Make, value: f64| match make {
        Make::Same => value,
        _ if value.is_nan() => value,
        Make::Each(values) => values[value as usize],
        Make::Is(word) => f64::from(u8::from(value == f64::from(*word))),
    };
    let in_place =
        makes.len() == columns && makes.iter().enumerate().all(|(at, (from, _))| at == *from);
    if in_place {
        for (at, how) in makes.iter().filter(|(_, how)| !matches!(how, Make::Same)) {
            values
                .iter_mut()
                .skip(*at)
                .step_by(columns)
                .for_each(|value| *value = make(how, *value));
        }
        return Ok(values);
    }
    let mut all = Vec::new();
    memory.reserve(&mut all, values.len() / columns * makes.len())?;
    for row in values.chunks_exact(columns) {
        all.extend(makes.iter().map(|(from, how)| make(how, row[*from])));
    }
    memory.give_back(size_of_val(&values[..]) as u64);
    Ok(all)
}

/// True if a column counts the rows, from 0 or from 1.
fn numbers_rows(rows: &Rows, from: usize, columns: usize) -> bool {
    let values = || rows.values.iter().copied().skip(from).step_by(columns);
    let counts = |first: f64| values().zip(0..).all(|(value, row)| value == first + f64::from(row));
    columns > 1 && rows.rows > 1 && (counts(0.0) || counts(1.0))
}

/// Why a column of numbers looks like one that only numbers the samples.
fn looks_like_id(rows: &Rows, from: usize, columns: usize, at: &ColumnAt) -> Option<&'static str> {
    let values = || rows.values.iter().copied().skip(from).step_by(columns);
    if columns < 2 || rows.rows < 3 || !values().all(|value| value.fract() == 0.0) {
        return None;
    }
    let steps = || values().zip(values().skip(1));
    if rows.rows >= RISING && steps().all(|(value, next)| value < next) {
        return Some("its whole numbers only rise");
    }
    let name = at.name.as_deref().unwrap_or_default().to_lowercase();
    let called = ["id", "ids", "index", "row", "uuid", "key", "unnamed: 0"]
        .contains(&name.as_str())
        || name.ends_with("_id")
        || name.ends_with(" id");
    let distinct = || {
        let mut sorted: Vec<f64> = values().collect();
        sorted.sort_unstable_by(f64::total_cmp);
        sorted.windows(2).all(|pair| pair[0] != pair[1])
    };
    (called && distinct()).then_some("its whole numbers all differ")
}
