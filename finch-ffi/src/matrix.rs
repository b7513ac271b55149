//! The one form in which samples come in.

use std::ffi::c_void;
use std::mem::offset_of;

use finch_core::{
    BitSamples, Error, Hierarchy, Samples, SparseIndices, SparseSamples, SparseValues, bf16, f16,
};
use ndarray::ArrayView2;

use crate::border::caller::{Caller, Growing};
use crate::border::fault::Fault;
use crate::border::integers::{from_c, invalid_value};
use crate::border::room::{pointer_to, room};

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
    /// half precision, IEEE 754 binary16: `_Float16` of compilers that have it, or its bits as
    /// uint16_t
    FINCH_F16 = 3,
    /// bfloat16, the upper half of a float, or its bits as uint16_t
    FINCH_BF16 = 4,
    /// int8_t, such as quantised embeddings
    FINCH_I8 = 5,
    /// sparse rows: `data` points to a `finch_csr`
    FINCH_CSR = 6,
    /// 0 and 1, eight values to a byte: the first is the highest bit, as NumPy's `packbits` has
    /// it. A row has ceil(d / 8) bytes; what is behind value d does not count. For calls that
    /// take sparse rows.
    FINCH_BITS = 7,
}

/// A matrix of samples where it lies in the caller's memory: rows are samples, columns are
/// features.
///
/// The element in row i and column j is `data[i * row_stride + j * column_stride]`. So row-major
/// (C) and column-major (MATLAB, Fortran) arrays, parts of larger arrays and fields of structs are
/// read where they are; nothing is transposed or copied as a whole. A call reads the memory while
/// it runs and keeps no pointer to it. This struct does not grow.
///
/// Sparse rows are a matrix, too: see `finch_csr`.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct finch_matrix {
    /// The element in row 0 and column 0, aligned for its type. NULL only without elements.
    /// For FINCH_CSR a `finch_csr`, never NULL.
    pub data: *const c_void,
    /// The number of samples, N.
    pub rows: usize,
    /// The number of features, d.
    pub columns: usize,
    /// The distance from a row to the next, in elements (not bytes; but for FINCH_BITS in bytes, as
    /// the other stride); negative where rows lie in reverse order. 0 for a single row alone.
    pub row_stride: isize,
    /// From a column to the next, in elements. 0 is an error, unless there is only one column.
    pub column_stride: isize,
    /// A `finch_element`.
    pub element: i32,
}

/// Samples most of whose values are 0, as compressed sparse rows: the other values of all rows, row
/// after row, and the columns that they are in. `finch_matrix_csr` makes a matrix of it.
///
/// The values of row i are those at the places from `starts[i]` up to `starts[i + 1]`; `starts` has
/// one number for each row and one more, from 0 up to `value_count`. `columns` has the column of
/// each value, from 0, rising within each row: a row that is not sorted, or has a column twice, is
/// FINCH_INVALID_SPARSE. A value may be 0. There may be 2^31 - 1 columns at most, whatever
/// `index_bits` is.
///
/// Clusters, neighbours and distances are those of the same rows as a dense matrix, bit for bit,
/// unless the search is approximate, also under FINCH_HAMMING and FINCH_JACCARD, which take values
/// of 0 and 1. Memory is that of the values. Clustering, finding neighbours, refining, dendrograms,
/// suggestions, descriptions, outlier scores, noise, membership, models, prediction and extending
/// take sparse rows, with FINCH_SEARCH_AUTO, _BRUTE, _BLOCKED or _APPROXIMATE (but for prediction,
/// and for FINCH_JACCARD). Other calls take dense matrices, and give FINCH_INVALID_SPARSE.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct finch_csr {
    /// `sizeof(finch_csr)`.
    pub size: usize,
    /// Where each row starts, N + 1 numbers of `index_bits`.
    pub starts: *const c_void,
    /// The column of each value, of `index_bits`. NULL only without values.
    pub columns: *const c_void,
    /// The values, each a `value_element`. NULL only without values.
    pub values: *const c_void,
    /// The number of values of all rows.
    pub value_count: usize,
    /// FINCH_F32 or FINCH_F64.
    pub value_element: i32,
    /// 32 or 64: `starts` and `columns` are int32_t or int64_t.
    pub index_bits: i32,
}

