//! New rows beside rows whose nearest are known: only pairs with a new row are compared.
//!
//! A pair of a known and a new row is multiplied once and serves both rows, as in the searches of all
//! pairs. The limits of known rows are tight from the start, so
//! that few pairs pass for them.

use rayon::prelude::*;

use super::blocked;
use super::blocked::block::{Block, parts};
use super::blocked::comparison::Comparer;
use super::blocked::frame::Frame;
use super::blocked::groups::need_groups;
use super::projected::AlongAxes;
use super::projected::coordinates::Coordinates;
use super::tuning::{BLOCK, LOADED};
use crate::neighbors::lists::{KNearest, LockedLists, Nearest, unlocked};
use crate::run::progress::Meter;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, collected_in_parallel, reserve, room};
use crate::support::parallel::SharedSplitting as _;

/// Rows whose nearest among each other are known, and all other rows, both ascending.
pub(crate) struct Parted {
    pub(crate) known: Vec<u32>,
    pub(crate) new: Vec<u32>,
}

impl Parted {
    /// True if all known rows come before all new ones.
    fn known_come_first(&self) -> bool {
        self.known.last().is_none_or(|&last| last as usize + 1 == self.known.len())
    }

    /// With how many others a row is compared, on average: each pair with a new row once.
    pub(crate) fn others(&self) -> usize {
        let [known, new] = [self.known.len(), self.new.len()];
        new * (known + new / 2) / (known + new)
    }
}

/// Offers every new row to all rows, and all rows to it; but for rows without a direction. `nearest` has
/// the lists of all rows, one after the other; those of the known rows hold their nearest among the known
/// rows.
pub(crate) fn search(
    rows: &Rows<'_>,
    parted: &Parted,
    nearest: &mut [Nearest],
    along: Option<&AlongAxes>,
    meter: &Meter,
) {
    let known = parted.known.len();
    if parted.new.is_empty() {
        return;
    }
    let frame = || Frame::of(rows, meter);
    if let Some(along) = along {
        let (frame, few) = (frame(), along.for_few(parted.others()));
        let coordinates = Coordinates::of(rows, 1, few.axes, &frame, meter);
        let pack = |rows: &[u32]| coordinates.block(rows, few.rung);
        compare(rows, parted, nearest, &frame, pack, meter);
    } else if parted.known_come_first() && need_groups(rows, meter) {
        let k = nearest.len() / rows.len();
        let part = |from: usize, to: usize| Rows {
            first: from,
            ..Rows::new(rows.samples.reborrow().part(from..to), rows.metric)
        };
        let [old, new] = [part(0, known), part(known, rows.len())];
        let (of_old, of_new) = nearest.split_at_mut(known * k);
        blocked::update(KNearest, &old, &new, of_old, meter);
        blocked::update(KNearest, &new, &old, of_new, meter);
        blocked::update(KNearest, &new, &new, of_new, meter);
    } else {
        let frame = frame();
        let pack = |members: &[u32]| Block::of_features(rows, members, &frame, meter);
        compare(rows, parted, nearest, &frame, pack, meter);
    }
}

/// Compares the blocks of new rows with themselves, with each other and with the blocks of known rows.
fn compare(
    rows: &Rows<'_>,
    Parted { known, new }: &Parted,
    nearest: &mut [Nearest],
    frame: &Frame,
    pack: impl Fn(&[u32]) -> Block + Sync,
    meter: &Meter,
) {
    let k = nearest.len() / rows.len();
    // Few new rows are cut into smaller blocks, so that every thread has some to compare.
    let few = new.len().div_ceil(4 * rayon::current_num_threads()).clamp(LOADED, BLOCK);
    let mut blocks: Vec<&[u32]> = collected(known.chunks(BLOCK));
    let first_new = blocks.len();
    reserve(&mut blocks, new.len().div_ceil(few));
    blocks.extend(new.chunks(few));
    let lists: Vec<LockedLists> = collected(blocks.iter().map(|block| {
        let mut lists = room(block.len() * k);
        lists.extend(block.iter().flat_map(|&row| &nearest[row as usize * k..][..k]));
        LockedLists::new(lists)
    }));
    let packed = |block: usize| pack(blocks[block]);
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
        let of_slab = slab.clone().into_par_iter().zip(&later).with_max_len(1);
        of_slab.shared().for_each_init(comparer, |comparer, block| pair(comparer, [block, block]));
        (0..slab.end).into_par_iter().with_max_len(1).shared().for_each_init(
            comparer,
            |comparer, number| {
                if meter.stopped() {
                    return;
                }
                let former = packed(number);
                for other in slab.clone().zip(&later).filter(|(other, _)| *other > number) {
                    pair(comparer, [(number, &former), other]);
                }
            },
        );
    }
    for (block, lists) in blocks.iter().zip(lists) {
        for (&row, list) in block.iter().zip(unlocked(lists).chunks_exact(k)) {
            nearest[row as usize * k..][..k].copy_from_slice(list);
        }
    }
}
