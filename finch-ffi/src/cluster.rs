//! Clustering: by samples, with weights or time stamps, and by first neighbours, neighbours or
//! distances that the caller brings.

use finch_core::{Error, Hierarchy, Neighbors, Times};

use crate::border::caller::Caller;
use crate::border::fault::Fault;
use crate::border::guard::guard;
use crate::border::numbers::unsigned;
use crate::border::status::finch_status;
use crate::hierarchy::{HIERARCHY, WEIGHTS, finch_hierarchy};
use crate::matrix::{AnySamples, SAMPLES, finch_matrix, table};
use crate::options::{Options, finch_options};

/// Gives out the hierarchy that `fit` makes, once the output and the options are known to be sound.
///
/// # Safety
/// As for [`guard`].
unsafe fn cluster(
    options: *const finch_options,
    hierarchy: *mut *mut finch_hierarchy,
    fit: impl FnOnce(&Caller, &Options) -> Result<Hierarchy, Fault>,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output(HIERARCHY, hierarchy, 1, 1)?;
        let options = Options::read(caller, options)?;
        let made = fit(caller, &options)?;
        caller.give(output, finch_hierarchy::new(made, options.link_bound));
        Ok(())
    };
    // SAFETY: the caller of this function keeps the promise.
    unsafe { guard(body) }
}

