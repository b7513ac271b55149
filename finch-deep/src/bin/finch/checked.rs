//! The samples of an input, checked.

use finch_core::{AnySamples, Result, Samples, SparseSamples};
use finch_deep::data::{Input, Matrix};

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
