//! The loss over the graph: samples that are linked should be near in the embedding, and others far.
//!
//! That is the cross entropy of UMAP (McInnes et al., 2018) with the network in place of free
//! coordinates (Sainburg et al., 2021, "Parametric UMAP"). Value and gradient come from one pass, in one
//! order, so that they are the same on any number of threads.

use burn::tensor::{Tensor, TensorData};
use rand::RngExt;

use super::{Loss, values};
use crate::train::error::TrainError;
use crate::train::random::Random;

/// Two samples at squared distance D are linked with probability 1/(1 + a·Dᵇ): UMAP's fit for samples
/// that may come as near as they like.
const A: f64 = 1.93;
const B: f64 = 0.79;
/// Keeps squared distances from 0, where the slopes of both terms have poles.
const APART: [f64; 2] = [1e-6, 1e-3];
/// The largest slope along a coordinate by which an unlinked sample is pushed away.
const PUSH: f64 = 4.0;

/// The loss of an embedding, rows × its width, for B links between its rows. Of the 2B `ends`, numbers of rows, the
/// first B are linked to the last B. Each of the first is compared with as many others of the 2B as are asked for,
/// drawn at random, which count as not linked to it.
///
/// # Errors
/// [`TrainError::Device`] if the device does not hand out the embedding.
pub(in crate::train) fn attraction(
    embedding: Tensor<2>,
    ends: &[usize],
    others: usize,
    random: &mut Random,
) -> Result<Loss, TrainError> {
    let [rows, width] = embedding.dims();
    let places = values(embedding.clone().inner())?;
    let pairs = ends.len() / 2;
    let mut gradient = vec![0.0_f64; rows * width];
    let mut sum = 0.0;
    let mut differences = vec![0.0; width];
    let mut add = |one: usize, other: usize, linked: bool| {
        let [x, y] = [one, other].map(|row| &places[row * width..][..width]);
        let mut squared = APART[usize::from(!linked)];
        for (difference, (x, y)) in differences.iter_mut().zip(x.iter().zip(y)) {
            *difference = f64::from(x - y);
            squared += *difference * *difference;
        }
        let power = A * squared.powf(B);
        // ln(1 + a·Dᵇ), or −ln(1 − 1/(1 + a·Dᵇ)); and the slopes along D.
        let (loss, slope) = match linked {
            true => (power.ln_1p(), B * power / (squared * (1.0 + power))),
            false => ((1.0 / power).ln_1p(), -B / (squared * (1.0 + power))),
        };
        sum += loss;
        for (axis, difference) in differences.iter().enumerate() {
            let push = 2.0 * slope * difference;
            let push = if linked { push } else { push.clamp(-PUSH, PUSH) };
            gradient[one * width + axis] += push;
            gradient[other * width + axis] -= push;
        }
    };
    for (&one, &partner) in ends[..pairs].iter().zip(&ends[pairs..]) {
        add(one, partner, true);
        for _ in 0..others {
            let other = ends[random.random_range(0..ends.len())];
            if other != one {
                add(one, other, false);
            }
        }
    }
    let gradient: Vec<f32> =
        gradient.into_iter().map(|slope| (slope / pairs as f64) as f32).collect();
    let gradient = TensorData::new(gradient, [rows, width]);
    let gradient = Tensor::from_data(gradient, &embedding.device());
    let origin = (embedding * gradient).sum();
    Ok(Loss { mean: sum / pairs as f64, origin, right: 0 })
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;

    use super::*;
    use crate::train::random::{Purpose, stream};

    fn at(places: [[f32; 2]; 4]) -> Tensor<2> {
        let places = TensorData::from(places);
        Tensor::from_data(places, &Device::default().autodiff()).require_grad()
    }

    fn loss(places: [[f32; 2]; 4]) -> f64 {
        attraction(at(places), &[0, 1, 2, 3], 3, &mut stream(0, Purpose::Epoch, 0)).unwrap().mean
    }

    #[test]
    fn the_gradient_is_that_of_the_loss() {
        let places = [[0.3, -0.8], [1.5, 0.2], [-0.4, 0.9], [2.0, 1.1]];
        let embedding = at(places);
        let found =
            attraction(embedding.clone(), &[0, 1, 2, 3], 3, &mut stream(0, Purpose::Epoch, 0))
                .unwrap();
        let gradient = values(embedding.grad(&found.origin.backward()).unwrap()).unwrap();
        const STEP: f32 = 1e-3;
        for (number, slope) in gradient.into_iter().enumerate() {
            let moved = |by: f32| {
                let mut places = places;
                places[number / 2][number % 2] += by;
                loss(places)
            };
            let expected = (moved(STEP) - moved(-STEP)) / f64::from(2.0 * STEP);
            assert!((f64::from(slope) - expected).abs() < 1e-3, "{slope} {expected}");
        }
    }

    #[test]
    fn linked_samples_are_to_be_near_and_others_far() {
        let [near, far] = [[0.1, 0.0], [9.0, 0.0]];
        // The first two samples, and then their partners.
        let parted = loss([[0.0, 0.0], [9.0, 9.0], near, [9.0, 9.1]]);
        let torn = loss([[0.0, 0.0], [9.0, 9.0], far, [0.0, 0.1]]);
        let lumped = loss([[0.0, 0.0], [0.1, 0.1], near, [0.1, 0.0]]);
        assert!(parted < torn && parted < lumped, "{parted} {torn} {lumped}");
        assert!(loss([[f32::NAN; 2]; 4]).is_nan());
        assert!(loss([[0.5; 2]; 4]).is_finite());
    }
    /// A row that is an end of two links learns what two equal rows would.
    #[test]
    fn ends_may_share_a_row() {
        let places = [[0.3, -0.8], [1.5, 0.2], [-0.4, 0.9], [0.3, -0.8]];
        let gradient = |ends: &[usize]| {
            let embedding = at(places);
            let random = &mut stream(0, Purpose::Epoch, 0);
            let found = attraction(embedding.clone(), ends, 3, random).unwrap();
            values(embedding.grad(&found.origin.backward()).unwrap()).unwrap()
        };
        let [shared, apart] = [gradient(&[0, 1, 2, 0]), gradient(&[0, 1, 2, 3])];
        for (place, slope) in shared.into_iter().enumerate() {
            let expected = match place / 2 {
                0 => apart[place] + apart[place + 6],
                3 => 0.0,
                _ => apart[place],
            };
            assert!((slope - expected).abs() < 1e-6, "{slope} {expected}");
        }
    }
}
