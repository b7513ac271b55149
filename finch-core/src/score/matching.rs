//! One-to-one matching of clusters and classes, by the samples that they share.

use super::assignment::Table;
use crate::support::memory::{collected, copied, filled, push, reserve};
use crate::support::union_find::Sets;

/// An entry of a contingency table that is not 0.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Cell<C = u64> {
    pub(crate) cluster: u32,
    pub(crate) class: u32,
    /// The samples that cluster and class share.
    pub(crate) count: C,
}

impl Cell {
    /// Cluster and class as indices, for tables over both.
    fn sides(&self) -> [usize; 2] {
        [self.cluster as usize, self.class as usize]
    }
}

/// Looks at a cell that the matching may take: some seconds. Of 10⁶ samples, 5,000 clusters and as many
/// classes that have nothing to do with them take 4·10⁷, and 10⁵ samples with 2,000 of each 3·10⁵.
const MOST_WORK: u64 = 300_000_000;

/// The cells of the one-to-one matching of clusters and classes that shares most samples, each
/// cluster and each class in one cell at most. None if finding the matching would take too long.
pub(crate) fn largest_matching(
    cells: impl ExactSizeIterator<Item = Cell>,
    clusters: usize,
    classes: usize,
) -> Option<Vec<Cell>> {
    // Clusters and classes in one numbering, as the two sides of a graph.
    let to_side = |cell: Cell| Cell { class: clusters as u32 + cell.class, ..cell };
    let mut cells: Vec<Cell> = collected(cells.map(to_side));
    let mut matched = settle(&mut cells, clusters + classes);
    let mut groups = Sets::new(clusters + classes);
    for cell in &cells {
        groups.join(cell.cluster, cell.class);
    }
    let roots: Vec<u32> = collected(groups.into_roots());
    let root = |cell: &Cell| roots[cell.cluster as usize];
    cells.sort_unstable_by_key(|cell| (root(cell), cell.cluster, cell.class));
    for part in cells.chunk_by(|a, b| root(a) == root(b)) {
        let of_part = of_connected(part)?;
        reserve(&mut matched, of_part.len());
        matched.extend(of_part);
    }
    matched.iter_mut().for_each(|cell| cell.class -= clusters as u32);
    Some(matched)
}

/// Matches pairs that are safe to match, removes all cells of their clusters and classes, and
/// returns the cells of the pairs.
///
/// A pair is safe if it shares at least as many samples as its cluster's and its class's next best
/// partners together: a matching without it drops at most those two to take it, and loses nothing.
/// Matches only lower the bar for the other pairs, so the bars from the start of a pass hold
/// throughout it. A pass that removes less than an eighth of the cells is the last one, which keeps
/// their number logarithmic.
fn settle(cells: &mut Vec<Cell>, groups: usize) -> Vec<Cell> {
    let mut settled = Vec::new();
    let mut taken = filled(false, groups);
    let mut before = usize::MAX;
    while cells.len() <= before / 8 * 7 && !cells.is_empty() {
        before = cells.len();
        let mut largest_two = filled([0; 2], groups);
        for cell in &*cells {
            for side in cell.sides() {
                let [first, second] = largest_two[side];
                largest_two[side] = [first.max(cell.count), second.max(first.min(cell.count))];
            }
        }
        for cell in &*cells {
            let rival = |side: usize| {
                let [first, second] = largest_two[side];
                if first == cell.count { second } else { first }
            };
            let free = cell.sides().iter().all(|&side| !taken[side]);
            if free && cell.count >= cell.sides().into_iter().map(rival).sum() {
                push(&mut settled, *cell);
                cell.sides().into_iter().for_each(|side| taken[side] = true);
            }
        }
        cells.retain(|cell| cell.sides().iter().all(|&side| !taken[side]));
    }
    settled
}

/// The largest matching within cells that are connected.
fn of_connected(part: &[Cell]) -> Option<Vec<Cell>> {
    let (clusters, classes) = (distinct(part, cluster), distinct(part, class));
    // A path is searched for each row: the side with fewer groups is that of the rows.
    let (row_of, column_of, rows, columns): (Side, Side, _, _) =
        match clusters.len() <= classes.len() {
            true => (cluster, class, clusters, classes),
            false => (class, cluster, classes, clusters),
        };
    let mut cells = copied(part);
    cells.sort_unstable_by_key(|cell| (row_of(cell), column_of(cell)));
    let number = |groups: &[u32], group| groups.partition_point(|&other| other < group) as u32;
    let numbered = cells.iter().map(|cell| {
        let place = [number(&rows, row_of(cell)), number(&columns, column_of(cell))];
        (place[0], place[1], cell.count as i64)
    });
    let matched = Table::new(numbered, columns.len()).largest_matching(MOST_WORK)?;
    Some(collected(matched.into_iter().map(|cell| cells[cell as usize])))
}

/// Reads the cluster or the class of a cell.
type Side = fn(&Cell) -> u32;

fn cluster(cell: &Cell) -> u32 {
    cell.cluster
}

fn class(cell: &Cell) -> u32 {
    cell.class
}

/// The values of `side` that occur, sorted.
fn distinct(cells: &[Cell], side: Side) -> Vec<u32> {
    let mut numbers: Vec<u32> = collected(cells.iter().map(side));
    numbers.sort_unstable();
    numbers.dedup();
    numbers
}
