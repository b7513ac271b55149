//! Rows whose nearest are searched for exactly, which tell how many of all a search has found.

use super::candidate_rows::Sketched;
use super::cells::drawn;
use super::passes::Passes;
use super::request::{Breadth, Sides};
use super::sketches::Sketches;
use super::truth::share;
use super::tuning::{ASKED_AT_LEAST, ASKED_BY_FEATURES, ASKED_NS, TIME_OF_ASKED};
use crate::neighbors::lists::Nearest;
use crate::neighbors::search::Recall;
use crate::support::memory::{collected, gathered, room};

/// Rows that were drawn, by their places. Two of three steer the moves, and the third measures the result: whatever stops
/// a search is chosen by the others.
pub(super) struct Asked {
    k: usize,
    drawn: Vec<u32>,
    steering: Vec<u32>,
    measured: Vec<u32>,
    /// The nearest of those that steer, and of those that measure, once they have been found.
    truth: Option<[Vec<Nearest>; 2]>,
}

impl Asked {
    /// Draws rows that search; fewer where only so many seconds of one thread are there `in_time`.
    pub(super) fn drawn(
        sketches: &Sketches,
        sides: Sides,
        breadth: Breadth,
        in_time: Option<f64>,
        seed: u64,
    ) -> Self {
        let of_seconds = |seconds: f64| {
            let most = TIME_OF_ASKED * seconds / (ASKED_NS * 1e-9 * sketches.len() as f64);
            breadth.asked.min((most / 3.0) as usize).max(ASKED_AT_LEAST)
        };
        let asked = in_time.map_or(breadth.asked, of_seconds);
        let places = 0..sketches.len() as u32;
        let searching: Vec<u32> =
            gathered(places.filter(|&place| sides.searches(sketches.row(place))));
        let drawn = drawn(searching.len(), 3 * asked, seed);
        let drawn: Vec<u32> = collected(drawn.iter().map(|&one| searching[one as usize]));
        let numbered = |measured: bool| {
            let each = drawn.iter().enumerate();
            each.filter(move |one| is_measured(one.0) == measured).map(|one| *one.1)
        };
        let (steering, measured) = (gathered(numbered(false)), gathered(numbered(true)));
        Self { k: breadth.k, drawn, steering, measured, truth: None }
    }

    /// The rows that steer.
    pub(super) fn steering(&self) -> &[u32] {
        &self.steering
    }

    /// True if the nearest are known.
    pub(super) fn are_known(&self) -> bool {
        self.truth.is_some()
    }

    /// The nearest of the rows that steer.
    pub(super) fn of_steering(&self) -> &[Nearest] {
        self.truth.as_ref().map_or(&[], |[of_steering, _]| of_steering)
    }

    /// Finds the nearest, of fewer rows where the time does not do for all. It is taken for `part` of all work.
    pub(super) fn find<R: Sketched>(&mut self, passes: &Passes<'_, R>, part: f64) {
        let found = passes.found(&self.drawn);
        let truth = passes.truth(&self.drawn, &found, part, 3 * ASKED_BY_FEATURES);
        let [mut of_steering, mut of_measured] = [(); 2].map(|()| room(truth.len()));
        for (number, list) in truth.chunks_exact(self.k).enumerate() {
            let lists = if is_measured(number) { &mut of_measured } else { &mut of_steering };
            lists.extend_from_slice(list);
        }
        self.steering.truncate(of_steering.len() / self.k);
        self.measured.truncate(of_measured.len() / self.k);
        self.truth = Some([of_steering, of_measured]);
    }

    /// Forgets the nearest, which may not be true.
    pub(super) fn forget(&mut self) {
        self.truth = None;
    }

    /// The share of the nearest that a search has found; none if nothing is known of these.
    pub(super) fn recall<R: Sketched>(&self, passes: &Passes<'_, R>) -> Option<Recall> {
        let [_, of_measured] = self.truth.as_ref()?;
        let found = passes.found(&self.measured);
        Recall::of(share(&found, of_measured, self.k), self.measured.len())
    }
}

fn is_measured(number: usize) -> bool {
    number % 3 == 1
}
