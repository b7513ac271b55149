//! Search of most first neighbours, for when all would take too long.
//!
//! The paper searched randomized k-d trees with a bound on what is looked at. Here rows are cut
//! into small cells (see `cells.rs`), and compared by their sketches, as matrix products: first
//! those that share a cell, then each with the cells beyond, as far as these may hold a nearer one.
//! The nearest by their sketches are then compared by key. Each pass cuts in another way, until
//! enough of the true neighbours have been found for a sample of rows.
//!
//! Tried on 10⁶ samples of 256 features and rejected: trees that halve rows along a random
//! direction (8 of them take longer and find 92 %); to share more cells and reach for none, which
//! takes twice as many comparisons; rounds in which neighbours of neighbours are compared, as in
//! NN-descent, which find half of what is missing with as many comparisons as another pass, each of
//! which is to be fetched from elsewhere in memory; and cutting the cells of one pass into those of
//! the next.
//!
//! Beside the data it holds for each row, for k = 1, a sketch of 130 bytes (390 while it is made; and
//! twice as many where steps are too large, see [`are_crowded`]), and 300 bytes for its leaders, the
//! cells that it joins or reaches for, and its nearest so far: 10 more or less for each cell that it
//! may reach for, of which there are 12 at 10⁶ rows.

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::candidates::{Candidates, NearLists};
use super::cells::{Cells, Coarse, drawn};
use super::group::Group;
use super::sketch::Sketch;
use super::truth::Pivots;
use crate::element::Element;
use crate::members::Members;
use crate::neighbors::kernel::Candidate;
use crate::neighbors::nearest::{Nearest, last, offer};
use crate::neighbors::recall::Recall;
use crate::progress::Meter;
use crate::rows::{Rows, scrambled};

/// Rows that are compared with a row by key, the nearest by their sketches, beyond those that are
/// asked for. Of 10⁶ samples of 256 features the nearest is the nearest by its sketch in 68 of 100,
/// and one of the 4, 8, 12 nearest in 96, 99.2, 99.9.
const SPARE: usize = 11;
/// Rows that tell when to stop, and others that tell the recall then: if they were the same, it
/// would be that of the luckiest pass.
const STEERING: usize = 2048;
const MEASURED: usize = 2048;
/// Cells that a row joins in a pass, and leaders of whose cells it may reach for, at most.
const JOINED: usize = 5;
const REACHED: usize = 24;
/// Leaders of whose cells a row may reach for in the first pass, for so many rows and a recall of
/// 0.99. (Deformed digits need 8 at 250,000 rows, 11 at 10⁶, 16 at 4·10⁶, and 21 at 8·10⁶: the more
/// rows there are, the more are as far from their nearest as from their leaders. Where the first
/// pass finds too little, another takes much longer than a few cells more.)
const REACHED_AT_FIRST: f64 = 11.9;
const ROWS_AT_FIRST: f64 = 1e6;
/// For fewer rows than these, as many as for these.
const ROWS_AT_LEAST: usize = 250_000;
/// A row reaches for a cell whose leader is less than this many times as far, squared, as the
/// nearest that it has found.
const REACH: f32 = 4.0;
/// Passes at most.
const PASSES: usize = 16;
/// The share of what is missing that must have been found for each cell that a row may reach for, or
/// more are not worth it.
const WORTH: f64 = 1.0 / 32.0;
/// Cells to reach for in a later pass, at least: to cut anew costs as much as some of them. And how
/// many do what one did in the pass before: much of what they hold was found then.
const REACHED_AGAIN: f64 = 3.0;
const AGAIN: f64 = 2.0;
/// Rows of a cell that are compared with each other, at most: only where many are equal are there
/// more.
const CELL: usize = 2048;
/// How much nearer, squared, sketches may come to the distance of rows than those of a sample do.
const HEADROOM: f64 = 1.02;
/// Rows that are asked whether others crowd about them, one in how many others these are compared
/// with, and how near, in steps of sketches, others are too near: the distance of two is blurred by
/// less than a step. One in so many rows may be crowded.
const ASKED: usize = 1024;
const CROWD: usize = 8;
const BLURRED: f32 = 32.0;
const FEW: usize = 400;
/// Rows that a thread compares by key at a time.
const PART: usize = 256;

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
pub(crate) fn search<A: Element>(
    rows: &Rows<'_, A>,
    k: usize,
    aim: Aim,
    forced: bool,
    meter: &Meter,
) -> Option<(Vec<Nearest>, Option<Recall>)> {
    let mut sketch = Sketch::of(rows, meter);
    if are_crowded(&sketch, aim.seed, meter) {
        sketch = Sketch::real(rows, meter);
    }
    let coarse = Coarse::of(&mut sketch, aim.seed, meter);
    let nearest = vec![Nearest::NONE; sketch.len() * k];
    let closest = f64::INFINITY;
    let mut search = Search { rows: rows.reborrow(), k, sketch: &sketch, nearest, closest, meter };
    let random = drawn(sketch.len(), STEERING + MEASURED, aim.seed);
    let [steering, measured] =
        [0, 1].map(|first| random.iter().copied().skip(first).step_by(2).collect::<Vec<u32>>());

    let mut truth = None;
    let first = cells_at_first(sketch.len(), aim.recall);
    let (mut missing, mut reach, mut reached) = (1.0, Some(first), false);
    for pass in 0..PASSES {
        let Some(cells) = reach else { break };
        let seed = scrambled(aim.seed ^ scrambled(pass as u64));
        let cut = coarse.cut(&sketch, [JOINED.min(cells), cells], seed, meter);
        search.pass(&cut, &steering, 0.5_f64.powi(pass as i32 + 1));
        let (_, of_steering, _) = truth.get_or_insert_with(|| {
            let pivots = Pivots::of(&sketch, &cut);
            let mut of_steering = search.truth(&pivots, &[&steering[..], &measured].concat());
            let of_measured = of_steering.split_off(steering.len() * k);
            (pivots, of_steering, of_measured)
        });
        let missed = 1.0 - share(&search.found(&steering), of_steering, k);
        reached = missed <= 1.0 - aim.recall || meter.stopped();
        if reached {
            break;
        }
        reach = cells_to_reach(cells, missed / missing, (1.0 - aim.recall) / missed);
        missing = missed;
    }
    if !reached && !forced {
        return None;
    }
    let (pivots, _, of_measured) = truth.expect("there was a pass");
    let share = share(&search.found(&measured), &of_measured, k);
    Some((search.all(&pivots), Recall::of(share, measured.len())))
}

