//! Noise and membership, against their definitions.

use crate::common::{Random, inputs, stop_after};
use finch_core::{
    Describe, Error, Finch, Hierarchy, Labels, Linkage, Metric, Neighbors, Noise, Origin,
    Partition, Run, Samples, Search, SmallClusters, SparseSamples,
};
use ndarray::{Array2, Axis, s};

const NOISE: u32 = Labels::NOISE;

fn hierarchy(matrix: &Array2<f64>, metric: Metric) -> Hierarchy {
    let finch = Finch::new().metric(metric).refinable(Linkage::Neighbor);
    finch.fit(&Samples::new(matrix.view()).unwrap()).unwrap()
}

fn all_inputs() -> impl Iterator<Item = (String, Array2<f64>)> {
    [(1, 2), (2, 1), (9, 2), (40, 2), (90, 3), (150, 5)].into_iter().flat_map(|(n, d)| inputs(n, d))
}

/// Labels of four clusters and noise, in no order.
fn some_labels(random: &mut Random, samples: usize) -> Labels {
    let label = |_| Some(random.below(5)).filter(|&label| label < 4);
    Labels::new(&(0..samples).map(label).collect::<Vec<_>>()).unwrap()
}

/// The samples that each sample is linked to.
fn links(matrix: &Array2<f64>, metric: Metric) -> Vec<Vec<usize>> {
    let samples = Samples::new(matrix.view()).unwrap();
    let count = samples.len();
    let log2 = (count as f64).log2();
    let h = (log2.ceil() as usize).min(Linkage::Neighbor.neighbors(count));
    if h == 0 {
        return vec![Vec::new(); count];
    }
    let finch = Finch::new().metric(metric).search(Search::Brute);
    let found = finch.nearest_neighbors(&samples, h, &mut Run::new()).unwrap();
    let row = |row: ndarray::ArrayView1<'_, u32>| {
        row.iter().filter(|&&other| other != Neighbors::NONE).map(|&other| other as usize).collect()
    };
    found.index().outer_iter().map(row).collect()
}

/// The shares of each sample, C of them.
fn shares(links: &[Vec<usize>], labels: &Labels) -> Array2<f64> {
    let mut shares = Array2::zeros((links.len(), labels.clusters()));
    for (sample, links) in links.iter().enumerate() {
        let of = |sample: usize| labels.labels()[sample];
        let clusters: Vec<u32> = links.iter().map(|&other| of(other)).collect();
        let clusters: Vec<u32> = clusters.into_iter().filter(|&label| label != NOISE).collect();
        for &cluster in &clusters {
            shares[(sample, cluster as usize)] += 1.0;
        }
        match (clusters.len(), of(sample)) {
            (0, NOISE) => {}
            (0, own) => shares[(sample, own as usize)] = 1.0,
            (count, _) => shares.row_mut(sample).mapv_inplace(|share| share / count as f64),
        }
    }
    shares
}

#[test]
fn membership_is_the_share_of_links_to_each_cluster() {
    for (kind, matrix) in all_inputs() {
        for metric in [Metric::Euclidean, Metric::Cosine] {
            let samples = Samples::new(matrix.view()).unwrap();
            let labels = some_labels(&mut Random(matrix.len() as u64), samples.len());
            let found =
                hierarchy(&matrix, metric).membership(&samples, &labels, &mut Run::new()).unwrap();
            let expected = shares(&links(&matrix, metric), &labels);
            assert_eq!(
                (found.starts().len(), found.columns()),
                (samples.len() + 1, labels.clusters())
            );
            for (sample, expected) in expected.outer_iter().enumerate() {
                let entries: Vec<(u32, f64)> =
                    (0..).zip(expected.iter().copied()).filter(|(_, share)| *share > 0.0).collect();
                assert_eq!(
                    found.row(sample).collect::<Vec<_>>(),
                    entries,
                    "{kind}, sample {sample}"
                );
                let own = match labels.labels()[sample] {
                    NOISE => 0.0,
                    own => expected[own as usize],
                };
                assert_eq!(found.probabilities()[sample], own, "{kind}");
                let sum: f64 = entries.iter().map(|(_, share)| share).sum();
                assert!(entries.is_empty() || (sum - 1.0).abs() < 1e-12, "{kind}: {sum}");
            }
        }
    }
}

