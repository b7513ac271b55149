//! The graph of nearest neighbours: links that training draws from, each as often as it is strong.

use finch_core::{Neighbors, Partition};
use ndarray::ArrayView1;
use rand::RngExt;
use rayon::prelude::*;

use crate::train::random::Random;

/// The number of times that the width of a sample's surroundings is halved or doubled: until it moves by
/// less than f64 can tell.
const BISECTIONS: usize = 64;
/// The least width, as a share of the mean distance: a sample with several copies has surroundings, too.
const LEAST_WIDTH: f64 = 1e-3;

/// Links between samples that are near each other.
pub(in crate::train) struct Graph {
    /// The two samples of each link, the smaller number first; in the order of numbers.
    links: Vec<[u32; 2]>,
    /// The strength of each link, from 0 to 1.
    strengths: Vec<f64>,
    /// The strengths of all links up to each one, added up.
    sums: Vec<f64>,
}

impl Graph {
    /// The graph of UMAP (McInnes et al., 2018, section 3.1) over the `k` nearest of each sample: a
    /// sample is linked to its nearest with strength 1 and to farther ones by less, so that all it is
    /// linked to have a strength of log₂ k together. Of two strengths, a of the one sample and b of the
    /// other, the link has a + b − ab.
    pub(in crate::train) fn of(neighbors: &Neighbors, k: usize) -> Self {
        let k = k.min(neighbors.k());
        let (index, distance) = (neighbors.index(), neighbors.distance());
        // Under cosine a zero row may have fewer neighbours, or none.
        let there = || distance.iter().filter(|distance| distance.is_finite());
        let mean = there().sum::<f64>() / there().count().max(1) as f64;
        let of_samples = (0..neighbors.samples()).into_par_iter().map(|sample| {
            let distances = distance.row(sample);
            let count = k.min(neighbors.count(sample));
            let strengths = strengths(distances.slice(ndarray::s![..count]), mean);
            let others = index.row(sample).to_vec();
            let link = move |(other, strength): (u32, f64)| {
                let sample = sample as u32;
                ([sample.min(other), sample.max(other)], strength)
            };
            others.into_iter().zip(strengths).map(link).collect::<Vec<_>>()
        });
        let mut directed: Vec<([u32; 2], f64)> = of_samples.flatten_iter().collect();
        directed.par_sort_unstable_by_key(|(link, _)| *link);
        let of_link = |directed: &[([u32; 2], f64)]| {
            (directed[0].0, directed.iter().fold(0.0, |a, (_, b)| a + b - a * b))
        };
        let (links, strengths): (Vec<_>, Vec<f64>) =
            directed.chunk_by(|(one, _), (other, _)| one == other).map(of_link).unzip();
        let mut sum = 0.0;
        let up_to = |strength: &f64| {
            sum += strength;
            sum
        };
        let sums = strengths.iter().map(up_to).collect();
        Self { links, strengths, sums }
    }

    /// Newman's modularity (2004) of a partition: how much more of the links' strength is within
    /// clusters than would be if their ends were linked at random.
    pub(in crate::train) fn modularity(&self, partition: &Partition) -> f64 {
        let labels = partition.labels();
        let mut ends = vec![0.0; partition.clusters()];
        let mut within = 0.0;
        for (link, strength) in self.links.iter().zip(&self.strengths) {
            let [one, other] = link.map(|sample| labels[sample as usize]);
            within += if one == other { *strength } else { 0.0 };
            ends[one as usize] += strength;
            ends[other as usize] += strength;
        }
        let all = self.sums.last().copied().unwrap_or(0.0).max(f64::MIN_POSITIVE);
        let expected = ends.iter().map(|ends| (ends / (2.0 * all)).powi(2)).sum::<f64>();
        within / all - expected
    }

    /// Draws a link, each as often as it is strong, and which of its samples comes first.
    pub(in crate::train) fn draw(&self, random: &mut Random) -> [usize; 2] {
        let place = random.random_range(0.0..self.sums[self.sums.len() - 1]);
        let link = self.sums.partition_point(|&sum| sum <= place);
        let [one, other] = self.links[link.min(self.links.len() - 1)].map(|sample| sample as usize);
        if random.random_bool(0.5) { [one, other] } else { [other, one] }
    }
}

