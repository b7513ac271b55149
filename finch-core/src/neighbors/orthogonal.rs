//! Samples without a direction: all-zero rows under cosine, which are orthogonal to all others. The
//! searches that filter leave them out, since they have no place among the normalised rows.

use super::Nearest;
use crate::element::Element;
use crate::metric::{Metric, ORTHOGONAL};
use crate::rows::Rows;

/// Adds them to what a search found among the other samples.
pub(super) fn added<A: Element>(rows: &Rows<'_, A>, mut nearest: Vec<Nearest>) -> Vec<Nearest> {
    offer(rows, rows, &mut nearest);
    nearest
}

/// Offers them to every query, and to those without a direction every row of `base`.
pub(super) fn offer<A: Element>(
    queries: &Rows<'_, A>,
    base: &Rows<'_, A>,
    nearest: &mut [Nearest],
) {
    if queries.metric != Metric::Cosine {
        return;
    }
    if let Some(&first) = base.without_direction().first() {
        let first = base.first + first as usize;
        for (query, nearest) in nearest.iter_mut().enumerate() {
            if queries.first + query != first {
                nearest.offer(ORTHOGONAL, first as u32);
            }
        }
    }
    for query in queries.without_direction() {
        let others = base.first..base.first + base.len();
        let first = others.into_iter().find(|&other| other != queries.first + query as usize);
        if let Some(first) = first {
            nearest[query as usize].offer(ORTHOGONAL, first as u32);
        }
    }
}
