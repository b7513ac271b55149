//! Algorithm 1, the hierarchy, K clusters, and every request that is an error.

use std::ops::ControlFlow;
use std::thread;

use crate::common::{self, Random, inputs};
use finch_core::{
    Clustered, Error, Finch, Hierarchy, LinkBound, Linkage, Metric, Model, Neighbors, Partition,
    Progress, Reason, Refine, Run, Samples, Search, Stage, Warning,
};
use ndarray::{Array2, Axis, array};
use rayon::prelude::*;

/// Two tight pairs near each other, two tight pairs near each other far away, and one farther pair.
fn nested() -> Array2<f64> {
    array![[0.0], [1.0], [10.0], [11.0], [100.0], [101.0], [112.0], [113.0], [9000.0], [9001.0]]
}

fn fit(matrix: &Array2<f64>) -> Hierarchy {
    Finch::new().fit(&Samples::new(matrix.view()).unwrap()).unwrap()
}

/// Whether every cluster of `fine` lies within one cluster of `coarse`.
fn coarsens(coarse: &Partition, fine: &Partition) -> bool {
    let mut above = vec![None; fine.clusters()];
    fine.labels()
        .iter()
        .zip(coarse.labels())
        .all(|(&fine, &coarse)| *above[fine as usize].get_or_insert(coarse) == coarse)
}

#[test]
fn levels_are_as_computed_by_hand() {
    let hierarchy = fit(&nested());
    assert_eq!(hierarchy.cluster_counts(), [5, 2]);
    assert_eq!(hierarchy.finest().labels(), [0, 0, 1, 1, 2, 2, 3, 3, 4, 4]);
    assert_eq!(hierarchy.coarsest().labels(), [0, 0, 0, 0, 1, 1, 1, 1, 1, 1]);
    assert_eq!(hierarchy.first_neighbors().index(), [1, 0, 3, 2, 5, 4, 7, 6, 9, 8]);
    assert_eq!(hierarchy.first_neighbors().distance(), [1.0; 10]);
    assert_eq!(hierarchy.coarsest().sizes(), [4, 6]);
}

#[test]
fn means_are_of_all_original_samples() {
    // A mean of means would give (0.5 + 4) / 2 for the cluster of three and two.
    let matrix = array![[0.0f32, 7.0], [1.0, 7.0], [3.0, 7.0], [4.0, 7.0], [5.0, 7.0]];
    let samples = Samples::new(matrix.view()).unwrap();
    let all = Partition::new(&[0; 5]).unwrap();
    assert_eq!(all.means(&samples).unwrap(), array![[2.6f32, 7.0]]);
    let two = Partition::new(&["b", "b", "a", "a", "a"]).unwrap();
    assert_eq!(two.labels(), [0, 0, 1, 1, 1]);
    assert_eq!(two.means(&samples).unwrap(), array![[0.5f32, 7.0], [4.0, 7.0]]);
    assert_eq!(two.means_with(&samples, &mut Run::new().threads(2)), two.means(&samples));
    let other = array![[1.0f32]];
    let samples = Samples::new(other.view()).unwrap();
    assert_eq!(two.means(&samples), Err(Error::SampleCount { expected: 5, found: 1 }));
}

#[test]
fn the_longest_joined_pair_bounds_links() {
    // Samples 1 and 2 are at 1 from their first neighbour 0, and 2 apart: the mean 0 and that of 3 and 4, which
    // is 1.95 away, may join, and far ones may not.
    let points: Array2<f64> = array![
        [0.0, 0.0],
        [1.0, 0.0],
        [-1.0, 0.0],
        [0.0, 1.9],
        [0.0, 2.0],
        [50.0, 0.0],
        [50.1, 0.0],
        [90.0, 0.0],
        [90.1, 0.0]
    ];
    let samples = Samples::new(points.view()).unwrap();
    let run = &mut Run::new();
    for (bound, counts) in [(LinkBound::FirstNeighbor, &[4][..]), (LinkBound::JoinedPair, &[4, 3])]
    {
        let finch = Finch::new().link_bound(bound);
        let hierarchy = finch.fit(&samples).unwrap();
        assert_eq!((hierarchy.cluster_counts(), hierarchy.link_bound()), (counts.to_vec(), bound));
        // Of samples that stand for one each, and from first neighbours that are given.
        let weighted = finch.fit_weighted(&samples, &[1.0; 9], run).unwrap();
        assert_eq!(weighted.cluster_counts(), counts);
        let first = hierarchy.first_neighbors().index();
        assert_eq!(finch.fit_given(&samples, first, run).unwrap().cluster_counts(), counts);
        let model = Model::new(hierarchy.clone(), &samples, Vec::new(), run).unwrap();
        let loaded = Model::from_bytes(&model.to_bytes().unwrap()).unwrap();
        assert_eq!(loaded.hierarchy().link_bound(), bound);
        // From all distances, where links are mean distances: those of {0, 1, 2} and {3, 4} are above 2.
        let distances = Array2::from_shape_fn((9, 9), |(i, j)| {
            let square = |column: usize| (points[[i, column]] - points[[j, column]]).powi(2);
            (square(0) + square(1)).sqrt()
        });
        let known = finch.fit_distances(distances.view(), run).unwrap();
        assert_eq!(known.cluster_counts(), [4]);
    }
    // Of samples 1 and 2 the table has no distance.
    let index = array![[1, 3], [0, 3], [0, 3], [4, 0], [3, 0]];
    let distance = array![[1.0, 1.9], [1.0, 2.1], [1.0, 2.1], [0.1, 1.9], [0.1, 2.0]];
    let table = Neighbors::given(index.view(), distance.view(), run).unwrap();
    let bounded = Finch::new().link_bound(LinkBound::JoinedPair);
    let unknown = Error::UnknownPair { pair: [1, 2], neighbor: 0 };
    assert_eq!(bounded.fit_graph(table.clone(), run).unwrap_err(), unknown);
    assert!(
        unknown.to_string().contains("samples 1 and 2 (from 0) have the same first neighbour, 0")
    );
    assert!(format!("{unknown:#}").contains("samples 2 and 3 have the same first neighbour, 1"));
    assert!(Finch::new().fit_graph(table, run).is_ok());
    // With it, all that is looked at is known.
    let index = array![[1, 3], [0, 2], [0, 1], [4, 0], [3, 0]];
    let distance = array![[1.0, 1.9], [1.0, 2.0], [1.0, 2.0], [0.1, 1.9], [0.1, 2.0]];
    let table = Neighbors::given(index.view(), distance.view(), run).unwrap();
    assert_eq!(bounded.fit_graph(table, run).unwrap().cluster_counts(), [2]);
}

