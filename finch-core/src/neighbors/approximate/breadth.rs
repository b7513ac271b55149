//! The number of rows that an approximate search looks at.

use super::tuning::{ASKED, ASKED_OF_SUMS, SPARE, SPARE_OF_SUMS};
use crate::metric::Metric;

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
            false => Self { k, spare: SPARE_OF_SUMS, asked: ASKED_OF_SUMS },
        }
    }
}
