//! The scheduler: the next pass or local join, by gain per comparison, and the reach of a pass.

use super::request::Breadth;
use super::sketches::Sketches;
use super::tuning::{
    CELLS_AGAIN, CELLS_OF_CUT, CELLS_OF_JOIN, CELLS_OF_LONE, EXPECTED_AXES, FIRST_PASSES, JOINED,
    JOINS_OF_ALL, LONE_OF_MISSED, NEARLY, PAIR_NS, PART_OF_MOVE, REACHED, REACHED_AGAIN,
    REACHED_AT_FIRST, ROWS_AT_FIRST, ROWS_AT_LEAST, ROWS_PER_LEADER, SKETCH_NS, TIMES_OF_DIMENSION,
    USUAL_DIMENSION, VALUE_NS, WORTH,
};

/// The next move of a search, made to find more neighbours.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Move {
    /// A pass: rows are cut into new cells, of which each row may reach for so many.
    Pass { cells: usize },
    /// The same for those rows alone that few others are near to, so that joins hardly reach them.
    PassOfLone { cells: usize },
    /// Neighbourhoods are compared: of rows that are near a row with each other.
    Join,
}

/// The gains of the moves so far.
pub(super) struct Effort {
    /// The share of neighbours that may be missed.
    may_miss: f64,
    /// Cells that a row may reach for in the first pass.
    at_first: usize,
    /// The number of cells that all moves may take, and the number that they have taken.
    most: f64,
    spent: f64,
    /// The number of cells that the last join took, and the number that the last pass of lone rows took.
    of_join: f64,
    of_lone: f64,
    /// True if there are neighbourhoods to compare; without, all later passes are for all rows.
    joins: bool,
    /// The share that is missed, and the move that left it.
    missed: f64,
    last: Move,
    /// The gain expected of the next pass (see [`Effort::made`]): one of all rows, and of lone rows.
    by_pass: f64,
    by_lone: f64,
    /// These two after the first pass.
    at_beginning: (f64, f64),
    /// The number of joins so far.
    joined: usize,
    /// The gain of the last join, of neighbourhoods that had not just been joined and of those that had;
    /// nothing is known at first.
    by_join: [Option<f64>; 2],
}

impl Effort {
    /// Nothing is found yet, of so many rows. A pass comes first. All moves may take the comparisons
    /// of at most so many cells.
    pub(super) fn new(rows: usize, recall: f64, most: f64) -> Self {
        let at_first = cells_at_first(rows, recall);
        Self {
            may_miss: 1.0 - recall,
            at_first,
            most,
            spent: 0.0,
            of_join: CELLS_OF_JOIN,
            // Half of the rows would be many to be lone.
            of_lone: at_first as f64 / 2.0 + CELLS_OF_CUT,
            joins: true,
            missed: 1.0,
            last: Move::Pass { cells: at_first },
            by_pass: 0.0,
            by_lone: 0.0,
            at_beginning: (0.0, 0.0),
            joined: 0,
            by_join: [None; 2],
        }
    }

    /// The same, where there are no neighbourhoods to compare.
    pub(super) fn without_joins(self) -> Self {
        Self { joins: false, by_join: [Some(0.0); 2], ..self }
    }

    /// The first move, which is made however little time is left: so many cells are.
    pub(super) fn first(&self, left: f64) -> Move {
        Move::Pass { cells: (self.at_first as f64).min(left).max(1.0) as usize }
    }

    /// True if a join would be of neighbourhoods that have just been joined: it compares only what is new.
    fn joins_again(&self) -> bool {
        self.last == Move::Join && self.joined >= JOINS_OF_ALL
    }

    /// The number of cells that all moves so far have taken.
    pub(super) fn spent(&self) -> f64 {
        self.spent
    }

    /// True if enough has been found.
    pub(super) fn reached(&self) -> bool {
        self.missed <= self.may_miss
    }

    /// True if so much has been found that nothing slow should find the rest.
    pub(super) fn nearly_reached(&self) -> bool {
        self.missed <= NEARLY * self.may_miss
    }

