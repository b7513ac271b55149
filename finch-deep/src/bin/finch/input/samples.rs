//! The samples of an input, checked, and samples of any type as those of one.

use finch_core::{AnySamples, Element, Error, Result, Samples, SparseSamples, bf16, f16};
use finch_deep::data::{Input, Matrix};
use finch_deep::with_matrix;
use ndarray::{ArrayView2, CowArray, Ix2};

/// Samples of any kind, checked.
pub(crate) enum Checked<'a> {
    F64(Samples<'a, f64>),
    F32(Samples<'a, f32>),
    U8(Samples<'a, u8>),
    Sparse(SparseSamples<'a>),
}

impl<'a> Checked<'a> {
    /// The samples of an input.
    pub(crate) fn of(input: &'a Input) -> Result<Self> {
        match input.sparse() {
            Some(rows) => Ok(Self::Sparse(rows.checked()?)),
            None => Self::of_matrix(input.matrix()),
        }
    }

    pub(crate) fn of_matrix(matrix: Matrix<'a>) -> Result<Self> {
        Ok(match matrix {
            Matrix::F64(matrix) => Self::F64(Samples::new(matrix)?),
            Matrix::F32(matrix) => Self::F32(Samples::new(matrix)?),
            Matrix::U8(matrix) => Self::U8(Samples::new(matrix)?),
        })
    }

    pub(crate) fn any(&self) -> AnySamples<'_> {
        match self {
            Self::F64(samples) => samples.into(),
            Self::F32(samples) => samples.into(),
            Self::U8(samples) => samples.into(),
            Self::Sparse(samples) => samples.into(),
        }
    }
}

/// A type of elements that takes the values of others where it has them exactly.
pub(crate) trait Exact: Element {
    fn of(value: f64) -> Option<Self>;

    /// The samples, if they are of this type.
    fn same<'a>(matrix: &Matrix<'a>) -> Option<ArrayView2<'a, Self>>;
}

macro_rules! exact {
    ($type:ty, $variant:ident) => {
        impl Exact for $type {
            fn of(value: f64) -> Option<Self> {
                let near = value as $type;
                // NaN stays what it is, for whoever checks samples.
                (f64::from(near) == value || value.is_nan()).then_some(near)
            }

            fn same<'a>(matrix: &Matrix<'a>) -> Option<ArrayView2<'a, Self>> {
                match matrix {
                    Matrix::$variant(view) => Some(view.clone()),
                    _ => None,
                }
            }
        }
    };
}
exact!(f64, F64);
exact!(f32, F32);
exact!(u8, U8);

/// Types that no file is read as: samples of a model that another program made.
macro_rules! exact_of_models {
    ($type:ty, $near:expr) => {
        impl Exact for $type {
            fn of(value: f64) -> Option<Self> {
                let near: $type = $near(value);
                (near.to_f64() == value || value.is_nan()).then_some(near)
            }

            fn same<'a>(_: &Matrix<'a>) -> Option<ArrayView2<'a, Self>> {
                None
            }
        }
    };
}
exact_of_models!(f16, f16::from_f64);
exact_of_models!(bf16, bf16::from_f64);
exact_of_models!(i8, |value| value as i8);

/// A value of any type in the widest one.
pub(crate) fn wide(value: impl Into<f64>) -> f64 {
    value.into()
}

/// Samples in a type of elements that has all their values.
///
/// # Errors
/// [`Error::ElementType`] if a value would have to be rounded.
pub(crate) fn exactly<'a, A: Exact>(
    matrix: &Matrix<'a>,
) -> finch_core::Result<CowArray<'a, A, Ix2>> {
    if let Some(same) = A::same(matrix) {
        return Ok(same.into());
    }
    let name = |matrix: &Matrix<'_>| match matrix {
        Matrix::F64(_) => "f64",
        Matrix::F32(_) => "f32",
        Matrix::U8(_) => "u8",
    };
    let rounded = || Error::ElementType { expected: A::TYPE.name(), found: name(matrix) };
    with_matrix!(matrix, view => {
        let values: Option<Vec<A>> = view.iter().map(|&value| A::of(wide(value))).collect();
        let values = ndarray::Array2::from_shape_vec(view.dim(), values.ok_or_else(rounded)?);
        Ok(values.expect("a value for each").into())
    })
}
