//! Neighbours and distances that the caller brings: tables as other programs give them, graphs and
//! distance matrices, later levels against their definition, and every fault of them.

use crate::common::{Random, inputs, stop_after};
use finch_core::{
    Error, Finch, Hierarchy, LinkBound, Linkage, Metric, Neighbors, Partition, Refine, Run,
    Samples, Search, Stage, Warning,
};
use ndarray::{Array2, ArrayView2, ShapeBuilder, array, s};

const METRICS: [Metric; 3] = [Metric::Euclidean, Metric::Cosine, Metric::Manhattan];

fn run() -> Run<'static> {
    Run::new()
}

/// The nearest neighbours by brute force, `k` of each sample or as many as there are.
fn nearest(matrix: &Array2<f64>, metric: Metric, k: usize) -> Neighbors {
    let samples = Samples::new(matrix.view()).unwrap();
    let k = k.min(matrix.nrows() - 1);
    let finch = Finch::new().metric(metric).search(Search::Brute);
    finch.nearest_neighbors(&samples, k, &mut run()).unwrap()
}

/// The distances of all pairs.
fn distances(matrix: &Array2<f64>, metric: Metric) -> Array2<f64> {
    let table = nearest(matrix, metric, matrix.nrows() - 1);
    // Of a zero row and another row, under cosine.
    let mut distances = Array2::from_elem((matrix.nrows(), matrix.nrows()), 2.0);
    distances.diag_mut().fill(0.0);
    for ((row, column), &other) in table.index().indexed_iter() {
        if other != Neighbors::NONE {
            distances[[row, other as usize]] = table.distance()[[row, column]];
        }
    }
    distances
}

fn given(index: &Array2<i64>, distance: &Array2<f64>) -> Result<Neighbors, Error> {
    Neighbors::given(index.view(), distance.view(), &mut run())
}

fn graph(neighbors: Neighbors) -> Hierarchy {
    Finch::new().fit_graph(neighbors, &mut run()).unwrap()
}

fn of_distances(distances: &Array2<f64>) -> Hierarchy {
    Finch::new().fit_distances(distances.view(), &mut run()).unwrap()
}

/// Algorithm 1 by the mean of the distances that are known, level after level from all pairs of samples.
/// An unknown distance is NaN.
fn by_definition(known: &Array2<f64>) -> Vec<Partition> {
    let samples = known.nrows();
    let mut newest = Partition::new(&(0..samples).collect::<Vec<_>>()).unwrap();
    let mut partitions = Vec::new();
    loop {
        let clusters = newest.clusters();
        let mut sums = Array2::<f64>::zeros((clusters, clusters));
        let mut pairs = Array2::<f64>::zeros((clusters, clusters));
        for ((i, j), &distance) in known.indexed_iter().filter(|(_, distance)| !distance.is_nan()) {
            let [a, b] = [i, j].map(|sample| newest.labels()[sample] as usize);
            sums[[a, b]] += distance;
            pairs[[a, b]] += 1.0;
        }
        let mut labels: Vec<usize> = (0..clusters).collect();
        for a in 0..clusters {
            let mut best = (f64::INFINITY, a);
            for b in (0..clusters).filter(|&b| b != a && pairs[[a, b]] > 0.0) {
                let place = [a.min(b), a.max(b)];
                let mean = sums[place] / pairs[place];
                if mean < best.0 {
                    best = (mean, b);
                }
            }
            let [from, to] = [labels[a], labels[best.1]];
            labels.iter_mut().filter(|label| **label == from).for_each(|label| *label = to);
        }
        let merged: Vec<usize> =
            newest.labels().iter().map(|&cluster| labels[cluster as usize]).collect();
        let merged = Partition::new(&merged).unwrap();
        let ends = merged.clusters() == 1 || merged.clusters() == clusters;
        // The first partition stands even if it is one cluster.
        if ends && !partitions.is_empty() {
            return partitions;
        }
        partitions.push(merged.clone());
        newest = merged;
    }
}

/// The known distances of a table: of a pair in two rows, that in the row of the smaller number.
fn known(table: &Neighbors) -> Array2<f64> {
    let mut known = Array2::from_elem((table.samples(), table.samples()), f64::NAN);
    for ((row, column), &distance) in table.distance().indexed_iter() {
        let other = table.index()[[row, column]] as usize;
        if other == Neighbors::NONE as usize {
            continue;
        }
        if row < other || known[[row, other]].is_nan() {
            known[[row, other]] = distance;
            known[[other, row]] = distance;
        }
    }
    known
}