#[test]
fn membership_is_the_same_for_threads_sparse_rows_and_hierarchies_that_keep_nothing() {
    let mut random = Random(5);
    let matrix = Array2::from_shape_fn((9_000, 3), |_| random.uniform());
    let samples = Samples::new(matrix.view()).unwrap();
    let labels = some_labels(&mut random, samples.len());
    let kept = hierarchy(&matrix, Metric::Euclidean);
    let expected = kept.membership(&samples, &labels, &mut Run::new()).unwrap();
    let one = kept.membership(&samples, &labels, &mut Run::new().threads(1)).unwrap();
    assert_eq!(one, expected);
    let searched = Finch::new().fit(&samples).unwrap();
    assert_eq!(searched.membership(&samples, &labels, &mut Run::new()).unwrap(), expected);
    let starts: Vec<i64> = (0..=9_000).map(|row| 3 * row).collect();
    let columns: Vec<i64> = (0..27_000).map(|at| at % 3).collect();
    let values = matrix.as_slice().unwrap();
    let sparse = SparseSamples::new(3, &starts[..], &columns[..], values).unwrap();
    let of_sparse = Finch::new().refinable(Linkage::Neighbor).fit(&sparse).unwrap();
    assert_eq!(of_sparse.membership(&sparse, &labels, &mut Run::new()).unwrap(), expected);
}

#[test]
fn weights_are_repeated_rows_in_membership_and_when_small_clusters_join() {
    for trial in 0..30 {
        let mut random = Random(trial);
        let samples = 20 + random.below(60);
        let matrix = Array2::from_shape_fn((samples, 2), |_| random.uniform());
        let counts: Vec<usize> = (0..samples).map(|_| 1 + random.below(4)).collect();
        let rows: Vec<usize> = (0..samples).flat_map(|row| vec![row; counts[row]]).collect();
        let repeated = matrix.select(Axis(0), &rows);
        let labels = some_labels(&mut random, samples);
        let raw = labels.labels();
        let label = |&row: &usize| Some(raw[row]).filter(|&label| label != NOISE);
        let of_rows = Labels::new(&rows.iter().map(label).collect::<Vec<_>>()).unwrap();
        let weights: Vec<f64> = counts.iter().map(|&count| count as f64).collect();
        let (few, many) =
            (Samples::new(matrix.view()).unwrap(), Samples::new(repeated.view()).unwrap());
        let weighted = Finch::new().fit_weighted(&few, &weights, &mut Run::new()).unwrap();
        let plain = Finch::new().fit(&many).unwrap();
        let found = weighted.membership(&few, &labels, &mut Run::new()).unwrap();
        let expected = plain.membership(&many, &of_rows, &mut Run::new()).unwrap();
        let mut first = 0;
        for (sample, count) in counts.iter().enumerate() {
            let row: Vec<_> = expected.row(first).collect();
            assert_eq!(
                found.row(sample).collect::<Vec<_>>(),
                row,
                "trial {trial}, sample {sample}"
            );
            first += count;
        }
        let joins = Noise::new().min_cluster_size(samples).small_clusters(SmallClusters::Join);
        for noise in [joins, joins.small_clusters(SmallClusters::Noise)] {
            let found = noise.run(&few, &weighted, &labels, &mut Run::new()).unwrap();
            let expected = noise.run(&many, &plain, &of_rows, &mut Run::new()).unwrap();
            let of_found: Vec<u32> = rows.iter().map(|&row| found.labels()[row]).collect();
            assert_eq!(of_found, expected.labels(), "trial {trial}");
        }
    }
}

/// Small clusters join by definition: links are counted anew for each.
fn joined(links: &[Vec<usize>], labels: &Labels, least: usize) -> Option<Vec<u32>> {
    let mut labels = labels.labels().to_vec();
    loop {
        // A cluster is named by its first sample.
        let firsts: Vec<usize> = (0..labels.len())
            .filter(|&i| labels[i] != NOISE && !labels[..i].contains(&labels[i]))
            .collect();
        let size = |i: usize| labels.iter().filter(|&&label| label == labels[i]).count();
        let small =
            firsts.iter().copied().filter(|&i| size(i) < least).min_by_key(|&i| (size(i), i));
        let Some(small) = small else {
            return Some(labels);
        };
        let members = (0..labels.len()).filter(|&i| labels[i] == labels[small]);
        let to: Vec<usize> = members.flat_map(|i| links[i].iter().copied()).collect();
        let weight = |first: usize| to.iter().filter(|&&j| labels[j] == labels[first]).count();
        let others = firsts.iter().copied().filter(|&first| first != small && weight(first) > 0);
        // No link leads out: means decide, which this definition leaves out.
        let best = others.min_by_key(|&first| (usize::MAX - weight(first), first))?;
        let [kept, gone] = [small.min(best), small.max(best)].map(|i| labels[i]);
        labels.iter_mut().filter(|label| **label == gone).for_each(|label| *label = kept);
    }
}

