//! The k nearest other samples of each sample, as a table.

use ndarray::ArrayView2;

use super::approximate::{self, Aim};
use super::choice::{Choice, LONG, Reason, seconds};
use super::estimate::plain;
use super::projected::{self, Axes, Plan};
use super::recall::Recall;
use super::{FirstNeighbors, Nearest, Search, blocked, brute, kd_tree, orthogonal};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::metric::Metric;
use crate::progress::{Meter, Runner, Stage};
use crate::rows::Rows;
use crate::samples::Samples;

/// The k nearest other samples of each sample, and how far they are: a row for each sample, nearest
/// first, and of those at equal distances the smaller index first.
///
/// "Equal" is by what the metric compares (see [`Nearest::key`]), of which two may round to the
/// same distance. A sample is left out of its own row by its index, so that equal samples are
/// neighbours at distance 0. Equal if neighbours and distances are, whatever search found them.
///
/// ```
/// use finch_core::{Finch, Samples};
/// use ndarray::array;
///
/// let points = array![[0.0], [5.0], [1.0], [4.5]];
/// let two = Finch::new().nearest_neighbors(&Samples::new(points.view())?, 2)?;
/// assert_eq!(two.index(), array![[2, 3], [3, 2], [0, 3], [1, 2]]);
/// assert_eq!(two.distance(), array![[1.0, 4.5], [0.5, 4.0], [1.0, 3.5], [0.5, 3.5]]);
/// assert_eq!(two.first().index(), [2, 3, 0, 1]);
/// # Ok::<(), finch_core::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Neighbors {
    samples: usize,
    /// At least 1, but 0 for a single sample.
    k: usize,
    /// Row by row, as the distances.
    index: Vec<u32>,
    distance: Vec<f64>,
    choice: Choice,
}

impl PartialEq for Neighbors {
    fn eq(&self, other: &Self) -> bool {
        let parts = |table: &Self| (table.samples, table.k);
        parts(self) == parts(other)
            && (&self.index, &self.distance) == (&other.index, &other.distance)
    }
}

