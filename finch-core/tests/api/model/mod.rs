//! Models: saved and loaded, and asked for the clusters of new samples.

mod few_rows;
mod prediction;
mod saving;
