//! The pace of this machine, beside the one that estimates are for.
//!
//! Without a time limit estimates decide on all machines alike, so that results hang on none. With one, what
//! fits is what this machine does in the time, with whatever else it has to do now.

use std::hint::black_box;
use std::time::{Duration, Instant};

use rayon::prelude::*;

use super::{bits, blocked};
use crate::run::progress::Meter;
use crate::samples::rows::Rows;
use crate::support::memory::collected;
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::spread;

/// The share of the time that is left that is taken to measure.
const TIME_TO_MEASURE: f64 = 0.02;
/// The number of measurements: the first time loads what the others need.
const ROUNDS: u32 = 2;
/// Rows of a sample that are compared pair by pair: of fewer, most of the time is what each row takes, and
/// with more, what is measured is hardly closer.
const SAMPLE: [usize; 2] = [512, 2048];

/// The time of a search by blocks, as a multiple of its estimate, of which blocks are estimated to take so
/// many nanoseconds for a pair; 1 where the time `left` is too short to measure.
pub(in crate::neighbors) fn measured(rows: &Rows<'_>, of_pair: f64, left: Duration) -> f64 {
    let [least, most] = SAMPLE;
    let pairs_in_time = TIME_TO_MEASURE / f64::from(ROUNDS) * left.as_secs_f64() * 1e9 / of_pair;
    let count = ((2.0 * pairs_in_time).sqrt() as usize).min(most).min(rows.len());
    if count < least {
        return 1.0;
    }
    let sample: Vec<u32> =
        collected(spread(rows.len(), rows.len().div_ceil(count)).map(|row| row as u32));
    let matrix = rows.samples.select(&sample);
    let rows = Rows::new(matrix.view(), rows.metric);
    let meter = &Meter::new(1);
    let search = || match bits::bits_of(&rows) {
        Some(bits) => bits::search(&rows, bits, 1, meter),
        None => blocked::search(&rows, 1, meter),
    };
    // Each thread all of it, so that all are at work, as they will be.
    let on_all_threads = || {
        let began = Instant::now();
        let threads = (0..rayon::current_num_threads()).into_par_iter().with_max_len(1);
        threads.shared().for_each(|_| drop(black_box(search())));
        began.elapsed().as_secs_f64()
    };
    let seconds = (0..ROUNDS).map(|_| on_all_threads()).fold(f64::INFINITY, f64::min);
    let pairs = rows.len() as f64 * (rows.len() as f64 - 1.0) / 2.0;
    seconds / (pairs * of_pair * 1e-9)
}
