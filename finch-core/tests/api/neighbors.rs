//! Every search gives what brute force gives, bit for bit, whatever the input looks like.

use std::ops::{ControlFlow, Range};

use crate::common::{self, inputs};
use finch_core::{
    Element, Error, Finch, FirstNeighbors, Hierarchy, Metric, Nearest, Neighbors, Progress, Reason,
    Run, Samples, Search, Shard, Stage,
};
use ndarray::{Array2, ArrayView2, Axis, ShapeBuilder, Slice};

const SIZES: &[(usize, usize)] = &[
    (2, 1),
    (2, 5),
    (3, 2),
    (40, 1),
    (101, 2),
    (300, 3),
    (90, 8),
    (270, 16),
    (300, 17),
    (130, 40),
];

fn neighbors<A: Element>(
    matrix: ArrayView2<'_, A>,
    metric: Metric,
    search: Search,
) -> FirstNeighbors {
    let samples = Samples::new(matrix).unwrap();
    Finch::new().metric(metric).search(search).first_neighbors(&samples, &mut Run::new()).unwrap()
}

fn k_nearest<A: Element>(
    matrix: ArrayView2<'_, A>,
    k: usize,
    metric: Metric,
    search: Search,
) -> Neighbors {
    let samples = Samples::new(matrix).unwrap();
    Finch::new()
        .metric(metric)
        .search(search)
        .nearest_neighbors(&samples, k, &mut Run::new())
        .unwrap()
}

fn fit<A: Element>(matrix: ArrayView2<'_, A>, finch: Finch) -> Hierarchy {
    fit_on(0, matrix, finch)
}

fn fit_on<A: Element>(threads: usize, matrix: ArrayView2<'_, A>, finch: Finch) -> Hierarchy {
    let mut run = Run::new().threads(threads);
    finch.fit_with(&Samples::new(matrix).unwrap(), &mut run).unwrap()
}

/// The searches that serve a metric and a number of features.
fn searches(metric: Metric, features: usize) -> Vec<Search> {
    let mut searches = vec![Search::Brute, Search::Auto, Search::KdTree, Search::Blocked];
    if metric != Metric::Manhattan && features >= Search::PROJECTED_FEATURES {
        searches.push(Search::Projected);
    }
    searches
}

/// Brute force as a reader would write it, on values that every order of summation adds exactly.
#[test]
fn brute_is_the_definition() {
    for &(rows, columns) in SIZES {
        for (name, matrix) in inputs(rows, columns) {
            if matrix.iter().any(|value| value.fract() != 0.0 || value.abs() > 100.0) {
                continue;
            }
            for metric in [Metric::Euclidean, Metric::Manhattan] {
                let found = k_nearest(matrix.view(), rows - 1, metric, Search::Brute);
                for i in 0..rows {
                    let distance = |j: usize| {
                        let differences = matrix.row(i).to_owned() - matrix.row(j);
                        match metric {
                            Metric::Manhattan => differences.mapv(f64::abs).sum(),
                            _ => differences.mapv(|x| x * x).sum().sqrt(),
                        }
                    };
                    let mut others: Vec<(f64, u32)> =
                        (0..rows).filter(|&j| j != i).map(|j| (distance(j), j as u32)).collect();
                    others.sort_by(|a, b| a.partial_cmp(b).unwrap());
                    let row = found.index().row(i).to_vec().into_iter();
                    let row: Vec<(f64, u32)> =
                        found.distance().row(i).iter().copied().zip(row).collect();
                    assert_eq!(row, others, "{name} {metric:?} sample {i}");
                }
            }
        }
    }
}

#[test]
fn all_searches_agree() {
    for &(rows, columns) in SIZES {
        for (name, matrix) in inputs(rows, columns) {
            for metric in Metric::OF_NUMBERS.iter().copied() {
                let oracle = neighbors(matrix.view(), metric, Search::Brute);
                for search in searches(metric, columns) {
                    let found = neighbors(matrix.view(), metric, search);
                    let context = format!("{name}, {metric:?}, {search:?}");
                    assert_eq!(found.index(), oracle.index(), "{context}");
                    assert_eq!(found.distance(), oracle.distance(), "{context}");
                    assert!(found.exact(), "{context}");
                }
            }
        }
    }
}

