//! The origin and the unit in which rows are written in f32.

use rayon::prelude::*;

use crate::element::Element;
use crate::neighbors::nearest::{Nearest, last};
use crate::progress::Meter;
use crate::rows::Rows;

/// Rows loaded in f64 at a time.
pub(super) const LOADED: usize = 32;

/// What is lost where numbers are too small for f32, as a squared distance of scaled rows, whose
/// values are at most 1.
const UNDERFLOW: f64 = 1e-30;

/// Where rows are moved to and how they are scaled, so that f32 neither overflows nor loses small
/// numbers: by a power of two, which rounds nothing.
pub(super) struct Frame {
    center: Vec<f64>,
    scale: f64,
}

impl Frame {
    /// A frame for rows that are compared with each other.
    pub(super) fn of<A: Element>(sides: [&Rows<'_, A>; 2], meter: &Meter) -> Self {
        let features = sides[0].features();
        let center = sides[1].center();
        let largest = |rows: &Rows<'_, A>| {
            (0..rows.len().div_ceil(LOADED))
                .into_par_iter()
                .map_init(Vec::new, |values, block| {
                    if meter.stopped() {
                        return 0.0;
                    }
                    let first = block * LOADED;
                    rows.load_block(first..rows.len().min(first + LOADED), values);
                    let rows = values.chunks_exact(features);
                    rows.flat_map(|row| row.iter().zip(&center))
                        .map(|(value, center)| (value - center).abs())
                        .fold(0.0, f64::max)
                })
                .reduce(|| 0.0, f64::max)
        };
        let largest = f64::max(largest(sides[0]), largest(sides[1]));
        Self::around(center, largest)
    }

    /// A frame around a centre, from which no value is farther than the largest.
    pub(super) fn around(center: Vec<f64>, largest: f64) -> Self {
        let exponent = if largest > 0.0 { -largest.log2().ceil() } else { 0.0 };
        // Not beyond 2^440: keys below 1e-308 are rounded to multiples of 2^-1074, which must stay
        // far below UNDERFLOW when they are scaled. Rows that small all pass the filter.
        Self { center, scale: exponent.clamp(-500.0, 440.0).exp2() }
    }

    /// Moves and scales a row in place, and returns its squared length: NaN, as all its values, for
    /// a row without direction.
    pub(super) fn place(&self, row: &mut [f64]) -> f64 {
        let mut norm = 0.0;
        for (value, center) in row.iter_mut().zip(&self.center) {
            *value = (*value - center) * self.scale;
            norm += *value * *value;
        }
        norm
    }

    /// The largest lower bound with which another row may still enter a list.
    pub(super) fn limit(&self, list: &[Nearest]) -> f32 {
        ((last(list).key * self.scale * self.scale + UNDERFLOW) as f32).next_up()
    }
}
