//! Rows cut into blocks, so that rows near each other share a block.

use rayon::prelude::*;

use super::coordinates::Coordinates;
use crate::neighbors::exact::blocked::block::Block;
use crate::neighbors::exact::tuning::{BLOCK, CUT_AXES};
use crate::neighbors::kernel::{Candidate, squared_distance};
use crate::run::progress::Meter;
use crate::support::memory::{collected, collected_in_parallel, filled, gathered};

/// All rows in an order in which every `BLOCK` of them make a block of rows near each other. Rows
/// are halved at the median of the axis along which they spread most, and each half again, as in a
/// k-d tree.
pub(in crate::neighbors::exact) fn arranged(coordinates: &Coordinates, meter: &Meter) -> Vec<u32> {
    let mut rows: Vec<u32> = collected(0..coordinates.len() as u32);
    halve(&mut rows, coordinates, meter);
    rows
}

fn halve(rows: &mut [u32], coordinates: &Coordinates, meter: &Meter) {
    if rows.len() <= BLOCK || meter.stopped() {
        return;
    }
    let spread = |axis: usize| {
        let (mut sum, mut squares) = (0.0, 0.0);
        for &row in &*rows {
            let along = f64::from(coordinates.along(row, axis));
            (sum, squares) = (sum + along, squares + along * along);
        }
        squares - sum * sum / rows.len() as f64
    };
    let axes = 0..CUT_AXES.min(coordinates.axes());
    let widest = axes.map(|axis| (spread(axis), axis)).max_by(|a, b| a.0.total_cmp(&b.0));
    let (_, axis) = widest.expect("data has a feature, and so an axis");
    // In whole blocks, so that of all blocks only the last is not full.
    let half = rows.len().div_ceil(BLOCK).div_ceil(2) * BLOCK;
    rows.select_nth_unstable_by(half, |&a, &b| {
        let [at_a, at_b] = [a, b].map(|row| coordinates.along(row, axis));
        at_a.total_cmp(&at_b).then(a.cmp(&b))
    });
    let (below, above) = rows.split_at_mut(half);
    rayon::join(|| halve(below, coordinates, meter), || halve(above, coordinates, meter));
}

/// For each block the `count` other blocks whose means are nearest to its own.
pub(in crate::neighbors::exact) fn nearest_blocks(
    blocks: &[Block],
    count: usize,
) -> Vec<Vec<usize>> {
    let means: Vec<Vec<f32>> = collected_in_parallel(blocks.par_iter().map(mean));
    let nearest = |(number, mean): (usize, &Vec<f32>)| {
        let others = means.iter().enumerate().filter(|(other, _)| *other != number);
        let mut others: Vec<Candidate> = gathered(others.map(|(other, of_other)| {
            Candidate::new(squared_distance(mean, of_other), other as u32)
        }));
        if count < others.len() {
            others.select_nth_unstable(count);
            others.truncate(count);
        }
        collected(others.into_iter().map(|other| other.number() as usize))
    };
    collected_in_parallel(means.par_iter().enumerate().map(nearest))
}

fn mean(block: &Block) -> Vec<f32> {
    let mut mean = filled(0.0, block.panels.columns());
    for row in 0..block.len() {
        mean.iter_mut().zip(block.panels.row(row)).for_each(|(mean, value)| *mean += value);
    }
    mean.iter_mut().for_each(|mean| *mean /= block.len() as f32);
    mean
}
