//! Tests of trees.

use std::collections::BTreeSet;

use ndarray::{Array2, array};

use super::*;
use crate::support::random::scrambled;
use crate::{
    Dendrogram, Finch, FirstNeighbors, Hierarchy, LinkBound, Linkage, Metric, Partition, Refine,
    Run, Samples,
};

/// Random, tied, repeated, constant and far samples.
fn inputs() -> Vec<Array2<f64>> {
    let number = |i: usize, j: usize| (scrambled((i * 41 + j) as u64) >> 33) as usize;
    let uniform = move |i: usize, j: usize| number(i, j) as f64 / 2f64.powi(31);
    let mut inputs = Vec::new();
    for (samples, features) in [(1, 1), (2, 2), (3, 1), (7, 2), (60, 1), (90, 2), (150, 3)] {
        let shape = (samples, features);
        inputs.push(Array2::from_shape_fn(shape, |(i, j)| uniform(i, j)));
        inputs.push(Array2::from_shape_fn(shape, |(i, j)| (number(i, j) % 4) as f64));
        inputs.push(Array2::from_shape_fn(shape, |(i, j)| uniform(i % 11, j)));
        inputs.push(Array2::from_elem(shape, 0.5));
        let far = |i: usize| [0.0, 1e5, -1e9][i % 3];
        inputs.push(Array2::from_shape_fn(shape, |(i, j)| far(i) + uniform(i, j)));
    }
    inputs
}

fn fit(matrix: &Array2<f64>) -> Hierarchy {
    Finch::new().fit(&Samples::new(matrix.view()).unwrap()).unwrap()
}

/// Asserts the conditions of SciPy on a linkage matrix, and finite heights in order.
fn check(tree: &Tree) {
    let leaves = tree.leaves();
    let mut counts = vec![1; leaves];
    let mut used = vec![false; 2 * leaves - 1];
    let mut below = 0.0;
    for join in tree.joins() {
        let [a, b] = join.nodes.map(|node| node as usize);
        assert!(a < b && b < counts.len(), "{join:?}");
        assert!(!used[a] && !used[b], "{join:?} is of nodes with a parent");
        [used[a], used[b]] = [true; 2];
        assert_eq!(join.leaves, counts[a] + counts[b]);
        counts.push(join.leaves);
        assert!(join.height >= below && join.height.is_finite(), "{join:?} above {below}");
        below = join.height;
    }
    assert_eq!(counts.len(), 2 * leaves - 1);
    assert_eq!(*counts.last().unwrap() as usize, leaves);
    assert_eq!(tree.linkage().unwrap().dim(), (leaves - 1, 4));
}

/// SciPy's `fcluster(Z, height, "distance")`.
fn cut_at(tree: &Tree, height: f64) -> Partition {
    let mut labels: Vec<usize> = (0..tree.leaves()).collect();
    let mut members: Vec<Vec<usize>> = labels.iter().map(|&leaf| vec![leaf]).collect();
    for join in tree.joins() {
        let both = join.nodes.map(|node| members[node as usize].clone()).concat();
        if join.height <= height {
            both.iter().for_each(|&leaf| labels[leaf] = both[0]);
        }
        members.push(both);
    }
    Partition::new(&labels).unwrap()
}

/// SciPy's `fcluster(Z, clusters, "maxclust")`: the lowest cut that gives no more clusters.
fn cut_into(tree: &Tree, clusters: usize) -> Partition {
    let heights = tree.joins().iter().map(|join| join.height);
    let mut cuts = [-1.0].into_iter().chain(heights).map(|height| cut_at(tree, height));
    cuts.find(|cut| cut.clusters() <= clusters).unwrap()
}

/// The labels of leaves that are clusters, for the samples of these clusters.
fn of_samples(cut: &Partition, start: &Partition) -> Partition {
    let labels = start.labels().iter().map(|&cluster| cut.labels()[cluster as usize]);
    Partition::new(&labels.collect::<Vec<_>>()).unwrap()
}

/// The joins of samples within the clusters of the finest partition, by the definition: of all links
/// the next one in length joins the two sets of samples that it leads between.
fn first_joins_by_definition(hierarchy: &Hierarchy) -> Vec<(BTreeSet<usize>, f64)> {
    let nearest = hierarchy.first_neighbors();
    let longest = nearest.distance().iter().copied().fold(0.0, f64::max);
    let mut links: Vec<usize> = (0..nearest.index().len()).collect();
    links.sort_by(|&i, &j| nearest.distance()[i].total_cmp(&nearest.distance()[j]));
    let mut sets: Vec<BTreeSet<usize>> =
        (0..hierarchy.samples()).map(|i| BTreeSet::from([i])).collect();
    let mut joins = Vec::new();
    for i in links {
        let [a, b] = [i, nearest.index()[i] as usize]
            .map(|i| sets.iter().position(|set| set.contains(&i)).unwrap());
        if a != b {
            let joined = &sets[a] | &sets[b];
            sets[a] = joined.clone();
            sets.swap_remove(b);
            let part = if longest > 0.0 { nearest.distance()[i] / longest } else { 0.0 };
            joins.push((joined, part));
        }
    }
    joins
}

