//! Equal rows, which are searched as one.
//!
//! The row nearest to a row is nearest to all rows that are equal to it. So only
//! distinct rows are searched, and what is found for one is given to all of its samples: N samples with
//! M distinct rows cost what M samples cost, and reading.

pub(crate) mod preferred;
pub(crate) mod ties;

use std::sync::atomic::AtomicU32;
use std::sync::atomic::Ordering::Relaxed;

use rayon::prelude::*;

use super::lists::{Nearest, offer};
use crate::partition::members::Members;
use crate::run::progress::Meter;
use crate::samples::element::AnyMatrix;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::samples::sparse::SparseSamples;
use crate::samples::{AnySamples, Kind};
use crate::support::memory::{collected, collected_in_parallel, filled, gathered, push, reserve};
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::scrambled;

/// Rows that are loaded at a time, at most, and the most values of these rows together.
const LOADED: usize = 64;
const LOADED_VALUES: usize = 1 << 20;

/// Samples that are sorted by their hashes at a time, about.
const SORTED: usize = 1 << 10;

/// Samples, some of which may be equal; 0 and −0 are.
pub(super) trait Alike: Sync {
    /// A hash of each sample: equal samples have one hash. If the run is stopped, hashes are any.
    fn hashes(&self, meter: &Meter) -> Vec<u64>;

    /// True if two samples are equal.
    fn are_equal(&self, pair: [u32; 2]) -> bool;
}

/// Samples grouped by equal rows.
pub(super) struct Distinct {
    /// The distinct row of each sample. Distinct rows are in the order of their first samples.
    rows: Vec<u32>,
    /// The samples of each distinct row.
    samples: Members,
}

/// For each sample, the first sample whose row is equal: itself, if there is none before.
pub(super) struct Firsts(Vec<u32>);

impl Firsts {
    /// Compares rows for equality. If the run is stopped, rows may be taken for equal that are not, and for
    /// distinct that are equal.
    pub(super) fn of(samples: &impl Alike, meter: &Meter) -> Self {
        let hashes = samples.hashes(meter);
        if meter.stopped() {
            // Each is its own, so that nobody goes on to copy the distinct ones.
            return Self(collected_in_parallel((0..hashes.len() as u32).into_par_iter()));
        }
        let mut firsts = firsts_of_hashes(&hashes);
        drop(hashes);
        // Not in the order of hashes, in which each row would be read from another place.
        let are_right = firsts.par_iter().enumerate().shared().all(|(sample, &first)| {
            first as usize == sample || meter.stopped() || samples.are_equal([first, sample as u32])
        });
        if !are_right {
            tell_apart(samples, &mut firsts, meter);
        }
        Self(firsts)
    }

    /// The number of samples, N.
    pub(super) fn samples(&self) -> usize {
        self.0.len()
    }

    /// The number of distinct rows, M.
    pub(super) fn count(&self) -> usize {
        self.0
            .par_iter()
            .enumerate()
            .shared()
            .filter(|&(sample, &first)| first as usize == sample)
            .count()
    }

    /// The samples, grouped by equal rows.
    pub(super) fn grouped(self) -> Distinct {
        let Self(mut rows) = self;
        let mut count = 0;
        for sample in 0..rows.len() {
            let first = rows[sample] as usize;
            if first == sample {
                rows[sample] = count;
                count += 1;
            } else {
                rows[sample] = rows[first];
            }
        }
        let of_row = |sample: u32| [rows[sample as usize]];
        let samples = Members::of_each(count as usize, rows.len(), of_row);
        Distinct { rows, samples }
    }
}

impl Distinct {
    /// The number of distinct rows, M.
    pub(super) fn len(&self) -> usize {
        self.samples.len()
    }

    /// The first sample of each distinct row, in ascending order.
    pub(super) fn firsts(&self) -> Vec<u32> {
        collected((0..self.len()).map(|row| self.samples.cluster(row)[0]))
    }

    /// The samples of a distinct row, in ascending order.
    fn samples(&self, row: u32) -> &[u32] {
        self.samples.cluster(row as usize)
    }

    /// The lists of the `k` nearest of all samples, from lists of distinct rows: the k nearest each, or
    /// as many as there are.
    ///
    /// These are enough. A row beyond the k nearest distinct rows is beyond k samples, also where it is
    /// as far and its first sample comes later.
    pub(super) fn spread(&self, of_distinct: &[Nearest], k: usize) -> Vec<Nearest> {
        let k_of_distinct = of_distinct.len() / self.len();
        let mut nearest = filled(Nearest::NONE, self.rows.len() * k);
        nearest.par_chunks_mut(k).enumerate().shared().for_each(|(sample, list)| {
            let row = self.rows[sample];
            self.equal_to(sample).take(k).for_each(|other| offer(list, 0.0, other));
            for found in &of_distinct[row as usize * k_of_distinct..][..k_of_distinct] {
                if *found != Nearest::NONE {
                    let samples = self.samples(found.index).iter().take(k);
                    samples.for_each(|&other| offer(list, found.key, other));
                }
            }
        });
        nearest
    }

