//! Models: saved and loaded, and asked for the clusters of new samples.

mod prediction;
mod saving;
