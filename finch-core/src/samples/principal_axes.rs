//! Principal axes of the data, and distances along them that bound the true distances from below.
//!
//! For orthonormal axes P, a row x has the coordinates y = P·x, and lies r = ‖x − Pᵀy‖ away from
//! the space of the axes. The parts of two rows beside the axes differ at least by their lengths,
//! so that ‖xᵢ−xⱼ‖² ≥ ‖yᵢ−yⱼ‖² + (rᵢ−rⱼ)². The short vectors (y, r) thus tell, at a fraction of the
//! cost, which pairs need no direct distance. The closer the axes are to the principal axes, the closer
//! the bound, but the bound holds for any axes.
//!
//! Two ways to (y, r): [`Projection::project`] takes one row at a time, and sums r up from what is
//! left of the row, as exactly as f64 can. A [`Batch`] takes many rows by a matrix product, and r =
//! √(‖x‖² − ‖y‖²) from a difference, which cancels: its callers allow for that.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut1, ArrayViewMut2, Axis, Slice, s};
use rayon::prelude::*;

use super::metric::by_lanes;
use super::rows::Rows;
use crate::support::memory::{collected, copied, expect_room, filled, filled_in_parallel};
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::scrambled;
use crate::support::simd::vectorized;

/// The most rows that the axes are found from, and the most values of these rows together.
const SAMPLE: usize = 2048;
const SAMPLE_VALUES: usize = 1 << 24;
/// Multiplications by the covariance; each brings the axes nearer to the main ones.
const ITERATIONS: usize = 2;
/// Axes of a block that are made orthogonal to all before them on all threads; of these, axes that one thread takes
/// at a time; and axes before them that it takes from these at a time, since so many stay in its cache.
const AXES_OF_BLOCK: usize = 32;
const ROWS_AT_ONCE: usize = 2;
const AXES_AT_ONCE: usize = 16;
/// Rows or columns of the sample that a thread multiplies at a time, at most, and the most values of
/// these rows or columns together, but for the fewest rows.
const SAMPLE_PART: usize = 16;
const SAMPLE_PART_VALUES: usize = 1 << 21;
const FEWEST_OF_PART: usize = 4;
/// Terms of all sums of a matrix product that a thread packs at a time.
const PACKED_TERMS: usize = 256;
/// Axes that rows are multiplied by at a time. A product packs all of them, in memory whose request cannot be
/// refused: of 255 axes, 640 kB.
const AXES_PACKED: usize = 64;
/// The most rows of a batch, and the most values of these rows together.
const BATCH_ROWS: usize = 256;
const BATCH_VALUES: usize = 1 << 20;

/// A row this many times as far out as half of the other rows has no part in the axes: otherwise
/// one row far out would draw all axes to it.
const FAR: f64 = 64.0;

/// Orthonormal axes in feature space, around a centre.
pub(crate) struct Projection {
    center: Vec<f64>,
    /// The largest value of the sample, centred.
    largest: f64,
    axes: Array2<f64>,
}

impl Projection {
    /// The `axes` principal axes of the rows, or nearly so, by subspace iteration; any axes, where it is
    /// stopped.
    pub(crate) fn of(rows: &Rows<'_>, axes: usize, stopped: impl Fn() -> bool + Sync) -> Self {
        let fitting = SAMPLE_VALUES / rows.features();
        let mut sample = rows.sample(SAMPLE.min(fitting).max(2 * axes), &stopped);
        let center = rows.center(&stopped);
        for_each_row(&mut sample, &stopped, |_, row| {
            row.iter_mut().zip(&center).for_each(|(value, center)| *value -= center);
        });
        drop_far(&mut sample, &stopped);
        let largest = largest_of(&sample, &stopped);
        // So that no square overflows or vanishes.
        let above = power_of_two_above(largest);
        for_each_row(&mut sample, &stopped, |_, row| {
            row.iter_mut().for_each(|value| *value /= above)
        });
        let terms = sample.nrows().max(rows.features());
        let sample = rounded(sample, terms, &stopped);
        // The axes, and what they are multiplied into.
        expect_room(2 * axes * rows.features() * size_of::<f64>());
        // Any start that is not orthogonal to the data will do; this one is the same in every run.
        let mut axes = zeros((axes, rows.features()));
        for_each_row(&mut axes, &stopped, |axis, values| {
            let first = (axis * values.len()) as u64;
            for (number, value) in (first..).zip(values) {
                let bits = scrambled(number) >> 11;
                *value = bits as f64 / (1u64 << 52) as f64 - 1.0;
            }
        });
        // Random axes are far from depending on each other, and once over is enough. (Not at all would span the
        // same, but round worse: of tight groups along all axes 0.88 of the neighbours were found in place of 0.97.)
        orthonormalize(&mut axes, 1, &stopped);
        for _ in 0..ITERATIONS {
            if stopped() {
                break;
            }
            axes = by_covariance(&rounded(axes, terms, &stopped), &sample, &stopped);
            orthonormalize(&mut axes, 2, &stopped);
        }
        Self { center, largest, axes }
    }

