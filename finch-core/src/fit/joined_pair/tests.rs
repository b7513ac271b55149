//! Tests of the longest pair.

use std::sync::atomic::{AtomicUsize, Ordering};

use ndarray::Array2;

use super::*;
use crate::hierarchy::link_bound::rounded_up;
use crate::partition::times::weighted;
use crate::samples::Samples;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::samples::sparse::{SparseRows, SparseSamples};
use crate::support::random::scrambled;

/// Rows that count the keys that are asked for.
struct Counted<'a> {
    rows: Rows<'a>,
    keys: AtomicUsize,
}

impl Keyed for Counted<'_> {
    type Row = Vec<f64>;

    fn len(&self) -> usize {
        self.rows.len()
    }

    fn metric(&self) -> Metric {
        self.rows.metric
    }

    fn room(&self) -> Vec<f64> {
        self.rows.room()
    }

    fn load(&self, row: usize, out: &mut Vec<f64>) {
        self.rows.load(row, out);
    }

    fn key(&self, row: &Vec<f64>, other: usize, room: &mut Vec<f64>) -> f64 {
        self.keys.fetch_add(1, Ordering::Relaxed);
        self.rows.key(row, other, room)
    }

    fn key_of_loaded(&self, row: &Vec<f64>, other: &Vec<f64>) -> f64 {
        self.rows.key_of_loaded(row, other)
    }

    fn is_positive(&self, row: &Vec<f64>) -> bool {
        self.rows.is_positive(row)
    }
}

fn noise(number: usize) -> f64 {
    (scrambled(number as u64) >> 40) as f64 / (1 << 24) as f64
}

fn matrix(kind: &str, rows: usize, features: usize) -> Array2<f64> {
    Array2::from_shape_fn((rows, features), |(row, feature)| {
        let value = noise(row * features + feature);
        match kind {
            "noise" => value - 0.5,
            "positive" => value,
            "bits" => f64::from(value < 0.3),
            "ties" => (3.0 * value).floor() - 1.0,
            "axes" if feature == row % features => [1.0, 0.1][row % 2],
            "axes" => 0.0,
            "repeated" => noise(row % 5 * features + feature),
            _ => panic!("{kind}"),
        }
    })
}

/// The links of samples to `hubs` samples, which are linked to one another.
fn links(rows: &impl Keyed, hubs: usize) -> FirstNeighbors {
    let index: Vec<u32> = (0..rows.len())
        .map(|row| if row < hubs { (row + 1) % hubs } else { row * 7 % hubs } as u32)
        .collect();
    let distance = distances(rows, &index);
    FirstNeighbors::new(index, distance, None)
}

fn distances<R: Keyed>(rows: &R, index: &[u32]) -> Vec<f64> {
    let distance = |(row, &other): (usize, &u32)| {
        let [mut one, mut room] = [(); 2].map(|()| rows.room());
        rows.load(row, &mut one);
        rows.metric().finite_distance(rows.key(&one, other as usize, &mut room))
    };
    index.iter().enumerate().map(distance).collect()
}

/// The definition: all pairs.
fn expected<R: Keyed>(rows: &R, links: &FirstNeighbors, times: Option<&[f64]>) -> f64 {
    let index = links.index();
    let mut longest = links.longest();
    let [mut one, mut room] = [(); 2].map(|()| rows.room());
    for i in 0..rows.len() {
        rows.load(i, &mut one);
        for j in (0..i).filter(|&j| index[i] == index[j]) {
            let key = rows.metric().finite(rows.key(&one, j, &mut room));
            let key = match times {
                None => key,
                Some(times) => weighted(rows.metric(), key, (times[i] - times[j]).abs()),
            };
            longest = f64::max(longest, rows.metric().distance(key));
        }
    }
    longest
}

fn found<R: Keyed>(rows: &R, features: usize, links: &FirstNeighbors, threads: usize) -> f64 {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
    let meter = &Meter::stopped_at_once(false);
    pool.install(|| longest(rows, features, links, meter))
}

