//! The measures against scikit-learn, and against their definitions done slowly.
//!
//! The expected values are what this prints (Python 3, numpy 2.4.6, scipy 1.17.1, scikit-learn
//! 1.9.1). ACC, purity and B-cubed are written out here, as scikit-learn has none of these;
//! scikit-learn's measures take the classes first.
//!
//! ```python
//! import numpy as np
//! from scipy.optimize import linear_sum_assignment
//! from sklearn.metrics import adjusted_rand_score, normalized_mutual_info_score as nmi
//! from sklearn.metrics.cluster import contingency_matrix, pair_confusion_matrix
//!
//! def draws(n, seed):
//!     for _ in range(n):
//!         seed = (seed * 6364136223846793005 + 1442695040888963407) % 2**64
//!         yield seed >> 33
//!
//! def score(u, v):
//!     u, v = np.array(u), np.array(v)
//!     table = contingency_matrix(u, v)
//!     (_, split), (mixed, both) = pair_confusion_matrix(u, v)  # apart, together in u
//!     share = lambda a, b: a / b if b else 1.0
//!     U, V = u[:, None] == u, v[:, None] == v
//!     return [nmi(v, u, average_method="geometric"), nmi(v, u),
//!             table[linear_sum_assignment(-table)].sum() / len(u), table.max(1).sum() / len(u),
//!             adjusted_rand_score(v, u),
//!             share(both, both + mixed), share(both, both + split),
//!             ((U & V).sum(1) / U.sum(1)).mean(), ((U & V).sum(1) / V.sum(1)).mean()]
//!
//! x = list(draws(2000, 1))
//! for u, v in [
//!     ([0, 0, 1, 1, 2], [7, 7, 3, 3, 5]),
//!     ([0, 0, 1, 1], [0, 1, 0, 1]),
//!     ([0, 0, 0, 0, 0], [0, 1, 2, 1, 1]),
//!     ([0, 1, 2, 3, 4], [0, 1, 0, 1, 1]),
//!     ([0, 1, 2, 3], [0, 1, 2, 3]),
//!     ([0, 0, 0, 0], [0, 0, 0, 0]),
//!     ([0], [0]),
//!     ([0, 0, 1, 1, 2, 2], [0, 0, 0, 1, 1, 1]),
//!     ([0, 0, 0, 1, 1, 1], [0, 0, 1, 1, 2, 2]),
//!     ([3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9],
//!      [2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4]),
//!     ([0, 2, 1, 0, 0, 1, 2, 2, 1, 0, 2, 1], [0, 3, 1, 0, 2, 1, 3, 3, 1, 0, 0, 2]),
//!     ([a % 7 + 7 * (b % 2) if b % 5 else a % 20 for a, b in zip(x[:1000], x[1000:2000])],
//!      [a % 7 for a in x[:1000]]),
//!     ([a % 60 for a in x[:1000]], [b % 45 for b in x[1000:2000]]),
//! ]:
//!     print(", ".join(f"{value + 0.0:.15g}" for value in score(u, v)))
//!
//! from scipy.sparse import coo_array, diags_array, hstack
//! from scipy.sparse.csgraph import min_weight_full_bipartite_matching
//!
//! x, k = list(draws(600_000, 5)), 60_000
//! v = [a % k for a in x[:300_000]]
//! u = [b % (10 * k) if b % (10 * k) < k else a for a, b in zip(v, x[300_000:])]
//! table = coo_array((np.ones(len(u)), (u, v)), shape=(k, k)).tocsr()
//! table.data = 1000 - table.data
//! alone = diags_array(np.full(k, 1000.0))  # each cluster may stay without a class
//! cost = hstack([table, alone]).tocsr()
//! print(1000 * k - cost[min_weight_full_bipartite_matching(cost)].sum())
//! ```

use finch_core::{Average, Contingency, Error, Scores};
use pathfinding::{kuhn_munkres::kuhn_munkres, matrix::Matrix};

/// `draws` of the script above.
struct Draws(u64);

impl Iterator for Draws {
    type Item = u64;

    fn next(&mut self) -> Option<u64> {
        let product = self.0.wrapping_mul(6364136223846793005);
        self.0 = product.wrapping_add(1442695040888963407);
        Some(self.0 >> 33)
    }
}

impl Draws {
    /// Numbers below `bound`.
    fn labels(&mut self, samples: usize, bound: u64) -> Vec<u64> {
        self.take(samples).map(|x| x % bound).collect()
    }
}

fn table(labels: &[u64], truth: &[u64]) -> Contingency {
    Contingency::new(labels, truth).unwrap()
}