    /// The axes, a row for each.
    pub(crate) fn axes(&self) -> ArrayView2<'_, f64> {
        self.axes.view()
    }

    /// The centre, which is subtracted from rows before they are projected.
    pub(crate) fn center(&self) -> &[f64] {
        &self.center
    }

    /// The largest magnitude of a value of a sample of rows, after the centre is subtracted; rows far
    /// out are left out.
    pub(crate) fn largest(&self) -> f64 {
        self.largest
    }

    /// The length of a projected row.
    pub(crate) fn len(&self) -> usize {
        self.axes.nrows() + 1
    }

    /// Writes (y, r) of a row, along the first of the axes where `projected` has no room for all, and
    /// returns the row's squared distance to the centre. `row` is overwritten.
    pub(crate) fn project(&self, row: &mut [f64], projected: &mut [f64]) -> f64 {
        row.iter_mut().zip(&self.center).for_each(|(value, center)| *value -= center);
        let mut row = ArrayViewMut1::from(row);
        let norm = row.dot(&row);
        let (rest, y) = projected.split_last_mut().expect("r follows y");
        for (axis, along) in self.axes.outer_iter().zip(&mut *y) {
            *along = axis.dot(&row);
        }
        // Summed from what is left over: ‖x‖² − ‖y‖² would cancel.
        for (axis, &along) in self.axes.outer_iter().zip(&*y) {
            row.scaled_add(-along, &axis);
        }
        *rest = row.dot(&row).sqrt();
        norm
    }
}

/// Some rows and their coordinates along axes: what one thread projects rows in, a batch at a time.
pub(crate) struct Batch {
    /// The rows, one after the other: to be loaded before they are projected.
    pub(crate) rows: Vec<f64>,
    along: Array2<f64>,
}

impl Batch {
    /// Room to project rows of `features` values along `axes` axes.
    pub(crate) fn new(features: usize, axes: usize) -> Self {
        let count = Self::rows_at_once(features);
        let along = Array2::from_shape_vec((count, axes), filled(0.0, count * axes));
        Self { rows: Vec::new(), along: along.expect("a row for each of the batch") }
    }

    /// Rows that are projected at a time.
    pub(crate) fn rows_at_once(features: usize) -> usize {
        BATCH_ROWS.min(BATCH_VALUES / features).max(1)
    }

    /// Projects the rows along the axes, and calls `write` with each row, by its number, and its y.
    pub(crate) fn project(
        &mut self,
        axes: ArrayView2<'_, f64>,
        mut write: impl FnMut(usize, &[f64], &[f64]),
    ) {
        let features = axes.ncols();
        let count = self.rows.len() / features;
        let rows = ArrayView2::from_shape((count, features), &self.rows[..]);
        let mut along = self.along.slice_mut(s![..count, ..]);
        multiply(rows.expect("rows are whole"), axes.t(), along.view_mut());
        let rows = self.rows.chunks_exact(features).zip(along.outer_iter());
        for (number, (row, y)) in rows.enumerate() {
            write(number, row, y.as_slice().expect("coordinates of a row are contiguous"));
        }
    }
}

/// r of a row along the first of its axes, for several `counts` of these, ascending; along all axes
/// for a count beyond them. 0 for a row without a direction, whose squared length is NaN.
pub(crate) fn distances_to_axes<const N: usize>(
    y: &[f64],
    squared_length: f64,
    counts: [usize; N],
) -> [f32; N] {
    let (mut rest, mut before) = (squared_length, 0);
    counts.map(|axes| {
        let axes = axes.min(y.len());
        rest -= y[before..axes].iter().map(|y| y * y).sum::<f64>();
        before = axes;
        rest.max(0.0).sqrt() as f32
    })
}

/// Does something with each row of a matrix, by its number, on all threads, until it is stopped.
fn for_each_row(
    matrix: &mut Array2<f64>,
    stopped: impl Fn() -> bool + Sync,
    each: impl Fn(usize, &mut [f64]) + Sync,
) {
    let features = matrix.ncols();
    let values = matrix.as_slice_mut().expect("it is contiguous");
    let rows = values.par_chunks_mut(features).enumerate();
    rows.shared().filter(|_| !stopped()).for_each(|(number, row)| each(number, row));
}

