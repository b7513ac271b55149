//! Rows of bytes in place of rows: where each feature begins, and one step for all of them.
//!
//! Rows are written in steps, cut off below 0 and above 255, and rounded to whole numbers. To cut off moves no two
//! rows farther apart. To round moves two rows by Σ|xᵢ−x̃ᵢ| + Σ|yᵢ−ỹᵢ| at most, which is known of either row. So
//! the Manhattan distance of the bytes, less both, bounds that of the rows from below. Rows of whole numbers that
//! span no more than 255 lose nothing.
//!
//! A sample tells whether the bounds leave so few pairs that bytes pay: not where rows lie in tight groups far
//! apart.

use std::ops::Range;
use std::ptr;

use ndarray::Array2;

use crate::neighbors::exact::tuning::{BYTE_NS, HALVINGS, KEY_NS, LARGER_NS, TREE_KEY_NS};
use crate::run::progress::Meter;
use crate::samples::metric::Metric;
use crate::support::memory::{collected, filled};
use crate::support::random::spread;

/// The largest byte.
const LARGEST: f64 = u8::MAX as f64;
/// The most features: sums of differences are whole numbers that f32 has.
const MOST_FEATURES: usize = (1 << 24) / u8::MAX as usize;
/// Steps that f64 has without loss, as it has their inverse.
const STEPS: Range<f64> = 1e-120..1e120;

/// Rows for which the others that bounds leave are counted, and these others, at most.
const PROBES: usize = 8;
const OTHERS: usize = 64;
/// The distance of a row's nearest neighbour, by that of the nearest of so many others: in 20 dimensions, that
/// of 20,000 rows. In fewer dimensions neighbours are nearer still.
const NEARER: f64 = 0.75;
/// The share of the time of larger values that bytes may take, as a sample tells it: rows in many tight groups
/// (2 % of pairs left in place of 0.01 %) take twice as long as a sample tells.
const MUCH_FASTER: f64 = 0.5;

/// Where bytes begin, and by what values are multiplied: a power of two, which rounds nothing.
pub(in crate::neighbors::exact) struct Bytes {
    pub(in crate::neighbors::exact) origin: Vec<f64>,
    pub(in crate::neighbors::exact) scale: f64,
}

impl Bytes {
    /// Bytes for rows of which these are samples; `None` where they leave so many pairs of a row of the first
    /// and one of the last sample that they do not pay, or if the run is stopped.
    pub(in crate::neighbors::exact) fn of_samples(
        samples: &[Array2<f64>],
        center: &[f64],
        meter: &Meter,
    ) -> Option<Self> {
        let (first, last) = (samples.first()?, samples.last()?);
        if center.len() > MOST_FEATURES || first.nrows() < 2 || last.nrows() == 0 {
            return None;
        }
        let mut ends = filled([f64::INFINITY, f64::NEG_INFINITY], center.len());
        for row in samples.iter().flat_map(|sample| sample.outer_iter()) {
            for ([low, high], value) in ends.iter_mut().zip(row) {
                (*low, *high) = (low.min(*value), high.max(*value));
            }
        }
        let widest = ends.iter().map(|[low, high]| high - low).fold(0.0, f64::max);
        let step = (widest / LARGEST).log2().ceil().exp2();
        if !STEPS.contains(&step) {
            return None;
        }
        let [probes, others] = [(last, PROBES), (first, OTHERS)].map(|(sample, most)| {
            let rows = spread(sample.nrows(), sample.nrows().div_ceil(most));
            collected(rows.map(|row| sample.row(row).to_slice().expect("rows are contiguous")))
        });
        let pairs = Pairs::of(&probes, &others);
        let pays = |bytes: &Self| {
            // A pair that is left is compared by key from both of its rows.
            let of_left = 2.0 * (KEY_NS + TREE_KEY_NS / center.len() as f64);
            BYTE_NS + of_left * pairs.share_left(bytes, NEARER) < MUCH_FASTER * LARGER_NS
        };
        // Finer steps round less, and cut off more.
        let mut halved = (0..HALVINGS)
            .take_while(|_| !meter.stopped())
            .map(|halvings| step * 0.5_f64.powi(halvings))
            .map(|step| Self::of_step(step, &ends, center));
        let first_that_pays = halved.find(pays)?;
        let left = |bytes: &Self| pairs.share_left(bytes, 1.0);
        let finer = halved.next().filter(|finer| left(finer) < left(&first_that_pays));
        Some(finer.unwrap_or(first_that_pays))
    }

    /// Bytes of a step. Of a feature that spans more, the values about the centre are those that are not cut
    /// off.
    fn of_step(step: f64, ends: &[[f64; 2]], center: &[f64]) -> Self {
        let origin = ends.iter().zip(center).map(|([low, high], center)| {
            let about = (center - 0.5 * LARGEST * step).min(high - LARGEST * step).max(*low);
            (about / step).floor() * step
        });
        Self { origin: collected(origin), scale: step.recip() }
    }