    /// Offers to each sample the samples of equal rows that its list lacks.
    pub(super) fn offer_all_equal(&self, nearest: &mut [Nearest]) {
        let k = nearest.len() / self.rows.len();
        nearest.par_chunks_mut(k).enumerate().shared().for_each(|(sample, list)| {
            for other in self.equal_to(sample).take(k) {
                if !list.iter().any(|there| there.index == other) {
                    offer(list, 0.0, other);
                }
            }
        });
    }

    /// The other samples of a sample's row, in ascending order.
    fn equal_to(&self, sample: usize) -> impl Iterator<Item = u32> {
        let samples = self.samples(self.rows[sample]).iter().copied();
        samples.filter(move |&other| other as usize != sample)
    }
}

impl Alike for AnyMatrix<'_> {
    fn hashes(&self, meter: &Meter) -> Vec<u64> {
        // As they are: not normalised.
        let rows = Rows::new(self.reborrow(), Metric::Euclidean);
        let mut hashes = filled(0, self.len());
        let loaded = (LOADED_VALUES / self.features()).clamp(1, LOADED);
        let parts = hashes.par_chunks_mut(loaded).enumerate();
        parts.shared().for_each_init(Vec::new, |values, (part, hashes)| {
            if meter.stopped() {
                return;
            }
            let first = part * loaded;
            rows.load_values(first..first + hashes.len(), values);
            for (hash, row) in hashes.iter_mut().zip(values.chunks_exact(rows.features())) {
                *hash = hash_of(row);
            }
        });
        hashes
    }

    fn are_equal(&self, pair: [u32; 2]) -> bool {
        AnyMatrix::are_equal(self, pair)
    }
}

impl Alike for SparseSamples<'_> {
    fn hashes(&self, meter: &Meter) -> Vec<u64> {
        let mut hashes = filled(0, self.len());
        hashes.par_chunks_mut(LOADED).enumerate().shared().for_each(|(part, hashes)| {
            let samples = part * LOADED..;
            for (sample, hash) in samples.zip(hashes).take_while(|_| !meter.stopped()) {
                let mut all = 0;
                self.for_each(sample, |feature, value| {
                    if value != 0.0 {
                        all = mixed(mixed(all, u64::from(feature)), value.to_bits());
                    }
                });
                *hash = scrambled(all);
            }
        });
        hashes
    }

    fn are_equal(&self, pair: [u32; 2]) -> bool {
        let [mut one, mut other] =
            pair.map(|row| self.given(row as usize).filter(|at| at.1 != 0.0));
        one.by_ref().eq(other.by_ref())
    }
}

impl Alike for AnySamples<'_> {
    fn hashes(&self, meter: &Meter) -> Vec<u64> {
        match &self.0 {
            Kind::Dense(matrix) => matrix.hashes(meter),
            Kind::Sparse(samples) => samples.hashes(meter),
        }
    }

    fn are_equal(&self, pair: [u32; 2]) -> bool {
        match &self.0 {
            Kind::Dense(matrix) => matrix.are_equal(pair),
            Kind::Sparse(samples) => samples.are_equal(pair),
        }
    }
}

/// Each sample that is equal to one before it, with the first such sample, where the metric tells less
/// than that: parallel samples are at distance 0 under cosine, and need not be equal. Under other metrics
/// the links to first neighbours are such pairs already, and there are none here.
pub(crate) fn links_of_equal(samples: &AnySamples<'_>, metric: Metric) -> Vec<(u32, u32)> {
    if metric != Metric::Cosine {
        return Vec::new();
    }
    let Firsts(firsts) = Firsts::of(samples, &Meter::new(1));
    let links = (0..).zip(firsts).filter(|(sample, first)| sample != first);
    gathered(links)
}

/// For each sample, the first sample of the same hash.
///
/// Samples are sorted by hash within parts, which share the upper bits of their hashes and fit a cache.
fn firsts_of_hashes(hashes: &[u64]) -> Vec<u32> {
    let bits = (hashes.len() / SORTED).max(1).ilog2();
    // Of no bits, all samples are in part 0.
    let part_of = |sample: u32| hashes[sample as usize].checked_shr(u64::BITS - bits).unwrap_or(0);
    let parts = Members::of_each(1 << bits, hashes.len(), |sample| [part_of(sample) as u32]);
    // Each is written once: atomics, so that threads may share them.
    let firsts = (0..hashes.len()).into_par_iter().map(|_| AtomicU32::new(0));
    let firsts = collected_in_parallel(firsts);
    (0..parts.len()).into_par_iter().shared().for_each_init(Vec::new, |sorted, part| {
        let samples = parts.cluster(part);
        sorted.clear();
        reserve(sorted, samples.len());
        sorted.extend(samples.iter().map(|&sample| (hashes[sample as usize], sample)));
        sorted.sort_unstable_by_key(|&(hash, _)| hash);
        for of_hash in sorted.chunk_by(|a, b| a.0 == b.0) {
            let of_hash = || of_hash.iter().map(|&(_, sample)| sample);
            if let Some(first) = of_hash().min() {
                of_hash().for_each(|sample| firsts[sample as usize].store(first, Relaxed));
            }
        }
    });
    // In the same memory.
    firsts.into_iter().map(AtomicU32::into_inner).collect()
}