/// Rows that are repeated, and rows that stand for as many.
#[test]
fn weights_have_the_longest_joined_pair_of_repeated_rows() {
    let random = &mut Random(44);
    for metric in [Metric::Euclidean, Metric::Manhattan] {
        let points = Array2::from_shape_fn((70, 2), |_| random.below(40) as f64);
        let weights: Vec<f64> = (0..70).map(|row| [1.0, 1.0, 2.0, 3.0][row % 4]).collect();
        let rows: Vec<usize> =
            (0..70).flat_map(|row| std::iter::repeat_n(row, weights[row] as usize)).collect();
        let repeated = points.select(Axis(0), &rows);
        let finch = Finch::new().metric(metric).link_bound(LinkBound::JoinedPair);
        let samples = Samples::new(points.view()).unwrap();
        let weighted = finch.fit_weighted(&samples, &weights, &mut Run::new()).unwrap();
        let expected = finch.fit(&Samples::new(repeated.view()).unwrap()).unwrap();
        assert_eq!(weighted.cluster_counts(), expected.cluster_counts());
        for (found, expected) in weighted.partitions().iter().zip(expected.partitions()) {
            let labels: Vec<u32> = rows.iter().map(|&row| found.labels()[row]).collect();
            assert_eq!(labels, expected.labels());
        }
    }
}

#[test]
fn the_link_bound_leaves_far_clusters_alone() {
    let matrix = nested();
    let samples = Samples::new(matrix.view()).unwrap();
    let bounded = Finch::new().link_bound(LinkBound::FirstNeighbor).fit(&samples).unwrap();
    // The longest link between samples is 1, and all means are farther apart.
    assert_eq!(bounded.cluster_counts(), [5]);
    // With a link of 12 between samples, clusters that are 10 apart may merge, and no others.
    let longer = array![[0.0], [1.0], [10.0], [11.0], [100.0], [101.0], [112.0], [113.0], [125.0]];
    let samples = Samples::new(longer.view()).unwrap();
    let bounded = Finch::new().link_bound(LinkBound::FirstNeighbor).fit(&samples).unwrap();
    assert_eq!(bounded.cluster_counts(), [4, 3]);
    assert_eq!(bounded.coarsest().labels(), [0, 0, 0, 0, 1, 1, 2, 2, 2]);
}

#[test]
fn hierarchies_are_nested_on_any_input() {
    for (rows, columns) in [(2, 1), (3, 2), (110, 2), (150, 20)] {
        for (name, matrix) in inputs(rows, columns) {
            let samples = Samples::new(matrix.view()).unwrap();
            for metric in Metric::OF_NUMBERS.iter().copied() {
                for bound in [LinkBound::None, LinkBound::FirstNeighbor] {
                    let finch = Finch::new().metric(metric).link_bound(bound);
                    let hierarchy = finch.fit(&samples).unwrap();
                    // A single zero row is a cluster of its own.
                    let most = rows / 2 + usize::from(metric == Metric::Cosine);
                    assert!(hierarchy.finest().clusters() <= most, "{name}");
                    for pair in hierarchy.partitions().windows(2) {
                        assert!(pair[1].clusters() < pair[0].clusters(), "{name}");
                        assert!(coarsens(&pair[1], &pair[0]), "{name}");
                    }
                    for partition in hierarchy.partitions() {
                        // Numbered by first appearance, so renumbering changes nothing.
                        assert_eq!(&Partition::new(partition.labels()).unwrap(), partition);
                        assert_eq!(partition.sizes().iter().sum::<usize>(), rows);
                    }
                }
            }
        }
    }
}

