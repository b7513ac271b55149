//! The last step: K clusters of the embedding.

use finch_core::{Element, Hierarchy, Linkage, Partition, Refine, Run, Samples};

use crate::train::config::Cut;
use crate::train::loss::graph::Graph;

/// K clusters, and how they were merged.
pub(in crate::train) struct Merged {
    pub(in crate::train) clusters: Partition,
    pub(in crate::train) linkage: Linkage,
    /// The partition that merging began with; none where the first one was split.
    pub(in crate::train) from: Option<usize>,
}

/// K clusters of samples by the cut asked for.
///
/// [`Cut::Auto`] compares neighbour linkage, and centroid linkage from each partition that has as many
/// clusters, by their modularity in the graph of nearest neighbours of the *input*. The embedding's
/// own graph would not do: training has drawn it apart along what it learnt.
pub(in crate::train) fn cut<A: Element>(
    cut: Cut,
    clusters: usize,
    samples: &Samples<'_, A>,
    hierarchy: &Hierarchy,
    graph: Option<&Graph>,
    run: &mut Run<'_>,
) -> finch_core::Result<Merged> {
    let mut by = |linkage, from: Option<usize>| {
        let refine = Refine::new(clusters).linkage(linkage);
        let refine = from.map_or(refine, |from| refine.from(from));
        let from = refine.start(hierarchy)?;
        let clusters = refine.run_with(samples, hierarchy, run)?;
        finch_core::Result::Ok(Merged { clusters, linkage, from })
    };
    let by_neighbors = by(Linkage::Neighbor, None)?;
    let Some(graph) = graph.filter(|_| cut == Cut::Auto) else {
        return Ok(by_neighbors);
    };
    let mut best = (graph.modularity(&by_neighbors.clusters), by_neighbors);
    let counts = hierarchy.cluster_counts();
    for (number, _) in counts.iter().enumerate().filter(|(_, count)| **count >= clusters) {
        let by_centroids = by(Linkage::Centroid, Some(number))?;
        let modularity = graph.modularity(&by_centroids.clusters);
        if modularity > best.0 {
            best = (modularity, by_centroids);
        }
    }
    Ok(best.1)
}

#[cfg(test)]
mod tests {
    use finch_core::Finch;
    use ndarray::Array2;
    use rand::RngExt;

    use super::*;
    use crate::train::random::{Purpose, stream};

    /// Clouds of points of these sizes around random centres.
    fn clouds(sizes: &[usize], seed: u64) -> Array2<f64> {
        let random = &mut stream(seed, Purpose::Epoch, 0);
        let mut values = Vec::new();
        for &size in sizes {
            let centre: [f64; 4] = std::array::from_fn(|_| random.random_range(0.0..2.0));
            for _ in 0..size {
                values.extend(centre.map(|x| x + random.random_range(-1.0..1.0)));
            }
        }
        Array2::from_shape_vec((values.len() / 4, 4), values).unwrap()
    }

    #[test]
    fn the_cut_is_the_most_modular_and_says_how_it_was_made() {
        const CLUSTERS: usize = 6;
        let matrix = clouds(&[200, 100, 50, 8, 8, 8], 0);
        let samples = Samples::new(matrix.view()).unwrap();
        let k = Linkage::Neighbor.neighbors(samples.len());
        let finch = Finch::new().keep_neighbors(k);
        let hierarchy = finch.fit(&samples).unwrap();
        let by = |linkage, from: Option<usize>| {
            let refine = Refine::new(CLUSTERS).linkage(linkage);
            from.map_or(refine, |from| refine.from(from)).run(&samples, &hierarchy).unwrap()
        };
        let by_neighbors = by(Linkage::Neighbor, None);
        let by_centroids = by(Linkage::Centroid, Some(0));
        assert_ne!(by_neighbors, by_centroids);

        // Inputs whose neighbours speak for the one or for the other.
        for (linkage, clusters) in
            [(Linkage::Neighbor, &by_neighbors), (Linkage::Centroid, &by_centroids)]
        {
            let place = |sample: usize| f64::from(clusters.labels()[sample]) + 1e-6 * sample as f64;
            let input = Array2::from_shape_fn((samples.len(), 1), |(sample, _)| place(sample));
            let input = Samples::new(input.view()).unwrap();
            let neighbors = finch.nearest_neighbors(&input, k, &mut Run::new()).unwrap();
            let graph = Graph::of(&neighbors, k);

            let mut run = Run::new();
            let mut cut =
                |how, graph| cut(how, CLUSTERS, &samples, &hierarchy, graph, &mut run).unwrap();
            let found = cut(Cut::Auto, Some(&graph));
            assert_eq!((found.linkage, found.from), (linkage, Some(0)));
            assert_eq!(&found.clusters, clusters);
            let plain = cut(Cut::Neighbor, Some(&graph));
            assert_eq!((plain.linkage, plain.from), (Linkage::Neighbor, Some(0)));
            assert_eq!(plain.clusters, by_neighbors);
        }
    }
}
