//! Exact search in many features of which the data uses few dimensions: its principal axes tell which
//! pairs need not be compared.
//!
//! As in `neighbors/exact/blocked/`, a matrix product filters pairs; but of coordinates along a few principal axes,
//! which bound distances from below as well (`coordinates.rs`), at a fraction of the cost of all
//! features. A pair that the product leaves is bounded once more, along up to 128 axes, and a pair
//! that this bound leaves is compared by key.
//!
//! Rows near each other share a block. Each block is compared with itself first, and then with the
//! blocks around it: after that nearly all neighbours are found, and bounds leave few pairs.
//!
//! Beside the data the search holds, for each row, r and y along all of these axes, and along the
//! few: up to 1.3 kB while blocks are made, and half of that afterwards.

mod arrangement;
pub(crate) mod coordinates;
pub(crate) mod estimate;

use std::sync::Arc;

use ndarray::{ArrayView2, s};
use rayon::prelude::*;

use arrangement::{arranged, nearest_blocks};
use coordinates::Coordinates;
use estimate::Estimate;

use super::blocked::block::Block;
use super::blocked::comparison::Comparer;
use super::blocked::frame::Frame;
use super::tuning::{AROUND, BLOCK, LADDER, SAMPLE};
use crate::neighbors::lists::{LockedLists, Nearest, empty_lists, unlocked};
use crate::run::progress::Meter;
use crate::samples::principal_axes::Projection;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, collected_in_parallel, copied, filled};
use crate::support::parallel::SharedSplitting as _;

/// The fewest features that are searched along principal axes: fewer features have fewer axes than the
/// shortest bound has.
pub(crate) const MIN_FEATURES: usize = LADDER[0];

/// The principal axes that `Auto` has found at one level, kept for the next: means of clusters
/// have nearly the same axes, and to find axes takes longer than to search along them where rows
/// are few. Axes that do not help are forgotten, since those of means may help. Axes take up to 1
/// kB a feature.
#[derive(Default)]
pub(crate) struct Axes(Option<Arc<Projection>>);

impl Axes {
    /// True if axes have been kept.
    pub(crate) fn are_known(&self) -> bool {
        self.0.is_some()
    }

    /// Forgets the axes.
    pub(crate) fn forget(&mut self) {
        self.0 = None;
    }

    /// The axes that are known, or else those of these rows.
    pub(crate) fn of(&mut self, rows: &Rows<'_>, meter: &Meter) -> Arc<Projection> {
        let most = LADDER[LADDER.len() - 1].min(rows.features());
        let found = || Arc::new(Projection::of(rows, most, || meter.stopped()));
        Arc::clone(self.0.get_or_insert_with(found))
    }
}

/// Principal axes, and how long a search along them takes as a sample of the rows tells it.
pub(crate) struct AlongAxes {
    projection: Arc<Projection>,
    /// None if the search is forced, and runs however long it takes.
    expected: Option<Estimate>,
}

impl AlongAxes {
    /// A forced search.
    pub(crate) fn forced(rows: &Rows<'_>, meter: &Meter) -> Self {
        Self { projection: Axes::default().of(rows, meter), expected: None }
    }

    /// A search if principal axes help: looks at a sample.
    pub(crate) fn of(rows: &Rows<'_>, k: usize, axes: &mut Axes, meter: &Meter) -> Self {
        let projection = axes.of(rows, meter);
        let frame = Frame::around(rows.metric, copied(projection.center()), projection.largest());
        let step = rows.len().div_ceil(SAMPLE);
        let (_, expected) = estimate(rows, step, &projection, &frame, k, meter);
        Self { projection, expected: Some(expected) }
    }

