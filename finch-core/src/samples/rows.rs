//! Samples, row by row: as given, to be compared by key, and as points.

use std::ops::Range;

use ndarray::Array2;
use rayon::prelude::*;

use super::element::AnyMatrix;
use super::metric::{Metric, cosine_key, inverse_length, is_above, length};
use super::twofold::rounded_product;
use crate::support::memory::{
    collected, collected_in_parallel, filled_in_parallel, gathered, resize, room,
};
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::spread;
use crate::support::simd::vectorized;

/// Rows or columns of a sample that one thread takes, at least.
const ROWS_OF_THREAD: usize = 8;

/// Samples as a metric compares them, in f64.
///
/// Keys are of rows as given. Searches see rows as *points*, whose Euclidean distances are about the roots of
/// keys: for cosine rows scaled to length 1, for other metrics the rows as given.
#[derive(Clone, Copy)]
pub(crate) struct Rows<'a> {
    pub(crate) samples: AnyMatrix<'a>,
    pub(crate) metric: Metric,
    /// The number that the first row has in the whole data, of which the rows may be a part.
    pub(crate) first: usize,
}

impl<'a> Rows<'a> {
    /// Checked samples that are the whole data.
    pub(crate) fn new(samples: impl Into<AnyMatrix<'a>>, metric: Metric) -> Self {
        Self { samples: samples.into(), metric, first: 0 }
    }

