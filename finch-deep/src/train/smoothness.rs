//! Virtual adversarial training (Miyato et al., 2018): what the network says of a sample should not
//! change nearby.

use burn::module::Module;
use burn::tensor::activation::log_softmax;
use burn::tensor::{Device, Tensor, TensorData};
use ndarray::ArrayView2;
use rand::RngExt;

use super::features::Features;
use super::network::Network;
use super::random::Random;

/// Which of a sample's neighbours tells how far "nearby" is (Hu et al., 2017).
const NEIGHBOR: usize = 10;

/// Where the direction that changes most is probed for, as a share of the mean distance.
const PROBE: f32 = 0.1;

/// The Euclidean distance of each sample to its 10th neighbour (or the last that there is), in the
/// unit of what the network gets.
pub(super) fn distances(input: &Features<'_>, neighbors: ArrayView2<'_, u32>) -> Vec<f32> {
    let rank = NEIGHBOR.min(neighbors.ncols());
    let distance = |(sample, row): (usize, ndarray::ArrayView1<'_, u32>)| match rank {
        0 => 0.0,
        rank => {
            let pair = input.batch(&[sample, row[rank - 1] as usize]);
            let (one, other) = pair.split_at(pair.len() / 2);
            let squares = one.iter().zip(other).map(|(x, y)| f64::from(x - y).powi(2));
            squares.sum::<f64>().sqrt() as f32
        }
    };
    neighbors.rows().into_iter().enumerate().map(distance).collect()
}

/// The mean, over B samples, of how far the network's answer at the worst place within `radius` is
/// from its answer at the sample: the Kullback–Leibler divergence.
///
/// `samples` is B × d on the plain device, `radii` has a radius for each, B × 1.
pub(super) fn divergence(
    network: &Network,
    samples: Tensor<2>,
    radii: &[f32],
    random: &mut Random,
    device: &Device,
) -> Tensor<1> {
    let [count, features] = samples.dims();
    let answer = log_softmax(network.valid().forward(samples.clone(), Vec::new()), 1);
    let probabilities = answer.clone().exp();
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
    let change = (tracked(probabilities.clone()) * log_softmax(there, 1)).sum().neg();
    let Some(direction) = probe.grad(&change.backward()) else {
        return Tensor::zeros([1], &device.clone().autodiff());
    };

    let radii = Tensor::from_data(TensorData::new(radii.to_vec(), [count, 1]), device);
    let worst = samples + of_length(direction, radii);
    let there = log_softmax(network.forward(tracked(worst), Vec::new()), 1);
    let difference = tracked(answer) - there;
    (tracked(probabilities) * difference).sum() / count as f64
}

/// Rows scaled to these lengths; those of zeros stay.
fn of_length(rows: Tensor<2>, lengths: Tensor<2>) -> Tensor<2> {
    let found = rows.clone().powi_scalar(2).sum_dim(1).sqrt().clamp_min(1e-20);
    rows * (lengths / found)
}
