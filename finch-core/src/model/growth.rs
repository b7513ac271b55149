//! More samples for a model.

use ndarray::{Array2, ArrayView2};

use super::Model;
use super::predict::converted;
use crate::element::{AnyArray, AnyMatrix, Element};
use crate::error::{Error, Result};
use crate::finch::Finch;
use crate::memory::{caught, copied, room};
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
        let copy = caught(|| converted(samples, kept))?;
        let new = copy.as_ref().map_or(A::any(samples.matrix()), AnyArray::view);
        match (kept, new) {
            (AnyMatrix::F64(kept), AnyMatrix::F64(new)) => self.grown(finch, [kept, new], run),
            (AnyMatrix::F32(kept), AnyMatrix::F32(new)) => self.grown(finch, [kept, new], run),
            (AnyMatrix::U8(kept), AnyMatrix::U8(new)) => self.grown(finch, [kept, new], run),
            _ => unreachable!("new samples were converted to the type of the kept ones"),
        }
    }

    fn grown<A: Element>(
        &self,
        finch: &Finch,
        parts: [ArrayView2<'_, A>; 2],
        run: &mut Run<'_>,
    ) -> Result<Self> {
        let shape = (parts.iter().map(|part| part.nrows()).sum(), parts[0].ncols());
        let values = caught(|| {
            let mut values = room(shape.0 * shape.1);
            for part in parts {
                values.extend(part.iter().copied());
            }
            Ok(values)
        })?;
        let matrix = Array2::from_shape_vec(shape, values).expect("rows have one length");
        let samples = Samples::checked(matrix.view());
        let hierarchy = finch.extend(&self.hierarchy, &samples, run)?;
        let model = Self::new(hierarchy, &samples, Vec::new(), run)?;
        let notes = caught(|| Ok(self.notes().map(copied)))?;
        Ok(Self { samples: Some(AnyArray::of(matrix)), notes, ..model })
    }
}