    /// The axes that serve to compare each row with `others` alone, instead of with all rows.
    pub(super) fn for_few(&self, others: usize) -> FewAxes<'_> {
        let last = LADDER.len() - 1;
        let [rung, all] =
            self.expected.as_ref().map_or([last; 2], |expected| expected.fastest_of_few(others).1);
        let all = LADDER[all].min(self.projection.axes().nrows());
        FewAxes { rung, axes: self.projection.axes().slice_move(s![..all, ..]) }
    }

    /// True if the sample tells that a search by all features compares each row with `others` alone in
    /// less time. False if the search is forced.
    pub(crate) fn is_hopeless_for_few(&self, others: usize) -> bool {
        let is_hopeless =
            |expected: &Estimate| expected.fastest_of_few(others).0 >= expected.of_blocked(others);
        self.expected.as_ref().is_some_and(is_hopeless)
    }

    /// True if the sample tells that the axes do not help, and that a search along them would give up.
    /// False if the search is forced.
    pub(crate) fn is_hopeless(&self) -> bool {
        self.expected.as_ref().is_some_and(|expected| !expected.pays())
    }

    /// Nanoseconds that the fastest exact search takes for a pair, on one core. None if this search
    /// is forced.
    pub(crate) fn nanoseconds(&self) -> Option<f64> {
        self.expected.as_ref().map(Estimate::least)
    }
}

/// Axes for few pairs of each row.
pub(super) struct FewAxes<'a> {
    /// The rung along whose axes blocks are multiplied.
    pub(super) rung: usize,
    /// All axes that bounds are taken along.
    pub(super) axes: ArrayView2<'a, f64>,
}

/// One row out of every `step` along the principal axes, and how long searches along them take.
fn estimate(
    rows: &Rows<'_>,
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

/// Lists of the `k` nearest of each row. Rows without a direction have empty lists, and are in no
/// other row's list. `None` if a search by all features takes less time, unless this one is forced.
pub(crate) fn search(
    rows: &Rows<'_>,
    k: usize,
    along: &AlongAxes,
    meter: &Meter,
) -> Option<Vec<Nearest>> {
    let frame = Frame::of(rows, meter);
    let (coordinates, estimate) = estimate(rows, 1, &along.projection, &frame, k, meter);
    let forced = along.expected.is_none();
    if !forced && !estimate.pays() {
        return None;
    }
    let rung = estimate.fastest_rung();
    let arranged = arranged(&coordinates, meter);
    let blocks = arranged.par_chunks(BLOCK).map(|rows| coordinates.block(rows, rung));
    let blocks: Vec<Block> = collected_in_parallel(blocks);
    drop(arranged);
    drop(coordinates);

    let nearest: Vec<LockedLists> =
        collected(blocks.iter().map(|block| empty_lists(block.len(), k)));
    let compare = |comparer: &mut Comparer, pair: [usize; 2]| {
        let sides = pair.map(|block| (blocks[block].of(rows), &nearest[block]));
        comparer.compare(&frame, sides, meter);
    };
    let comparer = || Comparer::new(rows.features());
    let all = || (0..blocks.len()).into_par_iter().with_max_len(1);
    all().shared().for_each_init(comparer, |comparer, a| compare(comparer, [a, a]));
    let around = nearest_blocks(&blocks, AROUND);
    let are_around = |a: usize, b: usize| around[a].contains(&b) || around[b].contains(&a);
    all().shared().for_each_init(comparer, |comparer, a| {
        for &b in &around[a] {
            // Two blocks that are around each other, once.
            if a < b || !around[b].contains(&a) {
                compare(comparer, [a, b]);
            }
        }
    });
    all().shared().for_each_init(comparer, |comparer, a| {
        (a + 1..blocks.len())
            .filter(|&b| !are_around(a, b))
            .for_each(|b| compare(comparer, [a, b]));
    });

    let mut found = filled(Nearest::NONE, rows.len() * k);
    for (block, nearest) in blocks.iter().zip(nearest) {
        for (&row, list) in block.rows.iter().zip(unlocked(nearest).chunks_exact(k)) {
            found[row as usize * k..][..k].copy_from_slice(list);
        }
    }
    Some(found)
}
