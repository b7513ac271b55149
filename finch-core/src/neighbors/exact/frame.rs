//! The origin and the unit in which rows are written in f32.

use rayon::prelude::*;

use super::tuning::LOADED;
use crate::element::Element;
use crate::neighbors::nearest::{Nearest, last};
use crate::progress::Meter;
use crate::rows::Rows;

/// What a squared distance of scaled rows, whose values are at most 1, may lose where its terms are
/// too small for f32.
const UNDERFLOW: f64 = 1e-30;

/// Where rows are moved to and how they are scaled, so that f32 neither overflows nor loses small
/// numbers. The scale is a power of two, which rounds nothing.
pub(super) struct Frame {
    center: Vec<f64>,
    scale: f64,
}

impl Frame {
    /// A frame for the rows of two sides that are compared with each other, around the second.
    pub(super) fn of<A: Element>(sides: [&Rows<'_, A>; 2], meter: &Meter) -> Self {
        let features = sides[0].features();
        let center = sides[1].center();
        let largest = |rows: &Rows<'_, A>| {
            (0..rows.len().div_ceil(LOADED))
                .into_par_iter()
                .map_init(Vec::new, |values, part| {
                    if meter.stopped() {
                        return 0.0;
                    }
                    let first = part * LOADED;
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

    /// A frame around a centre, from which no value is farther than `largest`.
    pub(super) fn around(center: Vec<f64>, largest: f64) -> Self {
        let exponent = if largest > 0.0 { -largest.log2().ceil() } else { 0.0 };
        // Not beyond 2^440: keys below 1e-308 are rounded to multiples of 2^-1074, and these
        // roundings must stay far below UNDERFLOW when they are scaled. Rows that small all pass
        // the filter.
        Self { center, scale: exponent.clamp(-500.0, 440.0).exp2() }
    }

    /// Moves and scales a row in place, and returns its squared length: NaN, as all values become,
    /// for a row without a direction.
    pub(super) fn move_and_scale(&self, row: &mut [f64]) -> f64 {
        let mut squared_length = 0.0;
        for (value, center) in row.iter_mut().zip(&self.center) {
            *value = (*value - center) * self.scale;
            squared_length += *value * *value;
        }
        squared_length
    }

    /// The largest lower bound, in squared units of the frame, at which a row may still enter a
    /// list.
    pub(super) fn limit(&self, list: &[Nearest]) -> f32 {
        ((last(list).key * self.scale * self.scale + UNDERFLOW) as f32).next_up()
    }
}
