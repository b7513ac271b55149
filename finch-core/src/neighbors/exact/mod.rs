//! Searches that find every neighbour.

mod arrangement;
mod block;
pub(super) mod blocked;
mod bounds;
pub(super) mod brute;
mod coordinates;
mod estimate;
mod frame;
pub(super) mod projected;
pub(super) mod tree;

pub(super) use estimate::plain;
