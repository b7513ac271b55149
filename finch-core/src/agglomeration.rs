//! Merging the two clusters with the closest means, again and again (Algorithm 2).
//!
//! The paper's listing recomputes all first neighbours after each merge and keeps the shortest link.
//! The shortest link joins the globally closest pair. So it is enough to keep, for every cluster, the
//! closest cluster with a larger number, and to search it anew only where it is in doubt. This is the
//! generic algorithm of Müllner, "Modern hierarchical, agglomerative clustering algorithms", 2011,
//! Fig. 3, which holds for centroid linkage too, whose heights may fall. There is no C × C matrix, and
//! in many dimensions a [`Projection`] rules out most distances.

use ndarray::{Array2, ArrayView1, ArrayViewMut1, Zip};
use rayon::prelude::*;

use crate::dendrogram::Merge;
use crate::element::Element;
use crate::error::Result;
use crate::means::sums;
use crate::memory::{collected, collected_in_parallel, expect_room, filled, push, room};
use crate::metric::Metric;
use crate::partition::Partition;
use crate::progress::{Meter, Stage};
use crate::projection::Projection;
use crate::rows::Rows;
use crate::run::Run;
use crate::samples::{AnySamples, Samples, with_element};

/// Axes of the projection. MNIST-70k from 12,691 clusters to 10 on two cores, by centroid and by Ward
/// linkage: 4.5 and 6.4 s with 16 axes, 3.4 and 4.6 s with 32, 6 and 10 s with 64, and 40 and 71 s
/// without a projection.
const AXES: usize = 32;
/// The fewest features for which a projection pays.
const PROJECTED_FEATURES: usize = 3 * AXES;
/// Clusters that one thread compares with a cluster at a time.
const CHUNK: usize = 1024;

/// Which two clusters are closest, by their means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum MeanLinkage {
    Centroid,
    Ward,
}

/// Merges the clusters of a partition until `clusters` are left, and returns the merges.
pub(crate) fn merge_by_means(
    samples: AnySamples<'_>,
    start: &Partition,
    metric: Metric,
    linkage: MeanLinkage,
    clusters: usize,
    run: &mut Run<'_>,
) -> Result<Vec<Merge>> {
    with_element!(samples, samples => {
        merge_means_of(samples, start, metric, linkage, clusters, run)
    })
}

fn merge_means_of<A: Element>(
    samples: &Samples<'_, A>,
    start: &Partition,
    metric: Metric,
    linkage: MeanLinkage,
    clusters: usize,
    run: &mut Run<'_>,
) -> Result<Vec<Merge>> {
    // One part for each distance: all pairs at first, then a row for each merge.
    let parts = start.clusters() * (2 * start.clusters() - clusters);
    run.stage(Stage::Merge, parts as u64, |meter| {
        Agglomeration::new(samples, start, metric, linkage).merge(clusters, meter)
    })
}

/// Clusters that are being merged. A merged cluster keeps the smaller of its two numbers.
struct Agglomeration<M> {
    metric: Metric,
    linkage: MeanLinkage,
    sums: Array2<f64>,
    sizes: Vec<usize>,
    means: Array2<M>,
    bounds: Option<Bounds>,
    /// The numbers of the clusters that are left, rising.
    alive: Vec<u32>,
    /// For each cluster, the closest one among the clusters with larger numbers.
    closest: Vec<Closest>,
}

/// The closest partner of a cluster, for the next merge.
#[derive(Clone, Copy)]
struct Closest {
    /// How close the partner is; the pair with the smallest height merges next.
    height: f64,
    /// The partner's number.
    cluster: u32,
    /// False where the partner has changed since it was found. No cluster is then closer than
    /// `height`, but the closest one has to be searched anew.
    settled: bool,
}

impl Closest {
    const NONE: Self = Self { height: f64::INFINITY, cluster: u32::MAX, settled: true };

    fn or(self, other: Self) -> Self {
        let first = (other.height, other.cluster) < (self.height, self.cluster);
        if first { other } else { self }
    }
}

