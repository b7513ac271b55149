//! Rows as points of a few coordinates, whose distances bound those of the rows from below.
//!
//! - At most [`MOST_COORDINATES`] features are the coordinates themselves.
//! - More features, under Euclidean and cosine, are (y, r): the coordinates y along principal axes of the
//!   data, and the distance r to the space of the axes (see `samples/principal_axes.rs`).
//! - More features, under Manhattan, are the sums of so many groups of features: by the triangle
//!   inequality |Σxᵢ − Σyᵢ| ≤ Σ|xᵢ − yᵢ| in each group.
//!
//! The amount that rounding can add to a distance of points is allowed for where limits are set. In f64,
//! and with axes of d values that are orthonormal to within a few roundings, a row is moved by at most
//! e·‖x‖, where e = (d + 8)(p + 8)·2⁻⁵² for p coordinates. A row at distance D of a query q is no longer
//! than ‖q‖ + D, so that the distance of the points is at most D + e·(2‖q‖ + D).

use rayon::prelude::*;

use crate::neighbors::exact::tuning::{LOADED, MOST_COORDINATES};
use crate::run::progress::Meter;
use crate::samples::metric::{Metric, by_lanes};
use crate::samples::principal_axes::Projection;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, filled};
use crate::support::parallel::SharedSplitting as _;

/// Rows with a direction, as points.
pub(in crate::neighbors::exact) struct Points {
    /// The coordinates, point by point; none after [`Points::keep_rows`], unless they are rows.
    values: Vec<f64>,
    /// The coordinates of a point.
    pub(in crate::neighbors::exact) width: usize,
    /// The number of each point's row.
    pub(in crate::neighbors::exact) rows: Vec<u32>,
    metric: Metric,
    /// e, the part of its length by which rounding may move a row; 0 if coordinates are features.
    error: f64,
    /// The length of each row, from where its coordinates are counted.
    lengths: Vec<f64>,
}

/// The axes that points of these rows are along; `None` where coordinates are features, or sums of
/// groups of features.
pub(in crate::neighbors::exact) fn axes_of(rows: &Rows<'_>, meter: &Meter) -> Option<Projection> {
    are_along_axes(rows).then(|| Projection::of(rows, MOST_COORDINATES - 1, || meter.stopped()))
}

fn are_along_axes(rows: &Rows<'_>) -> bool {
    rows.features() > MOST_COORDINATES && rows.metric.has_products()
}

impl Points {
    /// The rows that have a direction, as points: along the first of some `axes`, which there have to be
    /// where [`axes_of`] finds axes, of these rows or of others. If the run is stopped, coordinates stay
    /// zero.
    pub(in crate::neighbors::exact) fn of(
        rows: &Rows<'_>,
        axes: Option<&Projection>,
        meter: &Meter,
    ) -> Self {
        // Sums of groups do not bound Euclidean distances.
        assert_eq!(axes.is_some(), are_along_axes(rows), "points are along axes");
        let features = rows.features();
        let width = features.min(MOST_COORDINATES);
        let mut values = filled(0.0, rows.len() * width);
        let mut lengths = filled(0.0, rows.len());
        let parts = values.par_chunks_mut(LOADED * width).zip(lengths.par_chunks_mut(LOADED));
        parts.enumerate().shared().for_each_init(Vec::new, |loaded, (part, (values, lengths))| {
            if meter.stopped() {
                return;
            }
            let first = part * LOADED;
            rows.load_points(first..first + lengths.len(), loaded);
            let points = values.chunks_exact_mut(width).zip(lengths);
            for (row, (point, length)) in loaded.chunks_exact_mut(features).zip(points) {
                *length = match axes {
                    Some(axes) => axes.project(row, point).sqrt(),
                    None => sums_of_groups(row, point),
                };
            }
        });
        let error = match features > width {
            true => ((features + 8) * (width + 8)) as f64 * f64::EPSILON,
            false => 0.0,
        };
        let mut points = Self {
            values,
            width,
            rows: collected(0..rows.len() as u32),
            metric: rows.metric,
            error,
            lengths,
        };
        points.drop_rows_without_direction();
        points
    }

    /// The coordinates of a point.
    pub(in crate::neighbors::exact) fn of_point(&self, point: u32) -> &[f64] {
        &self.values[point as usize * self.width..][..self.width]
    }

    /// True if the coordinates of a point are its row as given. (Where a value is −0 the coordinate may
    /// be 0, which makes no difference to a key.)
    pub(in crate::neighbors::exact) fn are_rows(&self) -> bool {
        self.error == 0.0 && self.metric != Metric::Cosine
    }

    /// Forgets the coordinates, which nobody asks for after a tree is built, unless they are rows.
    pub(in crate::neighbors::exact) fn keep_rows(&mut self) {
        if !self.are_rows() {
            self.values = Vec::new();
        }
    }

    /// The number of points.
    pub(in crate::neighbors::exact) fn len(&self) -> usize {
        self.rows.len()
    }

    /// The largest distance, squared but for Manhattan, at which a point may stand for a row whose key
    /// with the row of point `query` is at most `key`. Below about 1e-145 squares lose their last bits,
    /// or vanish: so small, every distance is within the limit.
    pub(in crate::neighbors::exact) fn limit(&self, query: usize, key: f64) -> f64 {
        if key == f64::INFINITY {
            return key;
        }
        let is_squared = self.metric.has_products();
        let distance = if is_squared { self.metric.squared_of_points(key).sqrt() } else { key };
        let distance = distance + self.error * (2.0 * self.lengths[query] + distance);
        let limit = if is_squared { distance * distance } else { distance };
        limit * (1.0 + 1e-9) + 1e-290
    }

    fn drop_rows_without_direction(&mut self) {
        let width = self.width;
        let has_direction = |point: usize| !self.values[point * width].is_nan();
        if (0..self.len()).into_par_iter().shared().all(has_direction) {
            return;
        }
        self.rows.retain(|&row| has_direction(row as usize));
        for (point, &row) in self.rows.iter().enumerate() {
            let row = row as usize;
            self.values.copy_within(row * width..(row + 1) * width, point * width);
            self.lengths[point] = self.lengths[row];
        }
        self.values.truncate(self.rows.len() * width);
        self.lengths.truncate(self.rows.len());
    }
}

/// Writes the sums of as many groups of consecutive features as there are sums, and returns the sum of
/// all magnitudes.
fn sums_of_groups(row: &[f64], sums: &mut [f64]) -> f64 {
    let groups = sums.len();
    for (group, sum) in sums.iter_mut().enumerate() {
        *sum = row[group * row.len() / groups..(group + 1) * row.len() / groups].iter().sum();
    }
    by_lanes(row, row, |value, _| value.abs())
}
