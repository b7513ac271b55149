//! Cluster means without a direction: means that are within rounding of 0, under cosine.
//!
//! The corners of a regular polygon have the mean 0, and their rounded sum points anywhere. A mean of this kind is
//! taken for the 0 that it stands for, and so for a zero row. With u the rounding of a sample's value, and
//! n samples in the cluster, Σx is off by at most
//!
//! ```text
//! u·Σ‖x‖          the values of the samples as given
//! n·2⁻⁵³·Σ‖x‖     n sums in f64
//! ```
//!
//! Twice the first, and the second, is within rounding. Of whole numbers sums are exact, and means are 0 or are
//! not.

use rayon::prelude::*;

use super::Partition;
use super::means::{LevelMeans, cluster_sizes};
use super::members::Members;
use crate::run::progress::Meter;
use crate::run::work::{is_little, mapped};
use crate::samples::element::{AnyArray, ElementType};
use crate::samples::metric::{Metric, is_sound, lift};
use crate::samples::owned::OwnedSamples;
use crate::samples::rows::Rows;
use crate::samples::twofold::rounded_product;
use crate::samples::weights::Weights;
use crate::samples::{AnySamples, Kind};
use crate::support::memory::{collected_in_parallel, filled, gathered, push, resize};

/// The zero rows among samples, which have no direction.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct ZeroRows {
    pub(crate) rows: usize,
    /// The smallest number of one.
    pub(crate) first: u32,
}

impl ZeroRows {
    /// The zero rows, if there are any, under cosine.
    pub(crate) fn of(samples: &AnySamples<'_>, metric: Metric) -> Option<Self> {
        let zero_rows = zero_rows_of(samples, metric);
        let first = *zero_rows.first()?;
        Some(Self { rows: zero_rows.len(), first })
    }
}

/// The numbers of the zero rows under cosine, rising; under other metrics none.
pub(crate) fn zero_rows_of(samples: &AnySamples<'_>, metric: Metric) -> Vec<u32> {
    match &samples.0 {
        _ if metric != Metric::Cosine => Vec::new(),
        Kind::Dense(matrix) => Rows::new(matrix.reborrow(), metric).zero_rows(),
        Kind::Sparse(samples) => {
            let is_zero = |row: &usize| samples.given(*row).all(|(_, value)| value == 0.0);
            gathered((0..samples.len()).filter(is_zero).map(|row| row as u32))
        }
    }
}

/// A mean of this share of its first sample's length, or longer, has a direction. Only shorter ones are
/// compared with the lengths of all their samples: a cluster would have to begin with a sample of less than
/// 10⁻⁵ of the others' length in f32, or 10⁻¹³ in f64, for its rounding to be above.
const SHORT: f64 = 1.0 / 64.0;

/// The amount by which rounding has moved each sample, as a share of its length, twice over; `None` for
/// whole numbers.
fn rounding(element: ElementType) -> Option<f64> {
    match element {
        ElementType::F64 => Some(2f64.powi(-52)),
        ElementType::F32 => Some(2f64.powi(-23)),
        ElementType::F16 => Some(2f64.powi(-10)),
        ElementType::BF16 => Some(2f64.powi(-8)),
        ElementType::I8 | ElementType::U8 | ElementType::Bits => None,
    }
}

/// √Σxᵢ² of values of any size.
fn length(values: &[f64]) -> f64 {
    let square = rounded_product(values, values);
    if is_sound(square) {
        return square.sqrt();
    }
    match values.iter().fold(0.0, |largest, value| f64::max(largest, value.abs())) {
        0.0 => 0.0,
        largest => {
            let factor = lift(largest);
            values.iter().map(|value| (value * factor).powi(2)).sum::<f64>().sqrt() / factor
        }
    }
}

/// The length of a sample.
fn length_of(samples: &AnySamples<'_>, sample: usize, buffer: &mut Vec<f64>) -> f64 {
    match samples.0 {
        Kind::Dense(matrix) => {
            resize(buffer, matrix.features(), 0.0);
            matrix.load(sample, buffer);
        }
        Kind::Sparse(samples) => {
            buffer.clear();
            samples.for_each(sample, |_, value| push(buffer, value));
        }
    }
    length(buffer)
}

/// The lengths of the samples of each cluster, added up.
pub(crate) struct Lengths {
    rounding: f64,
    sums: Vec<f64>,
}

impl Lengths {
    /// Of the clusters of a partition; `None` where means are what they are.
    pub(crate) fn of(
        samples: &AnySamples<'_>,
        weights: Option<&Weights>,
        partition: &Partition,
        metric: Metric,
    ) -> Option<Self> {
        let rounding = rounding(samples.element()).filter(|_| metric == Metric::Cosine)?;
        let rows = (0..samples.len()).into_par_iter();
        let lengths: Vec<f64> = collected_in_parallel(
            rows.map_init(Vec::new, |buffer, sample| length_of(samples, sample, buffer)),
        );
        let mut sums = filled(0.0, partition.clusters());
        for (sample, (&label, length)) in partition.labels().iter().zip(lengths).enumerate() {
            sums[label as usize] +=
                weights.map_or(1.0, |weights| weights.as_slice()[sample]) * length;
        }
        Some(Self { rounding, sums })
    }

    /// Cluster b joins cluster a.
    pub(crate) fn join(&mut self, [a, b]: [usize; 2]) {
        self.sums[a] += self.sums[b];
    }

