//! Merges of clusters down to one: a handle, and the functions that read it.

use std::ffi::{CString, c_char};

use finch_core::{Clustered, Dendrogram, Suggestion};

use crate::border::caller::Caller;
use crate::border::fault::Fault;
use crate::border::guard::{guard, guard_or, guard_writing};
use crate::border::numbers::signed_labels;
use crate::border::room::{pointer_to, room};
use crate::border::status::finch_status;
use crate::describe::clusters::Clusters;
use crate::hierarchy::{self, finch_hierarchy};
use crate::matrix::{AnySamples, finch_matrix};
use crate::options::{Options, finch_options};

/// M merges of the clusters of a partition, one pair at a time, from which every smaller number
/// of clusters follows. A dendrogram never changes, and needs neither hierarchy nor samples.
pub struct finch_dendrogram {
    dendrogram: Dendrogram,
    /// Two clusters for each merge.
    merges: Vec<i32>,
    heights: Vec<f64>,
    /// The suggested cluster of each sample; none unless of a suggestion.
    labels: Vec<u32>,
    /// The numbers of clusters that fit best; none unless of a suggestion.
    best: Vec<usize>,
    /// The numbers of clusters that fit almost as well; none unless of a suggestion.
    rivals: Vec<usize>,
    /// The rivals in a sentence, where there are any.
    ambiguity: Option<CString>,
    /// Of a suggestion; otherwise none.
    scores: Vec<f64>,
    /// Of a suggestion.
    mixing: Option<f64>,
    /// Of a suggestion.
    clustered: Option<finch_clustered>,
}

/// A verdict on the data: it has clusters; it has none; or its samples are too few to tell.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_clustered {
    /// Clusters mix as parts of a Gaussian, uniform noise or a line.
    FINCH_CLUSTERED_NO = 0,
    /// The border of a large cluster is nearly free of links.
    FINCH_CLUSTERED_YES = 1,
    /// Too few samples, or too few that differ, to tell.
    FINCH_CLUSTERED_TOO_FEW = 2,
}

impl From<Clustered> for finch_clustered {
    fn from(clustered: Clustered) -> Self {
        match clustered {
            Clustered::No => Self::FINCH_CLUSTERED_NO,
            Clustered::Yes => Self::FINCH_CLUSTERED_YES,
            Clustered::TooFew => Self::FINCH_CLUSTERED_TOO_FEW,
        }
    }
}

impl finch_dendrogram {
    /// The dendrogram of a suggestion.
    pub(crate) fn suggested(suggestion: Suggestion) -> Result<Self, Fault> {
        let ambiguity = suggestion.ambiguity().and_then(|told| CString::new(told).ok());
        let Suggestion { cut, best, rivals, dendrogram, scores, mixing, clustered, .. } =
            suggestion;
        let (labels, mixing, clustered) = (cut.into_labels(), Some(mixing), Some(clustered.into()));
        let new = Self::new(dendrogram)?;
        Ok(Self { labels, best, rivals, ambiguity, scores, mixing, clustered, ..new })
    }

    pub(crate) fn new(dendrogram: Dendrogram) -> Result<Self, Fault> {
        let made = dendrogram.merges();
        let (mut merges, mut heights) = (room(2 * made.len())?, room(made.len())?);
        for merge in made {
            // Clusters are at most i32::MAX.
            merges.extend(merge.clusters.map(|cluster| cluster as i32));
            heights.push(merge.height);
        }
        Ok(Self {
            dendrogram,
            merges,
            heights,
            labels: Vec::new(),
            best: Vec::new(),
            rivals: Vec::new(),
            ambiguity: None,
            scores: Vec::new(),
            mixing: None,
            clustered: None,
        })
    }
}

/// Any thread may read a dendrogram, and any thread may free it.
const _: () = {
    const fn shared<T: Send + Sync>() {}
    shared::<finch_dendrogram>();
};

/// Merges clusters as `finch_hierarchy_refine` does, by the options `linkage` and `from`, until
/// `clusters` are left (1 for all merges; at most as many as the finest partition has).
/// `*dendrogram` becomes a new dendrogram, to be freed with `finch_dendrogram_free`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_hierarchy_dendrogram(
    hierarchy: *const finch_hierarchy,
    samples: *const finch_matrix,
    options: *const finch_options,
    clusters: usize,
    dendrogram: *mut *mut finch_dendrogram,
) -> finch_status {
    let body = |caller: &Caller| {
        let output = caller.output(DENDROGRAM, dendrogram, 1, 1)?;
        let hierarchy = hierarchy::read(caller, hierarchy)?;
        let options = Options::read(caller, options)?;
        let refine = options.refine(clusters);
        let mut run = options.run();
        let dendrogram = match AnySamples::read_beside(caller, hierarchy, samples)? {
            None => refine.dendrogram_without_samples(hierarchy, &mut run),
            Some(samples) => refine.dendrogram(samples.any(), hierarchy, &mut run),
        };
        caller.give(output, finch_dendrogram::new(dendrogram?)?);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Frees a dendrogram. Pointers borrowed from the dendrogram are then invalid. NULL is ignored.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_free(dendrogram: *mut finch_dendrogram) {
    let body = |caller: &Caller| {
        caller.free(dendrogram);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_writing(body) };
}

/// The number of samples, N.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_sample_count(
    dendrogram: *const finch_dendrogram,
) -> usize {
    let body = |caller: &Caller| Ok(read(caller, dendrogram)?.dendrogram.start().samples());
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, body) }
}