#[test]
fn neighbors_of_a_search_give_what_a_search_gives() {
    for (rows, columns) in [(2, 1), (3, 2), (60, 2), (110, 12)] {
        for (name, matrix) in inputs(rows, columns) {
            let samples = Samples::new(matrix.view()).unwrap();
            for metric in METRICS {
                let finch = Finch::new().metric(metric).search(Search::Brute);
                let searched = finch.refinable(Linkage::Neighbor).fit(&samples).unwrap();
                let table = nearest(&matrix, metric, Linkage::Neighbor.neighbors(rows));
                let brought = finch.fit_neighbors(&samples, table.clone(), &mut run()).unwrap();
                assert_eq!(brought, searched, "{name} {metric:?}");
                assert_eq!(brought.levels()[0].choice, None);
                for clusters in 1..=rows.min(9) {
                    let refine = Refine::new(clusters);
                    let [a, b] = [&brought, &searched].map(|of| refine.run(&samples, of).unwrap());
                    assert_eq!(a, b, "{name} {metric:?} {clusters}");
                }
                assert_eq!(brought.suggest(&samples), searched.suggest(&samples));

                // The same merges without samples, where links connect all.
                let graph = finch.fit_graph(table, &mut run()).unwrap();
                assert_eq!(graph.finest(), searched.finest());
                assert_eq!((graph.features(), graph.neighbors()), (0, searched.neighbors()));
                let of_graph = Refine::new(1).dendrogram_without_samples(&graph, &mut run());
                let expected = Refine::new(1).dendrogram(&samples, &searched, &mut run()).unwrap();
                let merges = of_graph.as_ref().unwrap().merges();
                let links = merges.iter().filter(|merge| merge.height.is_finite()).count();
                if links == merges.len() {
                    assert_eq!(merges, expected.merges(), "{name} {metric:?}");
                }
                assert!(merges[links..].iter().all(|merge| merge.height.is_infinite()));
            }
        }
    }
}

/// Rows with the sample itself first, somewhere or nowhere, in any order, with −1 at the end.
#[test]
fn tables_as_other_programs_give_them() {
    let mut random = Random(7);
    for (name, matrix) in inputs(70, 3) {
        let table = nearest(&matrix, Metric::Euclidean, 6);
        let (index, distance) = (table.index(), table.distance());
        let plain = given(&index.mapv(i64::from), &distance.to_owned()).unwrap();
        assert_eq!(plain.distance(), distance, "{name}");
        assert_eq!((plain.choice(), plain.exact(), plain.search()), (None, false, None));
        for (row, distances) in plain.index().outer_iter().zip(distance.outer_iter()) {
            let sorted =
                (1..6).all(|at| distances[at - 1] < distances[at] || row[at - 1] < row[at]);
            assert!(sorted, "{name}: equal distances go to the smaller number");
        }
        for kind in 0..4 {
            let mut rows = Array2::from_elem((70, 9), -1_i64);
            let mut values = Array2::from_elem((70, 9), f64::NAN);
            for sample in 0..70 {
                let mut row: Vec<(i64, f64)> = (index.row(sample).iter())
                    .map(|&other| i64::from(other))
                    .zip(distance.row(sample).iter().copied())
                    .collect();
                match kind {
                    0 => row.insert(0, (sample as i64, 0.0)),
                    1 => row.insert(random.below(7), (sample as i64, 1e-9)),
                    2 => row.reverse(),
                    // Among the sample's equals, twice, and shuffled.
                    _ => {
                        row.extend([(sample as i64, 0.0), (sample as i64, f64::NAN)]);
                        (1..row.len()).for_each(|at| row.swap(at, random.below(at + 1)));
                    }
                }
                for (place, (other, value)) in row.into_iter().enumerate() {
                    (rows[[sample, place]], values[[sample, place]]) = (other, value);
                }
            }
            assert_eq!(given(&rows, &values).unwrap(), plain, "{name} {kind}");
            let columns = s![.., ..;-1];
            let (reversed, of_reversed) = (rows.slice(columns), values.slice(columns));
            let reversed = Neighbors::given(reversed, of_reversed, &mut run().threads(2));
            assert_eq!(reversed.unwrap(), plain, "{name} {kind}");
            let narrow =
                Neighbors::given(rows.mapv(|i| i as i32).view(), values.view(), &mut run());
            assert_eq!(narrow.unwrap(), plain);
        }
    }
}