/// Of small groups and of large ones, which have a tree; of dense rows and of sparse ones.
#[test]
fn the_longest_pair_is_that_of_the_definition() {
    for kind in ["noise", "positive", "bits", "ties", "axes", "repeated"] {
        for (rows, features, hubs) in [(3, 1, 2), (60, 2, 5), (600, 2, 2), (540, 130, 2)] {
            let matrix = matrix(kind, rows, features);
            let samples = Samples::new(matrix.view()).unwrap();
            for &metric in
                Metric::ALL.iter().filter(|metric| !metric.is_of_bits() || kind == "bits")
            {
                let context = format!("{kind}, {metric}, {rows} × {features}");
                let dense = Rows::new(samples, metric);
                let of_dense = links(&dense, hubs);
                let expected = rounded_up(expected(&dense, &of_dense, None));
                for threads in [1, 3] {
                    let found = rounded_up(found(&dense, features, &of_dense, threads));
                    assert_eq!(found, expected, "{context}");
                }
                if !metric.is_of_bits() {
                    let (starts, columns, values) = compressed(&matrix);
                    let sparse =
                        SparseSamples::new(features, &starts[..], &columns[..], &values[..]);
                    let sparse = SparseRows::new(sparse.unwrap(), metric);
                    let found = rounded_up(found(&sparse, features, &of_dense, 2));
                    assert_eq!(found, expected, "sparse, {context}");
                }
            }
        }
    }
}

fn compressed(matrix: &Array2<f64>) -> (Vec<i32>, Vec<i32>, Vec<f64>) {
    let (mut starts, mut columns, mut values) = (vec![0], Vec::new(), Vec::new());
    for row in matrix.outer_iter() {
        for (column, &value) in row.iter().enumerate().filter(|(_, value)| **value != 0.0) {
            columns.push(column as i32);
            values.push(value);
        }
        starts.push(values.len() as i32);
    }
    (starts, columns, values)
}

#[test]
fn the_longest_pair_in_time_is_that_of_the_definition() {
    for kind in ["noise", "bits", "repeated"] {
        for (rows, features, hubs) in [(3, 1, 2), (60, 2, 5), (400, 3, 2)] {
            let matrix = matrix(kind, rows, features);
            let times: Vec<f64> = (0..rows).map(|row| noise(row + 77)).collect();
            for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
                let rows = Rows::new(Samples::new(matrix.view()).unwrap(), metric);
                let mut links = links(&rows, hubs);
                let (index, distance) = links.parts_mut();
                for (row, distance) in distance.iter_mut().enumerate() {
                    *distance *= (times[row] - times[index[row] as usize]).abs();
                }
                let meter = &Meter::stopped_at_once(false);
                let found = longest_in_time(&rows, &times, &links, meter);
                let expected = expected(&rows, &links, Some(&times));
                assert_eq!(rounded_up(found), rounded_up(expected), "{kind}, {metric}");
            }
        }
    }
}

/// 30,000 samples with one first neighbour are 4.5·10⁸ pairs. In a plane; about the first neighbour, at
/// which all others are equally far; on a circle; at the axes, with the first neighbour at the origin; equal.
#[test]
fn a_hub_does_not_cost_all_pairs() {
    const ROWS: usize = 30_000;
    let circle = |row: usize| std::f64::consts::TAU * noise(row);
    /// The name of a kind, its features, and the value of a row and a feature.
    type Kind<'a> = (&'a str, usize, &'a dyn Fn(usize, usize) -> f64);
    let kinds: [Kind<'_>; 5] = [
        ("plane", 2, &|row, feature| noise(2 * row + feature) - 0.5),
        ("space", 3, &|row, feature| (0..6).map(|i| noise(18 * row + 6 * feature + i) - 0.5).sum()),
        ("circle", 2, &|row, feature| [circle(row).cos(), circle(row).sin()][feature]),
        ("axes", 50, &|row, feature| if row % 50 == feature { 0.1 } else { 0.0 }),
        ("equal", 2, &|row, _| f64::from(u8::from(row > 0))),
    ];
    for (kind, features, value) in kinds {
        let matrix = Array2::from_shape_fn((ROWS, features), |(row, feature)| match row {
            0 => 0.0,
            _ => value(row, feature),
        });
        for metric in [Metric::Euclidean, Metric::Manhattan] {
            let rows = Rows::new(Samples::new(matrix.view()).unwrap(), metric);
            let mut index = vec![0; ROWS];
            index[0] = 1;
            let links = FirstNeighbors::new(index.clone(), distances(&rows, &index), None);
            let rows = Counted { rows, keys: AtomicUsize::new(0) };
            let longest = found(&rows, features, &links, 1);
            assert!(longest >= links.longest());
            let keys = rows.keys.into_inner();
            assert!(keys < 200 * ROWS, "{kind}, {metric}: {keys} keys");
        }
    }
}