/// Whether some rows have more others within a few steps of their sketch than are compared by key,
/// so that steps are too large for these: nearly equal ones, in data that spreads far. Equal ones do
/// not count, since any of these will do.
fn are_crowded(sketch: &Sketch, seed: u64, meter: &Meter) -> bool {
    let asked = drawn(sketch.len(), ASKED, seed);
    let others = (sketch.len() / CROWD).max(sketch.len().min(CROWD * ASKED));
    let others = drawn(sketch.len(), others, scrambled(seed));
    let counts: Vec<AtomicUsize> = asked.iter().map(|_| AtomicUsize::new(0)).collect();
    others.par_chunks(CELL).for_each_init(Scratch::default, |scratch, others| {
        if meter.stopped() {
            return;
        }
        let Scratch { group, found, .. } = scratch;
        group.gather(sketch, others, &asked);
        group.compare(sketch, others, |_, asked| {
            asked.near(BLURRED * BLURRED, &[], found);
            for near in found.iter().filter(|near| near.distance() > 0.0) {
                counts[near.number() as usize].fetch_add(1, Relaxed);
            }
        });
    });
    let most = SPARE * others.len() / sketch.len().max(1);
    let crowded = counts.into_iter().filter(|count| count.load(Relaxed) > most).count();
    crowded * FEW > asked.len()
}

/// How many cells a row may reach for in the first pass. They grow as the fourth root of the number
/// of rows, and as the logarithm of what may be missed, since each leaves about the same share.
fn cells_at_first(rows: usize, recall: f64) -> usize {
    let growth = (rows.max(ROWS_AT_LEAST) as f64 / ROWS_AT_FIRST).sqrt().sqrt();
    let cells = REACHED_AT_FIRST * growth * (1.0 - recall).ln() / 0.01_f64.ln();
    REACHED.min(cells.ceil().max(1.0) as usize)
}

/// How many cells a row may reach for in the next pass, or none if a pass is not worth it: after
/// one in which these were so many and which `left` this share of what was missing, to leave the
/// share that is `allowed`.
fn cells_to_reach(cells: usize, left: f64, allowed: f64) -> Option<usize> {
    let by_one = left.ln() / cells as f64;
    let needed = (AGAIN * allowed.ln() / by_one).ceil().max(REACHED_AGAIN);
    (by_one < (1.0 - WORTH).ln()).then_some(REACHED.min(needed as usize))
}

/// A search under way.
struct Search<'a, A> {
    rows: Rows<'a, A>,
    k: usize,
    sketch: &'a Sketch,
    /// The nearest so far, `k` for each sketch.
    nearest: Vec<Nearest>,
    /// How near, squared, the sketches of two rows come to the rows' own distance, at most, as far
    /// as is known: beyond that share of a key no row is nearer.
    closest: f64,
    meter: &'a Meter<'a>,
}

