//! A row of a text table.

use std::borrow::Cow;
use std::ops::Range;

use super::field::{boolean, date, number_of};
use crate::data::error::Fault;

/// Characters of a field that an error shows.
pub(in crate::data) const SHOWN: usize = 40;

/// True if a row that has the names of columns is these once more: of several columns, and not all of numbers.
pub(in crate::data) fn may_be_repeated(header: &[String]) -> bool {
    let is_word = |name: &String| !name.is_empty() && number_of(name.as_bytes(), true).is_none();
    header.len() > 1 && header.iter().any(is_word)
}

/// A row: its line, and where in that each field is.
#[derive(Debug, Default)]
pub(in crate::data) struct Row {
    pub(in crate::data) content: Vec<u8>,
    pub(in crate::data) fields: Vec<Range<usize>>,
    /// The number of the line that the row starts on, from 1.
    pub(in crate::data) line: u64,
    /// True if numbers have a decimal comma.
    pub(in crate::data) decimal_comma: bool,
}

impl Row {
    /// A field, without the white space around it; nothing beyond the end of a short row.
    pub(in crate::data) fn field(&self, column: usize) -> &[u8] {
        let field = self.fields.get(column);
        field.map_or(&[], |field| self.content[field.clone()].trim_ascii())
    }

    /// Checks that there are as many fields as in the first row, or that the end of the row is filled.
    pub(in crate::data) fn check(&self, expected: usize, fill: bool) -> Result<(), Fault> {
        let found = self.fields.len();
        let blank = || (expected..found).all(|at| self.field(at).is_empty());
        match found == expected || fill && (found < expected || blank()) {
            true => Ok(()),
            false => Err(Fault::Ragged { line: self.line, expected, found }),
        }
    }

    pub(in crate::data) fn is_number(&self, column: usize) -> bool {
        number_of(self.field(column), self.decimal_comma).is_some()
    }

    /// True if the fields are these.
    pub(in crate::data) fn is(&self, fields: &[String]) -> bool {
        let is_same = |(at, field): (usize, &String)| self.field(at) == field.as_bytes();
        self.fields.len() == fields.len() && fields.iter().enumerate().all(is_same)
    }

    /// True if the field is a boolean or a date.
    pub(in crate::data) fn is_typed(&self, column: usize) -> bool {
        let field = self.field(column);
        boolean(field).is_some() || date(field).is_some()
    }

    /// True if the field is one of these words, in capitals or not.
    pub(in crate::data) fn is_one_of(&self, column: usize, words: &[&str]) -> bool {
        words.iter().any(|word| self.field(column).eq_ignore_ascii_case(word.as_bytes()))
    }

    /// A field as text, without the white space around it.
    pub(in crate::data) fn text(&self, column: usize) -> Cow<'_, str> {
        String::from_utf8_lossy(self.field(column))
    }

    /// As much of a field as an error should show.
    pub(in crate::data) fn shown(&self, column: usize) -> String {
        self.text(column).chars().take(SHOWN).collect()
    }
}
