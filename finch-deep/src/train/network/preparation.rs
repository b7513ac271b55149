//! The preparation of the values of samples as the network's input.

use std::iter;

use finch_core::{Element, Metric};
use ndarray::{Array1, Array2, ArrayView1, ArrayView2};
use rayon::prelude::*;

use super::span;
use crate::train::config::{Config, Objective};
use crate::train::random::{Purpose, stream};

/// The shift and the scale of samples before the network sees them. The values that hold for the samples
/// that it was trained on hold for those it embeds later.
#[derive(Clone, Debug, PartialEq)]
pub(in crate::train) struct Preparation {
    /// True if each sample is brought to length 1 first, as the cosine does.
    pub(in crate::train) normalized: bool,
    /// The factor of all values.
    pub(in crate::train) scale: f64,
    /// The amount that is then subtracted from each feature; empty for nothing.
    pub(in crate::train) center: Vec<f32>,
    /// Orthonormal axes, r × d, along which the network then sees a sample; none for the features
    /// themselves.
    pub(in crate::train) axes: Option<Array2<f32>>,
}

impl Preparation {
    /// True if a configuration has the mean of samples subtracted: where all distances count, and not
    /// only what tells labels apart.
    fn centers(config: &Config) -> bool {
        config.objectives.contains(&Objective::Graph)
    }

    /// True if a configuration has each sample brought to length 1.
    pub(in crate::train) fn normalizes(config: &Config) -> bool {
        Self::centers(config) && config.input_metric == Metric::Cosine
    }

    /// The preparation of these samples.
    ///
    /// For [`Objective::Labels`] alone one factor brings the mean length of a sample to √d, so that inputs are
    /// about as large as the values of the hidden layers, in whatever unit the features are: one factor
    /// for all features, so that distances keep their proportions. With [`Objective::Graph`] samples are
    /// as far from each other as the graph's metric says, and have a mean of 0 and a mean square of 1.
    /// (Without these, spoken letters have 2 and web pages 4 points less; with each feature brought to a
    /// variance of 1, segments of images have 9 less.) Of more features than samples, the network sees the
    /// axes of the space that the samples span: nothing is lost, and steps take as long as so few features do.
    pub(in crate::train) fn of<A: Element>(view: ArrayView2<'_, A>, config: &Config) -> Self {
        let normalized = Self::normalizes(config);
        let (rows, features) = view.dim();
        if !Self::centers(config) {
            let lengths: Vec<f64> =
                (0..rows).into_par_iter().map(|row| length(view.row(row))).collect();
            let mean = lengths.iter().sum::<f64>() / rows as f64;
            let scale = if mean > 0.0 { (features as f64).sqrt() / mean } else { 1.0 };
            return Self { normalized, scale, center: Vec::new(), axes: None };
        }
        let mut center = vec![0.0; features];
        for row in view.rows() {
            let unit = unit(row, normalized);
            for (sum, x) in center.iter_mut().zip(row) {
                *sum += unit * x.to_f64() / rows as f64;
            }
        }
        let centered = |row| {
            let row: ArrayView1<'_, A> = view.row(row);
            let unit = unit(row, normalized);
            row.into_iter().zip(&center).map(move |(x, mean)| unit * x.to_f64() - mean)
        };
        let axes =
            if features > rows { axes((rows, features), centered, config.seed) } else { None };
        let width = axes.as_ref().map_or(features, Array2::nrows);
        let squares: Vec<f64> =
            (0..rows).into_par_iter().map(|row| centered(row).map(|x| x.powi(2)).sum()).collect();
        let mean = squares.iter().sum::<f64>() / (rows * width) as f64;
        let scale = if mean > 0.0 { 1.0 / mean.sqrt() } else { 1.0 };
        let center = center.into_iter().map(|mean| (mean * scale) as f32).collect();
        Self { normalized, scale, center, axes }
    }

    /// The number of values that the network sees of a sample of so many features.
    pub(in crate::train) fn width(&self, features: usize) -> usize {
        self.axes.as_ref().map_or(features, Array2::nrows)
    }

    /// Writes the input of a sample.
    pub(in crate::train) fn apply<A: Element>(&self, row: ArrayView1<'_, A>, out: &mut [f32]) {
        let factor = self.scale * unit(row, self.normalized);
        let means = self.center.iter().copied().chain(iter::repeat(0.0));
        let values =
            row.iter().zip(means).map(|(x, mean)| (x.to_f64() * factor - f64::from(mean)) as f32);
        match &self.axes {
            None => out.iter_mut().zip(values).for_each(|(out, value)| *out = value),
            Some(axes) => {
                let values = values.collect::<Array1<f32>>();
                let along = axes.outer_iter().map(|axis| axis.dot(&values));
                out.iter_mut().zip(along).for_each(|(out, along)| *out = along);
            }
        }
    }
}

