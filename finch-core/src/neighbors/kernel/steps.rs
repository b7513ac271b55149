//! Rows in whole steps of 16 bits, and the squared distances of pairs of them.
//!
//! With AVX2 an instruction multiplies 16 such numbers, with AVX-512 32, and adds the products by
//! pairs: twice as many as in f32, from half the bytes, and sums are exact, and so the same in any
//! order. Rows of the right lie abreast, so that each lane of a vector adds up the product of one of
//! them, and a few rows of the left share what is loaded: a pair of 64 numbers takes 1.0 ns on a core
//! of Zen 4, three quarters of which its multipliers need, with AVX2 or AVX-512. Rows as they lie,
//! which have sums across lanes in the end, took half as long again. Elsewhere the compiler does
//! what it can.

use std::array;

use pulp::NullaryFnOnce;

/// Rows of the right that lie abreast, and of the left that are compared with these at a time.
pub(crate) const ABREAST: usize = 16;
pub(crate) const AT_ONCE: usize = 4;
const _: () = assert!(ABREAST.is_multiple_of(AT_ONCE), "beyond the last row there are places");

/// The largest length of a row, but for half a step in each number: i32 holds the squared distance
/// of two.
pub(crate) const STEPS: f32 = 23_000.0;
const _: () = assert!(4.0 * (STEPS + 4.0) * (STEPS + 4.0) < i32::MAX as f32);

/// The squared distances of a row to rows abreast. (A vector in two cache lines takes longer.)
#[derive(Clone, Copy, Default, Debug, PartialEq)]
#[repr(align(64))]
pub(crate) struct Distances(pub(crate) [f32; ABREAST]);

/// Two numbers of a row, whose products with two others are added at once.
type Pair = [i16; 2];

/// Numbers of a row, by pairs: a cache line of them, or each row would have a part of one more, and
/// every other vector lie in two.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(crate) struct Part([Pair; PART / 2]);
pub(crate) const PART: usize = 32;

/// A part of rows that lie abreast: the first pair of each, the second of each, ...
type Parts = [Abreast; PART / 2];

/// A pair of each of some rows.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
struct Abreast([Pair; ABREAST]);

/// The numbers of a row at most.
const WIDTH: usize = 64;

/// The parts of a row of so many numbers.
pub(crate) fn parts(width: usize) -> usize {
    assert!((1..=WIDTH).contains(&width), "rows are short, and not empty");
    width.div_ceil(PART)
}

/// Writes a row: numbers in whole steps, rounded, and zeros beyond the last.
#[inline(always)]
pub(crate) fn set(row: &mut [Part], steps: impl Iterator<Item = f32>) {
    let mut steps = steps.fuse();
    for part in row {
        let part = part.0.as_flattened_mut();
        part.fill(0);
        part.iter_mut().zip(&mut steps).for_each(|(step, number)| *step = nearest(number));
    }
}

/// Some rows, none of which is longer than [`STEPS`].
#[derive(Default)]
pub(crate) struct Steps {
    rows: usize,
    /// The parts of each row.
    parts: usize,
    /// Up to a multiple of the rows that lie abreast; those beyond are 0.
    values: Vec<Part>,
    /// The squared length of each.
    squares: Vec<i32>,
    /// The same rows abreast: all parts of the first, of the next, ...
    abreast: Vec<Parts>,
}

impl Steps {
    /// Makes place for so many rows, which have to be set.
    pub(crate) fn resize(&mut self, rows: usize, width: usize) {
        (self.rows, self.parts) = (rows, parts(width));
        let places = rows.next_multiple_of(ABREAST);
        self.values.resize(places * self.parts, Part::default());
        self.values[rows * self.parts..].fill(Part::default());
        self.squares.resize(places, 0);
        self.squares[rows..].fill(0);
    }

    /// Sets a row, as `set` does.
    #[inline(always)]
    pub(crate) fn set(&mut self, row: usize, steps: impl Iterator<Item = f32>) {
        set(&mut self.values[row * self.parts..][..self.parts], steps);
        self.square(row);
    }

    /// Copies a row that has at least as many parts.
    #[inline(always)]
    pub(crate) fn copy(&mut self, row: usize, values: &[Part]) {
        self.values[row * self.parts..][..self.parts].copy_from_slice(&values[..self.parts]);
        self.square(row);
    }

