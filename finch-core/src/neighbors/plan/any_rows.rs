//! Rows that are searched among each other, dense or sparse.

use crate::neighbors::approximate::deadline;
use crate::neighbors::equal_rows::Firsts;
use crate::neighbors::equal_rows::ties::{self, Tied};
use crate::neighbors::lists::Nearest;
use crate::neighbors::search::Choice;
use crate::run::progress::Meter;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::samples::sparse::SparseRows;
use crate::samples::{AnySamples, Kind};

/// Rows of samples of any kind, as a metric compares them.
pub(in crate::neighbors) enum AnyRows<'a> {
    Dense(Rows<'a>),
    Sparse(SparseRows<'a>),
}

impl<'a> AnyRows<'a> {
    pub(in crate::neighbors) fn new(samples: AnySamples<'a>, metric: Metric) -> Self {
        match samples.0 {
            Kind::Dense(matrix) => Self::Dense(Rows::new(matrix, metric)),
            Kind::Sparse(samples) => Self::Sparse(SparseRows::new(samples, metric)),
        }
    }

    pub(in crate::neighbors) fn samples(&self) -> AnySamples<'_> {
        AnySamples(match self {
            Self::Dense(rows) => Kind::Dense(rows.samples.reborrow()),
            Self::Sparse(rows) => Kind::Sparse(rows.samples),
        })
    }

    pub(in crate::neighbors) fn metric(&self) -> Metric {
        match self {
            Self::Dense(rows) => rows.metric,
            Self::Sparse(rows) => rows.metric(),
        }
    }

    pub(in crate::neighbors) fn len(&self) -> usize {
        match self {
            Self::Dense(rows) => rows.len(),
            Self::Sparse(rows) => rows.len(),
        }
    }

    /// The values of all rows together: of sparse rows those that are given.
    pub(in crate::neighbors) fn values(&self) -> usize {
        match self {
            Self::Dense(rows) => rows.len() * rows.features(),
            Self::Sparse(rows) => rows.samples.values(),
        }
    }

    /// For each row, the first one that is equal.
    pub(in crate::neighbors) fn firsts(&self, meter: &Meter) -> Firsts {
        Firsts::of(&self.samples(), meter)
    }

    /// The ties of first neighbours, [`ties::of_first`].
    pub(in crate::neighbors) fn ties(&self, first: &[Nearest], meter: &Meter) -> Vec<Tied> {
        let values = self.values() / self.len();
        match self {
            Self::Dense(rows) => ties::of_first(rows, values, &self.samples(), first, meter),
            Self::Sparse(rows) => ties::of_first(rows, values, &self.samples(), first, meter),
        }
    }

    /// The neighbours that a search has found in its time, [`deadline::completed`].
    pub(in crate::neighbors) fn completed(
        &self,
        seed: u64,
        bounded: &Meter,
        found: (Vec<Nearest>, Choice),
    ) -> (Vec<Nearest>, Choice) {
        match self {
            Self::Dense(rows) => deadline::completed(rows, self.values(), seed, bounded, found),
            Self::Sparse(rows) => deadline::completed(rows, self.values(), seed, bounded, found),
        }
    }
}
