//! The medoid of a cluster, and exemplars that stand for all of its samples.

use rayon::prelude::*;

use crate::keyed::Keyed;
use crate::memory::{collected, collected_in_parallel, filled, push, resize};
use crate::progress::Meter;
use crate::rows::scrambled;

/// The most samples of its cluster that each sample is compared with. In a larger cluster a sample
/// of so many samples stands for all, which takes linear time. The medoids found so of ten clusters
/// of about 2,000 digits of MNIST were all the true ones.
pub(crate) const COMPARED: usize = 1024;

/// Samples of a large cluster that are compared with all others, after a first look at the
/// [`COMPARED`] ones.
const FINALISTS: usize = 16;

/// What stands for one cluster.
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
    /// What stands for a cluster of at most [`COMPARED`] members, on this thread; where it is
    /// stopped, any member.
    pub(crate) fn of_small(&self, members: &[u32], memory: &mut Memory<R::Row>) -> Representatives {
        let Memory { rows, distances } = memory;
        if !self.meter.stopped() {
            self.load(members, rows);
        }
        distances.clear();
        resize(distances, members.len() * members.len(), 0.0);
        for (i, row) in rows.iter().take(members.len()).enumerate() {
            if self.meter.stopped() {
                break;
            }
            for (j, other) in rows[..i].iter().enumerate() {
                let distance = self.distance(row, other);
                distances[i * members.len() + j] = distance;
                distances[j * members.len() + i] = distance;
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

    /// What stands for a cluster of more members, on all threads; where it is stopped, any member.
    pub(crate) fn of_large(&self, members: &[u32]) -> Representatives {
        let compared = self.compared(members);
        let weights = self.weights_of(&compared);
        let mut rows = Vec::new();
        self.load(&compared, &mut rows);
        let room = || self.rows.room();
        let from_compared = |member: u32, row: &mut R::Row| {
            self.rows.load(member as usize, row);
            collected(rows.iter().map(|other| self.distance(row, other)))
        };
        let sum = |row: &mut R::Row, &member: &u32| {
            if self.meter.stopped() {
                return 0.0;
            }
            self.meter.advance(compared.len() as u64);
            weighted_sum(&from_compared(member, row), &weights)
        };
        let sums: Vec<f64> = collected_in_parallel(members.par_iter().map_init(room, sum));
        let finalists = smallest(&sums, FINALISTS);
        let finals = finalists.par_iter().map(|&finalist| self.sum(members[finalist], members));
        let medoid = members[finalists[least(&collected_in_parallel(finals))]];

        let pairs = match self.exemplars {
            0 | 1 => Vec::new(),
            _ => filled(0.0, compared.len() * compared.len()),
        };
        let mut distances = pairs;
        let of_each = distances.par_chunks_exact_mut(compared.len()).enumerate();
        of_each.for_each_init(room, |row, (candidate, distances)| {
            if !self.meter.stopped() {
                distances.copy_from_slice(&from_compared(compared[candidate], row));
            }
        });
        let nearest = from_compared(medoid, &mut room());
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
        self.rows.metric().distance(self.rows.key_of_loaded(row, other))
    }
}

fn weighted_sum(distances: &[f64], weights: &[f64]) -> f64 {
    distances.iter().zip(weights).map(|(distance, weight)| weight * distance).sum()
}

/// How much a candidate lowers the sum of distances to the nearest exemplar.
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
