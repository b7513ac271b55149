//! Neighbours that the caller brings, as other programs give them, and those in a matrix of
//! distances.

use ndarray::{ArrayView1, ArrayView2, Axis, Slice};
use rayon::prelude::*;

use super::lists::{Nearest, offer};
use super::table::Neighbors;
use crate::error::{Error, Result};
use crate::run::Run;
use crate::run::progress::Meter;
use crate::support::memory::{collected, collected_in_parallel, filled, reserve};
use crate::support::parallel::SharedSplitting as _;

/// In place of a neighbour, where a search of FAISS has found none.
const NOBODY: i64 = -1;

impl Neighbors {
    /// The neighbours of N samples as another program found them: N × m numbers from 0, and their
    /// distances.
    ///
    /// FAISS, PyNNDescent and scikit-learn's `kneighbors(X)` name each sample as a neighbour of its
    /// own, mostly in the first column; where rows are equal, in any. A sample's own number is left
    /// out wherever it is, with the distance beside it, and so is −1, which stands for no neighbour.
    /// A neighbour at an infinite distance, or at NaN, is none either. Each row keeps what it then has:
    /// rows may be of any length (radius graphs, lists that a search did not fill), and
    /// [`Neighbors::k`] is the length of the longest. A sample whose row has nobody is a cluster of its
    /// own in the first partition, unless it is the first neighbour of another sample. It is told by
    /// [`Neighbors::alone`], and [`Neighbors::expect_none_alone`] takes it for an error. Rows may be in
    /// any order: they are sorted by distance, and equal distances by number, as searches of this crate
    /// sort them.
    ///
    /// Distances of any kind will do for the first partition, the smaller the nearer. Where they are
    /// compared with other distances, they have to be lengths, or under cosine 1 − cos: FAISS gives
    /// *squared* Euclidean distances, of which the root is to be taken before clusters merge by
    /// neighbour linkage, or are linked by mean distance
    /// ([`Finch::fit_graph`](crate::Finch::fit_graph)), or their means are linked under
    /// [`LinkBound::FirstNeighbor`](crate::LinkBound::FirstNeighbor). Inner products are no distances.
    ///
    /// ```
    /// use finch_core::{Neighbors, Run};
    /// use ndarray::array;
    ///
    /// let index = array![[0, 2, 3], [1, 3, 2], [2, 0, 3], [3, 1, -1_i64]];
    /// let distance = array![[0.0, 1.0, 4.5], [0.0, 0.5, 4.0], [0.0, 1.0, 3.5], [0.0, 0.5, 9.9_f32]];
    /// let neighbors = Neighbors::given(index.view(), distance.view(), &mut Run::new())?;
    /// assert_eq!(neighbors.index(), array![[2, 3], [3, 2], [0, 3], [1, Neighbors::NONE]]);
    /// assert_eq!(neighbors.count(3), 1);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// - [`Error::Shape`]: `distance` has another shape than `index`.
    /// - [`Error::NoSamples`], [`Error::TooManySamples`].
    /// - [`Error::InvalidNeighborAt`]: a number that no sample has, or that is in a row twice.
    /// - [`Error::InvalidDistance`]: negative, or above 10²⁸⁰ and not infinite.
    /// - [`Error::Threads`], [`Error::OutOfMemory`].
    pub fn given<I, D>(
        index: ArrayView2<'_, I>,
        distance: ArrayView2<'_, D>,
        run: &mut Run<'_>,
    ) -> Result<Self>
    where
        I: Copy + Into<i64> + Sync,
        D: Copy + Into<f64> + Sync,
    {
        let [(samples, columns), found] = [index.dim(), distance.dim()];
        if (samples, columns) != found {
            let (expected, found) = ([samples, columns], [found.0, found.1]);
            return Err(Error::Shape { what: "the table of distances", expected, found });
        }
        match samples {
            0 => Err(Error::NoSamples),
            _ if i32::try_from(samples).is_err() => Err(Error::TooManySamples { samples }),
            _ => run.operate(samples, |run| run.install(|| Given { index, distance }.table())?),
        }
    }
}

struct Given<'a, I, D> {
    index: ArrayView2<'a, I>,
    distance: ArrayView2<'a, D>,
}

impl<I, D> Given<'_, I, D>
where
    I: Copy + Into<i64> + Sync,
    D: Copy + Into<f64> + Sync,
{
    fn table(&self) -> Result<Neighbors> {
        /// The length of a row at fault, which is then read again for the fault.
        const FAULTY: u32 = u32::MAX;
        let samples = self.index.nrows();
        let lens = (0..samples).into_par_iter().map_init(Vec::new, |others, row| {
            self.read(row, others).map_or(FAULTY, |()| others.len() as u32)
        });
        let lens = collected_in_parallel(lens);
        if let Some(faulty) = lens.iter().position(|&len| len == FAULTY) {
            self.read(faulty, &mut Vec::new())?;
        }
        let longest = lens.iter().max().map_or(0, |&len| len as usize);
        // There is a place for a first neighbour, even where nobody has one.
        let k = longest.max(usize::from(samples > 1));
        let mut index = filled(Neighbors::NONE, samples * k);
        let mut distance = filled(f64::INFINITY, samples * k);
        let rows = index.par_chunks_mut(k.max(1)).zip(distance.par_chunks_mut(k.max(1)));
        rows.enumerate().shared().for_each_init(Vec::new, |others, (row, (index, distance))| {
            self.read(row, others).expect("sound a moment ago");
            for (place, other) in others.iter().enumerate() {
                (index[place], distance[place]) = (other.index, other.key);
            }
        });
        Ok(Neighbors::brought(samples, k, index, distance))
    }

    /// Reads the other samples of a row, the nearest first.
    ///
    /// # Errors
    /// [`Error::InvalidNeighborAt`], [`Error::InvalidDistance`].
    fn read(&self, row: usize, others: &mut Vec<Nearest>) -> Result<()> {
        others.clear();
        reserve(others, self.index.ncols());
        let pairs = self.index.row(row).into_iter().zip(self.distance.row(row));
        for (column, (&neighbor, &distance)) in pairs.enumerate() {
            let neighbor: i64 = neighbor.into();
            if neighbor == NOBODY || neighbor == row as i64 {
                continue;
            }
            let number = u32::try_from(neighbor).ok();
            let Some(index) = number.filter(|&number| (number as usize) < self.index.nrows())
            else {
                let reason = "is no sample: count samples from 0, and give -1 for none";
                return Err(Error::InvalidNeighborAt { row, column, neighbor, reason });
            };
            let distance: f64 = distance.into();
            if distance.is_nan() || distance == f64::INFINITY {
                continue;
            }
            others.push(Nearest { key: sound(row, column, distance)?, index });
        }
        others.sort_unstable_by_key(|other| other.index);
        if let Some(twice) = others.windows(2).find(|pair| pair[0].index == pair[1].index) {
            let neighbor = i64::from(twice[0].index);
            let mut places = self.index.row(row).into_iter().map(|&index| index.into());
            let column = places.rposition(|index: i64| index == neighbor).expect("it was read");
            let reason = "is in the row twice";
            return Err(Error::InvalidNeighborAt { row, column, neighbor, reason });
        }
        others.sort_unstable_by(|a, b| a.key.total_cmp(&b.key).then(a.index.cmp(&b.index)));
        Ok(())
    }
}

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
        match rows.map(of_row).shared().reduce(|| (0.0, true), wider) {
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
        nearest.par_chunks_mut(k.max(1)).enumerate().shared().for_each(|(sample, list)| {
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