    /// Learns what share is missed after a move, which took for each row as many comparisons as so
    /// many `cells` do. The gain of a move is the logarithm of the share that it left of what was
    /// missing, for each cell: each cell leaves about the same share.
    pub(super) fn made(&mut self, made: Move, cells: f64, missed: f64) {
        let gain = -(missed / self.missed).max(f64::MIN_POSITIVE).ln() / cells.max(1.0);
        match made {
            Move::Pass { .. } => {
                (self.by_pass, self.by_lone) = (gain / CELLS_AGAIN, gain / CELLS_OF_LONE[0]);
                if self.spent == 0.0 {
                    self.at_beginning = (self.by_pass, self.by_lone);
                }
            }
            Move::PassOfLone { .. } => {
                (self.by_lone, self.of_lone) = (gain / CELLS_OF_LONE[1], cells);
            }
            Move::Join => {
                self.by_join[usize::from(self.joins_again())] = Some(gain);
                self.of_join = cells;
                self.joined += 1;
            }
        }
        (self.missed, self.last) = (missed, made);
        self.spent += cells;
    }

    /// Comparisons take so many times as long from now on.
    pub(super) fn takes_longer(&mut self, times: f64) {
        self.most = self.spent + (self.most - self.spent) / times;
    }

    /// Lists are longer, or tell more, so that moves gain again as they did at first.
    pub(super) fn begins_anew(&mut self) {
        (self.by_pass, self.by_lone) = self.at_beginning;
        self.by_join = self.by_join.map(|_| if self.joins { None } else { Some(0.0) });
        self.joined = 0;
    }

    /// True if more than may be missed is.
    pub(super) fn is_too_much(&self, share: f64) -> bool {
        share > self.may_miss
    }

    /// The share of what is left to do that a move of so many cells does, about.
    pub(super) fn share_of_next(&self, next: Move) -> f64 {
        let (gain, cells) = match next {
            Move::Pass { cells } => (self.by_pass, cells as f64),
            Move::PassOfLone { .. } => (self.by_lone, self.of_lone),
            Move::Join => {
                let again = self.by_join[usize::from(self.joins_again())];
                (again.unwrap_or(self.by_pass), self.of_join)
            }
        };
        let needed = (self.missed / self.may_miss.max(f64::MIN_POSITIVE)).ln() / gain;
        let [least, most] = PART_OF_MOVE;
        // Not a number where nothing has been gained.
        if needed > 0.0 { (cells / needed).clamp(least, most) } else { most }
    }

    /// The next move, or `None` if none is worth its time, or no time is `left`, as many cells as it
    /// is enough for; or if this and those after it would take longer than all moves may. `lone` tells of
    /// the rows whose neighbours are missed which share is lone, if that makes a difference.
    pub(super) fn next(&self, left: f64, lone: impl FnOnce() -> f64) -> Option<Move> {
        // A join that has not been tried yet is. One after another join compares only what is new: with
        // a comparison it finds 0.7 to 1.3 times as much as the first, of augmented images, texts and a
        // mixture.
        let by_join = self.by_join[usize::from(self.joins_again())].unwrap_or(f64::INFINITY);
        let is_join = by_join >= self.by_pass.max(self.by_lone);
        let of_lone = self.joins && !is_join && lone() > LONE_OF_MISSED;
        let by_pass = if of_lone { self.by_lone } else { self.by_pass };
        let gain = by_join.max(by_pass);
        let needed = (self.missed / self.may_miss).ln() / gain;
        let (cells, next) = if by_join >= by_pass {
            (self.of_join, Move::Join)
        } else if of_lone {
            (self.of_lone, Move::PassOfLone { cells: self.at_first })
        } else {
            let cells = needed.ceil().max(REACHED_AGAIN).min(self.at_first as f64);
            let cells = cells.min(left.max(REACHED_AGAIN));
            (cells, Move::Pass { cells: cells as usize })
        };
        let is_worth = gain > -(1.0 - WORTH).ln() && self.spent.max(needed) <= self.most;
        (is_worth && cells <= left).then_some(next)
    }
}

