//! The request to an approximate search: its aim, its two sides, and how many rows it looks at.

use std::time::{Duration, Instant};

use super::tuning::{
    ASKED, ASKED_BY_FEATURES, SPARE, SPARE_OF_SUMS, TIME_OF_MOVES, UNBOUNDED_VALUES,
};
use crate::error::{Error, Result};
use crate::neighbors::search::Search;
use crate::samples::metric::Metric;

/// An exact search that takes at most this many times as long as the approximate one is worth it.
pub(in crate::neighbors) const WORTH_EXACT: f64 = 2.0;

/// Rows that search the nearest among all others, or *queries* that search the nearest among the rows
/// before them, the *base*.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Sides {
    rows: usize,
    /// The number of rows of the base; `None` where all rows search among all others.
    base: Option<usize>,
}

impl Sides {
    /// All of some rows search among each other.
    pub(crate) fn one(rows: usize) -> Self {
        Self { rows, base: None }
    }

    /// Of some rows those after the first `base` search among these.
    pub(crate) fn two(rows: usize, base: usize) -> Self {
        Self { rows, base: Some(base) }
    }

    /// True if there are queries and a base.
    pub(super) fn are_two(self) -> bool {
        self.base.is_some()
    }

    /// True if a row searches.
    pub(super) fn searches(self, row: u32) -> bool {
        self.base.is_none_or(|base| row as usize >= base)
    }

    /// True if a row can be found.
    pub(super) fn is_base(self, row: u32) -> bool {
        self.base.is_none_or(|base| (row as usize) < base)
    }

    /// The first row that searches.
    pub(super) fn first(self) -> usize {
        self.base.unwrap_or(0)
    }

    /// The pairs of a row that searches and a row that can be found.
    pub(super) fn pairs(self) -> f64 {
        match self.base {
            None => (self.rows as f64).powi(2),
            Some(base) => base as f64 * (self.rows - base) as f64,
        }
    }
}

/// The number of rows that a search looks at.
#[derive(Clone, Copy, Debug)]
pub(in crate::neighbors) struct Breadth {
    /// The nearest that are asked for.
    pub(in crate::neighbors) k: usize,
    /// Rows beyond these that are compared with each row by key.
    pub(in crate::neighbors) spare: usize,
    /// Rows whose true neighbours tell the recall in the end, at most. The true neighbours of twice as
    /// many others tell after each move whether to stop.
    pub(in crate::neighbors) asked: usize,
}

impl Breadth {
    /// That of a search for the `k` nearest of dense rows.
    pub(in crate::neighbors) fn of(metric: Metric, k: usize) -> Self {
        match metric.has_products() {
            true => Self { k, spare: SPARE, asked: ASKED },
            false => Self { k, spare: SPARE_OF_SUMS, asked: ASKED_BY_FEATURES },
        }
    }
}

/// The aim of an approximate search, and the seed of its random numbers.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Aim {
    /// The share of true neighbours that is enough.
    pub(crate) recall: f64,
    /// The seed of random numbers.
    pub(crate) seed: u64,
    /// When to end, with whatever was found.
    pub(crate) deadline: Option<Instant>,
}

impl Aim {
    /// Refuses a share that is none.
    pub(crate) fn check(&self) -> Result<()> {
        match self.recall > 0.0 && self.recall <= 1.0 {
            true => Ok(()),
            false => Err(Error::InvalidRecall { recall: self.recall }),
        }
    }

    /// The seconds that are left; infinite if they are not bounded.
    pub(in crate::neighbors) fn seconds_left(&self) -> f64 {
        self.deadline.map_or(f64::INFINITY, |_| self.time_left().as_secs_f64())
    }

    /// The aim of a search of so many rows, of so many values each. One that is asked for by name takes the
    /// time that it takes, but for the approximate one; and so does one that takes no time to speak of.
    pub(in crate::neighbors) fn of_search(
        self,
        requested: Search,
        rows: usize,
        values: usize,
    ) -> Self {
        let is_long = (rows as f64).powi(2) * values as f64 > UNBOUNDED_VALUES;
        let is_bounded = is_long && matches!(requested, Search::Auto | Search::Approximate);
        Self { deadline: self.deadline.filter(|_| is_bounded), ..self }
    }

    /// The time that is left, which has to be bounded.
    pub(in crate::neighbors) fn time_left(&self) -> Duration {
        let deadline = self.deadline.expect("time is bounded");
        deadline.saturating_duration_since(Instant::now())
    }

    /// The aim of moves, after which near rows are still to be compared by key, and levels to be searched.
    pub(in crate::neighbors) fn for_moves(self) -> Self {
        let of_moves = |_| Instant::now() + self.time_left().mul_f64(TIME_OF_MOVES);
        Self { deadline: self.deadline.map(of_moves), ..self }
    }
}
