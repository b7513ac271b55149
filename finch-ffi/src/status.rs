//! What an entry point returns, and why it failed.

use std::ffi::{CStr, c_char};

use thiserror::Error;

use crate::guard::last_message;

/// What a call returns: 0 if all went well. Otherwise nothing was written to any output, and
/// `finch_last_error_message` says what was wrong. Numbers are never reused.
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum finch_status {
    /// All went well.
    FINCH_OK = 0,
    /// The progress callback asked to stop.
    FINCH_CANCELLED = 1,
    /// A fault inside the library, which is a bug: please report it with the message.
    FINCH_PANIC = 2,
    /// An error that has no number yet; the message has it.
    FINCH_FAILED = 3,
    /// A pointer is NULL that may not be.
    FINCH_NULL_POINTER = 4,
    /// A pointer is not aligned for what it points to.
    FINCH_MISALIGNED = 5,
    /// A size is impossible: more bytes than an address can reach, or a struct of an unknown size.
    FINCH_INVALID_SIZE = 6,
    /// A stride is 0 where there is more than one row or column.
    FINCH_INVALID_STRIDE = 7,
    /// An integer is none of the values of its enum, or a number is out of its range.
    FINCH_INVALID_VALUE = 8,
    /// An output buffer has fewer elements than would be written.
    FINCH_BUFFER_TOO_SMALL = 9,
    /// The matrix has no rows.
    FINCH_NO_SAMPLES = 10,
    /// The matrix has no columns.
    FINCH_NO_FEATURES = 11,
    /// There are more samples than int32_t labels can number.
    FINCH_TOO_MANY_SAMPLES = 12,
    /// A value is NaN or infinite; the message has its row and column, from 0.
    FINCH_NON_FINITE = 13,
    /// A value is beyond 1e140 in size, so that squared distances would overflow.
    FINCH_VALUE_TOO_LARGE = 14,
    /// No value reaches 1e-140 in size (but for zeros), so that squared distances would vanish.
    FINCH_VALUES_TOO_SMALL = 15,
    /// The number of clusters asked for is 0 or above the number of samples.
    FINCH_CLUSTER_COUNT = 16,
    /// The hierarchy has no partition of this number.
    FINCH_NO_SUCH_PARTITION = 17,
    /// The partition to refine from has fewer clusters than were asked for.
    FINCH_TOO_COARSE = 18,
    /// There is not one given first neighbour for each sample.
    FINCH_NEIGHBOR_COUNT = 19,
    /// A given first neighbour is the sample itself or no sample at all.
    FINCH_INVALID_NEIGHBOR = 20,
    /// The search asked for does not serve the metric, or so many features.
    FINCH_UNSUPPORTED_SEARCH = 21,
    /// Two inputs that belong together have different numbers of samples.
    FINCH_SAMPLE_COUNT = 22,
    /// Two inputs that belong together have different numbers of features.
    FINCH_FEATURE_COUNT = 23,
    /// Worker threads could not be started.
    FINCH_THREADS = 24,
}

use finch_status::*;

impl finch_status {
    const ALL: [Self; 25] = [
        FINCH_OK,
        FINCH_CANCELLED,
        FINCH_PANIC,
        FINCH_FAILED,
        FINCH_NULL_POINTER,
        FINCH_MISALIGNED,
        FINCH_INVALID_SIZE,
        FINCH_INVALID_STRIDE,
        FINCH_INVALID_VALUE,
        FINCH_BUFFER_TOO_SMALL,
        FINCH_NO_SAMPLES,
        FINCH_NO_FEATURES,
        FINCH_TOO_MANY_SAMPLES,
        FINCH_NON_FINITE,
        FINCH_VALUE_TOO_LARGE,
        FINCH_VALUES_TOO_SMALL,
        FINCH_CLUSTER_COUNT,
        FINCH_NO_SUCH_PARTITION,
        FINCH_TOO_COARSE,
        FINCH_NEIGHBOR_COUNT,
        FINCH_INVALID_NEIGHBOR,
        FINCH_UNSUPPORTED_SEARCH,
        FINCH_SAMPLE_COUNT,
        FINCH_FEATURE_COUNT,
        FINCH_THREADS,
    ];

