//! Sketches of rows: a few numbers each, which are the same on every machine.
//!
//! The numbers are (y, r), a row's coordinates along the principal axes and its distance to them, whose
//! distances bound those of rows from below (see `samples/principal_axes.rs`). An exact search only decides by
//! such bounds which pairs to compare. Here they decide which neighbours are found, so that no
//! processor may round them in its own way: rows and axes are rounded beforehand to so few bits
//! that f64 holds their products, and the sums of these, exactly.

use ndarray::{Array2, ArrayView1, s};
use rayon::prelude::*;

use super::tuning::{
    BATCHES_AT_ONCE, FEWEST_AXES, LOOKED_AT_FEATURES, SKETCH_AXES, VALUE_HEADROOM,
};
use crate::neighbors::kernel::{
    Chunk, MAX_LENGTH, MAX_WIDTH, chunks, squared_distance, squared_steps, write_chunks,
};
use crate::run::progress::Meter;
use crate::samples::principal_axes::{
    Batch, Projection, distances_to_axes, exact_bits, power_of_two_above, rounded,
};
use crate::samples::rows::{Rows, keep_with_direction};
use crate::support::memory::{collected, collected_in_parallel, copied, filled_in_parallel};
use crate::support::parallel::SharedSplitting as _;
use crate::support::simd::vectorized;

/// The principal axes that sketches of rows may be made along.
pub(super) fn main_axes(rows: &Rows<'_>, meter: &Meter) -> Projection {
    let most = match rows.features() < LOOKED_AT_FEATURES {
        true => FEWEST_AXES,
        false => SKETCH_AXES[SKETCH_AXES.len() - 1],
    };
    Projection::of(rows, most.min(rows.features()), || meter.stopped())
}

/// The numbers of all sketches, sketch by sketch.
pub(super) enum Numbers {
    /// In whole steps, `fineness` of them to a unit: half the memory of real numbers, and a group
    /// of sketches needs no steps of its own (see `group.rs`).
    Whole { steps: Vec<Chunk>, fineness: f32 },
    /// Where such steps would be too coarse, since rows are near each other for how far they
    /// spread.
    Real(Vec<f32>),
}

/// The sketches of all rows that have a direction: in an order of their own, so that near ones lie
/// near each other in memory. Their distances are in a unit of their own.
pub(in crate::neighbors) struct Sketches {
    /// The features of a row.
    features: usize,
    /// The numbers in a sketch.
    width: usize,
    numbers: Numbers,
    /// The row of each sketch.
    rows: Vec<u32>,
    /// The point that rows were moved from.
    center: Vec<f64>,
    /// The unit: what rows were multiplied by.
    scale: f64,
    /// The amount that rounding may add to the distance of two sketches.
    error: f64,
}

impl Sketches {
    /// Sketches in whole steps along the first `axes` of a projection, in the order of their rows.
    /// If the run is stopped, they mean nothing.
    pub(super) fn in_steps(
        rows: &Rows<'_>,
        projection: &Projection,
        axes: usize,
        meter: &Meter,
    ) -> Self {
        Self::with(rows, projection, axes, meter, Numbers::whole)
    }

    /// As [`Sketches::in_steps`], but in real numbers.
    pub(super) fn in_real_numbers(
        rows: &Rows<'_>,
        projection: &Projection,
        axes: usize,
        meter: &Meter,
    ) -> Self {
        Self::with(rows, projection, axes, meter, |values, _, _| Numbers::Real(values))
    }

