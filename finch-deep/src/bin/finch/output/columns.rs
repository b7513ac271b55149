//! Means and deviations of the features of clusters.

use finch_core::Labels;
use finch_deep::data::Recipe;
use ndarray::{Array2, ArrayView2};
use serde::Serialize;

/// Figures of all features of all clusters, in the unit of the file.
pub(crate) struct Columns {
    names: Vec<String>,
    /// The weight of each cluster.
    sizes: Vec<f64>,
    /// Clusters × features.
    means: Array2<f64>,
    deviations: Array2<f64>,
    /// Over all samples.
    mean: Vec<f64>,
    deviation: Vec<f64>,
}

/// A feature of a cluster.
#[derive(Clone, Debug, Serialize)]
pub(crate) struct Summary {
    pub(crate) feature: String,
    pub(crate) mean: f64,
    /// The standard deviation (of the population).
    pub(crate) deviation: f64,
    /// The mean of all other samples; none where there are no others.
    pub(crate) mean_outside: Option<f64>,
    /// (mean − mean outside) / standard deviation over all samples; none for a feature that is the same
    /// in all samples.
    pub(crate) difference: Option<f64>,
}

impl Columns {
    /// The figures of clusters of samples, which the recipe was used for. Noise, if there is any, is the last cluster.
    pub(crate) fn of<A: Copy + Into<f64>>(
        samples: ArrayView2<'_, A>,
        labels: &Labels,
        weights: Option<&[f64]>,
        recipe: Option<&Recipe>,
    ) -> Self {
        let clusters = labels.clusters() + usize::from(labels.noise() > 0);
        let features = samples.ncols();
        let noise = labels.clusters() as u32;
        let of = || labels.labels().iter().map(|&label| label.min(noise) as usize);
        let weight = |sample: usize| weights.map_or(1.0, |weights| weights[sample]);
        let rows = || samples.rows().into_iter().zip(of()).enumerate();
        let (mut sizes, mut means) = (vec![0.0; clusters], Array2::zeros((clusters, features)));
        for (sample, (row, label)) in rows() {
            sizes[label] += weight(sample);
            for (sum, &value) in means.row_mut(label).iter_mut().zip(row) {
                *sum += weight(sample) * value.into();
            }
        }
        let all: f64 = sizes.iter().sum();
        let mut mean = vec![0.0; features];
        for (mut sums, &size) in means.rows_mut().into_iter().zip(&sizes) {
            for (sum, mean) in sums.iter_mut().zip(&mut mean) {
                *mean += *sum / all;
                *sum /= size;
            }
        }
        // Around the means, since the difference of large sums of squares would be all rounding.
        let mut deviations = Array2::zeros((clusters, features));
        for (sample, (row, label)) in rows() {
            let means = means.row(label);
            let sums = deviations.row_mut(label).into_iter().zip(means).zip(row);
            for ((sum, &mean), &value) in sums {
                let off: f64 = value.into() - mean;
                *sum += weight(sample) * off * off;
            }
        }
        let mut deviation: Vec<f64> = vec![0.0; features];
        for (cluster, &size) in sizes.iter().enumerate() {
            for feature in 0..features {
                let within: &mut f64 = &mut deviations[[cluster, feature]];
                let off = means[[cluster, feature]] - mean[feature];
                deviation[feature] += (*within + size * off * off) / all;
                *within = (*within / size).sqrt();
            }
        }
        deviation.iter_mut().for_each(|variance| *variance = variance.sqrt());
        let names = recipe.and_then(Recipe::names);
        let mut names = names
            .unwrap_or_else(|| (0..features).map(|feature| format!("feature_{feature}")).collect());
        if let Some(recipe) = recipe {
            // Means of logarithms are no means of values.
            let logged = names.iter_mut().zip(recipe.preparation().log).filter(|(_, log)| *log);
            logged.for_each(|(name, _)| *name = format!("log(1 + {name})"));
        }
        let mut columns = Self { names, sizes, means, deviations, mean, deviation };
        if let Some(recipe) = recipe {
            columns.unscale(recipe);
        }
        columns
    }

    /// Takes back what was done with the features.
    fn unscale(&mut self, recipe: &Recipe) {
        let done = recipe.preparation();
        for (feature, (&shift, &scale)) in done.shift.iter().zip(&done.scale).enumerate() {
            self.means.column_mut(feature).mapv_inplace(|mean| mean * scale + shift);
            self.deviations.column_mut(feature).mapv_inplace(|deviation| deviation * scale);
            self.mean[feature] = self.mean[feature] * scale + shift;
            self.deviation[feature] *= scale;
        }
    }

    /// The features of a cluster.
    pub(crate) fn summaries(&self, cluster: usize) -> Vec<Summary> {
        let (size, all) = (self.sizes[cluster], self.sizes.iter().sum::<f64>());
        let summary = |(feature, name): (usize, &String)| {
            let (mean, deviation) =
                (self.means[[cluster, feature]], self.deviations[[cluster, feature]]);
            let mut outside = 0.0;
            for (other, &weight) in self.sizes.iter().enumerate().filter(|(c, _)| *c != cluster) {
                outside += weight * self.means[[other, feature]];
            }
            let outside = (self.sizes.len() > 1).then(|| outside / (all - size));
            let difference = outside.filter(|_| self.deviation[feature] > 0.0);
            Summary {
                feature: name.clone(),
                mean,
                deviation,
                mean_outside: outside,
                difference: difference.map(|outside| (mean - outside) / self.deviation[feature]),
            }
        };
        self.names.iter().enumerate().map(summary).collect()
    }
}

#[cfg(test)]
mod tests {
    use ndarray::array;

    use super::*;

    #[test]
    fn figures_by_definition() {
        let samples = array![[1.0, 5.0], [3.0, 5.0], [10.0, 5.0]];
        let partition = Labels::new(&[Some(0), Some(0), Some(1)]).unwrap();
        let columns = Columns::of(samples.view(), &partition, None, None);
        let [first, second] = &columns.summaries(0)[..] else { panic!("two features") };
        assert_eq!((first.mean, first.deviation, first.mean_outside), (2.0, 1.0, Some(10.0)));
        // numpy.std([1, 3, 10])
        assert!((first.difference.unwrap() + 8.0 / 3.858_612_300_930_075).abs() < 1e-12);
        assert_eq!((second.mean_outside, second.difference), (Some(5.0), None));
        // A weight of 2 is two rows.
        let weighted = Columns::of(samples.view(), &partition, Some(&[1.0, 2.0, 1.0]), None);
        let rows = array![[1.0, 5.0], [3.0, 5.0], [3.0, 5.0], [10.0, 5.0]];
        let repeated = Labels::new(&[Some(0), Some(0), Some(0), Some(1)]).unwrap();
        let repeated = Columns::of(rows.view(), &repeated, None, None);
        let [a, b] = [weighted, repeated].map(|columns| columns.summaries(0).swap_remove(0));
        assert!((a.deviation - b.deviation).abs() < 1e-12 && (a.mean - b.mean).abs() < 1e-12);
        assert!((a.difference.unwrap() - b.difference.unwrap()).abs() < 1e-12);
        // Noise counts among the other samples.
        let noisy = Labels::new(&[Some(0), Some(0), None]).unwrap();
        let columns = Columns::of(samples.view(), &noisy, None, None);
        assert_eq!(columns.summaries(0)[0].mean_outside, Some(10.0));
    }
}
