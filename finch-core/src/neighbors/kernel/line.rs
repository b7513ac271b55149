//! The sums of one row with several others, as many at a time as vectors hold.

use pulp::Simd;

/// Vectors in a line. Their product with the rows that are compared with a line at a time is the number of
/// vectors of sums under way: as many as keep a processor busy, and as fit its registers beside what is
/// multiplied.
pub(crate) const VECTORS: usize = 3;
/// Numbers in the longest line there is: of vectors of 16 numbers, as AVX-512 has them.
pub(crate) const LONGEST_LINE: usize = VECTORS * 16;

/// A line of a panel, or the sums of one row with a line.
pub(crate) type Line<S> = [<S as Simd>::f32s; VECTORS];

/// Numbers as lines; what does not fill the last line is left out.
#[inline(always)]
pub(crate) fn lines<S: Simd>(numbers: &[f32]) -> &[Line<S>] {
    S::as_simd_f32s(numbers).0.as_chunks().0
}

/// Numbers as lines that can be written; what does not fill the last line is left out.
#[inline(always)]
pub(crate) fn lines_mut<S: Simd>(numbers: &mut [f32]) -> &mut [Line<S>] {
    S::as_mut_simd_f32s(numbers).0.as_chunks_mut().0
}

/// An observer of the pairs of a product.
pub(crate) trait Pairs {
    /// Is shown the sums of the ends a and b and all terms of a pair: of one row x of the left,
    /// number `row`, which ends with a, and a line of rows y of the right, from number `first` on,
    /// which end with b. The sum is −∞ for a row that the last panel lacks. Has to be
    /// `#[inline(always)]`.
    fn look<S: Simd>(&mut self, simd: S, row: usize, first: usize, sums: &Line<S>);
}
