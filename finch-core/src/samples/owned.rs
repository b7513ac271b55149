//! Samples of any kind with memory of their own.

use super::element::{AnyArray, AnyMatrix};
use super::sparse::SparseMatrix;
use super::{AnySamples, Kind};

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
            Kind::Dense(matrix) => Self::Dense(matrix.copied()),
            Kind::Sparse(samples) => Self::Sparse(SparseMatrix::of(&samples)),
        }
    }

    /// A copy of the samples of these numbers.
    pub(crate) fn selected(samples: AnySamples<'_>, rows: &[u32]) -> Self {
        match samples.0 {
            Kind::Dense(matrix) => Self::Dense(matrix.select(rows)),
            Kind::Sparse(samples) => Self::Sparse(SparseMatrix::selected(&samples, rows)),
        }
    }

    /// Samples of one kind below each other, of which the upper ones' type holds every value.
    pub(crate) fn stacked(parts: [AnySamples<'_>; 2]) -> Self {
        match parts.map(|part| part.0) {
            [Kind::Sparse(above), Kind::Sparse(below)] => {
                Self::Sparse(SparseMatrix::stacked(&above, &below))
            }
            [Kind::Dense(above), Kind::Dense(below)] => {
                Self::Dense(AnyMatrix::stacked([above, below]))
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