#[test]
fn any_number_of_clusters_can_be_had() {
    for (rows, columns) in [(1, 1), (2, 1), (40, 2), (30, 100)] {
        for (name, matrix) in inputs(rows, columns) {
            let samples = Samples::new(matrix.view()).unwrap();
            for metric in Metric::OF_NUMBERS.iter().copied() {
                let hierarchy = Finch::new().metric(metric).fit(&samples).unwrap();
                for linkage in Linkage::ALL.iter().copied() {
                    let refine = |clusters| {
                        let refine = Refine::new(clusters).linkage(linkage);
                        refine.run(&samples, &hierarchy).unwrap()
                    };
                    for clusters in 1..=rows {
                        let context = format!("{name} {metric:?} {linkage:?} to {clusters}");
                        assert_eq!(refine(clusters).clusters(), clusters, "{context}");
                    }
                    // From one start, each step merges two clusters of the step before.
                    let start = hierarchy.finest().clusters();
                    let steps: Vec<Partition> = (1..=start)
                        .map(|clusters| Refine::new(clusters).linkage(linkage).from(0).nested(true))
                        .map(|refine| refine.run(&samples, &hierarchy).unwrap())
                        .collect();
                    assert_eq!(&steps[start - 1], hierarchy.finest());
                    assert!(steps.windows(2).all(|pair| coarsens(&pair[0], &pair[1])), "{name}");
                    // One dendrogram has them all.
                    let all = Refine::new(1).linkage(linkage).from(0);
                    let dendrogram = all.dendrogram(&samples, &hierarchy, &mut Run::new()).unwrap();
                    let cuts: Vec<Partition> =
                        (1..=start).map(|k| dendrogram.cut(k).unwrap()).collect();
                    assert_eq!(cuts, steps, "{name} {metric:?} {linkage:?}");
                }
                let splits: Vec<Partition> = (hierarchy.finest().clusters()..=rows)
                    .map(|clusters| Refine::new(clusters).run(&samples, &hierarchy).unwrap())
                    .collect();
                assert!(splits.windows(2).all(|pair| coarsens(&pair[0], &pair[1])), "{name}");
            }
        }
    }
}

/// Neighbour linkage is nested for all K, if it is asked to be, also where splitting takes over.
#[test]
fn neighbor_linkage_is_nested_for_all_numbers_of_clusters() {
    for (name, matrix) in inputs(300, 2) {
        let samples = Samples::new(matrix.view()).unwrap();
        let hierarchy = Finch::new().keep_neighbors(15).fit(&samples).unwrap();
        assert_eq!(hierarchy.neighbors().unwrap().k(), Linkage::Neighbor.neighbors(300));
        let steps: Vec<Partition> = (1..=300)
            .map(|k| Refine::new(k).nested(true).run(&samples, &hierarchy).unwrap())
            .collect();
        for (pair, clusters) in steps.windows(2).zip(1..) {
            assert_eq!(pair[0].clusters(), clusters, "{name}");
            assert!(coarsens(&pair[0], &pair[1]), "{name} at {clusters}");
        }
    }
}

/// Where all samples would be neighbours of each other, ties would decide.
#[test]
fn a_few_samples_are_no_neighbors_of_everything() {
    let groups = array![[0.0, 0.0], [0.0, 1.0], [9.0, 9.0], [9.0, 8.0], [5.0, 0.0], [5.0, 1.0]];
    let samples = Samples::new(groups.view()).unwrap();
    let two = Refine::new(2).run(&samples, &fit(&groups)).unwrap();
    assert_eq!(two.labels(), [0, 0, 1, 1, 0, 0]);
}

#[test]
fn neighbor_linkage_follows_shapes() {
    // A ring around a disc: their means coincide.
    let mut random = common::Random(5);
    let matrix = Array2::from_shape_fn((600, 2), |(row, column)| {
        let angle = row as f64;
        let radius = if row < 400 { 10.0 } else { (row - 400) as f64 / 100.0 };
        radius * if column == 0 { angle.cos() } else { angle.sin() } + 0.1 * random.uniform()
    });
    let truth: Vec<usize> = (0..600).map(|row| usize::from(row >= 400)).collect();
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = fit(&matrix);
    let two = |linkage| Refine::new(2).linkage(linkage).run(&samples, &hierarchy).unwrap();
    assert_eq!(two(Linkage::Neighbor), Partition::new(&truth).unwrap());
    assert_ne!(two(Linkage::Ward), Partition::new(&truth).unwrap());
}

/// Clusters without links left merge by their means, infinitely high in the dendrogram.
#[test]
fn pieces_without_links_merge_by_means() {
    // Five clouds, each of more samples than have links to others, three of them close.
    let mut random = common::Random(9);
    let places = [0.0, 30.0, 100.0, 1000.0, 1050.0];
    let matrix = Array2::from_shape_fn((200, 2), |(row, _)| places[row % 5] + random.uniform());
    assert!(Linkage::Neighbor.neighbors(200) < 40);
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = fit(&matrix);
    let dendrogram = Refine::new(1).dendrogram(&samples, &hierarchy, &mut Run::new()).unwrap();
    let clouds: Vec<usize> = (0..200).map(|row| row % 5).collect();
    assert_eq!(dendrogram.cut(5), Ok(Partition::new(&clouds).unwrap()));
    let joined = [[0, 0, 1, 2, 3], [0, 0, 1, 2, 2], [0, 0, 0, 1, 1], [0; 5]];
    for (joined, clusters) in joined.iter().zip([4, 3, 2, 1]) {
        let labels: Vec<usize> = clouds.iter().map(|&cloud| joined[cloud]).collect();
        let expected = Partition::new(&labels).unwrap();
        assert_eq!(dendrogram.cut(clusters), Ok(expected), "to {clusters}");
    }
    let heights: Vec<f64> = dendrogram.merges().iter().map(|merge| merge.height).collect();
    let (linked, far) = heights.split_at(heights.len() - 4);
    assert!(linked.is_sorted() && linked.iter().all(|height| height.is_finite()));
    assert_eq!(far, [f64::INFINITY; 4]);

    let part = Refine::new(3).dendrogram(&samples, &hierarchy, &mut Run::new()).unwrap();
    assert_eq!(part.start(), hierarchy.finest());
    assert_eq!(part.coarsest().unwrap().clusters(), 3);
    let most = hierarchy.finest().clusters();
    for requested in [0, 2, most + 1] {
        let error = Error::NoSuchCut { requested, fewest: 3, most };
        assert_eq!(part.cut(requested), Err(error));
    }
    let too_fine = Refine::new(most + 1).dendrogram(&samples, &hierarchy, &mut Run::new());
    let error = Error::TooCoarse { partition: 0, clusters: most, requested: most + 1 };
    assert_eq!(too_fine, Err(error));
}

