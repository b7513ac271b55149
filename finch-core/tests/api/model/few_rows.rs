//! Rows that are predicted one by one get what brute force finds, with a tree of the kept samples and without.

use std::thread;

use finch_core::{
    Element, Error, Finch, Metric, Model, Partition, Predict, Prediction, Run, Samples, Search,
};
use ndarray::{Array2, Axis, s};

use crate::common::{Random, stop_after};

/// A model with a labelling of few clusters, which are apart in space as far as rows are.
fn model_of<A: Element>(base: &Array2<A>, metric: Metric) -> Model {
    let samples = Samples::new(base.view()).unwrap();
    let hierarchy = Finch::new().metric(metric).fit(&samples).unwrap();
    let far: Vec<usize> =
        base.rows().into_iter().map(|row| usize::from(row[0].to_f64() > 1.0)).collect();
    let refined = vec![Partition::new(&far).unwrap().into()];
    let model = Model::new(hierarchy, &samples, refined, &mut Run::new()).unwrap();
    model.keep_samples(&samples).unwrap()
}

/// Rows of a grid, full of ties, repeated rows, and rows of zeros; or hardly any two that are equally far.
fn rows(kind: &str, count: usize, features: usize) -> Array2<f32> {
    let mut random = Random(count as u64 + features as u64);
    let mut rows = Array2::from_shape_fn((count, features), |_| match kind {
        "ties" => random.below(6) as f32,
        _ => 3.0 * random.uniform() as f32,
    });
    for row in (0..count).step_by(7) {
        rows.row_mut(row).fill(if row % 2 == 0 { 0.0 } else { 2.0 });
    }
    rows
}

fn one(prediction: &Prediction, row: usize) -> (u32, u32, u64, Option<[u64; 2]>) {
    let certainty = prediction.certainty.as_ref();
    let certainty = certainty.map(|of| [of.other_distance[row], of.confidence[row]]);
    let certainty = certainty.map(|pair| pair.map(f64::to_bits));
    let distance = prediction.distance[row].to_bits();
    (prediction.labels[row], prediction.neighbor[row], distance, certainty)
}

/// One by one, a few at a time, and all at once.
fn check<A: Element>(base: &Array2<A>, queries: &Array2<A>, metric: Metric, context: &str) {
    let whole = model_of(base, metric);
    for labelling in [0, whole.labellings() - 1] {
        for certainty in [true, false] {
            let predict = Predict::new(labelling).certainty(certainty);
            let all = Samples::new(queries.view()).unwrap();
            let brute = predict.search(Search::Brute);
            let expected = brute.run(&whole, &all, &mut Run::new()).unwrap();
            for threads in [1, 2] {
                // Of its own, so that it is asked for the first time.
                let kept = Samples::new(base.view()).unwrap();
                let model = whole.clone().keep_samples(&kept).unwrap();
                let run = &mut Run::new().threads(threads);
                for at_once in [1, 3, queries.nrows()] {
                    for (part, rows) in queries.axis_chunks_iter(Axis(0), at_once).enumerate() {
                        let rows = Samples::new(rows).unwrap();
                        let found = predict.run(&model, &rows, run).unwrap();
                        for row in 0..rows.len() {
                            let query = part * at_once + row;
                            let context = format!("{context}, {metric}, {query} of {at_once}");
                            assert_eq!(one(&found, row), one(&expected, query), "{context}");
                        }
                    }
                }
            }
        }
    }
}

#[test]
fn rows_one_by_one_are_predicted_as_by_brute_force() {
    for kind in ["ties", "noise"] {
        for features in [1, 2, 8, 20] {
            let base = rows(kind, 2_500, features);
            // Rows of the base, rows between them, and rows far out.
            let mut queries = rows("noise", 90, features);
            queries.slice_mut(s![..30, ..]).assign(&base.slice(s![1_000..1_030, ..]));
            queries.slice_mut(s![60..63, ..]).fill(-1e9);
            for metric in [Metric::Euclidean, Metric::Manhattan, Metric::Cosine] {
                let context = format!("{kind} of {features}");
                check(&base, &queries, metric, &context);
                let [base, queries] = [&base, &queries].map(|x| x.mapv(|x| (7.0 * x) as u8));
                check(&base, &queries, metric, &context);
            }
        }
    }
    let bits = rows("ties", 2_500, 40).mapv(|value| u8::from(value > 2.0));
    let queries = bits.slice(s![40..70, ..]).to_owned();
    for metric in [Metric::Hamming, Metric::Jaccard] {
        check(&bits, &queries, metric, "bits");
    }
}

/// All of them ask for a tree at once, of which one makes it.
#[test]
fn threads_that_share_a_model_predict_the_same() {
    let base = rows("ties", 60_000, 2);
    let queries = rows("noise", 64, 2);
    let model = &model_of(&base, Metric::Euclidean);
    let all = Samples::new(queries.view()).unwrap();
    let brute = Predict::new(0).search(Search::Brute);
    let expected = &brute.run(model, &all, &mut Run::new()).unwrap();
    thread::scope(|scope| {
        for number in 0..8 {
            let queries = &queries;
            scope.spawn(move || {
                let run = &mut Run::new().threads(1 + number % 2);
                for (row, query) in queries.axis_chunks_iter(Axis(0), 1).enumerate() {
                    let found = model.predict(&Samples::new(query).unwrap(), 0, run).unwrap();
                    assert_eq!(one(&found, 0), one(expected, row));
                }
            });
        }
    });
    // A copy shares what was made, and samples of its own have their own.
    let copy = model.clone();
    let found = copy.predict(&all, 0, &mut Run::new()).unwrap();
    assert_eq!(&found, expected);
    let moved = base.mapv(|value| value + 1.0);
    let others = copy.keep_samples(&Samples::new(moved.view()).unwrap()).unwrap();
    let expected = brute.run(&others, &all, &mut Run::new()).unwrap();
    for _ in 0..3 {
        assert_eq!(others.predict(&all, 0, &mut Run::new()).unwrap(), expected);
    }
}

/// A tree that is not done is not kept.
#[test]
fn a_stop_while_a_tree_is_made_leaves_the_model_as_it_was() {
    let base = rows("ties", 30_000, 2);
    let model = model_of(&base, Metric::Euclidean);
    let queries = rows("noise", 100, 2);
    let all = Samples::new(queries.view()).unwrap();
    for threads in [1, 2] {
        for calls in 0..2 {
            let mut run = Run::new().threads(threads).progress(stop_after(calls));
            assert_eq!(model.predict(&all, 0, &mut run), Err(Error::Cancelled));
        }
    }
    let brute = Predict::new(0).search(Search::Brute);
    let expected = brute.run(&model, &all, &mut Run::new()).unwrap();
    assert_eq!(model.predict(&all, 0, &mut Run::new()).unwrap(), expected);
}
