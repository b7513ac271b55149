//! The columns of a table of text, in the type that holds all their fields.

use serde_json::Number;

use super::values::ColumnValues;
use crate::data::formats::csv::cells::Cells;
use crate::data::formats::csv::field::{boolean, date, is_missing};

/// Bytes of a date without a time of day.
const DAY: usize = "2024-02-29".len();

impl Cells {
    /// The fields of a column, in the narrowest type that holds all of them as they are: whole numbers,
    /// numbers, booleans, dates, or else text. Numbers that are written in another way than JSON has
    /// them, such as `007` and `+1`, may be codes, and are text. A field that says that its value is
    /// missing is none; in a column of text only an empty one is.
    pub fn values(&self, column: usize) -> ColumnValues {
        let fields = || (0..self.rows()).map(|row| self.field(row, column));
        let all = |is: &dyn Fn(&[u8]) -> bool| {
            let mut there = fields().filter(|field| !is_missing(field)).peekable();
            there.peek().is_some() && there.all(is)
        };
        if all(&|field| whole(field).is_some()) {
            return ColumnValues::Integers(fields().map(whole).collect());
        }
        if all(&|field| number(field).is_some()) {
            return ColumnValues::Numbers(fields().map(number).collect());
        }
        if all(&|field| matches!(field, b"true" | b"false")) {
            return ColumnValues::Booleans(fields().map(boolean).collect());
        }
        if all(&|field| field.len() == DAY && date(field).is_some()) {
            let days = |field| date(field).map(|days| days as i32);
            return ColumnValues::Dates(fields().map(days).collect());
        }
        let text =
            |field: &[u8]| (!field.is_empty()).then(|| String::from_utf8_lossy(field).into_owned());
        ColumnValues::Texts(fields().map(text).collect())
    }
}

/// A number as JSON has it.
fn number(field: &[u8]) -> Option<f64> {
    let number: Number = serde_json::from_slice(field).ok()?;
    number.as_f64().filter(|number| number.is_finite())
}

fn whole(field: &[u8]) -> Option<i64> {
    serde_json::from_slice::<Number>(field).ok()?.as_i64()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn values(fields: &[&str]) -> ColumnValues {
        let mut cells = Cells::new(None, 1);
        fields.iter().for_each(|field| cells.push(field.as_bytes()));
        cells.values(0)
    }

    #[test]
    fn the_narrowest_type_that_holds_all_fields() {
        use ColumnValues::{Booleans, Dates, Integers, Numbers, Texts};
        assert_eq!(values(&["1", "NA", "-3"]), Integers(vec![Some(1), None, Some(-3)]));
        assert_eq!(values(&["1", "2.50", ""]), Numbers(vec![Some(1.0), Some(2.5), None]));
        assert_eq!(values(&["true", "", "false"]), Booleans(vec![Some(true), None, Some(false)]));
        assert_eq!(values(&["1970-01-02", "?"]), Dates(vec![Some(1), None]));
        let texts = |fields: &[&str]| {
            Texts(fields.iter().map(|x| (!x.is_empty()).then(|| x.to_string())).collect())
        };
        for fields in [
            &["007", "008"][..],
            &["+1"],
            &["1", "x", "NA", ""],
            &["", ""],
            &["NA"],
            &["yes", "no"],
            &["1970-01-02T03:04"],
            &["1e999"],
        ] {
            assert_eq!(values(fields), texts(fields), "{fields:?}");
        }
        // As many digits as f64 does not hold.
        assert_eq!(values(&["9007199254740993"]), Integers(vec![Some(9_007_199_254_740_993)]));
    }
}
