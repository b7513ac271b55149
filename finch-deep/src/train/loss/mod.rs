//! The loss: the cross entropy of the network's answers and the answers that are asked for.
//!
//! Value and gradient come from one pass over the scores, sample by sample on all threads, and the
//! gradient goes back into the network as it is. Tensor operations (log-softmax, gather, and the
//! way back through them) would pass over all scores once each, most of them on one thread.

mod attraction;
pub(crate) mod graph;
pub(crate) mod lesson;
pub(crate) mod smoothness;

use burn::tensor::{Tensor, TensorData};
use rayon::prelude::*;

use super::error::TrainError;

/// Scores that a thread takes at least.
const SHARE: usize = 1 << 12;

/// Answers that are asked for: of each of B samples a probability for each label.
pub(super) struct Answers {
    labels: usize,
    probabilities: Vec<f32>,
}

impl Answers {
    /// A label for each sample. A share of it, `smoothing`, is spread over all labels (Szegedy et
    /// al., 2016).
    pub(super) fn of_labels(of_samples: &[u32], labels: usize, smoothing: f64) -> Self {
        let mut probabilities = vec![(smoothing / labels as f64) as f32; of_samples.len() * labels];
        for (row, &label) in probabilities.chunks_exact_mut(labels).zip(of_samples) {
            row[label as usize] += (1.0 - smoothing) as f32;
        }
        Self { labels, probabilities }
    }

    /// The answers that scores, B × labels, stand for: the softmax of the scores.
    ///
    /// # Errors
    /// [`TrainError::Device`] if the device does not hand out the scores.
    pub(super) fn of_scores(scores: Tensor<2>) -> Result<Self, TrainError> {
        let ([_, labels], mut probabilities) = (scores.dims(), values(scores)?);
        probabilities.par_chunks_exact_mut(labels).with_min_len(share(labels)).for_each(|row| {
            softmax(row);
        });
        Ok(Self { labels, probabilities })
    }

    /// The mean entropy over the samples, in nats: the least that a cross entropy with these
    /// answers can be.
    pub(super) fn entropy(&self) -> f64 {
        let of = |&p: &f32| if p > 0.0 { f64::from(-p * p.ln()) } else { 0.0 };
        let rows =
            self.probabilities.par_chunks_exact(self.labels).with_min_len(share(self.labels));
        mean(rows.map(|row| row.iter().map(of).sum()).collect())
    }
}

/// The distance of the network's answers from the answers that are asked for.
pub(super) struct Loss {
    /// The mean cross entropy over the samples, in nats.
    pub(super) mean: f64,
    /// The tensor to propagate back from: its gradient is that of the mean. Its value means
    /// nothing.
    pub(super) origin: Tensor<1>,
    /// The samples whose likeliest label is that of the answer asked for.
    pub(super) right: usize,
}

impl Loss {
    /// The loss of scores, B × labels.
    ///
    /// # Errors
    /// [`TrainError::Device`] if the device does not hand out the scores.
    pub(super) fn new(scores: Tensor<2>, asked: &Answers) -> Result<Self, TrainError> {
        let labels = asked.labels;
        let mut gradient = values(scores.clone().inner())?;
        let samples = gradient.len() / labels;
        let rows = gradient.par_chunks_exact_mut(labels).with_min_len(share(labels));
        let (losses, right): (Vec<f64>, Vec<bool>) = rows
            .zip(asked.probabilities.par_chunks_exact(labels))
            .map(|(row, asked)| {
                let right = highest(row) == highest(asked);
                let reached = row.iter().zip(asked).map(|(x, p)| f64::from(x * p)).sum::<f64>();
                let loss = softmax(row) - reached;
                for (value, p) in row.iter_mut().zip(asked) {
                    *value = (*value - p) / samples as f32;
                }
                (loss, right)
            })
            .unzip();
        let gradient =
            Tensor::from_data(TensorData::new(gradient, scores.dims()), &scores.device());
        Ok(Self {
            mean: mean(losses),
            origin: (scores * gradient).sum(),
            right: right.into_iter().filter(|&right| right).count(),
        })
    }
}

/// Turns scores into probabilities, and returns the logarithm of what they are normalised by.
fn softmax(row: &mut [f32]) -> f64 {
    let highest = row.iter().copied().fold(f32::NEG_INFINITY, f32::max);
    let mut sum = 0.0;
    for value in row.iter_mut() {
        *value = (*value - highest).exp();
        sum += *value;
    }
    row.iter_mut().for_each(|value| *value /= sum);
    f64::from(highest) + f64::from(sum.ln())
}

