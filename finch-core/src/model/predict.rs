//! The cluster of new samples, and how certain it is: that of the nearest kept sample, or of the
//! nearest mean.

use super::lookup::{Lookup, Made};
use super::{Labelling, Model};
use crate::error::warning::Warning;
use crate::error::{Error, Result};
use crate::fit::Finch;
use crate::neighbors::{
    Aim, FEW_QUERIES, Nearest, OfBase, Recall, Search, Wanted, are_few, nearest_of_base,
    nearest_of_tree, prefer_equal,
};
use crate::run::Run;
use crate::run::progress::Stage;
use crate::run::work::threads_beside;
use crate::samples::element::{AnyArray, AnyMatrix};
use crate::samples::metric::Metric;
use crate::samples::owned::OwnedSamples;
use crate::samples::rows::Rows;
use crate::samples::sparse::SparseMatrix;
use crate::samples::{AnySamples, Kind};
use crate::support::memory::collected;

/// The request for the clusters of new samples in one labelling of a [`Model`].
///
/// A new sample belongs to the cluster of its first neighbour among the kept samples, the link that
/// FINCH itself would draw from it, and is noise where that is; where the model keeps no samples, to
/// the cluster whose mean is nearest, and is never noise. Of equally near samples the one that is equal
/// to the new sample counts, then the one of the smallest number, as of means. So each sample that the
/// model was made from gets the label that it has (but see below). The paper does not predict.
///
/// # Confidence
/// With the distance d to the nearest sample (or mean) and the distance o to the nearest one of
/// another cluster, the confidence is 1 / (1 + (d/o)^p), p = [`Predict::SHARPNESS`]: ½ where d = o, and
/// 1 where d = 0 or where there is no other cluster. For cosine, d and o are chords, √(2 − 2cos). The
/// benchmark `benches/prediction.md` tells how many labels of which confidence are right.
///
/// # Few samples at a time
/// Up to 48 new samples are compared with the kept ones as these are stored, which takes as long as to read them, and
/// no memory. Up to 8 features, a model makes a tree of its samples at the second call (see [`Model`]); then a call for
/// a sample takes microseconds. Threads may share a model.
///
/// # Where a sample of the model gets another label
/// A sample with an exact copy of a smaller number gets the label of the copy. The two labels differ
/// only in labellings that tear copies apart: those refined to more clusters than the finest partition
/// has, those of a caller, and the partitions of first neighbours that a caller brought. Samples that
/// are apart by less than 10⁻¹⁶² are copies, too. By means, any sample may get another label.
///
/// ```
/// use finch_core::{Finch, Model, Predict, Run, Samples};
/// use ndarray::array;
///
/// let points = array![[0.0], [1.0], [10.0], [11.0]];
/// let samples = Samples::new(points.view())?;
/// let run = &mut Run::new();
/// let model = Model::new(Finch::new().fit(&samples)?, &samples, Vec::new(), run)?;
/// let model = model.keep_samples(&samples)?;
///
/// let new = array![[2.0], [5.5]];
/// let prediction = Predict::new(0).run(&model, &Samples::new(new.view())?, run)?;
/// assert_eq!(prediction.labels, [0, 0]);
/// assert_eq!(prediction.neighbor, [1, 1]);
/// assert_eq!(prediction.distance, [1.0, 4.5]);
/// let certainty = prediction.certainty.unwrap();
/// assert_eq!(certainty.other_distance, [8.0, 4.5]);
/// assert!(certainty.confidence[0] > 0.99 && certainty.confidence[1] == 0.5);
/// # Ok::<(), finch_core::Error>(())
/// ```
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Predict {
    labelling: usize,
    search: Search,
    recall: f64,
    seed: u64,
    certainty: bool,
}

impl Predict {
    /// The exponent p of the confidence.
    pub const SHARPNESS: f64 = 8.0;

    /// Asks for clusters of this labelling, see [`Model::labelling`].
    pub fn new(labelling: usize) -> Self {
        let (search, recall) = (Search::default(), Finch::DEFAULT_RECALL);
        Self { labelling, search, recall, seed: 0, certainty: true }
    }

