//! Rows as a few numbers that are the same on every machine.
//!
//! The numbers are (y, r), the coordinates along the main axes and the distance to them, as in
//! `coordinates.rs`; their distances are lower bounds of those of the rows. There they only decide
//! what is compared. Here they decide what is found, so that no processor may round them in its own
//! way: rows and axes are rounded beforehand to so few bits that f64 holds their products, and the
//! sums of these, exactly.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, s};
use rayon::prelude::*;

use crate::element::Element;
use crate::neighbors::kernel::{Part, STEPS, parts, set};
use crate::progress::Meter;
use crate::projection::{Projection, exact_bits, power_of_two_above, rounded};
use crate::rows::Rows;
use crate::vector::vectorized;

/// Main axes, of which 63 and the distance to them fill whole cache lines. On 10⁶ samples of 256
/// features distances of sketches are 0.8 times those of rows (of 31 axes 0.67, which leaves
/// several times as many rows to be compared by key).
const AXES: usize = 63;
/// Rows that are projected at a time, and values of them at most.
const PART: usize = 256;
const PART_VALUES: usize = 1 << 20;
/// How much larger than those of a sample values may be. What is beyond counts as if it were there,
/// which brings rows nearer to each other.
const HEADROOM: f64 = 4.0;

/// (y, r), one after the other.
pub(super) enum Numbers {
    /// In whole steps, so many to a unit: half the memory, and no steps of their own for each group
    /// (see `group.rs`).
    Whole { steps: Vec<Part>, fineness: f32 },
    /// Where such steps would be too large, since rows are near each other for how far they spread.
    Real(Vec<f32>),
}

/// Those rows that have a direction, as sketches: in an order of their own, so that near ones lie
/// near each other in memory.
pub(super) struct Sketch {
    width: usize,
    numbers: Numbers,
    /// The row of each.
    rows: Vec<u32>,
    /// What rows were multiplied by.
    scale: f64,
    /// How much farther than rows their sketches may be, for rounding.
    error: f64,
}

impl Sketch {
    /// Sketches rows in their order, unless nobody waits for them any more: in whole steps.
    pub(super) fn of<A: Element>(rows: &Rows<'_, A>, meter: &Meter) -> Self {
        Self::with(rows, meter, Numbers::whole)
    }

    /// The same, but in numbers of any size.
    pub(super) fn real<A: Element>(rows: &Rows<'_, A>, meter: &Meter) -> Self {
        Self::with(rows, meter, |values, _, _| Numbers::Real(values))
    }

    /// Sketches rows, and makes numbers of the values of all, so many for each, and the longest.
    fn with<A: Element>(
        rows: &Rows<'_, A>,
        meter: &Meter,
        numbers: impl FnOnce(Vec<f32>, usize, f32) -> Numbers,
    ) -> Self {
        let features = rows.features();
        let projection = Projection::of(rows, AXES.min(features), || meter.stopped());
        let steps = (1u64 << exact_bits(features)) as f64;
        let root = |count: usize| (count as f64).sqrt();
        // Shorter by what rounding may add to them, or a sketch could be longer than its row.
        let longer = root(projection.axes().len()) / steps + 1e-12;
        let axes = rounded(projection.axes().mapv(|value| value * (1.0 - longer)), features);
        // Where nearly all rows are tiny beside what they were made small for, keys vanish before
        // these.
        let scale =
            (1.0 / (HEADROOM * power_of_two_above(projection.largest()))).min(2f64.powi(440));

        let [along, width] = [axes.nrows(), axes.nrows() + 1];
        let part_rows = PART.min(PART_VALUES / features).max(1);
        let mut values = vec![0.0; rows.len() * width];
        values.par_chunks_mut(part_rows * width).enumerate().for_each_init(
            || (Vec::new(), Array2::zeros((part_rows, along))),
            |(loaded, products), (part, values)| {
                if meter.stopped() {
                    return;
                }
                let (first, count) = (part * part_rows, values.len() / width);
                rows.load_block(first..first + count, loaded);
                for row in loaded.chunks_exact_mut(features) {
                    to_steps(row, projection.center(), scale, steps);
                }
                let rows = ArrayView2::from_shape((count, features), loaded);
                let rows = rows.expect("rows are whole");
                let mut products = products.slice_mut(s![..count, ..]);
                general_mat_mul(1.0, &rows, &axes.t(), 0.0, &mut products);
                let sketches = values.chunks_exact_mut(width);
                for ((row, y), values) in rows.outer_iter().zip(products.outer_iter()).zip(sketches)
                {
                    let length = row.dot(&row);
                    let within = y.iter().fold(0.0, |sum, y| sum + y * y);
                    values.iter_mut().zip(y).for_each(|(value, y)| *value = *y as f32);
                    values[along] = (length - within).max(0.0).sqrt() as f32;
                }
            },
        );
        let rows = with_direction(&mut values, width);
        // Of a row, half a step in each feature; along each axis, half a step in each feature of it
        // times the row's length; and the last bit of the sketch. Of two rows, and twice over for
        // safety.
        let squares = values.par_chunks_exact(width).map(|x| x.iter().map(|x| x * x).sum::<f32>());
        let longest = squares.reduce(|| 0.0, f32::max).sqrt();
        let error = 2.0 * root(features) / steps * (1.0 + root(along) * f64::from(longest))
            + 2.0 * f64::from(f32::EPSILON) * f64::from(longest);
        Self { width, numbers: numbers(values, width, longest), rows, scale, error }
    }

