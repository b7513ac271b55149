use ndarray::Array2;

use super::*;
use crate::partition::means::sums;
use crate::samples::Samples;
use crate::samples::rows::Rows;
use crate::support::random::scrambled;
use crate::{Finch, Linkage, Refine};

/// Algorithm 2 as listed: all distances anew for each merge, the shortest link merges.
fn by_the_listing(
    samples: &Samples<'_, f64>,
    start: &Partition,
    metric: Metric,
    linkage: MeanLinkage,
    clusters: usize,
) -> Partition {
    let mut sums = sums(&(*samples).into(), None, start);
    let mut sizes = start.sizes();
    let mut labels = start.labels().to_vec();
    let mut alive: Vec<usize> = (0..start.clusters()).collect();
    while alive.len() > clusters {
        let mut means = sums.clone();
        for (mut mean, &size) in means.outer_iter_mut().zip(&sizes) {
            mean /= size as f64;
        }
        let rows = Rows::new(crate::samples::element::AnyMatrix::F64(means.view()), metric);
        let load = |cluster: usize| {
            let mut row = vec![0.0; rows.features()];
            rows.load(cluster, &mut row);
            row
        };
        let mut best: Option<(f64, usize, usize)> = None;
        for (i, &a) in alive.iter().enumerate() {
            for &b in &alive[i + 1..] {
                let key = metric.key(&load(a), &load(b));
                let [m, n] = [sizes[a], sizes[b]].map(|size| size as f64);
                let height = match linkage {
                    MeanLinkage::Centroid => key,
                    MeanLinkage::Ward => m * n / (m + n) * metric.squared(key),
                };
                if best.is_none_or(|(least, ..)| height < least) {
                    best = Some((height, a, b));
                }
            }
        }
        let (_, a, b) = best.unwrap();
        let gone = sums.row(b).to_owned();
        sums.row_mut(a).zip_mut_with(&gone, |kept, gone| *kept += gone);
        sizes[a] += sizes[b];
        labels.iter_mut().filter(|l| **l == b as u32).for_each(|label| *label = a as u32);
        alive.retain(|&cluster| cluster != b);
    }
    Partition::new(&labels).unwrap()
}

#[test]
fn merges_as_listed() {
    for (samples, features) in [(60, 1), (60, 2), (45, PROJECTED_FEATURES + 5)] {
        let value = |row: usize, column: usize| (row * row + 3 * column * row) % 11;
        let tied =
            Array2::from_shape_fn((samples, features), |(row, column)| value(row, column) as f64);
        let spread = Array2::from_shape_fn((samples, features), |(row, column)| {
            ((row * 31 + column * 17) as f64).sin() * (1 + row % 7) as f64
        });
        for matrix in [tied, spread] {
            let samples = Samples::new(matrix.view()).unwrap();
            for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
                let hierarchy = Finch::new().metric(metric).fit(&samples).unwrap();
                let start = hierarchy.finest();
                for (linkage, by_means) in
                    [(Linkage::Centroid, MeanLinkage::Centroid), (Linkage::Ward, MeanLinkage::Ward)]
                {
                    for clusters in 1..=start.clusters() {
                        let listed = by_the_listing(&samples, start, metric, by_means, clusters);
                        let refine = Refine::new(clusters).linkage(linkage).from(0);
                        let refined = refine.run(&samples, &hierarchy).unwrap();
                        assert_eq!(refined, listed, "{metric:?} {linkage:?} {clusters}");
                    }
                }
            }
        }
    }
}

/// A merged cluster may come to lie as far from a third cluster as the third's closest cluster,
/// and goes first if its number is smaller.
#[test]
fn a_merged_cluster_wins_ties_by_its_number() {
    let matrix = ndarray::array![[0.0, 0.0], [10.0, 2.0], [10.0, -2.0], [-10.0, 0.0]];
    let samples = Samples::new(matrix.view()).unwrap();
    let alone = Partition::new(&[0, 1, 2, 3]).unwrap();
    let (metric, linkage) = (Metric::Euclidean, MeanLinkage::Centroid);
    let listed = by_the_listing(&samples, &alone, metric, linkage, 2);
    let mut run = Run::new();
    let merges = merge_by_means(samples.any(), None, &alone, metric, linkage, 2, &mut run).unwrap();
    let merged = crate::Dendrogram::new(&alone, None, merges).coarsest().unwrap();
    assert_eq!(merged, listed);
    assert_eq!(merged.labels(), [0, 0, 0, 1]);
}

