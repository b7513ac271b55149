//! The means of sparse samples, to lend out.

use std::ops::Range;

use finch_core::{SparseIndices, SparseSamples, SparseValues};

use crate::border::fault::Fault;
use crate::border::room::room;
use crate::matrix::{Lent, finch_matrix, finch_matrix_csr};

/// The mean of each of C clusters, C x d, sparse.
pub(crate) struct SparseMeans {
    csr: Lent,
    shape: [usize; 2],
    _starts: Vec<i64>,
    _columns: Vec<i32>,
    _values: Values,
}

/// The values, mean after mean.
enum Values {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

impl SparseMeans {
    /// The means of these clusters, in this order.
    pub(crate) fn of(means: &SparseSamples<'_>, order: &[usize]) -> Result<Self, Fault> {
        let (SparseIndices::I64(given), SparseIndices::I32(columns), values) = means.parts() else {
            unreachable!("means have starts of 64 bits, and columns of 32")
        };
        let range = |cluster: usize| given[cluster] as usize..given[cluster + 1] as usize;
        let mut starts = room(given.len())?;
        let mut end = 0;
        starts.push(end);
        for &cluster in order {
            end += range(cluster).len() as i64;
            starts.push(end);
        }
        let ranges = || order.iter().map(|&cluster| range(cluster));
        let columns = gathered(columns, ranges())?;
        let values = match values {
            SparseValues::F32(values) => Values::F32(gathered(values, ranges())?),
            SparseValues::F64(values) => Values::F64(gathered(values, ranges())?),
        };
        let lent = match &values {
            Values::F32(values) => SparseValues::F32(values),
            Values::F64(values) => SparseValues::F64(values),
        };
        let csr = Lent::of_parts(&starts, &columns, lent)?;
        let shape = [order.len(), means.features()];
        Ok(Self { csr, shape, _starts: starts, _columns: columns, _values: values })
    }

    /// The matrix, to lend out.
    pub(crate) fn matrix(&self) -> finch_matrix {
        let [clusters, features] = self.shape;
        finch_matrix_csr(self.csr.csr(), clusters, features)
    }
}

/// The numbers at some places, one range after the other.
fn gathered<T: Copy>(
    numbers: &[T],
    ranges: impl Iterator<Item = Range<usize>>,
) -> Result<Vec<T>, Fault> {
    let mut gathered = room(numbers.len())?;
    ranges.for_each(|range| gathered.extend_from_slice(&numbers[range]));
    Ok(gathered)
}
