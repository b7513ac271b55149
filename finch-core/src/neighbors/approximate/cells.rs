//! Sketches cut into small cells of near ones, each in several.
//!
//! Sketches drawn at random are leaders, and each joins the cells of the few leaders nearest to it.
//! Since one near a border is in the cells on both sides of it, two neighbours share a cell more
//! often than in as many trees that cut space in two (the randomized k-d trees of the paper), and
//! to find leaders is a matrix product.
//!
//! Where leaders are too many to be compared with all, cells of fewer leaders come first, and each
//! is compared with those leaders that it shares one of these with.

use rayon::prelude::*;

use super::candidates::{Candidates, NearLists};
use super::group::Group;
use super::sketch::Sketch;
use crate::members::Members;
use crate::neighbors::kernel::Candidate;
use crate::progress::Meter;
use crate::rows::scrambled;

/// Sketches for each leader of the last cut. Of fewer, more cells are to be joined for the same
/// recall, of more, more pairs are compared.
const ROWS_PER_LEADER: usize = 24;
/// Leaders that all are compared with, at most.
const LEADERS: usize = 1024;
/// Leaders of the next cut for each leader of one.
const BRANCHES: usize = 48;
/// How many coarse cells each joins, and a leader: where two are near each other, some cell of the
/// one is one of the other. With 2 and 6 a third more of the neighbours do not meet.
const JOINED_COARSE: usize = 3;
const JOINED_BY_LEADERS: usize = 6;
/// The numbers of sketches by which coarse cells are cut.
const COARSE_WIDTH: usize = 32;
/// Leaders of a coarse cell that its members are compared with, at most. More are there only where
/// many rows are equal, or near each other for what they are far from all others.
const LEADERS_OF_CELL: usize = 1024;
/// Sketches that are compared with leaders at a time.
const PART: usize = 2048;

/// Cells that are small enough to be cut into those of a pass.
pub(super) struct Coarse {
    members: Members,
    /// The cells that each joins as a leader, or [`NONE`].
    of_leaders: Vec<[u32; JOINED_BY_LEADERS]>,
}

/// No cell, and no leader.
const NONE: u32 = u32::MAX;

impl Coarse {
    /// Cuts around leaders that the seed draws. Orders the sketches by the cell that is nearest.
    pub(super) fn of(sketch: &mut Sketch, seed: u64, meter: &Meter) -> Self {
        let mut only_one = [NONE; JOINED_BY_LEADERS];
        only_one[0] = 0;
        let of_leaders = vec![only_one; sketch.len()];
        let mut cells = Self { members: Members::of_each(1, sketch.len(), |_| [0]), of_leaders };
        let mut counts = Vec::new();
        let mut count = sketch.len() / ROWS_PER_LEADER;
        while count > LEADERS {
            count /= BRANCHES;
            counts.push(count);
        }
        for count in counts.into_iter().rev() {
            let leaders = drawn(sketch.len(), count, scrambled(seed ^ count as u64));
            let width = sketch.width().min(COARSE_WIDTH);
            let near = nearest_leaders(sketch, &cells, &leaders, JOINED_BY_LEADERS, width, meter);
            let joined = |place| {
                let mut cells = [NONE; JOINED_BY_LEADERS];
                cells.iter_mut().zip(near.of(place)).for_each(|(cell, near)| *cell = near.number());
                cells
            };
            let joined: Vec<_> = (0..sketch.len() as u32).into_par_iter().map(joined).collect();
            drop(near);
            // Without a leader, in the last.
            let home = |place| [joined[place as usize][0].min(count as u32 - 1)];
            let homes = Members::of_each(count, sketch.len(), home);
            sketch.arrange(homes.all());
            let order = homes.all().par_iter();
            let of_leaders: Vec<_> = order.map(|&place| joined[place as usize]).collect();
            let joined = |place| {
                let cells = of_leaders[place as usize].iter().take(JOINED_COARSE).copied();
                cells.filter(|&cell| cell != NONE)
            };
            let members = Members::of_each(count, sketch.len(), joined);
            cells = Self { members, of_leaders };
        }
        cells
    }

