//! More samples for a hierarchy, and names that clusters keep.

use std::mem::offset_of;
use std::ptr::null_mut;

use finch_core::{Error, Origin};

use crate::border::caller::{Caller, Growing};
use crate::border::fault::Fault;
use crate::border::guard::guard;
use crate::border::numbers::labels_of;
use crate::border::status::finch_status;
use crate::hierarchy::{HIERARCHY, finch_hierarchy};
use crate::matrix::{AnySamples, SAMPLES, finch_matrix};
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
        let (finch, before, mut run) = (options.finch, before.hierarchy(), options.run());
        let hierarchy = match weights.is_null() {
            true => finch.extend(before, samples.any(), &mut run)?,
            false => {
                let weights = caller.slice("weights", weights, samples.len())?;
                finch.extend_weighted(before, samples.any(), weights, &mut run)?
            }
        };
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
    let size = size_of::<finch_kept_labels>();
    let outputs = finch_kept_labels { size, labels, capacity, fates, fate_capacity, clusters: 0 };
    let body = |caller: &Caller| {
        let of_clusters = caller.optional_output("clusters", clusters, 1, 1)?;
        let old = Counted(old_labels, old_count);
        let found = keep_labels(caller, old, Counted(new_labels, new_count), &outputs)?;
        of_clusters.write([found]);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// The outputs of `finch_keep_labels_into`. Set `size`, the buffers and their capacities, and the
/// rest to 0. It grows at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct finch_kept_labels {
    /// `sizeof(finch_kept_labels)`.
    pub size: usize,
    /// Gets the name of each sample's cluster. Never NULL.
    pub labels: *mut i32,
    /// The numbers that `labels` has room for.
    pub capacity: usize,
    /// Gets a `finch_fate` for each new cluster, or NULL.
    pub fates: *mut i32,
    /// The numbers that `fates` has room for.
    pub fate_capacity: usize,
    /// Gets the number of new clusters.
    pub clusters: usize,
}

// SAFETY: numbers and pointers.
unsafe impl Growing for finch_kept_labels {
    const NAME: &'static str = "kept";
    const FIRST_SIZE: usize = offset_of!(Self, clusters) + size_of::<usize>();
    const END: usize = Self::FIRST_SIZE;
    const ADVICE: &'static str = "set its size to sizeof(finch_kept_labels)";
}

/// Names clusters as `finch_keep_labels` does, into a struct of outputs.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_keep_labels_into(
    old_labels: *const i32,
    old_count: usize,
    new_labels: *const i32,
    new_count: usize,
    kept: *mut finch_kept_labels,
) -> finch_status {
    let (labels, fates) = (null_mut(), null_mut());
    let none =
        finch_kept_labels { size: 0, labels, capacity: 0, fates, fate_capacity: 0, clusters: 0 };
    let body = |caller: &Caller| {
        let outputs = caller.read_sized(kept, none)?;
        let old = Counted(old_labels, old_count);
        let clusters = keep_labels(caller, old, Counted(new_labels, new_count), &outputs)?;
        caller.write_sized(kept, outputs.size, true, finch_kept_labels { clusters, ..outputs })
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Labels in the caller's memory, and their count.
struct Counted(*const i32, usize);

/// Names clusters, and writes all but their number, which it returns.
fn keep_labels(
    caller: &Caller,
    Counted(old_labels, old_count): Counted,
    Counted(new_labels, new_count): Counted,
    outputs: &finch_kept_labels,
) -> Result<usize, Fault> {
    let finch_kept_labels { labels, capacity, fates, fate_capacity, .. } = *outputs;
    let output = caller.output("labels", labels, capacity, new_count)?;
    if old_count > new_count {
        let (expected, found) = (old_count, new_count);
        return Err(Error::SampleCount { expected, found }.into());
    }
    let old = labels_of(caller.slice("old_labels", old_labels, old_count)?)?;
    let new = labels_of(caller.slice("new_labels", new_labels, new_count)?)?;
    let of_fates = caller.optional_output("fates", fates, fate_capacity, new.clusters())?;
    let renamed = new.named_after(&old)?;
    output.write(renamed.labels.iter().map(|&label| label as i32));
    of_fates.write(renamed.fates.iter().map(|&fate| finch_fate::from(fate) as i32));
    Ok(new.clusters())
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
