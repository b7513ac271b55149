//! The few smallest of many distances.

use super::candidates::Candidate;
use crate::vector::vectorized;

/// Distances that are looked at at a time.
const LANES: usize = 16;

vectorized! {
    /// The places of distances within a limit.
    pub(super) fn within<'a>(distances: &'a [f32], limit: f32, near: &'a mut Vec<Candidate>) -> () {
        within_limit(distances, limit, near);
    }
}

vectorized! {
    /// The places of at least `count` of the smallest distances, if there are as many, and of few more.
    pub(super) fn smallest<'a>(distances: &'a [f32], count: usize, near: &'a mut Vec<Candidate>) -> () {
        within_limit(distances, limit_of_few(distances, count), near);
    }
}

#[inline(always)]
pub(super) fn within_limit(distances: &[f32], limit: f32, near: &mut Vec<Candidate>) {
    near.resize(distances.len() + 1, Candidate::NONE);
    let mut found = 0;
    let (groups, rest) = distances.as_chunks::<LANES>();
    for (group, distances) in groups.iter().enumerate() {
        // Without a branch for each.
        let any = distances.iter().fold(false, |any, distance| any | (*distance <= limit));
        if any {
            for (lane, &distance) in distances.iter().enumerate() {
                near[found] = Candidate::new(distance, (group * LANES + lane) as u32);
                found += usize::from(distance <= limit);
            }
        }
    }
    let first = groups.len() * LANES;
    for (lane, &distance) in rest.iter().enumerate() {
        near[found] = Candidate::new(distance, (first + lane) as u32);
        found += usize::from(distance <= limit);
    }
    near.truncate(found);
}

/// A limit that at least `count` of some distances are within, if there are as many, and few more.
#[inline(always)]
pub(super) fn limit_of_few(distances: &[f32], count: usize) -> f32 {
    if count > LANES {
        return f32::MAX;
    }
    let mut smallest = [f32::MAX; LANES];
    let (groups, rest) = distances.as_chunks::<LANES>();
    for distances in groups {
        for lane in 0..LANES {
            smallest[lane] =
                if distances[lane] < smallest[lane] { distances[lane] } else { smallest[lane] };
        }
    }
    for (smallest, &distance) in smallest.iter_mut().zip(rest) {
        *smallest = if distance < *smallest { distance } else { *smallest };
    }
    if count == 1 {
        return smallest.into_iter().fold(f32::MAX, |a, b| if b < a { b } else { a });
    }
    smallest.sort_unstable_by(f32::total_cmp);
    smallest[count - 1]
}
