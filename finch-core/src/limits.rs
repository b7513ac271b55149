//! The magnitudes that values of samples may have.

/// Above this, squared distances of means, weighted by their sizes, could overflow f64.
pub(crate) const LARGEST: f64 = 1e140;

/// Below this, all squared distances would lose digits or vanish, and samples seem equal.
pub(crate) const SMALLEST: f64 = 1e-140;
