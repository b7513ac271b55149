//! Values of options.

use std::str::FromStr;
use std::time::Duration;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use finch_core::Run;

/// Takes one of some values by its name.
pub(crate) fn one_of<T>(
    values: &'static [T],
    name: fn(T) -> &'static str,
) -> impl TypedValueParser<Value = T>
where
    T: Copy + FromStr<Err = finch_core::Error> + Send + Sync + 'static,
{
    let names = values.iter().map(|&value| name(value));
    PossibleValuesParser::new(names).try_map(|name| name.parse())
}

/// Takes one of some values by a word for it.
pub(crate) fn word<T>(words: &'static [(&'static str, T)]) -> impl TypedValueParser<Value = T>
where
    T: Copy + Send + Sync + 'static,
{
    PossibleValuesParser::new(words.iter().map(|(word, _)| *word)).map(|text| {
        let found = words.iter().find(|(word, _)| *word == text);
        found.expect("the parser takes no other words").1
    })
}

/// A whole number that TOML has, too, since configurations are stored as TOML.
pub(crate) fn whole<T: TryFrom<i64>>(text: &str) -> Result<T, &'static str> {
    let number = text.parse().ok().filter(|&number| number >= 0);
    let number = number.and_then(|number| T::try_from(number).ok());
    number.ok_or("give a whole number from 0 to 2^63 - 1")
}

/// A share above 0.
pub(crate) fn recall(text: &str) -> Result<f64, &'static str> {
    let recall = text.parse().ok().filter(|recall| *recall > 0.0 && *recall <= 1.0);
    recall.ok_or("give a number above 0 and at most 1")
}

/// A share between 0 and 1.
pub(crate) fn share(text: &str) -> Result<f64, &'static str> {
    let share = text.parse().ok().filter(|share| *share > 0.0 && *share < 1.0);
    share.ok_or("give a share of samples between 0 and 1")
}

/// An outlier score.
pub(crate) fn threshold(text: &str) -> Result<f64, &'static str> {
    let score = text.parse().ok().filter(|score| (0.0..=1.0).contains(score));
    score.ok_or("give an outlier score from 0 to 1")
}

/// A time above 0.
pub(crate) fn seconds(text: &str) -> Result<Duration, &'static str> {
    let seconds = text.parse().ok().filter(|seconds| *seconds > 0.0);
    let time = seconds.and_then(|seconds| Duration::try_from_secs_f64(seconds).ok());
    time.ok_or("give a number of seconds above 0")
}

/// A number of threads.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    let range = 1..=Run::MOST_THREADS;
    let threads = text.parse().ok().filter(|threads| range.contains(threads));
    threads.ok_or_else(|| format!("give a number from 1 to {}", range.end()))
}

/// A number of bytes: `1000000`, `500M`, `1.5G`.
pub(crate) fn bytes(text: &str) -> Result<u64, &'static str> {
    let digits = text.trim_end_matches(|c: char| c.is_ascii_alphabetic());
    let unit = match text[digits.len()..].to_ascii_uppercase().as_str() {
        "" | "B" => Some(1),
        "K" | "KIB" => Some(1 << 10),
        "M" | "MIB" => Some(1 << 20),
        "G" | "GIB" => Some(1 << 30),
        "T" | "TIB" => Some(1u64 << 40),
        "KB" => Some(1_000),
        "MB" => Some(1_000_000),
        "GB" => Some(1_000_000_000),
        "TB" => Some(1_000_000_000_000),
        _ => None,
    };
    let number = digits.parse().ok().filter(|number: &f64| number.is_finite() && *number >= 0.0);
    let size = number.zip(unit).map(|(number, unit)| number * unit as f64);
    size.map(|size| size as u64).ok_or("give a number of bytes, such as 500M or 1.5G")
}