#[test]
fn each_row_keeps_its_own_neighbors() {
    const NONE: u32 = Neighbors::NONE;
    const FAR: f64 = f64::INFINITY;
    // Two equal samples, of which each row names the same one first, as k-d trees do.
    let index = array![[0, 1, 2], [0, 1, 2], [2, 0, 1], [3, 2, -1]];
    let distance = array![[0.0, 0.0, 3.0], [0.0, 0.0, 3.0], [0.0, 3.0, 3.0], [0.0, 5.0, f64::MAX]];
    let table = given(&index, &distance).unwrap();
    assert_eq!((table.k(), table.samples()), (2, 4));
    assert_eq!(table.index(), array![[1, 2], [0, 2], [0, 1], [2, NONE]]);
    assert_eq!(table.distance(), array![[0.0, 3.0], [0.0, 3.0], [3.0, 3.0], [5.0, FAR]]);
    assert_eq!([0, 1, 2, 3].map(|sample| table.count(sample)), [2, 2, 2, 1]);
    assert_eq!((table.alone().count(), table.clone().expect_none_alone()), (0, Ok(table)));
    let all = given(&index.slice(s![..3, ..]).to_owned(), &distance.slice(s![..3, ..]).to_owned());
    assert_eq!(all.unwrap().index(), array![[1, 2], [0, 2], [0, 1]]);
    // Not the zero that is below zero.
    let zeros =
        given(&array![[2, 1], [0, 2], [0, 1]], &array![[-0.0, 0.0], [0.0, 1.0], [0.0, 1.0]]);
    assert_eq!(zeros.unwrap().index().row(0), array![1, 2]);
}

#[test]
fn faults_of_tables() {
    let index = array![[1, 2], [0, 2], [1, 0]];
    let distance = array![[1.0, 2.0], [1.0, 1.5], [1.5, 2.0]];
    assert!(given(&index, &distance).is_ok());
    let changed = |row: usize, column: usize, neighbor: i64| {
        let mut index = index.clone();
        index[[row, column]] = neighbor;
        given(&index, &distance)
    };
    let at = |row, column, neighbor, reason| {
        Err(Error::InvalidNeighborAt { row, column, neighbor, reason })
    };
    let none = "is no sample: count samples from 0, and give -1 for none";
    for neighbor in [3, -2, i64::MAX, i64::MIN, 1 << 32] {
        assert_eq!(changed(1, 0, neighbor), at(1, 0, neighbor, none));
    }
    assert_eq!(changed(2, 1, 1), at(2, 1, 1, "is in the row twice"));
    assert_eq!(changed(0, 0, -1).unwrap().count(0), 1);
    assert_eq!(changed(0, 0, 0).unwrap().count(0), 1);
    let alone = given(&array![[1, 2], [1, -1], [-1, 2]], &distance).unwrap();
    assert_eq!(alone.alone().collect::<Vec<_>>(), [1, 2]);
    assert_eq!(alone.expect_none_alone(), Err(Error::NoNeighbor { sample: 1 }));
    assert_eq!(given(&Array2::zeros((0, 3)), &Array2::zeros((0, 3))), Err(Error::NoSamples));
    let (expected, found) = ([3, 2], [2, 3]);
    let shape = Err(Error::Shape { what: "the table of distances", expected, found });
    assert_eq!(given(&index, &Array2::zeros((2, 3))), shape);
    for (value, reason) in [
        (-1.0, "is negative"),
        (f64::NEG_INFINITY, "is not finite"),
        (1e281, "is too large to be summed up: rescale the distances"),
    ] {
        let mut distance = distance.clone();
        distance[[2, 1]] = value;
        let error = given(&index, &distance).unwrap_err();
        let place = format!("row: 2, column: 1, value: {value:?}");
        assert!(format!("{error:?}").contains(&place));
        assert!(error.to_string().ends_with(reason), "{error}");
    }
    let matrix = array![[0.0], [1.0]];
    let samples = Samples::new(matrix.view()).unwrap();
    let table = given(&index, &distance).unwrap();
    let error = Finch::new().fit_neighbors(&samples, table, &mut run());
    assert_eq!(error, Err(Error::SampleCount { expected: 3, found: 2 }));
}

