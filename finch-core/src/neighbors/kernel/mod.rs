//! All pairs of two sets of short rows, and which of the pairs are near: the only code of the
//! searches that is written for vector instructions.
//!
//! - For exact search, rows in panels (`panels.rs`): of f32, which `product.rs` multiplies, or whose larger
//!   values it adds up; or of bytes, whose differences `bytes.rs` adds up. `pairs.rs` takes the kernel of the
//!   rows, and `near.rs` looks at the sums, line by line; of one set of rows, `pair_sums.rs` keeps them.
//! - For a few queries, rows as they are stored (`row_sums.rs`), of f32 or f64.
//! - For approximate search, rows in whole steps of 16 bits, whose products are the same on every
//!   machine: `steps.rs` is their layout, `vectors.rs` has the instructions, and `distances.rs` the
//!   distances and which of these are within a limit.
//! - Both hand out each near pair as a [`Candidate`] (`squares.rs`).
//! - Rows of bits: `codes.rs` counts in how many bits they differ.

mod bytes;
mod codes;
mod distances;
mod near;
mod pair_sums;
mod pairs;
mod panels;
mod product;
mod row_sums;
mod squares;
mod steps;
mod vectors;

pub(super) use codes::{Codes, Compared, Limit, Limits, NearRows, near_rows};
pub(super) use distances::{RowDistances, for_each_row};
pub(super) use near::{ALL_ARE_NEAR, NearOthers};
pub(super) use pair_sums::PairSums;
pub(super) use pairs::all_pairs;
#[cfg(test)]
pub(super) use pairs::all_sums;
pub(super) use panels::{Panels, Terms};
pub(super) use row_sums::{Beside, Found, Real, RowTerms};
pub(super) use squares::{Candidate, squared_distance};
pub(super) use steps::{
    AT_ONCE, CHUNK, Chunk, MAX_LENGTH, MAX_WIDTH, StepRows, chunks, squared_steps, write_chunks,
};
