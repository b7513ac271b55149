//! Search of most first neighbours, for when all would take too long.
//!
//! The paper searched randomized k-d trees with a bound on what is looked at. Here rows are cut into
//! cells (see `cells.rs`), all pairs of a cell are compared by their sketches, as a matrix product,
//! and the nearest by sketches are candidates for a comparison by key. Each pass cuts in another way,
//! until enough of the true neighbours have been found for a sample of rows.
//!
//! Tried on 10⁶ samples of 256 features and rejected: trees that halve rows along a random direction
//! (8 of them take 21 s for 92 % of first neighbours, one pass 15 s for 93 %), and rounds in which
//! neighbours of neighbours are compared, as in NN-descent (after that pass a round takes half as long
//! as a second one and comes to 96.9 %, the second pass to 99.2 %).
//!
//! Beside the data it holds for each row, for k = 1, a sketch of 260 bytes, 128 bytes of candidates
//! and 32 of cells: about 500 bytes in all.

use std::mem;

use rayon::prelude::*;

use super::candidates::{Candidate, Candidates};
use super::cells::{cells, drawn};
use super::nearest::{Nearest, last, offer};
use super::recall::Recall;
use super::sketch::{Group, Sketch, compare};
use super::truth::nearest_of;
use crate::element::Element;
use crate::progress::Meter;
use crate::rows::{Rows, scrambled};

/// Candidates of a row beyond those that are asked for: the nearest by its sketch may be farther than
/// others. On 10⁶ samples of 256 features 98.8 % are among 8 in all, and 99.5 % among 16.
const SPARE: usize = 15;
/// Rows that tell when to stop, and others that tell the recall then: if they were the same, it would
/// be that of the luckiest pass.
const STEERING: usize = 512;
const MEASURED: usize = 2048;
/// Rows whose candidates are compared by key at a time.
const FILLED: usize = 1 << 16;
/// Cells of the first cut that a row joins in a pass, at most, and in the first pass. 4 find 97 % of the
/// first neighbours of 10⁶ samples of 256 features.
const JOINED: usize = 4;
/// Passes at most.
const PASSES: usize = 16;
/// The share of what is missing that must be found for each cell that a row joins, or more are not
/// worth it.
const WORTH: f64 = 1.0 / 32.0;

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
    let candidates = Candidates::new(rows.len(), k + SPARE);
    let search =
        Search { rows: rows.reborrow(), k, sketch: &sketch, candidates: &candidates, meter };
    let random = drawn(sketch.rows(), STEERING + MEASURED, aim.seed);
    let steers = |number: &usize| number.is_multiple_of(1 + MEASURED / STEERING);
    let (steering, measured): (Vec<usize>, Vec<usize>) = (0..random.len()).partition(steers);
    let [steering, measured] =
        [steering, measured].map(|of| of.into_iter().map(|of| random[of]).collect::<Vec<u32>>());

    let (mut truth, mut cells) = (None, Vec::new());
    let (mut missing, mut join, mut reached) = (1.0, Some(JOINED), false);
    for pass in 0..PASSES {
        let Some(joined) = join else { break };
        drop(cells);
        let seed = scrambled(aim.seed ^ scrambled(pass as u64));
        cells = search.pass(joined, seed, 0.5_f64.powi(pass as i32 + 1));
        let found = search.found(&steering);
        let truth = truth.get_or_insert_with(|| search.truth(&steering, &found));
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
    let of_measured = search.found(&measured);
    let truth = search.truth(&measured, &of_measured);
    let recall = Recall::of(share(&of_measured, &truth, k), measured.len());
    Some((search.all(cells), recall))
}

/// How many cells a row is to join in the next pass, or none if a pass is not worth it: after one in
/// which it joined so many and which `left` this share of what was missing, to leave the share that
/// is `allowed`. Each cell leaves about the same share of what was missing before it.
fn cells_to_join(joined: usize, left: f64, allowed: f64) -> Option<usize> {
    let by_one = left.ln() / joined as f64;
    // NaN where nothing is allowed and a pass has found nothing.
    let needed = (allowed.ln() / by_one).ceil().max(1.0);
    (by_one < (1.0 - WORTH).ln()).then_some(JOINED.min(needed as usize))
}

