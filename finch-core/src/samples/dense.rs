//! Matrices of checked samples whose element type shows when the program runs.
//!
//! A function here finds out the type once for each row, or for many rows, which takes a jump that the
//! processor foresees. Rejected: to compile every search for every type.

use std::ops::Range;

use ndarray::{Array2, ArrayView1, ArrayView2, Axis, s};
use rayon::prelude::*;

use super::bits::{BYTE, BitArray, BitMatrix};
use super::element::{AnyArray, AnyMatrix, Element, with_matrix};
use super::metric::{cosine_key_within, squares};
use crate::error::{Error, Result};
use crate::support::memory::{filled, resize, room};
use crate::support::parallel::SharedSplitting as _;
use crate::support::simd::vectorized;

/// The fewest features of a row that is read by the widest vectors: to choose these takes as long as
/// to read a few values.
const VECTORIZED: usize = 16;

impl<'a> AnyMatrix<'a> {
    /// The number of samples, N.
    pub(crate) fn len(&self) -> usize {
        with_matrix!(self, matrix => matrix.nrows(), bits => bits.len())
    }

    /// The number of features, d.
    pub(crate) fn features(&self) -> usize {
        with_matrix!(self, matrix => matrix.ncols(), bits => bits.features())
    }

    /// True if the values of a row follow each other in memory.
    pub(crate) fn has_contiguous_rows(&self) -> bool {
        with_matrix!(self, matrix => matrix.strides()[1] == 1, bits => bits.has_contiguous_rows())
    }

    /// True if the values of a column are nearer to each other in memory than those of a row.
    pub(crate) fn is_by_columns(&self) -> bool {
        fn are<A>(matrix: ArrayView2<'_, A>) -> bool {
            let [row, column] = [0, 1].map(|axis| matrix.strides()[axis].unsigned_abs());
            row < column
        }
        with_matrix!(self, matrix => are(matrix.reborrow()), bits => are(bits.bytes()))
    }

    /// Writes sample `row`, d values.
    #[inline]
    pub(crate) fn load(&self, row: usize, out: &mut [f64]) {
        with_matrix!(self, matrix => {
            let values = matrix.index_axis(Axis(0), row);
            match out.len() >= VECTORIZED {
                true => load(values, out),
                false => for_each_value(out, values, |out, value| *out = value),
            }
        }, bits => bits.for_each_value(row, 0..out.len(), out, |out, value| *out = value));
    }

    /// Writes samples of these numbers one after the other, a column at a time.
    pub(crate) fn load_by_columns(
        &self,
        rows: impl Iterator<Item = usize> + Clone,
        out: &mut [f64],
    ) {
        with_matrix!(self, matrix => {
            for (column, values) in matrix.columns().into_iter().enumerate() {
                let out = out.iter_mut().skip(column).step_by(matrix.ncols());
                out.zip(rows.clone()).for_each(|(out, row)| *out = values[row].to_f64());
            }
        }, bits => {
            for feature in 0..bits.features() {
                let out = out.iter_mut().skip(feature).step_by(bits.features());
                out.zip(rows.clone()).for_each(|(out, row)| *out = bits.value(row, feature));
            }
        });
    }