/// The strengths of the links of a sample to others at these distances, ascending: 1 up to the first
/// distance above 0, and less beyond, such that the sum is log₂ of their number.
fn strengths(distances: ArrayView1<'_, f64>, mean: f64) -> Vec<f64> {
    let first = distances.iter().copied().find(|&distance| distance > 0.0).unwrap_or(0.0);
    let at = |width: f64| {
        distances.iter().map(move |&distance| (-(distance - first).max(0.0) / width).exp())
    };
    let sum = (distances.len() as f64).log2();
    let (mut low, mut high, mut width) = (0.0, f64::INFINITY, 1.0);
    for _ in 0..BISECTIONS {
        if at(width).sum::<f64>() > sum {
            high = width;
        } else {
            low = width;
        }
        width = if high.is_finite() { 0.5 * (low + high) } else { 2.0 * width };
    }
    // All equal to the nearest: any width would do, but for 0.
    at(width.max(LEAST_WIDTH * mean).max(f64::MIN_POSITIVE)).collect()
}

#[cfg(test)]
mod tests {
    use finch_core::{Finch, Run, Samples};
    use ndarray::Array2;

    use super::*;
    use crate::train::random::{Purpose, stream};

    fn graph(matrix: &Array2<f64>, k: usize) -> Graph {
        let samples = Samples::new(matrix.view()).unwrap();
        Graph::of(&Finch::new().nearest_neighbors(&samples, k, &mut Run::new()).unwrap(), k)
    }

    #[test]
    fn strengths_add_up_to_the_logarithm_of_their_number() {
        let distances = ndarray::arr1(&[0.0, 0.0, 0.3, 0.5, 0.8, 1.3, 2.1, 3.4]);
        for unit in [1e-6, 1.0, 1e6] {
            let found = strengths((&distances * unit).view(), unit);
            assert!((found.iter().sum::<f64>() - 3.0).abs() < 1e-9, "{found:?}");
            assert!(found[..3] == [1.0; 3] && found.is_sorted_by(|a, b| a >= b));
        }
        assert_eq!(strengths(ndarray::arr1(&[0.0; 8]).view(), 0.0), [1.0; 8]);
    }

    /// Each pair that is near is one link, and is drawn as often as it is strong, in either order.
    #[test]
    fn links_are_drawn_as_often_as_they_are_strong() {
        let place = |i: usize, _| [0.0, 1.0, 2.5, 10.0, 11.5, 13.0][i];
        let graph = graph(&Array2::from_shape_fn((6, 1), |(i, j)| place(i, j)), 2);
        let expected = [[0, 1], [0, 2], [1, 2], [3, 4], [3, 5], [4, 5]];
        assert_eq!(graph.links, expected);
        let random = &mut stream(0, Purpose::Epoch, 0);
        let mut drawn = [0.0; 6];
        let mut in_order = 0;
        const DRAWS: usize = 100_000;
        for _ in 0..DRAWS {
            let [one, other] = graph.draw(random);
            in_order += usize::from(one < other);
            let link = [one.min(other) as u32, one.max(other) as u32];
            drawn[expected.iter().position(|one| *one == link).unwrap()] += 1.0 / DRAWS as f64;
        }
        assert!(in_order.abs_diff(DRAWS / 2) < DRAWS / 100);
        for (drawn, strength) in drawn.iter().zip(&graph.strengths) {
            let share = strength / graph.sums[5];
            assert!((drawn - share).abs() < 0.01, "{drawn} for {share}");
        }
        let modularity = |labels: [u32; 6]| graph.modularity(&Partition::new(&labels).unwrap());
        assert!((modularity([0, 0, 0, 1, 1, 1]) - 0.5).abs() < 1e-12);
        assert!(modularity([0; 6]).abs() < 1e-12);
        assert!(modularity([0, 1, 2, 0, 1, 2]) < 0.0);
    }
}
