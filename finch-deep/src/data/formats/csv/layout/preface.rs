//! The lines that programs of instruments and offices write before a table.

use std::ops::Range;

use super::around::{are_names, is_number_at, is_of_numbers};
use super::header::lacks_first_name;
use crate::data::formats::csv::row::Row;
use crate::data::formats::csv::written::is_measured;
use crate::data::options::choices::Delimiter;

/// Rows among which the table may begin.
pub(super) const LOOKED_AT: usize = 1_000;

/// Rows that are a table, at least, rows before it, and rows that may follow it, at most.
const FEWEST_ROWS: usize = 8;
const FEWEST_BEFORE: usize = 3;
const MOST_BELOW: usize = 25;

/// True if a row has more fields than the first, which cannot be read: the table may begin later.
pub(super) fn begins_later(rows: &[Row]) -> bool {
    let Some((first, later)) = rows.split_first() else { return false };
    let width = first.fields.len();
    let is_longer = |row: &Row| (width..row.fields.len()).any(|at| !row.field(at).is_empty());
    later.iter().any(is_longer) && !lacks_first_name(rows)
}

/// The lines before the longest stretch of rows of one width, by the delimiter that leaves most numbers in it, or by
/// blanks; `None` where no stretch is a table behind a preface.
pub(super) fn lines_before(
    delimiters: &[Delimiter],
    rows_by: impl Fn(Delimiter) -> Vec<Row>,
) -> Option<usize> {
    let is_blank = |delimiter: &&Delimiter| **delimiter == Delimiter::WhiteSpace;
    let found = |delimiter: &Delimiter| {
        let rows = rows_by(*delimiter);
        let stretch = Stretch::longest(&rows)?;
        Some((stretch.numbers, stretch.lines_before()?))
    };
    let by_bytes = delimiters.iter().filter(|one| !is_blank(one)).filter_map(found);
    let most = by_bytes.max_by_key(|(numbers, _)| *numbers);
    let most = most.or_else(|| delimiters.iter().filter(is_blank).find_map(found));
    most.map(|(_, lines)| lines)
}

/// Rows of one width, with numbers in some columns.
struct Stretch<'r> {
    rows: &'r [Row],
    range: Range<usize>,
    width: usize,
    /// The columns of numbers.
    of_numbers: Vec<usize>,
    /// The numbers in all columns.
    numbers: usize,
}

impl<'r> Stretch<'r> {
    /// The stretch with most fields, if few rows follow it.
    fn longest(rows: &'r [Row]) -> Option<Self> {
        let mut end = 0;
        let ranges =
            rows.chunk_by(|one, other| one.fields.len() == other.fields.len()).map(|chunk| {
                end += chunk.len();
                end - chunk.len()..end
            });
        let fields = |range: &Range<usize>| range.len() * rows[range.start].fields.len();
        let mut range = ranges.max_by_key(fields)?;
        let width = rows[range.start].fields.len();
        // A preface may have as many delimiters in a line as rows have, up to a line with one word.
        let is_end =
            |row: &Row| !is_measured(&row.text(0)) && (1..width).all(|at| row.field(at).is_empty());
        if let Some(place) = rows[range.clone()].iter().rposition(is_end) {
            let start = range.start + place + 1;
            let samples = &rows[(start + 1).min(range.end)..range.end];
            if samples.len() >= FEWEST_ROWS && is_of_numbers(samples, 0) {
                range.start = start;
            }
        }
        let samples = &rows[range.start + 1..range.end];
        let of_numbers: Vec<usize> = (0..width).filter(|&at| is_of_numbers(samples, at)).collect();
        let is_table = width > 1
            && samples.len() >= FEWEST_ROWS
            && rows.len() - range.end <= MOST_BELOW
            && !of_numbers.is_empty();
        let in_row = |row: &Row| (0..width).filter(|&at| is_number_at(row, at)).count();
        let numbers = samples.iter().map(in_row).sum();
        is_table.then_some(Self { rows, range, width, of_numbers, numbers })
    }

    /// The lines before the names of the columns, or before the first row; `None` where these lines are no preface.
    fn lines_before(&self) -> Option<usize> {
        let start = self.range.start;
        // The names may have a field more than the rows, of remarks that none has, and units may be between them.
        let first = match &self.rows[..start] {
            [.., before] if self.are_names(before) => start - 1,
            [.., names, units] if self.are_names(names) && has_no_number(units) => start - 2,
            _ => start,
        };
        let is_named = first < start || self.are_names(&self.rows[start]);
        let before = &self.rows[..first];
        // Rows that cannot be read cut a table, too: above them are other samples of it, or its names.
        let begins_named = !is_named && before.first().is_some_and(|row| self.are_names(row));
        let is_cut = begins_named || before.iter().any(|row| self.is_like_samples(row));
        (before.len() >= FEWEST_BEFORE && !is_cut).then(|| self.rows[first].line as usize - 1)
    }

    /// True for a row of names, as many as rows have fields, or one more.
    fn are_names(&self, row: &Row) -> bool {
        (self.width..=self.width + 1).contains(&row.fields.len()) && are_names(row)
    }

    /// True for a row that has numbers where the stretch has them, or none.
    fn is_like_samples(&self, row: &Row) -> bool {
        let is_there = |at: &&usize| **at < row.fields.len() && !row.field(**at).is_empty();
        let mut there = self.of_numbers.iter().filter(is_there).peekable();
        // A shorter row may lack its last fields.
        row.fields.len() > 1 && there.peek().is_some() && there.all(|&at| is_number_at(row, at))
    }
}

fn has_no_number(row: &Row) -> bool {
    (0..row.fields.len()).all(|at| !is_number_at(row, at))
}
