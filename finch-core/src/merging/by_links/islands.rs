//! Islands: clusters that few links leave, beside the links within them, and the time at which they merge.
//!
//! A cluster of few samples far from all others has no links, or weak ones, so that by links alone it would
//! merge last, after large clusters that only touch each other. Therefore an island merges sooner: before two
//! clusters that it is small beside merge across a border.
//!
//! The links of a cluster that leave it, or those between two clusters, are told by their weight for each
//! sample of the smaller side,
//!
//! ```text
//! c(A, B) = links(A, B)/max(min(a, b), k)      c(A) = links leaving A/max(a, k)
//! ```
//!
//! for clusters of a and b samples. (Below k samples the links of a sample reach across the whole cluster,
//! whatever its shape.) The cohesion of a cluster is c of its last merge of two parts neither of which is more
//! than 4 times the other. A merge with c of less than a sixth of the cohesion of both sides is across a
//! border: then the cohesion of the merged cluster is the larger one of the two.
//!
//! - An island is a cluster A with c(A) below a sixth of its cohesion.
//! - The border of A and B is worth min(a, b)·(1 − 6·c(A, B)/cohesion), the lesser cohesion of the two.
//! - Before A and B merge, so do all islands of less than half as many samples as that, the smallest first. (Of
//!   three clusters of about one size that far gaps part, the smallest is no island.)
//!
//! Nothing else changes: data without islands merges by links alone. The sixth was chosen on one half of the
//! kinds of data in `benches/run.py islands`. There c/cohesion is below 0.13 for 95 % of the borders of Gaussians
//! that are 5 to 6.5 deviations apart, in 2 to 50 dimensions, and above 0.22 for 98 % of the merges along a
//! curve, where chance makes it small.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::similarity::Amount;
use crate::merging::by_means::Nearest;
use crate::support::memory::{collected, reserve_queue};

/// The share of the cohesion below which links do not hold two clusters together: one in so many.
const PART: f64 = 6.0;
/// By how many times an island is smaller than what is merged later. With 1 it may be about as large: 0.012 more of
/// the adjusted Rand index of large clusters among islands (with 3, 0.025 less), but 15 samples, 500 away from two
/// clusters of 28 and 32 side by side, merge before these.
const SMALLER: f64 = 2.0;
/// The largest ratio of the sizes of two parts whose merge tells the cohesion.
const BALANCE: f64 = 4.0;

/// The islands among clusters that are being merged.
pub(super) struct Islands<'s> {
    cohesion: Vec<f64>,
    /// The smallest island is the greatest.
    smallest: BinaryHeap<Reverse<Island>>,
    /// The size of k samples.
    least: f64,
    /// The nearest cluster by means, where there are samples.
    pub(super) nearest: Option<Nearest<'s>>,
}

/// An island, as it was when its links were looked at.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Island {
    size: f64,
    cluster: u32,
}

impl Eq for Island {}

impl Ord for Island {
    fn cmp(&self, other: &Self) -> Ordering {
        self.size.total_cmp(&other.size).then(self.cluster.cmp(&other.cluster))
    }
}

impl PartialOrd for Island {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

impl<'s> Islands<'s> {
    /// For clusters of these sizes, and of these weights of the links within them, where a sample has k
    /// neighbours, together of the size `least`.
    pub(super) fn new<W: Amount>(
        within: &[W],
        sizes: &[W],
        least: f64,
        nearest: Option<Nearest<'s>>,
    ) -> Self {
        // Of all pairs of samples, half are between two halves of a cluster.
        let cohesion =
            |(within, size): (&W, &W)| 0.5 * within.to_f64() / f64::max(0.5 * size.to_f64(), least);
        let cohesion = collected(within.iter().zip(sizes).map(cohesion));
        Self { cohesion, smallest: BinaryHeap::new(), least, nearest }
    }

    /// c, above.
    fn per_sample(&self, weight: f64, size: f64) -> f64 {
        weight / f64::max(size, self.least)
    }

    /// The lesser cohesion of two clusters.
    fn of_both(&self, clusters: [u32; 2]) -> f64 {
        let [a, b] = clusters.map(|cluster| self.cohesion[cluster as usize]);
        f64::min(a, b)
    }

    /// Notes a cluster, if it is an island by the weight of the links that leave it.
    pub(super) fn note(&mut self, cluster: u32, size: f64, leaving: f64) {
        let cohesion = self.cohesion[cluster as usize];
        if leaving == 0.0 || PART * self.per_sample(leaving, size) < cohesion {
            reserve_queue(&mut self.smallest, 1);
            self.smallest.push(Reverse(Island { size, cluster }));
        }
    }

    /// The size below which islands merge before two clusters of these sizes do, with links of this weight.
    pub(super) fn worth(&self, clusters: [u32; 2], sizes: [f64; 2], weight: f64) -> f64 {
        let smaller = f64::min(sizes[0], sizes[1]);
        let cohesion = self.of_both(clusters);
        match cohesion > 0.0 {
            true => smaller * (1.0 - PART * self.per_sample(weight, smaller) / cohesion) / SMALLER,
            false => 0.0,
        }
    }

    /// The smallest island of less than a size. It is noted no longer. `size` is that of each cluster now.
    pub(super) fn below(&mut self, worth: f64, size: impl Fn(u32) -> f64) -> Option<u32> {
        while let Some(&Reverse(island)) = self.smallest.peek() {
            let is_left = size(island.cluster) == island.size;
            if is_left && island.size >= worth {
                return None;
            }
            self.smallest.pop();
            if is_left {
                return Some(island.cluster);
            }
        }
        None
    }

    /// Two clusters of these sizes, with links of this weight between them, have merged.
    pub(super) fn join(&mut self, [kept, gone]: [u32; 2], sizes: [f64; 2], weight: f64) {
        let [smaller, larger] = [f64::min(sizes[0], sizes[1]), f64::max(sizes[0], sizes[1])];
        let [of_kept, of_gone] = [kept, gone].map(|cluster| self.cohesion[cluster as usize]);
        let now = self.per_sample(weight, smaller);
        self.cohesion[kept as usize] = match () {
            () if PART * now < f64::min(of_kept, of_gone) => f64::max(of_kept, of_gone),
            () if BALANCE * smaller >= larger => now,
            () if sizes[0] >= sizes[1] => of_kept,
            () => of_gone,
        };
        if let Some(nearest) = &mut self.nearest {
            nearest.join([kept, gone]);
        }
    }
}
