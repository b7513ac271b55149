//! Samples with time stamps.

use finch_core::Times;

use crate::caller::Caller;
use crate::guard::guard;
use crate::hierarchy::{HIERARCHY, finch_hierarchy};
use crate::matrix::{AnySamples, SAMPLES, finch_matrix, with_samples};
use crate::options::{Options, finch_options};
use crate::status::finch_status;

/// Clusters like `finch_cluster`, each row with its time stamp: `count` numbers, one for each row,
/// in any unit and order. The distance of two samples counts times the time between them, over that
/// from the first stamp to the last; of clusters that of their means and mean stamps (TW-FINCH,
/// CVPR 2021). `contiguous` other than 0: each cluster is a segment of time.
///
/// `finch_hierarchy_refine` merges by these distances: FINCH_WARD, or else the closest means.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_cluster_timed(
    samples: *const finch_matrix,
    times: *const f64,
    count: usize,
    contiguous: i32,
    options: *const finch_options,
    hierarchy: *mut *mut finch_hierarchy,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output(HIERARCHY, hierarchy, 1, 1)?;
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read(caller, SAMPLES, samples)?;
        // Before any stamp is read.
        samples.expect_len(count)?;
        let times = Times::new(caller.slice("times", times, count)?).contiguous(contiguous != 0);
        let hierarchy = with_samples!(&samples, samples => {
            options.finch.fit_timed(samples, times, &mut options.run())
        })?;
        caller.give(output, finch_hierarchy::new(hierarchy, options.link_bound));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}
