//! Options of a run, and the callback that watches it.

use std::ffi::c_void;
use std::mem::offset_of;
use std::ops::{ControlFlow, Deref, DerefMut};
use std::time::Duration;

use finch_core::{
    Finch, LinkBound, Linkage, Metric, Noise, Number, Progress, Refine, Run, Search, SmallClusters,
    Stage,
};

use crate::border::caller::{Caller, Growing};
use crate::border::fault::Fault;
use crate::border::guard::guard_writing;
use crate::border::integers::{between, invalid_value};
use crate::border::message::remember_warning;
use crate::border::status::finch_status;
use crate::warning::warned_of_call;

/// The distance of two samples.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_metric {
    /// The root of the sum of squared differences.
    FINCH_EUCLIDEAN = 0,
    /// 1 - cos, from 0 to 2. Zero rows are at 0 from each other, and infinitely far from all other
    /// rows: the number of a missing neighbour is -1.
    FINCH_COSINE = 1,
    /// The sum of absolute differences.
    FINCH_MANHATTAN = 2,
    /// The share of features that differ, for samples of 0 and 1 (of any element type, packed or
    /// sparse); for means the sum of absolute differences, divided by d.
    FINCH_HAMMING = 3,
    /// The number of features that are 1 in one of two samples alone, divided by the number that
    /// are 1 in either; 0 between two zero rows. For means, sum |x - y| / sum max(x, y).
    FINCH_JACCARD = 4,
}

/// The first-neighbour links that may merge clusters from the second partition on. Algorithm 1 of
/// the paper lists no bound, but the paper's published tables were made with one: both bounds give
/// its Table 8. The authors' MATLAB code takes FINCH_LINK_BOUND_JOINED_PAIR.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_link_bound {
    /// All links.
    FINCH_LINK_BOUND_NONE = 0,
    /// Links no longer than the longest first-neighbour distance between samples.
    FINCH_LINK_BOUND_FIRST_NEIGHBOR = 1,
    /// Links no longer than the longest distance of a pair of samples that Eq. 1 joins: of a sample
    /// and its first neighbour, or of two samples with the same first neighbour. Lengths within
    /// 2^-32 of each other count as equal. Where `finch_cluster_neighbors` has no samples, the
    /// distance of each such pair has to be in its table.
    FINCH_LINK_BOUND_JOINED_PAIR = 2,
}

/// The search for neighbours. Exact searches find the same neighbours, and differ in time.
/// FINCH_SEARCH_AUTO takes the fastest exact search for the data, or the approximate search where
/// an exact one would take more than about 20 s on one core, and much longer. The neighbours that
/// an approximate search finds depend on `recall` and `seed` alone, unless `time_limit` ends it.
/// FINCH_SEARCH_PROJECTED takes neither Manhattan nor Jaccard, FINCH_SEARCH_APPROXIMATE no Jaccard.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_search {
    /// One of the searches below, as said above.
    FINCH_SEARCH_AUTO = 0,
    /// Exact: every pair of samples.
    FINCH_SEARCH_BRUTE = 1,
    /// Exact: a k-d tree, for few intrinsic dimensions.
    FINCH_SEARCH_KD_TREE = 2,
    /// Exact: all pairs by blocks, for many features.
    FINCH_SEARCH_BLOCKED = 3,
    /// Exact: blocks along principal axes, for at least 8 features.
    FINCH_SEARCH_PROJECTED = 4,
    /// Pairs within small cells, for millions of samples.
    FINCH_SEARCH_APPROXIMATE = 5,
}

