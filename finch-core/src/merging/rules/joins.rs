//! The clusters that may join, among those that are left.

use super::{APART, LEAST, MOST, Rules};
use crate::error::Error;
use crate::hierarchy::Hierarchy;
use crate::partition::Partition;
use crate::partition::means::cluster_sizes;
use crate::samples::weights::Weights;
use crate::support::memory::{filled, push, reserve};

/// Clusters under the rules of a caller. A joined cluster keeps the smaller of its two numbers.
///
/// The answer whether two clusters may ever join never changes from no to yes while they grow: sizes
/// rise, and a joined cluster is apart from all that its two clusters were apart from.
pub(crate) struct Joins<'r> {
    rules: Rules<'r>,
    /// The size of each cluster.
    sizes: Vec<f64>,
    /// For each cluster the numbers, rising, of those that it is apart from.
    apart: Vec<Vec<u32>>,
    /// The number of clusters wanted.
    wanted: usize,
    left: usize,
    /// The number of the clusters left that have the least size.
    large: usize,
}

impl<'r> Joins<'r> {
    /// The clusters of a partition, no two samples of one of which are to be apart.
    pub(crate) fn of(
        rules: Rules<'r>,
        partition: &Partition,
        weights: Option<&Weights>,
        wanted: usize,
    ) -> Self {
        let (clusters, labels) = (partition.clusters(), partition.labels());
        let mut apart = filled(Vec::new(), clusters);
        for pair in rules.apart {
            let [a, b] = pair.map(|sample| labels[sample as usize]);
            push(&mut apart[a as usize], b);
            push(&mut apart[b as usize], a);
        }
        for others in &mut apart {
            others.sort_unstable();
            others.dedup();
        }
        let sizes = cluster_sizes(partition, weights);
        let large = sizes.iter().filter(|&&size| size >= rules.least as f64).count();
        Self { rules, sizes, apart, wanted, left: clusters, large }
    }

    /// The number of clusters left.
    pub(crate) fn left(&self) -> usize {
        self.left
    }

    /// The number of clusters wanted.
    pub(crate) fn wanted(&self) -> usize {
        self.wanted
    }

    /// The number of clusters at the start.
    pub(crate) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The size of a cluster.
    pub(crate) fn size(&self, cluster: u32) -> f64 {
        self.sizes[cluster as usize]
    }

    /// True if two clusters may ever join.
    pub(crate) fn may(&self, a: u32, b: u32) -> bool {
        self.size(a) + self.size(b) <= self.rules.most as f64
            && self.apart[a as usize].binary_search(&b).is_err()
    }

    /// True if a cluster has the least size.
    pub(crate) fn is_large(&self, cluster: u32) -> bool {
        self.size(cluster) >= self.rules.least as f64
    }

    /// True if two clusters of the least size may join: only while there are more of them than clusters
    /// are wanted. Else too few would be left.
    pub(crate) fn large_may(&self) -> bool {
        self.large > self.wanted
    }

    /// Joins two clusters.
    pub(crate) fn join(&mut self, [kept, gone]: [u32; 2]) {
        let [kept_at, gone_at] = [kept, gone].map(|cluster| cluster as usize);
        self.large -= usize::from(self.is_large(kept)) + usize::from(self.is_large(gone));
        self.sizes[kept_at] += std::mem::take(&mut self.sizes[gone_at]);
        self.large += usize::from(self.is_large(kept));
        self.left -= 1;
        let moved = std::mem::take(&mut self.apart[gone_at]);
        for &other in &moved {
            let others = &mut self.apart[other as usize];
            others.remove(others.binary_search(&gone).expect("apart is mutual"));
            if let Err(place) = others.binary_search(&kept) {
                reserve(others, 1);
                others.insert(place, kept);
            }
        }
        let others = &mut self.apart[kept_at];
        reserve(others, moved.len());
        others.extend(moved);
        others.sort_unstable();
        others.dedup();
    }
}

/// The rule that the clusters that are left do not meet, if any: where more are left than are wanted, no
/// two of them may join.
pub(crate) fn why_unmet(
    rules: Rules<'_>,
    hierarchy: &Hierarchy,
    left: &Partition,
    wanted: usize,
) -> Option<Error> {
    let mut sizes = cluster_sizes(left, hierarchy.checked_weights());
    if left.clusters() == wanted {
        let small = sizes.iter().find(|size| **size < rules.least as f64);
        let reason = "one of the clusters that are left has";
        let unmet =
            |&size| Error::InvalidClusterSize { bound: LEAST, limit: rules.least, reason, size };
        return small.map(unmet);
    }
    let size_of = |sample: u32| sizes[left.labels()[sample as usize] as usize];
    let fits = |pair: &&[u32; 2]| size_of(pair[0]) + size_of(pair[1]) <= rules.most as f64;
    if let Some(&pair) = rules.apart.iter().find(fits) {
        let reason = "keeps more clusters apart than are wanted: ask for more, or give fewer pairs";
        return Some(Error::InvalidPair { link: APART, pair, reason });
    }
    sizes.sort_unstable_by(f64::total_cmp);
    let reason = "more clusters are left than are wanted, and two of them have together";
    let size = sizes.iter().take(2).sum();
    Some(Error::InvalidClusterSize { bound: MOST, limit: rules.most, reason, size })
}