/// A search for k finds the first k columns of one for all others, and with them the first
/// neighbours.
#[test]
fn all_searches_agree_on_the_k_nearest() {
    for &(rows, columns) in SIZES {
        for (name, matrix) in inputs(rows, columns) {
            for metric in Metric::OF_NUMBERS.iter().copied() {
                let oracle = k_nearest(matrix.view(), rows - 1, metric, Search::Brute);
                for search in searches(metric, columns) {
                    let first = neighbors(matrix.view(), metric, search);
                    for k in [1, 2, 5, rows - 1].into_iter().filter(|&k| k < rows) {
                        let found = k_nearest(matrix.view(), k, metric, search);
                        let context = format!("{k} of {name}, {metric:?}, {search:?}");
                        assert_eq!((found.samples(), found.k()), (rows, k), "{context}");
                        assert_eq!(found, oracle.nearest(k).unwrap(), "{context}");
                        assert_eq!(found.first(), first, "{context}");
                        assert_eq!(found.search(), first.search(), "{context}");
                        assert!(found.exact(), "{context}");
                    }
                }
            }
        }
    }
}

/// More samples than any search takes at a time: several blocks and slabs, of uneven size.
#[test]
fn all_searches_agree_across_blocks() {
    let mut random = common::Random(11);
    let many = Array2::from_shape_fn((18_001, 6), |_| (random.below(40) as f32) / 8.0);
    let wide = Array2::from_shape_fn((1_500, 120), |_| random.below(4) as u8);
    let wider = Array2::from_shape_fn((600, 2_500), |_| random.below(4) as u8);
    for metric in [Metric::Euclidean, Metric::Cosine] {
        let tree = neighbors(many.view(), metric, Search::KdTree);
        let blocked = neighbors(many.view(), metric, Search::Blocked);
        assert_eq!((tree.index(), tree.distance()), (blocked.index(), blocked.distance()));
        let brute = neighbors(wide.view(), metric, Search::Brute);
        for search in [Search::KdTree, Search::Blocked, Search::Projected] {
            let found = neighbors(wide.view(), metric, search);
            assert_eq!((brute.index(), brute.distance()), (found.index(), found.distance()));
        }
        let [tree, blocked] = [Search::KdTree, Search::Blocked]
            .map(|search| k_nearest(many.view(), 7, metric, search));
        assert_eq!(tree, blocked);
        // More columns than are multiplied at a time, and about as many neighbours as the line of a panel
        // has rows.
        let brute = k_nearest(wider.view(), 49, metric, Search::Brute);
        for k in [1, 11, 12, 23, 24, 48] {
            for search in [Search::KdTree, Search::Blocked, Search::Projected] {
                let found = k_nearest(wider.view(), k, metric, search);
                assert_eq!(found, brute.nearest(k).unwrap());
            }
        }
        // Fewer than a block has rows, and more.
        let brute = k_nearest(wide.view(), 700, metric, Search::Brute);
        for (k, search) in [
            (20, Search::Blocked),
            (700, Search::Blocked),
            (20, Search::Projected),
            (700, Search::Projected),
        ] {
            assert_eq!(k_nearest(wide.view(), k, metric, search), brute.nearest(k).unwrap());
        }
    }
}

