//! Samples most of whose values are 0, as compressed rows (CSR), checked once.

use std::ops::Range;

use crate::error::sparse::SparseFault;
use crate::error::{Error, Result};
use crate::samples::element::ElementType;
use crate::samples::limits::{LARGEST, SMALLEST, expect_shape};

/// The whole numbers of compressed rows, in either of the widths that SciPy has.
#[derive(Clone, Copy, Debug)]
pub enum SparseIndices<'a> {
    /// Of 32 bits.
    I32(&'a [i32]),
    /// Of 64 bits.
    I64(&'a [i64]),
}

impl<'a> From<&'a [i32]> for SparseIndices<'a> {
    fn from(indices: &'a [i32]) -> Self {
        Self::I32(indices)
    }
}

impl<'a> From<&'a [i64]> for SparseIndices<'a> {
    fn from(indices: &'a [i64]) -> Self {
        Self::I64(indices)
    }
}

impl SparseIndices<'_> {
    /// The number of indices.
    fn len(&self) -> usize {
        match self {
            Self::I32(indices) => indices.len(),
            Self::I64(indices) => indices.len(),
        }
    }

    #[inline(always)]
    fn get(&self, at: usize) -> i64 {
        match self {
            Self::I32(indices) => i64::from(indices[at]),
            Self::I64(indices) => indices[at],
        }
    }
}

/// The values of compressed rows.
#[derive(Clone, Copy, Debug)]
pub enum SparseValues<'a> {
    /// Single precision.
    F32(&'a [f32]),
    /// Double precision.
    F64(&'a [f64]),
}

impl<'a> From<&'a [f32]> for SparseValues<'a> {
    fn from(values: &'a [f32]) -> Self {
        Self::F32(values)
    }
}

impl<'a> From<&'a [f64]> for SparseValues<'a> {
    fn from(values: &'a [f64]) -> Self {
        Self::F64(values)
    }
}

impl SparseValues<'_> {
    /// The number of values.
    fn len(&self) -> usize {
        match self {
            Self::F32(values) => values.len(),
            Self::F64(values) => values.len(),
        }
    }

    #[inline(always)]
    fn get(&self, at: usize) -> f64 {
        match self {
            Self::F32(values) => f64::from(values[at]),
            Self::F64(values) => values[at],
        }
    }
}

/// Samples × features, most of whose values are 0: the other values as compressed rows (CSR, as in
/// SciPy's `csr_array`), read where they lie.
///
/// All results are those of the same rows as dense [`Samples`](crate::Samples), bit for bit: partitions,
/// neighbours, distances, clusters merged by any linkage, suggestions and descriptions. Neighbours are searched
/// by products of sparse rows (or most of them, by an approximate search of its own, where that takes long),
/// and cluster means are kept sparse, so that memory is that of the values and not that of all features. A
/// value that is given and is 0 is as good as one that is not given.
///
/// ```
/// use finch_core::{Finch, Metric, Samples, SparseSamples};
/// use ndarray::array;
///
/// // Rows 0 and 1 have the features 0 and 2, rows 2 and 3 the feature 70,000.
/// let starts: &[i32] = &[0, 2, 4, 5, 6];
/// let columns: &[i32] = &[0, 2, 0, 2, 70_000, 70_000];
/// let values: &[f64] = &[1.0, 2.0, 1.5, 2.0, 3.0, 1.0];
/// let samples = SparseSamples::new(100_000, starts, columns, values)?;
/// let hierarchy = Finch::new().metric(Metric::Cosine).fit(&samples)?;
/// assert_eq!(hierarchy.finest().labels(), [0, 0, 1, 1]);
/// # Ok::<(), finch_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug)]
pub struct SparseSamples<'a> {
    features: usize,
    starts: SparseIndices<'a>,
    columns: SparseIndices<'a>,
    values: SparseValues<'a>,
}

