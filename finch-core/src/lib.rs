//! FINCH: parameter-free clustering by first neighbours.
#![forbid(unsafe_code)]

mod error;

pub use error::{Error, Result};