    /// The search for the nearest samples, or means. [`Search::Brute`] and [`Search::Blocked`]
    /// are exact, and [`Search::Auto`] takes the faster one. [`Search::Approximate`] finds most of the
    /// nearest ([`Predict::recall`]) of millions, takes a copy of the kept and the new samples, and from
    /// a model that keeps its samples gives labels without certainty ([`Predict::certainty`]): the
    /// nearest sample of another cluster may be far, and only near ones are looked at.
    pub fn search(self, search: Search) -> Self {
        Self { search, ..self }
    }

    /// The share of the true nearest that is enough for an approximate search, above 0 and at most 1;
    /// [`Finch::DEFAULT_RECALL`] by default. The recall reached is measured ([`Prediction::recall`]), on
    /// up to 1,024 random new samples.
    pub fn recall(self, recall: f64) -> Self {
        Self { recall, ..self }
    }

    /// The seed of the random numbers of an approximate search; 0 by default.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed, ..self }
    }

    /// True if the distance to other clusters and the confidence are wanted; they are by default. The
    /// search takes longer for them.
    pub fn certainty(self, wanted: bool) -> Self {
        Self { certainty: wanted, ..self }
    }

    /// Predicts the clusters of new samples, M × d, of the type of the model's samples or a narrower
    /// one. Where those of the model are sparse, the new ones may be sparse or dense.
    ///
    /// # Errors
    /// - [`Error::NoSuchLabelling`], [`Error::FeatureCount`].
    /// - [`Error::ElementType`]: the new samples would have to be rounded to the type of the kept
    ///   samples, or of the means.
    /// - [`Error::NeedsSamples`]: the model was made without samples.
    /// - [`Error::NeedsDense`]: the new samples are sparse, and those of the model dense.
    /// - [`Error::UnsupportedSearch`]: any search but those of [`Predict::search`]; and an approximate
    ///   one under Hamming and Jaccard, of sparse samples, or for certainty by samples.
    ///   [`Error::InvalidRecall`].
    /// - [`Error::Threads`], [`Error::OutOfMemory`], [`Error::Cancelled`].
    pub fn run<'s>(
        &self,
        model: &Model,
        samples: impl Into<AnySamples<'s>>,
        run: &mut Run<'_>,
    ) -> Result<Prediction> {
        self.run_any(model, samples.into(), run)
    }

    fn run_any(
        &self,
        model: &Model,
        samples: AnySamples<'_>,
        run: &mut Run<'_>,
    ) -> Result<Prediction> {
        let labelling = model.labelling(self.labelling)?;
        let (expected, found) = (model.hierarchy.features(), samples.features());
        if model.element.is_none() {
            return Err(Error::NeedsSamples { what: "prediction" });
        }
        if found != expected {
            return Err(Error::FeatureCount { expected, found });
        }
        let base = match model.samples() {
            Some(samples) => samples,
            None => model.means(self.labelling)?,
        };
        let tree = self.tree_of(model, samples.len());
        let operation = |run: &mut Run<'_>| {
            let converted = run.install(|| converted(samples.reborrow(), base.reborrow()))??;
            let queries = converted.as_ref().map_or(samples.reborrow(), OwnedSamples::samples);
            self.predict(model, labelling, [queries, base.reborrow()], &tree, run)
        };
        let threads = match &tree {
            // To make it, and its labels.
            Tree::Due(_) => usize::MAX,
            Tree::Made(made) => match self.certainty && made.labels(self.labelling).is_none() {
                true => usize::MAX,
                false => samples.len().div_ceil(FEW_QUERIES),
            },
            Tree::None => match base.sparse() {
                Some(base) => threads_beside(samples.len(), [1, base.values()]),
                None => threads_beside(samples.len(), [base.len(), base.features()]),
            },
        };
        match threads == 1 && self.is_of_few(model.hierarchy.metric(), &samples, &base) {
            true => run.operate_alone(operation),
            false => run.operate_on(threads, samples.len(), operation),
        }
    }

    /// True if few new samples are compared as they are, by an exact search that calls no loop of rayon's for little
    /// work.
    fn is_of_few(&self, metric: Metric, samples: &AnySamples<'_>, base: &AnySamples<'_>) -> bool {
        let [samples, base] = [samples.reborrow(), base.reborrow()];
        let (Some(queries), Some(base)) = (samples.matrix(), base.matrix()) else { return false };
        let are_bits = [&queries, &base].iter().any(|side| matches!(side, AnyMatrix::Bits(_)));
        let [queries, base] = [queries, base].map(|side| Rows::new(side, metric));
        let is_exact = !matches!(self.search, Search::Approximate | Search::Brute);
        is_exact && !are_bits && !metric.is_of_bits() && are_few(&queries, &base)
    }

    /// The tree that the samples of a model are looked up in, by so many new ones.
    fn tree_of<'m>(&self, model: &'m Model, queries: usize) -> Tree<'m> {
        let metric = model.hierarchy.metric();
        let kept = model.samples().and_then(|samples| samples.matrix());
        let rows = kept.map(|kept| Rows::new(kept, metric)).filter(Lookup::serves);
        match rows.filter(|_| self.search == Search::Auto) {
            None => Tree::None,
            Some(rows) => match model.lookup.made() {
                Some(made) => Tree::Made(made),
                None if model.lookup.is_due(queries) => Tree::Due(rows),
                None => Tree::None,
            },
        }
    }

    /// The lists of new samples by a tree; `None` where there is none, or no memory for one.
    fn look_up(
        &self,
        model: &Model,
        queries: &AnySamples<'_>,
        wanted: Wanted<'_>,
        tree: &Tree<'_>,
        run: &mut Run<'_>,
    ) -> Result<Option<Vec<Nearest>>> {
        let (Some(queries), false) = (queries.matrix(), matches!(tree, Tree::None)) else {
            return Ok(None);
        };
        let pairs = queries.len() as u64 * model.hierarchy.samples() as u64;
        run.stage(Stage::Predict, pairs, |meter| {
            let made = match tree {
                Tree::Made(made) => made,
                Tree::Due(rows) => model.lookup.make(rows, model.labellings(), meter)?,
                Tree::None => return None,
            };
            let labels = match wanted {
                Wanted::OtherLabel(labels) => made.make_labels(self.labelling, labels),
                Wanted::Nearest(_) => None,
            };
            Some(nearest_of_tree(&made.tree, &queries, wanted, labels, meter))
        })
    }

    fn predict(
        &self,
        model: &Model,
        labelling: Labelling<'_>,
        samples: [AnySamples<'_>; 2],
        tree: &Tree<'_>,
        run: &mut Run<'_>,
    ) -> Result<Prediction> {
        let metric = model.hierarchy.metric();
        let by_samples = model.samples.is_some();
        let wanted = match (self.certainty, by_samples) {
            (false, _) => Wanted::Nearest(1),
            (true, true) => Wanted::OtherLabel(labelling.labels()),
            // Each mean is a cluster.
            (true, false) => Wanted::Nearest(2),
        };
        let aim = Aim { recall: self.recall, seed: self.seed, deadline: None };
        aim.check()?;
        let [queries, base] = &samples;
        let both = [queries.reborrow(), base.reborrow()];
        let OfBase { lists: mut found, recall } =
            match self.look_up(model, queries, wanted, tree, run)? {
                Some(lists) => OfBase { lists, recall: None },
                None => nearest_of_base(metric, self.search, aim, both, wanted, run)?,
            };
        if by_samples {
            let labels = self.certainty.then(|| labelling.labels());
            run.install(|| prefer_equal(metric, [queries, base], labels, &mut found))?;
        }
        let list = if self.certainty { 2 } else { 1 };
        let lists = || found.chunks_exact(list);
        let mut alone = (0..).zip(lists()).filter(|(_, list)| list[0] == Nearest::NONE);
        if let Some((first, _)) = alone.next() {
            run.warn(Warning::NothingNear { rows: 1 + alone.count(), first });
        }
        let estimate = recall.map(|recall| recall.estimate);
        if let Some(warning) = Warning::of_recall(0, queries.len(), estimate, self.recall) {
            run.warn(warning);
        }
        // A zero row is near to nothing where the base has none; the first row will do.
        let nearest = |list: &[Nearest]| match list[0] {
            Nearest::NONE => Nearest { index: 0, ..Nearest::NONE },
            nearest => nearest,
        };
        let label = |nearest: Nearest| match by_samples {
            true => labelling.labels()[nearest.index as usize],
            false => nearest.index,
        };
        let certainty = self.certainty.then(|| Certainty {
            other_distance: collected(lists().map(|list| metric.distance(list[1].key))),
            confidence: collected(lists().map(|list| confidence(metric, list))),
        });
        Ok(Prediction {
            labels: collected(lists().map(|list| label(nearest(list)))),
            neighbor: collected(lists().map(|list| nearest(list).index)),
            distance: collected(lists().map(|list| metric.finite_distance(list[0].key))),
            certainty,
            recall,
        })
    }
}

