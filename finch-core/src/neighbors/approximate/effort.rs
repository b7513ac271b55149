//! How many cells a row may reach for in a pass: enough for the recall, and no more.

use super::tuning::{
    CELLS_AGAIN, REACHED, REACHED_AGAIN, REACHED_AT_FIRST, ROWS_AT_FIRST, ROWS_AT_LEAST, WORTH,
};

/// Cells that a row may reach for in the first pass. They grow as the fourth root of the number of
/// rows, and as the logarithm of the share that may be missed, since each cell leaves about the
/// same share of what is missing.
pub(super) fn cells_at_first(rows: usize, recall: f64) -> usize {
    let growth = (rows.max(ROWS_AT_LEAST) as f64 / ROWS_AT_FIRST).sqrt().sqrt();
    let cells = REACHED_AT_FIRST * growth * (1.0 - recall).ln() / 0.01_f64.ln();
    REACHED.min(cells.ceil().max(1.0) as usize)
}

/// Cells that a row may reach for in the next pass, or `None` if another pass is not worth its
/// time. The pass before, of `cells` cells, left the share `left` of what was missing; the next one
/// may leave the share `allowed` of what is missing now.
pub(super) fn cells_to_reach(cells: usize, left: f64, allowed: f64) -> Option<usize> {
    let by_one = left.ln() / cells as f64;
    let needed = (CELLS_AGAIN * allowed.ln() / by_one).ceil().max(REACHED_AGAIN);
    (by_one < (1.0 - WORTH).ln()).then_some(REACHED.min(needed as usize))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cells_grow_with_rows_and_with_recall() {
        let at_first =
            [(1, 0.99, 9), (250_000, 0.99, 9), (1_000_000, 0.99, 12), (8_100_000, 0.99, 21)];
        for (rows, recall, expected) in at_first {
            assert_eq!(cells_at_first(rows, recall), expected, "{rows}");
        }
        assert_eq!(cells_at_first(1_000_000, 0.01), 1);
        assert_eq!(cells_at_first(1_000_000, 0.999), 18);
        assert_eq!(cells_at_first(1_000_000, 1.0), REACHED);

        // 12 cells have left 1/64, and each half of that is one cell of the first pass.
        assert_eq!(cells_to_reach(12, 1.0 / 64.0, 1.0 / 8.0), Some(12));
        assert_eq!(cells_to_reach(12, 1.0 / 64.0, 0.9), Some(REACHED_AGAIN as usize));
        assert_eq!(cells_to_reach(12, 1.0 / 64.0, 0.0), Some(REACHED));
        assert_eq!(cells_to_reach(12, 0.9, 0.5), None);
    }
}
