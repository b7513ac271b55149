//! Rows as coordinates along the principal axes of the data.
//!
//! Each row becomes (y, r), its p coordinates along the axes and its distance to the space of the
//! axes, p + 1 numbers whose distances bound those of the rows from below (see `samples/principal_axes.rs`).
//!
//! The amount that rounding can add to a bound is taken off. With u = 2⁻²⁴, y and r are rounded to f32,
//! by u·‖x‖ in all; and r² is a difference of sums of d and p terms in f64, along axes that f64 rounds,
//! so that r may be off by the root of 16(d + p)·2⁻⁵²·‖x‖². Let e·‖x‖ be the sum of both. A distance D
//! between rows that are each moved by e·‖x‖ grows to (D + e‖xᵢ‖ + e‖xⱼ‖)² ≤ D² + 5e·(‖xᵢ‖² + ‖xⱼ‖²) at
//! most, since D ≤ ‖xᵢ‖ + ‖xⱼ‖ and e is small.

use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use crate::neighbors::exact::blocked::block::{Block, Fine, lowered};
use crate::neighbors::exact::blocked::frame::Frame;
use crate::neighbors::exact::tuning::LADDER;
use crate::neighbors::kernel::{Panels, Terms};
use crate::run::progress::Meter;
use crate::samples::principal_axes::{Batch, distances_to_axes};
use crate::samples::rows::Rows;
use crate::support::memory::{collected, copied, expect_room, filled, resize, room};
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::spread;
use crate::support::simd::{stored, vectorized};

/// Rows along the principal axes.
pub(in crate::neighbors::exact) struct Coordinates {
    /// y, row by row: N × as many axes as there are.
    along: Array2<f32>,
    /// r along the axes of each rung of the ladder, N × 8.
    rests: Vec<[f32; LADDER.len()]>,
    /// The squared length of each row; NaN without a direction.
    squared_lengths: Vec<f64>,
    /// The number of each row in the data.
    numbers: Vec<usize>,
    /// e, the part of its length by which rounding may move a row.
    error: f64,
}

impl Coordinates {
    /// Projects one row out of every `step`. If the run is stopped, rows stay zero.
    pub(in crate::neighbors::exact) fn of(
        rows: &Rows<'_>,
        step: usize,
        axes: ArrayView2<'_, f64>,
        frame: &Frame,
        meter: &Meter,
    ) -> Self {
        let [most, features] = [axes.nrows(), axes.ncols()];
        let numbers: Vec<usize> = collected(spread(rows.len(), step));
        let (count, batch_rows) = (numbers.len(), Batch::rows_at_once(features));
        expect_room(count * most * size_of::<f32>());
        let mut along = Array2::zeros((count, most));
        let mut rests = filled([0.0; LADDER.len()], count);
        let mut squared_lengths = filled(0.0, count);
        let batches = along
            .as_slice_mut()
            .expect("a new array is contiguous")
            .par_chunks_mut(batch_rows * most)
            .zip(rests.par_chunks_mut(batch_rows))
            .zip(squared_lengths.par_chunks_mut(batch_rows));
        batches.enumerate().shared().for_each_init(
            || Batch::new(features, most),
            |batch, (part, ((along, rests), squared_lengths))| {
                if meter.stopped() {
                    return;
                }
                let numbers = &numbers[part * batch_rows..][..squared_lengths.len()];
                load(rows, numbers, step, &mut batch.rows);
                let loaded = batch.rows.chunks_exact_mut(features);
                for (row, squared_length) in loaded.zip(&mut *squared_lengths) {
                    *squared_length = frame.move_and_scale(row);
                    if squared_length.is_nan() {
                        row.fill(0.0);
                    }
                }
                batch.project(axes, |row, _, y| {
                    let along = &mut along[row * most..][..most];
                    along.iter_mut().zip(y).for_each(|(along, y)| *along = *y as f32);
                    rests[row] = distances_to_axes(y, squared_lengths[row], LADDER);
                });
            },
        );
        let r = (16.0 * (features + most) as f64 * f64::EPSILON).sqrt();
        Self { along, rests, squared_lengths, numbers, error: r + f64::from(f32::EPSILON) }
    }

    /// The number of rows.
    pub(in crate::neighbors::exact) fn len(&self) -> usize {
        self.squared_lengths.len()
    }

    /// The number of a row in the data.
    pub(in crate::neighbors::exact) fn number(&self, row: usize) -> usize {
        self.numbers[row]
    }

    /// The number of axes.
    pub(in crate::neighbors::exact) fn axes(&self) -> usize {
        self.along.ncols()
    }

    /// Where a row is along an axis.
    pub(in crate::neighbors::exact) fn along(&self, row: u32, axis: usize) -> f32 {
        self.along[[row as usize, axis]]
    }

    /// The rungs of the ladder that there are axes for: the place and the number of axes of each.
    pub(in crate::neighbors::exact) fn rungs(&self) -> impl Iterator<Item = (usize, usize)> {
        LADDER.into_iter().enumerate().filter(|(_, axes)| *axes <= self.axes())
    }

    /// Lower bounds, but for rounding, of the squared distance of two rows, along the axes of each
    /// rung. Infinite on rungs that there are no axes for, and for a row without a direction.
    pub(in crate::neighbors::exact) fn bounds(
        &self,
        row: usize,
        other: usize,
    ) -> [f32; LADDER.len()] {
        let mut bounds = [f32::INFINITY; LADDER.len()];
        if self.squared_lengths[row].is_nan() || self.squared_lengths[other].is_nan() {
            return bounds;
        }
        let [x, y] = [row, other].map(|row| self.along.row(row).to_slice().expect("contiguous"));
        let along = squares_along(x, y);
        for (rung, _) in self.rungs() {
            let rest = self.rests[row][rung] - self.rests[other][rung];
            bounds[rung] = along[rung] + rest * rest;
        }
        bounds
    }

