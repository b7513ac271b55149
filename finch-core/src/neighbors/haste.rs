//! The end of a search by a time limit: rows without neighbours get some, and the share of true
//! neighbours is measured.
//!
//! A search that meets its deadline leaves lists of what it has found so far, and empty ones. Each row
//! still has to have neighbours: near ones, found in a time that grows hardly faster than the rows. Rows
//! at about the same distance from a third row, a pivot, may be near each other (and rows at very
//! different distances are not, by the triangle inequality), so each row is compared with those that
//! follow it and come before it in the order of their distances to a pivot.

use rayon::prelude::*;

use super::approximate::{Compared, drawn, share};
use super::choice::{Choice, Reason};
use super::look::Look;
use super::nearest::{Nearest, last, offer};
use super::recall::Recall;
use super::search::Search;
use crate::memory::{collected, collected_in_parallel, filled, gathered};
use crate::progress::Meter;
use crate::rows::scrambled;

/// Rows from which distances are measured. Each takes as many comparisons as [`BESIDE`] tells, and one.
const PIVOTS: usize = 2;
/// Rows before, and rows after a row in the order of a pivot that the row is compared with, at least.
const BESIDE: usize = 3;
/// Rows whose true neighbours tell the recall: at least, and at most.
const ASKED: [usize; 2] = [32, 1024];
/// As many values may be compared to tell the recall: about a tenth of a second of one core.
const VALUES: usize = 1 << 28;
/// Rows that a thread takes at a time.
const AT_ONCE: usize = 256;

/// The result of a search in a time limit, completed: if the deadline of `meter` ended the search early,
/// all rows have `k` neighbours after this, or as many as there are others, and the recall is told.
/// `values` are those of all rows together.
pub(super) fn completed(
    rows: &impl Compared,
    values: usize,
    seed: u64,
    meter: &Meter,
    (mut nearest, choice): (Vec<Nearest>, Choice),
) -> (Vec<Nearest>, Choice) {
    let k = nearest.len() / rows.len();
    if !meter.is_bounded() || meter.beyond().stopped() {
        return (nearest, choice);
    }
    let is_whole = || nearest.par_chunks_exact(k).all(|list| *last(list) != Nearest::NONE);
    let is_measured = choice.exact() || choice.recall.is_some();
    if !meter.is_late() && (choice.exact() || is_measured && is_whole()) {
        return (nearest, choice);
    }
    let meter = meter.beyond();
    for pivot in drawn(rows.len(), PIVOTS, seed) {
        fill(rows, pivot, k, &mut nearest, meter);
    }
    let recall = measured(rows, values, seed, k, &nearest, meter);
    // The evidence of a look that was under way when time was over tells nothing.
    let (search, look) = (Search::Approximate, Look::default());
    let reason = match choice.reason {
        reason @ (Reason::Asked | Reason::Long { .. }) => reason,
        _ => Reason::Long { seconds: 0.0 },
    };
    (nearest, Choice { search, reason, recall, look })
}

/// Offers each row whose list is not full those beside it in the order of a pivot.
fn fill(rows: &impl Compared, pivot: u32, k: usize, nearest: &mut [Nearest], meter: &Meter) {
    let count = rows.len();
    let mut of_pivot = rows.room();
    rows.load(pivot as usize, &mut of_pivot);
    let mut keys = filled(0.0, count);
    keys.par_chunks_mut(AT_ONCE).enumerate().for_each_init(
        || rows.room(),
        |room, (part, keys)| {
            for (row, key) in (part * AT_ONCE..).zip(keys).take_while(|_| !meter.stopped()) {
                *key = rows.key_within(&of_pivot, row, f64::INFINITY, room);
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
    nearest.par_chunks_mut(AT_ONCE * k).enumerate().for_each_init(
        || [(); 2].map(|()| rows.room()),
        |[of_row, room], (part, lists)| {
            for (row, list) in (part * AT_ONCE..).zip(lists.chunks_exact_mut(k)) {
                if meter.stopped() {
                    return;
                }
                let first = ranks[row].saturating_sub(window / 2).min(count - window);
                rows.load(row, of_row);
                for &other in &order[first..first + window] {
                    let is_known = list.iter().any(|near| near.index == other);
                    if other as usize != row && !is_known {
                        let key = rows.key_within(of_row, other as usize, f64::INFINITY, room);
                        offer(list, key, other);
                    }
                }
            }
            meter.advance(0);
        },
    );
}

/// The share of the true `k` nearest of some rows that was found.
fn measured(
    rows: &impl Compared,
    values: usize,
    seed: u64,
    k: usize,
    nearest: &[Nearest],
    meter: &Meter,
) -> Option<Recall> {
    let [least, most] = ASKED;
    let asked = drawn(rows.len(), (VALUES / values.max(1)).clamp(least, most), scrambled(seed));
    let found_of = |row: u32| &nearest[row as usize * k..][..k];
    let truth = asked.par_iter().with_max_len(1).map_init(
        || [(); 2].map(|()| rows.room()),
        |[of_row, room], &row| {
            let mut list: Vec<Nearest> = collected(found_of(row).iter().copied());
            rows.load(row as usize, of_row);
            for other in (0..rows.len() as u32).take_while(|_| !meter.stopped()) {
                if other != row {
                    let limit = last(&list).key;
                    let key = rows.key_within(of_row, other as usize, limit, room);
                    if key <= limit && list.iter().all(|near| near.index != other) {
                        offer(&mut list, key, other);
                    }
                }
                if other % AT_ONCE as u32 == 0 {
                    meter.advance(0);
                }
            }
            list
        },
    );
    let truth = collected_in_parallel::<Vec<Nearest>>(truth);
    let truth: Vec<Nearest> = gathered(truth.into_iter().flatten());
    let found: Vec<Nearest> = gathered(asked.iter().flat_map(|&row| found_of(row).iter().copied()));
    Recall::of(share(&found, &truth, k), asked.len())
}
