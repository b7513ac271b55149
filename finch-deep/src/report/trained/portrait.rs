//! The portrait of a cluster: its medoid, some of its samples, and the features that set it apart.

use finch_core::{Metric, Neighbors};

use crate::data::{Feature, Matrix};
use crate::report::parts::groups::Groups;

/// Exemplars beside the medoid.
const EXEMPLARS: usize = 5;
/// The most samples among which exemplars are sought.
const POOL: usize = 200;
/// Features that are told.
const FEATURES: usize = 5;

/// The portrait of a cluster.
pub(super) struct Portrait {
    /// The sample with the least sum of squared distances to the others of the cluster; under the
    /// cosine, of distances.
    pub(super) medoid: usize,
    /// Samples as far as possible from the medoid and from each other, among the half of the cluster
    /// that is nearest to its mean.
    pub(super) exemplars: Vec<usize>,
    /// The mean of each feature.
    pub(super) mean: Vec<f64>,
    /// The features whose means differ most from those of all other samples.
    pub(super) features: Vec<Difference>,
    /// Share of its samples' nearest neighbours that are in the cluster, too, in percent.
    pub(super) inside: Option<f64>,
}

/// The difference of a feature in a cluster from all other samples.
#[derive(Clone, Copy)]
pub(super) struct Difference {
    pub(super) feature: usize,
    /// That of the two means, in standard deviations of all samples.
    pub(super) by: f64,
    /// The means in the cluster, and of all other samples.
    pub(super) means: [f64; 2],
    /// True if all values are 0 or 1, so that means are shares.
    pub(super) is_share: bool,
}

/// The portraits of some clusters.
///
/// The medoid needs no distances of pairs: the sum of squared distances from a sample to n others is n
/// times its squared distance to their mean, and a number that is the same for all samples. Under the
/// cosine all rows have length 1, and then squared distances are twice the distances of the cosine.
pub(super) fn portraits(
    samples: &Matrix<'_>,
    metric: Metric,
    clusters: &Groups,
    of: &[usize],
    neighbors: Option<&Neighbors>,
    columns: &[Feature],
) -> Vec<Portrait> {
    let features = samples.row(0).len();
    let mut place = vec![None; clusters.len()];
    for (number, &cluster) in of.iter().enumerate() {
        place[cluster] = Some(number);
    }
    let place_of = |sample: usize| place[clusters.of[sample]];
    let mut sums = vec![vec![0.0; features]; of.len()];
    let mut sums_shown = sums.clone();
    let mut all = vec![0.0; features];
    for sample in 0..clusters.of.len() {
        let row = samples.row(sample);
        add(&mut all, &row);
        if let Some(place) = place_of(sample) {
            add(&mut sums[place], &row);
            add(&mut sums_shown[place], &shown(row, metric));
        }
    }
    let of_all = clusters.of.len() as f64;
    // Squares of distances from the mean: those of the values would leave nothing of a small deviation
    // from a large mean.
    let mut squares = vec![0.0; features];
    let mut members = vec![Vec::new(); of.len()];
    let mut shares = vec![true; features];
    for sample in 0..clusters.of.len() {
        let row = samples.row(sample);
        for ((sum, value), all) in squares.iter_mut().zip(&row).zip(&all) {
            *sum += (value - all / of_all).powi(2);
        }
        for (is_share, value) in shares.iter_mut().zip(&row) {
            *is_share &= matches!(value, 0.0 | 1.0);
        }
        if let Some(place) = place_of(sample) {
            let size = clusters.sizes[of[place]] as f64;
            let row = shown(row, metric);
            let from_mean =
                row.iter().zip(&sums_shown[place]).map(|(x, sum)| (x - sum / size).powi(2));
            members[place].push((from_mean.sum::<f64>(), sample));
        }
    }
    let inside = neighbors.map(|neighbors| inside(neighbors, clusters));
    let deviation: Vec<f64> = squares.iter().map(|squares| (squares / of_all).sqrt()).collect();
    let portrait = |(place, &cluster): (usize, &usize)| {
        let mut members = std::mem::take(&mut members[place]);
        members.sort_by(|a, b| a.0.total_cmp(&b.0).then(a.1.cmp(&b.1)));
        let medoid = members[0].1;
        let size = clusters.sizes[cluster] as f64;
        let rest = of_all - size;
        let apart = |feature: usize| {
            let [own, others] = [sums[place][feature], all[feature] - sums[place][feature]];
            let means = [own / size, others / rest];
            let by = (means[0] - means[1]) / deviation[feature];
            Difference { feature, by, means, is_share: shares[feature] }
        };
        // A feature that is the same everywhere, or a cluster that has all samples, tells nothing; nor
        // does a difference that is written as 0.0.
        // Of a column of two words the word that the cluster has more of tells all.
        let told = |&Difference { feature, by, .. }: &Difference| {
            by.is_finite()
                && by.abs() > 0.05
                && (by > 0.0 || Feature::of_other_word(columns, feature).is_none())
        };
        let mut apart: Vec<Difference> = (0..features).map(apart).filter(told).collect();
        apart.sort_by(|a, b| b.by.abs().total_cmp(&a.by.abs()).then(a.feature.cmp(&b.feature)));
        apart.truncate(FEATURES);
        Portrait {
            medoid,
            exemplars: exemplars(samples, metric, &members),
            mean: sums[place].iter().map(|sum| sum / size).collect(),
            features: apart,
            inside: inside.as_ref().map(|inside| inside[cluster]),
        }
    };
    of.iter().enumerate().map(portrait).collect()
}

