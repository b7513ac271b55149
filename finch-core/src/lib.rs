//! FINCH: parameter-free clustering by first neighbours.
#![forbid(unsafe_code)]

mod error;
mod score;

pub use error::{Error, Result};
pub use score::{Average, Contingency, PrecisionRecall, Scores};