/// The axes of the space that samples span, each given by its number as centred values.
fn axes<V: Iterator<Item = f64>>(
    (rows, features): (usize, usize),
    centered: impl Fn(usize) -> V,
    seed: u64,
) -> Option<Array2<f32>> {
    let values = (0..rows).flat_map(centered).collect();
    let values = Array2::from_shape_vec((rows, features), values).expect("rows of all features");
    let axes = span::axes(values, &mut stream(seed, Purpose::Axes, 0))?;
    Some(axes.mapv(|value| value as f32))
}

/// The factor that brings a row to length 1, or 1 where that is not asked for, or cannot be.
fn unit<A: Element>(row: ArrayView1<'_, A>, normalized: bool) -> f64 {
    let length = if normalized { length(row) } else { 0.0 };
    if length > 0.0 { 1.0 / length } else { 1.0 }
}

fn length<A: Element>(row: ArrayView1<'_, A>) -> f64 {
    row.iter().map(|x| x.to_f64().powi(2)).sum::<f64>().sqrt()
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::train::Preset;

    #[test]
    fn inputs_are_about_the_origin_in_whatever_unit_samples_are() {
        let value = |(i, j): (usize, usize)| ((i * 7 + j * 3) % 11) as f64 + 20.0 * j as f64;
        let plain = Array2::from_shape_fn((40, 5), value);
        let inputs = |matrix: &Array2<f64>, config: &Config| {
            let preparation = Preparation::of(matrix.view(), config);
            let mut inputs = Array2::<f32>::zeros(matrix.dim());
            for (row, mut input) in matrix.outer_iter().zip(inputs.outer_iter_mut()) {
                preparation.apply(row, input.as_slice_mut().unwrap());
            }
            inputs
        };
        let mut config = Config::preset(Preset::Best);
        for metric in [Metric::Cosine, Metric::Euclidean] {
            config.input_metric = metric;
            let found = inputs(&plain, &config);
            let (mean, square) = (found.sum() / 200.0, found.mapv(|x| x * x).sum() / 200.0);
            assert!(mean.abs() < 1e-4 && (square - 1.0).abs() < 1e-4, "{mean} {square}");
            let scaled = inputs(&(&plain * 1e6), &config);
            assert!((&scaled - &found).iter().all(|difference| difference.abs() < 1e-4));
        }
        // Under cosine the length of a sample does not matter.
        config.input_metric = Metric::Cosine;
        let mut longer = plain.clone();
        longer.row_mut(3).mapv_inplace(|x| 5.0 * x);
        let [one, other] = [&plain, &longer].map(|matrix| inputs(matrix, &config));
        assert!((&one - &other).iter().all(|difference| difference.abs() < 1e-4));
        // Rows of zeros, and equal ones.
        assert!(inputs(&Array2::zeros((4, 3)), &config).iter().all(|&x| x == 0.0));
        assert!(inputs(&Array2::ones((4, 3)), &config).iter().all(|&x| x.abs() < 1e-6));
        config.objectives = vec![Objective::Labels];
        let lengths =
            inputs(&plain, &config).outer_iter().map(|row| row.dot(&row).sqrt()).sum::<f32>();
        assert!((lengths / 40.0 - 5f32.sqrt()).abs() < 1e-4);
    }
    /// Of more features than samples the network sees as many values as there are samples less one, between which
    /// distances are those of the samples.
    #[test]
    fn many_features_of_few_samples_are_seen_along_axes() {
        let value = |(i, j): (usize, usize)| ((i * 7 + j * 3 + i * i * j) % 23) as f64;
        let matrix = Array2::from_shape_fn((8, 90), value);
        let config = Config { input_metric: Metric::Euclidean, ..Config::preset(Preset::Best) };
        let preparation = Preparation::of(matrix.view(), &config);
        assert_eq!(preparation.width(90), 7);
        let mut inputs = Array2::<f32>::zeros((8, 7));
        for (row, mut input) in matrix.outer_iter().zip(inputs.outer_iter_mut()) {
            preparation.apply(row, input.as_slice_mut().unwrap());
        }
        assert!((inputs.mapv(|x| x * x).sum() / 56.0 - 1.0).abs() < 1e-4);
        let distance = |one: usize, other: usize| {
            let difference = &inputs.row(one) - &inputs.row(other);
            let of_rows = &matrix.row(one) - &matrix.row(other);
            let expected = preparation.scale * of_rows.dot(&of_rows).sqrt();
            (f64::from(difference.dot(&difference)).sqrt() - expected).abs()
        };
        assert!((0..8).all(|one| (0..one).all(|other| distance(one, other) < 1e-4)));
        // A network that learns labels alone sees the features, as in the paper.
        let config = Config { objectives: vec![Objective::Labels], ..config };
        assert_eq!(Preparation::of(matrix.view(), &config).width(90), 90);
    }
}
