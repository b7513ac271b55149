//! Prediction is what its definition says, by every search, for every type, metric and layout.

use std::ops::ControlFlow;

use finch_core::{
    AnyMatrix, Element, Error, Finch, Labels, Metric, Model, Partition, Predict, Prediction,
    Refine, Run, Samples, Search, Stage,
};
use ndarray::{Array2, ArrayView2, Axis, ShapeBuilder, array, concatenate, s};

use crate::common::{Random, inputs, stop_after};

const METRICS: [Metric; 3] = [Metric::Euclidean, Metric::Cosine, Metric::Manhattan];
const SEARCHES: [Search; 3] = [Search::Auto, Search::Brute, Search::Blocked];

fn model_of<A: Element>(base: &Array2<A>, metric: Metric, refined: Vec<Labels>) -> Model {
    let samples = Samples::new(base.view()).unwrap();
    let hierarchy = Finch::new().metric(metric).fit(&samples).unwrap();
    let model = Model::new(hierarchy, &samples, refined, &mut Run::new()).unwrap();
    model.keep_samples(&samples).unwrap()
}

/// A new sample is noise where the nearest kept sample is; noise has no mean, and by means nothing is noise.
#[test]
fn noise_is_kept_and_predicted() {
    let mut random = Random(11);
    for (samples, features) in [(60, 3), (3_000, 2)] {
        let matrix = Array2::from_shape_simple_fn((samples, features), || 10.0 * random.uniform());
        let new = Array2::from_shape_simple_fn((90, features), || 10.0 * random.uniform());
        let label = |row: usize| Some(row * row % 7).filter(|&label| label > 1);
        let labels = Labels::new(&(0..samples).map(label).collect::<Vec<_>>()).unwrap();
        let (clusters, last) = (labels.clusters(), labels.labels().to_vec());
        assert!(labels.noise() > 0);
        for metric in METRICS {
            let rows = Samples::new(matrix.view()).unwrap();
            let hierarchy = Finch::new().metric(metric).fit(&rows).unwrap();
            let labelling = hierarchy.partitions().len();
            let run = &mut Run::new();
            let model = Model::new(hierarchy, &rows, vec![labels.clone()], run).unwrap();
            let kept = model.clone().keep_samples(&rows).unwrap();
            for model in [&model, &kept] {
                let bytes = model.to_bytes().unwrap();
                assert_eq!(bytes.len(), model.serialized_size());
                assert_eq!(Model::from_bytes(&bytes).as_ref(), Ok(model));
                assert_eq!(model.labelling(labelling).unwrap().to_labels(), labels);
                assert_eq!(model.labelling(labelling).unwrap().clusters(), clusters);
                assert_eq!(model.means(labelling).unwrap().len(), clusters);
            }
            // Twice, since the second call may make a tree.
            for _ in 0..2 {
                let queries = Samples::new(new.view()).unwrap();
                let found = kept.predict(&queries, labelling, run).unwrap();
                let of = |&at: &u32| last[at as usize];
                assert_eq!(found.labels, found.neighbor.iter().map(of).collect::<Vec<_>>());
                assert!(found.labels.contains(&Labels::NOISE));
                if samples < 100 {
                    let expected = by_definition(matrix.view(), &last, new.view(), metric, true);
                    assert_eq!(parts(&found), expected);
                }
                assert_eq!(kept.predict(&rows, labelling, run).unwrap().labels, last);
                let by_means = model.predict(&queries, labelling, run).unwrap();
                assert!(by_means.labels.iter().all(|&label| (label as usize) < clusters));
                assert_eq!(by_means.labels, by_means.neighbor);
            }
        }
    }
}

