//! How far a sketch is from others, and which of these are near.

use super::candidates::Candidate;
use super::steps::{AT_ONCE, Compared, mark_near};
use crate::vector::{stored, vectorized};

/// Distances of which each place has its smallest.
const LANES: usize = 16;

/// Where it is written how far a sketch is from others.
#[derive(Default)]
pub(super) struct Line {
    /// The squared distances, in steps, of all places that the others have.
    distances: Vec<[f32; AT_ONCE]>,
    /// Whether they are near, a bit for each.
    near: Vec<u8>,
}

/// A sketch that is compared with others.
pub(super) struct Sketched<'a> {
    pub(super) compared: Compared<'a>,
    pub(super) line: &'a mut Line,
}

impl<'a> Sketched<'a> {
    /// The squared distances to the others, in steps.
    pub(super) fn distances(self) -> &'a [f32] {
        let others = self.compared.right.len();
        &self.fill(f32::NEG_INFINITY, &[]).distances.as_flattened()[..others]
    }

    /// Writes those of the others that are within a limit, or one of their own where there are
    /// such.
    pub(super) fn near(self, limit: f32, limits: &[f32], near: &mut Vec<Candidate>) {
        let others = self.compared.right.len();
        self.fill(limit, limits).write_near(others, near);
    }

    /// Writes those of the others that are within a limit; if all are (`f32::MAX`), at least
    /// `count` and few more; or all if that is more than [`LANES`].
    pub(super) fn near_few(self, limit: f32, count: usize, near: &mut Vec<Candidate>) {
        let others = self.compared.right.len();
        let line = self.fill(limit, &[]);
        if limit == f32::MAX && count < others {
            // A hair more, as limits are: what is as far once it is no longer in steps has to be
            // offered.
            let distances = &line.distances.as_flattened()[..others];
            let limit = limit_of_few(distances, count) * (1.0 + 1e-6);
            mark_near(&line.distances, limit, &mut line.near);
        }
        line.write_near(others, near);
    }

    fn fill(self, limit: f32, limits: &[f32]) -> &'a mut Line {
        let Self { compared, line } = self;
        let groups = compared.right.places() / AT_ONCE;
        line.distances.resize(groups, [0.0; AT_ONCE]);
        line.near.resize(groups, 0);
        compared.compare(limit, limits, &mut line.distances, &mut line.near);
        line
    }
}

impl Line {
    /// Writes the near ones of so many.
    fn write_near(&mut self, others: usize, near: &mut Vec<Candidate>) {
        near.clear();
        if let Some(last) = self.near.get_mut(others / AT_ONCE) {
            // Places beyond the last.
            *last &= (1 << (others % AT_ONCE)) - 1;
        }
        let distances = self.distances.as_flattened();
        // Most are not near, and there is no branch for each.
        for (first, bytes) in (0..).step_by(64).zip(self.near.chunks(8)) {
            let mut bits = [0; 8];
            bits[..bytes.len()].copy_from_slice(bytes);
            let mut bits = u64::from_le_bytes(bits);
            while bits != 0 {
                let place = first + bits.trailing_zeros();
                near.push(Candidate::new(distances[place as usize], place));
                bits &= bits - 1;
            }
        }
    }
}

vectorized! {
    /// A limit that at least `count` of some distances are within, if there are as many, and few
    /// more.
    fn limit_of_few<'a>(distances: &'a [f32], count: usize) -> f32 {
        if count > LANES {
            return f32::MAX;
        }
        let (groups, rest) = distances.as_chunks::<LANES>();
        let mut least = [f32::MAX; LANES];
        for distances in groups {
            for lane in 0..LANES {
                least[lane] = smaller(least[lane], distances[lane]);
            }
        }
        let mut least = stored(least);
        for (least, &distance) in least.iter_mut().zip(rest) {
            *least = smaller(*least, distance);
        }
        // How many of these each is not below: cheaper than to sort them.
        let mut ranks = [0; LANES];
        for other in least {
            for lane in 0..LANES {
                ranks[lane] += u32::from(other <= least[lane]);
            }
        }
        let ranks = stored(ranks).into_iter().zip(least);
        let far_enough = ranks.filter(|(rank, _)| *rank >= count as u32);
        far_enough.fold(f32::MAX, |limit, (_, distance)| smaller(limit, distance))
    }
}

#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::neighbors::steps::Steps;

    fn place(row: usize) -> f32 {
        (row * 37 % 101) as f32
    }

    fn steps(rows: usize) -> Steps {
        let mut steps = Steps::default();
        steps.resize(rows, 1);
        (0..rows).for_each(|row| steps.set(row, [place(row)].into_iter()));
        steps
    }

    #[test]
    fn near_ones_are_found_and_of_all_a_few() {
        let (mut line, mut near) = (Line::default(), Vec::new());
        for others in [300, 130, 64, 20, 7, 1] {
            let right = steps(others);
            for row in 0..others {
                let compared = Compared { left: &right, row, right: &right };
                let distances: Vec<f32> =
                    (0..others).map(|other| (place(row) - place(other)).powi(2)).collect();
                assert_eq!(Sketched { compared, line: &mut line }.distances(), distances);
                let within = |limit: &dyn Fn(usize) -> f32| -> Vec<Candidate> {
                    let others = (0..others).filter(|&other| distances[other] <= limit(other));
                    others.map(|other| Candidate::new(distances[other], other as u32)).collect()
                };
                Sketched { compared, line: &mut line }.near(25.0, &[], &mut near);
                assert_eq!(near, within(&|_| 25.0));
                let limits: Vec<f32> = (0..others).map(place).collect();
                Sketched { compared, line: &mut line }.near(9.0, &limits, &mut near);
                assert_eq!(near, within(&|other| place(other).max(9.0)));
                Sketched { compared, line: &mut line }.near_few(25.0, 3, &mut near);
                assert_eq!(near, within(&|_| 25.0));

                Sketched { compared, line: &mut line }.near_few(f32::MAX, 6, &mut near);
                let mut nearest = within(&|_| f32::MAX);
                nearest.sort();
                nearest.truncate(6);
                assert!(nearest.iter().all(|nearest| near.contains(nearest)));
                assert!(near.len() < 30, "{} of {others}", near.len());
            }
        }
    }
}
