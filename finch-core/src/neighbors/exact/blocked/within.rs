//! The rows of one block among themselves: each pair is summed once.
//!
//! The nearest of a row is at most as far as the row of its largest sum, which is the one of the smallest bound. So
//! these pairs are compared by key first, and then the pairs whose bounds are within what that has found.

use super::block::Side;
use super::comparison::Comparer;
use super::frame::Frame;
use crate::neighbors::kernel::{ALL_ARE_NEAR, Terms};
use crate::neighbors::lists::Nearest;
use crate::run::progress::Meter;
use crate::support::memory::collected;

impl Comparer {
    /// Offers the rows of a block to each other, where lists have one place and are empty. Returns false, and offers
    /// nothing, where lists have more places, or rows are not in f32.
    pub(super) fn compare_within(
        &mut self,
        frame: &Frame,
        side: Side<'_>,
        nearest: &mut [Nearest],
        meter: &Meter,
    ) -> bool {
        let is_served = nearest.len() == side.block.len()
            && nearest.iter().all(|nearest| *nearest == Nearest::NONE)
            && frame.terms() != Terms::Bytes
            && side.block.fine.is_none();
        if !is_served {
            return false;
        }
        self.sums.write(&side.block.panels, false, meter);
        let mut most_promising = self.sums.largest_of_rows(1);
        most_promising.iter_mut().for_each(|sum| *sum = sum.max(ALL_ARE_NEAR));
        self.offer_pairs(side, &most_promising, nearest, meter);
        let least_of = |nearest: &Nearest| (-0.5 * frame.limit(nearest.key)).max(ALL_ARE_NEAR);
        let least: Vec<f32> = collected(nearest.iter().map(least_of));
        self.offer_pairs(side, &least, nearest, meter);
        true
    }

    /// Compares by key the pairs whose sum is at least what either row asks for, but for those whose bound is beyond
    /// what both rows have found since.
    fn offer_pairs(
        &mut self,
        side: Side<'_>,
        least: &[f32],
        nearest: &mut [Nearest],
        meter: &Meter,
    ) {
        let number = |row: usize| side.number(row) as u32;
        let [row, other] = &mut self.pair;
        let mut found = Vec::new();
        for i in 0..least.len() {
            self.sums.find(i, least, &mut found);
            let mut is_loaded = false;
            for j in found.iter().map(|&j| j as usize) {
                let [of_i, of_j] = [nearest[i], nearest[j]];
                let is_there = of_i.index == number(j) || of_j.index == number(i);
                // At distance 0 only smaller numbers could win.
                let is_settled = of_i.key == 0.0
                    && of_i.index < number(j)
                    && of_j.key == 0.0
                    && of_j.index < number(i);
                if is_there || is_settled {
                    continue;
                }
                // For each key: of wide rows, one takes as long as a thousand of narrow ones.
                if meter.stopped() {
                    return;
                }
                if !is_loaded {
                    side.load(i, row);
                    is_loaded = true;
                }
                let key = side.key_within(row, j, f64::max(of_i.key, of_j.key), other);
                nearest[i].offer(key, number(j));
                nearest[j].offer(key, number(i));
            }
        }
    }
}
