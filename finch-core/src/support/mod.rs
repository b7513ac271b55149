//! Tools that know nothing of clustering: memory, vectors, sets, random numbers, sums, names and
//! files.

pub(crate) mod memory;
pub(crate) mod names;
pub(crate) mod parallel;
pub(crate) mod random;
pub(crate) mod repeated_sum;
pub(crate) mod simd;
pub(crate) mod union_find;
#[cfg(feature = "files")]
pub(crate) mod whole_file;