    /// Sketches rows; `numbers` makes numbers of the values of all sketches, their width, and the
    /// length of the longest.
    fn with(
        rows: &Rows<'_>,
        projection: &Projection,
        axes: usize,
        meter: &Meter,
        numbers: impl FnOnce(Vec<f32>, usize, f32) -> Numbers,
    ) -> Self {
        let features = rows.features();
        let axes = projection.axes().slice_move(s![..axes, ..]);
        let steps = (1u64 << exact_bits(features)) as f64;
        let root = |count: usize| (count as f64).sqrt();
        // Axes are shortened by what rounding may add to them, or a sketch could be longer than its
        // row.
        let longer = root(axes.len()) / steps + 1e-12;
        let shorter = collected(axes.iter().map(|value| value * (1.0 - longer)));
        let axes = Array2::from_shape_vec(axes.dim(), shorter).expect("as many values");
        let axes = rounded(axes, features, || meter.stopped());
        // At most 2^440: where nearly all rows are tiny beside the one that sets the scale, sums of their
        // squares vanish before their sketches do.
        let scale =
            (1.0 / (VALUE_HEADROOM * power_of_two_above(projection.largest()))).min(2f64.powi(440));

        let [along, width] = [axes.nrows(), axes.nrows() + 1];
        let batch_rows = Batch::rows_at_once(features);
        let mut values = filled_in_parallel(0.0, rows.len() * width);
        let parts = values.par_chunks_mut(batch_rows * width).with_max_len(BATCHES_AT_ONCE);
        parts.enumerate().shared().for_each_init(
            || Batch::new(features, along),
            |batch, (part, values)| {
                if meter.stopped() {
                    return;
                }
                let (first, count) = (part * batch_rows, values.len() / width);
                rows.load_points(first..first + count, &mut batch.rows);
                for row in batch.rows.chunks_exact_mut(features) {
                    round_to_steps(row, projection.center(), scale, steps);
                }
                batch.project(axes.view(), |number, row, y| {
                    let sketch = &mut values[number * width..][..width];
                    sketch.iter_mut().zip(y).for_each(|(value, y)| *value = *y as f32);
                    let row = ArrayView1::from(row);
                    [sketch[along]] = distances_to_axes(y, row.dot(&row), [along]);
                });
            },
        );
        let rows = keep_with_direction(&mut values, width);
        // The rounding of one row: half a step in each feature; along each axis, half a step in each
        // feature of the axis times the row's length; and the last bit of the sketch. For two rows, and
        // twice over for safety.
        let squares = values.par_chunks_exact(width).map(|x| x.iter().map(|x| x * x).sum::<f32>());
        let longest = squares.shared().reduce(|| 0.0, f32::max).sqrt();
        let error = 2.0 * root(features) / steps * (1.0 + root(along) * f64::from(longest))
            + 2.0 * f64::from(f32::EPSILON) * f64::from(longest);
        let (center, numbers) = (copied(projection.center()), numbers(values, width, longest));
        Self { features, width, numbers, rows, center, scale, error }
    }

    /// True if rows have more features than these have numbers, and no more than a sketch may have.
    pub(super) fn may_have_all_features(&self) -> bool {
        self.width < self.features && self.features <= MAX_WIDTH
    }

    /// Sketches of all features, as they are, in the places of these and in the same kind of numbers, which hold
    /// nearly all that is to be told of rows. `None` where the run is stopped.
    pub(super) fn of_all_features(&self, rows: &Rows<'_>, meter: &Meter) -> Option<Self> {
        let features = self.features;
        let numbers = match self.numbers {
            // Rows are about as long as their sketches, and fit the steps of these.
            Numbers::Whole { fineness, .. } => {
                let mut steps = filled_in_parallel(Chunk::default(), self.len() * chunks(features));
                self.write_moved(rows, &mut steps, chunks(features), meter, |row, values| {
                    write_chunks(row, values.iter().map(|value| *value as f32 * fineness));
                });
                Numbers::Whole { steps, fineness }
            }
            Numbers::Real(_) => {
                let mut all = filled_in_parallel(0.0, self.len() * features);
                self.write_moved(rows, &mut all, features, meter, |row, values| {
                    row.iter_mut().zip(values).for_each(|(to, value)| *to = *value as f32);
                });
                Numbers::Real(all)
            }
        };
        let (rows, center) = (copied(&self.rows), copied(&self.center));
        let full = Self { width: features, numbers, rows, center, ..*self };
        (!meter.stopped()).then_some(full)
    }

    /// Calls `write` with the memory of each sketch, `width` numbers, and its row's values as sketches have them:
    /// moved from the centre, scaled, and larger ones as large as the largest that count.
    fn write_moved<T: Send>(
        &self,
        rows: &Rows<'_>,
        memory: &mut [T],
        width: usize,
        meter: &Meter,
        write: impl Fn(&mut [T], &[f64]) + Sync,
    ) {
        let at_once = Batch::rows_at_once(rows.features());
        let parts = self.rows.par_chunks(at_once).zip(memory.par_chunks_mut(at_once * width));
        parts.shared().for_each_init(Vec::new, |points, (numbers, memory)| {
            if meter.stopped() {
                return;
            }
            rows.load_points(numbers.iter().map(|&row| row as usize), points);
            let points = points.chunks_exact_mut(rows.features());
            for (point, memory) in points.zip(memory.chunks_exact_mut(width)) {
                for (value, center) in point.iter_mut().zip(&self.center) {
                    *value = ((*value - center) * self.scale).clamp(-1.0, 1.0);
                }
                write(memory, point);
            }
        });
    }

