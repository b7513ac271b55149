//! One flat clustering.

pub(crate) mod labels;
pub(crate) mod means;
pub(crate) mod members;
pub(crate) mod renaming;
pub(crate) mod sparse_means;
pub(crate) mod sums;
pub(crate) mod times;
pub(crate) mod undirected;

use std::cmp::Ordering;
use std::collections::HashMap;
use std::hash::Hash;

use crate::error::{Error, Result};
use crate::support::memory::{caught, collected, copied, filled, reserve_entry, room};
use crate::support::union_find::Sets;

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
    /// [`Error::NoSamples`] without labels, [`Error::TooManySamples`] above 2³¹ − 1 of them,
    /// [`Error::OutOfMemory`].
    pub fn new<L: Eq + Hash>(labels: &[L]) -> Result<Self> {
        if labels.is_empty() {
            return Err(Error::NoSamples);
        }
        if i32::try_from(labels.len()).is_err() {
            return Err(Error::TooManySamples { samples: labels.len() });
        }
        caught(|| {
            let mut number = HashMap::new();
            let mut numbers = room(labels.len());
            for label in labels {
                reserve_entry(&mut number);
                let next = number.len() as u32;
                numbers.push(*number.entry(label).or_insert(next));
            }
            Ok(Self { labels: numbers, clusters: number.len() })
        })
    }

    /// A partition whose labels are numbered by first appearance already.
    pub(crate) fn numbered(labels: Vec<u32>, clusters: usize) -> Self {
        Self { labels, clusters }
    }

    /// The partition in which samples share a cluster if they share a set.
    pub(crate) fn of_sets(sets: Sets) -> Self {
        const UNSEEN: u32 = u32::MAX;
        let roots = sets.into_roots();
        let mut number = filled(UNSEEN, roots.len());
        let mut clusters = 0;
        let labels = collected(roots.map(|root| {
            let number = &mut number[root as usize];
            if *number == UNSEEN {
                *number = clusters;
                clusters += 1;
            }
            *number
        }));
        Self { labels, clusters: clusters as usize }
    }

    /// The partition of labels that are said to be numbered by first appearance, or the first sample
    /// whose label is not.
    pub(crate) fn of_numbered(labels: Vec<u32>) -> std::result::Result<Self, usize> {
        let mut clusters = 0;
        for (sample, &label) in labels.iter().enumerate() {
            match label.cmp(&clusters) {
                Ordering::Less => {}
                Ordering::Equal => clusters += 1,
                Ordering::Greater => return Err(sample),
            }
        }
        Ok(Self { labels, clusters: clusters as usize })
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
        self.counted(vec![0; self.clusters])
    }

    /// [`Partition::sizes`] within an operation, which memory may be refused to.
    pub(crate) fn cluster_sizes(&self) -> Vec<usize> {
        self.counted(filled(0, self.clusters))
    }

    fn counted(&self, mut sizes: Vec<usize>) -> Vec<usize> {
        for &label in &self.labels {
            sizes[label as usize] += 1;
        }
        sizes
    }

    /// A copy within an operation.
    pub(crate) fn copied(&self) -> Self {
        Self { labels: copied(&self.labels), clusters: self.clusters }
    }

    /// True if each cluster of this partition is within one cluster of `coarse`, a partition of the same
    /// samples.
    pub(crate) fn is_refined_from(&self, coarse: &Partition) -> bool {
        const UNSEEN: u32 = u32::MAX;
        let mut within = filled(UNSEEN, self.clusters);
        self.labels.iter().zip(&coarse.labels).all(|(&label, &of_coarse)| {
            let within = &mut within[label as usize];
            if *within == UNSEEN {
                *within = of_coarse;
            }
            *within == of_coarse
        })
    }

    /// This partition with its clusters joined as `merged` joins them: C labels in, one for each
    /// cluster of this one.
    pub(crate) fn coarsened(&self, merged: &Partition) -> Self {
        // Clusters are numbered by first appearance here and there, so the result is, too.
        let labels = collected(self.labels.iter().map(|&label| merged.labels[label as usize]));
        Self { labels, clusters: merged.clusters }
    }
}
