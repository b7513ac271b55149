//! New rows beside rows whose nearest are known: only pairs with a new row are compared.
//!
//! The rows that are known come first. A pair of a known and a new row is multiplied once and serves
//! both rows, as in the searches of all pairs. The limits of known rows are tight from the start, so
//! that few pairs pass for them.

use ndarray::s;
use rayon::prelude::*;

use super::block::{Block, parts};
use super::blocked;
use super::comparison::Comparer;
use super::coordinates::Coordinates;
use super::frame::Frame;
use super::groups::need_groups;
use super::projected::Plan;
use super::tuning::{BLOCK, LOADED};
use crate::element::Element;
use crate::memory::{collected, collected_in_parallel};
use crate::neighbors::nearest::{LockedLists, Nearest, unlocked};
use crate::neighbors::ranking::KNearest;
use crate::progress::Meter;
use crate::rows::Rows;
use crate::samples::Samples;

/// Offers every row from number `known` on to all rows, and all rows to it; but for rows without a
/// direction. `nearest` has the lists of all rows, one after the other; those of the known rows hold
/// their nearest among the known rows.
pub(crate) fn search<A: Element>(
    rows: &Rows<'_, A>,
    known: usize,
    nearest: &mut [Nearest],
    plan: Option<&Plan<'_>>,
    meter: &Meter,
) {
    if known == rows.len() {
        return;
    }
    let frame = || Frame::of(rows, meter);
    if let Some(plan) = plan {
        let (frame, rung) = (frame(), plan.rung());
        let coordinates = Coordinates::of(rows, 1, plan.axes(), &frame, meter);
        compare(rows, known, nearest, &frame, |rows| coordinates.block(rows, rung), meter);
    } else if need_groups(rows, meter) {
        let k = nearest.len() / rows.len();
        let matrix = rows.samples.matrix();
        let part = |from: usize, to: usize| Rows {
            first: from,
            ..Rows::new(Samples::checked(matrix.slice_move(s![from..to, ..])), rows.metric)
        };
        let [old, new] = [part(0, known), part(known, rows.len())];
        let (of_old, of_new) = nearest.split_at_mut(known * k);
        blocked::update(KNearest, &old, &new, of_old, meter);
        blocked::update(KNearest, &new, &old, of_new, meter);
        blocked::update(KNearest, &new, &new, of_new, meter);
    } else {
        let frame = frame();
        let pack = |members: &[u32]| Block::of_features(rows, members, &frame, meter);
        compare(rows, known, nearest, &frame, pack, meter);
    }
}

/// Compares the blocks of new rows with themselves, with each other and with the blocks of known rows.
fn compare<A: Element>(
    rows: &Rows<'_, A>,
    known: usize,
    nearest: &mut [Nearest],
    frame: &Frame,
    pack: impl Fn(&[u32]) -> Block + Sync,
    meter: &Meter,
) {
    let k = nearest.len() / rows.len();
    // Few new rows are cut into smaller blocks, so that every thread has some to compare.
    let few = (rows.len() - known).div_ceil(4 * rayon::current_num_threads());
    let mut blocks = parts(0..known, BLOCK);
    let first_new = blocks.len();
    blocks.extend(parts(known..rows.len(), few.clamp(LOADED, BLOCK)));
    let lists: Vec<LockedLists> = collected(
        blocks.iter().map(|block| LockedLists::new(nearest[block.start * k..block.end * k].into())),
    );
    let packed = |block: usize| {
        let members: Vec<u32> = collected(blocks[block].clone().map(|row| row as u32));
        pack(&members)
    };
    let comparer = || Comparer::new(rows.features());
    let pair = |comparer: &mut Comparer, sides: [(usize, &Block); 2]| {
        let sides = sides.map(|(number, block)| (block.of(rows), &lists[number]));
        comparer.compare(frame, sides, meter);
    };
    for slab in parts(first_new..blocks.len(), blocked::slab_blocks(rows)) {
        if meter.stopped() {
            return;
        }
        let later: Vec<Block> = collected_in_parallel(slab.clone().into_par_iter().map(packed));
        // Each block with itself first, which fills the lists of its rows.
        let of_slab = slab.clone().into_par_iter().zip(&later);
        of_slab.for_each_init(comparer, |comparer, block| pair(comparer, [block, block]));
        (0..slab.end).into_par_iter().for_each_init(comparer, |comparer, number| {
            if meter.stopped() {
                return;
            }
            let former = packed(number);
            for other in slab.clone().zip(&later).filter(|(other, _)| *other > number) {
                pair(comparer, [(number, &former), other]);
            }
        });
    }
    for (block, list) in blocks.iter().zip(lists) {
        nearest[block.start * k..block.end * k].copy_from_slice(&unlocked(list));
    }
}