impl<'a> SparseSamples<'a> {
    /// Checks N samples of so many `features`, d. The values of sample i are those at the places from
    /// `starts[i]` up to `starts[i + 1]`, of the features that are there in `columns`, from 0, rising
    /// within each row. So there are N + 1 `starts`, from 0 on, and as many `columns` as `values`.
    ///
    /// ```
    /// use finch_core::{Error, SparseFault, SparseSamples};
    ///
    /// let (starts, columns): (&[i64], &[i32]) = (&[0, 1, 3], &[0, 2, 2]);
    /// let fault = SparseFault::Unsorted { row: 1, before: 2, column: 2 };
    /// let twice = SparseSamples::new(3, starts, columns, &[1.0_f32, 2.0, 3.0][..]);
    /// assert_eq!(twice.unwrap_err(), Error::InvalidSparse { fault });
    /// ```
    ///
    /// # Errors
    /// - [`Error::NoSamples`], [`Error::NoFeatures`], [`Error::TooManySamples`], as for
    ///   [`Samples::new`](crate::Samples::new).
    /// - [`Error::InvalidSparse`]: starts that fall or that end elsewhere than the values, a feature that
    ///   is not there, one that does not rise above the feature before it in its row (features of a row
    ///   are neither sorted nor added up here), more than 2³¹ − 1 features.
    /// - [`Error::NonFinite`], [`Error::TooLarge`], [`Error::TooSmall`], as for
    ///   [`Samples::new`](crate::Samples::new).
    pub fn new(
        features: usize,
        starts: impl Into<SparseIndices<'a>>,
        columns: impl Into<SparseIndices<'a>>,
        values: impl Into<SparseValues<'a>>,
    ) -> Result<Self> {
        let (starts, columns, values) = (starts.into(), columns.into(), values.into());
        let samples = Self { features, starts, columns, values };
        samples.check().map(|()| samples)
    }

    fn check(&self) -> Result<()> {
        let Self { features, starts, columns, values } = *self;
        let refused = |fault| Err(Error::InvalidSparse { fault });
        let samples = match starts.len() {
            0 => return refused(SparseFault::NoStarts),
            1 => return Err(Error::NoSamples),
            starts => starts - 1,
        };
        expect_shape([samples, features])?;
        if i32::try_from(features).is_err() {
            return refused(SparseFault::TooManyFeatures { features });
        }
        if starts.get(0) != 0 {
            return refused(SparseFault::FirstStart { start: starts.get(0) });
        }
        for row in 0..samples {
            let [start, end] = [starts.get(row), starts.get(row + 1)];
            if start > end {
                return refused(SparseFault::Falls { row, start, end });
            }
        }
        let (end, columns_len, values_len) = (starts.get(samples), columns.len(), values.len());
        if [columns_len, values_len].map(i64::try_from) != [Ok(end); 2] {
            let fault = SparseFault::Length { end, columns: columns_len, values: values_len };
            return refused(fault);
        }
        let mut largest = 0.0;
        for row in 0..samples {
            let mut before = -1;
            for at in self.range(row) {
                let (column, value) = (columns.get(at), values.get(at));
                if !(0..features as i64).contains(&column) {
                    return refused(SparseFault::NoSuchFeature { row, column, features });
                }
                if column <= before {
                    return refused(SparseFault::Unsorted { row, before, column });
                }
                before = column;
                let magnitude = value.abs();
                // Also for NaN.
                let column = column as usize;
                match magnitude <= LARGEST {
                    true => largest = f64::max(largest, magnitude),
                    false if value.is_finite() => {
                        return Err(Error::TooLarge { row, column, value });
                    }
                    false => return Err(Error::NonFinite { row, column, value }),
                }
            }
        }
        match largest > 0.0 && largest < SMALLEST {
            true => Err(Error::TooSmall { largest }),
            false => Ok(()),
        }
    }

