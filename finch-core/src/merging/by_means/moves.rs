//! Moves by means: k-means that begins with the clusters of Ward linkage.
//!
//! All samples move at once, each to the cluster with the nearest mean (Lloyd, *Least squares quantization in PCM*,
//! 1982). A cluster that all its samples would leave keeps them, so that there are K clusters before and after. Of
//! equally near means the one of the smallest number counts, and equal samples move together.

use std::slice;

use super::any_clusters::with_clusters;
use super::clusters::MeanLinkage;
use crate::error::Result;
use crate::merging::moves::keep_clusters;
use crate::neighbors::{Nearest, nearest_between};
use crate::partition::Partition;
use crate::partition::means::LevelMeans;
use crate::partition::undirected::directed_means;
use crate::run::progress::Meter;
use crate::samples::AnySamples;
use crate::samples::metric::Metric;
use crate::samples::weights::Weights;
use crate::support::memory::collected;

/// The most rounds.
const ROUNDS: usize = 20;

/// The clusters after all moves; where it is stopped, any clusters.
pub(crate) fn move_to_means(
    samples: &AnySamples<'_>,
    weights: Option<&Weights>,
    partition: Partition,
    metric: Metric,
    meter: &Meter,
) -> Result<Partition> {
    let mut partition = partition;
    for _ in 0..ROUNDS {
        let (levels, newest) = (&mut LevelMeans::default(), slice::from_ref(&partition));
        let means = directed_means(levels, samples, weights, newest, metric, meter);
        let nearest = nearest_between(metric, [samples.reborrow(), means.samples()], 1, meter);
        if meter.stopped() {
            break;
        }
        let labels = partition.labels();
        let moved = nearest.iter().zip(labels).map(|(nearest, &own)| match *nearest {
            // A zero row under cosine is near to no mean.
            Nearest::NONE => own,
            nearest => nearest.index,
        });
        let mut moved = collected(moved);
        keep_clusters(&mut moved, labels, partition.clusters());
        if moved == labels {
            break;
        }
        partition = Partition::new(&moved)?;
    }
    Ok(partition)
}

/// The mean square of the distances of samples to the means of their clusters, to be expected of samples that had no
/// part in these: n/(n − 1) times as large in a cluster of n samples. Single samples do not count.
///
/// Under cosine samples are unit rows, and means those of unit rows. Their squared length is (1 − q/2)² where q is the
/// mean square of chords to the direction of the mean, so that the mean square of distances to the mean itself is
/// 1 − (1 − q/2)² = q(1 − q/4).
pub(crate) fn mean_square(samples: &AnySamples<'_>, partition: &Partition, metric: Metric) -> f64 {
    let squares = with_clusters!(&samples.0, Of, samples => {
        let clusters = Of::of(samples, None, partition, metric, MeanLinkage::Ward);
        clusters.squares(samples, None, partition)
    });
    let (mut sum, mut counted) = (0.0, 0.0);
    for (square, size) in squares.into_iter().zip(partition.cluster_sizes()) {
        let size = size as f64;
        if size > 1.0 {
            let square = match metric {
                Metric::Cosine => square * (1.0 - square / size / 4.0),
                Metric::Euclidean | Metric::Manhattan | Metric::Hamming | Metric::Jaccard => square,
            };
            sum += square * size / (size - 1.0);
            counted += size;
        }
    }
    if counted > 0.0 { sum / counted } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;
    use crate::samples::Samples;

    fn moved(points: &Array2<f64>, labels: &[u32], metric: Metric) -> Vec<u32> {
        let samples = Samples::new(points.view()).unwrap();
        let partition = Partition::new(labels).unwrap();
        let moved = move_to_means(&(&samples).into(), None, partition, metric, &Meter::new(1));
        moved.unwrap().into_labels()
    }

    #[test]
    fn samples_go_to_the_nearest_mean_until_none_does() {
        let points = array![[0.0], [1.0], [2.0], [3.0], [10.0], [11.0], [12.0]];
        let split = [0, 0, 1, 1, 1, 1, 1];
        assert_eq!(moved(&points, &split, Metric::Euclidean), [0, 0, 0, 0, 1, 1, 1]);
        // The mean of both others is nearer to the only sample of a cluster, which stays.
        let points = array![[0.0], [0.0], [0.0], [5.0], [4.0], [6.0]];
        assert_eq!(moved(&points, &[0, 0, 0, 1, 2, 2], Metric::Euclidean), [0, 0, 0, 1, 2, 2]);
    }

    #[test]
    fn a_zero_row_under_cosine_stays() {
        let points = array![[1.0, 0.0], [1.0, 0.1], [0.0, 1.0], [0.0, 0.0]];
        assert_eq!(moved(&points, &[0, 0, 1, 1], Metric::Cosine), [0, 0, 1, 1]);
    }

    #[test]
    fn the_mean_square_is_that_of_samples_left_out_of_the_mean() {
        let points = array![[0.0], [2.0], [7.0]];
        let samples = Samples::new(points.view()).unwrap();
        let partition = Partition::new(&[0, 0, 1]).unwrap();
        assert_eq!(mean_square(&(&samples).into(), &partition, Metric::Euclidean), 2.0);
        // Unit rows at a right angle: their mean is √½ long, and each is √½ from it.
        let points = array![[3.0, 0.0], [0.0, 5.0]];
        let samples = Samples::new(points.view()).unwrap();
        let together = Partition::new(&[0, 0]).unwrap();
        let square = mean_square(&(&samples).into(), &together, Metric::Cosine);
        // The mean of the rows as given has another direction than that of unit rows, so that it is an estimate.
        assert!((square - 2.0 * 0.5).abs() < 0.2, "{square}");
    }
}
