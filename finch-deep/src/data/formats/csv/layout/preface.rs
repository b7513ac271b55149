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

/// True if a row has more fields than the first, which cannot be read: the table begins later.
pub(super) fn begins_later(rows: &[Row]) -> bool {
    let Some((first, later)) = rows.split_first() else { return false };
    let width = first.fields.len();
    let is_longer = |row: &Row| (width..row.fields.len()).any(|at| !row.field(at).is_empty());
    later.iter().any(is_longer) && !lacks_first_name(rows)
}

/// The lines before the longest stretch of rows of one width that has numbers, by the delimiter that leaves most fields
/// in it; `None` if it is short, or far from the end.
pub(super) fn lines_before(
    delimiters: &[Delimiter],
    rows: impl Fn(Delimiter) -> Vec<Row>,
) -> Option<usize> {
    let found = delimiters.iter().filter_map(|&delimiter| stretch(&rows(delimiter)));
    found.max_by_key(|(fields, _)| *fields).map(|(_, lines)| lines)
}

/// The fields of the longest stretch, and the lines before it.
fn stretch(rows: &[Row]) -> Option<(usize, usize)> {
    let stretches = rows.chunk_by(|one, other| one.fields.len() == other.fields.len());
    let mut end = 0;
    let ranges = stretches.map(|stretch| {
        end += stretch.len();
        end - stretch.len()..end
    });
    let fields = |range: &std::ops::Range<usize>| range.len() * rows[range.start].fields.len();
    let range = ranges.max_by_key(fields)?;
    let width = rows[range.start].fields.len();
    let is_number_at = |row: &&Row, at: usize| is_measured(&row.text(at));
    let samples = &rows[range.start + 1..range.end];
    let is_of_numbers =
        |at| 5 * samples.iter().filter(|row| is_number_at(row, at)).count() >= 4 * samples.len();
    let is_table = width > 1
        && samples.len() >= FEWEST_ROWS
        && rows.len() - range.end <= MOST_BELOW
        && (0..width).any(is_of_numbers);
    if !is_table || range.start == 0 {
        return None;
    }
    // The names may have a field more than the rows, of remarks that none has.
    let before = &rows[range.start - 1];
    let names = (0..before.fields.len()).all(|at| {
        let text = before.text(at);
        !text.is_empty() && !is_measured(&text)
    });
    let is_header = names && before.fields.len() == width + 1;
    let first = if is_header { before } else { &rows[range.start] };
    Some((fields(&range), first.line as usize - 1))
}
