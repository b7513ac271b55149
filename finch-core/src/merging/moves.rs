//! Moves of all samples at once, which leave every cluster some of its samples.

use crate::support::memory::filled;

/// Takes back the moves from clusters that all their samples would leave: `moved` are the new clusters of the samples,
/// and `labels` those before, of so many `clusters`.
pub(super) fn keep_clusters(moved: &mut [u32], labels: &[u32], clusters: usize) {
    let mut keeps_some = filled(false, clusters);
    let stay = moved.iter().zip(labels).filter(|(new, old)| new == old);
    stay.for_each(|(_, &old)| keeps_some[old as usize] = true);
    for (new, &old) in moved.iter_mut().zip(labels) {
        if !keeps_some[old as usize] {
            *new = old;
        }
    }
}