fn leaves_below(tree: &Tree, node: u32) -> BTreeSet<usize> {
    match tree.join(node) {
        None => BTreeSet::from([node as usize]),
        Some(join) => &leaves_below(tree, join.nodes[0]) | &leaves_below(tree, join.nodes[1]),
    }
}

#[test]
fn samples_join_by_their_links_and_then_level_by_level() {
    for (number, matrix) in inputs().iter().enumerate() {
        let samples = Samples::new(matrix.view()).unwrap();
        for link_bound in [LinkBound::None, LinkBound::FirstNeighbor] {
            let hierarchy = Finch::new().link_bound(link_bound).fit(&samples).unwrap();
            let tree = hierarchy.tree().unwrap();
            check(&tree);
            assert_eq!(tree.leaves(), samples.len());
            for (partition, height) in hierarchy.partitions().iter().zip(1..) {
                assert_eq!(cut_at(&tree, height.into()), *partition, "{number}: {height}");
                assert_eq!(cut_into(&tree, partition.clusters()), *partition);
            }
            let top = hierarchy.partitions().len() as f64 + 1.0;
            let defined = first_joins_by_definition(&hierarchy);
            let finest = hierarchy.finest();
            assert_eq!(defined.len(), samples.len() - finest.clusters());
            for (step, (joined, height)) in defined.iter().enumerate() {
                let node = (samples.len() + step) as u32;
                assert_eq!(leaves_below(&tree, node), *joined);
                assert!((tree.height(node) - height).abs() < 1e-12, "{number}: {node}");
            }
            let rest = &tree.joins()[defined.len()..];
            assert!(rest.iter().all(|join| join.height.fract() == 0.0 && join.height >= 2.0));
            assert!(tree.height(tree.root()) <= top);
            for clusters in finest.clusters()..=samples.len() {
                let split = Refine::new(clusters).run(&samples, &hierarchy).unwrap();
                assert_eq!(cut_into(&tree, clusters), split, "{number}: {clusters}");
            }
        }
    }
}

/// The purpose of the tree of a dendrogram: every cut. And heights as merges have them.
fn check_dendrogram(dendrogram: &Dendrogram, hierarchy: &Hierarchy, samples: &Samples<'_, f64>) {
    let start = dendrogram.start();
    let by_cluster = dendrogram.tree().unwrap();
    let by_sample = dendrogram.tree_of_samples(hierarchy).unwrap();
    check(&by_cluster);
    check(&by_sample);
    assert_eq!(by_cluster.leaves(), start.clusters());
    assert_eq!(by_sample.leaves(), start.samples());
    let merges = dendrogram.merges();
    for clusters in start.clusters() - merges.len()..=start.clusters() {
        let cut = dendrogram.cut(clusters).unwrap();
        assert_eq!(of_samples(&cut_into(&by_cluster, clusters), start), cut);
        assert_eq!(cut_into(&by_sample, clusters), cut);
    }
    // A tree has no samples: where rows that differ are at distance 0, as parallel ones are under cosine,
    // splitting alone sees which rows are equal, and keeps these together.
    if start == hierarchy.finest() && hierarchy.metric() != Metric::Cosine {
        for clusters in start.clusters()..=start.samples() {
            let split = Refine::new(clusters).run(samples, hierarchy).unwrap();
            assert_eq!(cut_into(&by_sample, clusters), split);
        }
    }
    let finite = merges.iter().map(|merge| merge.height).filter(|height| height.is_finite());
    let largest = finite.clone().fold(finite.clone().next().unwrap_or(1.0), f64::max);
    let top = if largest > 0.0 { 2.0 * largest } else { 1.0 };
    // Of heights that are 0 each rises to the next normal number.
    let is_at = |height: f64, highest: f64| {
        (height - highest).abs() <= 1e-12 * highest + 1e3 * f64::MIN_POSITIVE
    };
    let mut highest: f64 = 0.0;
    for (step, join) in by_cluster.joins().iter().enumerate() {
        highest = highest.max(merges.get(step).map_or(top, |merge| merge.height.min(top)));
        assert!(is_at(join.height, highest), "{join:?} of {highest}");
        let of_sample = &by_sample.joins()[start.samples() - start.clusters() + step];
        assert!(is_at(of_sample.height, highest), "{of_sample:?}");
    }
}