/// A row as distances see it.
fn shown(mut row: Vec<f64>, metric: Metric) -> Vec<f64> {
    if metric == Metric::Cosine {
        let largest = row.iter().fold(0.0_f64, |largest, value| largest.max(value.abs()));
        // Squares of what is within ±1 do not overflow.
        if largest > 0.0 {
            row.iter_mut().for_each(|value| *value /= largest);
        }
        let length = row.iter().map(|value| value * value).sum::<f64>().sqrt();
        if length > 0.0 {
            row.iter_mut().for_each(|value| *value /= length);
        }
    }
    row
}

fn add(sums: &mut [f64], row: &[f64]) {
    sums.iter_mut().zip(row).for_each(|(sum, value)| *sum += value);
}

/// Samples far from each other (Gonzalez, 1985), among members that are sorted by their distance to the
/// mean; the medoid, which comes first, is not among them.
fn exemplars(samples: &Matrix<'_>, metric: Metric, members: &[(f64, usize)]) -> Vec<usize> {
    let half = members.len().div_ceil(2).max(members.len().min(1 + EXEMPLARS));
    let pool: Vec<usize> =
        (0..half.min(POOL)).map(|number| members[number * half / half.min(POOL)].1).collect();
    let rows: Vec<Vec<f64>> =
        pool.iter().map(|&sample| shown(samples.row(sample), metric)).collect();
    let mut nearest = vec![f64::INFINITY; pool.len()];
    let mut chosen = vec![0];
    while chosen.len() <= EXEMPLARS.min(pool.len() - 1) {
        let last = &rows[chosen[chosen.len() - 1]];
        for (nearest, row) in nearest.iter_mut().zip(&rows) {
            let distance: f64 = row.iter().zip(last).map(|(a, b)| (a - b).powi(2)).sum();
            *nearest = nearest.min(distance);
        }
        let free = (0..pool.len()).filter(|number| !chosen.contains(number));
        // The first of equally far samples.
        let farthest = free.rev().max_by(|&a, &b| nearest[a].total_cmp(&nearest[b]));
        chosen.extend(farthest);
    }
    chosen[1..].iter().map(|&number| pool[number]).collect()
}

/// For each cluster the share of nearest neighbours that are in the same cluster, in percent.
fn inside(neighbors: &Neighbors, clusters: &Groups) -> Vec<f64> {
    let [mut shared, mut all] = [(); 2].map(|()| vec![0_usize; clusters.len()]);
    for (row, &cluster) in neighbors.index().outer_iter().zip(&clusters.of) {
        let there = row.iter().take_while(|&&near| near != Neighbors::NONE);
        for &near in there {
            all[cluster] += 1;
            shared[cluster] += usize::from(clusters.of[near as usize] == cluster);
        }
    }
    let share = |(shared, all): (usize, usize)| 100.0 * shared as f64 / all.max(1) as f64;
    shared.into_iter().zip(all).map(share).collect()
}

#[cfg(test)]
mod tests {
    use finch_core::{Finch, Run, Samples};
    use ndarray::Array2;

    use super::*;

