//! The samples of each cluster.

use crate::partition::Partition;

/// The samples of each cluster, in sample order.
pub(crate) struct Members {
    samples: Vec<u32>,
    starts: Vec<usize>,
}

impl Members {
    /// A counting sort by label, which is stable.
    pub(crate) fn of(partition: &Partition) -> Self {
        let mut starts = vec![0; partition.clusters() + 1];
        for &label in partition.labels() {
            starts[label as usize + 1] += 1;
        }
        for cluster in 0..partition.clusters() {
            starts[cluster + 1] += starts[cluster];
        }
        let mut next = starts.clone();
        let mut samples = vec![0; partition.samples()];
        for (sample, &label) in partition.labels().iter().enumerate() {
            samples[next[label as usize]] = sample as u32;
            next[label as usize] += 1;
        }
        Self { samples, starts }
    }

    pub(crate) fn cluster(&self, cluster: usize) -> &[u32] {
        &self.samples[self.starts[cluster]..self.starts[cluster + 1]]
    }
}
