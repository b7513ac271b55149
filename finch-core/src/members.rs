//! The samples of each cluster.

use crate::partition::Partition;

/// The samples of each cluster, in sample order.
#[derive(Clone)]
pub(crate) struct Members {
    samples: Vec<u32>,
    starts: Vec<usize>,
}

impl Members {
    /// Those of a partition.
    pub(crate) fn of(partition: &Partition) -> Self {
        Self::of_each(partition.clusters(), partition.labels().iter().copied().zip(0..))
    }

    /// Those of clusters that a sample may be in several of, by (cluster, sample). A counting sort,
    /// which is stable.
    pub(crate) fn of_each(
        clusters: usize,
        members: impl Iterator<Item = (u32, u32)> + Clone,
    ) -> Self {
        let mut starts = vec![0; clusters + 1];
        for (cluster, _) in members.clone() {
            starts[cluster as usize + 1] += 1;
        }
        for cluster in 0..clusters {
            starts[cluster + 1] += starts[cluster];
        }
        let mut next = starts.clone();
        let mut samples = vec![0; starts[clusters]];
        for (cluster, sample) in members {
            let next = &mut next[cluster as usize];
            samples[*next] = sample;
            *next += 1;
        }
        Self { samples, starts }
    }

    pub(crate) fn cluster(&self, cluster: usize) -> &[u32] {
        &self.samples[self.starts[cluster]..self.starts[cluster + 1]]
    }

    /// The number of clusters.
    pub(crate) fn len(&self) -> usize {
        self.starts.len() - 1
    }

    /// Those of all clusters, one after the other.
    pub(crate) fn all(&self) -> &[u32] {
        &self.samples
    }
}
