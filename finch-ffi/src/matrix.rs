//! The one form in which samples come in.

use std::ffi::c_void;

use finch_core::{Error, Hierarchy, Samples};
use ndarray::ArrayView2;

use crate::caller::Caller;
use crate::enums::from_c;
use crate::fault::Fault;

/// The type of the elements of a matrix. All arithmetic is in double precision. Cluster means are
/// kept as double for samples of double, and rounded to float for other samples.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_element {
    /// float
    FINCH_F32 = 0,
    /// double
    FINCH_F64 = 1,
    /// uint8_t, such as pixels
    FINCH_U8 = 2,
}

/// A matrix of samples where it lies in the caller's memory: rows are samples, columns are
/// features.
///
/// The element in row i and column j is `data[i * row_stride + j * column_stride]`. So row-major
/// (C) and column-major (MATLAB, Fortran) arrays, parts of larger arrays and fields of structs are
/// read where they are; nothing is transposed or copied as a whole. A call reads the memory while
/// it runs and keeps no pointer to it. This struct does not grow.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct finch_matrix {
    /// The element in row 0 and column 0, aligned for its type. NULL only without elements.
    pub data: *const c_void,
    /// The number of samples, N.
    pub rows: usize,
    /// The number of features, d.
    pub columns: usize,
    /// The distance from a row to the next, in elements (not bytes); negative where rows lie in
    /// reverse order. 0 is an error, unless there is only one row.
    pub row_stride: isize,
    /// From a column to the next, in elements. 0 is an error, unless there is only one column.
    pub column_stride: isize,
    /// A `finch_element`.
    pub element: i32,
}

/// A matrix whose rows follow each other, as in a C array `x[rows][columns]`. `data` is checked
/// when the matrix is used, and may be NULL here.
#[unsafe(no_mangle)]
pub extern "C" fn finch_matrix_row_major(
    data: *const c_void,
    element: i32,
    rows: usize,
    columns: usize,
) -> finch_matrix {
    let [row_stride, column_stride] = [isize::try_from(columns).unwrap_or(isize::MAX), 1];
    finch_matrix { data, rows, columns, row_stride, column_stride, element }
}

/// A matrix whose columns follow each other, as in MATLAB and Fortran. `data` may be NULL here.
#[unsafe(no_mangle)]
pub extern "C" fn finch_matrix_column_major(
    data: *const c_void,
    element: i32,
    rows: usize,
    columns: usize,
) -> finch_matrix {
    let [row_stride, column_stride] = [1, isize::try_from(rows).unwrap_or(isize::MAX)];
    finch_matrix { data, rows, columns, row_stride, column_stride, element }
}

/// Names of the matrix and of its data, in functions that take one matrix.
pub(crate) const SAMPLES: [&str; 2] = ["samples", "samples->data"];

/// Checked samples of any element type.
pub(crate) enum AnySamples<'a> {
    F32(Samples<'a, f32>),
    F64(Samples<'a, f64>),
    U8(Samples<'a, u8>),
}

/// The same expression for samples of each element type.
macro_rules! with_samples {
    ($any:expr, $samples:ident => $body:expr) => {
        match $any {
            $crate::matrix::AnySamples::F32($samples) => $body,
            $crate::matrix::AnySamples::F64($samples) => $body,
            $crate::matrix::AnySamples::U8($samples) => $body,
        }
    };
}
pub(crate) use with_samples;

impl<'a> AnySamples<'a> {
    /// Reads the description of a matrix, and checks every value of the matrix. Messages name the
    /// description `what` and the data `of_data`.
    pub(crate) fn read(
        caller: &'a Caller,
        [what, of_data]: [&'static str; 2],
        matrix: *const finch_matrix,
    ) -> Result<Self, Fault> {
        let matrix = caller.reference(what, matrix)?;
        let &finch_matrix { data, rows, columns, row_stride, column_stride, element } = matrix;
        let (shape, strides) = ([rows, columns], [row_stride, column_stride]);
        Ok(from_c!(element, "element type", finch_element {
            FINCH_F32 => Self::F32(Samples::new(caller.matrix(of_data, data.cast(), shape, strides)?)?),
            FINCH_F64 => Self::F64(Samples::new(caller.matrix(of_data, data.cast(), shape, strides)?)?),
            FINCH_U8 => Self::U8(Samples::new(caller.matrix(of_data, data.cast(), shape, strides)?)?),
        }))
    }

    /// The samples, or none where the caller passes NULL.
    pub(crate) fn read_optional(
        caller: &'a Caller,
        names: [&'static str; 2],
        matrix: *const finch_matrix,
    ) -> Result<Option<Self>, Fault> {
        match matrix.is_null() {
            true => Ok(None),
            false => Self::read(caller, names, matrix).map(Some),
        }
    }

    /// The samples beside a hierarchy. NULL will do where the hierarchy was made without samples.
    pub(crate) fn read_beside(
        caller: &'a Caller,
        hierarchy: &Hierarchy,
        matrix: *const finch_matrix,
    ) -> Result<Option<Self>, Fault> {
        match hierarchy.features() {
            0 => Self::read_optional(caller, SAMPLES, matrix),
            _ => Self::read(caller, SAMPLES, matrix).map(Some),
        }
    }

    /// The name of the element type in C.
    pub(crate) fn element(&self) -> &'static str {
        match self {
            Self::F32(_) => "FINCH_F32",
            Self::F64(_) => "FINCH_F64",
            Self::U8(_) => "FINCH_U8",
        }
    }

    pub(crate) fn len(&self) -> usize {
        with_samples!(self, samples => samples.len())
    }

    /// Checks that there are as many rows as numbers that another argument has for them.
    pub(crate) fn expect_len(&self, found: usize) -> Result<(), Fault> {
        match self.len() {
            expected if expected != found => Err(Error::SampleCount { expected, found }.into()),
            _ => Ok(()),
        }
    }

    /// The number of first neighbours: one for each sample, and none for a single sample.
    pub(crate) fn neighbor_count(&self) -> usize {
        if self.len() == 1 { 0 } else { self.len() }
    }

    pub(crate) fn features(&self) -> usize {
        with_samples!(self, samples => samples.features())
    }
}

/// A table of the caller's, row-major.
pub(crate) fn table<'c, T: Copy>(
    caller: &'c Caller,
    what: &'static str,
    pointer: *const T,
    [rows, columns]: [usize; 2],
) -> Result<ArrayView2<'c, T>, Fault> {
    // Without columns there may be any number of rows, also more than an array can have.
    if i32::try_from(rows).is_err() {
        return Err(Error::TooManySamples { samples: rows }.into());
    }
    let len = rows.checked_mul(columns).ok_or(Fault::Unreachable(what))?;
    let values = caller.slice(what, pointer, len)?;
    let view = ArrayView2::from_shape((rows, columns), values);
    Ok(view.expect("there are as many values as rows times columns"))
}
