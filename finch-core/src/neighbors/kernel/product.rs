//! All pairs of two sets of rows in f32, by a matrix product, or sums of the larger values, whose
//! sums are looked at as they arise.
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

use pulp::{Simd, WithSimd};

use crate::memory::filled;
use crate::progress::Meter;
use crate::vector::{multiply_add, widest};

/// Vectors in a line of a panel. With [`ROWS`], their product is the number of vectors of sums
/// under way: as many as keep a processor busy, and as fit its registers beside what is multiplied.
pub(crate) const VECTORS: usize = 3;
/// Rows of the left that are multiplied with a line at a time.
const ROWS: usize = 4;
/// Numbers in the longest line there is: of vectors of 16 numbers, as AVX-512 has them.
pub(crate) const LONGEST_LINE: usize = VECTORS * 16;
/// Columns that are multiplied at a time, at most.
const COLUMNS: usize = 1024;
/// Numbers of the right that are multiplied at a time: 256 KiB, which stay in a core's second
/// cache. (One panel at a time, which stays in the first cache, is no faster.)
const CACHED: usize = 1 << 16;

/// What the columns of two rows x and y add to the sum of the pair.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Terms {
    /// xᵢyᵢ: with ends of −½Σxᵢ² the sum is −½ of the squared Euclidean distance.
    Products,
    /// −max(xᵢ, yᵢ): with ends of ½Σxᵢ the sum is −½ of the Manhattan distance, since |xᵢ−yᵢ| is
    /// 2max(xᵢ, yᵢ) − xᵢ − yᵢ. (The difference itself takes three instructions where the larger value
    /// takes two.)
    Larger,
}

/// Rows in f32, cut into panels of as many rows as a line has numbers. A panel is stored line by
/// line, and a line holds one column of the panel's rows.
pub(crate) struct Panels {
    rows: usize,
    columns: usize,
    /// Rows of a panel.
    width: usize,
    terms: Terms,
    values: Vec<f32>,
    /// The end of each row: a number that is added to every product of the row. −∞ for rows that
    /// the last panel lacks.
    ends: Vec<f32>,
}

impl Panels {
    /// Makes room for rows of at least one column, each of which has to be [`set`](Self::set).
    pub(crate) fn new(rows: usize, columns: usize, terms: Terms) -> Self {
        Self::of_width(rows, columns, terms, widest(PanelWidth))
    }

    fn of_width(rows: usize, columns: usize, terms: Terms, width: usize) -> Self {
        assert!(columns > 0, "rows have columns");
        let places = rows.div_ceil(width) * width;
        let values = filled(0.0, places * columns);
        Self { rows, columns, width, terms, values, ends: filled(f32::NEG_INFINITY, places) }
    }

    /// Writes a row and its end.
    #[inline(always)]
    pub(crate) fn set(&mut self, row: usize, values: &[f32], end: f32) {
        debug_assert!(row < self.rows && values.len() == self.columns, "a row is whole");
        let (panel, place) = (self.width * self.columns, row % self.width);
        let panel = &mut self.values[row / self.width * panel..][..panel];
        for (line, value) in panel.chunks_exact_mut(self.width).zip(values) {
            line[place] = *value;
        }
        self.ends[row] = end;
    }

    pub(crate) fn rows(&self) -> usize {
        self.rows
    }

    pub(crate) fn columns(&self) -> usize {
        self.columns
    }

    /// The numbers of a row, without its end.
    pub(crate) fn row(&self, row: usize) -> impl Iterator<Item = f32> {
        self.values[self.first(row)..].iter().step_by(self.width).take(self.columns).copied()
    }

    /// The end of each row.
    pub(crate) fn ends(&self) -> &[f32] {
        &self.ends[..self.rows]
    }

    /// Rows of a panel, on this processor.
    pub(crate) fn width(&self) -> usize {
        self.width
    }

