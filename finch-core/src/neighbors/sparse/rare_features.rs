//! Approximate search by rare features, under a budget of steps.
//!
//! To add a feature to the sums of products takes a step for each row that has it, and says most where
//! few have it and it weighs much: two texts are near for the rare words that both have. So the features
//! of a query are added in falling order of what they may say for each step, up to a budget of steps. The
//! rows that are nearest by these sums are then compared by key.
//!
//! Of rows that share none of these features the ones nearest to nothing at all are the nearest: the
//! shortest, and under cosine any. These are compared, too.
//!
//! Of 100,000 made texts of 50 terms among 100,000, by Zipf's law, a budget of 4,000 steps finds 97 of
//! 100 neighbours and 16,000 all, where all features take 424,000. Of few features, each of which many
//! rows have, no budget finds enough; `random_projections.rs` does.

use std::ops::Range;

use rayon::prelude::*;

use super::inverted_index::{InvertedIndex, Place};
use super::products::{add_least_touching, add_touching};
use crate::neighbors::approximate::Aim;
use crate::neighbors::lists::{Nearest, offer};
use crate::run::progress::Meter;
use crate::samples::sparse::SparseRow;
use crate::support::memory::{collected, collected_in_parallel, filled, push, reserve};
use crate::support::parallel::SharedSplitting as _;

/// Rows compared with a row by key beyond the k that are asked for.
const SPARE: usize = 7;
/// Steps for each row, at least.
const FEWEST_STEPS: usize = 512;
/// Rows that a thread takes at a time.
const ROWS_AT_ONCE: usize = 64;

/// Nanoseconds of a step, and of a value of a row for each row that it is compared with by key; to sort
/// the row's features and to look at the sums takes as long as so many more rows.
const STEP_NS: f64 = 8.0;
const VALUE_NS: f64 = 30.0;
const OTHERS: usize = 10;

/// A search for the nearest of some rows of a base among all its rows.
pub(super) struct Rare<'a> {
    base: &'a InvertedIndex<'a>,
    k: usize,
    /// The rows nearest to nothing at all.
    shortest: Vec<u32>,
}

/// The reach that a search by rare features needs, as a sample tells.
#[derive(Clone, Copy, Debug)]
pub(super) struct Budget {
    /// Steps for each row, at most.
    pub(super) steps: usize,
    /// The time that a search of all rows is expected to take, in seconds on one core.
    pub(super) seconds: f64,
}

/// As far as a search goes of which nothing is known.
impl Default for Budget {
    fn default() -> Self {
        Self { steps: 8 * FEWEST_STEPS, seconds: 0.0 }
    }
}

/// The memory in which a thread searches.
struct Workspace {
    row: SparseRow,
    other: SparseRow,
    /// For each row of the base the products so far, twice, or what a metric has in their place.
    sums: Vec<f64>,
    /// The rows whose sums are not 0.
    touched: Vec<u32>,
    /// The columns of the row, with what each may say for each of its steps.
    columns: Vec<(f64, Range<usize>, f64)>,
    /// The lower bound of the key of each row, as far as the sums tell, and its number.
    found: Vec<(f64, u32)>,
}

impl<'a> Rare<'a> {
    pub(super) fn new(base: &'a InvertedIndex<'a>, k: usize) -> Self {
        let mut shortest: Vec<(f64, u32)> =
            collected(base.alone.iter().zip(0..base.rows.len() as u32).map(|(&a, row)| (a, row)));
        // One more, since one may be the row itself.
        keep_least(&mut shortest, k + SPARE + 1);
        let shortest = collected(shortest.iter().map(|&(_, row)| row));
        Self { base, k, shortest }
    }

    /// The fewest steps that find enough of the neighbours of a sample of rows, whose true ones are
    /// known, by the share `found` of these; `None` if a search of all rows would take so many seconds of one
    /// core as `most`, or not find enough at all.
    pub(super) fn budget(
        &self,
        sample: &[u32],
        enough: impl Fn(&[Nearest]) -> bool,
        most: f64,
        meter: &Meter,
    ) -> Option<Budget> {
        let mut steps = FEWEST_STEPS;
        let mut before = 0;
        while !meter.stopped() {
            let (lists, spent) = self.search_some(sample, steps, meter);
            let [rows, values] = [self.base.rows.len(), self.base.rows.samples.values()];
            let of_values = VALUE_NS * (values * (self.k + SPARE + OTHERS)) as f64;
            let of_steps = STEP_NS * rows as f64 * spent as f64 / sample.len() as f64;
            let seconds = (of_values + of_steps) * 1e-9;
            if seconds > most || spent == before {
                return None;
            }
            if enough(&lists) {
                return Some(Budget { steps, seconds });
            }
            (steps, before) = (2 * steps, spent);
        }
        None
    }

