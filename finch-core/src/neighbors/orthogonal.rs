//! Rows without a direction: all-zero rows under cosine, which are orthogonal to all others. Every
//! search but brute force leaves them out, since they have no place among the normalised rows.

use super::nearest::Nearest;
use super::ranking::{KNearest, Ranking};
use crate::metric::{Metric, ORTHOGONAL};
use crate::rows::Rows;

/// Offers the rows without a direction to the lists that a search filled from the other rows, and
/// fills their own lists.
pub(super) fn added(rows: &Rows<'_>, mut nearest: Vec<Nearest>) -> Vec<Nearest> {
    update(KNearest, rows, rows, &mut nearest);
    nearest
}

/// Offers the rows of `base` without a direction to every query, and every row of `base` to the
/// queries without a direction. All of these pairs are equally far, so that for each query as many
/// rows as its list is long will do: the ones of the smallest numbers.
pub(super) fn update(
    ranking: impl Ranking,
    queries: &Rows<'_>,
    base: &Rows<'_>,
    nearest: &mut [Nearest],
) {
    if queries.metric != Metric::Cosine {
        return;
    }
    let k = nearest.len() / queries.len();
    let number = |row: u32| (base.first + row as usize) as u32;
    let all = ranking.enough((0..base.len() as u32).map(number), k);
    let without = ranking.enough(base.without_direction().into_iter().map(number), k);
    let mut lost = queries.without_direction().into_iter().peekable();
    for (query, list) in nearest.chunks_exact_mut(k).enumerate() {
        let others = if lost.next_if_eq(&(query as u32)).is_some() { &all } else { &without };
        let others = others.iter().filter(|&&other| other as usize != queries.first + query);
        others.take(k).for_each(|&other| ranking.offer(list, ORTHOGONAL, other));
    }
}
