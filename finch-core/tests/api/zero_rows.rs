//! Samples of zeros under cosine: a cluster of their own, and nobody's neighbours. And means without a direction.

use finch_core::{
    BitSamples, Finch, Hierarchy, Linkage, Metric, Model, Neighbors, Refine, Run, Samples, Search,
    SparseSamples, Warning,
};
use ndarray::{Array2, array};

use crate::common::Random;

fn cosine() -> Finch {
    Finch::new().metric(Metric::Cosine)
}

fn fit(matrix: &Array2<f64>) -> Hierarchy {
    cosine().fit(&Samples::new(matrix.view()).unwrap()).unwrap()
}

/// Rows near two directions, of which those of these numbers are zeros.
fn with_zeros(rows: usize, features: usize, zeros: &[usize]) -> Array2<f64> {
    let mut random = Random(rows as u64);
    Array2::from_shape_fn((rows, features), |(i, j)| match zeros.contains(&i) {
        true => 0.0,
        false => f64::from(j % 2 == i % 2) + 0.2 * random.uniform(),
    })
}

#[test]
fn zero_rows_are_a_cluster_of_their_own_in_every_partition() {
    let one = array![[5.0, 0.0], [5.0, 0.1], [0.0, 5.0], [0.1, 5.0], [0.0, 0.0]];
    assert_eq!(fit(&one).finest().labels(), [0, 0, 1, 1, 2]);
    for zeros in [&[0][..], &[3, 40, 41], &[59], &[0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10]] {
        for features in [2, 9, 130] {
            let hierarchy = fit(&with_zeros(60, features, zeros));
            for partition in hierarchy.partitions() {
                let of_zeros = partition.labels()[zeros[0]];
                for (row, &label) in partition.labels().iter().enumerate() {
                    assert_eq!(label == of_zeros, zeros.contains(&row), "{zeros:?} {features}");
                }
            }
            let Warning::ZeroRows { rows, first, .. } = hierarchy.warnings()[0] else {
                panic!("a warning of zero rows");
            };
            assert_eq!((rows, first as usize), (zeros.len(), zeros[0]));
        }
    }
    assert!(fit(&with_zeros(60, 5, &[])).warnings().is_empty());
    // Zeros alone are one cluster.
    assert_eq!(fit(&Array2::zeros((4, 3))).finest().labels(), [0; 4]);
    // The rows that are left are opposite, and still nearer to each other.
    let opposite = array![[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0]];
    assert_eq!(fit(&opposite).finest().labels(), [0, 1, 1]);
}

#[test]
fn every_search_and_type_leaves_zero_rows_apart() {
    let zeros = [0, 17, 18, 230];
    let mut random = Random(9);
    for features in [3, 40] {
        let matrix = Array2::from_shape_fn((300, features), |(i, j)| {
            u8::from(!zeros.contains(&i) && (j == i % features || random.below(4) == 0))
        });
        let of_f64 = matrix.mapv(f64::from);
        let samples = Samples::new(of_f64.view()).unwrap();
        for k in [1, 6, 299] {
            let near = |search: Search| -> Neighbors {
                cosine().search(search).nearest_neighbors(&samples, k, &mut Run::new()).unwrap()
            };
            let expected = near(Search::Brute);
            for (row, index) in expected.index().outer_iter().enumerate() {
                let is_alone = |other: &&u32| **other != u32::MAX;
                let others = index.iter().filter(is_alone);
                let count = others.clone().count();
                assert!(
                    others
                        .clone()
                        .all(|&other| zeros.contains(&(other as usize)) == zeros.contains(&row))
                );
                let there = if zeros.contains(&row) { 3 } else { 295 };
                assert_eq!(count, k.min(there));
            }
            for search in [Search::Auto, Search::Blocked, Search::KdTree] {
                assert_eq!(near(search), expected, "{search:?} {features} {k}");
            }
            if features >= Search::PROJECTED_FEATURES {
                assert_eq!(near(Search::Projected), expected, "{features} {k}");
            }
            let (mut starts, mut columns, mut values) = (vec![0_i32], Vec::new(), Vec::new());
            for row in matrix.outer_iter() {
                for (column, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0) {
                    columns.push(column as i32);
                    values.push(f64::from(value));
                }
                starts.push(values.len() as i32);
            }
            let sparse =
                SparseSamples::new(features, &starts[..], &columns[..], &values[..]).unwrap();
            for search in [Search::Auto, Search::Brute, Search::Blocked] {
                let finch = cosine().search(search);
                let found = finch.nearest_neighbors(&sparse, k, &mut Run::new()).unwrap();
                assert_eq!(found, expected, "sparse {search:?} {features} {k}");
            }
            let found = cosine().nearest_neighbors(
                &Samples::new(matrix.view()).unwrap(),
                k,
                &mut Run::new(),
            );
            assert_eq!(found.unwrap(), expected, "{features} {k}");
        }
        let packed = Array2::from_shape_fn((300, features.div_ceil(8)), |(row, byte)| {
            (0..8).fold(0_u8, |bits, bit| {
                bits | matrix.get((row, byte * 8 + bit)).copied().unwrap_or(0) << (7 - bit)
            })
        });
        let bits = BitSamples::new(packed.view(), features).unwrap();
        let of_bits = cosine().nearest_neighbors(&bits, 3, &mut Run::new()).unwrap();
        assert_eq!(of_bits, cosine().nearest_neighbors(&samples, 3, &mut Run::new()).unwrap());
    }
}

