//! Exact search in many dimensions of which the data uses few: its main axes tell which pairs need
//! not be compared.
//!
//! As `blocked.rs`, but what is multiplied are coordinates along a few main axes, which bound
//! distances from below as well (see `coordinates.rs`) at a fraction of the cost. What that leaves
//! is bounded once more, pair by pair, along up to 128 axes, and what is left then is compared by
//! key.
//!
//! Beside the data it holds, for each row, r and y along all of these axes and along the few: up to
//! 1.3 kB while blocks are made, and half of that then.
//!
//! Rows near each other share a block. Blocks are compared with themselves first, and then with
//! those around them: after that nearly all neighbours are found, and the bounds leave little.

use rayon::prelude::*;

use super::arrangement::{arranged, nearest_blocks};
use super::block::{BLOCK, Block};
use super::blocked;
use super::bounds::Scratch;
use super::coordinates::{AXES, Coordinates};
use super::estimate::Estimate;
use super::frame::Frame;
use crate::element::Element;
use crate::neighbors::choice::Search;
use crate::neighbors::nearest::Nearest;
use crate::neighbors::nearest::{Lists, empty_lists, filled};
use crate::progress::Meter;
use crate::projection::Projection;
use crate::rows::Rows;

/// Fewer features have fewer main axes than bounds are tried along.
pub(crate) const MIN_FEATURES: usize = AXES[0];
/// Blocks around a block that are compared with it before all others.
const AROUND: usize = 4;
/// Rows that show whether there are main axes at all.
const SAMPLE: usize = 2048;

/// Main axes that `Auto` has searched along at one level, for the next: means of clusters have nearly
/// the same, and to find them takes longer than to search along them where rows are few. Axes that
/// do not help are forgotten, since those of means may. They take up to 1 kB a feature.
#[derive(Default)]
pub(crate) struct Axes(Option<Projection>);

impl Axes {
    pub(crate) fn are_known(&self) -> bool {
        self.0.is_some()
    }

    /// The axes, those of these rows unless some are known.
    fn of<A: Element>(&mut self, rows: &Rows<'_, A>, meter: &Meter) -> &Projection {
        let most = AXES[AXES.len() - 1].min(rows.features());
        self.0.get_or_insert_with(|| Projection::of(rows, most, || meter.stopped()))
    }
}

/// Main axes, and what a sample of the rows tells of a search along them before it begins.
pub(crate) struct Plan<'a> {
    projection: &'a Projection,
    /// None where the search is forced.
    expected: Option<Estimate>,
}

impl<'a> Plan<'a> {
    /// To search along main axes whatever it takes.
    pub(crate) fn forced<A: Element>(
        rows: &Rows<'_, A>,
        axes: &'a mut Axes,
        meter: &Meter,
    ) -> Self {
        Self { projection: axes.of(rows, meter), expected: None }
    }

    /// To search along main axes if that helps; looks at a sample, unless nobody waits any more.
    pub(crate) fn of<A: Element>(
        rows: &Rows<'_, A>,
        k: usize,
        axes: &'a mut Axes,
        meter: &Meter,
    ) -> Self {
        let projection = axes.of(rows, meter);
        let frame = Frame::around(projection.center().to_vec(), projection.largest());
        let step = rows.len().div_ceil(SAMPLE);
        let (_, expected) = estimate(rows, step, projection, &frame, k, meter);
        Self { projection, expected: Some(expected) }
    }

    /// Whether the sample tells that these axes do not help.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.expected.as_ref().is_some_and(|expected| !expected.pays())
    }

    /// Nanoseconds for a pair, on one core, by an exact search; none where this one is forced.
    pub(crate) fn pair(&self) -> Option<f64> {
        self.expected.as_ref().map(Estimate::least)
    }
}

/// One row out of every `step` along the main axes, and what that saves.
fn estimate<A: Element>(
    rows: &Rows<'_, A>,
    step: usize,
    projection: &Projection,
    frame: &Frame,
    k: usize,
    meter: &Meter,
) -> (Coordinates, Estimate) {
    let coordinates = Coordinates::of(rows, step, projection.axes(), frame, meter);
    let estimate = Estimate::of(rows, step, &coordinates, frame, k, meter);
    (coordinates, estimate)
}

/// Lists of the `k` nearest of each row, and the search that found them: this one, or
/// [`Search::Blocked`] where that takes less time and this one is not forced. Rows without a
/// direction have empty lists, and are in no other's.
pub(crate) fn search<A: Element>(
    rows: &Rows<'_, A>,
    k: usize,
    plan: &Plan<'_>,
    meter: &Meter,
) -> (Vec<Nearest>, Search) {
    let frame = Frame::of([rows, rows], meter);
    let all = || estimate(rows, 1, plan.projection, &frame, k, meter);
    let forced = plan.expected.is_none();
    let pays = |(_, estimate): &(_, Estimate)| forced || estimate.pays();
    // A sample tells noise before all rows are projected.
    let first = (!plan.is_hopeless()).then(all);
    let Some((coordinates, estimate)) = first.filter(pays) else {
        return (blocked::within(&frame, rows, k, meter), Search::Blocked);
    };
    let choice = estimate.choice();
    let blocks: Vec<Block> = arranged(&coordinates, meter)
        .par_chunks(BLOCK)
        .map(|rows| coordinates.block(rows, choice))
        .collect();
    drop(coordinates);

    let nearest: Vec<Lists> = blocks.iter().map(|block| empty_lists(block.len(), k)).collect();
    let compare = |scratch: &mut Scratch, pair: [usize; 2]| {
        let sides = pair.map(|block| (blocks[block].of(rows), &nearest[block]));
        scratch.compare(&frame, sides, meter);
    };
    let scratch = || Scratch::new(rows.features());
    let all = || (0..blocks.len()).into_par_iter();
    all().for_each_init(scratch, |scratch, a| compare(scratch, [a, a]));
    let around = nearest_blocks(&blocks, AROUND);
    let are_around = |a: usize, b: usize| around[a].contains(&b) || around[b].contains(&a);
    all().for_each_init(scratch, |scratch, a| {
        for &b in &around[a] {
            // Of two that are around each other, once.
            if a < b || !around[b].contains(&a) {
                compare(scratch, [a, b]);
            }
        }
    });
    all().for_each_init(scratch, |scratch, a| {
        (a + 1..blocks.len()).filter(|&b| !are_around(a, b)).for_each(|b| compare(scratch, [a, b]));
    });

    let mut found = vec![Nearest::NONE; rows.len() * k];
    for (block, nearest) in blocks.iter().zip(nearest) {
        for (&row, list) in block.rows.iter().zip(filled(nearest).chunks_exact(k)) {
            found[row as usize * k..][..k].copy_from_slice(list);
        }
    }
    (found, Search::Projected)
}
