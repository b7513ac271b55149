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

/// The difference of two mirrored distances, relative to the larger one, that passes for rounding; and the
/// size of any difference or distance to itself, relative to the largest distance.
const ROUNDING: f64 = 1e-12;
/// The same relative to the largest distance where all values are of 32 bits: about eight roundings of
/// 2⁻²³, as cosine distances of float32 have them on the diagonal.
const ROUNDING_OF_SINGLES: f64 = 1e-6;

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

/// True if a value can be a distance, and differs from that of the pair in the other order by rounding
/// only, which may add so much to any value.
#[inline(always)]
fn may_mirror(value: f64, mirrored: f64, rounding: f64) -> bool {
    let slack = f64::max(ROUNDING * value.max(mirrored), rounding);
    let symmetric = (value - mirrored).abs() <= slack;
    (-rounding..=LARGEST).contains(&value) && symmetric
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

    /// The distances from a sample; that to itself is any.
    pub(crate) fn from(&self, sample: usize) -> impl Iterator<Item = f64> + use<'a> {
        // Rounding may have left less than 0.
        self.row(sample).into_iter().map(|distance| distance.max(0.0))
    }

    /// [`Distances::from`] as given, where rounding may have left less than 0.
    pub(crate) fn row(&self, sample: usize) -> ArrayView1<'a, f64> {
        self.matrix.index_axis_move(Axis(0), sample)
    }

    /// Checks every distance. Advances the meter by N for each row; where it is stopped, checks less.
    ///
    /// # Errors
    /// [`Error::InvalidDistance`], for the first fault in row-major order of the first [`BLOCK`] of
    /// rows that has one.
    pub(crate) fn check(&self, meter: &Meter) -> Result<()> {
        // Most matrices are symmetric bit for bit, and need not be read once more.
        self.check_but_for(0.0, 1, meter).or_else(|_| self.check_but_for(self.rounding(), 0, meter))
    }

    /// The amount that rounding may add to a distance: a share of the largest one.
    fn rounding(&self) -> f64 {
        let of_row = |row: usize| {
            let (mut largest, mut singles) = (0.0, true);
            for &value in self.row(row) {
                largest = f64::max(largest, value);
                singles &= f64::from(value as f32) == value;
            }
            (largest, singles)
        };
        let wider = |a: (f64, bool), b: (f64, bool)| (a.0.max(b.0), a.1 && b.1);
        let rows = (0..self.samples()).into_par_iter();
        match rows.map(of_row).reduce(|| (0.0, true), wider) {
            (LARGEST.., _) => 0.0,
            (largest, true) => ROUNDING_OF_SINGLES * largest,
            (largest, false) => ROUNDING * largest,
        }
    }

    /// [`Distances::check`], which lets rounding add so much to a distance, and counts so many parts for
    /// each.
    fn check_but_for(&self, rounding: f64, parts: usize, meter: &Meter) -> Result<()> {
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
                    let of_row = self.row(row).slice_axis_move(Axis(0), columns);
                    let mirrored = self.matrix.index_axis_move(Axis(1), row);
                    let mirrored = mirrored.slice_axis_move(Axis(0), columns);
                    let mut pairs = of_row.iter().zip(mirrored);
                    pairs.all(|(&value, &mirrored)| may_mirror(value, mirrored, rounding))
                })
            });
            let diagonal = || rows.clone().all(|row| self.matrix[[row, row]].abs() <= rounding);
            let sound = in_tiles && diagonal();
            meter.advance((parts * rows.len() * samples) as u64);
            let mut places = rows.flat_map(|row| (0..samples).map(move |column| (row, column)));
            let fault = |(row, column)| self.fault(row, column, rounding);
            if sound { None } else { places.find_map(fault) }
        });
        fault.map_or(Ok(()), Err)
    }

    fn fault(&self, row: usize, column: usize, rounding: f64) -> Option<Error> {
        let [value, mirrored] = [self.matrix[[row, column]], self.matrix[[column, row]]];
        let or_zero = |value: f64| if value.abs() <= rounding { value.abs() } else { value };
        let reason = match sound(row, column, or_zero(value)) {
            Err(fault) => return Some(fault),
            Ok(size) if row == column && size <= rounding => return None,
            Ok(size) if row == column => match self.from(row).all(|other| other <= size) {
                true => {
                    "is that of a sample to itself, and the largest of its row: these are similarities; \
                     give distances, such as 1 - s for similarities s of up to 1"
                }
                false => "is not 0, though it is that of a sample to itself: set the diagonal to 0",
            },
            Ok(_) if may_mirror(value, mirrored, rounding) => return None,
            Ok(_) if sound(column, row, or_zero(mirrored)).is_err() => {
                return self.fault(column, row, rounding);
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
            for (other, distance) in (0..).zip(self.from(sample)) {
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
