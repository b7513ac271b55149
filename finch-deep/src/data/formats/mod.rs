//! File formats, one a module.

pub(crate) mod as_text;
pub(crate) mod columnar;
pub(crate) mod csv;
#[cfg(feature = "mat73")]
mod hdf5_layout;
mod hdf5_start;
pub(crate) mod idx;
pub(crate) mod market;
mod mat4;
pub(crate) mod mat5;
#[cfg(feature = "mat73")]
mod mat73;
mod matlab_object;
pub(crate) mod npy;
pub(crate) mod npy_mapped;
pub(crate) mod npz;
pub(crate) mod svmlight;
mod variable;