#[test]
fn small_clusters_join_the_cluster_that_most_links_lead_to() {
    let mut compared = 0;
    for (kind, matrix) in all_inputs() {
        let samples = Samples::new(matrix.view()).unwrap();
        let hierarchy = hierarchy(&matrix, Metric::Euclidean);
        let links = links(&matrix, Metric::Euclidean);
        for least in [2, 3, 8] {
            if least > samples.len() {
                continue;
            }
            let labels: Labels = hierarchy.finest().into();
            let noise = Noise::new().min_cluster_size(least).small_clusters(SmallClusters::Join);
            let found = noise.run(&samples, &hierarchy, &labels, &mut Run::new()).unwrap();
            assert_eq!(found.noise(), 0, "{kind}");
            assert!((0..found.clusters() as u32).all(|cluster| {
                found.labels().iter().filter(|&&label| label == cluster).count() >= least
            }));
            if let Some(expected) = joined(&links, &labels, least) {
                let expected = Partition::new(&expected).unwrap();
                assert_eq!(found.labels(), expected.labels(), "{kind}, least {least}");
                compared += 1;
            }
        }
    }
    assert!(compared > 50, "{compared}");
}

#[test]
fn a_small_cluster_without_links_joins_the_nearest_mean_and_without_samples_is_noise() {
    // 200 samples about 0, and two groups of 20, at 30 and at 32, all of whose links stay within.
    let mut random = Random(3);
    let matrix = Array2::from_shape_fn((240, 2), |(row, column)| {
        let centre = [0.0, 30.0, 32.0][usize::from(row >= 200) + usize::from(row >= 220)];
        random.uniform() + if column == 0 { centre } else { 0.0 }
    });
    let labels: Vec<_> =
        (0..240).map(|row| Some(usize::from(row >= 200) + usize::from(row >= 220))).collect();
    let labels = Labels::new(&labels).unwrap();
    let samples = Samples::new(matrix.view()).unwrap();
    let made = hierarchy(&matrix, Metric::Euclidean);
    let noise = Noise::new().min_cluster_size(30).small_clusters(SmallClusters::Join);
    let found = noise.run(&samples, &made, &labels, &mut Run::new()).unwrap();
    assert_eq!(found.clusters(), 2);
    assert_eq!(found.labels()[200], found.labels()[239]);
    // By the distances alone there are no means.
    let distances = Array2::from_shape_fn((240, 240), |(i, j)| {
        let apart = &matrix.row(i) - &matrix.row(j);
        apart.dot(&apart).sqrt()
    });
    let made = Finch::new().fit_distances(distances.view(), &mut Run::new()).unwrap();
    let found = noise.run_without_samples(&made, &labels, &mut Run::new()).unwrap();
    assert_eq!((found.clusters(), found.noise()), (1, 40));
    assert!(matches!(
        noise.run_without_samples(&hierarchy(&matrix, Metric::Euclidean), &labels, &mut Run::new()),
        Err(Error::NeedsSamples { .. })
    ));
}

#[test]
fn outliers_are_those_of_the_largest_scores() {
    let mut random = Random(11);
    let matrix = Array2::from_shape_fn((300, 2), |(row, _)| {
        random.uniform() * if row % 50 == 0 { 9.0 } else { 1.0 }
    });
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = hierarchy(&matrix, Metric::Euclidean);
    let scores = hierarchy.outlier_scores(&samples, &mut Run::new()).unwrap();
    let labels: Labels = hierarchy.partitions()[0].clone().into();
    let is_noise = |noise: Noise| {
        let found = noise.run(&samples, &hierarchy, &labels, &mut Run::new()).unwrap();
        found.labels().iter().map(|&label| label == NOISE).collect::<Vec<_>>()
    };
    let above = |threshold: f64| scores.iter().map(|&score| score > threshold).collect::<Vec<_>>();
    assert_eq!(is_noise(Noise::new().outlier_threshold(0.5)), above(0.5));
    assert_eq!(is_noise(Noise::new()), vec![false; 300]);
    assert_eq!(is_noise(Noise::new().outlier_threshold(1.0)), vec![false; 300]);
    let mut sorted = scores.clone();
    sorted.sort_unstable_by(|a, b| b.total_cmp(a));
    for (share, count) in [(0.01, 3), (0.29, 87), (0.05, 15), (0.003, 0)] {
        assert!(sorted[count] < sorted.get(count.wrapping_sub(1)).copied().unwrap_or(2.0));
        assert_eq!(is_noise(Noise::new().outliers(share)), above(sorted[count]), "{share}");
    }
    // Either makes an outlier.
    let either = is_noise(Noise::new().outliers(0.29).outlier_threshold(0.1));
    assert_eq!(either, above(f64::min(sorted[87], 0.1)));
}

