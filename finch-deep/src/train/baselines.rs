//! The clusters of methods that people know, of the input, to compare the result of training with.

use finch_core::{Element, Finch, Linkage, Metric, Partition, Refine, Run, Samples};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use rand::RngExt;
use rayon::prelude::*;

use super::random::{Purpose, stream};
use crate::data::Matrix;
use crate::metrics::Method;

/// Starts of k-means, of which the clusters of least spread are taken.
const STARTS: usize = 4;
/// The most passes of a start.
const PASSES: usize = 100;

/// K clusters of the samples (N × d) by each method: k-means (Lloyd 1982, k-means++ of Arthur & Vassilvitskii
/// 2007), and Ward linkage from the first partition of FINCH. Under the cosine of rows of length 1.
///
/// # Errors
/// The errors of [`Finch::fit`] and [`Refine::run`].
pub fn baselines(
    matrix: &Matrix<'_>,
    metric: Metric,
    clusters: usize,
    seed: u64,
) -> finch_core::Result<[(Method, Partition); 2]> {
    fn of<A: Element + Into<f64>>(
        matrix: ArrayView2<'_, A>,
        metric: Metric,
        clusters: usize,
        seed: u64,
    ) -> finch_core::Result<[(Method, Partition); 2]> {
        let rows = compared(matrix, metric);
        let means = Partition::new(&k_means(rows.view(), clusters, seed))?;
        let samples = Samples::new(matrix)?;
        let mut run = Run::new();
        let hierarchy = Finch::new().metric(metric).fit_with(&samples, &mut run)?;
        let refine = Refine::new(clusters).linkage(Linkage::Ward);
        let first = hierarchy.partitions()[0].clusters() >= clusters;
        let refine = if first { refine.from(0) } else { refine };
        let ward = refine.run_with(&samples, &hierarchy, &mut run)?;
        Ok([(Method::KMeans, means), (Method::Ward, ward)])
    }
    match matrix {
        Matrix::F64(view) => of(view.view(), metric, clusters, seed),
        Matrix::F32(view) => of(view.view(), metric, clusters, seed),
        Matrix::U8(view) => of(view.view(), metric, clusters, seed),
    }
}

/// The rows as squared Euclidean distances compare them.
fn compared<A: Copy + Into<f64>>(matrix: ArrayView2<'_, A>, metric: Metric) -> Array2<f32> {
    let mut rows = Array2::zeros(matrix.dim());
    for (mut to, row) in rows.rows_mut().into_iter().zip(matrix.rows()) {
        let largest = row.iter().fold(0.0_f64, |most, &value| most.max(value.into().abs()));
        // Squares of what is within ±1 do not overflow.
        let scale = if metric == Metric::Cosine && largest > 0.0 { largest } else { 1.0 };
        let squares = row.iter().map(|&value| (value.into() / scale).powi(2)).sum::<f64>();
        let length = if metric == Metric::Cosine && squares > 0.0 { squares.sqrt() } else { 1.0 };
        to.iter_mut()
            .zip(row)
            .for_each(|(to, &value)| *to = (value.into() / scale / length) as f32);
    }
    rows
}

/// The labels of k-means: of the start with the least sum of squared distances, of equals the first.
fn k_means(rows: ArrayView2<'_, f32>, clusters: usize, seed: u64) -> Vec<u32> {
    let start = |number: usize| {
        let mut means = spread_out(rows, clusters, seed, number);
        let mut nearest = nearest(rows, &means);
        for _ in 0..PASSES {
            means = means_of(rows, &nearest, clusters);
            let next = self::nearest(rows, &means);
            let done = next.iter().zip(&nearest).all(|(a, b)| a.0 == b.0);
            nearest = next;
            if done {
                break;
            }
        }
        let spread = nearest.iter().map(|&(_, distance)| f64::from(distance)).sum::<f64>();
        (spread, nearest)
    };
    let best = (0..STARTS).map(start).min_by(|a, b| a.0.total_cmp(&b.0)).expect("there are starts");
    best.1.into_iter().map(|(mean, _)| mean as u32).collect()
}

/// The first means: samples, each drawn with a probability that rises with its squared distance to those
/// drawn before.
fn spread_out(rows: ArrayView2<'_, f32>, clusters: usize, seed: u64, start: usize) -> Array2<f64> {
    let mut random = stream(seed, Purpose::Baseline, start);
    let mut means = Array2::zeros((clusters, rows.ncols()));
    let mut chosen = random.random_range(0..rows.nrows());
    let mut distances = vec![f64::INFINITY; rows.nrows()];
    for mut mean in means.rows_mut() {
        mean.assign(&rows.row(chosen).mapv(f64::from));
        let to = mean.to_owned();
        distances.par_iter_mut().enumerate().for_each(|(row, distance)| {
            *distance = distance.min(squared(rows.row(row), &to));
        });
        let mut left = random.random_range(0.0..1.0) * distances.iter().sum::<f64>();
        // Where all are equal to a mean, any sample is as good.
        chosen = distances
            .iter()
            .position(|distance| {
                left -= distance;
                left < 0.0
            })
            .unwrap_or(0);
    }
    means
}

