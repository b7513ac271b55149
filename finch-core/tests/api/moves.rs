//! Moves: samples go, after merging, to the cluster that they are linked to most.

use std::collections::HashMap;

use finch_core::{Finch, Hierarchy, Metric, Partition, Refine, Run, Samples};
use ndarray::{Array2, Axis, concatenate};

use crate::common::Random;

/// Four Gaussians that reach into each other, in so many dimensions, and every ninth row once more.
fn overlapping(rows: usize, columns: usize) -> Array2<f64> {
    let mut random = Random(11);
    let centers = Array2::from_shape_simple_fn((4, columns), || 3.5 * random.uniform());
    let mut matrix = Array2::from_shape_fn((rows, columns), |(row, column)| {
        let noise = (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
        centers[[row % 4, column]] + noise
    });
    for row in (9..rows).step_by(9) {
        let before = matrix.row(row - 5).to_owned();
        matrix.row_mut(row).assign(&before);
    }
    matrix
}

fn fit(matrix: &Array2<f64>, metric: Metric) -> Hierarchy {
    Finch::new().metric(metric).fit(&Samples::new(matrix.view()).unwrap()).unwrap()
}

/// Samples move, there are as many clusters as were asked for, equal samples are together, and neither threads nor
/// kept neighbours show. Nested clusters are those of the dendrogram.
#[test]
fn samples_move_and_clusters_stay() {
    let matrix = overlapping(700, 8);
    let samples = Samples::new(matrix.view()).unwrap();
    for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
        let hierarchy = fit(&matrix, metric);
        let dendrogram = Refine::new(1).dendrogram(&samples, &hierarchy, &mut Run::new()).unwrap();
        let mut moved_at_all = 0;
        for clusters in [2, 3, 4, 7, 12, hierarchy.finest().clusters()] {
            let refine = Refine::new(clusters);
            let moved = refine.run(&samples, &hierarchy).unwrap();
            let still = refine.nested(true).run(&samples, &hierarchy).unwrap();
            assert_eq!(still, dendrogram.cut(clusters).unwrap());
            assert_eq!(moved.clusters(), clusters);
            let mut label_of = HashMap::new();
            for (row, label) in matrix.rows().into_iter().zip(moved.labels()) {
                let bits: Vec<u64> = row.iter().map(|value| value.to_bits()).collect();
                assert_eq!(label_of.entry(bits).or_insert(label), &label);
            }
            moved_at_all += usize::from(moved != still);
            for threads in [1, 2] {
                let run = &mut Run::new().threads(threads);
                assert_eq!(refine.run_with(&samples, &hierarchy, run).unwrap(), moved);
            }
            let kept = Finch::new().metric(metric).keep_neighbors(40);
            let kept = kept.fit(&samples).unwrap();
            assert_eq!(refine.run(&samples, &kept).unwrap(), moved);
        }
        assert!(moved_at_all >= 4, "{metric:?}");
        let finest = Refine::new(hierarchy.finest().clusters()).run(&samples, &hierarchy).unwrap();
        assert_eq!(&finest, hierarchy.finest(), "nothing has merged, and nothing moves");
    }
}

#[test]
fn nothing_moves_in_the_plane_or_where_a_rule_says_so() {
    let plane = overlapping(700, 2);
    let samples = Samples::new(plane.view()).unwrap();
    let hierarchy = fit(&plane, Metric::Euclidean);
    let four = Refine::new(4);
    assert_eq!(four.run(&samples, &hierarchy), four.nested(true).run(&samples, &hierarchy));

    let matrix = overlapping(700, 8);
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = fit(&matrix, Metric::Euclidean);
    let [moved, still] =
        [four, four.nested(true)].map(|four| four.run(&samples, &hierarchy).unwrap());
    let sized = four.min_size(2).run(&samples, &hierarchy);
    assert_eq!(sized, Ok(still.clone()));
    // A sample that has moved, and one of the cluster that it was in.
    let to = |labels: &Partition, sample: usize| labels.labels()[sample];
    let same = |partition: &Partition, a: usize, b: usize| to(partition, a) == to(partition, b);
    let pairs = (0..700).flat_map(|a| (0..700).map(move |b| (a, b)));
    let (a, b) =
        pairs.into_iter().find(|&(a, b)| same(&still, a, b) && !same(&moved, a, b)).unwrap();
    let together = [[a as u32, b as u32]];
    let ruled = four.must_link(&together).run(&samples, &hierarchy).unwrap();
    assert!(same(&ruled, a, b) && ruled.clusters() == 4);
}

/// Whole weights mean repeated rows, and neighbours alone give what samples give.
#[test]
fn weights_and_given_neighbors_move_alike() {
    let matrix = overlapping(300, 6);
    let weights: Vec<f64> = (0..matrix.nrows()).map(|row| 1.0 + (row % 3) as f64).collect();
    let of_copies: Vec<usize> =
        (0..matrix.nrows()).flat_map(|row| vec![row; weights[row] as usize]).collect();
    let rows: Vec<_> = of_copies.iter().map(|&row| matrix.row(row).insert_axis(Axis(0))).collect();
    let repeated = concatenate(Axis(0), &rows).unwrap();
    let [samples, copies] = [&matrix, &repeated].map(|matrix| Samples::new(matrix.view()).unwrap());
    let weighted = Finch::new().fit_weighted(&samples, &weights, &mut Run::new()).unwrap();
    let hierarchy = fit(&repeated, Metric::Euclidean);
    let mut moved = 0;
    for clusters in [2, 3, 4, 5, 8] {
        let refine = Refine::new(clusters);
        let of_weighted = refine.run(&samples, &weighted).unwrap();
        let labels: Vec<u32> = of_copies.iter().map(|&row| of_weighted.labels()[row]).collect();
        let of_repeated = refine.run(&copies, &hierarchy).unwrap();
        assert_eq!(of_repeated, Partition::new(&labels).unwrap(), "{clusters}");
        moved += usize::from(of_weighted != refine.nested(true).run(&samples, &weighted).unwrap());
    }
    assert!(moved > 0);
    let hierarchy = Finch::new().keep_neighbors(20).fit(&samples).unwrap();
    let graph =
        Finch::new().fit_graph(hierarchy.neighbors().unwrap().clone(), &mut Run::new()).unwrap();
    let alone = Refine::new(4).run_without_samples(&graph, &mut Run::new()).unwrap();
    assert_eq!(alone.clusters(), 4);
    assert_eq!(alone, Refine::new(4).run(&samples, &hierarchy).unwrap());
}