/// The definition: all rows of the base by their distance, then by their number; the first, and the
/// first of another label.
fn by_definition<A: Element>(
    base: ArrayView2<'_, A>,
    labels: &[u32],
    queries: ArrayView2<'_, A>,
    metric: Metric,
    of_samples: bool,
) -> Vec<(u32, u32, f64, f64)> {
    let all = concatenate(Axis(0), &[base, queries]).unwrap();
    let samples = Samples::new(all.view()).unwrap();
    let finch = Finch::new().metric(metric).search(Search::Brute);
    let sorted = finch.nearest_neighbors(&samples, all.nrows() - 1, &mut Run::new()).unwrap();
    let of_query = |query: usize| {
        let row = base.nrows() + query;
        let neighbors = sorted.index().row(row).to_vec().into_iter();
        let near = neighbors.zip(sorted.distance().row(row).to_vec());
        let near: Vec<(u32, f64)> = near.filter(|near| (near.0 as usize) < base.nrows()).collect();
        // Of samples that are parallel under cosine the equal one counts.
        let parallel =
            |near: &&(u32, f64)| of_samples && metric == Metric::Cosine && near.1 <= 1e-12;
        let is_equal = |near: &&(u32, f64)| all.row(near.0 as usize) == all.row(row);
        let equal = near.iter().take_while(parallel).filter(is_equal).min_by_key(|near| near.0);
        // A zero row is near to nothing where the base has none.
        let Some(first) = near.first() else { return (labels[0], 0, 2.0, f64::INFINITY) };
        let (neighbor, distance) = (equal.unwrap_or(first).0, first.1);
        let label = labels[neighbor as usize];
        let other = near.iter().find(|near| labels[near.0 as usize] != label);
        (label, neighbor, distance, other.map_or(f64::INFINITY, |other| other.1))
    };
    (0..queries.nrows()).map(of_query).collect()
}

fn parts(prediction: &Prediction) -> Vec<(u32, u32, f64, f64)> {
    let Prediction { labels, neighbor, distance, certainty, .. } = prediction;
    let others = &certainty.as_ref().unwrap().other_distance;
    let nearest = labels.iter().zip(neighbor).zip(distance).zip(others);
    nearest.map(|(((label, neighbor), d), other)| (*label, *neighbor, *d, *other)).collect()
}

/// Zero rows that the model has none of have no cluster, and the run says so; by means, too.
#[test]
fn zero_rows_that_nothing_is_near_are_told() {
    let base = array![[5.0, 0.0], [5.0, 0.1], [0.0, 5.0], [0.1, 5.0]];
    let new = array![[1.0, 0.0], [0.0, 0.0], [0.0, 1.0], [0.0, 0.0]];
    let with_zeros = concatenate![Axis(0), base, array![[0.0, 0.0]]];
    let model = model_of(&base, Metric::Cosine, Vec::new());
    let run = &mut Run::new();
    for model in [model.clone().forget_samples(), model] {
        let sentence = "nothing in the model is near 2 new samples, the first is sample 1 (from 0), since \
                        zeros have no direction under cosine, and their labels mean nothing: leave them out";
        let predicted = model.predict(&Samples::new(new.view()).unwrap(), 0, run).unwrap();
        assert_eq!((predicted.labels[1], predicted.distance[1]), (0, 2.0));
        assert_eq!(run.warnings().iter().map(|w| w.to_string()).collect::<Vec<_>>(), [sentence]);
        model.predict(&Samples::new(new.slice(s![..1, ..])).unwrap(), 0, run).unwrap();
        assert_eq!(run.warnings(), []);
    }
    let model = model_of(&with_zeros, Metric::Cosine, Vec::new());
    let predicted = model.predict(&Samples::new(new.view()).unwrap(), 0, run).unwrap();
    assert_eq!((predicted.labels, run.warnings()), (vec![0, 2, 1, 2], &[][..]));
    // Nor is anything near to rows with a direction, where there are zeros alone.
    let model = model_of(&array![[0.0, 0.0], [0.0, 0.0]], Metric::Cosine, Vec::new());
    model.predict(&Samples::new(new.slice(s![..1, ..])).unwrap(), 0, run).unwrap();
    assert!(run.warnings()[0].to_string().contains("near new sample 0 (from 0)"));
}

