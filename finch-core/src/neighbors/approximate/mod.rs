//! Search of most neighbours.

mod candidates;
mod cells;
mod group;
mod passes;
mod sketch;
mod truth;

pub(crate) use passes::Aim;
pub(super) use passes::search;
