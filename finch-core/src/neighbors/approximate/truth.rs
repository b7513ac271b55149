//! The true neighbours of some rows, by which an approximate search is judged.
//!
//! Rows are compared with all others by the first numbers of their sketches, by more where these leave too
//! many pairs. The rest is compared by all numbers, one by one. Any of these bounds distances from below,
//! and what the bound leaves is compared by key. Blocks of sketches that are near each other in memory, and so
//! in space, are passed by where their middle is farther from a row than the row's nearest known neighbour
//! and the block's farthest member from its middle together, since no member can be nearer then (the triangle
//! inequality).

use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::group::Group;
use super::sketches::Sketches;
use super::tuning::{
    ASKED_AT_FIRST, ASKED_AT_ONCE, ASKED_WIDTH, BLOCK, BLOCKS, BLOCKS_AT_FIRST, LEFT_BY_FEWER,
    MOST_LEFT, SMALLEST_BLOCK,
};
use crate::neighbors::exact::blocked;
use crate::neighbors::kernel::Candidate;
use crate::neighbors::lists::{
    KNearest, LockedLists, Nearest, empty_lists, last, locked, offer, unlocked,
};
use crate::run::progress::Meter;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, filled, gathered, reserve, room};
use crate::support::parallel::SharedSplitting as _;

/// Lists of the `k` nearest of the rows at the places that are asked for, among the rows at the places
/// of the base: bit for bit those of an exact search. For each of these rows, `known` has a key that at
/// least `k` others do not exceed; the smaller the key, the faster the search. Of rows that have to be compared by
/// all features, only the first `most_by_features` get lists.
pub(super) fn nearest_of(
    rows: &Rows<'_>,
    sketches: &Sketches,
    [base, asked]: [&[u32]; 2],
    k: usize,
    known: impl Fn(usize) -> f64 + Sync,
    most_by_features: usize,
    meter: &Meter,
) -> Vec<Nearest> {
    let mut nearest = room(asked.len() * k);
    // The first few tell whether sketches leave fewer pairs than all features take longer for.
    let (few, rest) = asked.split_at(asked.len().min(ASKED_AT_FIRST));
    let left = nearest_of_some(rows, sketches, [base, few], k, &known, meter, &mut nearest);
    if left as f64 > MOST_LEFT * (few.len() * base.len()) as f64 && sketches.len() == rows.len() {
        let rest = &rest[..rest.len().min(most_by_features.saturating_sub(few.len()))];
        nearest.extend(nearest_by_features(rows, sketches, [base, rest], k, meter));
        return nearest;
    }
    for (part, places) in rest.chunks(ASKED_AT_ONCE).enumerate() {
        let known = |number| known(few.len() + part * ASKED_AT_ONCE + number);
        nearest_of_some(rows, sketches, [base, places], k, known, meter, &mut nearest);
    }
    nearest
}

/// Adds the lists of some rows. Returns how many pairs were compared by key, or nearly so.
fn nearest_of_some(
    rows: &Rows<'_>,
    sketches: &Sketches,
    [base, places]: [&[u32]; 2],
    k: usize,
    known: impl Fn(usize) -> f64,
    meter: &Meter,
    nearest: &mut Vec<Nearest>,
) -> usize {
    let block = (base.len() / BLOCKS).clamp(SMALLEST_BLOCK, BLOCK);
    let known = collected((0..places.len()).map(known));
    let lists = collected(places.iter().map(|_| empty_lists(1, k)));
    let width = AtomicUsize::new(sketches.width().min(ASKED_WIDTH));
    let [compared, left] = [0, 0].map(AtomicUsize::new);
    let rows = rows.reborrow();
    let asked = Asked { rows, sketches, width, compared, left, places, known, lists };
    base.par_chunks(block).with_max_len(1).shared().for_each_init(
        || Workspace::new(asked.rows.features()),
        |workspace, block| {
            if !meter.stopped() {
                asked.search(block, workspace, meter);
                meter.advance((block.len() * places.len()) as u64);
            }
        },
    );
    nearest.extend(asked.lists.into_iter().flat_map(unlocked));
    asked.left.into_inner()
}

