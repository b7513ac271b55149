//! The partitions of a hierarchy as a tree: which cluster is in which, how clusters stand side by side,
//! and their colours.

use finch_core::{Hierarchy, Partition};

use crate::report::parts::colours::{COLOURS, Colour, SHADES};
use crate::report::parts::groups::Groups;

/// The partitions, the finest first.
pub(super) struct Lineage {
    pub(super) levels: Vec<Level>,
    /// The level whose clusters have colours of their own: the finest of at most [`COLOURS`] clusters,
    /// else the coarsest. Coarser clusters have the colour of their largest part, finer ones shades of
    /// the colour of what they are a part of.
    pub(super) coloured: usize,
}

/// A partition.
pub(super) struct Level {
    pub(super) groups: Groups,
    /// The sum of the samples' weights in each cluster.
    pub(super) weights: Vec<f64>,
    /// The clusters from left to right: those within one cluster of the next level side by side, the
    /// heaviest first.
    pub(super) order: Vec<usize>,
    pub(super) colours: Vec<Colour>,
}

impl Lineage {
    pub(super) fn new(hierarchy: &Hierarchy) -> Self {
        let partitions = hierarchy.partitions();
        let weights: Vec<Vec<f64>> = partitions
            .iter()
            .map(|one| hierarchy.sizes(one).expect("a partition of the hierarchy's own samples"))
            .collect();
        let parents: Vec<Vec<usize>> =
            partitions.windows(2).map(|pair| parents(&pair[0], &pair[1])).collect();
        let orders = orders(&weights, &parents);
        let fits = |partition: &Partition| partition.clusters() <= COLOURS;
        let coloured = partitions.iter().position(fits).unwrap_or(partitions.len() - 1);
        let mut colours: Vec<Vec<Colour>> =
            weights.iter().map(|weights| vec![Colour::plain(0); weights.len()]).collect();
        let mut heaviest = orders[coloured].clone();
        heaviest.sort_by(|&a, &b| weights[coloured][b].total_cmp(&weights[coloured][a]));
        for (place, &cluster) in heaviest.iter().enumerate() {
            colours[coloured][cluster] = Colour::plain(place);
        }
        for level in coloured + 1..partitions.len() {
            // From right to left: the first part of a cluster, its heaviest, is the last to say.
            for &part in orders[level - 1].iter().rev() {
                colours[level][parents[level - 1][part]] = colours[level - 1][part];
            }
        }
        let mut ancestors: Vec<usize> = (0..weights[coloured].len()).collect();
        for level in (0..coloured).rev() {
            ancestors = parents[level].iter().map(|&parent| ancestors[parent]).collect();
            let mut parts = vec![0; weights[coloured].len()];
            for &cluster in &orders[level] {
                let ancestor = ancestors[cluster];
                let hue = colours[coloured][ancestor].hue;
                colours[level][cluster] = Colour { hue, shade: parts[ancestor] % SHADES };
                parts[ancestor] += 1;
            }
        }
        let level = |(((partition, weights), order), colours): (((&Partition, _), _), _)| Level {
            groups: Groups::new(partition.labels(), &[]),
            weights,
            order,
            colours,
        };
        let levels = partitions.iter().zip(weights).zip(orders).zip(colours).map(level).collect();
        Self { levels, coloured }
    }
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
    use std::collections::BTreeSet;

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
            let lineage = Lineage::new(&hierarchy);
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
    fn up_to_twenty_clusters_have_colours_of_their_own() {
        let lineage = Lineage::new(&nested(7));
        let coloured = lineage.levels[lineage.coloured].groups.len();
        assert!((8..=COLOURS).contains(&coloured), "{coloured}");
        for (number, level) in lineage.levels.iter().enumerate() {
            let different: BTreeSet<String> =
                level.colours.iter().map(|colour| colour.css()).collect();
            if level.groups.len() <= COLOURS {
                assert_eq!(different.len(), level.groups.len(), "level {number}");
                assert!(level.colours.iter().all(|colour| colour.shade == 0));
            }
        }
        // Parts have shades of the colour of the whole.
        let (finest, whole) = (&lineage.levels[0], &lineage.levels[lineage.coloured]);
        for (&part, &cluster) in finest.groups.of.iter().zip(&whole.groups.of) {
            assert_eq!(finest.colours[part].hue, whole.colours[cluster].hue);
        }
    }
}
