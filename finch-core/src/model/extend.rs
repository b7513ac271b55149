//! More samples for a model.

use super::Model;
use super::predict::converted;
use crate::error::{Error, Result};
use crate::fit::Finch;
use crate::run::Run;
use crate::samples::AnySamples;
use crate::samples::owned::OwnedSamples;
use crate::support::memory::{caught, copied};

impl Model {
    /// A model of the kept samples and M new ones, M × d, of the type of the kept samples or a narrower
    /// one: [`Finch::extend`] with these options. It keeps all samples and the notes, and has no
    /// refined labellings, which were of fewer samples.
    ///
    /// # Errors
    /// [`Error::NeedsSamples`] if the model does not keep its samples; [`Error::ElementType`] where new
    /// samples would have to be rounded; [`Error::NeedsDense`] for sparse samples beside dense ones;
    /// [`Error::TooManySamples`]; those of [`Finch::extend`].
    pub fn extend<'s>(
        &self,
        finch: &Finch,
        samples: impl Into<AnySamples<'s>>,
        run: &mut Run<'_>,
    ) -> Result<Self> {
        self.extend_any(finch, samples.into(), run)
    }

    fn extend_any(
        &self,
        finch: &Finch,
        samples: AnySamples<'_>,
        run: &mut Run<'_>,
    ) -> Result<Self> {
        let Some(kept) = self.samples() else {
            return Err(Error::NeedsSamples { what: "extending a model" });
        };
        let (expected, found) = (self.hierarchy.features(), samples.features());
        if found != expected {
            return Err(Error::FeatureCount { expected, found });
        }
        let count = self.hierarchy.samples() + samples.len();
        if i32::try_from(count).is_err() {
            return Err(Error::TooManySamples { samples: count });
        }
        let all = run.operate(count, |run| {
            run.install(|| {
                let copy = converted(samples, kept)?;
                let new = copy.as_ref().map_or(samples.reborrow(), OwnedSamples::samples);
                Ok(OwnedSamples::stacked([kept.reborrow(), new]))
            })?
        })?;
        let hierarchy = finch.extend(&self.hierarchy, all.samples(), run)?;
        let model = Self::new(hierarchy, all.samples(), Vec::new(), run)?;
        let notes = caught(|| Ok(self.notes().map(copied)))?;
        Ok(Self { samples: Some(all), notes, ..model })
    }
}
