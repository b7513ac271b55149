//! Sparse samples, row by row, as a metric compares them.

use std::cmp::Ordering;

use rayon::prelude::*;

use super::order::{Place, Places, Sum};
use super::samples::SparseSamples;
use crate::samples::metric::{
    Metric, is_sound_square, key_of_products, key_of_zero_row, lift, of_union,
};
use crate::samples::twofold::{SumOfProducts, Twofold};
use crate::support::memory::{collected_in_parallel, gathered, reserve};

/// Sparse samples as a metric compares them, as [`Rows`](crate::samples::rows::Rows) are: in f64, as given to be compared
/// by key, and as points.
pub(crate) struct SparseRows<'a> {
    pub(crate) samples: SparseSamples<'a>,
    loading: Loading,
    /// For cosine the lengths of the rows; for other metrics empty.
    scales: Vec<Scale>,
}

/// The loading of rows, and the comparison of loaded rows.
pub(crate) struct Loading {
    pub(crate) metric: Metric,
    places: Places,
}

/// The length of a row. As a point a row is multiplied by a power of two, and then divided by its length.
#[derive(Clone, Copy, Debug)]
struct Scale {
    /// A power of two: 1, unless the squared length of the row as given is too large or too small to be
    /// multiplied ([`is_sound_square`]).
    factor: f64,
    /// The squared length, and the length, of the row multiplied by the factor; 0 for a row without a direction.
    square: Twofold,
    length: f64,
}

/// Nothing changes.
impl Default for Scale {
    fn default() -> Self {
        Self { factor: 1.0, square: Twofold::default(), length: 1.0 }
    }
}

/// A row, as it is loaded.
#[derive(Clone, Debug, Default)]
pub(crate) struct SparseRow {
    /// The features whose values are not 0, rising.
    terms: Vec<Term>,
    scale: Scale,
    /// True for a zero row under cosine.
    is_zero: bool,
}

#[derive(Clone, Copy, Debug)]
struct Term {
    feature: u32,
    place: Place,
    value: f64,
}

impl SparseRow {
    /// The features whose values are not 0, rising, and the values of the row as a point.
    pub(crate) fn terms(&self) -> impl ExactSizeIterator<Item = (u32, f64)> {
        let Scale { factor, length, .. } = self.scale;
        self.terms.iter().map(move |term| (term.feature, term.value * factor / length))
    }

    /// True for a zero row under cosine.
    pub(crate) fn is_zero(&self) -> bool {
        self.is_zero
    }
}

impl Loading {
    pub(crate) fn new(samples: &SparseSamples<'_>, metric: Metric) -> Self {
        let places = Places::new(samples.features(), samples.values());
        Self { metric, places }
    }

    /// Loads a row of features, rising, and their values.
    pub(crate) fn load(&self, row: &[(u32, f64)], out: &mut SparseRow) {
        self.begin(out, self.scale(row), row.len());
        row.iter().for_each(|&(feature, value)| self.push(out, feature, value));
    }

    /// The length of a row, under cosine; rows of other metrics are points as they are.
    fn scale(&self, row: &[(u32, f64)]) -> Scale {
        if self.metric != Metric::Cosine {
            return Scale::default();
        }
        let squared = |factor: f64| {
            let mut squares = SumOfProducts::default();
            for &(feature, value) in row {
                let value = value * factor;
                squares.add(feature as usize, value, value);
            }
            squares.total()
        };
        let (mut factor, mut square) = (1.0, squared(1.0));
        if !is_sound_square(square) {
            let largest = row.iter().map(|(_, value)| value.abs()).fold(0.0, f64::max);
            if largest > 0.0 {
                factor = lift(largest);
            }
            square = squared(factor);
        }
        Scale { factor, square, length: square.rounded().sqrt() }
    }

    fn begin(&self, out: &mut SparseRow, scale: Scale, values: usize) {
        out.terms.clear();
        reserve(&mut out.terms, values);
        (out.scale, out.is_zero) = (scale, scale.length == 0.0);
    }

    #[inline(always)]
    fn push(&self, out: &mut SparseRow, feature: u32, value: f64) {
        if value != 0.0 {
            out.terms.push(Term { feature, place: self.places.of(feature), value });
        }
    }

    /// The key of two rows, bit for bit that of the dense rows.
    pub(crate) fn key(&self, x: &SparseRow, y: &SparseRow) -> f64 {
        match self.metric {
            Metric::Cosine if x.is_zero || y.is_zero => key_of_zero_row(x.is_zero && y.is_zero),
            Metric::Cosine => key_of_products(product(x, y), [x, y].map(|row| row.scale.square)),
            Metric::Euclidean => summed(&x.terms, &y.terms, |x, y| (x - y) * (x - y)),
            Metric::Manhattan => summed(&x.terms, &y.terms, difference),
            Metric::Hamming => {
                summed(&x.terms, &y.terms, difference) / self.places.features() as f64
            }
            Metric::Jaccard => {
                let larger = |x: f64, y: f64| f64::max(x.abs(), y.abs());
                let union = summed(&x.terms, &y.terms, larger);
                of_union(summed(&x.terms, &y.terms, difference), union)
            }
        }
    }
}

fn difference(x: f64, y: f64) -> f64 {
    (x - y).abs()
}

