//! The input: a matrix of samples, checked once.

pub(crate) mod bits;
pub(crate) mod comparable;
mod dense;
pub(crate) mod element;
pub(crate) mod limits;
pub(crate) mod metric;
pub(crate) mod owned;
pub(crate) mod principal_axes;
pub(crate) mod rows;
pub(crate) mod sparse;
pub(crate) mod twofold;
pub(crate) mod weights;

use ndarray::ArrayView2;

use bits::BitSamples;
use element::{AnyMatrix, Element, ElementType};
use limits::{LARGEST, SMALLEST, expect_shape};
use metric::Metric;
use sparse::SparseSamples;

use crate::error::{Error, Result};
use crate::support::simd::{stored, vectorized};

/// Samples × features: a borrowed view of any strides whose values have all been checked.
///
/// Rows are samples and columns are features; row-major, column-major and strided matrices are all
/// read in place. Code that takes `Samples` need not look for NaN again.
#[derive(Clone, Copy, Debug)]
pub struct Samples<'a, A> {
    matrix: ArrayView2<'a, A>,
}

impl<'a, A: Element> Samples<'a, A> {
    /// Checks a matrix of N samples (rows) × d features (columns).
    ///
    /// # Errors
    /// - [`Error::NoSamples`], [`Error::NoFeatures`]: the matrix is empty.
    /// - [`Error::TooManySamples`]: more rows than a 32-bit label can number.
    /// - [`Error::NonFinite`]: NaN or an infinity, with its row and column.
    /// - [`Error::TooLarge`]: a value beyond ±10¹⁴⁰, whose squared distances overflow.
    /// - [`Error::TooSmall`]: no value reaches 10⁻¹⁴⁰ (unless all are zeros), so that squared
    ///   distances vanish.
    pub fn new(matrix: ArrayView2<'a, A>) -> Result<Self> {
        expect_shape(matrix.dim().into())?;
        // In memory order, whatever that is; only a bad matrix is walked again to say where.
        let largest = match matrix.as_slice_memory_order() {
            Some(values) => largest_of(values),
            None => matrix.fold(0.0, |largest, value| larger(largest, value.to_f64())),
        };
        if largest > LARGEST {
            let sound = |value: f64| value.abs() <= LARGEST;
            let bad = matrix.indexed_iter().find(|(_, value)| !sound(value.to_f64()));
            let ((row, column), value) = bad.expect("a value was found bad a moment ago");
            let value = value.to_f64();
            return Err(match value.is_finite() {
                true => Error::TooLarge { row, column, value },
                false => Error::NonFinite { row, column, value },
            });
        }
        if largest > 0.0 && largest < SMALLEST {
            return Err(Error::TooSmall { largest });
        }
        Ok(Self { matrix })
    }

    /// True if all values are finite, and none beyond ±10¹⁴⁰: they may be too small together.
    pub(crate) fn are_bounded(matrix: ArrayView2<'a, A>) -> bool {
        // A comparison that fails for NaN.
        matrix.iter().all(|value| value.to_f64().abs() <= LARGEST)
    }

    /// The same samples, for code that is not generic, which is all but the outermost functions.
    pub(crate) fn any(&self) -> AnySamples<'_> {
        AnySamples(Kind::Dense(A::any(self.matrix.reborrow())))
    }

    /// The same samples, for as long as `self` is borrowed: so two `Samples` can share one
    /// lifetime.
    pub(crate) fn reborrow(&self) -> Samples<'_, A> {
        Samples { matrix: self.matrix.reborrow() }
    }

    /// The number of samples, N; at least 1.
    pub fn len(&self) -> usize {
        self.matrix.nrows()
    }

    /// Always false: a matrix without samples is refused.
    pub fn is_empty(&self) -> bool {
        false
    }

    /// The number of features, d; at least 1.
    pub fn features(&self) -> usize {
        self.matrix.ncols()
    }

    /// The matrix, N × d.
    pub fn matrix(&self) -> ArrayView2<'a, A> {
        self.matrix
    }

    /// Checks that there are as many samples as something else describes.
    pub(crate) fn expect_len(&self, expected: usize) -> Result<()> {
        match self.len() {
            found if found == expected => Ok(()),
            found => Err(Error::SampleCount { expected, found }),
        }
    }
}

impl<'a, A: Element> From<Samples<'a, A>> for AnyMatrix<'a> {
    fn from(samples: Samples<'a, A>) -> Self {
        A::any(samples.matrix)
    }
}

/// Samples of any kind: what functions take that serve [`Samples`] of each element type, [`BitSamples`]
/// and [`SparseSamples`] alike. A reference to any of them goes in by itself.
#[derive(Clone, Copy, Debug)]
pub struct AnySamples<'a>(pub(crate) Kind<'a>);

