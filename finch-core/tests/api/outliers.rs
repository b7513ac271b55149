//! Outlier scores, against their definition.

use crate::common::{Random, inputs, stop_after};
use finch_core::{Error, Finch, Hierarchy, Linkage, Metric, Neighbors, Run, Samples, Search};
use ndarray::{Array2, Axis, ShapeBuilder};

fn hierarchy(matrix: &Array2<f64>, metric: Metric) -> Hierarchy {
    let finch = Finch::new().metric(metric).refinable(Linkage::Neighbor);
    finch.fit(&Samples::new(matrix.view()).unwrap()).unwrap()
}

fn scores(matrix: &Array2<f64>, metric: Metric) -> Vec<f64> {
    let samples = Samples::new(matrix.view()).unwrap();
    hierarchy(matrix, metric).outlier_scores(&samples, &mut Run::new()).unwrap()
}

/// The scores as they are defined, from all distances; `None` where some, but not all, of a sample's k nearest
/// are there, as beside zero rows under cosine.
fn by_definition(matrix: &Array2<f64>, metric: Metric) -> Option<Vec<f64>> {
    let samples = Samples::new(matrix.view()).unwrap();
    if samples.len() == 1 {
        return Some(vec![0.0]);
    }
    let most = (2.0 * (samples.len() as f64).log2()).ceil() as usize;
    let k = most.min(samples.len() / 4).max(1);
    let finch = Finch::new().metric(metric).search(Search::Brute);
    let all = finch.nearest_neighbors(&samples, samples.len() - 1, &mut Run::new()).unwrap();
    // Places: the first of the samples that links of length 0 to first neighbours join.
    let mut places: Vec<usize> = (0..samples.len()).collect();
    let is_there = |other: &u32| *other != Neighbors::NONE;
    if (0..samples.len()).any(|i| (1..k).contains(&all.count(i))) {
        return None;
    }
    for i in (0..samples.len()).filter(|&i| all.distance()[(i, 0)] == 0.0) {
        let joined = [i, all.index()[(i, 0)] as usize].map(|sample| places[sample]);
        let first = joined[0].min(joined[1]);
        places.iter_mut().filter(|place| joined.contains(place)).for_each(|place| *place = first);
    }
    let r = |i: usize| {
        let length = |distance: f64| match metric {
            Metric::Cosine => distance.sqrt(),
            _ => distance,
        };
        match all.distance()[(i, k - 1)] {
            // Half the way to the nearest other place, if there is one.
            0.0 => {
                let (index, distance) = (all.index(), all.distance());
                let place = places[i];
                let is_place = |other: usize| other != place && places[other] == other;
                let count = index.row(place).iter().filter(|near| is_there(near)).count();
                let nearest = (0..count).find(|&at| is_place(index[(place, at)] as usize));
                length(nearest.map_or(0.0, |at| distance[(place, at)])) / 2.0
            }
            distance => length(distance),
        }
    };
    // The sample first.
    let near = |i: usize| {
        let nearest = all.index();
        let row = nearest.row(i);
        let others = row.iter().take(k).filter(|near| is_there(near));
        let others: Vec<usize> = others.map(|&near| near as usize).collect();
        [vec![i], others].concat()
    };
    let peak = |mut i: usize| loop {
        let mut around = near(i);
        around.sort_unstable();
        let densest = around.into_iter().reduce(|a, b| if r(b) < r(a) { b } else { a }).unwrap();
        if densest == i {
            return i;
        }
        i = densest;
    };
    let score = |i: usize| {
        let around = near(i);
        let mean = around.iter().map(|&j| r(peak(j))).sum::<f64>() / (k + 1) as f64;
        match r(i) {
            0.0 => 0.0,
            f64::INFINITY => 1.0,
            radius => (1.0 - mean / radius).max(0.0),
        }
    };
    Some((0..samples.len()).map(score).collect())
}

#[test]
fn scores_are_as_defined() {
    for (rows, columns) in [(1, 1), (2, 3), (7, 1), (30, 2), (200, 3)] {
        for (name, matrix) in inputs(rows, columns) {
            let Ok(samples) = Samples::new(matrix.view()) else { continue };
            for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
                let found = scores(&matrix, metric);
                if let Some(expected) = by_definition(&matrix, metric) {
                    assert_eq!(found, expected, "{name}, {metric:?}");
                }
                assert!(found.iter().all(|score| (0.0..=1.0).contains(score)), "{name}");
                // The same where neighbours are not kept.
                let bare = Finch::new().metric(metric).fit(&samples).unwrap();
                assert_eq!(
                    bare.outlier_scores(&samples, &mut Run::new()).unwrap(),
                    found,
                    "{name}"
                );
            }
        }
    }
}

