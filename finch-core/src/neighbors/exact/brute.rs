//! Every pair, one by one: slow and plain. Every other exact search must agree with it bit for bit.

use rayon::prelude::*;

use super::tuning::BRUTE_BLOCK;
use crate::neighbors::lists::{KNearest, Nearest, Ranking};
use crate::run::progress::Meter;
use crate::samples::rows::{Block, Rows};
use crate::support::memory::filled;
use crate::support::parallel::SharedSplitting as _;

/// Lists of the `k` nearest of each row.
pub(crate) fn search(rows: &Rows<'_>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let mut nearest = filled(Nearest::NONE, rows.len() * k);
    update(KNearest, rows, rows, &mut nearest, meter);
    nearest
}

/// Offers every row of `base` to every row of `queries`, which have lists of one length.
pub(crate) fn update(
    ranking: impl Ranking,
    queries: &Rows<'_>,
    base: &Rows<'_>,
    nearest: &mut [Nearest],
    meter: &Meter,
) {
    let features = queries.features();
    let k = nearest.len() / queries.len();
    nearest.par_chunks_mut(BRUTE_BLOCK * k).enumerate().shared().for_each_init(
        || (Block::default(), Block::default()),
        |(of_queries, of_others), (block, nearest)| {
            let (first, len) = (block * BRUTE_BLOCK, nearest.len() / k);
            queries.load_block(first..first + len, of_queries);
            for start in (0..base.len()).step_by(BRUTE_BLOCK) {
                if meter.stopped() {
                    return;
                }
                base.load_block(start..base.len().min(start + BRUTE_BLOCK), of_others);
                for (i, list) in nearest.chunks_exact_mut(k).enumerate() {
                    for j in 0..of_others.rows(features) {
                        let number = base.first + start + j;
                        if number != queries.first + first + i {
                            let limit = ranking.bar(list, number as u32).key;
                            let key = base.key_in_blocks((of_queries, i), (of_others, j), limit);
                            ranking.offer(list, key, number as u32);
                        }
                    }
                }
            }
            meter.advance(len as u64 * base.len() as u64);
        },
    );
}
