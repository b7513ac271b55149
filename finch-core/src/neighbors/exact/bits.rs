//! Exact search among rows of bits: all pairs, by counting the bits in which they differ.
//!
//! The key of a pair follows from how many bits differ, and for Jaccard from how many are 1: what the
//! sums of a key add up are whole numbers. So no pair that counts as near is read again. Each pair of
//! blocks is compared once, and serves the rows of both.

use rayon::prelude::*;

use super::blocked::block::parts;
use crate::neighbors::kernel::{Codes, Compared, Limit, Limits, NearRows, near_rows};
use crate::neighbors::lists::{
    KNearest, LockedLists, Nearest, Ranking, empty_lists, locked, offer, unlocked,
};
use crate::run::progress::Meter;
use crate::samples::bits::BitMatrix;
use crate::samples::element::AnyMatrix;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, collected_in_parallel, room};
use crate::support::parallel::SharedSplitting as _;

/// The most rows of a block, and the most bytes where rows are long: two blocks fit in a core's cache.
const BLOCK: usize = 256;
const BLOCK_BYTES: usize = 1 << 17;
/// Panels of a block that are compared with each other at a time: as long as lists are not full, every
/// pair is near.
const PART: usize = 4;

/// Nanoseconds for a pair of rows on one core: for each feature, and beside.
const FEATURE_NS: f64 = 0.0008;
const PAIR_NS: f64 = 0.1;

/// The bits of rows that are compared by counting; `None` for other rows, and under cosine, whose keys
/// are rounded sums.
pub(crate) fn bits_of<'a>(rows: &Rows<'a>) -> Option<BitMatrix<'a>> {
    match rows.samples {
        AnyMatrix::Bits(bits) if rows.metric != Metric::Cosine => Some(bits),
        _ => None,
    }
}

/// Nanoseconds that a search takes for a pair, on one core.
pub(crate) fn nanoseconds_of_bits(features: usize) -> f64 {
    FEATURE_NS * features as f64 + PAIR_NS
}

/// Lists of the `k` nearest of each row.
pub(crate) fn search(
    rows: &Rows<'_>,
    bits: BitMatrix<'_>,
    k: usize,
    meter: &Meter,
) -> Vec<Nearest> {
    let pairs = Pairs::of(rows);
    let blocks = blocks_of(rows, bits, rows_of_block(&bits));
    let lists: Vec<LockedLists> =
        collected(blocks.iter().map(|block| empty_lists(block.codes.len(), k)));
    let numbers = || (0..blocks.len()).into_par_iter().with_max_len(1);
    numbers().shared().for_each_init(Vec::new, |found, number| {
        let mut lists = locked(&lists[number]);
        compare_within(pairs, &blocks[number], &mut lists, found, meter);
    });
    numbers().shared().for_each_init(Vec::new, |found, number| {
        for other in number + 1..blocks.len() {
            if meter.stopped() {
                return;
            }
            let (blocks, lists) =
                ([&blocks[number], &blocks[other]], [&lists[number], &lists[other]]);
            let limits = [0, 1].map(|side| {
                pairs.limits(KNearest, blocks[side], &locked(lists[side]), blocks[1 - side])
            });
            let sides = [0, 1].map(|side| blocks[side].all(&limits[side]));
            near_rows(sides, found);
            // Every thread locks the lists of the smaller number first, so none waits for ever.
            let [mut of_one, mut of_other] = lists.map(locked);
            for near in found.drain(..) {
                let (key, [one, other]) = pairs.of_near(near, blocks);
                let [row, other_row] = near.rows.map(|row| row as usize * k);
                offer(&mut of_one[row..][..k], key, other);
                offer(&mut of_other[other_row..][..k], key, one);
            }
            meter.advance(2 * (blocks[0].codes.len() * blocks[1].codes.len()) as u64);
        }
    });
    let mut nearest = room(rows.len() * k);
    lists.into_iter().for_each(|lists| nearest.extend(unlocked(lists)));
    nearest
}

