//! The approximate search finds the share of neighbours that it says it does, and the same
//! everywhere.

use std::mem;
use std::time::Duration;

use crate::common::{Random, inputs, stop_after};
use finch_core::{
    Element, Error, Finch, Linkage, Metric, Model, Neighbors, Refine, Run, Samples, Search,
    SparseSamples, Warning,
};
use ndarray::{Array2, ArrayView2, Axis, ShapeBuilder, concatenate, s};

/// The search under test, as a caller asks for it.
fn approximate(metric: Metric) -> Finch {
    Finch::new().metric(metric).search(Search::Approximate)
}

fn k_nearest<A: Element>(matrix: ArrayView2<'_, A>, k: usize, finch: Finch) -> Neighbors {
    nearest(matrix, k, finch, 0)
}

fn nearest<A: Element>(
    matrix: ArrayView2<'_, A>,
    k: usize,
    finch: Finch,
    threads: usize,
) -> Neighbors {
    let mut run = Run::new().threads(threads);
    finch.nearest_neighbors(&Samples::new(matrix).unwrap(), k, &mut run).unwrap()
}

/// Clouds around centres that lie near a space of few dimensions, in whole numbers up to 255.
fn clouds(rows: usize, columns: usize) -> Array2<f64> {
    let random = &mut Random(9);
    let directions = Array2::from_shape_fn((10, columns), |_| random.uniform() - 0.5);
    let centers = Array2::from_shape_fn((30, 10), |_| random.uniform() * 100.0);
    let mut places = Array2::zeros((rows, 10));
    for mut place in places.outer_iter_mut() {
        place.assign(&centers.row(random.below(30)));
        place.mapv_inplace(|x| x + 20.0 * random.uniform());
    }
    places.dot(&directions).mapv(|x| (x + 128.0 + 3.0 * random.uniform()).clamp(0.0, 255.0).round())
}

/// The share of neighbours as near as the k-th nearest.
fn recall(found: &Neighbors, exact: &Neighbors) -> f64 {
    let (k, distances, of_exact) = (exact.k(), found.distance(), exact.distance());
    let near = distances.outer_iter().zip(of_exact.outer_iter());
    let near = near.map(|(found, exact)| found.iter().filter(|x| **x <= exact[k - 1]).count());
    near.sum::<usize>() as f64 / distances.len() as f64
}

#[test]
fn as_many_are_found_as_it_says() {
    let matrix = clouds(9_000, 120);
    for (metric, asked) in
        [(Metric::Euclidean, 1024), (Metric::Cosine, 1024), (Metric::Manhattan, 256)]
    {
        let exact = k_nearest(matrix.view(), 5, Finch::new().metric(metric));
        for k in [1, 5] {
            let exact = exact.nearest(k).unwrap();
            for aim in [0.5, 0.99, 1.0] {
                let finch = approximate(metric).recall(aim);
                let found = k_nearest(matrix.view(), k, finch);
                assert!(!found.exact());
                let measured = found.recall().unwrap();
                let true_recall = recall(&found, &exact);
                let context = format!("{metric:?}, {k}, {aim}: {true_recall}, {measured:?}");
                assert_eq!(measured.samples, asked, "{context}");
                // A 95 % interval would fail here once in a while; twice as wide, the interval is
                // one of 99.99 %.
                let off = true_recall - measured.estimate;
                let limits =
                    [measured.low, measured.high].map(|end| 2.0 * (end - measured.estimate));
                assert!(off > limits[0] - 1e-3 && off < limits[1] + 1e-3, "{context}");
                assert!(true_recall > aim - 0.01, "{context}");
                assert_eq!(found.search(), Some(Search::Approximate));
                assert_eq!(found.first().recall(), found.recall());
            }
        }
    }
}

