//! The rounds of training: a clustering, epochs on its labels, and so again.

pub(crate) mod checkpoint;
mod clustering;
mod consensus;
mod cut;
pub(crate) mod embedding;
pub(crate) mod ensemble;
mod epoch;
pub(crate) mod event;
mod round;
mod silhouette;
mod surroundings;
pub(crate) mod trainer;