    /// Some samples of f32, which follow each other in memory; or a copy of samples whose values f32 holds.
    pub(crate) fn rows_as_singles<'r>(
        &'r self,
        rows: Range<usize>,
        copy: &'r mut Vec<f32>,
    ) -> &'r [f32] {
        let features = self.features();
        if let AnyMatrix::F32(matrix) = self
            && let Some(values) = matrix.as_slice()
        {
            return &values[rows.start * features..rows.end * features];
        }
        copy.clear();
        resize(copy, rows.len() * features, 0.0);
        let out = rows.zip(copy.chunks_exact_mut(features));
        with_matrix!(self, matrix => out.for_each(|(row, out)| {
            let values = matrix.index_axis(Axis(0), row);
            match values.as_slice() {
                Some(values) => write_singles(values, out),
                None => out.iter_mut().zip(values).for_each(|(out, x)| *out = x.to_f64() as f32),
            }
        }), bits => {
            let mut values = filled(0.0, features);
            for (row, out) in out {
                bits.for_each_value(row, 0..features, &mut values, |out, value| *out = value);
                out.iter_mut().zip(&values).for_each(|(out, value)| *out = *value as f32);
            }
        });
        copy
    }

    /// Some samples of f64, which follow each other in memory; or a copy of samples.
    pub(crate) fn rows_as_doubles<'r>(
        &'r self,
        rows: Range<usize>,
        copy: &'r mut Vec<f64>,
    ) -> &'r [f64] {
        let features = self.features();
        if let AnyMatrix::F64(matrix) = self
            && let Some(values) = matrix.as_slice()
        {
            return &values[rows.start * features..rows.end * features];
        }
        copy.clear();
        resize(copy, rows.len() * features, 0.0);
        rows.zip(copy.chunks_exact_mut(features)).for_each(|(row, out)| self.load(row, out));
        copy
    }

    /// The values of a sample of f32, where they follow each other in memory.
    pub(crate) fn singles(&self, row: usize) -> Option<&[f32]> {
        match self {
            AnyMatrix::F32(matrix) => matrix.row(row).to_slice(),
            _ => None,
        }
    }

    /// Σ(xᵢ−yᵢ)² of a row and sample `other`, which is read in place; `None` where its values do not
    /// follow each other in memory.
    #[inline]
    pub(crate) fn squares(&self, row: &[f64], other: usize) -> Option<f64> {
        with_matrix!(self, matrix => {
            matrix.index_axis(Axis(0), other).as_slice().map(|other| squares(row, other))
        }, _bits => None)
    }

    /// [`cosine_key_within`] of a row, of the same type or a narrower one, and sample `other`; `None` as
    /// [`AnyMatrix::squares`], too.
    #[inline]
    pub(crate) fn cosine_key_within(&self, row: &[f64], other: usize, limit: f64) -> Option<f64> {
        let of = self.element();
        with_matrix!(self, matrix => {
            let other = matrix.index_axis(Axis(0), other);
            other.as_slice().map(|other| cosine_key_within(row, other, of, limit))
        }, _bits => None)
    }

    /// True if all values of a sample are 0.
    pub(crate) fn is_zero(&self, row: usize) -> bool {
        with_matrix!(
            self,
            matrix => matrix.row(row).iter().all(|value| value.to_f64() == 0.0),
            bits => bits.is_zero(row),
        )
    }

    /// True if a sample has these values.
    pub(crate) fn has_values(&self, row: usize, values: &[f64]) -> bool {
        with_matrix!(
            self,
            matrix => matrix.row(row).iter().zip(values).all(|(a, b)| a.to_f64() == *b),
            bits => (0..).zip(values).all(|(feature, value)| bits.value(row, feature) == *value),
        )
    }

    /// True if two samples have equal values.
    pub(crate) fn are_equal(&self, [a, b]: [u32; 2]) -> bool {
        with_matrix!(
            self,
            matrix => matrix.row(a as usize) == matrix.row(b as usize),
            bits => bits.are_equal([a, b]),
        )
    }

    /// Consecutive samples.
    pub(crate) fn part(self, rows: Range<usize>) -> AnyMatrix<'a> {
        with_matrix!(
            self,
            matrix => any(matrix.slice_move(s![rows, ..])),
            bits => AnyMatrix::Bits(bits.part(rows)),
        )
    }

    /// Some of the samples, copied row by row.
    pub(crate) fn select(&self, rows: &[u32]) -> AnyArray {
        with_matrix!(self, matrix => {
            let features = matrix.ncols();
            let mut values = filled(Default::default(), rows.len() * features);
            let copies = values.par_chunks_mut(features).zip(rows);
            copies.shared().for_each(|(copy, &row)| {
                let row = matrix.row(row as usize);
                copy.iter_mut().zip(row).for_each(|(copy, value)| *copy = *value);
            });
            AnyArray::of(shaped(values, [rows.len(), features]))
        }, bits => of_bytes(AnyMatrix::U8(bits.bytes()).select(rows), bits.features()))
    }

    /// A copy of all samples, row after row.
    pub(crate) fn copied(&self) -> AnyArray {
        with_matrix!(self, matrix => {
            let mut values = room(matrix.len());
            values.extend(matrix.iter().copied());
            AnyArray::of(shaped(values, [matrix.nrows(), matrix.ncols()]))
        }, bits => of_bytes(AnyMatrix::U8(bits.bytes()).copied(), bits.features()))
    }

    /// A copy in a type that holds every value, row after row.
    pub(crate) fn converted_to<B: Element>(&self) -> Array2<B> {
        let mut values = room(self.len() * self.features());
        self.append_to(&mut values);
        shaped(values, [self.len(), self.features()])
    }

    /// Appends all samples, row after row, to values of a type that holds every value.
    fn append_to<B: Element>(&self, values: &mut Vec<B>) {
        let mut loaded = filled(0.0, self.features());
        for row in 0..self.len() {
            self.load(row, &mut loaded);
            values.extend(loaded.iter().map(|&value| B::of_f64(value)));
        }
    }

    /// A copy of two matrices with as many features, one below the other, of which the upper one's
    /// type holds every value.
    pub(crate) fn stacked([upper, lower]: [AnyMatrix<'_>; 2]) -> AnyArray {
        let shape = [upper.len() + lower.len(), upper.features()];
        with_matrix!(upper, upper => {
            let mut values = room(shape[0] * shape[1]);
            values.extend(upper.iter().copied());
            lower.append_to(&mut values);
            AnyArray::of(shaped(values, shape))
        }, bits => match lower {
            AnyMatrix::Bits(lower) => {
                let parts = [bits.bytes(), lower.bytes()].map(AnyMatrix::U8);
                of_bytes(AnyMatrix::stacked(parts), bits.features())
            }
            _ => unreachable!("bits hold no values of another type"),
        })
    }

    /// The bits of samples whose values are 0 and 1, as something takes them.
    ///
    /// # Errors
    /// [`Error::NotBinary`].
    pub(crate) fn packed(&self, what: &'static str) -> Result<BitArray> {
        let (samples, features) = (self.len(), self.features());
        let width = features.div_ceil(BYTE);
        let mut bytes = filled(0, samples * width);
        let rows = bytes.par_chunks_exact_mut(width).enumerate();
        let fault = rows
            .map_init(
                || filled(0.0, features),
                |values, (row, bytes)| {
                    self.load(row, values);
                    for (byte, values) in bytes.iter_mut().zip(values.chunks(BYTE)) {
                        for (bit, &value) in values.iter().enumerate() {
                            *byte |= u8::from(value == 1.0) << (BYTE - 1 - bit);
                        }
                    }
                    let is_binary = |value: f64| value == 0.0 || value == 1.0;
                    let column = values.iter().position(|&value| !is_binary(value))?;
                    Some(Error::NotBinary { what, row, column, value: values[column] })
                },
            )
            .find_map_first(|fault| fault);
        match fault {
            None => Ok(BitArray::of(shaped(bytes, [samples, width]), features)),
            Some(fault) => Err(fault),
        }
    }

    /// Adds some features of some samples to their sums, one sample after the other.
    pub(crate) fn add_up(&self, rows: &[u32], features: Range<usize>, sums: &mut [f64]) {
        with_matrix!(
            self,
            matrix => add_up(matrix.reborrow(), rows, features, sums),
            bits => add_bits_up(bits.reborrow(), rows, features, sums),
        );
    }

    /// Does something with each number of `out` and some features of a sample.
    pub(crate) fn for_each_value(
        &self,
        row: usize,
        features: Range<usize>,
        out: &mut [f64],
        each: impl Fn(&mut f64, f64),
    ) {
        with_matrix!(self, matrix => {
            for_each_value(out, matrix.row(row).slice_move(s![features]), each);
        }, bits => bits.for_each_value(row, features, out, each));
    }
}