/// All of a prediction, by every search, on several threads, with samples and without.
fn check<A: Element>(name: &str, base: &Array2<A>, queries: &Array2<A>, metric: Metric) {
    let mut random = Random(9);
    let any: Vec<usize> = (0..base.nrows()).map(|_| random.below(3)).collect();
    let noisy: Vec<Option<usize>> =
        any.iter().map(|&any| Some(any).filter(|&any| any < 2)).collect();
    let refined = [Labels::from(Partition::new(&any).unwrap()), Labels::new(&noisy).unwrap()];
    let refined = refined.into_iter().filter(|labels| labels.clusters() > 0).collect();
    let model = model_of(base, metric, refined);
    let without = model.clone().forget_samples();
    // Both orders of memory.
    let column_major = Array2::from_shape_fn(queries.dim().f(), |at| queries[at]);
    for labelling in 0..model.labellings() {
        let labels = model.labelling(labelling).unwrap().labels();
        let expected = by_definition(base.view(), labels, queries.view(), metric, true);
        let by_means = {
            let numbers: Vec<u32> =
                (0..model.labelling(labelling).unwrap().clusters() as u32).collect();
            let wide = queries.mapv(Element::to_f64);
            match model.means(labelling).unwrap().matrix().unwrap() {
                AnyMatrix::F64(means) => by_definition(means, &numbers, wide.view(), metric, false),
                AnyMatrix::F32(means) => {
                    let queries = wide.mapv(|value| value as f32);
                    by_definition(means, &numbers, queries.view(), metric, false)
                }
                _ => unreachable!("means are f64 or f32"),
            }
        };
        for (search, threads) in SEARCHES.into_iter().flat_map(|s| [(s, 1), (s, 3)]) {
            let context = format!("{name}, {metric}, labelling {labelling}, {search}, {threads}");
            let predict = Predict::new(labelling).search(search);
            for queries in [queries, &column_major] {
                let run = &mut Run::new().threads(threads);
                let queries = Samples::new(queries.view()).unwrap();
                let found = predict.run(&model, &queries, run).unwrap();
                assert_eq!(parts(&found), expected, "{context}");
                let labels = predict.certainty(false).run(&model, &queries, run).unwrap();
                let mut alone = found.clone();
                alone.certainty = None;
                assert_eq!(labels, alone, "{context}");
                let found = predict.run(&without, &queries, run).unwrap();
                assert_eq!(parts(&found), by_means, "{context}, by means");
                let confidence = found.certainty.unwrap().confidence;
                assert!(confidence.iter().all(|c| (0.5..=1.0).contains(c)), "{context}");
            }
        }
    }
}

#[test]
fn predictions_are_as_defined() {
    for metric in METRICS {
        for (name, matrix) in inputs(75, 6) {
            let (base, queries) = matrix.view().split_at(Axis(0), 60);
            // Some rows of the base, too.
            let queries = concatenate(Axis(0), &[queries, base.slice(s![..5, ..])]).unwrap();
            check(&name, &base.to_owned(), &queries, metric);
        }
        let mut random = Random(4);
        let small = Array2::from_shape_fn((70, 3), |_| random.below(4) as u8);
        let (base, queries) = small.view().split_at(Axis(0), 50);
        check("u8", &base.to_owned(), &queries.to_owned(), metric);
        let (base, queries) = (base.mapv(f32::from), queries.mapv(|value| f32::from(value) + 0.1));
        check("f32", &base, &queries, metric);
        check("one sample", &array![[1.0, 2.0]], &array![[1.0, 2.0], [-3.0, 0.5]], metric);
    }
}

