//! Samples of any kind with memory of their own.

use ndarray::{Array2, ArrayView2};

use crate::element::{AnyArray, AnyMatrix, Element};
use crate::memory::room;
use crate::samples::{AnySamples, Kind, with_element};
use crate::sparse::SparseMatrix;

/// Samples, or means, of any kind: N × d.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OwnedSamples {
    Dense(AnyArray),
    Sparse(SparseMatrix),
}

impl OwnedSamples {
    /// A copy of samples.
    pub(crate) fn of(samples: AnySamples<'_>) -> Self {
        match samples.0 {
            Kind::Dense(matrix) => {
                with_element!(matrix, samples => Self::Dense(AnyArray::of(samples.copied())))
            }
            Kind::Sparse(samples) => Self::Sparse(SparseMatrix::of(&samples)),
        }
    }

    /// Samples of one kind, and if they are dense of one type, below each other.
    pub(crate) fn stacked(parts: [AnySamples<'_>; 2]) -> Self {
        match parts.map(|part| part.0) {
            [Kind::Sparse(above), Kind::Sparse(below)] => {
                Self::Sparse(SparseMatrix::stacked(&above, &below))
            }
            [Kind::Dense(AnyMatrix::F64(above)), Kind::Dense(AnyMatrix::F64(below))] => {
                Self::Dense(AnyArray::F64(dense([above, below])))
            }
            [Kind::Dense(AnyMatrix::F32(above)), Kind::Dense(AnyMatrix::F32(below))] => {
                Self::Dense(AnyArray::F32(dense([above, below])))
            }
            [Kind::Dense(AnyMatrix::U8(above)), Kind::Dense(AnyMatrix::U8(below))] => {
                Self::Dense(AnyArray::U8(dense([above, below])))
            }
            _ => unreachable!("new samples were converted to the kind of the kept ones"),
        }
    }

    pub(crate) fn samples(&self) -> AnySamples<'_> {
        AnySamples(match self {
            Self::Dense(matrix) => Kind::Dense(matrix.view()),
            Self::Sparse(matrix) => Kind::Sparse(matrix.samples()),
        })
    }
}

fn dense<A: Element>(parts: [ArrayView2<'_, A>; 2]) -> Array2<A> {
    let shape = (parts.iter().map(|part| part.nrows()).sum(), parts[0].ncols());
    let mut values = room(shape.0 * shape.1);
    parts.iter().for_each(|part| values.extend(part.iter().copied()));
    Array2::from_shape_vec(shape, values).expect("rows have one length")
}