    /// How many rows there would be if the last panel were full.
    pub(crate) fn places(&self) -> usize {
        self.ends.len()
    }

    /// Where the first number of a row is.
    #[inline(always)]
    fn first(&self, row: usize) -> usize {
        row / self.width * self.width * self.columns + row % self.width
    }
}

/// An observer of the pairs of a product.
pub(crate) trait Pairs {
    /// Is shown the sums of the ends a and b and all terms of a pair: of one row x of the left,
    /// number `row`, which ends with a, and a line of rows y of the right, from number `first` on,
    /// which end with b. The sum is −∞ for a row that the last panel lacks. Has to be
    /// `#[inline(always)]`.
    fn look<S: Simd>(&mut self, simd: S, row: usize, first: usize, sums: &Line<S>);
}

/// A line of a panel, or the sums of one row with a line.
pub(crate) type Line<S> = [<S as Simd>::f32s; VECTORS];

/// Numbers as lines; what does not fill the last line is left out.
#[inline(always)]
pub(crate) fn lines<S: Simd>(numbers: &[f32]) -> &[Line<S>] {
    S::as_simd_f32s(numbers).0.as_chunks().0
}

/// Numbers as lines that can be written; what does not fill the last line is left out.
#[inline(always)]
pub(crate) fn lines_mut<S: Simd>(numbers: &mut [f32]) -> &mut [Line<S>] {
    S::as_mut_simd_f32s(numbers).0.as_chunks_mut().0
}

/// Shows `pairs` the sum of each row of `left` with each row of `right`; not of all, if the run is
/// stopped.
pub(crate) fn all_pairs(left: &Panels, right: &Panels, pairs: &mut impl Pairs, meter: &Meter) {
    match left.terms {
        Terms::Products => widest(Tiles { left, right, pairs, add: Products, meter }),
        Terms::Larger => widest(Tiles { left, right, pairs, add: Larger, meter }),
    }
}

/// Adds the terms of one column to sums.
trait Add: Copy {
    /// What it adds.
    fn terms(self) -> Terms;

    /// The sums with the terms of x and y. Has to be `#[inline(always)]`.
    fn add<S: Simd>(self, simd: S, x: S::f32s, y: S::f32s, sums: S::f32s) -> S::f32s;
}

/// [`Terms::Products`].
#[derive(Clone, Copy)]
struct Products;

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
struct Larger;

impl Add for Larger {
    fn terms(self) -> Terms {
        Terms::Larger
    }

    #[inline(always)]
    fn add<S: Simd>(self, simd: S, x: S::f32s, y: S::f32s, sums: S::f32s) -> S::f32s {
        simd.sub_f32s(sums, simd.max_f32s(x, y))
    }
}

/// Asks how many rows a panel has on this processor.
struct PanelWidth;

impl WithSimd for PanelWidth {
    type Output = usize;

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) -> usize {
        VECTORS * S::F32_LANES
    }
}

struct Tiles<'a, P, A> {
    left: &'a Panels,
    right: &'a Panels,
    pairs: &'a mut P,
    add: A,
    meter: &'a Meter<'a>,
}

