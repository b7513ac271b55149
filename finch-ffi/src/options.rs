//! What can be chosen, and how a run is watched.

use std::ffi::c_void;
use std::mem::offset_of;
use std::ops::ControlFlow;

use finch_core::{Finch, LinkBound, Linkage, Metric, Progress, Run, Search, Stage};

use crate::enums::{from_c, invalid_value};
use crate::guard::guard;
use crate::memory::{Caller, Growing};
use crate::status::{Fault, finch_status};

/// How far two samples are from each other.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_metric {
    /// The root of the sum of squared differences.
    FINCH_EUCLIDEAN = 0,
    /// 1 - cos, from 0 to 2. An all-zero sample is at 1 from every other.
    FINCH_COSINE = 1,
    /// The sum of absolute differences.
    FINCH_MANHATTAN = 2,
}

/// Which links may merge clusters from the second partition on.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_link_bound {
    /// All: Algorithm 1 of the paper as listed.
    FINCH_LINK_BOUND_NONE = 0,
    /// Only links no longer than the longest first-neighbour distance between samples, as in the
    /// paper's published tables.
    FINCH_LINK_BOUND_FIRST_NEIGHBOR = 1,
}

/// How first neighbours are searched. All but the last are exact and give the same; they differ in
/// time.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_search {
    /// The fastest exact one for the data and the metric; where that would take more than about five
    /// minutes on one core, the approximate one.
    FINCH_SEARCH_AUTO = 0,
    /// Every pair, one by one.
    FINCH_SEARCH_BRUTE = 1,
    /// A k-d tree, for at most 16 features.
    FINCH_SEARCH_KD_TREE = 2,
    /// Blocks of a matrix product; not for Manhattan.
    FINCH_SEARCH_BLOCKED = 3,
    /// Blocks of a matrix product along the main axes of the data, for at least 8 features; not for
    /// Manhattan.
    FINCH_SEARCH_PROJECTED = 4,
    /// Most neighbours, as `recall` says, for millions of samples: pairs that share one of several
    /// small cells; not for Manhattan. What it finds depends on `recall` and `seed` alone.
    FINCH_SEARCH_APPROXIMATE = 5,
}

/// Which two clusters merge first where an exact number of clusters is asked for.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_linkage {
    /// The two with the closest means: Algorithm 2 of the paper.
    FINCH_LINKAGE_CENTROID = 0,
    /// The two whose merging adds least to the squared distances of samples to their means.
    FINCH_LINKAGE_WARD = 1,
    /// The two with the strongest links for each pair of their samples: a sample is linked to its
    /// ceil(2 log2 N) nearest neighbours (N / 4 of few), the more strongly the more neighbours the
    /// two share. It follows clusters of any shape and is hardly disturbed by outliers. Clusters
    /// without any link left, of data in far pieces or of fewer than 8 samples, merge as by Ward
    /// linkage. (Not single linkage.)
    FINCH_LINKAGE_NEIGHBOR = 2,
}

/// What a run is doing.
#[repr(i32)]
#[derive(Clone, Copy, Debug)]
pub enum finch_stage {
    /// Searching neighbours: of samples (level 0), or of the means of partition level - 1.
    FINCH_STAGE_NEIGHBORS = 0,
    /// Merging clusters by their means, down to the number asked for.
    FINCH_STAGE_MERGE = 1,
    /// Linking clusters by the neighbours that their samples share, and merging by these links.
    FINCH_STAGE_LINK = 2,
}

/// How far a run has come. Fields may be added to the end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct finch_progress {
    /// The part of the stage that is done, from 0 to 1, never falling within a stage.
    pub fraction: f64,
    /// A `finch_stage`. Later versions may have more of them.
    pub stage: i32,
    /// The level of the stage, from 0.
    pub level: u32,
}

/// Is told how far a run has come, and returns 0 to let it go on; any other value stops it, and the
/// call returns `FINCH_CANCELLED`.
///
/// It is called on the thread that made the call, when a stage begins and ends and about twenty
/// times a second between. The progress is valid until it returns. It may call finch. It must
/// return: a C++ exception or a longjmp out of it is undefined behaviour (finch.hpp takes care of
/// exceptions).
pub type finch_progress_fn =
    Option<unsafe extern "C" fn(progress: *const finch_progress, user_data: *mut c_void) -> i32>;

