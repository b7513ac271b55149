//! The lines that programs of instruments and offices write before a table.

use super::header::lacks_first_name;
use crate::data::formats::csv::row::Row;
use crate::data::formats::csv::written::is_measured;
use crate::data::options::choices::Delimiter;

/// Rows among which the table may begin.
pub(super) const LOOKED_AT: usize = 1_000;

/// Rows of one width that are a table, at least, and rows that may follow them, at most.
const FEWEST_ROWS: usize = 8;
const MOST_BELOW: usize = 25;

/// True if a row has more fields than the first, which cannot be read, or hardly a row has as many: the table begins
/// later.
pub(super) fn begins_later(rows: &[Row], most: usize) -> bool {
    let [first, second, later @ ..] = rows else { return false };
    let width = first.fields.len();
    let is_longer = |row: &Row| (width..row.fields.len()).any(|at| !row.field(at).is_empty());
    let is_alone = width > most
        && second.fields.len() != most
        && later.iter().all(|row| row.fields.len() < width);
    let is_any_longer = || is_longer(second) || later.iter().any(is_longer);
    is_alone || is_any_longer() && !lacks_first_name(rows)
}

/// The lines before the longest stretch of rows of one width that has numbers, by the delimiter that leaves most numbers
/// in it, or by blanks; `None` if it is short, or far from the end.
pub(super) fn lines_before(
    delimiters: &[Delimiter],
    rows: impl Fn(Delimiter) -> Vec<Row>,
) -> Option<usize> {
    let blanks = |delimiter: &&Delimiter| **delimiter == Delimiter::WhiteSpace;
    let of = |delimiter: &Delimiter| stretch(&rows(*delimiter));
    let bytes = delimiters.iter().filter(|one| !blanks(one)).filter_map(of);
    let found = bytes.max_by_key(|(numbers, _)| *numbers);
    let found = found.or_else(|| delimiters.iter().filter(blanks).find_map(of));
    found.map(|(_, lines)| lines)
}

/// The numbers in the longest stretch, and the lines before it.
fn stretch(rows: &[Row]) -> Option<(usize, usize)> {
    let stretches = rows.chunk_by(|one, other| one.fields.len() == other.fields.len());
    let mut end = 0;
    let ranges = stretches.map(|stretch| {
        end += stretch.len();
        end - stretch.len()..end
    });
    let fields = |range: &std::ops::Range<usize>| range.len() * rows[range.start].fields.len();
    let mut range = ranges.max_by_key(fields)?;
    let (width, end) = (rows[range.start].fields.len(), range.end);
    let is_number_at = |row: &&Row, at: usize| is_measured(&row.text(at));
    let numbers = |samples: &[Row], at| samples.iter().filter(|row| is_number_at(row, at)).count();
    // A preface may have as many delimiters in a line as rows have, up to its end.
    let is_end =
        |row: &Row| !is_measured(&row.text(0)) && (1..width).all(|at| row.field(at).is_empty());
    let ends = rows[range.clone()].iter().rposition(is_end).map(|at| range.start + at + 1);
    if let Some(start) = ends.filter(|&start| {
        let samples = &rows[(start + 1).min(end)..end];
        5 * numbers(samples, 0) >= 4 * samples.len() && samples.len() >= FEWEST_ROWS
    }) {
        range.start = start;
    }
    let samples = &rows[range.start + 1..end];
    let is_of_numbers = |at| 5 * numbers(samples, at) >= 4 * samples.len();
    let is_table = width > 1
        && samples.len() >= FEWEST_ROWS
        && rows.len() - end <= MOST_BELOW
        && (0..width).any(is_of_numbers);
    if !is_table || range.start == 0 {
        return None;
    }
    let names = |row: &Row, most: usize| {
        let is_name = |at| !row.field(at).is_empty() && !is_measured(&row.text(at));
        (width..=most).contains(&row.fields.len()) && (0..row.fields.len()).all(is_name)
    };
    // The names may have a field more than the rows, of remarks that none has, and units may be between them.
    let first = match &rows[..range.start] {
        [.., before] if names(before, width + 1) => before,
        [.., names_of, units]
            if names(names_of, width)
                && (0..units.fields.len()).all(|at| !is_measured(&units.text(at))) =>
        {
            names_of
        }
        _ => &rows[range.start],
    };
    let measured = (0..width).map(|at| numbers(samples, at)).sum();
    Some((measured, first.line as usize - 1))
}