/// Whatever the input looks like, each sample gets k other samples and their true distances.
#[test]
fn neighbors_are_other_samples_and_their_distances_true() {
    for (rows, columns) in [(2, 1), (3, 2), (40, 1), (300, 3), (270, 16), (530, 70)] {
        for (name, matrix) in inputs(rows, columns) {
            for metric in Metric::OF_NUMBERS.iter().copied() {
                let all = k_nearest(matrix.view(), rows - 1, Finch::new().metric(metric));
                let mut truth = Array2::from_elem((rows, rows), f64::NAN);
                for (i, others) in all.index().outer_iter().enumerate() {
                    let there = others.iter().take_while(|&&j| j != Neighbors::NONE);
                    for (&j, &distance) in there.zip(all.distance().row(i)) {
                        truth[[i, j as usize]] = distance;
                    }
                }
                for k in [1, 2, 20, rows - 1].into_iter().filter(|&k| k < rows.min(301)) {
                    let mut truth = truth.clone();
                    let found = k_nearest(matrix.view(), k, approximate(metric));
                    for ((i, place), &j) in found.index().indexed_iter() {
                        // Zero rows are few, and all of their neighbours are found.
                        if j == Neighbors::NONE {
                            assert_eq!(all.index()[[i, place]], j, "{name}, {metric:?}");
                            continue;
                        }
                        // A neighbour that has been found becomes NaN, as the sample itself is, so
                        // that it counts once.
                        let distance = mem::replace(&mut truth[[i, j as usize]], f64::NAN);
                        let context = format!("{name}, {metric:?}: {place} of {k} of {i}: {j}");
                        assert_eq!(found.distance()[[i, place]], distance, "{context}");
                    }
                }
            }
        }
    }
}

/// Data of which all samples are compared with each other, and principal axes hold all.
#[test]
fn few_samples_are_searched_exactly() {
    for (name, matrix) in inputs(400, 12) {
        let exact = k_nearest(matrix.view(), 1, Finch::new());
        let found = k_nearest(matrix.view(), 1, approximate(Metric::Euclidean));
        let found = recall(&found, &exact);
        assert!(found > 0.99, "{name}: {found}");
    }
}

/// Rounding to the steps of a cell must not decide between rows that are near for how wide the cell is.
#[test]
fn neighbors_are_found_in_tight_groups() {
    let random = &mut Random(4);
    let centers = Array2::from_shape_fn((600, 40), |_| random.uniform());
    for (spread, group, least) in
        [(1e-2, 10, 0.98), (1e-3, 10, 0.98), (1e-5, 10, 0.98), (1e-3, 60, 0.98), (1e-4, 300, 0.9)]
    {
        let place = |row: usize, column| centers[[row / group, column]];
        let matrix = Array2::from_shape_fn((6_000, 40), |(row, column)| {
            place(row, column) + spread * random.uniform()
        });
        let exact = k_nearest(matrix.view(), 1, Finch::new());
        let found = k_nearest(matrix.view(), 1, approximate(Metric::Euclidean));
        let found = recall(&found, &exact);
        assert!(found > least, "{spread}, {group}: {found}");
    }
}

/// In more features than sketches have axes, where the rows of a group are all about as far from each other: more of
/// them have nearer sketches than the nearest has than are compared by key at first.
#[test]
fn neighbors_are_found_in_loose_groups_of_many_features() {
    let (groups, columns) = (100, 600);
    let random = &mut Random(5);
    let centers = Array2::from_shape_fn((groups, columns), |_| random.uniform() - 0.5);
    let matrix = Array2::from_shape_fn((5_000, columns), |(row, column)| {
        (centers[(row % groups, column)] + random.uniform() - 0.5) as f32
    });
    for metric in [Metric::Euclidean, Metric::Cosine] {
        let exact = k_nearest(matrix.view(), 1, Finch::new().metric(metric));
        let found = k_nearest(matrix.view(), 1, approximate(metric));
        let share = recall(&found, &exact);
        assert!(share >= 0.98, "{metric:?}: {share}");
        assert_eq!(nearest(matrix.view(), 1, approximate(metric), 1), found);
        let mut column_major = Array2::zeros(matrix.dim().f());
        column_major.assign(&matrix);
        assert_eq!(k_nearest(column_major.view(), 1, approximate(metric)), found, "column-major");
        assert_eq!(k_nearest(matrix.mapv(f64::from).view(), 1, approximate(metric)), found, "f64");
    }
    // Steps that hold a far row are too coarse for the others.
    let mut apart = matrix.clone();
    apart.row_mut(0).fill(1e5);
    let exact = k_nearest(apart.view(), 1, Finch::new());
    let found = k_nearest(apart.view(), 1, approximate(Metric::Euclidean));
    assert!(recall(&found, &exact) >= 0.98);
}

