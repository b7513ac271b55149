//! The k nearest other samples of each sample, as a table.

use ndarray::ArrayView2;

use super::{FirstNeighbors, Nearest, Search, blocked, brute, kd_tree, orthogonal, projected};
use crate::element::Element;
use crate::error::{Error, Result};
use crate::metric::Metric;
use crate::progress::{Runner, Stage};
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
    search: Search,
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
        Some(self.search)
    }

    /// Whether an exact search found them, as in [`FirstNeighbors::exact`]: always.
    pub fn exact(&self) -> bool {
        true
    }

    /// The first neighbours: the first column, bit for bit what
    /// [`Finch::first_neighbors`](crate::Finch::first_neighbors) finds.
    pub fn first(&self) -> FirstNeighbors {
        let step = self.k.max(1);
        FirstNeighbors {
            index: self.index.iter().copied().step_by(step).collect(),
            distance: self.distance.iter().copied().step_by(step).collect(),
            search: Some(self.search),
        }
    }

    /// The first `k` columns, bit for bit what a search for so few finds, without one. (To look at
    /// them without a copy, slice the views.)
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
        metric: Metric,
        search: Search,
        level: usize,
        runner: &mut Runner<'_, '_>,
    ) -> Result<Self> {
        let forced = search == Search::Projected;
        let search = search.resolve(metric, samples.len(), samples.features())?;
        let rows = Rows::new(*samples, metric);
        let k = k.min(rows.len() - 1);
        let (nearest, search): (Vec<Nearest>, Search) = if rows.len() == 1 {
            (Vec::new(), search)
        } else {
            let pairs = (rows.len() as u64).pow(2);
            runner.stage(Stage::Neighbors { level }, pairs, |meter| {
                let (nearest, search) = match search {
                    // By key, also those without a direction.
                    Search::Brute => return (brute::search(&rows, k, meter), search),
                    Search::KdTree => (kd_tree::search(&rows, k, meter), search),
                    Search::Blocked => (blocked::search(&rows, k, meter), search),
                    Search::Projected => projected::search(&rows, k, forced, meter),
                    Search::Auto => unreachable!("settled above"),
                };
                (orthogonal::added(&rows, nearest), search)
            })?
        };
        Ok(Self {
            samples: rows.len(),
            k,
            index: nearest.iter().map(|nearest| nearest.index).collect(),
            distance: nearest.iter().map(|nearest| metric.distance(nearest.key)).collect(),
            search,
        })
    }
}

/// Checks that the `requested` nearest can be had where there are `most`.
pub(crate) fn check_rank(requested: usize, most: usize) -> Result<()> {
    match (1..=most).contains(&requested) {
        true => Ok(()),
        false => Err(Error::NeighborRank { requested, most }),
    }
}
