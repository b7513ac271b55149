//! The objective of a step of gradient descent, and its loss.

use burn::tensor::Device;
use rand::seq::SliceRandom;

use super::attraction::attraction;
use super::graph::Graph;
use super::smoothness::divergence;
use super::{Answers, Loss};
use crate::train::config::Config;
use crate::train::error::TrainError;
use crate::train::network::Network;
use crate::train::network::batch::{Batch, on_device};
use crate::train::network::features::Features;
use crate::train::random::Random;

/// The objective of the network for N samples.
#[derive(Clone, Copy)]
pub(in crate::train) enum Lesson<'l> {
    /// To give each sample its pseudo-label.
    Labels {
        labels: &'l [u32],
        /// The radius around each sample within which the network's answer should be the same, if the
        /// loss has an adversarial part.
        radii: Option<&'l [f32]>,
    },
    /// To keep linked samples near each other, and others apart.
    Graph(&'l Graph),
}

/// A network at its lesson.
pub(in crate::train) struct Desk<'d, 'a> {
    pub(in crate::train) input: &'d Features<'a>,
    pub(in crate::train) lesson: Lesson<'d>,
    pub(in crate::train) config: &'d Config,
    pub(in crate::train) device: &'d Device,
}

impl Desk<'_, '_> {
    /// The number of samples, or links, that a step learns from.
    pub(in crate::train) fn batch(&self) -> usize {
        match self.lesson {
            Lesson::Labels { .. } => self.config.batch.min(self.input.samples()),
            Lesson::Graph(_) => self.config.batch,
        }
    }

    /// The loss of a step.
    ///
    /// # Errors
    /// [`TrainError::Device`] if the device does not hand out what the network says.
    pub(in crate::train) fn loss(
        &self,
        network: &Network,
        turns: &mut Turns,
        random: &mut Random,
    ) -> Result<Loss, TrainError> {
        let Self { input, config, device, .. } = *self;
        match self.lesson {
            Lesson::Labels { labels, radii } => {
                let rows = turns.next(self.batch(), random);
                let values = input.batch(&rows);
                let near = radii.map(|radii| {
                    let radii: Vec<f32> = rows.iter().map(|&row| radii[row]).collect();
                    (on_device(values.clone(), rows.len(), device), radii)
                });
                let batch = Batch::thinned(values, rows.len(), config, random, device);
                let of_rows: Vec<u32> = rows.iter().map(|&row| labels[row]).collect();
                let asked = Answers::of_labels(&of_rows, network.outputs(), config.label_smoothing);
                let mut loss = Loss::new(network.forward(batch.samples, batch.masks), &asked)?;
                if let Some((samples, radii)) = near {
                    let weight = config.adversarial_weight;
                    let uneven = divergence(network, samples, &radii, random, device)?;
                    loss.mean += weight * uneven.mean;
                    loss.origin = loss.origin + uneven.origin * weight;
                }
                Ok(loss)
            }
            Lesson::Graph(graph) => {
                let links: Vec<[usize; 2]> =
                    (0..self.batch()).map(|_| graph.draw(random)).collect();
                let ends = [0, 1].map(|end| links.iter().map(move |link| link[end]));
                let ends: Vec<usize> = ends.into_iter().flatten().collect();
                // Of few samples links share ends, which the network sees once.
                let mut rows = ends.clone();
                rows.sort_unstable();
                rows.dedup();
                let batch = Batch::whole(input.batch(&rows), rows.len(), device);
                let embedding = network.forward(batch.samples, batch.masks);
                let place = |end| rows.binary_search(end).expect("each end is one of the rows");
                let places: Vec<usize> = ends.iter().map(place).collect();
                attraction(embedding, &places, config.negatives, random)
            }
        }
    }
}

/// All samples in turns, in an order that is drawn anew whenever fewer are left than a step takes.
pub(in crate::train) struct Turns {
    order: Vec<usize>,
    taken: usize,
}

impl Turns {
    pub(in crate::train) fn new(samples: usize) -> Self {
        Self { order: (0..samples).collect(), taken: samples }
    }

    fn next(&mut self, count: usize, random: &mut Random) -> Vec<usize> {
        if self.order.len() - self.taken < count {
            self.order.shuffle(random);
            self.taken = 0;
        }
        let next = self.order[self.taken..][..count].to_vec();
        self.taken += count;
        next
    }
}