    fn name(self) -> &'static CStr {
        match self {
            FINCH_OK => c"FINCH_OK",
            FINCH_CANCELLED => c"FINCH_CANCELLED",
            FINCH_PANIC => c"FINCH_PANIC",
            FINCH_FAILED => c"FINCH_FAILED",
            FINCH_NULL_POINTER => c"FINCH_NULL_POINTER",
            FINCH_MISALIGNED => c"FINCH_MISALIGNED",
            FINCH_INVALID_SIZE => c"FINCH_INVALID_SIZE",
            FINCH_INVALID_STRIDE => c"FINCH_INVALID_STRIDE",
            FINCH_INVALID_VALUE => c"FINCH_INVALID_VALUE",
            FINCH_BUFFER_TOO_SMALL => c"FINCH_BUFFER_TOO_SMALL",
            FINCH_NO_SAMPLES => c"FINCH_NO_SAMPLES",
            FINCH_NO_FEATURES => c"FINCH_NO_FEATURES",
            FINCH_TOO_MANY_SAMPLES => c"FINCH_TOO_MANY_SAMPLES",
            FINCH_NON_FINITE => c"FINCH_NON_FINITE",
            FINCH_VALUE_TOO_LARGE => c"FINCH_VALUE_TOO_LARGE",
            FINCH_VALUES_TOO_SMALL => c"FINCH_VALUES_TOO_SMALL",
            FINCH_CLUSTER_COUNT => c"FINCH_CLUSTER_COUNT",
            FINCH_NO_SUCH_PARTITION => c"FINCH_NO_SUCH_PARTITION",
            FINCH_TOO_COARSE => c"FINCH_TOO_COARSE",
            FINCH_NEIGHBOR_COUNT => c"FINCH_NEIGHBOR_COUNT",
            FINCH_INVALID_NEIGHBOR => c"FINCH_INVALID_NEIGHBOR",
            FINCH_UNSUPPORTED_SEARCH => c"FINCH_UNSUPPORTED_SEARCH",
            FINCH_SAMPLE_COUNT => c"FINCH_SAMPLE_COUNT",
            FINCH_FEATURE_COUNT => c"FINCH_FEATURE_COUNT",
            FINCH_THREADS => c"FINCH_THREADS",
        }
    }
}

/// The name of a status, such as "FINCH_NON_FINITE", or "unknown" for a number that none has: a
/// string that is always valid. From any thread.
#[unsafe(no_mangle)]
pub extern "C" fn finch_status_name(status: i32) -> *const c_char {
    let known = finch_status::ALL.into_iter().find(|known| *known as i32 == status);
    known.map_or(c"unknown", finch_status::name).as_ptr()
}

/// What was wrong with the last call that failed on this thread, in a sentence that says where and
/// what to do; "" if none has failed. UTF-8, never NULL, and valid until the next call that fails
/// on this thread, or its end. A call that succeeds leaves it as it was.
#[unsafe(no_mangle)]
pub extern "C" fn finch_last_error_message() -> *const c_char {
    last_message()
}

