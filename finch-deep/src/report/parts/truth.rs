//! The true classes of samples.

/// The known classes of samples.
#[derive(Clone, Copy, Debug)]
pub struct Truth<'a> {
    /// The class of each of the N samples.
    pub labels: &'a [u32],
    /// The name of class 0, 1 and so on; a class beyond them goes by its number.
    pub names: &'a [String],
}
