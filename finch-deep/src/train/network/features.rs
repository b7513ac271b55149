//! Samples as the network takes them.

use finch_core::{Element, Samples};
use ndarray::ArrayView2;

use super::preparation::Preparation;
use crate::data::Matrix;
use crate::train::config::Config;

/// A view of samples in the type and order of the caller, of which batches are made one at a time:
/// the data is never copied as a whole.
pub(in crate::train) struct Features<'a> {
    matrix: Matrix<'a>,
    preparation: Preparation,
}

/// Runs a statement with the view, whatever its type.
macro_rules! each {
    ($matrix:expr, $view:ident => $body:expr) => {
        match $matrix {
            $crate::data::Matrix::F64($view) => $body,
            $crate::data::Matrix::F32($view) => $body,
            $crate::data::Matrix::U8($view) => $body,
        }
    };
}
pub(in crate::train) use each;

/// Where the preparation of samples comes from.
pub(in crate::train) enum Prepare<'c> {
    /// The samples, as a configuration asks for.
    As(&'c Config),
    /// The samples of an earlier run.
    By(Preparation),
}

impl<'a> Features<'a> {
    /// Looks at samples that will be prepared by what `preparation` makes of them.
    ///
    /// # Errors
    /// The errors of [`Samples::new`].
    pub(in crate::train) fn new(
        matrix: Matrix<'a>,
        prepare: Prepare<'_>,
    ) -> finch_core::Result<Self> {
        let preparation = each!(&matrix, view => {
            Samples::new(view.view())?;
            match prepare {
                Prepare::As(config) => Preparation::of(view.view(), config),
                Prepare::By(preparation) => preparation,
            }
        });
        Ok(Self { matrix, preparation })
    }

    /// The samples as they are.
    pub(in crate::train) fn matrix(&self) -> &Matrix<'a> {
        &self.matrix
    }

    /// The preparation of samples for the network.
    pub(in crate::train) fn preparation(&self) -> &Preparation {
        &self.preparation
    }

    /// The number of samples, N.
    pub(in crate::train) fn samples(&self) -> usize {
        each!(&self.matrix, view => view.nrows())
    }

    /// The number of features, d.
    pub(in crate::train) fn features(&self) -> usize {
        each!(&self.matrix, view => view.ncols())
    }

    /// Copies rows, prepared, into B × d values.
    pub(in crate::train) fn batch(&self, rows: &[usize]) -> Vec<f32> {
        let mut batch = vec![0.0; rows.len() * self.features()];
        each!(&self.matrix, view => copy(view.view(), rows, &self.preparation, &mut batch));
        batch
    }

    /// A checksum of the values, in the order of rows. It does not depend on the memory layout.
    pub(in crate::train) fn checksum(&self) -> u32 {
        each!(&self.matrix, view => checksum(view.view()))
    }
}

fn copy<A: Element>(
    view: ArrayView2<'_, A>,
    rows: &[usize],
    preparation: &Preparation,
    batch: &mut [f32],
) {
    for (to, &row) in batch.chunks_exact_mut(view.ncols()).zip(rows) {
        preparation.apply(view.row(row), to);
    }
}

fn checksum<A: Element>(view: ArrayView2<'_, A>) -> u32 {
    let mut hasher = crc32fast::Hasher::new();
    let mut bytes = Vec::with_capacity(view.ncols() * size_of::<f64>());
    for row in view.rows() {
        bytes.clear();
        bytes.extend(row.iter().flat_map(|x| x.to_f64().to_le_bytes()));
        hasher.update(&bytes);
    }
    hasher.finalize()
}
