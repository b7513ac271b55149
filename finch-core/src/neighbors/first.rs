//! The first neighbour of each sample.

use rayon::prelude::*;

use super::choice::Choice;
use super::nearest::Nearest;
use super::recall::Recall;
use super::search::Search;
use crate::error::{Error, Result};
use crate::keyed::{Keyed, with_keyed};
use crate::memory::{collected, copied, room};
use crate::metric::Metric;
use crate::samples::AnySamples;

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
