//! Clusters by the numbers that the caller gives them.

use finch_core::Labels;

use crate::border::fault::Fault;
use crate::border::numbers::labels_of;
use crate::border::room::room;

/// The clusters of labels from C, whose numbers are those of the labels and not, as in finch-core,
/// by first appearance. Samples of label -1 are in none.
pub(crate) struct Clusters {
    pub(crate) labels: Labels,
    /// For each label, the cluster's number in finch-core.
    pub(crate) order: Vec<usize>,
}

impl Clusters {
    /// # Errors
    /// [`Fault::Label`] for a label below -1 or not below the number of samples,
    /// [`Fault::Unlabelled`] for a number below the largest label that no sample has.
    pub(crate) fn of(given: &[i32]) -> Result<Self, Fault> {
        let mut count = 0;
        for (sample, &label) in given.iter().enumerate().filter(|(_, label)| **label != -1) {
            match usize::try_from(label) {
                Ok(number) if number < given.len() => count = usize::max(count, number + 1),
                _ => return Err(Fault::Label { sample, label }),
            }
        }
        let labels = labels_of(given)?;
        let mut order = room(count)?;
        order.resize(count, usize::MAX);
        for (&label, &cluster) in given.iter().zip(labels.labels()) {
            if label != -1 {
                order[label as usize] = cluster as usize;
            }
        }
        match order.iter().position(|&cluster| cluster == usize::MAX) {
            Some(cluster) => Err(Fault::Unlabelled { cluster, largest: count - 1 }),
            None => Ok(Self { labels, order }),
        }
    }
}
