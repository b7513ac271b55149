//! The result of clustering: a handle, and the functions that read it.

use std::ffi::{CString, c_char};
use std::sync::{Arc, OnceLock};

use finch_core::{Element, Hierarchy, LinkBound, Run};

use crate::border::caller::Caller;
use crate::border::fault::Fault;
use crate::border::guard::{guard, guard_or, guard_writing};
use crate::border::integers::from_c;
use crate::border::message::Warned;
use crate::border::numbers::{signed, signed_labels};
use crate::border::room::pointer_to;
use crate::border::status::finch_status;
use crate::matrix::{AnySamples, SAMPLES, finch_matrix, with_dense_samples};
use crate::options::{Options, finch_options, link_bound_number, metric_number, search_number};
use crate::warning::warned;

/// The partitions of one run, from fine to coarse, and the first neighbours that they grew from.
///
/// Partition 0 is the finest; there is always at least one partition. The clusters of a partition
/// are numbered from 0 by first appearance in sample order. A hierarchy never changes.
pub struct finch_hierarchy {
    hierarchy: Arc<Hierarchy>,
    /// The link bound of the run, which finch-core's hierarchy does not keep.
    link_bound: LinkBound,
    /// The search for first neighbours, as text, once somebody asks: to write it takes as long as to cluster two
    /// rows. `None` where they were given.
    explanation: OnceLock<Option<CString>>,
    warnings: Vec<Warned>,
}

impl finch_hierarchy {
    pub(crate) fn new(hierarchy: impl Into<Arc<Hierarchy>>, link_bound: LinkBound) -> Self {
        let hierarchy = hierarchy.into();
        let warnings = hierarchy.warnings().iter().map(warned).collect();
        Self { hierarchy, link_bound, explanation: OnceLock::new(), warnings }
    }

    pub(crate) fn hierarchy(&self) -> &Hierarchy {
        &self.hierarchy
    }

    /// The hierarchy, to be kept for longer than the handle.
    pub(crate) fn share(&self) -> Arc<Hierarchy> {
        self.hierarchy.clone()
    }
}

/// Any thread may read a hierarchy, and any thread may free it.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<finch_hierarchy>();
};

/// The order of a matrix that is written out.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_order {
    /// Row after row, as in C.
    FINCH_ROW_MAJOR = 0,
    /// Column after column, as in MATLAB and Fortran.
    FINCH_COLUMN_MAJOR = 1,
}

/// Frees a hierarchy. Pointers borrowed from the hierarchy are then invalid. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_free(hierarchy: *mut finch_hierarchy) {
    let body = |caller: &Caller| {
        caller.free(hierarchy);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_writing(body) };
}

/// The number of samples, N.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_sample_count(hierarchy: *const finch_hierarchy) -> usize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, |caller| Ok(read(caller, hierarchy)?.samples())) }
}

/// The number of features of the samples, d; 0 where there were none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_feature_count(hierarchy: *const finch_hierarchy) -> usize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, |caller| Ok(read(caller, hierarchy)?.features())) }
}

/// The number of partitions, P.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_partition_count(
    hierarchy: *const finch_hierarchy,
) -> usize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, |caller| Ok(read(caller, hierarchy)?.partitions().len())) }
}

/// The number of clusters of a partition.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_cluster_count(
    hierarchy: *const finch_hierarchy,
    partition: usize,
) -> usize {
    let body = |caller: &Caller| Ok(read(caller, hierarchy)?.partition(partition)?.clusters());
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, body) }
}

/// The `finch_metric` of the run that made the hierarchy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_metric(hierarchy: *const finch_hierarchy) -> i32 {
    let body = |caller: &Caller| Ok(metric_number(read(caller, hierarchy)?.metric()));
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, body) }
}

/// The `finch_link_bound` of the run that made the hierarchy.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_link_bound(hierarchy: *const finch_hierarchy) -> i32 {
    let body =
        |caller: &Caller| Ok(link_bound_number(caller.reference(HIERARCHY, hierarchy)?.link_bound));
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, body) }
}

/// The `finch_search` that found the first neighbours, never `FINCH_SEARCH_AUTO`; -1 where the
/// caller gave the first neighbours.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_search(hierarchy: *const finch_hierarchy) -> i32 {
    let body = |caller: &Caller| {
        Ok(read(caller, hierarchy)?.first_neighbors().search().map_or(-1, search_number))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, body) }
}