    /// A block of some rows, to be multiplied along the axes of a rung.
    pub(in crate::neighbors::exact) fn block(&self, rows: &[u32], rung: usize) -> Block {
        let axes = LADDER[rung];
        let moved = 5.0 * self.error;
        let most = self.axes();
        let mut rows = copied(rows);
        rows.sort_unstable();
        let mut panels = Panels::new(rows.len(), axes + 1, Terms::Products);
        let mut values = filled(0.0, axes + 1);
        let mut fine = (axes < most).then(|| Fine {
            width: most + 1,
            values: room(rows.len() * (most + 1)),
            slack: room(rows.len()),
        });
        for (place, row) in rows.iter().map(|&row| row as usize).enumerate() {
            let (squared_length, rests) = (self.squared_lengths[row], self.rests[row]);
            let along = self.along.row(row).to_slice().expect("rows are contiguous");
            values[..axes].copy_from_slice(&along[..axes]);
            values[axes] = rests[rung];
            panels.set(place, &values, lowered(squared_length, axes + 1, moved));
            if let Some(fine) = &mut fine {
                fine.values.extend(along);
                fine.values.push(rests[LADDER.len() - 1]);
                fine.slack.push((squared_length * moved) as f32);
            }
        }
        Block { rows, panels, fine }
    }
}

vectorized! {
    /// Σ(xᵢ−yᵢ)² along the axes of each rung; along all axes on a rung that there are no axes for.
    fn squares_along<'a>(x: &'a [f32], y: &'a [f32]) -> [f32; LADDER.len()] {
        let ((x, _), (y, _)) = (x.as_chunks::<{ LADDER[0] }>(), y.as_chunks::<{ LADDER[0] }>());
        let (mut lanes, mut before) = ([0.0_f32; LADDER[0]], 0);
        LADDER.map(|axes| {
            let parts = (axes / LADDER[0]).min(x.len());
            for (x, y) in x[before..parts].iter().zip(&y[before..parts]) {
                for lane in 0..LADDER[0] {
                    lanes[lane] += (x[lane] - y[lane]) * (x[lane] - y[lane]);
                }
            }
            before = parts;
            stored(lanes).iter().sum()
        })
    }
}

/// Loads rows by their numbers, one out of every `step`.
fn load(rows: &Rows<'_>, numbers: &[usize], step: usize, values: &mut Vec<f64>) {
    if step == 1 {
        rows.load_points(numbers[0]..numbers[0] + numbers.len(), values);
        return;
    }
    resize(values, numbers.len() * rows.features(), 0.0);
    for (&number, row) in numbers.iter().zip(values.chunks_exact_mut(rows.features())) {
        rows.load_point(number, row);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::neighbors::kernel::all_sums;
    use crate::samples::Samples;
    use crate::samples::metric::Metric;
    use crate::samples::principal_axes::Projection;

    /// Checks both bounds of all pairs of rows.
    fn check(name: &str, matrix: &Array2<f64>) {
        let meter = &Meter::stopped_at_once(false);
        let rows = &Rows::new(Samples::new(matrix.view()).unwrap(), Metric::Euclidean);
        let frame = Frame::of(rows, meter);
        let projection = Projection::of(rows, 128.min(matrix.ncols()), || false);
        let coordinates = Coordinates::of(rows, 1, projection.axes(), &frame, meter);
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        for (rung, axes) in coordinates.rungs() {
            let block = coordinates.block(&all, rung);
            let sums = all_sums(&block.panels, &block.panels);
            for (i, j) in (0..rows.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let [x, y] = [i, j].map(|i| matrix.row(i).to_vec());
                let limit = frame.limit(rows.metric.key(&x, &y));
                let bound = -2.0 * sums[i][j];
                assert!(bound <= limit, "{name}: {bound} above {limit} along {axes}");
                if let Some(fine) = &block.fine {
                    let bound = fine.bound(i, fine, j);
                    assert!(bound <= limit, "{name}: closer {bound} above {limit}");
                }
            }
        }
    }

    /// Where bounds are as close as rounding leaves them: rows in a plane, rows hardly apart for
    /// their length, and rows that are apart only beside the principal axes.
    #[test]
    fn bounds_are_never_above_distances() {
        let noise = |i: usize, j: usize| ((i * 7919 + j * 104_729) % 1_000_003) as f64 / 1e6 - 0.5;
        let plane = |i: usize, j: usize| {
            (0..4).map(|axis| noise(i, axis + 900) * noise(axis + 300, j)).sum::<f64>()
        };
        for features in [8, 20, 150, 600] {
            let data = |of: &dyn Fn(usize, usize) -> f64| {
                Array2::from_shape_fn((150, features), |(i, j)| of(i, j))
            };
            check("plane", &data(&plane));
            check("far", &data(&|i, j| plane(i, j) + if i % 50 == 0 { 1e4 } else { 0.0 }));
            let cell = |i: usize, j: usize| (i + j) % 40 == 7;
            check("cells", &data(&|i, j| if cell(i, j) { 1e20 } else { plane(i, j) }));
            check("twins", &data(&|i, j| plane(i / 2, j) + 1e-7 * noise(i, j)));
            check("far twins", &data(&|i, j| plane(i / 2, j) * 10.0 + 1e-4 * noise(i % 2, j)));
            check("thick", &data(&|i, j| plane(i, j) + 0.1 * noise(i, j)));
            check("noise", &data(&noise));
            check("one spot", &data(&|_, j| noise(0, j)));
        }
    }
}
