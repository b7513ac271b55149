//! Upper bounds of the distance of two samples, from their distances to a third one.

use crate::samples::metric::Metric;

/// Upper bounds of distances as they are rounded.
///
/// Distances add up along a path (the triangle inequality), but under cosine: there the root of twice a
/// distance does, which is the length between the ends of the two directions.
#[derive(Clone, Copy, Debug)]
pub(super) struct Bounds {
    metric: Metric,
    /// The most that rounding can add to a distance, as a share of it and under cosine beside that.
    rounding: f64,
}

impl Bounds {
    /// The bounds of distances of samples of so many features.
    pub(super) fn new(metric: Metric, features: usize) -> Self {
        // A sum of d terms of one sign is off by d + 1 roundings at most; eight times over, for a
        // path's distances, the sum of them, and safety.
        Self { metric, rounding: (features + 8) as f64 * 4.0 * f64::EPSILON }
    }

    /// The length that a distance stands for, along a path.
    pub(super) fn length(self, distance: f64) -> f64 {
        match self.metric {
            Metric::Cosine => (2.0 * (distance + self.rounding)).sqrt(),
            Metric::Euclidean | Metric::Manhattan | Metric::Hamming | Metric::Jaccard => distance,
        }
    }

    /// The longest distance at the ends of a path of this length.
    pub(super) fn of_path(self, length: f64) -> f64 {
        match self.metric {
            Metric::Cosine => self.raised(0.5 * length * length) + self.rounding,
            Metric::Euclidean | Metric::Manhattan | Metric::Hamming => self.raised(length),
            // None is above 1.
            Metric::Jaccard => self.raised(length).min(1.0),
        }
    }

    /// The longest distance of two rows without negative values whose keys to a row of zeros are these: no
    /// angle at the zero row is above a right one.
    pub(super) fn of_origin(self, keys: f64) -> f64 {
        match self.metric {
            _ if keys == f64::INFINITY => f64::INFINITY,
            Metric::Euclidean => self.raised(keys.sqrt()),
            Metric::Cosine => self.raised(1.0) + self.rounding,
            Metric::Manhattan | Metric::Hamming => self.raised(keys),
            // None is above 1.
            Metric::Jaccard => 1.0,
        }
    }

    fn raised(self, distance: f64) -> f64 {
        distance * (1.0 + self.rounding)
    }
}
