//! Rows cut into small cells of near ones, each row in several.
//!
//! Rows drawn at random are leaders, and each row joins the cells of the few leaders nearest to it.
//! Since a row near a border is in the cells on both sides of it, two neighbours share a cell more
//! often than in as many trees that cut space in two (the randomized k-d trees of the paper), and to
//! find leaders is a matrix product.
//!
//! Where leaders are too many to be compared with all rows, cells of fewer leaders come first, and
//! a row is compared with those leaders that it shares one of these with.

use rayon::prelude::*;

use super::candidates::{Candidate, Candidates, insert};
use super::few::{limit_of_few, within_limit};
use super::sketch::{Group, Sketch};
use crate::members::Members;
use crate::progress::Meter;
use crate::rows::scrambled;
use crate::vector::vectorized;

/// Rows for each leader of the last cut. Of fewer, more cells are to be joined for the same recall, of
/// more, more pairs are compared: 16 and 32 take longer on 10⁶ samples of 256 features.
const ROWS_PER_LEADER: usize = 24;
/// Leaders that all rows are compared with, at most.
const LEADERS: usize = 1024;
/// Leaders of the next cut for each leader of one.
const BRANCHES: usize = 48;
/// How many cells a row joins in all cuts but the last: with 3, a quarter more of the neighbours do not
/// meet.
const JOINED_BETWEEN: usize = 4;
/// Leaders of a cell that its rows are compared with, at most. Only where many rows are equal are
/// there more.
const LEADERS_OF_CELL: usize = 1024;
/// Rows that are compared with leaders at a time.
const PART: usize = 512;

/// Cells of rows.
pub(super) struct Cells {
    /// The row around which each cell is.
    leaders: Vec<u32>,
    members: Members,
    /// The cells of each row, that of the nearest leader first: so many, or [`NONE`].
    joined: Vec<u32>,
    join: usize,
}

/// Cells that a row may join, and one more.
const MOST_JOINED: usize = 8;

/// No cell, and no leader.
pub(super) const NONE: u32 = u32::MAX;
/// A leader without a number yet.
const UNMET: u32 = u32::MAX - 1;

impl Cells {
    /// Cuts rows into cells that are small enough to be cut into those of a pass, around leaders that
    /// the seed draws.
    pub(super) fn coarse(sketch: &Sketch, seed: u64, meter: &Meter) -> Self {
        let rows = sketch.rows();
        let mut joined = vec![NONE; sketch.len()];
        rows.iter().for_each(|&row| joined[row as usize] = 0);
        let mut cells = Self::new(rows.iter().copied().take(1).collect(), joined, 1);
        let mut counts = Vec::new();
        let mut count = rows.len() / ROWS_PER_LEADER;
        while count > LEADERS {
            count /= BRANCHES;
            counts.push(count);
        }
        for count in counts.into_iter().rev() {
            cells = cells.cut(sketch, count, JOINED_BETWEEN, scrambled(seed ^ count as u64), meter);
        }
        cells
    }

    /// Cuts cells into those of a pass, of which each row joins so many.
    pub(super) fn fine(&self, sketch: &Sketch, join: usize, seed: u64, meter: &Meter) -> Self {
        self.cut(sketch, sketch.rows().len() / ROWS_PER_LEADER, join, seed, meter)
    }

    fn new(leaders: Vec<u32>, joined: Vec<u32>, join: usize) -> Self {
        let members = joined.chunks_exact(join).zip(0..).flat_map(|(cells, row)| {
            cells.iter().filter(|cell| **cell != NONE).map(move |&cell| (cell, row))
        });
        let members = Members::of_each(leaders.len(), members);
        Self { leaders, members, joined, join }
    }

    /// The number of cells.
    pub(super) fn len(&self) -> usize {
        self.leaders.len()
    }

    /// The rows of a cell, ascending.
    pub(super) fn rows(&self, cell: usize) -> &[u32] {
        self.members.cluster(cell)
    }

    /// The row around which each cell is.
    pub(super) fn leaders(&self) -> &[u32] {
        &self.leaders
    }

    /// The cells of a row, that of the nearest leader first, and [`NONE`] for the rest.
    pub(super) fn joined(&self, row: u32) -> &[u32] {
        &self.joined[row as usize * self.join..][..self.join]
    }

