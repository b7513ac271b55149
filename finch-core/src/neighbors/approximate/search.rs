//! Moves of a search, one after the other, until enough neighbours have been found.

use std::cell::{Cell, OnceCell};
use std::collections::HashMap;
use std::time::Instant;

use super::asked::Asked;
use super::candidate_rows::Sketched;
use super::cells::{Cells, Coarse};
use super::effort::{Effort, Move, cells_in, cells_of};
use super::passes::Passes;
use super::request::{Aim, Breadth, Sides};
use super::shares;
use super::sketch_size::{are_crowded, axes_needed};
use super::sketches::{Sketches, main_axes};
use super::truth::share;
use super::tuning::{
    CELLS_OF_CUT, CELLS_OF_NEIGHBORHOODS, JOINED, LENGTHENED, LOST_FOR_GOOD, MOVES,
};
use crate::neighbors::lists::Nearest;
use crate::neighbors::search::Recall;
use crate::run::progress::Meter;
use crate::samples::comparable::Keyed;
use crate::samples::principal_axes::Projection;
use crate::samples::rows::Rows;
use crate::support::memory::filled;
use crate::support::random::scrambled;

/// Lists of near rows, and how many of these are the nearest.
type Found = (Vec<Nearest>, Option<Recall>);

/// Lists of `k` near rows of each row, and how many of these are the nearest. `None` if clearly fewer
/// than was aimed at are, and another move is not worth its time, or all would take longer than what
/// runs `instead`, in seconds of one core; if nothing does, what was found has to do. Rows without a
/// direction have empty lists, and are in no other row's list.
pub(crate) fn search(
    rows: &Rows<'_>,
    k: usize,
    aim: Aim,
    instead: Option<f64>,
    meter: &Meter,
) -> Option<Found> {
    search_sides(rows, Sides::one(rows.len()), k, aim, instead, meter)
}

/// [`search`], or where there are two sides, lists of near rows of the base for each query, in the order
/// of the queries.
pub(crate) fn search_sides(
    rows: &Rows<'_>,
    sides: Sides,
    k: usize,
    aim: Aim,
    instead: Option<f64>,
    meter: &Meter,
) -> Option<Found> {
    let breadth = Breadth::of(rows.metric, k);
    let aim = aim.for_moves();
    let meter = &meter.until(aim.deadline);
    let lost = Cell::new(0.0);
    let axes = |projection: &Projection, part: f64| {
        let (axes, share) = axes_needed(rows, breadth, aim.recall, projection, part, meter);
        lost.set(share);
        axes
    };
    match sketched(rows, axes, aim.seed, sides.pairs(), meter) {
        // However near rows are found to be by sketches, too few of them are the nearest. To compare all features
        // would find them, and was not tried beside exact searches.
        Some(_) if instead.is_some() && lost.get() > LOST_FOR_GOOD * (1.0 - aim.recall) => None,
        Some(sketches) => search_sketched(rows, sides, breadth, sketches, aim, instead, meter),
        None => Some(nothing(rows.len(), sides, k)),
    }
}

/// Sketches of rows along as many principal axes as `axes` says, which is told what part of the work it is; all is a
/// share of the work for all `pairs`. `None` if the run is stopped.
pub(in crate::neighbors) fn sketched(
    rows: &Rows<'_>,
    axes: impl Fn(&Projection, f64) -> usize,
    seed: u64,
    pairs: f64,
    meter: &Meter,
) -> Option<Sketches> {
    let part = shares::of_sketches(rows.features(), rows.len()) * pairs;
    let [of_axes, of_look, of_sketches] = shares::OF_SKETCHES.map(|share| share * part);
    let projection = main_axes(rows, meter);
    if meter.stopped() {
        return None;
    }
    meter.advance(of_axes as u64);
    let axes = axes(&projection, of_look);
    let mut sketches = Sketches::in_steps(rows, &projection, axes, meter);
    if are_crowded(&sketches, seed, meter) {
        sketches = Sketches::in_real_numbers(rows, &projection, axes, meter);
    }
    meter.advance(of_sketches as u64);
    (!meter.stopped()).then_some(sketches)
}

/// The result once the run is stopped. Each step takes tenths of a second for millions of rows, though
/// it finds that the run is stopped.
fn nothing(rows: usize, sides: Sides, k: usize) -> Found {
    (filled(Nearest::NONE, (rows - sides.first()) * k), None)
}

