//! More samples for a hierarchy that stands.

use std::iter;

use crate::error::{Error, Result};
use crate::finch::Finch;
use crate::former::Former;
use crate::hierarchy::Hierarchy;
use crate::memory::{caught, gathered};
use crate::run::Run;
use crate::samples::AnySamples;
use crate::weights::Weights;

impl Finch {
    /// Clusters samples of which the first N were clustered before: with the same options, the result
    /// is what [`Finch::fit`] gives for all N + M samples, bit for bit, where searches are exact. Of
    /// the first level, the part that takes longest, only pairs with a new sample are compared:
    /// N·M + M² / 2 in place of (N + M)² / 2. Of later levels, only pairs of means are, of which one is
    /// that of a cluster that has changed, or whose nearest mean was; but all of a hierarchy that comes
    /// from a file, which has not kept the neighbours of means. Not in the paper.
    ///
    /// `samples` are all N + M samples (× d features), those of `hierarchy` first. The metric is that
    /// of the hierarchy, whatever [`Finch::metric`] says. Neighbours that the hierarchy has kept are
    /// extended, too, where it has kept as many as are asked for; otherwise, and where the caller gave
    /// first neighbours, all samples are searched anew. Where an approximate search found the
    /// neighbours of the first samples, what it missed stays missed, and new samples are compared
    /// with all, exactly.
    ///
    /// If the first samples have weights, they keep them, and new samples weigh 1.
    ///
    /// To keep the names that clusters had, see [`Partition::named_after`](crate::Partition::named_after).
    ///
    /// ```
    /// use finch_core::{Finch, Run, Samples};
    /// use ndarray::{array, s};
    ///
    /// let points = array![[0.0], [1.0], [10.0], [11.0], [0.5], [30.0], [31.0]];
    /// let before = Samples::new(points.slice(s![..4, ..]))?;
    /// let hierarchy = Finch::new().fit(&before)?;
    /// let all = Samples::new(points.view())?;
    /// let extended = Finch::new().extend(&hierarchy, &all, &mut Run::new())?;
    /// assert_eq!(extended, Finch::new().fit(&all)?);
    /// # Ok::<(), finch_core::Error>(())
    /// ```
    ///
    /// # Errors
    /// [`Error::SampleCount`] for fewer samples than the hierarchy has, [`Error::FeatureCount`] for
    /// another number of features, [`Error::InvalidTimes`] for a hierarchy that was made with times, and those
    /// of [`Finch::fit_with`].
    pub fn extend<'s>(
        &self,
        hierarchy: &Hierarchy,
        samples: impl Into<AnySamples<'s>>,
        run: &mut Run<'_>,
    ) -> Result<Hierarchy> {
        let samples = samples.into();
        match hierarchy.weights() {
            None => self.extend_by(hierarchy, samples, None, run),
            Some(weights) => {
                let all = weights.iter().copied().chain(iter::repeat(1.0)).take(samples.len());
                let all: Vec<f64> = caught(|| Ok(gathered(all)))?;
                self.extend_by(hierarchy, samples, Some(&all), run)
            }
        }
    }

    /// [`Finch::extend`], as [`Finch::fit_weighted`] clusters: all N + M samples have weights, which
    /// need not be those that the first N samples had.
    ///
    /// # Errors
    /// The errors of [`Finch::extend`] and of [`Finch::fit_weighted`].
    pub fn extend_weighted<'s>(
        &self,
        hierarchy: &Hierarchy,
        samples: impl Into<AnySamples<'s>>,
        weights: &[f64],
        run: &mut Run<'_>,
    ) -> Result<Hierarchy> {
        self.extend_by(hierarchy, samples.into(), Some(weights), run)
    }

    fn extend_by(
        &self,
        hierarchy: &Hierarchy,
        samples: AnySamples<'_>,
        weights: Option<&[f64]>,
        run: &mut Run<'_>,
    ) -> Result<Hierarchy> {
        hierarchy.expect_untimed("extending a hierarchy")?;
        let (expected, found) = (hierarchy.samples(), samples.len());
        if found < expected {
            return Err(Error::SampleCount { expected, found });
        }
        let (expected, found) = (hierarchy.features(), samples.features());
        if found != expected {
            return Err(Error::FeatureCount { expected, found });
        }
        run.operate(samples.len(), |run| {
            let weights =
                weights.map(|weights| Weights::new(weights, samples.len())).transpose()?;
            let this = self.metric(hierarchy.metric());
            this.cluster(samples, weights, Some(&Former::new(hierarchy)), run)
        })
    }
}
