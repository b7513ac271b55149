//! First neighbours of clusters by mean distance, where there are no samples to take means of.
//!
//! The distance of two clusters is the mean of the distances that are known of pairs of a sample of one
//! and a sample of the other: `all.rs` where all are known, `known.rs` where those of neighbours are.
//! The paper compares the means of the samples of the clusters.

mod all;
mod known;

pub(crate) use all::SumsOfAll;
pub(crate) use known::SumsOfKnown;

use crate::memory::filled;
use crate::partition::Partition;

/// The map by which the last partition joins the clusters of the one before: a label for each of these.
fn joined(partitions: &[Partition]) -> Option<Partition> {
    let [.., finer, coarser] = partitions else {
        return None;
    };
    let mut labels = filled(0, finer.clusters());
    for (&cluster, &above) in finer.labels().iter().zip(coarser.labels()) {
        labels[cluster as usize] = above;
    }
    Some(Partition::numbered(labels, coarser.clusters()))
}
