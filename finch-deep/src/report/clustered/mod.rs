//! `--report`: a clustering as a page for people.

mod described;
mod icicle;
mod levels;
mod lineage;
mod outliers;
mod page;
mod suggested;

use finch_core::{Description, Hierarchy, Labels, Suggestion};

use super::parts::image::Image;
use super::parts::text::name_of;
use super::parts::truth::Truth;
use crate::data::{Feature, Matrix};
use crate::scores::Percentages;

/// The facts known of a clustering.
///
/// Texts may hold anything: they are escaped.
///
/// ```
/// use finch_core::{Describe, Finch, Labels, Linkage, Run, Samples};
/// use finch_deep::report::{ClusterReport, Described};
/// use ndarray::array;
///
/// let points = array![[0.0], [1.0], [3.0], [20.0], [21.0]];
/// let (samples, run) = (Samples::new(points.view())?, &mut Run::new());
/// let hierarchy = Finch::new().refinable(Linkage::Neighbor).fit(&samples)?;
/// let suggestion = hierarchy.suggest(&samples)?;
/// let description = Describe::new(3).run(&samples, &suggestion.cut, hierarchy.metric(), run)?;
/// let labels = Labels::from(&suggestion.cut);
/// let report = ClusterReport {
///     command: "finch cluster",
///     title: "points of <a> line",
///     facts: &[("file".into(), "points.csv".into())],
///     hierarchy: &hierarchy,
///     samples: points.view().into(),
///     names: None,
///     columns: None,
///     image: None,
///     truth: None,
///     scores: &[],
///     described: Described {
///         name: "suggested",
///         labels: &labels,
///         names: &[],
///         description: &description,
///         distinctions: &[],
///         scores: None,
///     },
///     suggestion: Some(&suggestion),
///     outliers: &hierarchy.outlier_scores(&samples, run)?,
///     seed: 0,
/// };
/// let mut page = Vec::new();
/// report.write(&mut page)?;
/// assert!(String::from_utf8(page)?.contains("points of &lt;a&gt; line"));
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug)]
pub struct ClusterReport<'a> {
    /// The command that the page is of.
    pub command: &'a str,
    /// The heading, such as the name of the file.
    pub title: &'a str,
    /// Names and values: files, columns, search, choices, time and the like, in the order to show them.
    pub facts: &'a [(String, String)],
    /// All partitions of the N samples.
    pub hierarchy: &'a Hierarchy,
    /// N samples × features, as they were clustered.
    pub samples: Matrix<'a>,
    /// The name of each sample. Where there are none, samples go by their number, from 0.
    pub names: Option<&'a [String]>,
    /// The features, if the samples are of a table of text.
    pub columns: Option<&'a [Feature]>,
    /// The shape of the samples, if they are images.
    pub image: Option<Image>,
    /// The true classes of the samples, where they are known.
    pub truth: Option<Truth<'a>>,
    /// The scores of each partition against the truth; none where the truth is not known.
    pub scores: &'a [Percentages],
    /// The labelling whose clusters are told one by one.
    pub described: Described<'a>,
    /// The recommendation, if there is one.
    pub suggestion: Option<&'a Suggestion>,
    /// The outlier score of each sample, from 0 to 1; none where they were not computed.
    pub outliers: &'a [f64],
    /// Chooses the samples on the maps where there are more than [`MAP_SAMPLES`](crate::report::MAP_SAMPLES).
    pub seed: u64,
}

/// A labelling whose clusters are told one by one.
#[derive(Clone, Copy, Debug)]
pub struct Described<'a> {
    /// Where the labelling comes from, such as `suggested`, or `partition 2`.
    pub name: &'a str,
    /// The cluster of each of the N samples. Noise is a grey group of its own, which is not described.
    pub labels: &'a Labels,
    /// The names of the clusters; those without a name go by their number.
    pub names: &'a [String],
    /// The content of the clusters.
    pub description: &'a Description,
    /// The features that set each cluster apart, the most telling first; none for clusters beyond the last.
    pub distinctions: &'a [Vec<Distinction>],
    /// The scores against the truth, where it is known.
    pub scores: Option<Percentages>,
}

/// A feature whose mean in a cluster is not that of all other samples.
#[derive(Clone, Debug, PartialEq)]
pub struct Distinction {
    /// The name of the feature.
    pub feature: String,
    /// (mean − mean outside) / standard deviation over all samples.
    pub difference: f64,
    /// The mean in the cluster, in the unit of the file.
    pub mean: f64,
    /// The mean of all other samples.
    pub outside: f64,
    /// True if the feature is 0 or 1, so that means are shares.
    pub share: bool,
    /// The feature of a table, whose means may be dates, hours or words of an order.
    pub column: Option<Feature>,
}

impl ClusterReport<'_> {
    /// The name of a sample.
    fn name(&self, sample: usize) -> String {
        name_of(self.names, sample)
    }
}
