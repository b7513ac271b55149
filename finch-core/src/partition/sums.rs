//! Sums of the clusters of data that comes in parts.

use ndarray::{ArrayViewMut2, Axis};
use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::run::Run;
use crate::samples::element::{AnyMatrix, Element};
use crate::samples::{AnySamples, Samples};
use crate::support::memory::gathered;
use crate::support::parallel::SharedSplitting as _;

/// Features that a thread sums up at a time, as in `means.rs`.
const PART: usize = 128;

/// The sum and the size of each of C clusters, over the samples so far.
///
/// Samples are added one after the other in f64. So the sums of samples that come in parts, added in
/// sample order, are bit for bit those of all samples at once, whatever the parts: those that
/// [`Partition::means`](crate::Partition::means) divides by the sizes.
#[derive(Debug)]
pub struct ClusterSums<'a> {
    /// The sums, C × d, row-major. Zeros before the first sample.
    pub sums: &'a mut [f64],
    /// The number of samples of each cluster, C numbers.
    pub sizes: &'a mut [i64],
}

impl ClusterSums<'_> {
    /// Adds samples (n × d) of these clusters, n labels from 0 to C − 1.
    ///
    /// ```
    /// use finch_core::{ClusterSums, Run, Samples};
    ///
    /// let (mut sums, mut sizes) = ([0.0; 2], [0; 2]);
    /// let mut clusters = ClusterSums { sums: &mut sums, sizes: &mut sizes };
    /// let points = ndarray::array![[1.0], [5.0], [2.0]];
    /// clusters.add(&Samples::new(points.view())?, &[0, 1, 0], &mut Run::new())?;
    /// assert_eq!((sums, sizes), ([3.0, 5.0], [2, 1]));
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SampleCount`] unless there is a label for each sample, [`Error::InvalidShard`] for a
    /// label that no cluster has, [`Error::FeatureCount`] unless there are d sums for each cluster,
    /// [`Error::Threads`], [`Error::OutOfMemory`]. After an error the sums are as they were.
    pub fn add<A: Element>(
        &mut self,
        samples: &Samples<'_, A>,
        labels: &[i32],
        run: &mut Run<'_>,
    ) -> Result<()> {
        samples.expect_len(labels.len())?;
        let clusters = self.sizes.len();
        for (row, &label) in labels.iter().enumerate() {
            if usize::try_from(label).is_ok_and(|label| label < clusters) {
                continue;
            }
            let reason = "is no cluster: number clusters from 0, below the number of clusters";
            return Err(Error::InvalidShard { row, number: label.into(), reason });
        }
        let (features, found) = (samples.features(), self.sums.len() / clusters.max(1));
        if found != features || self.sums.len() != features * clusters {
            return Err(Error::FeatureCount { expected: features, found });
        }
        self.add_any(samples.any(), labels, run)
    }

    /// [`ClusterSums::add`] once all is checked.
    fn add_any(
        &mut self,
        samples: AnySamples<'_>,
        labels: &[i32],
        run: &mut Run<'_>,
    ) -> Result<()> {
        let samples = samples.dense("sums of clusters")?;
        let shape = (self.sizes.len(), samples.features());
        let sums = ArrayViewMut2::from_shape(shape, &mut *self.sums).expect("checked before");
        run.operate(samples.len(), |run| run.install(|| add_up(&samples, labels, sums)))?;
        labels.iter().for_each(|&label| self.sizes[label as usize] += 1);
        Ok(())
    }
}

/// Each sum is taken in sample order by one thread, so the thread count does not show.
fn add_up(samples: &AnyMatrix<'_>, labels: &[i32], mut sums: ArrayViewMut2<'_, f64>) {
    let parts: Vec<_> = gathered(sums.axis_chunks_iter_mut(Axis(1), PART));
    parts.into_par_iter().enumerate().shared().for_each(|(part, mut sums)| {
        let features = part * PART..part * PART + sums.ncols();
        for (row, &label) in labels.iter().enumerate() {
            let mut sum = sums.row_mut(label as usize);
            let sum = sum.as_slice_mut().expect("features follow each other");
            samples.for_each_value(row, features.clone(), sum, |sum, value| *sum += value);
        }
    });
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, s};

    use super::*;
    use crate::partition::Partition;
    use crate::partition::means::sums;
    use crate::support::random::scrambled;

    /// Cut anywhere, on any number of threads.
    #[test]
    fn parts_add_up_to_the_sums_of_the_whole() {
        let number = |i: usize, j: usize| scrambled((i * 301 + j) as u64) as f64 / 1e10;
        let matrix = Array2::from_shape_fn((900, 301), |(i, j)| number(i, j));
        let labels: Vec<usize> = (0..900).map(|i| i * i % 70).collect();
        let partition = Partition::new(&labels).unwrap();
        let expected = sums(&Samples::new(matrix.view()).unwrap().into(), None, &partition);
        let labels: Vec<i32> = partition.labels().iter().map(|&label| label as i32).collect();
        for (cuts, threads) in [(vec![0, 900], 1), (vec![0, 1, 17, 500, 900], 3)] {
            let (mut found, mut sizes) = (vec![0.0; expected.len()], vec![0; expected.nrows()]);
            let mut clusters = ClusterSums { sums: &mut found, sizes: &mut sizes };
            for part in cuts.windows(2) {
                let samples = Samples::new(matrix.slice(s![part[0]..part[1], ..])).unwrap();
                let run = &mut Run::new().threads(threads);
                clusters.add(&samples, &labels[part[0]..part[1]], run).unwrap();
            }
            assert_eq!(found, expected.as_slice().unwrap());
            assert_eq!(sizes.iter().sum::<i64>(), 900);
            assert_eq!(sizes[3], labels.iter().filter(|&&label| label == 3).count() as i64);
        }
    }

    #[test]
    fn what_does_not_fit_changes_nothing() {
        let matrix = ndarray::array![[1.0, 2.0], [3.0, 4.0]];
        let samples = Samples::new(matrix.view()).unwrap();
        let (mut sums, mut sizes) = ([7.0; 6], [1; 3]);
        let mut add = |sums: &mut [f64], labels: &[i32]| {
            ClusterSums { sums, sizes: &mut sizes }.add(&samples, labels, &mut Run::new())
        };
        assert_eq!(add(&mut sums, &[0]), Err(Error::SampleCount { expected: 1, found: 2 }));
        assert_eq!(
            add(&mut sums[..5], &[0, 1]),
            Err(Error::FeatureCount { expected: 2, found: 1 })
        );
        for label in [-1, 3] {
            let found = add(&mut sums, &[0, label]);
            let number = i64::from(label);
            assert!(
                matches!(found, Err(Error::InvalidShard { row: 1, number: n, .. }) if n == number)
            );
        }
        assert_eq!((sums, sizes), ([7.0; 6], [1; 3]));
    }
}