    /// Checks that all values are 0 or 1, which `what` takes.
    ///
    /// # Errors
    /// [`Error::NotBinary`], for the first value that is neither.
    pub(crate) fn expect_bits(&self, what: &'static str) -> Result<()> {
        let is_bit = |value: f64| value == 0.0 || value == 1.0;
        for row in 0..self.len() {
            if let Some((column, value)) = self.given(row).find(|&(_, value)| !is_bit(value)) {
                return Err(Error::NotBinary { what, row, column: column as usize, value });
            }
        }
        Ok(())
    }

    /// All N × d values, row after row, with those that are not given.
    pub fn all_values(&self) -> impl Iterator<Item = f64> {
        let Self { features, starts, columns, values } = *self;
        let mut at = 0;
        (0..self.len())
            .flat_map(move |row| (0..features as i64).map(move |feature| (row, feature)))
            .map(move |(row, feature)| {
                match (at as i64) < starts.get(row + 1) && columns.get(at) == feature {
                    true => {
                        at += 1;
                        values.get(at - 1)
                    }
                    false => 0.0,
                }
            })
    }

    /// Compressed rows that need no check: averages of checked samples, say.
    pub(crate) fn checked(
        features: usize,
        starts: SparseIndices<'a>,
        columns: SparseIndices<'a>,
        values: SparseValues<'a>,
    ) -> Self {
        Self { features, starts, columns, values }
    }

    /// The number of samples, N; at least 1.
    pub fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Always false: a matrix without samples is refused.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The number of features, d; at least 1.
    pub fn features(&self) -> usize {
        self.features
    }

    /// The number of values that are given, for all samples together.
    pub fn values(&self) -> usize {
        self.values.len()
    }

    /// The type of the values, and so of cluster means: [`ElementType::F32`] or [`ElementType::F64`].
    pub fn element(&self) -> ElementType {
        match self.values {
            SparseValues::F32(_) => ElementType::F32,
            SparseValues::F64(_) => ElementType::F64,
        }
    }

    /// Where each sample begins, N + 1 numbers; the feature of each value; and the values: what
    /// [`SparseSamples::new`] takes.
    pub fn parts(&self) -> (SparseIndices<'a>, SparseIndices<'a>, SparseValues<'a>) {
        (self.starts, self.columns, self.values)
    }

    /// The places of the values of a sample.
    #[inline]
    pub(crate) fn range(&self, row: usize) -> Range<usize> {
        self.starts.get(row) as usize..self.starts.get(row + 1) as usize
    }

    /// Each feature that a sample has a value for, rising, and the value.
    pub(crate) fn given(&self, row: usize) -> impl Iterator<Item = (u32, f64)> {
        let Self { columns, values, .. } = *self;
        self.range(row).map(move |at| (columns.get(at) as u32, values.get(at)))
    }

    /// Does something with each feature that a sample has a value for, rising, and the value.
    #[inline]
    pub(crate) fn for_each(&self, row: usize, each: impl FnMut(u32, f64)) {
        let range = self.range(row);
        match (self.columns, self.values) {
            (SparseIndices::I32(columns), SparseValues::F32(values)) => {
                walk(&columns[range.clone()], &values[range], |column| column as u32, each)
            }
            (SparseIndices::I32(columns), SparseValues::F64(values)) => {
                walk(&columns[range.clone()], &values[range], |column| column as u32, each)
            }
            (SparseIndices::I64(columns), SparseValues::F32(values)) => {
                walk(&columns[range.clone()], &values[range], |column| column as u32, each)
            }
            (SparseIndices::I64(columns), SparseValues::F64(values)) => {
                walk(&columns[range.clone()], &values[range], |column| column as u32, each)
            }
        }
    }
}

#[inline(always)]
fn walk<I: Copy, V: Copy + Into<f64>>(
    columns: &[I],
    values: &[V],
    number: impl Fn(I) -> u32,
    mut each: impl FnMut(u32, f64),
) {
    columns.iter().zip(values).for_each(|(&column, &value)| each(number(column), value.into()));
}
