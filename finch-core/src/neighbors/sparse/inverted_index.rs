//! The inverted index: rows that queries are compared with, by columns.

use std::cmp::Reverse;
use std::ops::Range;

use rayon::prelude::*;

use crate::neighbors::lists::{Nearest, offer};
use crate::samples::metric::{Metric, of_union};
use crate::samples::sparse::{SparseRow, SparseRows};
use crate::support::memory::{collected, collected_in_parallel, filled, gathered, room};

/// A column is kept dense if one in so many rows has its feature: vectors hold so many f64.
const FREQUENT: usize = 8;

/// Nanoseconds of adding the products of two rows that have a feature, of adding those of a column that is
/// kept dense, and of looking at the sum of two rows.
const PAIR_NS: f64 = 2.4;
const DENSE_PAIR_NS: f64 = 0.4;
const LOOK_NS: f64 = 0.5;

/// Rows that queries are compared with, by columns.
pub(in crate::neighbors) struct InvertedIndex<'a> {
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
    /// The zero rows, rising, under cosine.
    pub(super) zero_rows: Vec<u32>,
    /// The share of each row by itself ([`alone`]).
    pub(super) alone: Vec<f64>,
    /// `alone`, less the slack.
    pub(super) least: Vec<f64>,
    /// Slack for rounding, as a share of what rows have by themselves.
    pub(super) slack: f64,
}

impl<'a> InvertedIndex<'a> {
    /// The base of rows that are searched among each other.
    pub(in crate::neighbors) fn of_all(rows: &'a SparseRows<'a>) -> Self {
        Self::of(rows, None, slack_of(&[rows]))
    }

    /// The base of these rows, with the slack for sums of a row and a query.
    pub(super) fn of(rows: &'a SparseRows<'a>, named: Option<&'a [u32]>, slack: f64) -> Self {
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
            zero_rows: rows.zero_rows(),
            alone: Vec::new(),
            least: Vec::new(),
            slack,
        };
        base.transpose();
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
    pub(in crate::neighbors) fn seconds(&self) -> f64 {
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

    /// Offers zero rows to the list of a zero row, where they may be in it.
    pub(super) fn offer_zero_rows(&self, list: &mut [Nearest], may_be: impl Fn(usize) -> bool) {
        let others = self.zero_rows.iter().filter(|&&other| may_be(other as usize));
        others.take(list.len()).for_each(|&other| offer(list, 0.0, self.name(other as usize)));
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

/// The amount that rounding can add to a sum of two rows of these, as a share of what both have by
/// themselves: nothing, where all are of 0 and 1 under a metric that takes such.
pub(super) fn slack_of(of: &[&SparseRows<'_>]) -> f64 {
    let are_bits = |rows: &&SparseRows<'_>| {
        rows.metric().is_of_bits() && rows.samples.expect_bits(rows.metric().name()).is_ok()
    };
    if of.iter().all(are_bits) {
        return 0.0;
    }
    let lengths =
        of.iter().flat_map(|rows| (0..rows.len()).map(|row| rows.samples.range(row).len()));
    // The values of the row that has most.
    let longest = lengths.max().unwrap_or(0);
    4.0 * (longest + 64) as f64 * f64::EPSILON
}

/// The share of a row by itself, as a metric counts it: the square of its length, or Σ|xᵢ|.
pub(super) fn alone(metric: Metric, row: &SparseRow) -> f64 {
    let values = row.terms().map(|(_, value)| value);
    match metric {
        // A zero row is at no finite distance from others.
        Metric::Cosine => {
            if row.is_zero() {
                f64::INFINITY
            } else {
                1.0
            }
        }
        Metric::Euclidean => values.map(|value| value * value).sum(),
        Metric::Manhattan | Metric::Hamming | Metric::Jaccard => values.map(f64::abs).sum(),
    }
}

/// The rule by which keys follow from sums, each of which is what two rows have by themselves, S, less what
/// they share: a squared length, or Σ|xᵢ−yᵢ|.
#[derive(Clone, Copy)]
pub(super) struct Keys {
    metric: Metric,
    features: f64,
    /// [`InvertedIndex::slack`].
    slack: f64,
}

impl Keys {
    pub(super) fn of(base: &InvertedIndex<'_>) -> Self {
        let features = base.rows.samples.features() as f64;
        Self { metric: base.rows.metric(), features, slack: base.slack }
    }

    /// Of rows whose key may be as small as a limit, the sum is no larger than the second number once S has
    /// been multiplied by the first.
    ///
    /// D/(½(S + D)) ≤ t where D ≤ S·t/(2 − t): where S·(2 − 2t)/(2 − t) ≤ S − D.
    pub(super) fn limit(self, key: f64) -> [f64; 2] {
        // The rounding of this function, twice over.
        const ROUNDING: f64 = 8.0 * f64::EPSILON;
        match self.metric {
            Metric::Euclidean | Metric::Cosine | Metric::Manhattan => [1.0, key],
            Metric::Hamming => [1.0, key * self.features * (1.0 + ROUNDING)],
            Metric::Jaccard => {
                // Keys of equal shares may be rounded apart, and near 1 the factor is smaller than what that
                // moves it by.
                let key = (key * (1.0 + self.slack + ROUNDING)).min(1.0);
                [(2.0 - 2.0 * key) / (2.0 - key) * (1.0 - ROUNDING), 0.0]
            }
        }
    }

    /// The lower bound of a key, from that of the sum and from S.
    pub(super) fn lower(self, sum: f64, alone: f64) -> f64 {
        match self.metric {
            Metric::Euclidean | Metric::Cosine | Metric::Manhattan => sum,
            Metric::Hamming => f64::max(sum, 0.0) / self.features,
            Metric::Jaccard => {
                let sum = f64::max(sum, 0.0);
                of_union(sum, 0.5 * (alone * (1.0 + self.slack) + sum))
            }
        }
    }

    /// The excess of the upper bound of a key over the lower one, given what the upper bound of the sum is
    /// above the lower bound, and S.
    pub(super) fn above(self, sum: f64, alone: f64) -> f64 {
        match self.metric {
            Metric::Euclidean | Metric::Cosine | Metric::Manhattan => sum,
            _ if self.slack == 0.0 => 0.0,
            Metric::Hamming => 2.0 * sum / self.features,
            // The union is at least ½S, and the derivatives of the key by D and by S are at most 2/S.
            Metric::Jaccard => 4.0 * of_union(sum, alone) + 4.0 * self.slack,
        }
    }
}