/// [`search_sides`] of rows that have sketches, whatever these are made of.
pub(in crate::neighbors) fn search_sketched(
    rows: &impl Sketched,
    sides: Sides,
    breadth: Breadth,
    mut sketches: Sketches,
    aim: Aim,
    instead: Option<f64>,
    meter: &Meter,
) -> Option<Found> {
    let Breadth { k, spare, .. } = breadth;
    let nothing = || Some(nothing(rows.rows().len(), sides, k));
    let mut work = Work::of(&sketches);
    let [mut of_next, of_truth] = shares::of_first(&sketches);
    let of_coarse = shares::COARSE * (of_next * work.left) * sides.pairs();
    let coarse = Coarse::of(&mut sketches, aim.seed, of_coarse, meter);
    if meter.stopped() {
        return nothing();
    }
    let (sketches, full) = (sketches, OnceCell::new());
    let mut moves = Moves {
        rows,
        sketches: &sketches,
        full: &full,
        passes: Passes::new(rows, sides, [k, spare], &sketches, meter),
        coarse: Some(coarse),
        pairs: sides.pairs(),
        lengthened: 0,
        place_of: None,
        aim,
        meter,
    };
    let on_all_threads = aim.seconds_left() * rayon::current_num_threads() as f64;
    let in_time = aim.deadline.map(|_| on_all_threads);
    let mut asked = Asked::drawn(&sketches, sides, breadth, in_time, aim.seed);
    let most = instead.map_or(f64::INFINITY, |seconds| cells_in(seconds, &sketches));
    let mut effort = Effort::new(sketches.len(), aim.recall, most);
    if sides.are_two() {
        effort = effort.without_joins();
    }
    let mut next = Some(effort.first(cells_in(on_all_threads, &sketches)));
    let began = Instant::now();
    for number in 0..MOVES {
        let Some(made) = next else { break };
        let part = work.take(of_next);
        let Some(cells) = moves.make(made, number, part, asked.steering()) else { break };
        if !asked.are_known() {
            // By what the first pass has found; by what makes no difference to what is exact.
            asked.find(&moves.passes, work.take(of_truth));
        }
        let found = moves.passes.found(asked.steering());
        effort.made(made, cells, 1.0 - share(&found, asked.of_steering(), k));
        if meter.stopped() {
            if number == 0 {
                // The deadline may have ended the search for what is true.
                asked.forget();
            }
            break;
        }
        if effort.reached() {
            break;
        }
        moves.widen(&asked, &found, &mut effort);
        // As long as a cell has taken so far.
        let of_cell = began.elapsed().as_secs_f64() / effort.spent();
        let lone = || moves.passes.lone_of_missed(asked.steering(), [&found, asked.of_steering()]);
        next = effort.next(aim.seconds_left() / of_cell, lone);
        of_next = next.map_or(1.0, |next| effort.share_of_next(next));
    }
    if meter.beyond().stopped() {
        return nothing();
    }
    if !effort.nearly_reached() && instead.is_some() {
        return None;
    }
    meter.advance((work.left * sides.pairs()) as u64);
    let recall = asked.recall(&moves.passes);
    Some((moves.passes.into_lists(), recall))
}

/// The share of all work that is left for moves.
struct Work {
    left: f64,
}

impl Work {
    fn of(sketches: &Sketches) -> Self {
        let of_sketches = shares::of_sketches(sketches.features(), sketches.len());
        Self { left: 1.0 - of_sketches - shares::SETTLING }
    }

    /// Takes a share of what is left.
    fn take(&mut self, share: f64) -> f64 {
        let part = share * self.left;
        self.left -= part;
        part
    }
}

/// The moves of a search, with all that they change.
struct Moves<'a, R: Sketched> {
    rows: &'a R,
    sketches: &'a Sketches,
    /// Sketches along all axes, once some are needed.
    full: &'a OnceCell<Sketches>,
    passes: Passes<'a, R>,
    /// The coarse cells of the first pass.
    coarse: Option<Coarse>,
    pairs: f64,
    /// Times that lists were made longer.
    lengthened: usize,
    /// The places of the nearest of the rows that steer.
    place_of: Option<HashMap<u32, u32>>,
    aim: Aim,
    meter: &'a Meter<'a>,
}

