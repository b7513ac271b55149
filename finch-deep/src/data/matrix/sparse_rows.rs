//! Sparse samples of files.

use std::ops::AddAssign;

use finch_core::SparseSamples;

use super::elements::{Array, Elements};
use super::logarithm::{Negative, take};
use crate::data::error::Fault;
use crate::data::error::column::ColumnFault;
use crate::data::error::column_at::ColumnAt;
use crate::data::source::memory::Memory;

/// Sparse samples of one file, or of several that are stacked: N rows × d columns, most of whose values
/// are 0, as compressed rows of the other values.
#[derive(Clone, Debug)]
pub struct SparseRows {
    features: usize,
    /// Where each row starts, and where the last one ends.
    starts: Vec<i64>,
    /// The column of each value, rising within a row.
    columns: Vec<i32>,
    values: SparseValues,
}

/// The values, row after row.
#[derive(Clone, Debug)]
pub(in crate::data) enum SparseValues {
    F32(Vec<f32>),
    F64(Vec<f64>),
}

/// The same expression for each type of values.
macro_rules! each {
    ($of:expr, $values:ident => $do:expr) => {
        match $of {
            SparseValues::F32($values) => $do,
            SparseValues::F64($values) => $do,
        }
    };
}

impl SparseRows {
    pub(in crate::data) fn new(
        features: usize,
        starts: Vec<i64>,
        columns: Vec<i32>,
        values: SparseValues,
    ) -> Self {
        Self { features, starts, columns, values }
    }

    /// The number of samples, N.
    pub fn samples(&self) -> usize {
        self.starts.len() - 1
    }

    /// The number of features, d.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The values that are not left out.
    pub fn values(&self) -> usize {
        self.columns.len()
    }

    /// The samples, checked.
    ///
    /// # Errors
    /// The errors of [`SparseSamples::new`].
    pub fn checked(&self) -> finch_core::Result<SparseSamples<'_>> {
        let (starts, columns) = (&self.starts[..], &self.columns[..]);
        each!(&self.values, values => SparseSamples::new(self.features, starts, columns, &values[..]))
    }

    /// Puts the logarithm of 1 + x in place of each value x; a zero that is left out stays one.
    pub(in crate::data) fn take_logarithms(&mut self) -> Result<(), Fault> {
        let taken = match &mut self.values {
            SparseValues::F32(values) => take(values, &[true], f64::from, |x| x as f32),
            SparseValues::F64(values) => take(values, &[true], |x| x, |x| x),
        };
        taken.map_err(|Negative { row: at, value, .. }| {
            let after = self.starts.partition_point(|&start| start <= at as i64);
            let position = self.columns[at] as usize;
            let column = ColumnAt { position, name: None };
            ColumnFault::Negative { row: after as u64 - 1, line: None, column, value }.into()
        })
    }

    /// True if a value is missing.
    pub(in crate::data) fn has_missing(&self) -> bool {
        each!(&self.values, values => values.iter().any(|value| value.is_nan()))
    }

    /// Sorts the values of each row by their columns. Values of one column stay in their order.
    pub(in crate::data) fn sort(&mut self) {
        each!(&mut self.values, values => sort(&self.starts, &mut self.columns, values))
    }

    /// True if a row has two values in one column. The rows are sorted.
    pub(in crate::data) fn has_repeated(&self) -> bool {
        self.starts.array_windows().any(|&[start, end]| {
            self.columns[start as usize..end as usize].array_windows().any(|[a, b]| a == b)
        })
    }

    /// Adds up the values that a row has in one column. The rows are sorted.
    pub(in crate::data) fn add_up(&mut self) {
        if self.has_repeated() {
            each!(&mut self.values, values => add_up(&mut self.starts, &mut self.columns, values));
        }
    }

    /// The samples with all their values.
    pub(in crate::data) fn dense(&self, memory: &Memory) -> Result<Array, Fault> {
        let shape = [self.samples(), self.features];
        let elements = match &self.values {
            SparseValues::F32(values) => Elements::F32(self.scatter(values, memory)?),
            SparseValues::F64(values) => Elements::F64(self.scatter(values, memory)?),
        };
        Ok(Array { elements, shape: shape.to_vec(), column_major: false })
    }

    fn scatter<T: Copy + Default>(&self, values: &[T], memory: &Memory) -> Result<Vec<T>, Fault> {
        let shape = [self.samples(), self.features];
        let mut dense = room_for_all(shape, memory)?;
        dense.resize(shape[0] * shape[1], T::default());
        for (row, &[start, end]) in self.starts.array_windows().enumerate() {
            let of_row = start as usize..end as usize;
            for (&column, &value) in self.columns[of_row.clone()].iter().zip(&values[of_row]) {
                dense[row * self.features + column as usize] = value;
            }
        }
        Ok(dense)
    }

    /// Puts other rows below these. The caller has checked that they have as many columns.
    pub(in crate::data) fn append(&mut self, below: Self, memory: &Memory) -> Result<(), Fault> {
        memory.reserve(&mut self.starts, below.starts.len() - 1)?;
        let before = self.columns.len() as i64;
        self.starts.extend(below.starts[1..].iter().map(|start| before + start));
        memory.reserve(&mut self.columns, below.columns.len())?;
        self.columns.extend(below.columns);
        let wide = |values: &[f32], wide: &mut Vec<f64>| {
            memory.reserve(wide, values.len())?;
            wide.extend(values.iter().map(|&value| f64::from(value)));
            Ok::<(), Fault>(())
        };
        match (&mut self.values, below.values) {
            (SparseValues::F32(to), SparseValues::F32(from)) => {
                memory.reserve(to, from.len())?;
                to.extend(from);
            }
            (SparseValues::F64(to), SparseValues::F64(from)) => {
                memory.reserve(to, from.len())?;
                to.extend(from);
            }
            (SparseValues::F64(to), SparseValues::F32(from)) => wide(&from, to)?,
            (SparseValues::F32(narrow), SparseValues::F64(from)) => {
                let mut all = Vec::new();
                wide(narrow, &mut all)?;
                memory.reserve(&mut all, from.len())?;
                all.extend(from);
                self.values = SparseValues::F64(all);
            }
        }
        Ok(())
    }

    /// The bytes of memory that the rows take.
    pub(in crate::data) fn bytes(&self) -> u64 {
        let values = each!(&self.values, values => size_of_val(&values[..]));
        (values + size_of_val(&self.starts[..]) + size_of_val(&self.columns[..])) as u64
    }
}