/// Offers the rows of a block to each other.
fn compare_within(
    pairs: Pairs,
    block: &Block,
    lists: &mut [Nearest],
    found: &mut Vec<NearRows>,
    meter: &Meter,
) {
    let k = lists.len() / block.codes.len();
    let parts = parts(0..block.codes.panels(), PART);
    for (number, one) in parts.iter().enumerate() {
        for other in &parts[number..] {
            if meter.stopped() {
                return;
            }
            let limits = pairs.limits(KNearest, block, lists, block);
            let sides = [one, other].map(|part| Compared {
                codes: &block.codes,
                limits: &limits,
                panels: part.clone(),
            });
            near_rows(sides, found);
            for near in found.drain(..) {
                let (key, [one, other]) = pairs.of_near(near, [block, block]);
                let [row, other_row] = near.rows.map(|row| row as usize * k);
                // A part beside itself has each pair twice, and each row beside itself.
                if row < other_row {
                    offer(&mut lists[row..][..k], key, other);
                    offer(&mut lists[other_row..][..k], key, one);
                }
            }
        }
    }
    meter.advance((block.codes.len() as u64).pow(2));
}

/// Offers every row of `base` to every row of `queries`, which have lists of one length.
pub(crate) fn update(
    ranking: impl Ranking,
    [queries, base]: [&Rows<'_>; 2],
    bits: [BitMatrix<'_>; 2],
    nearest: &mut [Nearest],
    meter: &Meter,
) {
    let pairs = Pairs::of(queries);
    let [of_queries, of_base] = bits;
    let k = nearest.len() / queries.len();
    // Few queries are cut into smaller blocks, so that every thread has some to compare.
    let most = queries.len().div_ceil(4 * rayon::current_num_threads());
    let size = rows_of_block(&of_queries).min(most);
    let of_queries = blocks_of(queries, of_queries, size);
    let of_base = blocks_of(base, of_base, rows_of_block(&of_base));
    let lists = nearest.par_chunks_mut(size * k).zip(&of_queries).with_max_len(1);
    lists.shared().for_each_init(Vec::new, |found, (lists, block)| {
        for others in &of_base {
            if meter.stopped() {
                return;
            }
            let limits = pairs.limits(ranking, block, lists, others);
            let none = limits.none_of(&others.codes);
            near_rows([block.all(&limits), others.all(&none)], found);
            for near in found.drain(..) {
                let (key, [query, other]) = pairs.of_near(near, [block, others]);
                if query != other {
                    ranking.offer(&mut lists[near.rows[0] as usize * k..][..k], key, other);
                }
            }
            meter.advance((block.codes.len() * others.codes.len()) as u64);
        }
    });
}

/// Consecutive rows, abreast.
struct Block {
    codes: Codes,
    /// The number of the first row in the whole data.
    first: usize,
}

impl Block {
    /// All rows, to be compared.
    fn all<'a>(&'a self, limits: &'a Limits) -> Compared<'a> {
        Compared { codes: &self.codes, limits, panels: 0..self.codes.panels() }
    }
}

fn rows_of_block(bits: &BitMatrix<'_>) -> usize {
    (BLOCK_BYTES / bits.bytes().ncols()).clamp(1, BLOCK)
}

fn blocks_of(rows: &Rows<'_>, bits: BitMatrix<'_>, size: usize) -> Vec<Block> {
    let blocks = parts(0..bits.len(), size).into_par_iter().map(|part| {
        let first = rows.first + part.start;
        Block { codes: Codes::of(&bits.part(part)), first }
    });
    collected_in_parallel(blocks)
}

/// The numbers by which pairs of rows are compared.
#[derive(Clone, Copy)]
struct Pairs {
    metric: Metric,
    features: usize,
}

impl Pairs {
    fn of(rows: &Rows<'_>) -> Self {
        Self { metric: rows.metric, features: rows.features() }
    }

    /// The key of two near rows, and their numbers in the whole data.
    fn of_near(self, near: NearRows, blocks: [&Block; 2]) -> (f64, [u32; 2]) {
        let [one, other] = near.rows.map(|row| row as usize);
        let ones = blocks[0].codes.ones(one) + blocks[1].codes.ones(other);
        let key = self.metric.key_of_bits(self.features, near.differing, ones);
        (key, [(blocks[0].first + one) as u32, (blocks[1].first + other) as u32])
    }

    /// The distances to the rows of a block within which rows of another block enter their lists.
    fn limits(
        self,
        ranking: impl Ranking,
        block: &Block,
        lists: &[Nearest],
        others: &Block,
    ) -> Limits {
        let k = lists.len() / block.codes.len();
        let limit = |list: &[Nearest]| {
            let bar = ranking.bar_of_block(list, None);
            // Of equally far rows only those of smaller numbers enter.
            let or_as_far = u64::from(others.first < bar.index as usize);
            // Far apart, keys of whole numbers are whole but for rounding.
            let whole = |count: f64| Limit::Fewer((count.round() as u64).saturating_add(or_as_far));
            match self.metric {
                Metric::Euclidean | Metric::Manhattan | Metric::Cosine => whole(bar.key),
                Metric::Hamming => whole(bar.key * self.features as f64),
                // |x∪y| = ½(ones + differing), so that differing/|x∪y| ≤ key where
                // differing ≤ ones·key/(2 − key).
                Metric::Jaccard => Limit::Share(bar.key.min(1.0) / (2.0 - bar.key.min(1.0))),
            }
        };
        Limits::of(&block.codes, lists.chunks_exact(k).map(limit))
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::neighbors::exact::{blocked, brute};
    use crate::neighbors::lists::OtherLabel;
    use crate::samples::bits::BitSamples;
    use crate::support::memory::filled;
    use crate::support::random::scrambled;

    /// Means of bits are between 0 and 1, and compared by blocks of all features.
    #[test]
    fn means_of_bits_are_searched_as_by_brute_force() {
        let meter = &Meter::stopped_at_once(false);
        let noise = |number: usize| (scrambled(number as u64) >> 60) as f32 / 15.0;
        for (count, features) in [(600, 5), (300, 130)] {
            let means = Array2::from_shape_fn((count, features), |(row, column)| {
                let near = scrambled((row * features + column) as u64).is_multiple_of(4);
                noise(column + features * if near { row } else { row % 12 })
            });
            for metric in [Metric::Hamming, Metric::Jaccard] {
                let rows = Rows::new(AnyMatrix::F32(means.view()), metric);
                assert!(bits_of(&rows).is_none());
                let expected = brute::search(&rows, 3, meter);
                assert_eq!(blocked::search(&rows, 3, meter), expected, "{metric} of {features}");
            }
        }
    }

    /// Rows all about, in groups, repeated, and all zeros; long and short ones.
    #[test]
    fn lists_are_those_of_brute_force() {
        let meter = &Meter::stopped_at_once(false);
        for (count, features) in
            [(2, 1_usize), (9, 3), (70, 8), (300, 64), (700, 67), (90, 1_000), (20, 9_001)]
        {
            for kind in ["noise", "groups", "few ones"] {
                let bytes = Array2::from_shape_fn((count, features.div_ceil(8)), |(row, byte)| {
                    let noise = |row: usize| scrambled((row * 100_000 + byte) as u64);
                    match kind {
                        "noise" => noise(row) as u8,
                        "groups" => {
                            (noise(row % 7) ^ noise(row) & noise(row) >> 8 & noise(row) >> 16) as u8
                        }
                        _ => {
                            (noise(row) & noise(row) >> 8 & noise(row) >> 16 & noise(row) >> 24)
                                as u8
                        }
                    }
                });
                let samples = BitSamples::new(bytes.view(), features).unwrap();
                let labels: Vec<u32> = (0..count as u32).map(|row| row % 3).collect();
                for metric in
                    [Metric::Euclidean, Metric::Manhattan, Metric::Hamming, Metric::Jaccard]
                {
                    let rows = Rows::new(AnyMatrix::Bits(samples.matrix()), metric);
                    let bits = bits_of(&rows).unwrap();
                    for k in [1, 5] {
                        let k = k.min(count - 1);
                        let context = format!("{count} × {features}, {kind}, {metric}, {k}");
                        assert_eq!(
                            search(&rows, bits, k, meter),
                            brute::search(&rows, k, meter),
                            "{context}"
                        );
                    }
                    let queries = Rows { first: count, ..rows };
                    let mut lists = [(); 2].map(|()| filled(Nearest::NONE, 2 * count));
                    let [ours, expected] = &mut lists;
                    update(OtherLabel(&labels), [&queries, &rows], [bits; 2], ours, meter);
                    brute::update(OtherLabel(&labels), &queries, &rows, expected, meter);
                    assert_eq!(ours, expected, "{count} × {features}, {kind}, {metric}");
                }
            }
        }
    }
}
