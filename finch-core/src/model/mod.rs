//! A model: what a clustering leaves to keep, to save, and to label new samples by.
//!
//! - This file has the model itself.
//! - `means.rs`: the means of all labellings, and the kept samples.
//! - `predict.rs`: the cluster of new samples. `lookup.rs`: a tree of the kept samples, for few features.
//!   `extend.rs`: more samples for a model.
//! - `file/`: the file of a model. `file/format.rs`: the format, as a page of documentation, and
//!   its constants. `file/write.rs`: from a model to bytes. `file/read.rs`: from bytes to a model
//!   (`file/tensor.rs`: one tensor), once `file/check.rs` has checked what they say.
//!   `file/levels.rs`: searches as numbers, both ways.

mod extend;
mod file;
mod lookup;
mod means;
mod predict;

pub use self::predict::{Certainty, Predict, Prediction};

use std::sync::Arc;

use self::lookup::Lookup;
use self::means::Means;

use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::partition::Partition;
use crate::partition::labels::Labels;
use crate::partition::renaming::{Renaming, renamed};
use crate::run::Run;
use crate::samples::element::ElementType;
use crate::samples::owned::OwnedSamples;
use crate::samples::sparse::SparseMatrix;
use crate::samples::{AnySamples, Kind};
use crate::support::memory::{caught, copied};

/// A clustering to keep: a hierarchy, labellings that were refined from it, the means of all clusters,
/// and, if asked for, the samples.
///
/// A model labels new samples ([`Model::predict`]), and goes into bytes and back
/// ([`Model::to_bytes`], [`Model::from_bytes`]). Its *labellings* are numbered from 0: first the P
/// partitions of the hierarchy, finest first, then the R refined labellings.
///
/// ```
/// use finch_core::{Finch, Model, Refine, Run, Samples};
/// use ndarray::array;
///
/// let points = array![[0.0], [1.0], [10.0], [11.0], [20.0], [21.0]];
/// let samples = Samples::new(points.view())?;
/// let hierarchy = Finch::new().fit(&samples)?;
/// let two = Refine::new(2).run(&samples, &hierarchy)?;
///
/// let run = &mut Run::new();
/// let model = Model::new(hierarchy, &samples, vec![two.into()], run)?.keep_samples(&samples)?;
/// assert_eq!((model.labellings(), model.labelling(1)?.clusters()), (2, 2));
///
/// let new = array![[19.0], [2.0]];
/// let prediction = model.predict(&Samples::new(new.view())?, 0, run)?;
/// assert_eq!(prediction.labels, [2, 0]);
///
/// assert_eq!(Model::from_bytes(&model.to_bytes()?)?, model);
/// # Ok::<(), finch_core::Error>(())
/// ```
///
/// A model has its own copy of the samples, and shares the hierarchy. Where it keeps 2,048 samples or more of up to 8
/// features, under Euclidean or Manhattan, predictions make a tree of them, once, which the model keeps beside them
/// and does not save: 10d + 5 bytes for each sample, and half a byte more for each labelling that was asked for. While
/// it is made, it takes twice as much. Two models are equal if their
/// hierarchies, refined labellings, means, kept samples and notes are.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    hierarchy: Arc<Hierarchy>,
    refined: Vec<Labels>,
    /// The type of the samples; `None` where there were none.
    element: Option<ElementType>,
    /// The means of all labellings.
    means: Means,
    /// The samples, N × d, if they are kept: dense where the means are, and else sparse.
    samples: Option<OwnedSamples>,
    /// The bytes that the caller wants to keep beside.
    notes: Option<Vec<u8>>,
    /// A tree of the kept samples, which copies of the model share.
    lookup: Arc<Lookup>,
}

