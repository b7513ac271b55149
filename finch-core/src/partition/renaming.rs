//! New clusters named after the old clusters that they mostly consist of, so that labels stay what they
//! were while samples are added.

use std::collections::HashMap;
use std::iter;

use super::Partition;
use super::labels::Labels;
use crate::error::{Error, Result};
use crate::support::memory::{caught, collected, filled, gathered, reserve_entry};

/// Where the samples of a new cluster come from.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Origin {
    /// All samples of one old cluster, and no others.
    Kept,
    /// All samples of one old cluster, and new samples.
    Grew,
    /// Samples of two or more old clusters.
    Merged,
    /// Some, but not all, of the samples of one old cluster.
    Split,
    /// New samples alone.
    Appeared,
}

/// A partition of more samples whose clusters have the names of old clusters.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct Renaming {
    /// The name of each sample's cluster: N + M numbers, [`Labels::NOISE`] for noise. Names below the number of old clusters are
    /// those of old clusters; others are new. A name may be missing, that of a cluster that merged.
    pub labels: Vec<u32>,
    /// The name of each cluster of the new partition.
    pub names: Vec<u32>,
    /// Where the samples of each cluster of the new partition come from.
    pub fates: Vec<Origin>,
}

impl Partition {
    /// Names the clusters of this partition, of N + M samples, after those of an older partition of
    /// the first N of these samples. Not in the paper.
    ///
    /// Each old name goes to one cluster at most: the pair of an old and a new cluster with the most
    /// common samples is settled first (of equals the smaller old number, then the smaller new
    /// number), then the pair with the most among those that are left. Clusters without a name get
    /// names that no old cluster had, in the order of their numbers.
    ///
    /// ```
    /// use finch_core::{Origin, Partition};
    ///
    /// let old = Partition::new(&["a", "b", "b", "c"])?;
    /// let new = Partition::new(&[0, 1, 1, 0, 2, 1])?; // a and c have merged, b grew
    /// let renamed = new.named_after(&old)?;
    /// assert_eq!(renamed.labels, [0, 1, 1, 0, 3, 1]);
    /// assert_eq!(renamed.fates, [Origin::Merged, Origin::Grew, Origin::Appeared]);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SampleCount`] if the old partition has more samples, [`Error::OutOfMemory`].
    pub fn named_after(&self, old: &Partition) -> Result<Renaming> {
        renamed([self.labels(), old.labels()], [self.clusters(), old.clusters()])
    }
}

impl Labels {
    /// [`Partition::named_after`] for labels with noise: noise has no name and is no cluster. A sample that is noise
    /// in the old labels counts as a new one, and one that is noise in these leaves its old cluster.
    ///
    /// ```
    /// use finch_core::{Labels, Origin};
    ///
    /// let old = Labels::new(&[Some("a"), Some("b"), Some("b"), None])?;
    /// let new = Labels::new(&[Some(5), None, Some(7), Some(5)])?; // one of b is noise, and noise is in a
    /// let renamed = new.named_after(&old)?;
    /// assert_eq!(renamed.labels, [0, Labels::NOISE, 1, 0]);
    /// assert_eq!(renamed.fates, [Origin::Grew, Origin::Split]);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// The errors of [`Partition::named_after`].
    pub fn named_after(&self, old: &Labels) -> Result<Renaming> {
        renamed([self.labels(), old.labels()], [self.clusters(), old.clusters()])
    }
}

/// New labels named after old ones, of so many clusters each.
pub(crate) fn renamed([new, old]: [&[u32]; 2], [of_new, of_old]: [usize; 2]) -> Result<Renaming> {
    if old.len() > new.len() {
        return Err(Error::SampleCount { expected: old.len(), found: new.len() });
    }
    caught(|| {
        let common = common_samples(new, old);
        let names = names(&common, of_new, of_old);
        let name = |&label: &u32| match label {
            Labels::NOISE => label,
            label => names[label as usize],
        };
        let labels = collected(new.iter().map(name));
        let fates = fates([new, old], [of_new, of_old], &common);
        Ok(Renaming { labels, names, fates })
    })
}

/// The samples that an old and a new cluster have in common.
struct Common {
    old: u32,
    new: u32,
    samples: usize,
}