impl<M: Element<Mean = M>> Agglomeration<M> {
    fn new<A: Element<Mean = M>>(
        samples: &Samples<'_, A>,
        start: &Partition,
        metric: Metric,
        linkage: MeanLinkage,
    ) -> Self {
        let (sums, sizes) = (sums(samples, start), start.cluster_sizes());
        expect_room(sums.len() * size_of::<M>());
        let mut means = sums.mapv(|_| M::default());
        for ((mut mean, sum), &size) in means.outer_iter_mut().zip(sums.outer_iter()).zip(&sizes) {
            average(&mut mean, sum, size);
        }
        let rows = Rows::new(Samples::checked(means.view()), metric);
        let bounds = (rows.features() >= PROJECTED_FEATURES).then(|| Bounds::of(&rows));
        Self {
            metric,
            linkage,
            sums,
            sizes,
            means,
            bounds,
            alive: collected(0..start.clusters() as u32),
            closest: filled(Closest::NONE, start.clusters()),
        }
    }

    /// Merges until `clusters` are left, and returns the merges; where it is stopped, any merges.
    fn merge(mut self, clusters: usize, meter: &Meter) -> Vec<Merge> {
        let closest = (0..self.alive.len()).into_par_iter().map(|at| {
            if meter.stopped() {
                return Closest::NONE;
            }
            meter.advance(self.alive.len() as u64);
            self.search(at)
        });
        self.closest = collected_in_parallel(closest);
        let parts = self.alive.len() as u64;
        let mut merges = room(self.alive.len().saturating_sub(clusters));
        while self.alive.len() > clusters && !meter.stopped() {
            let merge = self.closest_pair();
            self.join(merge.clusters);
            merges.push(merge);
            meter.advance(parts);
        }
        merges
    }

    /// The closest pair a < b; of equally close ones that with the smallest a, then b.
    fn closest_pair(&mut self) -> Merge {
        loop {
            let height = |at: &usize| self.closest[self.alive[*at] as usize].height;
            let at = (0..self.alive.len())
                .reduce(|a, b| if height(&b) < height(&a) { b } else { a })
                .expect("a cluster is left");
            let a = self.alive[at];
            let Closest { cluster: b, settled, height } = self.closest[a as usize];
            if settled {
                return Merge { clusters: [a, b], height };
            }
            self.closest[a as usize] = self.search(at);
        }
    }

    /// Merges cluster b into cluster a < b.
    fn join(&mut self, [a, b]: [u32; 2]) {
        let [ia, ib] = [a, b].map(|cluster| cluster as usize);
        self.sizes[ia] += self.sizes[ib];
        let gone = self.sums.row(ib).to_owned();
        let mut kept = self.sums.row_mut(ia);
        kept += &gone;
        average(&mut self.means.row_mut(ia), kept.view(), self.sizes[ia]);
        if let Some(mut bounds) = self.bounds.take() {
            bounds.update(&self.rows(), ia);
            self.bounds = Some(bounds);
        }
        self.alive.retain(|&cluster| cluster != b);

        for &c in &self.alive {
            let closest = &mut self.closest[c as usize];
            closest.settled &= closest.cluster != a && closest.cluster != b;
        }
        let at = self.alive.partition_point(|&cluster| cluster < a);
        let nearer = self.alive[..at].par_chunks(CHUNK).map(|others| {
            let mut pairs = Pairs::of(self, a);
            let mut nearer = Vec::new();
            for &c in others {
                if self.lower_bound(a, c) <= self.closest[c as usize].height {
                    push(&mut nearer, (c, pairs.height(c)));
                }
            }
            nearer
        });
        let nearer: Vec<Vec<(u32, f64)>> = collected_in_parallel(nearer);
        for (c, height) in nearer.into_iter().flatten() {
            let closest = &mut self.closest[c as usize];
            let tie = height == closest.height && closest.settled && a < closest.cluster;
            if height < closest.height || tie {
                *closest = Closest { height, cluster: a, settled: true };
            }
        }
        self.closest[ia] = self.search(at);
    }

    /// The closest cluster to the one at place `at` of `alive`, among the clusters with larger
    /// numbers.
    fn search(&self, at: usize) -> Closest {
        let a = self.alive[at];
        self.alive[at + 1..]
            .par_chunks(CHUNK)
            .map(|others| {
                let mut pairs = Pairs::of(self, a);
                let mut closest = Closest::NONE;
                let mut offer = |c: u32| {
                    let candidate = Closest { height: pairs.height(c), cluster: c, settled: true };
                    closest = closest.or(candidate);
                    closest.height
                };
                let lower: Vec<f64> = others.iter().map(|&c| self.lower_bound(a, c)).collect();
                // The cluster with the smallest lower bound first: few others then pass the limit.
                let promising = (0..others.len())
                    .reduce(|i, j| if lower[j] < lower[i] { j } else { i })
                    .expect("a chunk has at least one cluster");
                let mut limit = offer(others[promising]);
                for (&c, &lower) in others.iter().zip(&lower) {
                    if lower <= limit {
                        limit = offer(c);
                    }
                }
                closest
            })
            .reduce(|| Closest::NONE, Closest::or)
    }

