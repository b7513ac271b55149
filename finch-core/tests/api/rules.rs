//! Exactly K clusters under rules: pairs that are together or apart, and sizes of clusters.

use crate::common::{Random, inputs, stop_after};
use finch_core::{
    Dendrogram, Error, Finch, Hierarchy, Linkage, Metric, Neighbors, Partition, Refine, Run,
    Samples,
};
use ndarray::{Array2, array};

fn fit(matrix: &Array2<f64>) -> Hierarchy {
    let finch = Finch::new().refinable(Linkage::Neighbor);
    finch.fit(&Samples::new(matrix.view()).unwrap()).unwrap()
}

fn pairs(count: usize, samples: usize, random: &mut Random) -> Vec<[u32; 2]> {
    (0..count).map(|_| [(); 2].map(|()| random.below(samples) as u32)).collect()
}

/// Whether a partition keeps the rules.
fn keeps(
    partition: &Partition,
    together: &[[u32; 2]],
    apart: &[[u32; 2]],
    [least, most]: [usize; 2],
) -> bool {
    let same = |pair: &[u32; 2]| {
        let [a, b] = pair.map(|sample| partition.labels()[sample as usize]);
        a == b
    };
    let sizes = partition.sizes();
    together.iter().all(same)
        && !apart.iter().any(same)
        && sizes.iter().all(|size| (least..=most).contains(size))
}

/// Random rules, from few that hardly matter to more than can be met.
#[test]
fn rules_are_kept_or_refused() {
    let random = &mut Random(3);
    let (mut kept, mut refused) = (0, 0);
    for trial in 0..1_000 {
        let rows = 2 + random.below(90);
        let (name, matrix) = inputs(rows, 1 + random.below(3)).nth(trial % 7).unwrap();
        let samples = Samples::new(matrix.view()).unwrap();
        let hierarchy = fit(&matrix);
        let clusters = 1 + random.below(rows.min(12));
        let (few, many) = (1 + rows / 30, 1 + rows / 4);
        let [together, apart] = [[few, many][trial % 2], [many, few][trial / 2 % 2]]
            .map(|most| pairs(random.below(most + 1), rows, random));
        let even = rows / clusters;
        let sizes = match trial % 5 {
            0 => [0, usize::MAX],
            1 => [0, even + 1 + random.below(rows)],
            2 => [random.below(even + 1), usize::MAX],
            3 => [random.below(even + 1), even + random.below(rows + 1)],
            _ => [even, even + 1],
        };
        let refine = Refine::new(clusters).linkage(Linkage::ALL[trial % 3]);
        let refine = refine.must_link(&together).cannot_link(&apart);
        let refine = match sizes {
            [least, usize::MAX] => refine.min_size(least),
            [least, most] => refine.min_size(least).max_size(most),
        };
        match refine.run(&samples, &hierarchy) {
            Ok(partition) => {
                assert_eq!(partition.clusters(), clusters);
                assert!(keeps(&partition, &together, &apart, sizes), "{trial}: {name}");
                let threads = refine.run_with(&samples, &hierarchy, &mut Run::new().threads(3));
                assert_eq!(threads, Ok(partition));
                kept += 1;
            }
            Err(Error::InvalidPair { .. } | Error::InvalidClusterSize { .. }) => refused += 1,
            Err(error) => panic!("{trial}: {name}: {error}"),
        }
    }
    assert!(kept > 300 && refused > 100, "{kept} kept, {refused} refused");
}

/// What forbids nothing that would merge anyway changes nothing.
#[test]
fn rules_that_hold_change_nothing() {
    let random = &mut Random(7);
    for (name, matrix) in inputs(140, 2) {
        let samples = Samples::new(matrix.view()).unwrap();
        let hierarchy = fit(&matrix);
        for linkage in Linkage::ALL.iter().copied() {
            let finest = hierarchy.finest().clusters();
            for clusters in [1, 3, 8].into_iter().filter(|&clusters| clusters <= finest) {
                let refine = Refine::new(clusters).linkage(linkage).from(0);
                let expected = refine.dendrogram(&samples, &hierarchy, &mut Run::new()).unwrap();
                let plain = expected.coarsest().unwrap();
                let together: Vec<[u32; 2]> = pairs(400, 140, random)
                    .into_iter()
                    .filter(|pair| keeps(hierarchy.finest(), &[*pair], &[], [0, usize::MAX]))
                    .collect();
                let apart: Vec<[u32; 2]> = pairs(60, 140, random)
                    .into_iter()
                    .filter(|pair| keeps(&plain, &[], &[*pair], [0, usize::MAX]))
                    .collect();
                let most = plain.sizes().into_iter().max().unwrap();
                let ruled = refine.must_link(&together).cannot_link(&apart).max_size(most);
                let found = ruled.dendrogram(&samples, &hierarchy, &mut Run::new()).unwrap();
                // The height of an island is that of the merge that it comes before, which a rule may forbid.
                let heights = linkage != Linkage::Neighbor;
                let told = |dendrogram: &Dendrogram| -> Vec<([u32; 2], f64)> {
                    let merges = dendrogram.merges().iter();
                    merges.map(|m| (m.clusters, if heights { m.height } else { 0.0 })).collect()
                };
                assert_eq!(told(&found), told(&expected), "{name}, {linkage:?}, {clusters}");
                assert_eq!(found.coarsest(), Ok(plain), "{name}, {linkage:?}, {clusters}");
            }
        }
    }
}

