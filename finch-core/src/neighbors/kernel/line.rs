//! How far a sketch is from others, and which of these are near.

use std::array;

use super::candidate::Candidate;
use super::steps::{self, ABREAST, AT_ONCE, Distances, Steps, larger, mark_near};
use crate::vector::{stored, vectorized};

/// Distances that a limit is taken from.
const MANY: usize = 2 * ABREAST;
/// Groups whose bits are looked through at a time.
const GROUPS: usize = u64::BITS as usize / ABREAST;

/// How far a sketch is from others.
#[derive(Default)]
pub(crate) struct Line {
    /// The squared distances, in steps: NaN, which is near nothing, where there are no others.
    distances: Vec<Distances>,
    /// Whether they are near, a bit for each.
    near: Vec<u16>,
}

/// Calls `compare` with each sketch of the left, by its number, and how far it is from those of the
/// right.
pub(crate) fn compare_all(
    left: &Steps,
    right: &Steps,
    lines: &mut [Line; AT_ONCE],
    mut compare: impl FnMut(usize, &mut Line),
) {
    for line in lines.iter_mut() {
        line.distances.resize(right.groups(), Distances::default());
    }
    for first in (0..left.len()).step_by(AT_ONCE) {
        steps::compare(left, first, right, lines.each_mut().map(|line| &mut line.distances[..]));
        for line in lines.iter_mut() {
            if let Some(last) = line.distances.get_mut(right.len() / ABREAST) {
                last.0[right.len() % ABREAST..].fill(f32::NAN);
            }
        }
        for (row, line) in (first..left.len()).zip(lines.iter_mut()) {
            compare(row, line);
        }
    }
}

impl Line {
    /// The largest squared distance, in steps.
    pub(crate) fn farthest(&self) -> f32 {
        self.distances.iter().flat_map(|group| group.0).fold(0.0, f32::max)
    }

    /// Writes those of the others that are within a limit, or one of their own where there are
    /// such.
    pub(crate) fn near(&mut self, limit: f32, limits: &[f32], near: &mut Vec<Candidate>) {
        self.near.resize(self.distances.len(), 0);
        mark_near(&self.distances, limit, limits, &mut self.near);
        near.clear();
        // Most are not near, and there is no branch for each.
        let groups = self.distances.chunks(GROUPS).zip(self.near.chunks(GROUPS));
        for (first, (distances, groups)) in (0..).step_by(GROUPS * ABREAST).zip(groups) {
            let of_group = |bits: u64, &group: &u16| bits << ABREAST | u64::from(group);
            let mut bits = groups.iter().rfold(0, of_group);
            while bits != 0 {
                let place = bits.trailing_zeros() as usize;
                let distance = distances[place / ABREAST].0[place % ABREAST];
                near.push(Candidate::new(distance, first + place as u32));
                bits &= bits - 1;
            }
        }
    }

    /// Writes those of the others that are within a limit; if all are (`f32::MAX`), at least
    /// `count` and few more; or all if that is more than [`MANY`].
    pub(crate) fn near_few(&mut self, limit: f32, count: usize, near: &mut Vec<Candidate>) {
        let limit = if limit == f32::MAX {
            // A hair more, as limits are: what is as far once it is no longer in steps has to be
            // offered.
            limit_of_few(&self.distances, count) * (1.0 + 1e-6)
        } else {
            limit
        };
        self.near(limit, &[], near);
    }
}

vectorized! {
    /// A limit that at least `count` of some distances are within, if there are as many, and few
    /// more: one of the two smallest of each lane.
    fn limit_of_few<'a>(distances: &'a [Distances], count: usize) -> f32 {
        if count > MANY {
            return f32::MAX;
        }
        let mut least = [[f32::MAX; ABREAST]; MANY / ABREAST];
        for distances in distances {
            for (lane, &distance) in distances.0.iter().enumerate() {
                // NaN is none of the smallest.
                let distance = smaller(f32::MAX, distance);
                least[1][lane] = smaller(least[1][lane], larger(least[0][lane], distance));
                least[0][lane] = smaller(least[0][lane], distance);
            }
        }
        let least: [f32; MANY] = stored(array::from_fn(|i| least[i / ABREAST][i % ABREAST]));
        // How many of these each is not below: cheaper than to sort them.
        let mut ranks = [0; MANY];
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

/// The smaller of two, or the first if one is NaN.
#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::kernel::steps::Steps;

    fn place(row: usize) -> f32 {
        (row * 37 % 101) as f32
    }

    fn steps(rows: usize) -> Steps {
        let mut steps = Steps::default();
        steps.resize(rows, 1);
        (0..rows).for_each(|row| steps.set(row, [place(row)].into_iter()));
        steps.lay_abreast();
        steps
    }

    #[test]
    fn near_ones_are_found_and_of_all_a_few() {
        let (mut lines, mut near) = (Default::default(), Vec::new());
        for others in [300, 130, 64, 20, 7, 1] {
            let right = steps(others);
            let mut compared = 0;
            compare_all(&right, &right, &mut lines, |row, line| {
                let distances: Vec<f32> =
                    (0..others).map(|other| (place(row) - place(other)).powi(2)).collect();
                let farthest = distances.iter().copied().fold(0.0, f32::max);
                assert_eq!((row, line.farthest()), (compared, farthest));
                compared += 1;
                let within = |limit: &dyn Fn(usize) -> f32| -> Vec<Candidate> {
                    let others = (0..others).filter(|&other| distances[other] <= limit(other));
                    others.map(|other| Candidate::new(distances[other], other as u32)).collect()
                };
                line.near(25.0, &[], &mut near);
                assert_eq!(near, within(&|_| 25.0));
                let limits: Vec<f32> = (0..others).map(place).collect();
                line.near(9.0, &limits, &mut near);
                assert_eq!(near, within(&|other| place(other).max(9.0)));
                line.near_few(25.0, 3, &mut near);
                assert_eq!(near, within(&|_| 25.0));

                let mut nearest = within(&|_| f32::MAX);
                nearest.sort();
                for count in [1, 6, 16, 17, 20, 32, 33] {
                    line.near_few(f32::MAX, count, &mut near);
                    assert!(nearest.iter().take(count).all(|nearest| near.contains(nearest)));
                    let most = if count > MANY { others } else { 6 + 3 * count };
                    assert!(near.len() <= most, "{} of {others} for {count}", near.len());
                    assert!(near.len() == others || count < others.min(MANY + 1));
                }
            });
            assert_eq!(compared, others);
        }
    }
}
