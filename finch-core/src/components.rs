//! The clustering equation: connected components of first-neighbour links.

use crate::partition::Partition;

/// Disjoint sets of numbers, by union–find with path halving.
pub(crate) struct Sets {
    parent: Vec<u32>,
    count: usize,
}

impl Sets {
    /// Each of `len` samples alone.
    pub(crate) fn new(len: usize) -> Self {
        Self { parent: (0..len as u32).collect(), count: len }
    }

    /// How many sets there are.
    pub(crate) fn count(&self) -> usize {
        self.count
    }

    /// One sample of the set, the same for all of them.
    pub(crate) fn root(&mut self, mut sample: u32) -> u32 {
        while self.parent[sample as usize] != sample {
            let above = self.parent[self.parent[sample as usize] as usize];
            self.parent[sample as usize] = above;
            sample = above;
        }
        sample
    }

    /// Joins the sets of two samples; the smaller root stays one.
    pub(crate) fn join(&mut self, a: u32, b: u32) {
        let (a, b) = (self.root(a), self.root(b));
        if a != b {
            self.parent[a.max(b) as usize] = a.min(b);
            self.count -= 1;
        }
    }

    /// The sets as a partition.
    pub(crate) fn partition(mut self) -> Partition {
        Partition::from_raw((0..self.parent.len() as u32).map(|sample| self.root(sample)))
    }
}

/// Eq. 1 of the paper: samples i and j share a cluster where j = κᵢ, κⱼ = i or κᵢ = κⱼ.
///
/// The third condition joins nothing new (i–κᵢ and j–κⱼ already meet in κᵢ = κⱼ), so the clusters
/// are the components of the at most N links i–κᵢ. O(N) memory, no adjacency matrix, and
/// time that is linear in practice.
pub(crate) fn components(samples: usize, links: impl Iterator<Item = (u32, u32)>) -> Partition {
    let mut sets = Sets::new(samples);
    for (sample, neighbor) in links {
        sets.join(sample, neighbor);
    }
    sets.partition()
}
