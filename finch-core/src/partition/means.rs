//! Samples and their labels → the mean of each cluster.

use std::ops::Range;

use ndarray::Array2;
use rayon::prelude::*;

use super::Partition;
use super::members::Members;
use crate::error::Result;
use crate::run::Run;
use crate::run::progress::Meter;
use crate::run::work::is_little;
use crate::samples::element::{AnyArray, AnyMatrix, Element, ElementType};
use crate::samples::owned::OwnedSamples;
use crate::samples::sparse::SparseMatrix;
use crate::samples::weights::{Copies, Weights};
use crate::samples::{AnySamples, Kind, Samples};
use crate::support::memory::{filled, resize, room};
use crate::support::parallel::SharedSplitting as _;
use crate::support::repeated_sum::{FEW, added};

impl Partition {
    /// The mean of each cluster over all its samples as given: C × d (M in Algorithm 1).
    ///
    /// Summed in f64 in sample order; kept as f64 for f64 samples, and rounded to f32 for all
    /// others. The mean is a plain average under every metric, also cosine.
    ///
    /// # Errors
    /// [`Error::SampleCount`](crate::Error::SampleCount) if there are not N samples,
    /// [`Error::Threads`](crate::Error::Threads), [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn means<A: Element>(&self, samples: &Samples<'_, A>) -> Result<Array2<A::Mean>> {
        self.means_with(samples, &mut Run::new())
    }

    /// [`Partition::means`] on the threads of a [`Run`].
    ///
    /// # Errors
    /// The errors of [`Partition::means`].
    pub fn means_with<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        run: &mut Run<'_>,
    ) -> Result<Array2<A::Mean>> {
        samples.expect_len(self.samples())?;
        let means = run
            .operate(samples.len(), |run| run.install(|| means(&(*samples).into(), None, self)))?;
        Ok(means.of_type())
    }
}

/// The average of all original samples of each cluster, C × d: never an average of averages.
/// They have the type of [`Element::Mean`].
pub(crate) fn means(
    samples: &AnyMatrix<'_>,
    weights: Option<&Weights>,
    partition: &Partition,
) -> AnyArray {
    means_until(samples, weights, partition, &Meter::new(1))
}

/// [`means`]; any numbers, where it is stopped.
fn means_until(
    samples: &AnyMatrix<'_>,
    weights: Option<&Weights>,
    partition: &Partition,
    meter: &Meter,
) -> AnyArray {
    fn of<M: Element<Mean = M>>(sum: f64, size: f64) -> M {
        M::mean(sum / size)
    }
    match samples.element().of_means() {
        ElementType::F64 => {
            AnyArray::F64(per_cluster_until(samples, weights, partition, of, meter))
        }
        _ => AnyArray::F32(per_cluster_until(samples, weights, partition, of, meter)),
    }
}

/// The means of one partition after the other, each a coarsening of the one before.
///
/// Where sums are exact in any order, those of a coarser partition are added up from those of the
/// finer one: MNIST-70k has seven partitions, and all samples are then read once, not seven times.
#[derive(Default)]
pub(crate) struct LevelMeans {
    /// The sums of the partition before, C × d, where sums are exact and take little memory.
    sums: Option<Array2<f64>>,
}

impl LevelMeans {
    /// The means of the last partition, bit for bit what [`means`] gives. It comes after the others,
    /// of which the last but one is that of the call before, with the same samples and weights.
    pub(crate) fn of_last(
        &mut self,
        samples: &AnyMatrix<'_>,
        weights: Option<&Weights>,
        partitions: &[Partition],
        meter: &Meter,
    ) -> AnyArray {
        let [former @ .., newest] = partitions else { unreachable!("there is a partition") };
        let element = samples.element();
        if !element.is_whole() || weights.is_some() {
            return means_until(samples, weights, newest, meter);
        }
        let sums = match (self.sums.take(), former.last()) {
            (Some(of_finer), Some(finer)) => joined(&of_finer, finer, newest),
            _ => per_cluster_until(samples, None, newest, |sum, _| sum, meter),
        };
        let sizes = newest.cluster_sizes();
        // Means of whole numbers are f32.
        let mut rows: Vec<f32> = room(sums.len());
        for (sums, &size) in sums.outer_iter().zip(&sizes) {
            rows.extend(sums.iter().map(|sum| f32::mean(sum / size as f64)));
        }
        let means = Array2::from_shape_vec(sums.dim(), rows).expect("a row for each cluster");
        let [bits_of_sums, bits_of_samples] =
            [sums.nrows() * ElementType::F64.bits(), samples.len() * element.bits()];
        self.sums = (bits_of_sums <= SPARE * bits_of_samples).then_some(sums);
        AnyArray::F32(means)
    }

