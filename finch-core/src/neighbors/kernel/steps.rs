//! Rows in whole steps of 16 bits, in the two layouts that a product of such rows reads.
//!
//! With AVX2 an instruction multiplies 16 numbers of 16 bits, with AVX-512 32, and adds the
//! products by pairs: twice as many as in f32, from half the bytes. The sums are exact, and so the
//! same in any order and on every machine. Rows of the right lie abreast, 16 to a group, so that
//! each lane of a vector adds up the product of one of them, and a few rows of the left share what
//! is loaded: a pair of rows of 64 numbers takes 1.0 ns on a core of Zen 4, three quarters of which
//! its multipliers need, with AVX2 or AVX-512. Rejected: rows of the right one after the other,
//! whose sums have to be added across lanes in the end, which took half as long again.

use crate::support::memory::resize;
use crate::support::simd::vectorized;

/// Rows of the right that lie abreast: a group.
pub(crate) const ABREAST: usize = 16;
/// Rows of the left that are compared with a group at a time.
pub(crate) const AT_ONCE: usize = 4;
const _: () = assert!(ABREAST.is_multiple_of(AT_ONCE), "beyond the last row there are places");

/// The largest length of a row, in steps, before each of its numbers is rounded by half a step at
/// most: i32 then holds the squared distance of two rows.
pub(crate) const MAX_LENGTH: f32 = 23_000.0;
const _: () = assert!(4.0 * (MAX_LENGTH + 23.0) * (MAX_LENGTH + 23.0) < i32::MAX as f32);

/// Two neighbouring numbers of a row: one instruction multiplies them with a pair of another row,
/// and adds the two products.
pub(super) type Pair = [i16; 2];

/// Numbers in a [`Chunk`].
pub(crate) const CHUNK: usize = 32;
/// A chunk of a row: as many of its numbers, by pairs, as fill a cache line. (Where rows begin
/// within a cache line, each touches one line more, and every other vector lies in two.)
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(crate) struct Chunk(pub(super) [Pair; CHUNK / 2]);

/// The same chunk of each row of a group: the first pair of each row, the second pair of each, ...
pub(super) type GroupChunk = [GroupPair; CHUNK / 2];

/// The same pair of each row of a group.
#[derive(Clone, Copy, Default)]
#[repr(align(64))]
pub(super) struct GroupPair(pub(super) [Pair; ABREAST]);

/// The numbers of a row at most: rounded, they make it longer by less than 23 steps.
pub(crate) const MAX_WIDTH: usize = 2048;

/// The chunks of a row of `width` numbers.
pub(crate) fn chunks(width: usize) -> usize {
    assert!((1..=MAX_WIDTH).contains(&width), "rows are short, and not empty");
    width.div_ceil(CHUNK)
}

/// Writes the chunks of a row: its numbers, in steps, are rounded to whole steps; zeros follow the
/// last.
#[inline(always)]
pub(crate) fn write_chunks(row: &mut [Chunk], steps: impl Iterator<Item = f32>) {
    let mut steps = steps.fuse();
    for chunk in row {
        let chunk = chunk.0.as_flattened_mut();
        chunk.fill(0);
        chunk.iter_mut().zip(&mut steps).for_each(|(step, number)| *step = nearest_step(number));
    }
}

vectorized! {
    /// The squared distance of two rows, neither of which is longer than [`MAX_LENGTH`].
    pub(crate) fn squared_steps<'a>(one: &'a [Chunk], other: &'a [Chunk]) -> i32 {
        let mut sums = [0; CHUNK];
        for (one, other) in one.iter().zip(other) {
            let [one, other] = [one, other].map(|chunk| chunk.0.as_flattened());
            for place in 0..CHUNK {
                let difference = i32::from(one[place]) - i32::from(other[place]);
                sums[place] += difference * difference;
            }
        }
        let mut squared = 0;
        for sum in sums {
            squared += sum;
        }
        squared
    }
}

/// Rows in whole steps, none of which is longer than [`MAX_LENGTH`].
#[derive(Default)]
pub(crate) struct StepRows {
    rows: usize,
    /// The chunks of a row.
    chunks: usize,
    /// The chunks of all rows, row by row; rows of zeros fill the last group.
    values: Vec<Chunk>,
    /// The squared length of each row, and 0 for the rows of zeros.
    squares: Vec<i32>,
    /// The same rows abreast: all chunks of the first group, of the second group, ...
    abreast: Vec<GroupChunk>,
}

