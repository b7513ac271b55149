//! File formats, one a module.

pub(crate) mod columnar;
pub(crate) mod csv;
mod hdf5_layout;
pub(crate) mod idx;
pub(crate) mod market;
mod mat4;
pub(crate) mod mat5;
mod mat73;
mod matlab_object;
pub(crate) mod npy;
pub(crate) mod npy_mapped;
pub(crate) mod npz;
mod variable;
