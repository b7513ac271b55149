//! An epoch of gradient descent.

use std::time::Instant;

use burn::optim::{GradientsParams, ModuleOptimizer};

use super::round::{Round, learning_rate};
use crate::metrics::Epoch;
use crate::train::error::TrainError;
use crate::train::loss::lesson::{Desk, Lesson, Turns};
use crate::train::network::Network;
use crate::train::progress::{Progress, Watch};
use crate::train::random::{Purpose, stream};

/// The result of an epoch.
pub(in crate::train) struct Trained {
    pub(in crate::train) network: Network,
    pub(in crate::train) optimizer: ModuleOptimizer,
    pub(in crate::train) epoch: Epoch,
}

/// Trains for the epoch after `epochs`, of this round: as many steps as the samples fill, but for a
/// rest that is smaller than a batch, or more where
/// [`Config::least_steps`](crate::train::Config::least_steps) asks for it.
pub(in crate::train) fn pass(
    desk: &Desk<'_, '_>,
    epochs: usize,
    round: Round,
    mut network: Network,
    mut optimizer: ModuleOptimizer,
    watch: &mut Watch<'_>,
) -> Result<Trained, TrainError> {
    let Desk { input, lesson, config, .. } = *desk;
    let number = epochs + 1;
    let random = &mut stream(config.seed, Purpose::Epoch, epochs);
    let mut turns = Turns::new(input.samples());
    let batch = desk.batch();
    let least = match lesson {
        Lesson::Labels { .. } => 1,
        Lesson::Graph(_) => config.least_steps.unwrap_or(0).div_ceil(config.epochs).max(1),
    };
    let steps = (input.samples() / batch).max(least);
    let (mut loss, mut right) = (0.0, 0);
    let began = Instant::now();
    for done in 0..steps {
        let rate = learning_rate(config, round, done as f64 / steps as f64);
        let of_step = desk.loss(&network, &mut turns, random)?;
        (loss, right) = (loss + of_step.mean, right + of_step.right);
        let gradients = GradientsParams::from_grads(of_step.origin.backward(), &network);
        network = optimizer.step(rate, network, gradients);
        if !loss.is_finite() {
            return Err(TrainError::Diverged { epoch: number });
        }
        let done = done + 1;
        let progress = Progress::Training {
            epoch: number,
            fraction: done as f64 / steps as f64,
            loss: loss / done as f64,
            samples_per_second: (done * batch) as f64 / began.elapsed().as_secs_f64().max(1e-9),
        };
        if watch(progress).is_break() {
            return Err(TrainError::Stopped);
        }
    }
    let seen = (steps * batch) as f64;
    let epoch = Epoch {
        epoch: number,
        loss: loss / steps as f64,
        accuracy: matches!(lesson, Lesson::Labels { .. }).then_some(100.0 * right as f64 / seen),
        learning_rate: learning_rate(config, round, 0.0),
        samples_per_second: seen / began.elapsed().as_secs_f64().max(1e-9),
    };
    Ok(Trained { network, optimizer, epoch })
}
