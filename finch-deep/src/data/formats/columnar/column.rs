//! A column of some rows of a table: its values as numbers, or as text.

use std::fmt::Display;
use std::rc::Rc;

use arrow_array::cast::AsArray;
use arrow_array::types::{
    Date32Type, Date64Type, Decimal128Type, Float16Type, Float32Type, Float64Type, Int8Type,
    Int16Type, Int32Type, Int64Type, TimestampMicrosecondType, TimestampMillisecondType,
    TimestampNanosecondType, TimestampSecondType, UInt8Type, UInt16Type, UInt32Type, UInt64Type,
};
use arrow_array::{Array, ArrayRef, ArrowPrimitiveType};
use arrow_schema::{DataType, TimeUnit};

use crate::data::formats::csv::field::{day, number};

/// Seconds of a day.
const DAY: i64 = 86_400;
/// Powers of ten up to this one are exact in f64, as are whole numbers below 2^53.
const EXACT_POWER: i8 = 22;
const EXACT: i128 = 1 << 53;

/// A column of some rows.
pub(super) struct Column {
    values: ArrayRef,
    /// Where the list of each row begins, none for a missing list; without lists, values are rows.
    starts: Option<Rc<Vec<Option<usize>>>>,
    /// The number of the value in each list.
    element: usize,
}

/// True if values of the type can be read, as numbers or as text.
pub(super) fn is_known(of: &DataType) -> bool {
    match of {
        DataType::Dictionary(_, values) => is_known(values) && !is_nested(values),
        DataType::Null | DataType::Boolean | DataType::Date32 | DataType::Date64 => true,
        DataType::Timestamp(..) | DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View => true,
        other => is_number(other),
    }
}

fn is_nested(of: &DataType) -> bool {
    matches!(of, DataType::Dictionary(..))
}

/// True if the type is one of numbers.
pub(super) fn is_number(of: &DataType) -> bool {
    of.is_integer() || of.is_floating() || matches!(of, DataType::Decimal128(..))
}

/// True if the type is one of text.
pub(super) fn is_text(of: &DataType) -> bool {
    match of {
        DataType::Dictionary(_, values) => is_text(values),
        _ => matches!(of, DataType::Utf8 | DataType::LargeUtf8 | DataType::Utf8View),
    }
}

impl Column {
    pub(super) fn new(values: ArrayRef) -> Self {
        Self { values, starts: None, element: 0 }
    }

    /// One value of each list.
    pub(super) fn of_lists(
        values: ArrayRef,
        starts: &Rc<Vec<Option<usize>>>,
        element: usize,
    ) -> Self {
        Self { values, starts: Some(Rc::clone(starts)), element }
    }

    /// Where the value of a row is; none where it is missing.
    fn place(&self, row: usize) -> Option<usize> {
        let at = match &self.starts {
            Some(starts) => starts[row]? + self.element,
            None => row,
        };
        self.values.is_valid(at).then_some(at)
    }

    /// The value of each of `rows` rows, NaN where it is missing; none if the column is not of
    /// numbers. A number that has no exact f64 is an error, with its row.
    pub(super) fn numbers(&self, rows: usize) -> Option<Result<Vec<f64>, (usize, i128)>> {
        macro_rules! of {
            ($type:ty, $number:expr) => {
                self.each::<$type>(rows, $number)
            };
        }
        let exact = |integer: i128, nearest: f64| match nearest as i128 == integer {
            true => Ok(nearest),
            false => Err(integer),
        };
        Some(match self.values.data_type() {
            DataType::Int8 => of!(Int8Type, |x| Ok(x.into())),
            DataType::Int16 => of!(Int16Type, |x| Ok(x.into())),
            DataType::Int32 => of!(Int32Type, |x| Ok(x.into())),
            DataType::Int64 => of!(Int64Type, |x| exact(x.into(), x as f64)),
            DataType::UInt8 => of!(UInt8Type, |x| Ok(x.into())),
            DataType::UInt16 => of!(UInt16Type, |x| Ok(x.into())),
            DataType::UInt32 => of!(UInt32Type, |x| Ok(x.into())),
            DataType::UInt64 => of!(UInt64Type, |x| exact(x.into(), x as f64)),
            DataType::Float16 => of!(Float16Type, |x| Ok(x.to_f64())),
            DataType::Float32 => of!(Float32Type, |x| Ok(x.into())),
            DataType::Float64 => of!(Float64Type, Ok),
            &DataType::Decimal128(_, scale) => of!(Decimal128Type, |x| Ok(decimal(x, scale))),
            DataType::Null => Ok(vec![f64::NAN; rows]),
            DataType::Dictionary(_, of) if is_number(of) => self.of_dictionary(rows),
            _ => return None,
        })
    }

