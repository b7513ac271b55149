//! The result: a handle, and what can be asked of it.

use finch_core::{Element, Error, Hierarchy, Partition, Refine, Run, Search};

use crate::enums::from_c;
use crate::guard::{guard, guard_or};
use crate::matrix::{AnySamples, SAMPLES, finch_matrix, with_samples};
use crate::memory::Caller;
use crate::options::{Options, finch_options, finch_search};
use crate::status::{Fault, finch_status};

/// All partitions of one run, from fine to coarse, and the first neighbours that they grew from.
///
/// Partitions are numbered from 0, the finest; there is always at least one. In each, the clusters
/// are numbered from 0 by first appearance in sample order. A hierarchy does not change until it is
/// freed, so any number of threads may read one at once; whoever made it frees it, once, with
/// `finch_hierarchy_free`, on any thread.
pub struct finch_hierarchy {
    hierarchy: Hierarchy,
}

/// Any thread may read one, and any may free it.
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

/// Clusters the rows of `samples` (Algorithm 1 of the paper): `*hierarchy` becomes a new handle, to
/// be freed with `finch_hierarchy_free`. After a failure it is as it was. Of the arguments,
/// `options` alone may be NULL. From any thread, with any number of runs at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_cluster(
    samples: *const finch_matrix,
    options: *const finch_options,
    hierarchy: *mut *mut finch_hierarchy,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output("hierarchy", hierarchy, 1, 1)?;
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        let hierarchy = with_samples!(&samples, samples => options.finch.fit_with(samples, &mut options.run()))?;
        caller.give(output, finch_hierarchy { hierarchy });
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Clusters as `finch_cluster` does, from first neighbours that the caller brings: for each of the
/// `count` rows of `samples` the number of another one, from 0, in `first_neighbors`; for a single
/// row none, and then `first_neighbors` may be NULL. Later levels are searched as usual.
///
/// Ownership is as for `finch_cluster`. Of the other arguments, `options` alone may be NULL. From
/// any thread, with any number of runs at once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_cluster_given(
    samples: *const finch_matrix,
    first_neighbors: *const i32,
    count: usize,
    options: *const finch_options,
    hierarchy: *mut *mut finch_hierarchy,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output("hierarchy", hierarchy, 1, 1)?;
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        // Before anything of them is read.
        let expected = samples.neighbors();
        if count != expected {
            return Err(Error::NeighborCount { neighbors: count, expected }.into());
        }
        let first = unsigned(caller.slice("first_neighbors", first_neighbors, count)?)?;
        let hierarchy = with_samples!(&samples, samples => {
            options.finch.fit_given(samples, &first, &mut options.run())
        })?;
        caller.give(output, finch_hierarchy { hierarchy });
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Frees a hierarchy, and with it all that was borrowed from it. NULL is ignored. From any thread,
/// once no other uses it.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_free(hierarchy: *mut finch_hierarchy) {
    let body = |caller: &Caller| {
        caller.free(hierarchy);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) };
}

/// The number of samples, N; 0 for NULL.
/// From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_samples(hierarchy: *const finch_hierarchy) -> usize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, |caller| Ok(read(caller, hierarchy)?.samples())) }
}

/// The number of partitions, at least 1; 0 for NULL.
/// From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_partitions(hierarchy: *const finch_hierarchy) -> usize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, |caller| Ok(read(caller, hierarchy)?.partitions().len())) }
}

/// The number of clusters of a partition; 0 for NULL or where there is no such partition.
/// From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_clusters(
    hierarchy: *const finch_hierarchy,
    partition: usize,
) -> usize {
    let body = |caller: &Caller| Ok(read(caller, hierarchy)?.partition(partition)?.clusters());
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, body) }
}

/// The number of the coarsest partition of at least `clusters` clusters; -1 if there is none, and
/// for NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_at_least(
    hierarchy: *const finch_hierarchy,
    clusters: usize,
) -> isize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, |caller| Ok(signed(read(caller, hierarchy)?.at_least(clusters)))) }
}

/// The number of the finest partition of at most `clusters` clusters; -1 if there is none, and for
/// NULL.
/// From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_at_most(
    hierarchy: *const finch_hierarchy,
    clusters: usize,
) -> isize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, |caller| Ok(signed(read(caller, hierarchy)?.at_most(clusters)))) }
}

/// The number of the partition whose cluster count is nearest to `clusters`, of two the finer; -1
/// for NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_closest(
    hierarchy: *const finch_hierarchy,
    clusters: usize,
) -> isize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, |caller| Ok(signed(Some(read(caller, hierarchy)?.closest(clusters))))) }
}

/// The cluster of each sample in a partition: N numbers from 0, borrowed from the hierarchy and
/// valid until it is freed. NULL for NULL or where there is no such partition. From any thread.
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

/// Writes the cluster of each sample in a partition: N numbers from 0 into `labels`, which has room
/// for `capacity`.
/// No pointer may be NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_copy_labels(
    hierarchy: *const finch_hierarchy,
    partition: usize,
    labels: *mut i32,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let partition = read(caller, hierarchy)?.partition(partition)?;
        let output = caller.output(LABELS, labels, capacity, partition.samples())?;
        output.write(signed_labels(partition));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Writes the labels of all P partitions: an N x P matrix, one column a partition, in the given
