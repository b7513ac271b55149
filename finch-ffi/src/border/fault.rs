//! The fault of an entry point that failed: the data of the failure, its message and its status.

use std::fmt::{self, Display, Formatter};

use thiserror::Error;

use super::status::finch_status;

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
    #[error(fmt = of_negative_neighbor)]
    NegativeNeighbor { sample: usize, neighbor: i32 },
    #[error(
        "index[{query}] is {index}, which no search has left there: begin with -1 in every index"
    )]
    Beginning { query: usize, index: i32 },
    #[error(
        "place {place} of the list of query {query} has {number}, which no call has left there: begin \
         with -1 in every index"
    )]
    NumberedBeginning { query: usize, place: usize, number: i64 },
    #[error(fmt = of_label)]
    Label { sample: usize, label: i32 },
    #[error(fmt = of_unlabelled)]
    Unlabelled { cluster: usize, largest: usize },
    #[error("index and key have {count} numbers for {rows} rows of queries")]
    Count { count: usize, rows: usize },
    #[error("{what} has {found} numbers for {samples} samples")]
    Numbers { what: &'static str, found: usize, samples: usize },
    #[error("queries have {of_queries} features and base has {of_base}")]
    Features { of_queries: usize, of_base: usize },
    #[error("names[{at}] is NULL: give every leaf a name, or none to any")]
    NullName { at: usize },
    #[error("names[{at}] is not UTF-8")]
    NotUtf8 { at: usize },
    /// A fault of finch-core about one of two matrices, which `what` names.
    #[error(fmt = of_one_of_two)]
    Of { what: &'static str, fault: finch_core::Error },
    /// A fault of one matrix of many, by its number.
    #[error(fmt = of_one_of_many)]
    OfMany { what: &'static str, number: usize, fault: Box<Fault> },
    /// A file, by its path, that the system would not read or write.
    #[error("{path} cannot be {what}: {reason}")]
    File { path: String, what: &'static str, reason: String },
    /// A fault of finch-core about what is in a file.
    #[error(fmt = of_content)]
    Content { path: String, fault: finch_core::Error },
    #[error(transparent)]
    Core(#[from] finch_core::Error),
}

// Messages that count: from 0, or in the alternate form from 1, as those of finch-core do.

fn of_negative_neighbor(sample: &usize, neighbor: &i32, f: &mut Formatter<'_>) -> fmt::Result {
    let first = usize::from(f.alternate());
    write!(
        f,
        "sample {} was given {} as its first neighbour: name another sample, counted from {first}",
        sample + first,
        i64::from(*neighbor) + first as i64
    )
}

fn of_label(sample: &usize, label: &i32, f: &mut Formatter<'_>) -> fmt::Result {
    let first = usize::from(f.alternate());
    write!(
        f,
        "sample {} has label {}: number the clusters from {first}, each with a sample, and give -1 for \
         noise",
        sample + first,
        i64::from(*label) + first as i64
    )
}

fn of_unlabelled(cluster: &usize, largest: &usize, f: &mut Formatter<'_>) -> fmt::Result {
    let [cluster, largest] = [cluster, largest].map(|label| label + usize::from(f.alternate()));
    write!(
        f,
        "no sample has label {cluster}, though labels go up to {largest}: leave no number out"
    )
}

fn of_one_of_two(what: &str, fault: &finch_core::Error, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "{what}: ")?;
    fault.fmt(f)
}

fn of_one_of_many(what: &str, number: &usize, fault: &Fault, f: &mut Formatter<'_>) -> fmt::Result {
    write!(f, "{what}[{}]: ", number + usize::from(f.alternate()))?;
    fault.fmt(f)
}

fn of_content(path: &str, fault: &finch_core::Error, f: &mut Formatter<'_>) -> fmt::Result {
    of_one_of_two(path, fault, f)
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
        use finch_status::*;
        match self {
            Fault::Panic(_) => FINCH_PANIC,
            Fault::Null(_) | Fault::NullName { .. } => FINCH_NULL_POINTER,
            Fault::Misaligned(..) => FINCH_MISALIGNED,
            Fault::Unreachable(_) | Fault::StructSize { .. } => FINCH_INVALID_SIZE,
            Fault::Stride { .. } => FINCH_INVALID_STRIDE,
            Fault::Value { .. }
            | Fault::NotUtf8 { .. }
            | Fault::Label { .. }
            | Fault::Unlabelled { .. } => FINCH_INVALID_VALUE,
            Fault::Capacity { .. } => FINCH_BUFFER_TOO_SMALL,
            Fault::NegativeNeighbor { .. }
            | Fault::Beginning { .. }
            | Fault::NumberedBeginning { .. } => FINCH_INVALID_NEIGHBOR,
            Fault::Count { .. } | Fault::Numbers { .. } => FINCH_SAMPLE_COUNT,
            Fault::Features { .. } => FINCH_FEATURE_COUNT,
            Fault::File { .. } => FINCH_IO,
            Fault::OfMany { fault, .. } => fault.status(),
            Fault::Core(error)
            | Fault::Of { fault: error, .. }
            | Fault::Content { fault: error, .. } => match error {
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
                Error::OtherSamples { .. } => FINCH_OTHER_SAMPLES,
                Error::FeatureCount { .. } => FINCH_FEATURE_COUNT,
                Error::Threads { .. } => FINCH_THREADS,
                Error::OutOfMemory { .. } => FINCH_OUT_OF_MEMORY,
                Error::InvalidWeight { .. } => FINCH_INVALID_WEIGHT,
                Error::Shape { .. } => FINCH_INVALID_SIZE,
                Error::InvalidNeighborAt { .. } | Error::NoNeighbor { .. } => {
                    FINCH_INVALID_NEIGHBOR
                }
                Error::InvalidDistance { .. } | Error::UnknownPair { .. } => FINCH_INVALID_DISTANCE,
                Error::NeedsSamples { .. } => FINCH_NEEDS_SAMPLES,
                Error::NoSuchCut { .. } => FINCH_NO_SUCH_CUT,
                Error::Damaged { .. } => FINCH_DAMAGED,
                Error::ModelVersion { .. } => FINCH_MODEL_VERSION,
                Error::NoSuchLabelling { .. } => FINCH_NO_SUCH_PARTITION,
                Error::ElementType { .. } => FINCH_INVALID_VALUE,
                Error::NeighborRank { .. } => FINCH_INVALID_VALUE,
                Error::NameCount { .. } => FINCH_SAMPLE_COUNT,
                Error::OtherHierarchy { .. } => FINCH_NO_SUCH_PARTITION,
                Error::InvalidPair { .. } | Error::InvalidClusterSize { .. } => {
                    FINCH_INVALID_CONSTRAINT
                }
                Error::InvalidNoise { .. } => FINCH_INVALID_VALUE,
                Error::AllNoise { .. } => FINCH_NO_SAMPLES,
                Error::InvalidSparse { .. } | Error::NeedsDense { .. } => FINCH_INVALID_SPARSE,
                Error::InvalidShard { .. } => FINCH_INVALID_SHARD,
                Error::InvalidTimes { .. } => FINCH_INVALID_TIMES,
                Error::NotBinary { .. } => FINCH_NOT_BINARY,
                Error::Cancelled => FINCH_CANCELLED,
                _ => FINCH_FAILED,
            },
        }
    }
}