/// Data that uses few of its dimensions, where bounds decide, and no neighbour may be lost by a
/// bound: exactly within a plane, or nearly so; far from the origin; with rows that are equal or
/// all zero.
#[test]
fn all_searches_agree_on_few_main_axes() {
    let random = &mut common::Random(5);
    let mut signed = |size: usize| random.below(2 * size + 1) as f64 - size as f64;
    let directions = Array2::from_shape_fn((5, 200), |_| signed(3));
    let places = Array2::from_shape_fn((4_500, 5), |_| signed(40));
    let plane = places.dot(&directions);
    let mut repeated = plane.clone();
    for row in (0..repeated.nrows()).step_by(3) {
        let other = repeated.row(row / 2).to_owned();
        repeated.row_mut(row).assign(&if row % 2 == 0 { other } else { other * 0.0 });
    }
    let thick = plane.mapv(|x| x + 0.25 * signed(4));
    let far = plane.mapv(|x| 1e6 + x);
    let tiny = plane.mapv(|x| 1e-140 * x);
    for (name, matrix) in
        [("plane", plane), ("repeated", repeated), ("thick", thick), ("far", far), ("tiny", tiny)]
    {
        for metric in [Metric::Euclidean, Metric::Cosine] {
            let oracle = k_nearest(matrix.view(), 3, metric, Search::Brute);
            for search in [Search::Auto, Search::Blocked, Search::Projected] {
                let found = k_nearest(matrix.view(), 3, metric, search);
                assert_eq!(found, oracle, "{name}, {metric:?}, {search:?}");
            }
        }
    }
}

/// A tree compares rows of few features by their coordinates.
#[test]
fn a_tree_takes_zeros_of_either_sign_for_equal() {
    let random = &mut common::Random(8);
    for features in [1, 3, 15, 16, 17] {
        let matrix = Array2::from_shape_fn((500, features), |_| match random.below(3) {
            0 => 0.0,
            1 => -0.0,
            _ => random.uniform() - 0.5,
        });
        for metric in Metric::OF_NUMBERS.iter().copied() {
            let [tree, brute] = [Search::KdTree, Search::Brute]
                .map(|search| k_nearest(matrix.view(), 5, metric, search));
            assert_eq!(tree, brute, "{features}, {metric:?}");
        }
    }
}

/// `Auto` says which search it took: that by principal axes where the data has principal axes.
#[test]
fn auto_looks_for_main_axes() {
    let random = &mut common::Random(6);
    let noise = Array2::from_shape_fn((9_000, 200), |_| random.below(1000) as f32);
    let [places, directions] = [(9_000, 20), (20, 200)]
        .map(|shape| Array2::from_shape_fn(shape, |_| random.below(9) as f32));
    let plane = places.dot(&directions) + &noise / 1e4;
    for (matrix, expected) in [(noise, Search::Blocked), (plane, Search::Projected)] {
        let found = neighbors(matrix.view(), Metric::Euclidean, Search::Auto);
        assert_eq!(found.search(), Some(expected));
    }
}

/// Dense rows most of whose values are 0 are searched as sparse ones: tied and equal rows, rows of zeros, and
/// zeros of either sign.
#[test]
fn rows_of_mostly_zeros_are_searched_as_sparse_ones() {
    let mut random = common::Random(7);
    let (rows, columns) = (700, 300);
    let matrix = Array2::from_shape_fn((rows, columns), |(row, _)| {
        let is_there = random.below(40) == 0 && row % 50 != 0;
        if is_there { random.below(4) as f64 - 1.0 } else { [0.0, -0.0][random.below(2)] }
    });
    let rows_twice = matrix.select(Axis(0), &(0..rows).map(|row| row % 400).collect::<Vec<_>>());
    let by_columns = Array2::from_shape_vec((columns, rows), matrix.t().iter().copied().collect());
    let by_columns = by_columns.unwrap().reversed_axes();
    for metric in Metric::OF_NUMBERS.iter().copied() {
        for k in [1, 7] {
            let oracle = k_nearest(matrix.view(), k, metric, Search::Brute);
            let narrow = matrix.mapv(|value| value as i8);
            let found = [
                k_nearest(matrix.view(), k, metric, Search::Auto),
                k_nearest(by_columns.view(), k, metric, Search::Auto),
                k_nearest(narrow.view(), k, metric, Search::Auto),
            ];
            for found in found {
                assert_eq!(found.choice().unwrap().reason, Reason::Sparse, "{metric:?}");
                assert_eq!(found.index(), oracle.index(), "{metric:?}");
                assert_eq!(found.distance(), oracle.distance(), "{metric:?}");
            }
        }
        let oracle = neighbors(rows_twice.view(), metric, Search::Brute);
        assert_eq!(neighbors(rows_twice.view(), metric, Search::Auto).index(), oracle.index());
    }
}

