//! Numbers of samples and clusters: `u32` in finch-core, `int32_t` in C, and at most `i32::MAX` in
//! both.

use finch_core::{Labels, Neighbors};

use super::fault::Fault;
use super::room::room;

/// The cluster of each sample, and -1 for noise, which finch-core has as the largest `u32`.
pub(crate) fn signed_labels(labels: &[u32]) -> impl Iterator<Item = i32> {
    labels.iter().map(|&label| label as i32)
}

/// Labels from C, any integers, of which -1 is noise.
pub(crate) fn labels_of(labels: &[i32]) -> Result<Labels, Fault> {
    let mut given = room(labels.len())?;
    given.extend(labels.iter().map(|&label| Some(label).filter(|&label| label != -1)));
    Ok(Labels::new(&given)?)
}

/// The number of a partition, or -1 where there is none.
pub(crate) fn signed(partition: Option<usize>) -> isize {
    partition.map_or(-1, |partition| partition as isize)
}

/// First neighbours from C; -1 for none, and no other number below 0.
pub(crate) fn unsigned(neighbors: &[i32]) -> Result<Vec<u32>, Fault> {
    let mut numbers = room(neighbors.len())?;
    for (sample, &neighbor) in neighbors.iter().enumerate() {
        let number = match neighbor {
            -1 => Ok(Neighbors::NONE),
            _ => u32::try_from(neighbor),
        };
        numbers.push(number.map_err(|_| Fault::NegativeNeighbor { sample, neighbor })?);
    }
    Ok(numbers)
}