#[test]
fn every_cut_of_a_dendrogram_is_one_of_its_tree() {
    let linkages = [Linkage::Centroid, Linkage::Ward, Linkage::Neighbor];
    for matrix in inputs().iter().filter(|matrix| matrix.nrows() <= 60) {
        let samples = Samples::new(matrix.view()).unwrap();
        for metric in [Metric::Euclidean, Metric::Cosine] {
            let hierarchy = Finch::new().metric(metric).fit(&samples).unwrap();
            for linkage in linkages {
                for (from, partition) in hierarchy.partitions().iter().enumerate() {
                    for clusters in [1, 2, partition.clusters()] {
                        if clusters > partition.clusters() {
                            continue;
                        }
                        let refine = Refine::new(clusters).linkage(linkage).from(from);
                        let run = &mut Run::new();
                        let dendrogram = refine.dendrogram(&samples, &hierarchy, run).unwrap();
                        check_dendrogram(&dendrogram, &hierarchy, &samples);
                    }
                }
            }
        }
    }
}

/// Centroid linkage inverts, and merges of clusters without links have no height.
#[test]
fn inverted_and_infinite_heights_become_rising_and_finite() {
    let alone = Partition::new(&[0, 1, 2, 3]).unwrap();
    let merge = |clusters, height| crate::Merge { clusters, height };
    let merges = vec![merge([0, 1], 4.0), merge([0, 2], 3.0), merge([0, 3], f64::INFINITY)];
    let tree = Dendrogram::new(&alone, None, merges).tree().unwrap();
    let rising = array![[0., 1., 4., 2.], [2., 4., 4f64.next_up(), 3.], [3., 5., 8., 4.]];
    assert_eq!(tree.linkage().unwrap(), rising);
    // Without merges, and with those of height 0 alone.
    let tree = Dendrogram::new(&alone, None, Vec::new()).tree().unwrap();
    let heights = |tree: &Tree| tree.joins().iter().map(|join| join.height).collect::<Vec<_>>();
    assert_eq!(heights(&tree), [2.0, 2f64.next_up(), 2f64.next_up().next_up()]);
    let tree = Dendrogram::new(&alone, None, vec![merge([1, 3], 0.0), merge([0, 1], 0.0)]);
    assert_eq!(heights(&tree.tree().unwrap()), [0.0, f64::MIN_POSITIVE, 1.0]);
}

/// Links that lead between clusters join nothing, and clusters that links leave in pieces are joined
/// all the same, below the next level.
#[test]
fn clusters_need_not_come_from_their_links() {
    let matrix = Array2::from_shape_fn((8, 1), |(i, _)| (i * i) as f64);
    let samples = Samples::new(matrix.view()).unwrap();
    let links = [1, 0, 3, 2, 5, 4, 7, 6];
    let nearest = FirstNeighbors::given(samples.any(), Metric::Euclidean, &links).unwrap();
    let finest = Partition::new(&[0, 0, 1, 2, 3, 3, 3, 3]).unwrap();
    let coarsest = Partition::new(&[0, 0, 0, 1, 0, 0, 0, 0]).unwrap();
    let query = fit(&matrix).query();
    let partitions = vec![finest.clone(), coarsest.clone()];
    let hierarchy = Hierarchy::new(partitions, nearest, Vec::new(), query, 1);
    let tree = hierarchy.tree().unwrap();
    check(&tree);
    assert_eq!(cut_at(&tree, 1.0), finest);
    assert_eq!(cut_at(&tree, 2.0), coarsest);
    let heights: Vec<f64> = tree.joins().iter().map(|join| join.height).collect();
    assert_eq!(heights, [1.0 / 13.0, 9.0 / 13.0, 1.0, 1.0, 2.0, 2.0, 3.0]);
}

#[test]
fn a_dendrogram_of_another_hierarchy_is_refused() {
    let matrices = [60, 61].map(|samples| {
        Array2::from_shape_fn((samples, 2), |(i, j)| scrambled((2 * i + j) as u64) as f64)
    });
    let [hierarchy, larger] = [0, 1].map(|i| fit(&matrices[i]));
    let samples = Samples::new(matrices[0].view()).unwrap();
    let run = &mut Run::new();
    let dendrogram = Refine::new(1).dendrogram(&samples, &hierarchy, run).unwrap();
    let expected = Err(crate::Error::SampleCount { expected: 60, found: 61 });
    assert_eq!(dendrogram.tree_of_samples(&larger), expected);
    let clusters = hierarchy.finest().clusters();
    let other = fit(&matrices[0].slice(ndarray::s![..;-1, ..]).to_owned());
    let expected = Err(crate::Error::OtherHierarchy { clusters });
    assert_eq!(dendrogram.tree_of_samples(&other), expected);
}

const NAMES: [&str; 4] = ["it's", "a \"b\"\\\n&<", "", "snake_case"];