#[test]
fn thousands_of_equal_points() {
    for rows in [1, 6_000] {
        // 6,000 points on one spot, and as many that share one coordinate.
        let matrix = Array2::from_shape_fn((2 * rows, 2), |(row, column)| match column {
            _ if row < rows => 1.0,
            0 => 1.0,
            _ => row as f64,
        });
        let oracle = neighbors(matrix.view(), Metric::Euclidean, Search::Brute);
        for search in searches(Metric::Euclidean, 2) {
            let found = neighbors(matrix.view(), Metric::Euclidean, search);
            assert_eq!(found.index(), oracle.index(), "{search:?}");
        }
        let k = 5.min(2 * rows - 1);
        let oracle = k_nearest(matrix.view(), k, Metric::Euclidean, Search::Brute);
        for search in searches(Metric::Euclidean, 2) {
            let found = k_nearest(matrix.view(), k, Metric::Euclidean, search);
            assert_eq!(found, oracle, "{search:?}");
        }
    }
}

#[test]
fn threads_do_not_show() {
    for (name, matrix) in inputs(330, 18) {
        for metric in Metric::OF_NUMBERS.iter().copied() {
            for search in searches(metric, 18) {
                let finch = Finch::new().metric(metric).search(search).keep_neighbors(6);
                let one = fit_on(1, matrix.view(), finch);
                for threads in [2, 7] {
                    assert_eq!(fit_on(threads, matrix.view(), finch), one, "{name}");
                }
            }
        }
    }
}

#[test]
fn memory_layout_does_not_show() {
    for (rows, columns) in [(150, 3), (150, 33)] {
        for (name, matrix) in inputs(rows, columns) {
            let mut column_major = Array2::zeros((rows, columns).f());
            column_major.assign(&matrix);
            // Every other row and column of a larger matrix, both backwards.
            let mut larger = Array2::from_elem((2 * rows, 2 * columns), f64::NAN);
            let step = |axis: &mut ArrayView2<'_, f64>, number| {
                axis.slice_axis_inplace(Axis(number), Slice::from(..).step_by(-2));
            };
            for ((row, column), &value) in matrix.indexed_iter() {
                larger[(2 * (rows - row) - 1, 2 * (columns - column) - 1)] = value;
            }
            let mut strided = larger.view();
            step(&mut strided, 0);
            step(&mut strided, 1);
            assert!(strided.iter().all(|value| !value.is_nan()));
            for metric in Metric::OF_NUMBERS.iter().copied() {
                for search in searches(metric, columns) {
                    let finch = Finch::new().metric(metric).search(search).keep_neighbors(6);
                    let expected = fit(matrix.view(), finch);
                    assert_eq!(fit(column_major.view(), finch), expected, "{name} {metric:?}");
                    assert_eq!(fit(strided, finch), expected, "{name} {metric:?} {search:?}");
                }
            }
        }
    }
}

#[test]
fn element_type_does_not_show_where_it_is_exact() {
    let mut random = common::Random(5);
    for (rows, columns) in [(200, 2), (200, 20)] {
        let bytes = Array2::from_shape_fn((rows, columns), |_| random.below(256) as u8);
        let singles = bytes.mapv(f32::from);
        let doubles = bytes.mapv(f64::from);
        for metric in Metric::OF_NUMBERS.iter().copied() {
            for search in searches(metric, columns) {
                let finch = Finch::new().metric(metric).search(search).keep_neighbors(6);
                let expected = fit(bytes.view(), finch);
                assert_eq!(fit(singles.view(), finch), expected);
                // Means of f64 are not rounded to f32, so only the first level has to agree.
                let precise = fit(doubles.view(), finch);
                assert_eq!(precise.first_neighbors(), expected.first_neighbors());
                assert_eq!(precise.neighbors(), expected.neighbors());
                assert_eq!(precise.finest(), expected.finest());
            }
        }
        // Where a mean of two is exact in f32, later levels agree, too.
        let pairs = Array2::from_shape_fn((64, 1), |(row, _)| (row / 2 * 16 + row % 2) as f64);
        let half = pairs.mapv(|value| value as f32);
        assert_eq!(fit(pairs.view(), Finch::new()), fit(half.view(), Finch::new()));
    }
}