#[test]
fn equal_scores_are_outliers_together_or_not_at_all() {
    // A lattice: many samples share each score; and rows that are all equal, whose scores are 0.
    let lattice =
        Array2::from_shape_fn((400, 2), |(row, column)| [row / 20, row % 20][column] as f64);
    let equal = Array2::from_elem((50, 2), 3.0);
    for matrix in [lattice, equal] {
        let samples = Samples::new(matrix.view()).unwrap();
        let hierarchy = hierarchy(&matrix, Metric::Euclidean);
        let scores = hierarchy.outlier_scores(&samples, &mut Run::new()).unwrap();
        let labels: Labels = hierarchy.finest().into();
        for share in [0.01, 0.1, 0.5, 0.9] {
            let noise = Noise::new().outliers(share);
            let found = noise.run(&samples, &hierarchy, &labels, &mut Run::new()).unwrap();
            assert!(found.noise() as f64 <= share * samples.len() as f64 + 1e-9);
            let of = |is_noise: bool| {
                let pairs = found.labels().iter().zip(&scores);
                pairs
                    .filter(move |(label, _)| (**label == NOISE) == is_noise)
                    .map(|(_, score)| *score)
            };
            let least = of(true).fold(f64::INFINITY, f64::min);
            assert!(of(false).all(|score| score < least) && least > 0.0);
        }
    }
}

#[test]
fn outliers_go_first_and_then_what_is_left_of_a_cluster_may_be_too_small() {
    // Ten samples in a row and, beside them, three, of which one is far out.
    let mut matrix = Array2::from_shape_fn((43, 1), |(row, _)| (row as f64).powf(1.01));
    matrix.slice_mut(s![40.., 0]).assign(&ndarray::array![100.0, 100.5, 900.0]);
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = hierarchy(&matrix, Metric::Euclidean);
    let labels: Vec<_> = (0..43).map(|row| Some(usize::from(row >= 40))).collect();
    let labels = Labels::new(&labels).unwrap();
    let run = |noise: Noise| noise.run(&samples, &hierarchy, &labels, &mut Run::new()).unwrap();
    let far = run(Noise::new().outliers(1.0 / 43.0));
    assert_eq!((far.noise(), far.clusters(), far.labels()[42]), (1, 2, NOISE));
    let small = Noise::new().min_cluster_size(3);
    assert_eq!(run(small).noise(), 0);
    assert_eq!(run(small.outliers(1.0 / 43.0)).noise(), 3);
    let joined = run(small.outliers(1.0 / 43.0).small_clusters(SmallClusters::Join));
    assert_eq!((joined.noise(), joined.clusters(), joined.labels()[42]), (1, 1, NOISE));
    // Noise stays noise.
    assert_eq!(small.run(&samples, &hierarchy, &far, &mut Run::new()).unwrap().noise(), 3);
    // All may be noise.
    let none = Labels::new::<u8>(&[None; 43]).unwrap();
    for small in [SmallClusters::Join, SmallClusters::Noise] {
        let noise = Noise::new().min_cluster_size(2).small_clusters(small);
        assert_eq!(noise.run(&samples, &hierarchy, &none, &mut Run::new()).unwrap(), none);
    }
}

