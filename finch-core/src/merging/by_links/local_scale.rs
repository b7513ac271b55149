//! The local scale of links, and the low weight of a link that reaches too far.

use crate::samples::metric::Metric;
use crate::support::memory::room;
use crate::support::repeated_sum::added;

/// The rank of the neighbour whose distance is the scale around a sample. A nearer one tells the scale by
/// chance, and a farther one may lie beyond a cluster of few samples.
const SCALE: usize = 4;
/// By how much the area that links may reach over is larger than k neighbours take in a plane, so that
/// the far ones among them do not count less by the chance in the scale alone.
const MARGIN: f64 = 1.5;
/// The mean of (second distance/fourth distance)² below which the nearest neighbours are taken to lie
/// along a curve. The mean is ½ in a plane, about 0.3 on a curve, and between them on a curve with noise.
const CURVE: f64 = 0.425;
/// The least t, on curves: links reach 0.84 times as far as the fourth neighbour before they weigh less.
const LEAST: f64 = 0.7;
/// The weight of a link of one shared neighbour that does not reach too far. The same link weighs 1 if it
/// reaches 1.6 times as far as it should.
pub(crate) const UNIT: u64 = 1 << 16;

/// Scales around samples, by which the links to their k nearest are weighed.
///
/// The link of samples i and j weighs UNIT · |N(i) ∩ N(j)| · min(1, t·rᵢrⱼ/ℓ²)¹², rounded, and at least 1.
/// N(i) is i and its k nearest, ℓ the distance of i and j, and rᵢ that of i and its fourth neighbour, not
/// counting those at distance 0. In a plane, ℓ² is about (k/4)·rᵢ² for the k-th neighbour of i, and less in
/// more dimensions: t is 1.5·k/4 · min(1, 2u)², at least 1, where u is the mean of rᵢ²/sᵢ² over the
/// samples, and s the distance of the eighth neighbour. In a plane u is ½, and on thin curves less.
///
/// Curves of few samples may be so near to each other that the fifth neighbour is on the next curve. Then u is
/// more than v, the mean of qᵢ²/rᵢ², where q is the distance of the second neighbour. Therefore t is multiplied
/// by min(1, v/min(u, 0.425))¹⁶, but not to less than 0.7. Of fewer than eight neighbours v tells too little,
/// and t stays.
///
/// Where there are fewer than four or eight neighbours, the last of them takes their place, and the one of
/// half its rank that of the fourth in u; where all are at distance 0, the scale is that of the other
/// sample of the link. Samples with eight neighbours at a distance count in u and v. Where samples have
/// lists of different lengths, k is the longest, and the last of a sample's own list takes the place of
/// those that the list lacks.
#[derive(Clone, Debug)]
pub(crate) struct Reach {
    metric: Metric,
    /// Of each sample the length r.
    scales: Vec<f64>,
    /// t, above.
    limit: f64,
}

impl Reach {
    /// Of samples that are so many copies each, and have so many nearest, at most `k`:
    /// `distance(sample, rank)` is the distance to a nearest copy, for these ranks from 0. Every copy
    /// counts in u.
    pub(crate) fn new(
        metric: Metric,
        k: usize,
        rows: impl ExactSizeIterator<Item = (u64, usize)>,
        distance: impl Fn(usize, usize) -> f64,
    ) -> Self {
        let (outer, scale) = (k.min(2 * SCALE), k.min(SCALE));
        let (inner, nearer) = (outer.div_ceil(2), scale.div_ceil(2));
        let mut scales = room(rows.len());
        let (mut sum, mut sum_nearer, mut counted) = (0.0, 0.0, 0_u64);
        for (sample, (copies, len)) in rows.enumerate() {
            let equal = (0..len).take_while(|&rank| distance(sample, rank) == 0.0).count();
            let at = |rank: usize| metric.length(distance(sample, (equal + rank).min(len) - 1));
            scales.push(if len == 0 { 0.0 } else { at(scale) });
            // Where too few are at a distance, they do not tell the dimension.
            if len > 0 && equal + outer <= len {
                let (ratio, ratio_nearer) = (at(inner) / at(outer), at(nearer) / at(scale));
                sum = added(sum, ratio * ratio, copies);
                sum_nearer = added(sum_nearer, ratio_nearer * ratio_nearer, copies);
                counted += copies;
            }
        }
        let [u, v] = match counted {
            0 => [0.5; 2],
            _ => [sum, sum_nearer].map(|sum| sum / counted as f64),
        };
        let thinness = (2.0 * u).min(1.0);
        let in_plane = MARGIN * k as f64 / scale.max(1) as f64;
        let limit = (in_plane * (thinness * thinness)).max(1.0);
        let along_curves = match k < 2 * SCALE {
            true => 1.0,
            // The sixteenth power, by products, which every machine rounds alike.
            false => (0..4).fold((v / u.min(CURVE)).min(1.0), |power, _| power * power),
        };
        Self { metric, scales, limit: (limit * along_curves).max(LEAST) }
    }

