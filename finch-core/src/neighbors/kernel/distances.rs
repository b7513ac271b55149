//! The squared distances of rows in whole steps, and which of these are within a limit.

use std::array;

use super::squares::Candidate;
use super::steps::{ABREAST, AT_ONCE, StepRows};
use super::vectors::{Task, Vectors, run};
use crate::support::memory::{reserve, resize};
use crate::support::simd::{stored, vectorized};

/// The largest number of nearest rows that a limit is estimated for: two for each lane of a group.
const MOST_OF_FEW: usize = 2 * ABREAST;
/// Groups whose bits are read at a time, as one number.
const GROUPS_AT_ONCE: usize = u64::BITS as usize / ABREAST;

/// The squared distances of one row to the rows of a group. (A vector in two cache lines takes
/// longer.)
#[derive(Clone, Copy, Default, Debug, PartialEq)]
#[repr(align(64))]
struct GroupDistances([f32; ABREAST]);

/// The squared distances of one row to all rows of the right, in squared steps.
#[derive(Default)]
pub(crate) struct RowDistances {
    /// By groups: NaN, which is within no limit, for rows that the last group lacks.
    groups: Vec<GroupDistances>,
    /// A bit for each distance that is within its limit, a number for each group.
    within: Vec<u16>,
}

/// Calls `look` with each row of the left, by its number, and its distances to the rows of the
/// right.
pub(crate) fn for_each_row(
    left: &StepRows,
    right: &StepRows,
    buffers: &mut [RowDistances; AT_ONCE],
    mut look: impl FnMut(usize, &mut RowDistances),
) {
    for distances in buffers.iter_mut() {
        resize(&mut distances.groups, right.groups(), GroupDistances::default());
    }
    for first in (0..left.len()).step_by(AT_ONCE) {
        compare(left, first, right, buffers.each_mut().map(|distances| &mut distances.groups[..]));
        for distances in buffers.iter_mut() {
            if let Some(last) = distances.groups.get_mut(right.len() / ABREAST) {
                last.0[right.len() % ABREAST..].fill(f32::NAN);
            }
        }
        for (row, distances) in (first..left.len()).zip(buffers.iter_mut()) {
            look(row, distances);
        }
    }
}

impl RowDistances {
    /// The largest of them.
    pub(crate) fn farthest(&self) -> f32 {
        self.groups.iter().flat_map(|group| group.0).fold(0.0, f32::max)
    }

    /// Replaces `found` by the rows of the right that are within a limit. That of the row numbered
    /// i is the larger of `limit` and `limits[i]`, if `limits` has so many.
    pub(crate) fn find_within(&mut self, limit: f32, limits: &[f32], found: &mut Vec<Candidate>) {
        resize(&mut self.within, self.groups.len(), 0);
        mark_within(&self.groups, limit, limits, &mut self.within);
        found.clear();
        reserve(found, self.groups.len() * ABREAST);
        // Most rows are far: a loop over the bits that are set has no branch for each row.
        let parts = self.groups.chunks(GROUPS_AT_ONCE).zip(self.within.chunks(GROUPS_AT_ONCE));
        for (first, (distances, within)) in (0..).step_by(GROUPS_AT_ONCE * ABREAST).zip(parts) {
            let of_group = |bits: u64, &group: &u16| bits << ABREAST | u64::from(group);
            let mut bits = within.iter().rfold(0, of_group);
            while bits != 0 {
                let place = bits.trailing_zeros() as usize;
                let distance = distances[place / ABREAST].0[place % ABREAST];
                found.push(Candidate::new(distance, first + place as u32));
                bits &= bits - 1;
            }
        }
    }

    /// Replaces `found` by the rows of the right that are within a limit. If there is none
    /// (`f32::MAX`), by at least the `count` nearest and few more; by all if `count` is above
    /// [`MOST_OF_FEW`].
    pub(crate) fn find_few(&mut self, limit: f32, count: usize, found: &mut Vec<Candidate>) {
        let limit = if limit == f32::MAX {
            // A hair more: a row that is as far as the limit once distances are no longer in steps
            // has to be found, too.
            limit_of_few(&self.groups, count) * (1.0 + 1e-6)
        } else {
            limit
        };
        self.find_within(limit, &[], found);
    }
}