/// Along the principal axes of the samples, means are searched where they are too few to find their own.
#[test]
fn later_levels_have_the_axes_of_the_first() {
    let mut random = common::Random(5);
    let directions = Array2::from_shape_fn((14, 60), |_| random.uniform() - 0.5);
    let matrix = Array2::from_shape_fn((22_000, 14), |_| random.uniform()).dot(&directions);
    let samples = Samples::new(matrix.view()).unwrap();
    let fit = |search| Finch::new().search(search).fit(&samples).unwrap();
    let [auto, blocked] = [Search::Auto, Search::Blocked].map(fit);
    assert_eq!(auto.partitions(), blocked.partitions());
    let level = auto.levels()[1];
    assert!((4_096..8_192).contains(&level.samples), "{level:?}");
    assert_eq!(level.choice.unwrap().search, Search::Projected);
}

/// Kept neighbours, also more than needed, give the clusters that a search of its own gives; also
/// where more samples are equal than a sample has neighbours.
#[test]
fn kept_neighbors_change_nothing() {
    for (name, matrix) in inputs(120, 3) {
        let samples = Samples::new(matrix.view()).unwrap();
        for metric in Metric::OF_NUMBERS.iter().copied() {
            let refined = [0, 5, Linkage::Neighbor.neighbors(120), 40].map(|kept| {
                let finch = Finch::new().metric(metric).keep_neighbors(kept);
                let hierarchy = finch.fit(&samples).unwrap();
                Refine::new(4).run(&samples, &hierarchy).unwrap()
            });
            assert!(refined.iter().all(|partition| *partition == refined[0]), "{name} {metric:?}");
        }
    }
    let samples = [1, 2, 3, 4, 8, 12, 47, 48, 150, 1 << 30];
    let counts = samples.map(|samples| Linkage::Neighbor.neighbors(samples));
    assert_eq!(counts, [0, 1, 1, 1, 2, 3, 8, 8, 12, 60]);
    assert_eq!([Linkage::Centroid, Linkage::Ward].map(|linkage| linkage.neighbors(100)), [0, 0]);
}

/// The recommended K on clouds that anybody would count, and some K on any input.
#[test]
fn suggests_what_can_be_seen() {
    for clouds in [2, 3, 7, 12] {
        let mut random = common::Random(clouds as u64);
        let places = Array2::from_shape_fn((clouds, 3), |_| 200.0 * random.uniform());
        let rows = 60 * clouds;
        let matrix = Array2::from_shape_fn((rows, 3), |(row, column)| {
            places[(row % clouds, column)] + 3.0 * (random.uniform() + random.uniform())
        });
        let samples = Samples::new(matrix.view()).unwrap();
        let finch = Finch::new().refinable(Linkage::Neighbor);
        let hierarchy = finch.fit(&samples).unwrap();
        let suggestion = hierarchy.suggest(&samples).unwrap();
        let truth: Vec<usize> = (0..rows).map(|row| row % clouds).collect();
        assert_eq!(suggestion.cut, Partition::new(&truth).unwrap(), "{clouds} clouds");
        assert_eq!(suggestion.has_clusters(), Some(true));
        let persistence = suggestion.persistence().unwrap();
        let dendrogram = Refine::new(1).dendrogram(&samples, &hierarchy, &mut Run::new()).unwrap();
        assert_eq!(dendrogram.cut(clouds), Ok(suggestion.cut));
        let best = &suggestion.best;
        assert!(persistence.len() == clouds);
        let least = persistence.into_iter().fold(1.0, f64::min);
        assert!(least > 0.9 && suggestion.persistence_of_best[0] > 0.9, "{least}");
        assert_eq!(suggestion.persistence_of_best.len(), best.len());
        assert!(best[0] == clouds && (1..=3).contains(&best.len()), "{best:?}");
        let apart = |a: usize, b: usize| 2 * a > 3 * b || 2 * b > 3 * a;
        let score = |k: usize| suggestion.scores[k - 2];
        for (rank, &k) in best.iter().enumerate().skip(1) {
            assert!(best[..rank].iter().all(|&other| apart(k, other)), "{best:?}");
            assert!(score(best[rank - 1]) >= score(k) && score(k) > 0.0, "{best:?}");
        }
        // No other that is apart from the first has a better score than the second.
        let others = (2..).zip(&suggestion.scores).filter(|&(k, _)| apart(k, clouds));
        let most = others.map(|(_, &score)| score).fold(0.0, f64::max);
        assert_eq!(best.get(1).map_or(0.0, |&k| score(k)), most);
    }
    let mut random = common::Random(1);
    let noise = Array2::from_shape_fn((600, 2), |_| random.uniform());
    let suggestion = fit(&noise).suggest(&Samples::new(noise.view()).unwrap()).unwrap();
    assert_eq!(suggestion.clustered, Clustered::No);
    assert!(suggestion.mixing < 0.3, "{}", suggestion.mixing);
    for (rows, columns) in [(1, 1), (2, 1), (5, 2), (130, 3)] {
        for (name, matrix) in inputs(rows, columns) {
            let samples = Samples::new(matrix.view()).unwrap();
            let hierarchy = fit(&matrix);
            let suggestion = hierarchy.suggest(&samples).unwrap();
            assert!(suggestion.partition < hierarchy.partitions().len(), "{name}");
            let clusters = suggestion.cut.clusters();
            let nested = suggestion.dendrogram.cut(clusters).unwrap();
            assert!(coarsens(&nested, hierarchy.finest()), "{name}");
            let refined = Refine::new(clusters).run(&samples, &hierarchy);
            assert_eq!(refined.as_ref(), Ok(&suggestion.cut), "{name}");
            assert_eq!(suggestion.best[0], clusters, "{name}");
            let threads = hierarchy.suggest_with(&samples, &mut Run::new().threads(3)).unwrap();
            assert_eq!(threads, suggestion, "{name}");
        }
    }
    let (four, three) = (array![[0.0], [1.0], [5.0], [7.0]], array![[0.0], [1.0], [5.0]]);
    let error = fit(&four).suggest(&Samples::new(three.view()).unwrap());
    assert_eq!(error, Err(Error::SampleCount { expected: 4, found: 3 }));
}

