//! Samples as a view, in one of the three types that they are kept in.

pub(crate) mod dtype;
pub(crate) mod elements;
pub(crate) mod logarithm;
pub(crate) mod sparse_file;
pub(crate) mod sparse_rows;

use ndarray::ArrayView2;

/// Runs an expression with the view of a [`Matrix`], whatever its type.
#[doc(hidden)]
#[macro_export]
macro_rules! with_matrix {
    ($matrix:expr, $view:ident => $body:expr) => {
        match $matrix {
            $crate::data::Matrix::F64($view) => $body,
            $crate::data::Matrix::F32($view) => $body,
            $crate::data::Matrix::U8($view) => $body,
        }
    };
}

/// Samples as a view of N rows (samples) × d columns (features), of any strides.
#[derive(Clone, Debug)]
pub enum Matrix<'a> {
    /// Elements of f64.
    F64(ArrayView2<'a, f64>),
    /// Elements of f32.
    F32(ArrayView2<'a, f32>),
    /// Elements of u8.
    U8(ArrayView2<'a, u8>),
}

/// The type that elements are kept in; ordered by width, each exact in the next.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(super) enum Kept {
    U8,
    F32,
    F64,
}

impl Matrix<'_> {
    /// The same samples, borrowed for less long.
    pub fn view(&self) -> Matrix<'_> {
        with_matrix!(self, view => Matrix::from(view.view()))
    }

    /// The number of samples.
    pub(crate) fn rows(&self) -> usize {
        self.shape()[0]
    }

    /// The least and the greatest value of all; infinite where there are no values.
    pub(crate) fn bounds(&self) -> [f64; 2] {
        fn bounds<T: Copy + Into<f64>>(view: &ArrayView2<'_, T>) -> [f64; 2] {
            view.iter().fold([f64::INFINITY, f64::NEG_INFINITY], |[low, high], &value| {
                let value = value.into();
                [f64::min(low, value), f64::max(high, value)]
            })
        }
        with_matrix!(self, view => bounds(view))
    }

    /// The features of a sample.
    pub(crate) fn row(&self, sample: usize) -> Vec<f64> {
        with_matrix!(self, view => view.row(sample).mapv(f64::from).to_vec())
    }

    pub(super) fn shape(&self) -> &[usize] {
        with_matrix!(self, view => view.shape())
    }

    pub(super) fn is_row_major(&self) -> bool {
        with_matrix!(self, view => view.is_standard_layout())
    }

    pub(super) fn kept(&self) -> Kept {
        match self {
            Matrix::F64(_) => Kept::F64,
            Matrix::F32(_) => Kept::F32,
            Matrix::U8(_) => Kept::U8,
        }
    }
}

macro_rules! from_view {
    ($($variant:ident($type:ty)),*) => {$(
        impl<'a> From<ArrayView2<'a, $type>> for Matrix<'a> {
            fn from(view: ArrayView2<'a, $type>) -> Self {
                Matrix::$variant(view)
            }
        }
    )*};
}
from_view!(F64(f64), F32(f32), U8(u8));
