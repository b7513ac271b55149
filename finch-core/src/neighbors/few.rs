//! The few smallest of many distances.

use super::candidates::Candidate;
use crate::vector::{stored, vectorized};

/// Numbers that are compared at a time.
const LANES: usize = 16;

vectorized! {
    /// The places of distances within a limit.
    pub(super) fn near<'a>(distances: &'a [f32], limit: f32, near: &'a mut Vec<Candidate>) -> () {
        places(distances, near, |distance, _| distance <= limit);
    }
}

vectorized! {
    /// The places of distances within a limit: of the smallest `count` and few more, if all are
    /// (`f32::MAX`).
    pub(super) fn near_few<'a>(distances: &'a [f32], limit: f32, count: usize, near: &'a mut Vec<Candidate>) -> () {
        let limit = if limit < f32::MAX { limit } else { limit_of_few(distances, count) };
        // A hair more, as limits are: what is as far once it is no longer in steps has to be
        // offered.
        let limit = (limit * (1.0 + 1e-6)).min(f32::MAX);
        places(distances, near, |distance, _| distance <= limit);
    }
}

vectorized! {
    /// The places of distances within a limit that all have, or their own.
    pub(super) fn near_any<'a>(distances: &'a [f32], limit: f32, limits: &'a [f32], near: &'a mut Vec<Candidate>) -> () {
        let limits = &limits[..distances.len()];
        places(distances, near, |distance, place| (distance <= limit) | (distance <= limits[place]));
    }
}

vectorized! {
    /// The places of squared distances within the square of a limit and one of their own together.
    pub(super) fn near_sum<'a>(distances: &'a [f32], limit: f32, limits: &'a [f32], near: &'a mut Vec<Candidate>) -> () {
        let limits = &limits[..distances.len()];
        let squared = |place: usize| (limit + limits[place]) * (limit + limits[place]);
        places(distances, near, |distance, place| distance <= squared(place));
    }
}

/// The places of the distances that are near.
#[inline(always)]
fn places(distances: &[f32], near: &mut Vec<Candidate>, is_near: impl Fn(f32, usize) -> bool) {
    near.clear();
    let (groups, rest) = distances.as_chunks::<LANES>();
    for (first, distances) in (0..).step_by(LANES).zip(groups) {
        let mut bytes = [0; LANES];
        for lane in 0..LANES {
            bytes[lane] = u8::from(is_near(distances[lane], first + lane));
        }
        // Most are 0, and there is no branch for each.
        let [low, high] = halves(stored(bytes));
        for (first_of_half, mut bits) in [(0, low), (LANES / 2, high)] {
            while bits != 0 {
                let lane = first_of_half + bits.trailing_zeros() as usize / 8;
                near.push(Candidate::new(distances[lane], (first + lane) as u32));
                bits &= bits - 1;
            }
        }
    }
    let first = groups.len() * LANES;
    for (place, &distance) in (first..).zip(rest) {
        if is_near(distance, place) {
            near.push(Candidate::new(distance, place as u32));
        }
    }
}

#[inline(always)]
fn halves(bytes: [u8; LANES]) -> [u64; 2] {
    let bytes = u128::from_le_bytes(bytes);
    [bytes as u64, (bytes >> 64) as u64]
}

/// A limit that at least `count` of some distances are within, if there are as many, and few more.
#[inline(always)]
fn limit_of_few(distances: &[f32], count: usize) -> f32 {
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
    let far_enough = stored(ranks).into_iter().zip(least).filter(|(rank, _)| *rank >= count as u32);
    far_enough.fold(f32::MAX, |limit, (_, distance)| smaller(limit, distance))
}

#[inline(always)]
fn smaller(a: f32, b: f32) -> f32 {
    if b < a { b } else { a }
}
