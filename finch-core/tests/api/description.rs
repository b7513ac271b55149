//! What is in a cluster, against its definition.

use crate::common::{Random, inputs, stop_after};
use finch_core::{
    AnyMatrix, Describe, Description, Element, Error, Finch, Metric, Neighbors, Partition, Run,
    Samples, Search, Stage,
};
use ndarray::{Array1, Array2, ArrayView1, Axis, ShapeBuilder, concatenate, s};

const METRICS: [Metric; 3] = [Metric::Euclidean, Metric::Cosine, Metric::Manhattan];

/// The distances of all pairs, by brute force.
fn distances<A: Element>(samples: &Samples<'_, A>, metric: Metric) -> Array2<f64> {
    let count = samples.len();
    let mut all = Array2::zeros((count, count));
    if count > 1 {
        let finch = Finch::new().metric(metric).search(Search::Brute);
        let found = finch.nearest_neighbors(samples, count - 1, &mut Run::new()).unwrap();
        // Of a zero row and another row, under cosine.
        all.fill(2.0);
        all.diag_mut().fill(0.0);
        for ((row, column), &other) in found.index().indexed_iter() {
            if other != Neighbors::NONE {
                all[(row, other as usize)] = found.distance()[(row, column)];
            }
        }
    }
    all
}

/// The distance of two rows, by the textbook.
fn distance(metric: Metric, x: ArrayView1<'_, f64>, y: ArrayView1<'_, f64>) -> f64 {
    let squares = |x: &Array1<f64>, y: &Array1<f64>| (x - y).mapv(|each| each * each).sum();
    let unit = |x: ArrayView1<'_, f64>| {
        let largest = x.fold(0.0, |largest: f64, value| largest.max(value.abs()));
        let x = x.mapv(|value| value / largest);
        let norm = x.mapv(|value| value * value).sum().sqrt();
        x / norm
    };
    match metric {
        Metric::Euclidean => squares(&x.to_owned(), &y.to_owned()).sqrt(),
        Metric::Manhattan => (&x - &y).mapv(f64::abs).sum(),
        _ => match [x, y].map(|row| row.iter().all(|&value| value == 0.0)) {
            [true, true] => 0.0,
            [false, false] => squares(&unit(x), &unit(y)) / 2.0,
            _ => 2.0,
        },
    }
}

/// The means of dense samples.
fn means_of(description: &Description) -> Array2<f64> {
    match description.means().matrix() {
        Some(AnyMatrix::F64(means)) => means.to_owned(),
        _ => panic!("the means of dense samples are of f64"),
    }
}

/// Medoid and exemplars by their definition.
fn exemplars_by_definition(
    distances: &Array2<f64>,
    members: &[usize],
    weights: &[f64],
    count: usize,
) -> Vec<u32> {
    let sum = |near: &dyn Fn(usize) -> f64| {
        members.iter().map(|&member| weights[member] * near(member)).sum::<f64>()
    };
    let first = |value: &dyn Fn(usize) -> f64| {
        let better = |best: usize, next: usize| if value(next) < value(best) { next } else { best };
        members.iter().copied().reduce(better).unwrap()
    };
    let mut chosen = vec![first(&|i| sum(&|j| distances[(i, j)]))];
    while chosen.len() < count {
        let near =
            |j: usize| chosen.iter().map(|&i| distances[(i, j)]).fold(f64::INFINITY, f64::min);
        // Lowered sums, negative, so that the least is best.
        let lowered = |i: usize| -sum(&|j| f64::max(near(j) - distances[(i, j)], 0.0));
        let next = first(&lowered);
        if lowered(next) == 0.0 {
            break;
        }
        chosen.push(next);
    }
    chosen.into_iter().map(|sample| sample as u32).collect()
}

fn close(found: f64, expected: f64) -> bool {
    (found - expected).abs() <= 1e-9 * (1.0 + found.abs().min(expected.abs()))
}

