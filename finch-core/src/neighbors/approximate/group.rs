//! Two sets of sketches, all pairs of which are compared.

use super::sketch::{Numbers, Sketch};
use crate::neighbors::kernel::Candidate;
use crate::neighbors::kernel::squares;
use crate::neighbors::kernel::{AT_ONCE, PART, Part, STEPS, Steps, parts};
use crate::neighbors::kernel::{Line, compare_all};
use crate::vector::vectorized;

/// Sketches that are put into steps at a time, to be compared with others.
const COMPARED: usize = 128;

/// Sketches of a group whose mean is its middle.
const CENTRAL: usize = 32;

/// Two sets of sketches, in whole steps: in those that all sketches have; or where these are real
/// numbers, in steps from their middle.
#[derive(Default)]
pub(super) struct Group {
    /// The middle, or 0.
    center: Vec<f32>,
    /// Steps to a unit of the sketch; 0 if all are equal.
    fineness: f32,
    /// Some of the one set, and all of the other.
    left: Steps,
    right: Steps,
    lines: [Line; AT_ONCE],
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
    /// Takes the sketches at some places as those that others are compared with. Where steps are
    /// not those of all sketches, they are small enough for both.
    pub(super) fn gather(&mut self, sketch: &Sketch, left: &[u32], right: &[u32]) -> Scale {
        self.gather_first(sketch, sketch.width(), left, right)
    }

    /// The same by the first numbers of sketches, so many: all, or some that fill their parts.
    pub(super) fn gather_first(
        &mut self,
        sketch: &Sketch,
        width: usize,
        left: &[u32],
        right: &[u32],
    ) -> Scale {
        debug_assert!(width == sketch.width() || width.is_multiple_of(PART), "parts are whole");
        self.center.clear();
        self.center.resize(width, 0.0);
        self.fineness = match sketch.numbers() {
            Numbers::Whole { fineness, .. } => *fineness,
            Numbers::Real(values) => {
                fineness(values, sketch.width(), [left, right], &mut self.center)
            }
        };
        to_steps(sketch, right, &self.center, self.fineness, &mut self.right);
        self.right.lay_abreast();
        let fineness = f64::from(self.fineness);
        let unit = if fineness > 0.0 { 1.0 / (fineness * fineness) } else { 0.0 };
        // Half a step in each number of both; and for the rounding of what is rounded, twice in
        // f32 for each of both, less than 4·STEPS·2⁻²⁴.
        Scale { fineness, unit, error: (width as f64).sqrt() + 0.01 }
    }

    /// Calls `compare` with each of the others, by its number: what it finds is the same on every
    /// machine.
    pub(super) fn compare(
        &mut self,
        sketch: &Sketch,
        left: &[u32],
        mut compare: impl FnMut(usize, &mut Line),
    ) {
        let Self { center, fineness, left: steps, right, lines } = self;
        for (part, left) in left.chunks(COMPARED).enumerate() {
            to_steps(sketch, left, center, *fineness, steps);
            compare_all(steps, right, lines, |row, line| compare(part * COMPARED + row, line));
        }
    }

    /// The same with each of those that others are compared with.
    pub(super) fn compare_right(&mut self, compare: impl FnMut(usize, &mut Line)) {
        let Self { right, lines, .. } = self;
        compare_all(right, right, lines, compare);
    }
}

impl Scale {
    /// A squared distance in units of the sketch.
    pub(super) fn real(self, distance: f32) -> f32 {
        (f64::from(distance) * self.unit) as f32
    }

    /// Gives those that were found, by their place and how far they are in steps, their numbers and
    /// distances in units of the sketch.
    pub(super) fn name(self, found: &mut [Candidate], numbers: &[u32]) {
        for found in found {
            *found = Candidate::new(self.real(found.distance()), numbers[found.number() as usize]);
        }
    }

    /// A squared distance in steps, or a hair more.
    pub(super) fn steps(self, distance: f32) -> f32 {
        let steps = f64::from(distance) * self.fineness * self.fineness * (1.0 + 1e-6);
        // NaN, where all are equal, and what is infinite are more than any.
        (steps as f32).min(f32::MAX)
    }

    /// How far sketches may be, at most, of this squared distance in steps.
    pub(super) fn distance(self, squared: f32) -> f64 {
        (f64::from(squared).sqrt() + self.error) * self.unit.sqrt() * (1.0 + 1e-6)
    }

    /// The largest squared distance, in steps, of two rows whose sketches are at most so far from
    /// each other.
    pub(super) fn limit(self, distance: f64) -> f32 {
        let steps = self.far(distance);
        steps * steps
    }

    /// How far two rows are at most, in steps, whose sketches are at most so far from each other,
    /// and a hair more.
    pub(super) fn far(self, distance: f64) -> f32 {
        let steps = (distance * self.fineness + self.error) * (1.0 + 1e-6);
        // NaN, where all are equal and nothing is known, is any distance.
        if steps.is_nan() { f32::INFINITY } else { steps as f32 }
    }
}

/// Sets steps to the sketches at some places, by as many numbers as the centre has.
fn to_steps(sketch: &Sketch, places: &[u32], center: &[f32], fineness: f32, steps: &mut Steps) {
    steps.resize(places.len(), center.len());
    match sketch.numbers() {
        Numbers::Whole { steps: all, .. } => copied(all, parts(sketch.width()), places, steps),
        Numbers::Real(values) => rounded(values, sketch.width(), places, center, fineness, steps),
    }
}

vectorized! {
    fn copied<'a>(
        rows: &'a [Part],
        parts: usize,
        places: &'a [u32],
        steps: &'a mut Steps,
    ) -> () {
        for (row, &place) in places.iter().enumerate() {
            steps.copy(row, &rows[place as usize * parts..][..parts]);
        }
    }
}

vectorized! {
    fn rounded<'a>(
        values: &'a [f32],
        width: usize,
        places: &'a [u32],
        center: &'a [f32],
        fineness: f32,
        steps: &'a mut Steps,
    ) -> () {
        for (row, &place) in places.iter().enumerate() {
            let values = &values[place as usize * width..][..center.len()];
            steps.set(row, values.iter().zip(center).map(|(x, center)| (x - center) * fineness));
        }
    }
}

vectorized! {
    /// Adds the middle of two sets of sketches to the centre, which is 0, and returns how many steps
    /// make a unit.
    fn fineness<'a>(
        values: &'a [f32],
        width: usize,
        sets: [&'a [u32]; 2],
        center: &'a mut [f32],
    ) -> f32 {
        let [one, other] = sets;
        let central = CENTRAL.min(one.len().saturating_add(other.len()));
        for &place in one.iter().chain(other).take(central) {
            let values = &values[place as usize * width..][..center.len()];
            for (center, value) in center.iter_mut().zip(values) {
                *center += value;
            }
        }
        for center in center.iter_mut() {
            *center /= central as f32;
        }
        let mut farthest = 0.0;
        for places in [one, other] {
            for &place in places {
                let values = &values[place as usize * width..][..center.len()];
                farthest = f32::max(farthest, squares(values, center));
            }
        }
        if farthest > 0.0 { STEPS / farthest.sqrt() } else { 0.0 }
    }
}
