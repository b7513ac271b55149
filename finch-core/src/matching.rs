//! One-to-one matching of clusters and classes, by the samples that they share.

use std::cmp::Reverse;

use pathfinding::kuhn_munkres::kuhn_munkres;
use pathfinding::matrix::Matrix;

use crate::memory::{collected, copied, expect_room, filled, gathered, push, reserve};
use crate::sets::Sets;

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

/// What the Hungarian algorithm may cost, as rows² × columns of its table: some seconds. Only large
/// labellings that have nothing to do with each other cost more.
const MOST_WORK: u128 = 20_000_000_000;

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
        let of_part = hungarian(part)?;
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

/// The largest matching within cells that are connected, by the Hungarian algorithm.
fn hungarian(part: &[Cell]) -> Option<Vec<Cell>> {
    let (clusters, classes) = (distinct(part, cluster), distinct(part, class));
    // The side with fewer groups is that of the rows: the algorithm wants no more rows than columns.
    let (row_of, column_of, rows): (Side, Side, _) = match clusters.len() <= classes.len() {
        true => (cluster, class, clusters),
        false => (class, cluster, classes),
    };
    // A row's largest r cells suffice, for r rows: the other rows occupy at most r − 1 of the
    // columns of these cells, so a row matched elsewhere can move to a free one of these columns
    // and lose nothing. That bounds the table by r² columns.
    let mut cells = copied(part);
    cells.sort_unstable_by_key(|cell| (row_of(cell), Reverse(cell.count), column_of(cell)));
    let by_row = cells.chunk_by(|a, b| row_of(a) == row_of(b));
    let kept: Vec<Cell> = gathered(by_row.flat_map(|row| row.iter().copied().take(rows.len())));
    let columns = distinct(&kept, column_of);
    let width = columns.len().max(rows.len());
    if (rows.len() as u128).pow(2) * width as u128 > MOST_WORK {
        return None;
    }
    let place = |cell: &Cell| {
        let row = rows.partition_point(|&other| other < row_of(cell));
        (row, columns.partition_point(|&other| other < column_of(cell)))
    };
    // The table, and a few numbers for each row and each column.
    expect_room(size_of::<i64>() * (rows.len() * width + 16 * (rows.len() + width)));
    let mut weights = Matrix::new(rows.len(), width, 0);
    for cell in &kept {
        weights[place(cell)] = cell.count as i64;
    }
    let (_, partners) = kuhn_munkres(&weights);
    let matched = |cell: &Cell| {
        let (row, column) = place(cell);
        partners[row] == column
    };
    // A row can also have a column with which it shares nothing: no cell, and so no pair.
    Some(gathered(kept.into_iter().filter(matched)))
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
