//! Tight groups of rows, each rounded about its own centre.
//!
//! Rounding hides the distance of two rows if both are much farther from the origin than from each
//! other (see `blocked/`). No one origin serves data that lies in tight groups far from each other.
//! Where a sample tells that rounding hides many distances, rows are cut into groups, each of which has
//! a frame of its own; and each group is cut again, if rounding hides many distances within the group.
//! Two rows are compared in the frame of the smallest group that has both.
//!
//! A group is the rows that are nearer to its *pivot* than to other pivots (see `pivots.rs`).

use std::array;
use std::ops::Range;

use rayon::prelude::*;

use super::frame::Frame;
use super::pivots::{Blur, Pivots};
use crate::neighbors::exact::tuning::{CUTS, FEWEST_GROUPED, FEWEST_OF_BLOCK, LOADED};
use crate::neighbors::kernel::Terms;
use crate::run::progress::Meter;
use crate::samples::rows::{CENTRAL, Rows};
use crate::support::memory::{collected, copied, filled, push};
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::spread;

/// All rows of one side or several, in groups within groups.
pub(in crate::neighbors::exact) struct Groups<const SIDES: usize> {
    /// For each side the rows of each block, ascending. A block is within one of the smallest groups.
    blocks: [Vec<Vec<u32>>; SIDES],
    /// All groups, each after those within it.
    groups: Vec<Group<SIDES>>,
}

/// Some rows of each side, and their frame.
pub(in crate::neighbors::exact) struct Group<const SIDES: usize> {
    pub(in crate::neighbors::exact) frame: Frame,
    blocks: [Range<usize>; SIDES],
    /// For each side the first block of each part, a group that this one is cut into. There are no
    /// parts if one frame is enough.
    parts: [Vec<usize>; SIDES],
}

impl<const SIDES: usize> Group<SIDES> {
    /// The blocks of a side of the group, by their numbers.
    pub(in crate::neighbors::exact) fn blocks(&self, side: usize) -> Range<usize> {
        self.blocks[side].clone()
    }

    /// True if the group is cut into others, its parts.
    pub(in crate::neighbors::exact) fn has_parts(&self) -> bool {
        !self.parts[0].is_empty()
    }

    /// True if two blocks, each given by its side and its number, are compared in the frame of this
    /// group: not if they are in one part, which has a frame that serves them better.
    pub(in crate::neighbors::exact) fn compares(&self, blocks: [(usize, usize); 2]) -> bool {
        let [part, other] = blocks.map(|(side, block)| self.part(side, block));
        !self.has_parts() || part != other
    }

    /// The number, from 1, of the part that a block of a side is in; 0 without parts.
    fn part(&self, side: usize, block: usize) -> usize {
        self.parts[side].partition_point(|first| *first <= block)
    }
}

/// True if rounding about one centre hides so many distances of rows that groups pay.
pub(crate) fn need_groups(rows: &Rows<'_>, meter: &Meter) -> bool {
    rows.len() >= FEWEST_GROUPED && {
        let (_, blur) = look([rows], &[collected(0..rows.len() as u32)], meter);
        blur.is_much(meter)
    }
}

