//! The number of clusters to take, where the caller names no number.

use finch_core::Suggestion;

use crate::border::caller::Caller;
use crate::border::fault::Fault;
use crate::border::guard::guard;
use crate::border::numbers::signed_labels;
use crate::border::status::finch_status;
use crate::dendrogram::{DENDROGRAM, finch_dendrogram};
use crate::hierarchy::{self, finch_hierarchy};
use crate::matrix::{AnySamples, finch_matrix};
use crate::options::{Options, finch_options};

/// Recommends a number of clusters. Writes the cluster of each sample into `labels`, N numbers,
/// the number of clusters into `*clusters`, and into `*partition` the number of the partition
/// that agrees best with `labels`. `clusters` and `partition` may be NULL.
///
/// The clusters are those of neighbour linkage, cut where the similarity of the merging clusters
/// drops most, weighted by modularity, and samples move as in `finch_hierarchy_refine`. That call
/// gives the same labels by FINCH_LINKAGE_NEIGHBOR; its default may take means. Data without
/// clusters gets a number, too: `finch_hierarchy_suggestion` and `finch_dendrogram_clustered` tell
/// such data apart. `threads` and `progress` are the options used. A hierarchy made with
/// `refinable` saves a search, as in `finch_hierarchy_refine`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_suggest(
    hierarchy: *const finch_hierarchy,
    samples: *const finch_matrix,
    options: *const finch_options,
    labels: *mut i32,
    capacity: usize,
    clusters: *mut usize,
    partition: *mut usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let needed = hierarchy::read(caller, hierarchy)?.samples();
        let labels = caller.output("labels", labels, capacity, needed)?;
        let clusters = caller.optional_output(CLUSTERS, clusters, 1, 1)?;
        let partition = caller.optional_output(PARTITION, partition, 1, 1)?;
        let suggestion = suggestion(caller, hierarchy, samples, options)?;
        labels.write(signed_labels(suggestion.cut.labels()));
        clusters.write([suggestion.cut.clusters()]);
        partition.write([suggestion.partition]);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Recommends like `finch_hierarchy_suggest`. `*dendrogram` becomes a new dendrogram of all
/// merges of the finest partition, to be freed with `finch_dendrogram_free`, which has the labels
/// (`finch_dendrogram_suggested`), the next best numbers of clusters, and scores. Its cuts are
/// nested: no sample moves. If the data is in more pieces without links between them than there are
/// scores, they do not decide. `clusters` and `partition` may be NULL.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_suggestion(
    hierarchy: *const finch_hierarchy,
    samples: *const finch_matrix,
    options: *const finch_options,
    dendrogram: *mut *mut finch_dendrogram,
    clusters: *mut usize,
    partition: *mut usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output(DENDROGRAM, dendrogram, 1, 1)?;
        let clusters = caller.optional_output(CLUSTERS, clusters, 1, 1)?;
        let partition = caller.optional_output(PARTITION, partition, 1, 1)?;
        let suggestion = suggestion(caller, hierarchy, samples, options)?;
        let (cut, number) = (suggestion.cut.clusters(), suggestion.partition);
        caller.give(output, finch_dendrogram::suggested(suggestion)?);
        clusters.write([cut]);
        partition.write([number]);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

const CLUSTERS: &str = "clusters";
const PARTITION: &str = "partition";

fn suggestion(
    caller: &Caller,
    hierarchy: *const finch_hierarchy,
    samples: *const finch_matrix,
    options: *const finch_options,
) -> Result<Suggestion, Fault> {
    let hierarchy = hierarchy::read(caller, hierarchy)?;
    let options = Options::read(caller, options)?;
    let mut run = options.run();
    let suggestion = match AnySamples::read_beside(caller, hierarchy, samples)? {
        None => hierarchy.suggest_without_samples(&mut run),
        Some(samples) => hierarchy.suggest_with(samples.any(), &mut run),
    };
    Ok(suggestion?)
}
