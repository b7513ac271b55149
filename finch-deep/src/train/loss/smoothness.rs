//! Virtual adversarial training (Miyato et al., 2018): what the network says of a sample should not
//! change nearby.

use burn::module::Module;
use burn::tensor::{Device, Tensor, TensorData};
use finch_core::Neighbors;
use ndarray::{ArrayView1, ArrayView2};
use rand::RngExt;

use super::{Answers, Loss};
use crate::train::error::TrainError;
use crate::train::network::Network;
use crate::train::network::features::Features;
use crate::train::random::Random;

/// The neighbour of a sample that tells how far "nearby" is (Hu et al., 2017).
const NEIGHBOR: usize = 10;

/// Where the direction that changes most is probed for, as a share of the mean distance.
const PROBE: f32 = 0.1;

/// The Euclidean distance of each sample to its 10th neighbour (or the last that there is; 0 of a sample
/// without neighbours), in the unit of the network's input.
pub(in crate::train) fn distances(
    input: &Features<'_>,
    neighbors: ArrayView2<'_, u32>,
) -> Vec<f32> {
    let distance = |(sample, row): (usize, ArrayView1<'_, u32>)| match last_of(row) {
        None => 0.0,
        Some(neighbor) => {
            let pair = input.batch(&[sample, neighbor as usize]);
            let (one, other) = pair.split_at(pair.len() / 2);
            let squares = one.iter().zip(other).map(|(x, y)| f64::from(x - y).powi(2));
            squares.sum::<f64>().sqrt() as f32
        }
    };
    neighbors.rows().into_iter().enumerate().map(distance).collect()
}

/// The 10th of a row of neighbours, or the last that there is.
fn last_of(row: ArrayView1<'_, u32>) -> Option<u32> {
    row.into_iter().copied().take(NEIGHBOR).take_while(|&near| near != Neighbors::NONE).last()
}

/// The distance of the network's answers at the worst place within `radius` from its answers at the
/// samples; the mean of the loss is the Kullback–Leibler divergence.
///
/// `samples` is B × d on the plain device, `radii` has a radius for each.
///
/// # Errors
/// [`TrainError::Device`] if the device does not hand out what it found.
pub(in crate::train) fn divergence(
    network: &Network,
    samples: Tensor<2>,
    radii: &[f32],
    random: &mut Random,
    device: &Device,
) -> Result<Loss, TrainError> {
    let [count, features] = samples.dims();
    let answers = Answers::of_scores(network.valid().forward(samples.clone(), Vec::new()))?;
    let tracked = |tensor: Tensor<2>| Tensor::from_inner(tensor);

    // One step of the power method finds the direction; the network itself does not learn from it.
    let mean = radii.iter().sum::<f32>() / count as f32;
    let probe: Vec<f32> =
        (0..count * features).map(|_| random.random_range(-1.0_f32..1.0)).collect();
    let probe = Tensor::from_data(TensorData::new(probe, [count, features]), device);
    let probe = tracked(of_length(probe, Tensor::full([count, 1], PROBE * mean, device)));
    let probe = probe.require_grad();
    let there =
        network.clone().no_grad().forward(tracked(samples.clone()) + probe.clone(), Vec::new());
    let change = Loss::new(there, &answers)?.origin.backward();
    let direction = probe.grad(&change).unwrap_or_else(|| samples.zeros_like());

    let radii = Tensor::from_data(TensorData::new(radii.to_vec(), [count, 1]), device);
    let worst = samples + of_length(direction, radii);
    let mut loss = Loss::new(network.forward(tracked(worst), Vec::new()), &answers)?;
    loss.mean -= answers.entropy();
    Ok(loss)
}

/// Rows scaled to these lengths; rows of zeros stay.
fn of_length(rows: Tensor<2>, lengths: Tensor<2>) -> Tensor<2> {
    let found = rows.clone().powi_scalar(2).sum_dim(1).sqrt().clamp_min(1e-20);
    rows * (lengths / found)
}