/// Five clouds of 100 samples, and the 16 nearest of each.
fn five_clouds() -> (Array2<f64>, Array2<i64>, Array2<f64>) {
    let mut random = Random(3);
    let matrix = Array2::from_shape_fn((500, 5), |(row, column)| {
        let normal: f64 = (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
        normal + if row / 100 == column { 8.0 } else { 0.0 }
    });
    let table = nearest(&matrix, Metric::Euclidean, 16);
    let (index, distance) = (table.index().mapv(i64::from), table.distance().to_owned());
    (matrix, index, distance)
}

fn is_each_cloud(partition: &Partition) -> bool {
    partition.clusters() == 5 && (0..500).all(|row| partition.labels()[row] as usize == row / 100)
}

#[test]
fn a_short_list_shortens_no_other() {
    let (matrix, mut index, mut distance) = five_clouds();
    let samples = Samples::new(matrix.view()).unwrap();
    let whole = given(&index, &distance).unwrap();
    index.slice_mut(s![0, 2..]).fill(-1);
    // Infinitely far, and no distance at all, are as good as -1.
    distance.slice_mut(s![7, 3..]).fill(f64::INFINITY);
    distance.slice_mut(s![8, 3..]).fill(f64::NAN);
    let table = given(&index, &distance).unwrap();
    assert_eq!((table.k(), table.count(0), table.count(7), table.count(8)), (16, 2, 3, 3));
    let rest = s![9.., ..];
    assert_eq!(table.index().slice(rest), whole.index().slice(rest));
    let graph = graph(table.clone());
    assert_eq!(graph.partitions(), by_definition(&known(&table)));
    let brought = Finch::new().fit_neighbors(&samples, table, &mut run()).unwrap();
    for (hierarchy, samples) in [(&graph, None), (&brought, Some(&samples))] {
        let (suggestion, refined) = match samples {
            None => (
                hierarchy.suggest_without_samples(&mut run()),
                Refine::new(5).run_without_samples(hierarchy, &mut run()),
            ),
            Some(samples) => (hierarchy.suggest(samples), Refine::new(5).run(samples, hierarchy)),
        };
        assert!(is_each_cloud(&suggestion.unwrap().cut));
        assert!(is_each_cloud(&refined.unwrap()));
    }
}

/// In a radius graph rows are of any length.
#[test]
fn rows_of_any_length_make_the_clusters_of_their_pairs() {
    let (matrix, ..) = five_clouds();
    let samples = Samples::new(matrix.view()).unwrap();
    let all = distances(&matrix, Metric::Euclidean);
    let within = |radius: f64| {
        let near = |i: usize| (0..500).filter(move |&j| j != i);
        let rows: Vec<Vec<usize>> =
            (0..500).map(|i| near(i).filter(|&j| all[[i, j]] <= radius).collect()).collect();
        let longest = rows.iter().map(Vec::len).max().unwrap();
        let mut index = Array2::from_elem((500, longest), -1_i64);
        let mut distance = Array2::from_elem((500, longest), f64::NAN);
        for (i, row) in rows.iter().enumerate() {
            for (place, &j) in row.iter().enumerate() {
                (index[[i, place]], distance[[i, place]]) = (j as i64, all[[i, j]]);
            }
        }
        given(&index, &distance).unwrap()
    };
    let table = within(2.0);
    let alone: Vec<usize> = table.alone().collect();
    assert!((5..60).contains(&alone.len()), "{}", alone.len());
    assert!((0..500).any(|sample| table.count(sample) > 40));
    let graph = graph(table.clone());
    assert_eq!(graph.partitions(), by_definition(&known(&table)));
    for partition in graph.partitions() {
        let sizes = partition.sizes();
        assert!(alone.iter().all(|&sample| sizes[partition.labels()[sample] as usize] == 1));
    }
    for (sample, (&first, &distance)) in
        graph.first_neighbors().index().iter().zip(graph.first_neighbors().distance()).enumerate()
    {
        let none = (Neighbors::NONE, f64::INFINITY);
        assert_eq!((first, distance) == none, alone.contains(&sample));
        assert!(first == Neighbors::NONE || (first as usize) < 500);
    }
    let refined = Refine::new(5 + alone.len()).run_without_samples(&graph, &mut run()).unwrap();
    assert_eq!(refined.clusters(), 5 + alone.len());
    // Of samples the means are known, so that in later partitions nobody stays alone.
    let bounded = Finch::new().link_bound(LinkBound::FirstNeighbor);
    let brought = bounded.fit_neighbors(&samples, table.clone(), &mut run()).unwrap();
    assert_eq!(brought.finest(), graph.finest());
    let joined = Finch::new().link_bound(LinkBound::JoinedPair);
    let joined = joined.fit_neighbors(&samples, table.clone(), &mut run()).unwrap();
    assert_eq!(joined.finest(), graph.finest());
    let scores = brought.outlier_scores(&samples, &mut run()).unwrap();
    assert!(scores.iter().all(|score| (0.0..=1.0).contains(score)));
    assert!(alone.iter().all(|&sample| scores[sample] == 1.0));
    assert!(is_each_cloud(&Refine::new(5).run(&samples, &brought).unwrap()));
    // Up to the coarsest of all: every row is empty.
    let none = within(0.01);
    assert_eq!((none.k(), none.alone().count()), (1, 500));
    assert_eq!(none, given(&Array2::zeros((500, 0)), &Array2::zeros((500, 0))).unwrap());
    let apart = Finch::new().fit_graph(none.clone(), &mut run()).unwrap();
    assert_eq!(apart.cluster_counts(), [500]);
    assert_eq!(apart.suggest_without_samples(&mut run()).unwrap().cut.clusters(), 500);
    assert_eq!(Refine::new(3).run_without_samples(&apart, &mut run()).unwrap().clusters(), 3);
    assert_eq!(apart.tree().unwrap().leaves(), 500);
    let brought = Finch::new().fit_neighbors(&samples, none, &mut run()).unwrap();
    assert_eq!(brought.cluster_counts()[0], 500);
    // The means of single samples are the samples.
    let of_samples = Finch::new().fit(&samples).unwrap();
    assert_eq!(&brought.partitions()[1..], of_samples.partitions());
}

#[test]
fn a_distance_matrix_gives_the_first_partition_of_the_samples() {
    for (rows, columns) in [(2, 2), (3, 1), (110, 2), (150, 20)] {
        for (name, matrix) in inputs(rows, columns) {
            let samples = Samples::new(matrix.view()).unwrap();
            for metric in METRICS {
                let finch = Finch::new().metric(metric).keep_neighbors(rows);
                let searched = finch.search(Search::Brute).fit(&samples).unwrap();
                // A matrix cannot say that zero rows are near to no other row.
                if searched.warnings().iter().any(|w| matches!(w, Warning::ZeroRows { .. }))
                    && metric == Metric::Cosine
                {
                    continue;
                }
                let distances = distances(&matrix, metric);
                let found = finch.fit_distances(distances.view(), &mut run()).unwrap();
                let [a, b] = [&found, &searched].map(|of| of.neighbors().unwrap());
                assert_eq!(a.distance(), b.distance(), "{name} {metric:?}");
                // Two keys may round to one distance, and no matrix tells the nearer one.
                let [a, b] = [&found, &searched].map(|of| of.first_neighbors());
                let same = a.index() == b.index();
                let equal = (0..rows).all(|i| {
                    distances[[i, a.index()[i] as usize]] == distances[[i, b.index()[i] as usize]]
                });
                assert!(equal && (same || metric != Metric::Manhattan), "{name} {metric:?}");
                assert!(!same || found.finest() == searched.finest(), "{name} {metric:?}");
                let first = Partition::of_first_neighbors(a.index()).unwrap();
                assert_eq!(found.finest(), &first);
            }
        }
    }
}

/// Distances in whole numbers, whose sums are exact in any order: with many ties, and with few.
fn whole(random: &mut Random, samples: usize, below: usize) -> Array2<f64> {
    let mut distances = Array2::zeros((samples, samples));
    for (i, j) in (0..samples).flat_map(|j| (0..j).map(move |i| (i, j))) {
        let distance = random.below(below) as f64;
        (distances[[i, j]], distances[[j, i]]) = (distance, distance);
    }
    distances
}

#[test]
fn later_levels_are_as_defined() {
    let mut random = Random(3);
    let mut depths = [0; 8];
    for samples in [1, 2, 3, 4, 9, 40, 130] {
        for below in [1, 2, 4, 1_000_000] {
            let distances = whole(&mut random, samples, below);
            let found = of_distances(&distances);
            assert_eq!(found.partitions(), by_definition(&distances), "{samples} {below}");
            depths[found.partitions().len()] += 1;
            for k in [1, 2, 5].into_iter().filter(|&k| k < samples) {
                let kept = found.neighbors().unwrap();
                let keeping = Finch::new().keep_neighbors(k.max(kept.k()));
                let kept = keeping.fit_distances(distances.view(), &mut run()).unwrap();
                let table = kept.neighbors().unwrap().nearest(k).unwrap();
                let defined = by_definition(&known(&table));
                assert_eq!(graph(table).partitions(), defined, "{samples} {below} {k}");
            }
        }
    }
    // Deeper ones: the distances of points on a grid.
    for (points, side) in [(150, 20), (400, 1_000)] {
        let points: Vec<[usize; 2]> =
            (0..points).map(|_| [(); 2].map(|()| random.below(side))).collect();
        let distances = Array2::from_shape_fn((points.len(), points.len()), |(i, j)| {
            (0..2).map(|axis| points[i][axis].abs_diff(points[j][axis])).sum::<usize>() as f64
        });
        let found = of_distances(&distances);
        assert_eq!(found.partitions(), by_definition(&distances), "{side}");
        depths[found.partitions().len()] += 1;
        let table = found.neighbors().unwrap().nearest(6).unwrap();
        assert_eq!(graph(table.clone()).partitions(), by_definition(&known(&table)), "{side}");
    }
    assert!(depths[3..].iter().sum::<i32>() > 0, "{depths:?}");
    for (rows, columns) in [(60, 2), (120, 5)] {
        let matrix = Array2::from_shape_simple_fn((rows, columns), || random.uniform());
        for metric in METRICS {
            let distances = distances(&matrix, metric);
            assert_eq!(of_distances(&distances).partitions(), by_definition(&distances));
            for k in [2, 4, 9] {
                let table = nearest(&matrix, metric, k);
                assert_eq!(graph(table.clone()).partitions(), by_definition(&known(&table)));
            }
        }
    }
}

/// A pair whose two rows disagree has the distance of the row of the smaller number, and one that a
/// single row names has that.
#[test]
fn a_known_distance_counts_once() {
    let index = array![[1, 2], [0, 2], [3, 1], [2, 4], [5, 3], [4, 3]];
    let distance = array![[1.0, 9.0], [1.0, 5.0], [1.0, 7.0], [1.0, 6.0], [1.0, 8.0], [1.0, 3.0]];
    let table = given(&index, &distance).unwrap();
    let found = graph(table.clone());
    assert_eq!(found.partitions(), by_definition(&known(&table)));
    // Of clusters 0, 1 are known 9 and 5, but not 7 again; of 1, 2 are known 6 and 3.
    assert_eq!(found.cluster_counts(), [3]);
    let bounded = Finch::new().link_bound(LinkBound::FirstNeighbor);
    assert_eq!(bounded.fit_graph(table, &mut run()).unwrap().cluster_counts(), [3]);
}

#[test]
fn the_smallest_inputs() {
    for samples in 1..=3 {
        let matrix = Array2::from_shape_fn((samples, 1), |(row, _)| (row * row) as f64);
        let of_samples = Finch::new().fit(&Samples::new(matrix.view()).unwrap()).unwrap();
        let found = of_distances(&if samples == 1 {
            Array2::zeros((1, 1))
        } else {
            distances(&matrix, Metric::Euclidean)
        });
        assert_eq!(found.partitions(), of_samples.partitions());
        let (index, distance) = match samples {
            1 => (array![[0]], array![[0.0]]),
            2 => (array![[0, 1], [1, 0]], array![[0.0, 1.0], [0.0, 1.0]]),
            _ => (array![[1], [0], [1]], array![[1.0], [1.0], [3.0]]),
        };
        let table = given(&index, &distance).unwrap();
        assert_eq!(table.k(), usize::from(samples > 1));
        let of_graph = graph(table.clone());
        assert_eq!(of_graph.partitions(), of_samples.partitions());
        let samples_of = Samples::new(matrix.view()).unwrap();
        let brought = Finch::new().fit_neighbors(&samples_of, table, &mut run()).unwrap();
        assert_eq!(brought.partitions(), of_samples.partitions());
        for hierarchy in [&found, &of_graph] {
            for clusters in 1..=samples {
                let refined = Refine::new(clusters).run_without_samples(hierarchy, &mut run());
                assert_eq!(refined, Refine::new(clusters).run(&samples_of, &of_samples));
            }
            let suggestion = hierarchy.suggest_without_samples(&mut run()).unwrap();
            assert_eq!(suggestion, of_samples.suggest(&samples_of).unwrap());
        }
    }
}

/// Rows of points of these sizes, far from each other: as far as the number of the row squared.
fn clouds(sizes: &[usize]) -> Array2<f64> {
    let mut random = Random(11);
    let places = sizes.iter().enumerate().flat_map(|(cloud, &size)| {
        (0..size).map(move |place| (cloud * cloud) as f64 * 1000.0 + place as f64)
    });
    let places: Vec<f64> = places.collect();
    Array2::from_shape_fn((places.len(), 2), |(row, column)| {
        0.3 * random.uniform() + if column == 0 { places[row] } else { 0.0 }
    })
}

#[test]
fn pieces_of_a_graph_stay_apart_and_can_be_merged() {
    let sizes = [40, 30, 5, 4, 4, 90];
    let matrix = clouds(&sizes);
    let cloud: Vec<usize> =
        sizes.iter().enumerate().flat_map(|(cloud, &size)| vec![cloud; size]).collect();
    let pieces = Partition::new(&cloud).unwrap();
    let hierarchy = graph(nearest(&matrix, Metric::Euclidean, 3));
    for partition in hierarchy.partitions() {
        let labels: Vec<_> = partition.labels().iter().zip(&cloud).collect();
        assert_eq!(Partition::new(&labels).unwrap().clusters(), partition.clusters());
    }
    assert_eq!(hierarchy.coarsest(), &pieces);
    let refined = |clusters| Refine::new(clusters).run_without_samples(&hierarchy, &mut run());
    assert_eq!(refined(6).unwrap(), pieces);
    // The two smallest, of equals the first ones.
    let joined = |groups: &[usize; 6]| {
        let labels: Vec<usize> = cloud.iter().map(|&cloud| groups[cloud]).collect();
        Partition::new(&labels).unwrap()
    };
    assert_eq!(refined(5).unwrap(), joined(&[0, 1, 2, 3, 3, 4]));
    assert_eq!(refined(4).unwrap(), joined(&[0, 1, 2, 2, 2, 4]));
    assert_eq!(refined(3).unwrap(), joined(&[0, 1, 1, 1, 1, 4]));
    assert_eq!(refined(2).unwrap(), joined(&[0, 0, 0, 0, 0, 4]));
    assert_eq!(refined(1).unwrap().clusters(), 1);
    let dendrogram = Refine::new(1).dendrogram_without_samples(&hierarchy, &mut run()).unwrap();
    assert_eq!(dendrogram.merges().iter().filter(|merge| merge.height.is_infinite()).count(), 5);
    for clusters in 1..=hierarchy.finest().clusters() {
        assert_eq!(dendrogram.cut(clusters), refined(clusters));
    }
    assert_eq!(hierarchy.suggest_without_samples(&mut run()).unwrap().cut.labels().len(), 173);

    // Of a matrix all distances were known: what its partitions join merges first, the near clouds.
    let hierarchy = of_distances(&distances(&clouds(&[20; 5]), Metric::Euclidean));
    let coarse = hierarchy.partitions().iter().find(|partition| partition.clusters() < 5).unwrap();
    let clusters = coarse.clusters();
    let merged = Refine::new(clusters).run_without_samples(&hierarchy, &mut run()).unwrap();
    assert_eq!(&merged, coarse);
}

#[test]
fn neighbors_that_are_brought_are_not_searched_anew() {
    let matrix = clouds(&[50, 60, 70]);
    let samples = Samples::new(matrix.view()).unwrap();
    assert_eq!(Linkage::Neighbor.neighbors(180), 12);
    let table = nearest(&matrix, Metric::Euclidean, 4);
    let hierarchy = Finch::new().fit_neighbors(&samples, table.clone(), &mut run()).unwrap();
    assert_eq!(hierarchy.neighbors(), Some(&table));
    let mut stages = Vec::new();
    let mut told = Run::new().progress(|progress| {
        stages.push(progress.stage);
        std::ops::ControlFlow::Continue(())
    });
    let refined = Refine::new(9).run_with(&samples, &hierarchy, &mut told).unwrap();
    drop(told);
    assert!(stages.iter().all(|stage| *stage == Stage::Link), "{stages:?}");
    let four = Refine::new(9).run_without_samples(&graph(table), &mut run()).unwrap();
    assert_eq!(refined, four);
}

#[test]
fn what_needs_samples_says_so() {
    let matrix = clouds(&[20, 20, 20]);
    let samples = Samples::new(matrix.view()).unwrap();
    let of_samples = Finch::new().fit(&samples).unwrap();
    let found = of_distances(&distances(&matrix, Metric::Euclidean));
    let from_samples = Err(Error::NeedsSamples { what: "a hierarchy that was made from samples" });
    assert_eq!(Refine::new(3).run_without_samples(&of_samples, &mut run()), from_samples);
    assert!(Refine::new(3).dendrogram_without_samples(&of_samples, &mut run()).is_err());
    assert!(of_samples.suggest_without_samples(&mut run()).is_err());
    for linkage in [Linkage::Centroid, Linkage::Ward] {
        let refine = Refine::new(3).linkage(linkage).from(0);
        let by_means = Err(Error::NeedsSamples { what: "a linkage by means" });
        assert_eq!(refine.run_without_samples(&found, &mut run()), by_means);
        // Splitting needs none; and samples may be brought all the same.
        let split = refine_above(&found, linkage);
        assert_eq!(split.run_without_samples(&found, &mut run()), split.run(&samples, &of_samples));
        assert_eq!(refine.run(&samples, &found), refine.run(&samples, &of_samples));
    }
    let other = array![[0.0]];
    let fault = Refine::new(2).run(&Samples::new(other.view()).unwrap(), &found);
    assert_eq!(fault, Err(Error::SampleCount { expected: 60, found: 1 }));
    assert_eq!(
        Refine::new(61).run_without_samples(&found, &mut run()),
        Err(Error::ClusterCount { requested: 61, samples: 60 })
    );
}

fn refine_above(hierarchy: &Hierarchy, linkage: Linkage) -> Refine<'_> {
    Refine::new(hierarchy.finest().clusters() + 4).linkage(linkage)
}

