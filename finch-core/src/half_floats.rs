//! Values of 16 bits as f32, exactly, by operations that loops over many values can do side by side.
//!
//! The functions of the half crate ask, value by value, which instructions the processor has. Loops
//! that are compiled for the widest vectors cannot take these calls in.

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
    use crate::vector::vectorized;

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
