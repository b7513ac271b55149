//! Two sets of sketches, all pairs of which are compared.

use std::ops::Range;

use super::block::squares;
use super::sketch::{Sketch, WIDTH};
use super::steps::{Steps, squared_distances};
use crate::vector::vectorized;

/// Sketches compared with others at a time, and pairs of them, so that these stay in a core's second
/// cache.
const COMPARED: usize = 128;
const PAIRS: usize = 1 << 16;

/// The largest length of a sketch in steps of its group, but for half a step in each number.
const STEPS: f32 = 2000.0;
const _: () = assert!(STEPS + (WIDTH / 2) as f32 <= 2048.0, "see `Steps`");

/// Sketches of a group whose mean is its middle.
const CENTRAL: usize = 32;

/// Two sets of sketches, in whole steps from their middle.
#[derive(Default)]
pub(super) struct Group {
    center: Vec<f32>,
    /// Steps to a unit of the sketch; 0 if all are equal.
    fineness: f32,
    /// Some of the one set, and all of the other.
    left: Steps,
    right: Steps,
    distances: Vec<f32>,
}

/// How large the steps of a group are.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    /// Steps to a unit of the sketch; 0 if all sketches are equal.
    fineness: f64,
    /// Squared units to a squared step.
    unit: f64,
    /// What rounding may add to a distance, in steps.
    error: f64,
}

impl Group {
    /// Takes the sketches at some places as those that others are compared with, in steps that are
    /// small enough for both.
    pub(super) fn gather(&mut self, sketch: &Sketch, left: &[u32], right: &[u32]) -> Scale {
        self.gather_first(sketch, sketch.width(), left, right)
    }

    /// The same by the first numbers of sketches, so many: all, or some that fill cache lines.
    pub(super) fn gather_first(
        &mut self,
        sketch: &Sketch,
        width: usize,
        left: &[u32],
        right: &[u32],
    ) -> Scale {
        self.center.clear();
        self.center.resize(width, 0.0);
        self.fineness = fineness(sketch, [left, right], &mut self.center);
        to_steps(sketch, right, &self.center, self.fineness, &mut self.right);
        let fineness = f64::from(self.fineness);
        let unit = if fineness > 0.0 { 1.0 / (fineness * fineness) } else { 0.0 };
        // Half a step in each number of both, and a hair for the rounding of what is rounded.
        Scale { fineness, unit, error: 2.0 * 0.501 * (width as f64).sqrt() }
    }

    /// Calls `found` with each of the others, by its number, and its squared distances, in steps,
    /// to those: the same on every machine.
    pub(super) fn distances(
        &mut self,
        sketch: &Sketch,
        left: &[u32],
        mut found: impl FnMut(usize, &mut [f32]),
    ) {
        let Self { center, fineness, left: steps, right, distances } = self;
        for part in parts(left.len(), right) {
            to_steps(sketch, &left[part.clone()], center, *fineness, steps);
            let rows = 0..part.len();
            show(steps, rows, right, distances, |row, distances| {
                found(part.start + row, distances)
            });
        }
    }

    /// The same with each of those that others are compared with.
    pub(super) fn distances_among(&mut self, mut found: impl FnMut(usize, &mut [f32])) {
        let Self { right, distances, .. } = self;
        for part in parts(right.len(), right) {
            show(right, part, right, distances, &mut found);
        }
    }
}

/// So many, in parts that are compared with others at a time.
fn parts(count: usize, others: &Steps) -> impl Iterator<Item = Range<usize>> + use<> {
    let compared = (PAIRS / others.len().max(1)).clamp(COMPARED / 4, COMPARED);
    (0..count).step_by(compared).map(move |first| first..count.min(first + compared))
}

/// Calls `found` with some rows, by their numbers, and their squared distances to all others.
fn show(
    left: &Steps,
    rows: Range<usize>,
    right: &Steps,
    distances: &mut Vec<f32>,
    mut found: impl FnMut(usize, &mut [f32]),
) {
    if right.len() == 0 {
        return;
    }
    distances.resize(rows.len() * right.places(), 0.0);
    squared_distances(left, rows.clone(), right, distances);
    for (row, distances) in rows.zip(distances.chunks_exact_mut(right.places())) {
        found(row, &mut distances[..right.len()]);
    }
}

impl Scale {
    /// A squared distance in units of the sketch.
    pub(super) fn real(self, distance: f32) -> f32 {
        (f64::from(distance) * self.unit) as f32
    }

    /// A squared distance in steps, or a hair more.
    pub(super) fn steps(self, distance: f32) -> f32 {
        let steps = f64::from(distance) * self.fineness * self.fineness * (1.0 + 1e-6);
        // NaN, where all are equal, and what is infinite are more than any.
        (steps as f32).min(f32::MAX)
    }

    /// The largest squared distance, in steps, of two rows whose sketches are at most so far from
    /// each other.
    pub(super) fn limit(self, distance: f64) -> f32 {
        let steps = self.far(distance);
        // What is infinite is not near.
        (steps * steps).min(f32::MAX)
    }

    /// How far two rows are at most, in steps, whose sketches are at most so far from each other,
    /// and a hair more.
    pub(super) fn far(self, distance: f64) -> f32 {
        let steps = (distance * self.fineness + self.error) * (1.0 + 1e-6);
        // NaN, where all are equal and nothing is known, is any distance.
        if steps.is_nan() { f32::INFINITY } else { steps as f32 }
    }
}

vectorized! {
    /// Adds the middle of two sets to the centre, which is 0, and returns how many steps make a
    /// unit.
    fn fineness<'a>(sketch: &'a Sketch, sets: [&'a [u32]; 2], center: &'a mut [f32]) -> f32 {
        let [one, other] = sets;
        let central = CENTRAL.min(one.len().saturating_add(other.len()));
        for &place in one.iter().chain(other).take(central) {
            for (center, value) in center.iter_mut().zip(sketch.values(place)) {
                *center += value;
            }
        }
        for center in center.iter_mut() {
            *center /= central as f32;
        }
        let mut farthest = 0.0;
        for &place in one {
            farthest = f32::max(farthest, squares(sketch.values(place), center));
        }
        for &place in other {
            farthest = f32::max(farthest, squares(sketch.values(place), center));
        }
        if farthest > 0.0 { STEPS / farthest.sqrt() } else { 0.0 }
    }
}

vectorized! {
    fn to_steps<'a>(
        sketch: &'a Sketch,
        places: &'a [u32],
        center: &'a [f32],
        fineness: f32,
        steps: &'a mut Steps,
    ) -> () {
        steps.resize(places.len(), center.len());
        for (row, &place) in places.iter().enumerate() {
            steps.set(row, &sketch.values(place)[..center.len()], center, fineness);
        }
    }
}
