//! The medoid of a cluster, and exemplars that stand for all of its samples.

use rayon::prelude::*;

use crate::run::progress::Meter;
use crate::samples::comparable::Keyed;
use crate::support::memory::{collected, collected_in_parallel, filled, gathered, push, resize};
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::scrambled;

/// The most samples of its cluster that each sample is compared with. In a larger cluster a sample
/// of so many samples stands for all, which takes linear time. The medoids found so of ten clusters
/// of about 2,000 digits of MNIST were all the true ones.
pub(crate) const COMPARED: usize = 1024;

/// Samples of a large cluster that are compared with all others, after a first look at the
/// [`COMPARED`] ones.
const FINALISTS: usize = 16;

/// Rows that are compared with one row after the other, while they are in a core's cache. One by one, rows of
/// 2,000 features wait for memory: 1,024 of them take 16 MB.
const TOGETHER: usize = 8;

/// The samples that stand for one cluster.
#[derive(Clone, Debug, PartialEq)]
pub(crate) struct Representatives {
    pub(crate) medoid: u32,
    /// The medoid first; fewer than asked for in a cluster of fewer distinct samples.
    pub(crate) exemplars: Vec<u32>,
    pub(crate) sampled: bool,
}

/// The search for what stands for clusters.
pub(crate) struct Search<'a, R> {
    pub(crate) rows: &'a R,
    /// A weight for each row.
    pub(crate) weights: Option<&'a [f64]>,
    /// The most exemplars of each cluster.
    pub(crate) exemplars: usize,
    pub(crate) seed: u64,
    pub(crate) meter: &'a Meter<'a>,
}

/// Memory that one thread takes for one cluster after the other.
pub(crate) struct Memory<R> {
    rows: Vec<R>,
    distances: Vec<f64>,
}

impl<R> Default for Memory<R> {
    fn default() -> Self {
        Self { rows: Vec::new(), distances: Vec::new() }
    }
}

/// The distances that a cluster of so many samples takes, for a meter.
pub(crate) fn distances(samples: usize) -> u64 {
    samples as u64 * samples.min(COMPARED) as u64
}