/// Where repeated samples have all others as peaks, these are told apart all the same.
#[test]
fn the_scale_of_scores_does_not_vanish_beside_repeated_samples() {
    let column = |values: Vec<f64>| Array2::from_shape_vec((values.len(), 1), values).unwrap();
    let near = [vec![0.0; 40], vec![0.1, 0.2, 0.3, 100.0]].concat();
    let found = scores(&column(near), Metric::Euclidean);
    let expected = [1.0 - 0.05 / 0.1, 1.0 - 0.05 / 0.2, 1.0 - 0.05 / 0.3, 1.0 - 0.05 / 100.0];
    assert!(
        found[40..].iter().zip(expected).all(|(found, expected)| (found - expected).abs() < 1e-12)
    );
    assert!(found[..40].iter().all(|&score| score < 1e-12));
    // One sample that differs, and none.
    let found = scores(&column([vec![0.0; 40], vec![5.0]].concat()), Metric::Euclidean);
    assert_eq!((found[40], found[0]), (0.5, 0.0));
    assert_eq!(scores(&column(vec![3.0; 30]), Metric::Euclidean), [0.0; 30]);

    // A Gaussian, rounded to 0.1, and a value far from it.
    let mut random = Random(4);
    let normal = |_: usize| (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
    let rounded = (0..500).map(normal).map(|value| (value * 10.0).round() / 10.0);
    let mut values: Vec<f64> = rounded.collect();
    values.push(-100.0);
    let found = scores(&column(values), Metric::Euclidean);
    assert!(found[..500].iter().all(|&score| score < found[500] - 0.05), "{}", found[500]);
}

/// Far samples around clusters of different densities.
fn clusters_and_noise() -> Array2<f64> {
    let mut random = Random(2);
    Array2::from_shape_fn((930, 2), |(row, column)| {
        let spread: f64 = (0..6).map(|_| random.uniform() - 0.5).sum();
        match row {
            0..400 => spread,
            400..800 => 40.0 + 6.0 * spread,
            800..900 => [60.0, 0.0][column] + 0.2 * spread,
            _ => 400.0 * random.uniform() - 200.0,
        }
    })
}

#[test]
fn outliers_score_above_others() {
    let found = scores(&clusters_and_noise(), Metric::Euclidean);
    let (inner, outer) = found.split_at(900);
    let above = |score: f64| inner.iter().filter(|&&other| score > other).count();
    let pairs: usize = outer.iter().map(|&score| above(score)).sum();
    assert!(pairs as f64 > 0.97 * 900.0 * 30.0, "{pairs}");
    let mean = |scores: &[f64]| scores.iter().sum::<f64>() / scores.len() as f64;
    // Hardly higher in the sparse cluster than in the dense one.
    assert!(mean(&found[400..800]) < mean(&found[..400]) + 0.1);
    assert!(mean(inner) < 0.4 && mean(outer) > 0.9, "{} {}", mean(inner), mean(outer));
}

#[test]
fn neither_unit_nor_threads_nor_layout_show() {
    let matrix = clusters_and_noise();
    let expected = scores(&matrix, Metric::Euclidean);
    assert_eq!(scores(&(&matrix * 1024.0), Metric::Euclidean), expected);
    let mut columns = Array2::zeros(matrix.raw_dim().f());
    columns.assign(&matrix);
    let hierarchy = hierarchy(&matrix, Metric::Euclidean);
    for matrix in [&matrix, &columns] {
        let samples = Samples::new(matrix.view()).unwrap();
        for threads in [1, 3] {
            let run = &mut Run::new().threads(threads);
            assert_eq!(hierarchy.outlier_scores(&samples, run).unwrap(), expected);
        }
    }
}

/// Under cosine the scores are those of directions.
#[test]
fn cosine_scores_are_those_of_unit_rows() {
    let mut random = Random(6);
    let matrix = Array2::from_shape_fn((300, 4), |_| random.uniform() - 0.3);
    let norms = matrix.map_axis(Axis(1), |row| row.dot(&row).sqrt()).insert_axis(Axis(1));
    let of_units = scores(&(&matrix / &norms), Metric::Euclidean);
    for (found, expected) in scores(&matrix, Metric::Cosine).into_iter().zip(of_units) {
        assert!((found - expected).abs() < 1e-12, "{found} {expected}");
    }
}

#[test]
fn other_samples_are_refused_and_a_stop_is_obeyed() {
    let matrix = clusters_and_noise();
    let samples = Samples::new(matrix.view()).unwrap();
    let bare = Finch::new().fit(&samples).unwrap();
    let few = matrix.select(Axis(0), &[0, 1, 2]);
    let few = Samples::new(few.view()).unwrap();
    let refused = bare.outlier_scores(&few, &mut Run::new());
    assert_eq!(refused, Err(Error::SampleCount { expected: 930, found: 3 }));
    let column = matrix.select(Axis(1), &[1]);
    let column = Samples::new(column.view()).unwrap();
    let refused = bare.outlier_scores(&column, &mut Run::new());
    assert_eq!(refused, Err(Error::FeatureCount { expected: 2, found: 1 }));
    for calls in 0..4 {
        let mut run = Run::new().threads(1).progress(stop_after(calls));
        assert_eq!(bare.outlier_scores(&samples, &mut run), Err(Error::Cancelled), "{calls}");
    }
}