    /// A row in bytes, and the distance that rounding has moved it by, in steps.
    fn rounded(&self, row: &[f64]) -> (Vec<f64>, f64) {
        let steps = row.iter().zip(&self.origin).map(|(x, origin)| (x - origin) * self.scale);
        let mut bytes: Vec<f64> = collected(steps);
        let lost = round(&mut bytes);
        (bytes, lost)
    }
}

/// Some rows beside others, of which a row may be one itself.
struct Pairs<'a> {
    rows: &'a [&'a [f64]],
    others: &'a [&'a [f64]],
    /// The distance of each row to its nearest other.
    nearest: Vec<f64>,
}

impl<'a> Pairs<'a> {
    fn of(rows: &'a [&'a [f64]], others: &'a [&'a [f64]]) -> Self {
        let nearest = rows.iter().map(|row| {
            let others = others.iter().filter(|other| !ptr::eq(**other, *row));
            let distances = others.map(|other| Metric::Manhattan.key(row, other));
            distances.fold(f64::INFINITY, f64::min)
        });
        Self { rows, others, nearest: collected(nearest) }
    }

    /// The share of pairs that bounds leave, once a neighbour of each row is known at so much of the distance
    /// of the nearest other.
    fn share_left(&self, bytes: &Bytes, nearer: f64) -> f64 {
        let others: Vec<_> =
            collected(self.others.iter().map(|other| (*other, bytes.rounded(other))));
        let left_of = |(row, nearest): (&&[f64], &f64)| {
            let (of_row, lost) = bytes.rounded(row);
            let others = others.iter().filter(|(other, _)| !ptr::eq(*other, *row));
            let bounds = others.map(|(_, (of_other, lost_of_other))| {
                Metric::Manhattan.key(&of_row, of_other) - lost - lost_of_other
            });
            bounds.filter(|bound| *bound <= nearer * nearest * bytes.scale).count()
        };
        let left: usize = self.rows.iter().zip(&self.nearest).map(left_of).sum();
        left as f64 / (self.rows.len() * others.len()) as f64
    }
}

/// Rounds a row in steps to whole numbers from 0 to 255, and returns the distance that rounding moves it by.
pub(in crate::neighbors::exact) fn round(steps: &mut [f64]) -> f64 {
    let mut lost = 0.0;
    for step in steps {
        let within = step.clamp(0.0, LARGEST);
        *step = within.round_ties_even();
        lost += (within - *step).abs();
    }
    lost
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::random::scrambled;

    fn noise(number: usize) -> f64 {
        (scrambled(number as u64) >> 40) as f64 / (1 << 24) as f64
    }

    fn bytes_of(sample: &Array2<f64>) -> Option<Bytes> {
        let center = sample.row(0).to_vec();
        let meter = Meter::stopped_at_once(false);
        Bytes::of_samples(std::slice::from_ref(sample), &center, &meter)
    }

    #[test]
    fn whole_numbers_lose_nothing() {
        for (least, span, unit) in [(0.0, 256.0, 1.0), (-1e6, 100.0, 1.0), (3.0, 200.0, 0.125)] {
            let whole = |(i, j)| unit * (least + (span * noise(100 * i + j)).floor());
            let sample = Array2::from_shape_fn((200, 30), whole);
            let bytes = bytes_of(&sample).expect("bytes pay");
            for row in 0..200 {
                assert_eq!(
                    bytes.rounded(sample.row(row).to_slice().unwrap()).1,
                    0.0,
                    "{least} {span} {unit}"
                );
            }
        }
    }

    #[test]
    fn bytes_are_not_for_tight_groups_and_few_huge_values() {
        let even = |(i, j)| noise(100 * i + j);
        let groups = |(i, j)| (i % 3) as f64 * 1e4 + noise(100 * i + j);
        let huge = |(i, j)| noise(100 * i + j) * if (i + j) % 50 == 0 { 1e6 } else { 1.0 };
        assert!(bytes_of(&Array2::from_shape_fn((200, 30), even)).is_some());
        assert!(bytes_of(&Array2::from_shape_fn((200, 30), groups)).is_none());
        assert!(bytes_of(&Array2::from_shape_fn((200, 30), huge)).is_none());
        // Some values far out are cut off.
        let mut outlier = Array2::from_shape_fn((200, 30), even);
        outlier[[17, 3]] = 1e3;
        assert!(bytes_of(&outlier).is_some());
        assert!(bytes_of(&Array2::from_elem((200, 30), 7.0)).is_none());
    }
}
