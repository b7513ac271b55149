//! Samples without a direction: all-zero rows under cosine, which are orthogonal to all others. The
//! searches that filter leave them out, since they have no place among the normalised rows.

use super::nearest::{Nearest, offer};
use crate::element::Element;
use crate::metric::{Metric, ORTHOGONAL};
use crate::rows::Rows;

/// Adds them to the lists that a search filled from the other samples.
pub(super) fn added<A: Element>(rows: &Rows<'_, A>, mut nearest: Vec<Nearest>) -> Vec<Nearest> {
    update(rows, rows, &mut nearest);
    nearest
}

/// Offers them to every query, and to those without a direction every row of `base`. All are
/// equally far, so of each as many as a list is long will do, those of the smallest numbers.
pub(super) fn update<A: Element>(
    queries: &Rows<'_, A>,
    base: &Rows<'_, A>,
    nearest: &mut [Nearest],
) {
    if queries.metric != Metric::Cosine {
        return;
    }
    let k = nearest.len() / queries.len();
    let all: Vec<usize> = (base.first..base.first + base.len()).take(k + 1).collect();
    let without: Vec<usize> =
        base.without_direction().iter().take(k + 1).map(|&row| base.first + row as usize).collect();
    let mut lost = queries.without_direction().into_iter().peekable();
    for (query, list) in nearest.chunks_exact_mut(k).enumerate() {
        let others = if lost.next_if_eq(&(query as u32)).is_some() { &all } else { &without };
        for &other in others.iter().filter(|&&other| other != queries.first + query).take(k) {
            offer(list, ORTHOGONAL, other as u32);
        }
    }
}