impl Model {
    /// A model of the `samples` that were clustered, N × d, without a copy of them. `refined` are
    /// labellings of these samples beside the partitions, such as [`Refine`](crate::Refine) makes, or with noise
    /// [`Noise`](crate::Noise): noise has no mean, and a new sample is noise where the nearest kept sample is. The means
    /// of [`SparseSamples`](crate::SparseSamples) are sparse: of each labelling, they have no more values than
    /// the samples.
    ///
    /// # Errors
    /// - [`Error::SampleCount`], [`Error::FeatureCount`]: the hierarchy or a labelling was made from
    ///   another number of samples, or of features.
    /// - [`Error::AllNoise`]: a labelling has no cluster.
    /// - [`Error::InvalidTimes`]: the hierarchy was made with times, which a model does not keep.
    /// - [`Error::Threads`], [`Error::OutOfMemory`].
    pub fn new<'s>(
        hierarchy: impl Into<Arc<Hierarchy>>,
        samples: impl Into<AnySamples<'s>>,
        refined: Vec<Labels>,
        run: &mut Run<'_>,
    ) -> Result<Self> {
        Self::of_any(hierarchy.into(), samples.into(), refined, run)
    }

    fn of_any(
        hierarchy: Arc<Hierarchy>,
        samples: AnySamples<'_>,
        refined: Vec<Labels>,
        run: &mut Run<'_>,
    ) -> Result<Self> {
        hierarchy.expect_samples(samples)?;
        hierarchy.expect_untimed("a model")?;
        expect_labels(&hierarchy, &refined)?;
        let means = run.operate(samples.len(), |run| {
            run.install(|| {
                let weights = hierarchy.checked_weights();
                Means::of(samples, weights, hierarchy.partitions(), &refined, hierarchy.metric())
            })
        })?;
        let element = Some(samples.element());
        let lookup = Arc::default();
        Ok(Self { hierarchy, refined, element, means, samples: None, notes: None, lookup })
    }

    /// A model of a hierarchy that was made without samples, from neighbours or distances alone. It
    /// has no means, and cannot predict.
    ///
    /// # Errors
    /// [`Error::NeedsSamples`] if the hierarchy was made from samples; [`Error::SampleCount`],
    /// [`Error::AllNoise`], as in [`Model::new`].
    pub fn without_features(
        hierarchy: impl Into<Arc<Hierarchy>>,
        refined: Vec<Labels>,
    ) -> Result<Self> {
        let hierarchy = hierarchy.into();
        if hierarchy.features() > 0 {
            let what = "a model of a hierarchy that was made from samples";
            return Err(Error::NeedsSamples { what });
        }
        expect_labels(&hierarchy, &refined)?;
        let of_partitions = hierarchy.partitions().iter().map(Partition::clusters);
        let clusters = of_partitions.chain(refined.iter().map(Labels::clusters)).sum();
        let means = Means::of_no_features(clusters);
        let (samples, notes, lookup) = (None, None, Arc::default());
        Ok(Self { hierarchy, refined, element: None, means, samples, notes, lookup })
    }

    /// The same model with a copy of the samples that it was made from, N × d, so that it predicts
    /// by the nearest sample.
    ///
    /// # Errors
    /// [`Error::SampleCount`], [`Error::FeatureCount`], [`Error::ElementType`] for samples of
    /// another shape or type than the model was made from, [`Error::NeedsDense`] for sparse samples where
    /// the model was made from dense ones; [`Error::OutOfMemory`].
    pub fn keep_samples<'s>(self, samples: impl Into<AnySamples<'s>>) -> Result<Self> {
        let samples = samples.into();
        self.hierarchy.expect_samples(samples)?;
        let found = samples.element();
        if let Some(expected) = self.element.filter(|expected| *expected != found) {
            let (expected, found) = (expected.name(), found.name());
            return Err(Error::ElementType { expected, found });
        }
        let copy = caught(|| {
            Ok(match (samples.0, self.means.are_sparse()) {
                (Kind::Dense(matrix), true) => {
                    OwnedSamples::Sparse(SparseMatrix::of_dense(matrix, found))
                }
                (Kind::Sparse(_), false) => {
                    return Err(Error::NeedsDense { what: "a model of dense samples" });
                }
                _ => OwnedSamples::of(samples),
            })
        })?;
        Ok(Self { samples: Some(copy), lookup: Arc::default(), ..self })
    }

    /// The same model without its copy of the samples: smaller, and it predicts by the nearest mean.
    pub fn forget_samples(self) -> Self {
        Self { samples: None, lookup: Arc::default(), ..self }
    }

    /// The same model with bytes of the caller's own, which are saved with it: such as how the samples
    /// were made of a table. No bytes are no notes.
    pub fn with_notes(self, notes: Vec<u8>) -> Self {
        Self { notes: Some(notes).filter(|notes| !notes.is_empty()), ..self }
    }

    /// The bytes that [`Model::with_notes`] was given.
    pub fn notes(&self) -> Option<&[u8]> {
        self.notes.as_deref()
    }

    /// The hierarchy.
    pub fn hierarchy(&self) -> &Arc<Hierarchy> {
        &self.hierarchy
    }

    /// The kept samples, N × d: of the kind that the model was made from. Dense ones have rows that follow
    /// each other.
    pub fn samples(&self) -> Option<AnySamples<'_>> {
        self.samples.as_ref().map(OwnedSamples::samples)
    }

    /// The element type of the samples that the model was made from; `None` where there were none.
    pub fn element(&self) -> Option<ElementType> {
        self.element
    }

    /// The labellings that are no partition of the hierarchy.
    pub fn refined(&self) -> &[Labels] {
        &self.refined
    }

    /// The number of labellings: P partitions and R refined labellings.
    pub fn labellings(&self) -> usize {
        self.hierarchy.partitions().len() + self.refined.len()
    }

    /// A labelling by its number: the partitions of the hierarchy first, finest first.
    ///
    /// # Errors
    /// [`Error::NoSuchLabelling`].
    pub fn labelling(&self, labelling: usize) -> Result<Labelling<'_>> {
        let missing = Error::NoSuchLabelling { labelling, labellings: self.labellings() };
        self.all_labellings().nth(labelling).ok_or(missing)
    }

    /// The mean of each cluster of a labelling, C × d, as [`Partition::means`] gives them, none for noise: in f64 for
    /// samples of f64, and else in f32; sparse where the samples were.
    ///
    /// # Errors
    /// [`Error::NoSuchLabelling`].
    pub fn means(&self, labelling: usize) -> Result<AnySamples<'_>> {
        let clusters = self.labelling(labelling)?.clusters();
        let first = self.all_labellings().take(labelling).map(Labelling::clusters).sum::<usize>();
        Ok(self.means.of_labelling(labelling, first..first + clusters))
    }

    fn all_labellings(&self) -> impl Iterator<Item = Labelling<'_>> {
        let partitions = self.hierarchy.partitions().iter().map(Labelling::from);
        partitions.chain(self.refined.iter().map(Labelling::from))
    }
}

