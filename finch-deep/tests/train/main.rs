//! `finch train`, `finch embed` and `finch cluster --embed`, as a user runs them and as a machine
//! fails under them.
#![cfg(unix)]

mod damage;
mod embed;
mod graph;
mod model;
mod place;
mod recipe;
mod result;
mod rounds;
mod seeds;
mod sources;
mod stopped;
mod trainer;
mod usage;
