//! The linkage of exactly K clusters: chosen by the data, and means as k-means has them.

use finch_core::{
    Contingency, Error, Finch, Hierarchy, Linkage, Metric, Refine, Refined, Run, Samples,
    SparseSamples, Times,
};
use ndarray::Array2;

use crate::common::Random;

/// Five Gaussians of equal width in so many dimensions, whose means are about `apart` widths from each other.
fn gaussians(rows: usize, columns: usize, apart: f64) -> Array2<f64> {
    let mut random = Random(5);
    let mut normal = || (0..12).map(|_| random.uniform()).sum::<f64>() - 6.0;
    let scale = apart / (2.0 * columns as f64).sqrt();
    let centers = Array2::from_shape_simple_fn((5, columns), || scale * normal());
    Array2::from_shape_fn((rows, columns), |(row, column)| centers[[row % 5, column]] + normal())
}

fn fit(matrix: &Array2<f64>, metric: Metric) -> Hierarchy {
    let finch = Finch::new().metric(metric).refinable(Linkage::Neighbor);
    finch.fit(&Samples::new(matrix.view()).unwrap()).unwrap()
}

fn refined(refine: Refine<'_>, matrix: &Array2<f64>, hierarchy: &Hierarchy) -> Refined {
    let samples = Samples::new(matrix.view()).unwrap();
    refine.run_explained(&samples, hierarchy, &mut Run::new()).unwrap()
}

fn ari(of: &Refined) -> f64 {
    let labels = of.partition.labels();
    let truth: Vec<_> = (0..labels.len()).map(|row| row % 5).collect();
    Contingency::new(labels, &truth).unwrap().ari()
}

/// In 64 dimensions noise hides which samples are near, and means tell the clusters; in 8 neighbours do.
#[test]
fn means_are_taken_where_neighbours_are_noise() {
    for metric in [Metric::Euclidean, Metric::Cosine] {
        let matrix = gaussians(1500, 64, 4.0);
        let hierarchy = fit(&matrix, metric);
        let [auto, neighbor, means] = [Linkage::Auto, Linkage::Neighbor, Linkage::Means]
            .map(|linkage| refined(Refine::new(5).linkage(linkage), &matrix, &hierarchy));
        assert_eq!(auto, means);
        assert!(ari(&means) > ari(&neighbor) + 0.1, "{} {}", ari(&means), ari(&neighbor));
    }
    let matrix = gaussians(1500, 8, 8.0);
    let hierarchy = fit(&matrix, Metric::Euclidean);
    let [auto, neighbor] = [Linkage::Auto, Linkage::Neighbor]
        .map(|linkage| refined(Refine::new(5).linkage(linkage), &matrix, &hierarchy));
    assert_eq!(auto, neighbor);
}

/// The choice is the same on any number of threads, of sparse rows, and without kept neighbours.
#[test]
fn the_choice_depends_on_the_data_alone() {
    let matrix = gaussians(1500, 64, 4.0);
    let samples = Samples::new(matrix.view()).unwrap();
    let expected = refined(Refine::new(5), &matrix, &fit(&matrix, Metric::Euclidean));
    assert_eq!(expected.linkage, Linkage::Means);
    for threads in [1, 2, 3] {
        let run = &mut Run::new().threads(threads);
        let hierarchy = Finch::new().fit_with(&samples, run).unwrap();
        assert_eq!(Refine::new(5).run_explained(&samples, &hierarchy, run).unwrap(), expected);
    }
    let columns: Vec<i32> = (0..matrix.len() as i32).map(|at| at % 64).collect();
    let starts: Vec<i64> = (0..=1500).map(|row| 64 * row).collect();
    let values = matrix.as_slice().unwrap();
    let sparse = SparseSamples::new(64, &starts[..], &columns[..], values).unwrap();
    let hierarchy = Finch::new().fit(&sparse).unwrap();
    let of_sparse = Refine::new(5).run_explained(&sparse, &hierarchy, &mut Run::new()).unwrap();
    assert_eq!(of_sparse.linkage, Linkage::Means);
}

