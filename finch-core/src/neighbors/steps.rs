//! Rows in whole steps of 16 bits, and the squared distances of pairs of them.
//!
//! With AVX2 an instruction multiplies 16 such numbers and adds the products by pairs: twice as many
//! as in f32, from half the bytes, and sums are exact, and so the same in any order. For sets of 120
//! rows of 64 numbers a pair took 1.2 ns; as a product in f32, by the gemm crate, 1.7; and by panels
//! as in `product.rs`, but of 16 bits, 1.4. (Two threads shared a core.) AVX-512 is used as AVX2 is;
//! elsewhere the compiler does what it can.

use std::array;

use pulp::NullaryFnOnce;

/// Rows of the right that a row is compared with at a time.
pub(super) const AT_ONCE: usize = 8;

/// The largest length of a row, but for half a step in each number: i32 holds the squared distance
/// of two.
pub(super) const STEPS: f32 = 23_000.0;
const _: () = assert!(4.0 * (STEPS + 4.0) * (STEPS + 4.0) < i32::MAX as f32);

/// Numbers of a row: a cache line of them, or each row would have a part of one more, and every
/// other vector lie in two.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct Part([i16; PART]);
pub(super) const PART: usize = 32;

/// The parts of rows, at least and at most.
const SHORT: usize = 1;
const LONG: usize = 2;

/// A row.
type Row<const PARTS: usize> = [Part; PARTS];

/// The parts of a row of so many numbers.
pub(super) fn parts(width: usize) -> usize {
    assert!(width <= LONG * PART, "rows are short");
    if width <= SHORT * PART { SHORT } else { LONG }
}

/// Writes a row: numbers in whole steps, rounded, and zeros beyond the last.
#[inline(always)]
pub(super) fn set(row: &mut [Part], steps: impl Iterator<Item = f32>) {
    let mut steps = steps.fuse();
    for part in row {
        part.0.fill(0);
        part.0.iter_mut().zip(&mut steps).for_each(|(step, number)| *step = nearest(number));
    }
}

/// Some rows, none of which is longer than [`STEPS`].
#[derive(Default)]
pub(super) struct Steps {
    rows: usize,
    /// The parts of each row.
    parts: usize,
    /// Up to a multiple of the rows that are compared at a time; those beyond are 0.
    values: Vec<Part>,
    /// The squared length of each.
    squares: Vec<i32>,
}

impl Steps {
    /// Makes place for so many rows, which have to be set.
    pub(super) fn resize(&mut self, rows: usize, width: usize) {
        (self.rows, self.parts) = (rows, parts(width));
        let places = rows.next_multiple_of(AT_ONCE);
        self.values.resize(places * self.parts, Part::default());
        self.values[rows * self.parts..].fill(Part::default());
        self.squares.resize(places, 0);
        self.squares[rows..].fill(0);
    }

    /// Sets a row, as `set` does.
    #[inline(always)]
    pub(super) fn set(&mut self, row: usize, steps: impl Iterator<Item = f32>) {
        set(&mut self.values[row * self.parts..][..self.parts], steps);
        self.square(row);
    }

    /// Copies a row that has at least as many parts.
    #[inline(always)]
    pub(super) fn copy(&mut self, row: usize, values: &[Part]) {
        self.values[row * self.parts..][..self.parts].copy_from_slice(&values[..self.parts]);
        self.square(row);
    }

    #[inline(always)]
    fn square(&mut self, row: usize) {
        let square = |part: &Part| part.0.iter().map(|&step| i32::from(step).pow(2)).sum::<i32>();
        self.squares[row] = self.values[row * self.parts..][..self.parts].iter().map(square).sum();
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.rows
    }

    /// How many rows there would be if the last were compared with as many as the others.
    pub(super) fn places(&self) -> usize {
        self.squares.len()
    }

    fn rows<const PARTS: usize>(&self) -> &[Row<PARTS>] {
        self.values.as_chunks().0
    }
}

/// Rounds a number below 2¹⁵: a sum of this size has the number in its last bits.
#[inline(always)]
fn nearest(number: f32) -> i16 {
    const SHIFT: f32 = 1.5 * (1u32 << 23) as f32;
    (number + SHIFT).to_bits() as i16
}

/// A row of the left, and all rows of the right, with which it is compared.
#[derive(Clone, Copy)]
pub(super) struct Compared<'a> {
    pub(super) left: &'a Steps,
    pub(super) row: usize,
    pub(super) right: &'a Steps,
}

impl Compared<'_> {
    /// Writes the squared distances for as many places as the right has, and for each a bit, which
    /// tells whether that is within a limit, or one of its own as far as there are such.
    pub(super) fn compare(
        self,
        limit: f32,
        limits: &[f32],
        distances: &mut [[f32; AT_ONCE]],
        near: &mut [u8],
    ) {
        assert_eq!(self.left.parts, self.right.parts, "rows of both sides have one length");
        let compared = self;
        match self.right.parts {
            SHORT => run(Distances::<SHORT> { compared, limit, limits, distances, near }),
            _ => run(Distances::<LONG> { compared, limit, limits, distances, near }),
        }
    }
}

