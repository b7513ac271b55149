//! Two sets of sketches, all pairs of which are compared in whole steps.

use super::sketches::{Numbers, Sketches};
use super::tuning::{CENTRAL, LEFT_AT_ONCE};
use crate::neighbors::kernel::{
    AT_ONCE, CHUNK, Candidate, Chunk, MAX_LENGTH, RowDistances, StepRows, chunks, for_each_row,
    squared_distance,
};
use crate::support::memory::resize;
use crate::support::simd::vectorized;

/// Two sets of sketches in whole steps: in the steps that all sketches are in, or where sketches
/// are real numbers, in steps of their own, from the middle of the group.
#[derive(Default)]
pub(super) struct Group {
    /// The middle of the group, or 0 if all sketches are in the same steps.
    center: Vec<f32>,
    /// Steps to a unit of the sketches; 0 if all sketches of the group are equal.
    fineness: f32,
    /// Some of the left set.
    left: StepRows,
    /// All of the right set.
    right: StepRows,
    /// Of a few of the left set, the distances to the right set.
    distances: [RowDistances; AT_ONCE],
}

/// The size of a group's steps. "Real" distances are in units of the sketches.
#[derive(Clone, Copy)]
pub(super) struct Scale {
    /// Steps to a unit; 0 if all sketches of the group are equal.
    fineness: f64,
    /// Squared units to a squared step.
    unit: f64,
    /// The amount that rounding may add to a distance, or take from it, in steps.
    error: f64,
}

impl Group {
    /// Takes the sketches at some places as the right set, and makes steps that are small enough
    /// for both sets.
    pub(super) fn gather(&mut self, sketches: &Sketches, left: &[u32], right: &[u32]) -> Scale {
        self.gather_first(sketches, sketches.width(), left, right)
    }

    /// As [`Group::gather`], by the first `width` numbers of sketches: all, or some that fill whole
    /// chunks.
    pub(super) fn gather_first(
        &mut self,
        sketches: &Sketches,
        width: usize,
        left: &[u32],
        right: &[u32],
    ) -> Scale {
        debug_assert!(width == sketches.width() || width.is_multiple_of(CHUNK), "chunks are whole");
        self.center.clear();
        resize(&mut self.center, width, 0.0);
        self.fineness = match sketches.numbers() {
            Numbers::Whole { fineness, .. } => *fineness,
            Numbers::Real(values) => {
                fineness(values, sketches.width(), [left, right], &mut self.center)
            }
        };
        write_steps(sketches, right, &self.center, self.fineness, &mut self.right);
        self.right.lay_abreast();
        let fineness = f64::from(self.fineness);
        let unit = if fineness > 0.0 { 1.0 / (fineness * fineness) } else { 0.0 };
        // Half a step in each number of both sketches; and for two roundings in f32 of each sketch
        // before, less than 4·MAX_LENGTH·2⁻²⁴.
        Scale { fineness, unit, error: (width as f64).sqrt() + 0.01 }
    }

    /// Calls `look` with each of the sketches at some places, the left set, by its number, and its
    /// distances to the right set, which are the same on every machine.
    pub(super) fn compare(
        &mut self,
        sketches: &Sketches,
        left: &[u32],
        mut look: impl FnMut(usize, &mut RowDistances),
    ) {
        let Self { center, fineness, left: steps, right, distances } = self;
        for (part, left) in left.chunks(LEFT_AT_ONCE).enumerate() {
            write_steps(sketches, left, center, *fineness, steps);
            for_each_row(steps, right, distances, |row, to_right| {
                look(part * LEFT_AT_ONCE + row, to_right);
            });
        }
    }

    /// As [`Group::compare`], with each sketch of the right set in place of a left set.
    pub(super) fn compare_right(&mut self, look: impl FnMut(usize, &mut RowDistances)) {
        let Self { right, distances, .. } = self;
        for_each_row(right, right, distances, look);
    }
}

impl Scale {
    /// A squared distance in steps as a real one.
    pub(super) fn to_real(self, distance: f32) -> f32 {
        (f64::from(distance) * self.unit) as f32
    }

    /// Gives candidates real distances in place of distances in steps, and in place of each number
    /// `i` in the right set the number `numbers[i]`.
    pub(super) fn name(self, found: &mut [Candidate], numbers: &[u32]) {
        for found in found {
            *found =
                Candidate::new(self.to_real(found.distance()), numbers[found.number() as usize]);
        }
    }

    /// A real squared distance in steps, or a hair more.
    pub(super) fn to_steps(self, distance: f32) -> f32 {
        let steps = f64::from(distance) * self.fineness * self.fineness * (1.0 + 1e-6);
        // The largest limit in place of NaN, where all sketches are equal, and of infinity.
        (steps as f32).min(f32::MAX)
    }

    /// The largest real distance of two sketches at this squared distance in steps.
    pub(super) fn distance(self, squared: f32) -> f64 {
        (f64::from(squared).sqrt() + self.error) * self.unit.sqrt() * (1.0 + 1e-6)
    }

    /// The largest squared distance, in steps, at which two sketches at most this real distance
    /// apart may appear.
    pub(super) fn limit(self, distance: f64) -> f32 {
        let steps = self.to_far(distance);
        steps * steps
    }

    /// The largest distance, in steps, at which two sketches at most this real distance apart may
    /// appear, and a hair more.
    pub(super) fn to_far(self, distance: f64) -> f32 {
        let steps = (distance * self.fineness + self.error) * (1.0 + 1e-6);
        // Any distance in place of NaN, where all sketches are equal and no real distance is known.
        if steps.is_nan() { f32::INFINITY } else { steps as f32 }
    }
}

/// Sets steps to the sketches at some places, by as many of their first numbers as the centre has.
fn write_steps(
    sketches: &Sketches,
    places: &[u32],
    center: &[f32],
    fineness: f32,
    steps: &mut StepRows,
) {
    steps.resize(places.len(), center.len());
    match sketches.numbers() {
        Numbers::Whole { steps: all, .. } => copy(all, chunks(sketches.width()), places, steps),
        Numbers::Real(values) => round(values, sketches.width(), places, center, fineness, steps),
    }
}

vectorized! {
    /// Copies the chunks of sketches that are in steps already.
    fn copy<'a>(
        rows: &'a [Chunk],
        chunks: usize,
        places: &'a [u32],
        steps: &'a mut StepRows,
    ) -> () {
        for (row, &place) in places.iter().enumerate() {
            steps.copy(row, &rows[place as usize * chunks..][..chunks]);
        }
    }
}

vectorized! {
    /// Rounds real sketches to steps from a centre.
    fn round<'a>(
        values: &'a [f32],
        width: usize,
        places: &'a [u32],
        center: &'a [f32],
        fineness: f32,
        steps: &'a mut StepRows,
    ) -> () {
        for (row, &place) in places.iter().enumerate() {
            let values = &values[place as usize * width..][..center.len()];
            steps.set(row, values.iter().zip(center).map(|(x, center)| (x - center) * fineness));
        }
    }
}

vectorized! {
    /// Adds the middle of two sets of real sketches to the centre, which is 0, and returns the
    /// number of steps to a unit: as many as bring no sketch beyond [`MAX_LENGTH`] steps from the
    /// middle.
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
                farthest = f32::max(farthest, squared_distance(values, center));
            }
        }
        if farthest > 0.0 { MAX_LENGTH / farthest.sqrt() } else { 0.0 }
    }
}
