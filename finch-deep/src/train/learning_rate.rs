//! The learning rate, step by step.

use super::config::{Config, Schedule};
use super::round::Round;

/// The learning rate in an epoch of a round, when this part of the epoch is done.
pub(super) fn learning_rate(config: &Config, round: Round, part: f64) -> f64 {
    let base = config.learning_rate / config.learning_rate_divisor.powi(round.number as i32);
    match config.schedule {
        Schedule::Constant => base,
        Schedule::Cosine => {
            let done = (round.done as f64 + part) / round.length as f64;
            base * 0.5 * (1.0 + (std::f64::consts::PI * done).cos())
        }
    }
}