    /// Two clusters of 30, apart in the second feature; the last feature is the same everywhere.
    fn samples() -> (Array2<f64>, Groups) {
        let value = |(sample, feature): (usize, usize)| {
            let noise = ((sample * 37 + feature * 11) % 17) as f64 / 17.0;
            match feature {
                1 => noise + if sample < 30 { 9.0 } else { 1.0 },
                3 => 2.0,
                _ => 1.0 + noise,
            }
        };
        let labels: Vec<u32> = (0..60).map(|sample| u32::from(sample < 30)).collect();
        (Array2::from_shape_fn((60, 4), value), Groups::new(&labels, &[]))
    }

    #[test]
    fn the_medoid_is_the_one_of_its_definition() {
        let (samples, clusters) = samples();
        let view = Samples::new(samples.view()).unwrap();
        let neighbors = Finch::new().nearest_neighbors(&view, 5, &mut Run::new()).unwrap();
        let matrix = Matrix::from(samples.view());
        for metric in [Metric::Euclidean, Metric::Cosine] {
            let found = portraits(&matrix, metric, &clusters, &[1, 0], Some(&neighbors), &[]);
            for (portrait, of) in found.iter().zip([0..30, 30..60]) {
                let distance = |a: usize, b: usize| {
                    let [a, b] = [a, b].map(|sample| shown(matrix.row(sample), metric));
                    a.iter().zip(&b).map(|(a, b)| (a - b).powi(2)).sum::<f64>()
                };
                let sum = |a: usize| of.clone().map(|b| distance(a, b)).sum::<f64>();
                let best = of.clone().min_by(|&a, &b| sum(a).total_cmp(&sum(b))).unwrap();
                assert!((sum(portrait.medoid) - sum(best)).abs() < 1e-9);
                assert_eq!(portrait.exemplars.len(), EXEMPLARS);
                assert!(
                    portrait.exemplars.iter().all(|it| of.contains(it) && *it != portrait.medoid)
                );
                assert_eq!(portrait.features[0].feature, 1);
                assert!(portrait.features.iter().all(|told| told.feature != 3 && !told.is_share));
                let [own, others] = portrait.features[0].means;
                let mean = |rows: std::ops::Range<usize>| {
                    samples.slice(ndarray::s![rows, 1]).mean().unwrap()
                };
                let rest = if of.start == 0 { 30..60 } else { 0..30 };
                assert!(
                    (own - mean(of.clone())).abs() < 1e-9 && (others - mean(rest)).abs() < 1e-9
                );
                assert_eq!(portrait.inside, Some(100.0));
            }
            assert!(found[0].features[0].by > 1.0 && found[1].features[0].by < -1.0);
            assert!((found[0].mean[1] - 9.5).abs() < 0.2);
        }
    }

    /// Points in time, in seconds, beside a feature that tells less.
    #[test]
    fn a_small_deviation_from_a_large_mean_tells() {
        let value = |(sample, feature): (usize, usize)| match feature {
            0 => 1.7e9 + if sample < 30 { 1.0 } else { 0.0 },
            _ => (sample % 3) as f64,
        };
        let samples = Array2::from_shape_fn((60, 2), value);
        let labels: Vec<u32> = (0..60).map(|sample| u32::from(sample < 30)).collect();
        let clusters = Groups::new(&labels, &[]);
        let matrix = Matrix::from(samples.view());
        let found = portraits(&matrix, Metric::Euclidean, &clusters, &[1], None, &[]);
        assert_eq!(found[0].features.len(), 1);
        let Difference { feature, by, .. } = found[0].features[0];
        assert!(feature == 0 && (by - 2.0).abs() < 1e-6, "{by}");
    }

    #[test]
    fn few_samples_and_equal_ones() {
        let one = Array2::from_elem((3, 2), 1.0);
        let clusters = Groups::new(&[0, 0, 1], &[]);
        let found =
            portraits(&Matrix::from(one.view()), Metric::Euclidean, &clusters, &[0, 1], None, &[]);
        assert_eq!((found[0].medoid, &found[0].exemplars[..]), (0, &[1][..]));
        assert_eq!((found[1].medoid, found[1].exemplars.len()), (2, 0));
        assert!(
            found.iter().all(|portrait| portrait.features.is_empty() && portrait.inside.is_none())
        );
    }
}
