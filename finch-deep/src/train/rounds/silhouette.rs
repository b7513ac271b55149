//! The silhouette: how far clusters are apart in an embedding.

use finch_core::{Partition, Samples};
use ndarray::{Array2, ArrayView1};
use rayon::prelude::*;

/// The mean silhouette (Rousseeuw, 1987) of N clustered samples in an embedding, N × its width, with Euclidean
/// distances to means in place of mean distances: the mean of (b − a) / max(a, b), where a is the distance
/// to the mean of the sample's cluster and b that to the nearest other mean. From −1 to 1; a sample that is a
/// cluster of its own counts 0. (Distances to all samples
/// instead tell the same on seven sets, and take N times as long.)
///
/// # Errors
/// The errors of [`Partition::means`].
pub(in crate::train) fn silhouette(
    embedding: &Array2<f32>,
    clusters: &Partition,
) -> finch_core::Result<f64> {
    let means = clusters.means(&Samples::new(embedding.view())?)?;
    let (labels, sizes) = (clusters.labels(), clusters.sizes());
    let of_sample = |sample: usize| {
        let own = labels[sample] as usize;
        if sizes[own] < 2 {
            return 0.0;
        }
        let to = |mean: usize| distance(embedding.row(sample), means.row(mean));
        let others = (0..means.nrows()).filter(|&mean| mean != own);
        let (own, other) = (to(own), others.map(to).fold(f64::INFINITY, f64::min));
        match own.max(other) {
            // One cluster, or all samples in one place.
            most if most == 0.0 || most.is_infinite() => 0.0,
            most => (other - own) / most,
        }
    };
    // Summed in order, so that the sum is the same on any number of threads.
    let found: Vec<f64> = (0..labels.len()).into_par_iter().map(of_sample).collect();
    Ok(found.iter().sum::<f64>() / found.len().max(1) as f64)
}

fn distance(sample: ArrayView1<'_, f32>, mean: ArrayView1<'_, f32>) -> f64 {
    sample.iter().zip(mean).map(|(x, y)| f64::from(x - y).powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn clusters_that_are_apart_have_a_higher_silhouette_than_clusters_that_are_torn() {
        let places = Array2::from_shape_fn((8, 1), |(sample, _)| {
            (sample / 4 * 10) as f32 + (sample % 2) as f32
        });
        let of = |labels: [u32; 8]| silhouette(&places, &Partition::new(&labels).unwrap()).unwrap();
        // All samples are 0.5 from their mean; half are 9.5 from the other, and half 10.5.
        let apart = of([0, 0, 0, 0, 1, 1, 1, 1]);
        assert!((apart - 0.5 * (9.0 / 9.5 + 10.0 / 10.5)).abs() < 1e-6, "{apart}");
        assert!(of([0, 1, 0, 1, 0, 1, 0, 1]) < 0.1);
        assert!(of([0, 0, 1, 1, 2, 2, 2, 2]) < apart);
        assert_eq!(of([0; 8]), 0.0);
        assert_eq!(of([0, 1, 2, 3, 4, 5, 6, 7]), 0.0);
    }
}
