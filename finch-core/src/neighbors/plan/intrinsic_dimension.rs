//! The intrinsic dimension of rows, told by a sample of them.

use crate::neighbors::exact::brute;
use crate::run::progress::Meter;
use crate::samples::rows::Rows;
use crate::support::memory::collected;
use crate::support::random::spread;

/// Rows of the sample, at most: the dimension is then right within 3 % (one deviation).
const SAMPLE: usize = 1024;
/// Values of all pairs of rows of the sample, at most: a tenth of a second of one core.
const VALUES_OF_PAIRS: f64 = (1 << 30) as f64;
/// One row in so many is in the sample, at most.
const STEP: usize = 8;

/// The intrinsic dimension of the rows, by the two nearest of each row of a sample: with distances r₁ and
/// r₂, of n rows, n / Σ ln(r₂/r₁) (Facco et al. 2017, whose fit of a line to the distribution of the
/// ratio leaves out its tail; this is the maximum of likelihood). `None` where all ratios are 1.
pub(super) fn intrinsic_dimension(rows: &Rows<'_>, meter: &Meter) -> Option<f64> {
    let most = (VALUES_OF_PAIRS / rows.features() as f64).sqrt() as usize;
    let count = SAMPLE.min(most).min(rows.len() / STEP).max(3);
    let step = rows.len().div_ceil(count);
    let sample: Vec<u32> = collected(spread(rows.len(), step).map(|row| row as u32));
    let matrix = rows.samples.select(&sample);
    let sample = Rows::new(matrix.view(), rows.metric);
    if sample.len() < 3 || meter.stopped() {
        return None;
    }
    let nearest = brute::search(&sample, 2, meter);
    let squared = |key: f64| rows.metric.squared(key);
    let ratios = nearest.chunks_exact(2).map(|two| squared(two[1].key) / squared(two[0].key));
    // Equal rows and rows without a direction tell nothing.
    let logarithms = ratios.filter(|ratio| ratio.is_finite()).map(|ratio| 0.5 * ratio.ln());
    let (count, sum) = logarithms.fold((0, 0.0), |(count, sum), log| (count + 1, sum + log));
    (sum > 0.0).then(|| f64::from(count) / sum)
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::samples::Samples;
    use crate::samples::metric::Metric;
    use crate::support::random::scrambled;

    /// A plane, and a space of 6 dimensions, both in 20 features.
    #[test]
    fn the_dimension_is_that_of_what_rows_were_made_of() {
        let noise = |number: usize| (scrambled(number as u64) >> 40) as f64 / (1 << 24) as f64;
        for of in [2, 6] {
            let places = Array2::from_shape_fn((9_000, of), |(i, j)| noise(of * i + j));
            let directions = Array2::from_shape_fn((of, 20), |(i, j)| noise(20 * i + j + 90_000));
            let matrix = places.dot(&directions);
            let samples = Samples::new(matrix.view()).unwrap();
            let meter = Meter::stopped_at_once(false);
            let dimension =
                intrinsic_dimension(&Rows::new(samples, Metric::Euclidean), &meter).unwrap();
            assert!((dimension / of as f64 - 1.0).abs() < 0.15, "{dimension} of {of}");
        }
    }

    #[test]
    fn rows_at_equal_distances_have_no_dimension() {
        for matrix in [Array2::<f64>::eye(64), Array2::zeros((64, 3)), Array2::ones((2, 3))] {
            let samples = Samples::new(matrix.view()).unwrap();
            let rows = Rows::new(samples, Metric::Euclidean);
            assert_eq!(intrinsic_dimension(&rows, &Meter::stopped_at_once(false)), None);
        }
    }
}