impl<'a> SparseRows<'a> {
    pub(crate) fn new(samples: SparseSamples<'a>, metric: Metric) -> Self {
        let loading = Loading::new(&samples, metric);
        let mut scales = Vec::new();
        if metric == Metric::Cosine {
            let rows = (0..samples.len()).into_par_iter();
            scales = collected_in_parallel(rows.map_init(Vec::new, |values, row| {
                values.clear();
                reserve(values, samples.range(row).len());
                samples.for_each(row, |feature, value| values.push((feature, value)));
                loading.scale(values)
            }));
        }
        Self { samples, loading, scales }
    }

    pub(crate) fn metric(&self) -> Metric {
        self.loading.metric
    }

    pub(crate) fn len(&self) -> usize {
        self.samples.len()
    }

    /// The zero rows, under cosine; under other metrics none.
    pub(crate) fn zero_rows(&self) -> Vec<u32> {
        let scales = self.scales.iter().zip(0..);
        gathered(scales.filter(|(scale, _)| scale.length == 0.0).map(|(_, row)| row))
    }

    /// Loads a row.
    pub(crate) fn load(&self, row: usize, out: &mut SparseRow) {
        let scale = self.scales.get(row).copied().unwrap_or_default();
        self.loading.begin(out, scale, self.samples.range(row).len());
        self.samples.for_each(row, |feature, value| self.loading.push(out, feature, value));
    }

    /// The key of two rows, bit for bit that of the dense rows.
    pub(crate) fn key(&self, x: &SparseRow, y: &SparseRow) -> f64 {
        self.loading.key(x, y)
    }
}

/// x·y, of rows multiplied by their factors.
fn product(x: &SparseRow, y: &SparseRow) -> Twofold {
    let [of_x, of_y] = [x, y].map(|row| row.scale.factor);
    let (mut x, mut y) = (&x.terms[..], &y.terms[..]);
    let mut sum = SumOfProducts::default();
    while let (Some((of_one, x_rest)), Some((of_other, y_rest))) =
        (x.split_first(), y.split_first())
    {
        match of_one.feature.cmp(&of_other.feature) {
            Ordering::Less => x = x_rest,
            Ordering::Greater => y = y_rest,
            Ordering::Equal => {
                sum.add(of_one.feature as usize, of_one.value * of_x, of_other.value * of_y);
                (x, y) = (x_rest, y_rest);
            }
        }
    }
    sum.total()
}

/// The sum over features of a function of two values, which is 0 where both are 0 and never negative.
#[inline(always)]
fn summed(mut x: &[Term], mut y: &[Term], term: impl Fn(f64, f64) -> f64) -> f64 {
    let mut sum = Sum::new();
    while let (Some((of_x, x_rest)), Some((of_y, y_rest))) = (x.split_first(), y.split_first()) {
        match of_x.feature.cmp(&of_y.feature) {
            Ordering::Less => {
                sum.add(of_x.place, term(of_x.value, 0.0));
                x = x_rest;
            }
            Ordering::Greater => {
                sum.add(of_y.place, term(0.0, of_y.value));
                y = y_rest;
            }
            Ordering::Equal => {
                sum.add(of_x.place, term(of_x.value, of_y.value));
                (x, y) = (x_rest, y_rest);
            }
        }
    }
    x.iter().chain(y).for_each(|of_one| sum.add(of_one.place, term(of_one.value, 0.0)));
    sum.total()
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::samples::Samples;
    use crate::samples::rows::Rows;
    use crate::support::random::scrambled;

    /// Rows of many values and of few, tiny and huge ones, equal and opposite ones, zeros that are
    /// given and a row of zeros.
    #[test]
    fn keys_are_those_of_dense_rows() {
        const ROWS: usize = 12;
        for (features, scale) in [(1, 1.0), (7, 1e-130), (127, 1.0), (130, 1e130), (5_003, 1e-101)]
        {
            let noise =
                |number: usize| (scrambled(number as u64) >> 40) as f64 / 2f64.powi(23) - 1.0;
            let matrix = Array2::from_shape_fn((ROWS, features), |(row, feature)| {
                let share = [1, 2, 5, 40, 300, 1][row % 6];
                let there = scrambled((row % 9 * features + feature) as u64).is_multiple_of(share);
                let value = noise(row % 7 * features + feature) * scale;
                if !there || row == 5 { 0.0 } else { value * [1.0, -1.0, 1e-9][row % 3] }
            });
            let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
            for (row, of_row) in matrix.outer_iter().enumerate() {
                for (column, &value) in of_row.iter().enumerate() {
                    if value != 0.0 || (row + column) % 11 == 0 {
                        columns.push(column as i64);
                        values.push(value);
                    }
                }
                starts.push(values.len() as i32);
            }
            let sparse =
                SparseSamples::new(features, &starts[..], &columns[..], &values[..]).unwrap();
            for &metric in Metric::ALL {
                let rows = SparseRows::new(sparse, metric);
                let dense = Rows::new(Samples::new(matrix.view()).unwrap(), metric);
                let loaded = |row| {
                    let mut loaded = SparseRow::default();
                    rows.load(row, &mut loaded);
                    loaded
                };
                let [mut row, mut buffer] = [(); 2].map(|()| vec![0.0; features]);
                for (i, j) in (0..ROWS).flat_map(|i| (0..ROWS).map(move |j| (i, j))) {
                    dense.load(i, &mut row);
                    let expected = dense.key(&row, j, &mut buffer);
                    let key = rows.key(&loaded(i), &loaded(j));
                    assert_eq!(key.to_bits(), expected.to_bits(), "{metric:?} {features} {i} {j}");
                }
            }
        }
    }
}