impl Neighbors {
    /// The number of samples, N.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// The number of neighbours of each sample, k: at least 1, but 0 for a single sample, which has
    /// no other.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The neighbours, N × k numbers from 0 to N − 1.
    pub fn index(&self) -> ArrayView2<'_, u32> {
        self.matrix(&self.index)
    }

    /// The distances to them, N × k numbers in the metric's unit, rising along each row.
    pub fn distance(&self) -> ArrayView2<'_, f64> {
        self.matrix(&self.distance)
    }

    /// The neighbours and the distances, N·k numbers each, row by row, without a copy.
    pub fn into_parts(self) -> (Vec<u32>, Vec<f64>) {
        (self.index, self.distance)
    }

    /// The search that ran, with [`Search::Auto`] resolved, as in [`FirstNeighbors::search`]. There
    /// is always one, since more than first neighbours cannot be given.
    pub fn search(&self) -> Option<Search> {
        Some(self.choice.search)
    }

    /// The search that ran, why, and what it found.
    pub fn choice(&self) -> Choice {
        self.choice
    }

    /// Whether an exact search found them, as in [`FirstNeighbors::exact`].
    pub fn exact(&self) -> bool {
        self.choice.exact()
    }

    /// The share of true neighbours that an approximate search found; `None` for another.
    pub fn recall(&self) -> Option<Recall> {
        self.choice.recall
    }

    /// The first neighbours: the first column, which is bit for bit what an exact
    /// [`Finch::first_neighbors`](crate::Finch::first_neighbors) finds, if the search was exact.
    pub fn first(&self) -> FirstNeighbors {
        let step = self.k.max(1);
        FirstNeighbors {
            index: self.index.iter().copied().step_by(step).collect(),
            distance: self.distance.iter().copied().step_by(step).collect(),
            choice: Some(self.choice),
        }
    }

    /// The first `k` columns: bit for bit what an exact search for so few finds, if the search was
    /// exact. (To look at them without a copy, slice the views.)
    ///
    /// # Errors
    /// [`Error::NeighborRank`] unless `k` is from 1 to [`Neighbors::k`].
    pub fn nearest(&self, k: usize) -> Result<Self> {
        check_rank(k, self.k)?;
        Ok(Self {
            k,
            index: self.cut(&self.index, k),
            distance: self.cut(&self.distance, k),
            ..*self
        })
    }

    fn cut<T: Copy>(&self, values: &[T], k: usize) -> Vec<T> {
        values.chunks_exact(self.k).flat_map(|row| &row[..k]).copied().collect()
    }

    fn matrix<'a, T>(&self, values: &'a [T]) -> ArrayView2<'a, T> {
        ArrayView2::from_shape((self.samples, self.k), values).expect("there are k for each sample")
    }

    /// Searches all samples for the `k` nearest, or as many as there are others.
    pub(crate) fn find<A: Element>(
        samples: &Samples<'_, A>,
        k: usize,
        query: Query,
        level: usize,
        axes: &mut Axes,
        runner: &mut Runner<'_, '_>,
    ) -> Result<Self> {
        let (metric, aim) = (query.metric, query.aim);
        if !(aim.recall > 0.0 && aim.recall <= 1.0) {
            return Err(Error::InvalidRecall { recall: aim.recall });
        }
        let asked = query.search;
        let (search, reason) =
            asked.resolve(metric, samples.len(), samples.features(), axes.are_known())?;
        let rows = Rows::new(*samples, metric);
        let k = k.min(rows.len() - 1);
        let choice = Choice { search, reason, recall: None };
        let (nearest, choice) = if rows.len() == 1 {
            (Vec::new(), choice)
        } else {
            let pairs = (rows.len() as u64).pow(2);
            runner.stage(Stage::Neighbors { level }, pairs, |meter| {
                let (nearest, choice) = match asked {
                    Search::Auto => fastest(&rows, k, choice, aim, LONG, axes, meter),
                    _ => this(&rows, k, choice, aim, meter),
                };
                // Brute force compares these by key, too.
                let nearest = match choice.search {
                    Search::Brute => nearest,
                    _ => orthogonal::added(&rows, nearest),
                };
                (nearest, choice)
            })?
        };
        Ok(Self {
            samples: rows.len(),
            k,
            index: nearest.iter().map(|nearest| nearest.index).collect(),
            distance: nearest.iter().map(|nearest| metric.distance(nearest.key)).collect(),
            choice,
        })
    }
}

/// How to search.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Query {
    pub(crate) metric: Metric,
    pub(crate) search: Search,
    pub(crate) aim: Aim,
}

/// The search that was asked for.
fn this<A: Element>(
    rows: &Rows<'_, A>,
    k: usize,
    choice: Choice,
    aim: Aim,
    meter: &Meter,
) -> (Vec<Nearest>, Choice) {
    let nearest = match choice.search {
        Search::Brute => brute::search(rows, k, meter),
        Search::KdTree => kd_tree::search(rows, k, meter),
        Search::Blocked => blocked::search(rows, k, meter),
        Search::Projected => {
            let mut axes = Axes::default();
            projected::search(rows, k, &Plan::forced(rows, &mut axes, meter), meter).0
        }
        Search::Approximate => {
            let found = approximate::search(rows, k, aim, true, meter);
            let (nearest, recall) = found.expect("a forced search ends with what it has");
            return (nearest, Choice { recall, ..choice });
        }
        Search::Auto => unreachable!("settled before"),
    };
    (nearest, choice)
}