/// The first of the highest values.
fn highest(row: &[f32]) -> usize {
    let first = |best, (place, value): (usize, &f32)| if *value > row[best] { place } else { best };
    row.iter().enumerate().fold(0, first)
}

/// Sums up in order, so that the result is the same on any number of threads.
fn mean(of_samples: Vec<f64>) -> f64 {
    of_samples.iter().sum::<f64>() / of_samples.len() as f64
}

/// Samples that a thread takes at least.
fn share(labels: usize) -> usize {
    SHARE.div_ceil(labels)
}

/// The values of a tensor.
///
/// # Errors
/// [`TrainError::Device`] if the device does not hand out the values.
pub(super) fn values(tensor: Tensor<2>) -> Result<Vec<f32>, TrainError> {
    tensor.into_data().try_into_vec().map_err(|error| {
        TrainError::Device(format!("the device returned what is not f32: {error:?}"))
    })
}

#[cfg(test)]
mod tests {
    use burn::tensor::Device;
    use burn::tensor::activation::log_softmax;

    use super::*;

    const SCORES: [[f32; 3]; 4] =
        [[1.0, -2.0, 0.5], [0.0, 0.0, 0.0], [30.0, -30.0, 100.0], [-1.0, 2.0, 2.0]];
    const LABELS: [u32; 4] = [0, 1, 2, 1];

    fn scores() -> Tensor<2> {
        Tensor::from_data(TensorData::from(SCORES), &Device::default().autodiff()).require_grad()
    }

    /// The loss by tensor operations: the mean and its gradient.
    fn by_tensors(asked: &Answers) -> (f64, Vec<f32>) {
        let scores = scores();
        let asked = TensorData::new(asked.probabilities.clone(), [4, 3]);
        let asked = Tensor::from_data(asked, &scores.device());
        let loss = (asked * log_softmax(scores.clone(), 1)).sum().neg() / 4.0;
        let gradient = values(scores.grad(&loss.backward()).unwrap()).unwrap();
        (f64::from(loss.into_scalar::<f32>()), gradient)
    }

    #[test]
    fn value_and_gradient_are_those_of_tensor_operations() {
        let labels = Answers::of_labels(&LABELS, 3, 0.0);
        let smoothed = Answers::of_labels(&LABELS, 3, 0.3);
        let answers = Answers::of_scores(scores().inner() * 0.5).unwrap();
        for asked in [labels, smoothed, answers] {
            let (mean, gradient) = by_tensors(&asked);
            let scores = scores();
            let loss = Loss::new(scores.clone(), &asked).unwrap();
            assert!((loss.mean - mean).abs() < 1e-5 * mean.abs(), "{} {mean}", loss.mean);
            let found = values(scores.grad(&loss.origin.backward()).unwrap()).unwrap();
            for (found, expected) in found.iter().zip(&gradient) {
                assert!((found - expected).abs() < 1e-6, "{found} {expected}");
            }
        }
    }

    #[test]
    fn the_first_of_equal_scores_is_the_answer() {
        let right = |labels: &[u32]| {
            Loss::new(scores(), &Answers::of_labels(labels, 3, 0.1)).unwrap().right
        };
        assert_eq!(right(&[0, 0, 2, 1]), 4);
        assert_eq!(right(&[0, 1, 2, 2]), 2);
        assert_eq!(right(&[1, 2, 0, 0]), 0);
    }

    #[test]
    fn entropy_is_the_cross_entropy_with_itself() {
        let same = Answers::of_scores(scores().inner()).unwrap();
        let loss = Loss::new(scores(), &same).unwrap();
        assert!((loss.mean - same.entropy()).abs() < 1e-5);
        assert!(same.entropy() > 0.1);
        assert_eq!(Answers::of_labels(&LABELS, 3, 0.0).entropy(), 0.0);
        assert_eq!(loss.right, 4);
    }

    #[test]
    fn what_is_no_number_makes_no_loss() {
        for bad in [f32::NAN, f32::INFINITY] {
            let scores = scores() * bad;
            let loss = Loss::new(scores, &Answers::of_labels(&LABELS, 3, 0.0)).unwrap();
            assert!(!loss.mean.is_finite());
        }
    }
}
