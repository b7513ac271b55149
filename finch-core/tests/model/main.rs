//! Models: saved and loaded, and asked for the clusters of new samples.

#[path = "../common/mod.rs"]
mod common;

mod prediction;
mod saving;