    /// How close two clusters are, from the key of their means: the key itself for centroid linkage,
    /// the weighted squared distance for Ward's. The height rises with the key, also when rounded.
    fn height(&self, a: u32, b: u32, key: f64) -> f64 {
        let [a, b] = [a, b].map(|cluster| self.sizes[cluster as usize] as f64);
        match self.linkage {
            MeanLinkage::Centroid => key,
            MeanLinkage::Ward => a * b / (a + b) * self.metric.squared(key),
        }
    }

    /// A lower bound of the pair's height.
    fn lower_bound(&self, a: u32, b: u32) -> f64 {
        let squared = self.bounds.as_ref().map_or(0.0, |bounds| bounds.squared(a, b));
        self.height(a, b, self.metric.key_from(squared))
    }

    fn rows(&self) -> Rows<'_, M> {
        Rows::new(Samples::checked(self.means.view()), self.metric)
    }
}

fn average<M: Element<Mean = M>>(
    mean: &mut ArrayViewMut1<'_, M>,
    sum: ArrayView1<'_, f64>,
    size: usize,
) {
    Zip::from(mean).and(sum).for_each(|mean, sum| *mean = M::mean(sum / size as f64));
}

/// One cluster, to be compared with many.
struct Pairs<'a, M> {
    clusters: &'a Agglomeration<M>,
    a: u32,
    mean: Vec<f64>,
    other: Vec<f64>,
}

impl<'a, M: Element<Mean = M>> Pairs<'a, M> {
    fn of(clusters: &'a Agglomeration<M>, a: u32) -> Self {
        let rows = clusters.rows();
        let mut mean = vec![0.0; rows.features()];
        rows.load(a as usize, &mut mean);
        Self { clusters, a, other: mean.clone(), mean }
    }

    fn height(&mut self, b: u32) -> f64 {
        self.clusters.rows().load(b as usize, &mut self.other);
        let key = self.clusters.metric.key(&self.mean, &self.other);
        self.clusters.height(self.a, b, key)
    }
}

/// Projected means, and what rounding may add to a distance between them.
struct Bounds {
    projection: Projection,
    projected: Array2<f64>,
    slack: f64,
}

impl Bounds {
    fn of<M: Element>(rows: &Rows<'_, M>) -> Self {
        let projection = Projection::of(rows, AXES, || false);
        expect_room(rows.len() * projection.len() * size_of::<f64>());
        let mut projected = Array2::zeros((rows.len(), projection.len()));
        let mut row = filled(0.0, rows.features());
        // The mean of merged clusters lies between the means that merge, and a direction on the
        // sphere: so the longest row of the start stays the longest.
        let mut longest: f64 = if rows.metric == Metric::Cosine { 4.0 } else { 0.0 };
        for (index, mut projected) in projected.outer_iter_mut().enumerate() {
            rows.load(index, &mut row);
            let projected = projected.as_slice_mut().expect("a new matrix is row-major");
            longest = longest.max(projection.project(&mut row, projected));
        }
        // With rows of length L from the centre, projecting and summing d products rounds each of
        // the p + 1 coordinates by at most about d·ε·L, and so a squared distance of at most (2L)²
        // by 4·√p·d·ε·L² to first order; p in place of √p, and doubled for the rounding of the axes
        // and of means to f32.
        let slack = 8.0 * longest * (AXES * rows.features()) as f64 * f64::EPSILON;
        Self { projection, projected, slack }
    }

    fn update<M: Element>(&mut self, rows: &Rows<'_, M>, cluster: usize) {
        let mut row = filled(0.0, rows.features());
        rows.load(cluster, &mut row);
        let mut projected = self.projected.row_mut(cluster);
        let projected = projected.as_slice_mut().expect("rows of a row-major matrix");
        self.projection.project(&mut row, projected);
    }