/// As many comparisons of each row as so many cells take.
pub(super) fn cells_of(comparisons: f64) -> f64 {
    comparisons / (JOINED * ROWS_PER_LEADER) as f64
}

/// Seconds that a search of rows of an intrinsic dimension, if that is known, is expected to take on one core, but
/// for what tells its recall.
pub(in crate::neighbors) fn seconds(
    rows: usize,
    features: usize,
    dimension: Option<f64>,
    breadth: Breadth,
    recall: f64,
) -> f64 {
    let Breadth { k, spare, .. } = breadth;
    let [least, most] = TIMES_OF_DIMENSION;
    let times = dimension.map_or(1.0, |dimension| (dimension / USUAL_DIMENSION).clamp(least, most));
    let compared = (cells_at_first(rows, recall) * JOINED * ROWS_PER_LEADER) as f64;
    let of_row = FIRST_PASSES * times * PAIR_NS * compared
        + VALUE_NS * ((k + spare) * features) as f64
        + SKETCH_NS * (features * features.min(EXPECTED_AXES)) as f64;
    rows as f64 * of_row * 1e-9
}

/// The number of cells that each row can be compared in if all comparisons take one core so many seconds.
pub(super) fn cells_in(seconds: f64, sketches: &Sketches) -> f64 {
    let of_pair = PAIR_NS / 64.0 * sketches.width() as f64 * 1e-9;
    cells_of(seconds / (of_pair * sketches.len() as f64))
}