/// The part of the true first neighbours that the search found (with `refinable`, of the k nearest
/// that are kept): 1 after an exact search, measured on at most 1,024 random samples after an
/// approximate search, -1 where the caller gave the first neighbours.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_recall(hierarchy: *const finch_hierarchy) -> f64 {
    let body = |caller: &Caller| {
        let choice = read(caller, hierarchy)?.first_neighbors().choice();
        Ok(choice.map_or(-1.0, |choice| choice.recall.map_or(1.0, |recall| recall.estimate)))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1.0, body) }
}

/// The search that found the first neighbours, the reason, and the evidence in the data: a line of
/// English. Borrowed. NULL where the caller gave the first neighbours.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_explanation(
    hierarchy: *const finch_hierarchy,
) -> *const c_char {
    let body = |caller: &Caller| {
        let hierarchy = caller.reference(HIERARCHY, hierarchy)?;
        let explanation = hierarchy.explanation.get_or_init(|| {
            let choice = hierarchy.hierarchy.first_neighbors().choice()?;
            CString::new(choice.to_string()).ok()
        });
        Ok(explanation.as_ref().map_or(std::ptr::null(), |text| text.as_ptr()))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// The number of warnings of a hierarchy; most hierarchies have none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_warning_count(hierarchy: *const finch_hierarchy) -> usize {
    let body = |caller: &Caller| Ok(caller.reference(HIERARCHY, hierarchy)?.warnings.len());
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, body) }
}

/// The `finch_warning` of a warning by its number; -1 if there is no such warning. A later
/// library may have other warnings. Of each kind the one of the finest level is first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_warning(
    hierarchy: *const finch_hierarchy,
    warning: usize,
) -> i32 {
    let body = |caller: &Caller| {
        let warnings = &caller.reference(HIERARCHY, hierarchy)?.warnings;
        Ok(warnings.get(warning).map_or(-1, |warned| warned.kind))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, body) }
}

/// A warning as a sentence that says what was found, and what to do. Borrowed. NULL without it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_warning_message(
    hierarchy: *const finch_hierarchy,
    warning: usize,
) -> *const c_char {
    let body = |caller: &Caller| {
        let warnings = &caller.reference(HIERARCHY, hierarchy)?.warnings;
        Ok(warnings.get(warning).map_or(std::ptr::null(), |warned| warned.message.as_ptr()))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// The coarsest partition of at least `clusters` clusters; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_at_least(
    hierarchy: *const finch_hierarchy,
    clusters: usize,
) -> isize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, |caller| Ok(signed(read(caller, hierarchy)?.at_least(clusters)))) }
}

/// The finest partition of at most `clusters` clusters; -1 if there is none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_at_most(
    hierarchy: *const finch_hierarchy,
    clusters: usize,
) -> isize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, |caller| Ok(signed(read(caller, hierarchy)?.at_most(clusters)))) }
}

/// The partition whose number of clusters is nearest to `clusters`; of equals, the finer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_closest(
    hierarchy: *const finch_hierarchy,
    clusters: usize,
) -> isize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, |caller| Ok(signed(Some(read(caller, hierarchy)?.closest(clusters))))) }
}

/// The first neighbour of each sample: N numbers, or NULL for a single sample. A sample for which
/// `finch_cluster_neighbors` was given no neighbour has -1. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_first_neighbors(
    hierarchy: *const finch_hierarchy,
) -> *const i32 {
    let body = |caller: &Caller| {
        // Sample numbers are at most i32::MAX, and u32::MAX, for none, is -1.
        Ok(pointer_to(read(caller, hierarchy)?.first_neighbors().index()).cast())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// The distance to each sample's first neighbour: N numbers, or NULL for a single one; infinite
/// where there is no neighbour. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_distances(
    hierarchy: *const finch_hierarchy,
) -> *const f64 {
    let body =
        |caller: &Caller| Ok(pointer_to(read(caller, hierarchy)?.first_neighbors().distance()));
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// The cluster of each sample in a partition: N numbers. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_labels(
    hierarchy: *const finch_hierarchy,
    partition: usize,
) -> *const i32 {
    let body = |caller: &Caller| {
        let labels = read(caller, hierarchy)?.partition(partition)?.labels();
        // Labels are at most i32::MAX.
        Ok(labels.as_ptr().cast())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// Writes the cluster of each sample in a partition into `labels`: N numbers.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_copy_labels(
    hierarchy: *const finch_hierarchy,
    partition: usize,
    labels: *mut i32,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let partition = read(caller, hierarchy)?.partition(partition)?;
        let output = caller.output("labels", labels, capacity, partition.samples())?;
        output.write(signed_labels(partition.labels()));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_writing(body) }
}

/// Writes the labels of all partitions into `labels`: an N x P matrix, in a `finch_order`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_copy_all_labels(
    hierarchy: *const finch_hierarchy,
    order: i32,
    labels: *mut i32,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let hierarchy = read(caller, hierarchy)?;
        let partitions = hierarchy.partitions();
        let needed = hierarchy.samples().saturating_mul(partitions.len());
        let output = caller.output("labels", labels, capacity, needed)?;
        from_c!(order, "order", finch_order {
            FINCH_ROW_MAJOR => output.write((0..hierarchy.samples()).flat_map(|sample| {
                partitions.iter().map(move |partition| partition.labels()[sample] as i32)
            })),
            FINCH_COLUMN_MAJOR => output.write(partitions.iter().flat_map(|one| signed_labels(one.labels()))),
        });
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_writing(body) }
}

