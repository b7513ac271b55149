//! The operations of a processor's widest vectors on rows in whole steps, and a version for any processor.

use pulp::NullaryFnOnce;

use super::steps::{ABREAST, AT_ONCE, Chunk, GroupChunk};

/// A task that is compiled once for each kind of [`Vectors`].
pub(super) trait Task {
    /// Does the task with one kind. Has to be `#[inline(always)]`.
    fn run(self, vectors: impl Vectors);
}

/// A task and the kind of vectors to do it with.
struct With<T, V>(T, V);

impl<T: Task, V: Vectors> NullaryFnOnce for With<T, V> {
    type Output = ();

    #[inline(always)]
    fn call(self) {
        self.0.run(self.1);
    }
}

/// Does a task with the widest vectors that the processor has.
pub(super) fn run(task: impl Task) {
    match pulp::Arch::new() {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        pulp::Arch::V3(simd) => simd.vectorize(With(task, simd)),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        pulp::Arch::V4(simd) => simd.vectorize(With(task, simd)),
        _ => task.run(Portable),
    }
}

/// The operations of vectors of one kind. Every method has to be `#[inline(always)]`.
pub(super) trait Vectors: Copy {
    /// The product of each of some rows with each row of a group.
    fn products(self, rows: [&[Chunk]; AT_ONCE], group: &[GroupChunk])
    -> [[i32; ABREAST]; AT_ONCE];

    /// A bit for each distance, the lowest for the first: whether the distance is within its limit.
    /// NaN is within none.
    fn within(self, distances: &[f32; ABREAST], limits: &[f32; ABREAST]) -> u16;
}

/// Arrays, of which the compiler makes what it can.
#[derive(Clone, Copy)]
pub(super) struct Portable;

impl Vectors for Portable {
    #[inline(always)]
    fn products(
        self,
        rows: [&[Chunk]; AT_ONCE],
        group: &[GroupChunk],
    ) -> [[i32; ABREAST]; AT_ONCE] {
        let mut products = [[0; ABREAST]; AT_ONCE];
        for (products, row) in products.iter_mut().zip(rows) {
            let pairs =
                row.iter().zip(group).flat_map(|(chunk, others)| chunk.0.iter().zip(others));
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

    use super::{ABREAST, AT_ONCE, Chunk, GroupChunk, Vectors};
    use crate::neighbors::kernel::steps::CHUNK;

    impl Vectors for V3 {
        #[inline(always)]
        fn products(
            self,
            rows: [&[Chunk]; AT_ONCE],
            group: &[GroupChunk],
        ) -> [[i32; ABREAST]; AT_ONCE] {
            let mut sums = [[self.splat_i32x8(0); 2]; AT_ONCE];
            for (chunk, others) in group.iter().enumerate() {
                let of_rows = rows.map(|row| &row[chunk]);
                for pair in 0..CHUNK / 2 {
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
        fn products(
            self,
            rows: [&[Chunk]; AT_ONCE],
            group: &[GroupChunk],
        ) -> [[i32; ABREAST]; AT_ONCE] {
            let mut sums = [self.splat_i32x16(0); AT_ONCE];
            for (chunk, others) in group.iter().enumerate() {
                let of_rows = rows.map(|row| &row[chunk]);
                for pair in 0..CHUNK / 2 {
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
