//! The true neighbours of some rows, by which an approximate search is judged.
//!
//! By cells: a cell is passed by where its leader is farther from a row than the row's nearest
//! known neighbour and the cell's farthest member from the leader together, since no member can be
//! nearer then (the triangle inequality).

use rayon::prelude::*;

use super::cells::Cells;
use super::group::Group;
use super::sketches::Sketches;
use super::tuning::{ASKED_AT_ONCE, MEMBERS_AT_ONCE, PIVOTS_AT_ONCE};
use crate::element::Element;
use crate::members::Members;
use crate::memory::{
    collected, collected_in_parallel, expect_room, filled, gathered, push, reserve, room,
};
use crate::neighbors::kernel::Candidate;
use crate::neighbors::nearest::{LockedLists, Nearest, empty_lists, last, offer, unlocked};
use crate::progress::Meter;
use crate::rows::Rows;

/// All sketches, by the leader nearest to each.
pub(super) struct Pivots {
    leaders: Vec<u32>,
    members: Members,
    /// The largest distance of a member to its leader, for each leader.
    radii: Vec<f64>,
}

impl Pivots {
    /// The leaders of cells.
    pub(super) fn of(sketches: &Sketches, cells: &Cells) -> Self {
        let leaders: Vec<u32> = collected(cells.leaders().iter().copied());
        expect_room(size_of_val(cells.homes().all()));
        let members = cells.homes().clone();
        let radius = |group: &mut Group, (cell, leader)| {
            let (mut farthest, leader) = (0.0, [leader]);
            let scale = group.gather(sketches, &leader, members.cluster(cell));
            group.compare(sketches, &leader, |_, to_members| farthest = to_members.farthest());
            scale.distance(farthest)
        };
        let cells = leaders.par_iter().copied().enumerate();
        let radii = collected_in_parallel(cells.map_init(Group::default, radius));
        Self { leaders, members, radii }
    }

    /// Lists of the `k` nearest of the rows at the places that are asked for: bit for bit those of
    /// an exact search. For each of these rows, `known` has a key that at least `k` others do not
    /// exceed; the smaller the key, the faster the search.
    pub(super) fn nearest_of<A: Element>(
        &self,
        rows: &Rows<'_, A>,
        sketches: &Sketches,
        asked: &[u32],
        k: usize,
        known: impl Fn(usize) -> f64 + Sync,
        meter: &Meter,
    ) -> Vec<Nearest> {
        let mut nearest = room(asked.len() * k);
        let parts = asked.chunks(ASKED_AT_ONCE).enumerate().flat_map(|(part, places)| {
            let limit = |i: usize| sketches.limit(known(part * ASKED_AT_ONCE + i));
            let limits = collected((0..places.len()).map(limit));
            let lists = collected(places.iter().map(|_| empty_lists(1, k)));
            let asked = Asked { rows: rows.reborrow(), sketches, places, limits, lists };
            let leaders = self.leaders.par_chunks(PIVOTS_AT_ONCE).enumerate();
            leaders.for_each_init(
                || Workspace::new(rows.features()),
                |workspace, (part, leaders)| {
                    if !meter.stopped() {
                        self.search(&asked, part * PIVOTS_AT_ONCE, leaders, workspace);
                    }
                },
            );
            asked.lists.into_iter().flat_map(unlocked)
        });
        nearest.extend(parts);
        nearest
    }

    /// Searches the cells of some consecutive leaders, from number `first` on.
    fn search<A: Element>(
        &self,
        asked: &Asked<'_, A>,
        first: usize,
        leaders: &[u32],
        workspace: &mut Workspace,
    ) {
        let scale = workspace.group.gather(asked.sketches, leaders, asked.places);
        let limits: Vec<f32> = collected(asked.limits.iter().map(|&limit| scale.to_far(limit)));
        let mut reached: Vec<(_, Vec<usize>)> = Vec::new();
        let Workspace { group, found, reaches, .. } = workspace;
        group.compare(asked.sketches, leaders, |leader, to_asked| {
            let radius = scale.to_far(self.radii[first + leader]);
            reaches.clear();
            reserve(reaches, limits.len());
            reaches.extend(limits.iter().map(|limit| (radius + limit) * (radius + limit)));
            to_asked.find_within(f32::NEG_INFINITY, reaches, found);
            if !found.is_empty() {
                let queries = collected(found.iter().map(|near| near.number() as usize));
                push(&mut reached, (self.members.cluster(first + leader), queries));
            }
        });
        for (members, queries) in reached {
            for members in members.chunks(MEMBERS_AT_ONCE) {
                asked.compare(&queries, members, workspace);
            }
        }
    }
}

/// What a thread compares in.
struct Workspace {
    group: Group,
    found: Vec<Candidate>,
    /// For each asked row, the largest squared distance, in steps, to a leader whose cell may hold
    /// a nearer row than those known.
    reaches: Vec<f32>,
    /// Two rows in f64.
    pair: [Vec<f64>; 2],
}

impl Workspace {
    fn new(features: usize) -> Self {
        let pair = [(); 2].map(|()| filled(0.0, features));
        Self { group: Group::default(), found: Vec::new(), reaches: Vec::new(), pair }
    }
}

/// Rows whose nearest are searched.
struct Asked<'a, A> {
    rows: Rows<'a, A>,
    sketches: &'a Sketches,
    /// The places of their sketches.
    places: &'a [u32],
    /// For each of these rows, the largest distance of a sketch whose row may be one of the
    /// nearest.
    limits: Vec<f64>,
    lists: Vec<LockedLists>,
}

impl<A: Element> Asked<'_, A> {
    /// Offers the rows at the places of some members to some of the rows that are asked for.
    fn compare(&self, queries: &[usize], members: &[u32], workspace: &mut Workspace) {
        let Workspace { group, found, pair: [of_query, of_other], .. } = workspace;
        let places: Vec<u32> = collected(queries.iter().map(|&query| self.places[query]));
        let scale = group.gather(self.sketches, &places, members);
        group.compare(self.sketches, &places, |i, to_members| {
            let query = queries[i];
            to_members.find_within(scale.limit(self.limits[query]), &[], found);
            if found.is_empty() {
                return;
            }
            found.sort_unstable();
            let place = self.places[query];
            self.rows.load(self.sketches.row(place) as usize, of_query);
            let mut list = self.lists[query].lock().expect("a panic has ended the search");
            for near in found.iter() {
                let other = members[near.number() as usize];
                if near.distance() > scale.limit(self.sketches.limit(last(&list).key)) {
                    break;
                }
                let itself = other == place;
                let other = self.sketches.row(other);
                // At distance 0 only smaller numbers could win: many rows may be equal.
                let settled = last(&list).key == 0.0 && other >= last(&list).index;
                if !itself && !settled {
                    let key = self.rows.key(of_query, other as usize, of_other);
                    offer(&mut list, key, other);
                }
            }
        });
    }
}

/// The share of the `k` nearest of some rows that was found. A neighbour that is as near as the
/// k-th nearest counts as one of the nearest.
pub(super) fn share(found: &[Nearest], truth: &[Nearest], k: usize) -> f64 {
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
