//! Tables of neighbours: the k nearest other samples of each sample, or its first neighbour alone.

use ndarray::ArrayView2;
use rayon::prelude::*;

use super::lists::Nearest;
use super::search::{Choice, Recall, Search};
use crate::error::{Error, Result};
use crate::samples::AnySamples;
use crate::samples::comparable::{Keyed, with_keyed};
use crate::samples::metric::Metric;
use crate::support::memory::{caught, collected, collected_in_parallel, copied, room};

/// The fewest neighbours that are worth a thread.
const PART: usize = 4096;

/// The k nearest other samples of each sample, and their distances: a row for each sample, the
/// nearest first, and of neighbours at equal distances the smaller index first.
///
/// A table that the caller brings ([`Neighbors::given`]) may have rows of fewer neighbours, or of none:
/// behind the last neighbour of a row stands [`Neighbors::NONE`], infinitely far. Searches fill each row.
///
/// Distances are equal if their keys are (see [`Nearest::key`]); two keys may round to the same
/// distance. A sample is left out of its own row by its index, so that equal samples are neighbours
/// at distance 0. Two tables are equal if their neighbours and distances are, whatever searches
/// found them.
///
/// ```
/// use finch_core::{Finch, Run, Samples};
/// use ndarray::array;
///
/// let points = array![[0.0], [5.0], [1.0], [4.5]];
/// let two = Finch::new().nearest_neighbors(&Samples::new(points.view())?, 2, &mut Run::new())?;
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
    /// Row by row.
    index: Vec<u32>,
    /// Row by row.
    distance: Vec<f64>,
    /// `None` where the caller brings the table.
    choice: Option<Choice>,
}

impl PartialEq for Neighbors {
    fn eq(&self, other: &Self) -> bool {
        let parts = |table: &Self| (table.samples, table.k);
        parts(self) == parts(other)
            && (&self.index, &self.distance) == (&other.index, &other.distance)
    }
}

impl Neighbors {
    /// In place of a neighbour, behind the last one of a row.
    pub const NONE: u32 = Nearest::NONE.index;

    /// The number of samples, N.
    pub fn samples(&self) -> usize {
        self.samples
    }

    /// The number of neighbours of each sample, k, or of the sample with the most: at least 1, but 0 for
    /// a single sample, which has no other.
    pub fn k(&self) -> usize {
        self.k
    }

    /// The number of neighbours of a sample below N: k, or fewer where the caller brought fewer.
    pub fn count(&self, sample: usize) -> usize {
        let row = &self.index[sample * self.k..][..self.k];
        row.iter().position(|&other| other == Self::NONE).unwrap_or(self.k)
    }

    /// The neighbours of a sample and their distances, the nearest first.
    pub(crate) fn of_sample(&self, sample: u32) -> impl Iterator<Item = (u32, f64)> + Clone {
        let row = sample as usize * self.k..(sample as usize + 1) * self.k;
        let index = self.index[row.clone()].iter().copied();
        let neighbors = index.zip(self.distance[row].iter().copied());
        neighbors.take_while(|&(other, _)| other != Self::NONE)
    }