/// `finch_order`, into `labels`, which has room for `capacity` numbers.
/// No pointer may be NULL. From any thread.
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
        let output = caller.output(LABELS, labels, capacity, needed)?;
        from_c!(order, "order", finch_order {
            FINCH_ROW_MAJOR => output.write((0..hierarchy.samples()).flat_map(|sample| {
                partitions.iter().map(move |partition| partition.labels()[sample] as i32)
            })),
            FINCH_COLUMN_MAJOR => output.write(partitions.iter().flat_map(signed_labels)),
        });
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Writes the mean of each cluster of a partition over all its samples: a C x d matrix, row-major,
/// into `means`, which has room for `capacity` numbers. `samples` are those that were clustered. Of
/// the options, `threads` counts. Of the pointers, `options` alone may be NULL. From any thread.
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
        with_samples!(&samples, samples => {
            hierarchy.expect_samples(samples)?;
            let means = partition.means_with(samples, &mut Run::new().threads(options.threads))?;
            output.write(means.iter().map(|mean| mean.to_f64()));
        });
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// The first neighbour of each sample, from 0: N numbers, or none for a single sample. Borrowed
/// from the hierarchy and valid until it is freed. NULL for NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_first_neighbors(
    hierarchy: *const finch_hierarchy,
) -> *const i32 {
    let body = |caller: &Caller| {
        // Sample numbers are at most i32::MAX.
        Ok(read(caller, hierarchy)?.first_neighbors().index().as_ptr().cast())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// The distance of each sample to its first neighbour: N numbers, or none for a single sample.
/// Borrowed from the hierarchy and valid until it is freed. NULL for NULL.
/// From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_distances(
    hierarchy: *const finch_hierarchy,
) -> *const f64 {
    let body = |caller: &Caller| Ok(read(caller, hierarchy)?.first_neighbors().distance().as_ptr());
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// The search that found the first neighbours: a `finch_search`, never `FINCH_SEARCH_AUTO`; -1
/// where the caller gave them, and for NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_search(hierarchy: *const finch_hierarchy) -> i32 {
    let body = |caller: &Caller| {
        Ok(match read(caller, hierarchy)?.first_neighbors().search() {
            Some(Search::Auto) => finch_search::FINCH_SEARCH_AUTO as i32,
            Some(Search::Brute) => finch_search::FINCH_SEARCH_BRUTE as i32,
            Some(Search::KdTree) => finch_search::FINCH_SEARCH_KD_TREE as i32,
            Some(Search::Blocked) => finch_search::FINCH_SEARCH_BLOCKED as i32,
            Some(Search::Projected) => finch_search::FINCH_SEARCH_PROJECTED as i32,
            Some(Search::Approximate) => finch_search::FINCH_SEARCH_APPROXIMATE as i32,
            _ => -1,
        })
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, body) }
}

/// The part of the true first neighbours that the search found, measured on 2,048 samples drawn at
/// random (of fewer than 4,096 on half); of a hierarchy with `refinable` the part of the k nearest
/// that it keeps. 1 where the search was exact, or there was none to find; -1 where the caller gave
/// the first neighbours, and for NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_recall(hierarchy: *const finch_hierarchy) -> f64 {
    let body = |caller: &Caller| {
        let choice = read(caller, hierarchy)?.first_neighbors().choice();
        Ok(choice.map_or(-1.0, |choice| choice.recall.map_or(1.0, |recall| recall.estimate)))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1.0, body) }
}

/// Makes exactly `clusters` clusters, from 1 to N, of the `samples` that were clustered, and writes
/// the cluster of each into `labels`, which has room for `capacity` numbers: N, from 0.
///
/// It merges one pair of clusters at a time, by `linkage` (Algorithm 2 of the paper is centroid
/// linkage) and from the partition `from` of the options, or splits the finest partition where that
/// has fewer clusters, which takes no time and reports no progress. For neighbour linkage it takes
/// the nearest neighbours of the samples that the hierarchy keeps if it was made with `refinable`,
/// and otherwise first searches them, which takes longer than clustering did.
///
/// The metric is that of the hierarchy. Of the pointers, `options` alone may be NULL. From any
/// thread, with any number of runs at once.
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
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        let output = caller.output(LABELS, labels, capacity, hierarchy.samples())?;
        let refine = Refine::new(clusters).linkage(options.linkage);
        let refine = options.from.map_or(refine, |from| refine.from(from));
        let partition = with_samples!(&samples, samples => {
            refine.run_with(samples, hierarchy, &mut options.run())
        })?;
        output.write(signed_labels(&partition));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

pub(crate) const LABELS: &str = "labels";

fn read(caller: &Caller, hierarchy: *const finch_hierarchy) -> Result<&Hierarchy, Fault> {
    Ok(&caller.reference("hierarchy", hierarchy)?.hierarchy)
}

fn signed(partition: Option<usize>) -> isize {
    partition.map_or(-1, |partition| partition as isize)
}

/// Labels are at most i32::MAX.
pub(crate) fn signed_labels(partition: &Partition) -> impl Iterator<Item = i32> {
    partition.labels().iter().map(|&label| label as i32)
}

/// Sample numbers as the core has them.
pub(crate) fn unsigned(neighbors: &[i32]) -> Result<Vec<u32>, Fault> {
    let number = |(sample, &neighbor): (usize, &i32)| {
        u32::try_from(neighbor).map_err(|_| Fault::NegativeNeighbor { sample, neighbor })
    };
    neighbors.iter().enumerate().map(number).collect()
}