    /// The same rows, for as long as `self` is borrowed, as [`AnyMatrix::reborrow`].
    pub(crate) fn reborrow(&self) -> Rows<'_> {
        Rows { samples: self.samples.reborrow(), ..*self }
    }

    pub(crate) fn len(&self) -> usize {
        self.samples.len()
    }

    pub(crate) fn features(&self) -> usize {
        self.samples.features()
    }

    /// True if the values of a row follow each other in memory.
    pub(crate) fn contiguous(&self) -> bool {
        self.samples.has_contiguous_rows()
    }

    /// The zero rows, which have no direction, under cosine; under other metrics none.
    pub(crate) fn zero_rows(&self) -> Vec<u32> {
        let no_value = |row: usize| self.samples.is_zero(row);
        match self.metric {
            Metric::Cosine => {
                gathered((0..self.len()).filter(|&row| no_value(row)).map(|row| row as u32))
            }
            _ => Vec::new(),
        }
    }

    /// At most `most` rows with a direction as points, spread over the data; fewer, where it is stopped.
    pub(crate) fn sample(&self, most: usize, stopped: impl Fn() -> bool + Sync) -> Array2<f64> {
        self.with_direction(spread(self.len(), self.len().div_ceil(most)), stopped)
    }

    /// The rows of these numbers as points, but for rows without a direction; fewer, where it is stopped.
    pub(crate) fn with_direction(
        &self,
        numbers: impl ExactSizeIterator<Item = usize>,
        stopped: impl Fn() -> bool + Sync,
    ) -> Array2<f64> {
        let (numbers, features) = (collected(numbers), self.features());
        // Where the run is stopped, rows stay without a direction.
        let mut sample = filled_in_parallel(f64::NAN, numbers.len() * features);
        let rows = sample.par_chunks_exact_mut(features).with_min_len(ROWS_OF_THREAD).zip(&numbers);
        rows.shared()
            .filter(|_| !stopped())
            .for_each(|(row, &number)| self.load_point(number, row));
        let count = keep_with_direction(&mut sample, features).len();
        Array2::from_shape_vec((count, features), sample).expect("rows have one length")
    }

    /// A point amid the rows (see [`center_of`]); any point, where it is stopped.
    pub(crate) fn center(&self, stopped: impl Fn() -> bool + Sync) -> Vec<f64> {
        center_of(&self.sample(CENTRAL, &stopped), &stopped)
    }

    /// Writes one row as given, d values.
    pub(crate) fn load(&self, row: usize, out: &mut [f64]) {
        self.samples.load(row, out);
    }

    /// Writes one row as a point, d values; NaN where it has no direction.
    pub(crate) fn load_point(&self, row: usize, out: &mut [f64]) {
        self.samples.load(row, out);
        self.finish(out);
    }

    /// The key of a row that is loaded, of samples of the same type or a narrower one, and the row of number
    /// `other`, which is loaded into `buffer` where its values cannot be read in place.
    pub(crate) fn key(&self, row: &[f64], other: usize, buffer: &mut [f64]) -> f64 {
        let in_place = match self.metric {
            Metric::Euclidean => self.samples.squares(row, other),
            Metric::Cosine => self.samples.cosine_key_within(row, other, f64::INFINITY),
            _ => None,
        };
        in_place.unwrap_or_else(|| {
            self.load(other, buffer);
            self.key_of_loaded(row, buffer)
        })
    }

    /// The key of two rows that are loaded, of samples of the same type or a narrower one.
    pub(crate) fn key_of_loaded(&self, row: &[f64], other: &[f64]) -> f64 {
        match self.metric {
            Metric::Cosine => cosine_key(row, other, self.samples.element()),
            metric => metric.key(row, other),
        }
    }

    /// [`Rows::key`], or infinity where one look at the other row tells that the key is above `limit`. Under
    /// cosine sums of twice the digits take longer, and most rows that a search compares need none.
    pub(crate) fn key_within(
        &self,
        row: &[f64],
        other: usize,
        limit: f64,
        buffer: &mut [f64],
    ) -> f64 {
        let in_place = match self.metric {
            Metric::Cosine => self.samples.cosine_key_within(row, other, limit),
            _ => None,
        };
        in_place.unwrap_or_else(|| self.key(row, other, buffer))
    }

    /// The key of two rows of blocks, of samples of the same type or a narrower one, or infinity where one look
    /// tells that it is above `limit`.
    pub(crate) fn key_in_blocks(
        &self,
        (block, row): (&Block, usize),
        (others, other): (&Block, usize),
        limit: f64,
    ) -> f64 {
        let features = self.features();
        let [x, y] = [
            &block.values[row * features..][..features],
            &others.values[other * features..][..features],
        ];
        if self.metric == Metric::Cosine && limit < f64::INFINITY {
            let scale = block.inverse_lengths[row] * others.inverse_lengths[other];
            if is_above(rounded_product(x, y) * scale, features, limit) {
                return f64::INFINITY;
            }
        }
        self.key_of_loaded(x, y)
    }

    /// Writes several rows as given one after the other: `rows.len()` × d values.
    pub(crate) fn load_values(&self, rows: Range<usize>, out: &mut Vec<f64>) {
        self.load_all(rows, out);
    }

    /// Loads several rows.
    pub(crate) fn load_block(&self, rows: Range<usize>, out: &mut Block) {
        self.load_all(rows.clone(), &mut out.values);
        if self.metric == Metric::Cosine {
            let Block { values, inverse_lengths } = out;
            resize(inverse_lengths, rows.len(), f64::NAN);
            for (row, inverse) in values.chunks_exact(self.features()).zip(inverse_lengths) {
                *inverse = inverse_length(rounded_product(row, row));
            }
        }
    }

    /// Writes the rows of these numbers as points, one after the other.
    pub(crate) fn load_points(
        &self,
        rows: impl ExactSizeIterator<Item = usize> + Clone,
        out: &mut Vec<f64>,
    ) {
        self.load_all(rows, out);
        out.chunks_exact_mut(self.features()).for_each(|row| self.finish(row));
    }

    /// Writes the rows of these numbers as given, one after the other.
    fn load_all(&self, rows: impl ExactSizeIterator<Item = usize> + Clone, out: &mut Vec<f64>) {
        let features = self.features();
        out.clear();
        resize(out, rows.len() * features, 0.0);
        if self.samples.is_by_columns() {
            // A row at a time would touch a new page with every value.
            self.samples.load_by_columns(rows, out);
        } else {
            rows.zip(out.chunks_exact_mut(features))
                .for_each(|(index, out)| self.samples.load(index, out));
        }
    }

    fn finish(&self, row: &mut [f64]) {
        if self.metric == Metric::Cosine {
            normalize(row);
        }
    }
}

/// Rows as given, one after the other.
#[derive(Default)]
pub(crate) struct Block {
    values: Vec<f64>,
    /// 1/‖x‖ of each row under cosine (see [`inverse_length`]).
    inverse_lengths: Vec<f64>,
}

