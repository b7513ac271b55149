//! Equal samples among parallel ones, which are as near under cosine.

use finch_core::{Finch, Metric, Model, Predict, Refine, Run, Samples, SparseSamples};
use ndarray::{Array2, array};

/// Samples of three directions, of which some are equal and most are parallel.
fn parallel() -> Array2<f64> {
    array![
        [1.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [2.0, 0.0, 0.0],
        [4.0, 0.0, 0.0],
        [0.0, 3.0, 0.0],
        [0.0, 1.0, 0.0],
        [2.0, 0.0, 0.0],
        [0.0, 1.0, 0.0],
        [0.0, 0.0, 7.0],
        [0.0, 0.0, 7.0],
    ]
}

#[test]
fn equal_samples_are_parted_last_under_cosine() {
    let matrix = array![[2.0], [4.0], [4.0]];
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = Finch::new().metric(Metric::Cosine).fit(&samples).unwrap();
    let two = Refine::new(2).run(&samples, &hierarchy).unwrap();
    assert_eq!(two.labels(), [0, 1, 1]);
    let two = Refine::new(2).cannot_link(&[[0, 1]]).run(&samples, &hierarchy).unwrap();
    assert_eq!(two.labels(), [0, 1, 1]);

    let matrix = parallel();
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = Finch::new().metric(Metric::Cosine).fit(&samples).unwrap();
    for clusters in 1..=10 {
        let labels = Refine::new(clusters).run(&samples, &hierarchy).unwrap();
        assert_eq!(labels.clusters(), clusters);
        let parted = [[1, 3], [2, 6], [5, 7], [8, 9]]
            .iter()
            .filter(|pair| labels.labels()[pair[0]] != labels.labels()[pair[1]])
            .count();
        assert_eq!(parted, clusters.saturating_sub(6), "{clusters}: {:?}", labels.labels());
    }
}

#[test]
fn samples_get_their_own_label_among_parallel_ones() {
    let matrix = parallel();
    let dense = Samples::new(matrix.view()).unwrap();
    let narrow = matrix.mapv(|value| value as f32);
    let narrow = Samples::new(narrow.view()).unwrap();
    // Each row has one value.
    let starts: Vec<i64> = (0..=10).collect();
    let places = || matrix.indexed_iter().filter(|(_, value)| **value > 0.0);
    let columns: Vec<i32> = places().map(|((_, column), _)| column as i32).collect();
    let values: Vec<f64> = places().map(|(_, &value)| value).collect();
    let sparse = SparseSamples::new(3, &starts[..], &columns[..], &values[..]).unwrap();
    let run = &mut Run::new();
    let finch = Finch::new().metric(Metric::Cosine);
    let hierarchy = finch.fit(&dense).unwrap();
    for clusters in 1..=6 {
        let labels = Refine::new(clusters).run(&dense, &hierarchy).unwrap();
        let model =
            Model::new(hierarchy.clone(), &dense, vec![labels.clone().into()], run).unwrap();
        let model = model.keep_samples(&dense).unwrap();
        let labelling = hierarchy.partitions().len();
        for certainty in [false, true] {
            let predict = Predict::new(labelling).certainty(certainty);
            for found in [
                predict.run(&model, &dense, run).unwrap(),
                predict.run(&model, &narrow, run).unwrap(),
            ] {
                assert_eq!(found.labels, labels.labels());
                assert_eq!(found.neighbor, [0, 1, 2, 1, 4, 5, 2, 5, 8, 8]);
            }
        }
        let kept =
            Model::new(finch.fit(&sparse).unwrap(), &sparse, vec![labels.clone().into()], run);
        let kept = kept.unwrap().keep_samples(&sparse).unwrap();
        let found = Predict::new(labelling).run(&kept, &sparse, run).unwrap();
        assert_eq!(found.labels, labels.labels());
        // Among parallel samples of other labels, no label is sure.
        let certainty = found.certainty.unwrap();
        for (sample, &other) in certainty.other_distance.iter().enumerate() {
            let is_near = |other: usize| {
                let is_parallel = columns[sample] == columns[other];
                labels.labels()[other] != labels.labels()[sample] && is_parallel
            };
            assert_eq!((0..10).any(is_near), other < 1e-12, "{clusters}: {sample}");
        }
    }
}
