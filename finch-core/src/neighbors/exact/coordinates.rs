//! Rows as coordinates along the main axes of the data.
//!
//! With y = P·x along orthonormal axes P and r = √(‖x‖²−‖y‖²), the distance to them,
//! ‖xᵢ−xⱼ‖² ≥ ‖yᵢ−yⱼ‖² + (rᵢ−rⱼ)²: (y, r) are p + 1 numbers that bound distances from below.
//!
//! With u = 2⁻²⁴, y and r are rounded to f32, by u·‖x‖ in all; and r² is a difference of sums of d
//! and p terms in f64, along axes that f64 rounds, so that r may be off by the root of
//! 16(d + p)·2⁻⁵²·‖x‖². A distance D between rows that are moved by e·‖x‖ each grows to
//! (D + e‖xᵢ‖ + e‖xⱼ‖)² ≤ D² + 5e·(‖xᵢ‖² + ‖xⱼ‖²) at most, since D ≤ ‖xᵢ‖ + ‖xⱼ‖ and e is small.

use ndarray::linalg::general_mat_mul;
use ndarray::{Array2, ArrayView2, s};
use rayon::prelude::*;

use super::block::{Block, Fine, lowered};
use super::frame::Frame;
use crate::element::Element;
use crate::neighbors::kernel::Panels;
use crate::progress::Meter;
use crate::rows::{Rows, spread};
use crate::vector::{stored, vectorized};

/// Numbers of axes that blocks may be multiplied along, multiples of the first. The last are those
/// of the closer bound.
pub(super) const AXES: [usize; 8] = [8, 16, 24, 32, 48, 64, 96, 128];
/// Rows that are projected at a time, and values of them at most.
const PART: usize = 256;
const PART_VALUES: usize = 1 << 20;

/// Rows along the main axes.
pub(super) struct Coordinates {
    /// y, row by row: N × as many axes as there are.
    along: Array2<f32>,
    /// r for each of `AXES`, N × 8.
    rests: Vec<[f32; AXES.len()]>,
    /// The squared length of each row; NaN without direction.
    norms: Vec<f64>,
    /// Which rows these are.
    numbers: Vec<usize>,
    /// e, see above.
    error: f64,
}

impl Coordinates {
    /// Projects one row out of every `step`, unless nobody waits for them any more.
    pub(super) fn of<A: Element>(
        rows: &Rows<'_, A>,
        step: usize,
        axes: ArrayView2<'_, f64>,
        frame: &Frame,
        meter: &Meter,
    ) -> Self {
        let [most, features] = [axes.nrows(), axes.ncols()];
        let numbers: Vec<usize> = spread(rows.len(), step).collect();
        let (count, part_rows) = (numbers.len(), PART.min(PART_VALUES / features).max(1));
        let mut along = Array2::zeros((count, most));
        let mut rests = vec![[0.0; AXES.len()]; count];
        let mut norms = vec![0.0; count];
        let parts =
            along.as_slice_mut().expect("it is contiguous").par_chunks_mut(part_rows * most);
        let parts = parts.zip(rests.par_chunks_mut(part_rows)).zip(norms.par_chunks_mut(part_rows));
        parts.enumerate().for_each_init(
            || (Vec::new(), Array2::zeros((part_rows, most))),
            |(values, products), (part, ((along, rests), norms))| {
                if meter.stopped() {
                    return;
                }
                let numbers = &numbers[part * part_rows..][..norms.len()];
                match step {
                    1 => rows.load_block(numbers[0]..numbers[0] + numbers.len(), values),
                    _ => {
                        values.resize(norms.len() * features, 0.0);
                        for (&number, row) in numbers.iter().zip(values.chunks_exact_mut(features))
                        {
                            rows.load(number, row);
                        }
                    }
                }
                for (row, norm) in values.chunks_exact_mut(features).zip(&mut *norms) {
                    *norm = frame.place(row);
                    if norm.is_nan() {
                        row.fill(0.0);
                    }
                }
                let values = ArrayView2::from_shape((norms.len(), features), values);
                let values = values.expect("rows are whole");
                let mut products = products.slice_mut(s![..norms.len(), ..]);
                general_mat_mul(1.0, &values, &axes.t(), 0.0, &mut products);
                for (y, along) in products.iter().zip(along) {
                    *along = *y as f32;
                }
                for ((y, rests), norm) in products.outer_iter().zip(rests).zip(&*norms) {
                    *rests = distances_to_axes(y.as_slice().expect("rows are contiguous"), *norm);
                }
            },
        );
        let r = (16.0 * (features + most) as f64 * f64::EPSILON).sqrt();
        Self { along, rests, norms, numbers, error: r + f64::from(f32::EPSILON) }
    }

    /// The number of rows.
    pub(super) fn len(&self) -> usize {
        self.norms.len()
    }

    /// The number of one of these rows among all.
    pub(super) fn number(&self, row: usize) -> usize {
        self.numbers[row]
    }

    /// The number of axes.
    pub(super) fn axes(&self) -> usize {
        self.along.ncols()
    }

    /// Where a row is along an axis.
    pub(super) fn along(&self, row: u32, axis: usize) -> f32 {
        self.along[[row as usize, axis]]
    }