#[test]
fn faults_of_distance_matrices() {
    let sound = whole(&mut Random(1), 150, 9);
    let fit = |matrix: ArrayView2<'_, f64>| Finch::new().fit_distances(matrix, &mut run());
    assert!(fit(sound.view()).is_ok());
    let (expected, found) = ([2, 2], [2, 3]);
    let shape = Err(Error::Shape { what: "the distance matrix", expected, found });
    assert_eq!(fit(Array2::zeros((2, 3)).view()), shape);
    assert_eq!(fit(Array2::zeros((0, 0)).view()), Err(Error::NoSamples));
    let mirrored = |row: usize, column: usize, values: [f64; 2]| {
        let mut matrix = sound.clone();
        matrix[[row, column]] = values[0];
        matrix[[column, row]] = values[1];
        fit(matrix.view())
    };
    for (value, words) in [
        (f64::NAN, "is not finite"),
        (f64::INFINITY, "is not finite"),
        (-0.5, "is negative"),
        (1e290, "too large"),
    ] {
        // Where the fault is met twice, the first place in row-major order is named.
        for (row, column, values) in [(3, 140, [value, value]), (140, 3, [value, 1.0])] {
            let fault = mirrored(row, column, values).unwrap_err();
            let text = fault.to_string();
            let place = format!("at row {row}, column {column} ");
            assert!(text.contains(&place) && text.contains(words), "{text}");
        }
        let fault = mirrored(9, 9, [value; 2]).unwrap_err().to_string();
        assert!(fault.contains("row 9, column 9") && fault.contains(words), "{fault}");
    }
    let fault = mirrored(70, 5, [3.0, 3.0 + 1e-9]).unwrap_err().to_string();
    assert!(fault.contains("row 5, column 70") && fault.contains("transpose"), "{fault}");
    let fault = mirrored(149, 149, [1e-3; 2]).unwrap_err().to_string();
    assert!(fault.contains("row 149, column 149") && fault.contains("not 0"), "{fault}");
    let similar = sound.mapv(|value| 1.0 - value / 1e3);
    let fault = fit(similar.view()).unwrap_err().to_string();
    assert!(fault.contains("row 0, column 0") && fault.contains("similarities"), "{fault}");
    let rounded = mirrored(70, 5, [3.0, 3.0 + 1e-15]).unwrap();
    assert_eq!(rounded.partitions(), mirrored(70, 5, [3.0, 3.0]).unwrap().partitions());
}