/// Clusters the rows of `samples` (Algorithm 1 of the paper). `*hierarchy` becomes a new hierarchy,
/// to be freed with `finch_hierarchy_free`.
///
/// Of rows that are equally near, the one of the smallest number is the first neighbour. Where such
/// ties are many, as of whole or rounded numbers, the clusters depend on the order of the rows, and
/// FINCH_WARNING_TIES says so.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_cluster(
    samples: *const finch_matrix,
    options: *const finch_options,
    hierarchy: *mut *mut finch_hierarchy,
) -> finch_status {
    let fit = |caller: &Caller, options: &Options| {
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        Ok(options.finch.fit_with(samples.any(), &mut options.run())?)
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { cluster(options, hierarchy, fit) }
}

/// Clusters like `finch_cluster`, from first neighbours that the caller brings: `first_neighbors`
/// has the number of another row, or -1 for none, for each of the `count` rows of `samples`. A
/// single row has no first neighbour: `count` is 0, and `first_neighbors` may be NULL. The
/// neighbours of later levels are searched; none are kept for `refinable`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_cluster_given(
    samples: *const finch_matrix,
    first_neighbors: *const i32,
    count: usize,
    options: *const finch_options,
    hierarchy: *mut *mut finch_hierarchy,
) -> finch_status {
    let fit = |caller: &Caller, options: &Options| {
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        // Before any first neighbour is read.
        let expected = samples.neighbor_count();
        if count != expected {
            return Err(Error::NeighborCount { neighbors: count, expected }.into());
        }
        let first = unsigned(caller.slice("first_neighbors", first_neighbors, count)?)?;
        Ok(options.finch.fit_given(samples.any(), &first, &mut options.run())?)
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { cluster(options, hierarchy, fit) }
}

/// Clusters like `finch_cluster`, each row with its weight: `count` numbers from 1e-100 on that add
/// up to less than 2^53, one for each row of `samples`.
///
/// A sample of weight w stands for c = max(1, floor(w)) equal rows in its place, each of weight
/// w / c. So whole weights give the labels that repeating the rows gives. A sample of weight 2 or
/// more can be a cluster of partition 0 by itself. First neighbours remain those of the rows as
/// given. The hierarchy keeps the weights: `finch_hierarchy_means` and `_refine` use them.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_cluster_weighted(
    samples: *const finch_matrix,
    weights: *const f64,
    count: usize,
    options: *const finch_options,
    hierarchy: *mut *mut finch_hierarchy,
) -> finch_status {
    let fit = |caller: &Caller, options: &Options| {
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        // Before any weight is read.
        samples.expect_len(WEIGHTS, count)?;
        let weights = caller.slice(WEIGHTS, weights, count)?;
        Ok(options.finch.fit_weighted(samples.any(), weights, &mut options.run())?)
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { cluster(options, hierarchy, fit) }
}

/// Clusters like `finch_cluster`, each row with its time stamp: `count` numbers, one for each row,
/// in any unit and order (TW-FINCH, CVPR 2021). The distance of two samples is multiplied by the
/// time between them, as a share of the time from the first stamp to the last. Two clusters have
/// the distance of their means, with their mean stamps. `contiguous` other than 0: each cluster is
/// a segment of time.
///
/// `finch_hierarchy_refine` merges by these distances: FINCH_LINKAGE_WARD, or else the closest
/// means.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_cluster_timed(
    samples: *const finch_matrix,
    times: *const f64,
    count: usize,
    contiguous: i32,
    options: *const finch_options,
    hierarchy: *mut *mut finch_hierarchy,
) -> finch_status {
    let fit = |caller: &Caller, options: &Options| {
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        // Before any stamp is read.
        samples.expect_len("times", count)?;
        let times = Times::new(caller.slice("times", times, count)?).contiguous(contiguous != 0);
        Ok(options.finch.fit_timed(samples.any(), times, &mut options.run())?)
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { cluster(options, hierarchy, fit) }
}

/// Clusters like `finch_cluster`, from the nearest neighbours that the caller brings, as FAISS,
/// PyNNDescent and scikit-learn give them: `index` and `distance` are `rows` x `k`, row-major.
///
/// A row may be in any order. These entries of a row are no neighbours, with the distance beside
/// them: the row's own number, -1, and a neighbour at an infinite distance or at NaN. So each row
/// may have its own number of neighbours, up to `k`. A sample without neighbours is a cluster of
/// its own in partition 0, unless it is the first neighbour of another; it has -1 in
/// `finch_hierarchy_first_neighbors`. Equal distances go to the smaller number. FAISS gives squared
/// distances: take the root. (Under `FINCH_COSINE` distances are 1 - cos.)
///
/// With `samples`, of `rows` rows, finch searches the neighbours of means on later levels as usual.
/// Without, `samples` is NULL: then the distance of two clusters is the mean of the known distances
/// between their samples (not in the paper), a pair counting once, and clusters without a known
/// distance stay apart. The hierarchy then has no features, and functions that merge its clusters
/// take NULL for `samples`.
///
/// Neighbour linkage takes the neighbours that you bring, however few, and searches none. If all
/// distances are equal, a link weighs as many neighbours as its two samples share.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_cluster_neighbors(
    samples: *const finch_matrix,
    index: *const i32,
    distance: *const f64,
    rows: usize,
    k: usize,
    options: *const finch_options,
    hierarchy: *mut *mut finch_hierarchy,
) -> finch_status {
    let fit = |caller: &Caller, options: &Options| {
        let samples = AnySamples::read_optional(caller, SAMPLES, samples)?;
        let index = table(caller, "index", index, [rows, k])?;
        let distance = table(caller, "distance", distance, [rows, k])?;
        let mut run = options.run();
        let neighbors = Neighbors::given(index, distance, &mut run)?;
        Ok(match samples {
            None => options.finch.fit_graph(neighbors, &mut run)?,
            Some(samples) => options.finch.fit_neighbors(samples.any(), neighbors, &mut run)?,
        })
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { cluster(options, hierarchy, fit) }
}

/// Clusters like `finch_cluster`, from the distances of all pairs of samples: a `rows` x `rows`
/// matrix that is symmetric and has a diagonal of zeros, but for rounding: 1e-12 of the largest
/// distance, or 1e-6 where all values are floats (that were converted). It is read where it lies.
///
/// From the second partition on, the distance of two clusters is the mean distance of all pairs of
/// their samples (the paper takes the means of the samples). Neighbour linkage takes distances for
/// lengths, and under FINCH_COSINE for 1 - cos. The hierarchy has no features, keeps
/// the neighbours that neighbour linkage takes, and those that merge clusters take no `samples`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_cluster_distances(
    distances: *const f64,
    rows: usize,
    options: *const finch_options,
    hierarchy: *mut *mut finch_hierarchy,
) -> finch_status {
    let fit = |caller: &Caller, options: &Options| {
        let distances = table(caller, "distances", distances, [rows; 2])?;
        Ok(options.finch.fit_distances(distances, &mut options.run())?)
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { cluster(options, hierarchy, fit) }
}