/// Many blocks: clusters of all sizes, near and far, torn apart by labels and not; rows without a
/// direction, tight groups that have frames of their own.
#[test]
fn blocks_of_any_labels_find_what_brute_force_finds() {
    let mut random = Random(8);
    for kind in ["spread", "clusters", "tight groups", "zero rows"] {
        let value = |random: &mut Random, row: usize, column: usize| {
            let center = ((row * row % 7 + column) % 5) as f64;
            match kind {
                "spread" => random.uniform(),
                "clusters" => 3.0 * center + random.uniform(),
                "tight groups" => center + 1e-6 * random.uniform(),
                _ if row.is_multiple_of(5) => 0.0,
                _ => random.uniform() - 0.5,
            }
        };
        let matrix =
            Array2::from_shape_fn((2_700, 9), |(row, column)| value(&mut random, row, column));
        let (base, queries) = matrix.view().split_at(Axis(0), 2_100);
        let base = base.to_owned();
        let by = |count: usize| {
            Partition::new(&(0..2_100).map(|row| row * row % 7 % count).collect::<Vec<_>>())
                .unwrap()
        };
        // Few large, many small, and one that is nearly all.
        let mixed: Vec<usize> =
            (0..2_100).map(|row| if row < 1_500 { row % 2 } else { row }).collect();
        let most: Vec<bool> = (0..2_100).map(|row| row == 1_234).collect();
        let refined = vec![
            by(7),
            by(2),
            Partition::new(&mixed).unwrap(),
            Partition::new(&most).unwrap(),
            Partition::new(&[0; 2_100]).unwrap(),
        ];
        let refined: Vec<Labels> = refined.into_iter().map(Labels::from).collect();
        for metric in METRICS {
            let model = model_of(&base, metric, refined.clone());
            let queries = Samples::new(queries.view()).unwrap();
            for labelling in 0..model.labellings() {
                let run = &mut Run::new();
                let predict = Predict::new(labelling);
                let brute = predict.search(Search::Brute).run(&model, &queries, run).unwrap();
                let blocked = predict.search(Search::Blocked).run(&model, &queries, run).unwrap();
                assert_eq!(blocked, brute, "{kind}, {metric}, labelling {labelling}");
            }
        }
    }
}

/// Also where rows repeat, and where an approximate search made the clusters.
#[test]
fn samples_of_the_model_get_their_own_labels() {
    let approximate = |rows, columns| {
        let mut random = Random(6);
        let distinct = Array2::from_shape_fn((rows / 2, columns), |_| random.uniform());
        Array2::from_shape_fn((rows, columns), |(i, j)| distinct[[i * i % (rows / 2), j]])
    };
    let kinds = inputs(300, 4).map(|(name, matrix)| (name, matrix, Search::Auto));
    let approximate = ("approximate".into(), approximate(3_000, 12), Search::Approximate);
    for (name, matrix, search) in kinds.chain([approximate]) {
        for metric in METRICS {
            let samples = Samples::new(matrix.view()).unwrap();
            let hierarchy = Finch::new().metric(metric).search(search).fit(&samples).unwrap();
            let clusters = hierarchy.finest().clusters().div_ceil(2);
            let fewer = Refine::new(clusters).run(&samples, &hierarchy).unwrap();
            let run = &mut Run::new();
            let model = Model::new(hierarchy, &samples, vec![fewer.into()], run).unwrap();
            let model = model.keep_samples(&samples).unwrap();
            for labelling in 0..model.labellings() {
                let labels = model.predict(&samples, labelling, run).unwrap().labels;
                let expected = model.labelling(labelling).unwrap().labels();
                assert_eq!(labels, expected, "{name}, {metric}, labelling {labelling}");
            }
        }
    }
}

#[test]
fn confidence_is_as_defined() {
    let model = model_of(&array![[0.0], [1.0], [10.0], [11.0]], Metric::Euclidean, Vec::new());
    let queries = array![[1.0], [5.5], [2.5], [11.0], [-90.0]];
    let found = model.predict(&Samples::new(queries.view()).unwrap(), 0, &mut Run::new()).unwrap();
    let certainty = found.certainty.unwrap();
    assert_eq!(certainty.other_distance, [9.0, 4.5, 7.5, 10.0, 100.0]);
    let p = Predict::SHARPNESS;
    let expected = [1.0, 0.5, 1.0 / (1.0 + 0.2_f64.powf(p)), 1.0, 1.0 / (1.0 + 0.9_f64.powf(p))];
    for (found, expected) in certainty.confidence.iter().zip(expected) {
        assert!((found - expected).abs() < 1e-15, "{found} instead of {expected}");
    }
    // One cluster only: no other is infinitely far, and there is no doubt.
    let one = model_of(&array![[0.0], [1.0]], Metric::Manhattan, Vec::new());
    let found = one.predict(&Samples::new(queries.view()).unwrap(), 0, &mut Run::new()).unwrap();
    let certainty = found.certainty.unwrap();
    assert_eq!(certainty.other_distance, [f64::INFINITY; 5]);
    assert_eq!(certainty.confidence, [1.0; 5]);
}

