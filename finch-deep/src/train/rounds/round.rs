//! Epochs from one clustering to the next, and their learning rate.

use crate::train::config::{Config, Objective, Schedule};

/// Epochs from one clustering to the next, in the middle of which training is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(in crate::train) struct Round {
    /// Rounds of the network before this one.
    pub(in crate::train) number: usize,
    /// Epochs of the round that are done.
    pub(in crate::train) done: usize,
    /// Epochs of the round.
    pub(in crate::train) length: usize,
}

impl Round {
    /// The round to which the epoch after `epochs` belongs, of a network that learns this.
    pub(in crate::train) fn of(config: &Config, learns: Objective, epochs: usize) -> Self {
        let every = match learns {
            Objective::Labels => config.relabel_every,
            Objective::Graph => config.epochs,
        };
        match epochs.checked_sub(config.first_epochs()) {
            None => {
                let epochs = epochs % config.epochs;
                let number = epochs / every;
                let length = every.min(config.epochs - number * every);
                Self { number, done: epochs % every, length }
            }
            Some(further) => Self {
                number: config.epochs.div_ceil(every) + further / config.relabel_every,
                done: further % config.relabel_every,
                length: config.relabel_every,
            },
        }
    }

    /// True if a clustering follows the epoch.
    pub(in crate::train) fn is_last_epoch(self) -> bool {
        self.done + 1 == self.length
    }
}

/// The learning rate in an epoch of a round, when this part of the epoch is done.
pub(in crate::train) fn learning_rate(config: &Config, round: Round, part: f64) -> f64 {
    let base = config.learning_rate / config.learning_rate_divisor.powi(round.number as i32);
    match config.schedule {
        Schedule::Constant => base,
        Schedule::Cosine => {
            let done = (round.done as f64 + part) / round.length as f64;
            base * 0.5 * (1.0 + (std::f64::consts::PI * done).cos())
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rounds_fill_the_epochs_of_each_network_and_then_go_on() {
        let objectives = vec![Objective::Labels, Objective::Graph];
        let config =
            Config { objectives, epochs: 5, relabel_every: 3, rounds: 2, ..Config::default() };
        let config = Config { graph_networks: 1, ..config };
        let rounds = |learns, epochs: std::ops::Range<usize>| {
            epochs.map(|epoch| Round::of(&config, learns, epoch)).collect::<Vec<_>>()
        };
        let round = |number, length| {
            (0..length).map(move |done| Round { number, done, length }).collect::<Vec<_>>()
        };
        assert_eq!(rounds(Objective::Labels, 0..5), [round(0, 3), round(1, 2)].concat());
        assert_eq!(rounds(Objective::Graph, 5..10), round(0, 5));
        assert_eq!(rounds(Objective::Labels, 10..16), [round(2, 3), round(3, 3)].concat());
        assert_eq!(rounds(Objective::Graph, 10..16), [round(1, 3), round(2, 3)].concat());
        assert_eq!(config.all_epochs(), 16);
        assert!(round(0, 3)[2].is_last_epoch() && !round(0, 3)[1].is_last_epoch());
    }
}