impl StepRows {
    /// Makes room for rows of `width` numbers, each of which has to be set or copied.
    pub(crate) fn resize(&mut self, rows: usize, width: usize) {
        (self.rows, self.chunks) = (rows, chunks(width));
        let places = rows.next_multiple_of(ABREAST);
        resize(&mut self.values, places * self.chunks, Chunk::default());
        self.values[rows * self.chunks..].fill(Chunk::default());
        resize(&mut self.squares, places, 0);
        self.squares[rows..].fill(0);
    }

    /// Sets a row, as [`write_chunks`] does.
    #[inline(always)]
    pub(crate) fn set(&mut self, row: usize, steps: impl Iterator<Item = f32>) {
        write_chunks(&mut self.values[row * self.chunks..][..self.chunks], steps);
        self.set_square(row);
    }

    /// Copies the first chunks of a row.
    #[inline(always)]
    pub(crate) fn copy(&mut self, row: usize, values: &[Chunk]) {
        self.values[row * self.chunks..][..self.chunks].copy_from_slice(&values[..self.chunks]);
        self.set_square(row);
    }

    #[inline(always)]
    fn set_square(&mut self, row: usize) {
        // Loops and no iterators, whose calls would be compiled for any processor.
        let mut squares = [0; CHUNK / 2];
        for chunk in self.row(row) {
            for (square, [x, y]) in squares.iter_mut().zip(chunk.0) {
                *square += i32::from(x) * i32::from(x) + i32::from(y) * i32::from(y);
            }
        }
        let mut sum = 0;
        for square in squares {
            sum += square;
        }
        self.squares[row] = sum;
    }

    /// Lays the rows abreast, once all are set: from then on they can be the right of a comparison.
    pub(crate) fn lay_abreast(&mut self) {
        let Self { chunks, values, abreast, .. } = self;
        resize(abreast, values.len() / ABREAST, [GroupPair::default(); CHUNK / 2]);
        let groups = abreast.chunks_exact_mut(*chunks).zip(values.chunks_exact(ABREAST * *chunks));
        for (abreast, rows) in groups {
            for (row, of_row) in rows.chunks_exact(*chunks).enumerate() {
                for (abreast, chunk) in abreast.iter_mut().zip(of_row) {
                    abreast.iter_mut().zip(chunk.0).for_each(|(pairs, pair)| pairs.0[row] = pair);
                }
            }
        }
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        self.rows
    }

    /// The number of groups that the rows fill, the last one perhaps in part.
    pub(crate) fn groups(&self) -> usize {
        self.squares.len() / ABREAST
    }

    /// Checks that these rows can be compared with rows of the right: both have as many chunks, and
    /// the right lies abreast.
    pub(super) fn expect_comparable(&self, right: &Self) {
        assert_eq!(self.chunks, right.chunks, "rows of both sides have one length");
        let chunks = right.groups() * right.chunks;
        assert_eq!(right.abreast.len(), chunks, "rows of the right lie abreast");
    }

    /// Of each group, the chunks abreast and the squared lengths of the rows.
    #[inline(always)]
    pub(super) fn each_group(&self) -> impl Iterator<Item = (&[GroupChunk], &[i32; ABREAST])> {
        self.abreast.chunks_exact(self.chunks).zip(self.squares.as_chunks::<ABREAST>().0)
    }

    #[inline(always)]
    pub(super) fn row(&self, row: usize) -> &[Chunk] {
        &self.values[row * self.chunks..][..self.chunks]
    }

    /// The squared length of a row.
    #[inline(always)]
    pub(super) fn square_of(&self, row: usize) -> i32 {
        self.squares[row]
    }
}

/// Rounds a number below 2¹⁵ to a whole step: the sum with `SHIFT` has the number in its last bits.
#[inline(always)]
fn nearest_step(number: f32) -> i16 {
    const SHIFT: f32 = 1.5 * (1u32 << 23) as f32;
    (number + SHIFT).to_bits() as i16
}
