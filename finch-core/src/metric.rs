//! Distances between samples, and the one sum that decides which is smaller.
//!
//! Every exact search ends here: whatever it filtered with, the samples that are left are compared
//! by their *key*, summed directly over features in f64 in one fixed order. So all searches give
//! the same first neighbours bit for bit, on every machine and for every memory layout.

use std::ops::Range;

use ndarray::ArrayView1;

use crate::element::Element;
use crate::samples::Samples;

/// How far two samples are from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Metric {
    /// √Σ(xᵢ−yᵢ)², in the unit of the features.
    #[default]
    Euclidean,
    /// 1 − cos(x, y), from 0 to 2. An all-zero sample is at distance 1 from every other.
    Cosine,
    /// Σ|xᵢ−yᵢ|, in the unit of the features.
    Manhattan,
}

impl Metric {
    /// Every value, the default first.
    pub const ALL: &'static [Self] = &[Metric::Euclidean, Metric::Cosine, Metric::Manhattan];

    /// The name as options spell it.
    pub fn name(self) -> &'static str {
        match self {
            Metric::Euclidean => "euclidean",
            Metric::Cosine => "cosine",
            Metric::Manhattan => "manhattan",
        }
    }

    /// What is compared in place of the distance: the squared Euclidean distance (for cosine, of
    /// the normalised rows, which is 2 − 2cos), or the Manhattan distance.
    ///
    /// Not ‖x‖²+‖y‖²−2x·y, which cancels: close neighbours would be told apart by rounding.
    #[inline]
    pub(crate) fn key(self, x: &[f64], y: &[f64]) -> f64 {
        match self {
            Metric::Euclidean => sum(x, y, |x, y| (x - y) * (x - y)),
            Metric::Manhattan => sum(x, y, |x, y| (x - y).abs()),
            Metric::Cosine => {
                let key = sum(x, y, |x, y| (x - y) * (x - y));
                // A row without direction is loaded as NaN; it is orthogonal to everything.
                if key.is_nan() { ORTHOGONAL } else { key }
            }
        }
    }

    /// The square of what a key stands for: the key itself, but for Manhattan.
    pub(crate) fn squared(self, key: f64) -> f64 {
        match self {
            Metric::Euclidean | Metric::Cosine => key,
            Metric::Manhattan => key * key,
        }
    }

    /// The distance that a key stands for.
    pub(crate) fn distance(self, key: f64) -> f64 {
        match self {
            Metric::Euclidean => key.sqrt(),
            Metric::Cosine => key / 2.0,
            Metric::Manhattan => key,
        }
    }
}

/// The cosine key of two directions at a right angle: 2 − 2·0.
pub(crate) const ORTHOGONAL: f64 = 2.0;

/// Σ term(xᵢ, yᵢ) in the order in which NumPy sums a row, so that anybody can check a distance to
/// the last bit: features 8 apart share one of 8 partial sums (which the compiler keeps in vector
/// registers), then the partial sums in pairs, then the features that are left over; and more than
/// 128 features by halves.
///
/// The order matters where two means are at equal distances but for rounding. On letter under
/// cosine, summing one by one gives 1322 clusters in the second partition, this order 1323.
#[inline]
fn sum(x: &[f64], y: &[f64], term: impl Fn(f64, f64) -> f64 + Copy) -> f64 {
    const LANES: usize = 8;
    const BLOCK: usize = 128;
    if x.len() > BLOCK {
        let half = x.len() / 2 / LANES * LANES;
        let ((x_front, x_back), (y_front, y_back)) = (x.split_at(half), y.split_at(half));
        return sum(x_front, y_front, term) + sum(x_back, y_back, term);
    }
    let (x_lanes, x_rest) = x.as_chunks::<LANES>();
    let (y_lanes, y_rest) = y.as_chunks::<LANES>();
    let mut partial = [0.0; LANES];
    for (x, y) in x_lanes.iter().zip(y_lanes) {
        for lane in 0..LANES {
            partial[lane] += term(x[lane], y[lane]);
        }
    }
    let [a, b, c, d, e, f, g, h] = partial;
    let total = ((a + b) + (c + d)) + ((e + f) + (g + h));
    x_rest.iter().zip(y_rest).fold(total, |total, (&x, &y)| total + term(x, y))
}

/// Samples as a metric compares them: in f64, for cosine scaled to length 1.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a, A> {
    pub(crate) samples: Samples<'a, A>,
    pub(crate) metric: Metric,
}

impl<A: Element> Rows<'_, A> {
    pub(crate) fn len(&self) -> usize {
        self.samples.len()
    }

    pub(crate) fn features(&self) -> usize {
        self.samples.features()
    }

    /// The samples that have no direction, which cosine needs: its all-zero rows.
    pub(crate) fn without_direction(&self) -> Vec<u32> {
        let no_value = |row: usize| self.samples.row(row).iter().all(|value| value.to_f64() == 0.0);
        match self.metric {
            Metric::Cosine => {
                (0..self.len()).filter(|&row| no_value(row)).map(|row| row as u32).collect()
            }
            _ => Vec::new(),
        }
    }

    /// Writes one row, d values.
    pub(crate) fn load(&self, row: usize, out: &mut [f64]) {
        copy(self.samples.row(row), out);
        self.finish(out);
    }

    /// Writes several rows one after the other: `rows.len()` × d values.
    pub(crate) fn load_block(&self, rows: Range<usize>, out: &mut Vec<f64>) {
        let features = self.features();
        out.clear();
        out.resize(rows.len() * features, 0.0);
        let matrix = self.samples.matrix();
        let [row_stride, column_stride] = [0, 1].map(|axis| matrix.strides()[axis].unsigned_abs());
        if row_stride < column_stride {
            // Column-major: a row at a time would touch a new page with every value.
            for (column, values) in matrix.columns().into_iter().enumerate() {
                for (row, index) in rows.clone().enumerate() {
                    out[row * features + column] = values[index].to_f64();
                }
            }
        } else {
            for (index, out) in rows.zip(out.chunks_exact_mut(features)) {
                copy(self.samples.row(index), out);
            }
        }
        out.chunks_exact_mut(features).for_each(|row| self.finish(row));
    }

    fn finish(&self, row: &mut [f64]) {
        if self.metric == Metric::Cosine {
            normalize(row);
        }
    }
}

fn copy<A: Element>(values: ArrayView1<'_, A>, out: &mut [f64]) {
    match values.as_slice() {
        Some(values) => out.iter_mut().zip(values).for_each(|(out, value)| *out = value.to_f64()),
        None => out.iter_mut().zip(values).for_each(|(out, value)| *out = value.to_f64()),
    }
}

/// Scales a row to length 1; an all-zero row, which has no direction, becomes NaN.
fn normalize(row: &mut [f64]) {
    // Below about 1e-154 squares vanish; a power of two lifts such a row without rounding it.
    if row.iter().all(|value| value.abs() < 1e-100) {
        row.iter_mut().for_each(|value| *value *= 2f64.powi(600));
    }
    let norm = sum(row, row, |x, y| x * y).sqrt();
    row.iter_mut().for_each(|value| *value /= norm);
}
