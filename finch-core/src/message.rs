//! What an error says: what was wrong, where, and what to do.

use std::fmt;

use crate::error::Error;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Error::NoSamples => write!(f, "no samples: the input has no rows"),
            Error::NoFeatures => write!(f, "no features: the input has rows but no columns"),
            Error::TooManySamples { samples } => {
                write!(f, "{samples} samples are more than labels can number ({})", i32::MAX)
            }
            Error::NonFinite { row, column, value } => write!(
                f,
                "the value at row {row}, column {column} (from 0) is {value}: \
                 remove or impute it, distances need finite numbers"
            ),
            Error::TooLarge { row, column, value } => write!(
                f,
                "the value {value:e} at row {row}, column {column} (from 0) is too large for \
                 squared distances: rescale that feature"
            ),
            Error::TooSmall { largest } => write!(
                f,
                "no value is larger than {largest:e}, too small for squared distances: rescale \
                 the samples"
            ),
            Error::ClusterCount { requested, samples } => write!(
                f,
                "cannot make {requested} clusters of {samples} samples: ask for 1 to {samples}"
            ),
            Error::NoSuchPartition { partition, partitions } => write!(
                f,
                "there is no partition {partition}: the hierarchy has {partitions}, numbered \
                 from 0"
            ),
            Error::TooCoarse { partition, clusters, requested } => write!(
                f,
                "partition {partition} has too few clusters ({clusters}) to merge into {requested}: \
                 start from a finer one, or name none"
            ),
            Error::NeighborCount { neighbors, expected } => {
                write!(f, "{neighbors} first neighbours were given where it takes {expected}")
            }
            Error::InvalidNeighbor { sample, neighbor } => write!(
                f,
                "sample {sample} was given {neighbor} as its first neighbour: name another \
                 sample, counted from 0"
            ),
            Error::NeighborRank { most: 0, .. } => {
                write!(f, "a single sample has no neighbours: bring at least two samples")
            }
            Error::NeighborRank { requested, most } => write!(
                f,
                "cannot give the {requested} nearest neighbours of each sample: ask for 1 to {most}"
            ),
            Error::InvalidRecall { recall } => write!(
                f,
                "a search cannot aim at a recall of {recall}: give a number above 0 and at most 1"
            ),
            Error::NoSuchCut { requested, fewest, most } => write!(
                f,
                "the dendrogram cannot be cut into {requested} clusters: it goes from {most} to \
                 {fewest}"
            ),
            Error::UnsupportedSearch { search, reason } => {
                write!(f, "the {search} search cannot serve here: {reason}; choose auto")
            }
            Error::SampleCount { expected, found } => {
                write!(f, "expected {expected} samples and found {found}")
            }
            Error::FeatureCount { expected, found } => {
                write!(f, "expected {expected} features and found {found}")
            }
            Error::UnknownName { what, name, known } => {
                write!(f, "there is no {what} {name:?}: it is one of {}", known.join(", "))
            }
            Error::Threads { threads, message } => {
                write!(f, "could not start {threads} threads: {message}")
            }
            Error::OutOfMemory { bytes } => write!(
                f,
                "out of memory: the system refused {bytes} bytes; free some, or bring fewer samples"
            ),
            Error::InvalidWeight { sample, weight } if *weight >= 1e-100 => write!(
                f,
                "with sample {sample} of weight {weight:e} the weights add up to 2^53 or more: \
                 scale them down"
            ),
            Error::InvalidWeight { sample, weight } => write!(
                f,
                "sample {sample} has weight {weight}: weights are numbers from 1e-100 on; leave out \
                 samples that should not count"
            ),
            Error::Damaged { what } => write!(f, "not a sound model of finch: {what}"),
            Error::ModelVersion { found, known } => write!(
                f,
                "the model is of format version {found}, and this finch knows version {known}: \
                 use a newer finch"
            ),
            Error::NoSuchLabelling { labelling, labellings } => write!(
                f,
                "there is no labelling {labelling}: the model has {labellings}, numbered from 0"
            ),
            Error::ElementType { expected, found } => write!(
                f,
                "samples of {found} cannot be compared with {expected} without rounding: convert \
                 them to {expected}"
            ),
            Error::NameCount { names, leaves } => {
                write!(f, "{names} names were given for the {leaves} leaves of the tree")
            }
            Error::OtherHierarchy { clusters } => write!(
                f,
                "the hierarchy has no partition like the one of {clusters} clusters that the \
                 dendrogram starts from: bring the hierarchy that the dendrogram was made from"
            ),
            Error::Shape { what, expected: [rows, columns], found } => {
                write!(f, "{what} is {} x {} where it takes {rows} x {columns}", found[0], found[1])
            }
            Error::InvalidNeighborAt { row, column, neighbor, reason } => write!(
                f,
                "the neighbour {neighbor} at row {row}, column {column} (from 0) {reason}"
            ),
            Error::NoNeighbor { sample } => write!(
                f,
                "row {sample} (from 0) names no other sample: give each sample at least one \
                 neighbour"
            ),
            Error::InvalidDistance { row, column, value, reason } => {
                write!(f, "the distance {value:?} at row {row}, column {column} (from 0) {reason}")
            }
            Error::NeedsSamples { what } => {
                write!(f, "{what} takes the samples, and there are none here")
            }
            Error::InvalidPair { link, pair: [a, b], reason } => {
                write!(f, "the {link} pair of samples {a} and {b} (from 0) {reason}")
            }
            Error::InvalidClusterSize { bound, limit, reason, size } => {
                write!(f, "{limit} cannot be the {bound} size of a cluster: {reason} {size}")
            }
            Error::InvalidSparse { fault } => write!(f, "not sound as compressed rows: {fault}"),
            Error::NeedsDense { what } => {
                write!(
                    f,
                    "{what} takes dense samples, a number for each feature, and these are sparse or \
                     packed"
                )
            }
            Error::NotBinary { what, row, column, value } => write!(
                f,
                "{what} takes samples of 0 and 1, and row {row}, column {column} (from 0) is {value}"
            ),
            Error::InvalidShard { row, number, reason } => {
                write!(f, "the number {number} of row {row} (from 0) of a shard {reason}")
            }
            Error::InvalidTimes { fault } => write!(f, "{fault}"),
            Error::Cancelled => write!(f, "stopped by the progress callback"),
        }
    }
}
