//! Separation linkage, for clusters that no link joins: the nearest in units of their spreads, and the
//! smallest first.
//!
//! Ward linkage parts a few samples that are far from all others before it parts large clusters that are
//! near each other, since the squared distance grows without bound. Here its logarithm counts,
//!
//! ```text
//! height = min(a, b) · (1 + ln(1 + d²/(v + w + ε)))
//! ```
//!
//! for two clusters of a and b samples, the distance d of their means, and their spreads v and w, the mean squared
//! distances of samples to means before anything merged. So among clusters of about one size the nearest merge first,
//! and one that is many times smaller merges before these, however far it is from all. ε is a thousandth of the spread
//! of all clusters together, so that clusters of equal samples have a spread, too. (Before, d²/(d² + v + w) counted:
//! 15 samples that were 500 away from two clusters of 28 and 32 samples merged before these, which lay side by
//! side.)
//!
//! Of the clusters that a given one, an island, may merge with, the nearest has the least d²/w, where w is the
//! spread of that cluster alone. With v + w a ring of 30 islands around three large clusters becomes one
//! cluster, and the large ones merge before it is gone.

use std::cmp::Ordering;

use super::any_clusters::with_clusters;
use super::bounds::Bounds;
use super::clusters::{MeanLinkage, Merging};
use super::ruled::{closest_of, merge_clusters_by_rules};
use super::scan::merge_by_scan;
use crate::error::Result;
use crate::hierarchy::dendrogram::Merge;
use crate::merging::rules::Joins;
use crate::partition::Partition;
use crate::run::Run;
use crate::run::progress::Stage;
use crate::samples::AnySamples;
use crate::samples::metric::Metric;
use crate::samples::weights::Weights;
use crate::support::memory::{collected, filled, gathered};
use crate::support::union_find::Sets;

/// The share of the squared distances of means to the first one below which squared distances of samples to the
/// means of their clusters are rounding, of f32, too.
const ROUNDING: f64 = 1e-12;

/// One over the share of the spread of all clusters that is the least spread of two.
const PART: f64 = 1000.0;

/// Samples and what their means depend on.
pub(crate) struct Means<'s> {
    samples: AnySamples<'s>,
    weights: Option<&'s Weights>,
    metric: Metric,
}

impl<'s> Means<'s> {
    pub(crate) fn new(
        samples: &'s AnySamples<'_>,
        weights: Option<&'s Weights>,
        metric: Metric,
    ) -> Self {
        Self { samples: samples.reborrow(), weights, metric }
    }
}

/// Evaluates an expression for the clusters of a partition, whatever the type of their means.
macro_rules! with_spread {
    ($means:expr, $start:expr, $spread:ident => $body:expr) => {{
        let Means { samples, weights, metric } = $means;
        let (weights, metric, ward) = (*weights, *metric, MeanLinkage::Ward);
        with_clusters!(&samples.0, Of, samples => {
            let $spread = Spread::new($start, |start| {
                let clusters = Of::of(samples, weights, start, metric, ward);
                let squares = clusters.squares(samples, weights, start);
                (clusters, squares)
            });
            $body
        })
    }};
}

/// Merges the clusters of a partition by separation linkage until `clusters` are left, and returns the
/// merges.
pub(crate) fn merge_by_separation(
    means: &Means<'_>,
    start: &Partition,
    clusters: usize,
    run: &mut Run<'_>,
) -> Result<Vec<Merge>> {
    run.stage(
        Stage::Merge,
        (2 * start.clusters() - clusters) as u64,
        |meter| with_spread!(means, start, spread => merge_by_scan(spread, clusters, meter)),
    )
}

/// Merges the clusters of a partition by separation linkage until as many are left as are wanted, or no
/// two may join, and returns the merges.
pub(crate) fn merge_by_separation_and_rules(
    means: &Means<'_>,
    start: &Partition,
    joins: &mut Joins<'_>,
    run: &mut Run<'_>,
) -> Result<Vec<Merge>> {
    let parts = start.clusters().saturating_sub(joins.wanted());
    run.stage(
        Stage::Merge,
        parts as u64,
        |meter| with_spread!(means, start, spread => merge_clusters_by_rules(spread, joins, meter)),
    )
}

/// Clusters that are being merged, and their spreads.
struct Spread<C> {
    clusters: C,
    /// For each cluster the sum of the squared distances of its samples to the means of the clusters of the start.
    squares: Vec<f64>,
    /// ε, above.
    least: f64,
}

