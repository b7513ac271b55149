//! Rows that pass the filter by bounds.

use crate::memory::push;

/// Rows that pass the filter before it is tightened, beside four for each neighbour.
const PASSED: usize = 64;

/// Rows that may be among the k nearest of a query, by bounds.
#[derive(Default)]
pub(super) struct Passed {
    k: usize,
    /// The lower bound of the key of each row, and its number, rising.
    pub(super) rows: Vec<(f64, u32)>,
    /// Room for upper bounds.
    upper: Vec<f64>,
    /// The k-th smallest upper bound, among the rows so far; no more than at the beginning.
    pub(super) limit: f64,
    /// The number of rows that there may be before the limit is looked at again.
    most: usize,
}

impl Passed {
    /// Begins with a key that none of the k nearest is above.
    pub(super) fn begin(&mut self, k: usize, limit: f64) {
        self.rows.clear();
        (self.k, self.limit, self.most) = (k, limit, 4 * k + PASSED);
    }

    /// Adds a row whose lower bound is within the limit. `above` is what the upper bound of a row is
    /// above its lower one.
    pub(super) fn add(&mut self, lower: f64, row: u32, above: impl Fn(usize) -> f64) {
        push(&mut self.rows, (lower, row));
        if self.rows.len() == self.most {
            self.tighten(above);
            // Of many equally near rows, all stay.
            self.most = usize::max(self.most, 2 * self.rows.len());
        }
    }

    /// Lowers the limit, and drops rows that are above it.
    pub(super) fn tighten(&mut self, above: impl Fn(usize) -> f64) {
        if self.rows.len() <= self.k {
            return;
        }
        self.upper.clear();
        for &(lower, row) in &self.rows {
            push(&mut self.upper, lower + above(row as usize));
        }
        let (_, limit, _) = self.upper.select_nth_unstable_by(self.k - 1, f64::total_cmp);
        self.limit = f64::min(self.limit, *limit);
        self.rows.retain(|(lower, _)| *lower <= self.limit);
    }
}