/// The two clusters that merge first on the way to an exact number of clusters. Neighbour linkage
/// (which is not single linkage) links each sample to its ceil(2 log2 N) nearest neighbours (fewer
/// below 1024 samples). A link is the stronger the more neighbours its two samples share, and weak
/// across a gap. Clusters may have any shape, and outliers hardly disturb. Small clusters far from
/// all others merge before large ones that touch. Of clusters without a link left those many times
/// smaller merge first, and of about one size the nearest.
///
/// `FINCH_LINKAGE_AUTO` takes means where the k-th neighbour is farther than the mean of the
/// cluster, as in many noisy dimensions, and clusters by means are more alike in two parts of the
/// samples. Below 500 samples or 40 for each cluster, with weights, rules or a time limit, from a
/// partition, for nested clusters and dendrograms it is neighbour linkage; with times centroid
/// linkage. `finch_hierarchy_refine_into` tells the linkage that was taken.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_linkage {
    /// The closest means: Algorithm 2 of the paper.
    FINCH_LINKAGE_CENTROID = 0,
    /// The least growth of squared distances to the means.
    FINCH_LINKAGE_WARD = 1,
    /// The strongest links for each pair of samples.
    FINCH_LINKAGE_NEIGHBOR = 2,
    /// As Ward; then samples move to the nearest mean: k-means.
    FINCH_LINKAGE_MEANS = 3,
    /// Neighbour linkage, or means, as the data asks.
    FINCH_LINKAGE_AUTO = 4,
}

/// The work that a run is doing. Level 0 searches the neighbours of samples, level i the neighbours
/// of the means of partition i - 1.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_stage {
    /// Searching neighbours.
    FINCH_STAGE_NEIGHBORS = 0,
    /// Merging clusters by their means.
    FINCH_STAGE_MERGE = 1,
    /// Merging clusters by the neighbours that samples share.
    FINCH_STAGE_LINK = 2,
    /// Comparing samples with others of their cluster, and with means.
    FINCH_STAGE_DESCRIBE = 3,
    /// Searching what is nearest to new samples.
    FINCH_STAGE_PREDICT = 4,
    /// Measuring the longest pair for FINCH_LINK_BOUND_JOINED_PAIR.
    FINCH_STAGE_BOUND = 5,
    /// Working on many matrices side by side: `finch_cluster_batch`.
    FINCH_STAGE_BATCH = 6,
}

/// The progress of a run. The struct grows at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct finch_progress {
    /// The part of the stage that is done: 0 to 1, never falling within a stage.
    pub fraction: f64,
    /// A `finch_stage`. A later library may have other stages.
    pub stage: i32,
    /// The level of the stage, from 0.
    pub level: u32,
}

/// A function that is told how far a run has come. It returns 0 to let the run go on; any other
/// value stops the run, and the call that began the run returns `FINCH_CANCELLED`.
///
/// The callback runs on the thread that made the call, when a stage begins, when a stage ends, and
/// about twenty times a second in between. `progress` is valid until the callback returns. The
/// callback may call finch. The callback must return: a C++ exception or a longjmp out of it is
/// undefined behaviour (finch.hpp takes care of exceptions), and pthread_exit in it, or
/// pthread_cancel of its thread, ends the process.
pub type finch_progress_fn =
    Option<unsafe extern "C" fn(progress: *const finch_progress, user_data: *mut c_void) -> i32>;

