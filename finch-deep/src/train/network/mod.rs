//! The network: hidden layers with ReLU, and an output for each pseudo-label or dimension.

pub(crate) mod batch;
pub(crate) mod device;
mod dropout;
pub(crate) mod features;
pub(crate) mod optimizer;
pub(crate) mod preparation;
mod span;

use burn::module::{Module, Param, ParamId};
use burn::nn::Linear;
use burn::tensor::activation::relu;
use burn::tensor::{Device, Tensor, TensorData};
use rand::RngExt;

use super::config::{Config, Objective};
use super::random::Random;

/// A multilayer perceptron. Its weights are on a device, and may be for training (with gradients) or
/// for use.
#[derive(Module, Debug)]
pub(super) struct Network {
    hidden: Vec<Linear>,
    output: Linear,
}

impl Network {
    /// Draws weights for `features` inputs, hidden layers of these widths, and `outputs`.
    pub(super) fn new(
        features: usize,
        hidden: &[usize],
        outputs: usize,
        random: &mut Random,
        device: &Device,
    ) -> Self {
        let widths: Vec<usize> = [features].into_iter().chain(hidden.iter().copied()).collect();
        // He et al. (2015): the variance of what a ReLU layer hands on stays that of its input.
        let hidden: Vec<Linear> = widths
            .windows(2)
            .enumerate()
            .map(|(number, ends)| {
                let bound = (6.0 / ends[0] as f64).sqrt();
                linear(number, [ends[0], ends[1]], bound, random, device)
            })
            .collect();
        let output = output(hidden.len(), widths[hidden.len()], outputs, random, device);
        Self { hidden, output }
    }

    /// Replaces the output layer by one for other pseudo-labels.
    pub(super) fn renew_output(&mut self, outputs: usize, random: &mut Random, device: &Device) {
        let width = self.output.weight.dims()[0];
        self.output = output(self.hidden.len(), width, outputs, random, device);
    }

    /// Maps samples, B × features, to scores of the pseudo-labels, B × outputs. The output of each
    /// hidden layer is multiplied by its mask, if there are masks.
    pub(super) fn forward(&self, samples: Tensor<2>, masks: Vec<Tensor<2>>) -> Tensor<2> {
        let mut masks = masks.into_iter();
        let mut signal = samples;
        for layer in &self.hidden {
            signal = relu(layer.forward(signal));
            if let Some(mask) = masks.next() {
                signal = signal * mask;
            }
        }
        self.output.forward(signal)
    }

    /// Maps samples, B × features, to the embedding, B × its width: of a network that has learnt this.
    pub(super) fn embed(
        &self,
        samples: Tensor<2>,
        learnt: Objective,
        config: &Config,
    ) -> Tensor<2> {
        let (last, rectified) = match learnt {
            Objective::Graph => return self.forward(samples, Vec::new()),
            Objective::Labels => (self.hidden.len() - 1, config.rectified),
        };
        let mut signal = samples;
        for (number, layer) in self.hidden.iter().enumerate() {
            signal = layer.forward(signal);
            if number < last || rectified {
                signal = relu(signal);
            }
        }
        signal
    }

    /// The number of outputs: of pseudo-labels, or of dimensions.
    pub(super) fn outputs(&self) -> usize {
        self.output.weight.dims()[1]
    }

    /// Weights (inputs × outputs) and biases (outputs) of each layer, the output layer last.
    pub(super) fn weights(&self) -> Vec<[TensorData; 2]> {
        let data = |layer: &Linear| {
            let biases = layer.bias.as_ref().map(|biases| biases.val().into_data());
            let weights = layer.weight.val().into_data();
            let none = || TensorData::new(vec![0.0_f32; weights.shape()[1]], [weights.shape()[1]]);
            [weights.clone(), biases.unwrap_or_else(none)]
        };
        self.hidden.iter().chain([&self.output]).map(data).collect()
    }

    /// A network of weights as [`Network::weights`] gives them, whose shapes have to fit each
    /// other. None if there is no layer.
    pub(super) fn of(weights: Vec<[TensorData; 2]>, device: &Device) -> Option<Self> {
        let mut layers: Vec<Linear> = weights
            .into_iter()
            .enumerate()
            .map(|(number, [weights, biases])| layer(number, weights, biases, device))
            .collect();
        let output = layers.pop()?;
        Some(Self { hidden: layers, output })
    }
}

fn output(
    number: usize,
    inputs: usize,
    outputs: usize,
    random: &mut Random,
    device: &Device,
) -> Linear {
    linear(number, [inputs, outputs], (1.0 / inputs as f64).sqrt(), random, device)
}

/// Weights uniform in ±bound, biases of 0.
fn linear(
    number: usize,
    shape: [usize; 2],
    bound: f64,
    random: &mut Random,
    device: &Device,
) -> Linear {
    let bound = bound as f32;
    let weights: Vec<f32> =
        (0..shape[0] * shape[1]).map(|_| random.random_range(-bound..bound)).collect();
    let biases = vec![0.0_f32; shape[1]];
    layer(number, TensorData::new(weights, shape), TensorData::new(biases, [shape[1]]), device)
}

/// A layer whose parameters are numbered by their place, since an optimizer knows parameters by
/// number after a pause.
fn layer(number: usize, weights: TensorData, biases: TensorData, device: &Device) -> Linear {
    let number = 2 * number as u64;
    Linear {
        weight: parameter(number, Tensor::from_data(weights, device)),
        bias: Some(parameter(number + 1, Tensor::from_data(biases, device))),
    }
}

fn parameter<const D: usize>(number: u64, values: Tensor<D>) -> Param<Tensor<D>> {
    let values = if values.device().is_autodiff() { values.require_grad() } else { values };
    Param::initialized(ParamId::from(number), values)
}
