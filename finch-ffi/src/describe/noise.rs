//! Noise among the samples of a labelling.

use crate::border::caller::Caller;
use crate::border::guard::guard;
use crate::border::numbers::{labels_of, signed_labels};
use crate::border::status::finch_status;
use crate::hierarchy::{self, finch_hierarchy};
use crate::matrix::{AnySamples, finch_matrix};
use crate::options::{Options, finch_options};

/// Makes noise, label -1, of outliers, and then of clusters that are left too small, or joins these
/// to others, the smallest first: each to the cluster that most links of its samples to their
/// nearest neighbours lead to. The options say so, from `min_cluster_size` on. `labels` has the
/// cluster of each of the `count` = N samples, any integers; -1 stays. Writes N labels into
/// `noisy`, which may be `labels`, clusters by first appearance. `*clusters`, unless `clusters` is
/// NULL, becomes their number. `samples` and neighbours come as in `finch_hierarchy_refine`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_noise(
    hierarchy: *const finch_hierarchy,
    samples: *const finch_matrix,
    labels: *const i32,
    count: usize,
    options: *const finch_options,
    noisy: *mut i32,
    capacity: usize,
    clusters: *mut usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let hierarchy = hierarchy::read(caller, hierarchy)?;
        let options = Options::read(caller, options)?;
        let samples = AnySamples::read_beside(caller, hierarchy, samples)?;
        let labels = labels_of(hierarchy::labels_beside(caller, hierarchy, labels, count)?)?;
        let output = caller.output("noisy", noisy, capacity, count)?;
        let clusters = caller.optional_output("clusters", clusters, 1, 1)?;
        let (noise, mut run) = (options.noise, options.run());
        let found = match samples {
            None => noise.run_without_samples(hierarchy, &labels, &mut run)?,
            Some(samples) => noise.run(samples.any(), hierarchy, &labels, &mut run)?,
        };
        clusters.write([found.clusters()]);
        output.write(signed_labels(found.labels()));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}