impl<P: Pairs, A: Add> WithSimd for Tiles<'_, P, A> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        let Self { left, right, pairs, add, meter } = self;
        let (columns, width) = (left.columns, VECTORS * S::F32_LANES);
        assert_eq!(columns, right.columns, "rows of both sides have one length");
        assert_eq!([left.width, right.width], [width; 2], "panels are those of this processor");
        assert_eq!([left.terms, right.terms], [add.terms(); 2], "ends of both sides fit the terms");
        let [of_right, ends] = [&right.values, &right.ends].map(|numbers| lines::<S>(numbers));
        let of_left = left.values.as_chunks::<ROWS>().0;

        let parts = columns.div_ceil(COLUMNS);
        let columns_of_part = columns.div_ceil(parts);
        // What the parts of columns so far sum up to, where there is more than one part.
        let mut so_far = filled(0.0, if parts > 1 { left.rows * right.ends.len() } else { 0 });
        for part in 0..parts {
            let part_columns = part * columns_of_part..columns.min((part + 1) * columns_of_part);
            let panels = (CACHED / (width * part_columns.len())).max(1);
            for first in (0..ends.len()).step_by(panels) {
                if meter.stopped() {
                    return;
                }
                let last = ends.len().min(first + panels);
                for row in (0..left.rows).step_by(ROWS) {
                    let few = ROWS.min(left.rows - row);
                    let start = left.first(row) / ROWS + part_columns.start * width / ROWS;
                    let of_left = &of_left[start..];
                    for panel in first..last {
                        let place = |i: usize| (row + i) * right.ends.len() + panel * width;
                        let mut tile = [ends[panel]; ROWS];
                        for (i, tile) in tile.iter_mut().enumerate().take(few) {
                            if part == 0 {
                                let end = simd.splat_f32s(left.ends[row + i]);
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
fn add_terms<S: Simd>(
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

/// The sum of each pair, a vector for each row of the left.
#[cfg(test)]
pub(crate) fn all_sums(left: &Panels, right: &Panels) -> Vec<Vec<f32>> {
    struct Sums(Vec<Vec<f32>>);

    impl Pairs for Sums {
        fn look<S: Simd>(&mut self, _: S, row: usize, first: usize, sums: &Line<S>) {
            assert_eq!(first, self.0[row].len(), "lines follow each other");
            self.0[row].resize(first + VECTORS * S::F32_LANES, 0.0);
            lines_mut::<S>(&mut self.0[row][first..])[0] = *sums;
        }
    }

    let mut sums = Sums(vec![Vec::new(); left.rows]);
    all_pairs(left, right, &mut sums, &Meter::stopped_at_once(false));
    sums.0.iter_mut().for_each(|sums| sums.truncate(right.rows));
    sums.0
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The sums that have been shown, a vector for each row of the left.
    struct Shown(Vec<Vec<Option<f32>>>);

    impl Pairs for Shown {
        fn look<S: Simd>(&mut self, _: S, row: usize, first: usize, sums: &Line<S>) {
            let mut line = vec![0.0; VECTORS * S::F32_LANES];
            lines_mut::<S>(&mut line)[0] = *sums;
            for (place, sum) in (first..).zip(line) {
                match self.0[row].get_mut(place) {
                    Some(shown) => assert_eq!(shown.replace(sum), None, "once"),
                    None => assert_eq!(sum, f32::NEG_INFINITY, "beyond the last row"),
                }
            }
        }
    }

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
        let mut shown = Shown(vec![vec![None; others]; rows]);
        simd.vectorize(Tiles { left: &left, right: &right, pairs: &mut shown, add, meter });
        let term = |(x, y): (f32, f32)| match terms {
            Terms::Products => x * y,
            Terms::Larger => -x.max(y),
        };
        for (i, sums) in shown.0.iter().enumerate() {
            for (j, sum) in sums.iter().enumerate() {
                let of_pair: f32 = left.row(i).zip(right.row(j)).map(term).sum();
                let expected = of_pair + left.ends[i] + right.ends[j];
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
            check(pulp::Scalar256b, shape, Products);
            check(pulp::Scalar256b, shape, Larger);
            check(pulp::Scalar512b, shape, Products);
            check(pulp::Scalar512b, shape, Larger);
        }
        let [mut left, mut right] = [30, 77].map(|rows| Panels::new(rows, 9, Terms::Products));
        for panels in [&mut left, &mut right] {
            (0..panels.rows()).for_each(|row| panels.set(row, &[value(row, 3); 9], 0.0));
        }
        let products: f32 = left.row(29).zip(right.row(76)).map(|(x, y)| x * y).sum();
        assert_eq!(all_sums(&left, &right)[29][76], products);
    }
}