    /// The same sketches, of rows that had been multiplied by `factor` before.
    pub(in crate::neighbors) fn of_scaled(mut self, factor: f64) -> Self {
        self.scale *= factor;
        self
    }

    /// Puts the sketches in another order, by their places in the present one.
    pub(super) fn arrange(&mut self, order: &[u32]) {
        match &mut self.numbers {
            Numbers::Whole { steps, .. } => *steps = arranged(steps, chunks(self.width), order),
            Numbers::Real(values) => *values = arranged(values, self.width, order),
        }
        self.rows = collected_in_parallel(order.par_iter().map(|&place| self.rows[place as usize]));
    }

    /// The features of a row.
    pub(super) fn features(&self) -> usize {
        self.features
    }

    /// The number of sketches.
    pub(super) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The numbers in a sketch.
    #[inline(always)]
    pub(super) fn width(&self) -> usize {
        self.width
    }

    /// The row that a sketch is of.
    pub(in crate::neighbors) fn row(&self, place: u32) -> u32 {
        self.rows[place as usize]
    }

    /// The numbers of all sketches.
    pub(super) fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// The distance of the sketches at two places, or a hair less.
    pub(super) fn least_distance(&self, one: u32, other: u32) -> f64 {
        let distance = self.squared_distance(one, other).sqrt();
        match &self.numbers {
            // Half a step in each number of both sketches.
            Numbers::Whole { fineness, .. } => {
                distance - ((self.width as f64).sqrt() + 0.01) / f64::from(*fineness)
            }
            Numbers::Real(_) => distance * (1.0 - 1e-5),
        }
    }

    /// The squared distance of the sketches at two places.
    pub(super) fn squared_distance(&self, one: u32, other: u32) -> f64 {
        let [one, other] = [one, other].map(|place| place as usize);
        match &self.numbers {
            Numbers::Whole { steps, fineness } => {
                let chunks = chunks(self.width);
                let [one, other] = [one, other].map(|place| &steps[place * chunks..][..chunks]);
                f64::from(squared_steps(one, other)) / f64::from(*fineness).powi(2)
            }
            Numbers::Real(values) => {
                let of_place = |place: usize| &values[place * self.width..][..self.width];
                f64::from(squared_distance(of_place(one), of_place(other)))
            }
        }
    }

    /// The largest distance of two sketches whose rows have at most this squared distance.
    pub(super) fn limit(&self, squared: f64) -> f64 {
        squared.sqrt() * self.scale + self.error
    }
}

impl Numbers {
    /// Values in whole steps; or real, if all are 0.
    fn whole(values: Vec<f32>, width: usize, longest: f32) -> Self {
        let fineness = MAX_LENGTH / longest;
        if !fineness.is_finite() {
            return Self::Real(values);
        }
        let chunks = chunks(width);
        let mut steps = filled_in_parallel(Chunk::default(), values.len() / width * chunks);
        let rows = steps.par_chunks_exact_mut(chunks).zip(values.par_chunks_exact(width));
        rows.shared().for_each(|(row, values)| {
            write_chunks(row, values.iter().map(|value| value * fineness))
        });
        Self::Whole { steps, fineness }
    }
}

/// Rows of `width` values in another order, by their places in the former one.
fn arranged<T: Copy + Default + Send + Sync>(values: &[T], width: usize, order: &[u32]) -> Vec<T> {
    let mut arranged = filled_in_parallel(T::default(), values.len());
    let rows = order.par_iter().zip(arranged.par_chunks_exact_mut(width));
    rows.shared()
        .for_each(|(&place, row)| row.copy_from_slice(&values[place as usize * width..][..width]));
    arranged
}

vectorized! {
    /// Moves a row from the centre, scales it, and rounds its values, from −1 to 1 then, to whole
    /// steps: `steps` of them to 1.
    fn round_to_steps<'a>(row: &'a mut [f64], center: &'a [f64], scale: f64, steps: f64) -> () {
        for (value, center) in row.iter_mut().zip(center) {
            let scaled = ((*value - center) * scale).clamp(-1.0, 1.0);
            *value = nearest_integer(scaled * steps) / steps;
        }
    }
}

/// Rounds a number below 2⁵¹ to a whole one: in two additions, where `round` may be a call.
#[inline(always)]
fn nearest_integer(number: f64) -> f64 {
    const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;
    number + SHIFT - SHIFT
}
