//! Distances between samples, and the one sum that decides which distance is smaller.
//!
//! Every exact search ends with the sum in this file. A search may filter with anything; the samples
//! that pass its filter are compared by their *key*, summed directly over features in f64 in one fixed
//! order. So all searches give the same first neighbours bit for bit, on every machine and for every
//! memory layout.
//!
//! A new metric is a variant of [`Metric`] with an answer in each `match` of this file. [`Rows`]
//! prepares rows for a metric before they are compared, and `neighbors/exact/points.rs`
//! bounds each from below for the k-d tree. Which other searches serve a metric follows
//! from [`Metric::has_products`] and [`Metric::is_of_bits`].
//!
//! [`Rows`]: crate::rows::Rows

use crate::element::Element;
use crate::names::named;
use crate::vector::{stored, vectorized};

/// How far two samples are from each other.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Metric {
    /// √Σ(xᵢ−yᵢ)², in the unit of the features.
    #[default]
    Euclidean,
    /// 1 − cos(x, y), from 0 to 2. An all-zero sample has distance 1 to every other sample.
    Cosine,
    /// Σ|xᵢ−yᵢ|, in the unit of the features.
    Manhattan,
    /// The share of features that differ, of samples of 0 and 1: Σ|xᵢ−yᵢ|/d, which is also how far
    /// means are from each other.
    Hamming,
    /// 1 − |x∩y|/|x∪y| of samples of 0 and 1, as sets of the features that are 1; 0 for two samples
    /// without such features. In general Σ|xᵢ−yᵢ|/Σmax(|xᵢ|, |yᵢ|), which is also how far means are
    /// from each other (Ruzicka).
    Jaccard,
}

named!(
    Metric,
    "metric",
    Euclidean = "euclidean",
    Cosine = "cosine",
    Manhattan = "manhattan",
    Hamming = "hamming",
    Jaccard = "jaccard",
);

impl Metric {
    /// The metrics of any numbers. All others are for samples of 0 and 1.
    pub const OF_NUMBERS: &'static [Self] = &[Self::Euclidean, Self::Cosine, Self::Manhattan];

    /// The key of two rows, which is compared in place of their distance: the squared Euclidean
    /// distance; for cosine the squared Euclidean distance of the normalised rows, which is 2 − 2cos;
    /// or the distance itself.
    ///
    /// Not ‖x‖²+‖y‖²−2x·y, which cancels: close neighbours would be told apart by rounding.
    #[inline]
    pub(crate) fn key(self, x: &[f64], y: &[f64]) -> f64 {
        match self {
            Metric::Euclidean => squares(x, y),
            Metric::Manhattan => sum(x, y, |x, y| (x - y).abs()),
            Metric::Hamming => sum(x, y, |x, y| (x - y).abs()) / x.len() as f64,
            Metric::Jaccard => of_union(differences(x, y), larger(x, y)),
            Metric::Cosine => {
                let key = squares(x, y);
                // A row without direction is loaded as NaN; it is orthogonal to everything.
                if key.is_nan() { ORTHOGONAL } else { key }
            }
        }
    }

    /// A lower bound of the keys of a row and all rows in a box, which has a least and a greatest
    /// value for each feature: the key of the row and the nearest point of the box. The bound needs no
    /// slack for rounding: differences, terms and sums are rounded as those of a key, and rounding
    /// never turns ≤ around.
    #[inline]
    pub(crate) fn key_to_box(self, x: &[f64], bounds: &[[f64; 2]]) -> f64 {
        let apart = |x: f64, [low, high]: [f64; 2]| f64::max(f64::max(low - x, x - high), 0.0);
        let square = |x, bounds| apart(x, bounds) * apart(x, bounds);
        match self {
            Metric::Euclidean => sum(x, bounds, square),
            Metric::Manhattan => sum(x, bounds, apart),
            Metric::Hamming => sum(x, bounds, apart) / x.len() as f64,
            Metric::Jaccard => {
                let larger = |x: f64, [low, high]: [f64; 2]| {
                    f64::max(x.abs(), f64::max(low.abs(), high.abs()))
                };
                of_union(sum(x, bounds, apart), sum(x, bounds, larger))
            }
            Metric::Cosine if x[0].is_nan() => ORTHOGONAL,
            Metric::Cosine => sum(x, bounds, square),
        }
    }

    /// Whether the key is the squared Euclidean distance of rows as they are loaded, so that
    /// products of rows give the key.
    pub(crate) fn has_products(self) -> bool {
        match self {
            Metric::Euclidean | Metric::Cosine => true,
            Metric::Manhattan | Metric::Hamming | Metric::Jaccard => false,
        }
    }

    /// Whether the metric is for samples of 0 and 1. Means are compared by it, too.
    pub fn is_of_bits(self) -> bool {
        !Self::OF_NUMBERS.contains(&self)
    }

