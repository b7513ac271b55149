//! Modularity: the share of a cluster's links to neighbours that stay within it, beyond the share by chance.

use ndarray::ArrayView2;

use crate::error::{Error, Result};
use crate::neighbors::Neighbors;
use crate::partition::Partition;
use crate::support::memory::{collected, filled};

/// The links of a cluster, each counted with the weight of the sample that it leads from.
#[derive(Clone, Copy, Default)]
struct Links {
    from: f64,
    to: f64,
    within: f64,
}

/// Checks a table of neighbours: a row for each sample, and numbers of samples or [`Neighbors::NONE`] in it.
///
/// # Errors
/// [`Error::SampleCount`], [`Error::InvalidNeighborAt`].
pub(crate) fn expect_table(neighbors: ArrayView2<'_, u32>, samples: usize) -> Result<()> {
    let found = neighbors.nrows();
    if found != samples {
        return Err(Error::SampleCount { expected: samples, found });
    }
    let sound = |neighbor: u32| neighbor == Neighbors::NONE || (neighbor as usize) < samples;
    match neighbors.indexed_iter().find(|(_, neighbor)| !sound(**neighbor)) {
        None => Ok(()),
        Some(((row, column), &neighbor)) => {
            let reason = "is no sample: count samples from 0";
            let neighbor = i64::from(neighbor);
            Err(Error::InvalidNeighborAt { row, column, neighbor, reason })
        }
    }
}

/// The modularity share of each cluster (see [`Description`](crate::Description)), by links to the
/// neighbours in a table that has been checked. Sums are taken in sample order.
pub(crate) fn modularities(
    partition: &Partition,
    neighbors: ArrayView2<'_, u32>,
    weights: Option<&[f64]>,
) -> Vec<f64> {
    let mut links = filled(Links::default(), partition.clusters());
    let labels = partition.labels();
    let mut all = 0.0;
    for (sample, row) in neighbors.outer_iter().enumerate() {
        let weight = weights.map_or(1.0, |weights| weights[sample]);
        let own = labels[sample];
        for &neighbor in
            row.iter().filter(|&&other| other != Neighbors::NONE && other as usize != sample)
        {
            let other = labels[neighbor as usize];
            links[own as usize].from += weight;
            links[other as usize].to += weight;
            if other == own {
                links[own as usize].within += weight;
            }
            all += weight;
        }
    }
    let share = |links: &Links| match links.from > 0.0 {
        true => links.within / links.from - links.to / all,
        false => 0.0,
    };
    collected(links.iter().map(share))
}
