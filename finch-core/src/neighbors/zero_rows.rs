//! Zero rows: rows without a direction, under cosine. They are at distance 0 from each other, and neighbours of
//! no other row. Every search but brute force leaves them out, since they have no place among points.

use super::lists::{KNearest, Nearest, Ranking};
use crate::samples::rows::Rows;

/// Fills the lists of the zero rows, whose numbers these are, rising, beside those that a search filled.
pub(super) fn added(zero_rows: &[u32], mut nearest: Vec<Nearest>, rows: usize) -> Vec<Nearest> {
    let side = Side { first: 0, rows, zero_rows };
    offer_zero_rows(KNearest, [side; 2], &mut nearest);
    nearest
}

/// Offers the zero rows of `base` to the zero rows among the queries.
pub(super) fn update(
    ranking: impl Ranking,
    queries: &Rows<'_>,
    base: &Rows<'_>,
    nearest: &mut [Nearest],
) {
    let (of_queries, of_base) = (queries.zero_rows(), base.zero_rows());
    let queries = Side { first: queries.first, rows: queries.len(), zero_rows: &of_queries };
    let base = Side { first: base.first, rows: base.len(), zero_rows: &of_base };
    offer_zero_rows(ranking, [queries, base], nearest);
}

/// Queries, or a base.
#[derive(Clone, Copy)]
struct Side<'a> {
    /// The number of the first row in the whole data.
    first: usize,
    rows: usize,
    /// The zero rows, by their numbers on this side.
    zero_rows: &'a [u32],
}

/// All of these pairs are equally near, so that for each query as many rows as its list is long will do:
/// the ones of the smallest numbers.
fn offer_zero_rows(ranking: impl Ranking, [queries, base]: [Side<'_>; 2], nearest: &mut [Nearest]) {
    if queries.zero_rows.is_empty() || base.zero_rows.is_empty() {
        return;
    }
    let k = nearest.len() / queries.rows;
    let numbers = base.zero_rows.iter().map(|&row| (base.first + row as usize) as u32);
    let enough = ranking.enough(numbers, k);
    for &query in queries.zero_rows {
        let list = &mut nearest[query as usize * k..][..k];
        let itself = queries.first + query as usize;
        let others = enough.iter().filter(|&&other| other as usize != itself);
        others.take(k).for_each(|&other| ranking.offer(list, 0.0, other));
    }
}