    /// True if the samples of a cluster of this size, which have this sum, add up to 0 but for rounding.
    pub(crate) fn cancel(&self, cluster: usize, size: f64, sum: &[f64]) -> bool {
        is_within_rounding(self.rounding, size, length(sum), self.sums[cluster])
    }
}

fn is_within_rounding(rounding: f64, size: f64, of_sum: f64, lengths: f64) -> bool {
    of_sum <= (rounding + size * 2f64.powi(-53)) * lengths
}

/// The means of the newest of some partitions; 0 for those that have no direction.
pub(crate) fn directed_means(
    levels: &mut LevelMeans,
    samples: &AnySamples<'_>,
    weights: Option<&Weights>,
    partitions: &[Partition],
    metric: Metric,
    meter: &Meter,
) -> OwnedSamples {
    let mut means = levels.of_last_any(samples.reborrow(), weights, partitions, meter);
    let newest = &partitions[partitions.len() - 1];
    clear_undirected(&mut means, samples, weights, newest, metric);
    means
}

/// Writes 0 for the means of a partition that have no direction.
pub(crate) fn clear_undirected(
    means: &mut OwnedSamples,
    samples: &AnySamples<'_>,
    weights: Option<&Weights>,
    partition: &Partition,
    metric: Metric,
) {
    let undirected = undirected(&means.samples(), samples, weights, partition, metric);
    match means {
        OwnedSamples::Sparse(means) => undirected.iter().for_each(|&row| means.clear_row(row)),
        OwnedSamples::Dense(AnyArray::F64(means)) => {
            undirected.iter().for_each(|&row| means.row_mut(row).fill(0.0));
        }
        OwnedSamples::Dense(AnyArray::F32(means)) => {
            undirected.iter().for_each(|&row| means.row_mut(row).fill(0.0));
        }
        OwnedSamples::Dense(_) => unreachable!("means are of f32 or f64"),
    }
}

/// The clusters whose means have no direction, rising.
fn undirected(
    means: &AnySamples<'_>,
    samples: &AnySamples<'_>,
    weights: Option<&Weights>,
    partition: &Partition,
    metric: Metric,
) -> Vec<usize> {
    let Some(rounding) = rounding(samples.element()).filter(|_| metric == Metric::Cosine) else {
        return Vec::new();
    };
    let (members, sizes) = (Members::of(partition), cluster_sizes(partition, weights));
    let weight = |sample: u32| weights.map_or(1.0, |weights| weights.as_slice()[sample as usize]);
    let is_undirected = |buffer: &mut Vec<f64>, cluster: usize| {
        let (members, size) = (members.cluster(cluster), sizes[cluster]);
        let of_mean = length_of(means, cluster, buffer);
        if of_mean > SHORT * length_of(samples, members[0] as usize, buffer) {
            return false;
        }
        let lengths = members
            .iter()
            .map(|&member| weight(member) * length_of(samples, member as usize, buffer));
        is_within_rounding(rounding, size, of_mean * size, lengths.sum())
    };
    let is_little = is_little(samples.len(), samples.features());
    let found = mapped(sizes.len(), is_little, Vec::new, is_undirected);
    gathered(found.iter().enumerate().filter(|(_, found)| **found).map(|(cluster, _)| cluster))
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;
    use crate::partition::means::means;
    use crate::samples::Samples;

    /// The corners of regular polygons in axes of their own, of any scale; and a cluster that is short, but has a
    /// direction.
    #[test]
    fn means_of_corners_have_no_direction() {
        for (corners, scale) in [(3, 1.0), (5, 3.0), (7, 1e-120), (360, 1e100), (5, 0.1)] {
            let matrix = Array2::from_shape_fn((3 * corners, 4), |(row, column)| {
                let angle = std::f64::consts::TAU * (row % corners) as f64 / corners as f64;
                let near = if row % corners == 0 { 1e-9 } else { 0.0 };
                let of_plane = [angle.cos(), angle.sin()][column % 2];
                let is_there = (row / corners).min(1) == column / 2;
                // The third cluster is the second with one corner moved.
                scale * if is_there { of_plane } else { 0.0 }
                    + if row / corners == 2 { scale * near } else { 0.0 }
            });
            let labels: Vec<usize> = (0..3 * corners).map(|row| row / corners).collect();
            let partition = Partition::new(&labels).unwrap();
            let dense = Samples::new(matrix.view()).unwrap();
            let samples = dense.any();
            let found = |samples: &AnySamples<'_>| {
                let of = means(&samples.matrix().unwrap(), None, &partition);
                let mut of = OwnedSamples::Dense(of);
                clear_undirected(&mut of, samples, None, &partition, Metric::Cosine);
                let OwnedSamples::Dense(of) = of else { unreachable!("dense") };
                [0, 1, 2].map(|row| of.view().is_zero(row))
            };
            assert_eq!(found(&samples), [true, true, false], "{corners} {scale}");
            let lengths = Lengths::of(&samples, None, &partition, Metric::Cosine).unwrap();
            let sums = crate::partition::means::sums(&samples.matrix().unwrap(), None, &partition);
            let sum = |row: usize| sums.row(row).to_vec();
            let cancel = |row: usize| lengths.cancel(row, corners as f64, &sum(row));
            assert_eq!([0, 1, 2].map(cancel), [true, true, false]);
        }
        let whole = array![[1_u8, 0], [0, 1]];
        let dense = Samples::new(whole.view()).unwrap();
        let samples = dense.any();
        let partition = Partition::new(&[0, 0]).unwrap();
        assert!(Lengths::of(&samples, None, &partition, Metric::Cosine).is_none());
    }
}