    /// [`LevelMeans::of_last`] of samples of any kind: C × d. The means of sparse samples are sparse.
    pub(crate) fn of_last_any(
        &mut self,
        samples: AnySamples<'_>,
        weights: Option<&Weights>,
        partitions: &[Partition],
        meter: &Meter,
    ) -> OwnedSamples {
        match samples.0 {
            Kind::Dense(samples) => {
                OwnedSamples::Dense(self.of_last(&samples, weights, partitions, meter))
            }
            Kind::Sparse(samples) => {
                let newest = &partitions[partitions.len() - 1];
                OwnedSamples::Sparse(SparseMatrix::means(&samples, weights, newest))
            }
        }
    }
}

/// Sums are kept where they take at most this many times the memory of the samples.
const SPARE: usize = 2;

/// The sums of the clusters of a partition, from those of a finer one.
fn joined(of_finer: &Array2<f64>, finer: &Partition, coarser: &Partition) -> Array2<f64> {
    let features = of_finer.ncols();
    let mut sums = filled(0.0, coarser.clusters() * features);
    let mut next = 0;
    // Clusters are numbered by first appearance.
    for (&fine, &coarse) in finer.labels().iter().zip(coarser.labels()) {
        if fine == next {
            let sums = &mut sums[coarse as usize * features..][..features];
            sums.iter_mut().zip(of_finer.row(fine as usize)).for_each(|(sum, more)| *sum += more);
            next += 1;
        }
    }
    Array2::from_shape_vec((coarser.clusters(), features), sums).expect("a row for each cluster")
}

/// The sum of all samples of each cluster, C × d.
pub(crate) fn sums(
    samples: &AnyMatrix<'_>,
    weights: Option<&Weights>,
    partition: &Partition,
) -> Array2<f64> {
    per_cluster(samples, weights, partition, |sum, _| sum)
}

/// Features that a thread sums up at a time: small enough for few large clusters to keep all threads
/// busy.
const PART: usize = 128;
/// Members of a cluster all of whose features are summed up before the next members: where samples do
/// not fit in memory, each sample is then read from its file once.
const MEMBERS: usize = 4096;

/// Each sum is taken in f64 in sample order by one thread, so the thread count does not show.
fn per_cluster<T: Copy + Default + Send + Sync>(
    samples: &AnyMatrix<'_>,
    weights: Option<&Weights>,
    partition: &Partition,
    value: impl Fn(f64, f64) -> T + Sync,
) -> Array2<T> {
    per_cluster_until(samples, weights, partition, value, &Meter::new(1))
}

/// [`per_cluster`]; any values, where it is stopped.
fn per_cluster_until<T: Copy + Default + Send + Sync>(
    samples: &AnyMatrix<'_>,
    weights: Option<&Weights>,
    partition: &Partition,
    value: impl Fn(f64, f64) -> T + Sync,
    meter: &Meter,
) -> Array2<T> {
    let members = Members::of(partition);
    let (clusters, features) = (partition.clusters(), samples.features());
    let mut values = filled(T::default(), clusters * features);
    let is_little = is_little(samples.len(), features);
    let mean = |sums: &mut Vec<f64>, (cluster, values): (usize, &mut [T])| {
        let members = members.cluster(cluster);
        sums.clear();
        resize(sums, features, 0.0);
        for members in members.chunks(MEMBERS).take_while(|_| !meter.stopped()) {
            let add_up = |(part, sums): (usize, &mut [f64])| {
                let of_part = part * PART..part * PART + sums.len();
                match weights {
                    None => samples.add_up(members, of_part, sums),
                    Some(weights) => add_copies_up(samples, weights, members, of_part, sums),
                }
            };
            match is_little {
                true => add_up((0, &mut sums[..])),
                false => sums.par_chunks_mut(PART).enumerate().shared().for_each(add_up),
            }
        }
        let weight_of = |weights: &Weights| {
            members.iter().map(|&member| weights.as_slice()[member as usize]).sum()
        };
        let size = weights.map_or(members.len() as f64, weight_of);
        values.iter_mut().zip(sums).for_each(|(out, sum)| *out = value(*sum, size));
    };
    match is_little {
        true => {
            let sums = &mut Vec::new();
            values.chunks_exact_mut(features).enumerate().for_each(|row| mean(sums, row));
        }
        false => {
            let rows = values.par_chunks_exact_mut(features).enumerate();
            rows.shared().for_each_init(Vec::new, mean);
        }
    }
    Array2::from_shape_vec((clusters, features), values).expect("a row for each cluster")
}