/// The largest magnitude of a value of a matrix, or of some rows where it is stopped.
fn largest_of(matrix: &Array2<f64>, stopped: impl Fn() -> bool + Sync) -> f64 {
    let values = matrix.as_slice().expect("it is contiguous");
    let rows = values.par_chunks(matrix.ncols()).shared().filter(|_| !stopped());
    let largest_of_row =
        |row: &[f64]| row.iter().fold(0.0, |most, value| f64::max(most, value.abs()));
    rows.map(largest_of_row).reduce(|| 0.0, f64::max)
}

/// Zeroes rows that are far out; any rows, where it is stopped.
fn drop_far(sample: &mut Array2<f64>, stopped: impl Fn() -> bool) {
    let length = |row: ArrayView1<'_, f64>| if stopped() { 0.0 } else { row.dot(&row).sqrt() };
    let lengths: Vec<f64> = collected(sample.outer_iter().map(length));
    let mut sorted = copied(&lengths);
    sorted.sort_unstable_by(f64::total_cmp);
    // The median of the lengths that are not 0, in case half of the rows are equal.
    let first = sorted.partition_point(|length| *length == 0.0);
    let Some(median) = sorted.get((first + sorted.len()) / 2) else { return };
    for (mut row, length) in sample.outer_iter_mut().zip(&lengths) {
        if *length > FAR * median {
            row.fill(0.0);
        }
    }
}

/// Multiplies axes by the covariance of a sample, on all threads. Each number is summed up by one
/// thread, so that the axes do not depend on the number of threads. Any numbers, where it is stopped.
fn by_covariance(
    axes: &Array2<f64>,
    sample: &Array2<f64>,
    stopped: impl Fn() -> bool + Sync,
) -> Array2<f64> {
    if sample.is_empty() {
        return zeros(axes.dim());
    }
    let count = axes.nrows();
    // A row for each row or column of the sample, and in it a product with each of the matrix's.
    let products = |along: Axis, with: ArrayView2<'_, f64>| {
        let all = sample.len_of(along);
        let values_of_one = sample.len() / all;
        let size = (SAMPLE_PART_VALUES / values_of_one).clamp(FEWEST_OF_PART, SAMPLE_PART);
        let mut products = filled_in_parallel(0.0, all * count);
        let packed = PACKED_TERMS * (size + count.min(AXES_PACKED)) * rayon::current_num_threads();
        expect_room(packed * size_of::<f64>());
        let parts = products.par_chunks_mut(size * count).with_max_len(1).enumerate();
        parts.shared().filter(|_| !stopped()).for_each(|(part, products)| {
            let end = all.min((part + 1) * size);
            let part = sample.slice_axis(along, Slice::from(part * size..end));
            let part = if along == Axis(0) { part } else { part.reversed_axes() };
            let shape = (part.nrows(), count);
            let products = ArrayViewMut2::from_shape(shape, products).expect("a row for each");
            multiply(part, with, products);
        });
        Array2::from_shape_vec((all, count), products).expect("a row for each")
    };
    let terms = sample.nrows().max(sample.ncols());
    let projected = rounded(products(Axis(0), axes.t()), terms, &stopped);
    let moved = products(Axis(1), projected.view());
    let moved = moved.t();
    Array2::from_shape_vec(moved.dim(), collected(moved.iter().copied())).expect("as many values")
}

/// A matrix of zeros.
fn zeros((rows, columns): (usize, usize)) -> Array2<f64> {
    Array2::from_shape_vec((rows, columns), filled(0.0, rows * columns)).expect("as many values")
}

/// The product of some rows with axes, which are columns.
fn multiply(
    rows: ArrayView2<'_, f64>,
    axes: ArrayView2<'_, f64>,
    mut products: ArrayViewMut2<'_, f64>,
) {
    let parts = axes.axis_chunks_iter(Axis(1), AXES_PACKED);
    let products = products.axis_chunks_iter_mut(Axis(1), AXES_PACKED);
    for (axes, mut products) in parts.zip(products) {
        general_mat_mul(1.0, &rows, &axes, 0.0, &mut products);
    }
}

/// Rounds a matrix so that its product with another rounded matrix, a sum of `terms` products for
/// each number, is exact in f64: the same in whatever order a processor's vectors sum it up. Where it
/// is stopped, rows may stay as they are.
pub(crate) fn rounded(
    mut matrix: Array2<f64>,
    terms: usize,
    stopped: impl Fn() -> bool + Sync,
) -> Array2<f64> {
    let largest = largest_of(&matrix, &stopped);
    let unit = power_of_two_above(largest) / (1u64 << exact_bits(terms)) as f64;
    for_each_row(&mut matrix, &stopped, |_, row| {
        row.iter_mut().for_each(|value| *value = (*value / unit).round() * unit);
    });
    matrix
}

