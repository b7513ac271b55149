//! Noise: labels in which outliers, and the samples of small clusters, are in no cluster.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::membership::{summed_by_cluster, weights_of_clusters};
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::merging::by_links::sample_links::SampleLinks;
use crate::merging::by_means::{Means, Nearest};
use crate::partition::Partition;
use crate::partition::labels::Labels;
use crate::partition::means::cluster_sizes;
use crate::run::Run;
use crate::run::progress::{Meter, Stage};
use crate::samples::AnySamples;
use crate::support::memory::{collected, copied, filled, push, reserve_queue};
use crate::support::names::named;
use crate::support::union_find::Sets;

/// The treatment of clusters that are too small.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum SmallClusters {
    /// Their samples are noise, as HDBSCAN has it.
    #[default]
    Noise,
    /// Each joins another cluster.
    Join,
}

named!(SmallClusters, "treatment of small clusters", Noise = "noise", Join = "join");

/// The request for noise among the samples of a flat clustering. Not in the paper, and never by default.
///
/// First outliers become noise, then the clusters that are left with fewer samples than the least size become
/// noise or join others. Samples that are noise before stay so.
///
/// ```
/// use finch_core::{Finch, Labels, Linkage, Noise, Run, Samples};
/// use ndarray::Array2;
///
/// // 60 samples in a row, and two beside it.
/// let row = Array2::from_shape_fn((62, 2), |(sample, feature)| match (sample, feature) {
///     (60.., _) => 30.0 + sample as f64,
///     (_, 0) => (sample as f64).powf(1.01),
///     _ => 0.0,
/// });
/// let samples = Samples::new(row.view())?;
/// let hierarchy = Finch::new().refinable(Linkage::Neighbor).fit(&samples)?;
/// let labels: Labels = hierarchy.suggest(&samples)?.cut.into();
/// let run = &mut Run::new();
/// let found = Noise::new().min_cluster_size(3).run(&samples, &hierarchy, &labels, run)?;
/// assert_eq!(found.labels()[60..], [Labels::NOISE; 2]);
/// assert_eq!(found.noise(), 2);
/// # Ok::<(), finch_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Noise {
    least: usize,
    small: SmallClusters,
    share: f64,
    threshold: f64,
}

impl Default for Noise {
    fn default() -> Self {
        Self { least: 0, small: SmallClusters::Noise, share: 0.0, threshold: 1.0 }
    }
}

impl Noise {
    /// No noise.
    pub fn new() -> Self {
        Self::default()
    }

    /// The least size of a cluster, in samples or in the sum of their weights; 0 by default, for any size.
    pub fn min_cluster_size(self, least: usize) -> Self {
        Self { least, ..self }
    }

    /// The treatment of clusters below the least size; noise by default.
    ///
    /// With [`SmallClusters::Join`] the smallest of them (of equal ones that with the smallest number) joins the
    /// cluster that most links of its samples lead to, of equals that with the smallest number, until none is too
    /// small. Links are those of [`Membership`](crate::Membership). A cluster without links to another joins the one
    /// with the nearest mean, in units of how wide that is; without samples, or where no other is at a finite
    /// distance, it becomes noise.
    pub fn small_clusters(self, small: SmallClusters) -> Self {
        Self { small, ..self }
    }

    /// The share of all samples, or of their weight, that are outliers: those with the largest
    /// [outlier scores](Hierarchy::outlier_scores), no more than the share. Samples of equal scores are outliers
    /// together or not at all, and those with a score of 0 are none. From 0, the default, to below 1.
    pub fn outliers(self, share: f64) -> Self {
        Self { share, ..self }
    }

    /// The [outlier score](Hierarchy::outlier_scores) above which samples are outliers, from 0 to 1, the
    /// default: no score is above it.
    pub fn outlier_threshold(self, threshold: f64) -> Self {
        Self { threshold, ..self }
    }

    /// True if nothing is asked for that could make noise.
    pub fn is_none(&self) -> bool {
        self.least < 2 && !self.needs_scores()
    }

    fn needs_scores(&self) -> bool {
        self.share != 0.0 || self.threshold != 1.0
    }