/// The kinds of samples.
#[derive(Clone, Copy, Debug)]
pub(crate) enum Kind<'a> {
    /// Checked, as [`Samples`] are.
    Dense(AnyMatrix<'a>),
    Sparse(SparseSamples<'a>),
}

impl<'a, A: Element> From<&'a Samples<'_, A>> for AnySamples<'a> {
    fn from(samples: &'a Samples<'_, A>) -> Self {
        samples.any()
    }
}

impl<'a> From<&'a BitSamples<'_>> for AnySamples<'a> {
    fn from(samples: &'a BitSamples<'_>) -> Self {
        Self(Kind::Dense(AnyMatrix::Bits(samples.reborrow())))
    }
}

impl<'a> From<&SparseSamples<'a>> for AnySamples<'a> {
    fn from(samples: &SparseSamples<'a>) -> Self {
        Self(Kind::Sparse(*samples))
    }
}

impl<'a> AnySamples<'a> {
    /// The number of samples, N.
    #[expect(clippy::len_without_is_empty, reason = "there is at least one sample")]
    pub fn len(&self) -> usize {
        match self.0 {
            Kind::Dense(matrix) => matrix.len(),
            Kind::Sparse(samples) => samples.len(),
        }
    }

    /// The number of features, d.
    pub fn features(&self) -> usize {
        match self.0 {
            Kind::Dense(matrix) => matrix.features(),
            Kind::Sparse(samples) => samples.features(),
        }
    }

    /// Checks that there are as many samples as something else describes.
    pub(crate) fn expect_len(&self, expected: usize) -> Result<()> {
        match self.len() {
            found if found == expected => Ok(()),
            found => Err(Error::SampleCount { expected, found }),
        }
    }

    /// Checks that a metric takes the samples.
    pub(crate) fn expect_metric(&self, metric: Metric) -> Result<()> {
        match &self.0 {
            _ if !metric.is_of_bits() => Ok(()),
            Kind::Dense(AnyMatrix::Bits(_)) => Ok(()),
            Kind::Dense(matrix) => matrix.packed(metric.name()).map(drop),
            Kind::Sparse(samples) => samples.expect_bits(metric.name()),
        }
    }

    /// The same samples, for as long as `self` is borrowed: so two can share one lifetime.
    pub(crate) fn reborrow(&self) -> AnySamples<'_> {
        AnySamples(match &self.0 {
            Kind::Dense(matrix) => Kind::Dense(matrix.reborrow()),
            Kind::Sparse(samples) => Kind::Sparse(*samples),
        })
    }

    /// The type of the values. Of sparse samples [`ElementType::F32`] or [`ElementType::F64`].
    pub fn element(&self) -> ElementType {
        match self.0 {
            Kind::Dense(matrix) => matrix.element(),
            Kind::Sparse(samples) => samples.element(),
        }
    }

    /// The matrix, N × d, where samples are dense.
    pub fn matrix(&self) -> Option<AnyMatrix<'a>> {
        match self.0 {
            Kind::Dense(matrix) => Some(matrix),
            Kind::Sparse(_) => None,
        }
    }

    /// The samples, where they are sparse.
    pub fn sparse(&self) -> Option<SparseSamples<'a>> {
        match self.0 {
            Kind::Dense(_) => None,
            Kind::Sparse(samples) => Some(samples),
        }
    }

    /// The matrix of dense samples.
    ///
    /// # Errors
    /// [`Error::NeedsDense`] for sparse samples.
    pub(crate) fn dense(self, what: &'static str) -> Result<AnyMatrix<'a>> {
        match self.0 {
            Kind::Dense(matrix) => Ok(matrix),
            Kind::Sparse(_) => Err(Error::NeedsDense { what }),
        }
    }
}

vectorized! {
    /// The largest magnitude of some values, or infinity if one is NaN.
    pub(crate) fn largest_of<'a, A: Element>(values: &'a [A]) -> f64 {
        const LANES: usize = 8;
        let (groups, rest) = values.as_chunks::<LANES>();
        let mut largest = [0.0; LANES];
        for group in groups {
            for lane in 0..LANES {
                largest[lane] = larger(largest[lane], group[lane].to_f64());
            }
        }
        let largest = stored(largest).into_iter().fold(0.0, larger);
        rest.iter().fold(largest, |largest, value| larger(largest, value.to_f64()))
    }
}

/// The larger of a magnitude and that of a value, or infinity if this is NaN.
#[inline(always)]
fn larger(largest: f64, value: f64) -> f64 {
    let magnitude = value.abs();
    if magnitude <= largest {
        largest
    } else if magnitude.is_nan() {
        f64::INFINITY
    } else {
        magnitude
    }
}
