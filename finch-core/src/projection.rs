//! Main axes of the data, and distances along them that bound the true ones from below.
//!
//! For orthonormal axes P, with y = P·x and r = ‖x − Pᵀy‖,
//! ‖xᵢ−xⱼ‖² ≥ ‖yᵢ−yⱼ‖² + (rᵢ−rⱼ)². So (y, r), a short vector, tells at a fraction of the cost which
//! pairs need no direct distance. The closer the axes are to the main ones the better the bound,
//! but it holds for any.

use ndarray::{Array2, ArrayView1, ArrayView2, ArrayViewMut1, Axis, concatenate};
use rayon::prelude::*;

use crate::element::Element;
use crate::rows::{Rows, scrambled};

/// Rows that the axes are found from, and values of them at most.
const SAMPLE: usize = 2048;
const SAMPLE_VALUES: usize = 1 << 24;
/// Multiplications by the covariance; each brings the axes nearer to the main ones.
const ITERATIONS: usize = 3;
/// Rows or columns of the sample that a thread takes at a time.
const PART: usize = 256;

/// Orthonormal axes in feature space, around a centre.
pub(crate) struct Projection {
    center: Vec<f64>,
    axes: Array2<f64>,
}

impl Projection {
    /// The `axes` main axes of the rows, or nearly so, by subspace iteration; any, if it is stopped.
    pub(crate) fn of<A: Element>(
        rows: &Rows<'_, A>,
        axes: usize,
        stopped: impl Fn() -> bool + Sync,
    ) -> Self {
        let fitting = SAMPLE_VALUES / rows.features();
        let mut sample = rows.sample(SAMPLE.min(fitting).max(2 * axes));
        let center = rows.center();
        sample -= &ArrayView1::from(&center);
        // Any start that is not orthogonal to the data does; this one is the same in every run.
        let mut axes = Array2::from_shape_fn((axes, rows.features()), |(axis, feature)| {
            let bits = scrambled((axis * rows.features() + feature) as u64) >> 11;
            bits as f64 / (1u64 << 52) as f64 - 1.0
        });
        for _ in 0..ITERATIONS {
            orthonormalize(&mut axes, &stopped);
            if stopped() {
                break;
            }
            axes = by_covariance(&axes, &sample);
        }
        orthonormalize(&mut axes, &stopped);
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

/// Multiplies axes by the covariance of a sample, on all threads: in parts that none sums up, so that
/// the axes do not depend on the number of threads.
fn by_covariance(axes: &Array2<f64>, sample: &Array2<f64>) -> Array2<f64> {
    let by_parts = |along: Axis, product: &(dyn Fn(ArrayView2<'_, f64>) -> Array2<f64> + Sync)| {
        let parts: Vec<ArrayView2<'_, f64>> = sample.axis_chunks_iter(along, PART).collect();
        let products: Vec<Array2<f64>> = parts.into_par_iter().map(product).collect();
        let products: Vec<ArrayView2<'_, f64>> = products.iter().map(|part| part.view()).collect();
        concatenate(Axis(1), &products).expect("all have a row for each axis")
    };
    if sample.is_empty() {
        return Array2::zeros(axes.dim());
    }
    let projected: Array2<f64> = by_parts(Axis(0), &|rows| axes.dot(&rows.t()));
    by_parts(Axis(1), &|columns| projected.dot(&columns))
}

/// Makes the rows orthonormal (Gram–Schmidt, twice over); a row that depends on those before it
/// becomes zero, which bounds from below as well.
fn orthonormalize(axes: &mut Array2<f64>, stopped: impl Fn() -> bool) {
    for axis in 0..axes.nrows() {
        if stopped() {
            return;
        }
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