/// Rows of another scale, or in another order, are not those that were clustered; the same rows of another type are, dense
/// or sparse, under each metric.
#[test]
fn samples_that_were_not_clustered_are_refused() {
    let mut random = Random(7);
    let matrix =
        Array2::from_shape_fn((300, 6), |(row, _)| (row % 3) as f64 * 4.0 + random.uniform());
    let scaled = Array2::from_shape_fn((300, 6), |(row, column)| {
        matrix[(row, column)] * if column == 0 { 90.0 } else { 1.0 }
    });
    let mut turned = matrix.clone();
    turned.invert_axis(Axis(0));
    let halves = matrix.mapv(half::f16::from_f64);
    let bits = matrix.mapv(|value| u8::from(value % 1.0 > 0.5));
    for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
        let samples = Samples::new(matrix.view()).unwrap();
        let hierarchy = Finch::new().metric(metric).fit(&samples).unwrap();
        assert_eq!(hierarchy.expect_samples(&samples), Ok(()));
        assert_eq!(hierarchy.expect_samples(&Samples::new(halves.view()).unwrap()), Ok(()));
        for other in [&scaled, &turned] {
            let other = Samples::new(other.view()).unwrap();
            let refused = hierarchy.expect_samples(&other);
            assert!(matches!(refused, Err(Error::OtherSamples { .. })), "{metric:?}: {refused:?}");
            assert!(Refine::new(3).run(&other, &hierarchy).is_err());
        }
    }
    let samples = Samples::new(bits.view()).unwrap();
    let hierarchy = Finch::new().metric(Metric::Jaccard).fit(&samples).unwrap();
    assert_eq!(hierarchy.expect_samples(&samples), Ok(()));
}

#[test]
fn each_linkage_starts_from_its_partition() {
    let hierarchy = fit(&nested());
    assert_eq!(hierarchy.cluster_counts(), [5, 2]);
    for (linkage, coarse) in [(Linkage::Neighbor, 0), (Linkage::Centroid, 1), (Linkage::Ward, 1)] {
        let start = |k: usize| Refine::new(k).linkage(linkage).start(&hierarchy);
        let starts = [Ok(Some(coarse)), Ok(Some(coarse)), Ok(Some(0)), Ok(Some(0)), Ok(None)];
        assert_eq!([1, 2, 3, 5, 6].map(start), starts, "{linkage}");
        assert_eq!(Refine::new(1).linkage(linkage).from(1).start(&hierarchy), Ok(Some(1)));
        assert_eq!(start(11), Err(Error::ClusterCount { requested: 11, samples: 10 }));
    }
}

#[test]
fn splitting_keeps_the_shortest_links() {
    let matrix = array![[0.0], [3.0], [10.0], [11.0], [20.0], [22.0]];
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = fit(&matrix);
    let split = |clusters| Refine::new(clusters).run(&samples, &hierarchy).unwrap();
    assert_eq!(hierarchy.finest().clusters(), 3);
    assert_eq!(split(4).labels(), [0, 1, 2, 2, 3, 3]);
    assert_eq!(split(5).labels(), [0, 1, 2, 2, 3, 4]);
    assert_eq!(split(6).labels(), [0, 1, 2, 3, 4, 5]);
}

#[test]
fn partitions_are_looked_up_by_their_number_of_clusters() {
    let hierarchy = fit(&nested());
    assert_eq!(hierarchy.cluster_counts(), [5, 2]);
    assert_eq!([5, 4, 1].map(|k| hierarchy.at_most(k)), [Some(0), Some(1), None]);
    assert_eq!([6, 3, 1].map(|k| hierarchy.at_least(k)), [None, Some(0), Some(1)]);
    assert_eq!([0, 3, 4, 100].map(|k| hierarchy.closest(k)), [1, 1, 0, 0]);
    assert_eq!(hierarchy.partition(1), Ok(hierarchy.coarsest()));
    let missing = Error::NoSuchPartition { partition: 2, partitions: 2 };
    assert_eq!(hierarchy.partition(2), Err(missing));
}

