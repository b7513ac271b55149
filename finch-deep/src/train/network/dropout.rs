//! Dropout: the values that training leaves out at random.

use rand::Rng;

use crate::train::random::Random;

/// Leaves out a share of some values, and scales the others up so that their mean stays.
#[derive(Clone, Copy, Debug)]
pub(in crate::train) struct Dropout {
    /// The number of values, of 2¹⁶, that are left out, on average.
    threshold: u16,
    kept: f32,
}

impl Dropout {
    /// None if nothing is left out.
    pub(in crate::train) fn new(share: f64) -> Option<Self> {
        let threshold = (share * 65536.0).round() as u16;
        (threshold > 0)
            .then(|| Self { threshold, kept: 65536.0 / (65536.0 - f32::from(threshold)) })
    }

    /// Leaves out some of `values`, and scales the others up.
    pub(in crate::train) fn apply(self, values: &mut [f32], random: &mut Random) {
        // Sixteen bits for each decide as well as 64 do, at a quarter of the cost.
        for values in values.chunks_mut(4) {
            let mut bits = random.next_u64();
            for value in values {
                *value *= if (bits as u16) < self.threshold { 0.0 } else { self.kept };
                bits >>= 16;
            }
        }
    }

    /// A mask of `length` factors.
    pub(in crate::train) fn mask(self, length: usize, random: &mut Random) -> Vec<f32> {
        let mut mask = vec![1.0; length];
        self.apply(&mut mask, random);
        mask
    }
}