/// In the order of the script's `score`.
fn values(scores: &Scores) -> [f64; 9] {
    [
        scores.nmi,
        scores.nmi_arithmetic,
        scores.accuracy.expect("a matching that takes no time"),
        scores.purity,
        scores.ari,
        scores.pairwise.precision,
        scores.pairwise.recall,
        scores.bcubed.precision,
        scores.bcubed.recall,
    ]
}

#[track_caller]
fn assert_close(found: &[f64], expected: &[f64]) {
    let close = |(a, b): (&f64, &f64)| (a - b).abs() <= 1e-12;
    assert!(
        found.len() == expected.len() && found.iter().zip(expected).all(close),
        "found    {found:?}\nexpected {expected:?}"
    );
}

#[test]
fn scikit_learn_agrees() {
    let x: Vec<u64> = Draws(1).take(2000).collect();
    let noisy = x[..1000].iter().zip(&x[1000..2000]);
    let noisy = noisy.map(|(a, b)| if b % 5 > 0 { a % 7 + 7 * (b % 2) } else { a % 20 });
    let modulo = |x: &[u64], bound| x.iter().map(|x| x % bound).collect::<Vec<u64>>();
    #[rustfmt::skip]
    let cases: [(&[u64], &[u64], [f64; 9]); 13] = [
        (&[0, 0, 1, 1, 2], &[7, 7, 3, 3, 5], [1.0; 9]),
        (&[0, 0, 1, 1], &[0, 1, 0, 1], [0.0, 0.0, 0.5, 0.5, -0.5, 0.0, 0.0, 0.5, 0.5]),
        (&[0, 0, 0, 0, 0], &[0, 1, 2, 1, 1], [0.0, 0.0, 0.6, 0.6, 0.0, 0.3, 1.0, 0.44, 1.0]),
        (&[0, 1, 2, 3, 4], &[0, 1, 0, 1, 1],
            [0.646657297244105, 0.589727521756157, 0.4, 1.0, 0.0, 1.0, 0.0, 1.0, 0.4]),
        (&[0, 1, 2, 3], &[0, 1, 2, 3], [1.0; 9]),
        (&[0, 0, 0, 0], &[0, 0, 0, 0], [1.0; 9]),
        (&[0], &[0], [1.0; 9]),
        (&[0, 0, 1, 1, 2, 2], &[0, 0, 0, 1, 1, 1],
            [0.529540578057562, 0.515803742979389, 0.666666666666667, 0.833333333333333,
             0.242424242424242, 0.666666666666667, 0.333333333333333, 0.833333333333333,
             0.555555555555555]),
        (&[0, 0, 0, 1, 1, 1], &[0, 0, 1, 1, 2, 2],
            [0.529540578057562, 0.515803742979389, 0.666666666666667, 0.666666666666667,
             0.242424242424242, 0.333333333333333, 0.666666666666667, 0.555555555555555,
             0.833333333333333]),
        (&[3, 1, 4, 1, 5, 9, 2, 6, 5, 3, 5, 8, 9, 7, 9],
            &[2, 7, 1, 8, 2, 8, 1, 8, 2, 8, 4, 5, 9, 0, 4],
            [0.698392778382924, 0.697906123829217, 0.533333333333333, 0.666666666666667,
             0.0186915887850467, 0.125, 0.0909090909090909, 0.644444444444444, 0.577777777777778]),
        (&[0, 2, 1, 0, 0, 1, 2, 2, 1, 0, 2, 1], &[0, 3, 1, 0, 2, 1, 3, 3, 1, 0, 0, 2],
            [0.651402645434765, 0.647761868151592, 0.75, 0.75, 0.456273764258555, 0.5,
             0.692307692307692, 0.625, 0.791666666666667]),
        (&noisy.collect::<Vec<_>>(), &modulo(&x[..1000], 7),
            [0.554019289465387, 0.544510084674348, 0.439, 0.829, 0.407019349498831,
             0.751375735858715, 0.329993817446043, 0.723534706632163, 0.334595420635871]),
        (&modulo(&x[..1000], 60), &modulo(&x[1000..2000], 45),
            [0.298126292582543, 0.297931389944911, 0.099, 0.13, -0.000661963166195445,
             0.0217054263565891, 0.01621958827199, 0.0803651655244891, 0.0601477607987526]),
    ];
    for (labels, truth, expected) in cases {
        assert_close(&values(&table(labels, truth).scores().unwrap()), &expected);
    }
}

