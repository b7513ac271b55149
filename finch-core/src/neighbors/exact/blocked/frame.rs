//! The origin and the unit in which rows are written in f32, or in bytes.

use ndarray::{Array2, ArrayView1};

use super::bytes::Bytes;
use crate::neighbors::kernel::Terms;
use crate::run::progress::Meter;
use crate::samples::metric::Metric;
use crate::samples::rows::{CENTRAL, Rows, center_of};
use crate::support::memory::gathered;

/// The largest value of a scaled row. Larger values are cut off, which moves no two rows farther
/// apart, so that bounds stay bounds. A row with a value that is cut off stays far from most others.
const LARGEST: f64 = (1 << 30) as f64;

/// The amount that a squared distance of scaled rows may lose where its terms are too small for f32:
/// 2⁻¹⁵⁰ times [`LARGEST`] for each value of the two rows, of which there may be millions. A Manhattan
/// distance loses less.
const UNDERFLOW: f64 = 1e-28;

/// Of a sample, at most 1 in this many rows has a scaled value above 1.
const FAR_OUT: usize = 8;

/// A distance is *blurred* if it is not this many times what rounding can add to it. With a tenth of
/// this factor, 1 in 100 pairs of normal noise in 100 columns passes the filter for rounding alone.
const BLURRED: f64 = 32.0;
/// The largest rounding that counts as blur. So the distance of rows at a right angle, whose square is
/// the sum of the squared lengths, is never blurred, however many columns there are.
const MOST_ROUNDING: f64 = 0.25 / BLURRED;

/// Where rows are moved to and how they are scaled, so that f32 neither overflows nor loses small
/// numbers. The scale is a power of two, which rounds nothing.
pub(in crate::neighbors::exact) struct Frame {
    metric: Metric,
    terms: Terms,
    center: Vec<f64>,
    scale: f64,
}

impl Frame {
    /// A frame for some rows; any frame, if the run is stopped.
    pub(in crate::neighbors::exact) fn of(rows: &Rows<'_>, meter: &Meter) -> Self {
        Self::of_samples(rows.metric, &[rows.sample(CENTRAL, || meter.stopped())], meter)
    }

    /// A frame for rows of which these are samples, around the rows of the first sample.
    /// Any frame, if the run is stopped.
    pub(in crate::neighbors::exact) fn of_samples(
        metric: Metric,
        samples: &[Array2<f64>],
        meter: &Meter,
    ) -> Self {
        let center = center_of(&samples[0], || meter.stopped());
        let bytes = match metric {
            Metric::Manhattan | Metric::Hamming => Bytes::of_samples(samples, &center, meter),
            Metric::Euclidean | Metric::Cosine | Metric::Jaccard => None,
        };
        if let Some(Bytes { origin, scale }) = bytes {
            return Self { metric, terms: Terms::Bytes, center: origin, scale };
        }
        // Rows beside the centre by what rounding may leave do not set the scale.
        let least = largest(center.iter().map(|value| value.abs())) / LARGEST;
        let extents = samples.iter().map(|sample| extent(sample, &center));
        let largest = extents.fold(least, f64::max);
        Self::around(metric, center, largest)
    }

    /// A frame around a centre, from which few values are farther than `largest`.
    pub(in crate::neighbors::exact) fn around(
        metric: Metric,
        center: Vec<f64>,
        largest: f64,
    ) -> Self {
        let terms = match metric.has_products() {
            true => Terms::Products,
            false => Terms::Larger,
        };
        let exponent = if largest > 0.0 { -largest.log2().ceil() } else { 0.0 };
        // Not beyond 2^440: keys below 1e-308 are rounded to multiples of 2^-1074, and these
        // roundings must stay far below UNDERFLOW when they are scaled. Rows that small all pass
        // the filter.
        Self { metric, terms, center, scale: exponent.clamp(-500.0, 440.0).exp2() }
    }

    /// The terms by which rows are compared in this frame.
    pub(in crate::neighbors::exact) fn terms(&self) -> Terms {
        self.terms
    }

    /// Moves and scales a row in place, and returns its squared length: NaN, as all values become,
    /// for a row without a direction.
    pub(in crate::neighbors::exact) fn move_and_scale(&self, row: &mut [f64]) -> f64 {
        let mut squared_length = 0.0;
        for (value, center) in row.iter_mut().zip(&self.center) {
            *value = ((*value - center) * self.scale).clamp(-LARGEST, LARGEST);
            squared_length += *value * *value;
        }
        squared_length
    }

    /// The largest lower bound of a key, in units of the frame, squared where keys are, at which a row
    /// may still enter a list that takes keys up to this one.
    pub(in crate::neighbors::exact) fn limit(&self, key: f64) -> f32 {
        let scaled = match self.metric {
            Metric::Euclidean | Metric::Cosine => {
                self.metric.squared_of_points(key) * self.scale * self.scale
            }
            Metric::Manhattan => key * self.scale,
            // A key times the number of features is the sum that it is a share of, but for rounding.
            Metric::Hamming => key * self.center.len() as f64 * self.scale * (1.0 + 1e-12),
            Metric::Jaccard => f64::INFINITY,
        };
        let limit = ((scaled + UNDERFLOW) as f32).next_up();
        match key.is_finite() {
            // Above all bounds at most, but below the limit of a list that is not full.
            true => limit.min(f32::MAX / 2.0),
            false => limit,
        }
    }
}

/// The distance from a centre within which the values of most rows of a sample are: of all but 1 in
/// [`FAR_OUT`] of the rows that are not at the centre.
fn extent(sample: &Array2<f64>, center: &[f64]) -> f64 {
    let of_row = |row: ArrayView1<'_, f64>| {
        largest(row.iter().zip(center).map(|(value, center)| (value - center).abs()))
    };
    let of_rows = sample.outer_iter().map(of_row);
    let mut of_rows: Vec<f64> = gathered(of_rows.filter(|largest| *largest > 0.0));
    of_rows.sort_unstable_by(f64::total_cmp);
    let most = of_rows.len() - of_rows.len() / FAR_OUT;
    of_rows[..most].last().copied().unwrap_or(0.0)
}

fn largest(values: impl Iterator<Item = f64>) -> f64 {
    values.fold(0.0, f64::max)
}

/// The amount that rounding can add to a product of rows of `width` numbers, for each unit of the sum of
/// their squared lengths (see `blocked/`).
pub(in crate::neighbors::exact) fn rounding(width: usize) -> f64 {
    (4 * width + 16) as f64 * f64::from(f32::EPSILON / 2.0)
}

/// The squared distance up to which rounding blurs the distance of two scaled rows, by the sum of their
/// squared lengths.
pub(in crate::neighbors::exact) fn blurred(width: usize, squared_lengths: f64) -> f64 {
    BLURRED * (rounding(width).min(MOST_ROUNDING) * squared_lengths + UNDERFLOW)
}
