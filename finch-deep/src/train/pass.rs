//! A pass over all samples: one epoch of gradient descent.

use std::time::Instant;

use burn::optim::{GradientsParams, ModuleOptimizer};
use burn::tensor::Device;
use rand::seq::SliceRandom;

use super::batch::{Batch, on_device};
use super::config::Config;
use super::error::TrainError;
use super::features::Features;
use super::learning_rate::learning_rate;
use super::loss::{Answers, Loss};
use super::network::Network;
use super::progress::{Progress, Watch};
use super::random::{Purpose, stream};
use super::smoothness::divergence;
use crate::metrics::Epoch;

/// What an epoch trains on.
pub(super) struct Pass<'p, 'a> {
    pub(super) input: &'p Features<'a>,
    /// The pseudo-label of each of the N samples.
    pub(super) labels: &'p [u32],
    /// How far around each of the N samples the network's answer should be the same, if the loss
    /// has an adversarial part.
    pub(super) radii: Option<&'p [f32]>,
    pub(super) config: &'p Config,
    pub(super) device: &'p Device,
    /// Epochs done before.
    pub(super) epochs: usize,
}

/// What an epoch has made.
pub(super) struct Trained {
    pub(super) network: Network,
    pub(super) optimizer: ModuleOptimizer,
    pub(super) epoch: Epoch,
}

impl Pass<'_, '_> {
    /// Trains on all samples once, but for a rest that is smaller than a batch.
    pub(super) fn run(
        &self,
        mut network: Network,
        mut optimizer: ModuleOptimizer,
        watch: &mut Watch<'_>,
    ) -> Result<Trained, TrainError> {
        let Self { input, labels, config, device, epochs, .. } = *self;
        let number = epochs + 1;
        let random = &mut stream(config.seed, Purpose::Epoch, epochs);
        let mut order: Vec<usize> = (0..input.samples()).collect();
        order.shuffle(random);
        let batches = order.len() / config.batch;
        let (mut loss, mut right) = (0.0, 0);
        let outputs = network.outputs();
        let began = Instant::now();
        for (done, rows) in order.chunks_exact(config.batch).enumerate() {
            let rate = learning_rate(config, epochs, done as f64 / batches as f64);
            let values = input.batch(rows);
            let near = self.radii.map(|radii| {
                let radii: Vec<f32> = rows.iter().map(|&row| radii[row]).collect();
                (on_device(values.clone(), rows.len(), device), radii)
            });
            let batch = Batch::new(values, rows.len(), config, random, device);
            let of_rows: Vec<u32> = rows.iter().map(|&row| labels[row]).collect();
            let asked = Answers::of_labels(&of_rows, outputs, config.label_smoothing);
            let scores = network.forward(batch.samples, batch.masks);
            let Loss { mean, mut origin, right: of_batch } = Loss::new(scores, &asked)?;
            (loss, right) = (loss + mean, right + of_batch);
            if let Some((samples, radii)) = near {
                let weight = config.adversarial_weight;
                let uneven = divergence(&network, samples, &radii, random, device)?;
                (loss, origin) = (loss + weight * uneven.mean, origin + uneven.origin * weight);
            }
            let gradients = GradientsParams::from_grads(origin.backward(), &network);
            network = optimizer.step(rate, network, gradients);
            if !loss.is_finite() {
                return Err(TrainError::Diverged { epoch: number });
            }
            let done = done + 1;
            let samples_per_second =
                (done * config.batch) as f64 / began.elapsed().as_secs_f64().max(1e-9);
            let progress = Progress::Training {
                epoch: number,
                fraction: done as f64 / batches as f64,
                loss: loss / done as f64,
                samples_per_second,
            };
            if watch(progress).is_break() {
                return Err(TrainError::Stopped);
            }
        }
        let seen = (batches * config.batch) as f64;
        let epoch = Epoch {
            epoch: number,
            loss: loss / batches as f64,
            accuracy: 100.0 * right as f64 / seen,
            learning_rate: learning_rate(config, epochs, 0.0),
            samples_per_second: seen / began.elapsed().as_secs_f64().max(1e-9),
        };
        Ok(Trained { network, optimizer, epoch })
    }
}
