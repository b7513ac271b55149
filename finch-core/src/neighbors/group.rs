//! Two sets of sketches, all pairs of which are compared, or those of one set, by a matrix product.

use pulp::Simd;

use super::block::squares;
use super::near::{Near, find_between};
use super::product::{Pairs, Panels, ROWS, Vectors, all_pairs, write};
use super::sketch::{Sketch, WIDTH};
use crate::vector::vectorized;

/// Sketches compared with others at a time, and distances of them, so that these stay in a core's second
/// cache.
const COMPARED: usize = 128;
const DISTANCES: usize = 1 << 16;

/// The largest length of a sketch in steps of its group, but for half a step in each number. So few that
/// f32 holds ½‖x‖² + ½‖y‖² + Σ|xᵢyᵢ|, in halves, exactly.
const STEPS: f32 = 2000.0;
const _: () = {
    let longest = STEPS + 4.0;
    assert!(WIDTH == 64 && 2.0 * longest * longest < (1 << 23) as f32);
};

/// Sketches of a group whose mean is its middle.
const CENTRAL: usize = 32;

/// Two sets of sketches, in whole steps from their middle.
///
/// With so few steps, sums are the same in any order, and so on every machine.
#[derive(Default)]
pub(super) struct Group {
    center: Vec<f32>,
    /// Steps to a unit of the sketch; 0 if all are equal.
    fineness: f32,
    /// Some of one set, and the other: with −‖x‖²/2 at the end of each x.
    left: Panels,
    right: Panels,
    near: [Near; 2],
    distances: Vec<f32>,
    /// A sketch, in steps.
    steps: Vec<f32>,
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
        self.right.clear(right.len(), width);
        to_steps(sketch, right, &self.center, self.fineness, &mut self.steps, &mut self.right);
        let fineness = f64::from(self.fineness);
        let unit = if fineness > 0.0 { 1.0 / (fineness * fineness) } else { 0.0 };
        // Half a step in each number of both, and a hair for the rounding of what is rounded.
        Scale { fineness, unit, error: 2.0 * 0.501 * (width as f64).sqrt() }
    }

    /// Calls `found` with each of the others, by its number, and its squared distances, in steps, to
    /// those: the same on every machine.
    pub(super) fn distances(
        &mut self,
        sketch: &Sketch,
        left: &[u32],
        mut found: impl FnMut(usize, &[f32]),
    ) {
        let others = self.right.rows().max(1);
        let compared = (DISTANCES / others).clamp(COMPARED / 4, COMPARED);
        for (part, places) in left.chunks(compared).enumerate() {
            let Self { center, fineness, left, right, distances, steps, .. } = self;
            left.clear(places.len(), center.len());
            to_steps(sketch, places, center, *fineness, steps, left);
            distances.resize(places.len() * right.rows(), 0.0);
            all_pairs(left, right, &mut Distances { distances, others });
            for (i, distances) in distances.chunks_exact(others).enumerate() {
                found(part * compared + i, distances);
            }
        }
    }

    /// Calls `found` with each of those, by its place, and others of them that are within its limit in
    /// squared steps: some places, and for each near one its squared distance, in steps, and which of
    /// these it is at. In parts; `of_those` are the places that were gathered. Distances are the same on
    /// every machine.
    pub(super) fn near_among(
        &mut self,
        of_those: &[u32],
        limit: impl Fn(u32) -> f32,
        mut found: impl FnMut(u32, &[u32], &[(f32, u32)]),
    ) {
        let Self { right, near: [near, _], .. } = self;
        const { assert!(COMPARED.is_multiple_of(ROWS), "parts are whole") };
        for first in (0..right.rows()).step_by(COMPARED) {
            // Anew, since others may have found nearer ones.
            near.limit(right, of_those.iter().map(|&place| limit(place)));
            near.find_among(right, first..right.rows().min(first + COMPARED));
            near.take_found(|i, near| found(of_those[i], of_those, near));
        }
    }

    /// The same for pairs of one of the others and one of those, for both.
    pub(super) fn near_between(
        &mut self,
        sketch: &Sketch,
        [others, of_those]: [&[u32]; 2],
        limit: impl Fn(u32) -> f32,
        mut found: impl FnMut(u32, &[u32], &[(f32, u32)]),
    ) {
        let Self { center, fineness, left, right, near, steps, .. } = self;
        for places in others.chunks(COMPARED) {
            left.clear(places.len(), center.len());
            to_steps(sketch, places, center, *fineness, steps, left);
            near[0].limit(left, places.iter().map(|&place| limit(place)));
            near[1].limit(right, of_those.iter().map(|&place| limit(place)));
            find_between(near, [left, right]);
            near[0].take_found(|i, near| found(places[i], of_those, near));
            near[1].take_found(|i, near| found(of_those[i], places, near));
        }
    }
}

/// Squared distances of all pairs, a row for each of the one set.
struct Distances<'a> {
    distances: &'a mut [f32],
    others: usize,
}

impl Pairs for Distances<'_> {
    #[inline(always)]
    fn look<S: Simd>(&mut self, simd: S, row: usize, first: usize, sums: &Vectors<S>) {
        let distances = &mut self.distances[row * self.others..][..self.others][first..];
        let doubled = sums.map(|sums| simd.mul_f32s(sums, simd.splat_f32s(-2.0)));
        write::<S>(&doubled, distances);
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

    /// How far two rows are at most, in steps, whose sketches are at most so far from each other, and
    /// a hair more.
    pub(super) fn far(self, distance: f64) -> f32 {
        let steps = (distance * self.fineness + self.error) * (1.0 + 1e-6);
        // NaN, where all are equal and nothing is known, is any distance.
        if steps.is_nan() { f32::INFINITY } else { steps as f32 }
    }
}

vectorized! {
    /// Adds the middle of two sets to the centre, which is 0, and returns how many steps make a unit.
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
    /// Writes one side of the product.
    fn to_steps<'a>(
        sketch: &'a Sketch,
        places: &'a [u32],
        center: &'a [f32],
        fineness: f32,
        steps: &'a mut Vec<f32>,
        side: &'a mut Panels,
    ) -> () {
        let origin = &ORIGIN[..center.len()];
        steps.resize(center.len(), 0.0);
        for (row, &place) in places.iter().enumerate() {
            for ((x, center), step) in sketch.values(place).iter().zip(center).zip(&mut *steps) {
                *step = nearest_step((x - center) * fineness);
            }
            side.set(row, steps, -0.5 * squares(steps, origin));
        }
    }
}

/// The middle, in steps from it.
const ORIGIN: [f32; WIDTH] = [0.0; WIDTH];

/// Rounds a number below 2²²; in two additions where `round` may be a call.
#[inline(always)]
fn nearest_step(number: f32) -> f32 {
    const SHIFT: f32 = 1.5 * (1u32 << 23) as f32;
    number + SHIFT - SHIFT
}