/// A search under way.
struct Search<'a, A> {
    rows: Rows<'a, A>,
    k: usize,
    sketch: &'a Sketch,
    candidates: &'a Candidates,
    meter: &'a Meter,
}

impl<A: Element> Search<'_, A> {
    /// Compares all rows that share a cell, which is this part of all work. Returns the cells.
    fn pass(&self, join: usize, seed: u64, part: f64) -> Vec<Vec<u32>> {
        let cells = cells(self.sketch, self.sketch.rows(), join, seed, self.meter);
        let joined: usize = cells.iter().map(Vec::len).sum();
        let advance = part * (self.rows.len() as f64).powi(2) / joined as f64;
        cells.par_iter().for_each_init(Default::default, |(group, products), cell| {
            if !self.meter.stopped() {
                self.compare(cell, group, products);
                self.meter.advance((advance * cell.len() as f64) as u64);
            }
        });
        cells
    }

    /// Makes the rows of a cell candidates of each other.
    fn compare(&self, cell: &[u32], group: &mut Group, products: &mut Vec<f32>) {
        group.gather(self.sketch, cell);
        let span = group.span();
        compare(span, span, products, |i, bounds| {
            let mut list = self.candidates.lock(cell[i]);
            bounds.within(list.limit(), |j| {
                if i != j && !list.has(cell[j]) {
                    list.offer(Candidate::new(span.distance(i, &span, j), cell[j]));
                }
                list.limit()
            });
        });
    }

    /// The `k` nearest among the candidates of some rows.
    fn found(&self, of: &[u32]) -> Vec<Nearest> {
        let mut found = vec![Nearest::NONE; of.len() * self.k];
        found.par_chunks_exact_mut(self.k).zip(of).for_each_init(
            || [(); 2].map(|()| vec![0.0; self.rows.features()]),
            |[of_row, of_other], (list, &row)| {
                if self.meter.stopped() {
                    return;
                }
                self.rows.load(row as usize, of_row);
                for candidate in self.candidates.lock(row).candidates() {
                    if candidate.distance() > self.sketch.limit(last(list).key)
                        || *candidate == Candidate::NONE
                    {
                        break;
                    }
                    self.rows.load(candidate.row() as usize, of_other);
                    offer(list, self.rows.metric.key(of_row, of_other), candidate.row());
                }
            },
        );
        found
    }

    /// The `k` nearest of some rows, of which the ones found so far are known.
    fn truth(&self, of: &[u32], found: &[Nearest]) -> Vec<Nearest> {
        let known = |row: usize| last(&found[row * self.k..][..self.k]).key;
        nearest_of(&self.rows, self.sketch, of, self.k, known, self.meter)
    }

    /// The `k` nearest among the candidates of all rows; where candidates are too few, among all.
    fn all(&self, cells: Vec<Vec<u32>>) -> Vec<Nearest> {
        let k = self.k;
        let mut all = vec![Nearest::NONE; self.rows.len() * k];
        let fill = |all: &mut [Nearest], rows: &[u32], lists: &[Nearest]| {
            for (&row, list) in rows.iter().zip(lists.chunks_exact(k)) {
                all[row as usize * k..][..k].copy_from_slice(list);
            }
        };
        // Cell by cell, since rows near each other are candidates of each other: what is loaded for
        // one is still at hand for the next, also where the data is mapped from a file.
        let mut left: Vec<bool> = vec![true; self.rows.len()];
        let mut rows = cells.concat();
        drop(cells);
        rows.retain(|&row| mem::take(&mut left[row as usize]));
        rows.extend(self.sketch.rows().iter().filter(|&&row| left[row as usize]));
        for rows in rows.chunks(FILLED) {
            fill(&mut all, rows, &self.found(rows));
        }
        rows.retain(|&row| last(&all[row as usize * k..][..k]) == &Nearest::NONE);
        let exact = nearest_of(&self.rows, self.sketch, &rows, k, |_| f64::INFINITY, self.meter);
        fill(&mut all, &rows, &exact);
        all
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
