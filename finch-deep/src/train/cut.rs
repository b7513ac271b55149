//! The last step: K clusters of the embedding.

use finch_core::{Element, Hierarchy, Linkage, Neighbors, Partition, Refine, Samples};

use super::config::Cut;

/// K clusters of samples by the cut asked for.
///
/// [`Cut::Auto`] compares neighbour linkage, and centroid linkage from each partition that has as many
/// clusters, by their modularity in the graph of nearest neighbours of the *input*. The embedding's
/// own graph would not do: training has drawn it apart along the pseudo-labels.
pub(super) fn cut<A: Element>(
    cut: Cut,
    clusters: usize,
    samples: &Samples<'_, A>,
    hierarchy: &Hierarchy,
    graph: Option<&Neighbors>,
    threads: usize,
    watch: &mut finch_core::Callback<'_>,
) -> finch_core::Result<Partition> {
    let refine = Refine::new(clusters).threads(threads);
    let mut by = |refine: Refine| refine.run_watched(samples, hierarchy, watch);
    let by_neighbors = by(refine.linkage(Linkage::Neighbor))?;
    let Some(graph) = graph.filter(|_| cut == Cut::Auto) else {
        return Ok(by_neighbors);
    };
    let mut best = (modularity(&by_neighbors, graph), by_neighbors);
    let counts = hierarchy.cluster_counts();
    for (number, _) in counts.iter().enumerate().filter(|(_, count)| **count >= clusters) {
        let by_centroids = by(refine.linkage(Linkage::Centroid).from(number))?;
        let modularity = modularity(&by_centroids, graph);
        if modularity > best.0 {
            best = (modularity, by_centroids);
        }
    }
    Ok(best.1)
}

/// Newman's modularity (2004) of clusters in the graph that links each sample to its nearest
/// neighbours; two that are each other's are linked twice.
fn modularity(partition: &Partition, graph: &Neighbors) -> f64 {
    let (labels, index) = (partition.labels(), graph.index());
    let mut within = vec![0_u64; partition.clusters()];
    let mut ends = vec![0_u64; partition.clusters()];
    let mut links = 0_u64;
    for (sample, &label) in labels.iter().enumerate() {
        for &neighbor in index.row(sample) {
            let other = labels[neighbor as usize];
            links += 1;
            within[label as usize] += u64::from(other == label);
            ends[label as usize] += 1;
            ends[other as usize] += 1;
        }
    }
    let links = links.max(1) as f64;
    let expected = |ends: u64| (ends as f64 / (2.0 * links)).powi(2);
    within.iter().zip(&ends).map(|(&within, &ends)| within as f64 / links - expected(ends)).sum()
}