/// The choices of a run. Fill the struct with `finch_options_init`, then change what you like. A
/// function ignores the fields that it has no use for, but all must be valid. It grows at its end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct finch_options {
    /// The size of this struct in the header that the caller was compiled with.
    pub size: usize,
    /// A `finch_metric`. Default: `FINCH_EUCLIDEAN`.
    pub metric: i32,
    /// A `finch_link_bound`. Default: `FINCH_LINK_BOUND_NONE`.
    pub link_bound: i32,
    /// A `finch_search`. Default: `FINCH_SEARCH_AUTO`.
    pub search: i32,
    /// A `finch_linkage`, for `finch_hierarchy_refine`. Default: `FINCH_LINKAGE_AUTO`.
    pub linkage: i32,
    /// The partition that `finch_hierarchy_refine` merges from. -1 is the finest for neighbour
    /// linkage; for others the coarsest that has as many clusters as asked for. Default: -1.
    pub from: isize,
    /// The number of threads: at most one for each core (on fewer than four cores at most four),
    /// one for every 32 samples, and 1024 are started. With 1 the calling thread does all the work.
    /// With 0 all runs of the process share one pool, which has a thread per core. Default: 0.
    pub threads: usize,
    /// The share of neighbours that an approximate search is to find, above 0 and at most 1. The
    /// search goes on until it has found this share for a sample of at most 2,048 rows. With 1,
    /// FINCH_SEARCH_AUTO is exact. Default: 0.99.
    pub recall: f64,
    /// The seed of the random choices of an approximate search and `finch_describe`. Default: 0.
    pub seed: u64,
    /// The callback of the run, or NULL. Default: NULL.
    pub progress: finch_progress_fn,
    /// The `user_data` that `progress` is called with. Default: NULL.
    pub user_data: *mut c_void,
    /// 0 or 1. With 1, `finch_cluster` also finds and keeps the neighbours that
    /// `finch_hierarchy_refine` needs for neighbour linkage, so that refining searches none. The
    /// hierarchy then takes 12 bytes x ceil(2 log2 N) a sample more, and `finch_cluster` about 1.5
    /// times as long (3 times with a k-d tree). Other linkages need nothing kept. Default: 0.
    pub refinable: i32,
    /// 0 or 1, for `finch_hierarchy_refine` by neighbour linkage. With 0 samples move, after the
    /// last merge, to the cluster that most of their nearest neighbours are in, if the data has
    /// more than three dimensions. With 1 nothing moves, and the results for all numbers of
    /// clusters are nested, as those of `finch_dendrogram_cut` are. Default: 0.
    pub nested: i32,
    /// Seconds that the searches of a call may take, all levels together; 0 for as many as they
    /// need. FINCH_SEARCH_AUTO is then exact where that fits, and else approximate. At the deadline
    /// the search is left with what it has found, which may be little: see
    /// `finch_hierarchy_warning_count`. A few passes over the samples come after that, and searches
    /// of a tenth of a second at most. Exact searches asked for by name take no limit. Default: 0.
    pub time_limit: f64,
    /// For `finch_hierarchy_noise`, `finch_labels` and `finch_cluster_batch`: the least size of a
    /// cluster, in samples or their weight. Samples of smaller ones are noise. Default: 0.
    pub min_cluster_size: usize,
    /// The share of samples that are noise, those of the largest outlier scores. Default: 0.
    pub outliers: f64,
    /// The outlier score above which samples are noise; 0 for none. Default: 0.
    pub outlier_threshold: f64,
    /// 0 or 1. With 1 clusters that are too small join others instead. Default: 0.
    pub join_small: i32,
    /// 0: for a field to come. Default: 0.
    pub reserved: i32,
}

// SAFETY: numbers and pointers, of which `progress` is a function or NULL by the caller's promise.
unsafe impl Growing for finch_options {
    const NAME: &'static str = "options";
    const FIRST_SIZE: usize = offset_of!(Self, nested) + size_of::<i32>();
    const END: usize = offset_of!(Self, reserved) + size_of::<i32>();
    const ADVICE: &'static str = "fill it with finch_options_init first";
}

/// Fills `*options`, here not NULL, with defaults: `finch_options_init(&options, sizeof options)`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_options_init(
    options: *mut finch_options,
    size: usize,
) -> finch_status {
    let defaults = finch_options { size, ..finch_options::DEFAULT };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard_writing(|caller| caller.write_sized(options, size, true, defaults)) }
}

impl finch_options {
    const DEFAULT: Self = Self {
        size: size_of::<Self>(),
        metric: finch_metric::FINCH_EUCLIDEAN as i32,
        link_bound: finch_link_bound::FINCH_LINK_BOUND_NONE as i32,
        search: finch_search::FINCH_SEARCH_AUTO as i32,
        linkage: finch_linkage::FINCH_LINKAGE_AUTO as i32,
        from: -1,
        threads: 0,
        recall: 0.99,
        seed: 0,
        progress: None,
        user_data: std::ptr::null_mut(),
        refinable: 0,
        nested: 0,
        time_limit: 0.0,
        min_cluster_size: 0,
        outliers: 0.0,
        outlier_threshold: 0.0,
        join_small: 0,
        reserved: 0,
    };
}

/// Options that have been checked.
pub(crate) struct Options {
    pub(crate) finch: Finch,
    pub(crate) metric: Metric,
    pub(crate) seed: u64,
    pub(crate) recall: f64,
    pub(crate) link_bound: LinkBound,
    pub(crate) search: Search,
    pub(crate) linkage: Linkage,
    pub(crate) from: Option<usize>,
    nested: bool,
    pub(crate) noise: Noise,
    pub(crate) threads: usize,
    told: Option<Told>,
}

