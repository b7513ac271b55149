//! Time stamps of samples, by which distances are weighted.

use rayon::prelude::*;

use super::Partition;
use crate::error::times::TimeFault;
use crate::error::{Error, Result};
use crate::samples::limits::LARGEST;
use crate::samples::metric::Metric;
use crate::support::memory::{collected, filled, gathered};

/// When each of N samples was: N numbers in any unit, in any order, of which several may be equal.
///
/// ```
/// use finch_core::{Finch, Run, Samples, Times};
///
/// // Two things take turns.
/// let points = ndarray::array![[0.0], [0.3], [9.0], [9.3], [0.1], [0.15]];
/// let samples = Samples::new(points.view())?;
/// let seconds = [1.0, 2.0, 3.0, 4.0, 5.0, 6.0];
/// let finch = Finch::new();
/// assert_eq!(finch.fit(&samples)?.finest().labels(), [0, 0, 1, 1, 0, 0]);
/// let timed = finch.fit_timed(&samples, Times::new(&seconds), &mut Run::new())?;
/// assert_eq!(timed.finest().labels(), [0, 0, 1, 1, 2, 2]);
/// # Ok::<(), finch_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Times<'t> {
    stamps: &'t [f64],
    contiguous: bool,
}

impl<'t> Times<'t> {
    /// The time stamp of each sample.
    pub fn new(stamps: &'t [f64]) -> Self {
        Self { stamps, contiguous: false }
    }

    /// True if each cluster is to be a contiguous segment of time; false by default.
    pub fn contiguous(self, contiguous: bool) -> Self {
        Self { contiguous, ..self }
    }
}

/// Checked time stamps of N samples.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Timeline {
    /// From 0, the first stamp, to 1, the last; all 0 where all stamps are equal.
    times: Vec<f64>,
    contiguous: bool,
}

impl Timeline {
    /// # Errors
    /// [`Error::SampleCount`] unless there is a stamp for each sample, [`Error::InvalidTimes`] for a
    /// stamp that is not finite, or beyond ±10¹⁴⁰.
    pub(crate) fn new(times: Times<'_>, samples: usize) -> Result<Self> {
        let Times { stamps, contiguous } = times;
        if stamps.len() != samples {
            return Err(Error::SampleCount { expected: samples, found: stamps.len() });
        }
        // A comparison that fails for NaN.
        let sound = |time: f64| time.abs() <= LARGEST;
        if let Some((sample, &time)) = (0..).zip(stamps).find(|(_, time)| !sound(**time)) {
            return Err(Error::InvalidTimes { fault: TimeFault::NotFinite { sample, time } });
        }
        let (first, last) =
            stamps.iter().fold((f64::INFINITY, f64::NEG_INFINITY), |ends, &time| {
                (f64::min(ends.0, time), f64::max(ends.1, time))
            });
        let span = if last > first { last - first } else { 1.0 };
        let times = collected(stamps.iter().map(|time| (time - first) / span));
        Ok(Self { times, contiguous })
    }

    /// The time of each sample, from 0 to 1.
    pub(crate) fn times(&self) -> &[f64] {
        &self.times
    }

    /// True if clusters are contiguous segments.
    pub(crate) fn is_contiguous(&self) -> bool {
        self.contiguous
    }

    /// The sum of the times of each cluster, taken in sample order.
    pub(crate) fn sums(&self, partition: &Partition) -> Vec<f64> {
        let mut sums = filled(0.0, partition.clusters());
        for (&cluster, time) in partition.labels().iter().zip(&self.times) {
            sums[cluster as usize] += time;
        }
        sums
    }

    /// The mean time of each cluster.
    pub(crate) fn means(&self, partition: &Partition) -> Vec<f64> {
        let mut means = self.sums(partition);
        let sizes = partition.cluster_sizes();
        means.iter_mut().zip(&sizes).for_each(|(mean, &size)| *mean /= size as f64);
        means
    }

    /// The clusters of a partition into contiguous segments, in the order of time.
    pub(crate) fn segments(&self, partition: &Partition) -> Vec<u32> {
        let order = order(&self.times);
        let labels = order.iter().map(|&sample| partition.labels()[sample as usize]);
        let mut before = None;
        gathered(labels.filter(|&label| before.replace(label) != Some(label)))
    }
}

/// The numbers of some times, the earliest first, of equal times the smallest number first.
pub(crate) fn order(times: &[f64]) -> Vec<u32> {
    let mut order: Vec<u32> = collected(0..times.len() as u32);
    let time = |number: u32| times[number as usize];
    order.par_sort_unstable_by(|&a, &b| time(a).total_cmp(&time(b)).then(a.cmp(&b)));
    order
}

/// The key of a pair whose distance is weighted by its distance in time: the key of the samples times
/// what makes the distance, which follows from the key, `apart` times as large. A zero row stays infinitely far
/// under cosine, also at the same time.
pub(crate) fn weighted(metric: Metric, key: f64, apart: f64) -> f64 {
    match metric {
        _ if key == f64::INFINITY => key,
        Metric::Euclidean => key * (apart * apart),
        Metric::Cosine | Metric::Manhattan | Metric::Hamming | Metric::Jaccard => key * apart,
    }
}

/// The nearness of another sample in both. In order: the weighted key, then the key of the samples
/// alone, then the number. So samples of one time, all of whose weighted distances are 0, are told
/// apart.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct TimedNearest {
    pub(crate) weighted: f64,
    pub(crate) key: f64,
    pub(crate) index: u32,
}

impl TimedNearest {
    pub(crate) const NONE: Self =
        Self { weighted: f64::INFINITY, key: f64::INFINITY, index: u32::MAX };

    pub(crate) fn new(metric: Metric, key: f64, apart: f64, index: u32) -> Self {
        Self { weighted: weighted(metric, key, apart), key, index }
    }

    pub(crate) fn precedes(&self, other: &Self) -> bool {
        (self.weighted, self.key, self.index) < (other.weighted, other.key, other.index)
    }

    /// Takes another sample if it is nearer.
    pub(crate) fn offer(&mut self, other: Self) {
        // A zero row is nobody's neighbour.
        if other.key < f64::INFINITY && other.precedes(self) {
            *self = other;
        }
    }
}