/// [`nearest_of`] under any metric: by blocks of all features of all pairs, which count as progress.
pub(super) fn nearest_by_features(
    rows: &Rows<'_>,
    sketches: &Sketches,
    [base, asked]: [&[u32]; 2],
    k: usize,
    meter: &Meter,
) -> Vec<Nearest> {
    // The first rows: under a metric without products all rows have sketches.
    let base = Rows::new(rows.samples.reborrow().part(0..base.len()), rows.metric);
    let mut nearest = room(asked.len() * k);
    for places in asked.chunks(ASKED_AT_ONCE) {
        let numbers: Vec<u32> = collected(places.iter().map(|&place| sketches.row(place)));
        let queries = rows.samples.select(&numbers);
        // Their numbers are those of no rows of the base, and each finds itself if it is one.
        let queries = Rows { first: rows.len(), ..Rows::new(queries.view(), rows.metric) };
        let mut found = filled(Nearest::NONE, places.len() * (k + 1));
        blocked::update(KNearest, &queries, &base.reborrow(), &mut found, meter);
        for (list, &itself) in found.chunks_exact(k + 1).zip(&numbers) {
            nearest.extend(list.iter().filter(|near| near.index != itself).take(k));
        }
    }
    nearest
}

/// The memory in which a thread compares.
struct Workspace {
    group: Group,
    found: Vec<Candidate>,
    /// Of each row that is compared, the largest squared distance, in steps, of a sketch whose row
    /// may be one of the nearest.
    limits: Vec<f32>,
    /// Two rows in f64.
    pair: [Vec<f64>; 2],
}

impl Workspace {
    fn new(features: usize) -> Self {
        let pair = [(); 2].map(|()| filled(0.0, features));
        Self { group: Group::default(), found: Vec::new(), limits: Vec::new(), pair }
    }
}

/// Rows whose nearest are searched.
struct Asked<'a> {
    rows: Rows<'a>,
    sketches: &'a Sketches,
    /// By how many first numbers sketches are compared: more, once so few have left too many pairs.
    width: AtomicUsize,
    /// Pairs compared at this width.
    compared: AtomicUsize,
    /// Of these, the pairs within the limit, which are compared by key.
    left: AtomicUsize,
    /// The places of their sketches.
    places: &'a [u32],
    /// For each of these rows, a key that its nearest do not exceed.
    known: Vec<f64>,
    lists: Vec<LockedLists>,
}

