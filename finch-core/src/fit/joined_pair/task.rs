//! The input of a search for the longest pair, and the search of a small group.

use super::bounds::Bounds;
use super::groups::pairs_of;
use super::longest::Longest;
use crate::run::progress::Meter;
use crate::samples::comparable::Keyed;
use crate::support::memory::collected;

/// The input of a search for the longest pair.
pub(super) struct Task<'a, R> {
    pub(super) rows: &'a R,
    pub(super) bounds: Bounds,
    pub(super) longest: Longest,
    pub(super) meter: &'a Meter<'a>,
}

impl<R: Keyed> Task<'_, R> {
    /// The distance of a loaded row and another one, which the longest pair takes.
    pub(super) fn distance(&self, row: &R::Row, other: u32, room: &mut R::Row) -> f64 {
        let key = self.rows.key(row, other as usize, room);
        let distance = self.rows.metric().finite_distance(key);
        self.longest.offer(distance);
        distance
    }

    /// Compares the members of a small group, whose links have these lengths.
    pub(super) fn compare(&self, members: &[u32], lengths: &[f64], [row, room]: &mut [R::Row; 2]) {
        let mut order: Vec<(f64, u32)> =
            collected(lengths.iter().copied().zip(members.iter().copied()));
        order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
        let may_grow = |a: f64, b: f64| self.longest.may_grow_by(self.bounds.of_path(a + b));
        for (at, &(length, member)) in order.iter().enumerate() {
            let Some(&(next, _)) = order.get(at + 1) else { break };
            if self.meter.stopped() || !may_grow(length, next) {
                break;
            }
            self.rows.load(member as usize, row);
            for &(of_other, other) in &order[at + 1..] {
                if !may_grow(length, of_other) {
                    break;
                }
                self.distance(row, other, room);
            }
        }
        self.meter.advance(pairs_of(members.len()));
    }
}