/// What can be chosen. `finch_options_init` fills it with defaults; then change what you like.
/// Where a function takes options, NULL stands for the defaults. Fields that a function has no use
/// for are ignored by it, but must be valid. Fields may be added to the end.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct finch_options {
    /// The size of this struct as the caller knows it, by which fields can be added to its end.
    pub size: usize,
    /// A `finch_metric`. Default: `FINCH_EUCLIDEAN`.
    pub metric: i32,
    /// A `finch_link_bound`. Default: `FINCH_LINK_BOUND_NONE`.
    pub link_bound: i32,
    /// How first neighbours are searched, a `finch_search`. Default: `FINCH_SEARCH_AUTO`.
    pub neighbors: i32,
    /// Which clusters merge first in `finch_hierarchy_refine`, a `finch_linkage`. Default:
    /// `FINCH_LINKAGE_NEIGHBOR`.
    pub linkage: i32,
    /// The partition that `finch_hierarchy_refine` merges from. -1 is the finest for neighbour
    /// linkage, so that the results for all numbers of clusters are nested, and for the others the
    /// coarsest that has at least as many clusters as are asked for. Default: -1.
    pub from: isize,
    /// The number of threads; no more than 1024 are started. 0 shares one pool of a thread per core
    /// among all runs of the process. The result does not depend on it. Default: 0.
    pub threads: usize,
    /// The part of first neighbours that an approximate search is to find, above 0 and at most 1. It
    /// goes on until so many are found of a sample of 2,048; `finch_hierarchy_recall` tells what it
    /// has found of others. Exact searches always find all, and with 1 FINCH_SEARCH_AUTO is exact.
    /// Default: 0.99.
    pub recall: f64,
    /// For random choices, which only an approximate search makes. Default: 0.
    pub seed: u64,
    /// Is told how far the run is, and can stop it; NULL for none. Default: NULL.
    pub progress: finch_progress_fn,
    /// Given to `progress`. Default: NULL.
    pub user_data: *mut c_void,
    /// 0 or 1. With 1, `finch_cluster` also finds and keeps what `finch_hierarchy_refine` needs for
    /// `linkage`, so that refining, to any number of clusters, need not search neighbours again. For
    /// neighbour linkage this takes 12 bytes x ceil(2 log2 N) a sample, and `finch_cluster` about
    /// 1.5 times as long, or 3 times with a k-d tree: less than to search twice. The others need
    /// nothing kept. No effect in `finch_cluster_given`. Default: 0.
    pub refinable: i32,
    /// For later versions: 0, as `finch_options_init` leaves it.
    pub reserved: i32,
}

// SAFETY: numbers and pointers, of which `progress` is a function or NULL by the caller's promise.
unsafe impl Growing for finch_options {
    const NAME: &'static str = "options";
    const FIRST_SIZE: usize = offset_of!(Self, user_data) + size_of::<*mut c_void>();
}

/// Fills `*options` with the defaults. Call it as `finch_options_init(&options, sizeof options)`.
/// What a newer header's struct has beyond this library's becomes 0, its default; a size that no
/// version has is an error. `options` may not be NULL. From any thread.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn finch_options_init(
    options: *mut finch_options,
    size: usize,
) -> finch_status {
    let defaults = finch_options { size, ..finch_options::DEFAULT };
    // SAFETY: the caller keeps to the contract in the header.
    unsafe { guard(|caller| caller.write_sized(options, size, true, defaults)) }
}

impl finch_options {
    const DEFAULT: Self = Self {
        size: size_of::<Self>(),
        metric: finch_metric::FINCH_EUCLIDEAN as i32,
        link_bound: finch_link_bound::FINCH_LINK_BOUND_NONE as i32,
        neighbors: finch_search::FINCH_SEARCH_AUTO as i32,
        linkage: finch_linkage::FINCH_LINKAGE_NEIGHBOR as i32,
        from: -1,
        threads: 0,
        recall: 0.99,
        seed: 0,
        progress: None,
        user_data: std::ptr::null_mut(),
        refinable: 0,
        reserved: 0,
    };
}