#[inline(always)]
fn mixed(hash: u64, bits: u64) -> u64 {
    // Any odd number with as many ones as zeros.
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    (hash ^ bits).wrapping_mul(FACTOR).rotate_left(29)
}

fn hash_of(row: &[f64]) -> u64 {
    // To add 0 makes 0 of −0.
    let with = |hash: u64, value: f64| mixed(hash, (value + 0.0).to_bits());
    let (groups, rest) = row.as_chunks::<4>();
    let mut lanes = [1, 2, 3, 4];
    for group in groups {
        for (lane, &value) in lanes.iter_mut().zip(group) {
            *lane = with(*lane, value);
        }
    }
    let hash = rest.iter().fold(0, |hash, &value| with(hash, value));
    scrambled(lanes.into_iter().fold(hash, mixed))
}

/// Mends the firsts of samples that share a hash and are not equal, which hardly ever are.
fn tell_apart(samples: &impl Alike, firsts: &mut [u32], meter: &Meter) {
    // The first of a hash, and another first of it.
    let mut others: Vec<[u32; 2]> = Vec::new();
    for (sample, first) in (0..).zip(firsts).take_while(|_| !meter.stopped()) {
        if samples.are_equal([*first, sample]) {
            continue;
        }
        let of_hash = others.iter().filter(|other| other[0] == *first);
        let known = of_hash.map(|other| other[1]).find(|&other| samples.are_equal([other, sample]));
        if known.is_none() {
            push(&mut others, [*first, sample]);
        }
        *first = known.unwrap_or(sample);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;
    use crate::samples::Samples;

    #[test]
    fn samples_are_grouped_by_equal_rows() {
        let matrix =
            array![[1.0, 0.0], [2.0, 2.0], [1.0, -0.0], [3.0, 1.0], [2.0, 2.0], [1.0, 0.0]];
        let samples = Samples::new(matrix.view()).unwrap();
        let firsts = Firsts::of(&AnyMatrix::from(samples), &Meter::stopped_at_once(false));
        assert_eq!(firsts.count(), 3);
        let distinct = firsts.grouped();
        assert_eq!(distinct.firsts(), [0, 1, 3]);
        assert_eq!(distinct.rows, [0, 1, 0, 2, 1, 0]);
        assert_eq!([0, 1, 2].map(|row| distinct.samples(row)), [&[0, 2, 5][..], &[1, 4], &[3]]);
    }

    #[test]
    fn the_first_sample_of_a_hash_is_found_in_any_part() {
        // Seldom and often, and all samples of one hash.
        for hashes in [7_u64, 5_000, 1] {
            let hash = |sample: u64| scrambled(scrambled(sample) % hashes);
            let all: Vec<u64> = (0..20_000).map(hash).collect();
            let mut first_of = std::collections::HashMap::new();
            let expected: Vec<u32> = (0..)
                .zip(&all)
                .map(|(sample, hash)| *first_of.entry(hash).or_insert(sample))
                .collect();
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                assert_eq!(pool.install(|| firsts_of_hashes(&all)), expected);
            }
        }
    }

    #[test]
    fn nothing_is_taken_out_of_samples_once_the_run_is_stopped() {
        let matrix = array![[1_u8], [2], [1], [1], [1]];
        let samples = Samples::new(matrix.view()).unwrap();
        let firsts = Firsts::of(&AnyMatrix::from(samples), &Meter::stopped_at_once(true));
        assert_eq!(firsts.count(), 5);
    }

    #[test]
    fn rows_of_one_hash_need_not_be_equal() {
        let matrix = array![[1_u8], [2], [1], [3], [2], [7]];
        let samples = Samples::new(matrix.view()).unwrap();
        let mut firsts = [0, 0, 0, 0, 0, 5];
        let meter = Meter::stopped_at_once(false);
        tell_apart(&AnyMatrix::from(samples), &mut firsts, &meter);
        assert_eq!(firsts, [0, 1, 0, 3, 1, 5]);
    }

    #[test]
    fn hashes_tell_rows_apart() {
        let matrix = Array2::from_shape_fn((1 << 16, 9), |(i, j)| (i >> (2 * j)) as u8 & 3);
        let samples = Samples::new(matrix.view()).unwrap();
        let mut hashes = AnyMatrix::from(samples).hashes(&Meter::stopped_at_once(false));
        hashes.sort_unstable();
        assert!(hashes.array_windows().all(|[a, b]| a != b));
    }
}