    /// Labels of the samples that a hierarchy was made from, with noise.
    ///
    /// Neighbours that the hierarchy has kept ([`Finch::refinable`](crate::Finch::refinable)) are used; others are
    /// searched where outliers are asked for, or small clusters join.
    ///
    /// # Errors
    /// - [`Error::SampleCount`], [`Error::FeatureCount`]: the hierarchy was made from another number of samples, or of
    ///   features, or there are not as many labels.
    /// - [`Error::InvalidClusterSize`]: small clusters are to join others, and the least size is above that of all
    ///   samples together.
    /// - [`Error::InvalidNoise`]: a share of outliers that is not from 0 to below 1, or a threshold not from 0 to 1.
    /// - [`Error::Threads`], [`Error::OutOfMemory`], [`Error::Cancelled`].
    pub fn run<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        hierarchy: &Hierarchy,
        labels: &Labels,
        run: &mut Run<'_>,
    ) -> Result<Labels> {
        let samples = samples.into();
        hierarchy.expect_samples(samples)?;
        self.found(Some(samples), hierarchy, labels, run)
    }

    /// [`Noise::run`] for a hierarchy that was made without samples, by the neighbours that it keeps.
    ///
    /// # Errors
    /// The errors of [`Noise::run`]; [`Error::NeedsSamples`] if the hierarchy was made from samples.
    pub fn run_without_samples(
        &self,
        hierarchy: &Hierarchy,
        labels: &Labels,
        run: &mut Run<'_>,
    ) -> Result<Labels> {
        hierarchy.expect_none()?;
        self.found(None, hierarchy, labels, run)
    }

    fn found(
        &self,
        samples: Option<AnySamples<'_>>,
        hierarchy: &Hierarchy,
        labels: &Labels,
        run: &mut Run<'_>,
    ) -> Result<Labels> {
        self.check(hierarchy, labels)?;
        run.operate(hierarchy.samples(), |run| {
            let mut found = copied(labels.labels());
            if self.needs_scores() {
                let scores = hierarchy.scores_of_outliers(samples, run)?;
                let threshold = self.threshold_of(&scores, hierarchy.weights());
                found
                    .iter_mut()
                    .zip(&scores)
                    .filter(|(_, score)| **score > threshold)
                    .for_each(|(label, _)| *label = Labels::NOISE);
            }
            let found = run.install(|| Labels::numbered(&found))??;
            match self.small {
                _ if self.least < 2 => Ok(found),
                SmallClusters::Noise => run.install(|| self.without_small(hierarchy, &found))?,
                SmallClusters::Join => self.joined(samples, hierarchy, &found, run),
            }
        })
    }

    /// Checks the shares, whatever the samples are.
    ///
    /// # Errors
    /// [`Error::InvalidNoise`].
    pub fn expect_sound(&self) -> Result<()> {
        if !(0.0..1.0).contains(&self.share) {
            let (what, wanted) = ("share of outliers", "a number from 0 to below 1");
            return Err(Error::InvalidNoise { what, value: self.share, wanted });
        }
        if !(0.0..=1.0).contains(&self.threshold) {
            let (what, wanted) = ("threshold of outlier scores", "a number from 0 to 1");
            return Err(Error::InvalidNoise { what, value: self.threshold, wanted });
        }
        Ok(())
    }

    fn check(&self, hierarchy: &Hierarchy, labels: &Labels) -> Result<()> {
        let (expected, found) = (hierarchy.samples(), labels.samples());
        if expected != found {
            return Err(Error::SampleCount { expected, found });
        }
        self.expect_sound()?;
        let size = hierarchy.weights().map_or(expected as f64, |weights| weights.iter().sum());
        // Where small clusters are noise, all samples are.
        if self.small == SmallClusters::Join && self.least as f64 > size {
            let reason = "all samples together have";
            return Err(Error::InvalidClusterSize {
                bound: "least",
                limit: self.least,
                reason,
                size,
            });
        }
        Ok(())
    }

    /// The score above which samples are outliers.
    fn threshold_of(&self, scores: &[f64], weights: Option<&[f64]>) -> f64 {
        let weight = |sample: u32| weights.map_or(1.0, |weights| weights[sample as usize]);
        let all: f64 = (0..scores.len() as u32).map(weight).sum();
        let mut order = collected(0..scores.len() as u32);
        order.sort_unstable_by(|&a, &b| {
            scores[b as usize].total_cmp(&scores[a as usize]).then(a.cmp(&b))
        });
        // 29 of 100 samples are the share of 0.29, though 0.29·100 rounds to less.
        let most = self.share * all * (1.0 + 1e-12);
        let mut sum = 0.0;
        for &sample in &order {
            sum += weight(sample);
            if sum > most {
                return f64::min(scores[sample as usize], self.threshold);
            }
        }
        // A share that rounds to all samples.
        0.0
    }

    /// The labels, with the samples of small clusters as noise.
    fn without_small(&self, hierarchy: &Hierarchy, labels: &Labels) -> Result<Labels> {
        let (partition, noise) = labels.with_noise_as_cluster()?;
        let sizes = cluster_sizes(&partition, hierarchy.checked_weights());
        let is_small = |cluster: u32| sizes[cluster as usize] < self.least as f64;
        let label = |&cluster: &u32| match Some(cluster) == noise || is_small(cluster) {
            true => Labels::NOISE,
            false => cluster,
        };
        Labels::numbered(&collected(partition.labels().iter().map(label)))
    }

    /// The labels after small clusters have joined others.
    fn joined(
        &self,
        samples: Option<AnySamples<'_>>,
        hierarchy: &Hierarchy,
        labels: &Labels,
        run: &mut Run<'_>,
    ) -> Result<Labels> {
        let weights = hierarchy.checked_weights();
        let (partition, noise) = run.install(|| labels.with_noise_as_cluster())??;
        let sizes = cluster_sizes(&partition, weights);
        let is_small =
            |cluster: usize| sizes[cluster] < self.least as f64 && Some(cluster as u32) != noise;
        if !(0..sizes.len()).any(is_small) {
            return Ok(labels.clone());
        }
        let links = SampleLinks::of(samples, hierarchy, run)?;
        let nearest = samples.as_ref().map(|samples| {
            Nearest::new(Means::new(samples, weights, hierarchy.metric()), &partition)
        });
        run.stage(Stage::Link, 1, |meter| {
            let links = links_of_clusters(&links, labels, &partition, hierarchy.weights());
            let least = self.least as f64;
            let sets = Sets::new(sizes.len());
            let mut joining = Joining { least, noise, links, sizes, sets, nearest };
            joining.join_all(meter);
            let Joining { sizes, mut sets, .. } = joining;
            let label = |&cluster: &u32| match sets.root(cluster) {
                root if Some(root) == noise || sizes[root as usize] < least => Labels::NOISE,
                root => root,
            };
            Labels::numbered(&collected(partition.labels().iter().map(label)))
        })?
    }
}