#[test]
fn distances_may_be_rounded_as_their_type_is() {
    let fit = |matrix: &Array2<f64>| {
        let hierarchy = Finch::new().fit_distances(matrix.view(), &mut run());
        hierarchy.map(|hierarchy| hierarchy.partitions().to_vec())
    };
    let sound = whole(&mut Random(2), 90, 9);
    let largest = sound.iter().copied().fold(0.0, f64::max);
    let expected = fit(&sound).unwrap();
    // Whole numbers are of 32 bits, and thirds of them are not.
    for (wide, tolerance) in [(false, 1e-6), (true, 1e-12)] {
        let unit = if wide { 1.0 / 3.0 } else { 1.0 };
        for (times, accepted) in [(0.4, true), (3.0, false)] {
            let slack = times * tolerance * largest * unit;
            let rounded = |value: f64| if wide { value } else { f64::from(value as f32) };
            let scaled = sound.mapv(|value| value * unit);
            let mut diagonal = scaled.clone();
            diagonal[[7, 7]] = rounded(slack);
            let mut negative = scaled.clone();
            negative[[8, 8]] = rounded(-slack);
            // As 0, which both have but for rounding.
            let mut zeros = scaled.clone();
            zeros[[3, 4]] = 0.0;
            zeros[[4, 3]] = 0.0;
            let of_zeros = fit(&zeros).unwrap();
            zeros[[3, 4]] = rounded(-slack);
            for (matrix, expected) in
                [(diagonal, &expected), (negative, &expected), (zeros, &of_zeros)]
            {
                let found = fit(&matrix);
                assert_eq!(found.is_ok(), accepted, "{wide} {times}: {found:?}");
                assert!(found.is_err() || found.unwrap() == *expected);
            }
        }
    }
}

