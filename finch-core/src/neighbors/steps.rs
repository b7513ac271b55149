//! Rows in whole steps of 16 bits, and the squared distances of all pairs of two sets of them.
//!
//! With AVX2 an instruction multiplies 16 such numbers and adds the products by pairs: twice as many
//! as in f32, from half the bytes, and sums are exact, and so the same in any order. For sets of 120
//! rows of 64 numbers a pair took 1.2 ns; as a product in f32, by the gemm crate, 1.7; and by panels
//! as in `product.rs`, but of 16 bits, 1.4. (Two threads shared a core.) AVX-512 is used as AVX2 is;
//! elsewhere the compiler does what it can.

use std::ops::Range;

use pulp::NullaryFnOnce;

/// Numbers that are multiplied at a time, and rows of the right.
const LANES: usize = 16;
const ROWS: usize = 8;
/// So many times as many numbers rows are filled up to, with zeros.
const SHORT: usize = 2;
const LONG: usize = 4;

/// A row.
type Row<const PARTS: usize> = [[i16; LANES]; PARTS];

/// Some rows, none of which is longer than 2¹¹ steps: f32 holds all squared distances, and what they
/// are summed from, exactly.
#[derive(Default)]
pub(super) struct Steps {
    rows: usize,
    width: usize,
    /// Up to a multiple of the rows that are multiplied at a time; those beyond are anything.
    values: Vec<i16>,
    /// The squared length of each.
    squares: Vec<f32>,
}

impl Steps {
    /// Makes place for so many rows, which have to be set.
    pub(super) fn resize(&mut self, rows: usize, width: usize) {
        assert!(width <= LONG * LANES, "rows are short");
        let parts = if width <= SHORT * LANES { SHORT } else { LONG };
        (self.rows, self.width) = (rows, parts * LANES);
        self.values.resize(self.places() * self.width, 0);
        self.squares.resize(self.places(), 0.0);
    }

    /// Sets a row: numbers from an origin, times `fineness`, rounded.
    #[inline(always)]
    pub(super) fn set(&mut self, row: usize, values: &[f32], origin: &[f32], fineness: f32) {
        let steps = &mut self.values[row * self.width..][..self.width];
        let (steps_of_row, rest) = steps.split_at_mut(values.len());
        for ((step, value), origin) in steps_of_row.iter_mut().zip(values).zip(origin) {
            *step = nearest_step((value - origin) * fineness);
        }
        rest.fill(0);
        let squares: i32 = steps.iter().map(|&step| i32::from(step) * i32::from(step)).sum();
        self.squares[row] = squares as f32;
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// How many rows there would be if the last were multiplied with as many as the others.
    pub(super) fn places(&self) -> usize {
        self.rows.next_multiple_of(ROWS)
    }

    fn rows<const PARTS: usize>(&self) -> &[Row<PARTS>] {
        self.values.as_chunks().0.as_chunks().0
    }
}

/// Rounds a number below 2¹⁵: a sum of this size has the number in its last bits.
#[inline(always)]
fn nearest_step(number: f32) -> i16 {
    const SHIFT: f32 = 1.5 * (1u32 << 23) as f32;
    (number + SHIFT).to_bits() as i16
}

/// Writes the squared distances of some rows of `left` to all of `right`: for each of the left as
/// many as `right` has places.
pub(super) fn squared_distances(left: &Steps, rows: Range<usize>, right: &Steps, out: &mut [f32]) {
    assert_eq!(left.width, right.width, "rows of both sides have one length");
    let pairs = Pairs { left, rows, right, out };
    match right.width / LANES {
        SHORT => pairs.run::<SHORT>(),
        _ => pairs.run::<LONG>(),
    }
}

/// What is multiplied, and where the distances go.
struct Pairs<'a> {
    left: &'a Steps,
    rows: Range<usize>,
    right: &'a Steps,
    out: &'a mut [f32],
}

impl Pairs<'_> {
    fn run<const PARTS: usize>(self) {
        match pulp::Arch::new() {
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            pulp::Arch::V3(simd) => simd.vectorize(With::<_, PARTS>(simd, self)),
            #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
            pulp::Arch::V4(simd) => simd.vectorize(With::<_, PARTS>(*simd, self)),
            _ => With::<_, PARTS>(Portable, self).call(),
        }
    }
}

/// How a row is multiplied with others.
trait Multiply: Copy {
    /// The products of a row and each of the others. Has to be `#[inline(always)]`.
    fn products<const PARTS: usize>(
        self,
        row: &Row<PARTS>,
        others: &[Row<PARTS>; ROWS],
    ) -> [i32; ROWS];
}

/// Pairs of rows of so many parts, and how they are multiplied.
struct With<'a, M, const PARTS: usize>(M, Pairs<'a>);