impl Model {
    /// The clusters of new samples, M × d, in a labelling: [`Predict`] with its defaults.
    ///
    /// # Errors
    /// The errors of [`Predict::run`].
    pub fn predict<'s>(
        &self,
        samples: impl Into<AnySamples<'s>>,
        labelling: usize,
        run: &mut Run<'_>,
    ) -> Result<Prediction> {
        Predict::new(labelling).run(self, samples, run)
    }
}

/// A tree of the samples of a model.
enum Tree<'m> {
    /// There is none, and none is made.
    None,
    Made(&'m Made),
    /// One is made of these rows.
    Due(Rows<'m>),
}

/// The confidence in the first of two keys.
fn confidence(metric: Metric, list: &[Nearest]) -> f64 {
    let [squared, of_other] = [list[0].key, list[1].key].map(|key| metric.squared(key));
    if squared == of_other {
        // Also where both are 0.
        return 0.5;
    }
    1.0 / (1.0 + (squared / of_other).powf(Predict::SHARPNESS / 2.0))
}

/// A copy of new samples in the kind that they are compared in, where that is another.
///
/// # Errors
/// [`Error::ElementType`] where the type of the base does not hold every value exactly;
/// [`Error::NeedsDense`] for sparse samples beside dense ones, [`Error::NotBinary`] beside bits.
pub(super) fn converted(
    samples: AnySamples<'_>,
    base: AnySamples<'_>,
) -> Result<Option<OwnedSamples>> {
    if let (Kind::Dense(matrix), Some(AnyMatrix::Bits(_))) = (samples.0, base.matrix()) {
        let packed = AnyArray::Bits(matrix.packed("a model of bits")?);
        return Ok(Some(OwnedSamples::Dense(packed)));
    }
    let (found, expected) = (samples.element(), base.element());
    if !expected.holds(found) {
        let (expected, found) = (expected.name(), found.name());
        return Err(Error::ElementType { expected, found });
    }
    match (samples.0, base.0) {
        (Kind::Sparse(_), Kind::Dense(_)) => {
            Err(Error::NeedsDense { what: "a model of dense samples" })
        }
        (Kind::Dense(matrix), Kind::Sparse(_)) => {
            Ok(Some(OwnedSamples::Sparse(SparseMatrix::of_dense(matrix, expected))))
        }
        // Values are compared in f64, whatever their type. An approximate search, which takes one type,
        // converts the copy that it takes anyway.
        _ => Ok(None),
    }
}

/// The clusters of M new samples in one labelling, and how sure they are.
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub struct Prediction {
    /// The cluster of each new sample: M numbers from 0 to C − 1, or [`Labels::NOISE`](crate::Labels::NOISE)
    /// where the nearest kept sample is noise. Under cosine, of a new sample of zeros that of the kept
    /// samples of zeros; where there are none, no cluster is near, and it is that of sample 0, or mean 0, at
    /// the distance 2, and [`Run::warnings`] says so ([`Warning::NothingNear`]).
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
    /// the new sample's own, for which noise counts as one, in the metric's unit. Infinite if there is no other cluster.
    pub other_distance: Vec<f64>,
    /// About the share of labels that are right among labels of this confidence: numbers from ½, where
    /// both distances are equal, to 1. See [`Predict`] for the definition.
    pub confidence: Vec<f64>,
}
