//! finch-core as its users call it. All in one program: whoever calls a search has it compiled for the
//! types of the samples, which takes longer than all else.

mod approximate;
mod batch;
mod common;
mod description;
mod elements;
mod equal;
mod extend;
mod far;
mod finch;
mod given;
mod islands;
mod linkage;
mod model;
mod moves;
mod neighbors;
mod noise;
mod outliers;
mod repeated;
mod rules;
mod score;
mod sparse;
mod ties;
mod weights;
mod zero_rows;
