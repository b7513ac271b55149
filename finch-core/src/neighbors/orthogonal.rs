//! Rows without a direction: all-zero rows under cosine, which are orthogonal to all others. Every
//! search but brute force leaves them out, since they have no place among the normalised rows.

use super::nearest::Nearest;
use super::ranking::{KNearest, Ranking};
use crate::metric::ORTHOGONAL;
use crate::rows::Rows;

/// Offers the rows without a direction to the lists that a search filled from the other rows, and
/// fills their own lists. `lost` are these rows' numbers, rising.
pub(super) fn added(lost: &[u32], mut nearest: Vec<Nearest>, rows: usize) -> Vec<Nearest> {
    let side = Side { first: 0, rows, lost };
    offer_lost(KNearest, [side; 2], &mut nearest);
    nearest
}

/// Offers the rows of `base` without a direction to every query, and every row of `base` to the
/// queries without a direction.
pub(super) fn update(
    ranking: impl Ranking,
    queries: &Rows<'_>,
    base: &Rows<'_>,
    nearest: &mut [Nearest],
) {
    let (lost, lost_of_base) = (queries.without_direction(), base.without_direction());
    let queries = Side { first: queries.first, rows: queries.len(), lost: &lost };
    let base = Side { first: base.first, rows: base.len(), lost: &lost_of_base };
    offer_lost(ranking, [queries, base], nearest);
}

/// Queries, or a base.
#[derive(Clone, Copy)]
struct Side<'a> {
    /// The number of the first row in the whole data.
    first: usize,
    rows: usize,
    /// The rows without a direction, by their numbers on this side.
    lost: &'a [u32],
}

/// All of these pairs are equally far, so that for each query as many rows as its list is long will do:
/// the ones of the smallest numbers.
fn offer_lost(ranking: impl Ranking, [queries, base]: [Side<'_>; 2], nearest: &mut [Nearest]) {
    if queries.lost.is_empty() && base.lost.is_empty() {
        return;
    }
    let k = nearest.len() / queries.rows;
    let number = |row: u32| (base.first + row as usize) as u32;
    let all = ranking.enough((0..base.rows as u32).map(number), k);
    let without = ranking.enough(base.lost.iter().copied().map(number), k);
    let mut lost = queries.lost.iter().peekable();
    for (query, list) in nearest.chunks_exact_mut(k).enumerate() {
        let others = if lost.next_if_eq(&&(query as u32)).is_some() { &all } else { &without };
        let others = others.iter().filter(|&&other| other as usize != queries.first + query);
        others.take(k).for_each(|&other| ranking.offer(list, ORTHOGONAL, other));
    }
}
