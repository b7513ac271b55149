//! A model: what a clustering leaves to keep, to save, and to label new samples by.
//!
//! - This file has the model itself.
//! - `format.rs`: the format in which a model is saved, as a page of documentation, and its constants.
//! - `write.rs`: from a model to bytes. `read.rs`: from bytes to a model, once `sound.rs` has checked
//!   what they say. `levels.rs`: searches as numbers, both ways.
//! - `growth.rs`: more samples for a model.
//! - `predict.rs`: the cluster of new samples; `prediction.rs`: what it gives back.

mod format;
mod growth;
mod levels;
mod predict;
mod prediction;
mod read;
mod sound;
mod write;

use std::sync::Arc;

use ndarray::{Array2, s};

pub use self::predict::Predict;
pub use self::prediction::{Certainty, Prediction};
use crate::element::{AnyArray, AnyMatrix, Element, ElementType};
use crate::error::{Error, Result};
use crate::hierarchy::Hierarchy;
use crate::means::{LevelMeans, means};
use crate::memory::{caught, room};
use crate::partition::Partition;
use crate::run::Run;
use crate::samples::Samples;

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
/// let model = Model::new(hierarchy, &samples, vec![two], run)?.keep_samples(&samples)?;
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
/// A model has its own copy of the samples, and shares the hierarchy. Two models are equal if their
/// hierarchies, refined labellings, means, kept samples and notes are.
#[derive(Clone, Debug, PartialEq)]
pub struct Model {
    hierarchy: Arc<Hierarchy>,
    refined: Vec<Partition>,
    /// The type of the samples; `None` where there were none.
    element: Option<ElementType>,
    /// The means of all labellings, one below the other: ΣC × d.
    means: AnyArray,
    /// The samples, N × d, if they are kept.
    samples: Option<AnyArray>,
    /// What the caller wants to keep beside.
    notes: Option<Vec<u8>>,
}

impl Model {
    /// A model of the `samples` that were clustered, N × d, without a copy of them. `refined` are
    /// labellings of these samples beside the partitions, such as [`Refine`](crate::Refine) makes.
    ///
    /// # Errors
    /// - [`Error::SampleCount`], [`Error::FeatureCount`]: the hierarchy or a labelling was made from
    ///   another number of samples, or of features.
    /// - [`Error::InvalidTimes`]: the hierarchy was made with times, which a model does not keep.
    /// - [`Error::Threads`], [`Error::OutOfMemory`].
    pub fn new<A: Element>(
        hierarchy: impl Into<Arc<Hierarchy>>,
        samples: &Samples<'_, A>,
        refined: Vec<Partition>,
        run: &mut Run<'_>,
    ) -> Result<Self> {
        let hierarchy = hierarchy.into();
        hierarchy.expect_samples(samples)?;
        hierarchy.expect_untimed("a model")?;
        expect_labels(&hierarchy, &refined)?;
        let means = run.operate(samples.len(), |run| {
            run.install(|| {
                let all = || hierarchy.partitions().iter().chain(&refined);
                let clusters = all().map(Partition::clusters).sum::<usize>();
                let mut rows: Vec<A::Mean> = room(clusters * samples.features());
                let weights = hierarchy.checked_weights();
                let partitions = hierarchy.partitions();
                let mut levels = LevelMeans::default();
                for count in 1..=partitions.len() {
                    rows.extend(levels.of_last(samples, weights, &partitions[..count]));
                }
                refined.iter().for_each(|labels| rows.extend(means(samples, weights, labels)));
                Array2::from_shape_vec((clusters, samples.features()), rows)
                    .expect("a row for each cluster of each labelling")
            })
        })?;
        let means = AnyArray::of(means);
        Ok(Self { hierarchy, refined, element: Some(A::TYPE), means, samples: None, notes: None })
    }

    /// A model of a hierarchy that was made without samples, from neighbours or distances alone. It
    /// has no means, and cannot predict.
    ///
    /// # Errors
    /// [`Error::NeedsSamples`] if the hierarchy was made from samples; [`Error::SampleCount`], as in
    /// [`Model::new`].
    pub fn without_features(
        hierarchy: impl Into<Arc<Hierarchy>>,
        refined: Vec<Partition>,
    ) -> Result<Self> {
        let hierarchy = hierarchy.into();
        if hierarchy.features() > 0 {
            let what = "a model of a hierarchy that was made from samples";
            return Err(Error::NeedsSamples { what });
        }
        expect_labels(&hierarchy, &refined)?;
        let clusters = hierarchy.partitions().iter().chain(&refined).map(Partition::clusters).sum();
        let means = AnyArray::F64(Array2::zeros((clusters, 0)));
        Ok(Self { hierarchy, refined, element: None, means, samples: None, notes: None })
    }

