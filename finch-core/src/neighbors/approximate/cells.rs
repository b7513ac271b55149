//! Sketches cut into small cells of near ones, each sketch in several cells.
//!
//! Some sketches, drawn at random, are leaders, and each sketch joins the cells of the few leaders
//! nearest to it. Since a sketch near a border is in the cells on both sides of it, two neighbours
//! share a cell more often than in as many trees that cut space in two (the randomized k-d trees of
//! the paper), and to find the leaders is a matrix product.
//!
//! Where leaders are too many for all sketches to be compared with all of them, coarse cells of
//! fewer leaders come first, and a sketch is compared with the leaders that it shares a coarse cell
//! with.
//!
//! Sketches are numbered by their places, and leaders by their cells.

use rayon::prelude::*;

use super::candidates::{CandidateLists, FilledLists};
use super::group::Group;
use super::sketches::Sketches;
use super::tuning::{
    BRANCHES, JOINED_BY_LEADERS, JOINED_COARSE, LEADERS_FOR_ALL, LEADERS_OF_CELL, LED_AT_ONCE,
    LED_WIDTH, ROWS_PER_LEADER,
};
use crate::neighbors::kernel::Candidate;
use crate::partition::members::Members;
use crate::run::progress::Meter;
use crate::support::memory::{collected, collected_in_parallel, filled};
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::scrambled;

/// Coarse cells: small enough that the leaders in a cell can be compared with all its sketches.
pub(super) struct Coarse {
    members: Members,
    /// For each place the coarse cells that its sketch joins if it is a leader, or [`NO_CELL`].
    of_leaders: Vec<[u32; JOINED_BY_LEADERS]>,
}

const NO_CELL: u32 = u32::MAX;

impl Coarse {
    /// Cuts around leaders that the seed draws, and counts as `advance` of a meter. Orders the sketches by the cell nearest to each. If the
    /// run is stopped, cells are any.
    pub(super) fn of(sketches: &mut Sketches, seed: u64, advance: f64, meter: &Meter) -> Self {
        let mut cells = Self::one(sketches.len());
        let counts = counts_of_cuts(sketches.len());
        let of_cut = advance / counts.len().max(1) as f64;
        if counts.is_empty() {
            meter.advance(advance as u64);
        }
        for count in counts {
            let of_leaders = cells.leaders_join(sketches, count, seed, of_cut, meter);
            if meter.stopped() {
                break;
            }
            // In the last cell if it shares a cell with no leader.
            let home = |place| [of_leaders[place as usize][0].min(count as u32 - 1)];
            let homes = Members::of_each(count, sketches.len(), home);
            sketches.arrange(homes.all());
            let order = homes.all().par_iter();
            let of_leaders = order.map(|&place| of_leaders[place as usize]);
            cells = Self::of_joined(collected_in_parallel(of_leaders), count);
        }
        cells
    }

    /// Cuts around other leaders, for later passes, and leaves the sketches in their order. Rows that
    /// share no coarse cell of the first pass may share one of these: of what was missing of texts, a
    /// third pass found 6 in 100 in the coarse cells of the first, and 27 in others.
    pub(super) fn anew(sketches: &Sketches, seed: u64, advance: f64, meter: &Meter) -> Self {
        let mut cells = Self::one(sketches.len());
        let counts = counts_of_cuts(sketches.len());
        let of_cut = advance / counts.len().max(1) as f64;
        if counts.is_empty() {
            meter.advance(advance as u64);
        }
        for count in counts {
            let of_leaders = cells.leaders_join(sketches, count, seed, of_cut, meter);
            if meter.stopped() {
                break;
            }
            cells = Self::of_joined(of_leaders, count);
        }
        cells
    }

    /// One cell of all sketches.
    fn one(sketches: usize) -> Self {
        let mut only_one = [NO_CELL; JOINED_BY_LEADERS];
        only_one[0] = 0;
        Self::of_joined(filled(only_one, sketches), 1)
    }

    /// `count` cells, of each of which a sketch is a member if it is among the first [`JOINED_COARSE`] that
    /// the sketch would join as a leader.
    fn of_joined(of_leaders: Vec<[u32; JOINED_BY_LEADERS]>, count: usize) -> Self {
        let joined = |place| {
            let cells = of_leaders[place as usize].iter().take(JOINED_COARSE).copied();
            cells.filter(|&cell| cell != NO_CELL)
        };
        let members = Members::of_each(count, of_leaders.len(), joined);
        Self { members, of_leaders }
    }

    /// The cells that each sketch joins, if it is a leader, of `count` cells within these.
    fn leaders_join(
        &self,
        sketches: &Sketches,
        count: usize,
        seed: u64,
        advance: f64,
        meter: &Meter,
    ) -> Vec<[u32; JOINED_BY_LEADERS]> {
        let leaders = drawn(sketches.len(), count, scrambled(seed ^ count as u64));
        let width = sketches.width().min(LED_WIDTH);
        let most = JOINED_BY_LEADERS;
        let near = nearest_leaders(sketches, self, &leaders, most, width, advance, meter);
        let joined = |place| {
            let mut cells = [NO_CELL; JOINED_BY_LEADERS];
            cells.iter_mut().zip(near.of(place)).for_each(|(cell, near)| *cell = near.number());
            cells
        };
        collected_in_parallel((0..sketches.len() as u32).into_par_iter().map(joined))
    }