#[test]
fn a_zero_row_is_near_to_zero_rows_alone() {
    let matrix = ndarray::array![[0.0, 0.0], [1.0, 0.0], [-1.0, 0.0], [0.0, 0.0]];
    let found = neighbors(matrix.view(), Metric::Cosine, Search::Brute);
    assert_eq!(found.index(), [3, 2, 1, 0]);
    assert_eq!(found.distance(), [0.0, 2.0, 2.0, 0.0]);
    for search in searches(Metric::Cosine, 2) {
        let all = k_nearest(matrix.view(), 3, Metric::Cosine, search);
        const NONE: u32 = Neighbors::NONE;
        let others = [3, 2, 1, 0].map(|other| [other, NONE, NONE]);
        assert_eq!(all.index(), ndarray::arr2(&others));
        let distances = [0.0, 2.0, 2.0, 0.0].map(|first| [first, f64::INFINITY, f64::INFINITY]);
        assert_eq!(all.distance(), ndarray::arr2(&distances));
    }
}

/// A hierarchy that keeps neighbours differs by the neighbours alone, and keeps as many as there
/// are.
#[test]
fn a_hierarchy_keeps_neighbors_where_asked() {
    for (rows, columns) in [(1, 1), (2, 1), (40, 3), (300, 17)] {
        for (name, matrix) in inputs(rows, columns) {
            let samples = Samples::new(matrix.view()).unwrap();
            for metric in Metric::OF_NUMBERS.iter().copied() {
                let finch = Finch::new().metric(metric);
                let plain = finch.fit(&samples).unwrap();
                assert_eq!(plain.neighbors(), None);
                assert_eq!(finch.keep_neighbors(0).fit(&samples).unwrap(), plain);
                for k in [1, 10, rows, usize::MAX] {
                    let keeping = finch.keep_neighbors(k);
                    let hierarchy = keeping.fit(&samples).unwrap();
                    assert_eq!(hierarchy.partitions(), plain.partitions(), "{name}");
                    assert_eq!(hierarchy.first_neighbors(), plain.first_neighbors(), "{name}");
                    let kept = hierarchy.neighbors().unwrap();
                    assert_eq!((kept.samples(), kept.k()), (rows, k.min(rows - 1)), "{name}");
                    assert_eq!(kept.index().dim(), (rows, kept.k()), "{name}");
                    assert_eq!(&kept.first(), plain.first_neighbors(), "{name}");
                    if rows > 1 {
                        assert_eq!(
                            kept,
                            &finch.nearest_neighbors(&samples, kept.k(), &mut Run::new()).unwrap()
                        );
                    }
                    let given = plain.first_neighbors().index();
                    let given = keeping.fit_given(&samples, given, &mut Run::new()).unwrap();
                    assert_eq!(given.neighbors(), None, "nothing was searched");
                    assert_eq!(given.partitions(), plain.partitions(), "{name}");
                }
            }
        }
    }
}

