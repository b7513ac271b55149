//! The searches of a plan, and how they run.

use super::{AnyRows, Task};
use crate::neighbors::exact::bits::{self, bits_of};
use crate::neighbors::exact::projected::{self, AlongAxes};
use crate::neighbors::exact::{blocked, brute, few, kd_tree};
use crate::neighbors::lists::Nearest;
use crate::neighbors::search::{Choice, Evidence, Reason, Search};
use crate::neighbors::sparse::{self, InvertedIndex};
use crate::neighbors::{approximate, zero_rows};
use crate::samples::rows::Rows;

/// The searches that are to run, each where all before it give up, and what they need.
pub(super) struct Plan<'a> {
    /// At least one.
    pub(super) steps: Vec<Step>,
    /// The axes of a search along them.
    pub(super) along: Option<AlongAxes>,
    /// Sparse rows by columns.
    pub(super) index: Option<InvertedIndex<'a>>,
    /// The share of the work that is left to the searches. The look at the rows was taken for the rest.
    pub(super) left: f64,
}

/// One search of a plan.
#[derive(Clone, Copy)]
pub(super) struct Step {
    pub(super) search: Search,
    pub(super) reason: Reason,
    pub(super) evidence: Evidence,
    /// The time of what runs instead, in seconds of one core. An approximate search gives up where it would
    /// find too little in less; without a time, it gives up where it can find nothing else.
    pub(super) instead: Option<f64>,
    /// True for rows so few that the search for these takes the place of this one.
    pub(super) are_few: bool,
}

impl Step {
    /// A search without a look.
    pub(super) fn new(search: Search, reason: Reason) -> Self {
        Self { search, reason, evidence: Evidence::default(), instead: None, are_few: false }
    }
}

impl Plan<'_> {
    /// Searches that need neither axes nor columns.
    pub(super) fn new(steps: Vec<Step>) -> Self {
        Self { steps, along: None, index: None, left: 1.0 }
    }

    /// Lists of the `k` nearest of each row, and the search that found them; `None` where each search gave up,
    /// as the last one of most plans never does.
    pub(super) fn run(&self, task: &Task<'_, '_>) -> Option<(Vec<Nearest>, Choice)> {
        let meter = &task.meter.weighted(self.left);
        let task = &Task { meter, ..*task };
        self.steps.iter().find_map(|step| self.run_step(step, task))
    }

    /// Runs one search: the one place that knows all of them.
    pub(super) fn run_step(
        &self,
        step: &Step,
        task: &Task<'_, '_>,
    ) -> Option<(Vec<Nearest>, Choice)> {
        let Task { k, aim, meter, .. } = *task;
        let Step { search, reason, mut evidence, instead, are_few } = *step;
        let mut recall = None;
        let nearest = match (task.rows, search) {
            (AnyRows::Dense(rows), _) if are_few => few::search(rows, k, meter),
            (AnyRows::Dense(rows), Search::Brute) => brute::search(rows, k, meter),
            (AnyRows::Dense(rows), _) => {
                let nearest = match search {
                    Search::KdTree => kd_tree::search(rows, k, meter),
                    Search::Blocked => by_blocks(rows, task),
                    Search::Projected => {
                        let along = self.along.as_ref().expect("the plan has axes");
                        projected::search(rows, k, along, meter)?
                    }
                    Search::Approximate => {
                        let (nearest, of_search) =
                            approximate::search(rows, k, aim, instead, meter)?;
                        recall = of_search;
                        nearest
                    }
                    Search::Brute | Search::Auto => unreachable!("resolved before"),
                };
                // Brute force compares zero rows by key, too; all others leave them out.
                zero_rows::added(&rows.zero_rows(), nearest, rows.len())
            }
            (AnyRows::Sparse(rows), Search::Brute) => sparse::by_brute_force(rows, k, meter),
            (AnyRows::Sparse(_), _) => {
                let index = self.index.as_ref().expect("the plan has the rows by columns");
                match search {
                    Search::Approximate => {
                        let found = sparse::approximate(index, k, aim, instead, meter)?;
                        recall = found.recall;
                        evidence.considered[1] = Some((search, found.seconds));
                        found.nearest
                    }
                    Search::Blocked => sparse::search(index, k, meter),
                    _ => unreachable!("refused before"),
                }
            }
        };
        Some((nearest, Choice { search, reason, recall, evidence }))
    }
}

/// All pairs by blocks, or by the bits in which they differ.
fn by_blocks(rows: &Rows<'_>, Task { k, meter, .. }: &Task<'_, '_>) -> Vec<Nearest> {
    match bits_of(rows) {
        Some(bits) => bits::search(rows, bits, *k, meter),
        None => blocked::search(rows, *k, meter),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::neighbors::approximate::Aim;
    use crate::run::progress::Meter;
    use crate::samples::Samples;
    use crate::samples::metric::Metric;
    use crate::samples::sparse::{SparseRows, SparseSamples};
    use crate::support::random::scrambled;

    /// The search of a plan of an approximate and an exact search that found the neighbours, and its reason.
    fn of_two(rows: &AnyRows<'_>, index: Option<InvertedIndex<'_>>, instead: f64) -> [String; 2] {
        let meter = &Meter::stopped_at_once(false);
        let aim = Aim { recall: 0.95, seed: 0, deadline: None };
        let task = &Task { rows, k: 1, aim, meter };
        let step = |search, reason| Step { instead: Some(instead), ..Step::new(search, reason) };
        let approximate = step(Search::Approximate, Reason::Asked);
        let steps = vec![approximate, step(Search::Blocked, Reason::Unreached)];
        let plan = Plan { index, ..Plan::new(steps) };
        let (nearest, choice) = plan.run(task).unwrap();
        let brute = Plan::new(vec![Step::new(Search::Brute, Reason::Asked)]).run(task).unwrap().0;
        let same = nearest.iter().zip(&brute).filter(|(found, truth)| found == truth).count();
        assert!(same as f64 >= 0.94 * rows.len() as f64, "{same}: {choice}");
        assert_eq!(choice.exact(), choice.recall.is_none());
        [choice.search.name().to_string(), choice.reason.to_string()]
    }

    /// Where a search gives up, the next one runs.
    #[test]
    fn a_search_that_gives_up_leaves_all_to_the_next() {
        let exact = ["blocked", "since an approximate one finds too few neighbours"];
        let noise = |number: usize| (scrambled(number as u64) >> 40) as f64 / (1 << 24) as f64;
        let matrix = Array2::from_shape_fn((3_000, 40), |(i, j)| noise(40 * i + j));
        let samples = Samples::new(matrix.view()).unwrap();
        let rows = &AnyRows::Dense(Rows::new(samples, Metric::Euclidean));
        assert_eq!(of_two(rows, None, 1e-9), exact);
        assert_eq!(of_two(rows, None, 1e9), ["approximate", "as asked for"]);

        // Of few features, each of which many rows have, no rare ones tell.
        let starts: Vec<i32> = (0..=1_000).map(|row| 10 * row).collect();
        let columns: Vec<i32> = (0..10_000).map(|at| at % 30).collect();
        let values: Vec<f32> = (0..10_000).map(|at| noise(at) as f32).collect();
        let samples = SparseSamples::new(30, &starts[..], &columns[..], &values[..]).unwrap();
        let rows = AnyRows::Sparse(SparseRows::new(samples, Metric::Manhattan));
        let AnyRows::Sparse(of_index) = &rows else { panic!("sparse rows") };
        assert_eq!(of_two(&rows, Some(InvertedIndex::of_all(of_index)), 1e-9), exact);
    }
}
