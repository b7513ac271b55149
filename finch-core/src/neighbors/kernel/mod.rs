//! All pairs of two sets of short rows, and which of the pairs are near: the only code of the
//! searches that is written for vector instructions.
//!
//! - For exact search, rows in f32: `product.rs` multiplies them, or adds up their differences, and `near.rs` looks at the sums.
//! - For approximate search, rows in whole steps of 16 bits, whose products are the same on every
//!   machine: `steps.rs` is their layout, `vectors.rs` has the instructions, and `distances.rs` the
//!   distances and which of these are within a limit.
//! - Both hand out each near pair as a `candidate.rs`.
//! - Rows of bits: `codes.rs` counts in how many bits they differ.

mod candidate;
mod codes;
mod distances;
mod near;
mod product;
mod squares;
mod steps;
mod vectors;

pub(super) use candidate::Candidate;
pub(super) use codes::{Codes, Compared, Limit, Limits, NearRows, near_rows};
pub(super) use distances::{RowDistances, for_each_row};
pub(super) use near::NearOthers;
#[cfg(test)]
pub(super) use product::all_sums;
pub(super) use product::{Panels, Terms, all_pairs};
pub(super) use squares::squared_distance;
pub(super) use steps::{
    AT_ONCE, CHUNK, Chunk, MAX_LENGTH, StepRows, chunks, squared_steps, write_chunks,
};