impl<R: Keyed> Search<'_, R> {
    /// The samples that stand for a cluster of at most [`COMPARED`] members, on this thread; where it is
    /// stopped, any member.
    pub(crate) fn of_small(&self, members: &[u32], memory: &mut Memory<R::Row>) -> Representatives {
        let Memory { rows, distances } = memory;
        if !self.meter.stopped() {
            self.load(members, rows);
        }
        distances.clear();
        resize(distances, members.len() * members.len(), 0.0);
        for first in (0..members.len()).step_by(TOGETHER) {
            if self.meter.stopped() {
                break;
            }
            let end = members.len().min(first + TOGETHER);
            for j in 0..end {
                for i in usize::max(first, j + 1)..end {
                    let distance = self.distance(&rows[i], &rows[j]);
                    distances[i * members.len() + j] = distance;
                    distances[j * members.len() + i] = distance;
                }
            }
        }
        let weights = self.weights_of(members);
        let of_each = distances.chunks_exact(members.len());
        let sums: Vec<f64> = collected(of_each.map(|of_each| weighted_sum(of_each, &weights)));
        let medoid = least(&sums);
        let nearest = &distances[medoid * members.len()..][..members.len()];
        let others = self.others(distances, nearest, &weights);
        self.meter.advance(self::distances(members.len()));
        let exemplars = self.named(members[medoid], others, members);
        Representatives { medoid: members[medoid], exemplars, sampled: false }
    }

    /// The samples that stand for a cluster of more members, on all threads; where it is stopped, any member.
    pub(crate) fn of_large(&self, members: &[u32]) -> Representatives {
        let compared = self.compared(members);
        let weights = self.weights_of(&compared);
        let mut rows = Vec::new();
        self.load(&compared, &mut rows);
        let count = compared.len();
        // The distances of some members to all compared ones.
        let measure = |members: &[u32], loaded: &mut Vec<R::Row>, distances: &mut [f64]| {
            if self.meter.stopped() {
                return;
            }
            self.load(members, loaded);
            for (j, other) in rows.iter().enumerate() {
                for (row, distances) in loaded.iter().zip(distances.chunks_exact_mut(count)) {
                    distances[j] = self.distance(row, other);
                }
            }
            self.meter.advance((members.len() * count) as u64);
        };
        let mut distances = filled(0.0, count * count);
        let groups = distances.par_chunks_mut(TOGETHER * count);
        groups
            .zip(compared.par_chunks(TOGETHER))
            .shared()
            .for_each_init(Vec::new, |loaded, (distances, compared)| {
                measure(compared, loaded, distances)
            });
        let of_each = |distances: &[f64]| weighted_sum(distances, &weights);
        let sums_of_compared: Vec<f64> = collected(distances.chunks_exact(count).map(of_each));
        let others: Vec<u32> = gathered(
            members.iter().copied().filter(|member| compared.binary_search(member).is_err()),
        );
        let mut sums_of_others = filled(0.0, others.len());
        let groups = sums_of_others.par_chunks_mut(TOGETHER).zip(others.par_chunks(TOGETHER));
        groups.shared().for_each_init(
            || (Vec::new(), filled(0.0, TOGETHER * count)),
            |(loaded, distances), (sums, members)| {
                measure(members, loaded, distances);
                let sums_of_group = distances.chunks_exact(count).map(of_each);
                sums.iter_mut().zip(sums_of_group).for_each(|(sum, of_member)| *sum = of_member);
            },
        );
        // Members are in order, and so are those that are compared.
        let sum = |(place, member): (usize, &u32)| match compared.binary_search(member) {
            Ok(place) => sums_of_compared[place],
            Err(before) => sums_of_others[place - before],
        };
        let sums: Vec<f64> = collected(members.iter().enumerate().map(sum));
        let finalists = smallest(&sums, FINALISTS);
        let finals = finalists.par_iter().map(|&finalist| self.sum(members[finalist], members));
        let medoid = members[finalists[least(&collected_in_parallel(finals))]];
        let mut nearest = filled(0.0, count);
        measure(&[medoid], &mut Vec::new(), &mut nearest);
        let others = self.others(&distances, &nearest, &weights);
        let exemplars = self.named(medoid, others, &compared);
        Representatives { medoid, exemplars, sampled: true }
    }

    /// The members of a large cluster that stand for all: one at random out of each of
    /// [`COMPARED`] parts, in their order.
    fn compared(&self, members: &[u32]) -> Vec<u32> {
        let first = |part: usize| (part as u64 * members.len() as u64 / COMPARED as u64) as usize;
        // Another stream for each cluster: its first member is in no other cluster.
        let stream = scrambled(self.seed) ^ scrambled(u64::from(members[0]) << 32);
        collected((0..COMPARED).map(|part| {
            let [first, end] = [part, part + 1].map(first);
            let random = scrambled(stream ^ part as u64) >> 32;
            members[first + random as usize % (end - first)]
        }))
    }

    /// The sum of the distances of one member to all members.
    fn sum(&self, member: u32, members: &[u32]) -> f64 {
        let [mut row, mut other] = [(); 2].map(|()| self.rows.room());
        self.rows.load(member as usize, &mut row);
        let mut sum = 0.0;
        for &member in members {
            if self.meter.stopped() {
                break;
            }
            self.rows.load(member as usize, &mut other);
            sum += self.weight(member) * self.distance(&row, &other);
        }
        sum
    }

    /// The exemplars after the first, as places among candidates. Each is the candidate that most
    /// lowers the sum of distances of samples to their nearest exemplar; none that lowers nothing.
    ///
    /// `distances` has a row for each candidate, `nearest` is the row of the first exemplar.
    fn others(&self, distances: &[f64], nearest: &[f64], weights: &[f64]) -> Vec<usize> {
        let mut others = Vec::new();
        let mut nearest = collected(nearest.iter().copied());
        while others.len() + 1 < self.exemplars && !self.meter.stopped() {
            let gain = |of_candidate: &[f64]| gain(of_candidate, &nearest, weights);
            let gains: Vec<f64> = collected(distances.chunks_exact(nearest.len()).map(gain));
            // The first of equals.
            let first =
                |best: usize, next: usize| if gains[next] > gains[best] { next } else { best };
            let best = (0..gains.len()).reduce(first).expect("there is a candidate");
            if gains[best] == 0.0 {
                break;
            }
            let of_best = &distances[best * nearest.len()..][..nearest.len()];
            nearest
                .iter_mut()
                .zip(of_best)
                .for_each(|(near, distance)| *near = near.min(*distance));
            push(&mut others, best);
        }
        others
    }

    /// The exemplars as numbers of samples.
    fn named(&self, medoid: u32, others: Vec<usize>, candidates: &[u32]) -> Vec<u32> {
        let others = others.into_iter().map(|other| candidates[other]);
        let mut exemplars = Vec::new();
        [medoid].into_iter().chain(others).for_each(|exemplar| push(&mut exemplars, exemplar));
        exemplars.truncate(self.exemplars);
        exemplars
    }

    fn weight(&self, sample: u32) -> f64 {
        self.weights.map_or(1.0, |weights| weights[sample as usize])
    }

    fn weights_of(&self, samples: &[u32]) -> Vec<f64> {
        collected(samples.iter().map(|&sample| self.weight(sample)))
    }

    /// Loads samples into the first of some rows, of which there may be more.
    fn load(&self, samples: &[u32], rows: &mut Vec<R::Row>) {
        while rows.len() < samples.len() {
            push(rows, self.rows.room());
        }
        for (&sample, row) in samples.iter().zip(rows) {
            self.rows.load(sample as usize, row);
        }
    }

    fn distance(&self, row: &R::Row, other: &R::Row) -> f64 {
        self.rows.metric().finite_distance(self.rows.key_of_loaded(row, other))
    }
}

fn weighted_sum(distances: &[f64], weights: &[f64]) -> f64 {
    distances.iter().zip(weights).map(|(distance, weight)| weight * distance).sum()
}

/// The amount by which a candidate lowers the sum of distances to the nearest exemplar.
fn gain(of_candidate: &[f64], nearest: &[f64], weights: &[f64]) -> f64 {
    let lower = of_candidate.iter().zip(nearest).map(|(distance, near)| (near - distance).max(0.0));
    lower.zip(weights).map(|(lower, weight)| weight * lower).sum()
}

/// The place of the smallest number, the first of equals.
fn least(numbers: &[f64]) -> usize {
    smallest(numbers, 1)[0]
}

/// The places of the `count` smallest numbers, in their order; of equals the first.
fn smallest(numbers: &[f64], count: usize) -> Vec<usize> {
    let mut places: Vec<usize> = collected(0..numbers.len());
    if count < places.len() {
        let order = |a: &usize, b: &usize| numbers[*a].total_cmp(&numbers[*b]).then(a.cmp(b));
        places.select_nth_unstable_by(count, order);
        places.truncate(count);
    }
    places.sort_unstable();
    places
}