    /// Cuts into the cells of a pass, around leaders that the seed draws. Each joins the cells of
    /// the `join` nearest of these that it shares a coarse cell with, and may reach for those of
    /// the `reach` nearest.
    pub(super) fn cut(
        &self,
        sketch: &Sketch,
        [join, reach]: [usize; 2],
        seed: u64,
        meter: &Meter,
    ) -> Cells {
        let count = sketch.len() / ROWS_PER_LEADER;
        // With no more, each cell would have all.
        let count = if count > join { count } else { 1 };
        let leaders = drawn(sketch.len(), count, seed);
        let near = nearest_leaders(sketch, self, &leaders, reach, sketch.width(), meter);
        let joined = |place| near.of(place).take(join).map(Candidate::number);
        let members = Members::of_each(leaders.len(), sketch.len(), joined);
        let last = leaders.len().saturating_sub(1) as u32;
        let home = |place| [near.of(place).next().map_or(last, Candidate::number)];
        let homes = Members::of_each(leaders.len(), sketch.len(), home);
        Cells { leaders, near, join, members, homes }
    }
}

/// The cells of a pass.
pub(super) struct Cells {
    /// The sketch around which each cell is, ascending.
    leaders: Vec<u32>,
    /// The leaders nearest to each sketch, by the number of their cell.
    near: NearLists,
    join: usize,
    members: Members,
    homes: Members,
}

impl Cells {
    /// The sketch around which each cell is.
    pub(super) fn leaders(&self) -> &[u32] {
        &self.leaders
    }

    /// The sketches that have joined each cell.
    pub(super) fn members(&self) -> &Members {
        &self.members
    }

    /// The sketches of each cell whose leader is the nearest of all; in the last also those that
    /// share no coarse cell with any.
    pub(super) fn homes(&self) -> &Members {
        &self.homes
    }

    /// For each cell the sketches that have not joined it, but whose squared distance to its leader
    /// is less than their `limit`.
    pub(super) fn within_reach(&self, limits: &[f32]) -> Members {
        let reached = |place| {
            let (cells, limit) = (self.near.of(place).skip(self.join), limits[place as usize]);
            cells.take_while(move |leader| leader.distance() < limit).map(Candidate::number)
        };
        Members::of_each(self.leaders.len(), limits.len(), reached)
    }
}

/// For each sketch the few nearest of the leaders in its cells, by their numbers in order. A leader
/// is in more cells than others, so that these need not be.
fn nearest_leaders(
    sketch: &Sketch,
    cells: &Coarse,
    leaders: &[u32],
    count: usize,
    width: usize,
    meter: &Meter,
) -> NearLists {
    let joined = |number| {
        let cells = cells.of_leaders[leaders[number as usize] as usize].iter().copied();
        cells.filter(|&cell| cell != NONE)
    };
    let numbers = Members::of_each(cells.members.len(), leaders.len(), joined);
    let nearest = Candidates::new(sketch.len(), count, |_| f32::INFINITY);
    (0..cells.members.len()).into_par_iter().for_each(|cell| {
        let numbers = numbers.cluster(cell);
        let numbers = &numbers[..numbers.len().min(LEADERS_OF_CELL)];
        let leaders: Vec<u32> = numbers.iter().map(|&number| leaders[number as usize]).collect();
        let parts = cells.members.cluster(cell).par_chunks(PART);
        parts.for_each_init(<(Group, Vec<Candidate>)>::default, |(group, near), places| {
            if meter.stopped() || leaders.is_empty() {
                return;
            }
            let scale = group.gather_first(sketch, width, places, &leaders);
            group.compare(sketch, places, |i, leaders| {
                let limit = scale.steps(nearest.limit(places[i]));
                leaders.near_few(limit, count, near);
                scale.name(near, numbers);
                nearest.offer(places[i], near);
            });
        });
    });
    nearest.into_lists()
}

/// So many numbers below `len`, or all if there are fewer, drawn at random, ascending.
pub(super) fn drawn(len: usize, count: usize, seed: u64) -> Vec<u32> {
    let count = count.min(len);
    let of_part = |part: usize| {
        let [first, end] = [part, part + 1].map(|part| len as u64 * part as u64 / count as u64);
        (first + scrambled(seed ^ scrambled(part as u64)) % (end - first)) as u32
    };
    (0..count).map(of_part).collect()
}