#[test]
fn a_number_of_neighbors_that_cannot_be_had_is_refused() {
    let matrix = ndarray::array![[0.0], [1.0], [3.0]];
    let find = |rows: usize, k: usize| {
        let rows = matrix.slice_axis(Axis(0), Slice::from(..rows));
        Finch::new().nearest_neighbors(&Samples::new(rows).unwrap(), k, &mut Run::new())
    };
    for (samples, k) in [(3, 0), (3, 3), (3, usize::MAX), (2, 2), (1, 0), (1, 1)] {
        let error = Error::NeighborRank { requested: k, most: samples - 1 };
        assert_eq!(find(samples, k), Err(error));
    }
    let said = find(3, 5).unwrap_err().to_string();
    assert_eq!(said, "cannot give the 5 nearest neighbours of each sample: ask for 1 to 2");
    assert!(find(1, 1).unwrap_err().to_string().contains("at least two samples"));
    let two = find(3, 2).unwrap();
    assert_eq!(two.index(), ndarray::array![[1, 2], [0, 2], [1, 0]]);
    assert_eq!(two.nearest(1).unwrap().into_parts(), (vec![1, 0, 1], vec![1.0, 1.0, 2.0]));
    for k in [0, 3] {
        assert_eq!(two.nearest(k), Err(Error::NeighborRank { requested: k, most: 2 }));
    }
    let samples = Samples::new(matrix.view()).unwrap();
    let projected = Finch::new().metric(Metric::Manhattan).search(Search::Projected);
    let refused = projected.nearest_neighbors(&samples, 1, &mut Run::new()).unwrap_err();
    assert!(matches!(refused, Error::UnsupportedSearch { search: "projected", .. }));
}

#[test]
fn a_search_for_the_k_nearest_is_watched() {
    let matrix =
        Array2::from_shape_fn((2_000, 8), |(row, column)| ((row * 37 + column * 11) as f64).sin());
    let samples = Samples::new(matrix.view()).unwrap();
    for search in [Search::Brute, Search::KdTree, Search::Blocked, Search::Projected] {
        let finch = Finch::new().search(search);
        let mut told = Vec::new();
        let mut run = Run::new().threads(2).progress(|progress: Progress| {
            told.push(progress);
            ControlFlow::Continue(())
        });
        let watched = finch.nearest_neighbors(&samples, 4, &mut run).unwrap();
        drop(run);
        assert_eq!(watched, finch.nearest_neighbors(&samples, 4, &mut Run::new()).unwrap());
        let ends = [told[0], told[told.len() - 1]].map(|told| (told.stage, told.fraction));
        assert_eq!(ends, [0.0, 1.0].map(|fraction| (Stage::Neighbors { level: 0 }, fraction)));
        assert!(told.windows(2).all(|pair| pair[0].fraction <= pair[1].fraction));
        for calls in 0..2 {
            let mut run = Run::new().threads(2).progress(common::stop_after(calls));
            let stopped = finch.nearest_neighbors(&samples, 4, &mut run);
            assert_eq!(stopped, Err(Error::Cancelled));
        }
    }
}

/// Data in parts, offered in several orders, ends where a search of the whole does.
#[test]
fn parts_do_not_show() {
    let mut random = common::Random(21);
    for &(rows, columns) in &[(3, 2), (101, 2), (130, 40), (1_300, 3)] {
        // A part may hold nothing but tiny numbers, and such a part is refused.
        let sound = |name: &str| !name.starts_with("squares that vanish");
        for (name, matrix) in inputs(rows, columns).filter(|(name, _)| sound(name)) {
            for metric in Metric::OF_NUMBERS.iter().copied() {
                let whole = neighbors(matrix.view(), metric, Search::Auto);
                let searches = searches(metric, columns);
                let of_the_whole = [Search::KdTree, Search::Projected];
                for search in searches.into_iter().filter(|search| !of_the_whole.contains(search)) {
                    // Brute force takes long on the largest input; once is enough.
                    if rows > 1_000 && search == Search::Brute && metric != Metric::Cosine {
                        continue;
                    }
                    let finch = Finch::new().metric(metric).search(search);
                    let mut nearest = vec![Nearest::NONE; rows];
                    let mut parts = parts(rows, &mut random);
                    for queries in parts.clone() {
                        for base in &parts {
                            let [queries_part, base_part] =
                                [&queries, base].map(|part| shard(&matrix, part.clone()));
                            let nearest = &mut nearest[queries.clone()];
                            finch
                                .update_nearest(&queries_part, &base_part, nearest, &mut Run::new())
                                .unwrap();
                        }
                        parts.rotate_left(1);
                    }
                    let context = format!("{name}, {metric:?}, {search:?}");
                    let index: Vec<u32> = nearest.iter().map(|nearest| nearest.index).collect();
                    assert_eq!(index, whole.index(), "{context}");
                    let distance: Vec<f64> =
                        nearest.iter().map(|nearest| nearest.distance(metric)).collect();
                    assert_eq!(distance, whole.distance(), "{context}");
                }
            }
        }
    }
}

