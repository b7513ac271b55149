//! The errors of the library, each with the data to say where it is.

pub(crate) mod counted;
mod message;
pub(crate) mod number;
pub(crate) mod sparse;
pub(crate) mod times;
pub(crate) mod warning;

use sparse::SparseFault;
use times::TimeFault;

/// The result of every fallible function of this crate.
pub type Result<T, E = Error> = std::result::Result<T, E>;

/// Everything that can be wrong with a request.
///
/// Each variant carries what a caller needs to point at the fault; samples, features, partitions
/// and clusters are counted from 0, in messages of the alternate form (`{error:#}`) from 1. Nothing is
/// returned half-done beside an error.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum Error {
    /// The matrix has no row. There is nothing to cluster; check what was read.
    NoSamples,
    /// The matrix has rows but no column, so that no two samples can be told apart.
    NoFeatures,
    /// More samples than labels can number (labels go out as 32-bit integers).
    TooManySamples {
        /// Rows of the matrix.
        samples: usize,
    },
    /// A value is NaN or infinite. Distances to its sample mean nothing: remove or impute the
    /// sample.
    NonFinite {
        /// The sample.
        row: usize,
        /// The feature.
        column: usize,
        /// The value found there.
        value: f64,
    },
    /// A finite value so large that squared distances would overflow f64. Rescale the feature.
    TooLarge {
        /// The sample.
        row: usize,
        /// The feature.
        column: usize,
        /// The value found there.
        value: f64,
    },
    /// All values are so small that squared distances would vanish. Rescale the samples.
    TooSmall {
        /// The largest absolute value.
        largest: f64,
    },
    /// The requested number of clusters is 0 or above the number of samples.
    ClusterCount {
        /// The number asked for.
        requested: usize,
        /// The number of samples, which is the largest number of clusters that can be had.
        samples: usize,
    },
    /// The hierarchy has no partition of this number.
    NoSuchPartition {
        /// The number asked for.
        partition: usize,
        /// The number of partitions.
        partitions: usize,
    },
    /// Merging was asked to start from a partition that is coarser than the result should be.
    TooCoarse {
        /// The partition named as the start.
        partition: usize,
        /// Its number of clusters.
        clusters: usize,
        /// The larger number asked for.
        requested: usize,
    },
    /// The given first neighbours are not one per sample.
    NeighborCount {
        /// First neighbours given.
        neighbors: usize,
        /// The number of first neighbours needed: one for each sample, none for a single sample, which
        /// has no other.
        expected: usize,
    },
    /// A given first neighbour is the sample itself or no sample at all.
    InvalidNeighbor {
        /// The sample.
        sample: usize,
        /// The first neighbour given for the sample.
        neighbor: usize,
    },
    /// The number of neighbours asked for is 0, or larger than there are.
    NeighborRank {
        /// The number asked for.
        requested: usize,
        /// The largest number that can be had: that of other samples or, from a table, of the
        /// table's columns.
        most: usize,
    },
    /// The recall that an approximate search is to reach is not above 0 and at most 1.
    InvalidRecall {
        /// The recall asked for.
        recall: f64,
    },
    /// A dendrogram does not go to this number of clusters.
    NoSuchCut {
        /// The number asked for.
        requested: usize,
        /// The number of clusters that the dendrogram ends with.
        fewest: usize,
        /// The number of clusters that the dendrogram begins with.
        most: usize,
    },
    /// The search that was asked for cannot serve this metric or this many features.
    UnsupportedSearch {
        /// The search, by the name that options use.
        search: &'static str,
        /// The thing that the search cannot do.
        reason: &'static str,
    },
    /// Two matrices or labellings that should describe the same samples differ in size.
    SampleCount {
        /// The number expected (of the hierarchy, or of the first labelling).
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// Samples are not those that a hierarchy was made from, though there are as many: most of a few that were looked
    /// at are nearer to their first neighbours, or farther from them.
    OtherSamples {
        /// The first such sample.
        sample: usize,
        /// Its first neighbour.
        neighbor: usize,
        /// Their distance when they were clustered.
        expected: f64,
        /// Their distance now.
        found: f64,
    },
    /// Two matrices whose samples should be compared differ in their number of features.
    FeatureCount {
        /// The number expected.
        expected: usize,
        /// The number given.
        found: usize,
    },
    /// A name that no option has, from [`str::parse`].
    UnknownName {
        /// The kind of option that was to be named, such as "metric".
        what: &'static str,
        /// The name.
        name: String,
        /// The names that there are.
        known: Vec<&'static str>,
    },
    /// The worker threads could not be started.
    Threads {
        /// Threads asked for.
        threads: usize,
        /// The message of the system.
        message: String,
    },
    /// The system refused memory that grows with the samples. Free some memory, bring fewer
    /// samples, or choose another search.
    OutOfMemory {
        /// The bytes that were asked for at once.
        bytes: usize,
    },
    /// A weight is NaN, zero, negative or below 10⁻¹⁰⁰, or the weights up to this one add up to 2⁵³
    /// or more. A sample without weight has no part in a clustering: leave it out.
    InvalidWeight {
        /// The sample.
        sample: usize,
        /// Its weight.
        weight: f64,
    },
    /// The bytes are no saved model, or not as they were saved. Save the model anew, or fetch the
    /// file again.
    Damaged {
        /// The fault of the bytes.
        what: String,
    },
    /// The model was saved in another format than this version of finch knows.
    ModelVersion {
        /// The version of the format.
        found: u32,
        /// The version that is known.
        known: u32,
    },
    /// The model has no labelling of this number.
    NoSuchLabelling {
        /// The number asked for.
        labelling: usize,
        /// The number of labellings.
        labellings: usize,
    },
    /// Samples are of an element type that does not go into the type they are compared with without
    /// rounding. Convert the samples, by the rounding of your choice.
    ElementType {
        /// The type that they are compared with.
        expected: &'static str,
        /// The type of the samples.
        found: &'static str,
    },
    /// The names are not one for each leaf of a tree.
    NameCount {
        /// Names given.
        names: usize,
        /// Leaves of the tree.
        leaves: usize,
    },
    /// A dendrogram was not made from this hierarchy, which lacks the partition that the dendrogram
    /// starts from.
    OtherHierarchy {
        /// The number of clusters that the dendrogram starts from.
        clusters: usize,
    },
    /// A table or a matrix that the caller brings has the wrong shape.
    Shape {
        /// The thing that has the wrong shape.
        what: &'static str,
        /// The rows and columns expected.
        expected: [usize; 2],
        /// The rows and columns found.
        found: [usize; 2],
    },
    /// A place of a table of neighbours that the caller brings has a number that it cannot have.
    InvalidNeighborAt {
        /// The sample.
        row: usize,
        /// The place in the sample's row.
        column: usize,
        /// The number found there.
        neighbor: i64,
        /// The fault of the number.
        reason: &'static str,
    },
    /// A row of a table of neighbours that the caller brings names no other sample.
    NoNeighbor {
        /// The sample.
        sample: usize,
    },
    /// A distance that the caller brings cannot be one.
    InvalidDistance {
        /// The sample.
        row: usize,
        /// The place in the table of neighbours, or in the distance matrix the other sample.
        column: usize,
        /// The value found there.
        value: f64,
        /// The fault of the value.
        reason: &'static str,
    },
    /// Two samples have the same first neighbour, and the table of neighbours that the caller brings has not
    /// their distance, which [`LinkBound::JoinedPair`](crate::LinkBound::JoinedPair) is to know. Bring more
    /// neighbours of each sample, or all distances, or bound links by the first neighbours alone.
    UnknownPair {
        /// The two samples.
        pair: [u32; 2],
        /// Their first neighbour.
        neighbor: u32,
    },
    /// Samples are not there where there is no way without them: they were left out, the model does not
    /// keep them, or the hierarchy was made without.
    NeedsSamples {
        /// The operation that needs the samples.
        what: &'static str,
    },
    /// Two samples cannot be together, or apart, as the caller asks.
    InvalidPair {
        /// "must-link" or "cannot-link".
        link: &'static str,
        /// The two samples.
        pair: [u32; 2],
        /// The fault of the pair.
        reason: &'static str,
    },
    /// Clusters cannot have the sizes that the caller asks for.
    InvalidClusterSize {
        /// "least" or "greatest".
        bound: &'static str,
        /// The least or the greatest size of a cluster.
        limit: usize,
        /// Why it cannot be had.
        reason: &'static str,
        /// The size that the reason speaks of.
        size: f64,
    },
    /// Outliers cannot be told as the caller asks ([`Noise`](crate::Noise)).
    InvalidNoise {
        /// The quantity.
        what: &'static str,
        /// Its value.
        value: f64,
        /// The values that it can have.
        wanted: &'static str,
    },
    /// Every label says noise, where some sample has to be in a cluster.
    AllNoise {
        /// The operation that takes clusters.
        what: &'static str,
    },
    /// The compressed rows of sparse samples are not sound ([`SparseSamples`](crate::SparseSamples)).
    InvalidSparse {
        /// The fault, and its place.
        fault: SparseFault,
    },
    /// The operation asked for takes dense samples, and these are sparse, or packed bits. Make them
    /// dense where they are few.
    NeedsDense {
        /// The operation that takes dense samples.
        what: &'static str,
    },
    /// The operation asked for takes samples of 0 and 1, and these have another value.
    NotBinary {
        /// The operation that takes such samples, a metric for one.
        what: &'static str,
        /// The sample, from 0.
        row: usize,
        /// The feature, from 0.
        column: usize,
        /// Its value.
        value: f64,
    },
    /// A row of a part of the data has a number, or a label, that it cannot have.
    InvalidShard {
        /// The row, counted within the part.
        row: usize,
        /// The number given for the row.
        number: i64,
        /// The fault of the number.
        reason: &'static str,
    },
    /// The times of samples ([`Times`](crate::Times)) are not sound, or nobody would look at them.
    InvalidTimes {
        /// The fault of the times.
        fault: TimeFault,
    },
    /// The progress callback asked to stop.
    Cancelled,
}

impl std::error::Error for Error {}