    /// The weight of the link of two samples that share so many neighbours.
    pub(crate) fn weight(&self, samples: [u32; 2], distance: f64, shared: u64) -> u64 {
        let length = self.metric.length(distance);
        let (one, other) = match samples.map(|sample| self.scales[sample as usize]).into() {
            (0.0, other) => (other, other),
            (one, 0.0) => (one, one),
            scales => scales,
        };
        if length == 0.0 || one == 0.0 {
            return shared * UNIT;
        }
        // A square might be too small or too large for a number.
        let share = self.limit * (one / length) * (other / length);
        if share >= 1.0 {
            return shared * UNIT;
        }
        // By products, which every machine rounds alike.
        let third = share * share * share;
        let sixth = third * third;
        (((shared * UNIT) as f64 * (sixth * sixth)).round() as u64).max(1)
    }
}

/// The weights of the links of N samples by their definition, N × N, for tests.
#[cfg(test)]
pub(crate) fn weights_by_definition(
    found: &crate::neighbors::Neighbors,
    metric: Metric,
) -> ndarray::Array2<u64> {
    let (samples, k) = (found.samples(), found.k());
    let place = |i: usize, j: usize| found.index().row(i).iter().position(|&n| n == j as u32);
    let near = |i: usize, j: usize| i == j || place(i, j).is_some();
    let lengths = |i: usize| -> Vec<f64> {
        let row = found.distance().row(i).to_vec().into_iter().take(found.count(i));
        row.map(|distance| metric.length(distance)).collect()
    };
    let apart = |i: usize| -> Vec<f64> {
        let lengths = lengths(i);
        lengths.into_iter().filter(|&length| length > 0.0).collect()
    };
    let scale = |i: usize| {
        let fourth = apart(i).get(k.min(4) - 1).copied();
        fourth.or_else(|| lengths(i).last().copied()).unwrap_or(0.0)
    };
    // The mean of the squared ratio of the distances of half a rank and of the rank.
    let ratio = |rank: usize| {
        let apart = (0..samples).map(apart).filter(|apart| apart.len() >= k.min(8));
        let squares: Vec<f64> =
            apart.map(|apart| (apart[rank.div_ceil(2) - 1] / apart[rank - 1]).powi(2)).collect();
        match squares.len() {
            0 => 0.5,
            count => squares.iter().sum::<f64>() / count as f64,
        }
    };
    let (u, v) = (ratio(k.min(8)), ratio(k.min(4)));
    let t = (1.5 * k as f64 / k.min(4) as f64 * (2.0 * u).min(1.0).powi(2)).max(1.0);
    let along_curves = match k < 8 {
        true => 1.0,
        false => (v / u.min(0.425)).min(1.0).powi(2).powi(2).powi(2).powi(2),
    };
    let t = (t * along_curves).max(0.7);
    ndarray::Array2::from_shape_fn((samples, samples), |(i, j)| {
        // As the smaller sees it, if it has the other as a neighbour.
        let (i, j) = if place(i.min(j), i.max(j)).is_some() {
            (i.min(j), i.max(j))
        } else {
            (i.max(j), i.min(j))
        };
        let Some(place) = place(i, j) else {
            return 0;
        };
        let common = (0..samples).filter(|&other| near(i, other) && near(j, other)).count() as f64;
        let [one, other] = [(i, j), (j, i)].map(|(one, other)| match scale(one) {
            0.0 => scale(other),
            scale => scale,
        });
        let length = lengths(i)[place];
        let share = match one == 0.0 || length == 0.0 {
            true => 1.0,
            false => (t * (one / length) * (other / length)).min(1.0),
        };
        (common * 65_536.0 * share.powi(3).powi(2).powi(2)).round().max(1.0) as u64
    })
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;
    use crate::merging::by_links::graph::{Graph, NearestLinks};
    use crate::neighbors::Neighbors;
    use crate::{Finch, Refine, Run, Samples};

    fn nearest(matrix: &Array2<f64>, k: usize, metric: Metric) -> Neighbors {
        let samples = Samples::new(matrix.view()).unwrap();
        Finch::new().metric(metric).nearest_neighbors(&samples, k, &mut Run::new()).unwrap()
    }

    /// The first neighbours of each row, another number of them for each.
    fn shortened(found: &Neighbors, seed: usize) -> Neighbors {
        let none = u32::MAX;
        let mut index = found.index().mapv(|near| if near == none { -1 } else { i64::from(near) });
        for ((row, place), other) in index.indexed_iter_mut() {
            let kept = if row == 0 { found.k() } else { (row * 7 + seed) % (found.k() + 1) };
            *other = if place < kept { *other } else { -1 };
        }
        Neighbors::given(index.view(), found.distance(), &mut Run::new()).unwrap()
    }

    /// Each link, whole rows and short ones, on random, tied, repeated and constant rows, and on curves.
    #[test]
    fn weights_are_as_defined() {
        for seed in 0..36_usize {
            let value = |row: usize, column: usize| match seed % 6 {
                0 => ((row * 37 + column * 11 + seed) as f64).sin(),
                1 => ((row * row + 3 * column * row + seed) % 7) as f64 + 1.0,
                2 => (row / 6) as f64 * 100.0 + ((row * 5 + column) % 6) as f64 + 1.0,
                3 => (row % 3 + 1) as f64,
                4 if column == 0 => (row % 14) as f64 + 1.0 + ((row * 7) as f64).sin() / 5.0,
                4 => (row / 14) as f64 * 2.5 + 1.0,
                _ => 4.0,
            };
            let matrix = Array2::from_shape_fn((40, 1 + seed % 3), |(i, j)| value(i, j));
            for metric in Metric::OF_NUMBERS.iter().copied() {
                for (k, ragged) in
                    [1, 2, 5, 9, 14].into_iter().flat_map(|k| [(k, false), (k, true)])
                {
                    let mut found = nearest(&matrix, k, metric);
                    if ragged {
                        found = shortened(&found, seed);
                    }
                    let links = NearestLinks::new(&found, k, metric);
                    let defined = weights_by_definition(&found, metric);
                    for i in 0..40_u32 {
                        for (j, distance) in links.links(i) {
                            // Of two that have each other, the smaller one notes the link.
                            if j < i && links.nearest(j).any(|other| other == i) {
                                continue;
                            }
                            let near = |i: u32| links.nearest(i).chain([i]).collect::<Vec<_>>();
                            let shared =
                                near(i).iter().filter(|sample| near(j).contains(sample)).count();
                            let weight = links.weight(i, j, distance, shared as u64);
                            let expected = defined[(i as usize, j as usize)];
                            assert_eq!(
                                weight, expected,
                                "seed {seed}, {metric:?}, k = {k}: {i} and {j}"
                            );
                        }
                    }
                }
            }
        }
    }

    /// The weights of all links to one of the nearest, if each shared three neighbours.
    fn weights_of_three(matrix: &Array2<f64>, k: usize) -> Array2<u64> {
        let found = nearest(matrix, k, Metric::Euclidean);
        let links = NearestLinks::new(&found, k, Metric::Euclidean);
        let samples = 0..matrix.nrows() as u32;
        let weights = samples.flat_map(|i| {
            links.links(i).map(|(j, distance)| links.weight(i, j, distance, 3)).collect::<Vec<_>>()
        });
        Array2::from_shape_vec((matrix.nrows(), k), weights.collect()).unwrap()
    }

    /// Whatever the unit of the features is.
    #[test]
    fn the_unit_does_not_matter() {
        let matrix = Array2::from_shape_fn((60, 2), |(i, j)| ((i * 31 + j * 7) as f64).sin());
        let expected = weights_of_three(&matrix, 9);
        assert!(expected.iter().any(|&weight| weight < 3 * UNIT));
        for power in [-300, -40, 3, 300] {
            let scaled = &matrix * 2_f64.powi(power);
            assert_eq!(weights_of_three(&scaled, 9), expected, "{power}");
        }
    }

    /// Three rows of 40 samples, two and a half times as far from each other as the samples of a row are: of
    /// the ten nearest of a sample most are in other rows.
    #[test]
    fn curves_of_few_samples_are_told_apart() {
        let matrix = Array2::from_shape_fn((120, 2), |(i, j)| match j {
            0 => (i % 40) as f64 + ((i * 7) as f64).sin() / 5.0,
            _ => (i / 40) as f64 * 2.5,
        });
        let samples = Samples::new(matrix.view()).unwrap();
        let hierarchy = Finch::new().fit(&samples).unwrap();
        let rows = Refine::new(3).run(&samples, &hierarchy).unwrap();
        assert!((0..120).all(|i| rows.labels()[i] as usize == i / 40));
    }

    /// A sample far from all others: its links reach too far, those among the others do not.
    #[test]
    fn a_far_link_weighs_little() {
        let matrix = array![[0.0], [1.0], [2.0], [3.0], [4.0], [5.0], [6.0], [1000.0]];
        let weights = weights_of_three(&matrix, 4);
        assert!(weights.row(7).iter().all(|&weight| weight < UNIT / 1000));
        assert!(weights.row(3).iter().all(|&weight| weight == 3 * UNIT));
    }
}