    #[inline(always)]
    fn square(&mut self, row: usize) {
        let square = |step: &i16| i32::from(*step).pow(2);
        let square = |part: &Part| part.0.as_flattened().iter().map(square).sum::<i32>();
        self.squares[row] = self.row(row).iter().map(square).sum();
    }

    /// Lays rows abreast, when all are set: others can be compared with them then.
    pub(crate) fn lay_abreast(&mut self) {
        let Self { parts, values, abreast, .. } = self;
        abreast.resize(values.len() / ABREAST, [Abreast::default(); PART / 2]);
        let groups = abreast.chunks_exact_mut(*parts).zip(values.chunks_exact(ABREAST * *parts));
        for (abreast, rows) in groups {
            for (row, of_row) in rows.chunks_exact(*parts).enumerate() {
                for (abreast, part) in abreast.iter_mut().zip(of_row) {
                    abreast.iter_mut().zip(part.0).for_each(|(pairs, pair)| pairs.0[row] = pair);
                }
            }
        }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// How many groups of rows abreast there are.
    pub(crate) fn groups(&self) -> usize {
        self.squares.len() / ABREAST
    }

    #[inline(always)]
    fn row(&self, row: usize) -> &[Part] {
        &self.values[row * self.parts..][..self.parts]
    }
}

/// Rounds a number below 2¹⁵: a sum of this size has the number in its last bits.
#[inline(always)]
fn nearest(number: f32) -> i16 {
    const SHIFT: f32 = 1.5 * (1u32 << 23) as f32;
    (number + SHIFT).to_bits() as i16
}

/// Writes the squared distances of some rows of the left, from the first on, to each group of the
/// right. Of rows beyond the last, what is written means nothing.
pub(crate) fn compare(
    left: &Steps,
    first: usize,
    right: &Steps,
    distances: [&mut [Distances]; AT_ONCE],
) {
    assert_eq!(left.parts, right.parts, "rows of both sides have one length");
    assert_eq!(right.abreast.len(), right.groups() * right.parts, "rows of the right lie abreast");
    run(Compare { left, first, right, distances });
}

/// Sets a bit for each distance, the first the lowest, which tells whether it is within a limit, or
/// one of its own as far as there are such.
pub(crate) fn mark_near(distances: &[Distances], limit: f32, limits: &[f32], near: &mut [u16]) {
    run(Mark { distances, limit, limits, near });
}

/// What can be done in more than one way.
trait Task {
    /// Has to be `#[inline(always)]`.
    fn run(self, vectors: impl Vectors);
}

/// A task and the way to do it.
struct With<T, V>(T, V);

impl<T: Task, V: Vectors> NullaryFnOnce for With<T, V> {
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
        pulp::Arch::V4(simd) => simd.vectorize(With(task, simd)),
        _ => task.run(Portable),
    }
}

/// What the widest vectors do. All has to be `#[inline(always)]`.
trait Vectors: Copy {
    /// The products of some rows and a group.
    fn products(self, rows: [&[Part]; AT_ONCE], group: &[Parts]) -> [[i32; ABREAST]; AT_ONCE];

    /// A bit for each distance, the first the lowest: whether it is within its limit. NaN is not.
    fn within(self, distances: &[f32; ABREAST], limits: &[f32; ABREAST]) -> u16;
}

/// Some rows, from the first on, and all those with which they are compared.
struct Compare<'a> {
    left: &'a Steps,
    first: usize,
    right: &'a Steps,
    distances: [&'a mut [Distances]; AT_ONCE],
}

impl Task for Compare<'_> {
    #[inline(always)]
    fn run(self, vectors: impl Vectors) {
        let Self { left, first, right, distances } = self;
        let rows = array::from_fn(|row| left.row(first + row));
        let squares: [i32; AT_ONCE] = array::from_fn(|row| left.squares[first + row]);
        let others = right.abreast.chunks_exact(right.parts);
        let others = others.zip(right.squares.as_chunks::<ABREAST>().0);
        for (group, (others, of_others)) in others.enumerate() {
            let products = vectors.products(rows, others);
            for row in 0..AT_ONCE {
                // Beside, so that the compiler sees that nothing else is written there.
                let mut of_row = [0.0; ABREAST];
                for lane in 0..ABREAST {
                    of_row[lane] =
                        (squares[row] + of_others[lane] - 2 * products[row][lane]) as f32;
                }
                distances[row][group] = Distances(of_row);
            }
        }
    }
}

