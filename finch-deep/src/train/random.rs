//! Random numbers: a stream for each purpose, so that none depends on how many another took.

use rand::SeedableRng;
pub(super) use rand::rngs::Xoshiro256PlusPlus as Random;

/// The purpose of a stream.
#[derive(Clone, Copy, Debug)]
pub(super) enum Purpose {
    /// Weights, once for each clustering.
    Weights,
    /// The order of samples and what is dropped, once for each epoch.
    Epoch,
    /// The first means of k-means, once for each start.
    Baseline,
    /// The axes of the space that samples span.
    Axes,
}

/// The stream of a seed for a purpose, at this epoch. Since it begins anew with each epoch, there is
/// no state to keep when training pauses between two.
pub(super) fn stream(seed: u64, purpose: Purpose, epoch: usize) -> Random {
    let mixed = [purpose as u64, epoch as u64].into_iter().fold(seed, |state, word| {
        // SplitMix64 (Steele, Lea and Flood, 2014) as a hash.
        let mut z = (state ^ word).wrapping_add(0x9e37_79b9_7f4a_7c15);
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    });
    Random::seed_from_u64(mixed)
}