    /// Lists of near rows of each row of the base.
    pub(super) fn search(&self, budget: Budget, aim: Aim, meter: &Meter) -> Vec<Nearest> {
        let rows = self.base.rows.len();
        let mut nearest = filled(Nearest::NONE, rows * self.k);
        nearest.par_chunks_mut(ROWS_AT_ONCE * self.k).enumerate().shared().for_each_init(
            || self.workspace(),
            |workspace, (part, lists)| {
                // Once the time is over, the others get what can be had at once.
                let is_late = aim.seconds_left() <= 0.0;
                let steps = if is_late { FEWEST_STEPS } else { budget.steps };
                let numbers = part * ROWS_AT_ONCE..;
                for (number, list) in numbers.zip(lists.chunks_exact_mut(self.k)) {
                    if !meter.stopped() {
                        self.fill(number, list, steps, workspace);
                    }
                }
                meter.advance((lists.len() / self.k * rows) as u64);
            },
        );
        nearest
    }

    /// Lists of near rows of some rows, and how many steps these took together.
    pub(super) fn search_some(
        &self,
        numbers: &[u32],
        steps: usize,
        meter: &Meter,
    ) -> (Vec<Nearest>, usize) {
        let mut nearest = filled(Nearest::NONE, numbers.len() * self.k);
        let lists = nearest.par_chunks_exact_mut(self.k).zip(numbers);
        let spent = lists.map_init(
            || self.workspace(),
            |workspace, (list, &number)| match meter.stopped() {
                true => 0,
                false => self.fill(number as usize, list, steps, workspace),
            },
        );
        let spent = collected_in_parallel::<usize>(spent).into_iter().sum();
        (nearest, spent)
    }

    /// Fills the list of a row. Returns how many steps that took.
    fn fill(
        &self,
        number: usize,
        list: &mut [Nearest],
        steps: usize,
        workspace: &mut Workspace,
    ) -> usize {
        let Self { base, k, shortest } = self;
        let Workspace { row, other, sums, touched, columns, found } = workspace;
        base.rows.load(number, row);
        if row.is_zero() {
            base.offer_zero_rows(list, |other| other != number);
            return 0;
        }
        let is_product = base.rows.metric().has_products();
        columns.clear();
        for (feature, value) in row.terms() {
            if let Place::Sparse(column) = base.place(feature) {
                let says = if is_product { value * value } else { value.abs() };
                let of_step = says / column.len().max(1) as f64;
                push(columns, (of_step, column, value));
            }
        }
        columns.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.start.cmp(&b.1.start)));
        touched.clear();
        let mut spent = 0;
        for (_, column, value) in columns.drain(..) {
            if spent + column.len() > steps {
                continue;
            }
            spent += column.len();
            let (numbers, values) = (&base.numbers[column.clone()], &base.values[column]);
            match is_product {
                true => add_touching(sums, touched, numbers, values, 2.0 * value),
                false => add_least_touching(sums, touched, numbers, values, value),
            }
        }
        found.clear();
        reserve(found, touched.len() + shortest.len());
        let near = |&other: &u32| (base.alone[other as usize] - sums[other as usize], other);
        let all = touched.iter().chain(shortest).filter(|&&other| other as usize != number);
        found.extend(all.map(near));
        touched.iter().for_each(|&other| sums[other as usize] = 0.0);
        keep_least(found, k + SPARE);
        for &(_, near) in found.iter() {
            base.rows.load(near as usize, other);
            offer(list, base.rows.key(row, other), near);
        }
        spent
    }

    fn workspace(&self) -> Workspace {
        Workspace {
            row: SparseRow::default(),
            other: SparseRow::default(),
            sums: filled(0.0, self.base.rows.len()),
            touched: Vec::new(),
            columns: Vec::new(),
            found: Vec::new(),
        }
    }
}

/// Keeps the `most` least of some pairs, each once, rising.
fn keep_least(pairs: &mut Vec<(f64, u32)>, most: usize) {
    let by = |a: &(f64, u32), b: &(f64, u32)| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1));
    // A row may be there more than once: where its sum was 0 again on the way, or it is short. Each is
    // then there with the same bound, so that equal ones follow each other.
    let most_with_equal = 2 * most;
    if pairs.len() > most_with_equal {
        pairs.select_nth_unstable_by(most_with_equal, by);
        pairs.truncate(most_with_equal);
    }
    pairs.sort_unstable_by(by);
    pairs.dedup_by_key(|pair| pair.1);
    pairs.truncate(most);
}
