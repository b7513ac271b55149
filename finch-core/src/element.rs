//! The element types that samples may have. No other file knows the types.

use std::fmt::Debug;

use ndarray::ArrayView2;

mod sealed {
    use super::{AnyMatrix, ArrayView2};

    pub trait Sealed: Sized {
        /// A matrix whose element type shows when the program runs, not when it is compiled.
        fn any(matrix: ArrayView2<'_, Self>) -> AnyMatrix<'_>;
    }

    impl Sealed for f64 {
        fn any(matrix: ArrayView2<'_, Self>) -> AnyMatrix<'_> {
            AnyMatrix::F64(matrix)
        }
    }

    impl Sealed for f32 {
        fn any(matrix: ArrayView2<'_, Self>) -> AnyMatrix<'_> {
            AnyMatrix::F32(matrix)
        }
    }

    impl Sealed for u8 {
        fn any(matrix: ArrayView2<'_, Self>) -> AnyMatrix<'_> {
            AnyMatrix::U8(matrix)
        }
    }
}

/// A matrix of any element type that samples may have.
#[doc(hidden)]
#[derive(Clone, Copy, Debug)]
pub enum AnyMatrix<'a> {
    F64(ArrayView2<'a, f64>),
    F32(ArrayView2<'a, f32>),
    U8(ArrayView2<'a, u8>),
}

/// A type that features may have: `f64`, `f32` or `u8`.
///
/// Sealed: every search and every rounding rule is written for these three. Other integers go in as
/// the smallest of these types that holds each value exactly.
pub trait Element:
    sealed::Sealed + Copy + Debug + Default + PartialOrd + Send + Sync + 'static
{
    /// What a cluster mean is kept as: `f64` for `f64`, and `f32` for `f32` and `u8`.
    ///
    /// On data given as `f64`, means rounded to `f32` would break ties differently and so change
    /// the partitions.
    type Mean: Element<Mean = Self::Mean>;

    /// The value, exactly.
    fn to_f64(self) -> f64;

    /// An average, rounded as means of this type are kept.
    fn mean(average: f64) -> Self::Mean;
}

impl Element for f64 {
    type Mean = f64;

    #[inline(always)]
    fn to_f64(self) -> f64 {
        self
    }

    fn mean(average: f64) -> f64 {
        average
    }
}

impl Element for f32 {
    type Mean = f32;

    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    fn mean(average: f64) -> f32 {
        average as f32
    }
}

impl Element for u8 {
    type Mean = f32;

    #[inline(always)]
    fn to_f64(self) -> f64 {
        f64::from(self)
    }

    fn mean(average: f64) -> f32 {
        average as f32
    }
}