impl Block {
    /// The number of rows of so many features.
    pub(crate) fn rows(&self, features: usize) -> usize {
        self.values.len() / features
    }
}

/// The most rows of a sample whose medians are a point amid all rows.
pub(crate) const CENTRAL: usize = 255;

/// A point amid some rows: the median, feature by feature. Unlike the mean, the median stays with most
/// rows where one row is far out. Any point, where it is stopped.
pub(crate) fn center_of(rows: &Array2<f64>, stopped: impl Fn() -> bool + Sync) -> Vec<f64> {
    let median = |feature| {
        if stopped() {
            return 0.0;
        }
        let mut values: Vec<f64> = collected(rows.column(feature).iter().copied());
        let middle = values.len() / 2;
        match values.is_empty() {
            true => 0.0,
            false => *values.select_nth_unstable_by(middle, f64::total_cmp).1,
        }
    };
    let features = (0..rows.ncols()).into_par_iter().with_min_len(ROWS_OF_THREAD);
    collected_in_parallel(features.map(median))
}

/// Drops the rows without a direction, which are NaN, from rows of `width` values, and returns the numbers of
/// the others.
pub(crate) fn keep_with_direction<T: Copy + Into<f64>>(
    values: &mut Vec<T>,
    width: usize,
) -> Vec<u32> {
    let mut rows = room(values.len() / width);
    for row in 0..values.len() / width {
        if !values[row * width].into().is_nan() {
            // Nothing moves before a row is dropped.
            if rows.len() < row {
                values.copy_within(row * width..(row + 1) * width, rows.len() * width);
            }
            rows.push(row as u32);
        }
    }
    values.truncate(rows.len() * width);
    rows
}

/// Scales a row to length 1; an all-zero row, which has no direction, becomes NaN.
fn normalize(row: &mut [f64]) {
    // Below about 1e-154 squares vanish; a power of two lifts such a row without rounding it.
    if row.iter().all(|value| value.abs() < 1e-100) {
        row.iter_mut().for_each(|value| *value *= 2f64.powi(600));
    }
    divide(row, length(row));
}

