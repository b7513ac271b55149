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
//! Manhattan distances take the same loops, with larger values in place of products:
//! −½Σ|xᵢ−yᵢ| = ½Σxᵢ + ½Σyᵢ − Σmax(xᵢ, yᵢ). Here the rounding is below (1.5d + 3)·u·Σ(|xᵢ| + |yᵢ|), as
//! long as (4d + 16)·u < 1: d + 1 times u·(½Σ|xᵢ| + ½Σ|yᵢ| + Σ|max(xᵢ, yᵢ)|), where
//! |max(xᵢ, yᵢ)| ≤ |xᵢ| + |yᵢ|, and u·Σ(|xᵢ| + |yᵢ|) for values and ends rounded to f32. The ends are
//! raised by (2d + 8)·u·Σ|xᵢ|, which covers the rounding of the raised ends, too. Where the rows of a sample
//! lose little when they are rounded to bytes, differences of bytes take their place, in a third of the time
//! (`bytes.rs`).
//!
//! Rows are centred first, since the rounding grows with their length, and scaled by a power of
//! two, so that f32 neither overflows nor loses small numbers (`frame.rs`). Where many rows are much
//! nearer to each other than to the centre, there are several centres (`groups.rs`).

pub(crate) mod block;
mod bytes;
pub(crate) mod comparison;
pub(crate) mod frame;
pub(crate) mod groups;
mod pivots;
mod within;

use rayon::prelude::*;

use block::{Block, parts};
use comparison::Comparer;
use frame::Frame;
use groups::{Group, Groups};

use super::tuning::{BLOCK, LOADED, SLAB, SLAB_BYTES};
use crate::neighbors::lists::{LockedLists, Nearest, Ranking, empty_lists, locked, unlocked};
use crate::run::progress::Meter;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, collected_in_parallel, filled, gathered, room};
use crate::support::parallel::SharedSplitting as _;

/// Lists of the `k` nearest of each row. Rows without a direction have empty lists, and are in no
/// other row's list.
pub(crate) fn search(rows: &Rows<'_>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let groups = Groups::of([rows], [BLOCK], meter);
    let blocks = groups.blocks(0);
    let nearest: Vec<LockedLists> =
        collected(blocks.iter().map(|block| empty_lists(block.len(), k)));
    for group in groups.inner_first() {
        compare_within(group, rows, blocks, &nearest, meter);
    }
    let mut found = filled(Nearest::NONE, rows.len() * k);
    give_back(blocks, nearest, &mut found);
    found
}

/// Compares the blocks of a group with each other, but for blocks of one part, which have been compared
/// within the part.
fn compare_within(
    group: &Group<1>,
    rows: &Rows<'_>,
    blocks: &[Vec<u32>],
    nearest: &[LockedLists],
    meter: &Meter,
) {
    let frame = &group.frame;
    let comparer = || Comparer::new(rows.features());
    for slab in parts(group.blocks(0), slab_blocks(rows)) {
        let later = packed(rows, &blocks[slab.clone()], frame, meter);
        if meter.stopped() {
            return;
        }
        let compare = |comparer: &mut Comparer, sides: [(usize, &Block); 2]| {
            let sides = sides.map(|(number, block)| (block.of(rows), &nearest[number]));
            comparer.compare(frame, sides, meter);
        };
        // Each block with itself first, which fills the lists of its rows.
        if !group.has_parts() {
            let blocks = slab.clone().into_par_iter().zip(&later).with_max_len(1);
            blocks
                .shared()
                .for_each_init(comparer, |comparer, block| compare(comparer, [block, block]));
        }
        let former = group.blocks(0).start..slab.end;
        former.into_par_iter().with_max_len(1).shared().for_each_init(
            comparer,
            |comparer, number| {
                // Before the block is written, too: after a stop all blocks come by here.
                if meter.stopped() {
                    return;
                }
                let former = Block::of_features(rows, &blocks[number], frame, meter);
                let later = slab.clone().zip(&later).filter(|(other, _)| *other > number);
                for other in later.filter(|(other, _)| group.compares([(0, number), (0, *other)])) {
                    compare(comparer, [(number, &former), other]);
                }
            },
        );
    }
}

/// Writes the lists of the rows of each block to the places of these rows in the lists of all rows.
fn give_back(blocks: &[Vec<u32>], lists: Vec<LockedLists>, nearest: &mut [Nearest]) {
    for (block, lists) in blocks.iter().zip(lists) {
        let lists = unlocked(lists);
        let k = lists.len() / block.len();
        for (&row, list) in block.iter().zip(lists.chunks_exact(k)) {
            nearest[row as usize * k..][..k].copy_from_slice(list);
        }
    }
}

/// Offers every row of `base` to every row of `queries`, whose lists have one length; but for rows
/// without a direction, on either side.
pub(crate) fn update<'a>(
    ranking: impl Ranking,
    queries: &Rows<'a>,
    base: &Rows<'a>,
    nearest: &mut [Nearest],
    meter: &Meter,
) {
    // Few queries are cut into smaller blocks, so that every thread has some to compare.
    let size = queries.len().div_ceil(4 * rayon::current_num_threads()).clamp(LOADED, BLOCK);
    let groups = Groups::of_labelled([base, queries], [BLOCK, size], ranking.labels(), meter);
    let [base_blocks, query_blocks] = [0, 1].map(|side| groups.blocks(side));
    let k = nearest.len() / queries.len();
    let lists: Vec<LockedLists> = collected(query_blocks.iter().map(|block| {
        let mut lists = room(block.len() * k);
        lists.extend(block.iter().flat_map(|&row| &nearest[row as usize * k..][..k]));
        LockedLists::new(lists)
    }));
    for group in groups.inner_first() {
        let frame = &group.frame;
        for slab in parts(group.blocks(0), slab_blocks(base)) {
            let others = packed(base, &base_blocks[slab.clone()], frame, meter);
            group.blocks(1).into_par_iter().with_max_len(1).shared().for_each_init(
                || Comparer::new(base.features()),
                |comparer, number| {
                    if meter.stopped() {
                        return;
                    }
                    let query_block =
                        Block::of_features(queries, &query_blocks[number], frame, meter);
                    let mut lists = locked(&lists[number]);
                    for (other, block) in slab.clone().zip(&others) {
                        if meter.stopped() {
                            return;
                        }
                        if group.compares([(1, number), (0, other)]) {
                            let sides = [query_block.of(queries), block.of(base)];
                            comparer.update(ranking, frame, sides, &mut lists, meter);
                            meter.advance(query_block.len() as u64 * block.len() as u64);
                        }
                    }
                },
            );
        }
    }
    give_back(query_blocks, lists, nearest);
}

/// Blocks of a slab.
pub(super) fn slab_blocks(rows: &Rows<'_>) -> usize {
    let fitting = SLAB_BYTES / (rows.features() * size_of::<f32>()) / BLOCK;
    fitting.clamp(1, SLAB / BLOCK)
}

/// Blocks of some rows, or none if the run has been stopped.
fn packed(rows: &Rows<'_>, blocks: &[Vec<u32>], frame: &Frame, meter: &Meter) -> Vec<Block> {
    let pack = |members: &Vec<u32>| {
        (!meter.stopped()).then(|| Block::of_features(rows, members, frame, meter))
    };
    let blocks: Vec<_> = collected_in_parallel(blocks.par_iter().map(pack));
    gathered(blocks.into_iter().flatten())
}