/// The nearest mean of each row, of equally near ones the first, and the squared distance to it.
fn nearest(rows: ArrayView2<'_, f32>, means: &Array2<f64>) -> Vec<(usize, f32)> {
    let means: Vec<Array1<f64>> = means.rows().into_iter().map(|mean| mean.to_owned()).collect();
    let nearest = |row: usize| {
        let row = rows.row(row);
        let distances = means.iter().map(|mean| squared(row, mean)).enumerate();
        let (mean, distance) = distances.min_by(|a, b| a.1.total_cmp(&b.1)).unwrap_or((0, 0.0));
        (mean, distance as f32)
    };
    (0..rows.nrows()).into_par_iter().map(nearest).collect()
}

/// The means of the rows of each cluster. An empty cluster gets the row that is farthest from its mean.
fn means_of(rows: ArrayView2<'_, f32>, nearest: &[(usize, f32)], clusters: usize) -> Array2<f64> {
    let mut means = Array2::<f64>::zeros((clusters, rows.ncols()));
    let mut sizes = vec![0_usize; clusters];
    for (row, &(cluster, _)) in rows.rows().into_iter().zip(nearest) {
        sizes[cluster] += 1;
        means
            .row_mut(cluster)
            .iter_mut()
            .zip(row)
            .for_each(|(sum, &value)| *sum += f64::from(value));
    }
    let mut farthest: Vec<usize> = Vec::new();
    if sizes.contains(&0) {
        farthest.extend(0..nearest.len());
        farthest.sort_by(|&a, &b| nearest[b].1.total_cmp(&nearest[a].1).then(a.cmp(&b)));
    }
    let mut farthest = farthest.into_iter();
    for (mut mean, &size) in means.rows_mut().into_iter().zip(&sizes) {
        match size {
            0 => {
                if let Some(row) = farthest.next() {
                    mean.assign(&rows.row(row).mapv(f64::from));
                }
            }
            size => mean /= size as f64,
        }
    }
    means
}

fn squared(row: ArrayView1<'_, f32>, mean: &Array1<f64>) -> f64 {
    row.iter().zip(mean).map(|(&a, b)| (f64::from(a) - b).powi(2)).sum()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Three groups of 20 on a line, their samples in turn.
    fn groups() -> Array2<f64> {
        Array2::from_shape_fn((60, 2), |(row, column)| match column {
            0 => (row % 3 * 100) as f64 + (row * 7 % 11) as f64,
            _ => (row * 5 % 13) as f64,
        })
    }

    #[test]
    fn clear_groups_are_found_by_both_methods() {
        let groups = groups();
        let expected: Vec<u32> = (0..60).map(|row| row % 3).collect();
        let expected = Partition::new(&expected).unwrap();
        for seed in 0..5 {
            let view = Matrix::F64(groups.view());
            let found = baselines(&view, Metric::Euclidean, 3, seed).unwrap();
            let [(first, means), (second, ward)] = found;
            assert_eq!([first, second], [Method::KMeans, Method::Ward]);
            // Numbered by their first samples, as the groups are.
            assert_eq!(first_seen(means.labels()), expected.labels());
            assert_eq!(first_seen(ward.labels()), expected.labels());
        }
    }

    /// Labels in the order of their first samples.
    fn first_seen(labels: &[u32]) -> Vec<u32> {
        let mut seen = Vec::new();
        let number = |label: &u32| {
            let place = seen.iter().position(|one| one == label).unwrap_or_else(|| {
                seen.push(*label);
                seen.len() - 1
            });
            place as u32
        };
        labels.iter().map(number).collect()
    }

    #[test]
    fn the_spread_of_k_means_is_at_a_minimum() {
        let rows = Array2::from_shape_fn((200, 3), |(row, column)| {
            ((row * (column + 3) * 37) % 101) as f32
        });
        let labels = k_means(rows.view(), 7, 1);
        let nearest: Vec<(usize, f32)> =
            labels.iter().map(|&label| (label as usize, 0.0)).collect();
        let means = means_of(rows.view(), &nearest, 7);
        let again: Vec<u32> =
            self::nearest(rows.view(), &means).into_iter().map(|(mean, _)| mean as u32).collect();
        assert_eq!(again, labels);
        let used = (0..7).filter(|label| labels.contains(label)).count();
        assert_eq!(used, 7);
    }

    #[test]
    fn rows_of_one_direction_are_one_cluster_under_the_cosine() {
        let rows = Array2::from_shape_fn((40, 2), |(row, column)| {
            let length = (1 + row) as f64;
            if row % 2 == column { length } else { 0.1 * length }
        });
        let view = Matrix::F64(rows.view());
        let [(_, means), (_, ward)] = baselines(&view, Metric::Cosine, 2, 0).unwrap();
        for found in [means, ward] {
            assert!((0..40).all(|row| found.labels()[row] == found.labels()[row % 2]));
        }
    }

    #[test]
    fn equal_rows_and_as_many_clusters_as_samples() {
        let equal = Array2::<f32>::ones((5, 2));
        assert_eq!(k_means(equal.view(), 1, 0), [0; 5]);
        assert_eq!(k_means(equal.view(), 3, 0).len(), 5);
        let line = Array2::from_shape_fn((5, 1), |(row, _)| row as f32);
        let labels = k_means(line.view(), 5, 0);
        assert_eq!((0..5).filter(|label| labels.contains(label)).count(), 5);
    }
}