/// Why an entry point failed.
#[derive(Debug, Error)]
pub(crate) enum Fault {
    #[error("a fault inside finch, which is a bug: {0}")]
    Panic(String),
    #[error("{0} is NULL")]
    Null(&'static str),
    #[error("{0} is at an address that is not a multiple of {1}")]
    Misaligned(&'static str, usize),
    #[error("{0} would reach beyond all addresses: look at its sizes and strides")]
    Unreachable(&'static str),
    #[error(
        "{what} has a size of {found} bytes, which this version of finch does not know: {advice}"
    )]
    StructSize { what: &'static str, found: usize, advice: &'static str },
    #[error(
        "{what}: the {axis} stride is 0, though there is more than one {axis}: give it in elements"
    )]
    Stride { what: &'static str, axis: &'static str },
    #[error("{value} is no {what}: {advice}")]
    Value { what: &'static str, value: String, advice: String },
    #[error("{what} has room for {capacity} elements and takes {needed}")]
    Capacity { what: &'static str, capacity: usize, needed: usize },
    #[error(
        "sample {sample} was given {neighbor} as its first neighbour: name another sample, counted \
         from 0"
    )]
    NegativeNeighbor { sample: usize, neighbor: i32 },
    #[error(
        "index[{query}] is {index}, which no search has left there: begin with -1 in every index"
    )]
    Beginning { query: usize, index: i32 },
    #[error("index and key have {count} numbers for {rows} rows of queries")]
    Count { count: usize, rows: usize },
    #[error("queries have {of_queries} features and base has {of_base}")]
    Features { of_queries: usize, of_base: usize },
    /// Of one of two matrices.
    #[error("{what}: {fault}")]
    Of { what: &'static str, fault: finch_core::Error },
    #[error(transparent)]
    Core(#[from] finch_core::Error),
}

impl Fault {
    /// Says which matrix the core found fault with.
    pub(crate) fn of(self, what: &'static str) -> Self {
        match self {
            Fault::Core(fault) => Fault::Of { what, fault },
            named => named,
        }
    }

    pub(crate) fn status(&self) -> finch_status {
        use finch_core::Error;
        match self {
            Fault::Panic(_) => FINCH_PANIC,
            Fault::Null(_) => FINCH_NULL_POINTER,
            Fault::Misaligned(..) => FINCH_MISALIGNED,
            Fault::Unreachable(_) | Fault::StructSize { .. } => FINCH_INVALID_SIZE,
            Fault::Stride { .. } => FINCH_INVALID_STRIDE,
            Fault::Value { .. } => FINCH_INVALID_VALUE,
            Fault::Capacity { .. } => FINCH_BUFFER_TOO_SMALL,
            Fault::NegativeNeighbor { .. } | Fault::Beginning { .. } => FINCH_INVALID_NEIGHBOR,
            Fault::Count { .. } => FINCH_SAMPLE_COUNT,
            Fault::Features { .. } => FINCH_FEATURE_COUNT,
            Fault::Core(error) | Fault::Of { fault: error, .. } => match error {
                Error::NoSamples => FINCH_NO_SAMPLES,
                Error::NoFeatures => FINCH_NO_FEATURES,
                Error::TooManySamples { .. } => FINCH_TOO_MANY_SAMPLES,
                Error::NonFinite { .. } => FINCH_NON_FINITE,
                Error::TooLarge { .. } => FINCH_VALUE_TOO_LARGE,
                Error::TooSmall { .. } => FINCH_VALUES_TOO_SMALL,
                Error::ClusterCount { .. } => FINCH_CLUSTER_COUNT,
                Error::NoSuchPartition { .. } => FINCH_NO_SUCH_PARTITION,
                Error::TooCoarse { .. } => FINCH_TOO_COARSE,
                Error::NeighborCount { .. } => FINCH_NEIGHBOR_COUNT,
                Error::InvalidNeighbor { .. } => FINCH_INVALID_NEIGHBOR,
                Error::UnsupportedSearch { .. } => FINCH_UNSUPPORTED_SEARCH,
                Error::SampleCount { .. } => FINCH_SAMPLE_COUNT,
                Error::FeatureCount { .. } => FINCH_FEATURE_COUNT,
                Error::Threads { .. } => FINCH_THREADS,
                Error::Cancelled => FINCH_CANCELLED,
                _ => FINCH_FAILED,
            },
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_status_has_its_own_number_and_name() {
        for (number, status) in finch_status::ALL.into_iter().enumerate() {
            assert_eq!(status as usize, number);
            assert_eq!(status.name().to_str().unwrap(), format!("{status:?}"));
        }
    }
}