/// All pairs with common samples, those with the most first.
fn common_samples(new: &[u32], old: &[u32]) -> Vec<Common> {
    let mut counts: HashMap<(u32, u32), usize> = HashMap::new();
    let pairs = old.iter().copied().zip(new.iter().copied());
    for pair in pairs.filter(|(old, new)| *old != Labels::NOISE && *new != Labels::NOISE) {
        reserve_entry(&mut counts);
        *counts.entry(pair).or_default() += 1;
    }
    let common = counts.into_iter().map(|((old, new), samples)| Common { old, new, samples });
    let mut common: Vec<Common> = gathered(common);
    common.sort_unstable_by_key(|common| (usize::MAX - common.samples, common.old, common.new));
    common
}

/// The name of each new cluster.
fn names(common: &[Common], new: usize, old: usize) -> Vec<u32> {
    const NONE: u32 = u32::MAX;
    let (mut names, mut taken) = (filled(NONE, new), filled(false, old));
    for &Common { old, new, .. } in common {
        if names[new as usize] == NONE && !taken[old as usize] {
            names[new as usize] = old;
            taken[old as usize] = true;
        }
    }
    let without = names.iter_mut().filter(|name| **name == NONE);
    without.zip(old as u32..).for_each(|(name, unused)| *name = unused);
    names
}

fn fates([new, old]: [&[u32]; 2], [of_new, of_old]: [usize; 2], common: &[Common]) -> Vec<Origin> {
    let (mut old_sizes, mut has_new) = (filled(0, of_old), filled(false, of_new));
    for &label in old.iter().filter(|label| **label != Labels::NOISE) {
        old_sizes[label as usize] += 1;
    }
    let before = old.iter().copied().chain(iter::repeat(Labels::NOISE));
    for (&label, before) in new.iter().zip(before) {
        if label != Labels::NOISE && before == Labels::NOISE {
            has_new[label as usize] = true;
        }
    }
    let mut fates = filled(Origin::Appeared, of_new);
    for &Common { old, new, samples } in common {
        let new = new as usize;
        fates[new] = match fates[new] {
            Origin::Appeared if samples < old_sizes[old as usize] => Origin::Split,
            Origin::Appeared if has_new[new] => Origin::Grew,
            Origin::Appeared => Origin::Kept,
            _ => Origin::Merged,
        };
    }
    fates
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::support::random::scrambled;

    #[test]
    fn fates_are_as_defined() {
        use Origin::*;
        // Two clusters that exchange samples, one that splits, one that stays, one that grows.
        let old = Partition::new(&[0, 0, 0, 1, 1, 1, 2, 2, 2, 2, 3, 4]).unwrap();
        let new = Partition::new(&[0, 0, 1, 1, 1, 0, 2, 2, 3, 2, 4, 5, 5, 6]).unwrap();
        let renamed = new.named_after(&old).unwrap();
        assert_eq!(renamed.names, [0, 1, 2, 5, 3, 4, 6]);
        assert_eq!(renamed.fates, [Merged, Merged, Split, Split, Kept, Grew, Appeared]);
        assert_eq!(renamed.labels, [0, 0, 1, 1, 1, 0, 2, 2, 5, 2, 3, 4, 4, 6]);
        assert!(matches!(old.named_after(&new), Err(Error::SampleCount { .. })));
    }

    #[test]
    fn no_name_is_given_twice_and_clusters_stay_what_they_are() {
        for trial in 0..200 {
            let number = |sample: usize| scrambled((trial * 1_000 + sample) as u64) as usize;
            let (many, few) = (3 + trial % 60, 1 + trial % 17);
            let of = |samples: usize, clusters: usize, salt: usize| {
                let labels = (0..samples).map(|sample| number(sample * 2 + salt) % clusters);
                Partition::new(&labels.collect::<Vec<_>>()).unwrap()
            };
            let (old, new) = (of(many, few, 0), of(many + trial % 9, few + trial % 3, 1));
            let renamed = new.named_after(&old).unwrap();
            assert_eq!(Partition::new(&renamed.labels).unwrap(), new);
            let mut names = renamed.names.clone();
            names.sort_unstable();
            names.dedup();
            assert_eq!(names.len(), new.clusters());
            // A partition named after itself, or after itself and more samples, is what it was.
            assert_eq!(new.named_after(&new).unwrap().labels, new.labels());
        }
    }
}
