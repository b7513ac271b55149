//! Work that is too little for threads.

use rayon::prelude::*;

use crate::support::memory::{collected, collected_in_parallel};

/// Values that the pairs of some rows have, up to which one thread compares them all: about a millisecond's work (256
/// rows of 512 features). A second thread would have to be woken for each loop, on a loaded machine more than once.
const LITTLE: usize = 1 << 24;

/// Features that a pair counts as, at least: to take up a pair takes as long as so many of its features.
const LEAST_FEATURES: usize = 64;

/// True if the calling thread does all work on so many rows of so many features: pairs, means, and what a row
/// takes.
pub(crate) fn is_little(rows: usize, features: usize) -> bool {
    let features = features.max(LEAST_FEATURES);
    rows.saturating_mul(rows).saturating_mul(features) / 2 <= LITTLE
}

/// Values of the pairs of a few queries and a base up to which one thread compares them all: a quarter of a
/// millisecond's work (one query, 32,768 rows of 64 features). A part for each thread has as many.
const LITTLE_BESIDE: usize = 1 << 21;

/// Features that a row beside a query counts as, at least.
const LEAST_FEATURES_BESIDE: usize = 32;

/// The number of threads, at most, that so many queries beside a base of rows × features pay for; 1 where the
/// calling thread does all work.
pub(crate) fn threads_beside(queries: usize, [rows, features]: [usize; 2]) -> usize {
    let features = features.max(LEAST_FEATURES_BESIDE);
    queries.saturating_mul(rows).saturating_mul(features).div_ceil(LITTLE_BESIDE).max(1)
}

/// `map` of each number below `count`, with room for its work: on the calling thread where that is little, else on
/// all threads.
pub(crate) fn mapped<R, T: Send>(
    count: usize,
    is_little: bool,
    room: impl Fn() -> R + Send + Sync,
    map: impl Fn(&mut R, usize) -> T + Send + Sync,
) -> Vec<T> {
    match is_little {
        true => {
            let mut room = room();
            collected((0..count).map(|number| map(&mut room, number)))
        }
        false => collected_in_parallel((0..count).into_par_iter().map_init(room, map)),
    }
}