/// Options that have been checked.
pub(crate) struct Options {
    pub(crate) finch: Finch,
    pub(crate) linkage: Linkage,
    pub(crate) from: Option<usize>,
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
        let link_bound = from_c!(given.link_bound, "link bound", finch_link_bound {
            FINCH_LINK_BOUND_NONE => LinkBound::None,
            FINCH_LINK_BOUND_FIRST_NEIGHBOR => LinkBound::FirstNeighbor,
        });
        let search = from_c!(given.neighbors, "search", finch_search {
            FINCH_SEARCH_AUTO => Search::Auto,
            FINCH_SEARCH_BRUTE => Search::Brute,
            FINCH_SEARCH_KD_TREE => Search::KdTree,
            FINCH_SEARCH_BLOCKED => Search::Blocked,
            FINCH_SEARCH_PROJECTED => Search::Projected,
            FINCH_SEARCH_APPROXIMATE => Search::Approximate,
        });
        let linkage = from_c!(given.linkage, "linkage", finch_linkage {
            FINCH_LINKAGE_CENTROID => Linkage::Centroid,
            FINCH_LINKAGE_WARD => Linkage::Ward,
            FINCH_LINKAGE_NEIGHBOR => Linkage::Neighbor,
        });
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
            return Err(invalid_value("recall", given.recall, wanted));
        }
        let refinable = match given.refinable {
            0 => false,
            1 => true,
            other => return Err(invalid_value("choice of refinable", other, "0 or 1")),
        };
        if given.reserved != 0 {
            let wanted = "0, since only a newer version of finch has a use for it";
            return Err(invalid_value("value of the reserved field", given.reserved, wanted));
        }
        let threads = given.threads;
        let finch = Finch::new()
            .metric(metric)
            .link_bound(link_bound)
            .search(search)
            .recall(given.recall)
            .seed(given.seed);
        let finch = if refinable { finch.refinable(linkage) } else { finch };
        let told = given.progress.map(|function| Told { function, data: given.user_data });
        Ok(Self { finch, linkage, from, threads, told })
    }

    /// The threads and the callback that the caller asks for.
    pub(crate) fn run(&self) -> Run<'static> {
        let run = Run::new().threads(self.threads);
        match self.told {
            Some(told) => run.progress(move |now| told.tell(now)),
            None => run,
        }
    }
}

/// The caller's progress function, and what it is called with.
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

pub(crate) fn metric(number: i32) -> Result<Metric, Fault> {
    Ok(from_c!(number, "metric", finch_metric {
        FINCH_EUCLIDEAN => Metric::Euclidean,
        FINCH_COSINE => Metric::Cosine,
        FINCH_MANHATTAN => Metric::Manhattan,
    }))
}

impl From<Progress> for finch_progress {
    fn from(progress: Progress) -> Self {
        let (stage, level) = match progress.stage {
            Stage::Neighbors { level } => (finch_stage::FINCH_STAGE_NEIGHBORS, level),
            Stage::Link => (finch_stage::FINCH_STAGE_LINK, 0),
            _ => (finch_stage::FINCH_STAGE_MERGE, 0),
        };
        Self { fraction: progress.fraction, stage: stage as i32, level: level as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn caller() -> Caller {
        // SAFETY: the tests pass pointers to their own memory.
        unsafe { Caller::trusted() }
    }

    /// The struct of the first version, in no more memory than that.
    #[test]
    fn the_first_size_will_do() {
        let size = finch_options::FIRST_SIZE;
        let mut memory = vec![usize::MAX; size / size_of::<usize>()].into_boxed_slice();
        let first = memory.as_mut_ptr().cast::<finch_options>();
        // SAFETY: the memory has the size that is passed.
        unsafe { finch_options_init(first, size) };
        assert_eq!(memory[0], size);
        let options = Options::read(&caller(), memory.as_ptr().cast()).ok().unwrap();
        assert_eq!(options.linkage, Linkage::Neighbor);
        assert_eq!(options.finch, Finch::new());
    }

    #[test]
    fn what_is_kept_depends_on_the_linkage() {
        let linkages = [Linkage::Centroid, Linkage::Ward, Linkage::Neighbor];
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
