//! Squared distances of few rows in f32, and which pairs they leave to be compared by key.
//!
//! A squared distance is summed from differences, and not from products: its rounding is then a share of itself, so
//! that rows may be anywhere. With u = 2⁻²⁴, d features and
//!
//! ```text
//! pᵢ    row i as a point, scaled by a power of two so that values are far within f32
//! p̃ᵢ    the same in f32, ‖p̃ᵢ − pᵢ‖ ≤ u‖pᵢ‖, or 0 where f32 has all values
//! Sᵢⱼ   Σ(p̃ᵢ − p̃ⱼ)² in f32
//! ```
//!
//! each term of S has three roundings, or two, and then at most d more on its way; a term that is too small for f32
//! may be lost, which is 2⁻¹²⁶ at most. Since ‖pⱼ‖ ≤ ‖pᵢ‖ + ‖pᵢ − pⱼ‖,
//!
//! ```text
//! |√Sᵢⱼ − ‖pᵢ − pⱼ‖| ≤ ε‖pᵢ − pⱼ‖ + wᵢ,   ε = (d + 8)·2u,   wᵢ = 4u‖pᵢ‖ + √d·2⁻⁶²
//! ```
//!
//! where each is twice and more what rounding takes, that in f64 included. Let m
//! be the k-th least S of a row. Its k-th nearest is then at most (√m + w)/(1 − ε) away, and all that are as near
//! have
//!
//! ```text
//! √S ≤ (√m + w)(1 + 3ε) + w
//! ```
//!
//! Rejected: the products of blocked search, which take half as many instructions. Their rounding is a share of the
//! squared lengths, so that rows have to be centred, and pairs are left where rows lie in tight groups.

use std::ops::RangeInclusive;

use super::keys::{Keys, offer_pair};
use crate::neighbors::exact::tuning::{FEWEST_FILTERED, VALUES_OF_FEW};
use crate::neighbors::kernel::{PairSums, Panels, Terms};
use crate::neighbors::lists::Nearest;
use crate::run::progress::Meter;
use crate::run::work::is_little;
use crate::samples::element::ElementType;
use crate::samples::largest_of;
use crate::samples::metric::Metric;
use crate::support::memory::{filled, resize, room};
use crate::support::simd::{stored, vectorized};

/// u of f32.
const ROUNDED: f64 = (f32::EPSILON / 2.0) as f64;

/// ε of rows of so many features.
const fn rounding(features: usize) -> f64 {
    (features + 8) as f64 * 2.0 * ROUNDED
}
const _: () = {
    let most_features = VALUES_OF_FEW / FEWEST_FILTERED;
    assert!(rounding(most_features) < 0.25, "(1 + ε)/(1 − ε) is below 1 + 3ε");
};

/// Lists of the `k` nearest of each row, but for zero rows under cosine.
pub(super) fn search(keys: &Keys<'_>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let rounding = rounding(keys.rows.features());
    let mut nearest = filled(Nearest::NONE, keys.len() * k);
    let points = Points::of(keys);
    let count = points.numbers.len();
    if count < 2 {
        return nearest;
    }
    let mut sums = PairSums::default();
    sums.write(&points.panels, !is_little(count, keys.rows.features()), meter);
    // Sums are −S.
    let mut least = sums.largest_of_rows(k);
    for (least, within) in least.iter_mut().zip(&points.within) {
        let reach = (f64::from(-*least).sqrt() + within) * (1.0 + 3.0 * rounding) + within;
        *least = ((-reach * reach) as f32).next_down();
    }
    let mut left = Vec::new();
    let [mut row, mut other] = [(); 2].map(|()| filled(0.0, keys.rows.features()));
    for i in 0..count {
        if meter.stopped() {
            break;
        }
        sums.find(i, &least, &mut left);
        let mut is_loaded = false;
        for &j in &left {
            let pair = [i, j as usize].map(|row| points.numbers[row] as usize);
            if is_settled(&nearest, k, pair) {
                continue;
            }
            if !is_loaded {
                keys.rows.load(pair[0], &mut row);
                is_loaded = true;
            }
            keys.rows.load(pair[1], &mut other);
            offer_pair(&mut nearest, k, pair, keys.of_pair(pair, [&row, &other]));
        }
    }
    nearest
}

/// True if the lists of both rows of a pair are full of equal rows of smaller numbers, which no other precedes.
fn is_settled(nearest: &[Nearest], k: usize, [i, j]: [usize; 2]) -> bool {
    let is_full = |row: usize, other: usize| {
        let last = nearest[row * k + k - 1];
        last.key == 0.0 && (last.index as usize) < other
    };
    is_full(i, j) && is_full(j, i)
}

/// Rows with a direction as points in f32.
struct Points {
    /// The number of each row.
    numbers: Vec<u32>,
    panels: Panels,
    /// wᵢ of each row.
    within: Vec<f64>,
}

