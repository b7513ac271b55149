//! Rows of bits beside a few queries of bits: the bits that differ are counted.

use std::ops::Range;

use super::parts::{Compare, blocks};
use crate::neighbors::lists::{Nearest, Ranking};
use crate::run::progress::Meter;
use crate::samples::bits::BitMatrix;
use crate::samples::rows::Rows;
use crate::support::memory::{filled, gathered};
use crate::support::simd::vectorized;

/// Rows of a block.
const BLOCK: usize = 1024;

/// Queries and a base of bits.
pub(super) struct Counts<'a> {
    queries: Rows<'a>,
    base: Rows<'a>,
    bits: BitMatrix<'a>,
    /// The words of each query.
    words: Vec<Vec<u64>>,
}

impl<'a> Counts<'a> {
    pub(super) fn of(
        [queries, base]: [Rows<'a>; 2],
        [of_queries, bits]: [BitMatrix<'a>; 2],
    ) -> Self {
        let words = gathered((0..queries.len()).map(|query| gathered(of_queries.words(query))));
        Self { queries, base, bits, words }
    }
}

/// The words of the rows of a block, and the numbers of a query's bits beside each row.
#[derive(Default)]
pub(super) struct Room {
    words: Vec<u64>,
    counts: Vec<[u32; 2]>,
}

impl Compare for Counts<'_> {
    type Room = Room;

    fn queries(&self) -> usize {
        self.queries.len()
    }

    fn base(&self) -> Rows<'_> {
        self.base.reborrow()
    }

    fn room(&self) -> Room {
        let width = self.words[0].len();
        Room { words: filled(0, BLOCK * width), counts: filled([0; 2], BLOCK) }
    }

    fn compare(
        &self,
        ranking: impl Ranking,
        rows: Range<usize>,
        lists: &mut [Nearest],
        room: &mut Room,
        meter: &Meter,
    ) {
        let (width, features) = (self.words[0].len(), self.base.features());
        let k = lists.len() / self.words.len();
        for block in blocks(rows, BLOCK) {
            if meter.stopped() {
                return;
            }
            let words = &mut room.words[..block.len() * width];
            for (row, words) in block.clone().zip(words.chunks_exact_mut(width)) {
                words.iter_mut().zip(self.bits.words(row)).for_each(|(word, bits)| *word = bits);
            }
            let lists = lists.chunks_exact_mut(k).zip(&self.words).enumerate();
            for (query, (list, of_query)) in lists {
                let ones: u32 = of_query.iter().map(|word| word.count_ones()).sum();
                count(words, of_query, &mut room.counts);
                let own = self.queries.first + query;
                for (row, &[differing, of_row]) in block.clone().zip(&room.counts) {
                    let metric = self.base.metric;
                    let both = u64::from(ones) + u64::from(of_row);
                    let key = metric.key_of_bits(features, differing.into(), both);
                    let number = self.base.first + row;
                    if key <= ranking.bar_of_block(list, None).key && number != own {
                        ranking.offer(list, key, number as u32);
                    }
                }
            }
            meter.advance((block.len() * self.words.len()) as u64);
        }
    }
}

vectorized! {
    /// Counts for each row, of as many words as the query, the bits in which it differs from the query, and its bits
    /// that are 1.
    fn count<'a>(rows: &'a [u64], query: &'a [u64], counts: &'a mut [[u32; 2]]) -> () {
        for (row, count) in rows.chunks_exact(query.len()).zip(counts) {
            let mut all = [0; 2];
            for (word, of_query) in row.iter().zip(query) {
                all[0] += (word ^ of_query).count_ones();
                all[1] += word.count_ones();
            }
            *count = all;
        }
    }
}