/// Writes the mean of each cluster of a partition into `means`: a C x d matrix, row-major, for C
/// clusters. `samples` are the samples that were clustered; they count by their weights, if they
/// have any. `threads` is the one option used.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_means(
    hierarchy: *const finch_hierarchy,
    partition: usize,
    samples: *const finch_matrix,
    options: *const finch_options,
    means: *mut f64,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let hierarchy = read(caller, hierarchy)?;
        let partition = hierarchy.partition(partition)?;
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        let needed = partition.clusters().saturating_mul(samples.features());
        let output = caller.output("means", means, capacity, needed)?;
        with_dense_samples!("the means of a hierarchy", &samples, samples => {
            let mut run = Run::new().threads(options.threads);
            let means = hierarchy.means(partition, samples, &mut run)?;
            output.write(means.iter().map(|mean| mean.to_f64()));
        });
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Makes exactly `clusters` clusters, from 1 to N, of the `samples` that were clustered, and writes
/// the cluster of each sample into `labels`: N numbers.
///
/// Refining merges one pair of clusters after the other by the option `linkage`, beginning with the
/// partition that the option `from` names. Where even the finest partition has fewer clusters, its
/// clusters are split, which takes no time and reports no progress. The metric is that of the
/// hierarchy. By neighbour linkage samples then move, unless the option `nested` says not.
///
/// Neighbour linkage needs the nearest neighbours of the samples. A hierarchy made with `refinable`
/// has these neighbours; otherwise they are searched first, which takes longer than clustering did.
///
/// `samples` may be NULL beside a hierarchy that was made without samples. Linkages by means then
/// give FINCH_NEEDS_SAMPLES. Clusters without a link left merge in the order of the partitions that
/// join them, then the two with the fewest samples first.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_refine(
    hierarchy: *const finch_hierarchy,
    samples: *const finch_matrix,
    clusters: usize,
    options: *const finch_options,
    labels: *mut i32,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let hierarchy = read(caller, hierarchy)?;
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read_beside(caller, hierarchy, samples)?;
        let output = caller.output("labels", labels, capacity, hierarchy.samples())?;
        let refine = options.refine(clusters);
        let partition = match samples {
            None => refine.run_without_samples(hierarchy, &mut options.run())?,
            Some(samples) => refine.run_with(samples.any(), hierarchy, &mut options.run())?,
        };
        output.write(signed_labels(partition.labels()));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

pub(crate) const HIERARCHY: &str = "hierarchy";
pub(crate) const WEIGHTS: &str = "weights";

/// Labels of the samples of a hierarchy, whose number is checked before any is read.
pub(crate) fn labels_beside<'c>(
    caller: &'c Caller,
    hierarchy: &Hierarchy,
    labels: *const i32,
    count: usize,
) -> Result<&'c [i32], Fault> {
    let (samples, found) = (hierarchy.samples(), count);
    if samples != found {
        return Err(Fault::Numbers { what: "labels", found, samples });
    }
    caller.slice("labels", labels, count)
}

/// The hierarchy of a handle.
pub(crate) fn read(
    caller: &Caller,
    hierarchy: *const finch_hierarchy,
) -> Result<&Hierarchy, Fault> {
    Ok(&caller.reference(HIERARCHY, hierarchy)?.hierarchy)
}

/// The weight of each sample: N numbers. Borrowed. NULL where the samples have none.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_weights(hierarchy: *const finch_hierarchy) -> *const f64 {
    let body = |caller: &Caller| {
        let weights = read(caller, hierarchy)?.weights();
        Ok(weights.map_or(std::ptr::null(), |weights| weights.as_ptr()))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}
