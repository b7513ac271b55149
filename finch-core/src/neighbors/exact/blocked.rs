//! Exact search in many dimensions: blocks of a matrix product decide what need not be compared.
//!
//! ‖x−y‖² = ‖x‖² + ‖y‖² − 2x·y costs one f32 matrix product for a whole block of pairs, but it is
//! rounded. So the product only filters: a pair whose squared distance by the product, less all
//! that rounding can have added, is above the k-th smallest key so far is none of the k nearest;
//! the pairs that are left are compared by key, in f64.
//!
//! With u = 2⁻²⁴ the rounding is below (4d + 16)·u·(‖x‖² + ‖y‖²): for ½(‖x‖² + ‖y‖²) − x·y, summed
//! in any order, fused or not, d + 1 times u·(½‖x‖² + ½‖y‖² + Σ|xᵢyᵢ|) (Jeannerod & Rump 2013),
//! where 2|xᵢyᵢ| ≤ xᵢ² + yᵢ², and for the double of that, twice as much; a few u for rows and
//! squared lengths rounded to f32; and as much again for safety. The rounding is taken off the
//! squared lengths beforehand (`block.rs`), which makes every sum −½ of a lower bound, and the
//! filter one comparison. Each pair of blocks is multiplied once, and serves the rows of both.
//!
//! Rows are centred first, since the rounding grows with their length, and scaled by a power of
//! two, so that f32 neither overflows nor loses small numbers (`frame.rs`).

use std::ops::Range;

use rayon::prelude::*;

use super::block::{Block, parts};
use super::comparison::Comparer;
use super::frame::Frame;
use super::tuning::{BLOCK, LOADED, SLAB, SLAB_BYTES};
use crate::element::Element;
use crate::memory::{collected, collected_in_parallel, gathered, room};
use crate::neighbors::nearest::{LockedLists, Nearest, empty_lists, unlocked};
use crate::progress::Meter;
use crate::rows::Rows;

/// Lists of the `k` nearest of each row. Rows without a direction have empty lists, and are in no
/// other row's list.
pub(crate) fn search<A: Element>(rows: &Rows<'_, A>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let frame = &Frame::of([rows, rows], meter);
    let blocks = parts(0..rows.len(), BLOCK).into_iter();
    let nearest: Vec<LockedLists> = collected(blocks.map(|block| empty_lists(block.len(), k)));
    for slab in parts(0..rows.len(), slab_rows(rows)) {
        let later = packed(rows, slab.clone(), frame, meter);
        let compare = |comparer: &mut Comparer, sides: [&Block; 2]| {
            let lists = |block: &Block| &nearest[block.rows[0] as usize / BLOCK];
            comparer.compare(frame, sides.map(|block| (block.of(rows), lists(block))), meter);
        };
        let comparer = || Comparer::new(rows.features());
        // Each block with itself first, which fills the lists of its rows.
        let blocks = later.par_iter();
        blocks.for_each_init(comparer, |comparer, block| compare(comparer, [block, block]));
        parts(0..slab.end, BLOCK).into_par_iter().for_each_init(comparer, |comparer, block| {
            // Before the block is written, too: after a stop all blocks come by here.
            if meter.stopped() {
                return;
            }
            let former = Block::of_features(rows, block, frame);
            for later in later.iter().filter(|later| later.rows[0] > former.rows[0]) {
                compare(comparer, [&former, later]);
            }
        });
    }
    let mut found = room(rows.len() * k);
    nearest.into_iter().for_each(|nearest| found.extend(unlocked(nearest)));
    found
}

/// Offers every row of `base` to every row of `queries`, whose lists have one length; but for rows
/// without a direction, on either side.
pub(crate) fn update<'a, A: Element>(
    queries: &Rows<'a, A>,
    base: &Rows<'a, A>,
    nearest: &mut [Nearest],
    meter: &Meter,
) {
    let frame = Frame::of([queries, base], meter);
    // Few queries are cut into smaller blocks, so that every thread has some to compare.
    let size = queries.len().div_ceil(4 * rayon::current_num_threads()).clamp(LOADED, BLOCK);
    let k = nearest.len() / queries.len();
    for slab in parts(0..base.len(), slab_rows(base)) {
        let base_blocks = packed(base, slab, &frame, meter);
        nearest.par_chunks_mut(size * k).enumerate().for_each_init(
            || Comparer::new(base.features()),
            |comparer, (block, nearest)| {
                if meter.stopped() {
                    return;
                }
                let first = block * size;
                let range = first..first + nearest.len() / k;
                let query_block = Block::of_features(queries, range, &frame);
                for base_block in &base_blocks {
                    if meter.stopped() {
                        return;
                    }
                    let sides = [query_block.of(queries), base_block.of(base)];
                    comparer.update(&frame, sides, nearest);
                    meter.advance(query_block.len() as u64 * base_block.len() as u64);
                }
            },
        );
    }
}

/// Rows of a slab.
fn slab_rows<A: Element>(rows: &Rows<'_, A>) -> usize {
    let fitting = SLAB_BYTES / (rows.features() * size_of::<f32>()) / BLOCK * BLOCK;
    fitting.clamp(BLOCK, SLAB)
}

/// Blocks of some rows, or none if the run has been stopped.
fn packed<A: Element>(
    rows: &Rows<'_, A>,
    range: Range<usize>,
    frame: &Frame,
    meter: &Meter,
) -> Vec<Block> {
    let pack = |block| (!meter.stopped()).then(|| Block::of_features(rows, block, frame));
    let blocks: Vec<_> = collected_in_parallel(parts(range, BLOCK).into_par_iter().map(pack));
    gathered(blocks.into_iter().flatten())
}