vectorized! {
    fn divide<'a>(row: &'a mut [f64], by: f64) -> () {
        row.iter_mut().for_each(|value| *value /= by);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::Samples;
    use crate::samples::element::Element;
    use crate::support::random::scrambled;

    #[test]
    fn rows_without_a_direction_are_dropped_wherever_they_are() {
        for kept in [&[][..], &[0, 1, 2, 3], &[1, 3], &[0, 2], &[3]] {
            let value = |row, value: usize| match kept.contains(&row) {
                true => f64::from(row) + value as f64 / 10.0,
                false => f64::NAN,
            };
            let mut values: Vec<f64> =
                (0..4).flat_map(|row| [value(row, 0), value(row, 1)]).collect();
            assert_eq!(keep_with_direction(&mut values, 2), kept);
            let left: Vec<f64> =
                kept.iter().flat_map(|&row| [value(row, 0), value(row, 1)]).collect();
            assert_eq!(values, left);
        }
    }

    /// Of rows that are far, near, equal and opposite, tiny and huge, short and long.
    #[test]
    fn no_row_within_a_limit_is_left_out() {
        let noise = |number: usize| (scrambled(number as u64) >> 40) as f64 / (1 << 24) as f64;
        for (features, scale) in
            [(1, 1.0), (7, 1e-140), (33, 1e-90), (64, 1.0), (300, 1e90), (2_000, 1e-3)]
        {
            let matrix = Array2::from_shape_fn((6, features), |(row, feature)| {
                let base = noise(feature) - 0.3;
                let [near, far] = [1e-9, 1.0].map(|share| share * noise(row * features + feature));
                scale * [base, base, -base, base + near, base + far, 0.0][row]
            });
            let samples = Samples::new(matrix.view()).unwrap();
            let rows = Rows::new(samples, Metric::Cosine);
            let [mut row, mut buffer] = [(); 2].map(|()| vec![0.0; features]);
            for (i, j) in (0..6).flat_map(|i| (0..6).map(move |j| (i, j))) {
                rows.load(i, &mut row);
                let key = rows.key(&row, j, &mut buffer);
                assert_eq!(rows.key_within(&row, j, key, &mut buffer), key);
                // A row beyond the limit by more than rounding is left out at a look.
                let is_sound = scale > 1e-59 && scale < 1e59 && i < 5 && j < 5;
                let beyond = rows.key_within(&row, j, key - 1e-10, &mut buffer);
                assert!(!is_sound || beyond == f64::INFINITY, "{features}, {i}, {j}: {key}");
            }
        }
    }

    /// The distance of two points, and the root of the key of their rows, differ by what is said of them.
    #[test]
    fn points_are_about_as_far_apart_as_their_keys_tell() {
        let noise = |number: usize| (scrambled(number as u64) >> 11) as f64 / 2f64.powi(52) - 1.0;
        for (features, scale) in [(1, 1.0), (2, 1e-139), (7, 1e-90), (130, 1.0), (5_000, 1e138)] {
            for near in [0.0, 1e-15, 1e-12, 1e-6, 1.0] {
                let matrix = Array2::from_shape_fn((8, features), |(row, feature)| {
                    let far = noise((row + 1) * features + feature);
                    scale * (noise(feature) + near * far) * [1.0, 0.3, 7.1][row % 3]
                });
                let rows = Rows::new(Samples::new(matrix.view()).unwrap(), Metric::Cosine);
                let [mut row, mut x, mut y] = [(); 3].map(|()| vec![0.0; features]);
                for (i, j) in (0..8).flat_map(|i| (0..8).map(move |j| (i, j))) {
                    rows.load(i, &mut row);
                    rows.load_point(i, &mut x);
                    rows.load_point(j, &mut y);
                    let key = rows.key(&row, j, &mut vec![0.0; features]);
                    let squared = crate::samples::metric::squares(&x, &y);
                    assert!(squared <= Metric::Cosine.squared_of_points(key), "{features} {near}");
                    assert!(key >= Metric::Cosine.key_from(squared), "{features} {near}");
                }
            }
        }
    }

    /// Of every type of element: zeros, rows so short that squares vanish, and long ones.
    #[test]
    fn a_key_of_rows_in_place_is_that_of_loaded_rows() {
        fn check<A: Element>(of_f64: impl Fn(f64) -> A, longest: f64) {
            for features in [1, 7, 8, 129, 784] {
                let scales = [1.0, 1.0, 1.0, 0.0, 1e-3, 1e-39, 1e-102, 1e-89, longest];
                let matrix = Array2::from_shape_fn((9, features), |(row, feature)| {
                    let value = (scrambled((row * features + feature) as u64) >> 56) as f64;
                    of_f64(value * scales[row])
                });
                let rows = Rows::new(Samples::new(matrix.view()).unwrap(), Metric::Cosine);
                let [mut row, mut other, mut buffer] = [(); 3].map(|()| vec![0.0; features]);
                for (i, j) in (0..9).flat_map(|i| (0..9).map(move |j| (i, j))) {
                    rows.load(i, &mut row);
                    rows.load(j, &mut other);
                    let key = Metric::Cosine.key(&row, &other);
                    let of_place = rows.key(&row, j, &mut buffer);
                    assert_eq!(key.to_bits(), of_place.to_bits(), "{features}, {i}, {j}");
                }
            }
        }
        check(|value| value as u8, 1.0);
        check(|value| value as i8, 1.0);
        check(half::f16::from_f64, 100.0);
        check(half::bf16::from_f64, 1e30);
        check(|value| value as f32, 1e30);
        check(|value| value, 1e120);
    }

    #[test]
    fn numbers_are_spread_without_a_period() {
        for (count, step) in [(1, 1), (7, 1), (1_000, 2), (1_001, 16), (5, 9)] {
            let numbers: Vec<usize> = spread(count, step).collect();
            assert_eq!(numbers.len(), count.div_ceil(step));
            for (part, &number) in numbers.iter().enumerate() {
                assert!((part * step..count.min((part + 1) * step)).contains(&number));
            }
            if numbers.len() > 50 {
                assert!(numbers.iter().any(|number| number % 2 == 0));
                assert!(numbers.iter().any(|number| number % 2 == 1));
            }
        }
    }
}
