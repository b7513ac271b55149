//! The greatest number of samples, and the magnitudes that their values may have.

use crate::error::{Error, Result};

/// Above this, squared distances of means, weighted by their sizes, could overflow f64.
pub(crate) const LARGEST: f64 = 1e140;

/// Below this, all squared distances would lose digits or vanish, and samples seem equal.
pub(crate) const SMALLEST: f64 = 1e-140;

/// Checks that there are samples, features, and a 32-bit label for each sample.
///
/// # Errors
/// [`Error::NoSamples`], [`Error::NoFeatures`], [`Error::TooManySamples`].
pub(crate) fn expect_shape([samples, features]: [usize; 2]) -> Result<()> {
    match [samples, features] {
        [0, _] => Err(Error::NoSamples),
        [_, 0] => Err(Error::NoFeatures),
        _ if i32::try_from(samples).is_err() => Err(Error::TooManySamples { samples }),
        _ => Ok(()),
    }
}