vectorized! {
    /// A limit that at least `count` of the distances are within, if there are as many, and few
    /// more: one of the two smallest distances of each lane.
    fn limit_of_few<'a>(groups: &'a [GroupDistances], count: usize) -> f32 {
        if count > MOST_OF_FEW {
            return f32::MAX;
        }
        let mut least = [[f32::MAX; ABREAST]; MOST_OF_FEW / ABREAST];
        for group in groups {
            for (lane, &distance) in group.0.iter().enumerate() {
                // In place of NaN, the largest.
                let distance = smaller(f32::MAX, distance);
                least[1][lane] = smaller(least[1][lane], larger(least[0][lane], distance));
                least[0][lane] = smaller(least[0][lane], distance);
            }
        }
        let least: [f32; MOST_OF_FEW] =
            stored(array::from_fn(|i| least[i / ABREAST][i % ABREAST]));
        // The rank of a distance is the number of distances that are no larger. To count ranks is
        // cheaper than to sort.
        let mut ranks = [0; MOST_OF_FEW];
        for other in least {
            for (rank, distance) in ranks.iter_mut().zip(least) {
                *rank += u32::from(other <= distance);
            }
        }
        let ranks = stored(ranks).into_iter().zip(least);
        let far_enough = ranks.filter(|(rank, _)| *rank >= count as u32);
        far_enough.fold(f32::MAX, |limit, (_, distance)| smaller(limit, distance))
    }
}

/// The smaller of two numbers, or the first if one is NaN.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

/// The larger of two numbers, or the first if one is NaN.
#[inline(always)]
fn larger(a: f32, b: f32) -> f32 {
    if b > a { b } else { a }
}

/// Writes the squared distances of `AT_ONCE` rows of the left, from number `first` on, to all rows
/// of the right. Beyond the last row of either, what is written means nothing.
fn compare(
    left: &StepRows,
    first: usize,
    right: &StepRows,
    distances: [&mut [GroupDistances]; AT_ONCE],
) {
    left.expect_comparable(right);
    run(Compare { left, first, right, distances });
}

/// The arguments of [`compare`].
struct Compare<'a> {
    left: &'a StepRows,
    first: usize,
    right: &'a StepRows,
    distances: [&'a mut [GroupDistances]; AT_ONCE],
}

impl Task for Compare<'_> {
    #[inline(always)]
    fn run(self, vectors: impl Vectors) {
        let Self { left, first, right, distances } = self;
        let rows = array::from_fn(|row| left.row(first + row));
        let squares: [i32; AT_ONCE] = array::from_fn(|row| left.square_of(first + row));
        for (group, (others, of_others)) in right.each_group().enumerate() {
            let products = vectors.products(rows, others);
            for row in 0..AT_ONCE {
                // In an array of its own, so that the compiler sees that nothing else is written.
                let mut of_row = [0.0; ABREAST];
                for lane in 0..ABREAST {
                    of_row[lane] =
                        (squares[row] + of_others[lane] - 2 * products[row][lane]) as f32;
                }
                distances[row][group] = GroupDistances(of_row);
            }
        }
    }
}

/// Sets a bit for each distance, the lowest for the first: whether the distance is within `limit`
/// or, as far as there are `limits`, within its own.
fn mark_within(distances: &[GroupDistances], limit: f32, limits: &[f32], within: &mut [u16]) {
    run(Mark { distances, limit, limits, within });
}

/// The arguments of [`mark_within`].
struct Mark<'a> {
    distances: &'a [GroupDistances],
    limit: f32,
    limits: &'a [f32],
    within: &'a mut [u16],
}

