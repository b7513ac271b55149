//! Lower bounds of the distances of means that have many features.

use ndarray::Array2;

use crate::samples::metric::Metric;
use crate::samples::principal_axes::Projection;
use crate::samples::rows::Rows;
use crate::support::memory::{expect_room, filled};

/// Axes of the projection. MNIST-70k from 12,691 clusters to 10 on two cores, by centroid and by Ward
/// linkage: 4.5 and 6.4 s with 16 axes, 3.4 and 4.6 s with 32, 6 and 10 s with 64, and 40 and 71 s
/// without a projection.
const AXES: usize = 32;
/// The fewest features for which a projection pays.
pub(super) const PROJECTED_FEATURES: usize = 3 * AXES;

/// Projected means, and what rounding may add to a distance between them.
pub(super) struct Bounds {
    projection: Projection,
    projected: Array2<f64>,
    slack: f64,
}

impl Bounds {
    pub(super) fn of(rows: &Rows<'_>) -> Self {
        let projection = Projection::of(rows, AXES, || false);
        expect_room(rows.len() * projection.len() * size_of::<f64>());
        let mut projected = Array2::zeros((rows.len(), projection.len()));
        let mut row = filled(0.0, rows.features());
        // The mean of merged clusters lies between the means that merge, and a direction on the
        // sphere: so the longest row of the start stays the longest.
        let mut longest: f64 = if rows.metric == Metric::Cosine { 4.0 } else { 0.0 };
        for (index, mut projected) in projected.outer_iter_mut().enumerate() {
            rows.load_point(index, &mut row);
            let projected = projected.as_slice_mut().expect("a new matrix is row-major");
            longest = longest.max(projection.project(&mut row, projected));
        }
        // With rows of length L from the centre, projecting and summing d products rounds each of
        // the p + 1 coordinates by at most about d·ε·L, and so a squared distance of at most (2L)²
        // by 4·√p·d·ε·L² to first order; p in place of √p, and doubled for the rounding of the axes
        // and of means to f32.
        let slack = 8.0 * longest * (AXES * rows.features()) as f64 * f64::EPSILON;
        Self { projection, projected, slack }
    }

    pub(super) fn update(&mut self, rows: &Rows<'_>, cluster: usize) {
        let mut row = filled(0.0, rows.features());
        rows.load_point(cluster, &mut row);
        let mut projected = self.projected.row_mut(cluster);
        let projected = projected.as_slice_mut().expect("rows of a row-major matrix");
        self.projection.project(&mut row, projected);
    }

    /// A lower bound of the squared distance of two means; 0 for a mean without a direction.
    pub(super) fn squared(&self, a: u32, b: u32) -> f64 {
        let row = |cluster: u32| {
            let start = cluster as usize * self.projected.ncols();
            &self.projected.as_slice().expect("row-major")[start..start + self.projected.ncols()]
        };
        // Also for Manhattan, whose distances are never below the Euclidean ones.
        let squared = Metric::Euclidean.key(row(a), row(b));
        f64::max(squared * (1.0 - 1e-9) - self.slack, 0.0)
    }
}
