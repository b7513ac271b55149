//! The commands, one a module.

pub(crate) mod cluster;
pub(crate) mod describe;
#[cfg(feature = "train")]
pub(crate) mod embed;
#[cfg(feature = "train")]
pub(crate) mod export;
pub(crate) mod extend;
pub(crate) mod manual;
pub(crate) mod neighbors;
pub(crate) mod predict;
pub(crate) mod score;
mod subject;
pub(crate) mod suggest;
#[cfg(feature = "train")]
pub(crate) mod train;
pub(crate) mod tree;
#[cfg(not(feature = "train"))]
mod untrained;

#[cfg(not(feature = "train"))]
pub(crate) use untrained::{embed, export, train};
