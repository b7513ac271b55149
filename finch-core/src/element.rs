//! The element types that samples may have. No other file knows the types.

use std::fmt::Debug;

use ndarray::{Array2, ArrayView2};

use crate::names::named;

mod sealed {
    use super::{AnyArray, AnyMatrix, Array2, ArrayView2, ElementType};

    pub trait Sealed: Sized {
        /// The name of the type.
        const TYPE: ElementType;

        /// Whether values are whole numbers of which f64 adds up 2³¹ in any order without rounding.
        const WHOLE: bool = false;

        /// A matrix whose element type shows when the program runs, not when it is compiled.
        fn any(matrix: ArrayView2<'_, Self>) -> AnyMatrix<'_>;

        /// A matrix with memory of its own, whose element type shows when the program runs.
        fn any_array(matrix: Array2<Self>) -> AnyArray;

        /// The value as this type holds it, exactly if the value is one of a narrower type.
        fn of_f64(value: f64) -> Self;
    }

    impl Sealed for f64 {
        const TYPE: ElementType = ElementType::F64;

        fn any(matrix: ArrayView2<'_, Self>) -> AnyMatrix<'_> {
            AnyMatrix::F64(matrix)
        }

        fn any_array(matrix: Array2<Self>) -> AnyArray {
            AnyArray::F64(matrix)
        }

        fn of_f64(value: f64) -> Self {
            value
        }
    }

    impl Sealed for f32 {
        const TYPE: ElementType = ElementType::F32;

        fn any(matrix: ArrayView2<'_, Self>) -> AnyMatrix<'_> {
            AnyMatrix::F32(matrix)
        }

        fn any_array(matrix: Array2<Self>) -> AnyArray {
            AnyArray::F32(matrix)
        }

        fn of_f64(value: f64) -> Self {
            value as f32
        }
    }

    impl Sealed for u8 {
        const TYPE: ElementType = ElementType::U8;
        const WHOLE: bool = true;

        fn any(matrix: ArrayView2<'_, Self>) -> AnyMatrix<'_> {
            AnyMatrix::U8(matrix)
        }

        fn any_array(matrix: Array2<Self>) -> AnyArray {
            AnyArray::U8(matrix)
        }

        fn of_f64(value: f64) -> Self {
            value as u8
        }
    }
}

/// The name of a type that features may have. A type later in this list holds every value of the
/// types before it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum ElementType {
    /// Whole numbers from 0 to 255, such as pixels.
    U8,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
}

named!(ElementType, "element type", U8 = "u8", F32 = "f32", F64 = "f64");

/// A matrix of any element type that samples may have.
#[derive(Clone, Copy, Debug)]
pub enum AnyMatrix<'a> {
    /// Double precision.
    F64(ArrayView2<'a, f64>),
    /// Single precision.
    F32(ArrayView2<'a, f32>),
    /// Whole numbers from 0 to 255.
    U8(ArrayView2<'a, u8>),
}

impl AnyMatrix<'_> {
    /// The same matrix, for as long as `self` is borrowed: so two can share one lifetime.
    pub(crate) fn reborrow(&self) -> AnyMatrix<'_> {
        match self {
            Self::F64(matrix) => AnyMatrix::F64(matrix.reborrow()),
            Self::F32(matrix) => AnyMatrix::F32(matrix.reborrow()),
            Self::U8(matrix) => AnyMatrix::U8(matrix.reborrow()),
        }
    }

    /// The type of the elements.
    pub fn element(&self) -> ElementType {
        match self {
            Self::F64(_) => ElementType::F64,
            Self::F32(_) => ElementType::F32,
            Self::U8(_) => ElementType::U8,
        }
    }
}

/// A matrix of any element type that samples may have, with memory of its own.
#[doc(hidden)]
#[derive(Clone, Debug, PartialEq)]
pub enum AnyArray {
    F64(Array2<f64>),
    F32(Array2<f32>),
    U8(Array2<u8>),
}

impl AnyArray {
    pub(crate) fn of<A: Element>(matrix: Array2<A>) -> Self {
        A::any_array(matrix)
    }

    pub(crate) fn view(&self) -> AnyMatrix<'_> {
        match self {
            Self::F64(matrix) => AnyMatrix::F64(matrix.view()),
            Self::F32(matrix) => AnyMatrix::F32(matrix.view()),
            Self::U8(matrix) => AnyMatrix::U8(matrix.view()),
        }
    }
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