/// Equal rows are neighbours, and many equal rows are no trouble.
#[test]
fn equal_rows_are_found() {
    let mut matrix = clouds(40_000, 50);
    for mut row in matrix.outer_iter_mut().skip(5_000) {
        row.fill(7.0);
    }
    let found = k_nearest(matrix.view(), 1, approximate(Metric::Euclidean));
    assert!(found.distance().column(0).iter().skip(5_000).all(|distance| *distance == 0.0));
    assert!(found.recall().unwrap().estimate > 0.99);
}

#[test]
fn neither_threads_nor_layout_nor_type_nor_repetition_show() {
    let matrix = clouds(9_000, 90);
    let finch = approximate(Metric::Euclidean).seed(3);
    let expected = nearest(matrix.view(), 2, finch, 1);
    for threads in [1, 2, 7] {
        assert!(nearest(matrix.view(), 2, finch, threads) == expected, "{threads}");
    }
    let mut column_major = Array2::zeros(matrix.dim().f());
    column_major.assign(&matrix);
    assert!(k_nearest(column_major.view(), 2, finch) == expected, "column-major");
    assert!(k_nearest(matrix.mapv(|x| x as f32).view(), 2, finch) == expected, "f32");
    assert!(k_nearest(matrix.mapv(|x| x as u8).view(), 2, finch) == expected, "u8");
    // But the seed shows, where not all neighbours are found.
    let random = &mut Random(1);
    let noise = Array2::from_shape_fn((2_500, 100), |_| random.uniform());
    let [one, other] = [1, 2].map(|seed| k_nearest(noise.view(), 1, finch.seed(seed).recall(0.1)));
    assert!(one != other);
    // There a cell has more rows that seem near than are compared, so that the order of rows would
    // show.
    for k in [1, 3] {
        let one = nearest(noise.view(), k, finch.recall(0.5), 1);
        for threads in 2..7 {
            let other = nearest(noise.view(), k, finch.recall(0.5), threads);
            assert!(one == other, "{k} of noise, on {threads} threads");
        }
    }
}

/// As in all searches, a row without a direction is as far from each other row as an orthogonal row
/// is.
#[test]
fn rows_without_a_direction_have_neighbors() {
    let mut matrix = clouds(1_500, 40);
    for row in (0..1_500).step_by(7) {
        matrix.row_mut(row).fill(0.0);
    }
    let exact = k_nearest(matrix.view(), 3, Finch::new().metric(Metric::Cosine));
    let found = k_nearest(matrix.view(), 3, approximate(Metric::Cosine));
    for row in (0..1_500).step_by(7) {
        assert_eq!(found.index().row(row), exact.index().row(row));
        assert_eq!(found.distance().row(row), exact.distance().row(row));
    }
    assert!(recall(&found, &exact) > 0.98);
    let zeros = Array2::<f32>::zeros((700, 5));
    let found = k_nearest(zeros.view(), 2, approximate(Metric::Cosine));
    assert!(found == k_nearest(zeros.view(), 2, Finch::new().metric(Metric::Cosine)));
}

