//! The values of a column of a table that is written.

use crate::data::formats::csv::field::day;

/// The values of a column, one for each row; none where there is no value.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum ColumnValues {
    /// Labels, as int32.
    Labels(Vec<Option<i32>>),
    /// Whole numbers, as int64.
    Integers(Vec<Option<i64>>),
    /// Numbers, as float64.
    Numbers(Vec<Option<f64>>),
    /// True and false.
    Booleans(Vec<Option<bool>>),
    /// Dates, as days from 1970-01-01.
    Dates(Vec<Option<i32>>),
    /// Text.
    Texts(Vec<Option<String>>),
}

impl ColumnValues {
    /// The value of a row as a table of text has it; nothing where there is none.
    ///
    /// # Panics
    /// If there is no such row.
    pub fn text(&self, row: usize) -> String {
        fn shown<T: ToString>(value: Option<&T>) -> String {
            value.map(T::to_string).unwrap_or_default()
        }
        match self {
            ColumnValues::Labels(values) => shown(values[row].as_ref()),
            ColumnValues::Dates(values) => {
                values[row].map(|days| day(days.into())).unwrap_or_default()
            }
            ColumnValues::Integers(values) => shown(values[row].as_ref()),
            ColumnValues::Numbers(values) => shown(values[row].as_ref()),
            ColumnValues::Booleans(values) => shown(values[row].as_ref()),
            ColumnValues::Texts(values) => shown(values[row].as_ref()),
        }
    }
}
