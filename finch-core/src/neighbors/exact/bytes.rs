//! Rows of bytes in place of rows: where each feature begins, and one step for all of them.
//!
//! Written in steps, cut off below 0 and above 255, and rounded to whole numbers, two rows come nearer to each
//! other, or farther by Σ|xᵢ−x̃ᵢ| + Σ|yᵢ−ỹᵢ| at most, what rounding moves either row by: what is cut off moves no
//! two rows farther apart. So the Manhattan distance of the bytes, less both, bounds that of the rows from
//! below. Rows of whole numbers that span no more than 255 lose nothing.
//!
//! A sample tells whether the bounds leave so few pairs that bytes pay: not where rows lie in tight groups far
//! apart.

use ndarray::Array2;

use super::tuning::{BYTE_NS, HALVINGS, KEY_NS, LARGER_NS, PROBES, TREE_KEY_NS};
use crate::memory::{collected, copied, filled};
use crate::metric::Metric;
use crate::rows::spread;

/// The largest byte.
const LARGEST: f64 = u8::MAX as f64;
/// The most features: sums of differences are whole numbers that f32 has.
const MOST_FEATURES: usize = (1 << 24) / u8::MAX as usize;
/// Steps that f64 has without loss, as it has their inverse.
const STEPS: std::ops::Range<f64> = 1e-120..1e120;

/// The distance of a row's nearest neighbour, by that of its nearest in a sample: in 17 dimensions, of 20,000
/// rows by that of 255. In fewer dimensions neighbours are nearer still.
const NEARER: f64 = 0.75;
/// The share of the time of larger values that bytes may take, as a sample tells it: rows in many tight groups
/// (2 % of pairs left in place of 0.01 %) take twice as long as a sample tells.
const MUCH_FASTER: f64 = 0.5;
/// Where bytes begin, and by what values are multiplied: a power of two, which rounds nothing.
pub(super) struct Bytes {
    pub(super) origin: Vec<f64>,
    pub(super) scale: f64,
}

impl Bytes {
    /// Bytes for rows of which these are samples; `None` where they leave so many pairs of a row of the first
    /// and one of the last sample that they do not pay.
    pub(super) fn of_samples(samples: &[Array2<f64>], center: &[f64]) -> Option<Self> {
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
        let probes = || spread(last.nrows(), last.nrows().div_ceil(PROBES));
        let left = |bytes: &Self, nearer: f64| {
            let itself = |probe: usize| (samples.len() == 1).then_some(probe);
            let probes = probes().map(|probe| (bytes.rounded(last, probe), itself(probe)));
            bytes.share_left(first, probes, nearer)
        };
        let pays = |bytes: &Self| {
            // A pair that is left is compared by key from both of its rows.
            let of_left = 2.0 * (KEY_NS + TREE_KEY_NS / center.len() as f64);
            BYTE_NS + of_left * left(bytes, NEARER) < MUCH_FASTER * LARGER_NS
        };
        // Finer steps round less, and cut off more.
        let mut halved = (0..HALVINGS)
            .map(|halvings| step * 0.5_f64.powi(halvings))
            .map(|step| Self::of_step(step, &ends, center));
        let first_that_pays = halved.find(pays)?;
        let finer = halved.next().filter(|finer| left(finer, 1.0) < left(&first_that_pays, 1.0));
        Some(finer.unwrap_or(first_that_pays))
    }

    /// Bytes of a step. Of a feature that spans more, the values about the centre are those that are not cut
    /// off.
    fn of_step(step: f64, ends: &[[f64; 2]], center: &[f64]) -> Self {
        let origin = ends.iter().zip(center).map(|([low, high], center)| {
            let about = (center - 0.5 * LARGEST * step).min(high - LARGEST * step).max(*low);
            (about / step).floor() * step
        });
        Self { origin: origin.collect(), scale: step.recip() }
    }

    /// A row of a sample.
    fn rounded(&self, sample: &Array2<f64>, row: usize) -> Rounded {
        let values = sample.row(row);
        let steps =
            values.iter().zip(&self.origin).map(|(value, origin)| (value - origin) * self.scale);
        let exact: Vec<f64> = collected(steps);
        let mut bytes = copied(&exact);
        let lost = round(&mut bytes);
        Rounded { exact, bytes, lost }
    }

    /// The share of the rows of a sample that bounds leave to some rows, once a neighbour is known at so much of
    /// the distance of the nearest of the sample. A row that is of the sample comes with its number there.
    fn share_left(
        &self,
        sample: &Array2<f64>,
        rows: impl ExactSizeIterator<Item = (Rounded, Option<usize>)>,
        nearer: f64,
    ) -> f64 {
        let others: Vec<Rounded> =
            collected((0..sample.nrows()).map(|row| self.rounded(sample, row)));
        let pairs = rows.len() * others.len();
        let left_of = |(row, itself): (Rounded, Option<usize>)| {
            let others = || {
                let others = others.iter().enumerate();
                others.filter(|(number, _)| Some(*number) != itself).map(|(_, other)| other)
            };
            let distance = |x: &[f64], y: &[f64]| Metric::Manhattan.key(x, y);
            let nearest = others().map(|other| distance(&row.exact, &other.exact));
            let nearest = nearest.fold(f64::INFINITY, f64::min);
            let bound =
                |other: &Rounded| distance(&row.bytes, &other.bytes) - row.lost - other.lost;
            others().filter(|other| bound(other) <= nearer * nearest).count()
        };
        rows.map(left_of).sum::<usize>() as f64 / pairs as f64
    }
}

/// A row in steps from the origin.
struct Rounded {
    exact: Vec<f64>,
    /// Whole numbers from 0 to 255.
    bytes: Vec<f64>,
    /// The distance that rounding has moved the row by.
    lost: f64,
}

/// Rounds a row in steps to whole numbers from 0 to 255, and returns the distance that rounding moves it by.
pub(super) fn round(steps: &mut [f64]) -> f64 {
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
    use crate::rows::scrambled;

    fn noise(number: usize) -> f64 {
        (scrambled(number as u64) >> 40) as f64 / (1 << 24) as f64
    }

    fn bytes_of(sample: &Array2<f64>) -> Option<Bytes> {
        let center = sample.row(0).to_vec();
        Bytes::of_samples(std::slice::from_ref(sample), &center)
    }

    #[test]
    fn whole_numbers_lose_nothing() {
        for (least, span, unit) in [(0.0, 256.0, 1.0), (-1e6, 100.0, 1.0), (3.0, 200.0, 0.125)] {
            let whole = |(i, j)| unit * (least + (span * noise(100 * i + j)).floor());
            let sample = Array2::from_shape_fn((200, 30), whole);
            let bytes = bytes_of(&sample).expect("bytes pay");
            for row in 0..200 {
                assert_eq!(bytes.rounded(&sample, row).lost, 0.0, "{least} {span} {unit}");
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
