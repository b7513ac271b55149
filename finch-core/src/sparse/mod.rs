//! Samples most of whose values are 0, and their rows and means as metrics and partitions see them.
//!
//! - `samples.rs`: the samples, checked once.
//! - `order.rs`: the order in which terms of a sum over features are added.
//! - `rows.rs`: rows as a metric compares them; the keys of two rows.
//! - `matrix.rs`: samples with memory of their own.
//! - `means.rs`: the means of clusters, which are sparse as well.

mod matrix;
mod means;
mod order;
mod rows;
mod samples;

pub(crate) use matrix::{OwnedValues, SparseMatrix};
pub(crate) use means::{joined, sums_of_cluster};
pub(crate) use rows::{Loading, SparseRow, SparseRows};
pub use samples::{SparseIndices, SparseSamples, SparseValues};