impl Task for Mark<'_> {
    #[inline(always)]
    fn run(self, vectors: impl Vectors) {
        let Self { distances, limit, limits, within } = self;
        let (limits, rest) = limits.as_chunks();
        let mut groups = distances.iter().zip(within);
        for (limits, (distances, within)) in limits.iter().zip(groups.by_ref()) {
            let limits = limits.map(|of_other| larger(limit, of_other));
            *within = vectors.within(&distances.0, &limits);
        }
        if !rest.is_empty()
            && let Some((distances, within)) = groups.next()
        {
            let mut limits = [limit; ABREAST];
            limits.iter_mut().zip(rest).for_each(|(limit, rest)| *limit = larger(*limit, *rest));
            *within = vectors.within(&distances.0, &limits);
        }
        for (distances, within) in groups {
            *within = vectors.within(&distances.0, &[limit; ABREAST]);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::iter;

    use super::*;
    use crate::neighbors::kernel::steps::{MAX_LENGTH, MAX_WIDTH};
    use crate::neighbors::kernel::vectors::Portable;

    fn value(row: usize, column: usize) -> f32 {
        ((row * 7919 + column * 104_729 + row * column * 31) % 5501) as f32 - 2750.0
    }

    fn steps(rows: usize, first: usize, width: usize) -> StepRows {
        let mut steps = StepRows::default();
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
                let mut lines: [Vec<GroupDistances>; AT_ONCE] =
                    array::from_fn(|_| vec![GroupDistances::default(); right.groups()]);
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
                        Mark { distances: line, limit, limits: &limits, within: &mut near }
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
        let [mut left, mut right] = [StepRows::default(), StepRows::default()];
        left.resize(1, 64);
        right.resize(1, 64);
        left.set(0, iter::repeat_n(MAX_LENGTH / 8.0, 64));
        right.set(0, iter::repeat_n(-MAX_LENGTH / 8.0, 64));
        right.lay_abreast();
        let mut lines = [[GroupDistances::default()]; AT_ONCE];
        compare(&left, 0, &right, lines.each_mut().map(|line| &mut line[..]));
        assert_eq!(lines[0][0].0[0], 4.0 * MAX_LENGTH * MAX_LENGTH);
        // As many numbers as there may be, all rounded away from 0.
        let step = (MAX_LENGTH / (MAX_WIDTH as f32).sqrt()).floor() + 0.5;
        left.resize(1, MAX_WIDTH);
        right.resize(1, MAX_WIDTH);
        left.set(0, iter::repeat_n(step, MAX_WIDTH));
        right.set(0, iter::repeat_n(-step, MAX_WIDTH));
        right.lay_abreast();
        compare(&left, 0, &right, lines.each_mut().map(|line| &mut line[..]));
        let rounded = step.round_ties_even();
        assert_eq!(lines[0][0].0[0], 4.0 * rounded * rounded * MAX_WIDTH as f32);
    }

    fn place(row: usize) -> f32 {
        (row * 37 % 101) as f32
    }

    fn rows_at_places(rows: usize) -> StepRows {
        let mut set = StepRows::default();
        set.resize(rows, 1);
        (0..rows).for_each(|row| set.set(row, [place(row)].into_iter()));
        set.lay_abreast();
        set
    }

    #[test]
    fn near_ones_are_found_and_of_all_a_few() {
        let (mut buffers, mut near) = (Default::default(), Vec::new());
        for others in [300, 130, 64, 20, 7, 1] {
            let right = rows_at_places(others);
            let mut compared = 0;
            for_each_row(&right, &right, &mut buffers, |row, row_distances| {
                let distances: Vec<f32> =
                    (0..others).map(|other| (place(row) - place(other)).powi(2)).collect();
                let farthest = distances.iter().copied().fold(0.0, f32::max);
                assert_eq!((row, row_distances.farthest()), (compared, farthest));
                compared += 1;
                let within = |limit: &dyn Fn(usize) -> f32| -> Vec<Candidate> {
                    let others = (0..others).filter(|&other| distances[other] <= limit(other));
                    others.map(|other| Candidate::new(distances[other], other as u32)).collect()
                };
                row_distances.find_within(25.0, &[], &mut near);
                assert_eq!(near, within(&|_| 25.0));
                let limits: Vec<f32> = (0..others).map(place).collect();
                row_distances.find_within(9.0, &limits, &mut near);
                assert_eq!(near, within(&|other| place(other).max(9.0)));
                row_distances.find_few(25.0, 3, &mut near);
                assert_eq!(near, within(&|_| 25.0));

                let mut nearest = within(&|_| f32::MAX);
                nearest.sort();
                for count in [1, 6, 16, 17, 20, 32, 33] {
                    row_distances.find_few(f32::MAX, count, &mut near);
                    assert!(nearest.iter().take(count).all(|nearest| near.contains(nearest)));
                    let most = if count > MOST_OF_FEW { others } else { 6 + 3 * count };
                    assert!(near.len() <= most, "{} of {others} for {count}", near.len());
                    assert!(near.len() == others || count < others.min(MOST_OF_FEW + 1));
                }
            });
            assert_eq!(compared, others);
        }
    }
}
