//! The partitions of a hierarchy as a tree: which cluster is in which, how clusters stand side by side,
//! and their colours.

use finch_core::{Hierarchy, Partition};

use crate::report::parts::colours::{Colour, SHADES};
use crate::report::parts::groups::Groups;

/// The partitions, the finest first.
pub(super) struct Lineage {
    pub(super) levels: Vec<Level>,
}

/// A partition.
pub(super) struct Level {
    pub(super) groups: Groups,
    /// The sum of the samples' weights in each cluster.
    pub(super) weights: Vec<f64>,
    /// The clusters from left to right: those within one cluster of the next level side by side, the
    /// heaviest first.
    pub(super) order: Vec<usize>,
    /// A cluster has the colour of that cluster of the page that it shares most samples with, and where
    /// it is not the only one, a shade of it.
    pub(super) colours: Vec<Colour>,
}

impl Lineage {
    /// The tree, in the colours of the clusters that the page tells of.
    pub(super) fn new(hierarchy: &Hierarchy, clusters: &Groups, colours: &[Colour]) -> Self {
        let partitions = hierarchy.partitions();
        let weights: Vec<Vec<f64>> = partitions
            .iter()
            .map(|one| hierarchy.sizes(one).expect("a partition of the hierarchy's own samples"))
            .collect();
        let parents: Vec<Vec<usize>> =
            partitions.windows(2).map(|pair| parents(&pair[0], &pair[1])).collect();
        let orders = orders(&weights, &parents);
        let level = |((partition, weights), order): ((&Partition, _), Vec<usize>)| {
            let groups = Groups::new(partition.labels(), &[]);
            let largest = largest_shared(&groups, clusters);
            let mut parts = vec![0; clusters.len()];
            let mut coloured = vec![Colour::plain(0); groups.len()];
            for &cluster in &order {
                let whole = largest[cluster];
                let Colour { hue, .. } = colours[whole];
                coloured[cluster] = Colour { hue, shade: parts[whole] % SHADES };
                parts[whole] += 1;
            }
            Level { groups, weights, order, colours: coloured }
        };
        let levels = partitions.iter().zip(weights).zip(orders).map(level).collect();
        Self { levels }
    }
}

/// The cluster that each group shares most samples with, of equals the first.
fn largest_shared(groups: &Groups, clusters: &Groups) -> Vec<usize> {
    let mut pairs: Vec<(usize, usize)> =
        groups.of.iter().copied().zip(clusters.of.iter().copied()).collect();
    pairs.sort_unstable();
    let mut largest = vec![(0, 0); groups.len()];
    for shared in pairs.chunk_by(|a, b| a == b) {
        let (group, cluster) = shared[0];
        if shared.len() > largest[group].0 {
            largest[group] = (shared.len(), cluster);
        }
    }
    largest.into_iter().map(|(_, cluster)| cluster).collect()
}

/// The cluster of the coarser partition that each cluster of the finer one is in.
fn parents(fine: &Partition, coarse: &Partition) -> Vec<usize> {
    let mut parents = vec![0; fine.clusters()];
    for (&fine, &coarse) in fine.labels().iter().zip(coarse.labels()) {
        parents[fine as usize] = coarse as usize;
    }
    parents
}

/// The order of each level's clusters.
fn orders(weights: &[Vec<f64>], parents: &[Vec<usize>]) -> Vec<Vec<usize>> {
    let mut orders = vec![Vec::new(); weights.len()];
    // Where the clusters of the next coarser level stand; those of the coarsest are side by side.
    let mut places: Vec<usize> = Vec::new();
    for level in (0..weights.len()).rev() {
        let place = |cluster: usize| parents.get(level).map_or(0, |of| places[of[cluster]]);
        let mut order: Vec<usize> = (0..weights[level].len()).collect();
        order.sort_by(|&a, &b| {
            let heavier = weights[level][b].total_cmp(&weights[level][a]);
            place(a).cmp(&place(b)).then(heavier).then(a.cmp(&b))
        });
        places = vec![0; order.len()];
        for (place, &cluster) in order.iter().enumerate() {
            places[cluster] = place;
        }
        orders[level] = order;
    }
    orders
}

