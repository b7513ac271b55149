//! Many data sets side by side.

use std::ops::ControlFlow;

use finch_core::{Error, Finch, Hierarchy, Metric, Run, Samples, Stage};
use ndarray::Array2;

use crate::common::Random;

/// Sets of very different sizes, of which some have work for many threads.
fn matrices() -> Vec<Array2<f32>> {
    let mut random = Random(7);
    let shapes = [(1, 4), (2, 3), (900, 8), (40, 64), (3, 1), (300, 70), (2_500, 3), (64, 200)];
    let matrix = |shape| Array2::from_shape_simple_fn(shape, || random.uniform() as f32);
    shapes.into_iter().cycle().take(40).map(matrix).collect()
}

#[test]
fn a_batch_is_what_each_set_is_by_itself_on_any_threads() {
    let matrices = matrices();
    let sets: Vec<_> = matrices.iter().map(|matrix| Samples::new(matrix.view()).unwrap()).collect();
    for metric in [Metric::Euclidean, Metric::Cosine] {
        let finch = Finch::new().metric(metric);
        let alone: Vec<Hierarchy> = sets.iter().map(|set| finch.fit(set).unwrap()).collect();
        for threads in [0, 1, 2, 4] {
            let batch = finch.fit_batch(&sets, &mut Run::new().threads(threads)).unwrap();
            assert!(batch == alone, "{metric:?}, {threads} threads");
        }
        let pool = rayon::ThreadPoolBuilder::new().num_threads(3).build().unwrap();
        let batch = pool.install(|| finch.fit_batch(&sets, &mut Run::new())).unwrap();
        assert!(batch == alone, "{metric:?}, in a pool");
    }
    assert_eq!(Finch::new().fit_batch::<Samples<f64>>(&[], &mut Run::new()), Ok(vec![]));
}

#[test]
fn a_batch_tells_how_far_it_is_and_can_be_stopped() {
    for threads in [1, 2] {
        let mut told = Vec::new();
        let mut run = Run::new().threads(threads).progress(|progress| {
            told.push((progress.stage, progress.fraction));
            ControlFlow::Continue(())
        });
        assert_eq!(run.batch(5, |number, _| number * number), Ok(vec![0, 1, 4, 9, 16]));
        drop(run);
        assert_eq!((told[0], told[told.len() - 1]), ((Stage::Batch, 0.0), (Stage::Batch, 1.0)));
        assert!(told.is_sorted_by(|a, b| a.1 <= b.1));
        let mut stopped = Run::new().threads(threads).progress(|_| ControlFlow::Break(()));
        assert_eq!(stopped.batch(5, |number, _| number), Err(Error::Cancelled));
    }
}