impl Options {
    pub(crate) fn read(caller: &Caller, options: *const finch_options) -> Result<Self, Fault> {
        let given = match options.is_null() {
            true => finch_options::DEFAULT,
            false => caller.read_sized(options, finch_options::DEFAULT)?,
        };
        let metric = metric(given.metric)?;
        let link_bound = link_bound(given.link_bound)?;
        let search = search(given.search)?;
        let linkage = linkage(given.linkage)?;
        let from = match given.from {
            -1 => None,
            from => match usize::try_from(from) {
                Ok(from) => Some(from),
                Err(_) => {
                    let wanted = "the number of a partition, or -1 to leave it to finch";
                    return Err(invalid_value("partition to refine from", from, wanted));
                }
            },
        };
        // Also false for NaN.
        let sound = given.recall > 0.0 && given.recall <= 1.0;
        if !sound {
            let wanted = "a number above 0 and at most 1";
            return Err(invalid_value("recall", Number(given.recall), wanted));
        }
        let yes_or_no = |what: &'static str, value: i32| match value {
            0 => Ok(false),
            1 => Ok(true),
            other => Err(invalid_value(what, other, "0 or 1")),
        };
        let refinable = yes_or_no("choice of refinable", given.refinable)?;
        let nested = yes_or_no("choice of nested", given.nested)?;
        let small = match yes_or_no("choice of join_small", given.join_small)? {
            true => SmallClusters::Join,
            false => SmallClusters::Noise,
        };
        if given.reserved != 0 {
            return Err(invalid_value("reserved field", given.reserved, "0"));
        }
        let threshold = if given.outlier_threshold == 0.0 { 1.0 } else { given.outlier_threshold };
        let noise = Noise::new()
            .min_cluster_size(given.min_cluster_size)
            .small_clusters(small)
            .outliers(given.outliers)
            .outlier_threshold(threshold);
        noise.expect_sound()?;
        let limit = Duration::try_from_secs_f64(given.time_limit);
        let Ok(time_limit) = limit else {
            let wanted = "a number of seconds, or 0 for no limit";
            return Err(invalid_value("time limit", Number(given.time_limit), wanted));
        };
        let threads = given.threads;
        let finch = Finch::new()
            .metric(metric)
            .link_bound(link_bound)
            .search(search)
            .recall(given.recall)
            .seed(given.seed);
        let finch = if refinable { finch.refinable(linkage) } else { finch };
        let finch = if time_limit.is_zero() { finch } else { finch.time_limit(time_limit) };
        let told = given.progress.map(|function| Told { function, data: given.user_data });
        let (seed, recall) = (given.seed, given.recall);
        Ok(Self {
            finch,
            metric,
            seed,
            recall,
            link_bound,
            search,
            linkage,
            from,
            nested,
            noise,
            threads,
            told,
        })
    }

    /// The request for exactly so many clusters.
    pub(crate) fn refine(&self, clusters: usize) -> Refine<'static> {
        let refine = Refine::new(clusters).linkage(self.linkage).nested(self.nested);
        self.from.map_or(refine, |from| refine.from(from))
    }

    /// The threads and the callback that the caller asks for.
    pub(crate) fn run(&self) -> Running {
        let run = Run::new().threads(self.threads);
        Running(match self.told {
            Some(told) => run.progress(move |now| told.tell(now)),
            None => run,
        })
    }
}

/// A run whose warnings are kept when it ends.
pub(crate) struct Running(Run<'static>);

impl Deref for Running {
    type Target = Run<'static>;

    fn deref(&self) -> &Run<'static> {
        &self.0
    }
}

impl DerefMut for Running {
    fn deref_mut(&mut self) -> &mut Run<'static> {
        &mut self.0
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        remember_warning(warned_of_call(self.0.warnings()));
    }
}

/// The caller's progress function, and its `user_data`.
#[derive(Clone, Copy)]
struct Told {
    function: unsafe extern "C" fn(*const finch_progress, *mut c_void) -> i32,
    data: *mut c_void,
}

// SAFETY: finch-core calls a progress callback on the thread that called finch, and on no other, so
// the pointer is handed to the caller's function on the caller's own thread.
unsafe impl Send for Told {}

