//! The embedding of samples: what the last hidden layer of a network makes of them, or its output.

use burn::module::Module;
use burn::tensor::Device;
use ndarray::Array2;

use super::checkpoint::Checkpoint;
use crate::data::Matrix;
use crate::train::config::{Config, Objective};
use crate::train::error::TrainError;
use crate::train::loss::values;
use crate::train::network::Network;
use crate::train::network::batch::on_device;
use crate::train::network::device::Backend;
use crate::train::network::features::{Features, Prepare};
use crate::train::progress::{Progress, Watch};

/// Samples whose embedding is computed at a time.
const EMBEDDED: usize = 1024;

/// The embedding of N samples, N × its width.
pub(in crate::train) fn embedding(
    network: &Network,
    learnt: Objective,
    input: &Features<'_>,
    config: &Config,
    device: &Device,
    watch: &mut Watch<'_>,
) -> Result<Array2<f32>, TrainError> {
    let network = network.valid();
    let samples = input.samples();
    let rows: Vec<usize> = (0..samples).collect();
    let mut embedding = Vec::new();
    for rows in rows.chunks(EMBEDDED) {
        let batch = network.embed(on_device(input.batch(rows), rows.len(), device), learnt, config);
        embedding.extend(values(batch)?);
        let fraction = (rows[rows.len() - 1] + 1) as f64 / samples as f64;
        if watch(Progress::Embedding { fraction }).is_break() {
            return Err(TrainError::Stopped);
        }
    }
    Array2::from_shape_vec((samples, embedding.len() / samples), embedding)
        .map_err(|error| TrainError::Device(error.to_string()))
}

/// The embedding of N samples × d features by a stored network: N × its width.
///
/// # Errors
/// [`TrainError::Features`] for another number of features, [`TrainError::Untrained`] for a network
/// before its first epoch, [`TrainError::Device`], and [`TrainError::Core`] for samples that are not
/// finite.
pub fn embed(
    checkpoint: &Checkpoint,
    samples: Matrix<'_>,
    backend: Backend,
    watch: &mut Watch<'_>,
) -> Result<Array2<f32>, TrainError> {
    let prepare = Prepare::By(checkpoint.preparation.clone());
    let input = Features::new(samples, prepare)?;
    let (found, expected) = (input.features(), checkpoint.features);
    if found != expected {
        return Err(TrainError::Features { found, expected });
    }
    let device = backend.device()?;
    let (network, learnt) = checkpoint.trained(&device).ok_or(TrainError::Untrained)?;
    embedding(&network, learnt, &input, &checkpoint.config, &device, watch)
}
