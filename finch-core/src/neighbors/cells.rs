//! Rows cut into small cells of near ones, each row in several.
//!
//! Rows drawn at random are leaders, and each row joins the cells of the few leaders nearest to it;
//! cells that are too large are cut again in the same way. Since a row near a border is in the cells
//! on both sides of it, two neighbours share a cell more often than in as many trees that cut space
//! in two (the randomized k-d trees of the paper), and to find leaders is a matrix product.

use rayon::prelude::*;

use super::candidates::{Candidate, insert};
use super::sketch::{Group, Sketch, compare};
use crate::progress::Meter;
use crate::rows::scrambled;

/// Rows of a cell at most.
const CELL: usize = 512;
/// Leaders for each so many rows: few enough that cells come out about half full.
const ROWS_PER_LEADER: usize = CELL / 2;
/// Leaders at most.
const LEADERS: usize = 256;
/// Rows that are assigned to leaders at a time.
const PART: usize = 1024;

/// How many cells a row joins when a cell is cut for the second time; after that, one.
const JOIN_AGAIN: usize = 2;

/// Cuts rows into cells of at least two, by leaders that the seed draws. Of the cells of the first
/// cut, each row joins so many.
pub(super) fn cells(
    sketch: &Sketch,
    rows: &[u32],
    join: usize,
    seed: u64,
    meter: &Meter,
) -> Vec<Vec<u32>> {
    cut(sketch, rows, &[join, JOIN_AGAIN], seed, meter)
}

fn cut(sketch: &Sketch, rows: &[u32], joined: &[usize], seed: u64, meter: &Meter) -> Vec<Vec<u32>> {
    if rows.len() <= CELL || meter.stopped() {
        return vec![rows.to_vec()];
    }
    let (join, then_join) = joined.split_first().map_or((1, joined), |(&join, rest)| (join, rest));
    let count = (rows.len() / ROWS_PER_LEADER).clamp(join + 1, LEADERS);
    let leaders = drawn(rows, count, seed);
    let nearest = nearest_leaders(sketch, rows, &leaders, join, meter);
    let mut cells = vec![Vec::new(); count];
    for (&row, leaders) in rows.iter().zip(nearest.chunks_exact(join)) {
        leaders.iter().for_each(|leader| cells[leader.row() as usize].push(row));
    }
    drop(nearest);
    let cells = cells.into_par_iter().enumerate().filter(|(_, cell)| cell.len() > 1);
    let cells = cells.flat_map_iter(|(leader, cell)| {
        // Equal rows do not part.
        match cell.len() <= rows.len() / 8 * 7 {
            true => cut(sketch, &cell, then_join, scrambled(seed) ^ leader as u64, meter),
            false => cell.chunks(CELL).filter(|cell| cell.len() > 1).map(<[u32]>::to_vec).collect(),
        }
    });
    cells.collect()
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

/// The numbers of the `count` leaders nearest to each row.
fn nearest_leaders(
    sketch: &Sketch,
    rows: &[u32],
    leaders: &[u32],
    count: usize,
    meter: &Meter,
) -> Vec<Candidate> {
    let mut of_leaders = Group::default();
    of_leaders.gather(sketch, leaders);
    let mut nearest = vec![Candidate::new(0.0, 0); rows.len() * count];
    let parts = nearest.par_chunks_mut(PART * count).zip(rows.par_chunks(PART));
    parts.for_each_init(Default::default, |(group, products): &mut (Group, _), (nearest, rows)| {
        if meter.stopped() {
            return;
        }
        group.gather(sketch, rows);
        nearest.fill(Candidate::NONE);
        let leaders = of_leaders.span();
        compare(group.span(), leaders, products, |i, bounds| {
            let list = &mut nearest[i * count..][..count];
            bounds.within(f32::INFINITY, |leader| {
                let distance = group.span().distance(i, &leaders, leader);
                let candidate = Candidate::new(distance, leader as u32);
                if candidate < list[count - 1] {
                    insert(list, candidate);
                }
                list[count - 1].distance()
            });
        });
    });
    nearest
}