/// Cells that a row may reach for in the first pass. They grow as the fourth root of the number of
/// rows, and as the logarithm of the share that may be missed, since each cell leaves about the
/// same share of what is missing.
fn cells_at_first(rows: usize, recall: f64) -> usize {
    let growth = (rows.max(ROWS_AT_LEAST) as f64 / ROWS_AT_FIRST).sqrt().sqrt();
    let cells = REACHED_AT_FIRST * growth * (1.0 - recall).ln() / 0.01_f64.ln();
    REACHED.min(cells.ceil().max(1.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Of the rows whose neighbours are missed, most are lone.
    fn mostly() -> f64 {
        0.9
    }

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
    }

    /// A join is tried after the first pass; then comes what gained more, until neither gains. Later
    /// passes are for lone rows.
    #[test]
    fn the_next_move_is_the_one_that_gains_more() {
        let mut effort = Effort::new(1_000_000, 0.99, 60.0);
        assert_eq!(effort.first(f64::INFINITY), Move::Pass { cells: 12 });
        effort.made(Move::Pass { cells: 12 }, 12.0, 1.0 / 16.0);
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(Move::Join));
        // More than a quarter of what a cell of the first pass has found.
        effort.made(Move::Join, 2.0, 1.0 / 20.0);
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(Move::Join));
        effort.made(Move::Join, 2.0, 1.0 / 24.0);
        // Nothing is known yet of joining again.
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(Move::Join));
        effort.made(Move::Join, 0.6, 1.0 / 25.0);
        let lone = Move::PassOfLone { cells: 12 };
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(lone));
        effort.made(lone, 6.0, 1.0 / 34.0);
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(Move::Join));
        effort.made(Move::Join, 4.0, 1.0 / 80.0);
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(Move::Join));
        effort.made(Move::Join, 1.0, 1.0 / 80.0);
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(lone));
        effort.made(lone, 6.0, 1.0 / 81.0);
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(Move::Join));
        effort.made(Move::Join, 1.0, 1.0 / 81.0);
        assert_eq!(effort.next(f64::INFINITY, mostly), None);
        assert!(!effort.reached());
        effort.made(Move::Join, 1.0, 1.0 / 128.0);
        assert!(effort.reached());
    }

    /// Where many of those that miss their neighbours are not lone, later passes are for all rows.
    #[test]
    fn a_pass_is_for_those_that_miss_their_neighbours() {
        let mut effort = Effort::new(1_000_000, 0.99, 60.0);
        effort.made(Move::Pass { cells: 12 }, 12.0, 1.0 / 16.0);
        effort.made(Move::Join, 2.0, 1.0 / 18.0);
        effort.made(Move::Join, 2.0, 1.0 / 20.0);
        effort.made(Move::Join, 0.2, 1.0 / 20.0);
        let lone = Move::PassOfLone { cells: 12 };
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(lone));
        let half = || 0.5;
        assert_eq!(effort.next(f64::INFINITY, half), Some(Move::Pass { cells: 12 }));
        // Nothing is known of another pass of all rows from one of lone rows, which hardly gains.
        effort.made(lone, 6.0, 1.0 / 20.1);
        effort.made(Move::Join, 0.2, 1.0 / 20.1);
        assert_eq!(effort.next(f64::INFINITY, mostly), None);
        assert_eq!(effort.next(f64::INFINITY, half), Some(Move::Pass { cells: 12 }));
        effort.made(Move::Pass { cells: 12 }, 12.0, 1.0 / 90.0);
        effort.made(Move::Join, 1.0, 1.0 / 90.0);
        assert_eq!(effort.next(f64::INFINITY, half), Some(Move::Pass { cells: 3 }));
    }

    /// Queries have no neighbourhoods: passes are for all of them.
    #[test]
    fn without_joins_another_pass_comes() {
        let pass = |cells| Move::Pass { cells };
        let mut effort = Effort::new(1_000_000, 0.99, 60.0).without_joins();
        effort.made(pass(12), 12.0, 1.0 / 16.0);
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(pass(12)));
        effort.made(pass(12), 12.0, 1.0 / 64.0);
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(pass(8)));
        effort.made(pass(8), 8.0, 1.0 / 65.0);
        assert_eq!(effort.next(f64::INFINITY, mostly), None);
    }

    /// Moves fit the time that is left; and none is made where all that are needed take longer than
    /// what would be done instead.
    #[test]
    fn moves_end_in_time() {
        let pass = |cells| Move::Pass { cells };
        let mut effort = Effort::new(1_000_000, 0.99, 60.0);
        assert_eq!([0.0, 7.9, 90.0].map(|left| effort.first(left)), [1, 7, 12].map(pass));
        effort.made(pass(12), 12.0, 0.5);
        assert_eq!(effort.next(CELLS_OF_JOIN - 0.1, mostly), None);
        assert_eq!(effort.next(CELLS_OF_JOIN, mostly), Some(Move::Join));
        effort.made(Move::Join, 2.0, 0.495);
        effort.made(Move::Join, 2.0, 0.49);
        effort.made(Move::Join, 2.0, 0.485);
        assert_eq!(effort.next(f64::INFINITY, mostly), None, "some 270 cells are needed");
        effort.most = 400.0;
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(Move::PassOfLone { cells: 12 }));
        assert_eq!(effort.next(8.9, mostly), None, "half of 12 cells, and the cut");
        let mut effort = Effort::new(1_000_000, 0.99, 200.0).without_joins();
        effort.made(pass(12), 12.0, 0.5);
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(pass(12)));
        assert_eq!(effort.next(5.0, mostly), Some(pass(5)));
        assert_eq!(effort.next(2.0, mostly), None);
    }

    /// All neighbours are never found for certain: moves end once they gain nothing.
    #[test]
    fn a_recall_of_1_is_searched_for_as_long_as_moves_gain() {
        let mut effort = Effort::new(1_000_000, 1.0, f64::INFINITY);
        effort.made(effort.first(f64::INFINITY), 24.0, 0.02);
        effort.made(Move::Join, 2.0, 0.015);
        effort.made(Move::Join, 2.0, 0.01);
        let lone = Move::PassOfLone { cells: REACHED };
        effort.made(Move::Join, 1.0, 0.01);
        assert_eq!(effort.next(f64::INFINITY, mostly), Some(lone));
        effort.made(lone, 10.0, 0.01);
        effort.made(Move::Join, 1.0, 0.01);
        assert_eq!(effort.next(f64::INFINITY, mostly), None);
        let bounded = Effort { most: 1e9, by_pass: 1.0, ..effort };
        assert_eq!(
            bounded.next(f64::INFINITY, mostly),
            None,
            "what finds all for certain is for that"
        );
    }
}
