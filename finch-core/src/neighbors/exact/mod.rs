//! Searches that find every neighbour, and agree with `brute.rs` bit for bit.
//!
//! - `brute.rs` compares every pair by key.
//! - `bits.rs` counts the bits in which rows of bits differ.
//! - `tree.rs` asks a k-d tree (`kd_tree.rs`) which pairs to compare by key. The tree is over points
//!   of a few coordinates whose distances bound those of rows from below (`points.rs`);
//!   `forecast.rs` tells from samples of the rows how long that takes.
//! - `blocked.rs` multiplies blocks of rows, or adds up their differences, and compares by key what
//!   these sums leave.
//! - `projected.rs` does the same along a few principal axes of the data (`coordinates.rs`), once a sample
//!   tells that this is faster (`estimate.rs`), on blocks of rows near each other (`arrangement.rs`).
//! - `extension.rs` compares new rows alone, beside rows whose nearest are known, in either way.
//!
//! Both searches by blocks stand on `block.rs`, rows in f32, or in bytes (`bytes.rs`), whose sums bound
//! distances from below; `frame.rs`, the origin and unit of these numbers; and `comparison.rs`, which compares two
//! blocks. Where one frame is not enough, blocked search cuts the rows into groups (`groups.rs`,
//! `blur.rs`). `tuning.rs` has the constants of all.

mod arrangement;
pub(super) mod bits;
mod block;
pub(super) mod blocked;
mod blur;
pub(super) mod brute;
mod bytes;
mod comparison;
mod coordinates;
mod estimate;
pub(super) mod extension;
pub(super) mod forecast;
mod frame;
mod groups;
mod kd_tree;
mod points;
pub(super) mod projected;
pub(super) mod tree;
mod tuning;

pub(super) use estimate::nanoseconds_of_blocked;
pub(super) use groups::need_groups;
