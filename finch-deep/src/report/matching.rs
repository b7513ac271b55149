//! Clusters against classes.

use ndarray::Array2;
use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

use super::groups::Groups;

/// What the Hungarian algorithm may cost, as rows² × columns of its table: about a second.
const MOST_WORK: usize = 1_000_000_000;

/// The samples that each cluster shares with each class, and which of them belong together.
pub(super) struct Matching {
    /// Clusters × classes.
    pub(super) shared: Array2<usize>,
    /// The class of each cluster under the one-to-one matching that shares most samples, as in
    /// clustering accuracy. None for clusters left over, or matched without a sample in common.
    pub(super) class: Vec<Option<usize>>,
}

impl Matching {
    /// None if there are too many of both to match, or to look at.
    pub(super) fn new(clusters: &Groups, classes: &Groups) -> Option<Self> {
        let (rows, columns) = (clusters.len(), classes.len());
        let few = rows.min(columns);
        if few == 0 || few.checked_mul(few)?.checked_mul(rows.max(columns))? > MOST_WORK {
            return None;
        }
        let mut shared = Array2::zeros((rows, columns));
        for (&cluster, &class) in clusters.of.iter().zip(&classes.of) {
            shared[[cluster, class]] += 1;
        }
        // The algorithm wants no more rows than columns.
        let table = if rows <= columns { shared.view() } else { shared.t() };
        let rows = table.rows().into_iter().map(|row| row.map(|&n| n as i64).to_vec());
        let (_, partners) = kuhn_munkres(&Matrix::from_rows(rows).ok()?);
        let mut class = vec![None; shared.nrows()];
        for (row, column) in partners.into_iter().enumerate() {
            let pair = if shared.nrows() <= shared.ncols() { (row, column) } else { (column, row) };
            class[pair.0] = (shared[pair] > 0).then_some(pair.1);
        }
        Some(Self { shared, class })
    }

    /// The cluster of each class.
    pub(super) fn cluster(&self) -> Vec<Option<usize>> {
        let mut cluster = vec![None; self.shared.ncols()];
        for (number, class) in self.class.iter().enumerate() {
            if let Some(class) = *class {
                cluster[class] = Some(number);
            }
        }
        cluster
    }
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