/// The description of sparse rows that a handle owns, to lend out.
pub(crate) struct Lent {
    csr: finch_csr,
    /// Where the rows start, in numbers of 32 bits as columns are.
    _starts: Vec<i32>,
    /// The columns in numbers of 64 bits as starts are, where there are 2^31 values and more.
    _columns: Vec<i64>,
}

// SAFETY: the pointers lead to numbers of the handle that owns the description, which never change.
unsafe impl Send for Lent {}
// SAFETY: as above.
unsafe impl Sync for Lent {}

impl Lent {
    /// The description of rows that a model keeps. Both have to have one owner.
    pub(crate) fn of(rows: &SparseSamples<'_>) -> Result<Self, Fault> {
        let (SparseIndices::I64(starts), SparseIndices::I32(columns), values) = rows.parts() else {
            unreachable!("a model keeps starts of 64 bits, and columns of 32")
        };
        Self::of_parts(starts, columns, values)
    }

    /// The description of rows that start here, of these columns and values. All have to have one owner
    /// with it.
    pub(crate) fn of_parts(
        starts: &[i64],
        columns: &[i32],
        values: SparseValues<'_>,
    ) -> Result<Self, Fault> {
        let (mut short, mut long) = (Vec::new(), Vec::new());
        let index_bits = if i32::try_from(columns.len()).is_ok() { 32 } else { 64 };
        if index_bits == 32 {
            short = room(starts.len())?;
            short.extend(starts.iter().map(|&start| start as i32));
        } else {
            long = room(columns.len())?;
            long.extend(columns.iter().map(|&column| i64::from(column)));
        }
        let value_count = columns.len();
        let (starts, columns): (*const c_void, *const c_void) = match index_bits {
            32 => (short.as_ptr().cast(), pointer_to(columns).cast()),
            _ => (starts.as_ptr().cast(), pointer_to(&long).cast()),
        };
        let (value_pointer, value_element): (*const c_void, _) = match values {
            SparseValues::F32(values) => (pointer_to(values).cast(), finch_element::FINCH_F32),
            SparseValues::F64(values) => (pointer_to(values).cast(), finch_element::FINCH_F64),
        };
        let csr = finch_csr {
            size: size_of::<finch_csr>(),
            starts,
            columns,
            values: value_pointer,
            value_count,
            value_element: value_element as i32,
            index_bits,
        };
        Ok(Self { csr, _starts: short, _columns: long })
    }

    pub(crate) fn csr(&self) -> *const finch_csr {
        &raw const self.csr
    }
}

// SAFETY: numbers and pointers, without padding.
unsafe impl Growing for finch_csr {
    const NAME: &'static str = "samples->data";
    const FIRST_SIZE: usize = offset_of!(Self, index_bits) + size_of::<i32>();
    const END: usize = Self::FIRST_SIZE;
    const ADVICE: &'static str = "set its field size to sizeof(finch_csr)";
}

