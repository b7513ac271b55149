//! All pairs of two sets of rows in f32, by a matrix product, or sums of the larger values or of squared
//! differences, whose sums are looked at as they arise.
//!
//! This kernel is written here, on the widest vectors of the processor that it runs on (AVX-512,
//! AVX2, NEON, by the pulp crate), since most of an exact search's time goes into it. Most pairs
//! are asked one question, whether they are within a limit, and the kernel answers it while their
//! sums are in registers. Rejected: a library's product, since writing all sums of two blocks and
//! looking through them afterwards takes as long again as a product of few features. For the
//! product alone the crate gemm (which faer uses) does as many sums a second as this kernel, and
//! matrixmultiply (which ndarray uses, and which knows no AVX-512) does nine tenths as many.
//!
//! Processors with other vectors round these sums in other ways. So the sums may only decide which
//! pairs are compared, and never what is found.

use std::ops::Range;

use pulp::{Simd, WithSimd};

use super::panels::{Line, Pairs, Panels, Terms, VECTORS, lines, lines_mut};
use crate::run::progress::Meter;
use crate::support::memory::filled;
use crate::support::simd::{multiply_add, subtract_product, widest};

/// Rows of the left that are multiplied with a line at a time, on processors with 16 vector registers.
const ROWS: usize = 4;
/// The same on processors with vectors of [`WIDE`] numbers, which have 32 registers. Lines come from the second cache,
/// and twice as many rows share each.
const ROWS_OF_WIDE: usize = 8;
/// Numbers in a vector of AVX-512.
const WIDE: usize = 16;
/// Columns that are multiplied at a time, at most.
const COLUMNS: usize = 1024;
/// Numbers of the right that are multiplied at a time: 256 KiB, which stay in a core's second
/// cache. (One panel at a time, which stays in the first cache, is no faster.)
const CACHED: usize = 1 << 16;

/// Shows `pairs` the sum of each row of the left with each row of the right; not of all, if the run is
/// stopped.
pub(super) fn all_pairs(
    [left, right]: [&Panels; 2],
    pairs: &mut impl Pairs,
    add: impl Add,
    meter: &Meter,
) {
    widest(Tiles { left, right, rows: 0..left.rows(), is_upper: false, pairs, add, meter });
}

/// Shows `pairs` the sums of some rows of a set, from the first of a panel on, with all rows of the same set from
/// that panel's first on; not of all, if the run is stopped.
pub(super) fn upper_pairs(
    panels: &Panels,
    rows: Range<usize>,
    pairs: &mut impl Pairs,
    add: impl Add,
    meter: &Meter,
) {
    let [left, right] = [panels; 2];
    widest(Tiles { left, right, rows, is_upper: true, pairs, add, meter });
}

/// Adds the terms of one column to sums.
pub(super) trait Add: Copy {
    /// The kind of the terms added.
    fn terms(self) -> Terms;

    /// The sums with the terms of x and y. Has to be `#[inline(always)]`.
    fn add<S: Simd>(self, simd: S, x: S::f32s, y: S::f32s, sums: S::f32s) -> S::f32s;
}

/// [`Terms::Products`].
#[derive(Clone, Copy)]
pub(super) struct Products;

impl Add for Products {
    fn terms(self) -> Terms {
        Terms::Products
    }

    #[inline(always)]
    fn add<S: Simd>(self, simd: S, x: S::f32s, y: S::f32s, sums: S::f32s) -> S::f32s {
        multiply_add(simd, x, y, sums)
    }
}

/// [`Terms::Larger`].
#[derive(Clone, Copy)]
pub(super) struct Larger;

impl Add for Larger {
    fn terms(self) -> Terms {
        Terms::Larger
    }

    #[inline(always)]
    fn add<S: Simd>(self, simd: S, x: S::f32s, y: S::f32s, sums: S::f32s) -> S::f32s {
        simd.sub_f32s(sums, simd.max_f32s(x, y))
    }
}

/// [`Terms::Squares`].
#[derive(Clone, Copy)]
pub(super) struct Squares;

impl Add for Squares {
    fn terms(self) -> Terms {
        Terms::Squares
    }