    /// Those of `AXES` that there are, with their number.
    pub(super) fn choices(&self) -> impl Iterator<Item = (usize, usize)> {
        AXES.into_iter().enumerate().filter(|(_, axes)| *axes <= self.axes())
    }

    /// Lower bounds, but for rounding, of the squared distance of two rows along each of `AXES`;
    /// infinite along more than there are, or for a row without direction.
    pub(super) fn bounds(&self, row: usize, other: usize) -> [f32; AXES.len()] {
        let mut bounds = [f32::INFINITY; AXES.len()];
        if self.norms[row].is_nan() || self.norms[other].is_nan() {
            return bounds;
        }
        let [x, y] = [row, other].map(|row| self.along.row(row).to_slice().expect("contiguous"));
        let along = squares_along(x, y);
        for (number, _) in self.choices() {
            let rest = self.rests[row][number] - self.rests[other][number];
            bounds[number] = along[number] + rest * rest;
        }
        bounds
    }

    /// Some rows as a block, to be multiplied along so many axes.
    pub(super) fn block(&self, rows: &[u32], choice: usize) -> Block {
        let axes = AXES[choice];
        let moved = 5.0 * self.error;
        let most = self.axes();
        let mut rows = rows.to_vec();
        rows.sort_unstable();
        let mut panels = Panels::new(rows.len(), axes + 1);
        let mut values = vec![0.0; axes + 1];
        let mut fine = (axes < most).then(|| Fine {
            width: most + 1,
            values: Vec::with_capacity(rows.len() * (most + 1)),
            slack: Vec::with_capacity(rows.len()),
        });
        for (place, row) in rows.iter().map(|&row| row as usize).enumerate() {
            let (norm, rests) = (self.norms[row], self.rests[row]);
            let along = self.along.row(row).to_slice().expect("rows are contiguous");
            values[..axes].copy_from_slice(&along[..axes]);
            values[axes] = rests[choice];
            panels.set(place, &values, lowered(norm, axes + 1, moved));
            if let Some(fine) = &mut fine {
                fine.values.extend(along);
                fine.values.push(rests[AXES.len() - 1]);
                fine.slack.push((norm * moved) as f32);
            }
        }
        Block { rows, panels, fine }
    }
}

vectorized! {
    /// Σ(xᵢ−yᵢ)² along each of `AXES`; along more than there are, as along the most of these.
    fn squares_along<'a>(x: &'a [f32], y: &'a [f32]) -> [f32; AXES.len()] {
        let ((x, _), (y, _)) = (x.as_chunks::<{ AXES[0] }>(), y.as_chunks::<{ AXES[0] }>());
        let (mut lanes, mut before) = ([0.0_f32; AXES[0]], 0);
        AXES.map(|axes| {
            let parts = (axes / AXES[0]).min(x.len());
            for (x, y) in x[before..parts].iter().zip(&y[before..parts]) {
                for lane in 0..AXES[0] {
                    lanes[lane] += (x[lane] - y[lane]) * (x[lane] - y[lane]);
                }
            }
            before = parts;
            stored(lanes).iter().sum()
        })
    }
}

/// r for each of `AXES`, or for all axes where there are fewer.
fn distances_to_axes(y: &[f64], norm: f64) -> [f32; AXES.len()] {
    let (mut left, mut before) = (norm, 0);
    AXES.map(|axes| {
        let axes = axes.min(y.len());
        left -= y[before..axes].iter().map(|y| y * y).sum::<f64>();
        before = axes;
        // Of a row without direction, 0.
        left.max(0.0).sqrt() as f32
    })
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::metric::Metric;
    use crate::neighbors::Nearest;
    use crate::neighbors::kernel::all_sums;
    use crate::projection::Projection;
    use crate::samples::Samples;

    /// Checks both bounds of all pairs of rows.
    fn check(name: &str, matrix: &Array2<f64>) {
        let meter = &Meter::stopped_at_once(false);
        let rows = &Rows::new(Samples::new(matrix.view()).unwrap(), Metric::Euclidean);
        let frame = Frame::of([rows, rows], meter);
        let projection = Projection::of(rows, 128.min(matrix.ncols()), || false);
        let coordinates = Coordinates::of(rows, 1, projection.axes(), &frame, meter);
        let all: Vec<u32> = (0..rows.len() as u32).collect();
        for (choice, axes) in coordinates.choices() {
            let block = coordinates.block(&all, choice);
            let sums = all_sums(&block.panels, &block.panels);
            for (i, j) in (0..rows.len()).flat_map(|i| (0..i).map(move |j| (i, j))) {
                let [x, y] = [i, j].map(|i| matrix.row(i).to_vec());
                let distance = Nearest { key: rows.metric.key(&x, &y), index: 0 };
                let limit = frame.limit(&[distance]);
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
    /// their length, and rows that are apart only beside the main axes.
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
            check("twins", &data(&|i, j| plane(i / 2, j) + 1e-7 * noise(i, j)));
            check("far twins", &data(&|i, j| plane(i / 2, j) * 10.0 + 1e-4 * noise(i % 2, j)));
            check("thick", &data(&|i, j| plane(i, j) + 0.1 * noise(i, j)));
            check("noise", &data(&noise));
            check("one spot", &data(&|_, j| noise(0, j)));
        }
    }
}
