//! Constraints: must-link, cannot-link, least and greatest size.

mod joins;
mod merging;
mod start;

pub(crate) use joins::{Joins, why_unmet};
pub(crate) use merging::{Partners, merge_by_rules};
pub(crate) use start::start_by_rules;

use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;

pub(crate) const TOGETHER: &str = "must-link";
pub(crate) const APART: &str = "cannot-link";
pub(crate) const LEAST: &str = "least";
pub(crate) const MOST: &str = "greatest";

/// The rules of a caller.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) struct Rules<'r> {
    /// Pairs of samples that are in one cluster.
    pub(crate) together: &'r [[u32; 2]],
    /// Pairs of samples that are in two clusters.
    pub(crate) apart: &'r [[u32; 2]],
    /// The least size of a cluster.
    pub(crate) least: usize,
    /// The greatest size of a cluster.
    pub(crate) most: usize,
}

impl Default for Rules<'_> {
    fn default() -> Self {
        Self { together: &[], apart: &[], least: 0, most: usize::MAX }
    }
}

impl Rules<'_> {
    /// True if there are no rules.
    pub(crate) fn is_empty(&self) -> bool {
        *self == Rules::default()
    }

    /// Checks that pairs name samples of a hierarchy, and that so many clusters of sound sizes can hold
    /// all samples.
    ///
    /// # Errors
    /// [`Error::InvalidPair`], [`Error::InvalidClusterSize`].
    pub(crate) fn check(&self, hierarchy: &Hierarchy, clusters: usize) -> Result<()> {
        let samples = hierarchy.samples();
        let total = hierarchy.weights().map_or(samples as f64, |weights| weights.iter().sum());
        for (link, pairs) in [(TOGETHER, self.together), (APART, self.apart)] {
            for &pair in pairs {
                if pair.into_iter().any(|sample| sample as usize >= samples) {
                    let reason = "names a sample that there is not: count samples from 0";
                    return Err(Error::InvalidPair { link, pair, reason });
                }
            }
        }
        let size = total;
        if self.least as f64 * clusters as f64 > total {
            let reason = "as many for each of the clusters are more than all samples, which have";
            return Err(Error::InvalidClusterSize {
                bound: LEAST,
                limit: self.least,
                reason,
                size,
            });
        }
        if (self.most as f64) * (clusters as f64) < total {
            let reason = "as many for each of the clusters are fewer than all samples, which have";
            return Err(Error::InvalidClusterSize { bound: MOST, limit: self.most, reason, size });
        }
        Ok(())
    }
}
