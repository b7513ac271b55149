//! The end of a search by a time limit: rows without neighbours get some, and the share of true
//! neighbours is measured.
//!
//! A search that meets its deadline leaves lists of what it has found so far, and empty ones. Each row
//! still has to have neighbours: near ones, found in a time that grows hardly faster than the rows. Rows
//! at about the same distance from a third row, a pivot, may be near each other (and rows at very
//! different distances are not, by the triangle inequality), so each row is compared with those that
//! follow it and come before it in the order of their distances to a pivot.

use rayon::prelude::*;

use super::{drawn, share};
use crate::neighbors::exact::bits::{self, bits_of};
use crate::neighbors::exact::blocked;
use crate::neighbors::lists::{KNearest, Nearest, last, offer};
use crate::neighbors::search::{Choice, Evidence, Reason, Recall, Search};
use crate::run::progress::Meter;
use crate::samples::comparable::Keyed;
use crate::samples::rows::Rows;
use crate::samples::sparse::SparseRows;
use crate::support::memory::{collected, collected_in_parallel, copied, filled, gathered, room};
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::scrambled;

/// Rows from which distances are measured. Each takes as many comparisons as [`BESIDE`] tells, and one.
const PIVOTS: usize = 2;
/// Rows before, and rows after a row in the order of a pivot that the row is compared with, at least.
const BESIDE: usize = 3;
/// Rows whose true neighbours tell the recall: at least, and at most.
const ASKED: [usize; 2] = [16, 1024];
/// Rows that a thread takes at a time.
const AT_ONCE: usize = 256;

/// Rows of which the true neighbours of a few can be told.
pub(in crate::neighbors) trait Measured: Keyed {
    /// As many values may be compared for it: about a twentieth of a second of one core.
    const VALUES: usize;

    /// Values that a row counts as beyond its own: to take it up takes as long.
    const OF_ROW: usize;

    /// Lists of the true `k` nearest of each of the rows `asked`. `found` are near rows of each.
    fn nearest_of(&self, asked: &[u32], found: &[Nearest], k: usize, meter: &Meter)
    -> Vec<Nearest>;
}

impl Measured for Rows<'_> {
    const VALUES: usize = 1 << 30;
    const OF_ROW: usize = 0;

    /// By blocks of all features of all pairs.
    fn nearest_of(&self, asked: &[u32], _: &[Nearest], k: usize, meter: &Meter) -> Vec<Nearest> {
        let queries = self.samples.select(asked);
        // Their numbers are those of no row, and each finds itself.
        let queries = Rows { first: self.len(), ..Rows::new(queries.view(), self.metric) };
        let base = self.reborrow();
        let mut found = filled(Nearest::NONE, asked.len() * (k + 1));
        match (bits_of(&queries), bits_of(&base)) {
            (Some(of_queries), Some(of_base)) => {
                let bits = [of_queries, of_base];
                bits::update(KNearest, [&queries, &base], bits, &mut found, meter);
            }
            _ => blocked::update(KNearest, &queries, &base, &mut found, meter),
        }
        let mut nearest = room(asked.len() * k);
        for (list, itself) in found.chunks_exact(k + 1).zip(asked) {
            nearest.extend(list.iter().filter(|near| near.index != *itself).take(k));
        }
        nearest
    }
}

impl Measured for SparseRows<'_> {
    const VALUES: usize = 1 << 27;
    const OF_ROW: usize = 128;

    /// One pair after the other.
    fn nearest_of(
        &self,
        asked: &[u32],
        found: &[Nearest],
        k: usize,
        meter: &Meter,
    ) -> Vec<Nearest> {
        let found = found.par_chunks_exact(k);
        let lists = asked.par_iter().zip(found).with_max_len(1).map_init(
            || [(); 2].map(|()| self.room()),
            |[of_row, room], (&row, found)| {
                let mut list: Vec<Nearest> = copied(found);
                SparseRows::load(self, row as usize, of_row);
                for other in (0..self.len() as u32).take_while(|_| !meter.stopped()) {
                    if other != row {
                        let limit = last(&list).key;
                        let key = self.key_within(of_row, other as usize, limit, room);
                        if key <= limit && list.iter().all(|near| near.index != other) {
                            offer(&mut list, key, other);
                        }
                    }
                }
                list
            },
        );
        let lists = collected_in_parallel::<Vec<Nearest>>(lists);
        gathered(lists.into_iter().flatten())
    }
}