    /// The samples without a neighbour: clusters of the first partition, but for those that are the first
    /// neighbours of others; none in a table of a search.
    pub fn alone(&self) -> impl Iterator<Item = usize> + '_ {
        let first = self.index.iter().step_by(self.k.max(1)).enumerate();
        first.filter(|&(_, &first)| first == Self::NONE).map(|(sample, _)| sample)
    }

    /// The same table, if each sample has a neighbour, for callers to whom a sample without one is a
    /// fault.
    ///
    /// # Errors
    /// [`Error::NoNeighbor`] for the first sample without.
    pub fn expect_none_alone(self) -> Result<Self> {
        let alone = self.alone().next();
        alone.map_or(Ok(self), |sample| Err(Error::NoNeighbor { sample }))
    }

    /// The neighbours, N × k numbers from 0 to N − 1, or [`Neighbors::NONE`] behind the last of a row.
    pub fn index(&self) -> ArrayView2<'_, u32> {
        self.matrix(&self.index)
    }

    /// The distances to the neighbours, N × k numbers in the metric's unit, rising along each row;
    /// infinite where there is no neighbour.
    pub fn distance(&self) -> ArrayView2<'_, f64> {
        self.matrix(&self.distance)
    }

    /// The neighbours and the distances, N·k numbers each, row by row, without a copy.
    pub fn into_parts(self) -> (Vec<u32>, Vec<f64>) {
        (self.index, self.distance)
    }

    /// The search that ran, never [`Search::Auto`]; `None` if the caller gave the neighbours.
    pub fn search(&self) -> Option<Search> {
        self.choice.map(|choice| choice.search)
    }

    /// The search that ran, why, and its recall; `None` if the caller gave the neighbours.
    pub fn choice(&self) -> Option<Choice> {
        self.choice
    }

    /// True if an exact search found the neighbours, as in [`FirstNeighbors::exact`].
    pub fn exact(&self) -> bool {
        self.choice.is_some_and(|choice| choice.exact())
    }

    /// The share of true neighbours that an approximate search found; `None` for another search.
    pub fn recall(&self) -> Option<Recall> {
        self.choice.and_then(|choice| choice.recall)
    }

    /// The first column: the first neighbours. If the search was exact, bit for bit what an exact
    /// [`Finch::first_neighbors`](crate::Finch::first_neighbors) finds.
    pub fn first(&self) -> FirstNeighbors {
        let step = self.k.max(1);
        FirstNeighbors::new(
            collected(self.index.iter().copied().step_by(step)),
            collected(self.distance.iter().copied().step_by(step)),
            self.choice,
        )
    }

    /// [`Neighbors::first`], without a copy where there is one column.
    pub(crate) fn into_first(self) -> FirstNeighbors {
        match self.k {
            1 => FirstNeighbors::new(self.index, self.distance, self.choice),
            _ => self.first(),
        }
    }

    /// The first `k` columns. If the search was exact, bit for bit what an exact search for `k`
    /// neighbours finds. (To look at some columns without a copy, slice the views.)
    ///
    /// # Errors
    /// [`Error::NeighborRank`] unless `k` is from 1 to [`Neighbors::k`]; [`Error::OutOfMemory`].
    pub fn nearest(&self, k: usize) -> Result<Self> {
        check_rank(k, self.k)?;
        caught(|| {
            Ok(Self {
                k,
                index: self.cut(&self.index, k),
                distance: self.cut(&self.distance, k),
                ..*self
            })
        })
    }

    fn cut<T: Copy>(&self, values: &[T], k: usize) -> Vec<T> {
        let mut columns = room(values.len() / self.k * k);
        values.chunks_exact(self.k).for_each(|row| columns.extend_from_slice(&row[..k]));
        columns
    }

    fn matrix<'a, T>(&self, values: &'a [T]) -> ArrayView2<'a, T> {
        ArrayView2::from_shape((self.samples, self.k), values).expect("there are k for each sample")
    }

    /// A table of neighbours that were found elsewhere, and kept: `k` sound indices and distances for
    /// each of so many samples, row by row.
    pub(crate) fn of_parts(
        [samples, k]: [usize; 2],
        index: Vec<u32>,
        distance: Vec<f64>,
        choice: Option<Choice>,
    ) -> Self {
        Self { samples, k, index, distance, choice }
    }

    /// A table without neighbours: of samples of which none has another, or of a run that is stopped, whose
    /// table nobody will see.
    pub(super) fn none(samples: usize, choice: Choice) -> Self {
        Self::of_parts([samples, 0], Vec::new(), Vec::new(), Some(choice))
    }

    /// A table of the lists that a search filled, of `k` for each sample: by the threads of the run.
    pub(super) fn of(
        samples: usize,
        k: usize,
        nearest: &[Nearest],
        metric: Metric,
        choice: Choice,
    ) -> Self {
        if nearest.len() < PART {
            let index = collected(nearest.iter().map(|nearest| nearest.index));
            let distance = collected(nearest.iter().map(|nearest| metric.distance(nearest.key)));
            return Self::of_parts([samples, k], index, distance, Some(choice));
        }
        let found = nearest.par_iter().with_min_len(PART);
        Self {
            samples,
            k,
            index: collected_in_parallel(found.clone().map(|nearest| nearest.index)),
            distance: collected_in_parallel(found.map(|nearest| metric.distance(nearest.key))),
            choice: Some(choice),
        }
    }

    /// The same table as one that the caller brings, whoever searched it.
    pub(crate) fn given_by_caller(self) -> Self {
        Self { choice: None, ..self }
    }

    /// A table that the caller brings, or whose distances the caller brings: up to `k` checked and sorted
    /// neighbours of each sample, and [`Neighbors::NONE`] behind these.
    pub(super) fn brought(samples: usize, k: usize, index: Vec<u32>, distance: Vec<f64>) -> Self {
        Self { samples, k, index, distance, choice: None }
    }
}

/// Checks that a number of neighbours can be had where there are `most`.
pub(crate) fn check_rank(requested: usize, most: usize) -> Result<()> {
    match (1..=most).contains(&requested) {
        true => Ok(()),
        false => Err(Error::NeighborRank { requested, most }),
    }
}

/// The first neighbour κᵢ of each sample, and its distance.
///
/// A sample for which the caller brought no neighbour ([`Neighbors::given`](crate::Neighbors::given)) has
/// none: [`Neighbors::NONE`](crate::Neighbors::NONE), infinitely far. Searches find one for each sample.
///
/// Empty for a single sample, which has no other. Two are equal if their neighbours and distances
/// are, whatever searches found them.
#[derive(Clone, Debug)]
pub struct FirstNeighbors {
    index: Vec<u32>,
    distance: Vec<f64>,
    choice: Option<Choice>,
}

impl PartialEq for FirstNeighbors {
    fn eq(&self, other: &Self) -> bool {
        (&self.index, &self.distance) == (&other.index, &other.distance)
    }
}

impl FirstNeighbors {
    /// The first neighbour of each sample: N numbers from 0 to N − 1, never the sample's own, or
    /// [`Neighbors::NONE`](crate::Neighbors::NONE).
    pub fn index(&self) -> &[u32] {
        &self.index
    }