/// Labels that are lent, by a model for one: those of a partition, or labels in which samples may be noise.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Labelling<'m> {
    labels: &'m [u32],
    clusters: usize,
}

impl<'m> Labelling<'m> {
    /// The label of each sample: N numbers from 0 to C − 1, or [`Labels::NOISE`].
    pub fn labels(self) -> &'m [u32] {
        self.labels
    }

    /// The number of clusters, C. Noise is none.
    pub fn clusters(self) -> usize {
        self.clusters
    }

    /// The number of samples, N.
    pub fn samples(self) -> usize {
        self.labels.len()
    }

    /// The number of samples in each cluster: C numbers that add up to N less the noise.
    pub fn sizes(self) -> Vec<usize> {
        let mut sizes = vec![0; self.clusters];
        for &label in self.labels.iter().filter(|&&label| label != Labels::NOISE) {
            sizes[label as usize] += 1;
        }
        sizes
    }

    /// [`Labels::named_after`].
    ///
    /// # Errors
    /// The errors of [`Labels::named_after`].
    pub fn named_after(self, old: Labelling<'_>) -> Result<Renaming> {
        renamed([self.labels, old.labels], [self.clusters, old.clusters])
    }

    /// A copy of the labels.
    pub fn to_labels(self) -> Labels {
        Labels::of_parts(copied(self.labels), self.clusters)
    }
}

impl<'m> From<&'m Partition> for Labelling<'m> {
    fn from(partition: &'m Partition) -> Self {
        Self { labels: partition.labels(), clusters: partition.clusters() }
    }
}

impl<'m> From<&'m Labels> for Labelling<'m> {
    fn from(labels: &'m Labels) -> Self {
        Self { labels: labels.labels(), clusters: labels.clusters() }
    }
}

/// Checks that labellings are of the samples of a hierarchy, and have clusters.
fn expect_labels(hierarchy: &Hierarchy, refined: &[Labels]) -> Result<()> {
    let expected = hierarchy.samples();
    for labels in refined {
        let found = labels.samples();
        if found != expected {
            return Err(Error::SampleCount { expected, found });
        }
        if labels.clusters() == 0 {
            return Err(Error::AllNoise { what: "a model" });
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::{Finch, Samples};

    /// As neighbours or distances alone leave it.
    #[test]
    fn a_model_without_features_comes_back_and_cannot_predict() {
        let matrix = array![[0.0], [1.0], [5.0], [6.0]];
        let samples = Samples::new(matrix.view()).unwrap();
        let made = Finch::new().fit(&samples).unwrap();
        let (partitions, levels) = (made.partitions().to_vec(), made.levels().to_vec());
        let first = made.first_neighbors().clone();
        let hierarchy = Hierarchy::new(partitions, first, levels, made.query(), 0);
        let refined = vec![Labels::new(&[Some(0), None, Some(1), Some(1)]).unwrap()];
        let model = Model::without_features(hierarchy, refined).unwrap();
        assert_eq!(Model::from_bytes(&model.to_bytes().unwrap()), Ok(model.clone()));
        assert_eq!(model.element(), None);
        let predicted = model.predict(&samples, 0, &mut Run::new());
        assert_eq!(predicted, Err(Error::NeedsSamples { what: "prediction" }));
        let means = model.means(0).unwrap();
        assert_eq!((means.len(), means.features()), (2, 0));
    }
}