/// A matrix of sparse rows, N rows of d columns, which `csr` describes. `*csr` has to be there as
/// long as the matrix is used.
#[unsafe(no_mangle)]
pub extern "C" fn finch_matrix_csr(
    csr: *const finch_csr,
    rows: usize,
    columns: usize,
) -> finch_matrix {
    let element = finch_element::FINCH_CSR as i32;
    finch_matrix { data: csr.cast(), rows, columns, row_stride: 0, column_stride: 0, element }
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
    let width = match element == finch_element::FINCH_BITS as i32 {
        true => columns.div_ceil(8),
        false => columns,
    };
    let [row_stride, column_stride] = [isize::try_from(width).unwrap_or(isize::MAX), 1];
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

/// Checked samples of any element type, each of its own type for functions that take two matrices, or dense ones alone.
pub(crate) enum AnySamples<'a> {
    F32(Samples<'a, f32>),
    F64(Samples<'a, f64>),
    U8(Samples<'a, u8>),
    F16(Samples<'a, f16>),
    BF16(Samples<'a, bf16>),
    I8(Samples<'a, i8>),
    Csr(SparseSamples<'a>),
    Bits(BitSamples<'a>),
}

/// The same expression for dense samples of each element type. For sparse or packed samples the function
/// around the macro returns a fault, which says `what` takes dense ones.
macro_rules! with_dense_samples {
    ($what:literal, $any:expr, $samples:ident => $body:expr) => {
        match $any {
            $crate::matrix::AnySamples::F32($samples) => $body,
            $crate::matrix::AnySamples::F64($samples) => $body,
            $crate::matrix::AnySamples::U8($samples) => $body,
            $crate::matrix::AnySamples::F16($samples) => $body,
            $crate::matrix::AnySamples::BF16($samples) => $body,
            $crate::matrix::AnySamples::I8($samples) => $body,
            $crate::matrix::AnySamples::Csr(_) | $crate::matrix::AnySamples::Bits(_) => {
                return Err(finch_core::Error::NeedsDense { what: $what }.into());
            }
        }
    };
}
pub(crate) use with_dense_samples;

/// The same expression for two dense matrices of one element type, for each type. For other matrices
/// the function around the macro returns a fault.
macro_rules! with_two_samples {
    ($what:literal, $one:expr, $other:expr, [$a:ident, $b:ident] => $body:expr) => {{
        use $crate::matrix::AnySamples::{BF16, Bits, Csr, F16, F32, F64, I8, U8};
        match ($one, $other) {
            (F32($a), F32($b)) => $body,
            (F64($a), F64($b)) => $body,
            (U8($a), U8($b)) => $body,
            (F16($a), F16($b)) => $body,
            (BF16($a), BF16($b)) => $body,
            (I8($a), I8($b)) => $body,
            (Csr(_), Csr(_)) | (Bits(_), Bits(_)) => {
                return Err(finch_core::Error::NeedsDense { what: $what }.into());
            }
            (one, other) => return Err($crate::matrix::other_types(&one, &other)),
        }
    }};
}
pub(crate) use with_two_samples;

/// Samples of two types, which are not compared.
pub(crate) fn other_types(queries: &AnySamples, base: &AnySamples) -> Fault {
    let types = format!("{} with {}", queries.element(), base.element());
    invalid_value("pair of element types", types, "the same type twice")
}

/// A matrix where it lies, of which no value has been looked at: any thread may check it.
#[derive(Clone, Copy)]
pub(crate) enum Unchecked<'a> {
    F32(ArrayView2<'a, f32>),
    F64(ArrayView2<'a, f64>),
    U8(ArrayView2<'a, u8>),
    F16(ArrayView2<'a, f16>),
    BF16(ArrayView2<'a, bf16>),
    I8(ArrayView2<'a, i8>),
    Csr(SparseParts<'a>),
    /// Bytes, and the number of columns.
    Bits(ArrayView2<'a, u8>, usize),
}

/// The number of columns of sparse rows, where rows start, the columns of values, and the values.
type SparseParts<'a> = (usize, SparseIndices<'a>, SparseIndices<'a>, SparseValues<'a>);

impl<'a> Unchecked<'a> {
    /// Reads the description of a matrix. Messages name its data `of_data`.
    pub(crate) fn read(
        caller: &'a Caller,
        of_data: &'static str,
        matrix: &finch_matrix,
    ) -> Result<Self, Fault> {
        let &finch_matrix { data, rows, columns, row_stride, column_stride, element } = matrix;
        let (shape, strides) = ([rows, columns], [row_stride, column_stride]);
        /// A dense matrix of one element type.
        macro_rules! dense {
            ($kind:ident) => {
                Self::$kind(caller.matrix(of_data, data.cast(), shape, strides)?)
            };
        }
        Ok(from_c!(element, "element type", finch_element {
            FINCH_F32 => dense!(F32),
            FINCH_F64 => dense!(F64),
            FINCH_U8 => dense!(U8),
            FINCH_F16 => dense!(F16),
            FINCH_BF16 => dense!(BF16),
            FINCH_I8 => dense!(I8),
            FINCH_CSR => Self::Csr(sparse_parts(caller, data.cast(), shape)?),
            FINCH_BITS => {
                let packed = [rows, columns.div_ceil(8)];
                Self::Bits(caller.matrix(of_data, data.cast(), packed, strides)?, columns)
            }
        }))
    }

    /// Checks every value of the matrix.
    pub(crate) fn check(self) -> Result<AnySamples<'a>, Fault> {
        Ok(match self {
            Self::F32(view) => AnySamples::F32(Samples::new(view)?),
            Self::F64(view) => AnySamples::F64(Samples::new(view)?),
            Self::U8(view) => AnySamples::U8(Samples::new(view)?),
            Self::F16(view) => AnySamples::F16(Samples::new(view)?),
            Self::BF16(view) => AnySamples::BF16(Samples::new(view)?),
            Self::I8(view) => AnySamples::I8(Samples::new(view)?),
            Self::Csr((columns, starts, of_values, values)) => {
                AnySamples::Csr(SparseSamples::new(columns, starts, of_values, values)?)
            }
            Self::Bits(bytes, columns) => AnySamples::Bits(BitSamples::new(bytes, columns)?),
        })
    }
}

impl<'a> AnySamples<'a> {
    /// Reads the description of a matrix, and checks every value of the matrix. Messages name the
    /// description `what` and the data `of_data`.
    pub(crate) fn read(
        caller: &'a Caller,
        [what, of_data]: [&'static str; 2],
        matrix: *const finch_matrix,
    ) -> Result<Self, Fault> {
        Unchecked::read(caller, of_data, caller.reference(what, matrix)?)?.check()
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
            Self::F16(_) => "FINCH_F16",
            Self::BF16(_) => "FINCH_BF16",
            Self::I8(_) => "FINCH_I8",
            Self::Csr(_) => "FINCH_CSR",
            Self::Bits(_) => "FINCH_BITS",
        }
    }

    /// The same samples, for functions that take each kind.
    pub(crate) fn any(&self) -> finch_core::AnySamples<'_> {
        match self {
            Self::F32(samples) => samples.into(),
            Self::F64(samples) => samples.into(),
            Self::U8(samples) => samples.into(),
            Self::F16(samples) => samples.into(),
            Self::BF16(samples) => samples.into(),
            Self::I8(samples) => samples.into(),
            Self::Csr(samples) => samples.into(),
            Self::Bits(samples) => samples.into(),
        }
    }

    pub(crate) fn len(&self) -> usize {
        self.any().len()
    }

    /// Checks that there are as many rows as numbers that another argument has for them.
    pub(crate) fn expect_len(&self, what: &'static str, found: usize) -> Result<(), Fault> {
        match self.len() {
            samples if samples != found => Err(Fault::Numbers { what, found, samples }),
            _ => Ok(()),
        }
    }

    /// The number of first neighbours: one for each sample, and none for a single sample.
    pub(crate) fn neighbor_count(&self) -> usize {
        if self.len() == 1 { 0 } else { self.len() }
    }

    pub(crate) fn features(&self) -> usize {
        self.any().features()
    }
}

/// Reads the description of sparse rows.
fn sparse_parts<'a>(
    caller: &'a Caller,
    csr: *const finch_csr,
    [rows, columns]: [usize; 2],
) -> Result<SparseParts<'a>, Fault> {
    let none = std::ptr::null();
    let default = finch_csr {
        size: size_of::<finch_csr>(),
        starts: none,
        columns: none,
        values: none,
        value_count: 0,
        value_element: finch_element::FINCH_F64 as i32,
        index_bits: 64,
    };
    let csr = caller.read_sized(csr, default)?;
    if rows == 0 {
        return Err(Error::NoSamples.into());
    }
    let count = csr.value_count;
    let starts = indices(caller, "starts", csr.starts, csr.index_bits, rows.saturating_add(1))?;
    let of_values = indices(caller, "columns", csr.columns, csr.index_bits, count)?;
    let (single, double) = (finch_element::FINCH_F32 as i32, finch_element::FINCH_F64 as i32);
    let values = match csr.value_element {
        of if of == single => {
            SparseValues::F32(caller.slice("values", csr.values.cast(), count)?)
        }
        of if of == double => {
            SparseValues::F64(caller.slice("values", csr.values.cast(), count)?)
        }
        other => {
            let what = "element type of sparse values";
            return Err(invalid_value(what, other, "FINCH_F32 or FINCH_F64"));
        }
    };
    Ok((columns, starts, of_values, values))
}

fn indices<'a>(
    caller: &'a Caller,
    what: &'static str,
    pointer: *const c_void,
    bits: i32,
    len: usize,
) -> Result<SparseIndices<'a>, Fault> {
    Ok(match bits {
        32 => SparseIndices::I32(caller.slice(what, pointer.cast(), len)?),
        64 => SparseIndices::I64(caller.slice(what, pointer.cast(), len)?),
        bits => return Err(invalid_value("index_bits", bits, "32 or 64")),
    })
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
