//! The way in which people write the numbers of a column.

use std::fmt;

use serde::{Deserialize, Serialize};

/// The way in which the numbers of a column are written, where they are not plain.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "snake_case")]
#[non_exhaustive]
pub enum Writing {
    /// Numbers with thousands apart, a currency, a unit or a sign: `$1,234.5`, `1.299,99 €`, `12 %`,
    /// `(123)`, `1.2M`, `25 kg`; of `2.0 ± 0.2` the value, and of a few limits such as `<0.5` the limit.
    Number {
        /// True if a comma is before the decimals, and a point between thousands.
        decimal_comma: bool,
    },
    /// Dates that are not of ISO 8601, as days from 1970-01-01: `31/12/2024`, `3. März 2021`; also the first days of
    /// months, quarters and weeks: `Jan-20`, `2020Q1`, `2020-W05`.
    Date {
        /// True if the day is before the month: `31/12/2024`.
        day_first: bool,
    },
    /// Times of day, or how long something took, in hours: `12:30`, `1:02:03`, `5:30 PM`.
    Time,
    /// Times that something took, in hours, where two numbers are minutes and seconds: `45:30` beside `1:02:33`.
    Duration,
    /// Numbers of several units of one kind, in m, g, l, s or B: `8.5 km` beside `458 m`.
    Units {
        /// True if a comma is before the decimals.
        decimal_comma: bool,
    },
    /// Latitudes and longitudes with a direction, in degrees, south and west below 0: `45°30'N`, `12.5° W`.
    Angle,
    /// Words with an order, as their places from 0, in small letters: `small`, `medium`, `large`.
    Order(Vec<String>),
}

impl fmt::Display for Writing {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Writing::Number { decimal_comma: false } => f.write_str("as people write them"),
            Writing::Number { decimal_comma: true } => f.write_str("with a decimal comma"),
            Writing::Date { day_first: true } => f.write_str("day first"),
            Writing::Date { day_first: false } => f.write_str("year or month first"),
            Writing::Time | Writing::Duration => f.write_str("in hours"),
            Writing::Units { .. } => f.write_str("in one unit"),
            Writing::Angle => f.write_str("in degrees"),
            Writing::Order(words) => f.write_str(&words.join(" < ")),
        }
    }
}