/// The number of bits that two numbers may have so that f64, of 53 bits, holds a sum of `terms` of their
/// products.
pub(crate) fn exact_bits(terms: usize) -> u32 {
    (52 - terms.next_power_of_two().ilog2()) / 2
}

/// The power of two above a number, or, for 0, 1.
pub(crate) fn power_of_two_above(number: f64) -> f64 {
    // By its bits, since a logarithm may be rounded in more than one way.
    let exponent = (number.to_bits() >> 52) as i32 - 1022;
    if number == 0.0 { 1.0 } else { 2f64.powi(exponent) }
}

/// Makes the rows orthonormal (block Gram–Schmidt, so many times over; rows twice over are orthogonal to the last
/// digits). A row that depends linearly on the rows before it becomes zero, and the bound then ignores it. Each
/// row is one thread's, so that the axes do not depend on the number of threads. Where it is stopped, rows are any.
fn orthonormalize(axes: &mut Array2<f64>, times: usize, stopped: impl Fn() -> bool + Sync) {
    let features = axes.ncols();
    let axes = axes.as_slice_mut().expect("it is contiguous");
    for first in (0..axes.len()).step_by(AXES_OF_BLOCK * features) {
        let (before, rest) = axes.split_at_mut(first);
        let size = rest.len().min(AXES_OF_BLOCK * features);
        let block = &mut rest[..size];
        for _ in 0..times {
            let mut lengths = [0.0; AXES_OF_BLOCK];
            let rows = block.par_chunks_mut(ROWS_AT_ONCE * features);
            rows.zip(lengths.par_chunks_mut(ROWS_AT_ONCE)).shared().for_each(|(rows, lengths)| {
                for (row, length) in rows.chunks_exact(features).zip(lengths) {
                    *length = product(row, row).sqrt();
                }
                let parts = before.chunks(AXES_AT_ONCE * features).take_while(|_| !stopped());
                parts.for_each(|axes| {
                    rows.chunks_exact_mut(features).for_each(|row| remove_along(axes, row));
                });
            });
            for (axis, length) in lengths[..size / features].iter().enumerate() {
                if stopped() {
                    return;
                }
                let (before, rest) = block.split_at_mut(axis * features);
                let row = &mut rest[..features];
                remove_along(before, row);
                let length_left = product(row, row).sqrt();
                let scale = if length_left > 1e-8 * length { 1.0 / length_left } else { 0.0 };
                row.iter_mut().for_each(|value| *value *= scale);
            }
        }
    }
}

vectorized! {
    /// Takes from a row what is along each of some axes.
    fn remove_along<'a>(axes: &'a [f64], row: &'a mut [f64]) -> () {
        for axis in axes.chunks_exact(row.len()) {
            let along = product(axis, row);
            row.iter_mut().zip(axis).for_each(|(value, axis)| *value -= along * axis);
        }
    }
}

/// Σxᵢyᵢ.
#[inline(always)]
fn product(x: &[f64], y: &[f64]) -> f64 {
    by_lanes(x, y, |x, y| x * y)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Rows of more than one block are orthogonal to the last digits, also those that are nearly the sum of rows
    /// before them; rows that are such a sum become zero; and threads make no difference.
    #[test]
    fn axes_are_orthogonal() {
        let (count, features) = (3 * AXES_OF_BLOCK - 5, 120);
        let noise = |(i, j)| scrambled((features * i + j) as u64) as f64 / u64::MAX as f64 - 0.5;
        let mut start = Array2::from_shape_fn((count, features), noise);
        let (sum, nearly) = (AXES_OF_BLOCK + 3, 2 * AXES_OF_BLOCK + 7);
        for (row, share) in [(sum, 0.0), (nearly, 1e-6)] {
            let (first, second) = (start.row(1).to_owned(), start.row(row - 2).to_owned());
            let own = start.row(row).to_owned();
            start.row_mut(row).assign(&(first + second + share * own));
        }
        let of_threads = [1, 3].map(|threads| {
            let mut axes = start.clone();
            let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
            pool.install(|| orthonormalize(&mut axes, 2, || false));
            axes
        });
        assert_eq!(of_threads[0], of_threads[1]);
        let products = of_threads[0].dot(&of_threads[0].t());
        for ((i, j), product) in products.indexed_iter() {
            let expected = if i == j && i != sum { 1.0 } else { 0.0 };
            assert!((product - expected).abs() < 1e-14, "{i}, {j}: {product}");
        }
    }
}