/// Few samples, weights, rules, a partition to merge from, and nested clusters leave no choice.
#[test]
fn neighbour_linkage_remains_where_there_is_no_choice() {
    let matrix = gaussians(1500, 64, 4.0);
    let samples = Samples::new(matrix.view()).unwrap();
    let hierarchy = fit(&matrix, Metric::Euclidean);
    let by = |refine: Refine<'_>| refined(refine, &matrix, &hierarchy).linkage;
    assert_eq!(by(Refine::new(5)), Linkage::Means);
    assert_eq!(by(Refine::new(5).from(0)), Linkage::Neighbor);
    assert_eq!(by(Refine::new(5).nested(true)), Linkage::Neighbor);
    assert_eq!(by(Refine::new(5).must_link(&[[0, 5]])), Linkage::Neighbor);
    assert_eq!(by(Refine::new(5).min_size(2)), Linkage::Neighbor);
    assert_eq!(by(Refine::new(38)), Linkage::Neighbor);
    let run = &mut Run::new();
    let weighted = Finch::new().fit_weighted(&samples, &[1.0; 1500], run).unwrap();
    assert_eq!(refined(Refine::new(5), &matrix, &weighted).linkage, Linkage::Neighbor);

    // More clusters than the first partition has: it is split, and nothing merges.
    assert_eq!(by(Refine::new(1400)), Linkage::Neighbor);
    // Of samples with times neighbour linkage is centroid linkage, whatever it is called.
    let times: Vec<f64> = (0..1500).map(f64::from).collect();
    let timed = Finch::new().fit_timed(&samples, Times::new(&times), run).unwrap();
    for linkage in [Linkage::Auto, Linkage::Neighbor, Linkage::Centroid] {
        let refine = Refine::new(5).linkage(linkage);
        assert_eq!(refined(refine, &matrix, &timed).linkage, Linkage::Centroid);
    }
    let neighbors = Finch::new().nearest_neighbors(&samples, 20, run).unwrap();
    let given = Finch::new().fit_graph(neighbors, run).unwrap();
    let without_samples = |refine: Refine<'_>, run: &mut Run<'_>| {
        refine.run_without_samples_explained(&given, run).map(|refined| refined.linkage)
    };
    assert_eq!(without_samples(Refine::new(5), run), Ok(Linkage::Neighbor));
    let ward = |clusters| Refine::new(clusters).linkage(Linkage::Ward);
    assert!(matches!(without_samples(ward(5), run), Err(Error::NeedsSamples { .. })));
    assert_eq!(without_samples(ward(1400), run), Ok(Linkage::Ward));

    let few = gaussians(499, 64, 4.0);
    let of_few = fit(&few, Metric::Euclidean);
    assert_eq!(refined(Refine::new(5), &few, &of_few).linkage, Linkage::Neighbor);

    let nested = refined(Refine::new(5).nested(true), &matrix, &hierarchy).partition;
    let dendrogram = Refine::new(1).dendrogram(&samples, &hierarchy, &mut Run::new()).unwrap();
    assert_eq!(dendrogram.cut(5).unwrap(), nested);
}

/// By means no sample is nearer to another mean than to its own, also where K clusters are there before any merge;
/// nested clusters are Ward's.
#[test]
fn means_are_those_of_k_means() {
    let matrix = gaussians(400, 6, 5.0);
    let hierarchy = fit(&matrix, Metric::Euclidean);
    let samples = Samples::new(matrix.view()).unwrap();
    let of_partition = hierarchy.cluster_counts()[0];
    for clusters in [2, 5, 9, of_partition] {
        let refine = Refine::new(clusters).linkage(Linkage::Means);
        let found = refined(refine, &matrix, &hierarchy).partition;
        assert_eq!(found.clusters(), clusters);
        let means = found.means(&samples).unwrap();
        for (row, &label) in matrix.outer_iter().zip(found.labels()) {
            let squared = |mean: usize| (&row - &means.row(mean)).mapv(|apart| apart * apart).sum();
            let own = squared(label as usize);
            let alone = found.labels().iter().filter(|&&other| other == label).count() == 1;
            assert!(alone || (0..clusters).all(|mean| own <= squared(mean) * (1.0 + 1e-9)));
        }
        let ward = refined(Refine::new(clusters).linkage(Linkage::Ward), &matrix, &hierarchy);
        assert_eq!(refined(refine.nested(true), &matrix, &hierarchy).partition, ward.partition);
    }
}