#[test]
fn a_hierarchy_says_how_each_level_was_searched() {
    let matrix = clouds(4_000, 60);
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = approximate(Metric::Euclidean).fit(&samples).unwrap();
    let levels = hierarchy.levels();
    assert_eq!(levels.len(), hierarchy.partitions().len() + 1);
    assert_eq!(levels[0].samples, 4_000);
    for (level, count) in levels[1..].iter().zip(hierarchy.cluster_counts()) {
        assert_eq!(level.samples, count);
        assert!(level.choice.unwrap().recall.is_some());
    }
    assert_eq!(hierarchy.first_neighbors().recall(), levels[0].choice.unwrap().recall);
}

/// The result depends on the machine then, but for two things: an exact search that fits is exact, and
/// however little time there is, something is found.
#[test]
fn a_search_ends_in_time() {
    let matrix = clouds(6_000, 60);
    let samples = Samples::new(matrix.view()).unwrap();
    let exact = Finch::new().first_neighbors(&samples, &mut Run::new()).unwrap();
    let limited = |search: Search, limit: Duration| {
        let finch = Finch::new().search(search).recall(1.0).time_limit(limit);
        finch.first_neighbors(&samples, &mut Run::new()).unwrap()
    };
    for limit in [Duration::from_secs(3_600), Duration::MAX] {
        let found = limited(Search::Auto, limit);
        assert!(found.exact());
        assert_eq!(found.index(), exact.index());
    }
    for search in [Search::Auto, Search::Blocked] {
        let found = limited(search, Duration::ZERO);
        assert_eq!(found.index(), exact.index(), "an exact search takes no time to speak of");
    }
    let many = clouds(9_000, 60);
    let samples = Samples::new(many.view()).unwrap();
    for (search, metric, k) in [
        (Search::Approximate, Metric::Euclidean, 1),
        (Search::Auto, Metric::Cosine, 12),
        (Search::Auto, Metric::Manhattan, 3),
    ] {
        let finch = Finch::new().metric(metric).search(search).time_limit(Duration::ZERO);
        let found = finch.nearest_neighbors(&samples, k, &mut Run::new()).unwrap();
        let exact = Finch::new().metric(metric).nearest_neighbors(&samples, k, &mut Run::new());
        let choice = found.choice().unwrap();
        let measured = choice.recall.unwrap();
        assert!(measured.estimate < 0.5, "{choice}");
        let true_share = recall(&found, &exact.unwrap());
        assert!((measured.low..=measured.high).contains(&true_share), "{true_share}: {choice}");
        for (row, others) in found.index().outer_iter().enumerate() {
            let mut others = others.to_vec();
            others.sort_unstable();
            others.dedup();
            assert!(others.len() == k && !others.contains(&(row as u32)), "{row}: {others:?}");
        }
    }
}

/// Noise has neighbours in all directions, and none of them near: the first moves find few.
#[test]
fn a_hierarchy_warns_where_too_few_neighbors_were_found() {
    let random = &mut Random(3);
    let noise = Array2::from_shape_fn((9_000, 64), |_| random.uniform());
    let samples = Samples::new(noise.view()).unwrap();
    let hurried = approximate(Metric::Euclidean).time_limit(Duration::from_nanos(1));
    let hierarchy = hurried.fit(&samples).unwrap();
    let found = hierarchy.first_neighbors().choice().unwrap().recall.unwrap().estimate;
    let warnings = hierarchy.warnings();
    let Warning::LowRecall { level, rows, recall, asked, .. } = warnings[0] else {
        panic!("{warnings:?}")
    };
    assert_eq!((level, rows, recall, asked), (0, 9_000, found, 0.99));
    assert!(warnings[0].is_grave(), "{warnings:?}");
    let model = Model::new(hierarchy, &samples, Vec::new(), &mut Run::new()).unwrap();
    let again = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
    assert_eq!(again.hierarchy().warnings(), warnings, "a model keeps its warnings");
    let content = hurried.recall(0.001).fit(&samples).unwrap();
    assert_eq!(content.warnings(), []);
    assert_eq!(Finch::new().fit(&samples).unwrap().warnings(), [], "an exact search");
}