impl AnyArray {
    pub(crate) fn of<A: Element>(matrix: Array2<A>) -> Self {
        A::any_array(matrix)
    }

    /// The matrix, which has this element type.
    pub(crate) fn of_type<A: Element>(self) -> Array2<A> {
        A::of_any_array(self).expect("the matrix has this element type")
    }
}

fn any<A: Element>(matrix: ArrayView2<'_, A>) -> AnyMatrix<'_> {
    A::any(matrix)
}

/// Rows of packed bits.
fn of_bytes(bytes: AnyArray, features: usize) -> AnyArray {
    AnyArray::Bits(BitArray::of(bytes.of_type(), features))
}

fn shaped<A>(values: Vec<A>, shape: [usize; 2]) -> Array2<A> {
    Array2::from_shape_vec(shape, values).expect("rows have one length")
}

vectorized! {
    fn load<'a, A: Element>(values: ArrayView1<'a, A>, out: &'a mut [f64]) -> () {
        for_each_value(out, values, |out, value| *out = value);
    }
}

vectorized! {
    /// Writes values that f32 holds.
    fn write_singles<'a, A: Element>(values: &'a [A], out: &'a mut [f32]) -> () {
        for (out, value) in out.iter_mut().zip(values) {
            *out = value.to_f64() as f32;
        }
    }
}

vectorized! {
    fn add_up<'a, A: Element>(
        matrix: ArrayView2<'a, A>,
        rows: &'a [u32],
        features: Range<usize>,
        sums: &'a mut [f64],
    ) -> () {
        for &row in rows {
            let values = matrix.index_axis_move(Axis(0), row as usize);
            let values = values.slice_move(s![features.clone()]);
            for_each_value(sums, values, |sum, value| *sum += value);
        }
    }
}

vectorized! {
    fn add_bits_up<'a>(
        matrix: BitMatrix<'a>,
        rows: &'a [u32],
        features: Range<usize>,
        sums: &'a mut [f64],
    ) -> () {
        for &row in rows {
            matrix.for_each_value(row as usize, features.clone(), sums, |sum, value| *sum += value);
        }
    }
}

/// Does something with each number of `out` and the value of a sample. Values that follow each
/// other in memory, as most do, have a loop of their own, which the compiler can vectorize.
#[inline(always)]
fn for_each_value<A: Element>(
    out: &mut [f64],
    values: ArrayView1<'_, A>,
    each: impl Fn(&mut f64, f64),
) {
    match values.as_slice() {
        Some(values) => {
            out.iter_mut().zip(values).for_each(|(out, value)| each(out, value.to_f64()))
        }
        None => out.iter_mut().zip(values).for_each(|(out, value)| each(out, value.to_f64())),
    }
}
