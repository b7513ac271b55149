//! First neighbours by distances that are weighted by time (Sarfraz et al., *Temporally-Weighted
//! Hierarchical Clustering for Unsupervised Action Segmentation*, CVPR 2021).
//!
//! The weighted distance of samples i and j is d(i, j)·|tᵢ − tⱼ|. Neither factor alone bounds the
//! product. But where m is the distance of the k-th nearest sample of i by d alone, every sample that
//! is not among these k is at a weighted distance of m·|tᵢ − tⱼ| at least. So the samples around i in
//! time are compared, outward, until m·|tᵢ − tⱼ| is above the smallest weighted distance so far. In a
//! stream the nearest sample by d alone is mostly near in time as well, and few samples are compared
//! beside the search by d, for which there are all exact searches.

use std::ops::Range;

use rayon::prelude::*;

use super::lists::Nearest;
use super::search::Choice;
use super::searcher::Searcher;
use super::table::{FirstNeighbors, Neighbors};
use crate::error::Result;
use crate::partition::times::{TimedNearest, order, weighted};
use crate::run::progress::{Meter, Stage};
use crate::samples::AnySamples;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, collected_in_parallel, filled};

/// Nearest samples by distance alone that are known of each sample. Beside four, none is compared of most
/// frames of a made stream, and beside one, two are. Of 4,000 samples of noise in 3 features 137 are compared
/// on average beside four, 838 beside one and 64 beside eight.
const KNOWN: usize = 4;

/// The operation that needs dense samples.
const TIMED: &str = "clustering with times";

impl Searcher<'_, '_> {
    /// The first neighbour of each sample of a level, by distances that are weighted by time.
    pub(crate) fn first_in_time(
        &mut self,
        samples: AnySamples<'_>,
        times: &[f64],
        level: usize,
    ) -> Result<FirstNeighbors> {
        let matrix = samples.dense(TIMED)?;
        let near = self.nearest(samples, KNOWN, level)?;
        if near.k() == 0 {
            return Ok(near.first());
        }
        let metric = self.metric();
        self.run.stage(Stage::Neighbors { level }, times.len() as u64, |meter| {
            first(&Rows::new(matrix, metric), times, &near, meter)
        })
    }

    /// The first neighbour of each sample of a level, of the two that are beside it in an order of all.
    pub(crate) fn first_beside(
        &mut self,
        samples: AnySamples<'_>,
        times: &[f64],
        order: &[u32],
    ) -> Result<FirstNeighbors> {
        let matrix = samples.dense(TIMED)?;
        let metric = self.metric();
        self.run.install(|| beside(&Rows::new(matrix, metric), times, order))
    }
}

fn first(rows: &Rows<'_>, times: &[f64], near: &Neighbors, meter: &Meter) -> FirstNeighbors {
    let order = order(times);
    let mut place = filled(0, order.len());
    order.iter().enumerate().for_each(|(at, &sample)| place[sample as usize] = at as u32);
    let nearest = (0..rows.len()).into_par_iter().map_init(
        || [(); 2].map(|()| filled(0.0, rows.features())),
        |buffers, sample| {
            if meter.stopped() {
                return TimedNearest::NONE;
            }
            meter.advance(1);
            let rows = rows.reborrow();
            let mut looking = Looking { rows, times, sample, nearest: TimedNearest::NONE };
            let known = near.index();
            let known = known.row(sample);
            looking.look(known.as_slice().expect("row by row"), (&order, place[sample]), buffers);
            looking.nearest
        },
    );
    found(&collected_in_parallel(nearest), rows.metric, near.choice())
}

/// One sample that its first neighbour is looked for.
struct Looking<'a> {
    rows: Rows<'a>,
    times: &'a [f64],
    sample: usize,
    nearest: TimedNearest,
}