impl<C: Merging> Spread<C> {
    /// The clusters of a partition, by a function that computes means and `squares` of one.
    fn new(start: &Partition, of: impl Fn(&Partition) -> (C, Vec<f64>)) -> Self {
        let (clusters, squares) = of(start);
        let samples: f64 = (0..start.clusters() as u32).map(|cluster| clusters.size(cluster)).sum();
        // Of the means about the first one: near enough to all samples about all, which takes another pass.
        let (first, mut buffer) = (clusters.mean(0), clusters.mean(0));
        let apart = (0..start.clusters() as u32).map(|cluster| {
            let key = clusters.metric().finite(clusters.key(&first, cluster, &mut buffer));
            clusters.size(cluster) * clusters.metric().squared(key)
        });
        // Equal samples are at a distance from their mean by rounding alone.
        let total = match squares.iter().sum::<f64>() {
            total if total > apart.sum::<f64>() * ROUNDING => total,
            _ => of(&Partition::numbered(filled(0, start.samples()), 1)).1[0],
        };
        Self { clusters, squares, least: total / samples / PART }
    }

    /// The mean squared distance of the samples of a cluster to the means of the clusters of the start.
    fn of(&self, cluster: u32) -> f64 {
        self.squares[cluster as usize] / self.size(cluster)
    }
}

impl<C: Merging> Merging for Spread<C> {
    type Mean = C::Mean;

    fn metric(&self) -> Metric {
        self.clusters.metric()
    }

    fn linkage(&self) -> MeanLinkage {
        self.clusters.linkage()
    }

    fn len(&self) -> usize {
        self.clusters.len()
    }

    fn size(&self, cluster: u32) -> f64 {
        self.clusters.size(cluster)
    }

    fn mean(&self, cluster: u32) -> C::Mean {
        self.clusters.mean(cluster)
    }

    fn key(&self, mean: &C::Mean, other: u32, buffer: &mut C::Mean) -> f64 {
        self.clusters.key(mean, other, buffer)
    }

    fn join(&mut self, [a, b]: [u32; 2]) {
        // Without what the distance of the two means adds: the spread is that of the pieces, so that clusters
        // of several pieces are not wide, and near to all.
        let of_b = std::mem::take(&mut self.squares[b as usize]);
        self.squares[a as usize] += of_b;
        self.clusters.join([a, b]);
    }

    fn bounds(&self) -> Option<Bounds> {
        self.clusters.bounds()
    }

    fn update(&self, bounds: &mut Bounds, cluster: u32) {
        self.clusters.update(bounds, cluster);
    }

    fn height(&self, a: u32, b: u32, key: f64) -> f64 {
        let squared = self.metric().squared(key);
        let distance = match squared {
            0.0 => 0.0,
            f64::INFINITY => return f64::INFINITY,
            squared => logarithm(1.0 + squared / (self.of(a) + self.of(b) + self.least)),
        };
        f64::min(self.size(a), self.size(b)) * (1.0 + distance)
    }
}

/// The natural logarithm of a number from 1 on, straight between powers of two: at most 0.06 less than it is, and on
/// every machine alike, as the logarithm of a system's library is not.
fn logarithm(number: f64) -> f64 {
    const FRACTION: u64 = (1 << 52) - 1;
    const ONE: u64 = 1.0_f64.to_bits();
    let bits = number.to_bits();
    let exponent = (bits >> 52) - (ONE >> 52);
    let mantissa = f64::from_bits(bits & FRACTION | ONE);
    std::f64::consts::LN_2 * (exponent as f64 + (mantissa - 1.0))
}

/// The nearest cluster in units of spreads, among clusters that other means merge.
///
/// Means are computed when they are first asked for: most data has no clusters without links.
pub(crate) struct Nearest<'s> {
    means: Means<'s>,
    start: &'s Partition,
    found: Option<Found>,
}

struct Found {
    clusters: Box<dyn Near>,
    /// The numbers, of the start, of the clusters that there were when means were computed, rising.
    numbers: Vec<u32>,
    /// The places, among these, of the clusters that are left, and some that are gone.
    alive: Vec<u32>,
    /// For each of these places, true where the cluster is gone.
    gone: Vec<bool>,
    /// The number of places in `alive` whose cluster is gone.
    empty: usize,
}

impl<'s> Nearest<'s> {
    pub(crate) fn new(means: Means<'s>, start: &'s Partition) -> Self {
        Self { means, start, found: None }
    }