impl<const SIDES: usize> Groups<SIDES> {
    /// Cuts the rows of all sides into groups, where one frame is not enough for the rows of the first
    /// side, and into blocks of at most `block_rows` rows of each side. If the run is stopped, the rows
    /// may be in any group.
    pub(in crate::neighbors::exact) fn of(
        sides: [&Rows<'_>; SIDES],
        block_rows: [usize; SIDES],
        meter: &Meter,
    ) -> Self {
        Self::of_labelled(sides, block_rows, None, meter)
    }

    /// [`Groups::of`], where most blocks of the first side have rows of one label each.
    pub(in crate::neighbors::exact) fn of_labelled(
        sides: [&Rows<'_>; SIDES],
        block_rows: [usize; SIDES],
        labels: Option<&[u32]>,
        meter: &Meter,
    ) -> Self {
        let mut groups = Self { blocks: [const { Vec::new() }; SIDES], groups: Vec::new() };
        let members = sides.map(|rows| collected(0..rows.len() as u32));
        groups.add(sides, (block_rows, labels), members, CUTS, meter);
        groups
    }

    /// The rows of each block of a side.
    pub(in crate::neighbors::exact) fn blocks(&self, side: usize) -> &[Vec<u32>] {
        &self.blocks[side]
    }

    /// All groups, each after those within it.
    pub(in crate::neighbors::exact) fn inner_first(&self) -> &[Group<SIDES>] {
        &self.groups
    }

    /// Adds a group of some rows of each side, ascending, after the parts that it is cut into. Parts
    /// are cut at most `cuts` times, counted with this one.
    fn add(
        &mut self,
        sides: [&Rows<'_>; SIDES],
        (block_rows, labels): ([usize; SIDES], Option<&[u32]>),
        members: [Vec<u32>; SIDES],
        cuts: usize,
        meter: &Meter,
    ) {
        let (frame, blur) = look(sides, &members, meter);
        let is_cut = cuts > 0 && members[0].len() >= FEWEST_GROUPED && blur.is_much(meter);
        let parts = match is_cut {
            true => cut(sides, members, &frame, &blur.pivots(meter), meter),
            false => vec![members],
        };
        drop(blur);
        let first: [usize; SIDES] = array::from_fn(|side| self.blocks[side].len());
        let mut first_of_parts = [const { Vec::new() }; SIDES];
        if parts.len() > 1 {
            for part in parts {
                for (first, blocks) in first_of_parts.iter_mut().zip(&self.blocks) {
                    push(first, blocks.len());
                }
                self.add(sides, (block_rows, labels), part, cuts - 1, meter);
            }
        } else {
            for (side, members) in parts.into_iter().flatten().enumerate() {
                let labels = labels.filter(|_| side == 0);
                cut_into_blocks(members, block_rows[side], labels, &mut self.blocks[side]);
            }
        }
        let blocks = array::from_fn(|side| first[side]..self.blocks[side].len());
        push(&mut self.groups, Group { frame, blocks, parts: first_of_parts });
    }
}

/// Cuts rows, ascending, into blocks of ascending rows: with labels, the rows of a label that has many
/// into blocks of their own, and then all other rows.
fn cut_into_blocks(
    mut members: Vec<u32>,
    block_rows: usize,
    labels: Option<&[u32]>,
    blocks: &mut Vec<Vec<u32>>,
) {
    if let Some(labels) = labels {
        let label = |row: &u32| labels[*row as usize];
        let mut others = Vec::new();
        members.par_sort_unstable_by_key(|row| (label(row), *row));
        for of_label in members.chunk_by(|a, b| label(a) == label(b)) {
            match of_label.len() < block_rows.div_ceil(FEWEST_OF_BLOCK) {
                true => of_label.iter().for_each(|&row| push(&mut others, row)),
                false => of_label.chunks(block_rows).for_each(|rows| push(blocks, copied(rows))),
            }
        }
        others.par_sort_unstable();
        members = others;
    }
    members.chunks(block_rows).for_each(|rows| push(blocks, copied(rows)));
}

/// A frame for some rows of each side, around the rows of the first, and how much rounding blurs the
/// distances of the rows of the first.
fn look<const SIDES: usize>(
    sides: [&Rows<'_>; SIDES],
    members: &[Vec<u32>; SIDES],
    meter: &Meter,
) -> (Frame, Blur) {
    let samples: [_; SIDES] = array::from_fn(|side| {
        let members = &members[side];
        let sampled = spread(members.len(), members.len().div_ceil(CENTRAL).max(1));
        let sampled = sampled.map(|place| members[place] as usize);
        sides[side].with_direction(sampled, || meter.stopped())
    });
    let frame = Frame::of_samples(sides[0].metric, &samples, meter);
    let sample = samples.into_iter().next().expect("there is a side");
    // Distances that rounding to bytes hides have been counted.
    let blur = if frame.terms() == Terms::Bytes { Blur::none() } else { Blur::of(sample, &frame) };
    (frame, blur)
}

/// Cuts rows into groups around pivots. Leaves out empty groups.
fn cut<const SIDES: usize>(
    sides: [&Rows<'_>; SIDES],
    members: [Vec<u32>; SIDES],
    frame: &Frame,
    pivots: &Pivots,
    meter: &Meter,
) -> Vec<[Vec<u32>; SIDES]> {
    let mut groups = filled([const { Vec::new() }; SIDES], pivots.len());
    for (side, members) in members.into_iter().enumerate() {
        let nearest = nearest_pivots(sides[side], &members, frame, pivots, meter);
        for (row, pivot) in members.into_iter().zip(nearest) {
            push(&mut groups[pivot][side], row);
        }
    }
    groups.retain(|group| group.iter().any(|members| !members.is_empty()));
    groups
}

/// The number of the pivot nearest to each of some rows.
fn nearest_pivots(
    rows: &Rows<'_>,
    members: &[u32],
    frame: &Frame,
    pivots: &Pivots,
    meter: &Meter,
) -> Vec<usize> {
    let mut nearest = filled(0, members.len());
    let parts = nearest.par_chunks_mut(LOADED).zip(members.par_chunks(LOADED));
    parts.shared().for_each_init(Vec::new, |values, (nearest, members)| {
        if meter.stopped() {
            return;
        }
        rows.load_points(members.iter().map(|&row| row as usize), values);
        for (nearest, row) in nearest.iter_mut().zip(values.chunks_exact_mut(rows.features())) {
            frame.move_and_scale(row);
            *nearest = pivots.nearest(row);
        }
    });
    nearest
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::samples::Samples;
    use crate::samples::metric::Metric;
    use crate::support::random::scrambled;

    const COLUMNS: usize = 20;

    fn noise(number: usize) -> f64 {
        (scrambled(number as u64) >> 40) as f64 / (1 << 24) as f64 - 0.5
    }

    /// Noise of this width about centres that rows take in turns.
    fn about(rows: usize, centers: usize, width: f64) -> Array2<f64> {
        Array2::from_shape_fn((rows, COLUMNS), |(row, column)| {
            let center = noise(1_000_000 + row % centers * COLUMNS + column);
            center + width * noise(row * COLUMNS + column)
        })
    }

    fn with_groups<const SIDES: usize>(
        sides: [&Array2<f64>; SIDES],
        look: impl FnOnce(Groups<SIDES>),
    ) {
        let rows = sides.map(|side| Samples::new(side.view()).unwrap());
        let rows = rows.map(|samples| Rows::new(samples, Metric::Euclidean));
        let rows: [_; SIDES] = array::from_fn(|side| &rows[side]);
        let meter = &Meter::stopped_at_once(false);
        let groups = Groups::of(rows, [100; SIDES], meter);
        for (side, matrix) in sides.iter().enumerate() {
            let blocks = groups.blocks(side);
            let mut all: Vec<u32> = blocks.iter().flatten().copied().collect();
            all.sort_unstable();
            assert!(all.into_iter().eq(0..matrix.nrows() as u32), "each row is in one block");
            assert!(blocks.iter().all(|block| block.len() <= 100 && block.is_sorted()));
        }
        look(groups);
    }

    /// The smallest groups are those that the rows are in, and all are in one.
    fn check(matrix: &Array2<f64>, count: usize) {
        with_groups([matrix], |groups| {
            let smallest = groups.inner_first().iter().filter(|group| !group.has_parts());
            assert_eq!(smallest.count(), count);
            for block in groups.blocks(0) {
                assert!(block.iter().all(|row| row % count as u32 == block[0] % count as u32));
            }
            let all = groups.inner_first().last().unwrap();
            assert_eq!(all.blocks(0), 0..groups.blocks(0).len());
        });
    }

    #[test]
    fn rows_are_cut_into_tight_groups() {
        for count in [2, 5, 16] {
            check(&about(1_500, count, 1e-4), count);
        }
    }

    #[test]
    fn other_rows_are_one_group() {
        let noise = about(1_500, 1, 1.0);
        let mut far = noise.clone();
        far[[700, 3]] = 1e20;
        (0..15).for_each(|row| far[[91 * row, row]] = -9_999.0);
        for matrix in [&noise, &far, &about(400, 2, 1e-4)] {
            with_groups([matrix], |groups| {
                assert_eq!(groups.inner_first().len(), 1);
                assert!(!groups.inner_first()[0].has_parts());
            });
        }
    }

    #[test]
    fn two_sides_are_cut_as_the_first() {
        let [base, queries] = [about(900, 3, 1e-4), about(4, 1, 1e-4)];
        with_groups([&base, &queries], |groups| {
            let [.., all] = groups.inner_first() else { panic!("there is a group") };
            assert_eq!(groups.inner_first().len(), 4);
            // All queries are in the group of the first row.
            assert_eq!(groups.blocks(1).len(), 1);
            let first = groups.blocks(0).iter().position(|block| block[0] == 0);
            assert_eq!(all.part(1, 0), all.part(0, first.expect("the row is in a block")));
        });
    }
}