    /// Puts the sketches in another order, by their places in this one.
    pub(super) fn arrange(&mut self, order: &[u32]) {
        match &mut self.numbers {
            Numbers::Whole { steps, .. } => *steps = arranged(steps, parts(self.width), order),
            Numbers::Real(values) => *values = arranged(values, self.width, order),
        }
        self.rows = order.iter().map(|&place| self.rows[place as usize]).collect();
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
    pub(super) fn row(&self, place: u32) -> u32 {
        self.rows[place as usize]
    }

    /// All of them.
    pub(super) fn numbers(&self) -> &Numbers {
        &self.numbers
    }

    /// The largest distance of two sketches whose rows have at most this squared distance.
    pub(super) fn limit(&self, key: f64) -> f64 {
        key.sqrt() * self.scale + self.error
    }
}

impl Numbers {
    /// Values in whole steps; or as they are, if all are 0.
    fn whole(values: Vec<f32>, width: usize, longest: f32) -> Self {
        let fineness = STEPS / longest;
        if !fineness.is_finite() {
            return Self::Real(values);
        }
        let parts = parts(width);
        let mut steps = vec![Part::default(); values.len() / width * parts];
        let rows = steps.par_chunks_exact_mut(parts).zip(values.par_chunks_exact(width));
        rows.for_each(|(row, values)| set(row, values.iter().map(|value| value * fineness)));
        Self::Whole { steps, fineness }
    }
}

/// Rows of so many values in another order.
fn arranged<T: Copy + Default + Send + Sync>(values: &[T], width: usize, order: &[u32]) -> Vec<T> {
    let mut arranged = vec![T::default(); values.len()];
    let rows = order.par_iter().zip(arranged.par_chunks_exact_mut(width));
    rows.for_each(|(&place, row)| row.copy_from_slice(&values[place as usize * width..][..width]));
    arranged
}

vectorized! {
    /// Rounds the values of a row, from the centre and scaled, to whole steps.
    fn to_steps<'a>(row: &'a mut [f64], center: &'a [f64], scale: f64, steps: f64) -> () {
        for (value, center) in row.iter_mut().zip(center) {
            let scaled = ((*value - center) * scale).clamp(-1.0, 1.0);
            *value = nearest_integer(scaled * steps) / steps;
        }
    }
}

/// Rounds a number below 2⁵¹; in two additions where `round` may be a call.
#[inline(always)]
fn nearest_integer(number: f64) -> f64 {
    const SHIFT: f64 = 1.5 * (1u64 << 52) as f64;
    number + SHIFT - SHIFT
}

/// Drops the sketches of rows without a direction, which are NaN; returns the rows of the others.
fn with_direction(values: &mut Vec<f32>, width: usize) -> Vec<u32> {
    let mut rows = Vec::with_capacity(values.len() / width);
    for row in 0..values.len() / width {
        if !values[row * width].is_nan() {
            values.copy_within(row * width..(row + 1) * width, rows.len() * width);
            rows.push(row as u32);
        }
    }
    values.truncate(rows.len() * width);
    rows
}
