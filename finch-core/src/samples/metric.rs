//! Distances between samples, and the one sum that decides which distance is smaller.
//!
//! Every exact search ends with the sum in this file. A search may filter with anything; the samples
//! that pass its filter are compared by their *key*, summed directly over features in f64 in one fixed
//! order. So all searches give the same first neighbours bit for bit, on every machine and for every
//! memory layout.
//!
//! # The key of cosine
//!
//! The key is 2 − 2cos, from p = x·y, a = ‖x‖² and b = ‖y‖² of the rows as given:
//!
//! ```text
//! cos² ≥ ½, p > 0:  s = (ab − p²)/(ab),  key = 2s/(1 + √(1 − s))      (s is sin²)
//! else:             c = p²/(ab),         key = 2 − 2√c, or 2 + 2√c where p < 0
//! ```
//!
//! p, a, b and the numbers up to s and c have 106 bits (`twofold.rs`). Of small whole numbers p, a and b are
//! exact. So the key hangs on no order of columns, and two rows of which one is a multiple of the other, or
//! whose cosines with a third row are the same fraction, are equally near to it bit for bit. A row may be
//! multiplied by a power of two. The error of 1 − cos is 2⁻¹⁰⁰ or so beside a few roundings of the result: rows
//! that are nearly parallel are told apart.
//!
//! Rejected:
//! - Σ(xᵢ/‖x‖ − yᵢ/‖y‖)², which each normalised value rounds. Ties of whole numbers break with the order of the
//!   columns, and an angle of 10⁻¹² is known to 4 digits.
//! - 1 − p/√(ab) in f64: ties of whole numbers hold, but the error of 10⁻¹⁶ makes all angles below 10⁻⁸ equal.
//! - Σ(xᵢyⱼ − xⱼyᵢ)², the squared minors, which is ab − p² without cancellation: it takes d² terms.
//! - Exact sums of any f64 (a superaccumulator): ten times as slow, for ties of numbers that are not whole, which
//!   are hardly ever exact.
//!
//! A new metric is a variant of [`Metric`] with an answer in each `match` of this file. [`Rows`]
//! prepares rows for a metric before they are compared, and `neighbors/exact/kd_tree/points.rs`
//! bounds each from below for the k-d tree. The choice of other searches for a metric follows from
//! [`Metric::has_products`] and [`Metric::is_of_bits`].
//!
//! [`Rows`]: crate::samples::rows::Rows

use std::ops::RangeInclusive;

use super::element::{Element, ElementType};
use super::twofold::{Products, SumOfProducts, Twofold, products};
use crate::support::names::named;
use crate::support::simd::{stored, vectorized};

