//! Samples and their labels → the mean of each cluster.

use std::ops::Range;

use ndarray::{Array2, s};
use rayon::prelude::*;

use crate::element::{AnyArray, Element};
use crate::error::Result;
use crate::members::Members;
use crate::memory::{filled, resize};
use crate::partition::Partition;
use crate::repeated_sum::{FEW, added};
use crate::run::Run;
use crate::samples::{AnySamples, Kind, Samples, for_each_value, with_element};
use crate::sparse::SparseMatrix;
use crate::vector::vectorized;
use crate::weights::{Copies, Weights};

impl Partition {
    /// The mean of each cluster over all its samples as given: C × d (M in Algorithm 1).
    ///
    /// Summed in f64 in sample order; kept as f64 for f64 samples, and rounded to f32 for f32 and
    /// u8 samples. The mean is a plain average under every metric, also cosine.
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
    /// Those of [`Partition::means`].
    pub fn means_with<A: Element>(
        &self,
        samples: &Samples<'_, A>,
        run: &mut Run<'_>,
    ) -> Result<Array2<A::Mean>> {
        samples.expect_len(self.samples())?;
        run.operate(samples.len(), |run| run.install(|| means(samples, None, self)))
    }
}

/// The means of clusters of samples of any kind, C × d. Those of sparse samples are sparse.
pub(crate) enum AnyMeans {
    Dense(AnyArray),
    Sparse(SparseMatrix),
}

impl AnyMeans {
    pub(crate) fn of(
        samples: AnySamples<'_>,
        weights: Option<&Weights>,
        partition: &Partition,
    ) -> Self {
        match samples.0 {
            Kind::Dense(matrix) => with_element!(matrix, samples => {
                Self::Dense(AnyArray::of(means(samples, weights, partition)))
            }),
            Kind::Sparse(samples) => {
                Self::Sparse(SparseMatrix::means(&samples, weights, partition))
            }
        }
    }

    /// The means, as samples of the next level.
    pub(crate) fn samples(&self) -> AnySamples<'_> {
        AnySamples(match self {
            Self::Dense(means) => Kind::Dense(means.view()),
            Self::Sparse(means) => Kind::Sparse(means.samples()),
        })
    }
}

/// The average of all original samples of each cluster, C × d: never an average of averages.
pub(crate) fn means<A: Element>(
    samples: &Samples<'_, A>,
    weights: Option<&Weights>,
    partition: &Partition,
) -> Array2<A::Mean> {
    per_cluster(samples, weights, partition, |sum, size| A::mean(sum / size))
}

/// The sum of all samples of each cluster, C × d.
pub(crate) fn sums<A: Element>(
    samples: &Samples<'_, A>,
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
fn per_cluster<A: Element, T: Copy + Default + Send + Sync>(
    samples: &Samples<'_, A>,
    weights: Option<&Weights>,
    partition: &Partition,
    value: impl Fn(f64, f64) -> T + Sync,
) -> Array2<T> {
    let members = Members::of(partition);
    let (clusters, features) = (partition.clusters(), samples.features());
    let mut values = filled(T::default(), clusters * features);
    let rows = values.par_chunks_exact_mut(features).enumerate();
    rows.for_each_init(Vec::new, |sums, (cluster, values)| {
        let members = members.cluster(cluster);
        sums.clear();
        resize(sums, features, 0.0);
        for members in members.chunks(MEMBERS) {
            sums.par_chunks_mut(PART).enumerate().for_each(|(part, sums)| {
                let of_part = part * PART..part * PART + sums.len();
                match weights {
                    None => add_up(samples.reborrow(), members, of_part, sums),
                    Some(weights) => add_copies_up(samples, weights, members, of_part, sums),
                }
            });
        }
        let weight_of = |weights: &Weights| {
            members.iter().map(|&member| weights.as_slice()[member as usize]).sum()
        };
        let size = weights.map_or(members.len() as f64, weight_of);
        values.iter_mut().zip(sums).for_each(|(out, sum)| *out = value(*sum, size));
    });
    Array2::from_shape_vec((clusters, features), values).expect("a row for each cluster")
}

vectorized! {
    /// Adds some features of samples to their sums.
    fn add_up<'a, A: Element>(
        samples: Samples<'a, A>,
        members: &'a [u32],
        features: Range<usize>,
        sums: &'a mut [f64],
    ) -> () {
        for &member in members {
            let values = samples.row(member as usize).slice_move(s![features.clone()]);
            for_each_value(sums, values, |sum, value| *sum += value);
        }
    }
}

/// Adds some features of all copies of samples to their sums, one copy after the other.
fn add_copies_up<A: Element>(
    samples: &Samples<'_, A>,
    weights: &Weights,
    members: &[u32],
    features: Range<usize>,
    sums: &mut [f64],
) {
    for &member in members {
        let values = samples.row(member as usize).slice_move(s![features.clone()]);
        let Copies { count, weight } = weights.of(member);
        match count {
            1 => for_each_value(sums, values, |sum, value| *sum += weight * value),
            ..=FEW => for_each_value(sums, values, |sum, value| {
                (0..count).for_each(|_| *sum += weight * value);
            }),
            _ => for_each_value(sums, values, |sum, value| {
                *sum = added(*sum, weight * value, count);
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rows::scrambled;

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
            assert_eq!(sums(&samples, None, &partition), expected);
        }
    }
}
