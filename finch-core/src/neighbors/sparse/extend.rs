//! New rows beside rows whose nearest are known: only pairs with a new row are compared.

use rayon::prelude::*;

use super::block_of;
use super::inverted_index::{InvertedIndex, slack_of};
use super::search::Search;
use crate::neighbors::known::{Known, parted};
use crate::neighbors::lists::Nearest;
use crate::run::progress::Meter;
use crate::samples::sparse::{SparseMatrix, SparseRow, SparseRows};
use crate::support::memory::{filled, room};
use crate::support::parallel::SharedSplitting as _;

/// The largest share of all pairs that is compared beside known neighbours. A pair of a known and a new
/// row is compared from either side, as all pairs are in a search of all.
const MOST_PAIRS: f64 = 0.75;

/// Lists of the `k` nearest of each row. `None` where a search of all rows takes as long.
pub(in crate::neighbors) fn extended(
    rows: &SparseRows<'_>,
    k: usize,
    known: Known<'_>,
    meter: &Meter,
) -> Option<Vec<Nearest>> {
    let (all, old) = (rows.len(), known.index.nrows());
    let pairs = (all as f64).powi(2) - (old as f64).powi(2);
    if pairs > MOST_PAIRS * (all as f64).powi(2) {
        return None;
    }
    const NONE: Nearest = Nearest::NONE;
    let parted = parted(known, all);
    let mut nearest = filled(Nearest::NONE, all * k);
    let slack = slack_of(&[rows]);
    let base = InvertedIndex::of(rows, None, slack);
    fill(&base, rows, &parted.new, &mut nearest, meter);
    drop(base);
    // Keys are summed anew: a table has distances, and different keys may round to one distance.
    let mut lists = filled(Nearest::NONE, old * k);
    lists.par_chunks_exact_mut(k).enumerate().shared().for_each_init(
        || [(); 2].map(|()| SparseRow::default()),
        |[row, other], (place, list)| {
            rows.load(parted.known[place] as usize, row);
            let known = known.index.row(place).into_iter().filter(|&&index| index != NONE.index);
            for (place, &index) in list.iter_mut().zip(known) {
                rows.load(index as usize, other);
                *place = Nearest { key: rows.key(row, other), index };
            }
        },
    );
    for (list, &number) in lists.chunks_exact(k).zip(&parted.known) {
        nearest[number as usize * k..][..k].copy_from_slice(list);
    }
    drop(lists);
    if !parted.new.is_empty() {
        let new = SparseMatrix::selected(&rows.samples, &parted.new);
        let new = SparseRows::new(new.samples(), rows.metric());
        let base = InvertedIndex::of(&new, Some(&parted.new), slack);
        fill(&base, rows, &parted.known, &mut nearest, meter);
    }
    meter.advance((old as u64).pow(2));
    Some(nearest)
}

/// Offers the rows of the base to rows of these numbers. `nearest` has the lists of all rows.
fn fill(
    base: &InvertedIndex<'_>,
    rows: &SparseRows<'_>,
    numbers: &[u32],
    nearest: &mut [Nearest],
    meter: &Meter,
) {
    let k = nearest.len() / rows.len();
    let of = |number: u32| number as usize * k..(number as usize + 1) * k;
    let mut lists = room(numbers.len() * k);
    lists.extend(numbers.iter().flat_map(|&number| &nearest[of(number)]));
    let block = block_of(base.rows);
    lists.par_chunks_mut(block * k).enumerate().shared().for_each_init(
        || Search::of(base, rows, Some(numbers), block),
        |search, (at, lists)| {
            if !meter.stopped() {
                search.fill(at * block, lists, k, |compared, query, list| {
                    compared.fill_list(list, |row| base.name(row) as usize != query);
                });
                meter.advance((lists.len() / k * base.rows.len()) as u64);
            }
        },
    );
    for (list, &number) in lists.chunks_exact(k).zip(numbers) {
        nearest[of(number)].copy_from_slice(list);
    }
}
