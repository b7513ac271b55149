//! The previous hierarchy, reused when samples are added.

use ndarray::ArrayView2;

use crate::hierarchy::Hierarchy;
use crate::memory::{filled, gathered, room};
use crate::neighbors::{Choice, FirstNeighbors, Known};
use crate::partition::Partition;
use crate::weights::Weights;

/// A hierarchy of the first samples.
pub(crate) struct Former<'a> {
    hierarchy: &'a Hierarchy,
    /// The neighbours of the first samples; `None` for a single sample, which has none, and where the
    /// caller gave them, of which nobody knows what they are.
    pub(crate) known: Option<Known<'a>>,
}

impl<'a> Former<'a> {
    pub(crate) fn new(hierarchy: &'a Hierarchy) -> Self {
        let first = hierarchy.first_neighbors();
        let choice = first.choice().filter(|_| !first.index().is_empty());
        let known = choice.map(|choice| match hierarchy.neighbors() {
            Some(kept) => Known { rows: None, index: kept.index(), choice },
            None => Known { rows: None, index: column(first.index()), choice },
        });
        Self { hierarchy, known }
    }

    /// The clusters of the last of some partitions that the partition of the hierarchy has, too, and so
    /// with the same mean, and whose nearest mean is that of such a cluster. `None` where nothing is
    /// known of the means.
    pub(crate) fn unchanged(
        &self,
        weights: Option<&Weights>,
        partitions: &[Partition],
    ) -> Option<Unchanged> {
        let number = partitions.len() - 1;
        let first = self.hierarchy.neighbors_of_means(number)?;
        let choice = first.choice().filter(|choice| choice.exact())?;
        let partition = self.hierarchy.partitions().get(number)?;
        let of_before = weights.map(|weights| &weights.as_slice()[..partition.samples()]);
        let found = Unchanged::of([partition, &partitions[number]], first, choice);
        (self.hierarchy.weights() == of_before && !first.index().is_empty()).then_some(found)
    }
}

/// Clusters that are what they were, and their first neighbours among each other.
pub(crate) struct Unchanged {
    clusters: Vec<u32>,
    first: Vec<u32>,
    choice: Choice,
}

impl Unchanged {
    /// Clusters are numbered by first appearance, so that those that are what they were are in the same
    /// order as before: of equally near means the same one is the first neighbour.
    fn of([before, now]: [&Partition; 2], first: &FirstNeighbors, choice: Choice) -> Self {
        const OTHER: u32 = u32::MAX;
        // For each cluster of now, the cluster that all of its samples were in.
        let mut former = filled(OTHER, now.clusters());
        let mut seen = filled(false, now.clusters());
        let old = before.labels().iter().copied().chain(std::iter::repeat(OTHER));
        for (&label, old) in now.labels().iter().zip(old) {
            let (former, seen) = (&mut former[label as usize], &mut seen[label as usize]);
            *former = if *seen && *former != old { OTHER } else { old };
            *seen = true;
        }
        let (before_sizes, sizes) = (before.cluster_sizes(), now.cluster_sizes());
        // For each cluster of before, the cluster of now that is the same.
        let mut same = filled(OTHER, before.clusters());
        for ((cluster, &former), &size) in (0..).zip(&former).zip(&sizes) {
            if former != OTHER && before_sizes[former as usize] == size {
                same[former as usize] = cluster;
            }
        }
        let pairs = same.iter().zip(first.index());
        let now = |first: u32| same.get(first as usize).copied().unwrap_or(OTHER);
        let pairs = pairs.map(|(&cluster, &first)| (cluster, now(first)));
        let kept: Vec<(u32, u32)> =
            gathered(pairs.filter(|&(cluster, first)| cluster != OTHER && first != OTHER));
        let (mut clusters, mut first) = (room(kept.len()), room(kept.len()));
        clusters.extend(kept.iter().map(|pair| pair.0));
        first.extend(kept.iter().map(|pair| pair.1));
        Self { clusters, first, choice }
    }

    pub(crate) fn known(&self) -> Known<'_> {
        Known { rows: Some(&self.clusters), index: column(&self.first), choice: self.choice }
    }
}

fn column(numbers: &[u32]) -> ArrayView2<'_, u32> {
    ArrayView2::from_shape((numbers.len(), 1), numbers).expect("one in each row")
}