/// The number of merges, M.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_merge_count(
    dendrogram: *const finch_dendrogram,
) -> usize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, |caller| Ok(read(caller, dendrogram)?.heights.len())) }
}

/// The number of clusters that merging began with. It ended with M fewer.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_start_count(
    dendrogram: *const finch_dendrogram,
) -> usize {
    let body = |caller: &Caller| Ok(read(caller, dendrogram)?.dendrogram.start().clusters());
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, body) }
}

/// The two clusters of each merge, an M x 2 matrix, row-major, by their numbers in the
/// partition that merging began with. The merged cluster keeps the first, the smaller. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_merges(
    dendrogram: *const finch_dendrogram,
) -> *const i32 {
    let body = |caller: &Caller| Ok(pointer_to(&read(caller, dendrogram)?.merges));
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// The distance of the two clusters of each merge: M numbers. Borrowed. By centroid linkage the
/// distance of the means (squared if Euclidean, 2 - 2 cos for cosine), which may fall from merge to
/// merge; by Ward linkage the squared distance times ab / (a + b) for a and b samples; by neighbour
/// linkage ab over the weight of the links between, which is INFINITY without links.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_heights(
    dendrogram: *const finch_dendrogram,
) -> *const f64 {
    let body = |caller: &Caller| Ok(pointer_to(&read(caller, dendrogram)?.heights));
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// Writes the cluster of each sample into `labels`, N numbers, where `clusters` are left.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_cut(
    dendrogram: *const finch_dendrogram,
    clusters: usize,
    labels: *mut i32,
    capacity: usize,
) -> finch_status {
    let body = |caller: &Caller| {
        let dendrogram = &read(caller, dendrogram)?.dendrogram;
        let output = caller.output("labels", labels, capacity, dendrogram.start().samples())?;
        let cut = dendrogram.cut(clusters)?;
        output.write(signed_labels(cut.labels()));
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// Writes the persistence, 0 to 1, of each of `clusters` clusters into `persistence`, and into
/// `*mean`, which may be NULL, the mean of those of the cut, weighted by their sizes. It is the
/// Jaccard index to expect of a cluster and the one found in its place among other samples of the
/// same kind: little where the cluster is about to merge or to fall apart, as the heights of merges
/// tell. `labels` are NULL for the clusters of `finch_dendrogram_cut`, or N numbers as of
/// `finch_describe`, such as those that `finch_hierarchy_refine` moved: each cluster has the
/// persistence of that of the cut with which it shares most samples.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_persistence(
    dendrogram: *const finch_dendrogram,
    labels: *const i32,
    clusters: usize,
    persistence: *mut f64,
    capacity: usize,
    mean: *mut f64,
) -> finch_status {
    let body = |caller: &Caller| {
        let dendrogram = &read(caller, dendrogram)?.dendrogram;
        let output = caller.output("persistence", persistence, capacity, clusters)?;
        let of_cut = caller.optional_output("mean", mean, 1, 1)?;
        let found = match labels.is_null() {
            true => dendrogram.persistence(clusters)?,
            false => {
                let labels = caller.slice("labels", labels, dendrogram.start().samples())?;
                of_labels(dendrogram, &Clusters::of(labels)?, clusters)?
            }
        };
        let mean = dendrogram.mean_persistence(clusters)?;
        output.write(found);
        of_cut.write([mean]);
        Ok(())
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(body) }
}

/// The persistence of each cluster of labels, of which there are to be so many.
fn of_labels(dendrogram: &Dendrogram, of: &Clusters, clusters: usize) -> Result<Vec<f64>, Fault> {
    if of.order.len() != clusters {
        let (value, advice) = (clusters.to_string(), format!("labels have {}", of.order.len()));
        return Err(Fault::Value { what: "number of the clusters of labels", value, advice });
    }
    let found = dendrogram.persistence_of(&of.labels)?;
    let mut named = room(clusters)?;
    named.extend(of.order.iter().map(|&cluster| found[cluster]));
    Ok(named)
}

/// The suggested cluster of each sample: N numbers, or NULL without a suggestion. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_suggested(
    dendrogram: *const finch_dendrogram,
) -> *const i32 {
    // Labels are at most i32::MAX.
    let body = |caller: &Caller| Ok(pointer_to(&read(caller, dendrogram)?.labels).cast());
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// The count of `finch_dendrogram_best`: 1 to 3; 0 unless the dendrogram is of a suggestion.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_best_count(dendrogram: *const finch_dendrogram) -> usize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, |caller| Ok(read(caller, dendrogram)?.best.len())) }
}