/// Sets a bit for each distance, the first the lowest, which tells whether it is within a limit.
pub(super) fn mark_near(distances: &[[f32; AT_ONCE]], limit: f32, near: &mut [u8]) {
    run(Mark { distances, limit, near });
}

/// What can be done in more than one way.
trait Task {
    /// Has to be `#[inline(always)]`.
    fn run(self, compare: impl Compare);
}

/// A task and the way to do it.
struct With<T, C>(T, C);

impl<T: Task, C: Compare> NullaryFnOnce for With<T, C> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.0.run(self.1);
    }
}

fn run(task: impl Task) {
    match pulp::Arch::new() {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        pulp::Arch::V3(simd) => simd.vectorize(With(task, simd)),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        pulp::Arch::V4(simd) => simd.vectorize(With(task, *simd)),
        _ => task.run(Portable),
    }
}

/// How a row is compared with others. What is here has to be `#[inline(always)]`.
trait Compare: Copy {
    /// The products of a row and each of the others.
    fn products<const PARTS: usize>(
        self,
        row: &Row<PARTS>,
        others: &[Row<PARTS>; AT_ONCE],
    ) -> [i32; AT_ONCE];

    /// A bit for each distance, the first the lowest: whether it is within its limit.
    fn within(self, distances: [f32; AT_ONCE], limits: [f32; AT_ONCE]) -> u8;
}

/// A row of so many parts, how near others have to be, and where it is written which are.
struct Distances<'a, const PARTS: usize> {
    compared: Compared<'a>,
    limit: f32,
    limits: &'a [f32],
    distances: &'a mut [[f32; AT_ONCE]],
    near: &'a mut [u8],
}

impl<const PARTS: usize> Task for Distances<'_, PARTS> {
    #[inline(always)]
    fn run(self, compare: impl Compare) {
        let Self { compared: Compared { left, row, right }, limit, limits, distances, near } = self;
        let (row, square) = (&left.rows::<PARTS>()[row], left.squares[row]);
        let others = right.rows::<PARTS>().as_chunks().0.iter();
        let others = others.zip(right.squares.as_chunks::<AT_ONCE>().0);
        let (limits, rest) = limits.as_chunks::<AT_ONCE>();
        let mut last = [f32::NEG_INFINITY; AT_ONCE];
        last[..rest.len()].copy_from_slice(rest);
        let found = distances.iter_mut().zip(near);
        for (group, ((others, squares), (out, near))) in others.zip(found).enumerate() {
            let products = compare.products(row, others);
            // Beside, so that the compiler sees that nothing else is written there.
            let mut distances = [0.0; AT_ONCE];
            for lane in 0..AT_ONCE {
                distances[lane] = (square + squares[lane] - 2 * products[lane]) as f32;
            }
            *out = distances;
            let limits = limits.get(group).unwrap_or(&last);
            *near = compare.within(distances, limits.map(|of_other| larger(limit, of_other)));
        }
    }
}

struct Mark<'a> {
    distances: &'a [[f32; AT_ONCE]],
    limit: f32,
    near: &'a mut [u8],
}

impl Task for Mark<'_> {
    #[inline(always)]
    fn run(self, compare: impl Compare) {
        for (distances, near) in self.distances.iter().zip(self.near) {
            *near = compare.within(*distances, [self.limit; AT_ONCE]);
        }
    }
}

#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if a > b { a } else { b }
}

#[derive(Clone, Copy)]
struct Portable;

impl Compare for Portable {
    #[inline(always)]
    fn products<const PARTS: usize>(
        self,
        row: &Row<PARTS>,
        others: &[Row<PARTS>; AT_ONCE],
    ) -> [i32; AT_ONCE] {
        let product = |(x, y): (&i16, &i16)| i32::from(*x) * i32::from(*y);
        let of_parts = |(x, y): (&Part, &Part)| x.0.iter().zip(&y.0).map(product).sum::<i32>();
        array::from_fn(|lane| row.iter().zip(&others[lane]).map(of_parts).sum())
    }

