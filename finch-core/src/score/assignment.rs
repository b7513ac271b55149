//! The one-to-one matching of rows and columns with the largest sum, of a table of which few cells are
//! not 0.
//!
//! Rows are matched one after the other, each along a shortest augmenting path in reduced costs, which
//! Dijkstra's algorithm finds among the cells that are there (Jonker & Volgenant, *A shortest
//! augmenting path algorithm for dense and sparse linear assignment problems*, Computing 38, 1987,
//! section 4). Here a row may also stay without a column, which costs 0: a path may end at a row that
//! gives up its column.
//!
//! The cost of a cell is −count. With a price v ≤ 0 for each column, 0 where the column is free, and
//! u = min(−count − v, 0) for each row, the reduced cost −count − u − v of a cell is never negative, and
//! 0 for the matched cells. So the matching is the largest of all, by duality. All numbers are whole, and
//! between ±2⁵⁵ for counts of up to 2⁵³.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use crate::support::memory::{collected, filled, push, room};

const NONE: u32 = u32::MAX;
const UNSEEN: i64 = i64::MAX;

/// The cells of a table, row after row.
pub(crate) struct Table {
    /// Where the cells of each row begin, and the end.
    starts: Vec<usize>,
    rows: Vec<u32>,
    columns: Vec<u32>,
    counts: Vec<i64>,
    width: usize,
}

impl Table {
    /// A table of cells that are sorted by row: the row, the column below `width`, and the count, 1 or
    /// more. Each row has a cell.
    pub(crate) fn new(
        cells: impl ExactSizeIterator<Item = (u32, u32, i64)> + Clone,
        width: usize,
    ) -> Self {
        let rows: Vec<u32> = collected(cells.clone().map(|(row, ..)| row));
        let mut starts = Vec::new();
        for (cell, &row) in rows.iter().enumerate() {
            if row as usize == starts.len() {
                push(&mut starts, cell);
            }
        }
        push(&mut starts, rows.len());
        let columns = collected(cells.clone().map(|(_, column, _)| column));
        let counts = collected(cells.map(|(.., count)| count));
        Self { starts, rows, columns, counts, width }
    }

    /// The cells of the matching with the largest sum of counts, as places among all cells. None where
    /// that takes more than `most` looks at a cell.
    pub(crate) fn largest_matching(&self, most: u64) -> Option<Vec<u32>> {
        let mut search = Search::new(self, most);
        let unmatched = search.match_largest_cells();
        for row in unmatched {
            search.match_row(row)?;
        }
        let cells = search.cell_of_row.into_iter().filter(|&cell| cell != NONE);
        let mut matched = room(self.starts.len() - 1);
        matched.extend(cells);
        Some(matched)
    }
}

/// The end of a path.
#[derive(Clone, Copy)]
enum End {
    FreeColumn(u32),
    /// The row gives up its column; the first row of a path has none.
    WithoutColumn(u32),
}

struct Search<'t> {
    table: &'t Table,
    /// Looks at a cell that are left.
    left: u64,
    prices: Vec<i64>,
    row_of_column: Vec<u32>,
    cell_of_row: Vec<u32>,
    // Of the path that is searched:
    /// The length of the shortest path to each column so far.
    lengths: Vec<i64>,
    /// The last cell of this path.
    last_cells: Vec<u32>,
    /// True if the length is final.
    settled: Vec<bool>,
    /// The columns that have a length.
    seen: Vec<u32>,
    /// Columns at the length that the search has come to.
    here: Vec<u32>,
    farther: BinaryHeap<Reverse<(i64, u32)>>,
}

impl<'t> Search<'t> {
    fn new(table: &'t Table, most: u64) -> Self {
        let (rows, width) = (table.starts.len() - 1, table.width);
        Self {
            table,
            left: most,
            prices: filled(0, width),
            row_of_column: filled(NONE, width),
            cell_of_row: filled(NONE, rows),
            lengths: filled(UNSEEN, width),
            last_cells: filled(NONE, width),
            settled: filled(false, width),
            seen: room(width),
            here: Vec::new(),
            // A cell enters once for each path at most.
            farther: BinaryHeap::from(room::<Reverse<(i64, u32)>>(table.rows.len())),
        }
    }

    /// Matches rows with the column of their largest cell, as long as it is free, and returns the rows
    /// that are left.
    fn match_largest_cells(&mut self) -> Vec<u32> {
        let table = self.table;
        let mut unmatched = Vec::new();
        for (row, ends) in table.starts.windows(2).enumerate() {
            let largest = table.counts[ends[0]..ends[1]].iter().max();
            let free = (ends[0]..ends[1]).find(|&cell| {
                let column = table.columns[cell] as usize;
                Some(&table.counts[cell]) == largest && self.row_of_column[column] == NONE
            });
            match free {
                Some(cell) => self.take(row, cell),
                None => push(&mut unmatched, row as u32),
            }
        }
        unmatched
    }

    fn take(&mut self, row: usize, cell: usize) {
        self.cell_of_row[row] = cell as u32;
        self.row_of_column[self.table.columns[cell] as usize] = row as u32;
    }

    /// Matches one more row, or leaves it, or another row in its place, without a column.
    fn match_row(&mut self, first: u32) -> Option<()> {
        let (length, end) = self.shortest_path(first)?;
        for &column in &self.seen {
            let column = column as usize;
            if self.settled[column] && self.lengths[column] < length {
                self.prices[column] += self.lengths[column] - length;
            }
        }
        self.augment(first, end);
        for column in self.seen.drain(..) {
            self.lengths[column as usize] = UNSEEN;
            self.settled[column as usize] = false;
        }
        self.here.clear();
        self.farther.clear();
        Some(())
    }

