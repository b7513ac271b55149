//! The prediction of a model for new samples. Types only.

use crate::neighbors::Recall;

/// The clusters of M new samples in one labelling, and how sure they are.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// The cluster of each new sample: M numbers from 0 to C − 1. Under cosine, of a new sample of zeros that of
    /// the kept samples of zeros; where there are none, no cluster is near, and it is that of sample 0, or mean 0,
    /// at the distance 2.
    pub labels: Vec<u32>,
    /// The kept sample that is nearest to each new sample; in a model without samples, the mean, by
    /// the number of its cluster. Of equally near ones the smallest number.
    pub neighbor: Vec<u32>,
    /// The distance of that sample or mean, in the metric's unit.
    pub distance: Vec<f64>,
    /// The certainty of each label; `None` where it was not asked for.
    pub certainty: Option<Certainty>,
    /// The share of the true nearest samples, or means, that an approximate search found; `None` after
    /// an exact one.
    pub recall: Option<Recall>,
}

/// The certainty of the clusters of M new samples.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Certainty {
    /// The distance of each new sample to the nearest kept sample, or mean, of another cluster than
    /// the new sample's own, in the metric's unit. Infinite if there is no other cluster.
    pub other_distance: Vec<f64>,
    /// About the share of labels that are right among labels of this confidence: numbers from ½, where
    /// both distances are equal, to 1. See [`Predict`](crate::Predict) for the definition.
    pub confidence: Vec<f64>,
}