fn named_tree() -> Tree {
    fit(&array![[0.0], [1.0], [10.0], [12.0]]).tree().unwrap()
}

#[test]
fn names_are_written_as_each_format_quotes_them() {
    let text = |format| named_tree().text(format, Some(&NAMES)).unwrap();
    assert_eq!(
        text(TreeFormat::Newick),
        "(('it''s':0.5,'a \"b\"\\\n&<':0.5):1.5,(:1,'snake_case':1):1);"
    );
    assert_eq!(
        text(TreeFormat::Json),
        "{\"height\":2,\"count\":4,\"children\":[\
         {\"height\":0.5,\"count\":2,\"children\":[{\"name\":\"it's\",\"height\":0,\"count\":1},\
         {\"name\":\"a \\\"b\\\"\\\\\\n&<\",\"height\":0,\"count\":1}]},\
         {\"height\":1,\"count\":2,\"children\":[{\"name\":\"\",\"height\":0,\"count\":1},\
         {\"name\":\"snake_case\",\"height\":0,\"count\":1}]}]}"
    );
    assert_eq!(
        text(TreeFormat::Dot),
        "graph tree {\n  node [shape=plaintext];\n  0 [label=\"it's\"];\n  \
         1 [label=\"a \\\"b\\\"\\\\\\n&amp;<\"];\n  2 [label=\"\"];\n  3 [label=\"snake_case\"];\n  \
         4 [label=\"0.5\"]; 4 -- 0; 4 -- 1;\n  5 [label=\"1\"]; 5 -- 2; 5 -- 3;\n  \
         6 [label=\"2\"]; 6 -- 4; 6 -- 5;\n}"
    );
    let missing = named_tree().text(TreeFormat::Json, Some(&NAMES[..3]));
    assert_eq!(missing, Err(crate::Error::NameCount { names: 3, leaves: 4 }));
}

#[test]
fn one_leaf_is_a_tree() {
    let tree = fit(&array![[3.0]]).tree().unwrap();
    assert_eq!((tree.leaves(), tree.joins().len()), (1, 0));
    let text = |format| tree.text(format, None).unwrap();
    assert_eq!(text(TreeFormat::Newick), "0;");
    assert_eq!(text(TreeFormat::Json), "{\"name\":\"0\",\"height\":0,\"count\":1}");
    assert!(text(TreeFormat::Dot).contains("0 [label=\"0\"]"));
}

/// Each sample is nearest to the one before: a chain, on which recursion would overflow the stack.
#[test]
fn a_chain_of_many_joins_is_written() {
    const SAMPLES: usize = 100_000;
    let mut place = 0.0;
    let matrix = Array2::from_shape_fn((SAMPLES, 1), |(i, _)| {
        place += 1.0 + i as f64 / SAMPLES as f64;
        place
    });
    let tree = fit(&matrix).tree().unwrap();
    assert_eq!(tree.leaves(), SAMPLES);
    let newick = tree.text(TreeFormat::Newick, None).unwrap();
    let ends = newick.bytes().map(|byte| i32::from(byte == b'(') - i32::from(byte == b')'));
    let depths = ends.scan(0, |depth, end| {
        *depth += end;
        Some(*depth)
    });
    assert_eq!(depths.max(), Some(SAMPLES as i32 - 1));
    let json = tree.text(TreeFormat::Json, None).unwrap();
    assert_eq!(json.matches("\"children\"").count(), SAMPLES - 1);
    let dot = tree.text(TreeFormat::Dot, None).unwrap();
    assert_eq!(dot.matches(" -- ").count(), 2 * (SAMPLES - 1));
}

#[test]
fn a_tree_is_as_deep_as_its_longest_way() {
    let tree_of = |values: &[f64]| {
        let matrix = Array2::from_shape_vec((values.len(), 1), values.to_vec()).unwrap();
        Finch::new().fit(&Samples::new(matrix.view()).unwrap()).unwrap().tree().unwrap()
    };
    let line: Vec<f64> = (0..5_000).map(f64::from).collect();
    for (values, depth) in [(&[3.0][..], 0), (&[3.0, 4.0], 1), (&line, 4_999)] {
        assert_eq!(tree_of(values).depth().unwrap(), depth);
    }
    let tree = tree_of(&[0.0, 1.0, 10.0, 12.0, 40.0, 41.5, 70.0, 71.0, 90.0, 99.0, 99.5]);
    let root = tree.root();
    let mut longest = 0;
    let mut open = vec![(root, 0)];
    while let Some((node, depth)) = open.pop() {
        longest = longest.max(depth);
        if let Some(join) = tree.join(node) {
            open.extend(join.nodes.map(|node| (node, depth + 1)));
        }
    }
    assert_eq!(tree.depth().unwrap(), longest);
}