    /// A lower bound of the squared distance of two means; 0 for a mean without a direction.
    fn squared(&self, a: u32, b: u32) -> f64 {
        let row = |cluster: u32| {
            let start = cluster as usize * self.projected.ncols();
            &self.projected.as_slice().expect("row-major")[start..start + self.projected.ncols()]
        };
        // Also for Manhattan, whose distances are never below the Euclidean ones.
        let squared = Metric::Euclidean.key(row(a), row(b));
        f64::max(squared * (1.0 - 1e-9) - self.slack, 0.0)
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::{Finch, Linkage, Refine};

    /// Algorithm 2 as listed: all distances anew for each merge, the shortest link merges.
    fn by_the_listing(
        samples: &Samples<'_, f64>,
        start: &Partition,
        metric: Metric,
        linkage: MeanLinkage,
        clusters: usize,
    ) -> Partition {
        let mut sums = sums(samples, start);
        let mut sizes = start.sizes();
        let mut labels = start.labels().to_vec();
        let mut alive: Vec<usize> = (0..start.clusters()).collect();
        while alive.len() > clusters {
            let mut means = sums.clone();
            for (mut mean, &size) in means.outer_iter_mut().zip(&sizes) {
                mean /= size as f64;
            }
            let rows = Rows::new(Samples::checked(means.view()), metric);
            let load = |cluster: usize| {
                let mut row = vec![0.0; rows.features()];
                rows.load(cluster, &mut row);
                row
            };
            let mut best = (f64::INFINITY, 0, 0);
            for (i, &a) in alive.iter().enumerate() {
                for &b in &alive[i + 1..] {
                    let key = metric.key(&load(a), &load(b));
                    let [m, n] = [sizes[a], sizes[b]].map(|size| size as f64);
                    let height = match linkage {
                        MeanLinkage::Centroid => key,
                        MeanLinkage::Ward => m * n / (m + n) * metric.squared(key),
                    };
                    if height < best.0 {
                        best = (height, a, b);
                    }
                }
            }
            let (_, a, b) = best;
            let gone = sums.row(b).to_owned();
            sums.row_mut(a).zip_mut_with(&gone, |kept, gone| *kept += gone);
            sizes[a] += sizes[b];
            labels.iter_mut().filter(|l| **l == b as u32).for_each(|label| *label = a as u32);
            alive.retain(|&cluster| cluster != b);
        }
        Partition::new(&labels).unwrap()
    }

    #[test]
    fn merges_as_listed() {
        for (samples, features) in [(60, 1), (60, 2), (45, PROJECTED_FEATURES + 5)] {
            let value = |row: usize, column: usize| (row * row + 3 * column * row) % 11;
            let tied = Array2::from_shape_fn((samples, features), |(row, column)| {
                value(row, column) as f64
            });
            let spread = Array2::from_shape_fn((samples, features), |(row, column)| {
                ((row * 31 + column * 17) as f64).sin() * (1 + row % 7) as f64
            });
            for matrix in [tied, spread] {
                let samples = Samples::new(matrix.view()).unwrap();
                for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
                    let hierarchy = Finch::new().metric(metric).fit(&samples).unwrap();
                    let start = hierarchy.finest();
                    for (linkage, by_means) in [
                        (Linkage::Centroid, MeanLinkage::Centroid),
                        (Linkage::Ward, MeanLinkage::Ward),
                    ] {
                        for clusters in 1..=start.clusters() {
                            let listed =
                                by_the_listing(&samples, start, metric, by_means, clusters);
                            let refine = Refine::new(clusters).linkage(linkage).from(0);
                            let refined = refine.run(&samples, &hierarchy).unwrap();
                            assert_eq!(refined, listed, "{metric:?} {linkage:?} {clusters}");
                        }
                    }
                }
            }
        }
    }

    /// A merged cluster may come to lie as far from a third cluster as the third's closest cluster,
    /// and goes first if its number is smaller.
    #[test]
    fn a_merged_cluster_wins_ties_by_its_number() {
        let matrix = ndarray::array![[0.0, 0.0], [10.0, 2.0], [10.0, -2.0], [-10.0, 0.0]];
        let samples = Samples::new(matrix.view()).unwrap();
        let alone = Partition::new(&[0, 1, 2, 3]).unwrap();
        let (metric, linkage) = (Metric::Euclidean, MeanLinkage::Centroid);
        let listed = by_the_listing(&samples, &alone, metric, linkage, 2);
        let mut run = Run::new();
        let merges = merge_by_means(samples.any(), &alone, metric, linkage, 2, &mut run).unwrap();
        let merged = crate::Dendrogram::new(&alone, merges).coarsest().unwrap();
        assert_eq!(merged, listed);
        assert_eq!(merged.labels(), [0, 0, 0, 1]);
    }
}
