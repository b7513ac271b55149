//! Weights of samples, against rows that are repeated as often: the definition.

use crate::common::{Random, inputs, stop_after};
use finch_core::{
    Average, Contingency, Element, Error, Finch, Hierarchy, LinkBound, Linkage, Metric, Partition,
    Refine, Run, Samples, Search,
};
use ndarray::{Array2, ArrayView2, array};

/// Each row as often as its weight says, one after the other.
struct Repeated<A> {
    matrix: Array2<A>,
    /// The first copy of each row.
    firsts: Vec<usize>,
}

impl<A: Element> Repeated<A> {
    fn of(matrix: ArrayView2<'_, A>, counts: &[usize]) -> Self {
        let rows = || counts.iter().enumerate().flat_map(|(row, &count)| vec![row; count]);
        let rows: Vec<usize> = rows().collect();
        let firsts = counts.iter().scan(0, |end, count| {
            *end += count;
            Some(*end - count)
        });
        Self { matrix: matrix.select(ndarray::Axis(0), &rows), firsts: firsts.collect() }
    }

    /// The partition of the rows, if all copies of each are together.
    fn of_rows(&self, partition: &Partition) -> Option<Partition> {
        let labels = partition.labels();
        let ends = self.firsts[1..].iter().copied().chain([labels.len()]);
        let together = |(&first, end): (&usize, usize)| {
            labels[first..end].iter().all(|label| *label == labels[first])
        };
        let rows = || self.firsts.iter().zip(ends.clone());
        let of_rows =
            || Partition::new(&self.firsts.iter().map(|&row| labels[row]).collect::<Vec<_>>());
        rows().all(together).then(|| of_rows().unwrap())
    }
}

fn bits(values: &[f64]) -> Vec<u64> {
    values.iter().map(|value| value.to_bits()).collect()
}

/// What the tests compare by: everything that comes from samples and weights.
fn assert_same<A: Element<Mean: PartialEq>>(
    finch: &Finch,
    matrix: ArrayView2<'_, A>,
    counts: &[usize],
    context: &str,
) {
    let repeated = Repeated::of(matrix, counts);
    let weights: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
    let all = Samples::new(repeated.matrix.view()).unwrap();
    let samples = Samples::new(matrix).unwrap();
    let expected = finch.fit(&all).unwrap();
    let found = finch.fit_weighted(&samples, &weights, &mut Run::new()).unwrap();
    assert_eq!(found.weights(), Some(&weights[..]));
    assert_eq!(found.first_neighbors(), finch.fit(&samples).unwrap().first_neighbors());
    assert_eq!(found.cluster_counts(), expected.cluster_counts(), "{context}");
    for (found_one, expected_one) in found.partitions().iter().zip(expected.partitions()) {
        assert_eq!(Some(found_one), repeated.of_rows(expected_one).as_ref(), "{context}");
        let means = found.means(found_one, &samples, &mut Run::new()).unwrap();
        assert_eq!(means, expected_one.means(&all).unwrap(), "{context}");
        let sizes: Vec<f64> = expected_one.sizes().iter().map(|&size| size as f64).collect();
        assert_eq!(found.sizes(found_one).unwrap(), sizes, "{context}");
    }
    for linkage in Linkage::ALL.iter().copied() {
        for from in 0..found.partitions().len() {
            let refine = Refine::new(1).linkage(linkage).from(from);
            let [found, expected] = [
                refine.dendrogram(&samples, &found, &mut Run::new()).unwrap(),
                refine.dendrogram(&all, &expected, &mut Run::new()).unwrap(),
            ];
            assert_eq!(found.merges(), expected.merges(), "{context}, {linkage:?} from {from}");
        }
    }
    let finest = found.finest().clusters();
    let mut together = 0;
    for clusters in finest..=samples.len() {
        let split = Refine::new(clusters).run(&samples, &found).unwrap();
        assert_eq!(split.clusters(), clusters);
        let split_of_all = Refine::new(clusters).run(&all, &expected).unwrap();
        if let Some(expected) = repeated.of_rows(&split_of_all) {
            assert_eq!(split, expected, "{context}, split into {clusters}");
            together = clusters;
        }
    }
    assert!(together >= finest);
    let suggested = found.suggest(&samples).unwrap();
    let suggested_of_all = expected.suggest(&all).unwrap();
    assert_eq!(Some(suggested.cut), repeated.of_rows(&suggested_of_all.cut), "{context}");
    assert_eq!(suggested.partition, suggested_of_all.partition, "{context}");
    assert_eq!(bits(&suggested.scores), bits(&suggested_of_all.scores), "{context}");
    assert_eq!(suggested.mixing.to_bits(), suggested_of_all.mixing.to_bits(), "{context}");
    assert_same_outliers(&repeated, (&samples, &found), (&all, &expected), context);
}