/// Labellings of every kind: by chance, by chance but alike, few groups and many.
fn random_pairs() -> impl Iterator<Item = (Vec<u64>, Vec<u64>)> {
    let mut draws = Draws(2);
    (0..600).map(move |round| {
        let samples = 1 + draws.next().unwrap() as usize % 40;
        let (bound, other) = (1 + draws.next().unwrap() % 12, 1 + draws.next().unwrap() % 12);
        let truth = draws.labels(samples, bound);
        let mut labels = draws.labels(samples, other);
        for (label, class) in labels.iter_mut().zip(&truth) {
            if draws.next().unwrap() % 4 < round % 5 {
                *label = *class;
            }
        }
        (labels, truth)
    })
}

/// Precision and recall by definition, from every pair of samples: pairwise, then B-cubed.
fn by_definition(labels: &[u64], truth: &[u64]) -> [f64; 4] {
    let samples = labels.len();
    let mut pairs = [0.0; 3];
    let mut bcubed = [0.0; 2];
    for i in 0..samples {
        let mut near = [0.0; 3];
        for j in 0..samples {
            let (u, v) = (labels[i] == labels[j], truth[i] == truth[j]);
            for (k, holds) in [u && v, u, v].into_iter().enumerate() {
                near[k] += f64::from(holds);
                pairs[k] += f64::from(holds && i < j);
            }
        }
        bcubed[0] += near[0] / near[1] / samples as f64;
        bcubed[1] += near[0] / near[2] / samples as f64;
    }
    let share = |whole| if whole == 0.0 { 1.0 } else { pairs[0] / whole };
    [share(pairs[1]), share(pairs[2]), bcubed[0], bcubed[1]]
}

/// The most samples that a matching covers, from the whole dense table.
fn dense_matching(labels: &[u64], truth: &[u64]) -> i64 {
    let side = 1 + labels.iter().chain(truth).max().unwrap();
    let mut counts = Matrix::new_square(side as usize, 0);
    for (&label, &class) in labels.iter().zip(truth) {
        counts[(label as usize, class as usize)] += 1;
    }
    kuhn_munkres(&counts).0
}

/// The most samples that a matching covers, by trying every matching from `row` on.
fn tried_matching(counts: &[[i64; 6]; 6], row: usize, used: &mut [bool; 6]) -> i64 {
    let mut best = 0;
    for column in 0..6 {
        if row < 6 && !used[column] {
            used[column] = true;
            best = best.max(counts[row][column] + tried_matching(counts, row + 1, used));
            used[column] = false;
        }
    }
    best
}

#[test]
fn definitions_agree() {
    for (labels, truth) in random_pairs() {
        let found = values(&table(&labels, &truth).scores().unwrap());
        assert_close(&found[5..], &by_definition(&labels, &truth));
        let matched = dense_matching(&labels, &truth) as f64 / labels.len() as f64;
        assert_eq!(found[2], matched, "{labels:?} {truth:?}");
    }
}

#[test]
fn accuracy_is_the_best_of_all_matchings() {
    let mut draws = Draws(3);
    for round in 0..300 {
        let samples = 6 + round as usize / 5;
        let (labels, truth) = (draws.labels(samples, 6), draws.labels(samples, 1 + round % 6));
        let mut counts = [[0; 6]; 6];
        for (&label, &class) in labels.iter().zip(&truth) {
            counts[label as usize][class as usize] += 1;
        }
        let best = tried_matching(&counts, 0, &mut [false; 6]) as f64 / samples as f64;
        assert_eq!(table(&labels, &truth).accuracy(), Ok(Some(best)), "{counts:?}");
    }
}

/// More clusters than classes and the reverse, sparse and full, with ties everywhere or hardly any.
#[test]
fn accuracy_of_large_tables_is_that_of_the_dense_table() {
    let mut draws = Draws(4);
    for (samples, clusters, classes) in [
        (200, 150, 5),
        (900, 300, 9),
        (3000, 300, 9),
        (3000, 40, 45),
        (500, 9, 300),
        (300, 200, 200),
        (4000, 120, 120),
    ] {
        for _ in 0..5 {
            let (labels, truth) = (draws.labels(samples, clusters), draws.labels(samples, classes));
            let expected = dense_matching(&labels, &truth) as f64 / samples as f64;
            assert_eq!(table(&labels, &truth).accuracy(), Ok(Some(expected)));
        }
    }
}