    /// The key of two samples of 0 and 1, of so many features: of these, so many differ, and so many
    /// are 1 in one sample and the other, added up. Not for cosine, whose key is a rounded sum.
    pub(crate) fn key_of_bits(self, features: usize, differing: u64, ones: u64) -> f64 {
        // A union counts what is in both samples once: ½(ones + differing).
        let differing = differing as f64;
        match self {
            Metric::Euclidean | Metric::Manhattan => differing,
            Metric::Hamming => differing / features as f64,
            Metric::Jaccard => of_union(differing, 0.5 * (ones as f64 + differing)),
            Metric::Cosine => unreachable!("rows are compared by their sums under cosine"),
        }
    }

    /// The squared distance that a key stands for: the key itself, or the square of a key that is a
    /// distance.
    pub(crate) fn squared(self, key: f64) -> f64 {
        match self {
            Metric::Euclidean | Metric::Cosine => key,
            Metric::Manhattan | Metric::Hamming | Metric::Jaccard => key * key,
        }
    }

    /// A lower bound of the key of two rows that are at least this squared Euclidean distance apart.
    pub(crate) fn key_from(self, squared: f64) -> f64 {
        match self {
            Metric::Euclidean | Metric::Cosine => squared,
            // Σ|xᵢ| ≥ √Σxᵢ²; the factor makes up for the rounding of the root.
            Metric::Manhattan => squared.sqrt() * (1.0 - 1e-12),
            // It depends on the number of features, and on what the rows have in common.
            Metric::Hamming | Metric::Jaccard => 0.0,
        }
    }

    /// The distance that a key stands for.
    pub(crate) fn distance(self, key: f64) -> f64 {
        match self {
            Metric::Euclidean => key.sqrt(),
            Metric::Cosine => key / 2.0,
            Metric::Manhattan | Metric::Hamming | Metric::Jaccard => key,
        }
    }
}

/// A sum of differences as a share of what two rows have together; 0 where they have nothing.
#[inline(always)]
fn of_union(differences: f64, union: f64) -> f64 {
    if union == 0.0 { 0.0 } else { differences / union }
}

/// The cosine key of two directions at a right angle: 2 − 2·0.
pub(crate) const ORTHOGONAL: f64 = 2.0;

/// Σ term(xᵢ, yᵢ) in the order in which NumPy sums a row, so that anybody can check a distance to
/// the last bit: features 8 apart share one of 8 partial sums (which the compiler keeps in vector
/// registers), then the partial sums in pairs, then the features that are left over; and more than
/// 128 features are summed by halves.
///
/// The order matters where two means are at equal distances but for rounding. On letter under
/// cosine, summing one by one gives 1322 clusters in the second partition, this order 1323.
#[inline]
pub(crate) fn sum<A: Copy>(x: &[f64], y: &[A], term: impl Fn(f64, A) -> f64 + Copy) -> f64 {
    by_halves(x, y, |x, y| by_lanes(x, y, term))
}

/// Σ(xᵢ−yᵢ)², in the order of [`sum`].
pub(crate) fn squares<A: Element>(x: &[f64], y: &[A]) -> f64 {
    by_halves(x, y, |x, y| squares_of_block(x, y))
}

/// √Σxᵢ², in the order of [`sum`].
pub(crate) fn length<A: Element>(x: &[A]) -> f64 {
    by_halves(x, x, |x, _| squares_from_zero(x)).sqrt()
}

/// The key of a row of length 1 and the direction of another row, which is divided by its length as it is
/// read; `None` for a row that is lifted before its squares are added (see [`Rows::load`]).
///
/// [`Rows::load`]: crate::rows::Rows::load
pub(crate) fn cosine_key<A: Element>(row: &[f64], other: &[A]) -> Option<f64> {
    let length = length(other);
    // With values below 1e-100 alone, a row of this length would have more than 10^20 of them.
    let key =
        (length > 1e-90).then(|| by_halves(row, other, |x, y| squares_of_parts(x, y, length)))?;
    Some(if key.is_nan() { ORTHOGONAL } else { key })
}

/// A number that the key of a row of length 1 and the direction of another row is not below, and
/// hardly above; NaN, or 0, where the other row's length cannot be squared.
pub(crate) fn least_cosine_key<A: Element>(row: &[f64], other: &[A]) -> f64 {
    let [product, square] = products(row, other);
    if !(1e-200..1e200).contains(&square) {
        return 0.0;
    }
    // What rounding adds to a cosine and to a key, several times over.
    let slack = 16.0 * (row.len() + 16) as f64 * f64::EPSILON;
    2.0 - 2.0 * product / square.sqrt() - slack
}