/// What a thread works in.
#[derive(Default)]
struct Scratch {
    group: Group,
    found: Vec<Candidate>,
    limits: Vec<f32>,
}

impl<A: Element> Search<'_, A> {
    /// Compares rows by the cells of a pass, which is this part of all work. A sample tells how
    /// near sketches come to rows: where that is not all the way, a third less is compared by key.
    fn pass(&mut self, cells: &Cells, sample: &[u32], part: f64) {
        let advance = part / 3.0 * (self.rows.len() as f64).powi(2);
        // Nothing that is farther than what is known already.
        let limit = |place: usize| {
            let limit = self.sketch.limit(last(self.list(place as u32)).key);
            (self.closest * limit * limit) as f32
        };
        let mut near = Candidates::new(self.sketch.len(), self.k + SPARE, limit);
        self.compare_members(cells, &near, advance);
        let limits: Vec<f32> = near.distances(self.k - 1).map(|near| REACH * near).collect();
        let reaching = cells.within_reach(&limits);
        drop(limits);
        self.compare_reaching(cells, &reaching, &near, advance);
        drop(reaching);
        let near = near.into_lists();
        if self.closest.is_infinite() {
            self.closest = self.closest(&near, sample);
        }
        self.settle(cells, &near, advance);
    }

    /// Compares the members of each cell with each other.
    fn compare_members(&self, cells: &Cells, near: &Candidates, advance: f64) {
        let advance = advance / cells.members().all().len() as f64;
        (0..cells.members().len()).into_par_iter().for_each_init(
            Scratch::default,
            |scratch, cell| {
                for members in cells.members().cluster(cell).chunks(CELL) {
                    if self.meter.stopped() {
                        return;
                    }
                    let Scratch { group, found, .. } = scratch;
                    let scale = group.gather(self.sketch, &[], members);
                    group.compare_right(|i, others| {
                        let limit = scale.steps(near.limit(members[i]));
                        // One more, since one is itself.
                        others.near_few(limit, near.most() + 1, found);
                        found.retain(|other| other.number() as usize != i);
                        scale.name(found, members);
                        near.offer(members[i], found);
                    });
                    self.meter.advance((advance * members.len() as f64) as u64);
                }
            },
        );
    }

    /// Compares the members of each cell with those that reach for it, for both.
    fn compare_reaching(&self, cells: &Cells, reaching: &Members, near: &Candidates, advance: f64) {
        let advance = advance / reaching.all().len().max(1) as f64;
        (0..reaching.len()).into_par_iter().for_each_init(Scratch::default, |scratch, cell| {
            let members = cells.members().cluster(cell);
            let members = &members[..members.len().min(CELL)];
            for reaching in reaching.cluster(cell).chunks(CELL) {
                if self.meter.stopped() || members.is_empty() {
                    return;
                }
                let Scratch { group, found, limits } = scratch;
                let scale = group.gather(self.sketch, reaching, members);
                // Others may find nearer ones meanwhile: then more is offered than is taken.
                let limit = |place: u32| scale.steps(near.limit(place));
                limits.clear();
                limits.extend(members.iter().map(|&member| limit(member)));
                group.compare(self.sketch, reaching, |i, others| {
                    let (i, limit_of_row) = (reaching[i], limit(reaching[i]));
                    others.near(limit_of_row, limits, found);
                    for other in found.iter() {
                        let j = other.number() as usize;
                        if other.distance() <= limits[j] {
                            let other = Candidate::new(scale.real(other.distance()), i);
                            near.offer(members[j], &[other]);
                            limits[j] = limit(members[j]);
                        }
                    }
                    found.retain(|other| other.distance() <= limit_of_row);
                    scale.name(found, members);
                    near.offer(i, found);
                });
                self.meter.advance((advance * reaching.len() as f64) as u64);
            }
        });
    }

    /// How near, squared, the sketches of some rows and those near them come to the rows' own
    /// distance, at most, and a hair more. In cells that are wide for how near neighbours are, that
    /// is more than 1, for rounding.
    fn closest(&self, near: &NearLists, places: &[u32]) -> f64 {
        let of_place = |[of_row, of_other]: &mut [Vec<f64>; 2], &place: &u32| {
            self.rows.load(self.sketch.row(place) as usize, of_row);
            let of_pair = |near: Candidate| {
                let other = self.sketch.row(near.number()) as usize;
                let limit = self.sketch.limit(self.rows.key(of_row, other, of_other));
                f64::from(near.distance()) / (limit * limit)
            };
            near.of(place).map(of_pair).fold(0.0, f64::max)
        };
        let closest = places.par_iter().map_init(|| self.pair(), of_place).reduce(|| 0.0, f64::max);
        if closest > 0.0 { closest * HEADROOM } else { f64::INFINITY }
    }

    /// Compares rows by key with those whose sketches are near. Those of a cell follow each other,
    /// since they have most of these in common, which are then at hand.
    fn settle(&mut self, cells: &Cells, near: &NearLists, advance: f64) {
        let advance = advance / self.sketch.len().max(1) as f64;
        let homes = cells.homes();
        let settled = homes.all().par_chunks(PART).map_init(
            || self.pair(),
            |pair, places| {
                let mut lists = self.found(places);
                for (&place, list) in places.iter().zip(lists.chunks_exact_mut(self.k)) {
                    if !self.meter.stopped() {
                        self.compare(near, place, list, pair);
                    }
                }
                self.meter.advance((advance * places.len() as f64) as u64);
                lists
            },
        );
        let settled: Vec<Vec<Nearest>> = settled.collect();
        let lists = settled.iter().flat_map(|lists| lists.chunks_exact(self.k));
        for (&place, list) in homes.all().iter().zip(lists) {
            self.nearest[place as usize * self.k..][..self.k].copy_from_slice(list);
        }
    }

    /// Compares a row by key with those whose sketches are near, as far as they may be nearer than
    /// what its list holds.
    fn compare(
        &self,
        near: &NearLists,
        place: u32,
        list: &mut [Nearest],
        pair: &mut [Vec<f64>; 2],
    ) {
        let Self { rows, sketch, .. } = self;
        let [of_row, of_other] = pair;
        let mut loaded = false;
        for near in near.of(place) {
            let limit = sketch.limit(last(list).key);
            if f64::from(near.distance()) > self.closest * limit * limit {
                break;
            }
            let other = sketch.row(near.number());
            if list.iter().any(|there| there.index == other) {
                continue;
            }
            if !loaded {
                rows.load(sketch.row(place) as usize, of_row);
                loaded = true;
            }
            offer(list, rows.key(of_row, other as usize, of_other), other);
        }
    }

    fn pair(&self) -> [Vec<f64>; 2] {
        [(); 2].map(|()| vec![0.0; self.rows.features()])
    }

    /// The `k` nearest so far at some places.
    fn found(&self, places: &[u32]) -> Vec<Nearest> {
        places.iter().flat_map(|&place| self.list(place)).copied().collect()
    }

    /// The `k` nearest at some places.
    fn truth(&self, pivots: &Pivots, places: &[u32]) -> Vec<Nearest> {
        let known = |asked: usize| last(self.list(places[asked])).key;
        pivots.nearest_of(&self.rows, self.sketch, places, self.k, known, self.meter)
    }

    fn list(&self, place: u32) -> &[Nearest] {
        &self.nearest[place as usize * self.k..][..self.k]
    }

    /// The `k` nearest so far of all rows; where these are too few, among all.
    fn all(mut self, pivots: &Pivots) -> Vec<Nearest> {
        let Self { k, sketch, .. } = self;
        let mut lacking: Vec<u32> = (0..sketch.len() as u32).collect();
        lacking.retain(|&place| last(self.list(place)) == &Nearest::NONE);
        let exact = self.truth(pivots, &lacking);
        for (&place, list) in lacking.iter().zip(exact.chunks_exact(k)) {
            self.nearest[place as usize * k..][..k].copy_from_slice(list);
        }
        let mut all = vec![Nearest::NONE; self.rows.len() * k];
        for (place, list) in (0..).zip(self.nearest.chunks_exact(k)) {
            all[sketch.row(place) as usize * k..][..k].copy_from_slice(list);
        }
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_grow_with_rows_and_with_recall() {
        let at_first =
            [(1, 0.99, 9), (250_000, 0.99, 9), (1_000_000, 0.99, 12), (8_100_000, 0.99, 21)];
        for (rows, recall, expected) in at_first {
            assert_eq!(cells_at_first(rows, recall), expected, "{rows}");
        }
        assert_eq!(cells_at_first(1_000_000, 0.01), 1);
        assert_eq!(cells_at_first(1_000_000, 0.999), 18);
        assert_eq!(cells_at_first(1_000_000, 1.0), REACHED);

        // 12 cells have left 1/64, and each half of that is one cell of the first pass.
        assert_eq!(cells_to_reach(12, 1.0 / 64.0, 1.0 / 8.0), Some(12));
        assert_eq!(cells_to_reach(12, 1.0 / 64.0, 0.9), Some(REACHED_AGAIN as usize));
        assert_eq!(cells_to_reach(12, 1.0 / 64.0, 0.0), Some(REACHED));
        assert_eq!(cells_to_reach(12, 0.9, 0.5), None);
    }
}
