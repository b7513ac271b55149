//! The shares of all work that the steps of a search are taken for, by which progress rises about evenly.
//!
//! The number of moves is known only once the first has been made, which takes from a quarter of the time to nearly
//! all of it. The number of rows that are about as near as the nearest tells some of that before: where they are no
//! more than a pass compares, it finds enough. Of 17 sets the share told is then 0.08 to 0.47 from that of the time
//! at most, 0.22 in the mean, where shares that hang on the number of features alone are 0.13 to 0.41 off, and 0.29.
//! The intrinsic dimension tells no more: groups of a hundred rows have many dimensions, and are found at once.

use rayon::prelude::*;

use super::cells::drawn;
use super::sketches::Sketches;
use super::tuning::LOOKED_AT_FEATURES;
use crate::support::memory::{collected_in_parallel, gathered};

/// The share of sketches, with their axes, where no sample is asked how many axes do: of 20,000 to 2 million rows
/// they take 0.01 to 0.09 of the time.
const SKETCHES: f64 = 0.04;
/// The same of few rows where a sample is asked: of 9,298 to 100,000 rows they take 0.11 to 0.48 of the time, and of
/// 400,000 rows 0.07 to 0.14.
const ASKED_SKETCHES: f64 = 0.35;
/// The most rows that are few here. Of more, this share falls as the root of their number.
const FEW_ROWS: f64 = 60_000.0;
/// Of this share, those of finding axes, of asking the sample, and of the sketches themselves.
pub(super) const OF_SKETCHES: [f64; 3] = [0.25, 0.45, 0.3];
/// The share of the comparison by key in the end: it takes 0.01 to 0.11 of the time.
pub(super) const SETTLING: f64 = 0.04;
/// The shares of a pass that the cuts into coarse cells and into cells are taken for.
pub(super) const COARSE: f64 = 0.1;
pub(super) const CUT: f64 = 0.25;
/// Of the first pass and the search for what is true after it, the share of the pass.
const PASS: f64 = 0.75;
/// The time of the moves after these two, in times of both, where [`CROWD`] rows are about as near to a row as the
/// nearest, and the power of this number that it rises by.
const REST: f64 = 1.0;
const CROWD: f64 = 8_000.0;
const REST_POWER: f64 = 0.6;
/// Rows are about as near that are at most so many times as far as the nearest of a sample.
const ABOUT: f64 = 1.5;
/// Sketches that are asked how many others are about as near as the nearest, and these others, at most.
const ASKED: usize = 32;
const OTHERS: usize = 1 << 13;

/// The share of sketches, with their axes.
pub(super) fn of_sketches(features: usize, rows: usize) -> f64 {
    match features < LOOKED_AT_FEATURES {
        true => SKETCHES,
        false => ASKED_SKETCHES * (FEW_ROWS / rows.max(1) as f64).sqrt().min(1.0),
    }
}

/// Of what the moves are taken for in all, the share of the first; and of what is left then, that of the search for
/// what is true.
pub(super) fn of_first(sketches: &Sketches) -> [f64; 2] {
    let both = 1.0 / (1.0 + REST * (crowd(sketches) / CROWD).powf(REST_POWER));
    let first = PASS * both;
    [first, (1.0 - PASS) * both / (1.0 - first)]
}

/// The number of rows that are about as near to a row as the nearest, as a sample of sketches tells.
fn crowd(sketches: &Sketches) -> f64 {
    let asked = drawn(sketches.len(), ASKED, 0);
    let others = drawn(sketches.len(), OTHERS, 1);
    let near = |&place: &u32| {
        let to_others = others.iter().filter(|&&other| other != place);
        let squared = to_others.map(|&other| sketches.squared_distance(place, other));
        let squared: Vec<f64> = gathered(squared);
        // Equal rows are found at once.
        let unlike = squared.iter().copied().filter(|&squared| squared > 0.0);
        let nearest = unlike.fold(f64::INFINITY, f64::min);
        squared.iter().filter(|&&squared| squared <= ABOUT.powi(2) * nearest).count()
    };
    let mut near: Vec<usize> = collected_in_parallel(asked.par_iter().map(near));
    near.sort_unstable();
    let middle = near.get(near.len() / 2).copied().unwrap_or(0);
    middle as f64 * sketches.len() as f64 / others.len().max(1) as f64
}
