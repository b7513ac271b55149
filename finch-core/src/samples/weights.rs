//! Weights of samples: how many equal rows each sample stands for.

use crate::error::{Error, Result};
use crate::support::memory::copied;

/// Weights of N samples.
///
/// A sample of weight w stands for c = max(1, ⌊w⌋) copies: equal rows that follow each other in the
/// sample's place, each of weight w / c. Whole weights so mean repeated rows.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Weights {
    weights: Vec<f64>,
    /// The number of copies of all samples.
    copies: u64,
    /// The sum of all weights.
    total: f64,
    /// True if all weights are whole numbers.
    whole: bool,
}

/// The copies of one sample.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(crate) struct Copies {
    /// The number of copies; at least 1.
    pub(crate) count: u64,
    /// The weight of each.
    pub(crate) weight: f64,
}

/// Below this, products of weights and squared distances would lose digits.
const LEAST: f64 = 1e-100;
/// Weights add up to less than this, so that sums of whole weights are exact.
const MOST: f64 = (1_u64 << f64::MANTISSA_DIGITS) as f64;

impl Weights {
    /// # Errors
    /// [`Error::SampleCount`] unless there is a weight for each sample, [`Error::InvalidWeight`] for
    /// a weight that is NaN, zero, negative or below 10⁻¹⁰⁰, and for the first weight with which
    /// the weights add up to 2⁵³ or more.
    pub(crate) fn new(weights: &[f64], samples: usize) -> Result<Self> {
        if weights.len() != samples {
            return Err(Error::SampleCount { expected: samples, found: weights.len() });
        }
        let (mut total, mut copies, mut whole) = (0.0, 0, true);
        for (sample, &weight) in weights.iter().enumerate() {
            // Also false for NaN.
            let sound = weight >= LEAST && total + weight < MOST;
            if !sound {
                return Err(Error::InvalidWeight { sample, weight });
            }
            total += weight;
            copies += copies_of(weight).count;
            whole &= weight.fract() == 0.0;
        }
        Ok(Self { weights: copied(weights), copies, total, whole })
    }

    /// The weight of each sample.
    pub(crate) fn as_slice(&self) -> &[f64] {
        &self.weights
    }

    /// The number of copies of all samples.
    pub(crate) fn copies(&self) -> u64 {
        self.copies
    }

    /// The copies of a sample.
    pub(crate) fn of(&self, sample: u32) -> Copies {
        copies_of(self.weights[sample as usize])
    }

    /// The mean weight of a copy: 1 where weights are whole.
    pub(crate) fn mean_weight(&self) -> f64 {
        self.total / self.copies as f64
    }

    /// True if the copies are rows that a matrix may have: as many as labels can number, each of
    /// weight 1. Counts over pairs of copies then fit 64 bits.
    pub(crate) fn countable(&self) -> bool {
        self.whole && i32::try_from(self.copies).is_ok()
    }
}

fn copies_of(weight: f64) -> Copies {
    // Toward zero; weights are below 2⁵³.
    let count = u64::max(weight as u64, 1);
    Copies { count, weight: weight / count as f64 }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::partition::Partition;
    use crate::partition::means::cluster_sizes;

    #[test]
    fn a_weight_is_so_many_copies() {
        let weights = Weights::new(&[1.0, 0.25, 3.0, 2.5, 1.75], 5).unwrap();
        let copies = |sample| weights.of(sample);
        assert_eq!(copies(0), Copies { count: 1, weight: 1.0 });
        assert_eq!(copies(1), Copies { count: 1, weight: 0.25 });
        assert_eq!(copies(2), Copies { count: 3, weight: 1.0 });
        assert_eq!(copies(3), Copies { count: 2, weight: 1.25 });
        assert_eq!(copies(4), Copies { count: 1, weight: 1.75 });
        assert_eq!((weights.copies(), weights.mean_weight()), (8, 8.5 / 8.0));
        assert!(!weights.countable());
        let partition = Partition::new(&[0, 1, 0, 1, 1]).unwrap();
        assert_eq!(cluster_sizes(&partition, Some(&weights)), [4.0, 4.5]);
        assert_eq!(cluster_sizes(&partition, None), [2.0, 3.0]);
    }

    #[test]
    fn rows_of_a_matrix_are_countable() {
        let most = f64::from(i32::MAX);
        let of = |weights: &[f64]| Weights::new(weights, weights.len()).unwrap();
        assert!(of(&[most - 1.0, 1.0]).countable());
        let more = of(&[most, 1.0]);
        assert!(more.whole && !more.countable());
        assert_eq!(more.mean_weight(), 1.0);
    }

    #[test]
    fn weights_that_are_refused() {
        let refused = |weights: &[f64]| Weights::new(weights, weights.len()).unwrap_err();
        for weight in [0.0, -0.0, -1.0, f64::INFINITY, f64::NEG_INFINITY, 1e-101, 1e16, MOST] {
            assert_eq!(refused(&[1.0, weight, 2.0]), Error::InvalidWeight { sample: 1, weight });
        }
        let Error::InvalidWeight { sample: 2, weight } = refused(&[1.0, 1.0, f64::NAN]) else {
            panic!("NaN is a weight");
        };
        assert!(weight.is_nan());
        // Each is sound, and the sum is not.
        let weight = MOST / 2.0;
        assert_eq!(refused(&[weight; 3]), Error::InvalidWeight { sample: 1, weight });
        assert!(Weights::new(&[MOST - 1.0], 1).is_ok());
        assert_eq!(Weights::new(&[1.0], 2), Err(Error::SampleCount { expected: 2, found: 1 }));
    }
}