/// The result of a search in a time limit, completed: if the deadline of `meter` ended the search early,
/// all rows have `k` neighbours after this, or as many as there are others, and the recall is told.
/// `values` are those of all rows together.
pub(in crate::neighbors) fn completed(
    rows: &impl Measured,
    values: usize,
    seed: u64,
    meter: &Meter,
    (mut nearest, choice): (Vec<Nearest>, Choice),
) -> (Vec<Nearest>, Choice) {
    let k = nearest.len() / rows.len();
    if !meter.is_bounded() || meter.beyond().stopped() {
        return (nearest, choice);
    }
    let is_whole = || nearest.par_chunks_exact(k).shared().all(|list| *last(list) != Nearest::NONE);
    let is_measured = choice.exact() || choice.recall.is_some();
    if !meter.is_late() && (choice.exact() || is_measured && is_whole()) {
        return (nearest, choice);
    }
    let meter = meter.beyond();
    let is_full = nearest.par_chunks_exact(k).map(|list| *last(list) != Nearest::NONE);
    let is_full: Vec<bool> = collected_in_parallel(is_full);
    if is_full.contains(&false) {
        for pivot in drawn(rows.len(), PIVOTS, seed) {
            fill(rows, pivot, &is_full, k, &mut nearest, meter);
        }
    }
    let recall = measured(rows, values, seed, k, &nearest, meter);
    // The evidence of a look that was under way when time was over tells nothing.
    let (search, evidence) = (Search::Approximate, Evidence::default());
    let reason = match choice.reason {
        reason @ (Reason::Asked | Reason::Long { .. }) => reason,
        _ => Reason::Long { seconds: 0.0 },
    };
    (nearest, Choice { search, reason, recall, evidence })
}

/// Offers each row whose list is not full the rows beside it in the order of a pivot.
fn fill(
    rows: &impl Keyed,
    pivot: u32,
    is_full: &[bool],
    k: usize,
    nearest: &mut [Nearest],
    meter: &Meter,
) {
    let count = rows.len();
    let mut of_pivot = rows.room();
    rows.load(pivot as usize, &mut of_pivot);
    let mut keys = filled(0.0, count);
    keys.par_chunks_mut(AT_ONCE).enumerate().shared().for_each_init(
        || rows.room(),
        |room, (part, keys)| {
            for (row, key) in (part * AT_ONCE..).zip(keys).take_while(|_| !meter.stopped()) {
                *key = rows.key(&of_pivot, row, room);
            }
            meter.advance(0);
        },
    );
    let mut order: Vec<u32> = collected(0..count as u32);
    order.par_sort_unstable_by(|&a, &b| {
        keys[a as usize].total_cmp(&keys[b as usize]).then(a.cmp(&b))
    });
    let mut ranks = filled(0, count);
    order.iter().enumerate().for_each(|(rank, &row)| ranks[row as usize] = rank);
    let window = (2 * BESIDE.max(k) + 1).min(count);
    // Lists in the order of the pivot: each row is then read once for all rows that it is compared with. In the order
    // of rows it would be read anew for each.
    let mut ordered = filled(Nearest::NONE, count * k);
    ordered.par_chunks_mut(AT_ONCE * k).enumerate().shared().for_each_init(
        || [(); 2].map(|()| rows.room()),
        |[of_row, room], (part, lists)| {
            for (rank, list) in (part * AT_ONCE..).zip(lists.chunks_exact_mut(k)) {
                if meter.stopped() {
                    return;
                }
                let row = order[rank] as usize;
                if is_full[row] {
                    continue;
                }
                list.copy_from_slice(&nearest[row * k..][..k]);
                let first = rank.saturating_sub(window / 2).min(count - window);
                rows.load(row, of_row);
                for &other in &order[first..first + window] {
                    let is_known = list.iter().any(|near| near.index == other);
                    if other as usize != row && !is_known {
                        let key = rows.key(of_row, other as usize, room);
                        offer(list, key, other);
                    }
                }
            }
            meter.advance(0);
        },
    );
    nearest.par_chunks_mut(k).zip(&ranks).zip(is_full).for_each(|((list, &rank), &is_full)| {
        if !is_full {
            list.copy_from_slice(&ordered[rank * k..][..k]);
        }
    });
}

/// The share of the true `k` nearest of some rows that was found.
fn measured<R: Measured>(
    rows: &R,
    values: usize,
    seed: u64,
    k: usize,
    nearest: &[Nearest],
    meter: &Meter,
) -> Option<Recall> {
    let [least, most] = ASKED;
    let compared = values + rows.len() * R::OF_ROW;
    let count = (R::VALUES / compared.max(1)).clamp(least, most);
    let asked = drawn(rows.len(), count, scrambled(seed));
    let found_of = |row: u32| &nearest[row as usize * k..][..k];
    let found: Vec<Nearest> = gathered(asked.iter().flat_map(|&row| found_of(row).iter().copied()));
    let truth = rows.nearest_of(&asked, &found, k, meter);
    Recall::of(share(&found, &truth, k), asked.len())
}