vectorized! {
    /// Σxᵢyᵢ and Σyᵢ², in any order.
    fn products<'a, A: Element>(x: &'a [f64], y: &'a [A]) -> [f64; 2] {
        const WIDE: usize = 4 * LANES;
        let ((x, x_rest), (y, y_rest)) = (x.as_chunks::<WIDE>(), y.as_chunks::<WIDE>());
        let [mut product, mut square] = [[0.0; WIDE]; 2];
        for (x, y) in x.iter().zip(y) {
            for lane in 0..WIDE {
                let y = y[lane].to_f64();
                product[lane] += x[lane] * y;
                square[lane] += y * y;
            }
        }
        let mut sums = [0.0; 2];
        for (x, y) in x_rest.iter().zip(y_rest) {
            let y = y.to_f64();
            sums = [sums[0] + x * y, sums[1] + y * y];
        }
        for lane in 0..WIDE {
            sums = [sums[0] + product[lane], sums[1] + square[lane]];
        }
        sums
    }
}

/// The most features that are summed without halving them.
pub(crate) const BLOCK: usize = 128;
/// Partial sums of a block.
pub(crate) const LANES: usize = 8;

#[inline]
fn by_halves<X, Y>(x: &[X], y: &[Y], block: impl Fn(&[X], &[Y]) -> f64 + Copy) -> f64 {
    if x.len() <= BLOCK {
        return block(x, y);
    }
    let half = x.len() / 2 / LANES * LANES;
    let ((x_front, x_back), (y_front, y_back)) = (x.split_at(half), y.split_at(half));
    by_halves(x_front, y_front, block) + by_halves(x_back, y_back, block)
}

/// Σ|xᵢ−yᵢ|, in the order of [`sum`].
fn differences<A: Element>(x: &[f64], y: &[A]) -> f64 {
    by_halves(x, y, |x, y| differences_of_block(x, y))
}

/// Σmax(|xᵢ|, |yᵢ|), in the order of [`sum`].
fn larger<A: Element>(x: &[f64], y: &[A]) -> f64 {
    by_halves(x, y, |x, y| larger_of_block(x, y))
}

vectorized! {
    fn differences_of_block<'a, A: Element>(x: &'a [f64], y: &'a [A]) -> f64 {
        by_lanes(x, y, |x, y| (x - y.to_f64()).abs())
    }
}

vectorized! {
    fn larger_of_block<'a, A: Element>(x: &'a [f64], y: &'a [A]) -> f64 {
        by_lanes(x, y, |x, y| f64::max(x.abs(), y.to_f64().abs()))
    }
}

vectorized! {
    fn squares_of_block<'a, A: Element>(x: &'a [f64], y: &'a [A]) -> f64 {
        by_lanes(x, y, |x, y| (x - y.to_f64()) * (x - y.to_f64()))
    }
}

vectorized! {
    fn squares_from_zero<'a, A: Element>(x: &'a [A]) -> f64 {
        by_lanes(x, x, |x, _| x.to_f64() * x.to_f64())
    }
}

vectorized! {
    /// Σ(xᵢ−yᵢ/whole)².
    fn squares_of_parts<'a, A: Element>(x: &'a [f64], y: &'a [A], whole: f64) -> f64 {
        by_lanes(x, y, |x, y| {
            let difference = x - y.to_f64() / whole;
            difference * difference
        })
    }
}

/// The sum over one block: 8 partial sums, their sum in pairs, then the features left over.
#[inline(always)]
pub(crate) fn by_lanes<X: Copy, Y: Copy>(x: &[X], y: &[Y], term: impl Fn(X, Y) -> f64) -> f64 {
    let (x_lanes, x_rest) = x.as_chunks::<LANES>();
    let (y_lanes, y_rest) = y.as_chunks::<LANES>();
    let mut partial = [0.0; LANES];
    for (x, y) in x_lanes.iter().zip(y_lanes) {
        for lane in 0..LANES {
            partial[lane] += term(x[lane], y[lane]);
        }
    }
    let [a, b, c, d, e, f, g, h] = stored(partial);
    let total = ((a + b) + (c + d)) + ((e + f) + (g + h));
    x_rest.iter().zip(y_rest).fold(total, |total, (&x, &y)| total + term(x, y))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::scrambled;

    #[test]
    fn no_row_in_a_box_has_a_key_below_that_to_the_box() {
        let number = |i: usize| (scrambled(i as u64) >> 40) as f64 / 3e6 - 2.0;
        for features in [1, 2, 7, 8, 19, 200] {
            for trial in 0..50 {
                let row = |number_of_row: usize| -> Vec<f64> {
                    let first = (trial * 4 + number_of_row) * features;
                    (first..first + features).map(number).collect()
                };
                let [x, a, b] = [0, 1, 2].map(row);
                let bounds: Vec<[f64; 2]> =
                    a.iter().zip(&b).map(|(a, b)| [a.min(*b), a.max(*b)]).collect();
                for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
                    let least = metric.key_to_box(&x, &bounds);
                    assert!(least <= metric.key(&x, &a) && least <= metric.key(&x, &b));
                    assert_eq!(metric.key_to_box(&a, &bounds), 0.0);
                    let nearest: Vec<f64> = x
                        .iter()
                        .zip(&bounds)
                        .map(|(x, [low, high])| x.clamp(*low, *high))
                        .collect();
                    assert_eq!(least, metric.key(&x, &nearest), "{metric:?} {features}");
                }
            }
        }
    }
}
