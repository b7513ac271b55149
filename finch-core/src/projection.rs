//! Main axes of the data, and distances along them that bound the true ones from below.
//!
//! For orthonormal axes P, with y = P·x and r = ‖x − Pᵀy‖,
//! ‖xᵢ−xⱼ‖² ≥ ‖yᵢ−yⱼ‖² + (rᵢ−rⱼ)². So (y, r), a short vector, tells at a fraction of the cost which
//! pairs need no direct distance. The closer the axes are to the main ones the better the bound,
//! but it holds for any.

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut1, Axis};
use rayon::prelude::*;

use crate::element::Element;
use crate::rows::Rows;

/// Rows that the axes are found from.
const SAMPLE: usize = 2048;
/// Multiplications by the covariance; each brings the axes nearer to the main ones.
const ITERATIONS: usize = 3;
/// Rows of the sample that a thread takes at a time.
const PART: usize = 256;

/// Orthonormal axes in feature space, around a centre.
pub(crate) struct Projection {
    center: Vec<f64>,
    axes: Array2<f64>,
}

impl Projection {
    /// The `axes` main axes of the rows, or nearly so, by subspace iteration.
    pub(crate) fn of<A: Element>(rows: &Rows<'_, A>, axes: usize) -> Self {
        let mut sample = rows.sample(SAMPLE);
        let center = rows.center();
        sample -= &ArrayView1::from(&center);
        // Any start that is not orthogonal to the data does; this one is the same in every run.
        let mut axes = Array2::from_shape_fn((axes, rows.features()), |(axis, feature)| {
            scrambled((axis * rows.features() + feature) as u64)
        });
        for _ in 0..ITERATIONS {
            orthonormalize(&mut axes);
            axes = by_covariance(&axes, &sample);
        }
        orthonormalize(&mut axes);
        Self { center, axes }
    }

    /// The axes, a row for each.
    pub(crate) fn axes(&self) -> ArrayView2<'_, f64> {
        self.axes.view()
    }

    /// The length of a projected row.
    pub(crate) fn len(&self) -> usize {
        self.axes.nrows() + 1
    }

    /// Writes (y, r) of a row, and returns the row's squared distance to the centre. Uses up `row`.
    pub(crate) fn project(&self, row: &mut [f64], projected: &mut [f64]) -> f64 {
        row.iter_mut().zip(&self.center).for_each(|(value, center)| *value -= center);
        let mut row = ArrayViewMut1::from(row);
        let norm = row.dot(&row);
        for (axis, along) in self.axes.outer_iter().zip(projected.iter_mut()) {
            *along = axis.dot(&row);
        }
        // Summed from what is left over: ‖x‖² − ‖y‖² would cancel.
        for (axis, &along) in self.axes.outer_iter().zip(projected.iter()) {
            row.scaled_add(-along, &axis);
        }
        projected[self.axes.nrows()] = row.dot(&row).sqrt();
        norm
    }
}

/// Multiplies axes by the covariance of a sample, on all threads. Parts are summed up in order, so
/// that the axes do not depend on their number.
fn by_covariance(axes: &Array2<f64>, sample: &Array2<f64>) -> Array2<f64> {
    let parts: Vec<ArrayView2<'_, f64>> = sample.axis_chunks_iter(Axis(0), PART).collect();
    let products: Vec<Array2<f64>> =
        parts.par_iter().map(|part| axes.dot(&part.t()).dot(part)).collect();
    products.iter().fold(Array2::zeros(axes.dim()), |sum, product| sum + product)
}

/// A number between −1 and 1 that looks random (the finaliser of SplitMix64).
fn scrambled(number: u64) -> f64 {
    let mut bits = number.wrapping_add(1).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    bits = (bits ^ (bits >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    bits = (bits ^ (bits >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    (bits >> 11) as f64 / (1u64 << 52) as f64 - 1.0
}

/// Makes the rows orthonormal (Gram–Schmidt, twice over); a row that depends on those before it
/// becomes zero, which bounds from below as well.
fn orthonormalize(axes: &mut Array2<f64>) {
    for axis in 0..axes.nrows() {
        let (before, mut rest) = axes.view_mut().split_at(Axis(0), axis);
        let mut this = rest.row_mut(0);
        let length = this.dot(&this).sqrt();
        for _ in 0..2 {
            for other in before.outer_iter() {
                let along = other.dot(&this);
                this.scaled_add(-along, &other);
            }
        }
        let left = this.dot(&this).sqrt();
        let scale = if left > 1e-8 * length { 1.0 / left } else { 0.0 };
        this.mapv_inplace(|value| value * scale);
    }
}