/// Compares a description with its definition, for clusters that are not sampled.
fn expect_defined<A: Element>(
    matrix: &Array2<A>,
    partition: &Partition,
    metric: Metric,
    weights: Option<&[f64]>,
    context: &str,
) {
    let samples = Samples::new(matrix.view()).unwrap();
    let describe = Describe::new(4);
    let describe = weights.map_or(describe, |weights| describe.weights(weights));
    let found = describe.run(&samples, partition, metric, &mut Run::new()).unwrap();
    let ones = vec![1.0; samples.len()];
    let weight = weights.unwrap_or(&ones);
    let rows = matrix.mapv(|value| value.to_f64());
    let largest = rows.fold(0.0, |largest: f64, value| largest.max(value.abs()));
    let all = distances(&samples, metric);
    let members: Vec<Vec<usize>> = (0..partition.clusters())
        .map(|c| (0..samples.len()).filter(|&i| partition.labels()[i] as usize == c).collect())
        .collect();
    assert_eq!(found.sampled, vec![false; members.len()]);
    let means = means_of(&found);
    if weights.is_none() {
        let expected = partition.means(&samples).unwrap().mapv(|mean| mean.to_f64());
        assert_eq!(means, expected, "{context}");
    }
    for (cluster, members) in members.iter().enumerate() {
        let context = format!("{context}, cluster {cluster}, {metric:?}");
        let size: f64 = members.iter().map(|&i| weight[i]).sum();
        assert_eq!(found.sizes[cluster], size, "{context}");
        let mean = means.row(cluster);
        let sum = members.iter().fold(Array1::zeros(rows.ncols()), |sum: Array1<f64>, &i| {
            sum + rows.row(i).mapv(|value| weight[i] * value)
        });
        for (&found, &sum) in mean.iter().zip(&sum) {
            let rounded = 1e-6 * (1.0 + found.abs());
            assert!((found - sum / size).abs() <= rounded, "{context}: {found}");
        }
        let defined = exemplars_by_definition(&all, members, weight, 4);
        assert_eq!(found.exemplars[cluster], defined, "{context}");
        assert_eq!(found.medoids[cluster], defined[0], "{context}");

        let own = |i: usize| distance(metric, rows.row(i), mean);
        let power = if metric == Metric::Euclidean { 2 } else { 1 };
        let scatter: f64 = members.iter().map(|&i| weight[i] * own(i).powi(power)).sum();
        let spread = (scatter / size).powf(1.0 / f64::from(power));
        assert!(
            close(found.spreads[cluster], spread),
            "{context}: {} {spread}",
            found.spreads[cluster]
        );
        // What rounding leaves of the difference between a mean and equal rows.
        let scale = if metric == Metric::Cosine { 1.0 } else { largest };
        let mut rounded = false;
        let mut silhouette = 0.0;
        for &i in members {
            let others = (0..partition.clusters()).filter(|&other| other != cluster);
            let others = others.map(|other| distance(metric, rows.row(i), means.row(other)));
            let (a, b) = (own(i), others.fold(f64::INFINITY, f64::min));
            let none = b.is_infinite() || (members.len() == 1 && weight[i] <= 1.0);
            rounded |= a.max(b) < 1e-12 * scale;
            silhouette +=
                if none || a.max(b) == 0.0 { 0.0 } else { weight[i] * (b - a) / a.max(b) };
        }
        let of_cluster = found.silhouettes[cluster];
        let silhouette = silhouette / size;
        let agree = (of_cluster - silhouette).abs() < 1e-6;
        assert!(agree || rounded, "{context}: {of_cluster} {silhouette}");
        assert!((-1.0..=1.0).contains(&of_cluster), "{context}");
    }
}

fn partitions(samples: usize) -> Vec<Partition> {
    let labels = |label: fn(usize) -> usize| -> Vec<usize> { (0..samples).map(label).collect() };
    [labels(|_| 0), labels(|i| i), labels(|i| i % 5), labels(|i| i * i % 7 / 2), labels(|i| i / 20)]
        .iter()
        .map(|labels| Partition::new(labels).unwrap())
        .collect()
}

#[test]
fn clusters_are_described_as_defined() {
    for (rows, columns) in [(1, 2), (2, 1), (60, 3), (41, 12)] {
        for (name, matrix) in inputs(rows, columns) {
            let Ok(_) = Samples::new(matrix.view()) else { continue };
            for partition in partitions(rows) {
                for metric in METRICS {
                    expect_defined(&matrix, &partition, metric, None, &name);
                }
            }
        }
    }
}

