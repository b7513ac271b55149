//! Two blocks of rows compared: a product bounds the distances of their pairs from below, and what
//! the bounds leave is compared by key.

use std::iter;

use super::block::Side;
use super::frame::Frame;
use crate::neighbors::kernel::{Candidate, NearOthers, PairSums, all_pairs};
use crate::neighbors::lists::{KNearest, LockedLists, Nearest, Ranking, locked};
use crate::run::progress::Meter;
use crate::support::memory::filled;

/// The memory in which one thread compares blocks.
pub(in crate::neighbors::exact) struct Comparer {
    /// For the rows of either block, the rows of the other that bounds leave.
    near: [NearOthers; 2],
    /// The sums of the pairs of one block (see `within.rs`).
    pub(super) sums: PairSums,
    /// Two rows in f64.
    pub(super) pair: [Vec<f64>; 2],
}

impl Comparer {
    pub(in crate::neighbors::exact) fn new(features: usize) -> Self {
        let pair = [(); 2].map(|()| filled(0.0, features));
        Self { near: Default::default(), sums: PairSums::default(), pair }
    }

    /// Offers the rows of two blocks of the same data to each other, or of one block among
    /// themselves, unless the run has been stopped.
    pub(in crate::neighbors::exact) fn compare(
        &mut self,
        frame: &Frame,
        [(former, of_former), (later, of_later)]: [(Side<'_>, &LockedLists); 2],
        meter: &Meter,
    ) {
        if meter.stopped() {
            return;
        }
        let pairs = former.block.len() as u64 * later.block.len() as u64;
        if former.number(0) == later.number(0) {
            let nearest = &mut locked(of_former);
            if !self.compare_within(frame, former, nearest, meter) {
                self.update(KNearest, frame, [former, former], nearest, meter);
            }
            meter.advance(pairs);
            return;
        }
        set_limits(&mut self.near[0], KNearest, frame, [former, later], &locked(of_former));
        set_limits(&mut self.near[1], KNearest, frame, [later, former], &locked(of_later));
        self.find([former, later], meter);
        self.settle(KNearest, frame, 0, [former, later], &mut locked(of_former), meter);
        self.settle(KNearest, frame, 1, [later, former], &mut locked(of_later), meter);
        meter.advance(2 * pairs);
    }

    /// Offers the rows of a block of others to the rows of a block of queries, which have lists.
    pub(in crate::neighbors::exact) fn update(
        &mut self,
        ranking: impl Ranking,
        frame: &Frame,
        [queries, others]: [Side<'_>; 2],
        nearest: &mut [Nearest],
        meter: &Meter,
    ) {
        self.limit_queries(ranking, frame, [queries, others], nearest, meter);
        self.near[1].set_limits(&others.block.panels, iter::empty());
        self.find([queries, others], meter);
        self.settle(ranking, frame, 0, [queries, others], nearest, meter);
    }

    /// Sets the limits of queries. Lists with empty places would have none, and so all others would
    /// be found for them: they are first filled with the others of the smallest bounds.
    fn limit_queries(
        &mut self,
        ranking: impl Ranking,
        frame: &Frame,
        sides: [Side<'_>; 2],
        nearest: &mut [Nearest],
        meter: &Meter,
    ) {
        let [queries, others] = sides.map(|side| &side.block.panels);
        let k = nearest.len() / queries.rows();
        set_limits(&mut self.near[0], ranking, frame, sides, nearest);
        // One more than k, since one may be the query itself.
        if self.near[0].limit_to_few(queries, others, k + 1, meter) {
            self.near[1].set_limits(others, iter::empty());
            self.find(sides, meter);
            self.settle(ranking, frame, 0, sides, nearest, meter);
            set_limits(&mut self.near[0], ranking, frame, sides, nearest);
        }
    }

    /// Finds the pairs of two blocks that are within a limit of either row.
    fn find(&mut self, [one, other]: [Side<'_>; 2], meter: &Meter) {
        all_pairs(&one.block.panels, &other.block.panels, &mut self.near, meter);
    }

    /// Compares the rows of the first of two sides by key with the others that were found for them.
    fn settle(
        &mut self,
        ranking: impl Ranking,
        frame: &Frame,
        side: usize,
        sides: [Side<'_>; 2],
        nearest: &mut [Nearest],
        meter: &Meter,
    ) {
        let k = nearest.len() / sides[0].block.len();
        self.near[side].take_found(|i, found| {
            let list = &mut nearest[i * k..][..k];
            settle_query((ranking, frame), sides, i, found, list, &mut self.pair, meter);
        });
    }
}

/// Limits what is found for queries to the others that may still enter their lists.
fn set_limits(
    near: &mut NearOthers,
    ranking: impl Ranking,
    frame: &Frame,
    [queries, others]: [Side<'_>; 2],
    nearest: &[Nearest],
) {
    let k = nearest.len() / queries.block.len();
    let label = ranking.label((0..others.block.len()).map(|other| others.number(other) as u32));
    let limits = nearest.chunks_exact(k).map(|list| {
        let bar = ranking.bar_of_block(list, label);
        // At distance 0 only smaller numbers could win, and the others have none.
        let settled = bar.key == 0.0 && (bar.index as usize) < others.number(0);
        if settled { f32::NEG_INFINITY } else { frame.limit(bar.key) }
    });
    near.set_limits(&queries.block.panels, limits);
}

/// Compares query `i` by key with the others that were found for it.
fn settle_query(
    (ranking, frame): (impl Ranking, &Frame),
    [queries, others]: [Side<'_>; 2],
    i: usize,
    found: &mut [Candidate],
    list: &mut [Nearest],
    [of_query, of_other]: &mut [Vec<f64>; 2],
    meter: &Meter,
) {
    // The smallest bounds first: after as many as the list holds, few others pass. One more, since
    // one may be the query itself.
    let promising = found.len().min(list.len() + 1);
    if promising < found.len() {
        found.select_nth_unstable(promising);
    }
    found[..promising].sort_unstable();
    // Where the list was filled before (see `Comparer::limit_queries`).
    let may_be_there = list.len() < queries.block.panels.width();
    let mut loaded = false;
    let fine = queries.block.fine.as_ref().zip(others.block.fine.as_ref());
    let itself = queries.number(i);
    for candidate in &*found {
        let j = candidate.number() as usize;
        let number = others.number(j) as u32;
        let bar = *ranking.bar(list, number);
        // At distance 0 only smaller numbers could win.
        let settled = bar.key == 0.0 && number >= bar.index;
        let limit = frame.limit(bar.key);
        if number as usize == itself
            || candidate.distance() > limit
            || settled
            || fine.is_some_and(|(x, y)| x.bound(i, y, j) > limit)
            || may_be_there && list.iter().any(|there| there.index == number)
        {
            continue;
        }
        // For each key: of wide rows, one takes as long as a thousand of narrow ones.
        if meter.stopped() {
            return;
        }
        if !loaded {
            queries.load(i, of_query);
            loaded = true;
        }
        let key = others.key_within(of_query, j, bar.key, of_other);
        ranking.offer(list, key, number);
    }
}
