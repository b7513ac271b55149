//! The test for steps that are too coarse for sketches.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::cells::drawn;
use super::group::Group;
use super::sketches::Sketches;
use super::tuning::{CROWD_ASKED, CROWD_AT_ONCE, CROWD_SHARE, CROWD_STEPS, MAY_BE_CROWDED, SPARE};
use crate::memory::collected;
use crate::neighbors::kernel::Candidate;
use crate::progress::Meter;
use crate::rows::scrambled;

/// True if some rows have more others within a few steps of their sketch than are compared by key, so
/// that steps are too coarse to tell which of these are nearest: in data with nearly equal rows, but
/// spread far. Equal rows do not count, since any of them will do.
pub(super) fn are_crowded(sketches: &Sketches, seed: u64, meter: &Meter) -> bool {
    let asked = drawn(sketches.len(), CROWD_ASKED, seed);
    let others = (sketches.len() / CROWD_SHARE).max(sketches.len().min(CROWD_SHARE * CROWD_ASKED));
    let others = drawn(sketches.len(), others, scrambled(seed));
    let counts: Vec<AtomicUsize> = collected(asked.iter().map(|_| AtomicUsize::new(0)));
    let count = |(group, found): &mut (Group, Vec<Candidate>), others: &[u32]| {
        if meter.stopped() {
            return;
        }
        group.gather(sketches, others, &asked);
        group.compare(sketches, others, |_, to_asked| {
            to_asked.find_within(CROWD_STEPS * CROWD_STEPS, &[], found);
            for near in found.iter().filter(|near| near.distance() > 0.0) {
                counts[near.number() as usize].fetch_add(1, Relaxed);
            }
        });
    };
    others.par_chunks(CROWD_AT_ONCE).with_max_len(1).for_each_init(Default::default, count);
    let most = SPARE * others.len() / sketches.len().max(1);
    let crowded = counts.into_iter().filter(|count| count.load(Relaxed) > most).count();
    crowded * MAY_BE_CROWDED > asked.len()
}
