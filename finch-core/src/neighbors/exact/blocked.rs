//! Exact search in many dimensions: blocks of a matrix product decide what need not be compared.
//!
//! ‖x−y‖² = ‖x‖² + ‖y‖² − 2x·y costs one f32 matrix product for a whole block of pairs, but it is
//! rounded. So it only filters: a pair whose product, less all that rounding can add, is above the
//! k-th smallest key so far is none of the k nearest; what is left is compared by key, in f64. With
//! u = 2⁻²⁴ the rounding is below (4d + 16)·u·(‖x‖² + ‖y‖²): for ½(‖x‖² + ‖y‖²) − x·y, summed in
//! any order, fused or not, d + 1 times u·(½‖x‖² + ½‖y‖² + Σ|xᵢyᵢ|) (Jeannerod & Rump 2013), where
//! 2|xᵢyᵢ| ≤ xᵢ² + yᵢ², and for its double, twice that; a few u for rows and norms rounded to f32;
//! and as much again for safety. It is taken off the norms beforehand, which makes every sum −½ of
//! a lower bound and the filter one comparison. Each block of pairs is multiplied once, and serves
//! the rows of both sides.
//!
//! Rows are centred first, since the bound grows with their length, and scaled by a power of two,
//! so that f32 neither overflows nor loses small numbers.

use std::ops::Range;

use rayon::prelude::*;

use super::block::{BLOCK, Block, lowered};
use super::bounds::Scratch;
use super::frame::{Frame, LOADED};
use crate::element::Element;
use crate::neighbors::kernel::Panels;
use crate::neighbors::nearest::Nearest;
use crate::neighbors::nearest::{Lists, empty_lists, filled};
use crate::progress::Meter;
use crate::rows::Rows;

/// Rows held in f32 at a time: so many blocks that writing the others anew for each slab is
/// nothing, unless the rows are so wide that they take more memory than this.
const SLAB: usize = 32 * BLOCK;
const SLAB_BYTES: usize = 64 << 20;

/// Lists of the `k` nearest of each row. Those without a direction have empty ones, and are in no
/// other's.
pub(crate) fn search<A: Element>(rows: &Rows<'_, A>, k: usize, meter: &Meter) -> Vec<Nearest> {
    within(&Frame::of([rows, rows], meter), rows, k, meter)
}

/// The same, where the frame is known.
pub(super) fn within<A: Element>(
    frame: &Frame,
    rows: &Rows<'_, A>,
    k: usize,
    meter: &Meter,
) -> Vec<Nearest> {
    let nearest: Vec<Lists> =
        blocks(0..rows.len(), BLOCK).into_iter().map(|block| empty_lists(block.len(), k)).collect();
    for slab in blocks(0..rows.len(), slab_rows(rows)) {
        let later = frame.pack_blocks(rows, slab.clone(), meter);
        let compare = |scratch: &mut Scratch, sides: [&Block; 2]| {
            let lists = |block: &Block| &nearest[block.rows[0] as usize / BLOCK];
            scratch.compare(frame, sides.map(|block| (block.of(rows), lists(block))), meter);
        };
        let scratch = || Scratch::new(rows.features());
        // Each with itself first, which fills its lists.
        later.par_iter().for_each_init(scratch, |scratch, block| compare(scratch, [block, block]));
        blocks(0..slab.end, BLOCK).into_par_iter().for_each_init(scratch, |scratch, block| {
            // Before anything is packed, too: after a stop all blocks pass by here.
            if meter.stopped() {
                return;
            }
            let former = frame.pack(rows, block);
            for later in later.iter().filter(|later| later.rows[0] > former.rows[0]) {
                compare(scratch, [&former, later]);
            }
        });
    }
    nearest.into_iter().flat_map(filled).collect()
}

/// Offers every row of `base` to every row of `queries`, which have lists of one length, but for
/// those without a direction.
pub(crate) fn update<'a, A: Element>(
    queries: &Rows<'a, A>,
    base: &Rows<'a, A>,
    nearest: &mut [Nearest],
    meter: &Meter,
) {
    let frame = Frame::of([queries, base], meter);
    // Few queries are cut into smaller blocks, so that every thread has some.
    let size = queries.len().div_ceil(4 * rayon::current_num_threads()).clamp(LOADED, BLOCK);
    let k = nearest.len() / queries.len();
    for slab in blocks(0..base.len(), slab_rows(base)) {
        let base_blocks = frame.pack_blocks(base, slab, meter);
        nearest.par_chunks_mut(size * k).enumerate().for_each_init(
            || Scratch::new(base.features()),
            |scratch, (block, nearest)| {
                if meter.stopped() {
                    return;
                }
                let first = block * size;
                let query_block = frame.pack(queries, first..first + nearest.len() / k);
                for base_block in &base_blocks {
                    if meter.stopped() {
                        return;
                    }
                    let sides = [query_block.of(queries), base_block.of(base)];
                    scratch.update(&frame, sides, nearest);
                    meter.advance(query_block.len() as u64 * base_block.len() as u64);
                }
            },
        );
    }
}

/// How many rows are held in f32 at a time.
fn slab_rows<A: Element>(rows: &Rows<'_, A>) -> usize {
    let fitting = SLAB_BYTES / (rows.features() * size_of::<f32>()) / BLOCK * BLOCK;
    fitting.clamp(BLOCK, SLAB)
}

fn blocks(range: Range<usize>, size: usize) -> Vec<Range<usize>> {
    let end = range.end;
    range.step_by(size).map(|start| start..end.min(start + size)).collect()
}

impl Frame {
    /// Writes a block of rows.
    fn pack<A: Element>(&self, rows: &Rows<'_, A>, block: Range<usize>) -> Block {
        let width = rows.features();
        let mut panels = Panels::new(block.len(), width);
        let (mut values, mut packed) = (Vec::new(), vec![0.0; width]);
        for part in blocks(block.clone(), LOADED) {
            rows.load_block(part.clone(), &mut values);
            for (row, values) in part.zip(values.chunks_exact_mut(width)) {
                let half = lowered(self.place(values), width, 0.0);
                for (packed, &value) in packed.iter_mut().zip(&*values) {
                    *packed = if value.is_nan() { 0.0 } else { value as f32 };
                }
                panels.set(row - block.start, &packed, half);
            }
        }
        Block { rows: block.map(|row| row as u32).collect(), panels, fine: None }
    }

    /// Writes several blocks of rows, or none if nobody waits for them any more.
    fn pack_blocks<A: Element>(
        &self,
        rows: &Rows<'_, A>,
        range: Range<usize>,
        meter: &Meter,
    ) -> Vec<Block> {
        let blocks = blocks(range, BLOCK).into_par_iter();
        blocks.filter(|_| !meter.stopped()).map(|block| self.pack(rows, block)).collect()
    }
}
