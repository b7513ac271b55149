//! Samples most of whose values are 0, and their rows as metrics see them.
//!
//! - `samples.rs`: the samples, checked once.
//! - `order.rs`: the order in which terms of a sum over features are added.
//! - `rows.rs`: rows as a metric compares them; the keys of two rows.
//! - `matrix.rs`: samples with memory of their own.

pub(crate) mod matrix;
mod order;
mod rows;
pub(crate) mod samples;

pub(crate) use matrix::{OwnedValues, SparseMatrix};
pub(crate) use rows::{Loading, SparseRow, SparseRows};
pub use samples::{SparseIndices, SparseSamples, SparseValues};