/// Two clouds that a bridge joins, and a third one: what people would ask for.
#[test]
fn pairs_decide_where_the_data_does_not() {
    let mut random = Random(5);
    let matrix = Array2::from_shape_fn((300, 2), |(row, column)| {
        let place = [[0.0, 0.0], [1.2, 0.0], [9.0, 9.0]][row % 3][column];
        place + 0.7 * (random.uniform() + random.uniform() - 1.0)
    });
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = fit(&matrix);
    let plain = Refine::new(2).run(&samples, &hierarchy).unwrap();
    assert!(keeps(&plain, &[[0, 1]], &[[0, 2]], [0, usize::MAX]));
    let two = Refine::new(2).must_link(&[[1, 2]]).cannot_link(&[[0, 1]]);
    let found = two.run(&samples, &hierarchy).unwrap();
    assert!(keeps(&found, &[[1, 2]], &[[0, 1]], [0, usize::MAX]));
    let even = Refine::new(3).min_size(90).max_size(110).run(&samples, &hierarchy).unwrap();
    let far: Vec<u32> = (0..300).step_by(3).map(|row| even.labels()[row + 2]).collect();
    assert!(far.iter().all(|label| *label == far[0]));
}

/// Without samples, and with weights.
#[test]
fn rules_hold_for_every_kind_of_hierarchy() {
    let matrix = Array2::from_shape_fn((90, 2), |(row, column)| {
        [0.0, 50.0, 1000.0][row % 3] + ((row * 7 + column * 3) as f64).sin()
    });
    let samples = Samples::new(matrix.view()).unwrap();
    let run = &mut Run::new();
    let table: Neighbors = Finch::new().nearest_neighbors(&samples, 4, run).unwrap();
    let graph = Finch::new().fit_graph(table, run).unwrap();
    let apart = [[0, 1], [1, 2]];
    // Pieces without links: rules decide which of them merge.
    let two = Refine::new(2).cannot_link(&apart).run_without_samples(&graph, run).unwrap();
    assert!(keeps(&two, &[[0, 2]], &apart, [30, 60]));
    let weights: Vec<f64> = (0..90).map(|row| [1.0, 2.0, 0.5][row % 3]).collect();
    let weighted = Finch::new().fit_weighted(&samples, &weights, run).unwrap();
    let refine = Refine::new(2).max_size(70);
    let sizes = weighted.sizes(&refine.run(&samples, &weighted).unwrap()).unwrap();
    assert_eq!(sizes, [45.0, 60.0]);
    let refused = Refine::new(2).max_size(52).run(&samples, &weighted);
    let error = "as many for each of the clusters are fewer than all samples, which have 105";
    assert!(refused.unwrap_err().to_string().ends_with(error));
}

#[test]
fn faults_of_rules() {
    let points = array![[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]];
    let samples = Samples::new(points.view()).unwrap();
    let hierarchy = fit(&points);
    let message = |refine: Refine<'_>| refine.run(&samples, &hierarchy).unwrap_err().to_string();
    let two = Refine::new(2);
    let expect = |refine: Refine<'_>, words: &str| {
        let message = message(refine);
        assert!(message.contains(words), "{message}");
    };
    expect(two.must_link(&[[0, 6]]), "must-link pair of samples 0 and 6 (from 0) names a sample");
    expect(two.cannot_link(&[[9, 0]]), "cannot-link pair of samples 9 and 0 (from 0) names");
    expect(two.cannot_link(&[[3, 3]]), "samples 3 and 3 (from 0) is one sample");
    let chain = [[0, 2], [2, 4]];
    expect(two.must_link(&chain).cannot_link(&[[4, 0]]), "samples 4 and 0 (from 0) is together");
    let all = [[0, 1], [2, 3], [4, 5], [0, 2], [4, 2]];
    expect(two.must_link(&all), "samples 4 and 2 (from 0) leaves fewer clusters");
    expect(two.cannot_link(&[[0, 2], [2, 4], [4, 0]]), "keeps more clusters apart");
    expect(two.max_size(2), "2 cannot be the greatest size of a cluster: as many");
    expect(two.min_size(4), "4 cannot be the least size of a cluster: as many");
    expect(two.must_link(&all[..3]).max_size(3), "two of them have together 4");
    let odd = two.must_link(&chain).max_size(3).min_size(3).run(&samples, &hierarchy);
    assert_eq!(odd.unwrap().labels(), [0, 1, 0, 1, 0, 1]);
    expect(two.must_link(&chain).max_size(2), "as many");
    let four = Refine::new(4).must_link(&chain).max_size(2);
    expect(four, "samples that are to be together, or a single one, have 3");
    let mut stopped = 0;
    for calls in 0..4 {
        let ruled = two.cannot_link(&[[0, 1]]);
        let mut run = Run::new().threads(1).progress(stop_after(calls));
        let found = ruled.run_with(&samples, &hierarchy, &mut run);
        stopped += usize::from(found == Err(Error::Cancelled));
    }
    assert!(stopped > 0);
    let manhattan = Finch::new().metric(Metric::Manhattan).fit(&samples).unwrap();
    let apart = two.linkage(Linkage::Centroid).cannot_link(&[[0, 1]]);
    assert_eq!(apart.run(&samples, &manhattan).unwrap().clusters(), 2);
}