fn sort<T: Copy>(starts: &[i64], columns: &mut [i32], values: &mut [T]) {
    let mut sorted = Vec::new();
    for &[start, end] in starts.array_windows() {
        let of_row = start as usize..end as usize;
        let (columns, values) = (&mut columns[of_row.clone()], &mut values[of_row]);
        if columns.is_sorted() {
            continue;
        }
        sorted.clear();
        sorted.extend(columns.iter().copied().zip(values.iter().copied()));
        sorted.sort_by_key(|&(column, _)| column);
        for ((column, value), sorted) in columns.iter_mut().zip(values).zip(&sorted) {
            (*column, *value) = *sorted;
        }
    }
}

fn add_up<T: Copy + AddAssign>(starts: &mut [i64], columns: &mut Vec<i32>, values: &mut Vec<T>) {
    let (mut kept, mut start) = (0, 0);
    for end in &mut starts[1..] {
        let of_row = kept;
        for at in start..*end as usize {
            if kept > of_row && columns[kept - 1] == columns[at] {
                let value = values[at];
                values[kept - 1] += value;
            } else {
                (columns[kept], values[kept]) = (columns[at], values[at]);
                kept += 1;
            }
        }
        start = *end as usize;
        *end = kept as i64;
    }
    columns.truncate(kept);
    values.truncate(kept);
}

/// An empty list with room for all values of a matrix.
pub(in crate::data) fn room_for_all<T>(
    shape: [usize; 2],
    memory: &Memory,
) -> Result<Vec<T>, Fault> {
    let shape = shape.to_vec();
    let Some(elements) = shape[0].checked_mul(shape[1]) else {
        return Err(Fault::Overflow { shape });
    };
    let mut dense = Vec::new();
    memory.reserve(&mut dense, elements).map_err(|fault| match fault {
        Fault::MemoryLimit { wanted, limit, of_machine, .. } => {
            Fault::MemoryLimit { wanted, limit, of_machine, dense: Some(shape) }
        }
        fault => fault,
    })?;
    Ok(dense)
}
