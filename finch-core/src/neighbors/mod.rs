//! First neighbours: for each sample, the nearest other one; and the k nearest.
//!
//! κᵢ = argmin over j ≠ i of dist(xᵢ, xⱼ), and **equal distances go to the smallest j**. Every
//! exact search gives the same answer bit for bit (see `samples/metric.rs`), and the approximate search
//! measures which share of that answer it has found. First neighbours are the k nearest with k = 1.
//!
//! The files, from the top down; none uses one above it:
//!
//! - `parts.rs`: the nearest so far of data that comes in parts. `two_sets.rs`: the nearest of
//!   one set of rows for each row of another set.
//! - `searcher.rs`: from the search that is asked for to the neighbours that it finds.
//!   `timed.rs`: the same by distances that are weighted by time.
//! - `extend.rs`: new samples beside samples whose neighbours are known.
//! - `plan/`: what [`Search::Auto`] means, and the one `match` that runs a search.
//! - `sparse/`: sparse rows, by products of sparse rows: exactly, or most of them.
//! - `approximate/`: the search that finds most neighbours of millions of samples.
//! - `exact/`: searches that find every neighbour; `exact/brute.rs` is the oracle of the others.
//! - `kernel/`: all pairs of two sets of short rows, by vector instructions. `kd_split.rs`: the
//!   split of a k-d tree.
//! - `equal_rows/`: equal rows, which are searched as one; the equal one of several rows that are
//!   equally near; first neighbours of which another sample is as near.
//! - `known.rs`: neighbours that are known before a search.
//! - `zero_rows.rs`: rows without a direction, which most searches leave out under cosine.
//! - `precomputed.rs`: neighbours that the caller brings, and those in a matrix of distances.
//!   `copies.rs`: first neighbours of the copies of weighted samples.
//! - `table.rs`: the neighbours that are found. `search.rs`: the searches that there are, and the
//!   one that ran.
//! - `lists.rs`: the nearest sample so far, and lists of these, which every search fills.

mod approximate;
pub(crate) mod copies;
mod equal_rows;
mod exact;
mod extend;
pub(crate) mod kd_split;
mod kernel;
mod known;
mod lists;
mod parts;
mod plan;
mod precomputed;
mod search;
mod searcher;
mod sparse;
mod table;
mod timed;
mod two_sets;
mod zero_rows;

pub(crate) use approximate::Aim;
pub(crate) use equal_rows::links_of_equal;
pub(crate) use equal_rows::preferred::prefer_equal;
pub(crate) use equal_rows::ties::{of_table as ties_of_table, share as share_of_ties};
pub(crate) use exact::few_queries::{FEW_QUERIES, serves as are_few};
pub(crate) use exact::kd_tree::kept::{KeptTree, NodeLabels};
pub(crate) use known::Known;
pub use lists::Nearest;
pub use parts::{NumberedNearest, NumberedSamples, Shard};
pub(crate) use parts::{update, update_numbered};
pub(crate) use plan::dense::are_compared_alone;
pub(crate) use precomputed::Distances;
pub use search::{Choice, Evidence, Reason, Recall, Search};
pub(crate) use searcher::{Query, Searcher};
pub use table::{FirstNeighbors, Neighbors};
pub(crate) use table::{check_neighbors, check_rank};
pub(crate) use two_sets::{OfBase, Wanted, nearest_between, nearest_of_base, nearest_of_tree};
