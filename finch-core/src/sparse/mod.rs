//! Samples most of whose values are 0, and their rows and means as metrics and partitions see them.
//!
//! - `samples.rs`: the samples, checked once.
//! - `order.rs`: the order in which terms of a sum over features are added.
//! - `rows.rs`: rows as a metric compares them; the keys of two rows.
//! - `means.rs`: the means of clusters, which are sparse as well.

mod means;
mod order;
mod rows;
mod samples;

pub(crate) use means::{SparseMatrix, joined, sums_of_cluster};
pub(crate) use rows::{Loading, SparseRow, SparseRows};
pub use samples::{SparseIndices, SparseSamples, SparseValues};