    /// The numbers that keys stand for, each as it would be in a column of its own.
    fn of_dictionary(&self, rows: usize) -> Result<Vec<f64>, (usize, i128)> {
        let dictionary = self.values.as_any_dictionary();
        let words = dictionary.values();
        let number = |at| match Self::new(words.slice(at, 1)).numbers(1) {
            Some(Ok(numbers)) => Ok(numbers[0]),
            Some(Err((_, integer))) => Err(integer),
            None => Ok(f64::NAN),
        };
        let numbers: Vec<Result<f64, i128>> = (0..words.len()).map(number).collect();
        // Without words each key is missing.
        let keys = if words.is_empty() { Vec::new() } else { dictionary.normalized_keys() };
        let of = |row| match self.place(row).and_then(|at| numbers.get(*keys.get(at)?)) {
            Some(number) => number.map_err(|integer| (row, integer)),
            None => Ok(f64::NAN),
        };
        (0..rows).map(of).collect()
    }

    /// A number as the type of the column holds it.
    pub(super) fn held(&self, number: f64) -> f64 {
        fn of(kind: &DataType, number: f64) -> f64 {
            match kind {
                DataType::Float16 => finch_core::f16::from_f64(number).to_f64(),
                DataType::Float32 => f64::from(number as f32),
                DataType::Dictionary(_, values) => of(values, number),
                _ => number,
            }
        }
        of(self.values.data_type(), number)
    }

    fn each<T: ArrowPrimitiveType>(
        &self,
        rows: usize,
        number: impl Fn(T::Native) -> Result<f64, i128>,
    ) -> Result<Vec<f64>, (usize, i128)> {
        let values = self.values.as_primitive::<T>();
        let of = |row| match self.place(row) {
            Some(at) => number(values.value(at)).map_err(|integer| (row, integer)),
            None => Ok(f64::NAN),
        };
        (0..rows).map(of).collect()
    }

    /// The value of a row as text, as a table of text has it; none where it is missing.
    pub(super) fn text(&self, row: usize) -> Option<String> {
        text(&self.values, self.place(row)?)
    }
}

fn text(values: &dyn Array, at: usize) -> Option<String> {
    if !values.is_valid(at) {
        return None;
    }
    fn shown<T: ArrowPrimitiveType>(values: &dyn Array, at: usize) -> String
    where
        T::Native: Display,
    {
        values.as_primitive::<T>().value(at).to_string()
    }
    fn stamp<T: ArrowPrimitiveType<Native = i64>>(
        values: &dyn Array,
        at: usize,
        unit: i64,
    ) -> String {
        moment(values.as_primitive::<T>().value(at), unit)
    }
    Some(match values.data_type() {
        DataType::Utf8 => values.as_string::<i32>().value(at).into(),
        DataType::LargeUtf8 => values.as_string::<i64>().value(at).into(),
        DataType::Utf8View => values.as_string_view().value(at).into(),
        DataType::Dictionary(..) => {
            let dictionary = values.as_any_dictionary();
            // Keys are whole numbers, so that their text is one.
            let key = text(dictionary.keys(), at)?.parse().ok()?;
            return text(dictionary.values(), key);
        }
        DataType::Boolean => values.as_boolean().value(at).to_string(),
        DataType::Date32 => day(values.as_primitive::<Date32Type>().value(at).into()),
        DataType::Date64 => stamp::<Date64Type>(values, at, 1_000),
        DataType::Timestamp(TimeUnit::Second, _) => stamp::<TimestampSecondType>(values, at, 1),
        DataType::Timestamp(TimeUnit::Millisecond, _) => {
            stamp::<TimestampMillisecondType>(values, at, 1_000)
        }
        DataType::Timestamp(TimeUnit::Microsecond, _) => {
            stamp::<TimestampMicrosecondType>(values, at, 1_000_000)
        }
        DataType::Timestamp(TimeUnit::Nanosecond, _) => {
            stamp::<TimestampNanosecondType>(values, at, 1_000_000_000)
        }
        DataType::Int8 => shown::<Int8Type>(values, at),
        DataType::Int16 => shown::<Int16Type>(values, at),
        DataType::Int32 => shown::<Int32Type>(values, at),
        DataType::Int64 => shown::<Int64Type>(values, at),
        DataType::UInt8 => shown::<UInt8Type>(values, at),
        DataType::UInt16 => shown::<UInt16Type>(values, at),
        DataType::UInt32 => shown::<UInt32Type>(values, at),
        DataType::UInt64 => shown::<UInt64Type>(values, at),
        DataType::Float16 => shown::<Float16Type>(values, at),
        DataType::Float32 => shown::<Float32Type>(values, at),
        DataType::Float64 => shown::<Float64Type>(values, at),
        &DataType::Decimal128(_, scale) => {
            let value = values.as_primitive::<Decimal128Type>().value(at);
            decimal_text(value, scale)
        }
        _ => return None,
    })
}

