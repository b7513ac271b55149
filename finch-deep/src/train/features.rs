//! Samples as the network takes them.

use finch_core::{Element, Samples};
use ndarray::ArrayView2;
use rayon::prelude::*;

use crate::data::Matrix;

/// A view of samples in the type and order of the caller, of which batches are made one at a time:
/// the data is never copied as a whole.
pub(super) struct Features<'a> {
    matrix: Matrix<'a>,
    scale: f64,
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
pub(super) use each;

impl<'a> Features<'a> {
    /// Looks at samples that will be multiplied by `scale`.
    ///
    /// # Errors
    /// Those of [`Samples::new`].
    pub(super) fn new(matrix: Matrix<'a>, scale: Option<f64>) -> finch_core::Result<Self> {
        let scale = each!(&matrix, view => {
            Samples::new(view.view())?;
            scale.unwrap_or_else(|| unit_scale(view.view()))
        });
        Ok(Self { matrix, scale })
    }

    /// The samples as they are.
    pub(super) fn matrix(&self) -> &Matrix<'a> {
        &self.matrix
    }

    /// The factor that samples are multiplied by.
    pub(super) fn scale(&self) -> f64 {
        self.scale
    }

    /// The number of samples, N.
    pub(super) fn samples(&self) -> usize {
        each!(&self.matrix, view => view.nrows())
    }

    /// The number of features, d.
    pub(super) fn features(&self) -> usize {
        each!(&self.matrix, view => view.ncols())
    }

    /// Copies rows, scaled, into B × d values.
    pub(super) fn batch(&self, rows: &[usize]) -> Vec<f32> {
        let mut batch = vec![0.0; rows.len() * self.features()];
        each!(&self.matrix, view => copy(view.view(), rows, self.scale, &mut batch));
        batch
    }

    /// A checksum of the values, in the order of rows. It does not depend on the memory layout.
    pub(super) fn checksum(&self) -> u32 {
        each!(&self.matrix, view => checksum(view.view()))
    }
}

/// The factor that brings the mean length of a sample to √d, so that inputs are about as large as
/// the values of the hidden layers, in whatever unit the features are. One factor for all features,
/// so that distances keep their proportions.
fn unit_scale<A: Element>(view: ArrayView2<'_, A>) -> f64 {
    let length = |row| view.row(row).iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt();
    let lengths: Vec<f64> = (0..view.nrows()).into_par_iter().map(length).collect();
    let mean = lengths.iter().sum::<f64>() / lengths.len() as f64;
    if mean > 0.0 { (view.ncols() as f64).sqrt() / mean } else { 1.0 }
}

fn copy<A: Element>(view: ArrayView2<'_, A>, rows: &[usize], scale: f64, batch: &mut [f32]) {
    for (to, &row) in batch.chunks_exact_mut(view.ncols()).zip(rows) {
        for (to, x) in to.iter_mut().zip(view.row(row)) {
            *to = (x.to_f64() * scale) as f32;
        }
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
