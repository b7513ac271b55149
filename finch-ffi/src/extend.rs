//! More samples for a hierarchy, and names that clusters keep.

use finch_core::{Error, Origin};

use crate::border::caller::Caller;
use crate::border::guard::guard;
use crate::border::numbers::labels_of;
use crate::border::status::finch_status;
use crate::hierarchy::{HIERARCHY, finch_hierarchy};
use crate::matrix::{AnySamples, SAMPLES, finch_matrix, with_samples};
use crate::options::{Options, finch_options};

/// Where the samples of a cluster come from, after samples were added.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_fate {
    /// All samples of one old cluster, and no others.
    FINCH_FATE_KEPT = 0,
    /// All samples of one old cluster, and new samples.
    FINCH_FATE_GREW = 1,
    /// Samples of two or more old clusters.
    FINCH_FATE_MERGED = 2,
    /// Some, but not all, of the samples of one old cluster.
    FINCH_FATE_SPLIT = 3,
    /// New samples alone.
    FINCH_FATE_APPEARED = 4,
}

/// Clusters `samples`, of which the first N are those that `hierarchy` was made from. With the same
/// options `*extended` is the hierarchy that `finch_cluster` makes of all `samples`, bit for bit if
/// searches are exact; but no two old samples are compared again. The metric is that of
/// `hierarchy`, which stays as it is. `weights` are those of all samples, as many as `samples` has
/// rows, or NULL: then new samples weigh 1, if those of `hierarchy` have weights.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_extend(
    hierarchy: *const finch_hierarchy,
    samples: *const finch_matrix,
    weights: *const f64,
    options: *const finch_options,
    extended: *mut *mut finch_hierarchy,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output("extended", extended, 1, 1)?;
        let options = Options::read(caller, options)?;
        let before = caller.reference(HIERARCHY, hierarchy)?;
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        let hierarchy = with_samples!(&samples, samples => {
            let (finch, before, mut run) = (options.finch, before.hierarchy(), options.run());
            match weights.is_null() {
                true => finch.extend(before, samples, &mut run),
                false => {
                    let weights = caller.slice("weights", weights, samples.len())?;
                    finch.extend_weighted(before, samples, weights, &mut run)
                }
            }
        })?;
        caller.give(output, finch_hierarchy::new(hierarchy, options.link_bound));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Names the clusters of a labelling of `new_count` samples after those of an older labelling of
/// the first `old_count` of these samples: a new cluster gets the name of the old cluster that it
/// has most samples of. Clusters may be any integers; the names of old clusters are their numbers
/// by first appearance, as finch numbers labels, and new clusters are numbered in the same way.
/// -1, noise, is no name, and stays -1; a sample that was noise counts as new.
///
/// Writes the name of each sample's cluster into `labels`, `new_count` numbers: below the number of
/// old clusters that of an old cluster, from there on a new name. Writes a `finch_fate` for each
/// new cluster into `fates`, and the number of new clusters into `*clusters`; both may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_keep_labels(
    old_labels: *const i32,
    old_count: usize,
    new_labels: *const i32,
    new_count: usize,
    labels: *mut i32,
    capacity: usize,
    fates: *mut i32,
    fate_capacity: usize,
    clusters: *mut usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output("labels", labels, capacity, new_count)?;
        if old_count > new_count {
            let (expected, found) = (old_count, new_count);
            return Err(Error::SampleCount { expected, found }.into());
        }
        let old = labels_of(caller.slice("old_labels", old_labels, old_count)?)?;
        let new = labels_of(caller.slice("new_labels", new_labels, new_count)?)?;
        let of_fates = caller.optional_output("fates", fates, fate_capacity, new.clusters())?;
        let of_clusters = caller.optional_output("clusters", clusters, 1, 1)?;
        let renamed = new.named_after(&old)?;
        output.write(renamed.labels.iter().map(|&label| label as i32));
        of_fates.write(renamed.fates.iter().map(|&fate| finch_fate::from(fate) as i32));
        of_clusters.write([new.clusters()]);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

impl From<Origin> for finch_fate {
    fn from(fate: Origin) -> Self {
        match fate {
            Origin::Kept => Self::FINCH_FATE_KEPT,
            Origin::Grew => Self::FINCH_FATE_GREW,
            Origin::Merged => Self::FINCH_FATE_MERGED,
            Origin::Split => Self::FINCH_FATE_SPLIT,
            _ => Self::FINCH_FATE_APPEARED,
        }
    }
}