/// The search that `Auto` stands for, or a faster one where a look at the data tells so: the
/// approximate one where it takes one core more seconds than `long`.
fn fastest<A: Element>(
    rows: &Rows<'_, A>,
    k: usize,
    choice: Choice,
    aim: Aim,
    long: f64,
    axes: &mut Axes,
    meter: &Meter,
) -> (Vec<Nearest>, Choice) {
    let plan = (choice.search == Search::Projected).then(|| Plan::of(rows, k, axes, meter));
    let pair = match choice.search {
        Search::Blocked => plain(rows.features()),
        // Trees do not look at all pairs, and few samples have few.
        _ => plan.as_ref().and_then(Plan::pair).unwrap_or(0.0),
    };
    let seconds = seconds(rows.len(), pair);
    // A sample of which all neighbours are found does not tell that those of all samples are.
    let too_long = seconds > long && aim.recall < 1.0;
    if too_long && let Some((nearest, recall)) = approximate::search(rows, k, aim, false, meter) {
        let reason = Reason::Long { seconds };
        if plan.is_some_and(|plan| plan.is_hopeless()) {
            *axes = Axes::default();
        }
        return (nearest, Choice { search: Search::Approximate, reason, recall });
    }
    let (nearest, choice) = match plan {
        None => this(rows, k, choice, aim, meter),
        Some(plan) => match projected::search(rows, k, &plan, meter) {
            (nearest, Search::Blocked) => {
                *axes = Axes::default();
                (nearest, Choice { search: Search::Blocked, reason: Reason::NoAxes, ..choice })
            }
            (nearest, _) => (nearest, choice),
        },
    };
    let reason = if too_long { Reason::Unreached } else { choice.reason };
    (nearest, Choice { reason, ..choice })
}

/// Checks that the `requested` nearest can be had where there are `most`.
pub(crate) fn check_rank(requested: usize, most: usize) -> Result<()> {
    match (1..=most).contains(&requested) {
        true => Ok(()),
        false => Err(Error::NeighborRank { requested, most }),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::rows::scrambled;

    /// Where an exact search seems long, the approximate one runs; and if it finds too few, as in
    /// noise, the exact one after all.
    #[test]
    fn auto_is_approximate_only_where_that_finds_enough() {
        let noise = |number: usize| (scrambled(number as u64) >> 40) as f64 / (1 << 24) as f64;
        let places = Array2::from_shape_fn((9_000, 4), |(i, j)| noise(4 * i + j));
        let directions = Array2::from_shape_fn((4, 60), |(i, j)| noise(60 * i + j + 40_000) - 0.5);
        let plane = places.dot(&directions);
        let noise = Array2::from_shape_fn((20_000, 200), |(i, j)| noise(200 * i + j));
        for (matrix, approximate) in [(plane, true), (noise, false)] {
            let samples = Samples::new(matrix.view()).unwrap();
            let rows = Rows::new(samples, Metric::Euclidean);
            let (search, reason) = Search::Auto
                .resolve(Metric::Euclidean, rows.len(), rows.features(), false)
                .unwrap();
            let resolved = Choice { search, reason, recall: None };
            let aim = Aim { recall: 0.99, seed: 0 };
            let (axes, meter) = (&mut Axes::default(), &Meter::stopped_at_once(false));
            let (found, choice) = fastest(&rows, 1, resolved, aim, 0.0, axes, meter);
            assert_eq!(choice.search == Search::Approximate, approximate, "{choice:?}");
            let (exact, of_exact) = fastest(&rows, 1, resolved, aim, f64::INFINITY, axes, meter);
            assert!(of_exact.exact());
            let aim = Aim { recall: 1.0, ..aim };
            let (all, of_all) = fastest(&rows, 1, resolved, aim, 0.0, axes, meter);
            assert!(of_all == of_exact && all == exact, "{of_all:?}");
            let same = found.iter().zip(&exact).filter(|(a, b)| a == b).count();
            match approximate {
                true => assert!(choice.recall.unwrap().estimate > 0.98 && same > 8_800, "{same}"),
                false => {
                    assert!(choice.reason == Reason::Unreached && same == 20_000, "{choice:?}")
                }
            }
        }
    }
}
