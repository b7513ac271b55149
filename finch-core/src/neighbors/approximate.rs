//! Search of most first neighbours, for when all would take too long.
//!
//! The paper searched randomized k-d trees with a bound on what is looked at. Here rows are cut into
//! cells (see `cells.rs`), all pairs of a cell are compared by their sketches, as a matrix product,
//! and those whose sketches are near by key. Each pass cuts in another way, until enough of the true
//! neighbours have been found for a sample of rows.
//!
//! Tried on 10⁶ samples of 256 features and rejected: trees that halve rows along a random direction
//! (8 of them take longer and find 92 %), rounds in which neighbours of neighbours are compared, as
//! in NN-descent, and cutting the cells of one pass into those of the next, which is fast but finds
//! half as much of what is missing as cutting anew.
//!
//! Beside the data it holds for each row, for k = 1, a sketch of 260 bytes, and 100 bytes for the
//! cells that it joins, its nearest so far and its leaders.

use std::mem;
use std::sync::MutexGuard;

use rayon::prelude::*;

use super::bounds::{Lists, empty_lists, filled};
use super::candidates::Candidate;
use super::cells::{Cells, drawn};
use super::few::{smallest, within};
use super::nearest::{Nearest, last, offer};
use super::recall::Recall;
use super::sketch::{Group, Sketch};
use super::truth::Pivots;
use crate::element::Element;
use crate::progress::Meter;
use crate::rows::{Rows, scrambled};

/// Rows of a cell that are compared by key with a row, the nearest by their sketches, beyond those
/// that are asked for. With 3 a quarter more of the neighbours are missed, with 15 none less.
const SPARE: usize = 7;
/// Rows that tell when to stop, and others that tell the recall then: if they were the same, it would
/// be that of the luckiest pass.
const STEERING: usize = 2048;
const MEASURED: usize = 2048;
/// Cells that a row joins in a pass, at most, and in the first pass. 6 find 97 % of the first
/// neighbours of 10⁶ samples of 256 features.
const JOINED: usize = 6;
/// Passes at most.
const PASSES: usize = 16;
/// The share of what is missing that must be found for each cell that a row joins, or more are not
/// worth it.
const WORTH: f64 = 1.0 / 32.0;
/// Rows of a cell that are compared with each other, at most: only where many are equal are there more.
const CELL: usize = 2048;
/// Rows of one lock.
const SHARD: usize = 64;

/// What to search for.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    /// The share of true neighbours that is enough.
    pub(crate) recall: f64,
    /// What random numbers begin with.
    pub(crate) seed: u64,
}

/// Lists of k near rows of each row, and how many of these are the nearest. Where that is less than
/// was aimed at and passes have become useless, None, unless the search is `forced`. Rows without a
/// direction have empty lists, and are in no other's.
pub(super) fn search<A: Element>(
    rows: &Rows<'_, A>,
    k: usize,
    aim: Aim,
    forced: bool,
    meter: &Meter,
) -> Option<(Vec<Nearest>, Recall)> {
    let sketch = Sketch::of(rows, meter);
    let shards = (0..rows.len()).step_by(SHARD);
    let lists = shards.map(|first| empty_lists(SHARD.min(rows.len() - first), k)).collect();
    let search = Search { rows: rows.reborrow(), k, sketch: &sketch, lists, meter };
    let random = drawn(sketch.rows(), STEERING + MEASURED, aim.seed);
    let steers = |number: &usize| number.is_multiple_of(1 + MEASURED / STEERING);
    let (steering, measured): (Vec<usize>, Vec<usize>) = (0..random.len()).partition(steers);
    let [steering, measured] =
        [steering, measured].map(|of| of.into_iter().map(|of| random[of]).collect::<Vec<u32>>());

    let coarse = Cells::coarse(&sketch, aim.seed, meter);
    let (mut pivots, mut truth) = (None, None);
    let (mut missing, mut join, mut reached) = (1.0, Some(JOINED), false);
    for pass in 0..PASSES {
        let Some(joined) = join else { break };
        let seed = scrambled(aim.seed ^ scrambled(pass as u64));
        let cells = coarse.fine(&sketch, joined, seed, meter);
        search.pass(&cells, 0.5_f64.powi(pass as i32 + 1));
        let pivots = pivots.get_or_insert_with(|| Pivots::of(&sketch, &cells));
        drop(cells);
        let found = search.found(&steering);
        let truth = truth.get_or_insert_with(|| search.truth(pivots, &steering, &found));
        let missed = 1.0 - share(&found, truth, k);
        reached = missed <= 1.0 - aim.recall || meter.stopped();
        if reached {
            break;
        }
        join = cells_to_join(joined, missed / missing, (1.0 - aim.recall) / missed);
        missing = missed;
    }
    if !reached && !forced {
        return None;
    }
    let pivots = pivots.expect("there was a pass");
    let of_measured = search.found(&measured);
    let truth = search.truth(&pivots, &measured, &of_measured);
    let recall = Recall::of(share(&of_measured, &truth, k), measured.len());
    Some((search.all(&pivots), recall))
}

