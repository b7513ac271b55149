//! Moves of a search, one after the other, until enough neighbours have been found.

use std::cell::{Cell, OnceCell};
use std::time::Instant;

use super::candidate_rows::Sketched;
use super::cells::{Coarse, drawn};
use super::effort::{Effort, Move, cells_in, cells_of};
use super::passes::Passes;
use super::request::{Aim, Breadth, Sides};
use super::shares;
use super::sketch_size::{are_crowded, axes_needed};
use super::sketches::{Sketches, main_axes};
use super::truth::share;
use super::tuning::{
    ASKED_AT_LEAST, ASKED_BY_FEATURES, ASKED_NS, CELLS_OF_CUT, CELLS_OF_NEIGHBORHOODS, JOINED,
    LENGTHENED, LOST_FOR_GOOD, MOVES, TIME_OF_ASKED,
};
use crate::neighbors::lists::Nearest;
use crate::neighbors::search::Recall;
use crate::run::progress::Meter;
use crate::samples::comparable::Keyed;
use crate::samples::principal_axes::Projection;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, filled, gathered, room};
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
    let Breadth { k, spare, asked } = breadth;
    let on_all_threads = aim.seconds_left() * rayon::current_num_threads() as f64;
    let asked = match aim.deadline {
        None => asked,
        Some(_) => {
            let in_time =
                TIME_OF_ASKED * on_all_threads / (ASKED_NS * 1e-9 * sketches.len() as f64);
            asked.min((in_time / 3.0) as usize).max(ASKED_AT_LEAST)
        }
    };
    let nothing = || Some(nothing(rows.rows().len(), sides, k));
    // The share of all work that is left for moves, and how much of it a move is taken for.
    let of_sketches = shares::of_sketches(sketches.features(), sketches.len());
    let mut left = 1.0 - of_sketches - shares::SETTLING;
    let [mut of_next, of_truth] = shares::of_first(&sketches);
    let pairs = sides.pairs();
    let of_coarse = |part: f64| shares::COARSE * part * pairs;
    // Taken by the first pass.
    let mut coarse = Some(Coarse::of(&mut sketches, aim.seed, of_coarse(of_next * left), meter));
    if meter.stopped() {
        return nothing();
    }
    let full = OnceCell::new();
    let mut passes = Passes::new(rows, sides, [k, spare], &sketches, meter);
    let searching: Vec<u32> =
        gathered((0..sketches.len() as u32).filter(|&place| sides.searches(sketches.row(place))));
    let random = drawn(searching.len(), 3 * asked, aim.seed);
    let random: Vec<u32> = collected(random.iter().map(|&one| searching[one as usize]));
    drop(searching);
    // The others steer.
    let is_measured = |number: usize| number % 3 == 1;
    let numbered = |measured: bool| {
        let each = random.iter().enumerate();
        each.filter(move |one| is_measured(one.0) == measured).map(|one| *one.1)
    };
    let mut steering: Vec<u32> = gathered(numbered(false));
    let mut measured: Vec<u32> = gathered(numbered(true));
    let mut truth = None;
    let most = instead.map_or(f64::INFINITY, |seconds| cells_in(seconds, &sketches));
    let mut effort = Effort::new(sketches.len(), aim.recall, most);
    if sides.are_two() {
        effort = effort.without_joins();
    }
    let mut next = Some(effort.first(cells_in(on_all_threads, &sketches)));
    let (mut lengthened, mut place_of) = (0, None);
    let began = Instant::now();
    for number in 0..MOVES {
        let Some(made) = next else { break };
        let part = of_next * left;
        left -= part;
        let cells = match made {
            Move::Pass { cells: reach } | Move::PassOfLone { cells: reach } => {
                let seed = scrambled(aim.seed ^ scrambled(number as u64));
                let around = coarse
                    .take()
                    .unwrap_or_else(|| Coarse::anew(&sketches, seed, of_coarse(part), meter));
                if meter.stopped() {
                    break;
                }
                let advance = shares::CUT * part * pairs;
                let cells = around.cut(&sketches, [JOINED.min(reach), reach], seed, advance, meter);
                let part = (1.0 - shares::COARSE - shares::CUT) * part;
                drop(around);
                match made {
                    _ if meter.stopped() => break,
                    Move::PassOfLone { .. } => {
                        CELLS_OF_CUT + cells_of(passes.run_for_lone(&cells, part))
                    }
                    _ => {
                        passes.run(&cells, &steering, part);
                        reach as f64
                    }
                }
            }
            Move::Join => CELLS_OF_NEIGHBORHOODS + cells_of(passes.join(part)),
        };
        if meter.stopped() {
            break;
        }
        // By what the first pass has found; by what makes no difference to what is exact.
        let (of_steering, _) = truth.get_or_insert_with(|| {
            let part = of_truth * left;
            left -= part;
            let found = passes.found(&random);
            let of_asked = passes.truth(&random, &found, part, 3 * ASKED_BY_FEATURES);
            let [mut of_steering, mut of_measured] = [(); 2].map(|()| room(of_asked.len()));
            for (number, list) in of_asked.chunks_exact(k).enumerate() {
                let lists = if is_measured(number) { &mut of_measured } else { &mut of_steering };
                lists.extend_from_slice(list);
            }
            steering.truncate(of_steering.len() / k);
            measured.truncate(of_measured.len() / k);
            (of_steering, of_measured)
        });
        let found = passes.found(&steering);
        effort.made(made, cells, 1.0 - share(&found, of_steering, k));
        if meter.stopped() {
            // The deadline may have ended the search for what is true.
            truth = truth.filter(|_| number > 0);
            break;
        }
        if effort.reached() {
            break;
        }
        let has_more = full.get().is_none() && rows.has_more(&sketches);
        let may_lengthen = lengthened < LENGTHENED && passes.may_lengthen();
        // Either takes longer than a time limit leaves.
        if (has_more || may_lengthen) && aim.deadline.is_none() {
            let place_of = place_of.get_or_insert_with(|| passes.places_of(of_steering));
            let beyond = passes.beyond_lists(&steering, [&found, of_steering], place_of);
            if effort.is_too_much(beyond) {
                match has_more.then(|| rows.in_full(&sketches, meter)).flatten() {
                    Some(in_full) => {
                        let in_full = full.get_or_init(|| in_full);
                        passes.compare_by(in_full, &steering);
                        effort.takes_longer(in_full.width() as f64 / sketches.width() as f64);
                    }
                    None if may_lengthen => {
                        passes.lengthen();
                        lengthened += 1;
                    }
                    // The run is stopped.
                    None => {}
                }
                effort.begins_anew();
            }
        }
        // As long as a cell has taken so far.
        let of_cell = began.elapsed().as_secs_f64() / effort.spent();
        let lone = || passes.lone_of_missed(&steering, [&found, of_steering]);
        next = effort.next(aim.seconds_left() / of_cell, lone);
        of_next = next.map_or(1.0, |next| effort.share_of_next(next));
    }
    if meter.beyond().stopped() {
        return nothing();
    }
    if !effort.nearly_reached() && instead.is_some() {
        return None;
    }
    meter.advance((left * pairs) as u64);
    // Nothing is true of the neighbours where the deadline came in the first move.
    let recall = truth.and_then(|(_, of_measured)| {
        Recall::of(share(&passes.found(&measured), &of_measured, k), measured.len())
    });
    Some((passes.into_lists(), recall))
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