    /// The nearest of the clusters that a cluster may join, of equally near ones that with the smallest
    /// number; none where all are infinitely far. Clusters that share a set are one, whose number is the
    /// smallest.
    pub(crate) fn of(
        &mut self,
        cluster: u32,
        sets: &mut Sets,
        may: &(dyn Fn(u32) -> bool + Sync),
    ) -> Option<u32> {
        let Self { means, start, found } = self;
        let found = found.get_or_insert_with(|| Found::of(means, start, sets));
        let place = found.place(cluster);
        let Found { clusters, numbers, alive, gone, .. } = found;
        let others =
            |other: u32| other != place && !gone[other as usize] && may(numbers[other as usize]);
        let nearest = clusters.nearest(place, alive, &others)?;
        Some(numbers[nearest as usize])
    }

    /// Merges the second cluster into the first, which has the smaller number.
    pub(crate) fn join(&mut self, pair: [u32; 2]) {
        if let Some(found) = &mut self.found {
            found.join(pair);
        }
    }
}

impl Found {
    fn of(means: &Means<'_>, start: &Partition, sets: &mut Sets) -> Self {
        let clusters = start.clusters();
        let roots = collected((0..clusters as u32).map(|cluster| sets.root(cluster)));
        let mut same = Sets::new(clusters);
        roots.iter().zip(0..).for_each(|(&root, cluster)| same.join(root, cluster));
        let merged = start.coarsened(&Partition::of_sets(same));
        // Clusters are numbered by first appearance, here and there, and the smallest number of a set, its
        // root, is that of the cluster that appears first.
        let numbers =
            gathered((0..).zip(&roots).filter(|(at, root)| at == *root).map(|(at, _)| at));
        let clusters: Box<dyn Near> =
            with_spread!(means, &merged, spread => Box::new(spread) as Box<dyn Near>);
        let (alive, gone) = (collected(0..numbers.len() as u32), filled(false, numbers.len()));
        Self { clusters, numbers, alive, gone, empty: 0 }
    }

    fn place(&self, cluster: u32) -> u32 {
        self.numbers.binary_search(&cluster).expect("the cluster is one of these") as u32
    }

    fn join(&mut self, pair: [u32; 2]) {
        let places = pair.map(|cluster| self.place(cluster));
        self.clusters.merge(places);
        self.gone[places[1] as usize] = true;
        self.empty += 1;
        if 2 * self.empty > self.alive.len() {
            self.alive.retain(|&place| !self.gone[place as usize]);
            self.empty = 0;
        }
    }
}

/// Clusters of any type of means.
trait Near: Send {
    /// The nearest to a cluster of some that may be; none where all are infinitely far.
    fn nearest(
        &self,
        cluster: u32,
        others: &[u32],
        may: &(dyn Fn(u32) -> bool + Sync),
    ) -> Option<u32>;

    fn merge(&mut self, pair: [u32; 2]);
}

impl<C: Merging + Send> Near for Spread<C> {
    fn nearest(
        &self,
        cluster: u32,
        others: &[u32],
        may: &(dyn Fn(u32) -> bool + Sync),
    ) -> Option<u32> {
        let mean = self.mean(cluster);
        let distance = |other: u32, buffer: &mut C::Mean| {
            let squared = self.metric().squared(self.key(&mean, other, buffer));
            let in_spread = match squared {
                0.0 | f64::INFINITY => squared,
                squared => squared / (self.of(other) + self.least),
            };
            Distance { in_spread, squared }
        };
        let (nearest, other) = closest_of(others, may, || self.mean(cluster), distance)?;
        nearest.squared.is_finite().then_some(other)
    }

    fn merge(&mut self, pair: [u32; 2]) {
        self.join(pair);
    }
}

/// The squared distance of the mean of another cluster, as it is and in units of the spread of that cluster. The
/// greatest is the nearest.
#[derive(Clone, Copy, Debug, PartialEq)]
struct Distance {
    in_spread: f64,
    squared: f64,
}

impl Eq for Distance {}

impl Ord for Distance {
    fn cmp(&self, other: &Self) -> Ordering {
        let by_spreads = other.in_spread.total_cmp(&self.in_spread);
        by_spreads.then_with(|| other.squared.total_cmp(&self.squared))
    }
}

impl PartialOrd for Distance {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}

#[cfg(test)]
mod tests {
    use ndarray::{Array2, array};

    use super::*;
    use crate::samples::Samples;

