//! One search of all samples: the one `match` that runs it.

use super::approximate::{self, Aim};
use super::choice::{Choice, Reason};
use super::exact::projected::{self, Axes, Plan};
use super::exact::{bits, blocked, brute, tree};
use super::look::Look;
use super::nearest::Nearest;
use super::recall::Recall;
use super::search::Search;
use crate::progress::Meter;
use crate::rows::Rows;

/// The result of a search: lists of the k nearest, and the recall if it is approximate.
pub(super) type Found = (Vec<Nearest>, Option<Recall>);

/// One search of all samples.
pub(super) struct Task<'a> {
    pub(super) rows: Rows<'a>,
    pub(super) k: usize,
    pub(super) aim: Aim,
    pub(super) meter: &'a Meter<'a>,
}

impl Task<'_> {
    /// Runs a search. `None` if the search gave up: along principal axes that do not help; or where more
    /// passes would find too little, or all would take longer than what runs `instead`, in seconds of
    /// one core. Without one, it does not give up. `plan` is for a search along principal axes.
    pub(super) fn run(
        &self,
        search: Search,
        plan: Option<&Plan<'_>>,
        instead: Option<f64>,
    ) -> Option<Found> {
        let Self { rows, k, aim, meter } = self;
        let nearest = match search {
            Search::Brute => brute::search(rows, *k, meter),
            Search::KdTree => tree::search(rows, *k, meter),
            Search::Blocked => match bits::bits_of(rows) {
                Some(bits) => bits::search(rows, bits, *k, meter),
                None => blocked::search(rows, *k, meter),
            },
            Search::Projected => {
                let plan = plan.expect("a search along main axes has a plan");
                projected::search(rows, *k, plan, meter)?
            }
            Search::Approximate => return approximate::search(rows, *k, *aim, instead, meter),
            Search::Auto => unreachable!("resolved before"),
        };
        Some((nearest, None))
    }

    /// Runs the search that was asked for.
    pub(super) fn run_requested(&self, search: Search) -> (Vec<Nearest>, Choice) {
        let mut axes = Axes::default();
        let plan =
            (search == Search::Projected).then(|| Plan::forced(&self.rows, &mut axes, self.meter));
        let found = self.run(search, plan.as_ref(), None);
        let (nearest, recall) = found.expect("a forced search does not give up");
        (nearest, Choice { search, reason: Reason::Asked, recall, look: Look::default() })
    }
}