/// Refining and suggesting search anew, as they are asked to: in a limit of their own.
#[test]
fn a_run_warns_where_neighbors_are_searched_anew() {
    let random = &mut Random(3);
    let noise = Array2::from_shape_fn((9_000, 64), |_| random.uniform());
    let samples = Samples::new(noise.view()).unwrap();
    let hurried = Finch::new().time_limit(Duration::from_nanos(1));
    let run = &mut Run::new();
    let hierarchy = hurried.fit_with(&samples, run).unwrap();
    assert_eq!(run.warnings()[0], hierarchy.warnings()[0]);
    Refine::new(5).run_with(&samples, &hierarchy, run).unwrap();
    assert!(matches!(run.warnings(), [Warning::LowRecall { level: 0, rows: 9_000, .. }]));
    Refine::new(5).linkage(Linkage::Ward).run_with(&samples, &hierarchy, run).unwrap();
    assert_eq!(run.warnings(), [], "no neighbours are searched");
    hierarchy.suggest_with(&samples, run).unwrap();
    assert!(run.warnings()[0].is_grave());
    hurried.nearest_neighbors(&samples, 3, run).unwrap();
    assert!(run.warnings()[0].is_grave());
    // With the time that it takes, the search is exact after all.
    let hierarchy = hurried.time_limit(Duration::from_secs(3_600)).fit(&samples).unwrap();
    Refine::new(5).run_with(&samples, &hierarchy, run).unwrap();
    assert_eq!(run.warnings(), []);
}

/// What was seen, and what each search was expected to take.
#[test]
fn a_choice_explains_itself() {
    let matrix = clouds(6_000, 60);
    let doubled = concatenate![Axis(0), matrix, matrix];
    let samples = Samples::new(doubled.view()).unwrap();
    let found = Finch::new().first_neighbors(&samples, &mut Run::new()).unwrap();
    let evidence = found.choice().unwrap().evidence;
    assert_eq!(evidence.distinct, Some(6_000));
    assert!((5.0..60.0).contains(&evidence.dimension.unwrap()), "{evidence}");
    let considered: Vec<_> = evidence.considered().collect();
    let (least, _) = considered.iter().min_by(|a, b| a.1.total_cmp(&b.1)).unwrap();
    assert!(considered.len() > 2 && considered.iter().all(|(_, seconds)| *seconds > 0.0));
    assert_eq!(*least, found.choice().unwrap().search);
}

#[test]
fn what_cannot_be_done_is_refused() {
    let matrix = clouds(300, 4);
    let samples = Samples::new(matrix.view()).unwrap();
    let finch = Finch::new();
    for recall in [0.0, -0.1, 1.001, f64::NAN] {
        let refused = finch.recall(recall).first_neighbors(&samples, &mut Run::new());
        assert!(matches!(refused, Err(Error::InvalidRecall { .. })), "{recall}: {refused:?}");
    }
    let bits = matrix.mapv(|value| f64::from(u8::from(value > 0.0)));
    let bits = Samples::new(bits.view()).unwrap();
    let refused = approximate(Metric::Jaccard).first_neighbors(&bits, &mut Run::new());
    assert!(matches!(refused, Err(Error::UnsupportedSearch { search: "approximate", .. })));
}

#[test]
fn a_search_can_be_stopped_at_any_moment() {
    let matrix = clouds(6_000, 200);
    let samples = Samples::new(matrix.view()).unwrap();
    let finch = approximate(Metric::Euclidean).recall(1.0);
    for calls in 0..4 {
        let mut run = Run::new().progress(stop_after(calls));
        let stopped = finch.first_neighbors(&samples, &mut run);
        assert!(stopped.is_ok() || stopped == Err(Error::Cancelled));
        assert!(calls > 1 || stopped == Err(Error::Cancelled), "{calls}");
    }
}