/// How many cells a row is to join in the next pass, or none if a pass is not worth it: after one in
/// which it joined so many and which `left` this share of what was missing, to leave the share that
/// is `allowed`. Each cell leaves about the same share of what was missing before it; but what is left
/// after a pass is harder to find, so that as many again are joined.
fn cells_to_join(joined: usize, left: f64, allowed: f64) -> Option<usize> {
    let by_one = left.ln() / joined as f64;
    // NaN where nothing is allowed and a pass has found nothing.
    let needed = (2.0 * allowed.ln() / by_one).ceil().max(1.0);
    (by_one < (1.0 - WORTH).ln()).then_some(JOINED.min(needed as usize))
}

/// A search under way.
struct Search<'a, A> {
    rows: Rows<'a, A>,
    k: usize,
    sketch: &'a Sketch,
    /// The nearest so far, of so many rows each.
    lists: Vec<Lists>,
    meter: &'a Meter,
}

/// What a thread works in.
struct Scratch {
    group: Group,
    products: Vec<f32>,
    near: Vec<Candidate>,
    pair: [Vec<f64>; 2],
}

impl<A: Element> Search<'_, A> {
    /// Compares all rows that share a cell, which is this part of all work.
    fn pass(&self, cells: &Cells, part: f64) {
        let advance = part * (self.rows.len() as f64).powi(2) / cells.total() as f64;
        let scratch = || Scratch {
            group: Group::default(),
            products: Vec::new(),
            near: Vec::new(),
            pair: [(); 2].map(|()| vec![0.0; self.rows.features()]),
        };
        (0..cells.len()).into_par_iter().for_each_init(scratch, |scratch, cell| {
            for rows in cells.rows(cell).chunks(CELL).filter(|rows| rows.len() > 1) {
                if !self.meter.stopped() {
                    self.compare(cells, cell as u32, rows, scratch);
                    self.meter.advance((advance * rows.len() as f64) as u64);
                }
            }
        });
    }

    /// Compares some rows of a cell with each other.
    fn compare(&self, cells: &Cells, cell: u32, rows: &[u32], scratch: &mut Scratch) {
        let Scratch { group, products, near, pair } = scratch;
        group.gather(self.sketch, rows, &[]);
        group.distances(0..rows.len(), 0..rows.len(), products, |i, distances| {
            // Not to itself.
            distances[i] = f32::INFINITY;
            let mut shard = self.shard(rows[i]);
            let list = self.list(&mut shard, rows[i]);
            let mut query =
                Query { search: self, group, rows, row: rows[i], list, pair, loaded: false };
            // In whatever order cells come, two rows meet in the first that they share: nowhere else
            // may one be compared, or the nearest so few would depend on the order.
            let before = cells.before(rows[i], cell);
            let met = |other| before.include(cells.joined(other));
            // The nearest by sketches first: once their keys are known, few others are near enough.
            if last(query.list) == &Nearest::NONE {
                smallest(distances, self.k, near);
                query.settle(near, met);
            }
            within(distances, query.limit(), near);
            query.settle(near, met);
        });
    }

    /// The lists of a row and some others, for this thread alone.
    fn shard(&self, row: u32) -> MutexGuard<'_, Vec<Nearest>> {
        self.lists[row as usize / SHARD].lock().expect("a panic has ended the search")
    }

    /// The list of a row among these.
    fn list<'a>(&self, shard: &'a mut [Nearest], row: u32) -> &'a mut [Nearest] {
        &mut shard[row as usize % SHARD * self.k..][..self.k]
    }

    /// The `k` nearest so far of some rows.
    fn found(&self, of: &[u32]) -> Vec<Nearest> {
        of.iter().flat_map(|&row| self.list(&mut self.shard(row), row).to_vec()).collect()
    }

    /// The `k` nearest of some rows, of which the ones found so far are known.
    fn truth(&self, pivots: &Pivots, of: &[u32], found: &[Nearest]) -> Vec<Nearest> {
        let known = |row: usize| last(&found[row * self.k..][..self.k]).key;
        pivots.nearest_of(&self.rows, self.sketch, of, self.k, known, self.meter)
    }

    /// The `k` nearest so far of all rows; where these are too few, among all.
    fn all(self, pivots: &Pivots) -> Vec<Nearest> {
        let k = self.k;
        let mut all: Vec<Nearest> = self.lists.into_iter().flat_map(filled).collect();
        let mut rows = self.sketch.rows().to_vec();
        rows.retain(|&row| last(&all[row as usize * k..][..k]) == &Nearest::NONE);
        let exact =
            pivots.nearest_of(&self.rows, self.sketch, &rows, k, |_| f64::INFINITY, self.meter);
        for (&row, list) in rows.iter().zip(exact.chunks_exact(k)) {
            all[row as usize * k..][..k].copy_from_slice(list);
        }
        all
    }
}

