//! The longest pair that Eq. 1 joins, by distances that are weighted by time.

use rayon::prelude::*;

use super::bounds::Bounds;
use super::groups::{Groups, pairs_of};
use super::longest::Longest;
use crate::neighbors::FirstNeighbors;
use crate::partition::times::weighted;
use crate::run::progress::Meter;
use crate::samples::comparable::Keyed;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, filled};
use crate::support::parallel::SharedSplitting as _;

/// The longest weighted distance d(i, j)·|tᵢ − tⱼ| of a pair that Eq. 1 joins. Advances the meter by
/// [`pairs`](crate::fit::joined_pair::pairs); where it is stopped, any length.
///
/// Where i and j have the first neighbour k, d(i, j) ≤ d(i, k) + d(j, k), and |tᵢ − tⱼ| ≤ |tᵢ − tₖ| +
/// |tⱼ − tₖ|. The product of the two sums is what a pair is passed over by.
pub(crate) fn longest_in_time(
    rows: &Rows<'_>,
    times: &[f64],
    links: &FirstNeighbors,
    meter: &Meter,
) -> f64 {
    let (metric, features) = (rows.metric, rows.features());
    let bounds = Bounds::new(metric, features);
    let longest = Longest::new(links.longest());
    let groups = Groups::of(links);
    let apart = |i: u32, j: u32| (times[i as usize] - times[j as usize]).abs();
    groups.numbers.par_iter().with_max_len(64).shared().for_each_init(
        || [(); 2].map(|()| filled(0.0, features)),
        |[row, room], &number| {
            let members = groups.members(number);
            rows.load(number as usize, row);
            // The time and the length from the first neighbour, the longest time first.
            let mut order: Vec<(f64, f64, u32)> = collected(members.iter().map(|&member| {
                let distance = metric.finite_distance(rows.key(row, member as usize, room));
                (apart(member, number), bounds.length(distance), member)
            }));
            order.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.2.cmp(&b.2)));
            let length = order.iter().map(|of_member| of_member.1).fold(0.0, f64::max);
            let may_grow = |length: f64, time: f64| {
                // Times are differences of rounded numbers up to 1.
                let time = time * (1.0 + 8.0 * f64::EPSILON) + 4.0 * f64::EPSILON;
                longest.may_grow_by(bounds.of_path(length) * time * (1.0 + 8.0 * f64::EPSILON))
            };
            for (at, &(time, of_one, member)) in order.iter().enumerate() {
                meter.advance((order.len() - at - 1) as u64);
                if meter.stopped() {
                    return;
                }
                Keyed::load(rows, member as usize, row);
                for &(of_time, of_other, other) in &order[at + 1..] {
                    if !may_grow(2.0 * length, time + of_time) {
                        break;
                    }
                    if may_grow(of_one + of_other, time + of_time) {
                        let key = rows.key(row, other as usize, room);
                        let key = weighted(metric, metric.finite(key), apart(member, other));
                        longest.offer(metric.distance(key));
                    }
                }
            }
            debug_assert!(pairs_of(order.len()) > 0, "a group has a pair");
        },
    );
    longest.get()
}