    #[inline(always)]
    fn within(self, distances: [f32; AT_ONCE], limits: [f32; AT_ONCE]) -> u8 {
        let bit = |lane: usize| u8::from(distances[lane] <= limits[lane]) << lane;
        (0..AT_ONCE).fold(0, |bits, lane| bits | bit(lane))
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86 {
    use pulp::x86::V3;
    use pulp::{cast, f32x8, i16x16, i32x8};

    use super::{AT_ONCE, Compare, Row};

    impl Compare for V3 {
        #[inline(always)]
        fn products<const PARTS: usize>(
            self,
            row: &Row<PARTS>,
            [a, b, c, d, e, f, g, h]: &[Row<PARTS>; AT_ONCE],
        ) -> [i32; AT_ONCE] {
            let one = of_four(self, row, [a, b, c, d]);
            let other = of_four(self, row, [e, f, g, h]);
            let low = self.avx2._mm256_permute2x128_si256::<0x20>(cast(one), cast(other));
            let high = self.avx2._mm256_permute2x128_si256::<0x31>(cast(one), cast(other));
            cast(self.wrapping_add_i32x8(cast(low), cast(high)))
        }

        #[inline(always)]
        fn within(self, distances: [f32; AT_ONCE], limits: [f32; AT_ONCE]) -> u8 {
            const LESS_OR_EQUAL: i32 = 18;
            let [distances, limits]: [f32x8; 2] = [cast(distances), cast(limits)];
            let near = self.avx._mm256_cmp_ps::<LESS_OR_EQUAL>(cast(distances), cast(limits));
            self.avx._mm256_movemask_ps(near) as u8
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
        for (x, y) in row.iter().zip(other) {
            let [x, y]: [[i16x16; 2]; 2] = [cast(x.0), cast(y.0)];
            for (x, y) in x.into_iter().zip(y) {
                let products = simd.multiply_wrapping_add_adjacent_i16x16(x, y);
                sum = simd.wrapping_add_i32x8(sum, products);
            }
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
    use std::iter;

    use super::*;

    fn value(row: usize, column: usize) -> f32 {
        ((row * 7919 + column * 104_729 + row * column * 31) % 5501) as f32 - 2750.0
    }

    fn steps(rows: usize, first: usize, width: usize) -> Steps {
        let mut steps = Steps::default();
        // Something is there already.
        steps.resize(rows + 9, 64);
        (0..rows + 9).for_each(|row| steps.set(row, iter::repeat_n(7.0, 64)));
        steps.resize(rows, width);
        for row in 0..rows {
            steps.set(row, (0..width).map(|column| value(row + first, column) + 0.4));
        }
        steps
    }

    fn portable<const PARTS: usize>(
        compared: Compared<'_>,
        limit: f32,
        limits: &[f32],
        distances: &mut [[f32; AT_ONCE]],
        near: &mut [u8],
    ) {
        Distances::<PARTS> { compared, limit, limits, distances, near }.run(Portable);
    }

    #[test]
    fn all_pairs_have_their_distance_and_the_near_their_bit() {
        for (rows, others, width) in [(1, 1, 1), (7, 8, 21), (40, 9, 32), (5, 33, 41), (9, 16, 64)]
        {
            let (left, right) = (steps(rows, 0, width), steps(others, 100, width));
            let distance = |i: usize, j: usize| {
                let squared = |c| (value(i, c) as i32 - value(j + 100, c) as i32).pow(2);
                (0..width).map(squared).sum::<i32>() as f32
            };
            let limits: Vec<f32> = (0..others).map(|j| distance(j % rows, j)).collect();
            for row in 0..rows {
                let compared = Compared { left: &left, row, right: &right };
                let limit = distance(row, row % others);
                let mut distances = vec![[f32::NAN; AT_ONCE]; right.places() / AT_ONCE];
                let mut near = vec![0; right.places() / AT_ONCE];
                let mut marked = near.clone();
                compared.compare(limit, &limits, &mut distances, &mut near);
                mark_near(&distances, limit, &mut marked);

                let (mut of_portable, mut near_portable) = (distances.clone(), near.clone());
                let by_parts = match parts(width) {
                    SHORT => portable::<SHORT>,
                    _ => portable::<LONG>,
                };
                of_portable.fill([f32::NAN; AT_ONCE]);
                by_parts(compared, limit, &limits, &mut of_portable, &mut near_portable);
                assert_eq!((&of_portable, &near_portable), (&distances, &near));

                let bit = |near: &[u8], j: usize| near[j / AT_ONCE] >> (j % AT_ONCE) & 1 == 1;
                for (j, &limit_of_other) in limits.iter().enumerate() {
                    let expected = distance(row, j);
                    let distance = distances.as_flattened()[j];
                    assert_eq!(distance, expected, "{row}, {j} of {rows} x {others} x {width}");
                    assert_eq!(bit(&near, j), expected <= limit || expected <= limit_of_other);
                    assert_eq!(bit(&marked, j), expected <= limit);
                }
            }
        }
    }

    /// The longest rows that there may be, and opposite ones.
    #[test]
    fn distances_fit() {
        let [mut left, mut right] = [Steps::default(), Steps::default()];
        left.resize(1, 64);
        right.resize(1, 64);
        left.set(0, iter::repeat_n(STEPS / 8.0, 64));
        right.set(0, iter::repeat_n(-STEPS / 8.0, 64));
        let (mut distances, mut near) = ([[0.0; AT_ONCE]], [0]);
        let compared = Compared { left: &left, row: 0, right: &right };
        compared.compare(0.0, &[], &mut distances, &mut near);
        assert_eq!((distances[0][0], near[0] & 1), (4.0 * STEPS * STEPS, 0));
    }
}
