//! The message of an error: the fault, its place, and the remedy.
//!
//! Rows, columns and the like are counted from 0, or in the alternate form, `{:#}`, from 1, for languages that
//! do.

use std::fmt;

use super::Error;
use super::counted::counted_from;
use super::number::Number;

impl fmt::Display for Error {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let (first, from) = counted_from(f);
        let at = |number: &usize| number.saturating_add(first);
        match self {
            Error::NoSamples => write!(f, "no samples: the input has no rows"),
            Error::NoFeatures => write!(f, "no features: the input has rows but no columns"),
            Error::TooManySamples { samples } => {
                write!(f, "{samples} samples are more than labels can number ({})", i32::MAX)
            }
            Error::NonFinite { row, column, value } => write!(
                f,
                "the value at row {}, column {}{from} is {value}: \
                 remove or impute it, distances need finite numbers",
                at(row),
                at(column)
            ),
            Error::TooLarge { row, column, value } => write!(
                f,
                "the value {value:e} at row {}, column {}{from} is too large for \
                 squared distances: rescale that feature",
                at(row),
                at(column)
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
                "there is no partition {}: the hierarchy has {partitions}, numbered from {first}",
                at(partition)
            ),
            Error::TooCoarse { partition, clusters, requested } => write!(
                f,
                "partition {} has too few clusters ({clusters}) to merge into {requested}: \
                 start from a finer one, or name none",
                at(partition)
            ),
            Error::NeighborCount { neighbors, expected } => {
                write!(f, "{neighbors} first neighbours were given where it takes {expected}")
            }
            Error::InvalidNeighbor { sample, neighbor } => write!(
                f,
                "sample {} was given {} as its first neighbour: name another sample, counted from \
                 {first}",
                at(sample),
                at(neighbor)
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
                "a search cannot aim at a recall of {}: give a number above 0 and at most 1",
                Number(*recall)
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
            Error::OtherSamples { sample, neighbor, expected, found } => write!(
                f,
                "these are not the samples that were clustered: sample {} is at distance {} from its first \
                 neighbour, sample {}, and was at {}; bring the same samples, in the same order and scale",
                at(sample),
                Number(*found),
                at(neighbor),
                Number(*expected)
            ),
            Error::FeatureCount { expected, found } => {
                write!(f, "expected {expected} features and found {found}")
            }
            Error::UnknownName { what, name, known } => {
                write!(f, "there is no {what} {name:?}: it is one of {}", known.join(", "))
            }
            Error::Threads { threads, message } => {
                write!(
                    f,
                    "could not start {threads} threads: {message}; with threads = 1 none is started"
                )
            }
            Error::OutOfMemory { bytes } => write!(
                f,
                "out of memory: the system refused {bytes} bytes; free some, or bring fewer samples"
            ),
            Error::InvalidWeight { sample, weight } if *weight >= 1e-100 => write!(
                f,
                "with sample {} of weight {weight:e} the weights add up to 2^53 or more: \
                 scale them down",
                at(sample)
            ),
            Error::InvalidWeight { sample, weight } => write!(
                f,
                "sample {} has weight {}: weights are numbers from 1e-100 on; leave out samples \
                 that should not count",
                at(sample),
                Number(*weight)
            ),
            Error::Damaged { what } => write!(f, "not a sound model of finch: {what}"),
            Error::ModelVersion { found: 0, .. } => write!(
                f,
                "the model says that it is of format version 0, which there never was: save it again, or \
                 fetch the file again"
            ),
            Error::ModelVersion { found, known } => write!(
                f,
                "the model is of format version {found}, and this finch knows version {known}: \
                 use a newer finch"
            ),
            Error::NoSuchLabelling { labelling, labellings } => write!(
                f,
                "there is no labelling {}: the model has {labellings}, numbered from {first}",
                at(labelling)
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
                "the neighbour {} at row {}, column {}{from} {}",
                neighbor.saturating_add(first as i64),
                at(row),
                at(column),
                counted(reason, first)
            ),
            Error::NoNeighbor { sample } => write!(
                f,
                "row {}{from} names no other sample: give each sample at least one neighbour",
                at(sample)
            ),
            Error::UnknownPair { pair: [one, other], neighbor } => write!(
                f,
                "samples {} and {}{from} have the same first neighbour, {}, and their distance is not \
                 in the table of neighbours, though the link bound joined-pair is to know it: give more \
                 neighbours of each sample, or all distances, or take first-neighbor",
                at(&(*one as usize)),
                at(&(*other as usize)),
                at(&(*neighbor as usize))
            ),
            Error::InvalidDistance { row, column, value, reason } => {
                let value = Number(*value);
                let (row, column) = (at(row), at(column));
                write!(f, "the distance {value} at row {row}, column {column}{from} {reason}")
            }
            Error::NeedsSamples { what } => {
                write!(f, "{what} takes the samples, and there are none here")
            }
            Error::InvalidPair { link, pair: [a, b], reason } => {
                let [a, b] = [a, b].map(|sample| at(&(*sample as usize)));
                write!(f, "the {link} pair of samples {a} and {b}{from} {reason}")
            }
            Error::InvalidClusterSize { bound, limit, reason, size } => {
                let size = Number(*size);
                write!(f, "{limit} cannot be the {bound} size of a cluster: {reason} {size}")
            }
            Error::InvalidNoise { what, value, wanted } => {
                write!(f, "{} cannot be the {what}: give {wanted}", Number(*value))
            }
            Error::AllNoise { what } => {
                write!(f, "{what} takes clusters, and every label is -1, which is noise")
            }
            Error::InvalidSparse { fault } => {
                f.write_str("not sound as compressed rows: ")?;
                fmt::Display::fmt(fault, f)
            }
            Error::NeedsDense { what } => {
                write!(
                    f,
                    "{what} takes dense samples, a number for each feature, and these are sparse or \
                     packed"
                )
            }
            Error::NotBinary { what, row, column, value } => write!(
                f,
                "{what} takes samples of 0 and 1, and row {}, column {}{from} is {}",
                at(row),
                at(column),
                Number(*value)
            ),
            Error::InvalidShard { row, number, reason } => {
                let (number, row) = (number.saturating_add(first as i64), at(row));
                write!(f, "the number {number} of row {row}{from} of a shard {reason}")
            }
            Error::InvalidTimes { fault } => fmt::Display::fmt(fault, f),
            Error::Cancelled => write!(f, "stopped by the progress callback"),
        }
    }
}