#[test]
fn all_element_types_and_weights() {
    let mut random = Random(5);
    let bytes = Array2::from_shape_fn((70, 4), |_| random.below(256) as u8);
    let singles = Array2::from_shape_fn((70, 4), |_| random.uniform() as f32);
    let doubles = Array2::from_shape_fn((70, 4), |_| random.uniform() - 0.5);
    let weights: Vec<f64> = (0..70).map(|_| 0.25 + 3.0 * random.uniform()).collect();
    for partition in partitions(70) {
        for metric in METRICS {
            for weights in [None, Some(&weights[..])] {
                expect_defined(&bytes, &partition, metric, weights, "u8");
                expect_defined(&singles, &partition, metric, weights, "f32");
                expect_defined(&doubles, &partition, metric, weights, "f64");
            }
        }
    }
}

fn describe(matrix: &Array2<f64>, partition: &Partition, run: &mut Run<'_>) -> Description {
    let samples = Samples::new(matrix.view()).unwrap();
    Describe::new(3).run(&samples, partition, Metric::Euclidean, run).unwrap()
}

/// Whole weights are repeated rows.
#[test]
fn weights_repeat_rows() {
    let mut random = Random(8);
    let matrix = Array2::from_shape_fn((90, 3), |_| random.uniform());
    let counts: Vec<usize> = (0..90).map(|_| 1 + random.below(4)).collect();
    let labels: Vec<usize> = (0..90).map(|i| if i < 3 { 9 + i } else { i % 3 }).collect();
    let of: Vec<usize> = (0..90).flat_map(|i| vec![i; counts[i]]).collect();
    let repeated = matrix.select(Axis(0), &of);
    let of_repeated: Vec<usize> = of.iter().map(|&i| labels[i]).collect();
    let repeated = describe(&repeated, &Partition::new(&of_repeated).unwrap(), &mut Run::new());
    let weights: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
    let samples = Samples::new(matrix.view()).unwrap();
    let partition = Partition::new(&labels).unwrap();
    let weighted = Describe::new(3).weights(&weights);
    let weighted = weighted.run(&samples, &partition, Metric::Euclidean, &mut Run::new()).unwrap();
    assert_eq!(weighted.sizes, repeated.sizes);
    let original = |&sample: &u32| of[sample as usize] as u32;
    let medoids: Vec<u32> = repeated.medoids.iter().map(original).collect();
    assert_eq!(weighted.medoids, medoids);
    for cluster in 0..partition.clusters() {
        let exemplars: Vec<u32> = repeated.exemplars[cluster].iter().map(original).collect();
        assert_eq!(weighted.exemplars[cluster], exemplars);
        assert!(close(weighted.spreads[cluster], repeated.spreads[cluster]));
        assert!(close(weighted.silhouettes[cluster], repeated.silhouettes[cluster]));
    }
    assert!((&means_of(&weighted) - &means_of(&repeated)).iter().all(|off| off.abs() < 1e-12));
}

/// Two clusters, of 1,500 and of 120 samples.
fn large() -> (Array2<f64>, Partition) {
    let mut random = Random(1);
    let matrix = Array2::from_shape_fn((1_620, 5), |(row, _)| {
        let value: f64 = (0..4).map(|_| random.uniform()).sum();
        value + if row % 27 < 2 { 9.0 } else { 0.0 }
    });
    let labels: Vec<bool> = (0..1_620).map(|row| row % 27 < 2).collect();
    (matrix, Partition::new(&labels).unwrap())
}

