//! Equal rows: searched as one, found by every search, never apart.

use crate::common::{Random, inputs, stop_after};
use finch_core::{Error, Finch, Metric, Neighbors, Reason, Run, Samples, Search};
use ndarray::{Array2, Axis, ShapeBuilder, concatenate};

fn k_nearest(matrix: &Array2<f64>, k: usize, metric: Metric, search: Search) -> Neighbors {
    let samples = Samples::new(matrix.view()).unwrap();
    let finch = Finch::new().metric(metric).search(search);
    finch.nearest_neighbors(&samples, k, &mut Run::new()).unwrap()
}

/// So many rows, drawn from some distinct ones; the first of these is zero.
fn drawn(rows: usize, distinct: usize, features: usize, random: &mut Random) -> Array2<f64> {
    let values = Array2::from_shape_fn((distinct, features), |(i, _)| {
        (i.min(1) * random.below(9)) as f64 - 0.25
    });
    let values = values.mapv(|value| if value == -0.25 { 0.0 } else { value });
    let of: Vec<usize> = (0..rows).map(|_| random.below(distinct)).collect();
    Array2::from_shape_fn((rows, features), |(i, j)| values[[of[i], j]])
}

const EXACT: [Search; 4] = [Search::Auto, Search::KdTree, Search::Blocked, Search::Projected];

/// Lists that end amid equal rows, that take in all distinct rows, and that are longer still.
#[test]
fn searches_agree_where_rows_repeat() {
    let random = &mut Random(3);
    for (rows, distinct) in [(700, 40), (700, 600), (300, 2), (250, 1)] {
        let matrix = drawn(rows, distinct, 9, random);
        for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
            let brute = k_nearest(&matrix, 60, metric, Search::Brute);
            for k in [1, 7, 60] {
                for search in EXACT {
                    if metric == Metric::Manhattan && search == Search::Projected {
                        continue;
                    }
                    let found = k_nearest(&matrix, k, metric, search);
                    let context = format!("{rows} of {distinct}, {metric:?}, {search:?}, {k}");
                    assert_eq!(found, brute.nearest(k).unwrap(), "{context}");
                }
            }
        }
    }
}

/// All kinds of inputs, each row twice.
#[test]
fn searches_agree_on_rows_and_their_copies() {
    for (name, matrix) in inputs(260, 8) {
        let twice = concatenate(Axis(0), &[matrix.view(), matrix.view()]).unwrap();
        let brute = k_nearest(&twice, 4, Metric::Euclidean, Search::Brute);
        for search in EXACT {
            let found = k_nearest(&twice, 4, Metric::Euclidean, search);
            assert_eq!(found, brute, "{name}, {search:?}");
        }
    }
}

#[test]
fn a_search_of_repeated_rows_can_be_stopped_at_any_moment() {
    let matrix = drawn(30_000, 9_000, 20, &mut Random(2));
    let samples = Samples::new(matrix.view()).unwrap();
    for calls in 0..2 {
        let mut run = Run::new().progress(stop_after(calls));
        let stopped = Finch::new().first_neighbors(&samples, &mut run);
        assert_eq!(stopped.map(|_| ()), Err(Error::Cancelled), "after {calls} calls");
    }
}

#[test]
fn zeros_of_either_sign_are_equal() {
    let matrix = Array2::from_shape_fn((300, 3), |(i, j)| match (i % 3, j) {
        (kind, 0) => kind as f64,
        _ if i % 2 == 0 => -0.0,
        _ => 0.0,
    });
    for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
        let brute = k_nearest(&matrix, 5, metric, Search::Brute);
        assert_eq!(k_nearest(&matrix, 5, metric, Search::Auto), brute);
    }
}

/// Few repeated rows, which are not worth a copy of the others, and many.
#[test]
fn equal_rows_are_never_apart_in_an_approximate_search() {
    let random = &mut Random(5);
    for repeated in [200, 6_000] {
        let mut matrix = Array2::from_shape_fn((12_000, 30), |_| random.uniform());
        for row in 0..repeated {
            let (from, to) = (random.below(5_000), 5_000 + row);
            let copy = matrix.row(from).to_owned();
            matrix.row_mut(to).assign(&copy);
        }
        let samples = Samples::new(matrix.view()).unwrap();
        let finch = Finch::new().search(Search::Approximate).recall(0.3);
        let found = finch.first_neighbors(&samples, &mut Run::new()).unwrap();
        for row in 5_000..5_000 + repeated {
            assert_eq!(found.distance()[row], 0.0, "{row} of {repeated}");
        }
    }
    let equal = Array2::<u8>::ones((20_000, 30));
    let hierarchy =
        Finch::new().search(Search::Approximate).fit(&Samples::new(equal.view()).unwrap()).unwrap();
    assert_eq!(hierarchy.finest().clusters(), 1);
    let choice = hierarchy.levels()[0].choice.unwrap();
    assert_eq!((choice.search, choice.reason), (Search::Approximate, Reason::Asked));
    assert_eq!(choice.recall.unwrap().estimate, 1.0);
}

/// Tables: columns of very different scales, repeated rows, a low intrinsic dimension.
#[test]
fn auto_takes_the_tree_where_the_data_has_few_dimensions() {
    let random = &mut Random(7);
    let places = Array2::from_shape_fn((20_000, 3), |_| random.uniform());
    let mut table = Array2::from_shape_fn((20_000, 38), |(i, j)| {
        (places[[i, j % 3]] * 10_f64.powi((j % 7) as i32) * (1.0 + j as f64)).floor()
    });
    for search in [Search::Auto, Search::KdTree] {
        let found = k_nearest(&table, 3, Metric::Euclidean, search);
        assert_eq!(found, k_nearest(&table, 3, Metric::Euclidean, Search::Blocked));
        assert_eq!(found.search(), Some(Search::KdTree));
    }
    let reason = |matrix: &Array2<f64>| {
        k_nearest(matrix, 1, Metric::Euclidean, Search::Auto).choice().unwrap().reason
    };
    assert_eq!(reason(&table), Reason::FewDimensions);
    // The usual value for what is missing, in one cell; and columns in memory.
    table[[77, 20]] = 1e20;
    assert_eq!(reason(&table), Reason::FewDimensions);
    let columns = Array2::from_shape_fn(table.dim().f(), |place| table[place]);
    assert_eq!(
        k_nearest(&columns, 3, Metric::Euclidean, Search::Auto),
        k_nearest(&table, 3, Metric::Euclidean, Search::Blocked)
    );
    let noise = Array2::from_shape_fn((20_000, 38), |_| random.uniform());
    assert_eq!(reason(&noise), Reason::Small);
}
