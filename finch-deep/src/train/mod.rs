//! Training an embedding on FINCH's own labels (section 3.3 of the paper).
//!
//! [`Trainer`] clusters the samples, trains a network to tell the clusters apart, clusters its last
//! hidden layer, and so on; it trains another to keep nearest neighbours near; and it takes the clusters
//! that these and the input agree on. It keeps no files and prints nothing; [`Checkpoint`] is what to
//! store.

mod baselines;
mod config;
mod error;
mod loss;
mod network;
mod onnx;
mod progress;
mod random;
mod rounds;

pub use self::baselines::baselines;
pub use self::config::{Config, Cut, Objective, Optimizer, Preset, PseudoLabels, Schedule};
pub use self::error::TrainError;
pub use self::network::device::Backend;
pub use self::progress::{Progress, Watch};
pub use self::rounds::checkpoint::Checkpoint;
pub use self::rounds::embedding::embed;
pub use self::rounds::ensemble::Candidate;
pub use self::rounds::event::{Clustered, Event};
pub use self::rounds::trainer::Trainer;