impl<R: Sketched> Moves<'_, R> {
    /// Makes a move, which is taken for `part` of all work, and says how many cells would have taken as long. `None` if
    /// the run is stopped.
    fn make(&mut self, made: Move, number: usize, part: f64, steering: &[u32]) -> Option<f64> {
        let of_pass = (1.0 - shares::COARSE - shares::CUT) * part;
        let cells = match made {
            Move::Pass { cells: reach } => {
                let cells = self.cut(number, reach, part)?;
                self.passes.run(&cells, steering, of_pass);
                reach as f64
            }
            Move::PassOfLone { cells: reach } => {
                let cells = self.cut(number, reach, part)?;
                CELLS_OF_CUT + cells_of(self.passes.run_for_lone(&cells, of_pass))
            }
            Move::Join => CELLS_OF_NEIGHBORHOODS + cells_of(self.passes.join(part)),
        };
        (!self.meter.stopped()).then_some(cells)
    }

    /// The cells of a pass, each of which is cut out of coarse ones. `None` if the run is stopped.
    fn cut(&mut self, number: usize, reach: usize, part: f64) -> Option<Cells> {
        let seed = scrambled(self.aim.seed ^ scrambled(number as u64));
        let of_coarse = shares::COARSE * part * self.pairs;
        let anew = || Coarse::anew(self.sketches, seed, of_coarse, self.meter);
        let around = self.coarse.take().unwrap_or_else(anew);
        if self.meter.stopped() {
            return None;
        }
        let advance = shares::CUT * part * self.pairs;
        let reaches = [JOINED.min(reach), reach];
        let cells = around.cut(self.sketches, reaches, seed, advance, self.meter);
        (!self.meter.stopped()).then_some(cells)
    }

    /// Compares rows by sketches along all axes, or keeps longer lists, where the nearest are too often beyond the lists.
    fn widen(&mut self, asked: &Asked, found: &[Nearest], effort: &mut Effort) {
        let has_more = self.full.get().is_none() && self.rows.has_more(self.sketches);
        let may_lengthen = self.lengthened < LENGTHENED && self.passes.may_lengthen();
        // Either takes longer than a time limit leaves.
        if !has_more && !may_lengthen || self.aim.deadline.is_some() {
            return;
        }
        let truth = asked.of_steering();
        let place_of = self.place_of.get_or_insert_with(|| self.passes.places_of(truth));
        let beyond = self.passes.beyond_lists(asked.steering(), [found, truth], place_of);
        if !effort.is_too_much(beyond) {
            return;
        }
        match has_more.then(|| self.rows.in_full(self.sketches, self.meter)).flatten() {
            Some(in_full) => {
                let in_full = self.full.get_or_init(|| in_full);
                self.passes.compare_by(in_full, asked.steering());
                effort.takes_longer(in_full.width() as f64 / self.sketches.width() as f64);
            }
            None if may_lengthen => {
                self.passes.lengthen();
                self.lengthened += 1;
            }
            // The run is stopped.
            None => {}
        }
        effort.begins_anew();
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::samples::Samples;
    use crate::samples::metric::Metric;

    /// Of few features and of many, and where neighbours are found at once and where many moves come.
    #[test]
    fn what_the_parts_of_a_search_are_taken_for_adds_up_to_all() {
        let noise = |number: usize| (scrambled(number as u64) >> 40) as f64 / (1 << 24) as f64;
        for (features, dimension) in [(20, 3), (20, 20), (130, 4)] {
            let places = Array2::from_shape_fn((9_000, dimension), |(i, j)| noise(30 * i + j));
            let directions = Array2::from_shape_fn((dimension, features), |(i, j)| {
                noise(features * i + j + 300_000) - 0.5
            });
            let matrix = places.dot(&directions);
            let samples = Samples::new(matrix.view()).unwrap();
            let rows = Rows::new(samples, Metric::Euclidean);
            let aim = Aim { recall: 0.99, seed: 0, deadline: None };
            // Of twice as much, so that more than all would show.
            let meter = Meter::new(2 * 9_000 * 9_000);
            search(&rows, 1, aim, None, &meter).unwrap();
            let done = 2.0 * meter.fraction();
            assert!((0.97..1.03).contains(&done), "{features}, {dimension}: {done}");
        }
    }
}
