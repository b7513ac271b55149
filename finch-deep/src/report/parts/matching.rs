//! Clusters against classes.

use finch_core::Contingency;
use ndarray::Array2;

use super::colours::{self, Colour};
use super::groups::Groups;

/// The most entries of a table of clusters and classes: 16 MB of counts.
const MOST_ENTRIES: usize = 2_000_000;

/// The samples that each cluster shares with each class, and which of them belong together.
pub(in crate::report) struct Matching {
    /// Clusters × classes: the number of samples.
    pub(in crate::report) shared: Array2<usize>,
    /// The class of each cluster under the one-to-one matching that clustering accuracy counts by.
    /// None for clusters left over, or matched without a sample in common.
    pub(in crate::report) class: Vec<Option<usize>>,
}

impl Matching {
    /// None if there are no samples, or too many clusters and classes for matching or for a table.
    pub(in crate::report) fn new(clusters: &Groups, classes: &Groups) -> Option<Self> {
        if clusters.len().checked_mul(classes.len())? > MOST_ENTRIES {
            return None;
        }
        let mut shared = Array2::zeros((clusters.len(), classes.len()));
        for (&cluster, &class) in clusters.of.iter().zip(&classes.of) {
            shared[[cluster, class]] += 1;
        }
        // Noise is matched with no class.
        let clustered = clusters.of.iter().zip(&classes.of);
        let clustered = clustered.filter(|&(&cluster, _)| clusters.noise != Some(cluster));
        let (of_cluster, of_class): (Vec<usize>, Vec<usize>) = clustered.unzip();
        let matching = Contingency::new(&of_cluster, &of_class).ok()?.matching().ok()??;
        let mut class = vec![None; clusters.len()];
        // A contingency table numbers groups by their first samples; here groups are numbered by
        // their labels.
        let clusters = by_first_sample(&of_cluster, clusters.len());
        let classes = by_first_sample(&of_class, classes.len());
        for (&cluster, partner) in clusters.iter().zip(matching) {
            class[cluster] = partner.map(|partner| classes[partner as usize]);
        }
        Some(Self { shared, class })
    }

    /// The cluster of each class.
    pub(in crate::report) fn cluster(&self) -> Vec<Option<usize>> {
        let mut cluster = vec![None; self.shared.ncols()];
        for (number, class) in self.class.iter().enumerate() {
            if let Some(class) = *class {
                cluster[class] = Some(number);
            }
        }
        cluster
    }
}

/// The colours of classes: those of the clusters matched with them, and others for the rest. `places` are
/// where the classes are on the map.
pub(in crate::report) fn colours_of(
    classes: &Groups,
    matching: Option<&Matching>,
    of_clusters: &[Colour],
    places: &[Option<[f64; 2]>],
) -> Vec<Colour> {
    let given = match matching {
        Some(matching) => {
            let clusters = matching.cluster().into_iter();
            clusters.map(|cluster| cluster.map(|cluster| of_clusters[cluster])).collect()
        }
        None => vec![None; classes.len()],
    };
    colours::choose(&given, places, &classes.by_size())
}

/// The groups in the order of their first samples.
fn by_first_sample(of: &[usize], groups: usize) -> Vec<usize> {
    let mut order = Vec::with_capacity(groups);
    let mut seen = vec![false; groups];
    for &group in of {
        if !std::mem::replace(&mut seen[group], true) {
            order.push(group);
        }
    }
    order
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matching(clusters: &[u32], classes: &[u32]) -> Matching {
        Matching::new(&Groups::new(clusters, &[]), &Groups::new(classes, &[])).unwrap()
    }

    #[test]
    fn more_clusters_than_classes_and_fewer() {
        let (a, b) = ([0, 0, 1, 1, 2, 2], [0, 0, 1, 1, 0, 1]);
        let more = matching(&a, &b);
        assert_eq!(more.shared, ndarray::array![[2, 0], [0, 2], [1, 1]]);
        assert_eq!(more.class, [Some(0), Some(1), None]);
        assert_eq!(more.cluster(), [Some(0), Some(1)]);
        let fewer = matching(&b, &a);
        assert_eq!(fewer.class, [Some(0), Some(1)]);
        assert_eq!(fewer.cluster(), [Some(0), Some(1), None]);
    }

    #[test]
    fn nothing_in_common_is_no_match() {
        // The table is 5 1 / 1 0: its diagonal shares most.
        let matching = matching(&[0, 0, 0, 0, 0, 0, 1], &[0, 0, 0, 0, 0, 1, 0]);
        assert_eq!(matching.class, [Some(0), None]);
        assert_eq!(matching.cluster(), [Some(0), None]);
    }

    #[test]
    fn too_many_to_match() {
        let many: Vec<u32> = (0..2000).collect();
        let groups = Groups::new(&many, &[]);
        assert!(Matching::new(&groups, &groups).is_none());
        let none = Groups::new(&[], &[]);
        assert!(Matching::new(&none, &none).is_none());
    }
}