impl<M: Multiply, const PARTS: usize> NullaryFnOnce for With<'_, M, PARTS> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        let Self(multiply, Pairs { left, rows, right, out }) = self;
        let of_left = left.rows::<PARTS>()[rows.clone()].iter().zip(&left.squares[rows]);
        let of_right = right.rows::<PARTS>().as_chunks().0;
        let squares = right.squares.as_chunks::<ROWS>().0;
        for ((row, square), out) in of_left.zip(out.chunks_exact_mut(right.places())) {
            let out = out.as_chunks_mut::<ROWS>().0;
            for ((others, squares), out) in of_right.iter().zip(squares).zip(out) {
                let products = multiply.products(row, others);
                // Beside, so that the compiler sees that nothing else is written there.
                let mut distances = [0.0; ROWS];
                for lane in 0..ROWS {
                    distances[lane] = (square + squares[lane]) - 2.0 * products[lane] as f32;
                }
                *out = distances;
            }
        }
    }
}

#[derive(Clone, Copy)]
struct Portable;

impl Multiply for Portable {
    #[inline(always)]
    fn products<const PARTS: usize>(
        self,
        row: &Row<PARTS>,
        others: &[Row<PARTS>; ROWS],
    ) -> [i32; ROWS] {
        let row = row.as_flattened();
        let product = |(x, y): (&i16, &i16)| i32::from(*x) * i32::from(*y);
        others.map(|other| row.iter().zip(other.as_flattened()).map(product).sum())
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86 {
    use pulp::x86::V3;
    use pulp::{cast, i16x16, i32x8};

    use super::{Multiply, ROWS, Row};

    impl Multiply for V3 {
        #[inline(always)]
        fn products<const PARTS: usize>(
            self,
            row: &Row<PARTS>,
            [a, b, c, d, e, f, g, h]: &[Row<PARTS>; ROWS],
        ) -> [i32; ROWS] {
            let one = of_four(self, row, [a, b, c, d]);
            let other = of_four(self, row, [e, f, g, h]);
            let low = self.avx2._mm256_permute2x128_si256::<0x20>(cast(one), cast(other));
            let high = self.avx2._mm256_permute2x128_si256::<0x31>(cast(one), cast(other));
            cast(self.wrapping_add_i32x8(cast(low), cast(high)))
        }
    }

    /// In either half of a vector, a part of the products of a row with each of four.
    #[inline(always)]
    fn of_four<const PARTS: usize>(
        simd: V3,
        row: &Row<PARTS>,
        [a, b, c, d]: [&Row<PARTS>; 4],
    ) -> i32x8 {
        let one = added(simd, sums(simd, row, a), sums(simd, row, b));
        let other = added(simd, sums(simd, row, c), sums(simd, row, d));
        added(simd, one, other)
    }

    /// Eight numbers that add up to the product.
    #[inline(always)]
    fn sums<const PARTS: usize>(simd: V3, row: &Row<PARTS>, other: &Row<PARTS>) -> i32x8 {
        let mut sum = simd.splat_i32x8(0);
        for part in 0..PARTS {
            let [x, y]: [i16x16; 2] = [cast(row[part]), cast(other[part])];
            let products = simd.multiply_wrapping_add_adjacent_i16x16(x, y);
            sum = simd.wrapping_add_i32x8(sum, products);
        }
        sum
    }

    /// Adjacent numbers of both, added.
    #[inline(always)]
    fn added(simd: V3, a: i32x8, b: i32x8) -> i32x8 {
        cast(simd.avx2._mm256_hadd_epi32(cast(a), cast(b)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn value(row: usize, column: usize) -> f32 {
        ((row * 7919 + column * 104_729 + row * column * 31) % 501) as f32 - 250.0
    }

    fn steps(rows: usize, first: usize, width: usize) -> Steps {
        let mut steps = Steps::default();
        // Something is there already.
        steps.resize(rows + 3, 64);
        (0..rows + 3).for_each(|row| steps.set(row, &[7.0; 64], &[0.0; 64], 1.0));
        steps.resize(rows, width);
        for row in 0..rows {
            let values: Vec<f32> =
                (0..width).map(|column| value(row + first, column) / 2.0 + 5.2).collect();
            steps.set(row, &values, &vec![5.0; width], 2.0);
        }
        steps
    }

    #[test]
    fn all_pairs_have_their_distance() {
        for (rows, others, width) in [(1, 1, 1), (7, 8, 21), (40, 9, 32), (5, 33, 41), (9, 16, 64)]
        {
            let (left, right) = (steps(rows, 0, width), steps(others, 100, width));
            let distance = |i: usize, j: usize| {
                (0..width).map(|c| (value(i, c) - value(j + 100, c)).powi(2)).sum::<f32>()
            };
            let part = rows / 3..rows;
            let mut found = vec![f32::NAN; part.len() * right.places()];
            let mut portable = found.clone();
            squared_distances(&left, part.clone(), &right, &mut found);
            let pairs =
                Pairs { left: &left, rows: part.clone(), right: &right, out: &mut portable };
            match width {
                ..=32 => With::<_, SHORT>(Portable, pairs).call(),
                _ => With::<_, LONG>(Portable, pairs).call(),
            }
            for (i, row) in part.enumerate() {
                let of_row = |found: &[f32]| found[i * right.places()..][..others].to_vec();
                let expected: Vec<f32> = (0..others).map(|j| distance(row, j)).collect();
                assert_eq!(of_row(&found), expected, "{row} of {rows} x {others} x {width}");
                assert_eq!(of_row(&portable), expected, "{row} of {rows} x {others} x {width}");
            }
        }
    }
}