#[test]
fn callers_may_bring_first_neighbors() {
    for (name, matrix) in inputs(120, 3) {
        let samples = Samples::new(matrix.view()).unwrap();
        for metric in Metric::OF_NUMBERS.iter().copied() {
            let finch = Finch::new().metric(metric).link_bound(LinkBound::FirstNeighbor);
            let found = finch.fit(&samples).unwrap();
            let given = finch
                .fit_given(&samples, found.first_neighbors().index(), &mut Run::new())
                .unwrap();
            assert_eq!(given.partitions(), found.partitions(), "{name}");
            assert_eq!(given.first_neighbors().distance(), found.first_neighbors().distance());
            assert_eq!(given.first_neighbors().search(), None);
            assert!(!given.first_neighbors().exact());
        }
    }
    // The clustering equation alone is the first partition.
    for (name, matrix) in inputs(120, 3) {
        let hierarchy = fit(&matrix);
        let first = hierarchy.first_neighbors().index();
        assert_eq!(Partition::of_first_neighbors(first), Ok(hierarchy.finest().clone()), "{name}");
    }
    assert_eq!(Partition::of_first_neighbors(&[]).unwrap().labels(), [0]);
    let lone = [1, 0, Neighbors::NONE, 4, 3];
    assert_eq!(Partition::of_first_neighbors(&lone).unwrap().labels(), [0, 0, 1, 2, 2]);
    let invalid = |sample, neighbor| Err(Error::InvalidNeighbor { sample, neighbor });
    assert_eq!(Partition::of_first_neighbors(&[1, 1]), invalid(1, 1));
    assert_eq!(Partition::of_first_neighbors(&[1, 2]), invalid(1, 2));
    // A ring of links is one cluster, whoever is nearest.
    let matrix = nested();
    let samples = Samples::new(matrix.view()).unwrap();
    let ring: Vec<u32> = (0..10).map(|i| (i + 1) % 10).collect();
    let hierarchy = Finch::new().fit_given(&samples, &ring, &mut Run::new()).unwrap();
    assert_eq!(hierarchy.cluster_counts(), [1]);
    assert_eq!(Refine::new(3).run(&samples, &hierarchy).unwrap().clusters(), 3);
}

#[test]
fn the_smallest_inputs() {
    let one = array![[3.0, 4.0]];
    let hierarchy = fit(&one);
    assert_eq!(hierarchy.cluster_counts(), [1]);
    assert_eq!(hierarchy.finest().labels(), [0]);
    assert!(hierarchy.first_neighbors().index().is_empty());
    let samples = Samples::new(one.view()).unwrap();
    assert_eq!(
        Finch::new().fit_given(&samples, &[], &mut Run::new()).unwrap().cluster_counts(),
        [1]
    );
    for (search, ran, reason) in [
        (Search::Auto, Search::Brute, Reason::FewSamples),
        (Search::KdTree, Search::KdTree, Reason::Asked),
    ] {
        let found = Finch::new().search(search).first_neighbors(&samples, &mut Run::new());
        let choice = found.unwrap().choice().unwrap();
        assert_eq!((choice.search, choice.reason), (ran, reason));
    }

    let two = array![[3.0], [4.0]];
    let hierarchy = fit(&two);
    assert_eq!(hierarchy.cluster_counts(), [1]);
    let samples = Samples::new(two.view()).unwrap();
    assert_eq!(Refine::new(2).run(&samples, &hierarchy).unwrap().labels(), [0, 1]);
}

#[test]
fn bad_requests_are_errors_that_say_where() {
    let new = |matrix: Array2<f64>| Samples::new(matrix.view()).map(|_| ());
    assert_eq!(new(Array2::zeros((0, 3))), Err(Error::NoSamples));
    assert_eq!(new(Array2::zeros((0, 0))), Err(Error::NoSamples));
    assert_eq!(new(Array2::zeros((3, 0))), Err(Error::NoFeatures));
    for value in [f64::INFINITY, f64::NEG_INFINITY] {
        let matrix = array![[0.0, 1.0], [2.0, value]];
        assert_eq!(new(matrix), Err(Error::NonFinite { row: 1, column: 1, value }));
    }
    let nan = new(array![[0.0, 1.0], [f64::NAN, 2.0], [f64::INFINITY, 1.0]]).unwrap_err();
    assert!(matches!(nan, Error::NonFinite { row: 1, column: 0, .. }));
    assert!(nan.to_string().contains("row 1, column 0"), "{nan}");
    let large = new(array![[0.0], [-1e141]]);
    assert_eq!(large, Err(Error::TooLarge { row: 1, column: 0, value: -1e141 }));
    let small = new(array![[0.0, 1e-150], [-1e-160, 0.0]]);
    assert_eq!(small, Err(Error::TooSmall { largest: 1e-150 }));
    assert_eq!(new(Array2::zeros((3, 2))), Ok(()));
    let zero_rows = Array2::from_elem((i32::MAX as usize + 1, 1), 0u8);
    assert_eq!(
        Samples::new(zero_rows.view()).map(|_| ()),
        Err(Error::TooManySamples { samples: 1 << 31 })
    );
    drop(zero_rows);

    let matrix = nested();
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = fit(&matrix);
    let wider = Array2::<f64>::zeros((10, 3));
    let other = Refine::new(2).run(&Samples::new(wider.view()).unwrap(), &hierarchy);
    assert_eq!(
        other.map(|_| ()),
        Err(Error::FeatureCount { expected: hierarchy.features(), found: 3 })
    );
    let refine = |refine: Refine| refine.run(&samples, &hierarchy).map(|_| ());
    for requested in [0, 11, usize::MAX] {
        let error = Error::ClusterCount { requested, samples: 10 };
        assert_eq!(refine(Refine::new(requested)), Err(error));
    }
    assert_eq!(
        refine(Refine::new(2).from(2)),
        Err(Error::NoSuchPartition { partition: 2, partitions: 2 })
    );
    assert_eq!(
        refine(Refine::new(3).from(1)),
        Err(Error::TooCoarse { partition: 1, clusters: 2, requested: 3 })
    );
    let fewer = matrix.slice(ndarray::s![..4, ..]);
    assert_eq!(
        Refine::new(2).run(&Samples::new(fewer).unwrap(), &hierarchy),
        Err(Error::SampleCount { expected: 10, found: 4 })
    );

    let given =
        |first: &[u32]| Finch::new().fit_given(&samples, first, &mut Run::new()).map(|_| ());
    assert_eq!(given(&[1, 0]), Err(Error::NeighborCount { neighbors: 2, expected: 10 }));
    assert_eq!(given(&[0; 10]), Err(Error::InvalidNeighbor { sample: 0, neighbor: 0 }));
    let mut beyond = [1; 10];
    beyond[1] = 10;
    assert_eq!(given(&beyond), Err(Error::InvalidNeighbor { sample: 1, neighbor: 10 }));

    let narrow = Array2::<f64>::zeros((9, Search::PROJECTED_FEATURES - 1));
    let axes = Finch::new().search(Search::Projected).fit(&Samples::new(narrow.view()).unwrap());
    assert!(matches!(axes, Err(Error::UnsupportedSearch { search: "projected", .. })));
}