/// The numbers of clusters that fit best: the suggested one, and then those of the highest scores
/// that are more than 1.5 times as large or as small as each before. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_best(
    dendrogram: *const finch_dendrogram,
) -> *const usize {
    let body = |caller: &Caller| Ok(pointer_to(&read(caller, dendrogram)?.best));
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// The count of `finch_dendrogram_rivals`: 0 to 3; 0 unless the dendrogram is of a suggestion.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_rival_count(
    dendrogram: *const finch_dendrogram,
) -> usize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, |caller| Ok(read(caller, dendrogram)?.rivals.len())) }
}

/// The numbers of clusters that fit almost as well as the suggested one: of 88 % of its score or
/// more, and more than 1.2 times as large or as small. With a few samples more or fewer one of them
/// might be suggested. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_rivals(
    dendrogram: *const finch_dendrogram,
) -> *const usize {
    let body = |caller: &Caller| Ok(pointer_to(&read(caller, dendrogram)?.rivals));
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// The rivals of the suggested number in a sentence, or NULL where there are none. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_ambiguity(
    dendrogram: *const finch_dendrogram,
) -> *const c_char {
    let body = |caller: &Caller| {
        let ambiguity = read(caller, dendrogram)?.ambiguity.as_ref();
        Ok(ambiguity.map_or(std::ptr::null(), |text| text.as_ptr()))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// The count of the numbers of clusters that `finch_hierarchy_suggestion` considered, or 0.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_score_count(
    dendrogram: *const finch_dendrogram,
) -> usize {
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(0, |caller| Ok(read(caller, dendrogram)?.scores.len())) }
}

/// The score of each number of clusters considered, from 2 on: that of K is at K - 2. Borrowed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_scores(
    dendrogram: *const finch_dendrogram,
) -> *const f64 {
    let body = |caller: &Caller| Ok(pointer_to(&read(caller, dendrogram)?.scores));
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(std::ptr::null(), body) }
}

/// The mixing of clusters at their borders, 0 to 1, in the dendrogram of a suggestion. The mixing
/// of a cluster is the share of links that lead to other clusters, of its samples with such links.
/// The least mixed cluster counts, of those with 5 % of the samples or more that the merges leave
/// at 2 to 8 clusters. If more than a tenth of the samples are repeated, equal samples count as one
/// with their weight. -1 for NULL and for other dendrograms.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_mixing(dendrogram: *const finch_dendrogram) -> f64 {
    let body = |caller: &Caller| Ok(read(caller, dendrogram)?.mixing.unwrap_or(-1.0));
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1.0, body) }
}

/// The verdict on clusters in the dendrogram of a suggestion: a `finch_clustered`. -1 for NULL and
/// for other dendrograms.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_clustered(dendrogram: *const finch_dendrogram) -> i32 {
    let body = |caller: &Caller| {
        let clustered = read(caller, dendrogram)?.clustered;
        Ok(clustered.map_or(-1, |clustered| clustered as i32))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, body) }
}

/// 1 if `finch_dendrogram_clustered` is FINCH_CLUSTERED_YES; 0 for FINCH_CLUSTERED_NO and for
/// FINCH_CLUSTERED_TOO_FEW. -1 for NULL and for other dendrograms.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_dendrogram_has_clusters(dendrogram: *const finch_dendrogram) -> i32 {
    let body = |caller: &Caller| {
        let is_yes = |clustered| matches!(clustered, finch_clustered::FINCH_CLUSTERED_YES);
        let clustered = read(caller, dendrogram)?.clustered;
        Ok(clustered.map_or(-1, |clustered| i32::from(is_yes(clustered))))
    };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_or(-1, body) }
}

pub(crate) const DENDROGRAM: &str = "dendrogram";

fn read(caller: &Caller, dendrogram: *const finch_dendrogram) -> Result<&finch_dendrogram, Fault> {
    caller.reference(DENDROGRAM, dendrogram)
}

/// The merges of a handle.
pub(crate) fn read_merges(
    caller: &Caller,
    dendrogram: *const finch_dendrogram,
) -> Result<&Dendrogram, Fault> {
    Ok(&read(caller, dendrogram)?.dendrogram)
}
