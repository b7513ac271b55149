//! The conditions on the numbers in a file before they are a model.

use ndarray::Array2;

use crate::error::{Error, Result};
use crate::fit::components::components;
use crate::hierarchy::Level;
use crate::neighbors::{FirstNeighbors, Neighbors};
use crate::partition::Partition;
use crate::samples::Samples;
use crate::samples::element::Element;
use crate::samples::sparse::SparseSamples;
use crate::samples::weights::Weights;
use crate::support::memory::copied;

/// The error for a fault of a file.
pub(in crate::model) fn damaged(what: impl Into<String>) -> Error {
    Error::Damaged { what: what.into() }
}

/// Each partition is a coarsening of the one before, and there is a finest.
pub(in crate::model) fn partitions(partitions: &[Partition]) -> Result<()> {
    if partitions.is_empty() {
        return Err(damaged("there is no partition"));
    }
    for (number, [fine, coarse]) in partitions.array_windows().enumerate() {
        if coarse.clusters() >= fine.clusters() || !fine.is_refined_from(coarse) {
            return Err(damaged(format!(
                "partition {} is no coarsening of partition {number}",
                number + 1
            )));
        }
    }
    Ok(())
}

/// First neighbours are other samples, or none where the caller brought none, and of zero rows under cosine.
pub(in crate::model) fn first_neighbors(first: &FirstNeighbors) -> Result<()> {
    let count = first.index().len();
    for (sample, (&neighbor, &distance)) in first.index().iter().zip(first.distance()).enumerate() {
        let other = neighbor as usize != sample && (neighbor as usize) < count;
        match neighbor == Neighbors::NONE {
            true if distance == f64::INFINITY => {}
            false if other => distances(&[distance])?,
            _ => {
                return Err(damaged(
                    Error::InvalidNeighbor { sample, neighbor: neighbor as usize }.to_string(),
                ));
            }
        }
    }
    Ok(())
}

/// Links make the finest partition.
pub(in crate::model) fn links(links: &FirstNeighbors, finest: &Partition) -> Result<()> {
    match components(finest.samples(), links.links(f64::INFINITY)) == *finest {
        true => Ok(()),
        false => Err(damaged("the finest partition is not that of the first neighbours")),
    }
}

/// Links of weighted samples lead to samples, and to the sample itself only where it has copies; of a zero row
/// under cosine there may be none.
pub(in crate::model) fn links_of(weights: &Weights, links: &FirstNeighbors) -> Result<()> {
    let sound = |(sample, (&other, &distance)): (u32, (&u32, &f64))| match other {
        Neighbors::NONE => distance == f64::INFINITY,
        _ => {
            distances(&[distance]).is_ok()
                && (other as usize) < links.index().len()
                && (other != sample || weights.of(sample).count > 1)
        }
    };
    match (0..).zip(links.index().iter().zip(links.distance())).all(sound) {
        true => Ok(()),
        false => Err(damaged("a link leads to no sample")),
    }
}

/// Level 0 is the samples, and each level after that the clusters of a partition.
pub(in crate::model) fn levels(levels: &[Level], partitions: &[Partition]) -> Result<()> {
    let samples = partitions[0].samples();
    let counts = [samples].into_iter().chain(partitions.iter().map(Partition::clusters));
    let fit = levels.iter().map(|level| level.samples).zip(counts).all(|(a, b)| a == b);
    match fit && (1..=partitions.len() + 1).contains(&levels.len()) {
        true => Ok(()),
        false => Err(damaged("the levels are not those of the partitions")),
    }
}

/// The k nearest are different other samples, at distances that rise, and begin with the first. A row
/// that the caller brought may end before.
pub(in crate::model) fn neighbors(neighbors: &Neighbors, first: &FirstNeighbors) -> Result<()> {
    let (index, distance) = (neighbors.index(), neighbors.distance());
    for (sample, (index, distance)) in index.outer_iter().zip(distance.outer_iter()).enumerate() {
        let (index, distance) = (index.to_slice(), distance.to_slice());
        let (index, distance) = index.zip(distance).expect("rows follow each other");
        let begins = match index.first() {
            None => true,
            Some(nearest) => {
                *nearest == first.index()[sample] && distance[0] == first.distance()[sample]
            }
        };
        let count = neighbors.count(sample);
        let (index, after) = index.split_at(count);
        let (distance, beyond) = distance.split_at(count);
        distances(distance)?;
        let mut sorted = copied(index);
        sorted.sort_unstable();
        let other =
            |&index: &u32| index as usize != sample && (index as usize) < neighbors.samples();
        let ends = after.iter().all(|&other| other == Neighbors::NONE)
            && beyond.iter().all(|&distance| distance == f64::INFINITY);
        if !(begins
            && ends
            && index.iter().all(other)
            && distance.is_sorted()
            && sorted.array_windows().all(|[a, b]| a < b))
        {
            return Err(damaged(format!("the neighbours of sample {sample} are out of order")));
        }
    }
    Ok(())
}

fn distances(distances: &[f64]) -> Result<()> {
    match distances.iter().all(|distance| distance.is_finite() && *distance >= 0.0) {
        true => Ok(()),
        false => Err(damaged("a distance is negative or not finite")),
    }
}

/// Means are such as samples have.
pub(in crate::model) fn means<A: Element>(values: Vec<A>, shape: [usize; 2]) -> Result<Array2<A>> {
    let matrix = Array2::from_shape_vec(shape, values).expect("the shape has been checked");
    match Samples::are_bounded(matrix.view()) {
        true => Ok(matrix),
        false => Err(damaged("a mean is too large or not finite")),
    }
}

/// Sparse samples are such as can be clustered.
pub(in crate::model) fn sparse_samples(rows: &SparseSamples<'_>) -> Result<()> {
    let (starts, columns, values) = rows.parts();
    let sound = SparseSamples::new(rows.features(), starts, columns, values).map(|_| ());
    sound.map_err(|error| damaged(format!("the sparse rows: {error}")))
}

/// Sparse means are such as sparse samples have. They may be too small together to be samples.
pub(in crate::model) fn sparse_means(rows: &SparseSamples<'_>) -> Result<()> {
    let (starts, columns, values) = rows.parts();
    match SparseSamples::new(rows.features(), starts, columns, values) {
        Ok(_) | Err(Error::TooSmall { .. }) => Ok(()),
        Err(error) => Err(damaged(format!("the sparse rows: {error}"))),
    }
}

/// Samples are such as can be clustered.
pub(in crate::model) fn samples<A: Element>(matrix: &Array2<A>) -> Result<()> {
    let sound = Samples::new(matrix.view()).map(|_| ());
    sound.map_err(|error| damaged(format!("the samples: {error}")))
}