    /// The length and the end of the shortest path from a row without a column.
    fn shortest_path(&mut self, first: u32) -> Option<(i64, End)> {
        let table = self.table;
        let (mut row, mut length) = (first as usize, 0);
        let mut best = (UNSEEN, End::WithoutColumn(first));
        loop {
            let price = self.price_of_row(row);
            if length - price < best.0 {
                best = (length - price, End::WithoutColumn(row as u32));
            }
            let cells = table.starts[row]..table.starts[row + 1];
            self.left = self.left.checked_sub(cells.len() as u64)?;
            for cell in cells {
                let column = table.columns[cell] as usize;
                let to_column = length - table.counts[cell] - self.prices[column] - price;
                if to_column >= self.lengths[column] || to_column >= best.0 {
                    continue;
                }
                if self.lengths[column] == UNSEEN {
                    self.seen.push(column as u32);
                }
                self.lengths[column] = to_column;
                self.last_cells[column] = cell as u32;
                if self.row_of_column[column] == NONE {
                    best = (to_column, End::FreeColumn(column as u32));
                } else if to_column == length {
                    push(&mut self.here, column as u32);
                } else {
                    self.farther.push(Reverse((to_column, column as u32)));
                }
            }
            let Some(column) = self.next_column(&mut length, best.0) else { return Some(best) };
            self.settled[column] = true;
            row = self.row_of_column[column] as usize;
        }
    }

    /// The nearest column that is not settled, and its length, unless that is `enough`.
    fn next_column(&mut self, length: &mut i64, enough: i64) -> Option<usize> {
        if *length >= enough {
            return None;
        }
        while let Some(column) = self.here.pop() {
            if !self.settled[column as usize] {
                return Some(column as usize);
            }
        }
        while let Some(Reverse((of_column, column))) = self.farther.pop() {
            if of_column >= enough {
                return None;
            }
            if !self.settled[column as usize] {
                *length = of_column;
                return Some(column as usize);
            }
        }
        None
    }

    /// The price of a row: the least reduced cost of its ways, one of which is to stay without a column.
    fn price_of_row(&self, row: usize) -> i64 {
        let table = self.table;
        let price = |cell: usize| -table.counts[cell] - self.prices[table.columns[cell] as usize];
        match self.cell_of_row[row] {
            NONE => (table.starts[row]..table.starts[row + 1]).map(price).fold(0, i64::min),
            cell => price(cell as usize),
        }
    }

    /// Gives every row of a path the column behind it.
    fn augment(&mut self, first: u32, end: End) {
        let mut column = match end {
            End::FreeColumn(column) => column,
            End::WithoutColumn(row) if row == first => return,
            End::WithoutColumn(row) => {
                let cell = self.cell_of_row[row as usize];
                self.cell_of_row[row as usize] = NONE;
                self.table.columns[cell as usize]
            }
        };
        loop {
            let cell = self.last_cells[column as usize] as usize;
            let row = self.table.rows[cell] as usize;
            let before = self.cell_of_row[row];
            self.take(row, cell);
            if row == first as usize {
                return;
            }
            column = self.table.columns[before as usize];
        }
    }
}

#[cfg(test)]
mod tests {
    use pathfinding::kuhn_munkres::kuhn_munkres;
    use pathfinding::matrix::Matrix;

    use super::*;
    use crate::support::random::scrambled;

    /// A table of so many rows and columns, a part of whose cells have a count, up to the largest.
    fn drawn(
        seed: u64,
        [rows, width]: [usize; 2],
        cells: f64,
        largest: u64,
    ) -> Vec<(u32, u32, i64)> {
        let draw = |i: usize| scrambled(seed << 32 ^ i as u64) >> 11;
        let all = (0..rows * width).filter(|&i| {
            // Each row has a cell.
            i % width == i / width % width || (draw(2 * i) as f64) < cells * (1_u64 << 53) as f64
        });
        all.map(|i| {
            ((i / width) as u32, (i % width) as u32, (1 + draw(2 * i + 1) % largest) as i64)
        })
        .collect()
    }

    fn sum_of(cells: &[(u32, u32, i64)], width: usize) -> i64 {
        let matched = Table::new(cells.iter().copied(), width).largest_matching(u64::MAX).unwrap();
        let mut taken = [vec![false; cells.len()], vec![false; width]];
        for &cell in &matched {
            let (row, column, _) = cells[cell as usize];
            assert!(!std::mem::replace(&mut taken[0][row as usize], true));
            assert!(!std::mem::replace(&mut taken[1][column as usize], true));
        }
        matched.iter().map(|&cell| cells[cell as usize].2).sum()
    }

    #[test]
    fn the_matching_is_that_of_the_hungarian_algorithm() {
        for trial in 0..400 {
            let (rows, width) = (1 + trial as usize % 13, 1 + trial as usize % 17);
            let part = [0.05, 0.2, 0.6, 1.0][trial as usize % 4];
            let largest = [1, 2, 9, 1 << 52][trial as usize / 4 % 4];
            let cells = drawn(trial, [rows, width], part, largest);
            let mut dense = Matrix::new(rows, width.max(rows), 0);
            for &(row, column, count) in &cells {
                dense[(row as usize, column as usize)] = count;
            }
            let (expected, _) = kuhn_munkres(&dense);
            assert_eq!(sum_of(&cells, width), expected, "{cells:?}");
        }
    }

    #[test]
    fn a_search_that_takes_too_long_is_given_up() {
        let cells = drawn(7, [60, 60], 0.5, 2);
        let table = Table::new(cells.iter().copied(), 60);
        assert!(table.largest_matching(10).is_none());
        assert!(table.largest_matching(u64::MAX).is_some());
    }
}
