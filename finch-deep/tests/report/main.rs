//! Pages as a browser sees them.
//!
//! The pages stay in the `tmp` folder of the build, to be looked at.

mod browser;
#[cfg(unix)]
mod clustered;
#[path = "../common/mod.rs"]
mod common;
#[cfg(feature = "train")]
mod trained;