/// The merges by a matrix of the heights of all pairs.
fn merges_by_matrix<M: Element<Mean = M>>(mut clusters: Clusters<M>) -> Vec<Merge> {
    let count = clusters.len();
    let height = |clusters: &Clusters<M>, a: u32, b: u32| {
        let rows = clusters.rows();
        let [mut x, mut y] = [(); 2].map(|()| vec![0.0; rows.features()]);
        rows.load(a as usize, &mut x);
        rows.load(b as usize, &mut y);
        clusters.height(a, b, clusters.metric.key(&x, &y))
    };
    let mut heights = Array2::from_elem((count, count), f64::INFINITY);
    for (a, b) in (0..count).flat_map(|b| (0..b).map(move |a| (a, b))) {
        heights[[a, b]] = height(&clusters, a as u32, b as u32);
    }
    let mut left: Vec<usize> = (0..count).collect();
    let mut merges = Vec::new();
    while left.len() > 1 {
        let (mut pair, mut least) = ([left[0], left[1]], f64::INFINITY);
        for (at, &a) in left.iter().enumerate() {
            for &b in &left[at + 1..] {
                if heights[[a, b]] < least {
                    (pair, least) = ([a, b], heights[[a, b]]);
                }
            }
        }
        let [a, b] = pair;
        let pair = pair.map(|cluster| cluster as u32);
        merges.push(Merge { clusters: pair, height: least });
        clusters.join(pair);
        left.retain(|&cluster| cluster != b);
        for &c in left.iter().filter(|&&c| c != a) {
            let (low, high) = (c.min(a), c.max(a));
            heights[[low, high]] = height(&clusters, low as u32, high as u32);
        }
    }
    merges
}

/// Checks the merges of the clusters of some samples, by either way.
fn check_merges<A: Element>(matrix: Array2<A>, start: &Partition) {
    let samples = Samples::new(matrix.view()).unwrap();
    for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
        for linkage in [MeanLinkage::Centroid, MeanLinkage::Ward] {
            let clusters =
                || Clusters::<A::Mean>::of(&samples.into(), None, start, metric, linkage);
            let expected = merges_by_matrix(clusters());
            let meter = &Meter::stopped_at_once(false);
            let tree = Tree::of(&clusters(), meter);
            let by_tree = merge_by_tree(clusters(), tree, 1, meter);
            assert_eq!(by_tree, expected, "{metric:?} {linkage:?} {}", samples.features());
            let by_scan = merge_by_scan(clusters(), 1, meter);
            assert_eq!(by_scan, expected, "{metric:?} {linkage:?} {}", samples.features());
        }
    }
}

#[test]
fn both_ways_merge_the_closest_pair() {
    const SAMPLES: usize = 200;
    // Clusters of one sample each, and of one to five samples.
    let alone: Vec<usize> = (0..SAMPLES).collect();
    let uneven = (0..SAMPLES).map(|i| if i < 120 { i } else { i * i % 61 }).collect::<Vec<_>>();
    let number = |i: usize, j: usize| (scrambled((i * 41 + j) as u64) >> 33) as usize;
    let uniform = |i: usize, j: usize| number(i, j) as f64 / 2f64.powi(31) - 0.5;
    let on_grid = |i: usize, j: usize| (number(i, j) % 5) as f64 - 2.0;
    // Groups that are far apart, and small beside their distance.
    let far = |i: usize, j: usize| on_grid(i, j) + [0.0, 1e6, -1e12][i % 3];
    for start in [alone, uneven].map(|labels| Partition::new(&labels).unwrap()) {
        for features in [1, 2, 3, 8] {
            let shape = (SAMPLES, features);
            check_merges(Array2::from_shape_fn(shape, |(i, j)| uniform(i, j)), &start);
            check_merges(Array2::from_shape_fn(shape, |(i, j)| on_grid(i, j)), &start);
            check_merges(Array2::from_shape_fn(shape, |(i, j)| on_grid(i % 9, j)), &start);
            check_merges(Array2::from_shape_fn(shape, |(i, j)| far(i, j)), &start);
        }
        let shape = (SAMPLES, 40);
        check_merges(Array2::from_shape_fn(shape, |(i, j)| uniform(i, j) as f32), &start);
        check_merges(Array2::from_shape_fn(shape, |(i, j)| number(i, j) as u8 % 3), &start);
        check_merges(Array2::<u8>::zeros((SAMPLES, 2)), &start);
    }
}

#[test]
fn a_stopped_merging_returns() {
    let matrix = Array2::from_shape_fn((500, 2), |(i, j)| scrambled((2 * i + j) as u64) as f64);
    let samples = Samples::new(matrix.view()).unwrap().into();
    let alone = Partition::new(&(0..500).collect::<Vec<usize>>()).unwrap();
    let ward = MeanLinkage::Ward;
    let clusters = Clusters::<f64>::of(&samples, None, &alone, Metric::Euclidean, ward);
    let meter = &Meter::stopped_at_once(true);
    let tree = tree_that_pays(&clusters, meter).unwrap();
    assert!(merge_by_tree(clusters, tree, 1, meter).is_empty());
}
