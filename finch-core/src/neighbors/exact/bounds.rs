//! Lower bounds of the distances between two blocks of rows, and what they leave to be compared.

use std::iter;
use std::sync::Mutex;

use super::block::Side;
use super::frame::Frame;
use crate::element::Element;
use crate::neighbors::kernel::Near;
use crate::neighbors::kernel::all_pairs;
use crate::neighbors::nearest::{Lists, Nearest, last, offer};
use crate::progress::Meter;

/// What one thread works in.
pub(super) struct Scratch {
    /// What bounds leave of two blocks.
    near: [Near; 2],
    pair: [Vec<f64>; 2],
}

impl Scratch {
    pub(super) fn new(features: usize) -> Self {
        Self { near: Default::default(), pair: [(); 2].map(|()| vec![0.0; features]) }
    }

    /// Offers the rows of two blocks of the same data to each other, or of one block among
    /// themselves, unless nobody waits for it any more.
    pub(super) fn compare<A: Element>(
        &mut self,
        frame: &Frame,
        [(former, of_former), (later, of_later)]: [(Side<'_, A>, &Lists); 2],
        meter: &Meter,
    ) {
        if meter.stopped() {
            return;
        }
        let locked = |lists| Mutex::lock(lists).expect("a panic has ended the search");
        let pairs = former.block.len() as u64 * later.block.len() as u64;
        if former.number(0) == later.number(0) {
            self.update(frame, [former, former], &mut locked(of_former));
            meter.advance(pairs);
            return;
        }
        limit(&mut self.near[0], frame, [former, later], &locked(of_former));
        limit(&mut self.near[1], frame, [later, former], &locked(of_later));
        self.find([former, later]);
        self.settle(frame, 0, [former, later], &mut locked(of_former));
        self.settle(frame, 1, [later, former], &mut locked(of_later));
        meter.advance(2 * pairs);
    }

    /// Offers the rows of a block to those of another, which have lists.
    pub(super) fn update<A: Element>(
        &mut self,
        frame: &Frame,
        [queries, others]: [Side<'_, A>; 2],
        nearest: &mut [Nearest],
    ) {
        self.limit_filled(frame, [queries, others], nearest);
        self.near[1].limit(&others.block.panels, iter::empty());
        self.find([queries, others]);
        self.settle(frame, 0, [queries, others], nearest);
    }

    /// Limits what is found for queries. Lists that are not full are first filled with the most
    /// promising of the others, or all of these would be within the limit.
    fn limit_filled<A: Element>(
        &mut self,
        frame: &Frame,
        sides: [Side<'_, A>; 2],
        nearest: &mut [Nearest],
    ) {
        let [queries, others] = sides.map(|side| &side.block.panels);
        let k = nearest.len() / queries.rows();
        limit(&mut self.near[0], frame, sides, nearest);
        // One more, which may be the query itself.
        if self.near[0].limit_to_few(queries, others, k + 1) {
            self.near[1].limit(others, iter::empty());
            self.find(sides);
            self.settle(frame, 0, sides, nearest);
            limit(&mut self.near[0], frame, sides, nearest);
        }
    }

    /// Finds the pairs of two blocks that are within a limit.
    fn find<A>(&mut self, [one, other]: [Side<'_, A>; 2]) {
        all_pairs(&one.block.panels, &other.block.panels, &mut self.near);
    }

    /// Compares the rows of one of the two blocks with what was found of the other.
    fn settle<A: Element>(
        &mut self,
        frame: &Frame,
        side: usize,
        sides: [Side<'_, A>; 2],
        nearest: &mut [Nearest],
    ) {
        let k = nearest.len() / sides[0].block.len();
        self.near[side].take_found(|i, candidates| {
            settle(frame, sides, i, candidates, &mut nearest[i * k..][..k], &mut self.pair);
        });
    }
}

/// Limits what is found for a block's rows to what may still enter their lists.
fn limit<A: Element>(
    near: &mut Near,
    frame: &Frame,
    [queries, others]: [Side<'_, A>; 2],
    nearest: &[Nearest],
) {
    let k = nearest.len() / queries.block.len();
    let limits = nearest.chunks_exact(k).map(|list| {
        // What follows cannot be as near and have a smaller number.
        let settled = last(list).key == 0.0 && (last(list).index as usize) < others.number(0);
        if settled { f32::NEG_INFINITY } else { frame.limit(list) }
    });
    near.limit(&queries.block.panels, limits);
}

/// Compares query `i` by key with the candidates of a block of others.
fn settle<A: Element>(
    frame: &Frame,
    [queries, others]: [Side<'_, A>; 2],
    i: usize,
    candidates: &mut [(f32, u32)],
    list: &mut [Nearest],
    [of_query, of_other]: &mut [Vec<f64>; 2],
) {
    // The most promising first: after as many as the list holds, few others pass. One may be the
    // query itself.
    let by_bound = |a: &(f32, u32), b: &(f32, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    let promising = candidates.len().min(list.len() + 1);
    if promising < candidates.len() {
        candidates.select_nth_unstable_by(promising, by_bound);
    }
    candidates[..promising].sort_unstable_by(by_bound);
    // Where the list was filled before (see `Scratch::limit_filled`).
    let may_be_there = list.len() < queries.block.panels.width();
    let mut loaded = false;
    let fine = queries.block.fine.as_ref().zip(others.block.fine.as_ref());
    let itself = queries.number(i);
    for &(bound, j) in &*candidates {
        let j = j as usize;
        let number = others.number(j) as u32;
        // At distance 0 only smaller numbers could win.
        let settled = last(list).key == 0.0 && number >= last(list).index;
        let limit = frame.limit(list);
        if number as usize == itself
            || bound > limit
            || settled
            || fine.is_some_and(|(x, y)| x.bound(i, y, j) > limit)
            || may_be_there && list.iter().any(|there| there.index == number)
        {
            continue;
        }
        if !loaded {
            queries.load(i, of_query);
            loaded = true;
        }
        offer(list, others.key(of_query, j, of_other), number);
    }
}
