//! The element types that samples may have. No other file knows the types.
//!
//! A list of the types, [`with_matrix!`], is where code that is written for any type is compiled for
//! each of them. Searches are not: they read rows by way of [`AnyMatrix`], which tells the type once a
//! row. So a type more costs the few loops that read its values, and not every search once more.

use std::fmt::Debug;

use half::{bf16, f16};
use ndarray::{Array2, ArrayView2};

use super::bits::{BitArray, BitMatrix};
use crate::support::names::named;

mod sealed {
    use super::{AnyArray, AnyMatrix, Array2, ArrayView2, ElementType};

    pub trait Sealed: Sized {
        /// The name of the type.
        const TYPE: ElementType;

        /// A matrix whose element type shows when the program runs, not when it is compiled.
        fn any(matrix: ArrayView2<'_, Self>) -> AnyMatrix<'_>;

        /// A matrix with memory of its own, whose element type shows when the program runs.
        fn any_array(matrix: Array2<Self>) -> AnyArray;

        /// The matrix, if it has this element type.
        fn of_any_array(matrix: AnyArray) -> Option<Array2<Self>>;

        /// The value as this type holds it, exactly if the value is one of a narrower type.
        fn of_f64(value: f64) -> Self;
    }
}

/// Defines the element types: the two enums of matrices, and what converts to and from them.
macro_rules! elements {
    ($($(#[$doc:meta])* $kind:ident($type:ty), $convert:expr;)*) => {
        /// A matrix of any element type that samples may have.
        #[derive(Clone, Copy, Debug)]
        pub enum AnyMatrix<'a> {
            $($(#[$doc])* $kind(ArrayView2<'a, $type>),)*
            /// 0 and 1, eight values to a byte.
            Bits(BitMatrix<'a>),
        }

        /// A matrix of any element type that samples may have, with memory of its own.
        #[doc(hidden)]
        #[derive(Clone, Debug, PartialEq)]
        pub enum AnyArray {
            $($kind(Array2<$type>),)*
            Bits(BitArray),
        }

        impl AnyMatrix<'_> {
            /// The same matrix, for as long as `self` is borrowed: so two can share one lifetime.
            pub(crate) fn reborrow(&self) -> AnyMatrix<'_> {
                match self {
                    $(Self::$kind(matrix) => AnyMatrix::$kind(matrix.reborrow()),)*
                    Self::Bits(bits) => AnyMatrix::Bits(bits.reborrow()),
                }
            }

            /// The type of the elements.
            pub fn element(&self) -> ElementType {
                match self {
                    $(Self::$kind(_) => ElementType::$kind,)*
                    Self::Bits(_) => ElementType::Bits,
                }
            }
        }

        impl AnyArray {
            pub(crate) fn view(&self) -> AnyMatrix<'_> {
                match self {
                    $(Self::$kind(matrix) => AnyMatrix::$kind(matrix.view()),)*
                    Self::Bits(bits) => AnyMatrix::Bits(bits.view()),
                }
            }
        }

        $(impl sealed::Sealed for $type {
            const TYPE: ElementType = ElementType::$kind;

            fn any(matrix: ArrayView2<'_, Self>) -> AnyMatrix<'_> {
                AnyMatrix::$kind(matrix)
            }

            fn any_array(matrix: Array2<Self>) -> AnyArray {
                AnyArray::$kind(matrix)
            }

            fn of_any_array(matrix: AnyArray) -> Option<Array2<Self>> {
                match matrix {
                    AnyArray::$kind(matrix) => Some(matrix),
                    _ => None,
                }
            }

            fn of_f64(value: f64) -> Self {
                $convert(value)
            }
        })*
    };
}

elements! {
    /// Double precision.
    F64(f64), |value| value;
    /// Single precision.
    F32(f32), |value| value as f32;
    /// Half precision.
    F16(f16), f16::from_f64;
    /// The upper half of single precision.
    BF16(bf16), bf16::from_f64;
    /// Whole numbers from −128 to 127.
    I8(i8), |value| value as i8;
    /// Whole numbers from 0 to 255.
    U8(u8), |value| value as u8;
}

/// Evaluates an expression with a matrix of any element type, compiled for each type, and another one
/// with a matrix of bits, which have no addresses of their own.
macro_rules! with_matrix {
    ($any:expr, $matrix:ident => $body:expr, $bits:ident => $of_bits:expr $(,)?) => {
        match $any {
            $crate::samples::element::AnyMatrix::F64($matrix) => $body,
            $crate::samples::element::AnyMatrix::F32($matrix) => $body,
            $crate::samples::element::AnyMatrix::F16($matrix) => $body,
            $crate::samples::element::AnyMatrix::BF16($matrix) => $body,
            $crate::samples::element::AnyMatrix::I8($matrix) => $body,
            $crate::samples::element::AnyMatrix::U8($matrix) => $body,
            $crate::samples::element::AnyMatrix::Bits($bits) => $of_bits,
        }
    };
}

pub(crate) use with_matrix;

/// The name of a type that features may have.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum ElementType {
    /// Whole numbers from 0 to 255, such as pixels.
    U8,
    /// Single precision.
    F32,
    /// Double precision.
    F64,
    /// Half precision: 11 bits and an exponent of 5, up to 65,504.
    F16,
    /// The upper half of single precision: 8 bits and an exponent of 8.
    BF16,
    /// Whole numbers from −128 to 127, such as quantised embeddings.
    I8,
    /// 0 and 1, eight values to a byte, as [`BitSamples`](crate::BitSamples) has them.
    Bits,
}

named!(
    ElementType,
    "element type",
    U8 = "u8",
    F32 = "f32",
    F64 = "f64",
    F16 = "f16",
    BF16 = "bf16",
    I8 = "i8",
    Bits = "bits",
);

impl ElementType {
    /// True if this type holds every value of another exactly.
    pub fn holds(self, other: Self) -> bool {
        use ElementType::{BF16, Bits, F16, F32, F64, I8, U8};
        match self {
            F64 => true,
            F32 => other != F64,
            // Both hold all whole numbers up to 256 and more.
            F16 | BF16 => other == self || matches!(other, U8 | I8 | Bits),
            U8 | I8 => other == self || other == Bits,
            Bits => other == self,
        }
    }

    /// True if values are whole numbers of which f64 adds up 2³¹ in any order without rounding.
    pub(crate) const fn is_whole(self) -> bool {
        matches!(self, Self::U8 | Self::I8 | Self::Bits)
    }

    /// True if values have at most 24 bits, so that the product of two is an f64.
    pub(crate) const fn is_single(self) -> bool {
        matches!(self, Self::F32 | Self::F16 | Self::BF16)
    }

    /// The type of means of samples of this type, see [`Element::Mean`].
    pub(crate) fn of_means(self) -> Self {
        if self == Self::F64 { Self::F64 } else { Self::F32 }
    }

    /// The bits of a value.
    pub fn bits(self) -> usize {
        match self {
            Self::F64 => 64,
            Self::F32 => 32,
            Self::F16 | Self::BF16 => 16,
            Self::U8 | Self::I8 => 8,
            Self::Bits => 1,
        }
    }
}

/// A type that features may have: `f64`, `f32`, [`half::f16`], [`half::bf16`], `i8` or `u8`.
///
/// Sealed: every rounding rule is written for these. Other integers go in as the smallest of these
/// types that holds each value exactly.
///
/// Values are compared as f64 whatever their type, so that a matrix has one result in every type that
/// holds its values exactly.
pub trait Element:
    sealed::Sealed + Copy + Debug + Default + PartialOrd + Send + Sync + 'static
{
    /// The type that a cluster mean is kept as: `f64` for `f64`, and `f32` for all others.
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

/// Implements [`Element`] for a type whose means are f32.
macro_rules! narrow {
    ($type:ty, $to_f64:expr) => {
        impl Element for $type {
            type Mean = f32;

            #[inline(always)]
            fn to_f64(self) -> f64 {
                $to_f64(self)
            }

            fn mean(average: f64) -> f32 {
                average as f32
            }
        }
    };
}

narrow!(f32, f64::from);
narrow!(f16, |value: f16| f64::from(of_f16(value.to_bits())));
narrow!(bf16, |value: bf16| f64::from(of_bf16(value.to_bits())));
narrow!(i8, f64::from);
narrow!(u8, f64::from);

// Values of 16 bits as f32, exactly, by operations that loops over many values can do side by side.
//
// The functions of the half crate ask, value by value, which instructions the processor has. Loops
// that are compiled for the widest vectors cannot take these calls in.

/// The exponent of f32 is that of f16 and this much.
const BIAS: u32 = 127 - 15;

/// The value of these bits of half precision (IEEE 754 binary16), also where it is infinite or NaN.
#[inline(always)]
pub(crate) fn of_f16(bits: u16) -> f32 {
    let magnitude = u32::from(bits & 0x7fff);
    let sign = u32::from(bits & 0x8000) << 16;
    // Below 2⁻¹⁴ a value is its bits times 2⁻²⁴. A product with a subnormal f32 would do, too, but
    // not in a program that has told the processor to take subnormal numbers for 0.
    let subnormal = (magnitude as f32 * f32::from_bits((127 - 24) << 23)).to_bits();
    let exponent = if magnitude < 0x7c00 { BIAS << 23 } else { (2 * BIAS) << 23 };
    let normal = (magnitude << 13) + exponent;
    f32::from_bits(sign | if magnitude < 0x0400 { subnormal } else { normal })
}

/// The value of these bits of bfloat16, the upper half of f32.
#[inline(always)]
pub(crate) fn of_bf16(bits: u16) -> f32 {
    f32::from_bits(u32::from(bits) << 16)
}

#[cfg(test)]
mod tests {
    use half::{bf16, f16};

    use super::*;
    use crate::support::simd::vectorized;

    vectorized! {
        fn all_of<'a>(bits: &'a [u16], out: &'a mut [[f32; 2]]) -> () {
            for (out, &bits) in out.iter_mut().zip(bits) {
                *out = [of_f16(bits), of_bf16(bits)];
            }
        }
    }

    /// Of every value there is, one by one and side by side.
    #[test]
    fn values_are_those_of_the_half_crate() {
        let bits: Vec<u16> = (0..=u16::MAX).collect();
        let mut all = vec![[0.0; 2]; bits.len()];
        all_of(&bits, &mut all);
        for (bits, [half, brain]) in bits.into_iter().zip(all) {
            let expected = [f16::from_bits(bits).to_f32(), bf16::from_bits(bits).to_f32()];
            for (found, expected) in [half, brain, of_f16(bits), of_bf16(bits)]
                .into_iter()
                .zip(expected.into_iter().cycle())
            {
                assert_eq!(found.is_nan(), expected.is_nan(), "{bits:#x}");
                assert!(found.is_nan() || found.to_bits() == expected.to_bits(), "{bits:#x}");
            }
        }
    }
}
