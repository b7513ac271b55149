//! The border to C: pointers and numbers of callers, faults, statuses, and memory.

pub(crate) mod caller;
pub(crate) mod enums;
pub(crate) mod fault;
pub(crate) mod file;
pub(crate) mod guard;
pub(crate) mod integers;
pub(crate) mod numbers;
mod reserve;
pub(crate) mod room;

// In the order in which the header has their items.
pub(crate) mod status;

pub(crate) mod message;