/// The outlier score of each copy is that of its sample.
fn assert_same_outliers<A: Element>(
    repeated: &Repeated<A>,
    (samples, found): (&Samples<'_, A>, &Hierarchy),
    (all, expected): (&Samples<'_, A>, &Hierarchy),
    context: &str,
) {
    let found = found.outlier_scores(samples, &mut Run::new()).unwrap();
    let expected = expected.outlier_scores(all, &mut Run::new()).unwrap();
    let sample_of = |copy: usize| repeated.firsts.partition_point(|&first| first <= copy) - 1;
    let of_copies: Vec<f64> = (0..expected.len()).map(|copy| found[sample_of(copy)]).collect();
    assert_eq!(bits(&of_copies), bits(&expected), "{context}, outliers");
}

/// Weights of several kinds: few rows that count more than once, most of them, and all.
fn counts(kind: usize, rows: usize, random: &mut Random) -> Vec<usize> {
    (0..rows)
        .map(|_| match kind % 4 {
            0 => 1 + random.below(2),
            1 => 1 + 7 * usize::from(random.below(9) == 0),
            2 => 2 + random.below(3),
            _ => 1 + random.below(40) * random.below(2),
        })
        .collect()
}

#[test]
fn whole_weights_are_repeated_rows_on_all_kinds_of_input() {
    let random = &mut Random(11);
    for (rows, columns) in [(1, 1), (2, 1), (3, 2), (17, 1), (30, 3), (45, 2)] {
        for (trial, (name, matrix)) in inputs(rows, columns).enumerate() {
            for metric in Metric::OF_NUMBERS.iter().copied() {
                let bound = LinkBound::ALL[(trial + rows) % 2];
                let finch = Finch::new().metric(metric).link_bound(bound);
                let counts = counts(trial + columns, rows, random);
                let context = format!("{name}, {metric:?}, {bound:?}, {counts:?}");
                assert_same(&finch, matrix.view(), &counts, &context);
                let finch = finch.refinable(Linkage::Neighbor);
                assert_same(&finch, matrix.view(), &counts, &context);
            }
        }
    }
}

#[test]
fn whole_weights_are_repeated_rows_of_every_element_type() {
    let random = &mut Random(5);
    for trial in 0..60 {
        let (rows, columns) = (2 + random.below(60), 1 + random.below(4));
        let values = 2 + random.below(12);
        let matrix = Array2::from_shape_simple_fn((rows, columns), || random.below(values) as u8);
        let singles = matrix.mapv(|value| f32::from(value) * 0.37 - 1.3);
        let counts = counts(trial, rows, random);
        for metric in Metric::OF_NUMBERS.iter().copied() {
            let finch = Finch::new().metric(metric).link_bound(LinkBound::ALL[trial % 2]);
            let context = format!("trial {trial}, {metric:?}, {counts:?}");
            assert_same(&finch, matrix.view(), &counts, &context);
            assert_same(&finch, singles.view(), &counts, &context);
        }
    }
}

/// More rows than brute force takes by itself, in more clusters, and by every search.
#[test]
fn whole_weights_are_repeated_rows_by_every_search() {
    let random = &mut Random(2);
    let centers = Array2::from_shape_simple_fn((12, 9), || random.uniform());
    let matrix = Array2::from_shape_fn((420, 9), |(row, column)| {
        centers[[row % 12, column]] + 0.3 * random.uniform()
    });
    let counts = counts(3, 420, random);
    for search in [Search::Auto, Search::Brute, Search::KdTree, Search::Blocked, Search::Projected]
    {
        let finch = Finch::new().search(search).refinable(Linkage::Neighbor);
        assert_same(&finch, matrix.view(), &counts, &format!("{search:?}"));
    }
}

/// A sample far more often than neighbour linkage has neighbours, beside equal rows.
#[test]
fn large_weights_are_repeated_rows() {
    let matrix = array![[0.1, 0.7], [0.3, 0.1], [0.1, 0.7], [5.0, 0.3], [5.1, 0.3], [9.0, 1.0]];
    for metric in Metric::OF_NUMBERS.iter().copied() {
        let finch = Finch::new().metric(metric).search(Search::Blocked);
        assert_same(&finch, matrix.view(), &[3, 1, 3000, 900, 1, 2], &format!("{metric:?}"));
    }
    let zeros = array![[0.0, 0.0], [1.0, 0.2], [0.0, 0.0], [1.0, 0.3], [-1.0, 0.4]];
    let finch = Finch::new().metric(Metric::Cosine);
    for counts in [[500, 1, 3, 1, 1], [1, 2, 300, 1, 9], [1, 1, 1, 1, 2]] {
        assert_same(&finch, zeros.view(), &counts, &format!("{counts:?}"));
    }
}

#[test]
fn a_million_copies() {
    let matrix = array![[0.1], [0.2], [0.7], [0.9], [10.1], [10.2]];
    let counts = [1_000_000, 1, 3, 40_000, 1, 1];
    let repeated = Repeated::of(matrix.view(), &counts);
    let all = Samples::new(repeated.matrix.view()).unwrap();
    let samples = Samples::new(matrix.view()).unwrap();
    let weights = counts.map(|count| count as f64);
    let found = Finch::new().fit_weighted(&samples, &weights, &mut Run::new()).unwrap();
    let expected = Finch::new().fit(&all).unwrap();
    assert_eq!(found.cluster_counts(), expected.cluster_counts());
    for (found_one, expected_one) in found.partitions().iter().zip(expected.partitions()) {
        assert_eq!(Some(found_one), repeated.of_rows(expected_one).as_ref());
        let means = found.means(found_one, &samples, &mut Run::new()).unwrap();
        assert_eq!(means, expected_one.means(&all).unwrap());
    }
    for linkage in [Linkage::Centroid, Linkage::Ward] {
        let refine = Refine::new(1).linkage(linkage).from(0);
        let [found, expected] = [
            refine.dendrogram(&samples, &found, &mut Run::new()).unwrap(),
            refine.dendrogram(&all, &expected, &mut Run::new()).unwrap(),
        ];
        assert_eq!(found.merges(), expected.merges());
    }
    // More copies than a matrix may have rows.
    let weights = [1e6, 1.0, 3.0, 4e15, 1.0, 1.0];
    let found = Finch::new().fit_weighted(&samples, &weights, &mut Run::new()).unwrap();
    assert_eq!(found.sizes(&Partition::new(&[0; 6]).unwrap()).unwrap(), [4_000_000_001_000_006.0]);
    for clusters in 1..=6 {
        assert_eq!(Refine::new(clusters).run(&samples, &found).unwrap().clusters(), clusters);
    }
    // The k nearest copies of each of the heavy samples are its own: the next place is 0.1 or 0.2 away.
    let scores = found.outlier_scores(&samples, &mut Run::new()).unwrap();
    assert!(scores[0] < 1e-12 && scores[3] < 1e-12, "{scores:?}");
    assert!(scores[4] > 0.98 && scores[5] > 0.98, "{scores:?}");
}

/// Equal weights below 2 are one copy each, and change nothing; powers of two round nothing.
#[test]
fn equal_weights_below_two_are_none() {
    for (name, matrix) in inputs(90, 2) {
        let samples = Samples::new(matrix.view()).unwrap();
        for metric in Metric::OF_NUMBERS.iter().copied() {
            let finch = Finch::new().metric(metric).link_bound(LinkBound::FirstNeighbor);
            let expected = finch.fit(&samples).unwrap();
            for weight in [1.0, 0.5, 2_f64.powi(-60)] {
                let weights = vec![weight; 90];
                let found = finch.fit_weighted(&samples, &weights, &mut Run::new()).unwrap();
                assert_eq!(found.partitions(), expected.partitions(), "{name}, {weight}");
                assert_ne!(found, expected);
                for linkage in Linkage::ALL.iter().copied() {
                    for clusters in 1..=90 {
                        let refine = Refine::new(clusters).linkage(linkage);
                        let [found, expected] = [&found, &expected]
                            .map(|hierarchy| refine.run(&samples, hierarchy).unwrap());
                        assert_eq!(found, expected, "{name}, {weight}, {linkage:?}, {clusters}");
                    }
                }
                let scores = [&found, &expected]
                    .map(|of| of.outlier_scores(&samples, &mut Run::new()).unwrap());
                let [found, expected] = [&found, &expected].map(|of| of.suggest(&samples).unwrap());
                assert_eq!((found.cut, found.partition), (expected.cut, expected.partition));
                let [found, expected] = scores;
                assert_eq!(found, expected, "{name}, {metric:?}, {weight}, outliers");
            }
        }
    }
}

/// Weights that are not whole: so many rows of one copy each, of the weight of a copy.
#[test]
fn a_weight_is_as_many_rows_of_the_weight_of_a_copy() {
    let random = &mut Random(8);
    // Whose copies have weights without rounding.
    const WEIGHTS: [f64; 9] = [0.25, 0.5, 1.0, 1.5, 2.0, 2.5, 3.0, 4.5, 8.25];
    for (rows, columns) in [(1, 1), (2, 2), (40, 2), (61, 1)] {
        for (name, matrix) in inputs(rows, columns) {
            let weights: Vec<f64> = (0..rows).map(|_| WEIGHTS[random.below(9)]).collect();
            let counts: Vec<usize> =
                weights.iter().map(|weight| (*weight as usize).max(1)).collect();
            let of_copies: Vec<f64> = weights
                .iter()
                .zip(&counts)
                .flat_map(|(weight, &count)| vec![weight / count as f64; count])
                .collect();
            let repeated = Repeated::of(matrix.view(), &counts);
            let all = Samples::new(repeated.matrix.view()).unwrap();
            let samples = Samples::new(matrix.view()).unwrap();
            for metric in Metric::OF_NUMBERS.iter().copied() {
                let finch = Finch::new().metric(metric);
                let found = finch.fit_weighted(&samples, &weights, &mut Run::new()).unwrap();
                let expected = finch.fit_weighted(&all, &of_copies, &mut Run::new()).unwrap();
                let context = format!("{name}, {metric:?}, {weights:?}");
                for (found, expected) in found.partitions().iter().zip(expected.partitions()) {
                    assert_eq!(Some(found), repeated.of_rows(expected).as_ref(), "{context}");
                }
                for linkage in Linkage::ALL.iter().copied() {
                    let refine = Refine::new(1).linkage(linkage).from(0);
                    let [found, expected] = [
                        refine.dendrogram(&samples, &found, &mut Run::new()).unwrap(),
                        refine.dendrogram(&all, &expected, &mut Run::new()).unwrap(),
                    ];
                    let heights = |of: &finch_core::Dendrogram| -> Vec<f64> {
                        of.merges().iter().map(|merge| merge.height).collect()
                    };
                    assert_eq!(heights(&found), heights(&expected), "{context}, {linkage:?}");
                    assert_eq!(found.merges(), expected.merges(), "{context}, {linkage:?}");
                }
                assert_same_outliers(&repeated, (&samples, &found), (&all, &expected), &context);
                let [found, expected] =
                    [found.suggest(&samples).unwrap(), expected.suggest(&all).unwrap()];
                assert_eq!(Some(found.cut), repeated.of_rows(&expected.cut), "{context}");
            }
        }
    }
}

/// A weighted mean is Σwx / Σw.
#[test]
fn means_are_weighted() {
    let matrix = array![[1.0f32, 10.0], [2.0, 20.0], [4.0, 0.0]];
    let samples = Samples::new(matrix.view()).unwrap();
    let weights = [0.5, 0.25, 3.25];
    let hierarchy = Finch::new().fit_weighted(&samples, &weights, &mut Run::new()).unwrap();
    assert_eq!(hierarchy.finest().labels(), [0, 0, 1]);
    let means = hierarchy.means(hierarchy.finest(), &samples, &mut Run::new()).unwrap();
    assert_eq!(means, array![[(1.0 / 0.75) as f32, (10.0 / 0.75) as f32], [4.0, 0.0]]);
    assert_eq!(hierarchy.sizes(hierarchy.finest()).unwrap(), [0.75, 3.25]);
    let without = Finch::new().fit(&samples).unwrap();
    assert_eq!(without.weights(), None);
    assert_eq!(without.sizes(without.finest()).unwrap(), [3.0]);
    let means = without.means(without.finest(), &samples, &mut Run::new().threads(2));
    assert_eq!(means, without.finest().means(&samples));
}

#[test]
fn scores_of_whole_weights_are_those_of_repeated_rows() {
    let random = &mut Random(4);
    for trial in 0..300 {
        let samples = 1 + random.below(40);
        let mut labels =
            |groups: usize| -> Vec<usize> { (0..samples).map(|_| random.below(groups)).collect() };
        let [labels, truth] = [labels(1 + trial % 7), labels(1 + trial % 5)];
        let counts = counts(trial, samples, random);
        let weights: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
        let repeat = |of: &[usize]| -> Vec<usize> {
            of.iter().zip(&counts).flat_map(|(&label, &count)| vec![label; count]).collect()
        };
        let repeated = Contingency::new(&repeat(&labels), &repeat(&truth)).unwrap();
        let weighted = Contingency::weighted(&labels, &truth, &weights).unwrap();
        let expected = repeated.scores().unwrap();
        assert_eq!(weighted.scores().unwrap(), expected);
        assert_eq!(weighted.matching().unwrap(), repeated.matching().unwrap());
        assert_eq!(weighted.samples(), samples);
        // Sums of weights instead of counts, as they are; each pair of rows has the weight 1/4 then.
        let halves: Vec<f64> = weights.iter().map(|weight| weight / 2.0).collect();
        let rows: Vec<f64> = counts.iter().flat_map(|&count| vec![0.5; count]).collect();
        let found = Contingency::weighted(&repeat(&labels), &repeat(&truth), &rows).unwrap();
        let found = found.scores().unwrap();
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{found:?} {expected:?}");
        close(found.nmi, expected.nmi);
        close(found.nmi_arithmetic, expected.nmi_arithmetic);
        close(found.accuracy.unwrap(), expected.accuracy.unwrap());
        close(found.purity, expected.purity);
        close(found.ari, expected.ari);
        close(found.pairwise.f(), expected.pairwise.f());
        close(found.bcubed.f(), expected.bcubed.f());
        // Measures without pairs do not see copies.
        let halves = Contingency::weighted(&labels, &truth, &halves).unwrap();
        close(halves.nmi(Average::Arithmetic), expected.nmi_arithmetic);
        close(halves.accuracy().unwrap().unwrap(), expected.accuracy.unwrap());
        close(halves.bcubed().precision, expected.bcubed.precision);
    }
}

/// What scikit-learn's contingency matrix gives with `weights` as its entries' sums, and pairs by
/// their definition.
#[test]
fn scores_of_real_weights_are_as_defined() {
    let random = &mut Random(6);
    for _ in 0..200 {
        let samples = 2 + random.below(30);
        let mut draw =
            |below| -> Vec<usize> { (0..samples).map(|_| random.below(below)).collect() };
        let [labels, truth] = [draw(4), draw(3)];
        let weights: Vec<f64> = draw(1000).iter().map(|w| 0.1 + *w as f64 / 1234.5).collect();
        let table = Contingency::weighted(&labels, &truth, &weights).unwrap();
        let total: f64 = weights.iter().sum();
        let share = |keep: &dyn Fn(usize) -> bool| {
            (0..samples).filter(|&i| keep(i)).map(|i| weights[i]).sum::<f64>()
        };
        let close = |a: f64, b: f64| assert!((a - b).abs() < 1e-12, "{a} {b}");
        let largest = |cluster: usize| {
            let of_class = |class| share(&|i| labels[i] == cluster && truth[i] == class);
            (0..3).map(of_class).fold(0.0, f64::max)
        };
        close(table.purity(), (0..4).map(largest).sum::<f64>() / total);
        let precision = |i: usize| {
            let both = share(&|j| labels[i] == labels[j] && truth[i] == truth[j]);
            weights[i] * both / share(&|j| labels[i] == labels[j])
        };
        close(table.bcubed().precision, (0..samples).map(precision).sum::<f64>() / total);
        // All weights are below 2, so that no sample has a pair within it.
        let pairs = |keep: &dyn Fn(usize, usize) -> bool| {
            let all = (0..samples).flat_map(|j| (0..j).map(move |i| (i, j)));
            all.filter(|&(i, j)| keep(i, j)).map(|(i, j)| weights[i] * weights[j]).sum::<f64>()
        };
        let both = pairs(&|i, j| labels[i] == labels[j] && truth[i] == truth[j]);
        let [p, t] = [&labels, &truth].map(|of| pairs(&|i, j| of[i] == of[j]));
        let all = pairs(&|_, _| true);
        let chance = p * t / all;
        if p > 0.0 && t > 0.0 {
            close(table.pairwise().precision, both / p);
            close(table.pairwise().recall, both / t);
        }
        // Two labellings of one group each have no more pairs than by chance, and score 1.
        if (p + t) / 2.0 > chance * (1.0 + 1e-9) {
            close(table.ari(), (both - chance) / ((p + t) / 2.0 - chance));
        }
        let same = Contingency::weighted(&labels, &labels, &weights).unwrap().scores().unwrap();
        assert_eq!([same.nmi, same.nmi_arithmetic, same.ari, same.pairwise.f()], [1.0; 4]);
        assert!(same.purity <= 1.0 && same.bcubed.f() <= 1.0);
        close(same.purity, 1.0);
        close(same.accuracy.unwrap(), 1.0);
        close(same.bcubed.f(), 1.0);
    }
}

#[test]
fn weights_that_are_errors() {
    let matrix = array![[0.0], [1.0], [5.0]];
    let samples = Samples::new(matrix.view()).unwrap();
    let fit = |weights: &[f64]| Finch::new().fit_weighted(&samples, weights, &mut Run::new());
    let score = |weights: &[f64]| Contingency::weighted(&[0, 0, 1], &[0, 1, 1], weights);
    for weight in [0.0, -0.0, -2.0, f64::INFINITY, f64::NEG_INFINITY, 1e-101, 5e-324, 1e300] {
        let weights = [1.0, weight, 1.0];
        let expected = Error::InvalidWeight { sample: 1, weight };
        assert_eq!(fit(&weights).map(|_| ()), Err(expected.clone()));
        assert_eq!(score(&weights).map(|_| ()), Err(expected));
    }
    let nan = fit(&[1.0, 1.0, f64::NAN]).unwrap_err();
    assert!(nan.to_string().contains("sample 2 has weight NaN"), "{nan}");
    let large = fit(&[9e15, 9e15, 1.0]).unwrap_err();
    assert!(large.to_string().contains("add up to 2^53"), "{large}");
    for weights in [&[][..], &[1.0; 2], &[1.0; 4]] {
        let expected = Error::SampleCount { expected: 3, found: weights.len() };
        assert_eq!(fit(weights).map(|_| ()), Err(expected.clone()));
        assert_eq!(score(weights).map(|_| ()), Err(expected));
    }
    let hierarchy = fit(&[1.0, 2.0, 3.0]).unwrap();
    let other = Partition::new(&[0, 0]).unwrap();
    let expected = Error::SampleCount { expected: 3, found: 2 };
    assert_eq!(hierarchy.sizes(&other), Err(expected.clone()));
    assert_eq!(hierarchy.means(&other, &samples, &mut Run::new()), Err(expected));
    let requested = 4;
    let too_many = Refine::new(requested).run(&samples, &hierarchy);
    assert_eq!(too_many, Err(Error::ClusterCount { requested, samples: 3 }));
}

#[test]
fn neither_threads_nor_a_stop_change_a_result() {
    let matrix = Array2::from_shape_fn((700, 3), |(i, j)| ((i * 31 + j * 17) as f64).sin());
    let samples = Samples::new(matrix.view()).unwrap();
    let weights: Vec<f64> = (0..700).map(|i| 0.3 + (i % 50) as f64 * 0.77).collect();
    let fit = |run: &mut Run<'_>| -> Result<(Hierarchy, Partition), Error> {
        let hierarchy = Finch::new().fit_weighted(&samples, &weights, run)?;
        let refined = Refine::new(7).run_with(&samples, &hierarchy, run)?;
        Ok((hierarchy, refined))
    };
    let expected = fit(&mut Run::new().threads(1)).unwrap();
    assert_eq!(fit(&mut Run::new().threads(5)).unwrap(), expected);
    let mut stopped = 0;
    for calls in 0..60 {
        match fit(&mut Run::new().progress(stop_after(calls))) {
            Ok(found) => assert_eq!(found, expected),
            Err(error) => {
                assert_eq!(error, Error::Cancelled);
                stopped += 1;
            }
        }
    }
    assert!((4..60).contains(&stopped), "{stopped}");
}
