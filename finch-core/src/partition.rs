//! One flat clustering.

use std::collections::HashMap;
use std::hash::Hash;

use ndarray::Array2;

use crate::components::components;
use crate::element::Element;
use crate::error::{Error, Result};
use crate::means::means;
use crate::neighbors::check_neighbors;
use crate::samples::Samples;

/// One flat clustering of N samples into C clusters.
///
/// Labels run from 0 to C − 1 and are numbered by first appearance in sample order, so equal
/// clusterings are equal under `==`.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Partition {
    labels: Vec<u32>,
    clusters: usize,
}

impl Partition {
    /// The partition in which samples share a cluster if they share a label, whatever the labels
    /// are.
    ///
    /// # Errors
    /// [`Error::NoSamples`] without labels, [`Error::TooManySamples`] above 2³¹ − 1 of them.
    pub fn new<L: Eq + Hash>(labels: &[L]) -> Result<Self> {
        if labels.is_empty() {
            return Err(Error::NoSamples);
        }
        if i32::try_from(labels.len()).is_err() {
            return Err(Error::TooManySamples { samples: labels.len() });
        }
        let mut number = HashMap::new();
        let labels = labels
            .iter()
            .map(|label| {
                let next = number.len() as u32;
                *number.entry(label).or_insert(next)
            })
            .collect();
        Ok(Self { labels, clusters: number.len() })
    }

    /// The clustering equation alone (Eq. 1 of the paper): the samples that links to their first
    /// neighbours join. `first[i]` is the first neighbour of sample i, from 0; for one sample,
    /// which has none, it is empty.
    ///
    /// # Errors
    /// [`Error::InvalidNeighbor`] for a sample that is its own neighbour, or a number that no
    /// sample has; [`Error::TooManySamples`].
    pub fn of_first_neighbors(first: &[u32]) -> Result<Self> {
        // One sample, not none: there is no data without samples.
        let samples = first.len().max(1);
        if i32::try_from(samples).is_err() {
            return Err(Error::TooManySamples { samples });
        }
        check_neighbors(first)?;
        Ok(components(samples, (0..).zip(first.iter().copied())))
    }

    /// Numbers the labels of N samples, each below N, by first appearance.
    pub(crate) fn from_raw(labels: impl ExactSizeIterator<Item = u32>) -> Self {
        const UNSEEN: u32 = u32::MAX;
        let mut number = vec![UNSEEN; labels.len()];
        let mut clusters = 0;
        let labels = labels
            .map(|label| {
                let number = &mut number[label as usize];
                if *number == UNSEEN {
                    *number = clusters;
                    clusters += 1;
                }
                *number
            })
            .collect();
        Self { labels, clusters: clusters as usize }
    }

    /// The cluster of each sample: N numbers from 0 to C − 1.
    pub fn labels(&self) -> &[u32] {
        &self.labels
    }

    /// The labels, without a copy.
    pub fn into_labels(self) -> Vec<u32> {
        self.labels
    }

    /// The number of clusters, C.
    pub fn clusters(&self) -> usize {
        self.clusters
    }

    /// The number of samples, N.
    pub fn samples(&self) -> usize {
        self.labels.len()
    }

    /// The number of samples in each cluster: C numbers that add up to N.
    pub fn sizes(&self) -> Vec<usize> {
        let mut sizes = vec![0; self.clusters];
        for &label in &self.labels {
            sizes[label as usize] += 1;
        }
        sizes
    }

    /// The mean of each cluster over all its samples as given: C × d (M in Algorithm 1).
    ///
    /// Summed in f64 in sample order; kept as f64 for f64 samples, and rounded to f32 for f32 and
    /// u8 samples. A plain average under every metric, cosine too.
    ///
    /// # Errors
    /// [`Error::SampleCount`] if there are not N samples.
    pub fn means<A: Element>(&self, samples: &Samples<'_, A>) -> Result<Array2<A::Mean>> {
        samples.expect_len(self.samples())?;
        Ok(means(samples, self))
    }

    /// This partition with its clusters joined as `merged` joins them: C labels in, one for each
    /// cluster of this one.
    pub(crate) fn coarsened(&self, merged: &Partition) -> Self {
        // Clusters are numbered by first appearance here and there, so the result is, too.
        let labels = self.labels.iter().map(|&label| merged.labels[label as usize]).collect();
        Self { labels, clusters: merged.clusters }
    }
}
