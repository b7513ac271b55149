//! Few queries are found as by brute force, whatever the data, the type, the metric and the lists.

use ndarray::Array2;

use super::*;
use crate::neighbors::exact::brute;
use crate::neighbors::lists::{KNearest, OtherLabel};
use crate::samples::bits::BitSamples;
use crate::samples::element::{AnyMatrix, Element};
use crate::samples::metric::Metric;
use crate::support::memory::filled;
use crate::support::random::scrambled;

fn noise(number: usize) -> f64 {
    (scrambled(number as u64) >> 11) as f64 / 2f64.powi(52) - 1.0
}

/// Noise, a grid full of ties, repeated rows, zero rows, multiples of others, near each other and far from the origin,
/// and of any size.
fn value(kind: &str, features: usize, row: usize, feature: usize) -> f64 {
    let value = noise(row * features + feature);
    match kind {
        "noise" => value,
        "grid" => (value * 2.0).round(),
        "repeated" => noise(row % 7 * features + feature),
        "zeros" if row.is_multiple_of(3) => 0.0,
        "zeros" => value,
        "multiples" => noise(row % 3 * features + feature) * (1 + row % 5) as f64,
        "near" => 1e3 + noise(row % 4 * features + feature) + 1e-7 * value,
        "huge" => value * 1e139,
        "tiny" => value * 1e-135,
        "mixed" => value * 10f64.powi((row * 37 % 60) as i32 - 30),
        _ => unreachable!("{kind} is a kind"),
    }
}

const KINDS: [&str; 9] =
    ["noise", "grid", "repeated", "zeros", "multiples", "near", "huge", "tiny", "mixed"];

/// Compares the lists of some rows, as queries, with those of brute force.
fn check_rows(queries: &Rows<'_>, base: &Rows<'_>, context: &str) {
    let meter = &Meter::stopped_at_once(false);
    let labels: Vec<u32> = (0..base.len()).map(|row| (row / 2 % 4) as u32).collect();
    for k in [1, 5] {
        let [mut ours, mut expected] = [(); 2].map(|()| filled(Nearest::NONE, k * queries.len()));
        update(KNearest, queries, base, &mut ours, meter);
        brute::update(KNearest, queries, base, &mut expected, meter);
        assert!(ours == expected, "{context}, {k}: {ours:?}, {expected:?}");
    }
    let [mut ours, mut expected] = [(); 2].map(|()| filled(Nearest::NONE, 2 * queries.len()));
    update(OtherLabel(&labels), queries, base, &mut ours, meter);
    brute::update(OtherLabel(&labels), queries, base, &mut expected, meter);
    assert!(ours == expected, "{context}, labels");
}

fn check<A: Element>(base: &Array2<A>, queries: &Array2<A>, metric: Metric, context: &str) {
    let [base, queries] = [base, queries].map(|matrix| Rows::new(A::any(matrix.view()), metric));
    // Behind the base, as new samples, and as rows of the base, which are not their own neighbours.
    for first in [base.len(), 0] {
        let queries = Rows { first, ..queries };
        assert!(serves(&queries, &base));
        check_rows(&queries, &base, &format!("{context}, {metric}, from {first}"));
    }
}

#[test]
fn few_queries_are_found_as_by_brute_force() {
    for kind in KINDS {
        for [rows, count, features] in
            [[40, 1, 1], [33, 7, 9], [300, 3, 64], [70, 5, 131], [9, 2, 2_000]]
        {
            let of = |rows: usize, first: usize| {
                Array2::from_shape_fn((rows, features), |(i, j)| {
                    value(kind, features, i + first, j)
                })
            };
            // Equal to rows of the base, and others.
            let (base, queries) = (of(rows, 0), of(count, rows - count.div_ceil(2)));
            for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
                let context = format!("{kind} of {rows} × {features}");
                check(&base, &queries, metric, &context);
                if !["huge", "tiny"].contains(&kind) {
                    let [base, queries] = [&base, &queries].map(|x| x.mapv(|x| x as f32));
                    check(&base, &queries, metric, &context);
                }
                if !["huge", "tiny", "mixed"].contains(&kind) {
                    let [a, b] = [&base, &queries].map(|x| x.mapv(half::f16::from_f64));
                    check(&a, &b, metric, &context);
                    let [a, b] = [&base, &queries].map(|x| x.mapv(half::bf16::from_f64));
                    check(&a, &b, metric, &context);
                }
                let [a, b] = [&base, &queries].map(|x| x.mapv(|x| (x * 3.0) as i8));
                check(&a, &b, metric, &context);
                let [a, b] = [&base, &queries].map(|x| x.mapv(|x| (x * 100.0).abs() as u8));
                check(&a, &b, metric, &context);
            }
        }
    }
}

