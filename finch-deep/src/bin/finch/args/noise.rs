//! Noise among the clusters of `--clusters` and `--suggest`, and how sure these are.

use finch_core::{Hierarchy, Labels, Noise, Partition, Run, SmallClusters};

use super::precomputed::Known;
use super::values::{one_of, share, threshold, whole};
use crate::output::records::Labelled;

// The options of noise. Not a doc comment: clap would make that the description of the command.
#[derive(clap::Args)]
pub(crate) struct NoiseArgs {
    /// Least size of a cluster of --clusters and --suggest: smaller ones become noise, label -1
    ///
    /// With weights a sum of weights. Of K clusters fewer are left; --min-size makes K of a least size.
    #[arg(long, value_name = "SIZE", value_parser = whole::<usize>)]
    min_cluster_size: Option<usize>,

    /// Treatment of clusters below --min-cluster-size
    ///
    /// noise: label -1. join: the smallest first joins the cluster that most links of its samples to their
    /// nearest neighbours lead to.
    #[arg(
        long,
        default_value = SmallClusters::default().name(),
        value_parser = one_of(SmallClusters::ALL, SmallClusters::name),
        requires = "min_cluster_size"
    )]
    small: SmallClusters,

    /// Share of samples that become noise: those with the largest outlier scores
    // Another id than that of finch describe, whose --outliers is a number.
    #[arg(
        long = "outliers",
        value_name = "SHARE",
        value_parser = share,
        allow_negative_numbers = true
    )]
    outlier_share: Option<f64>,

    /// Outlier score above which samples become noise
    #[arg(long, value_name = "SCORE", value_parser = threshold, allow_negative_numbers = true)]
    outlier_threshold: Option<f64>,

    /// Also tell how sure the clusters of --clusters and --suggest are
    ///
    /// For each sample the share of its nearest neighbours that are in its cluster, from 0 to 1, in the columns
    /// requested_probability and suggested_probability of a table (--out FILE).
    #[arg(long)]
    membership: bool,
}

impl NoiseArgs {
    /// True if any of the options was given.
    pub(crate) fn is_given(&self) -> bool {
        let numbers = [self.outlier_share, self.outlier_threshold];
        self.min_cluster_size.is_some() || numbers.iter().any(Option::is_some) || self.membership
    }

    /// True if the columns of `--membership` are asked for.
    pub(crate) fn is_membership(&self) -> bool {
        self.membership
    }

    fn noise(&self) -> Noise {
        let noise = Noise::new().small_clusters(self.small);
        let noise = self.min_cluster_size.map_or(noise, |size| noise.min_cluster_size(size));
        let noise = self.outlier_share.map_or(noise, |share| noise.outliers(share));
        self.outlier_threshold.map_or(noise, |score| noise.outlier_threshold(score))
    }

    /// The labels of a partition, with what was asked for.
    pub(crate) fn labelled(
        &self,
        known: &Known<'_>,
        hierarchy: &Hierarchy,
        partition: &Partition,
        run: &mut Run<'_>,
    ) -> finch_core::Result<Labelled> {
        let (noise, labels) = (self.noise(), Labels::from(partition));
        let labels = match known.0 {
            _ if noise.is_none() => labels,
            Some(samples) => noise.run(samples, hierarchy, &labels, run)?,
            None => noise.run_without_samples(hierarchy, &labels, run)?,
        };
        let membership = self.membership.then(|| match known.0 {
            Some(samples) => hierarchy.membership(samples, &labels, run),
            None => hierarchy.membership_without_samples(&labels, run),
        });
        let probabilities = membership.transpose()?.map(|found| found.probabilities().to_vec());
        Ok(Labelled { labels, probabilities })
    }
}