/// How near others have to be, and where it is written which are.
struct Mark<'a> {
    distances: &'a [Distances],
    limit: f32,
    limits: &'a [f32],
    near: &'a mut [u16],
}

impl Task for Mark<'_> {
    #[inline(always)]
    fn run(self, vectors: impl Vectors) {
        let Self { distances, limit, limits, near } = self;
        let (limits, rest) = limits.as_chunks();
        let mut groups = distances.iter().zip(near);
        for (limits, (distances, near)) in limits.iter().zip(groups.by_ref()) {
            *near = vectors.within(&distances.0, &limits.map(|of_other| larger(limit, of_other)));
        }
        if !rest.is_empty()
            && let Some((distances, near)) = groups.next()
        {
            let mut limits = [limit; ABREAST];
            limits.iter_mut().zip(rest).for_each(|(limit, rest)| *limit = larger(*limit, *rest));
            *near = vectors.within(&distances.0, &limits);
        }
        for (distances, near) in groups {
            *near = vectors.within(&distances.0, &[limit; ABREAST]);
        }
    }
}

/// The larger of two, or the first if one is NaN.
#[inline(always)]
pub(crate) fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

#[derive(Clone, Copy)]
struct Portable;

impl Vectors for Portable {
    #[inline(always)]
    fn products(self, rows: [&[Part]; AT_ONCE], group: &[Parts]) -> [[i32; ABREAST]; AT_ONCE] {
        let mut products = [[0; ABREAST]; AT_ONCE];
        for (products, row) in products.iter_mut().zip(rows) {
            let pairs = row.iter().zip(group).flat_map(|(part, others)| part.0.iter().zip(others));
            for ([x, y], others) in pairs {
                for (product, [of_x, of_y]) in products.iter_mut().zip(&others.0) {
                    *product += i32::from(*x) * i32::from(*of_x);
                    *product += i32::from(*y) * i32::from(*of_y);
                }
            }
        }
        products
    }