/// The clusters that the samples of each cluster are linked to, each with the weight of the links.
fn links_of_clusters(
    links: &SampleLinks<'_>,
    labels: &Labels,
    partition: &Partition,
    weights: Option<&[f64]>,
) -> Vec<Vec<(u32, f64)>> {
    let mut number = filled(Labels::NOISE, labels.clusters());
    for (&label, &cluster) in labels.labels().iter().zip(partition.labels()) {
        if label != Labels::NOISE {
            number[label as usize] = cluster;
        }
    }
    let mut of_clusters: Vec<Vec<(u32, f64)>> =
        collected((0..partition.clusters()).map(|_| Vec::new()));
    let mut list = Vec::new();
    for (sample, &cluster) in partition.labels().iter().enumerate() {
        weights_of_clusters(sample, links, labels.labels(), &mut list);
        let of_sample = weights.map_or(1.0, |weights| weights[sample]);
        for &(label, weight) in &list {
            let other = number[label as usize];
            if other != cluster {
                push(&mut of_clusters[cluster as usize], (other, of_sample * weight));
            }
        }
    }
    of_clusters.iter_mut().for_each(summed_by_cluster);
    of_clusters
}

/// Clusters of which small ones join others. A cluster keeps the smaller of two numbers.
struct Joining<'j> {
    least: f64,
    /// The cluster that stands for noise.
    noise: Option<u32>,
    links: Vec<Vec<(u32, f64)>>,
    sizes: Vec<f64>,
    sets: Sets,
    nearest: Option<Nearest<'j>>,
}

impl Joining<'_> {
    fn join_all(&mut self, meter: &Meter) {
        // The smallest first, of equals the first. The bits of positive numbers are in their order.
        let mut small = BinaryHeap::new();
        let all = (0..self.sizes.len() as u32).filter(|&cluster| Some(cluster) != self.noise);
        for cluster in all {
            let size = self.sizes[cluster as usize];
            if size < self.least {
                reserve_queue(&mut small, 1);
                small.push(Reverse((size.to_bits(), cluster)));
            }
        }
        while let Some(Reverse((size, cluster))) = small.pop() {
            if meter.stopped() {
                break;
            }
            // A cluster that has grown was put back; one that is gone is in another.
            if self.sets.root(cluster) != cluster || self.sizes[cluster as usize].to_bits() != size
            {
                continue;
            }
            let Some(other) = self.partner(cluster) else { continue };
            let kept = self.join(cluster, other);
            let size = self.sizes[kept as usize];
            if size < self.least {
                reserve_queue(&mut small, 1);
                small.push(Reverse((size.to_bits(), kept)));
            }
        }
    }

    /// The cluster that a cluster is linked to most, or without links the nearest.
    fn partner(&mut self, cluster: u32) -> Option<u32> {
        let Self { links, sets, nearest, noise, .. } = self;
        let links = &mut links[cluster as usize];
        links.iter_mut().for_each(|(other, _)| *other = sets.root(*other));
        links.retain(|(other, _)| *other != cluster);
        summed_by_cluster(links);
        let mut most: Option<(u32, f64)> = None;
        for &(other, weight) in links.iter() {
            if most.is_none_or(|(_, before)| weight > before) {
                most = Some((other, weight));
            }
        }
        match most {
            Some((other, _)) => Some(other),
            None => nearest.as_mut()?.of(cluster, sets, &|other| Some(other) != *noise),
        }
    }

    fn join(&mut self, a: u32, b: u32) -> u32 {
        let [kept, gone] = [a.min(b), a.max(b)];
        if let Some(nearest) = &mut self.nearest {
            nearest.join([kept, gone]);
        }
        self.sets.join(kept, gone);
        self.sizes[kept as usize] += std::mem::take(&mut self.sizes[gone as usize]);
        let links = std::mem::take(&mut self.links[gone as usize]);
        links.into_iter().for_each(|link| push(&mut self.links[kept as usize], link));
        kept
    }
}
