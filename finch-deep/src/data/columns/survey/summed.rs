//! The row of sums of all others, by its numbers.

use super::ColumnSurvey;
use super::column::Words;
use crate::data::error::note::Note;

/// Rows of which one may be the sum of the others, at least: of few this is so by chance.
const FEWEST_SUMMED: usize = 6;

/// The sum of a column of numbers, and what tells whether its first or last value is the sum of the others.
#[derive(Default)]
struct Summed {
    sum: f64,
    /// The first value, and the last.
    ends: [f64; 2],
    /// The values above 0.
    above: usize,
    has_negative: bool,
}

impl Summed {
    fn of(values: impl Iterator<Item = f64>) -> Self {
        let mut found = Self::default();
        for (row, value) in values.enumerate() {
            found.ends = [if row == 0 { value } else { found.ends[0] }, value];
            found.sum += if value.is_nan() { 0.0 } else { value };
            found.above += usize::from(value > 0.0);
            found.has_negative |= value < 0.0;
        }
        found
    }

    /// True if the value at an end is the sum of the others, but for a share of this.
    fn is_sum(&self, end: usize, within: f64) -> bool {
        let of_others = self.sum - self.ends[end];
        !self.has_negative
            && self.above >= FEWEST_SUMMED
            && of_others > 0.0
            && (self.ends[end] - of_others).abs() <= within * of_others
    }
}

/// The note on a first or a last row that has the sums of all others, however it is called.
pub(super) fn sum_of_others(
    all: &[Words<'_>],
    columns: &[ColumnSurvey],
    rows: usize,
) -> Option<Note> {
    if rows < FEWEST_SUMMED {
        return None;
    }
    let numbers = all.iter().zip(columns);
    let numbers = numbers.filter_map(|(words, column)| words.numbers_by_row(column));
    let columns: Vec<Summed> = numbers.map(Summed::of).collect();
    let sums_up = |end: usize| {
        let count = |within: f64| columns.iter().filter(|one| one.is_sum(end, within)).count();
        // Averages and shares are no sums, but half of the columns are.
        let are_most = |count: usize| count > 0 && 2 * count >= columns.len();
        are_most(count(1e-9)) || count(1e-3) >= 2 && are_most(count(1e-3))
    };
    let end = [0, 1].into_iter().find(|&end| sums_up(end))?;
    Some(Note::SumOfOthers { sample: end * (rows - 1) })
}
