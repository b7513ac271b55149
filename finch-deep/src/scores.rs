//! The agreement of a labelling with the truth, in percent.

use finch_core::{Contingency, PrecisionRecall, Scores};
use serde::{Deserialize, Serialize};

/// The measures of [`finch_core::Scores`] in percent, rounded to four decimals: 0.99721448… reads
/// 99.7214, as in the paper.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Percentages {
    /// Share of samples in the class that is most frequent in their cluster.
    pub purity: f64,
    /// Normalised mutual information, by the geometric mean of the entropies.
    pub nmi: f64,
    /// Normalised mutual information, by the arithmetic mean of the entropies.
    pub nmi_arithmetic: f64,
    /// Accuracy under the best matching of clusters and classes. None where it would take too long
    /// (see [`Contingency::accuracy`]).
    pub acc: Option<f64>,
    /// Adjusted Rand index.
    pub ari: f64,
    /// Over pairs of samples.
    pub pairwise: Agreement,
    /// B-cubed, over samples.
    pub bcubed: Agreement,
    /// Share of samples that are noise, which the measures leave out; none where noise has no label.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub noise: Option<f64>,
}

/// Precision, recall and their harmonic mean, in percent.
#[derive(Clone, Copy, Debug, PartialEq, Serialize, Deserialize)]
#[non_exhaustive]
pub struct Agreement {
    /// Of what is together in a cluster, the share that is together in a class.
    pub precision: f64,
    /// Of what is together in a class, the share that is together in a cluster.
    pub recall: f64,
    /// The harmonic mean of precision and recall.
    pub f: f64,
}

impl Percentages {
    /// Compares labels of N samples with their true classes.
    ///
    /// # Errors
    /// [`finch_core::Error::SampleCount`] if labels and classes differ in number.
    pub fn of(labels: &[u32], truth: &[u32]) -> finch_core::Result<Self> {
        Ok(Contingency::new(labels, truth)?.scores()?.into())
    }

    /// Compares labels of N samples, of which `noise` says that a sample is in no cluster, with the true classes
    /// of the others.
    ///
    /// # Errors
    /// The error of [`Percentages::of`]; [`finch_core::Error::AllNoise`] if no sample is in a cluster.
    pub fn without(noise: u32, labels: &[u32], truth: &[u32]) -> finch_core::Result<Self> {
        let (counted, share) = Contingency::without_noise(labels, truth, None, noise)?;
        Ok(Self { noise: Some(percent(share)), ..counted.scores()?.into() })
    }
}

impl From<Scores> for Percentages {
    fn from(scores: Scores) -> Self {
        let Scores { nmi, nmi_arithmetic, accuracy, purity, ari, pairwise, bcubed, .. } = scores;
        let [purity, nmi, nmi_arithmetic, ari] = [purity, nmi, nmi_arithmetic, ari].map(percent);
        let acc = accuracy.map(percent);
        let [pairwise, bcubed] = [pairwise, bcubed].map(Agreement::from);
        Self { purity, nmi, nmi_arithmetic, acc, ari, pairwise, bcubed, noise: None }
    }
}

impl From<PrecisionRecall> for Agreement {
    fn from(fractions: PrecisionRecall) -> Self {
        let PrecisionRecall { precision, recall } = fractions;
        let [precision, recall, f] = [precision, recall, fractions.f()].map(percent);
        Self { precision, recall, f }
    }
}

fn percent(fraction: f64) -> f64 {
    (fraction * 1e6).round() / 1e4
}
