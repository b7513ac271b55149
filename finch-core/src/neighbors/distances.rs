//! The k nearest samples where the caller brings the distances of all pairs.

use ndarray::{ArrayView1, ArrayView2, Axis, Slice};
use rayon::prelude::*;

use super::nearest::{Nearest, offer};
use super::table::Neighbors;
use crate::error::{Error, Result};
use crate::memory::{collected, filled};
use crate::progress::Meter;

/// The largest distance: sums over all pairs of 2³¹ samples stay finite.
const LARGEST: f64 = 1e280;

/// The difference of two mirrored distances, relative to the larger one, that passes for rounding.
const ROUNDING: f64 = 1e-12;

/// Rows that are compared with the same columns, whose mirrored distances share cache lines.
const BLOCK: usize = 64;

/// A matrix of the distances of all pairs of samples, N × N.
#[derive(Clone, Copy)]
pub(crate) struct Distances<'a> {
    matrix: ArrayView2<'a, f64>,
}

/// The distance at a place, if it can be one; never −0.
///
/// # Errors
/// [`Error::InvalidDistance`].
pub(super) fn sound(row: usize, column: usize, value: f64) -> Result<f64> {
    let reason = match value {
        0.0..=LARGEST => return Ok(value + 0.0),
        _ if !value.is_finite() => "is not finite",
        ..0.0 => "is negative",
        _ => "is too large to be summed up: rescale the distances",
    };
    Err(Error::InvalidDistance { row, column, value, reason })
}

/// Whether a value can be a distance, and differs from that of the pair in the other order by rounding
/// only.
#[inline(always)]
fn may_mirror(value: f64, mirrored: f64) -> bool {
    let symmetric = (value - mirrored).abs() <= ROUNDING * value.max(mirrored);
    (0.0..=LARGEST).contains(&value) && symmetric
}

impl<'a> Distances<'a> {
    /// A matrix that is square, and not yet checked beyond that.
    ///
    /// # Errors
    /// [`Error::NoSamples`], [`Error::Shape`], [`Error::TooManySamples`].
    pub(crate) fn square(matrix: ArrayView2<'a, f64>) -> Result<Self> {
        let (samples, columns) = matrix.dim();
        if samples != columns {
            let (expected, found) = ([samples; 2], [samples, columns]);
            return Err(Error::Shape { what: "the distance matrix", expected, found });
        }
        match samples {
            0 => Err(Error::NoSamples),
            _ if i32::try_from(samples).is_err() => Err(Error::TooManySamples { samples }),
            _ => Ok(Self { matrix }),
        }
    }

    pub(crate) fn samples(&self) -> usize {
        self.matrix.nrows()
    }

    /// The distances from a sample.
    pub(crate) fn from(&self, sample: usize) -> ArrayView1<'a, f64> {
        self.matrix.index_axis_move(Axis(0), sample)
    }

    /// Checks every distance. Advances the meter by N for each row; where it is stopped, checks less.
    ///
    /// # Errors
    /// [`Error::InvalidDistance`], for the first fault in row-major order of the first [`BLOCK`] of
    /// rows that has one.
    pub(crate) fn check(&self, meter: &Meter) -> Result<()> {
        let samples = self.samples();
        let blocks = (0..samples.div_ceil(BLOCK)).into_par_iter();
        let fault = blocks.find_map_first(|block| {
            let rows = block * BLOCK..samples.min((block + 1) * BLOCK);
            if meter.stopped() {
                return None;
            }
            let in_tiles = (0..samples).step_by(BLOCK).all(|first| {
                let columns = Slice::from(first..samples.min(first + BLOCK));
                rows.clone().all(|row| {
                    let of_row = self.from(row).slice_axis_move(Axis(0), columns);
                    let mirrored = self.matrix.index_axis_move(Axis(1), row);
                    let mirrored = mirrored.slice_axis_move(Axis(0), columns);
                    let mut pairs = of_row.iter().zip(mirrored);
                    pairs.all(|(&value, &mirrored)| may_mirror(value, mirrored))
                })
            });
            let diagonal = || rows.clone().all(|row| self.matrix[[row, row]] == 0.0);
            let sound = in_tiles && diagonal();
            meter.advance((rows.len() * samples) as u64);
            let mut places = rows.flat_map(|row| (0..samples).map(move |column| (row, column)));
            if sound { None } else { places.find_map(|(row, column)| self.fault(row, column)) }
        });
        fault.map_or(Ok(()), Err)
    }

    fn fault(&self, row: usize, column: usize) -> Option<Error> {
        let value = self.matrix[[row, column]];
        let reason = match sound(row, column, value) {
            Err(fault) => return Some(fault),
            Ok(0.0) if row == column => return None,
            Ok(_) if row == column => "is not 0, though it is that of a sample to itself",
            Ok(_) if may_mirror(value, self.matrix[[column, row]]) => return None,
            Ok(_) if sound(column, row, self.matrix[[column, row]]).is_err() => {
                return self.fault(column, row);
            }
            Ok(_) => {
                "differs from that with row and column exchanged: take the mean of the matrix and \
                 its transpose"
            }
        };
        Some(Error::InvalidDistance { row, column, value, reason })
    }

    /// The `k` nearest of each sample, of equal distances those of the smallest numbers; or as many as
    /// there are other samples. Advances the meter by N for each row; where it is stopped, any.
    pub(crate) fn nearest(&self, k: usize, meter: &Meter) -> Neighbors {
        let samples = self.samples();
        let k = k.min(samples - 1);
        let mut nearest = filled(Nearest::NONE, samples * k);
        nearest.par_chunks_mut(k.max(1)).enumerate().for_each(|(sample, list)| {
            if meter.stopped() {
                return;
            }
            for (other, &distance) in (0..).zip(self.from(sample)) {
                if other != sample as u32 {
                    offer(list, distance + 0.0, other);
                }
            }
            meter.advance(samples as u64);
        });
        let index = collected(nearest.iter().map(|nearest| nearest.index));
        let distance = collected(nearest.iter().map(|nearest| nearest.key));
        Neighbors::brought(samples, k, index, distance)
    }
}
