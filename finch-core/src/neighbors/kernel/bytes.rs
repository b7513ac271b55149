//! All pairs of two sets of rows of bytes, by the sum of their absolute differences.
//!
//! One instruction of x86 adds up the differences of eight bytes, for each eight bytes of a vector, so that a
//! pair and a byte take a third of the time of a pair and an f32 (`product.rs`; Zen 1). Differences of bytes
//! are whole numbers, which no sum rounds.

use pulp::{Simd, WithSimd};

use super::panels::{BYTES, LONGEST_LINE, Line, Pairs, Panels, Terms, VECTORS, lines};
use crate::run::progress::Meter;
use crate::support::simd::widest;

/// Rows of the left that are compared with a line at a time.
const ROWS: usize = 2;
/// Words of the right that are compared at a time: 256 KiB, which stay in a core's second cache.
const CACHED: usize = 1 << 15;

/// Shows `pairs` the sum of each row of the left with each row of the right; not of all, if the run is
/// stopped.
pub(super) fn all_pairs(sides: [&Panels; 2], pairs: &mut impl Pairs, meter: &Meter) {
    let tiles = Tiles { sides, pairs, meter };
    match pulp::Arch::new() {
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        pulp::Arch::V3(simd) => simd.vectorize(x86::With(tiles, simd)),
        #[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
        pulp::Arch::V4(simd) => simd.vectorize(x86::With(tiles, simd)),
        _ => widest(tiles),
    }
}

/// The addition of differences by vectors of one kind.
trait Differences<S: Simd>: Copy {
    /// Σ|xᵢ−yᵢ| of each of `ROWS` rows of the left with the rows of a panel of the right. `left` begins where
    /// these rows have their first word. Has to be `#[inline(always)]`.
    fn of(self, simd: S, left: &[[u64; ROWS]], right: &[u64]) -> [Line<S>; ROWS];
}

struct Tiles<'a, P> {
    sides: [&'a Panels; 2],
    pairs: &'a mut P,
    meter: &'a Meter<'a>,
}

impl<P: Pairs> Tiles<'_, P> {
    #[inline(always)]
    fn run<S: Simd>(self, simd: S, differences: impl Differences<S>) {
        let Self { sides: [left, right], pairs, meter } = self;
        let width = VECTORS * S::F32_LANES;
        for side in [left, right] {
            assert_eq!(side.columns(), left.columns(), "rows of both sides have one length");
            assert_eq!(side.width(), width, "panels are those of this processor");
            assert_eq!(side.terms(), Terms::Bytes, "ends of both sides fit the terms");
        }
        let panel_words = left.columns().div_ceil(BYTES) * width;
        let (of_left, of_right) = (left.words().as_chunks::<ROWS>().0, right.words());
        let ends = lines::<S>(right.all_ends());
        let panels = (CACHED / panel_words).max(1);
        let half = simd.splat_f32s(-0.5);
        for first in (0..ends.len()).step_by(panels) {
            if meter.stopped() {
                return;
            }
            let last = ends.len().min(first + panels);
            for row in (0..left.rows()).step_by(ROWS) {
                let start = row / width * panel_words + row % width;
                for panel in first..last {
                    let of_right = &of_right[panel * panel_words..][..panel_words];
                    let tile = differences.of(simd, &of_left[start / ROWS..], of_right);
                    let few = ROWS.min(left.rows() - row);
                    for (i, of_row) in tile.iter().enumerate().take(few) {
                        let end = simd.splat_f32s(left.all_ends()[row + i]);
                        let mut sums = *of_row;
                        for (sum, of_other) in sums.iter_mut().zip(ends[panel]) {
                            let ends = simd.add_f32s(end, of_other);
                            *sum = simd.add_f32s(ends, simd.mul_f32s(half, *sum));
                        }
                        pairs.look(simd, row + i, panel * width, &sums);
                    }
                }
            }
        }
    }
}

/// Arrays, of which the compiler makes what it can.
#[derive(Clone, Copy)]
struct Portable;

impl<S: Simd> Differences<S> for Portable {
    #[inline(always)]
    fn of(self, _: S, left: &[[u64; ROWS]], right: &[u64]) -> [Line<S>; ROWS] {
        let width = VECTORS * S::F32_LANES;
        let mut sums = [[0_u32; LONGEST_LINE]; ROWS];
        for (left, right) in left.chunks(width / ROWS).zip(right.chunks_exact(width)) {
            for (sums, x) in sums.iter_mut().zip(left[0]) {
                for (sum, y) in sums.iter_mut().zip(right) {
                    for (x, y) in x.to_le_bytes().into_iter().zip(y.to_le_bytes()) {
                        *sum += u32::from(x.abs_diff(y));
                    }
                }
            }
        }
        sums.map(|sums| lines::<S>(&sums.map(|sum| sum as f32))[0])
    }
}

impl<P: Pairs> WithSimd for Tiles<'_, P> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, simd: S) {
        self.run(simd, Portable);
    }
}

#[cfg(any(target_arch = "x86", target_arch = "x86_64"))]
mod x86 {
    use pulp::x86::{V3, V4};
    use pulp::{NullaryFnOnce, cast, f32x8, i32x8, i32x16, u8x32, u8x64};

    use super::*;

    /// A task and the vectors to do it with.
    pub(super) struct With<T, S>(pub(super) T, pub(super) S);

    /// The instruction that adds up differences of eight bytes.
    #[derive(Clone, Copy)]
    struct EightAtOnce;