/// A row that looks for near ones in its cell.
struct Query<'a, 'b, A> {
    search: &'a Search<'b, A>,
    group: &'a Group,
    /// The rows of the cell.
    rows: &'a [u32],
    row: u32,
    /// The nearest so far.
    list: &'a mut [Nearest],
    /// The row, if it is loaded, and another.
    pair: &'a mut [Vec<f64>; 2],
    loaded: bool,
}

impl<A: Element> Query<'_, '_, A> {
    /// The largest squared distance of the sketches of the row and one that may be nearer.
    fn limit(&self) -> f32 {
        self.group.limit(self.search.sketch.limit(last(self.list).key))
    }

    /// Compares the row by key with the nearest of some rows of the cell, but for those that it has
    /// `met` elsewhere.
    ///
    /// What is found does not depend on when other cells were compared: the list tells which of the
    /// nearest need no comparison, and never which these are.
    fn settle(&mut self, near: &mut Vec<Candidate>, met: impl Fn(u32) -> bool) {
        let most = self.search.k + SPARE;
        if near.len() > most {
            near.select_nth_unstable(most);
            near.truncate(most);
        }
        near.sort_unstable();
        let Search { rows, .. } = self.search;
        for near in near.iter() {
            if near.distance() > self.limit() {
                break;
            }
            let other = self.rows[near.number() as usize];
            if self.list.iter().any(|there| there.index == other) || met(other) {
                continue;
            }
            let [of_row, of_other] = &mut *self.pair;
            if !mem::replace(&mut self.loaded, true) {
                rows.load(self.row as usize, of_row);
            }
            offer(self.list, rows.key(of_row, other as usize, of_other), other);
        }
    }
}

/// The share of the `k` nearest of each row that was found: of neighbours as near as the k-th.
fn share(found: &[Nearest], truth: &[Nearest], k: usize) -> f64 {
    let near = |(found, truth): (&[Nearest], &[Nearest])| {
        // Fewer than k where there are not as many with a direction.
        let there: Vec<&Nearest> = truth.iter().filter(|&near| *near != Nearest::NONE).collect();
        match there.last() {
            None => 1.0,
            Some(kth) => {
                found.iter().filter(|near| near.key <= kth.key).count() as f64 / there.len() as f64
            }
        }
    };
    let rows = found.len() / k;
    match rows {
        0 => 1.0,
        _ => found.chunks_exact(k).zip(truth.chunks_exact(k)).map(near).sum::<f64>() / rows as f64,
    }
}