impl Points {
    fn of(keys: &Keys<'_>) -> Self {
        let (rows, features) = (&keys.rows, keys.rows.features());
        let is_cosine = rows.metric == Metric::Cosine;
        let zero_rows = rows.zero_rows();
        let mut numbers: Vec<u32> = room(rows.len());
        numbers.extend((0..rows.len() as u32).filter(|row| zero_rows.binary_search(row).is_err()));
        let scaled = Scaled::of(keys);
        let lost = (features as f64).sqrt() * 2f64.powi(-62);
        let mut panels = Panels::new(numbers.len().max(1), features, Terms::Squares);
        let (mut point, mut written) = (filled(0.0, features), filled(0.0, features));
        let mut within = room(numbers.len());
        for (place, &number) in numbers.iter().enumerate() {
            let row = number as usize;
            if let Some(singles) = rows.samples.singles(row).filter(|_| scaled.are_as_given()) {
                panels.set(place, singles, 0.0);
                within.push(lost);
                continue;
            }
            let factor = match is_cosine.then(|| keys.square(row)) {
                None => Some(scaled.scale),
                Some(square) => square.map(|square| 1.0 / square.sqrt()),
            };
            match factor {
                Some(_) => rows.load(row, &mut point),
                // Of a row whose squares lose digits.
                None => rows.load_point(row, &mut point),
            }
            let factor = factor.unwrap_or(1.0);
            let square = write(&mut point, &scaled.origin, factor, &mut written);
            panels.set(place, &written, 0.0);
            within.push(if scaled.is_rounded {
                4.0 * ROUNDED * square.sqrt() + lost
            } else {
                lost
            });
        }
        Self { numbers, panels, within }
    }
}

/// The way from rows to points.
struct Scaled {
    /// A row that is taken from each, of values of f64, which are rounded by less then; or empty.
    origin: Vec<f64>,
    /// But under cosine, the power of two by which rows are multiplied.
    scale: f64,
    /// True if f32 has not all values of points.
    is_rounded: bool,
}

impl Scaled {
    fn of(keys: &Keys<'_>) -> Self {
        let (rows, mut origin) = (&keys.rows, Vec::new());
        if rows.metric == Metric::Cosine {
            return Self { origin, scale: 1.0, is_rounded: true };
        }
        let is_rounded = keys.element() == ElementType::F64;
        let mut row = filled(0.0, rows.features());
        if is_rounded {
            resize(&mut origin, rows.features(), 0.0);
            rows.load(0, &mut origin);
        }
        let mut largest = 0.0;
        for number in 0..rows.len() {
            let of_row = match rows.samples.singles(number) {
                Some(singles) => largest_of(singles),
                None => {
                    rows.load(number, &mut row);
                    row.iter_mut().zip(&origin).for_each(|(value, origin)| *value -= origin);
                    largest_of(&row)
                }
            };
            largest = f64::max(largest, of_row);
        }
        let scale = match largest == 0.0 || AS_GIVEN.contains(&largest) {
            true => 1.0,
            false => (-largest.log2().ceil()).clamp(-1000.0, MOST_EXPONENT).exp2(),
        };
        Self { origin, scale, is_rounded }
    }

    /// True if points have the values of rows.
    fn are_as_given(&self) -> bool {
        !self.is_rounded && self.scale == 1.0
    }
}

/// The largest exponent of a scale. Keys below 1e-308 are rounded to multiples of 2⁻¹⁰⁷⁴, d times, which has to stay
/// below the last term of w when it is scaled. All rows that small are compared by key.
const MOST_EXPONENT: f64 = 440.0;

/// Largest values of rows that are not scaled: squares of their differences are far within f32.
const AS_GIVEN: RangeInclusive<f64> = 1e-6..=1e6;

vectorized! {
    /// Writes a row in f32, beside an origin, if there is one, and scaled; returns its squared length, about.
    fn write<'a>(row: &'a mut [f64], origin: &'a [f64], scale: f64, out: &'a mut [f32]) -> f64 {
        const WIDE: usize = 16;
        for (value, origin) in row.iter_mut().zip(origin) {
            *value -= origin;
        }
        let ((values, rest), (written, last)) =
            (row.as_chunks::<WIDE>(), out.as_chunks_mut::<WIDE>());
        let mut squares = [0.0; WIDE];
        for (out, values) in written.iter_mut().zip(values) {
            for lane in 0..WIDE {
                let value = values[lane] * scale;
                squares[lane] += value * value;
                out[lane] = value as f32;
            }
        }
        let mut square = 0.0;
        for (out, x) in last.iter_mut().zip(rest) {
            let value = x * scale;
            square += value * value;
            *out = value as f32;
        }
        for lane in stored(squares) {
            square += lane;
        }
        square
    }
}