/// A reason that says where numbers begin, and what stands for none before them, as they do here.
fn counted(reason: &str, first: usize) -> String {
    let none = format!("{} for none", first as i64 - 1);
    reason.replace("from 0", &format!("from {first}")).replace("-1 for none", &none)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::error::times::TimeFault;

    #[test]
    fn messages_count_from_1_where_that_is_asked_for() {
        let reason = "is no sample: count samples from 0, and give -1 for none";
        let error = Error::InvalidNeighborAt { row: 0, column: 2, neighbor: 9, reason };
        assert_eq!(
            error.to_string(),
            format!("the neighbour 9 at row 0, column 2 (from 0) {reason}")
        );
        assert_eq!(
            format!("{error:#}"),
            "the neighbour 10 at row 1, column 3 is no sample: count samples from 1, and give 0 for none"
        );
    }

    /// Rust's own text of 1e308 has 309 digits, and that of 1e-308 as many decimals.
    #[test]
    fn messages_write_huge_and_tiny_numbers_with_an_exponent() {
        for value in [1e308, -1e308, 2.5e-308, 1e16] {
            let (row, column, size) = (0, 1, value);
            let time = TimeFault::NotFinite { sample: 3, time: value };
            for error in [
                Error::TooLarge { row, column, value },
                Error::TooSmall { largest: value },
                Error::InvalidRecall { recall: value },
                Error::InvalidWeight { sample: 0, weight: value },
                Error::InvalidDistance { row, column, value, reason: "is not symmetric" },
                Error::InvalidClusterSize { bound: "least", limit: 2, reason: "with", size },
                Error::NotBinary { what: "hamming", row, column, value },
                Error::InvalidTimes { fault: time },
            ] {
                let text = error.to_string();
                assert!(text.contains(&format!("{value:e}")) && text.len() < 200, "{text}");
            }
        }
        let recall = Error::InvalidRecall { recall: 1.5 }.to_string();
        assert!(recall.contains("a recall of 1.5:"), "{recall}");
    }
}
