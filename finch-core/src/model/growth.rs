//! More samples for a model.

use super::Model;
use super::predict::expect_held;
use crate::element::{AnyMatrix, Element, with_matrix};
use crate::error::{Error, Result};
use crate::finch::Finch;
use crate::memory::{caught, copied};
use crate::run::Run;
use crate::samples::Samples;

impl Model {
    /// A model of the kept samples and M new ones, M × d, of the type of the kept samples or a narrower
    /// one: [`Finch::extend`] with these options. It keeps all samples and the notes, and has no
    /// refined labellings, which were of fewer samples.
    ///
    /// # Errors
    /// [`Error::NeedsSamples`] if the model does not keep its samples; [`Error::ElementType`] where new
    /// samples would have to be rounded; [`Error::TooManySamples`]; those of [`Finch::extend`].
    pub fn extend<A: Element>(
        &self,
        finch: &Finch,
        samples: &Samples<'_, A>,
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
        let new = AnyMatrix::from(*samples);
        expect_held(&new, &kept)?;
        let all = caught(|| Ok(AnyMatrix::stacked([kept.reborrow(), new.reborrow()])))?;
        let model = with_matrix!(all.view(), matrix => {
            let samples = Samples::checked(matrix);
            let hierarchy = finch.extend(&self.hierarchy, &samples, run)?;
            Self::new(hierarchy, &samples, Vec::new(), run)?
        });
        let notes = caught(|| Ok(self.notes().map(copied)))?;
        Ok(Self { samples: Some(all), notes, ..model })
    }
}