#[test]
fn zero_rows_merge_last() {
    let zeros = [2, 30, 31];
    let matrix = with_zeros(60, 6, &zeros);
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = cosine().fit(&samples).unwrap();
    for linkage in [Linkage::Centroid, Linkage::Ward, Linkage::Neighbor] {
        for clusters in [2, 3, 5] {
            let refined = Refine::new(clusters).linkage(linkage).run(&samples, &hierarchy).unwrap();
            assert_eq!(refined.clusters(), clusters);
            let of_zeros = refined.labels()[2];
            for (row, &label) in refined.labels().iter().enumerate() {
                assert_eq!(label == of_zeros, zeros.contains(&row), "{linkage:?} {clusters}");
            }
        }
        let one = Refine::new(1).linkage(linkage).run(&samples, &hierarchy).unwrap();
        assert_eq!(one.clusters(), 1);
        let all = Refine::new(60).linkage(linkage).run(&samples, &hierarchy).unwrap();
        assert_eq!(all.clusters(), 60);
    }
    hierarchy.suggest(&samples).unwrap();
    hierarchy.outlier_scores(&samples, &mut Run::new()).unwrap();
}

/// By samples, and zero rows by means, too; and of a model that was saved and read.
#[test]
fn training_rows_are_predicted_as_they_were_clustered() {
    let mut matrix = with_zeros(40, 4, &[7, 8]);
    // Parallel rows.
    for row in 20..40 {
        let scaled = &matrix.row(row - 20) * 0.1;
        matrix.row_mut(row).assign(&scaled);
    }
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = cosine().keep_neighbors(3).fit(&samples).unwrap();
    let finest = hierarchy.finest().clone();
    let of_means = Model::new(hierarchy, &samples, Vec::new(), &mut Run::new()).unwrap();
    let predicted = of_means.predict(&samples, 0, &mut Run::new()).unwrap();
    assert_eq!(predicted.labels[7..9], finest.labels()[7..9]);
    assert_eq!(predicted.distance[7..9], [0.0; 2]);
    let model = of_means.keep_samples(&samples).unwrap();
    let mut bytes = Vec::new();
    model.write(&mut bytes).unwrap();
    for model in [model, Model::from_bytes(&bytes).unwrap()] {
        let predicted = model.predict(&samples, 0, &mut Run::new()).unwrap();
        assert_eq!(predicted.labels, finest.labels());
        assert!(predicted.distance.iter().all(|distance| *distance < 1e-15));
        let zero = array![[0.0; 4]];
        let zero = model.predict(&Samples::new(zero.view()).unwrap(), 0, &mut Run::new());
        assert_eq!(zero.unwrap().labels, [finest.labels()[7]]);
    }
}

/// Corners of regular polygons, each in a plane of its own: their means are 0 but for rounding. Of so few corners the
/// first level has all; halves of more would be opposite, and corners of three are, and rightly nearer to other planes.
#[test]
fn means_without_a_direction_are_linked_by_nothing_that_rounding_makes() {
    let corners = |count: usize, planes: usize, scale: f64| {
        Array2::from_shape_fn((count * planes, 2 * planes), |(row, column)| {
            let angle = std::f64::consts::TAU * (row % count) as f64 / count as f64;
            if row / count != column / 2 {
                0.0
            } else if column % 2 == 0 {
                scale * angle.cos()
            } else {
                scale * angle.sin()
            }
        })
    };
    let expect_apart = |hierarchy: &Hierarchy, count: usize, context: &str| {
        for partition in hierarchy.partitions() {
            let mut plane_of = vec![None; partition.clusters()];
            for (row, &label) in partition.labels().iter().enumerate() {
                let plane = *plane_of[label as usize].get_or_insert(row / count);
                assert_eq!(plane, row / count, "{context}");
            }
        }
    };
    for (count, planes) in [(5, 6), (7, 4)] {
        for scale in [1.0, 3.0, 0.1, 1e-120, 1e100] {
            let context = format!("{count} {planes} {scale}");
            expect_apart(&fit(&corners(count, planes, scale)), count, &context);
        }
        let of_f32 = corners(count, planes, 3.0).mapv(|value| value as f32);
        let of_f32 = cosine().fit(&Samples::new(of_f32.view()).unwrap()).unwrap();
        expect_apart(&of_f32, count, "f32");
    }
}
