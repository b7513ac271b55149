//! Searches that find every neighbour, and agree with `brute.rs` bit for bit.
//!
//! - `brute.rs` compares every pair by key.
//! - `few/` compares every pair of few rows in f32 or f64, and by key what that leaves.
//! - `few_queries/` compares a few queries with a base that is read once, as it is stored.
//! - `bits.rs` counts the bits in which rows of bits differ.
//! - `kd_tree/` asks a k-d tree (`kd_tree/tree.rs`) which pairs to compare by key. The tree is over points
//!   of a few coordinates whose distances bound those of rows from below (`kd_tree/points.rs`);
//!   `kd_tree/forecast.rs` tells from samples of the rows how long that takes. `kd_tree/kept.rs` keeps a tree of few
//!   features, for one query at a time.
//! - `blocked/` multiplies blocks of rows, or adds up their differences, and compares by key what
//!   these sums leave.
//! - `projected/` does the same along a few principal axes of the data (`projected/coordinates.rs`), once a sample
//!   tells that this is faster (`projected/estimate.rs`), on blocks of rows near each other (`projected/arrangement.rs`).
//! - `extend.rs` compares new rows alone, beside rows whose nearest are known, in either way.
//!
//! Both searches by blocks stand on `blocked/block.rs`, rows in f32, or in bytes (`blocked/bytes.rs`), whose sums bound
//! distances from below; `blocked/frame.rs`, the origin and unit of these numbers; and `blocked/comparison.rs`, which compares two
//! blocks. Where one frame is not enough, blocked search cuts the rows into groups (`blocked/groups.rs`,
//! `blocked/pivots.rs`). `tuning.rs` has the constants of all.

pub(super) mod bits;
pub(super) mod blocked;
pub(super) mod brute;
pub(crate) mod extend;
pub(super) mod few;
pub(crate) mod few_queries;
pub(crate) mod kd_tree;
pub(crate) mod pace;
pub(super) mod projected;
mod tuning;

pub(super) use blocked::groups::need_groups;
pub(super) use projected::estimate::nanoseconds_of_blocked;
