//! Rows of any kind, as they are compared by key, one pair at a time.

use super::metric::Metric;
use super::rows::Rows;
use super::sparse::{SparseRow, SparseRows};
use crate::support::memory::filled;

/// Rows that are loaded, and compared by key.
pub(crate) trait Keyed: Sync {
    /// A loaded row.
    type Row: Send + Sync;

    fn len(&self) -> usize;

    fn metric(&self) -> Metric;

    /// Room for a row.
    fn room(&self) -> Self::Row;

    fn load(&self, row: usize, out: &mut Self::Row);

    /// The key of a loaded row and another one, for which there is room.
    fn key(&self, row: &Self::Row, other: usize, room: &mut Self::Row) -> f64;

    /// The key of a loaded row and another one; or infinity where one look tells that the key is above
    /// `limit`.
    fn key_within(&self, row: &Self::Row, other: usize, limit: f64, room: &mut Self::Row) -> f64 {
        let _ = limit;
        self.key(row, other, room)
    }

    /// The key of two loaded rows.
    fn key_of_loaded(&self, row: &Self::Row, other: &Self::Row) -> f64;

    /// True if no value of a loaded row is negative, and the row has a direction where the metric takes one.
    fn is_positive(&self, row: &Self::Row) -> bool;
}

impl Keyed for Rows<'_> {
    type Row = Vec<f64>;

    fn len(&self) -> usize {
        Rows::len(self)
    }

    fn metric(&self) -> Metric {
        self.metric
    }

    fn room(&self) -> Vec<f64> {
        filled(0.0, self.features())
    }

    fn load(&self, row: usize, out: &mut Vec<f64>) {
        Rows::load(self, row, out);
    }

    fn key(&self, row: &Vec<f64>, other: usize, room: &mut Vec<f64>) -> f64 {
        Rows::key(self, row, other, room)
    }

    fn key_within(&self, row: &Vec<f64>, other: usize, limit: f64, room: &mut Vec<f64>) -> f64 {
        Rows::key_within(self, row, other, limit, room)
    }

    fn key_of_loaded(&self, row: &Vec<f64>, other: &Vec<f64>) -> f64 {
        Rows::key_of_loaded(self, row, other)
    }

    fn is_positive(&self, row: &Vec<f64>) -> bool {
        let has_direction = self.metric != Metric::Cosine || row.iter().any(|value| *value != 0.0);
        has_direction && row.iter().all(|value| *value >= 0.0)
    }
}

impl Keyed for SparseRows<'_> {
    type Row = SparseRow;

    fn len(&self) -> usize {
        SparseRows::len(self)
    }

    fn metric(&self) -> Metric {
        SparseRows::metric(self)
    }

    fn room(&self) -> SparseRow {
        SparseRow::default()
    }

    fn load(&self, row: usize, out: &mut SparseRow) {
        SparseRows::load(self, row, out);
    }

    fn key(&self, row: &SparseRow, other: usize, room: &mut SparseRow) -> f64 {
        SparseRows::load(self, other, room);
        SparseRows::key(self, row, room)
    }

    fn key_of_loaded(&self, row: &SparseRow, other: &SparseRow) -> f64 {
        SparseRows::key(self, row, other)
    }

    fn is_positive(&self, row: &SparseRow) -> bool {
        !row.is_zero() && row.terms().all(|(_, value)| value >= 0.0)
    }
}

/// Evaluates an expression with the rows of samples of any kind.
macro_rules! with_keyed {
    ($samples:expr, $metric:expr, $rows:ident => $body:expr) => {
        match $samples.0 {
            $crate::samples::Kind::Dense(matrix) => {
                let $rows = &$crate::samples::rows::Rows::new(matrix, $metric);
                $body
            }
            $crate::samples::Kind::Sparse(samples) => {
                let $rows = &$crate::samples::sparse::SparseRows::new(samples, $metric);
                $body
            }
        }
    };
}

pub(crate) use with_keyed;
