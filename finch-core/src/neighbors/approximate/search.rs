//! Passes of a search, one after the other, until enough neighbours have been found.

use super::cells::{Coarse, drawn};
use super::crowding::are_crowded;
use super::effort::{cells_at_first, cells_to_reach};
use super::passes::Passes;
use super::sketches::Sketches;
use super::truth::{Pivots, share};
use super::tuning::{JOINED, MEASURED, PASSES, STEERING};
use crate::element::Element;
use crate::memory::{collected, gathered};
use crate::neighbors::nearest::Nearest;
use crate::neighbors::recall::Recall;
use crate::progress::Meter;
use crate::rows::{Rows, scrambled};

/// What an approximate search aims at, and where its random numbers begin.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    /// The share of true neighbours that is enough.
    pub(crate) recall: f64,
    /// What random numbers begin with.
    pub(crate) seed: u64,
}

/// Lists of `k` near rows of each row, and how many of these are the nearest. `None` if fewer than
/// was aimed at are and another pass is not worth its time, unless the search is `forced`. Rows
/// without a direction have empty lists, and are in no other row's list.
pub(crate) fn search<A: Element>(
    rows: &Rows<'_, A>,
    k: usize,
    aim: Aim,
    forced: bool,
    meter: &Meter,
) -> Option<(Vec<Nearest>, Option<Recall>)> {
    let mut sketches = Sketches::in_steps(rows, meter);
    if are_crowded(&sketches, aim.seed, meter) {
        sketches = Sketches::in_real_numbers(rows, meter);
    }
    let coarse = Coarse::of(&mut sketches, aim.seed, meter);
    let mut passes = Passes::new(rows, k, &sketches, meter);
    let random = drawn(sketches.len(), STEERING + MEASURED, aim.seed);
    let [steering, measured]: [Vec<u32>; 2] =
        [0, 1].map(|first| collected(random.iter().copied().skip(first).step_by(2)));

    let mut truth = None;
    let first = cells_at_first(sketches.len(), aim.recall);
    let (mut missing, mut next, mut reached) = (1.0, Some(first), false);
    for pass in 0..PASSES {
        let Some(reach) = next else { break };
        let seed = scrambled(aim.seed ^ scrambled(pass as u64));
        let cells = coarse.cut(&sketches, [JOINED.min(reach), reach], seed, meter);
        // The first pass is taken for half of all work, the second for a quarter, ...
        passes.run(&cells, &steering, 0.5_f64.powi(pass as i32 + 1));
        // By the cells of the first pass; which cells makes no difference to what is exact.
        let (_, of_steering, _) = truth.get_or_insert_with(|| {
            let pivots = Pivots::of(&sketches, &cells);
            let asked: Vec<u32> = gathered(steering.iter().chain(&measured).copied());
            let mut of_steering = passes.truth(&pivots, &asked);
            let of_measured = of_steering.split_off(steering.len() * k);
            (pivots, of_steering, of_measured)
        });
        let missed = 1.0 - share(&passes.found(&steering), of_steering, k);
        reached = missed <= 1.0 - aim.recall || meter.stopped();
        if reached {
            break;
        }
        next = cells_to_reach(reach, missed / missing, (1.0 - aim.recall) / missed);
        missing = missed;
    }
    if !reached && !forced {
        return None;
    }
    let (pivots, _, of_measured) = truth.expect("there was a pass");
    let share = share(&passes.found(&measured), &of_measured, k);
    Some((passes.into_lists(&pivots), Recall::of(share, measured.len())))
}
