//! How far samples are from the mean of their cluster, and from the nearest other mean.

use ndarray::ArrayView2;
use rayon::prelude::*;

use crate::element::AnyMatrix;
use crate::memory::{collected, filled};
use crate::metric::Metric;
use crate::neighbors::nearest_between;
use crate::partition::Partition;
use crate::progress::Meter;
use crate::rows::Rows;

/// What the distances of samples to means say of each cluster.
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

/// Compares the N samples with the means (C × d) of a partition, which takes N·C distances of a
/// meter; where it is stopped, any numbers.
pub(crate) fn separation(
    samples: AnyMatrix<'_>,
    partition: &Partition,
    metric: Metric,
    (means, sizes): (ArrayView2<'_, f64>, &[f64]),
    weights: Option<&[f64]>,
    meter: &Meter,
) -> Separation {
    let (clusters, features) = (partition.clusters(), samples.features());
    let means = AnyMatrix::F64(means);
    let mut sums = [(); 2].map(|()| filled(0.0, clusters));
    let counts = partition.cluster_sizes();
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
        given.load_block(first..end, &mut values);
        let rows = ArrayView2::from_shape((end - first, features), &values);
        let rows = AnyMatrix::F64(rows.expect("rows have one length"));
        let labels = &partition.labels()[first..end];
        let own = own_keys([rows.reborrow(), means.reborrow()], labels, metric);
        let nearest = match clusters {
            1 => Vec::new(),
            _ => nearest_between(metric, [rows.reborrow(), means.reborrow()], 2, meter),
        };
        for (i, (&label, &key)) in labels.iter().zip(&own).enumerate() {
            let weight = weights.map_or(1.0, |weights| weights[first + i]);
            let cluster = label as usize;
            sums[0][cluster] += weight * scatter(metric, key);
            let other =
                nearest.chunks_exact(2).nth(i).map(|two| two[usize::from(two[0].index == label)]);
            let single = counts[cluster] == 1 && weight <= 1.0;
            if let (Some(other), false) = (other, single) {
                let [own, other] = [key, other.key].map(|key| metric.distance(key));
                sums[1][cluster] += weight * silhouette(own, other);
            }
        }
    }
    let [scatters, silhouettes] = sums.map(|sums| {
        let means = sums.iter().zip(sizes).map(|(sum, size)| sum / size);
        collected(means)
    });
    let spreads = match metric {
        Metric::Euclidean => collected(scatters.into_iter().map(f64::sqrt)),
        _ => scatters,
    };
    Separation { spreads, silhouettes }
}

/// What a spread is the mean of.
fn scatter(metric: Metric, key: f64) -> f64 {
    match metric {
        // The squared distance.
        Metric::Euclidean => key,
        _ => metric.distance(key),
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
fn own_keys(sides: [AnyMatrix<'_>; 2], labels: &[u32], metric: Metric) -> Vec<f64> {
    let [samples, means] = sides.map(|side| Rows::new(side, metric));
    let mut keys = filled(0.0, labels.len());
    let blocks = keys.par_chunks_mut(BLOCK).zip(labels.par_chunks(BLOCK)).enumerate();
    blocks.for_each_init(
        || [(); 2].map(|()| filled(0.0, samples.features())),
        |[row, mean], (block, (keys, labels))| {
            for (i, (key, &label)) in keys.iter_mut().zip(labels).enumerate() {
                samples.load(block * BLOCK + i, row);
                *key = means.key(row, label as usize, mean);
            }
        },
    );
    keys
}