    #[inline(always)]
    fn within(self, distances: &[f32; ABREAST], limits: &[f32; ABREAST]) -> u16 {
        let bit = |lane: usize| u16::from(distances[lane] <= limits[lane]) << lane;
        (0..ABREAST).fold(0, |bits, lane| bits | bit(lane))
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86 {
    use pulp::x86::{V3, V4};
    use pulp::{cast, f32x8, i16x16};

    use super::{ABREAST, AT_ONCE, PART, Part, Parts, Vectors};

    impl Vectors for V3 {
        #[inline(always)]
        fn products(self, rows: [&[Part]; AT_ONCE], group: &[Parts]) -> [[i32; ABREAST]; AT_ONCE] {
            let mut sums = [[self.splat_i32x8(0); 2]; AT_ONCE];
            for (part, others) in group.iter().enumerate() {
                let of_rows = rows.map(|row| &row[part]);
                for pair in 0..PART / 2 {
                    let others: [i16x16; 2] = cast(others[pair].0);
                    for row in 0..AT_ONCE {
                        let of_row = cast(self.splat_i32x8(cast(of_rows[row].0[pair])));
                        for half in 0..2 {
                            let products =
                                self.multiply_wrapping_add_adjacent_i16x16(of_row, others[half]);
                            sums[row][half] = self.wrapping_add_i32x8(sums[row][half], products);
                        }
                    }
                }
            }
            cast(sums)
        }

        #[inline(always)]
        fn within(self, distances: &[f32; ABREAST], limits: &[f32; ABREAST]) -> u16 {
            let [distances, limits]: [[f32x8; 2]; 2] = [cast(*distances), cast(*limits)];
            let near = |half: usize| {
                let near = self.cmp_le_f32x8(distances[half], limits[half]);
                self.avx._mm256_movemask_ps(cast(near)) as u16
            };
            near(0) | near(1) << 8
        }
    }

    impl Vectors for V4 {
        #[inline(always)]
        fn products(self, rows: [&[Part]; AT_ONCE], group: &[Parts]) -> [[i32; ABREAST]; AT_ONCE] {
            let mut sums = [self.splat_i32x16(0); AT_ONCE];
            for (part, others) in group.iter().enumerate() {
                let of_rows = rows.map(|row| &row[part]);
                for pair in 0..PART / 2 {
                    let others = cast(others[pair].0);
                    for row in 0..AT_ONCE {
                        let of_row = cast(self.splat_i32x16(cast(of_rows[row].0[pair])));
                        let products = self.multiply_wrapping_add_adjacent_i16x32(of_row, others);
                        sums[row] = self.wrapping_add_i32x16(sums[row], products);
                    }
                }
            }
            cast(sums)
        }

        #[inline(always)]
        fn within(self, distances: &[f32; ABREAST], limits: &[f32; ABREAST]) -> u16 {
            self.cmp_le_f32x16(cast(*distances), cast(*limits)).0
        }
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
        steps.lay_abreast();
        steps.resize(rows, width);
        for row in 0..rows {
            steps.set(row, (0..width).map(|column| value(row + first, column) + 0.4));
        }
        steps.lay_abreast();
        steps
    }

    /// By each kind of vectors that this processor has.
    #[test]
    fn all_pairs_have_their_distance_and_the_near_their_bit() {
        have_their_distance_and_their_bit(Portable);
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        {
            if let Some(simd) = pulp::x86::V3::try_new() {
                have_their_distance_and_their_bit(simd);
            }
            if let Some(simd) = pulp::x86::V4::try_new() {
                have_their_distance_and_their_bit(simd);
            }
        }
    }

    fn have_their_distance_and_their_bit(vectors: impl Vectors) {
        for (rows, others, width) in
            [(1, 1, 1), (7, 8, 21), (40, 9, 32), (5, 33, 41), (9, 16, 64), (6, 32, 33), (3, 0, 2)]
        {
            let (left, right) = (steps(rows, 0, width), steps(others, 100, width));
            let distance = |i: usize, j: usize| {
                let squared = |c| (value(i, c) as i32 - value(j + 100, c) as i32).pow(2);
                (0..width).map(squared).sum::<i32>() as f32
            };
            for first in (0..rows).step_by(AT_ONCE) {
                let mut lines: [Vec<Distances>; AT_ONCE] =
                    array::from_fn(|_| vec![Distances::default(); right.groups()]);
                let distances = lines.each_mut().map(|line| &mut line[..]);
                Compare { left: &left, first, right: &right, distances }.run(vectors);
                for (row, line) in (first..rows).zip(&mut lines) {
                    let found = line.iter().flat_map(|group| group.0).take(others);
                    let expected: Vec<f32> =
                        (0..others).map(|other| distance(row, other)).collect();
                    assert_eq!(found.collect::<Vec<f32>>(), expected);

                    let beyond = line.iter_mut().flat_map(|group| &mut group.0).skip(others);
                    beyond.for_each(|distance| *distance = f32::NAN);
                    let near_all = f32::INFINITY;
                    for (limit, own) in
                        [(distance(row, 7), others), (0.0, others / 2), (near_all, 0)]
                    {
                        let limits: Vec<f32> = (0..own).map(|j| distance(j % rows, j)).collect();
                        let mut near = vec![u16::MAX; right.groups()];
                        Mark { distances: line, limit, limits: &limits, near: &mut near }
                            .run(vectors);
                        for place in 0..line.len() * ABREAST {
                            let is_near = near[place / ABREAST] >> (place % ABREAST) & 1 == 1;
                            let limit = limits.get(place).map_or(limit, |own| own.max(limit));
                            let within = expected.get(place).is_some_and(|found| *found <= limit);
                            assert_eq!(
                                is_near, within,
                                "{row}, {place} of {rows} x {others} x {width}"
                            );
                        }
                    }
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
        right.lay_abreast();
        let mut lines = [[Distances::default()]; AT_ONCE];
        compare(&left, 0, &right, lines.each_mut().map(|line| &mut line[..]));
        assert_eq!(lines[0][0].0[0], 4.0 * STEPS * STEPS);
    }
}
