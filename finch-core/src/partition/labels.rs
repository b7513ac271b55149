//! Flat labels in which samples may be noise.

use std::hash::Hash;

use super::Partition;
use crate::error::Result;
use crate::support::memory::{collected, gathered};

/// The clusters of N samples, some of which may be noise: in no cluster.
///
/// Labels run from 0 to C − 1, numbered by first appearance in sample order; that of noise is
/// [`Labels::NOISE`], −1 as an `i32`. C may be 0. Every [`Partition`] is such labels without noise.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Labels {
    labels: Vec<u32>,
    clusters: usize,
}

impl Labels {
    /// The label of noise.
    pub const NOISE: u32 = u32::MAX;

    /// The clusters in which samples share one if they share a label, whatever the labels are; `None` is noise.
    ///
    /// ```
    /// use finch_core::Labels;
    ///
    /// let labels = Labels::new(&[Some("b"), None, Some("a"), Some("b")])?;
    /// assert_eq!(labels.labels(), [0, Labels::NOISE, 1, 0]);
    /// assert_eq!((labels.clusters(), labels.noise()), (2, 1));
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::NoSamples`](crate::Error::NoSamples) without labels,
    /// [`Error::TooManySamples`](crate::Error::TooManySamples) above 2³¹ − 1 of them,
    /// [`Error::OutOfMemory`](crate::Error::OutOfMemory).
    pub fn new<L: Eq + Hash>(labels: &[Option<L>]) -> Result<Self> {
        Ok(Self::without(noise_as_cluster(labels, Option::is_none)?))
    }

    /// The clusters of a partition, but for one whose samples are noise. The clusters behind it give up its number.
    fn without((partition, noise): (Partition, Option<u32>)) -> Self {
        let Some(noise) = noise else { return partition.into() };
        let clusters = partition.clusters() - 1;
        let mut labels = partition.into_labels();
        for label in &mut labels {
            *label = match *label {
                label if label == noise => Self::NOISE,
                label => label - u32::from(label > noise),
            };
        }
        Self { labels, clusters }
    }

    /// The clusters of labels in any order of numbers, of which [`Labels::NOISE`] is noise.
    pub(crate) fn numbered(labels: &[u32]) -> Result<Self> {
        Ok(Self::without(noise_as_cluster(labels, |&label| label == Self::NOISE)?))
    }

    /// The label of each sample: N numbers from 0 to C − 1, or [`Labels::NOISE`].
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The labels, without a copy.
    pub fn into_labels(self) -> Vec<u32> {
        self.labels
    }

    /// The number of clusters, C. Noise is none.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// The number of samples, N.
    pub fn samples(&self) -> usize {
        self.labels.len()
    }

    /// The number of samples that are noise.
    pub fn noise(&self) -> usize {
        self.labels.iter().filter(|&&label| label == Self::NOISE).count()
    }

    /// Of one value for each sample those of samples that are in a cluster.
    ///
    /// # Panics
    /// Unless there are N values.
    pub fn clustered<'v, T>(&self, values: &'v [T]) -> Vec<&'v T> {
        assert_eq!(values.len(), self.labels.len(), "a value for each sample");
        let pairs = self.labels.iter().zip(values);
        gathered(pairs.filter(|(label, _)| **label != Self::NOISE).map(|(_, value)| value))
    }

    /// The partition of the samples that are in a cluster, and their numbers; `None` where all are noise.
    pub(crate) fn partition_of_clustered(&self) -> Option<(Partition, Vec<u32>)> {
        let numbers = gathered(
            (0..).zip(&self.labels).filter(|(_, label)| **label != Self::NOISE).map(|(at, _)| at),
        );
        let labels = collected(numbers.iter().map(|&sample: &u32| self.labels[sample as usize]));
        (!labels.is_empty()).then(|| (Partition::numbered(labels, self.clusters), numbers))
    }

    /// Labels of so many clusters, numbered by first appearance.
    pub(crate) fn of_parts(labels: Vec<u32>, clusters: usize) -> Self {
        Self { labels, clusters }
    }

    /// A partition in which all noise is one more cluster, the last one.
    pub(crate) fn with_noise_last(&self) -> Partition {
        let (clusters, noise) = (self.clusters, self.labels.contains(&Self::NOISE));
        let labels = collected(self.labels.iter().map(|&label| label.min(clusters as u32)));
        Partition::numbered(labels, clusters + usize::from(noise))
    }

    /// A partition in which all noise is one more cluster, numbered by first appearance, and the number of that.
    pub(crate) fn with_noise_as_cluster(&self) -> Result<(Partition, Option<u32>)> {
        noise_as_cluster(&self.labels, |&label| label == Self::NOISE)
    }
}

/// The partition of samples that share a cluster if they share a label, and the number of the cluster that is noise.
fn noise_as_cluster<L: Eq + Hash>(
    labels: &[L],
    is_noise: impl Fn(&L) -> bool,
) -> Result<(Partition, Option<u32>)> {
    let partition = Partition::new(labels)?;
    let noise = labels.iter().position(is_noise).map(|sample| partition.labels()[sample]);
    Ok((partition, noise))
}

impl From<Partition> for Labels {
    fn from(partition: Partition) -> Self {
        let clusters = partition.clusters();
        Self { labels: partition.into_labels(), clusters }
    }
}

impl From<&Partition> for Labels {
    fn from(partition: &Partition) -> Self {
        partition.copied().into()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NOISE: u32 = Labels::NOISE;

    #[test]
    fn clusters_are_numbered_by_first_appearance_and_noise_takes_no_number() {
        let labels = Labels::numbered(&[NOISE, 7, NOISE, 3, 7]).unwrap();
        assert_eq!(labels.labels(), [NOISE, 0, NOISE, 1, 0]);
        assert_eq!((labels.clusters(), labels.noise(), labels.samples()), (2, 2, 5));
        assert_eq!(labels.clustered(&["a", "b", "c", "d", "e"]), [&"b", &"d", &"e"]);
        let (partition, numbers) = labels.partition_of_clustered().unwrap();
        assert_eq!((partition.labels(), &*numbers), (&[0, 1, 0][..], &[1, 3, 4][..]));
        let (partition, noise) = labels.with_noise_as_cluster().unwrap();
        assert_eq!((partition.labels(), noise), (&[0, 1, 0, 2, 1][..], Some(0)));
    }

    #[test]
    fn all_may_be_noise_and_none_may_be() {
        let none: Labels = (&Partition::new(&[1, 1, 0]).unwrap()).into();
        assert_eq!((none.labels(), none.clusters(), none.noise()), (&[0, 0, 1][..], 2, 0));
        let all = Labels::new::<u8>(&[None, None]).unwrap();
        assert_eq!((all.clusters(), all.noise()), (0, 2));
        assert!(all.partition_of_clustered().is_none());
        assert!(Labels::new::<u8>(&[]).is_err());
    }
}
