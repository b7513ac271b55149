//! Islands: small groups far from all else, beside large clusters that touch each other.

use finch_core::{Finch, Hierarchy, Partition, Refine, Run, Samples};
use ndarray::{Array2, Axis, concatenate};

use crate::common::Random;

/// About normal: the sum of twelve.
fn normal(random: &mut Random) -> f64 {
    (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0
}

/// Three Gaussians of 300 samples, 5 deviations apart, and islands of `size` samples on a ring around them;
/// the classes are those of the Gaussians, then of the islands. Samples of all classes take turns.
fn large_and_islands(islands: usize, size: usize) -> (Array2<f64>, Vec<usize>) {
    let mut random = Random(5);
    let mut rows = Vec::new();
    for row in 0..300 {
        for class in 0..3 {
            let center = [[0.0, 0.0], [5.0, 0.0], [2.5, 4.4]][class];
            rows.push((center.map(|at| at + normal(&mut random)), class));
        }
        for island in (0..islands).filter(|_| row < size) {
            let angle = 6.3 * island as f64 / islands as f64;
            let center = [2.5 + 14.0 * angle.cos(), 1.5 + 14.0 * angle.sin()];
            rows.push((center.map(|at| at + 0.1 * normal(&mut random)), 3 + island));
        }
    }
    let matrix = Array2::from_shape_fn((rows.len(), 2), |(row, column)| rows[row].0[column]);
    (matrix, rows.into_iter().map(|(_, class)| class).collect())
}

fn fit(matrix: &Array2<f64>) -> Hierarchy {
    Finch::new().fit(&Samples::new(matrix.view()).unwrap()).unwrap()
}

/// The share of the samples of large clusters that are with most of their class, where each class has a cluster
/// of its own.
fn right(partition: &Partition, classes: &[usize]) -> f64 {
    let mut counts = vec![[0; 3]; partition.clusters()];
    for (&label, &class) in partition.labels().iter().zip(classes) {
        if class < 3 {
            counts[label as usize][class] += 1;
        }
    }
    let most: Vec<usize> =
        (0..3).map(|class| (0..counts.len()).max_by_key(|&k| counts[k][class]).unwrap()).collect();
    let apart = most[0] != most[1] && most[0] != most[2] && most[1] != most[2];
    let with_most = (0..3).map(|class| counts[most[class]][class]).sum::<usize>();
    if apart { with_most as f64 / 900.0 } else { 0.0 }
}

/// As many clusters as there are large ones are the large ones, and as many as there are groups are the groups:
/// of one tree, for islands with and without links.
#[test]
fn islands_do_not_use_up_the_number_of_clusters() {
    for (islands, size) in [(0, 0), (1, 40), (4, 8), (6, 40), (12, 30)] {
        let (matrix, classes) = large_and_islands(islands, size);
        let samples = Samples::new(matrix.view()).unwrap();
        let hierarchy = fit(&matrix);
        let run = &mut Run::new();
        let dendrogram = Refine::new(1).dendrogram(&samples, &hierarchy, run).unwrap();
        let [large, all] = [3, 3 + islands].map(|clusters| dendrogram.cut(clusters).unwrap());
        assert!(right(&large, &classes) > 0.95, "{islands} of {size}: {}", right(&large, &classes));
        assert!(right(&all, &classes) > 0.95, "{islands} of {size}: {}", right(&all, &classes));
        for island in 3..3 + islands {
            let members = (0..classes.len()).filter(|&row| classes[row] == island);
            let labels: Vec<u32> = members.map(|row| all.labels()[row]).collect();
            assert!(labels.iter().all(|label| *label == labels[0]));
            let with = all.labels().iter().filter(|label| **label == labels[0]).count();
            assert_eq!(with, size, "{islands} of {size}");
        }
        assert_eq!(Refine::new(3).run(&samples, &hierarchy), Ok(large));
        let heights: Vec<f64> = dendrogram.merges().iter().map(|merge| merge.height).collect();
        assert!(heights.is_sorted());
    }
}

/// Rules that forbid nothing change nothing, and the order of threads does not show.
#[test]
fn islands_merge_alike_under_rules_and_on_any_threads() {
    let (matrix, _) = large_and_islands(6, 40);
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = fit(&matrix);
    for clusters in [1, 2, 3, 5, 9, 12] {
        let refine = Refine::new(clusters);
        let expected = refine.run(&samples, &hierarchy).unwrap();
        let ruled = refine.max_size(matrix.nrows()).run(&samples, &hierarchy).unwrap();
        assert_eq!(ruled, expected, "{clusters}");
        let alone = refine.run_with(&samples, &hierarchy, &mut Run::new().threads(1)).unwrap();
        assert_eq!(alone, expected, "{clusters}");
    }
    // An island and a large cluster that are to be apart.
    let (first, island) = (0, 3);
    let apart = [[first, island]];
    let three = Refine::new(3).cannot_link(&apart).run(&samples, &hierarchy).unwrap();
    assert_ne!(three.labels()[first as usize], three.labels()[island as usize]);
    let least = Refine::new(4).min_size(60).run(&samples, &hierarchy).unwrap();
    assert!(least.sizes().iter().all(|&size| size >= 60));
}

/// Whole weights mean repeated rows.
#[test]
fn weighted_islands_are_repeated_rows() {
    let (matrix, _) = large_and_islands(4, 30);
    let weights: Vec<f64> = (0..matrix.nrows()).map(|row| 1.0 + (row % 3) as f64).collect();
    let of_copies: Vec<usize> =
        (0..matrix.nrows()).flat_map(|row| vec![row; weights[row] as usize]).collect();
    let rows: Vec<_> = of_copies.iter().map(|&row| matrix.row(row).insert_axis(Axis(0))).collect();
    let repeated = concatenate(Axis(0), &rows).unwrap();
    let [samples, copies] = [&matrix, &repeated].map(|matrix| Samples::new(matrix.view()).unwrap());
    let weighted = Finch::new().fit_weighted(&samples, &weights, &mut Run::new()).unwrap();
    let hierarchy = fit(&repeated);
    for clusters in [2, 3, 5, 7] {
        let of_weighted = Refine::new(clusters).run(&samples, &weighted).unwrap();
        let of_copies_ = Refine::new(clusters).run(&copies, &hierarchy).unwrap();
        let labels: Vec<u32> = of_copies.iter().map(|&row| of_weighted.labels()[row]).collect();
        assert_eq!(of_copies_, Partition::new(&labels).unwrap(), "{clusters}");
    }
}
