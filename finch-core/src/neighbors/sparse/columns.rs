//! Rows that queries are compared with, by columns.

use std::cmp::Reverse;
use std::ops::Range;

use rayon::prelude::*;

use crate::memory::{collected, collected_in_parallel, filled, gathered, room};
use crate::metric::Metric;
use crate::sparse::{SparseRow, SparseRows};

/// A column is kept dense if one in so many rows has its feature: vectors hold so many f64.
const FREQUENT: usize = 8;

/// Nanoseconds of adding the products of two rows that have a feature, of adding those of a column that is
/// kept dense, and of looking at the sum of two rows.
const PAIR_NS: f64 = 2.4;
const DENSE_PAIR_NS: f64 = 0.4;
const LOOK_NS: f64 = 0.5;

/// Rows that queries are compared with, by columns.
pub(super) struct Base<'a> {
    pub(super) rows: &'a SparseRows<'a>,
    /// The numbers that the rows have in lists, rising, where these are others.
    named: Option<&'a [u32]>,
    /// The features that have a column, rising, where not every feature has one.
    features: Option<Vec<u32>>,
    /// The columns that are kept dense, rising.
    frequent: Vec<u32>,
    /// The values of all rows in these columns, column after column.
    pub(super) dense: Vec<f64>,
    /// Where each other column begins, and where the last one ends.
    starts: Vec<usize>,
    /// The rows of each other column, rising.
    pub(super) numbers: Vec<u32>,
    /// Their values.
    pub(super) values: Vec<f64>,
    /// What each row has by itself ([`alone`]).
    pub(super) alone: Vec<f64>,
    /// `alone`, less the slack.
    pub(super) least: Vec<f64>,
    /// Slack for rounding, as a share of what rows have by themselves.
    pub(super) slack: f64,
}

impl<'a> Base<'a> {
    /// The base of these rows, for queries of at most `longest` values.
    pub(super) fn of(rows: &'a SparseRows<'a>, named: Option<&'a [u32]>, longest: usize) -> Self {
        let samples = &rows.samples;
        let mut features = None;
        // A start for every feature, if these are no more than half as many as the values.
        if samples.features() > usize::max(samples.values() / 2, 1 << 16) {
            let mut with_values = room(samples.values());
            for row in 0..rows.len() {
                samples.for_each(row, |feature, _| with_values.push(feature));
            }
            with_values.par_sort_unstable();
            with_values.dedup();
            features = Some(with_values);
        }
        let columns = features.as_ref().map_or(samples.features(), Vec::len);
        let mut base = Self {
            rows,
            named,
            features,
            frequent: Vec::new(),
            dense: Vec::new(),
            starts: filled(0, columns + 1),
            numbers: Vec::new(),
            values: Vec::new(),
            alone: Vec::new(),
            least: Vec::new(),
            slack: 0.0,
        };
        base.transpose();
        base.slack = 4.0 * (longest + 64) as f64 * f64::EPSILON;
        let alone = (0..rows.len()).into_par_iter().map_init(SparseRow::default, |row, number| {
            rows.load(number, row);
            alone(rows.metric(), row)
        });
        base.alone = collected_in_parallel(alone);
        base.least = collected(base.alone.iter().map(|alone| alone * (1.0 - base.slack)));
        base
    }

    /// Copies the rows by columns: a counting sort.
    fn transpose(&mut self) {
        let rows = self.rows.len();
        for row in 0..rows {
            self.rows.samples.for_each(row, |feature, value| {
                if value != 0.0 {
                    let column =
                        column(self.features.as_deref(), feature).expect("a feature of the base");
                    self.starts[column + 1] += 1;
                }
            });
        }
        self.choose_frequent();
        for column in 1..self.starts.len() {
            self.starts[column] += self.starts[column - 1];
        }
        let mut next = collected(self.starts.iter().copied());
        let count = self.starts[self.starts.len() - 1];
        (self.numbers, self.values) = (filled(0, count), filled(0.0, count));
        self.dense = filled(0.0, self.frequent.len() * rows);
        let mut loaded = SparseRow::default();
        for row in 0..rows {
            self.rows.load(row, &mut loaded);
            for (feature, value) in loaded.terms() {
                let column =
                    column(self.features.as_deref(), feature).expect("a feature of the base");
                match self.frequent.binary_search(&(column as u32)) {
                    Ok(at) => self.dense[at * rows + row] = value,
                    Err(_) => {
                        let place = next[column];
                        (self.numbers[place], self.values[place]) = (row as u32, value);
                        next[column] += 1;
                    }
                }
            }
        }
    }

    /// Takes the most frequent columns out of the counts: they will be kept dense, as many as take no
    /// more memory than the rows.
    fn choose_frequent(&mut self) {
        let rows = self.rows.len();
        let is_frequent = |column: &u32| self.starts[*column as usize + 1] * FREQUENT >= rows;
        self.frequent = gathered((0..self.starts.len() as u32 - 1).filter(is_frequent));
        self.frequent.par_sort_unstable_by_key(|&column| {
            (Reverse(self.starts[column as usize + 1]), column)
        });
        // A value takes 12 bytes, of which the column is 4.
        self.frequent.truncate(3 * self.rows.samples.values() / (2 * rows));
        self.frequent.par_sort_unstable();
        self.frequent.iter().for_each(|&column| self.starts[column as usize + 1] = 0);
    }

    /// Seconds that the exact search of all rows is expected to take on one core.
    pub(super) fn seconds(&self) -> f64 {
        let rows = self.rows.len() as f64;
        let pairs = |columns: &[usize; 2]| ((columns[1] - columns[0]) as f64).powi(2);
        let of_sparse: f64 = self.starts.array_windows().map(pairs).sum();
        let of_dense = self.dense.iter().filter(|value| **value != 0.0).count() as f64 * rows;
        (PAIR_NS * of_sparse + DENSE_PAIR_NS * of_dense + LOOK_NS * rows * rows) * 1e-9
    }

    /// The number that a row has in lists.
    pub(super) fn name(&self, row: usize) -> u32 {
        self.named.map_or(row as u32, |named| named[row])
    }

    /// Where a column is among those that are kept dense.
    pub(super) fn place(&self, feature: u32) -> Place {
        let Some(column) = column(self.features.as_deref(), feature) else {
            return Place::Nowhere;
        };
        match self.frequent.binary_search(&(column as u32)) {
            Ok(at) => Place::Dense(at),
            Err(_) => Place::Sparse(self.starts[column]..self.starts[column + 1]),
        }
    }
}

/// Where the column of a feature is.
pub(super) enum Place {
    /// No row of the base has the feature.
    Nowhere,
    /// Among the columns that are kept dense.
    Dense(usize),
    /// The places of its rows and values.
    Sparse(Range<usize>),
}

/// The column of a feature, given the features that have one, where not all have.
fn column(features: Option<&[u32]>, feature: u32) -> Option<usize> {
    match features {
        None => Some(feature as usize),
        Some(features) => features.binary_search(&feature).ok(),
    }
}

/// What a row has by itself, as a metric counts it: the square of its length, or Σ|xᵢ|.
pub(super) fn alone(metric: Metric, row: &SparseRow) -> f64 {
    let values = row.terms().map(|(_, value)| value);
    match metric {
        Metric::Cosine => 1.0,
        Metric::Euclidean => values.map(|value| value * value).sum(),
        Metric::Manhattan => values.map(f64::abs).sum(),
        Metric::Hamming | Metric::Jaccard => unreachable!("refused before"),
    }
}
