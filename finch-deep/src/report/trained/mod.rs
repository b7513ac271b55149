//! `report.html`: a training run as a page for people.

mod clusterings;
mod clusters;
mod page;
mod portrait;
mod training;

use finch_core::{Metric, Neighbors};
use ndarray::ArrayView2;

use super::parts::image::Image;
use super::parts::truth::Truth;
use crate::data::{Feature, Matrix, Preparation};
use crate::metrics::Measurement;

/// The facts known of a training run when it ends.
///
/// Texts may hold anything: they are escaped.
///
/// ```
/// use finch_deep::report::Report;
/// use ndarray::array;
///
/// let embedding = array![[0.0f32, 1.0], [0.1, 1.0], [5.0, 0.0], [5.1, 0.0]];
/// let report = Report {
///     title: "runs/<first>",
///     facts: &[("samples".into(), "4".into())],
///     config: "clusters = 2",
///     metrics: &[],
///     embedding: embedding.view(),
///     distance: finch_core::Metric::Euclidean,
///     labels: &[0, 0, 1, 1],
///     input: None,
///     truth: None,
///     seed: 1,
/// };
/// let mut page = Vec::new();
/// report.write(&mut page)?;
/// assert!(String::from_utf8(page).unwrap().contains("runs/&lt;first&gt;"));
/// # Ok::<(), std::io::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Report<'a> {
    /// The heading, such as the name of the run's directory.
    pub title: &'a str,
    /// Names and values: inputs, seed, versions and the like, in the order to show them.
    pub facts: &'a [(String, String)],
    /// The configuration as used, in TOML.
    pub config: &'a str,
    /// The lines of `metrics.jsonl`. Numbers that are not finite among them are left out of the plots.
    pub metrics: &'a [Measurement],
    /// N samples × features.
    pub embedding: ArrayView2<'a, f32>,
    /// The distance that the embedding is clustered by, and so that of neighbours on the map.
    pub distance: Metric,
    /// The final cluster of each of the N samples.
    pub labels: &'a [u32],
    /// The samples before training, to show what clusters are like.
    pub input: Option<Input<'a>>,
    /// The true classes of the samples, where they are known.
    pub truth: Option<Truth<'a>>,
    /// Chooses the samples on the map where there are more than [`MAP_SAMPLES`](crate::report::MAP_SAMPLES).
    pub seed: u64,
}

/// The samples before training.
#[derive(Clone, Debug)]
pub struct Input<'a> {
    /// N samples × features.
    pub samples: Matrix<'a>,
    /// The distance between samples.
    pub metric: Metric,
    /// The nearest neighbours of each sample, where they are known.
    pub neighbors: Option<&'a Neighbors>,
    /// The name of each sample. Where there are none, samples go by their number, from 0.
    pub names: Option<&'a [String]>,
    /// The features, if the samples are of a table of text.
    pub columns: Option<&'a [Feature]>,
    /// The changes that were made to the numbers of the features, which means in the unit of the file take back.
    pub prepared: Option<&'a Preparation>,
    /// The shape of the samples, if they are images.
    pub image: Option<Image>,
}