/// A part of more rows than a search packs at a time.
#[test]
fn large_parts_do_not_show() {
    let mut random = common::Random(31);
    let matrix = Array2::from_shape_fn((17_000, 2), |_| random.below(3_000) as f64);
    let base = shard(&matrix, 0..17_000);
    let queries = shard(&matrix, 16_900..17_000);
    let found = [Search::Brute, Search::Blocked].map(|search| {
        let mut nearest = [Nearest::NONE; 100];
        Finch::new()
            .search(search)
            .update_nearest(&queries, &base, &mut nearest, &mut Run::new())
            .unwrap();
        nearest
    });
    assert_eq!(found[0], found[1]);
    assert!(found[0].iter().any(|nearest| nearest.index > 16_384), "the last slab has some");
}

/// Rows cut into three uneven parts, or fewer.
fn parts(rows: usize, random: &mut common::Random) -> Vec<Range<usize>> {
    let mut cuts = [0, random.below(rows), random.below(rows), rows];
    cuts.sort_unstable();
    let parts = cuts.windows(2).map(|cut| cut[0]..cut[1]);
    parts.filter(|part| !part.is_empty()).collect()
}

fn shard(matrix: &Array2<f64>, part: Range<usize>) -> Shard<'_, f64> {
    let first = part.start;
    let samples = matrix.slice_axis(Axis(0), Slice::from(part));
    Shard { samples: Samples::new(samples).unwrap(), first }
}

#[test]
fn parts_that_do_not_fit_are_refused_and_change_nothing() {
    let matrix = ndarray::array![[0.0, 1.0], [2.0, 3.0]];
    let narrow = ndarray::array![[0.0], [2.0]];
    let here = Shard { samples: Samples::new(matrix.view()).unwrap(), first: 0 };
    let there = Shard { first: 2, ..here };
    let finch = Finch::new();
    let mut nearest = [Nearest { key: 7.0, index: 9 }; 2];
    let mut refused = |finch: Finch, queries: Shard<'_, f64>, base: Shard<'_, f64>, len: usize| {
        let error = finch
            .update_nearest(&queries, &base, &mut nearest[..len], &mut Run::new())
            .unwrap_err();
        assert_eq!(nearest, [Nearest { key: 7.0, index: 9 }; 2]);
        error
    };
    assert_eq!(refused(finch, here, there, 1), Error::SampleCount { expected: 1, found: 2 });
    let narrow = Shard { samples: Samples::new(narrow.view()).unwrap(), first: 2 };
    assert_eq!(refused(finch, here, narrow, 2), Error::FeatureCount { expected: 1, found: 2 });
    for first in [i32::MAX as usize - 1, usize::MAX] {
        let beyond = Shard { first, ..here };
        let samples = first.saturating_add(2);
        assert_eq!(refused(finch, here, beyond, 2), Error::TooManySamples { samples });
        assert_eq!(refused(finch, beyond, here, 2), Error::TooManySamples { samples });
    }
    let tree = refused(finch.search(Search::KdTree), here, there, 2);
    assert!(matches!(tree, Error::UnsupportedSearch { search: "kd-tree", .. }));
    let axes = finch.search(Search::Projected).metric(Metric::Manhattan);
    assert!(matches!(refused(axes, here, there, 2), Error::UnsupportedSearch { .. }));
    let mut stop = Run::new().progress(|_| ControlFlow::Break(()));
    let stopped = finch.update_nearest(&here, &there, &mut nearest, &mut stop);
    assert_eq!((stopped, nearest[0].index), (Err(Error::Cancelled), 9));
}
