//! The learning rate, step by step.

use super::config::{Config, Objective, Schedule};

/// The learning rate in the epoch after `epochs` of all networks, when this part of the epoch is done.
pub(super) fn learning_rate(config: &Config, epochs: usize, part: f64) -> f64 {
    let every = match config.objective(epochs) {
        Objective::Labels => config.relabel_every,
        Objective::Graph => config.epochs,
    };
    let epochs = epochs % config.epochs;
    let round = epochs / every;
    let base = config.learning_rate / config.learning_rate_divisor.powi(round as i32);
    let length = every.min(config.epochs - round * every);
    match config.schedule {
        Schedule::Constant => base,
        Schedule::Cosine => {
            let done = ((epochs % every) as f64 + part) / length as f64;
            base * 0.5 * (1.0 + (std::f64::consts::PI * done).cos())
        }
    }
}