#[cfg(test)]
mod tests {
    use finch_core::{Finch, Samples};
    use ndarray::Array2;

    use super::*;

    /// Pairs within pairs within pairs, of which there are so many.
    fn nested(groups: usize) -> Hierarchy {
        let place = |row: usize| {
            let bits = [(row & 1, 1.0), (row >> 1 & 1, 3.0), (row >> 2 & 1, 10.0)];
            bits.map(|(bit, scale)| bit as f64 * scale).iter().sum::<f64>()
                + (row >> 3) as f64 * 100.0
                // So that nothing is equally far from two others.
                + (row * row) as f64 * 1e-4
        };
        let line = Array2::from_shape_fn((8 * groups, 1), |(row, _)| place(row));
        Finch::new().fit(&Samples::new(line.view()).unwrap()).unwrap()
    }

    #[test]
    fn parts_stand_under_what_they_are_parts_of() {
        for groups in [1, 3, 40] {
            let hierarchy = nested(groups);
            let finest = Groups::new(hierarchy.partitions()[0].labels(), &[]);
            let colours = vec![Colour::plain(0); finest.len()];
            let lineage = Lineage::new(&hierarchy, &finest, &colours);
            assert!(lineage.levels.len() > 1);
            for (level, finer) in lineage.levels[1..].iter().zip(&lineage.levels) {
                // Each cluster's parts are side by side, and weigh as much together.
                let mut parts = finer.order.iter();
                for &cluster in &level.order {
                    let mut weight = 0.0;
                    while weight < level.weights[cluster] {
                        let &part = parts.next().unwrap();
                        let sample = finer.groups.of.iter().position(|&of| of == part).unwrap();
                        assert_eq!(level.groups.of[sample], cluster);
                        weight += finer.weights[part];
                    }
                    assert_eq!(weight, level.weights[cluster]);
                }
                assert!(parts.next().is_none());
            }
        }
    }

    #[test]
    fn a_cluster_has_the_colour_of_the_pages_cluster_that_it_shares_most_with() {
        let hierarchy = nested(7);
        // The clusters of the page need not be a partition of the hierarchy.
        let labels: Vec<u32> =
            (0..56).map(|row| u32::from(row >= 30) + u32::from(row >= 50)).collect();
        let clusters = Groups::new(&labels, &[]);
        let colours = [4, 0, 9].map(Colour::plain);
        let lineage = Lineage::new(&hierarchy, &clusters, &colours);
        for level in &lineage.levels {
            for cluster in 0..level.groups.len() {
                let shared = |one: usize| {
                    let both = level.groups.of.iter().zip(&clusters.of);
                    both.filter(|&(&group, &of)| group == cluster && of == one).count()
                };
                let hue = level.colours[cluster].hue;
                let own = colours.iter().position(|colour| colour.hue == hue).unwrap();
                assert!((0..3).all(|other| shared(other) <= shared(own)));
            }
            // Parts of a cluster side by side differ.
            let shades =
                level.order.windows(2).map(|pair| [level.colours[pair[0]], level.colours[pair[1]]]);
            assert!(shades.into_iter().all(|[a, b]| a != b));
        }
    }

    #[test]
    fn a_partition_of_the_page_has_the_colours_themselves() {
        let hierarchy = nested(3);
        for partition in hierarchy.partitions() {
            let clusters = Groups::new(partition.labels(), &[]);
            let colours: Vec<Colour> = (0..clusters.len()).map(Colour::plain).collect();
            let lineage = Lineage::new(&hierarchy, &clusters, &colours);
            assert!(lineage.levels.iter().any(|level| level.colours == colours));
        }
    }
}