    /// Those of a row's cells that come before one.
    pub(super) fn before(&self, row: u32, cell: u32) -> Before {
        let mut before = Before { cells: [NONE; MOST_JOINED], count: 0 };
        for &joined in self.joined(row) {
            before.cells[before.count] = joined;
            before.count += usize::from(joined < cell);
        }
        before
    }

    /// The sum of the numbers of their rows.
    pub(super) fn total(&self) -> usize {
        self.members.total()
    }

    /// The cells of so many leaders, which the seed draws: each row joins those of the nearest few
    /// that it shares a cell with.
    fn cut(&self, sketch: &Sketch, count: usize, join: usize, seed: u64, meter: &Meter) -> Self {
        // With no more, each cell would have all rows.
        let count = if count > join { count } else { 1 };
        let leaders = drawn(sketch.rows(), count, seed);
        let mut numbers = vec![NONE; sketch.len()];
        leaders.iter().for_each(|&leader| numbers[leader as usize] = UNMET);
        // In order of cells, so that cells that follow each other have rows in common, which are
        // still at hand.
        let mut leaders = Vec::with_capacity(leaders.len());
        for &row in (0..self.len()).flat_map(|cell| self.rows(cell)) {
            if numbers[row as usize] == UNMET {
                numbers[row as usize] = leaders.len() as u32;
                leaders.push(row);
            }
        }
        let mut nearest = self.nearest_leaders(sketch, &numbers, join, meter);
        let joined = nearest.lists().flatten().map(|leader| leader.number()).collect();
        Self::new(leaders, joined, join)
    }

    /// For each row the nearest of the leaders in its cells, which have these `numbers`.
    fn nearest_leaders(
        &self,
        sketch: &Sketch,
        numbers: &[u32],
        count: usize,
        meter: &Meter,
    ) -> Candidates {
        let nearest = Candidates::new(sketch.len(), count);
        (0..self.len()).into_par_iter().for_each(|cell| {
            let leaders = self.rows(cell).iter().copied();
            let leaders = leaders.filter(|&row| numbers[row as usize] != NONE);
            let leaders: Vec<u32> = leaders.take(LEADERS_OF_CELL).collect();
            self.rows(cell).par_chunks(PART).for_each_init(Scratch::default, |scratch, rows| {
                if meter.stopped() || leaders.is_empty() {
                    return;
                }
                let Scratch { group, products, list, near } = scratch;
                group.gather(sketch, rows, &leaders);
                let of_leaders = rows.len()..rows.len() + leaders.len();
                group.distances(0..rows.len(), of_leaders, products, |i, distances| {
                    nearest_few(distances, count, list, near);
                    let real = |near: &Candidate| {
                        let leader = leaders[near.number() as usize];
                        Candidate::new(group.real(near.distance()), numbers[leader as usize])
                    };
                    nearest.offer(rows[i], list.iter().map(real));
                });
            });
        });
        nearest
    }
}

/// Some cells of a row. Two rows that share several meet in the first of them, and then no more.
pub(super) struct Before {
    cells: [u32; MOST_JOINED],
    count: usize,
}

impl Before {
    /// Whether one is among these, which are those of another row.
    pub(super) fn include(&self, joined: &[u32]) -> bool {
        self.cells[..self.count].iter().any(|cell| joined.contains(cell))
    }
}

/// What a thread works in.
#[derive(Default)]
struct Scratch {
    group: Group,
    products: Vec<f32>,
    list: Vec<Candidate>,
    near: Vec<Candidate>,
}

vectorized! {
    /// The places of the smallest distances, by size.
    fn nearest_few<'a>(distances: &'a [f32], count: usize, list: &'a mut Vec<Candidate>, near: &'a mut Vec<Candidate>) -> () {
        list.clear();
        list.resize(count.min(distances.len()), Candidate::NONE);
        within_limit(distances, limit_of_few(distances, count), near);
        for &near in near.iter() {
            insert(list, near);
        }
    }
}

/// So many of the rows, or all if there are fewer, drawn at random, ascending in order of `rows`.
pub(super) fn drawn(rows: &[u32], count: usize, seed: u64) -> Vec<u32> {
    let count = count.min(rows.len());
    let of_part = |part: usize| {
        let range = rows.len() * part / count..rows.len() * (part + 1) / count;
        rows[range.start + scrambled(seed ^ scrambled(part as u64)) as usize % range.len()]
    };
    (0..count).map(of_part).collect()
}