    impl Differences<V3> for EightAtOnce {
        #[inline(always)]
        fn of(self, simd: V3, left: &[[u64; ROWS]], right: &[u64]) -> [Line<V3>; ROWS] {
            const WIDTH: usize = VECTORS * 8;
            // Sums of words of eight bytes are below 2^32: the upper halves of their lanes are zeros.
            let mut sums = [[simd.splat_i32x8(0); 2 * VECTORS]; ROWS];
            for (left, right) in left.chunks(WIDTH / ROWS).zip(right.as_chunks::<WIDTH>().0) {
                let right: [u8x32; 2 * VECTORS] = cast(*right);
                let left = left[0].map(|x| cast(simd.splat_u64x4(x)));
                for (v, y) in right.into_iter().enumerate() {
                    for (sums, x) in sums.iter_mut().zip(left) {
                        let of_words = cast(simd.sum_of_absolute_differences_u8x32(x, y));
                        sums[v] = simd.wrapping_add_i32x8(sums[v], of_words);
                    }
                }
            }
            let of_line = |sums: [i32x8; 2 * VECTORS]| {
                let lower = |pair: &[i32x8; 2]| {
                    let [one, other]: [f32x8; 2] = cast(*pair);
                    // The lower halves of the lanes, for each half of both vectors.
                    let halves =
                        simd.avx._mm256_shuffle_ps::<0b10_00_10_00>(cast(one), cast(other));
                    let ordered = simd.avx2._mm256_permute4x64_epi64::<0b11_01_10_00>(cast(halves));
                    simd.convert_i32x8_to_f32x8(cast(ordered))
                };
                let pairs = sums.as_chunks().0;
                std::array::from_fn(|v| lower(&pairs[v]))
            };
            sums.map(of_line)
        }
    }

    impl Differences<V4> for EightAtOnce {
        #[inline(always)]
        fn of(self, simd: V4, left: &[[u64; ROWS]], right: &[u64]) -> [Line<V4>; ROWS] {
            const WIDTH: usize = VECTORS * 16;
            let mut sums = [[simd.splat_i32x16(0); 2 * VECTORS]; ROWS];
            for (left, right) in left.chunks(WIDTH / ROWS).zip(right.as_chunks::<WIDTH>().0) {
                let right: [u8x64; 2 * VECTORS] = cast(*right);
                let left = left[0].map(|x| cast(simd.splat_u64x8(x)));
                for (v, y) in right.into_iter().enumerate() {
                    for (sums, x) in sums.iter_mut().zip(left) {
                        let of_words = cast(simd.sum_of_absolute_differences_u8x64(x, y));
                        sums[v] = simd.wrapping_add_i32x16(sums[v], of_words);
                    }
                }
            }
            let of_line = |sums: [i32x16; 2 * VECTORS]| {
                let lower = |pair: &[i32x16; 2]| {
                    let halves = pair.map(|sums| simd.convert_i64x8_to_i32x8(cast(sums)));
                    simd.convert_i32x16_to_f32x16(cast(halves))
                };
                let pairs = sums.as_chunks().0;
                std::array::from_fn(|v| lower(&pairs[v]))
            };
            sums.map(of_line)
        }
    }

    impl<P: Pairs> NullaryFnOnce for With<Tiles<'_, P>, V3> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            self.0.run(self.1, EightAtOnce);
        }
    }

    impl<P: Pairs> NullaryFnOnce for With<Tiles<'_, P>, V4> {
        type Output = ();

        #[inline(always)]
        fn call(self) {
            self.0.run(self.1, EightAtOnce);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::kernel::pairs::{Shown, all_pairs};

    fn value(row: usize, column: usize) -> u8 {
        (row * 131 + column * 17 + row * column % 23) as u8
    }

    fn panels(rows: usize, columns: usize, shift: usize, width: usize) -> Panels {
        let mut panels = Panels::of_width(rows, columns, Terms::Bytes, width);
        for row in 0..rows {
            let of_column = |column| f32::from(value(row + shift, column));
            let values: Vec<f32> = (0..columns).map(of_column).collect();
            panels.set(row, &values, (row + shift) as f32);
        }
        panels
    }

    /// The test of a kernel by rows of which each differs in all, few or no bytes from another.
    fn check(
        [rows, others, columns]: [usize; 3],
        width: usize,
        kernel: impl FnOnce([&Panels; 2], &mut Shown),
    ) {
        let sides = [panels(rows, columns, 0, width), panels(others, columns, 5, width)];
        let mut shown = Shown::of([rows, others]);
        kernel([&sides[0], &sides[1]], &mut shown);
        for (i, sums) in shown.sums.iter().enumerate() {
            for (j, sum) in sums.iter().enumerate() {
                let apart = |column| u32::from(value(i, column).abs_diff(value(j + 5, column)));
                let distance: u32 = (0..columns).map(apart).sum();
                let expected = (i + j + 5) as f32 - 0.5 * distance as f32;
                assert_eq!(*sum, Some(expected), "{i}, {j} of {rows} × {others} × {columns}");
            }
        }
    }

    #[test]
    fn all_differences_are_shown_with_vectors_of_any_width() {
        let meter = &Meter::stopped_at_once(false);
        for shape in [[1, 1, 1], [5, 3, 2], [50, 49, 7], [13, 100, 66], [61, 26, 2_500]] {
            let portable = |width: usize, run: &dyn Fn(Tiles<'_, Shown>)| {
                check(shape, width, |sides, pairs| run(Tiles { sides, pairs, meter }));
            };
            portable(VECTORS * 4, &|tiles| pulp::Scalar128b.vectorize(tiles));
            portable(VECTORS * 8, &|tiles| pulp::Scalar256b.vectorize(tiles));
            portable(VECTORS * 16, &|tiles| pulp::Scalar512b.vectorize(tiles));
            let width = Panels::new(1, 1, Terms::Bytes).width();
            check(shape, width, |[left, right], shown| all_pairs(left, right, shown, meter));
        }
    }
}