    /// Cuts into the cells of a pass, around leaders that the seed draws. Of the leaders that it
    /// shares a coarse cell with, each sketch joins the cells of the `join` nearest, and may reach
    /// for the cells of the `reach` nearest.
    pub(super) fn cut(
        &self,
        sketches: &Sketches,
        [join, reach]: [usize; 2],
        seed: u64,
        advance: f64,
        meter: &Meter,
    ) -> Cells {
        let count = sketches.len() / ROWS_PER_LEADER;
        // With no more leaders than cells to join, each cell would have all sketches.
        let count = if count > join { count } else { 1 };
        let leaders = drawn(sketches.len(), count, seed);
        let width = sketches.width().min(LED_WIDTH);
        let near = nearest_leaders(sketches, self, &leaders, reach, width, advance, meter);
        let joined = |place| near.of(place).take(join).map(Candidate::number);
        let members = Members::of_each(leaders.len(), sketches.len(), joined);
        Cells { near, join, members }
    }
}

/// The cells of a pass.
pub(super) struct Cells {
    /// The leaders nearest to each sketch.
    near: FilledLists,
    /// The number of these leaders that have the cells that the sketch joins.
    join: usize,
    members: Members,
}

impl Cells {
    /// The sketches that have joined each cell.
    pub(super) fn members(&self) -> &Members {
        &self.members
    }

    /// For each cell the sketches that have not joined it and that reach for it: their squared
    /// distance to its leader is less than their limit.
    pub(super) fn within_reach(&self, limits: &[f32]) -> Members {
        let reached = |place| {
            let (cells, limit) = (self.near.of(place).skip(self.join), limits[place as usize]);
            cells.take_while(move |leader| leader.distance() < limit).map(Candidate::number)
        };
        Members::of_each(self.members.len(), limits.len(), reached)
    }
}

/// The number of cells of each cut into coarse cells, the coarsest first.
fn counts_of_cuts(sketches: usize) -> Vec<usize> {
    let mut counts = Vec::new();
    let mut count = sketches / ROWS_PER_LEADER;
    while count > LEADERS_FOR_ALL {
        count /= BRANCHES;
        counts.insert(0, count);
    }
    counts
}

/// For each sketch the `count` nearest of the leaders that it shares a coarse cell with, by the
/// first `width` numbers of sketches. Leaders join more coarse cells than other sketches, so that
/// these need not join as many.
fn nearest_leaders(
    sketches: &Sketches,
    cells: &Coarse,
    leaders: &[u32],
    count: usize,
    width: usize,
    advance: f64,
    meter: &Meter,
) -> FilledLists {
    let joined = |number| {
        let cells = cells.of_leaders[leaders[number as usize] as usize].iter().copied();
        cells.filter(|&cell| cell != NO_CELL)
    };
    let numbers = Members::of_each(cells.members.len(), leaders.len(), joined);
    let nearest = CandidateLists::new(sketches.len(), count, |_| f32::INFINITY);
    let of_place = advance / cells.members.all().len().max(1) as f64;
    (0..cells.members.len()).into_par_iter().with_max_len(1).shared().for_each(|cell| {
        let numbers = numbers.cluster(cell);
        let numbers = &numbers[..numbers.len().min(LEADERS_OF_CELL)];
        let leaders: Vec<u32> = collected(numbers.iter().map(|&number| leaders[number as usize]));
        let parts = cells.members.cluster(cell).par_chunks(LED_AT_ONCE).with_max_len(1);
        parts.shared().for_each_init(
            <(Group, Vec<Candidate>)>::default,
            |(group, near), places| {
                meter.advance((of_place * places.len() as f64) as u64);
                if meter.stopped() || leaders.is_empty() {
                    return;
                }
                let scale = group.gather_first(sketches, width, places, &leaders);
                group.compare(sketches, places, |i, to_leaders| {
                    let limit = scale.to_steps(nearest.limit(places[i]));
                    to_leaders.find_few(limit, count, near);
                    scale.name(near, numbers);
                    nearest.offer(places[i], near);
                });
            },
        );
    });
    nearest.into_filled()
}

/// `count` numbers below `len`, or all if there are fewer: drawn at random, ascending.
pub(in crate::neighbors) fn drawn(len: usize, count: usize, seed: u64) -> Vec<u32> {
    let count = count.min(len);
    let of_part = |part: usize| {
        let [first, end] = [part, part + 1].map(|part| len as u64 * part as u64 / count as u64);
        (first + scrambled(seed ^ scrambled(part as u64)) % (end - first)) as u32
    };
    collected((0..count).map(of_part))
}