#[test]
fn narrower_samples_are_converted_and_wider_ones_refused() {
    let bytes = array![[0_u8, 9], [1, 9], [200, 3], [201, 3]];
    let queries = Samples::new(bytes.view()).unwrap();
    let run = &mut Run::new();
    let of_f64 = model_of(&bytes.mapv(f64::from), Metric::Euclidean, Vec::new());
    assert_eq!(of_f64.predict(&queries, 0, run).unwrap().labels, [0, 0, 1, 1]);
    let of_u8 = model_of(&bytes, Metric::Euclidean, Vec::new());
    let wide = bytes.mapv(f64::from);
    let wide = Samples::new(wide.view()).unwrap();
    let refused = Error::ElementType { expected: "u8", found: "f64" };
    assert_eq!(of_u8.predict(&wide, 0, run), Err(refused));
    // Means of bytes are f32.
    let of_u8 = of_u8.forget_samples();
    assert_eq!(of_u8.predict(&queries, 0, run).unwrap().labels, [0, 0, 1, 1]);
    let singles = bytes.mapv(f32::from);
    let singles = Samples::new(singles.view()).unwrap();
    assert_eq!(of_u8.predict(&singles, 0, run).unwrap().labels, [0, 0, 1, 1]);
    let refused = Error::ElementType { expected: "f32", found: "f64" };
    assert_eq!(of_u8.predict(&wide, 0, run), Err(refused));
}

#[test]
fn what_cannot_be_predicted_is_an_error() {
    let model = model_of(&array![[0.0, 1.0], [1.0, 1.0]], Metric::Manhattan, Vec::new());
    let other = array![[1.0, 2.0, 3.0]];
    let other = Samples::new(other.view()).unwrap();
    let run = &mut Run::new();
    let refused = Error::FeatureCount { expected: 2, found: 3 };
    assert_eq!(model.predict(&other, 0, run), Err(refused));
    let new = array![[1.0, 2.0]];
    let new = Samples::new(new.view()).unwrap();
    let refused = Error::NoSuchLabelling { labelling: 1, labellings: 1 };
    assert_eq!(model.predict(&new, 1, run), Err(refused));
    for search in [Search::KdTree, Search::Projected, Search::Approximate] {
        let refused = Predict::new(0).search(search).run(&model, &new, run);
        assert!(matches!(refused, Err(Error::UnsupportedSearch { .. })), "{refused:?}");
    }
}

#[test]
fn prediction_tells_its_progress_and_can_be_stopped() {
    let mut random = Random(2);
    let matrix = Array2::from_shape_fn((4_000, 30), |_| random.uniform());
    let model = model_of(&matrix, Metric::Euclidean, Vec::new());
    let samples = Samples::new(matrix.view()).unwrap();
    let mut told = Vec::new();
    let mut run = Run::new().progress(|progress| {
        told.push(progress);
        ControlFlow::Continue(())
    });
    model.predict(&samples, 0, &mut run).unwrap();
    drop(run);
    assert!(told.iter().all(|progress| progress.stage == Stage::Predict));
    assert_eq!((told[0].fraction, told[told.len() - 1].fraction), (0.0, 1.0));
    for calls in 0..2 {
        let mut run = Run::new().progress(stop_after(calls));
        assert_eq!(model.predict(&samples, 0, &mut run), Err(Error::Cancelled));
    }
}

