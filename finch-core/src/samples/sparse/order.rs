//! The order in which the terms of a sum over features are added, for sums most of whose terms are 0.
//!
//! `samples/metric.rs` defines the order: features are halved until a block has at most 128, and a block has 8
//! partial sums. To add 0 to a number that is not negative changes nothing, whatever the order. So of
//! terms of which none is negative, those that are 0 can be left out, and so can whole blocks: the sum
//! of what is left is that of all, bit for bit.

use crate::samples::metric::{BLOCK, LANES};
use crate::support::memory::collected;

/// Where the term of a feature is added: the block, and the partial sum of the block.
///
/// The upper bits say how the block is found from all features: from the highest bit on, 1 for each
/// half that is the upper one. The lower 4 bits are the partial sum, from 0 to 7, or 8 for features
/// that are left over, of which there are some in the last block only.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Place(u32);

/// The lower bits of a place.
const OF_BLOCK: u32 = 15;

impl Place {
    /// The place of one of so many features. These are below 2³¹, and so halved 25 times at most.
    fn of(feature: usize, features: usize) -> Self {
        let (mut at, mut len, mut path, mut bit) = (feature, features, 0, 1 << 31);
        while len > BLOCK {
            let half = len / 2 / LANES * LANES;
            if at < half {
                len = half;
            } else {
                (at, len, path) = (at - half, len - half, path | bit);
            }
            bit >>= 1;
        }
        let lane = if at < len / LANES * LANES { at % LANES } else { LANES };
        Self(path | lane as u32)
    }

    fn block(self) -> u32 {
        self.0 & !OF_BLOCK
    }
}

/// The places of all features.
pub(crate) struct Places {
    features: usize,
    /// The blocks of groups of 8 features, as places; none where there are more groups than are worth
    /// the memory, and each place is found by halving.
    blocks: Vec<u32>,
}

/// Groups that are always worth their memory.
const FEW_GROUPS: usize = 1 << 16;

impl Places {
    /// The places of `features`, of which some are asked for about `times` times.
    pub(crate) fn new(features: usize, times: usize) -> Self {
        let groups = features.div_ceil(LANES);
        let known = if groups <= usize::max(times / 4, FEW_GROUPS) { groups } else { 0 };
        let block = |group: usize| Place::of(group * LANES, features).block();
        Self { features, blocks: collected((0..known).map(block)) }
    }

    /// The number of features.
    pub(crate) fn features(&self) -> usize {
        self.features
    }

    #[inline]
    pub(crate) fn of(&self, feature: u32) -> Place {
        let feature = feature as usize;
        match self.blocks.get(feature / LANES) {
            // Blocks begin at multiples of 8.
            Some(block) if feature < self.features / LANES * LANES => {
                Place(block | (feature % LANES) as u32)
            }
            Some(block) => Place(block | LANES as u32),
            None => Place::of(feature, self.features),
        }
    }
}

/// A sum of terms, none of which is negative, in the order of their features.
pub(crate) struct Sum {
    /// The block that terms are being added to.
    block: u32,
    partial: [f64; LANES],
    /// A bit for each partial sum that a term was added to.
    used: u32,
    /// The sum of the block, once the features left over are being added.
    left_over: Option<f64>,
    /// Sums of blocks, and of halves of which all blocks are summed, that wait for what follows them:
    /// each with the number of halvings before the one that parts it from what follows.
    waiting: [(f64, u32); 32],
    len: usize,
}

impl Sum {
    #[inline]
    pub(crate) fn new() -> Self {
        let (partial, waiting) = ([0.0; LANES], [(0.0, 0); 32]);
        Self { block: 0, partial, used: 0, left_over: None, waiting, len: 0 }
    }

    /// Adds a term. Terms come in the order of their features, one for each.
    #[inline(always)]
    pub(crate) fn add(&mut self, place: Place, term: f64) {
        if place.block() != self.block {
            self.next_block(place.block());
        }
        let lane = (place.0 & OF_BLOCK) as usize;
        if lane < LANES {
            self.partial[lane] += term;
            self.used |= 1 << lane;
        } else {
            self.left_over = Some(self.of_block() + term);
        }
    }

    /// The sum of the terms so far of the block.
    #[inline]
    fn of_block(&self) -> f64 {
        if let Some(sum) = self.left_over {
            return sum;
        }
        if self.used.is_power_of_two() {
            return self.partial[self.used.trailing_zeros() as usize];
        }
        let [a, b, c, d, e, f, g, h] = self.partial;
        ((a + b) + (c + d)) + ((e + f) + (g + h))
    }

    fn next_block(&mut self, block: u32) {
        let halvings = (self.block ^ block).leading_zeros();
        let sum = self.joined(halvings);
        self.waiting[self.len] = (sum, halvings);
        self.len += 1;
        (self.block, self.partial, self.used) = (block, [0.0; LANES], 0);
    }

    /// The sum of the block and of all that was halved after so many halvings.
    fn joined(&mut self, halvings: u32) -> f64 {
        let mut sum = self.of_block();
        while self.len > 0 && self.waiting[self.len - 1].1 > halvings {
            self.len -= 1;
            sum += self.waiting[self.len].0;
        }
        sum
    }

    /// The sum of all terms.
    #[inline]
    pub(crate) fn total(mut self) -> f64 {
        let mut sum = self.of_block();
        while self.len > 0 {
            self.len -= 1;
            sum += self.waiting[self.len].0;
        }
        sum
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::samples::metric::sum;
    use crate::support::random::scrambled;

    /// Of one feature, of all, and of any share of them, in one block and in many.
    #[test]
    fn the_terms_that_are_zero_can_be_left_out() {
        let mut number = 0;
        let mut random = || {
            number += 1;
            scrambled(number)
        };
        for features in (1..300).chain([511, 1_000, 4_096, 5_003, 600_000, 600_007]) {
            let shares =
                if features > 100_000 { &[9_000, 1][..] } else { &[1_000_000, 200, 7, 2, 1] };
            for &share in shares {
                let mut term = |_| match random() % share {
                    0 => (random() >> 11) as f64 / 1e9,
                    _ => 0.0,
                };
                let mut terms: Vec<f64> = (0..features).map(&mut term).collect();
                terms[features / 3] = 0.1;
                let expected = sum(&terms, &terms, |term, _| term);
                for places in [Places::new(features, 1 << 30), Places { features, blocks: vec![] }]
                {
                    let mut sum = Sum::new();
                    for (feature, &term) in terms.iter().enumerate() {
                        if term > 0.0 {
                            sum.add(places.of(feature as u32), term);
                        }
                    }
                    assert_eq!(sum.total().to_bits(), expected.to_bits(), "{features} {share}");
                }
            }
        }
        assert_eq!(Sum::new().total(), 0.0);
    }

    #[test]
    fn any_number_of_features_can_be_halved() {
        let features = i32::MAX as usize;
        let last = Place::of(features - 1, features);
        assert_eq!(last.0 & OF_BLOCK, LANES as u32);
        assert!(last.block().trailing_zeros() >= 4);
    }
}
