//! Samples that are added to a hierarchy: the result is that of clustering all samples at once.

use finch_core::{Element, Error, Finch, LinkBound, Linkage, Metric, Reason, Run, Samples, Search};
use ndarray::{Array2, ArrayView2, s};

fn noise(number: usize) -> f64 {
    let mut state = number as u64 ^ 0x9E37_79B9_7F4A_7C15;
    for _ in 0..3 {
        state ^= state >> 31;
        state = state.wrapping_mul(0xBF58_476D_1CE4_E5B9);
    }
    (state >> 11) as f64 / (1_u64 << 53) as f64 - 0.5
}

/// Extends a hierarchy of the first samples by the others, and clusters all anew.
fn check<A: Element>(matrix: ArrayView2<'_, A>, first: usize, finch: Finch, context: &str) {
    let before = Samples::new(matrix.slice(s![..first, ..])).unwrap();
    let all = Samples::new(matrix).unwrap();
    for threads in [1, 3] {
        let mut run = Run::new().threads(threads);
        let hierarchy = finch.fit_with(&before, &mut run).unwrap();
        let extended = finch.extend(&hierarchy, &all, &mut run).unwrap();
        let anew = finch.fit_with(&all, &mut run).unwrap();
        assert_eq!(extended, anew, "{context}, {first} samples first, {threads} threads");
    }
}

#[test]
fn extending_is_clustering_anew() {
    const SAMPLES: usize = 700;
    let spread = |i: usize, j: usize| (i % 7) as f64 * 3.0 + noise(i * 131 + j);
    let tied = |i: usize, j: usize| ((i * i + 3 * j * i) % 5) as f64;
    let repeated = |i: usize, j: usize| noise(i % 40 * 131 + j);
    let equal = |_: usize, j: usize| j as f64;
    let zeros = |i: usize, j: usize| if i.is_multiple_of(9) { 0.0 } else { noise(i * 131 + j) };
    let far = |i: usize, j: usize| noise(i * 131 + j) + (i % 3) as f64 * 1e6;
    type Value<'a> = &'a dyn Fn(usize, usize) -> f64;
    let kinds: [(&str, Value<'_>); 6] = [
        ("spread", &spread),
        ("tied", &tied),
        ("repeated", &repeated),
        ("equal", &equal),
        ("zeros", &zeros),
        ("far", &far),
    ];
    for (kind, value) in kinds {
        for features in [1, 3, 20] {
            let matrix = Array2::from_shape_fn((SAMPLES, features), |(i, j)| value(i, j));
            for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
                let finch = Finch::new().metric(metric);
                for search in [Search::Auto, Search::Blocked] {
                    for first in [1, 2, 350, 693, 700] {
                        let context = format!("{kind} of {features}, {metric:?}, {search:?}");
                        check(matrix.view(), first, finch.search(search), &context);
                    }
                }
                let kept = finch.search(Search::Blocked).refinable(Linkage::Neighbor);
                check(matrix.view(), 690, kept, kind);
                check(matrix.view(), 400, finch.keep_neighbors(5), kind);
                check(matrix.mapv(|value| value as f32).view(), 600, finch, kind);
                let bytes = matrix.mapv(|value| value as u8);
                let bounded = finch.link_bound(LinkBound::FirstNeighbor);
                check(bytes.t().as_standard_layout().t(), 600, bounded, kind);
            }
        }
    }
}

#[test]
fn main_axes_serve_new_samples() {
    // An intrinsic dimension of twelve in 60 features.
    let value = |i: usize, j: usize| -> f64 {
        let axes = (0..12).map(|axis| noise(i * 12 + axis) * noise(axis * 60 + j + 9_000_000));
        axes.sum::<f64>() * 10.0 + 0.01 * noise(i * 60 + j + 5_000_000)
    };
    let matrix = Array2::from_shape_fn((3_000, 60), |(i, j)| value(i, j) as f32);
    for metric in [Metric::Euclidean, Metric::Cosine] {
        let finch = Finch::new().metric(metric).search(Search::Projected);
        check(matrix.view(), 2_600, finch, "projected");
        let samples = Samples::new(matrix.view()).unwrap();
        let before = Samples::new(matrix.slice(s![..2_600, ..])).unwrap();
        let hierarchy = finch.fit(&before).unwrap();
        let extended = finch.extend(&hierarchy, &samples, &mut Run::new()).unwrap();
        let choice = extended.first_neighbors().choice().unwrap();
        assert_eq!((choice.search, choice.reason), (Search::Projected, Reason::Extended));
        assert!(choice.exact());
    }
}

#[test]
fn what_an_approximate_search_missed_is_told() {
    let matrix = Array2::from_shape_fn((6_000, 24), |(i, j)| noise(i * 24 + j));
    let all = Samples::new(matrix.view()).unwrap();
    let before = Samples::new(matrix.slice(s![..5_900, ..])).unwrap();
    let finch = Finch::new().search(Search::Approximate).recall(0.5);
    let hierarchy = finch.fit(&before).unwrap();
    let extended = Finch::new().extend(&hierarchy, &all, &mut Run::new()).unwrap();
    let [old, new] = [&hierarchy, &extended].map(|h| h.first_neighbors().choice().unwrap());
    assert_eq!((new.search, new.recall), (Search::Approximate, old.recall));
    // New samples have their true neighbours.
    let exact = Finch::new().search(Search::Blocked).fit(&all).unwrap();
    let [found, exact] = [&extended, &exact].map(|h| &h.first_neighbors().index()[5_900..]);
    assert_eq!(found, exact);
}

#[test]
fn other_samples_are_refused() {
    let matrix = Array2::from_shape_fn((30, 3), |(i, j)| noise(i * 3 + j));
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = Finch::new().fit(&samples).unwrap();
    let extend = |matrix: ArrayView2<'_, f64>| {
        let samples = Samples::new(matrix).unwrap();
        Finch::new().extend(&hierarchy, &samples, &mut Run::new()).unwrap_err()
    };
    let fewer = extend(matrix.slice(s![..29, ..]));
    assert_eq!(fewer, Error::SampleCount { expected: 30, found: 29 });
    let narrower = extend(matrix.slice(s![.., ..2]));
    assert_eq!(narrower, Error::FeatureCount { expected: 3, found: 2 });
}

#[test]
fn weights_are_extended() {
    let value = |i: usize, j: usize| (i % 7) as f64 * 3.0 + noise(i * 131 + j);
    let matrix = Array2::from_shape_fn((500, 3), |(i, j)| value(i, j));
    let weights: Vec<f64> =
        (0..500).map(|i| if i < 450 { (1 + i % 3) as f64 } else { 1.0 }).collect();
    let before = Samples::new(matrix.slice(s![..450, ..])).unwrap();
    let all = Samples::new(matrix.view()).unwrap();
    let (finch, run) = (Finch::new().refinable(Linkage::Neighbor), &mut Run::new());
    let hierarchy = finch.fit_weighted(&before, &weights[..450], run).unwrap();
    let anew = finch.fit_weighted(&all, &weights, run).unwrap();
    assert_eq!(finch.extend(&hierarchy, &all, run).unwrap(), anew);
    assert_eq!(finch.extend_weighted(&hierarchy, &all, &weights, run).unwrap(), anew);
    let short = finch.extend_weighted(&hierarchy, &all, &weights[1..], run).unwrap_err();
    assert_eq!(short, Error::SampleCount { expected: 500, found: 499 });
}