    /// Merges the clusters of these labels down to one.
    fn merged(matrix: &Array2<f64>, labels: &[u32], metric: Metric) -> Vec<Merge> {
        let samples = Samples::new(matrix.view()).unwrap();
        let samples = samples.any();
        let start = Partition::new(labels).unwrap();
        let means = Means::new(&samples, None, metric);
        merge_by_separation(&means, &start, 1, &mut Run::new()).unwrap()
    }

    /// Places of five samples each, but for the last one, of one sample: the nearest places of one size merge
    /// first, and the small one before large ones that are much nearer to each other.
    #[test]
    fn small_clusters_merge_first_and_then_near_ones() {
        let places = [0.0, 1000.0, 1040.0, -3000.0];
        let matrix = Array2::from_shape_fn((16, 1), |(row, _)| places[row / 5] + (row % 5) as f64);
        let labels: Vec<u32> = (0..16).map(|row| row / 5).collect();
        let merges = merged(&matrix, &labels, Metric::Euclidean);
        let pairs: Vec<_> = merges.iter().map(|merge| merge.clusters).collect();
        assert_eq!(pairs, [[0, 3], [1, 2], [0, 1]]);
        // Of five samples each, 2 is the spread, and of all 30/16.
        let apart = 1600.0 / (4.0 + 30.0 / 16.0 / PART);
        assert_eq!(merges[1].height, 5.0 * (1.0 + logarithm(1.0 + apart)));
    }

    /// Of one size, or about one, the nearest merge first: two side by side before one that is half as large and
    /// far from both; of repeated samples, too.
    #[test]
    fn among_clusters_of_about_one_size_distances_decide() {
        for (step, first) in [(1.0, 0.0), (0.0, 0.0), (0.0, 0.1), (0.0, 0.7)] {
            let places = [500.0, 0.0, 12.0].map(|place| place + first);
            let of = |row: usize| if row < 15 { 0 } else { 1 + (row - 15) / 30 };
            let matrix = Array2::from_shape_fn((75, 1), |(row, _)| {
                places[of(row)] + step * (row % 5) as f64
            });
            let labels: Vec<u32> = (0..75).map(|row| of(row) as u32).collect();
            let merges = merged(&matrix, &labels, Metric::Euclidean);
            let pairs: Vec<_> = merges.iter().map(|merge| merge.clusters).collect();
            assert_eq!(pairs, [[1, 2], [0, 1]]);
        }
    }

    #[test]
    fn equal_places_and_zero_rows() {
        let matrix =
            array![[1.0, 1.0], [1.0, 1.0], [0.0, 0.0], [0.0, 0.0], [-1.0, 3.0], [2.0, 2.0]];
        let merges = merged(&matrix, &[0, 0, 1, 1, 2, 3], Metric::Cosine);
        let heights: Vec<_> = merges.iter().map(|merge| merge.height).collect();
        assert_eq!(merges[0].clusters, [0, 3]);
        assert_eq!((heights[0], heights[2]), (1.0, f64::INFINITY));
        assert_eq!(merges[2].clusters[1], 1);
    }

    #[test]
    fn the_logarithm_rises_and_is_near_that_of_the_system() {
        let mut last = -1.0;
        for number in (0..2_000).map(|step| 1.0 + f64::powi(1.02, step) - 1.0) {
            let found = logarithm(number);
            assert!(
                found > last && (f64::ln(number) - 0.06..=f64::ln(number) + 1e-12).contains(&found),
                "{number}"
            );
            last = found;
        }
        assert_eq!((logarithm(1.0), logarithm(8.0)), (0.0, 3.0 * std::f64::consts::LN_2));
    }

    /// In units of the spread of the other cluster: a wide one that is farther than a tight one is nearer.
    #[test]
    fn the_nearest_is_the_least_number_of_spreads_away() {
        let matrix = array![[0.0], [0.1], [5.0], [5.1], [-20.0], [-8.0]];
        let samples = Samples::new(matrix.view()).unwrap();
        let samples = samples.any();
        let start = Partition::new(&[0, 0, 1, 1, 2, 2]).unwrap();
        let (mut sets, means) = (Sets::new(3), Means::new(&samples, None, Metric::Euclidean));
        let mut nearest = Nearest::new(means, &start);
        assert_eq!(nearest.of(0, &mut sets, &|_| true), Some(2));
        assert_eq!(nearest.of(0, &mut sets, &|other| other == 1), Some(1));
        assert_eq!(nearest.of(0, &mut sets, &|_| false), None);
        sets.join(0, 2);
        nearest.join([0, 2]);
        assert_eq!(nearest.of(1, &mut sets, &|_| true), Some(0));
    }
}
