//! Ties of small whole numbers: they hang neither on the order of columns, nor on the lengths of rows.

use finch_core::{
    BitSamples, Finch, Hierarchy, Metric, Neighbors, Run, Samples, Search, SparseSamples,
};
use ndarray::{Array2, Axis, array};

use crate::common::Random;

/// Rows of whole numbers below a limit, none of which is zero.
fn whole(rows: usize, features: usize, below: usize, seed: usize) -> Array2<u8> {
    let mut random = Random(seed as u64);
    let mut matrix = Array2::from_shape_fn((rows, features), |_| random.below(below) as u8);
    for (i, mut row) in matrix.outer_iter_mut().enumerate() {
        if row.iter().all(|value| *value == 0) {
            row[i % features] = 1;
        }
    }
    matrix
}

/// The columns in another order.
fn turned(matrix: &Array2<u8>, seed: usize) -> Array2<u8> {
    let mut columns: Vec<usize> = (0..matrix.ncols()).collect();
    let mut random = Random(seed as u64);
    columns.sort_by_cached_key(|_| random.next());
    matrix.select(Axis(1), &columns)
}

fn hierarchy(matrix: &Array2<f64>, metric: Metric) -> Hierarchy {
    Finch::new().metric(metric).fit(&Samples::new(matrix.view()).unwrap()).unwrap()
}

#[test]
fn of_equal_cosines_the_first_row_is_the_neighbor() {
    let matrix = array![[1, 0, 1], [1, 1, 1], [1, 1, 0], [0, 1, 1]];
    for search in [Search::Auto, Search::Brute, Search::Blocked, Search::KdTree] {
        let finch = Finch::new().metric(Metric::Cosine).search(search);
        let of_u8 = matrix.mapv(|value: i32| value as u8);
        let of_f64 = matrix.mapv(f64::from);
        let first = finch.first_neighbors(&Samples::new(of_u8.view()).unwrap(), &mut Run::new());
        assert_eq!(first.unwrap().index(), [1, 0, 1, 1], "{search:?}");
        let first = finch.first_neighbors(&Samples::new(of_f64.view()).unwrap(), &mut Run::new());
        assert_eq!(first.unwrap().index(), [1, 0, 1, 1], "{search:?}");
    }
}

/// Under cosine, Hamming and Jaccard all partitions; under the others, whose means are compared by rounded sums, the
/// neighbours and the first partition.
#[test]
fn the_order_of_columns_changes_no_hierarchy() {
    for trial in 0..50 {
        let (features, below) = ([3, 6, 9, 20, 40][trial % 5], [2, 2, 3, 6][trial % 4]);
        let matrix = whole(60, features, below, trial);
        let other = turned(&matrix, trial);
        let [matrix, other] = [matrix, other].map(|matrix| matrix.mapv(f64::from));
        for &metric in Metric::ALL.iter().filter(|metric| below == 2 || !metric.is_of_bits()) {
            let [one, two] = [&matrix, &other].map(|matrix| hierarchy(matrix, metric));
            assert_eq!(one.first_neighbors(), two.first_neighbors(), "{trial} {metric:?}");
            assert_eq!(one.finest(), two.finest(), "{trial} {metric:?}");
            if metric == Metric::Cosine {
                assert_eq!(one.partitions(), two.partitions(), "{trial} {metric:?}");
            }
        }
    }
}

#[test]
fn powers_of_two_change_no_cosine_hierarchy() {
    for trial in 0..20 {
        let matrix = whole(70, [2, 5, 17][trial % 3], 4, trial + 100).mapv(f64::from);
        let mut scaled = matrix.clone();
        for (i, mut row) in scaled.outer_iter_mut().enumerate() {
            row *= 2f64.powi([0, 3, -9, 440, -460][(i + trial) % 5]);
        }
        // Of rows alone: their means are others.
        let first = |matrix: &Array2<f64>| {
            let samples = Samples::new(matrix.view()).unwrap();
            let finch = Finch::new().metric(Metric::Cosine);
            finch.nearest_neighbors(&samples, 5, &mut Run::new()).unwrap()
        };
        assert_eq!(first(&matrix), first(&scaled), "{trial}");
        let all = &matrix * 2f64.powi(-31);
        let [one, two] = [&matrix, &all].map(|matrix| hierarchy(matrix, Metric::Cosine));
        assert_eq!(one.partitions(), two.partitions(), "{trial}");
    }
}

/// Rows of few whole numbers have many ties, of which all searches and types see the same.
#[test]
fn every_search_and_type_finds_the_same_of_ties() {
    for (trial, features) in [(0, 4), (1, 9), (2, 24), (3, 130)] {
        let matrix = whole(300, features, 2, 1_000 + trial);
        let of_f64 = matrix.mapv(f64::from);
        let k = 7;
        let near = |search: Search| -> Neighbors {
            let finch = Finch::new().metric(Metric::Cosine).search(search);
            let samples = Samples::new(of_f64.view()).unwrap();
            finch.nearest_neighbors(&samples, k, &mut Run::new()).unwrap()
        };
        let expected = near(Search::Brute);
        for search in [Search::Auto, Search::KdTree, Search::Blocked] {
            assert_eq!(near(search), expected, "{search:?} {features}");
        }
        if features >= Search::PROJECTED_FEATURES {
            assert_eq!(near(Search::Projected), expected, "{features}");
        }
        let width = features.div_ceil(8);
        let packed = Array2::from_shape_fn((300, width), |(row, byte)| {
            (0..8).fold(0_u8, |bits, bit| {
                let value = matrix.get((row, byte * 8 + bit)).copied().unwrap_or(0);
                bits | value << (7 - bit)
            })
        });
        let (mut starts, mut columns, mut values) = (vec![0_i32], Vec::new(), Vec::new());
        for row in matrix.outer_iter() {
            for (column, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0) {
                columns.push(column as i32);
                values.push(f32::from(value));
            }
            starts.push(values.len() as i32);
        }
        let sparse = SparseSamples::new(features, &starts[..], &columns[..], &values[..]).unwrap();
        let bits = BitSamples::new(packed.view(), features).unwrap();
        let of_f32 = matrix.mapv(f32::from);
        for search in [Search::Brute, Search::Auto, Search::Blocked] {
            let finch = Finch::new().metric(Metric::Cosine).search(search);
            let run = || Run::new();
            let found = [
                finch.nearest_neighbors(&Samples::new(matrix.view()).unwrap(), k, &mut run()),
                finch.nearest_neighbors(&Samples::new(of_f32.view()).unwrap(), k, &mut run()),
                finch.nearest_neighbors(&sparse, k, &mut run()),
                finch.nearest_neighbors(&bits, k, &mut run()),
            ];
            for (kind, found) in found.into_iter().enumerate() {
                assert_eq!(found.unwrap(), expected, "{search:?} {features} {kind}");
            }
        }
    }
}