    #[inline(always)]
    fn add<S: Simd>(self, simd: S, x: S::f32s, y: S::f32s, sums: S::f32s) -> S::f32s {
        let difference = simd.sub_f32s(x, y);
        subtract_product(simd, difference, difference, sums)
    }
}

struct Tiles<'a, P, A> {
    left: &'a Panels,
    right: &'a Panels,
    /// The rows of the left, from the first of a panel on.
    rows: Range<usize>,
    /// True where both sides are one set, of which panels before that of a row are left out.
    is_upper: bool,
    pairs: &'a mut P,
    add: A,
    meter: &'a Meter<'a>,
}

impl<P: Pairs, A: Add> WithSimd for Tiles<'_, P, A> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        match S::F32_LANES {
            WIDE => self.show::<S, ROWS_OF_WIDE>(simd),
            _ => self.show::<S, ROWS>(simd),
        }
    }
}

impl<P: Pairs, A: Add> Tiles<'_, P, A> {
    #[inline(always)]
    fn show<S: Simd, const ROWS: usize>(self, simd: S) {
        let Self { left, right, rows, is_upper, pairs, add, meter } = self;
        let (columns, width) = (left.columns(), VECTORS * S::F32_LANES);
        for side in [left, right] {
            assert_eq!(side.columns(), columns, "rows of both sides have one length");
            assert_eq!(side.width(), width, "panels are those of this processor");
            assert_eq!(side.terms(), add.terms(), "ends of both sides fit the terms");
        }
        let [of_right, ends] =
            [right.floats(), right.all_ends()].map(|numbers| lines::<S>(numbers));
        let of_left = left.floats().as_chunks::<ROWS>().0;

        let parts = columns.div_ceil(COLUMNS);
        let columns_of_part = columns.div_ceil(parts);
        // The sums of the parts of columns so far, where there is more than one part.
        let mut so_far = filled(0.0, if parts > 1 { rows.len() * right.places() } else { 0 });
        for part in 0..parts {
            let part_columns = part * columns_of_part..columns.min((part + 1) * columns_of_part);
            let panels = (CACHED / (width * part_columns.len())).max(1);
            for first in (0..ends.len()).step_by(panels) {
                if meter.stopped() {
                    return;
                }
                let last = ends.len().min(first + panels);
                for row in rows.clone().step_by(ROWS) {
                    let few = ROWS.min(rows.end - row);
                    let first = if is_upper { first.max(row / width) } else { first };
                    let start = left.first(row) / ROWS + part_columns.start * width / ROWS;
                    let of_left = &of_left[start..];
                    for panel in first..last {
                        let place =
                            |i: usize| (row - rows.start + i) * right.places() + panel * width;
                        let mut tile = [ends[panel]; ROWS];
                        for (i, tile) in tile.iter_mut().enumerate().take(few) {
                            if part == 0 {
                                let end = simd.splat_f32s(left.all_ends()[row + i]);
                                *tile = tile.map(|sum| simd.add_f32s(sum, end));
                            } else {
                                *tile = lines::<S>(&so_far[place(i)..][..width])[0];
                            }
                        }
                        let of_right = &of_right[panel * columns..][part_columns.clone()];
                        let tile = add_terms(simd, add, of_left, of_right, tile);
                        for (i, sums) in tile.iter().enumerate().take(few) {
                            if part + 1 < parts {
                                lines_mut::<S>(&mut so_far[place(i)..][..width])[0] = *sums;
                            } else {
                                pairs.look(simd, row + i, panel * width, sums);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Adds to a tile of sums the terms of `ROWS` rows of the left with a panel of the right, column
/// by column. `left` begins where these rows have their first column.
#[inline(always)]
fn add_terms<S: Simd, const ROWS: usize>(
    simd: S,
    add: impl Add,
    left: &[[f32; ROWS]],
    right: &[Line<S>],
    mut tile: [Line<S>; ROWS],
) -> [Line<S>; ROWS] {
    for (left, right) in left.chunks(VECTORS * S::F32_LANES / ROWS).zip(right) {
        for (sums, x) in tile.iter_mut().zip(left[0]) {
            let x = simd.splat_f32s(x);
            for (sum, y) in sums.iter_mut().zip(right) {
                *sum = add.add(simd, x, *y, *sum);
            }
        }
    }
    tile
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::kernel::pairs::{Shown, all_sums};

    /// Whole numbers, so that sums are exact.
    fn value(row: usize, column: usize) -> f32 {
        ((row * 31 + column * 17 + row * column) % 23) as f32 - 11.0
    }

    fn panels<S: Simd>(rows: usize, columns: usize, shift: usize, terms: Terms) -> Panels {
        let mut panels = Panels::of_width(rows, columns, terms, VECTORS * S::F32_LANES);
        for row in 0..rows {
            let of_column = |column| value(row + shift + columns, column);
            let values: Vec<f32> = (0..columns).map(of_column).collect();
            panels.set(row, &values, (row + shift) as f32);
        }
        panels
    }

    fn check<S: Simd>(simd: S, [rows, others, columns]: [usize; 3], add: impl Add) {
        let (terms, meter) = (add.terms(), &Meter::stopped_at_once(false));
        let left = panels::<S>(rows, columns, 0, terms);
        let right = panels::<S>(others, columns, 5, terms);
        let mut shown = Shown::of([rows, others]);
        let (left, right) = (&left, &right);
        let pairs = &mut shown;
        simd.vectorize(Tiles { left, right, rows: 0..rows, is_upper: false, pairs, add, meter });
        let term = |(x, y): (f32, f32)| match terms {
            Terms::Products => x * y,
            Terms::Larger => -x.max(y),
            Terms::Squares => -(x - y) * (x - y),
            Terms::Bytes => unreachable!("bytes have a kernel of their own"),
        };
        for (i, sums) in shown.sums.iter().enumerate() {
            for (j, sum) in sums.iter().enumerate() {
                let of_pair: f32 = left.row(i).zip(right.row(j)).map(term).sum();
                let expected = of_pair + left.ends()[i] + right.ends()[j];
                let context = format!("{i}, {j} of {rows} x {others} x {columns}, {terms:?}");
                assert_eq!(*sum, Some(expected), "{context}");
            }
        }
    }

    #[test]
    fn all_pairs_are_shown_with_vectors_of_any_width() {
        for shape in [[1, 1, 1], [5, 3, 2], [50, 49, 7], [13, 100, 66], [60, 26, 2500]] {
            check(pulp::Scalar128b, shape, Products);
            check(pulp::Scalar128b, shape, Larger);
            check(pulp::Scalar128b, shape, Squares);
            check(pulp::Scalar256b, shape, Products);
            check(pulp::Scalar256b, shape, Larger);
            check(pulp::Scalar512b, shape, Products);
            check(pulp::Scalar512b, shape, Larger);
            check(pulp::Scalar512b, shape, Squares);
        }
        let [mut left, mut right] = [30, 77].map(|rows| Panels::new(rows, 9, Terms::Products));
        for panels in [&mut left, &mut right] {
            (0..panels.rows()).for_each(|row| panels.set(row, &[value(row, 3); 9], 0.0));
        }
        let products: f32 = left.row(29).zip(right.row(76)).map(|(x, y)| x * y).sum();
        assert_eq!(all_sums(&left, &right)[29][76], products);
    }

    /// Of rows of one panel after the other, with columns in one part and in two.
    #[test]
    fn each_pair_of_a_set_is_shown_once() {
        for (count, columns) in [(1, 3), (20, 7), (130, 1_500)] {
            let mut panels = Panels::new(count, columns, Terms::Squares);
            for row in 0..count {
                let values: Vec<f32> = (0..columns).map(|column| value(row, column)).collect();
                panels.set(row, &values, 0.0);
            }
            let (width, meter) = (panels.width(), &Meter::stopped_at_once(false));
            let mut shown = Shown::of([count, count]);
            for first in (0..count).step_by(width) {
                let rows = first..count.min(first + width);
                upper_pairs(&panels, rows, &mut shown, Squares, meter);
            }
            let all = all_sums(&panels, &panels);
            for (i, j) in (0..count).flat_map(|i| (0..count).map(move |j| (i, j))) {
                let expected = (j / width >= i / width).then_some(all[i][j]);
                assert_eq!(shown.sums[i][j], expected, "{i}, {j} of {count}");
            }
        }
    }
}
