//! First neighbours: for each sample, the nearest other one; and the k nearest.
//!
//! κᵢ = argmin over j ≠ i of dist(xᵢ, xⱼ), and **equal distances go to the smallest j**. Every
//! exact search gives the same answer bit for bit (see `metric.rs`), and the approximate search
//! measures which share of that answer it has found. First neighbours are the k nearest with k = 1.
//!
//! The files, from the top down; none uses one above it:
//!
//! - `between.rs`: the nearest of some rows for each of other rows.
//! - `shards.rs`: offers one part of the data to another, where all of it is never in one place.
//! - `numbered.rs`: the same for samples from anywhere in the data, k nearest of each.
//! - `base.rs`: the nearest of one set of rows for each row of another set.
//! - `dispatch.rs`: from the search that is asked for to the neighbours that it finds.
//! - `extension.rs`: new samples beside samples whose neighbours are known.
//! - `sparse/`: sparse rows, by products of sparse rows: exactly, or most of them.
//! - `timed.rs`: first neighbours by distances that are weighted by time.
//! - `haste.rs`: what is done where a time limit ends a search.
//! - `auto.rs`: what [`Search::Auto`] means.
//! - `task.rs`: the one `match` that runs a search.
//! - `approximate/`: the search that finds most neighbours of millions of samples.
//! - `exact/`: searches that find every neighbour; `exact/brute.rs` is the oracle of the others.
//! - `kernel/`: all pairs of two sets of short rows, by vector instructions.
//! - `equal.rs`: the equal one of several rows that are equally near.
//! - `distinct.rs`: equal rows, which are searched as one.
//! - `zero_rows.rs`: rows of zeros under cosine, which most searches leave out.
//! - `dimension.rs`: the intrinsic dimension of the data, by a sample.
//! - `search.rs`: the searches that there are; `first.rs`, `table.rs`, `choice.rs`, `look.rs`, `recall.rs`:
//!   what they give back. Types only.
//! - `given.rs`, `distances.rs`: neighbours that the caller brings, and those in a matrix of distances.
//! - `ties.rs`: first neighbours of which another sample is as near.
//! - `nearest.rs`: the nearest sample so far, and lists of these, which every search fills;
//!   `ranking.rs`: which samples a list keeps.

mod approximate;
mod auto;
mod base;
mod between;
mod choice;
mod dimension;
mod dispatch;
mod distances;
mod distinct;
mod equal;
mod exact;
mod extension;
mod first;
mod given;
mod haste;
mod kernel;
mod look;
mod nearest;
mod numbered;
mod pace;
mod ranking;
mod recall;
mod search;
mod shards;
mod sparse;
mod table;
mod task;
mod ties;
mod timed;
mod zero_rows;

pub(crate) use approximate::Aim;
pub(crate) use base::{OfBase, Wanted, nearest_of_base};
pub(crate) use between::nearest_between;
pub use choice::{Choice, Reason};
pub(crate) use dispatch::{Query, Searcher};
pub(crate) use distances::Distances;
pub(crate) use distinct::links_of_equal;
pub(crate) use equal::prefer_equal;
pub(crate) use extension::Known;
pub use first::FirstNeighbors;
pub(crate) use first::check_neighbors;
pub use look::Look;
pub use nearest::Nearest;
pub(crate) use numbered::update_numbered;
pub use numbered::{Numbered, NumberedNearest};
pub use recall::Recall;
pub use search::Search;
pub use shards::Shard;
pub(crate) use shards::update;
pub use table::Neighbors;
pub(crate) use table::check_rank;
pub(crate) use ties::{of_table as ties_of_table, share as share_of_ties};