/// Texts of words that half of all texts of a subject have, some of which are repeated, and some empty:
/// of many features, few of which are shared by chance, and of few.
fn sparse_texts(features: usize) -> (Vec<i32>, Vec<i32>, Vec<f64>) {
    let random = &mut Random(4);
    let (mut starts, mut columns, mut values): (Vec<i32>, Vec<i32>, Vec<f64>) =
        (vec![0], Vec::new(), Vec::new());
    for row in 0..5_000 {
        if row % 50 == 7 {
            let [first, end] = [starts[row - 5], starts[row - 4]].map(|start| start as usize);
            columns.extend_from_within(first..end);
            values.extend_from_within(first..end);
        } else if row % 99 != 3 {
            let subject = random.below(200);
            let of_subject = |word: usize| Random((subject * 30 + word) as u64).below(features);
            let mut words: Vec<usize> = (0..8).map(|_| random.below(features)).collect();
            words.extend((0..15).map(|_| random.below(30)).map(of_subject));
            words.sort_unstable();
            words.dedup();
            columns.extend(words.iter().map(|&word| word as i32));
            values.extend(words.iter().map(|_| 0.5 + random.uniform()));
        }
        starts.push(columns.len() as i32);
    }
    (starts, columns, values)
}

/// Of sparse rows, too, and each has other rows, at their true distances, and rows that are equal to it.
#[test]
fn of_sparse_rows_as_many_are_found_as_it_says() {
    for (features, metric) in [
        (100_000, Metric::Cosine),
        (100_000, Metric::Manhattan),
        (500, Metric::Euclidean),
        (500, Metric::Cosine),
    ] {
        let (starts, columns, values) = sparse_texts(features);
        let samples = SparseSamples::new(features, &starts[..], &columns[..], &values[..]).unwrap();
        let exact = Finch::new().metric(metric).search(Search::Blocked);
        let exact = exact.nearest_neighbors(&samples, 4, &mut Run::new()).unwrap();
        let near = |threads| {
            let mut run = Run::new().threads(threads);
            approximate(metric).nearest_neighbors(&samples, 4, &mut run).unwrap()
        };
        let found = near(1);
        let context = format!("{features}, {metric:?}, {}", found.choice().unwrap());
        assert_eq!(found.search(), Some(Search::Approximate), "{context}");
        let (told, truly) = (found.recall().unwrap().estimate, recall(&found, &exact));
        assert!(truly > 0.98 && (truly - told).abs() < 0.02, "{context}: {truly}");
        assert_eq!(near(2), found, "{context}");
        for (row, index) in found.index().outer_iter().enumerate() {
            let mut others = index.to_vec();
            others.sort_unstable();
            assert!(others.array_windows().all(|[a, b]| a < b), "{context}: {index}");
            assert!(!others.contains(&(row as u32)), "{context}: {index}");
            let zero = exact.distance().row(row).iter().filter(|&&x| x == 0.0).count();
            let same = [&found, &exact].map(|table| table.index().slice(s![row, ..zero]).to_vec());
            assert_eq!(same[0], same[1], "{context}");
        }
    }
}

/// A repeated row costs nothing, however often it is there, and few distinct rows are searched alone.
#[test]
fn repeated_sparse_rows_are_searched_once() {
    let columns: Vec<i32> = (0..3_000).map(|row| row % 7).collect();
    let (starts, values): (Vec<i32>, Vec<f32>) =
        ((0..=3_000).collect(), (0..3_000).map(|row| 1.0 + (row % 3) as f32).collect());
    let samples = SparseSamples::new(9, &starts[..], &columns[..], &values[..]).unwrap();
    for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
        let of = |search| {
            let finch = Finch::new().metric(metric).search(search);
            finch.nearest_neighbors(&samples, 200, &mut Run::new()).unwrap()
        };
        let expected = of(Search::Brute);
        for search in [Search::Auto, Search::Blocked, Search::Approximate] {
            let found = of(search);
            assert_eq!(found.index(), expected.index(), "{metric:?}, {search:?}");
            assert_eq!(
                found.choice().unwrap().evidence.distinct,
                Some(21),
                "{metric:?}, {search:?}"
            );
        }
    }
}