#[test]
fn progress_is_told_in_order_on_the_calling_thread() {
    let matrix =
        Array2::from_shape_fn((4000, 30), |(row, column)| ((row * 37 + column * 11) as f64).sin());
    let samples = Samples::new(matrix.view()).unwrap();
    let caller = thread::current().id();
    let searches = [Search::Brute, Search::Blocked];
    for (search, threads) in searches.into_iter().flat_map(|search| [(search, 1), (search, 2)]) {
        let mut told = Vec::new();
        let mut run = Run::new().threads(threads).progress(|progress: Progress| {
            assert_eq!(thread::current().id(), caller);
            told.push(progress);
            ControlFlow::Continue(())
        });
        let finch = Finch::new().search(search);
        let hierarchy = finch.fit_with(&samples, &mut run).unwrap();
        assert_eq!(hierarchy, finch.fit(&samples).unwrap());
        Refine::new(2).from(0).run_with(&samples, &hierarchy, &mut run).unwrap();
        drop(run);
        for pair in told.windows(2) {
            if pair[0].stage == pair[1].stage {
                assert!(pair[0].fraction <= pair[1].fraction, "{pair:?}");
            } else {
                assert_eq!((pair[0].fraction, pair[1].fraction), (1.0, 0.0), "{pair:?}");
            }
        }
        let ends = [told[0], told[told.len() - 1]].map(|told| (told.stage, told.fraction));
        assert_eq!(ends, [(Stage::Neighbors { level: 0 }, 0.0), (Stage::Link, 1.0)]);
    }
}

#[test]
fn the_callback_stops_the_run_at_any_of_its_calls() {
    let matrix =
        Array2::from_shape_fn((3000, 20), |(row, column)| ((row * 37 + column * 11) as f64).sin());
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = Finch::new().fit(&samples).unwrap();
    let searches = [Search::Brute, Search::Blocked];
    for (search, threads) in searches.into_iter().flat_map(|search| [(search, 0), (search, 1)]) {
        let mut stopped = 0;
        for calls in 0.. {
            let mut run = Run::new().threads(threads).progress(common::stop_after(calls));
            match Finch::new().search(search).fit_with(&samples, &mut run) {
                Err(error) => assert_eq!(error, Error::Cancelled),
                Ok(_) => break,
            }
            stopped += 1;
        }
        // At least at the start and the end of each level. The last level gives no partition.
        assert!(stopped >= 2 * hierarchy.partitions().len(), "{stopped}");
    }
    let mut stop = Run::new().progress(|_| ControlFlow::Break(()));
    for linkage in Linkage::ALL.iter().copied() {
        let refine = Refine::new(2).linkage(linkage).from(0);
        let refined = refine.run_with(&samples, &hierarchy, &mut stop);
        assert_eq!(refined, Err(Error::Cancelled));
    }
    let mut stop = Run::new().progress(|progress| match (progress.stage, progress.fraction) {
        (Stage::Link, fraction) if fraction > 0.0 => ControlFlow::Break(()),
        _ => ControlFlow::Continue(()),
    });
    let suggested = hierarchy.suggest_with(&samples, &mut stop);
    assert_eq!(suggested, Err(Error::Cancelled));
    let dendrogram = Refine::new(2).dendrogram(&samples, &hierarchy, &mut stop);
    assert_eq!(dendrogram, Err(Error::Cancelled));
}

/// Each worker that waits for a watched run must not be one that the run needs.
#[test]
fn watched_runs_may_start_on_worker_threads() {
    let matrix = nested();
    let samples = Samples::new(matrix.view()).unwrap();
    (0..8).into_par_iter().for_each(|_| {
        for threads in 0..3 {
            let mut go_on = Run::new().threads(threads).progress(|_| ControlFlow::Continue(()));
            let hierarchy = Finch::new().fit_with(&samples, &mut go_on).unwrap();
            assert_eq!(hierarchy.cluster_counts(), [5, 2]);
        }
    });
}

