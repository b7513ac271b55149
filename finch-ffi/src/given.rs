//! Neighbours and distances that the caller brings.

use finch_core::Neighbors;

use crate::caller::Caller;
use crate::guard::guard;
use crate::hierarchy::{HIERARCHY, finch_hierarchy};
use crate::matrix::{AnySamples, SAMPLES, finch_matrix, table, with_samples};
use crate::options::{Options, finch_options};
use crate::status::finch_status;

/// Clusters like `finch_cluster`, from the nearest neighbours that the caller brings, as FAISS,
/// PyNNDescent and scikit-learn give them: `index` and `distance` are `rows` x `k`, row-major.
///
/// The number of the row itself is left out wherever it stands, and so is -1, for no neighbour,
/// with the distance beside it, and a neighbour at an infinite distance or at NaN. So each row may
/// have its own number of neighbours, up to `k`. A sample without any is a cluster of its own in
/// partition 0, unless it is the first neighbour of another, and has -1 in
/// `finch_hierarchy_first_neighbors`: look there if that is a fault to you. A row may be in any
/// order. Equal distances go to the smaller number. FAISS gives squared distances: take the root.
/// (Under `FINCH_COSINE` they are 1 - cos.)
///
/// With `samples`, of `rows` rows, the means of later levels are searched as usual. NULL says that
/// there are none, and then the distance of two clusters is the mean of the known distances between
/// their samples (not in the paper), a pair counting once. Clusters without a known distance stay
/// apart. The hierarchy then has no features, and functions that merge its clusters take NULL for
/// `samples`.
///
/// Neighbour linkage takes the neighbours brought, however few, and searches none. Where all
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
    let body = |caller: &Caller| {
        let output = caller.output(HIERARCHY, hierarchy, 1, 1)?;
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read_optional(caller, SAMPLES, samples)?;
        let index = table(caller, "index", index, [rows, k])?;
        let distance = table(caller, "distance", distance, [rows, k])?;
        let mut run = options.run();
        let neighbors = Neighbors::given(index, distance, &mut run)?;
        let hierarchy = match samples {
            None => options.finch.fit_graph(neighbors, &mut run)?,
            Some(samples) => with_samples!(&samples, samples => {
                options.finch.fit_neighbors(samples, neighbors, &mut run)
            })?,
        };
        caller.give(output, finch_hierarchy::new(hierarchy, options.link_bound));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Clusters like `finch_cluster`, from the distances of all pairs of samples: a `rows` x `rows`
/// matrix that is symmetric and has a diagonal of zeros, but for rounding: 1e-12 of the largest
/// distance, or 1e-6 where all values are floats (that were converted). It is read where it lies.
///
/// From the second partition on, the distance of two clusters is the mean distance of all pairs of
/// their samples (the paper takes the means of the samples). Neighbour linkage takes distances for
/// lengths, and under FINCH_COSINE for 1 - cos. The hierarchy has no features, keeps
/// the neighbours that neighbour linkage takes, and functions that merge its clusters take NULL for
/// `samples`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_cluster_distances(
    distances: *const f64,
    rows: usize,
    options: *const finch_options,
    hierarchy: *mut *mut finch_hierarchy,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output(HIERARCHY, hierarchy, 1, 1)?;
        let options = Options::read(caller, options)?;
        let distances = table(caller, "distances", distances, [rows; 2])?;
        let hierarchy = options.finch.fit_distances(distances, &mut options.run())?;
        caller.give(output, finch_hierarchy::new(hierarchy, options.link_bound));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}
