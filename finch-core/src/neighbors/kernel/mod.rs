//! Products of short rows, and what is told of pairs while these arise: the only code with vector
//! instructions.

mod candidate;
mod line;
mod near;
mod product;
mod squares;
mod steps;

pub(super) use candidate::Candidate;
pub(super) use line::{Line, compare_all};
pub(super) use near::Near;
#[cfg(test)]
pub(super) use product::all_sums;
pub(super) use product::{Panels, all_pairs};
pub(super) use squares::squares;
pub(super) use steps::{AT_ONCE, PART, Part, STEPS, Steps, parts, set};