impl Asked<'_> {
    /// The largest distance of a sketch whose row may be one of the nearest of a row that is asked
    /// for.
    fn limit(&self, query: usize) -> f64 {
        self.limit_of(query, &locked(&self.lists[query]))
    }

    /// [`Asked::limit`] of a row whose list this is.
    fn limit_of(&self, query: usize, list: &[Nearest]) -> f64 {
        self.sketches.limit(last(list).key.min(self.known[query]))
    }

    /// Offers the rows at the places of a block to those of the asked rows that may be near one.
    fn search(&self, block: &[u32], workspace: &mut Workspace, meter: &Meter) {
        let Self { sketches, .. } = *self;
        let middle = [block[block.len() / 2]];
        let Workspace { group, limits, .. } = workspace;
        let (mut farthest, scale) = (0.0, group.gather(sketches, &middle, block));
        group.compare(sketches, &middle, |_, to_block| farthest = to_block.farthest());
        let radius = scale.distance(farthest);
        let scale = group.gather(sketches, &middle, self.places);
        let reach = |query| scale.limit(radius + self.limit(query));
        limits.clear();
        reserve(limits, self.places.len());
        limits.extend((0..self.places.len()).map(reach));
        let mut queries = Vec::new();
        group.compare(sketches, &middle, |_, to_asked| {
            to_asked.find_within(f32::NEG_INFINITY, limits, &mut workspace.found);
            queries = collected(workspace.found.iter().map(|near| near.number() as usize));
        });
        if !queries.is_empty() {
            self.compare(block, &queries, workspace, meter);
        }
    }

    /// Offers the rows at the places of a block to some of the asked rows.
    fn compare(&self, block: &[u32], queries: &[usize], workspace: &mut Workspace, meter: &Meter) {
        let Self { rows, sketches, places, lists, .. } = self;
        let width = self.width.load(Relaxed);
        let Workspace { group, found, limits, pair: [of_member, of_query] } = workspace;
        let of_queries: Vec<u32> = collected(queries.iter().map(|&query| places[query]));
        let scale = group.gather_first(sketches, width, block, &of_queries);
        let mut left = 0;
        limits.clear();
        limits.extend(queries.iter().map(|&query| scale.limit(self.limit(query))));
        group.compare(sketches, block, |i, to_queries| {
            to_queries.find_within(f32::NEG_INFINITY, limits, found);
            left += found.len();
            let member = sketches.row(block[i]);
            let mut loaded = false;
            // For each key: where rows are nearly equal, all are compared.
            for near in found.iter().take_while(|_| !meter.stopped()) {
                let query = queries[near.number() as usize];
                let mut list = locked(&lists[query]);
                // At distance 0 only smaller numbers could win: many rows may be equal.
                let settled = last(&list).key == 0.0 && member >= last(&list).index;
                if places[query] == block[i] || settled {
                    continue;
                }
                let least = sketches.least_distance(block[i], places[query]);
                if least > self.limit_of(query, &list) {
                    continue;
                }
                if !loaded {
                    rows.load(member as usize, of_member);
                    loaded = true;
                }
                let (of_row, most) = (sketches.row(places[query]) as usize, last(&list).key);
                let key = rows.key_within(of_member, of_row, most, of_query);
                offer(&mut list, key, member);
                drop(list);
                limits[near.number() as usize] = scale.limit(self.limit(query));
            }
        });
        self.widen(width, left, block.len() * queries.len());
    }

    /// Has more numbers compared once those of a width have left too many pairs of those compared so far.
    fn widen(&self, width: usize, left: usize, compared: usize) {
        if self.width.load(Relaxed) != width {
            // Another thread has, and counts anew.
            return;
        }
        let left = left + self.left.fetch_add(left, Relaxed);
        if width == self.sketches.width() {
            return;
        }
        let compared = compared + self.compared.fetch_add(compared, Relaxed);
        let most = (compared + BLOCKS_AT_FIRST * BLOCK * self.places.len()) as f64 * width as f64;
        if left as f64 * LEFT_BY_FEWER > most {
            self.width.fetch_max(self.sketches.width().min(2 * width), Relaxed);
            self.left.store(0, Relaxed);
            self.compared.store(0, Relaxed);
        }
    }
}

/// The share of the `k` nearest of some rows that was found. A neighbour that is as near as the
/// k-th nearest counts as one of the nearest.
pub(in crate::neighbors) fn share(found: &[Nearest], truth: &[Nearest], k: usize) -> f64 {
    let of_row = |(found, truth): (&[Nearest], &[Nearest])| {
        // Fewer than k where there are not as many with a direction.
        let there: Vec<&Nearest> = gathered(truth.iter().filter(|&near| *near != Nearest::NONE));
        match there.last() {
            None => 1.0,
            Some(kth) => {
                found.iter().filter(|near| near.key <= kth.key).count() as f64 / there.len() as f64
            }
        }
    };
    let rows = found.len() / k;
    match rows {
        0 => 1.0,
        _ => {
            let lists = found.chunks_exact(k).zip(truth.chunks_exact(k));
            lists.map(of_row).sum::<f64>() / rows as f64
        }
    }
}
