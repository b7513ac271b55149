//! Samples with weights: clustering, and the weights that a hierarchy keeps.

use crate::caller::Caller;
use crate::guard::{guard, guard_or};
use crate::hierarchy::{HIERARCHY, finch_hierarchy, read};
use crate::matrix::{AnySamples, SAMPLES, finch_matrix, with_samples};
use crate::options::{Options, finch_options};
use crate::status::finch_status;

pub(crate) const WEIGHTS: &str = "weights";

/// Clusters like `finch_cluster`, each row with its weight: `count` numbers from 1e-100 on that add
/// up to less than 2^53, one for each row of `samples`.
///
/// A sample of weight w stands for c = max(1, floor(w)) equal rows in its place, each of weight
/// w / c. So whole weights give the labels that repeating the rows gives. A sample of weight 2 or
/// more can be a cluster of partition 0 by itself. First neighbours remain those of the rows as
/// given. The hierarchy keeps the weights: `finch_hierarchy_means` and `finch_hierarchy_refine` use
/// them by themselves.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_cluster_weighted(
    samples: *const finch_matrix,
    weights: *const f64,
    count: usize,
    options: *const finch_options,
    hierarchy: *mut *mut finch_hierarchy,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output(HIERARCHY, hierarchy, 1, 1)?;
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        // Before any weight is read.
        samples.expect_len(count)?;
        let weights = caller.slice(WEIGHTS, weights, count)?;
        let hierarchy = with_samples!(&samples, samples => {
            options.finch.fit_weighted(samples, weights, &mut options.run())
        })?;
        caller.give(output, finch_hierarchy::new(hierarchy, options.link_bound));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
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