#[test]
fn medoids_of_large_clusters_are_nearly_the_best() {
    let (matrix, partition) = large();
    let found = describe(&matrix, &partition, &mut Run::new());
    assert_eq!((&found.sampled[..], &found.sizes[..]), (&[false, true][..], &[120.0, 1_500.0][..]));
    let samples = Samples::new(matrix.view()).unwrap();
    let row = |i: usize| matrix.row(i);
    let pairs = |(i, j)| distance(Metric::Euclidean, row(i), row(j));
    let all = Array2::from_shape_fn((1_620, 1_620), pairs);
    let members: Vec<usize> = (0..1_620).filter(|&i| partition.labels()[i] == 1).collect();
    let sum = |i: usize| members.iter().map(|&j| all[(i, j)]).sum::<f64>();
    let least = members.iter().map(|&i| sum(i)).fold(f64::INFINITY, f64::min);
    let medoid = found.medoids[1] as usize;
    assert!(sum(medoid) <= 1.001 * least, "{} and {least}", sum(medoid));

    // Exemplars lower the sum nearly as far as those that all samples would be asked for.
    let cost = |exemplars: &[u32]| {
        let near = |&j: &usize| {
            let each = exemplars.iter().map(|&i| all[(i as usize, j)]);
            each.fold(f64::INFINITY, f64::min)
        };
        members.iter().map(near).sum::<f64>()
    };
    let exemplars = &found.exemplars[1];
    assert_eq!((exemplars.len(), exemplars[0]), (3, found.medoids[1]));
    let defined = exemplars_by_definition(&all, &members, &vec![1.0; 1_620], 3);
    assert!(cost(exemplars) <= 1.02 * cost(&defined), "{} {}", cost(exemplars), cost(&defined));

    let other = Describe::new(3).seed(1);
    let other = other.run(&samples, &partition, Metric::Euclidean, &mut Run::new()).unwrap();
    assert_ne!(other.exemplars[1], found.exemplars[1], "another seed draws others");
    assert_eq!(other.exemplars[0], found.exemplars[0]);
}

#[test]
fn neither_threads_nor_layout_show() {
    let (matrix, partition) = large();
    let expected = describe(&matrix, &partition, &mut Run::new().threads(1));
    let mut columns = Array2::zeros(matrix.raw_dim().f());
    columns.assign(&matrix);
    let wide = concatenate(Axis(1), &[matrix.view(), matrix.view()]).unwrap();
    for threads in [2, 5] {
        let run = &mut Run::new().threads(threads);
        assert_eq!(describe(&matrix, &partition, run), expected);
        assert_eq!(describe(&columns, &partition, run), expected);
        let samples = Samples::new(wide.slice(s![.., 5..])).unwrap();
        let found = Describe::new(3).run(&samples, &partition, Metric::Euclidean, run).unwrap();
        assert_eq!(found, expected);
    }
}

/// By the definition, and in sum the modularity of a directed graph.
#[test]
fn modularities_count_links_beyond_chance() {
    let mut random = Random(21);
    let matrix = Array2::from_shape_fn((60, 2), |_| random.uniform());
    let samples = Samples::new(matrix.view()).unwrap();
    let weights: Vec<f64> = (0..60).map(|_| 0.25 + 3.0 * random.uniform()).collect();
    let found = Finch::new().nearest_neighbors(&samples, 4, &mut Run::new()).unwrap();
    let mut index = found.index().to_owned();
    (index[(7, 1)], index[(8, 2)]) = (u32::MAX, 8);
    for partition in partitions(60) {
        for weights in [None, Some(&weights[..])] {
            let mut links = Array2::<f64>::zeros((60, 60));
            for ((row, _), &other) in index.indexed_iter() {
                if other != u32::MAX && other as usize != row {
                    links[(row, other as usize)] = weights.map_or(1.0, |weights| weights[row]);
                }
            }
            let describe = Describe::new(0).neighbors(index.view());
            let describe = weights.map_or(describe, |weights| describe.weights(weights));
            let found = describe.run(&samples, &partition, Metric::Euclidean, &mut Run::new());
            let found = found.unwrap().modularities.unwrap();
            let (from, to) = (links.sum_axis(Axis(1)), links.sum_axis(Axis(0)));
            let (all, of) = (links.sum(), |i: usize| partition.labels()[i] as usize);
            let mut directed = 0.0;
            for ((i, j), link) in links.indexed_iter().filter(|((i, j), _)| of(*i) == of(*j)) {
                directed += (link - from[i] * to[j] / all) / all;
            }
            let mut weighed = 0.0;
            for (cluster, &share) in found.iter().enumerate() {
                let within = |(i, j): (usize, usize)| of(i) == cluster && of(j) == cluster;
                let sum = |of: &dyn Fn(usize, usize) -> bool| -> f64 {
                    links
                        .indexed_iter()
                        .filter(|((i, j), _)| of(*i, *j))
                        .map(|(_, link)| link)
                        .sum()
                };
                let leaving = sum(&|i, _| of(i) == cluster);
                let expected =
                    sum(&|i, j| within((i, j))) / leaving - sum(&|_, j| of(j) == cluster) / all;
                assert!(close(share, expected) && (-1.0..1.0).contains(&share));
                weighed += share * leaving / all;
            }
            assert!(close(weighed, directed));
        }
    }
    let none = Array2::zeros((60, 0));
    let describe = Describe::new(0).neighbors(none.view());
    let run = &mut Run::new();
    let found = describe.run(&samples, &partitions(60)[2], Metric::Euclidean, run).unwrap();
    assert_eq!(found.modularities, Some(vec![0.0; 5]));
}