/// Adds some features of all copies of samples to their sums, one copy after the other.
fn add_copies_up(
    samples: &AnyMatrix<'_>,
    weights: &Weights,
    members: &[u32],
    features: Range<usize>,
    sums: &mut [f64],
) {
    for &member in members {
        let (row, features) = (member as usize, features.clone());
        let Copies { count, weight } = weights.of(member);
        match count {
            1 => samples.for_each_value(row, features, sums, |sum, value| *sum += weight * value),
            ..=FEW => samples.for_each_value(row, features, sums, |sum, value| {
                (0..count).for_each(|_| *sum += weight * value);
            }),
            _ => samples.for_each_value(row, features, sums, |sum, value| {
                *sum = added(*sum, weight * value, count);
            }),
        }
    }
}

/// The size of each cluster: the sum of its samples' weights in sample order, or without weights the
/// number of samples.
pub(crate) fn cluster_sizes(partition: &Partition, weights: Option<&Weights>) -> Vec<f64> {
    let mut sizes = filled(0.0, partition.clusters());
    for (sample, &label) in partition.labels().iter().enumerate() {
        sizes[label as usize] += weights.map_or(1.0, |weights| weights.as_slice()[sample]);
    }
    sizes
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::random::scrambled;

    /// Of bytes, of which coarser sums are added up from finer ones, and of numbers that are rounded.
    #[test]
    fn means_of_level_after_level_are_those_of_each_partition() {
        fn check<A: Element>(value: impl Fn(u64) -> A) {
            let number = |(i, j): (usize, usize)| value(scrambled((i * 13 + j) as u64));
            let matrix = Array2::from_shape_fn((3_000, 13), number);
            let samples = Samples::new(matrix.view()).unwrap();
            let mut levels = LevelMeans::default();
            let mut partitions = Vec::new();
            let mut labels: Vec<_> = (0..3_000).map(|i| i * 7).collect();
            for clusters in [2_900, 600, 50, 3] {
                labels.iter_mut().for_each(|label| *label %= clusters);
                partitions.push(Partition::new(&labels).unwrap());
                let samples = samples.into();
                let expected = means(&samples, None, partitions.last().unwrap());
                assert_eq!(levels.of_last(&samples, None, &partitions, &Meter::new(1)), expected);
            }
        }
        check(|bits| bits as u8);
        check(|bits| bits as i8);
        check(|bits| bits as f32 / 1e10);
    }

    #[test]
    fn sums_are_taken_in_sample_order() {
        let number = |i: usize, j: usize| scrambled((i * 301 + j) as u64) as f64 / 1e10;
        let matrix = Array2::from_shape_fn((2_000, 301), |(i, j)| number(i, j));
        let samples = Samples::new(matrix.view()).unwrap();
        for clusters in [1, 7, 900] {
            let labels = (0..2_000).map(|i| i * i % clusters).collect::<Vec<_>>();
            let partition = Partition::new(&labels).unwrap();
            let mut expected = Array2::<f64>::zeros((partition.clusters(), 301));
            for (row, &cluster) in matrix.outer_iter().zip(partition.labels()) {
                let mut sum = expected.row_mut(cluster as usize);
                sum += &row;
            }
            assert_eq!(sums(&samples.into(), None, &partition), expected);
        }
    }
}