#[test]
fn neither_threads_nor_memory_order_show() {
    let matrix = Array2::from_shape_fn((300, 4), {
        let mut random = Random(5);
        move |_| random.uniform()
    });
    let distances = distances(&matrix, Metric::Manhattan);
    let mut columns = Array2::zeros((300, 300).f());
    columns.assign(&distances);
    let table = nearest(&matrix, Metric::Euclidean, 8);
    let [of_matrix, of_graph] = [of_distances(&distances), graph(table.clone())];
    for threads in [1, 2, 7] {
        let mut run = Run::new().threads(threads);
        for view in [distances.view(), columns.view()] {
            assert_eq!(Finch::new().fit_distances(view, &mut run).unwrap(), of_matrix);
        }
        assert_eq!(Finch::new().fit_graph(table.clone(), &mut run).unwrap(), of_graph);
    }
}

#[test]
fn a_run_can_be_stopped_at_any_call() {
    let matrix = clouds(&[50, 60, 70]);
    let samples = Samples::new(matrix.view()).unwrap();
    let distances = distances(&matrix, Metric::Euclidean);
    let table = nearest(&matrix, Metric::Euclidean, 5);
    let finch = Finch::new();
    type Fit<'a> = &'a dyn Fn(&mut Run<'_>) -> Result<Hierarchy, Error>;
    let fits: [Fit<'_>; 3] = [
        &|run| finch.fit_distances(distances.view(), run),
        &|run| finch.fit_graph(table.clone(), run),
        &|run| finch.fit_neighbors(&samples, table.clone(), run),
    ];
    for fit in fits {
        let mut stopped = 0;
        while fit(&mut Run::new().threads(1).progress(stop_after(stopped))) == Err(Error::Cancelled)
        {
            stopped += 1;
        }
        assert!(stopped >= 4, "{stopped}");
    }
}
