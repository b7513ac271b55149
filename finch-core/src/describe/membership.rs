//! The membership of each sample: the shares of its links that lead to each cluster.

use rayon::prelude::*;

use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::merging::by_links::sample_links::SampleLinks;
use crate::partition::labels::Labels;
use crate::run::Run;
use crate::run::progress::Stage;
use crate::samples::AnySamples;
use crate::support::memory::{collected_in_parallel, push, reserve, room};

/// Samples of one thread.
const PART: usize = 4096;

/// The shares by which each of N samples belongs to each of C clusters: N × C, compressed by rows.
///
/// The share of a cluster is that of the sample's links that lead to it. A sample is linked to its ⌈log₂ N⌉
/// nearest (fewer below 1,024 samples: half of [`Linkage::neighbors`](crate::Linkage::neighbors) and less), the
/// links by which samples move after merging. Links to noise do not count. So each row adds up to 1; a sample none
/// of whose links lead to a cluster is in its own with 1, and if it is noise, its row is empty. Copies of a weighted
/// sample are each other's nearest. Not in the paper.
#[derive(Clone, Debug, PartialEq)]
pub struct Membership {
    starts: Vec<usize>,
    clusters: Vec<u32>,
    shares: Vec<f64>,
    probabilities: Vec<f64>,
    columns: usize,
}

impl Membership {
    /// Where the entries of each sample begin, and the end of the last: N + 1 numbers from 0.
    pub fn starts(&self) -> &[usize] {
        &self.starts
    }

    /// The cluster of each entry; within a row they rise.
    pub fn clusters(&self) -> &[u32] {
        &self.clusters
    }

    /// The share of each entry, above 0 and at most 1.
    pub fn shares(&self) -> &[f64] {
        &self.shares
    }

    /// For each sample the share of its own cluster; 0 for noise.
    pub fn probabilities(&self) -> &[f64] {
        &self.probabilities
    }

    /// The number of clusters, C.
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The entries of one sample.
    ///
    /// # Panics
    /// For a number that no sample has.
    pub fn row(&self, sample: usize) -> impl Iterator<Item = (u32, f64)> {
        let range = self.starts[sample]..self.starts[sample + 1];
        let clusters = self.clusters[range.clone()].iter().copied();
        clusters.zip(self.shares[range].iter().copied())
    }
}

/// Entries of some samples that follow each other.
#[derive(Default)]
struct Rows {
    counts: Vec<u32>,
    entries: Vec<(u32, f64)>,
    probabilities: Vec<f64>,
}

