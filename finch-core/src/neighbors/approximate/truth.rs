//! The exact nearest of some rows, by which an approximate search is judged.
//!
//! By cells: where a leader is farther than a row that is known and the farthest of the cell's rows
//! from the leader together, none of these is nearer (the triangle inequality).

use rayon::prelude::*;

use super::cells::Cells;
use super::group::Group;
use super::sketch::Sketch;
use crate::element::Element;
use crate::members::Members;
use crate::neighbors::kernel::Candidate;
use crate::neighbors::nearest::{Lists, empty_lists, filled};
use crate::neighbors::nearest::{Nearest, last, offer};
use crate::progress::Meter;
use crate::rows::Rows;

/// Rows whose nearest are searched at a time.
const ASKED: usize = 4096;
/// Members of a cell that they are compared with at a time.
const MEMBERS: usize = 8192;
/// Leaders that these are compared with at a time.
const LEADERS: usize = 256;

/// Rows by the leader that is nearest to each.
pub(super) struct Pivots {
    leaders: Vec<u32>,
    members: Members,
    /// How far the members of each leader are at most.
    radii: Vec<f64>,
}

impl Pivots {
    /// The leaders of cells.
    pub(super) fn of(sketch: &Sketch, cells: &Cells) -> Self {
        let leaders = cells.leaders().to_vec();
        let members = cells.homes().clone();
        let radius = |group: &mut Group, (cell, leader)| {
            let (mut farthest, leader) = (0.0, [leader]);
            let scale = group.gather(sketch, &leader, members.cluster(cell));
            group.compare(sketch, &leader, |_, line| farthest = line.farthest());
            scale.distance(farthest)
        };
        let cells = leaders.par_iter().copied().enumerate();
        let radii = cells.map_init(Group::default, radius).collect();
        Self { leaders, members, radii }
    }

    /// Lists of the `k` nearest of each row that is asked for, which has a direction; bit for bit
    /// those of an exact search. The closer the key that at least `k` others do not exceed, the
    /// sooner.
    pub(super) fn nearest_of<A: Element>(
        &self,
        rows: &Rows<'_, A>,
        sketch: &Sketch,
        asked: &[u32],
        k: usize,
        known: impl Fn(usize) -> f64 + Sync,
        meter: &Meter,
    ) -> Vec<Nearest> {
        let parts = asked.chunks(ASKED).enumerate().flat_map(|(part, asked)| {
            let limits =
                (0..asked.len()).map(|row| sketch.limit(known(part * ASKED + row))).collect();
            let lists = asked.iter().map(|_| empty_lists(1, k)).collect();
            let asked = Asked { rows: rows.reborrow(), sketch, asked, limits, lists };
            let leaders = self.leaders.par_chunks(LEADERS).enumerate();
            leaders.for_each_init(
                || Scratch::new(rows.features()),
                |scratch, (part, leaders)| {
                    if !meter.stopped() {
                        self.search(&asked, part * LEADERS, leaders, scratch);
                    }
                },
            );
            asked.lists.into_iter().flat_map(filled)
        });
        parts.collect()
    }

    /// Searches the cells of some leaders, of which this is the first.
    fn search<A: Element>(
        &self,
        asked: &Asked<'_, A>,
        first: usize,
        leaders: &[u32],
        scratch: &mut Scratch,
    ) {
        let scale = scratch.group.gather(asked.sketch, leaders, asked.asked);
        let limits: Vec<f32> = asked.limits.iter().map(|&limit| scale.far(limit)).collect();
        let mut reached: Vec<(_, Vec<usize>)> = Vec::new();
        let Scratch { group, near, far, .. } = scratch;
        group.compare(asked.sketch, leaders, |leader, queries| {
            let radius = scale.far(self.radii[first + leader]);
            far.clear();
            far.extend(limits.iter().map(|limit| (radius + limit) * (radius + limit)));
            queries.near(f32::NEG_INFINITY, far, near);
            if !near.is_empty() {
                let near = near.iter().map(|near| near.number() as usize).collect();
                reached.push((self.members.cluster(first + leader), near));
            }
        });
        for (members, queries) in reached {
            for members in members.chunks(MEMBERS) {
                asked.compare(&queries, members, scratch);
            }
        }
    }
}

/// What a thread works in.
struct Scratch {
    group: Group,
    near: Vec<Candidate>,
    /// How far, squared, those may be that are near a leader.
    far: Vec<f32>,
    pair: [Vec<f64>; 2],
}

impl Scratch {
    fn new(features: usize) -> Self {
        let pair = [(); 2].map(|()| vec![0.0; features]);
        Self { group: Group::default(), near: Vec::new(), far: Vec::new(), pair }
    }
}

/// Rows whose nearest are searched.
struct Asked<'a, A> {
    rows: Rows<'a, A>,
    sketch: &'a Sketch,
    asked: &'a [u32],
    /// How far the sketches of the nearest are at most.
    limits: Vec<f64>,
    lists: Vec<Lists>,
}

impl<A: Element> Asked<'_, A> {
    /// Offers some rows to some of those that are asked for.
    fn compare(&self, queries: &[usize], members: &[u32], scratch: &mut Scratch) {
        let Scratch { group, near, pair: [of_asked, of_other], .. } = scratch;
        let asked: Vec<u32> = queries.iter().map(|&query| self.asked[query]).collect();
        let scale = group.gather(self.sketch, &asked, members);
        group.compare(self.sketch, &asked, |i, others| {
            let query = queries[i];
            others.near(scale.limit(self.limits[query]), &[], near);
            if near.is_empty() {
                return;
            }
            near.sort_unstable();
            let asked = self.asked[query];
            self.rows.load(self.sketch.row(asked) as usize, of_asked);
            let mut list = self.lists[query].lock().expect("a panic has ended the search");
            for near in near.iter() {
                let other = members[near.number() as usize];
                if near.distance() > scale.limit(self.sketch.limit(last(&list).key)) {
                    break;
                }
                let itself = other == asked;
                let other = self.sketch.row(other);
                // At distance 0 only smaller numbers could win: many rows may be equal.
                let settled = last(&list).key == 0.0 && other >= last(&list).index;
                if !itself && !settled {
                    let key = self.rows.key(of_asked, other as usize, of_other);
                    offer(&mut list, key, other);
                }
            }
        });
    }
}