/// As bytes, as means between 0 and 1, and packed.
#[test]
fn few_queries_of_bits_are_found_as_by_brute_force() {
    for [rows, count, features] in [[50, 3, 5], [300, 9, 64], [90, 2, 1_001], [2_000, 7, 67]] {
        let value = |i: usize, j: usize| scrambled((i % 40 * features + j) as u64) >> 61;
        let bytes = Array2::from_shape_fn((rows, features), |(i, j)| u8::from(value(i, j) < 3));
        let means = Array2::from_shape_fn((rows, features), |(i, j)| value(i, j) as f32 / 7.0);
        let zeros =
            Array2::from_shape_fn((rows, features), |(i, j)| u8::from(i > 4) * bytes[[i, j]]);
        for metric in [Metric::Hamming, Metric::Jaccard] {
            for bytes in [&bytes, &zeros] {
                let queries = bytes.slice(ndarray::s![..count, ..]).to_owned();
                check(bytes, &queries, metric, "bytes");
            }
            let queries = means.slice(ndarray::s![..count, ..]).to_owned();
            check(&means, &queries, metric, "means");
        }
        // Bits behind the last feature are any.
        let width = features.div_ceil(8);
        let packed = Array2::from_shape_fn((rows, width), |(i, j)| {
            (scrambled((i % 40 * width + j) as u64) >> 7) as u8
        });
        let of_queries = packed.slice(ndarray::s![..count, ..]).to_owned();
        let [base, queries] =
            [&packed, &of_queries].map(|x| BitSamples::new(x.view(), features).unwrap().matrix());
        for metric in
            [Metric::Hamming, Metric::Jaccard, Metric::Euclidean, Metric::Manhattan, Metric::Cosine]
        {
            let [base, queries] =
                [base, queries].map(|bits| Rows::new(AnyMatrix::Bits(bits), metric));
            for first in [rows, 0] {
                let queries = Rows { first, ..queries };
                check_rows(&queries, &base, &format!("{rows} × {features} bits, {metric}"));
            }
        }
    }
}

/// Too many rows for one thread: parts that threads take, of rows far from all others, in groups, and repeated.
#[test]
fn parts_of_any_threads_find_what_brute_force_finds() {
    for kind in ["noise", "grid", "repeated", "zeros"] {
        let matrix = Array2::from_shape_fn((30_000, 70), |(i, j)| value(kind, 70, i, j) as f32);
        let queries = matrix.slice(ndarray::s![20_000..20_003, ..]).mapv(|x| x + 0.01);
        for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
            for threads in [1, 3] {
                let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().unwrap();
                let context = format!("{kind}, {threads} threads");
                pool.install(|| check(&matrix, &queries, metric, &context));
            }
        }
    }
}

/// Lists that other parts of the data have filled.
#[test]
fn rows_of_a_later_part_are_offered_to_the_lists_of_an_earlier_one() {
    let matrix = Array2::from_shape_fn((3_000, 40), |(i, j)| value("grid", 40, i, j) as f32);
    let rows = |part: std::ops::Range<usize>| {
        let first = part.start;
        let part = matrix.slice(ndarray::s![part, ..]);
        Rows { first, ..Rows::new(AnyMatrix::F32(part), Metric::Euclidean) }
    };
    let queries = rows(1_990..2_010);
    let meter = &Meter::stopped_at_once(false);
    let [mut ours, mut expected] = [(); 2].map(|()| filled(Nearest::NONE, 3 * queries.len()));
    for part in [0..2_000, 2_000..3_000] {
        update(KNearest, &queries, &rows(part.clone()), &mut ours, meter);
        brute::update(KNearest, &queries, &rows(part), &mut expected, meter);
    }
    assert_eq!(ours, expected);
}
