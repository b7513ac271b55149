//! Sparse samples with memory of their own.

use std::ops::Range;

use ndarray::ArrayView2;

use super::samples::{SparseIndices, SparseSamples, SparseValues};
use crate::samples::element::{AnyMatrix, Element, ElementType, with_matrix};
use crate::support::memory::{collected, copied, push, reserve};

/// Sparse samples, or means, with memory of their own.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct SparseMatrix {
    features: usize,
    /// Where each row begins, and where the last one ends.
    starts: Vec<i64>,
    /// The feature of each value, rising within a row.
    columns: Vec<i32>,
    values: OwnedValues,
}

/// The values, row after row.
#[derive(Clone, Debug, PartialEq)]
pub(crate) enum OwnedValues {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl OwnedValues {
    /// No values yet, of this type, which is one of the two.
    pub(crate) fn none(element: ElementType) -> Self {
        match element {
            ElementType::F64 => Self::F64(Vec::new()),
            _ => Self::F32(Vec::new()),
        }
    }

    fn push(&mut self, value: f64) {
        match self {
            Self::F32(values) => push(values, value as f32),
            Self::F64(values) => push(values, value),
        }
    }
}

impl SparseMatrix {
    /// Rows whose features rise, and are below the number of features.
    pub(crate) fn of_parts(
        features: usize,
        starts: Vec<i64>,
        columns: Vec<i32>,
        values: OwnedValues,
    ) -> Self {
        Self { features, starts, columns, values }
    }

    /// A copy of samples.
    pub(crate) fn of(samples: &SparseSamples<'_>) -> Self {
        let mut copy = Self::empty(samples.features(), samples.len(), samples.element());
        copy.append(samples);
        copy
    }

    /// A copy of samples, and of others below them whose type is theirs or narrower.
    pub(crate) fn stacked(above: &SparseSamples<'_>, below: &SparseSamples<'_>) -> Self {
        let mut copy = Self::of(above);
        copy.append(below);
        copy
    }

    /// A copy of the samples of these numbers.
    pub(crate) fn selected(samples: &SparseSamples<'_>, rows: &[u32]) -> Self {
        let mut copy = Self::empty(samples.features(), rows.len(), samples.element());
        for &row in rows {
            let row = row as usize;
            samples.for_each(row, |feature, value| copy.push(feature as usize, value));
            copy.end_row();
        }
        copy
    }

    /// Adds rows of the same features, whose type is that of these or narrower.
    pub(crate) fn append(&mut self, samples: &SparseSamples<'_>) {
        reserve(&mut self.columns, samples.values());
        match &mut self.values {
            OwnedValues::F32(values) => reserve(values, samples.values()),
            OwnedValues::F64(values) => reserve(values, samples.values()),
        }
        for row in 0..samples.len() {
            samples.for_each(row, |feature, value| self.push(feature as usize, value));
            self.end_row();
        }
    }

    /// The values of dense samples that are not 0, in a type that holds them: f32 or f64.
    pub(crate) fn of_dense(matrix: AnyMatrix<'_>, element: ElementType) -> Self {
        fn of<A: Element>(matrix: ArrayView2<'_, A>, element: ElementType) -> SparseMatrix {
            let mut sparse = SparseMatrix::empty(matrix.ncols(), matrix.nrows(), element);
            let rows = matrix.rows().into_iter();
            rows.for_each(|row| sparse.push_row(row.iter().map(|value| value.to_f64())));
            sparse
        }
        with_matrix!(matrix, matrix => of(matrix, element), bits => {
            let values = AnyMatrix::Bits(bits).converted_to::<u8>();
            of(values.view(), element)
        })
    }

    /// No rows yet, and room for the starts of so many.
    pub(crate) fn empty(features: usize, rows: usize, element: ElementType) -> Self {
        let mut starts = Vec::new();
        reserve(&mut starts, rows + 1);
        starts.push(0);
        Self { features, starts, columns: Vec::new(), values: OwnedValues::none(element) }
    }

    /// Writes 0 for all values of a row.
    pub(crate) fn clear_row(&mut self, row: usize) {
        let of_row = self.starts[row] as usize..self.starts[row + 1] as usize;
        match &mut self.values {
            OwnedValues::F32(values) => values[of_row].fill(0.0),
            OwnedValues::F64(values) => values[of_row].fill(0.0),
        }
    }

    /// Adds a row of all its values.
    pub(crate) fn push_row(&mut self, values: impl Iterator<Item = f64>) {
        let values = values.enumerate().filter(|(_, value)| *value != 0.0);
        values.for_each(|(feature, value)| self.push(feature, value));
        self.end_row();
    }

    fn push(&mut self, feature: usize, value: f64) {
        push(&mut self.columns, feature as i32);
        self.values.push(value);
    }

    fn end_row(&mut self) {
        push(&mut self.starts, self.columns.len() as i64);
    }

    pub(crate) fn samples(&self) -> SparseSamples<'_> {
        let values = match &self.values {
            OwnedValues::F32(values) => SparseValues::F32(values),
            OwnedValues::F64(values) => SparseValues::F64(values),
        };
        let (starts, columns) =
            (SparseIndices::I64(&self.starts), SparseIndices::I32(&self.columns));
        SparseSamples::checked(self.features, starts, columns, values)
    }

    /// A copy of some rows that follow each other.
    pub(crate) fn rows(&self, rows: Range<usize>) -> Self {
        let starts = &self.starts[rows.start..=rows.end];
        let of_rows = starts[0] as usize..starts[starts.len() - 1] as usize;
        let columns = copied(&self.columns[of_rows.clone()]);
        let values = match &self.values {
            OwnedValues::F32(values) => OwnedValues::F32(copied(&values[of_rows])),
            OwnedValues::F64(values) => OwnedValues::F64(copied(&values[of_rows])),
        };
        let starts = collected(starts.iter().map(|start| start - starts[0]));
        Self { features: self.features, starts, columns, values }
    }

    /// Where each row begins, and where the last one ends.
    pub(crate) fn starts(&self) -> &[i64] {
        &self.starts
    }

    /// The feature of each value.
    pub(crate) fn columns(&self) -> &[i32] {
        &self.columns
    }

    pub(crate) fn values(&self) -> &OwnedValues {
        &self.values
    }
}
