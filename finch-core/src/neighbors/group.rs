//! Two sets of sketches, all pairs of which are compared by a matrix product.

use super::block::squares;
use super::matrix::{Matrix, minus_two_products};
use super::sketch::{Sketch, WIDTH};
use crate::vector::vectorized;

/// Sketches compared with others at a time, and products of them, so that these stay in a core's
/// second cache.
const COMPARED: usize = 128;
const PRODUCTS: usize = 1 << 16;

/// The largest length of a sketch in steps of its group, but for half a step in each number. So few
/// that f32 holds ½‖x‖² + ½‖y‖² + Σ|xᵢyᵢ|, in halves, exactly.
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
    /// (x, −1/2, −‖x‖²/2) of some of one set and (x, ‖x‖², 1) of the other: the product of the one
    /// of x and the other of y is −‖x−y‖²/2.
    left: Vec<f32>,
    right: Vec<f32>,
    products: Vec<f32>,
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
        self.right.resize(right.len() * (width + 2), 0.0);
        to_steps(
            sketch,
            right,
            &self.center,
            self.fineness,
            [[1.0, 0.0], [0.0, 1.0]],
            &mut self.right,
        );
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
        let width = self.center.len() + 2;
        let right = Matrix::new(&self.right, width);
        let compared = (PRODUCTS / right.rows().max(1)).clamp(COMPARED / 4, COMPARED);
        for (part, places) in left.chunks(compared).enumerate() {
            let Self { center, fineness, left, products, .. } = self;
            left.resize(places.len() * width, 0.0);
            to_steps(sketch, places, center, *fineness, [[0.0, -0.5], [-0.5, 0.0]], left);
            products.resize(places.len() * right.rows(), 0.0);
            minus_two_products(Matrix::new(left, width), right, products);
            for (i, distances) in products.chunks_exact_mut(right.rows().max(1)).enumerate() {
                found(part * compared + i, distances);
            }
        }
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
    /// Writes one side of the product, of which each row ends with two numbers: its squared length
    /// times the first of a pair, plus the second.
    fn to_steps<'a>(
        sketch: &'a Sketch,
        places: &'a [u32],
        center: &'a [f32],
        fineness: f32,
        ends: [[f32; 2]; 2],
        side: &'a mut [f32],
    ) -> () {
        let origin = &ORIGIN[..center.len()];
        for (&place, side) in places.iter().zip(side.chunks_exact_mut(center.len() + 2)) {
            let (steps, end) = side.split_at_mut(center.len());
            for ((x, center), step) in sketch.values(place).iter().zip(center).zip(&mut *steps) {
                *step = nearest_step((x - center) * fineness);
            }
            let length = squares(steps, origin);
            end.iter_mut().zip(ends).for_each(|(end, [a, b])| *end = a * length + b);
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