    /// The distance of each sample to its first neighbour: N numbers in the metric's unit; infinite where
    /// there is none.
    pub fn distance(&self) -> &[f64] {
        &self.distance
    }

    /// The neighbours and the distances, without a copy.
    pub fn into_parts(self) -> (Vec<u32>, Vec<f64>) {
        (self.index, self.distance)
    }

    /// The search that ran, never [`Search::Auto`]; `None` if the caller gave the neighbours.
    pub fn search(&self) -> Option<Search> {
        self.choice.map(|choice| choice.search)
    }

    /// The search that ran, why, and its recall; `None` if the caller gave the neighbours.
    pub fn choice(&self) -> Option<Choice> {
        self.choice
    }

    /// True if an exact search found the neighbours. False if the caller gave them: nobody checked.
    pub fn exact(&self) -> bool {
        self.choice.is_some_and(|choice| choice.exact())
    }

    /// The share of true neighbours that an approximate search found; `None` for another search.
    pub fn recall(&self) -> Option<Recall> {
        self.choice.and_then(|choice| choice.recall)
    }

    /// The links i–κᵢ that are no longer than `bound`.
    pub(crate) fn links(&self, bound: f64) -> impl Iterator<Item = (u32, u32)> {
        let links = self.index.iter().zip(&self.distance).enumerate();
        links
            .filter(move |(_, (neighbor, distance))| {
                **neighbor != Nearest::NONE.index && **distance <= bound
            })
            .map(|(sample, (&neighbor, _))| (sample as u32, neighbor))
    }

    /// All links i–κᵢ, the shortest first, those of equal length by i.
    pub(crate) fn links_by_length(&self) -> Vec<(u32, u32)> {
        let distance = |sample: u32| self.distance[sample as usize];
        let mut links: Vec<(u32, u32)> = room(self.index.len());
        links.extend(self.links(f64::INFINITY));
        links.par_sort_unstable_by(|&(a, _), &(b, _)| {
            distance(a).total_cmp(&distance(b)).then(a.cmp(&b))
        });
        links
    }

    /// The longest of the links.
    pub(crate) fn longest(&self) -> f64 {
        let distances = self.distance.iter().copied();
        distances.filter(|distance| distance.is_finite()).fold(0.0, f64::max)
    }

    /// The first neighbours, of which these samples have none. They are zero rows, and so no neighbours of
    /// other samples: means without a direction are linked by nothing.
    pub(crate) fn unlinked(mut self, zero_rows: &[u32]) -> Self {
        let count = self.index.len();
        // A single row has no place.
        for row in zero_rows.iter().map(|&row| row as usize).filter(|&row| row < count) {
            (self.index[row], self.distance[row]) = (Nearest::NONE.index, f64::INFINITY);
        }
        self
    }

    /// A copy within an operation.
    pub(crate) fn copied(&self) -> Self {
        let (index, distance) = (copied(&self.index), copied(&self.distance));
        Self { index, distance, choice: self.choice }
    }

    /// The neighbours and the distances, to be changed.
    pub(crate) fn parts_mut(&mut self) -> (&mut [u32], &mut [f64]) {
        (&mut self.index, &mut self.distance)
    }

    /// First neighbours, and the search that found them, if one did.
    pub(crate) fn new(index: Vec<u32>, distance: Vec<f64>, choice: Option<Choice>) -> Self {
        Self { index, distance, choice }
    }

    /// Takes first neighbours that the caller brings, and measures their distances.
    ///
    /// # Errors
    /// [`Error::NeighborCount`], [`Error::InvalidNeighbor`].
    pub(crate) fn given(samples: AnySamples<'_>, metric: Metric, index: &[u32]) -> Result<Self> {
        let expected = if samples.len() == 1 { 0 } else { samples.len() };
        if index.len() != expected {
            return Err(Error::NeighborCount { neighbors: index.len(), expected });
        }
        check_neighbors(index)?;
        let distance = with_keyed!(samples, metric, rows => {
            let [mut from, mut to] = [(); 2].map(|()| rows.room());
            collected(index.iter().enumerate().map(|(sample, &neighbor)| {
                if neighbor == Nearest::NONE.index {
                    return f64::INFINITY;
                }
                rows.load(sample, &mut from);
                rows.load(neighbor as usize, &mut to);
                metric.finite_distance(rows.key_of_loaded(&from, &to))
            }))
        });
        Ok(Self { index: collected(index.iter().copied()), distance, choice: None })
    }
}

/// Checks that given first neighbours are other samples, or [`Nearest::NONE`].
pub(crate) fn check_neighbors(first: &[u32]) -> Result<()> {
    let invalid = |&(sample, &neighbor): &(usize, &u32)| {
        let is_sample = neighbor as usize != sample && (neighbor as usize) < first.len();
        !is_sample && neighbor != Nearest::NONE.index
    };
    match first.iter().enumerate().find(invalid) {
        None => Ok(()),
        Some((sample, &neighbor)) => {
            Err(Error::InvalidNeighbor { sample, neighbor: neighbor as usize })
        }
    }
}
