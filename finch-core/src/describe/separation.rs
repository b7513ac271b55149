//! The distances of samples to the mean of their cluster, and to the nearest other mean.

use ndarray::ArrayView2;
use rayon::prelude::*;

use crate::neighbors::{Nearest, nearest_between};
use crate::partition::Partition;
use crate::run::progress::Meter;
use crate::samples::comparable::Keyed;
use crate::samples::element::AnyMatrix;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::samples::sparse::{SparseRows, SparseSamples};
use crate::samples::{AnySamples, Kind};
use crate::support::memory::{collected, filled};
use crate::support::parallel::SharedSplitting as _;

/// The figures of each cluster by the distances of samples to means.
pub(crate) struct Separation {
    pub(crate) spreads: Vec<f64>,
    pub(crate) silhouettes: Vec<f64>,
}

/// Bytes of the samples that are compared with all means at a time.
const PART_BYTES: usize = 32 << 20;
/// Samples that are worth packing all means for.
const FEWEST: usize = 256;
/// Samples that a thread compares with their means at a time.
const BLOCK: usize = 64;

/// Compares the N samples with the means (C × d, of f64 where samples are dense) of a partition, which takes
/// N·C distances of a meter; where it is stopped, any numbers.
pub(crate) fn separation<'a>(
    samples: AnySamples<'a>,
    partition: &Partition,
    metric: Metric,
    (means, sizes): (AnySamples<'a>, &[f64]),
    weights: Option<&[f64]>,
    meter: &Meter,
) -> Separation {
    let mut sums = Sums {
        metric,
        weights,
        counts: partition.cluster_sizes(),
        scatters: filled(0.0, sizes.len()),
        silhouettes: filled(0.0, sizes.len()),
    };
    match (samples.0, means.0) {
        (Kind::Dense(samples), Kind::Dense(means)) => {
            add_dense(&mut sums, [samples, means], partition.labels(), meter);
        }
        (Kind::Sparse(samples), Kind::Sparse(means)) => {
            add_sparse(&mut sums, [samples, means], partition.labels(), meter);
        }
        _ => unreachable!("means are of the kind of samples"),
    }
    let [scatters, silhouettes] = [sums.scatters, sums.silhouettes].map(|sums| {
        let means = sums.iter().zip(sizes).map(|(sum, size)| sum / size);
        collected(means)
    });
    let spreads = match metric {
        Metric::Euclidean => collected(scatters.into_iter().map(f64::sqrt)),
        Metric::Cosine | Metric::Manhattan | Metric::Hamming | Metric::Jaccard => scatters,
    };
    Separation { spreads, silhouettes }
}

/// The sums over the samples of each cluster.
struct Sums<'a> {
    metric: Metric,
    weights: Option<&'a [f64]>,
    /// The number of samples of each cluster.
    counts: Vec<usize>,
    scatters: Vec<f64>,
    silhouettes: Vec<f64>,
}

impl Sums<'_> {
    /// Adds samples that follow each other: `own` are the keys with the mean of their own cluster, and
    /// `nearest` has the two nearest means of each sample; none where there is one cluster.
    fn add(&mut self, first: usize, labels: &[u32], own: &[f64], nearest: &[Nearest]) {
        let metric = self.metric;
        for (i, (&label, &key)) in labels.iter().zip(own).enumerate() {
            let weight = self.weights.map_or(1.0, |weights| weights[first + i]);
            let cluster = label as usize;
            self.scatters[cluster] += weight * scatter(metric, key);
            let other =
                nearest.chunks_exact(2).nth(i).map(|two| two[usize::from(two[0].index == label)]);
            let single = self.counts[cluster] == 1 && weight <= 1.0;
            if let (Some(other), false) = (other, single) {
                let [own, other] = [key, other.key].map(|key| metric.finite_distance(key));
                self.silhouettes[cluster] += weight * silhouette(own, other);
            }
        }
    }
}

fn add_dense(
    sums: &mut Sums<'_>,
    [samples, means]: [AnyMatrix<'_>; 2],
    labels: &[u32],
    meter: &Meter,
) {
    let (metric, features) = (sums.metric, samples.features());
    let given = Rows::new(samples.reborrow(), Metric::Euclidean);
    let mut values = Vec::new();
    let part = usize::max(PART_BYTES / (size_of::<f64>() * features), FEWEST);
    for first in (0..samples.len()).step_by(part) {
        if meter.stopped() {
            break;
        }
        let end = samples.len().min(first + part);
        // In f64, so that samples of any type can be compared with means; as given, and not yet
        // normalised.
        given.load_values(first..end, &mut values);
        let rows = ArrayView2::from_shape((end - first, features), &values);
        let sides = || {
            let rows = AnyMatrix::F64(rows.clone().expect("rows have one length"));
            [rows, means.reborrow()]
        };
        let labels = &labels[first..end];
        let [rows, of_means] = sides().map(|side| Rows::new(side, metric));
        let own = own_keys([&rows, &of_means], labels);
        let nearest =
            nearest_means(metric, sides().map(|side| AnySamples(Kind::Dense(side))), meter);
        sums.add(first, labels, &own, &nearest);
    }
}

fn add_sparse(sums: &mut Sums<'_>, sides: [SparseSamples<'_>; 2], labels: &[u32], meter: &Meter) {
    let [rows, means] = sides.map(|side| SparseRows::new(side, sums.metric));
    let own = own_keys([&rows, &means], labels);
    let nearest = nearest_means(sums.metric, [(&sides[0]).into(), (&sides[1]).into()], meter);
    sums.add(0, labels, &own, &nearest);
}

/// The two nearest means of each sample, where there are two.
fn nearest_means(metric: Metric, sides: [AnySamples<'_>; 2], meter: &Meter) -> Vec<Nearest> {
    match sides[1].len() {
        1 => Vec::new(),
        _ => nearest_between(metric, sides, 2, meter),
    }
}

/// The quantity that a spread is the mean of.
fn scatter(metric: Metric, key: f64) -> f64 {
    match metric {
        // The squared distance.
        Metric::Euclidean => key,
        Metric::Cosine | Metric::Manhattan | Metric::Hamming | Metric::Jaccard => {
            metric.finite_distance(key)
        }
    }
}

/// (b − a) / max(a, b); 0 for a sample that is at both means.
fn silhouette(own: f64, other: f64) -> f64 {
    match f64::max(own, other) {
        0.0 => 0.0,
        larger => (other - own) / larger,
    }
}

/// The key of each sample and the mean of its cluster.
fn own_keys<R: Keyed>([samples, means]: [&R; 2], labels: &[u32]) -> Vec<f64> {
    let mut keys = filled(0.0, labels.len());
    let blocks = keys.par_chunks_mut(BLOCK).zip(labels.par_chunks(BLOCK)).enumerate();
    blocks.shared().for_each_init(
        || [(); 2].map(|()| samples.room()),
        |[row, mean], (block, (keys, labels))| {
            for (i, (key, &label)) in keys.iter_mut().zip(labels).enumerate() {
                samples.load(block * BLOCK + i, row);
                *key = means.key(row, label as usize, mean);
            }
        },
    );
    keys
}
