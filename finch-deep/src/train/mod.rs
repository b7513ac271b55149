//! Training an embedding on FINCH's own labels (section 3.3 of the paper).
//!
//! [`Trainer`] clusters the samples, trains a network to tell the clusters apart, clusters its last
//! hidden layer, and so on; it trains another to keep nearest neighbours near; and it takes the clusters
//! that these and the input agree on. It keeps no files and prints nothing; [`Checkpoint`] is what to
//! store.

mod attraction;
mod batch;
mod checkpoint;
mod clustering;
mod config;
mod consensus;
mod cut;
mod device;
mod dropout;
mod embedding;
mod ensemble;
mod error;
mod event;
mod features;
mod graph;
mod learning_rate;
mod lesson;
mod loss;
mod network;
mod onnx;
mod optimizer;
mod pass;
mod preparation;
mod progress;
mod random;
mod round;
mod smoothness;
mod surroundings;
mod trainer;

pub use self::checkpoint::Checkpoint;
pub use self::config::{Config, Cut, Objective, Optimizer, Preset, PseudoLabels, Schedule};
pub use self::device::Backend;
pub use self::embedding::embed;
pub use self::ensemble::Candidate;
pub use self::error::TrainError;
pub use self::event::{Clustered, Event};
pub use self::progress::{Progress, Watch};
pub use self::trainer::Trainer;
