//! Clusters, or classes, of the samples.

use std::collections::BTreeMap;

/// Samples in groups, numbered from 0 in the order of their labels.
pub(in crate::report) struct Groups {
    /// The name of each group.
    pub(in crate::report) names: Vec<String>,
    /// The samples in each.
    pub(in crate::report) sizes: Vec<usize>,
    /// The group of each sample.
    pub(in crate::report) of: Vec<usize>,
    /// The group of samples that are in no cluster, the last one.
    pub(in crate::report) noise: Option<usize>,
}

impl Groups {
    /// The groups of samples with equal labels. A label without a name goes by its number.
    pub(in crate::report) fn new(labels: &[u32], names: &[String]) -> Self {
        let mut numbers: BTreeMap<u32, usize> = labels.iter().map(|&label| (label, 0)).collect();
        for (number, place) in numbers.values_mut().enumerate() {
            *place = number;
        }
        let of: Vec<usize> = labels.iter().map(|label| numbers[label]).collect();
        let mut sizes = vec![0; numbers.len()];
        for &group in &of {
            sizes[group] += 1;
        }
        let name = |&label: &u32| match names.get(label as usize) {
            Some(name) => name.clone(),
            None => label.to_string(),
        };
        Self { names: numbers.keys().map(name).collect(), sizes, of, noise: None }
    }

    /// The same groups, of which the last one is noise.
    pub(in crate::report) fn with_noise_last(mut self) -> Self {
        self.noise = self.names.len().checked_sub(1);
        if let Some(name) = self.names.last_mut() {
            *name = "noise".into();
        }
        self
    }

    /// The number of clusters: of groups without noise.
    pub(in crate::report) fn clusters(&self) -> usize {
        self.len() - usize::from(self.noise.is_some())
    }

    /// The number of groups.
    pub(in crate::report) fn len(&self) -> usize {
        self.sizes.len()
    }

    /// The groups, the largest first, and noise last.
    pub(in crate::report) fn by_size(&self) -> Vec<usize> {
        let mut groups: Vec<usize> = (0..self.len()).collect();
        let size = |group: usize| std::cmp::Reverse(self.sizes[group]);
        groups.sort_by_key(|&group| (self.noise == Some(group), size(group)));
        groups
    }

    /// The largest clusters, so many at most, without noise.
    pub(in crate::report) fn largest(&self, most: usize) -> Vec<usize> {
        let mut groups = self.by_size();
        groups.truncate(most.min(self.clusters()));
        groups
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_and_sizes() {
        let groups = Groups::new(&[7, 1, 7, 0], &["zero".into()]);
        assert_eq!(groups.names, ["zero", "1", "7"]);
        assert_eq!(groups.sizes, [1, 1, 2]);
        assert_eq!(groups.of, [2, 1, 2, 0]);
        assert_eq!(groups.by_size(), [2, 0, 1]);
        assert_eq!(Groups::new(&[], &[]).len(), 0);
        let groups = Groups::new(&[0, 2, 2, 1, 2, 1], &[]).with_noise_last();
        assert_eq!(groups.names, ["0", "1", "noise"]);
        assert_eq!((groups.clusters(), groups.by_size()), (2, vec![1, 0, 2]));
        assert_eq!((groups.largest(9), groups.largest(1)), (vec![1, 0], vec![1]));
    }
}
