//! Samples as the network takes them.

use finch_core::{Element, Samples};
use ndarray::{Array2, ArrayView2};
use rayon::prelude::*;

use super::preparation::Preparation;
use crate::data::Matrix;
use crate::train::config::Config;
use crate::with_matrix;

/// Values that a thread prepares at least.
const SHARE: usize = 1 << 15;

/// A view of samples in the type and order of the caller, of which batches are made one at a time:
/// the data is never copied as a whole.
pub(in crate::train) struct Features<'a> {
    matrix: Matrix<'a>,
    preparation: Preparation,
    /// The samples along the preparation's axes, N × r, if it has been made for these samples and has axes: of
    /// fewer samples than features, all of which batches take many times.
    along_axes: Option<Array2<f32>>,
}

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
        let own = matches!(prepare, Prepare::As(_));
        let preparation = with_matrix!(&matrix, view => {
            Samples::new(view.view())?;
            match prepare {
                Prepare::As(config) => Preparation::of(view.view(), config),
                Prepare::By(preparation) => preparation,
            }
        });
        let mut features = Self { matrix, preparation, along_axes: None };
        if own && features.preparation.axes.is_some() {
            let rows: Vec<usize> = (0..features.samples()).collect();
            let shape = (rows.len(), features.width());
            let along = Array2::from_shape_vec(shape, features.batch(&rows));
            features.along_axes = Some(along.expect("a row for each sample"));
        }
        Ok(features)
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
        with_matrix!(&self.matrix, view => view.nrows())
    }

    /// The number of features, d.
    pub(in crate::train) fn features(&self) -> usize {
        with_matrix!(&self.matrix, view => view.ncols())
    }

    /// The number of values that the network sees of a sample.
    pub(in crate::train) fn width(&self) -> usize {
        self.preparation.width(self.features())
    }

    /// Copies rows, prepared, into B × [`Self::width`] values.
    pub(in crate::train) fn batch(&self, rows: &[usize]) -> Vec<f32> {
        if let Some(along_axes) = &self.along_axes {
            return rows.iter().flat_map(|&row| along_axes.row(row)).copied().collect();
        }
        let mut batch = vec![0.0; rows.len() * self.width()];
        with_matrix!(&self.matrix, view => copy(view.view(), rows, &self.preparation, &mut batch));
        batch
    }

    /// A checksum of the values, in the order of rows. It does not depend on the memory layout.
    pub(in crate::train) fn checksum(&self) -> u32 {
        with_matrix!(&self.matrix, view => checksum(view.view()))
    }
}

fn copy<A: Element>(
    view: ArrayView2<'_, A>,
    rows: &[usize],
    preparation: &Preparation,
    batch: &mut [f32],
) {
    let width = preparation.width(view.ncols());
    let of_rows = batch.par_chunks_exact_mut(width).zip(rows);
    of_rows.with_min_len(SHARE.div_ceil(view.ncols())).for_each(|(to, &row)| {
        preparation.apply(view.row(row), to);
    });
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
