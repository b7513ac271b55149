//! Epochs from one clustering to the next.

use super::config::{Config, Objective};

/// Epochs from one clustering to the next, in the middle of which training is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Round {
    /// Rounds of the network before this one.
    pub(super) number: usize,
    /// Epochs of the round that are done.
    pub(super) done: usize,
    /// Epochs of the round.
    pub(super) length: usize,
}

impl Round {
    /// The round to which the epoch after `epochs` belongs, of a network that learns this.
    pub(super) fn of(config: &Config, learns: Objective, epochs: usize) -> Self {
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
    pub(super) fn is_last_epoch(self) -> bool {
        self.done + 1 == self.length
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