#[test]
fn a_panic_of_the_callback_reaches_the_caller_and_stops_the_run() {
    let matrix =
        Array2::from_shape_fn((3000, 20), |(row, column)| ((row * 37 + column * 11) as f64).sin());
    let samples = Samples::new(matrix.view()).unwrap();
    for (threads, calls) in [(0, 0), (0, 1), (1, 0), (1, 1), (2, 1)] {
        let run = || {
            let mut stop = common::stop_after(calls);
            let mut run = Run::new().threads(threads).progress(|progress| match stop(progress) {
                ControlFlow::Break(()) => panic!("of the callback"),
                go_on => go_on,
            });
            Finch::new().search(Search::Brute).fit_with(&samples, &mut run)
        };
        let panic = std::panic::catch_unwind(run).unwrap_err();
        assert_eq!(panic.downcast_ref(), Some(&"of the callback"));
    }
}

#[test]
fn names_are_parsed_as_they_are_printed() {
    for metric in Metric::ALL {
        assert_eq!(metric.to_string().parse(), Ok(*metric));
    }
    for search in Search::ALL {
        assert_eq!(search.name().parse(), Ok(*search));
    }
    let error = "chebyshev".parse::<Metric>().unwrap_err().to_string();
    assert!(error.contains("chebyshev") && error.contains("manhattan"), "{error}");
}

/// Distances whose squares vanish still count under Manhattan, where nothing is squared.
#[test]
fn tiny_manhattan_distances_are_not_squared() {
    let tiny = [0.0, 0.1, 10.0, 10.1, 13.0, 13.1].map(|x| x * 1e-170);
    let matrix = Array2::from_shape_vec((8, 1), [&tiny[..], &[1.0, 1.0]].concat()).unwrap();
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = Finch::new().metric(Metric::Manhattan).fit(&samples).unwrap();
    let refine = Refine::new(3).linkage(Linkage::Centroid).from(0);
    let three = refine.run(&samples, &hierarchy).unwrap();
    assert_eq!(three.labels(), [0, 0, 1, 1, 1, 1, 2, 2]);
}

/// The warnings of ties of the first neighbours that are exactly as near as another sample: the share.
fn ties(hierarchy: &Hierarchy) -> Option<f64> {
    hierarchy.warnings().iter().find_map(|warning| match warning {
        Warning::Ties { share, .. } => Some(*share),
        _ => None,
    })
}

/// The share by its definition.
fn ties_by_definition(matrix: &Array2<f64>) -> f64 {
    let row = |row: usize| matrix.row(row);
    let key = |a: usize, b: usize| (&row(a) - &row(b)).mapv(|x| x * x).sum();
    let others = |of: usize| (0..matrix.nrows()).filter(move |&other| other != of);
    let tied = (0..matrix.nrows()).filter(|&sample| {
        let nearest = others(sample).map(|other| key(sample, other)).fold(f64::INFINITY, f64::min);
        let mut as_near = others(sample).filter(|&other| key(sample, other) == nearest);
        let first = as_near.next().unwrap();
        nearest > 0.0 && as_near.any(|other| row(other) != row(first))
    });
    tied.count() as f64 / matrix.nrows() as f64
}

#[test]
fn many_ties_are_a_warning_whatever_searches() {
    let answers = |rows: usize, columns: usize, choices: usize| {
        let random = &mut Random(rows as u64);
        Array2::from_shape_fn((rows, columns), |_| random.below(choices) as f64)
    };
    let line = |rows: usize| Array2::from_shape_fn((rows, 1), |(row, _)| row as f64);
    let pairs = Array2::from_shape_fn((90, 1), |(row, _)| (row / 2 * 10 + row % 2) as f64);
    let random = &mut Random(3);
    let continuous = Array2::from_shape_fn((400, 3), |_| random.uniform());
    for (name, matrix, warned) in [
        ("answers", answers(128, 6, 5), true),
        ("bits", answers(100, 9, 2), true),
        ("a grid", line(40), true),
        ("repeated rows", answers(120, 2, 5), false),
        ("pairs, whose distances are all equal", pairs, false),
        ("no ties", continuous, false),
    ] {
        let expected = ties_by_definition(&matrix);
        assert_eq!(expected > 0.25, warned, "{name}: {expected}");
        let expected = Some(expected).filter(|_| warned);
        let samples = Samples::new(matrix.view()).unwrap();
        for search in [Search::Auto, Search::Brute, Search::KdTree, Search::Blocked] {
            let finch = Finch::new().search(search);
            let alone = ties(&finch.fit(&samples).unwrap());
            assert_eq!(alone, expected, "{name}, {search:?}");
            assert_eq!(ties(&finch.keep_neighbors(9).fit(&samples).unwrap()), expected, "{name}");
        }
        let of_neighbors = Finch::new().nearest_neighbors(&samples, 12, &mut Run::new()).unwrap();
        let graph = Finch::new().fit_graph(of_neighbors, &mut Run::new()).unwrap();
        assert_eq!(ties(&graph), expected, "{name}");
        // Of samples that stand for two rows each, one of these is nearest.
        let weights = vec![2.0; samples.len()];
        let weighted = Finch::new().fit_weighted(&samples, &weights, &mut Run::new()).unwrap();
        assert_eq!(ties(&weighted), None, "{name}");
    }
    // Of more samples, some are looked at.
    let matrix = answers(2_000, 10, 5);
    let found = ties(&Finch::new().fit(&Samples::new(matrix.view()).unwrap()).unwrap()).unwrap();
    let expected = ties_by_definition(&matrix);
    assert!((found - expected).abs() < 0.12, "{found}, and not {expected}");
}