#[test]
fn faults_are_told() {
    let matrix = Array2::from_shape_fn((40, 2), |(row, column)| ((row * 7 + column) as f64).sin());
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = hierarchy(&matrix, Metric::Euclidean);
    let labels: Labels = hierarchy.finest().into();
    let error =
        |noise: Noise| noise.run(&samples, &hierarchy, &labels, &mut Run::new()).unwrap_err();
    for share in [-0.1, 1.0, f64::NAN] {
        let told = error(Noise::new().outliers(share));
        assert!(matches!(told, Error::InvalidNoise { .. }), "{told}");
        assert!(
            told.to_string()
                .ends_with("cannot be the share of outliers: give a number from 0 to below 1")
        );
    }
    for threshold in [-0.1, 1.5, f64::NAN] {
        let told = error(Noise::new().outlier_threshold(threshold));
        assert!(told.to_string().contains("give a number from 0 to 1"), "{told}");
    }
    let least = Noise::new().min_cluster_size(41);
    let all = least.run(&samples, &hierarchy, &labels, &mut Run::new()).unwrap();
    assert_eq!((all.noise(), all.clusters()), (40, 0));
    let told = error(least.small_clusters(SmallClusters::Join)).to_string();
    assert_eq!(told, "41 cannot be the least size of a cluster: all samples together have 40");
    let few = Labels::new(&[Some(1); 39]).unwrap();
    let noise = Noise::new().min_cluster_size(2);
    let short = noise.run(&samples, &hierarchy, &few, &mut Run::new());
    assert!(matches!(short, Err(Error::SampleCount { expected: 40, found: 39 })));
    let short = hierarchy.membership(&samples, &few, &mut Run::new());
    assert!(matches!(short, Err(Error::SampleCount { expected: 40, found: 39 })));
    let mut stopped = Run::new().progress(stop_after(0));
    let searched = Finch::new().fit(&samples).unwrap();
    let found = searched.membership(&samples, &labels, &mut stopped);
    assert!(matches!(found, Err(Error::Cancelled)));
    let mut stopped = Run::new().progress(stop_after(0));
    let found = Noise::new().outliers(0.1).run(&samples, &hierarchy, &labels, &mut stopped);
    assert!(matches!(found, Err(Error::Cancelled)));
}

#[test]
fn noise_is_not_described_and_all_else_is_as_if_it_were_not_there() {
    let mut random = Random(8);
    let matrix = Array2::from_shape_fn((200, 3), |_| random.uniform());
    let samples = Samples::new(matrix.view()).unwrap();
    let labels = some_labels(&mut random, 200);
    let kept: Vec<usize> = (0..200).filter(|&row| labels.labels()[row] != NOISE).collect();
    let weights: Vec<f64> = (0..200).map(|row| 1.0 + (row % 3) as f64).collect();
    let neighbors = Finch::new().nearest_neighbors(&samples, 5, &mut Run::new()).unwrap();
    let run = &mut Run::new();
    let describe = Describe::new(3).weights(&weights).neighbors(neighbors.index());
    let found = describe.run_with_noise(&samples, &labels, Metric::Euclidean, run).unwrap();

    let rows = matrix.select(Axis(0), &kept);
    let of_kept = Partition::new(&labels.clustered(labels.labels())).unwrap();
    let place = |other: u32| {
        kept.iter().position(|&row| row == other as usize).map_or(NOISE, |place| place as u32)
    };
    let table = neighbors.index().select(Axis(0), &kept).mapv(place);
    let weights: Vec<f64> = kept.iter().map(|&row| weights[row]).collect();
    let describe = Describe::new(3).weights(&weights).neighbors(table.view());
    let samples = Samples::new(rows.view()).unwrap();
    let mut expected = describe.run(&samples, &of_kept, Metric::Euclidean, run).unwrap();
    let number = |sample: &mut u32| *sample = kept[*sample as usize] as u32;
    expected.medoids.iter_mut().for_each(number);
    expected.exemplars.iter_mut().flatten().for_each(number);
    assert_eq!(found, expected);

    let none = Labels::new::<u8>(&vec![None; kept.len()]).unwrap();
    let all = Describe::new(0).run_with_noise(&samples, &none, Metric::Euclidean, run);
    assert!(matches!(all, Err(Error::AllNoise { .. })));
}

#[test]
fn noise_keeps_no_name() {
    let labels = |labels: &[i32]| {
        let label = |&label: &i32| Some(label).filter(|&label| label >= 0);
        Labels::new(&labels.iter().map(label).collect::<Vec<_>>()).unwrap()
    };
    let old = labels(&[0, 0, 1, 1, 2, -1, -1]);
    let new = labels(&[-1, 5, 6, 6, 7, 6, 8, -1, 7]);
    let renamed = new.named_after(&old).unwrap();
    assert_eq!(renamed.labels, [NOISE, 0, 1, 1, 2, 1, 3, NOISE, 2]);
    assert_eq!(renamed.fates, [Origin::Split, Origin::Grew, Origin::Grew, Origin::Appeared]);
}