impl Hierarchy {
    /// The [`Membership`] of the samples that the hierarchy was made from, for any labels of them.
    ///
    /// Neighbours that the hierarchy has kept ([`Finch::refinable`](crate::Finch::refinable)) are used; others are
    /// searched, which takes longer than all else.
    ///
    /// ```
    /// use finch_core::{Finch, Labels, Linkage, Run, Samples};
    /// use ndarray::Array2;
    ///
    /// // 30 samples in a row.
    /// let row = Array2::from_shape_fn((30, 1), |(sample, _)| (sample as f64).powf(1.01));
    /// let samples = Samples::new(row.view())?;
    /// let hierarchy = Finch::new().refinable(Linkage::Neighbor).fit(&samples)?;
    /// let halves: Vec<_> = (0..30).map(|sample| Some(sample / 15)).collect();
    /// let membership = hierarchy.membership(&samples, &Labels::new(&halves)?, &mut Run::new())?;
    /// assert_eq!(membership.probabilities()[3], 1.0);
    /// assert!(membership.probabilities()[15] < 0.7); // at the border
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SampleCount`], [`Error::FeatureCount`]: the hierarchy was made from another number of samples, or of
    /// features, or there are not as many labels. [`Error::Threads`], [`Error::OutOfMemory`], and
    /// [`Error::Cancelled`] if the callback stopped the run.
    pub fn membership<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        labels: &Labels,
        run: &mut Run<'_>,
    ) -> Result<Membership> {
        let samples = samples.into();
        self.expect_samples(samples.reborrow())?;
        self.memberships(Some(samples), labels, run)
    }

    /// [`Hierarchy::membership`] for a hierarchy that was made without samples, by the neighbours that it keeps.
    ///
    /// # Errors
    /// The errors of [`Hierarchy::membership`]; [`Error::NeedsSamples`] if the hierarchy was made from samples.
    pub fn membership_without_samples(
        &self,
        labels: &Labels,
        run: &mut Run<'_>,
    ) -> Result<Membership> {
        self.expect_none()?;
        self.memberships(None, labels, run)
    }

    fn memberships(
        &self,
        samples: Option<AnySamples<'_>>,
        labels: &Labels,
        run: &mut Run<'_>,
    ) -> Result<Membership> {
        let (expected, found) = (self.samples(), labels.samples());
        if expected != found {
            return Err(Error::SampleCount { expected, found });
        }
        run.operate(self.samples(), |run| {
            let links = SampleLinks::of(samples, self, run)?;
            run.stage(Stage::Describe, 1, |_| of_links(&links, labels))
        })
    }
}

fn of_links(links: &SampleLinks<'_>, labels: &Labels) -> Membership {
    let samples = labels.samples();
    let part = |part: usize| {
        let range = part * PART..samples.min((part + 1) * PART);
        let (mut rows, mut list) = (Rows::default(), Vec::new());
        reserve(&mut rows.counts, range.len());
        reserve(&mut rows.probabilities, range.len());
        range.for_each(|sample| rows.add(sample, links, labels.labels(), &mut list));
        rows
    };
    let parts = (0..samples.div_ceil(PART)).into_par_iter().map(part);
    let parts: Vec<Rows> = collected_in_parallel(parts);
    let entries = parts.iter().map(|rows| rows.entries.len()).sum();
    let (mut starts, mut clusters, mut shares) = (room(samples + 1), room(entries), room(entries));
    let mut probabilities = room(samples);
    let mut end = 0;
    starts.push(end);
    for rows in parts {
        for count in rows.counts {
            end += count as usize;
            starts.push(end);
        }
        clusters.extend(rows.entries.iter().map(|(cluster, _)| *cluster));
        shares.extend(rows.entries.iter().map(|(_, share)| *share));
        probabilities.extend_from_slice(&rows.probabilities);
    }
    Membership { starts, clusters, shares, probabilities, columns: labels.clusters() }
}

impl Rows {
    /// Adds the entries of a sample. `list` is room for its links.
    fn add(
        &mut self,
        sample: usize,
        links: &SampleLinks<'_>,
        labels: &[u32],
        list: &mut Vec<(u32, f64)>,
    ) {
        let (own, before) = (labels[sample], self.entries.len());
        weights_of_clusters(sample, links, labels, list);
        let all: f64 = list.iter().map(|(_, weight)| weight).sum();
        let mut of_own = 0.0;
        match (list.is_empty(), own) {
            (true, Labels::NOISE) => {}
            (true, own) => {
                push(&mut self.entries, (own, 1.0));
                of_own = 1.0;
            }
            (false, own) => {
                for &(cluster, weight) in list.iter() {
                    let share = weight / all;
                    push(&mut self.entries, (cluster, share));
                    if cluster == own {
                        of_own = share;
                    }
                }
            }
        }
        push(&mut self.counts, (self.entries.len() - before) as u32);
        push(&mut self.probabilities, of_own);
    }
}

/// The clusters that a sample is linked to, rising, each with the weight of the links. Weights are added up in an
/// order of their own, so that no order of neighbours shows in a rounded sum.
pub(super) fn weights_of_clusters(
    sample: usize,
    links: &SampleLinks<'_>,
    labels: &[u32],
    list: &mut Vec<(u32, f64)>,
) {
    list.clear();
    links.each(sample, |other, weight| {
        let label = labels[other as usize];
        if label != Labels::NOISE {
            push(list, (label, weight));
        }
    });
    summed_by_cluster(list);
}

/// Adds up the weights of each cluster in a list.
pub(super) fn summed_by_cluster(list: &mut Vec<(u32, f64)>) {
    list.sort_unstable_by(|(a, of_a), (b, of_b)| a.cmp(b).then(of_a.total_cmp(of_b)));
    list.dedup_by(|next, kept| {
        let same = next.0 == kept.0;
        if same {
            kept.1 += next.1;
        }
        same
    });
}