#[test]
fn exemplars_are_as_many_as_there_are() {
    let matrix = ndarray::array![[1.0], [1.0], [1.0], [2.0], [7.0]];
    let samples = Samples::new(matrix.view()).unwrap();
    let partition = Partition::new(&[0, 0, 0, 0, 1]).unwrap();
    let exemplars = |count: usize| {
        let describe = Describe::new(count);
        let found = describe.run(&samples, &partition, Metric::Euclidean, &mut Run::new()).unwrap();
        assert_eq!(found.medoids, [0, 4]);
        found.exemplars
    };
    assert_eq!(exemplars(0), [[0; 0], [0; 0]]);
    assert_eq!(exemplars(1), [[0], [4]]);
    assert_eq!(exemplars(2), [vec![0, 3], vec![4]]);
    assert_eq!(exemplars(usize::MAX), [vec![0, 3], vec![4]]);
}

#[test]
fn what_is_refused() {
    let (matrix, partition) = large();
    let samples = Samples::new(matrix.view()).unwrap();
    let refused = |describe: Describe<'_>, partition: &Partition| {
        describe.run(&samples, partition, Metric::Euclidean, &mut Run::new()).unwrap_err()
    };
    let few = Partition::new(&[0, 1, 1]).unwrap();
    let count = |expected, found| Error::SampleCount { expected, found };
    assert_eq!(refused(Describe::new(1), &few), count(3, 1_620));
    assert_eq!(refused(Describe::new(1).weights(&[1.0; 3]), &partition), count(1_620, 3));
    let table = Array2::from_elem((1_620, 2), 1_620);
    let (row, column, neighbor, reason) = (0, 0, 1_620, "is no sample: count samples from 0");
    let no_sample = Error::InvalidNeighborAt { row, column, neighbor, reason };
    assert_eq!(refused(Describe::new(1).neighbors(table.view()), &partition), no_sample);
    let short = table.slice(s![..9, ..]);
    assert_eq!(refused(Describe::new(1).neighbors(short), &partition), count(1_620, 9));
    for weight in [0.0, -1.0, f64::INFINITY, 1e-101, 1e16] {
        let mut weights = vec![1.0; 1_620];
        weights[17] = weight;
        let found = refused(Describe::new(1).weights(&weights), &partition);
        assert_eq!(found, Error::InvalidWeight { sample: 17, weight });
    }
    let nan = vec![f64::NAN; 1_620];
    let found = refused(Describe::new(1).weights(&nan), &partition);
    assert!(matches!(found, Error::InvalidWeight { sample: 0, .. }));
}

#[test]
fn describing_tells_and_stops() {
    let (matrix, partition) = large();
    let samples = Samples::new(matrix.view()).unwrap();
    for threads in [1, 2] {
        let mut told = Vec::new();
        let mut run = Run::new().threads(threads).progress(|progress| {
            assert_eq!(progress.stage, Stage::Describe);
            told.push(progress.fraction);
            std::ops::ControlFlow::Continue(())
        });
        Describe::new(2).run(&samples, &partition, Metric::Manhattan, &mut run).unwrap();
        drop(run);
        assert_eq!((told[0], told[told.len() - 1]), (0.0, 1.0));
        assert!(told.is_sorted());
        for calls in [0, 1] {
            let mut run = Run::new().threads(threads).progress(stop_after(calls));
            let stopped = Describe::new(2).run(&samples, &partition, Metric::Cosine, &mut run);
            assert_eq!(stopped, Err(Error::Cancelled), "{threads} threads, {calls} calls");
        }
    }
}
