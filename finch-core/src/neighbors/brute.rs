//! Every pair, one by one: slow, plain, and what every other search must agree with.

use rayon::prelude::*;

use super::Nearest;
use crate::element::Element;
use crate::progress::Meter;
use crate::rows::Rows;

/// Rows loaded at a time: two blocks of 784 features stay in a core's second cache.
const BLOCK: usize = 32;

pub(super) fn search<A: Element>(rows: &Rows<'_, A>, meter: &Meter) -> Vec<Nearest> {
    let features = rows.features();
    let mut nearest = vec![Nearest::NONE; rows.len()];
    nearest.par_chunks_mut(BLOCK).enumerate().for_each_init(
        || (Vec::new(), Vec::new()),
        |(queries, others), (block, nearest)| {
            let first = block * BLOCK;
            rows.load_block(first..first + nearest.len(), queries);
            for start in (0..rows.len()).step_by(BLOCK) {
                if meter.stopped() {
                    return;
                }
                rows.load_block(start..rows.len().min(start + BLOCK), others);
                for (i, query) in queries.chunks_exact(features).enumerate() {
                    for (j, other) in others.chunks_exact(features).enumerate() {
                        if first + i != start + j {
                            let key = rows.metric.key(query, other);
                            nearest[i].offer(key, (start + j) as u32);
                        }
                    }
                }
            }
            meter.advance(nearest.len() as u64 * rows.len() as u64);
        },
    );
    nearest
}