    /// The same model with a copy of the samples that it was made from, N × d, so that it predicts
    /// by the nearest sample.
    ///
    /// # Errors
    /// [`Error::SampleCount`], [`Error::FeatureCount`], [`Error::ElementType`] for samples of
    /// another shape or type than the model was made from; [`Error::OutOfMemory`].
    pub fn keep_samples<A: Element>(self, samples: &Samples<'_, A>) -> Result<Self> {
        self.hierarchy.expect_samples(samples)?;
        if let Some(expected) = self.element.filter(|expected| *expected != A::TYPE) {
            let (expected, found) = (expected.name(), A::TYPE.name());
            return Err(Error::ElementType { expected, found });
        }
        let copy = caught(|| Ok(samples.copied()))?;
        Ok(Self { samples: Some(AnyArray::of(copy)), ..self })
    }

    /// The same model without its copy of the samples: smaller, and it predicts by the nearest mean.
    pub fn forget_samples(self) -> Self {
        Self { samples: None, ..self }
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

    /// The kept samples, N × d, in rows that follow each other.
    pub fn samples(&self) -> Option<AnyMatrix<'_>> {
        self.samples.as_ref().map(AnyArray::view)
    }

    /// The element type of the samples that the model was made from; `None` where there were none.
    pub fn element(&self) -> Option<ElementType> {
        self.element
    }

    /// The labellings that are no partition of the hierarchy.
    pub fn refined(&self) -> &[Partition] {
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
    pub fn labelling(&self, labelling: usize) -> Result<&Partition> {
        let missing = Error::NoSuchLabelling { labelling, labellings: self.labellings() };
        self.all_labellings().nth(labelling).ok_or(missing)
    }

    /// The mean of each cluster of a labelling, C × d, as [`Partition::means`] gives them: in f64 for
    /// samples of f64, and else in f32.
    ///
    /// # Errors
    /// [`Error::NoSuchLabelling`].
    pub fn means(&self, labelling: usize) -> Result<AnyMatrix<'_>> {
        let clusters = self.labelling(labelling)?.clusters();
        let first = self.all_labellings().take(labelling).map(Partition::clusters).sum::<usize>();
        let rows = s![first..first + clusters, ..];
        Ok(match self.means.view() {
            AnyMatrix::F64(means) => AnyMatrix::F64(means.slice_move(rows)),
            AnyMatrix::F32(means) => AnyMatrix::F32(means.slice_move(rows)),
            AnyMatrix::U8(_) => unreachable!("means are no bytes"),
        })
    }

    fn all_labellings(&self) -> impl Iterator<Item = &Partition> {
        self.hierarchy.partitions().iter().chain(&self.refined)
    }
}

/// Checks that labellings are of the samples of a hierarchy.
fn expect_labels(hierarchy: &Hierarchy, refined: &[Partition]) -> Result<()> {
    let expected = hierarchy.samples();
    match refined.iter().map(Partition::samples).find(|found| *found != expected) {
        None => Ok(()),
        Some(found) => Err(Error::SampleCount { expected, found }),
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;
    use crate::Finch;

    /// As neighbours or distances alone leave it.
    #[test]
    fn a_model_without_features_comes_back_and_cannot_predict() {
        let matrix = array![[0.0], [1.0], [5.0], [6.0]];
        let samples = Samples::new(matrix.view()).unwrap();
        let made = Finch::new().fit(&samples).unwrap();
        let (partitions, levels) = (made.partitions().to_vec(), made.levels().to_vec());
        let first = made.first_neighbors().clone();
        let hierarchy = Hierarchy::new(partitions, first, None, levels, made.query(), 0);
        let refined = vec![Partition::new(&[0, 1, 1, 1]).unwrap()];
        let model = Model::without_features(hierarchy, refined).unwrap();
        assert_eq!(Model::from_bytes(&model.to_bytes().unwrap()), Ok(model.clone()));
        assert_eq!(model.element(), None);
        let predicted = model.predict(&samples, 0, &mut Run::new());
        assert_eq!(predicted, Err(Error::NeedsSamples { what: "prediction" }));
        let Ok(AnyMatrix::F64(means)) = model.means(0) else { panic!("means of no features") };
        assert_eq!(means.dim(), (2, 0));
    }
}