impl Looking<'_> {
    /// Finds the first neighbour, of a sample whose nearest ones by distance alone are known, and which
    /// has a place in the order of time.
    fn look(
        &mut self,
        known: &[u32],
        (order, place): (&[u32], u32),
        [row, buffer]: &mut [Vec<f64>; 2],
    ) {
        self.rows.load(self.sample, row);
        let mut least = 0.0;
        for &other in known.iter().filter(|&&other| other != Nearest::NONE.index) {
            least = self.rows.key(row, other as usize, buffer);
            let apart = self.apart(other);
            self.nearest.offer(TimedNearest::new(self.rows.metric, least, apart, other));
        }
        // Equal samples, of which those of the smallest numbers are known: none precedes the first.
        if least == 0.0 {
            return;
        }
        let (mut earlier, mut later): (Range<usize>, Range<usize>) =
            (0..place as usize, place as usize + 1..order.len());
        loop {
            let [before, after] = [earlier.end.checked_sub(1), Some(later.start)];
            let before = before.map(|at| order[at]);
            let after = after.filter(|&at| at < order.len()).map(|at| order[at]);
            let (other, apart) = match (before, after) {
                (None, None) => return,
                (Some(other), None) => (other, self.apart(other)),
                (None, Some(other)) => (other, self.apart(other)),
                (Some(before), Some(after)) => {
                    let aparts = [self.apart(before), self.apart(after)];
                    if aparts[0] <= aparts[1] { (before, aparts[0]) } else { (after, aparts[1]) }
                }
            };
            if Some(other) == before {
                earlier.end -= 1;
            } else {
                later.start += 1;
            }
            let metric = self.rows.metric;
            let bound = weighted(metric, least, apart);
            if (bound, least) > (self.nearest.weighted, self.nearest.key) {
                return;
            }
            let key = self.rows.key_within(row, other as usize, self.limit(apart), buffer);
            if key < f64::INFINITY {
                self.nearest.offer(TimedNearest::new(metric, key, apart, other));
            }
        }
    }

    /// The distance in time of another sample.
    fn apart(&self, other: u32) -> f64 {
        (self.times[self.sample] - self.times[other as usize]).abs()
    }

    /// A key above which another sample so far apart in time is not nearer.
    fn limit(&self, apart: f64) -> f64 {
        let factor = weighted(self.rows.metric, 1.0, apart);
        // A few roundings more; NaN, and so no limit, where both are 0.
        let limit = self.nearest.weighted / factor * (1.0 + 1e-14);
        if limit.is_nan() || factor < f64::MIN_POSITIVE { f64::INFINITY } else { limit }
    }
}

fn beside(rows: &Rows<'_>, times: &[f64], order: &[u32]) -> FirstNeighbors {
    let metric = rows.metric;
    let keys = order.par_windows(2).map_init(
        || [(); 2].map(|()| filled(0.0, rows.features())),
        |[row, buffer], pair| {
            rows.load(pair[0] as usize, row);
            rows.key(row, pair[1] as usize, buffer)
        },
    );
    let keys = collected_in_parallel(keys);
    let mut nearest = filled(TimedNearest::NONE, order.len());
    for (pair, key) in order.windows(2).zip(keys).filter(|&(_, key)| key < f64::INFINITY) {
        let [a, b] = [pair[0], pair[1]];
        let apart = (times[a as usize] - times[b as usize]).abs();
        nearest[a as usize].offer(TimedNearest::new(metric, key, apart, b));
        nearest[b as usize].offer(TimedNearest::new(metric, key, apart, a));
    }
    if order.len() == 1 {
        nearest.clear();
    }
    found(&nearest, metric, None)
}

fn found(nearest: &[TimedNearest], metric: Metric, choice: Option<Choice>) -> FirstNeighbors {
    FirstNeighbors::new(
        collected(nearest.iter().map(|nearest| nearest.index)),
        collected(nearest.iter().map(|nearest| metric.distance(nearest.weighted))),
        choice,
    )
}
