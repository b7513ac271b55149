//! The samples of one step of gradient descent, as the network takes them.

use burn::tensor::{Device, Tensor, TensorData};

use super::dropout::Dropout;
use crate::train::config::Config;
use crate::train::random::Random;

/// Samples on the device, and the masks of the hidden layers.
pub(in crate::train) struct Batch {
    /// B × d, without the features that training leaves out.
    pub(in crate::train) samples: Tensor<2>,
    /// For each hidden layer B × its width, or no masks at all.
    pub(in crate::train) masks: Vec<Tensor<2>>,
}

impl Batch {
    /// Takes the values of B samples, row by row, as they are.
    pub(in crate::train) fn whole(values: Vec<f32>, samples: usize, device: &Device) -> Self {
        let device = &device.clone().autodiff();
        Self { samples: on_device(values, samples, device), masks: Vec::new() }
    }

    /// Takes the values of B samples, row by row, and leaves out a share of them at random.
    pub(in crate::train) fn thinned(
        mut values: Vec<f32>,
        samples: usize,
        config: &Config,
        random: &mut Random,
        device: &Device,
    ) -> Self {
        let device = &device.clone().autodiff();
        if let Some(dropout) = Dropout::new(config.input_dropout.unwrap_or(0.0)) {
            dropout.apply(&mut values, random);
        }
        let masks = Dropout::new(config.hidden_dropout).map(|dropout| {
            let mask =
                |&width: &usize| on_device(dropout.mask(samples * width, random), samples, device);
            config.hidden.iter().map(mask).collect()
        });
        Self { samples: on_device(values, samples, device), masks: masks.unwrap_or_default() }
    }
}

/// Values of so many rows as a matrix on the device.
pub(in crate::train) fn on_device(values: Vec<f32>, rows: usize, device: &Device) -> Tensor<2> {
    let columns = values.len() / rows;
    Tensor::from_data(TensorData::new(values, [rows, columns]), device)
}