/// Of equal rows, of rows that are queries themselves, and of few rows an approximate search finds
/// all; of many it finds the share that it tells, and the same by any number of threads.
#[test]
fn an_approximate_search_finds_most_of_the_nearest() {
    let mut random = Random(31);
    let mut rows = |count: usize| {
        let mut of_row = || {
            let places: Vec<f64> = (0..6).map(|_| random.uniform()).collect();
            (0..32).map(move |j| (0..6).map(|a| places[a] * ((a * 7 + j * 3) % 11) as f64).sum())
        };
        let values: Vec<f32> = (0..count)
            .flat_map(|_| of_row().collect::<Vec<f64>>())
            .map(|value| value as f32)
            .collect();
        Array2::from_shape_vec((count, 32), values).unwrap()
    };
    for (count, new) in [(3, 2), (1, 40), (6_000, 4_000)] {
        let (base, queries) = (rows(count), rows(new));
        for metric in METRICS {
            let model = model_of(&base, metric, Vec::new());
            let of = |predict: Predict, queries: &Array2<f32>, threads| {
                let samples = Samples::new(queries.view()).unwrap();
                predict.certainty(false).run(&model, &samples, &mut Run::new().threads(threads))
            };
            let exact = of(Predict::new(0), &queries, 1).unwrap();
            assert_eq!(exact.recall, None);
            let approximate = Predict::new(0).search(Search::Approximate).recall(0.9);
            let found = of(approximate, &queries, 1).unwrap();
            assert_eq!(of(approximate, &queries, 3).unwrap(), found);
            let same = found.neighbor.iter().zip(&exact.neighbor).filter(|(a, b)| a == b).count();
            let recall = found.recall.unwrap();
            let share = same as f64 / new as f64;
            assert!(share >= recall.low - 0.01 && recall.estimate >= 0.88, "{share} {recall:?}");
            assert!(count > 3 || share == 1.0);
            assert!(found.distance.iter().zip(&exact.distance).all(|(a, b)| a >= b));
            // Kept samples find themselves.
            let own = of(approximate, &base, 1).unwrap();
            assert!(own.neighbor.iter().copied().eq(0..count as u32), "{count}, {metric}");
            let other = of(approximate.seed(1), &queries, 1).unwrap();
            assert!(other.recall.unwrap().estimate >= 0.88);
            let refused = of(approximate.recall(0.0), &queries, 1).unwrap_err();
            assert_eq!(refused, Error::InvalidRecall { recall: 0.0 });
            let sure =
                approximate.run(&model, &Samples::new(queries.view()).unwrap(), &mut Run::new());
            assert!(matches!(sure, Err(Error::UnsupportedSearch { search: "approximate", .. })));
            // Each mean is a cluster, so that two of them tell how sure a label is.
            let by_means = model.clone().forget_samples();
            let samples = Samples::new(queries.view()).unwrap();
            let found = approximate.run(&by_means, &samples, &mut Run::new()).unwrap();
            assert_eq!(found.certainty.unwrap().confidence.len(), new);
        }
    }
    let [base, queries] = [50, 3].map(|count| rows(count).mapv(|value| f32::from(value > 8.0)));
    let model = model_of(&base, Metric::Jaccard, Vec::new());
    let predict = Predict::new(0).search(Search::Approximate).certainty(false);
    let refused = predict.run(&model, &Samples::new(queries.view()).unwrap(), &mut Run::new());
    assert!(matches!(refused, Err(Error::UnsupportedSearch { .. })));
}

/// Rows without a direction are as far from all others, and equal rows go to the smallest number.
#[test]
fn an_approximate_search_knows_rows_without_a_direction() {
    let base = array![[0.0, 0.0], [1.0, 2.0], [1.0, 2.0], [3.0, -1.0]];
    let queries = array![[0.0, 0.0], [1.0, 2.0], [-3.0, -9.0], [3.0, -1.0]];
    for metric in [Metric::Euclidean, Metric::Cosine] {
        let model = model_of(&base, metric, Vec::new());
        let samples = Samples::new(queries.view()).unwrap();
        let by = |search| {
            let predict = Predict::new(0).search(search).certainty(false);
            predict.run(&model, &samples, &mut Run::new()).unwrap()
        };
        let [exact, found] = [Search::Brute, Search::Approximate].map(by);
        assert_eq!((found.neighbor, found.distance), (exact.neighbor, exact.distance), "{metric}");
    }
}