/// The nearest f64 of value / 10^scale.
fn decimal(value: i128, scale: i8) -> f64 {
    match (0..=EXACT_POWER).contains(&scale) && value.abs() <= EXACT {
        // Both are exact, so that the quotient is rounded once.
        true => value as f64 / 10_f64.powi(scale.into()),
        false => number(decimal_text(value, scale).as_bytes()).unwrap_or(f64::NAN),
    }
}

/// The digits of value / 10^scale.
fn decimal_text(value: i128, scale: i8) -> String {
    let (sign, digits) = (if value < 0 { "-" } else { "" }, value.unsigned_abs().to_string());
    match usize::try_from(scale) {
        Ok(0) => format!("{sign}{digits}"),
        Ok(scale) => {
            let digits = format!("{digits:0>width$}", width = scale + 1);
            let (whole, rest) = digits.split_at(digits.len() - scale);
            format!("{sign}{whole}.{rest}")
        }
        Err(_) => format!("{sign}{digits}{}", "0".repeat(scale.unsigned_abs().into())),
    }
}

/// A moment by its number from 1970-01-01, of `unit` in a second; the day alone at midnight.
fn moment(value: i64, unit: i64) -> String {
    let (days, rest) = (value.div_euclid(DAY * unit), value.rem_euclid(DAY * unit));
    let (second, fraction) = (rest / unit, rest % unit);
    let (hour, minute, second) = (second / 3600, second / 60 % 60, second % 60);
    match (rest, fraction) {
        (0, _) => day(days),
        (_, 0) => format!("{}T{hour:02}:{minute:02}:{second:02}", day(days)),
        _ => {
            let digits = unit.ilog10() as usize;
            format!("{}T{hour:02}:{minute:02}:{second:02}.{fraction:0digits$}", day(days))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::data::formats::csv::field::date;

    #[test]
    fn moments_are_read_back() {
        for (value, unit, expected) in [
            (0, 1, "1970-01-01"),
            (-1, 1, "1969-12-31T23:59:59"),
            (951_782_400_000, 1_000, "2000-02-29"),
            (951_782_400_001, 1_000, "2000-02-29T00:00:00.001"),
            (1_709_208_000_000_500_000, 1_000_000_000, "2024-02-29T12:00:00.000500000"),
        ] {
            let text = moment(value, unit);
            assert_eq!(text, expected);
            let days = value as f64 / (86_400 * unit) as f64;
            assert!((date(text.as_bytes()).unwrap() - days).abs() < 1e-9, "{text}");
        }
    }

    #[test]
    fn decimals_are_the_nearest_numbers() {
        for (value, scale, text, nearest) in [
            (12_345, 2, "123.45", 123.45),
            (-5, 3, "-0.005", -0.005),
            (7, 0, "7", 7.0),
            (7, -2, "700", 700.0),
            (12_345_678_901_234_567_890, 10, "1234567890.1234567890", 1_234_567_890.123_456_7),
        ] {
            assert_eq!(decimal_text(value, scale), text);
            assert_eq!(decimal(value, scale).to_bits(), f64::to_bits(nearest), "{text}");
        }
    }
}