/// The distance of two samples.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Metric {
    /// √Σ(xᵢ−yᵢ)², in the unit of the features.
    #[default]
    Euclidean,
    /// 1 − cos(x, y), from 0 to 2. A sample of zeros has no direction: it is at distance 0 from others of
    /// zeros, and no neighbour of any other sample.
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

    /// The key of two rows as given, which is compared in place of their distance: the squared Euclidean
    /// distance; for cosine 2 − 2cos, which is the squared distance of the rows as points; or the
    /// distance itself.
    ///
    /// For Euclidean not ‖x‖²+‖y‖²−2x·y, which cancels: close neighbours would be told apart by rounding.
    #[inline]
    pub(crate) fn key(self, x: &[f64], y: &[f64]) -> f64 {
        match self {
            Metric::Euclidean => squares(x, y),
            Metric::Manhattan => sum(x, y, |x, y| (x - y).abs()),
            Metric::Hamming => sum(x, y, |x, y| (x - y).abs()) / x.len() as f64,
            Metric::Jaccard => of_union(differences(x, y), larger(x, y)),
            Metric::Cosine => cosine_key(x, y, ElementType::F64),
        }
    }

    /// A lower bound of the keys of a row and all rows in a box of points, which has a least and a greatest
    /// value for each feature. The row is a point itself (see [`Rows::load_point`]).
    ///
    /// But for cosine, the bound is the key of the row and the nearest point of the box, and needs no
    /// slack for rounding: differences, terms and sums are rounded as those of a key, and rounding
    /// never turns ≤ around.
    ///
    /// [`Rows::load_point`]: crate::samples::rows::Rows::load_point
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
            // Other zero rows are as near as can be.
            Metric::Cosine if x[0].is_nan() => 0.0,
            Metric::Cosine => self.key_from(sum(x, bounds, square)),
        }
    }

    /// True if the key is the squared Euclidean distance of rows as points, but for rounding, so that
    /// products of points bound the key.
    pub(crate) fn has_products(self) -> bool {
        match self {
            Metric::Euclidean | Metric::Cosine => true,
            Metric::Manhattan | Metric::Hamming | Metric::Jaccard => false,
        }
    }

    /// True if the metric is for samples of 0 and 1. Means are compared by it, too.
    pub fn is_of_bits(self) -> bool {
        !Self::OF_NUMBERS.contains(&self)
    }

    /// The key of two samples of 0 and 1, of so many features: of these, so many differ, and so many
    /// are 1 in one sample and the other, added up. Not for cosine, whose key takes three numbers.
    pub(crate) fn key_of_bits(self, features: usize, differing: u64, ones: u64) -> f64 {
        // A union counts what is in both samples once: ½(ones + differing).
        let differing = differing as f64;
        match self {
            Metric::Euclidean | Metric::Manhattan => differing,
            Metric::Hamming => differing / features as f64,
            Metric::Jaccard => of_union(differing, 0.5 * (ones as f64 + differing)),
            Metric::Cosine => unreachable!("bits are not counted under cosine"),
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

    /// The largest squared Euclidean distance, as points, of two rows whose key is at most this one.
    pub(crate) fn squared_of_points(self, key: f64) -> f64 {
        match self {
            Metric::Cosine => (key.sqrt() + POINTS_MOVED).powi(2) * (1.0 + POINTS_MOVED),
            Metric::Euclidean | Metric::Manhattan | Metric::Hamming | Metric::Jaccard => {
                self.squared(key)
            }
        }
    }

    /// A lower bound of the key of two rows that are at least this squared Euclidean distance apart, as
    /// points.
    pub(crate) fn key_from(self, squared: f64) -> f64 {
        match self {
            Metric::Euclidean => squared,
            Metric::Cosine => {
                f64::max(squared.sqrt() - POINTS_MOVED, 0.0).powi(2) * (1.0 - POINTS_MOVED)
            }
            // Σ|xᵢ| ≥ √Σxᵢ²; the factor makes up for the rounding of the root.
            Metric::Manhattan => squared.sqrt() * (1.0 - 1e-12),
            // It depends on the number of features, and on what the rows have in common.
            Metric::Hamming | Metric::Jaccard => 0.0,
        }
    }

    /// The distance that a key stands for, of rows that need not be neighbours: 2 for a zero row and another row
    /// under cosine, the largest there is.
    pub(crate) fn finite_distance(self, key: f64) -> f64 {
        self.distance(self.finite(key))
    }

    /// The key of [`Metric::finite_distance`].
    pub(crate) fn finite(self, key: f64) -> f64 {
        match self {
            Metric::Cosine => key.min(4.0),
            Metric::Euclidean | Metric::Manhattan | Metric::Hamming | Metric::Jaccard => key,
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

    /// A distance as a length: 1 − cos is half the square of the distance of the normalised rows.
    pub(crate) fn length(self, distance: f64) -> f64 {
        match self {
            Metric::Cosine => distance.sqrt(),
            Metric::Euclidean | Metric::Manhattan | Metric::Hamming | Metric::Jaccard => distance,
        }
    }
}

/// A sum of differences as a share of what two rows have together; 0 where they have nothing.
#[inline(always)]
pub(crate) fn of_union(differences: f64, union: f64) -> f64 {
    if union == 0.0 { 0.0 } else { differences / union }
}

/// Σ term(xᵢ, yᵢ) in the order in which NumPy sums a row, so that anybody can check a distance to
/// the last bit: features 8 apart share one of 8 partial sums (which the compiler keeps in vector
/// registers), then the partial sums in pairs, then the features that are left over; and more than
/// 128 features are summed by halves.
///
/// The order matters where two means are at equal distances but for rounding.
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

/// The amount that rounding may add to the distance of two rows as points under cosine, or take from it, beside
/// √key. A point is a row divided by its length, of which the sum of squares has at most 52 roundings on the
/// way of each term, then the root and the quotient one each: 28·2⁻⁵³ of the length, 1, for each of the two
/// points. Then the root of a key, which is 2 at most, has a few. Twice as much, for safety.
pub(crate) const POINTS_MOVED: f64 = 64.0 * f64::EPSILON;

/// Squared lengths whose products neither overflow nor lose digits, also of rows that have some far smaller values.
const SOUND_SQUARES: RangeInclusive<f64> = 3.9e-121..=2.5e120;

/// The cosine key of two rows as given. Both are of type `of`, or of a narrower one, whatever they are read from.
pub(crate) fn cosine_key<A: Element>(x: &[f64], y: &[A], of: ElementType) -> f64 {
    let Products { product, squares } = Products::of(x, y, of);
    match squares.into_iter().all(is_sound_square) {
        true => key_of_products(product, squares),
        false => lifted_key(x, y),
    }
}

/// [`cosine_key`], or infinity where one look tells that it is above `limit`.
pub(crate) fn cosine_key_within<A: Element>(
    x: &[f64],
    y: &[A],
    of: ElementType,
    limit: f64,
) -> f64 {
    // Of whole numbers a look tells the key.
    if !of.is_whole() && limit < f64::INFINITY {
        let [product, of_x, of_y] = products(x, y);
        let cosine = product * (inverse_length(of_x) * inverse_length(of_y));
        if is_above(cosine, x.len(), limit) {
            return f64::INFINITY;
        }
    }
    cosine_key(x, y, of)
}

/// True if the key of two rows of so many features is above `limit`, by a cosine that is a rounded sum of
/// rounded products, or is not a number.
pub(crate) fn is_above(cosine: f64, features: usize, limit: f64) -> bool {
    2.0 - 2.0 * cosine - slack_of_cosine(features) > limit
}

/// The amount by which 2 − 2cos, by a cosine that is a rounded sum of so many rounded products, may be off the key,
/// several times over.
pub(crate) fn slack_of_cosine(features: usize) -> f64 {
    16.0 * (features + 16) as f64 * f64::EPSILON
}

/// 1/‖x‖ of a squared length; not a number for a row that is not compared as it is.
pub(crate) fn inverse_length(square: f64) -> f64 {
    if is_sound(square) { 1.0 / square.sqrt() } else { f64::NAN }
}

/// The key of rows whose squared lengths are too large or too small to be multiplied, or 0: each row is multiplied by
/// a power of two, which changes no key.
#[cold]
fn lifted_key<A: Element>(x: &[f64], y: &[A]) -> f64 {
    let largest_of_x = x.iter().fold(0.0, |largest, value| f64::max(largest, value.abs()));
    let largest_of_y = y.iter().fold(0.0, |largest, value| f64::max(largest, value.to_f64().abs()));
    if largest_of_x == 0.0 || largest_of_y == 0.0 {
        return key_of_zero_row(largest_of_x == largest_of_y);
    }
    let [of_x, of_y] = [largest_of_x, largest_of_y].map(lift);
    let [mut product, mut squared, mut squared_other] = [SumOfProducts::default(); 3];
    for (feature, (x, y)) in x.iter().zip(y).enumerate() {
        let (x, y) = (x * of_x, y.to_f64() * of_y);
        product.add(feature, x, y);
        squared.add(feature, x, x);
        squared_other.add(feature, y, y);
    }
    key_of_products(product.total(), [squared, squared_other].map(SumOfProducts::total))
}

/// The cosine key of a zero row and another row, which is one, too, or not. Zero rows are equal, and have no
/// direction that another row could be near.
pub(crate) fn key_of_zero_row(is_other_one: bool) -> f64 {
    if is_other_one { 0.0 } else { f64::INFINITY }
}

/// The power of two by which a row of this largest value, not 0, is multiplied, so that it is about 1.
pub(crate) fn lift(largest: f64) -> f64 {
    let exponent = (largest.to_bits() >> 52) as i32 - 1023;
    2f64.powi((-exponent).min(1023))
}

/// True if a row of this squared length is compared as it is, and not [`lift`]ed.
pub(crate) fn is_sound(square: f64) -> bool {
    SOUND_SQUARES.contains(&square)
}

/// [`is_sound`] of a square in twice the digits.
pub(crate) fn is_sound_square(square: Twofold) -> bool {
    is_sound(square.rounded())
}

/// The cosine key of two rows by x·y, and ‖x‖² and ‖y‖², which are not 0.
pub(crate) fn key_of_products(product: Twofold, [of_x, of_y]: [Twofold; 2]) -> f64 {
    let (both, square) = (of_x * of_y, product * product);
    if product.rounded() > 0.0 && 2.0 * square.rounded() >= both.rounded() {
        // Rounding may leave of 0 a number below 0.
        let squared_sine = f64::max((both - square) / both, 0.0);
        return 2.0 * squared_sine / (1.0 + (1.0 - squared_sine).sqrt());
    }
    let cosine = (square / both).sqrt().copysign(product.rounded());
    2.0 - 2.0 * cosine
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
    use crate::support::random::scrambled;

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
                for metric in [Metric::Euclidean, Metric::Manhattan] {
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

    /// Rows of a few small whole numbers, of which some are multiples of others.
    fn whole_rows(features: usize, trial: usize) -> Vec<Vec<f64>> {
        let row = |row: usize| -> Vec<f64> {
            let number = |feature| (scrambled(((trial * 9 + row) * 97 + feature) as u64) >> 33) % 5;
            (0..features).map(|feature| number(feature) as f64 - 1.0).collect()
        };
        let mut rows: Vec<Vec<f64>> = (0..6).map(row).collect();
        for (of, factor) in [(0, 3.0), (1, 7.0), (2, -1.0)] {
            rows.push(rows[of].iter().map(|value| value * factor).collect());
        }
        rows.retain(|row| row.iter().any(|value| *value != 0.0));
        rows
    }

    /// The definition: cosines of whole numbers are compared as fractions, cos·|cos| = p·|p|/(ab).
    #[test]
    fn cosine_keys_of_whole_numbers_are_in_the_order_of_fractions() {
        let product = |x: &[f64], y: &[f64]| -> i128 {
            x.iter().zip(y).map(|(x, y)| *x as i128 * *y as i128).sum()
        };
        let mut ties = 0;
        for (features, trial) in
            [1, 2, 3, 5, 8, 30].into_iter().flat_map(|f| (0..40).map(move |t| (f, t)))
        {
            let rows = whole_rows(features, trial);
            for x in &rows {
                let of: Vec<(f64, i128, i128)> = rows
                    .iter()
                    .map(|y| {
                        let p = product(x, y);
                        (Metric::Cosine.key(x, y), p * p.abs(), product(y, y))
                    })
                    .collect();
                for (key, p, b) in &of {
                    for (other_key, other_p, other_b) in &of {
                        let exactly = (p * other_b).cmp(&(other_p * b)).reverse();
                        assert_eq!(key.total_cmp(other_key), exactly, "{features} {trial}");
                        ties += usize::from(exactly.is_eq());
                    }
                }
            }
        }
        assert!(ties > 10_000);
    }

    #[test]
    fn a_cosine_key_hangs_on_no_order_of_columns_and_no_power_of_two() {
        for (features, trial) in [2, 9, 130].into_iter().flat_map(|f| (0..20).map(move |t| (f, t)))
        {
            let rows = whole_rows(features, trial);
            let turned = |row: &[f64], by: usize, factor: f64| -> Vec<f64> {
                (0..features).map(|feature| factor * row[(feature * 7 + by) % features]).collect()
            };
            for (x, y) in rows.iter().flat_map(|x| rows.iter().map(move |y| (x, y))) {
                let key = Metric::Cosine.key(x, y);
                assert_eq!(key, Metric::Cosine.key(y, x));
                for (by, exponents) in [(0, [-460, 0]), (1, [3, 450]), (5, [-30, -440])] {
                    let [of_x, of_y] = exponents.map(|exponent| 2f64.powi(exponent));
                    let expected = Metric::Cosine.key(&turned(x, by, of_x), &turned(y, by, of_y));
                    // In steps of 7, which divides none of the numbers of features, each column is there once.
                    assert_eq!(key, expected, "{features} {trial} {by}");
                }
            }
        }
    }

    /// 1 − cos of rows at an angle of t is t²/2 but for t⁴.
    #[test]
    fn nearly_parallel_rows_are_told_apart() {
        for exponent in 4..14 {
            let t = 0.7 * 10f64.powi(-exponent);
            for (x, y) in
                [([1.0, 0.0, 0.0], [1.0, t, 0.0]), ([3e80, 0.0, 0.0], [5e-90, 0.0, 5e-90 * t])]
            {
                let [key, expected] = [Metric::Cosine.key(&x, &y), t * t];
                assert!(
                    (key / expected - 1.0).abs() < t * t + 1e-15 + 1e-31 / expected,
                    "{t} {key}"
                );
            }
        }
        assert_eq!(Metric::Cosine.key(&[0.1, 0.7], &[0.1, 0.7]), 0.0);
        assert_eq!(Metric::Cosine.key(&[0.1, 0.7], &[-0.1, -0.7]), 4.0);
        assert_eq!(Metric::Cosine.key(&[0.0, 0.7], &[1e-300, 0.0]), 2.0);
        assert_eq!(Metric::Cosine.key(&[0.0, 0.0], &[0.0, -0.0]), 0.0);
        assert_eq!(Metric::Cosine.key(&[0.0, 0.0], &[1e-300, 0.0]), f64::INFINITY);
    }
}