impl Told {
    fn tell(&self, now: Progress) -> ControlFlow<()> {
        let now = finch_progress::from(now);
        // SAFETY: the caller's own function, on the caller's thread, with the caller's data.
        match unsafe { (self.function)(&now, self.data) } {
            0 => ControlFlow::Continue(()),
            _ => ControlFlow::Break(()),
        }
    }
}

between!(metric, metric_number: "metric", finch_metric, Metric {
    FINCH_EUCLIDEAN => Euclidean,
    FINCH_COSINE => Cosine,
    FINCH_MANHATTAN => Manhattan,
    FINCH_HAMMING => Hamming,
    FINCH_JACCARD => Jaccard,
});
between!(link_bound, link_bound_number: "link bound", finch_link_bound, LinkBound {
    FINCH_LINK_BOUND_NONE => None,
    FINCH_LINK_BOUND_FIRST_NEIGHBOR => FirstNeighbor,
    FINCH_LINK_BOUND_JOINED_PAIR => JoinedPair,
});
between!(search, search_number: "search", finch_search, Search {
    FINCH_SEARCH_AUTO => Auto,
    FINCH_SEARCH_BRUTE => Brute,
    FINCH_SEARCH_KD_TREE => KdTree,
    FINCH_SEARCH_BLOCKED => Blocked,
    FINCH_SEARCH_PROJECTED => Projected,
    FINCH_SEARCH_APPROXIMATE => Approximate,
});
between!(linkage, linkage_number: "linkage", finch_linkage, Linkage {
    FINCH_LINKAGE_CENTROID => Centroid,
    FINCH_LINKAGE_WARD => Ward,
    FINCH_LINKAGE_NEIGHBOR => Neighbor,
    FINCH_LINKAGE_MEANS => Means,
    FINCH_LINKAGE_AUTO => Auto,
});

impl From<Progress> for finch_progress {
    fn from(progress: Progress) -> Self {
        let (stage, level) = match progress.stage {
            Stage::Neighbors { level } => (finch_stage::FINCH_STAGE_NEIGHBORS, level),
            Stage::Link => (finch_stage::FINCH_STAGE_LINK, 0),
            Stage::Describe => (finch_stage::FINCH_STAGE_DESCRIBE, 0),
            Stage::Predict => (finch_stage::FINCH_STAGE_PREDICT, 0),
            Stage::Bound => (finch_stage::FINCH_STAGE_BOUND, 0),
            Stage::Batch => (finch_stage::FINCH_STAGE_BATCH, 0),
            _ => (finch_stage::FINCH_STAGE_MERGE, 0),
        };
        Self { fraction: progress.fraction, stage: stage as i32, level: level as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The size that programs compiled with the first header have.
    #[test]
    #[cfg(target_pointer_width = "64")]
    fn the_first_size_does_not_change() {
        assert_eq!(finch_options::FIRST_SIZE, 80);
    }

    fn caller() -> Caller {
        // SAFETY: the tests pass pointers to their own memory.
        unsafe { Caller::trusted() }
    }

    /// The struct of the first version, in memory of just its size.
    #[test]
    fn the_first_size_will_do() {
        let size = finch_options::FIRST_SIZE;
        let mut memory = vec![usize::MAX; size / size_of::<usize>()].into_boxed_slice();
        let first = memory.as_mut_ptr().cast::<finch_options>();
        // SAFETY: the memory has the size that is passed.
        unsafe { finch_options_init(first, size) };
        assert_eq!(memory[0], size);
        let options = Options::read(&caller(), memory.as_ptr().cast()).ok().unwrap();
        assert_eq!(options.linkage, Linkage::Auto);
        assert_eq!(options.finch, Finch::new());
    }

    #[test]
    fn what_is_kept_depends_on_the_linkage() {
        let linkages =
            [Linkage::Centroid, Linkage::Ward, Linkage::Neighbor, Linkage::Means, Linkage::Auto];
        for (linkage, &expected) in (0..).zip(&linkages) {
            for refinable in [0, 1] {
                let options = finch_options { linkage, refinable, ..finch_options::DEFAULT };
                let options = Options::read(&caller(), &options).ok().unwrap();
                let finch = Finch::new();
                let kept = if refinable == 1 { finch.refinable(expected) } else { finch };
                assert_eq!(options.finch, kept);
            }
        }
    }
}