#[test]
fn accuracy_needs_no_dense_table_where_labellings_are_alike() {
    let samples = 300_000;
    let each: Vec<u64> = (0..samples).collect();
    let halves: Vec<u64> = each.iter().map(|i| i / 2).collect();
    let crossed: Vec<u64> = each.iter().map(|i| i / 4 * 2 + i % 2).collect();
    assert_eq!(table(&each, &each).accuracy(), Ok(Some(1.0)));
    assert_eq!(table(&each, &halves).accuracy(), Ok(Some(0.5)));
    assert_eq!(table(&halves, &each).accuracy(), Ok(Some(0.5)));
    // Two clusters and two classes of two samples each, that share one sample at every crossing.
    assert_eq!(table(&halves, &crossed).accuracy(), Ok(Some(0.5)));
    // A tenth of the samples are elsewhere, which connects nearly all of the 60,000 groups. The
    // expected count is that of the last lines of the script.
    let mut draws = Draws(5);
    let truth = draws.labels(300_000, 60_000);
    let moved = draws.labels(300_000, 600_000);
    let labels: Vec<u64> = truth
        .iter()
        .zip(&moved)
        .map(|(&class, &to)| if to < 60_000 { to } else { class })
        .collect();
    assert_eq!(table(&labels, &truth).accuracy(), Ok(Some(269_997.0 / 300_000.0)));
}

#[test]
fn names_and_order_of_labels_do_not_matter() {
    for (labels, truth) in random_pairs() {
        let scores = table(&labels, &truth).scores().unwrap();
        let renamed: Vec<String> = labels.iter().map(|u| format!("{}", 7 * u % 13)).collect();
        let reversed: Vec<i8> = truth.iter().map(|&v| -(v as i8)).collect();
        assert_eq!(Contingency::new(&renamed, &reversed).unwrap().scores().unwrap(), scores);

        let backwards = |labels: &[u64]| labels.iter().rev().copied().collect::<Vec<_>>();
        let back = table(&backwards(&labels), &backwards(&truth)).scores().unwrap();
        assert_close(&values(&back), &values(&scores));
    }
}

#[test]
fn symmetries_and_bounds_hold() {
    for (labels, truth) in random_pairs() {
        let (one, other) =
            (table(&labels, &truth).scores().unwrap(), table(&truth, &labels).scores().unwrap());
        let [nmi, arithmetic, accuracy, purity, ari, p, r, bp, br] = values(&one);
        let swapped = values(&other);
        assert_close(
            &[nmi, arithmetic, accuracy, ari],
            &[swapped[0], swapped[1], swapped[2], swapped[4]],
        );
        assert_close(&[p, r, bp, br], &[swapped[6], swapped[5], swapped[8], swapped[7]]);
        let fractions = [nmi, arithmetic, accuracy, purity, p, r, bp, br];
        assert!(fractions.iter().all(|x| (0.0..=1.0).contains(x)), "{one:?}");
        assert!((-0.5..=1.0).contains(&ari) && accuracy <= purity, "{one:?}");
        // The geometric mean is the smaller one.
        assert!(arithmetic <= nmi + 1e-12, "{one:?}");
        assert_eq!(values(&table(&labels, &labels).scores().unwrap()), [1.0; 9]);
    }
}

#[test]
fn f_is_the_harmonic_mean() {
    let table = table(&[0, 0, 0, 0, 0], &[0, 1, 2, 1, 1]);
    assert_close(&[table.pairwise().f(), table.bcubed().f()], &[0.6 / 1.3, 0.88 / 1.44]);
    let apart = Contingency::new(&[0, 0, 1, 1], &[0, 1, 0, 1]).unwrap();
    assert_eq!(apart.pairwise().f(), 0.0);
}

#[test]
fn sizes_and_averages() {
    let table = Contingency::new(&["x", "y", "x"], &[Some(1), None, Some(2)]).unwrap();
    assert_eq!((table.clusters(), table.classes(), table.samples()), (2, 3, 3));
    assert_eq!(table.scores().unwrap().nmi, table.nmi(Average::Geometric));
    assert_eq!(table.scores().unwrap().nmi_arithmetic, table.nmi(Average::Arithmetic));
}

#[test]
fn labellings_must_describe_the_same_samples() {
    let error = Contingency::new(&[0, 1, 2], &[0, 1]).unwrap_err();
    assert_eq!(error, Error::SampleCount { expected: 3, found: 2 });
    assert_eq!(Contingency::new::<u8, u8>(&[], &[]).unwrap_err(), Error::NoSamples);
}

/// The expected counts are those of SciPy's `min_weight_full_bipartite_matching` on the table and a column
/// of its own for each cluster.
#[test]
fn accuracy_of_large_labellings_without_anything_in_common_is_found() {
    let mut draws = Draws(5);
    for (samples, clusters, classes, matched) in
        [(100_000, 2_000, 2_000, 2_822), (200_000, 8_000, 9_000, 8_256)]
    {
        let [labels, truth] = [clusters, classes].map(|groups| draws.labels(samples, groups));
        let expected = f64::from(matched) / samples as f64;
        assert_eq!(table(&labels, &truth).accuracy(), Ok(Some(expected)));
    }
}
