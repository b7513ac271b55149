//! A k-d tree over the means of clusters that are being merged, asked for the closest cluster to one.
//!
//! Each node knows a box around its means, its least size and its least cluster number. A node
//! is passed over if a cluster of the node's least size and least number, at the nearest point of its
//! box, would not come before the closest cluster found so far. A merged cluster takes the place of
//! the larger of the two clusters that merge, whose mean is nearer to the merged mean, and the other
//! place stays empty: only the nodes above two leaves change. When half of the places are empty the
//! tree is built anew.

use std::ops::Range;

use rayon::prelude::*;

use super::clusters::{Clusters, MeanLinkage, Merging};
use crate::neighbors::kd_split::Halving;
use crate::run::progress::Meter;
use crate::samples::element::Element;
use crate::samples::metric::{Metric, squares};
use crate::support::memory::{collected, filled, gathered};
use crate::support::parallel::SharedSplitting as _;

/// The most clusters of a leaf.
const LEAF: usize = 8;

/// Clusters that a thread loads the means of at a time.
const LOADED: usize = 1024;

/// In place of a cluster's number, where there is no cluster.
const NOBODY: u32 = u32::MAX;

/// The closest cluster to another one.
#[derive(Clone, Copy, Debug, PartialEq, PartialOrd)]
pub(super) struct Closest {
    /// The height of a merge with the cluster.
    pub(super) height: f64,
    /// The cluster's number; of equally close ones the smallest.
    pub(super) cluster: u32,
}

impl Closest {
    const NOBODY: Self = Self { height: f64::INFINITY, cluster: NOBODY };
}

/// The clusters that are left, by their means.
pub(super) struct Tree {
    metric: Metric,
    linkage: MeanLinkage,
    width: usize,
    /// The number of the cluster at each place, leaf by leaf; [`NOBODY`] where it has merged.
    clusters: Vec<u32>,
    /// The number of samples of the cluster at each place.
    sizes: Vec<f64>,
    /// The mean of the cluster at each place.
    means: Vec<f64>,
    /// The same means as points (see [`Rows::load_point`]), where these are others.
    ///
    /// [`Rows::load_point`]: crate::samples::rows::Rows::load_point
    points: Option<Vec<f64>>,
    /// The place of each cluster of the start that is left.
    places: Vec<u32>,
    /// The nodes. A node is followed by the nodes of its lower half, and then by those of its upper
    /// half.
    least: Vec<Least>,
    /// The box of each node: the least and the greatest value of each feature.
    boxes: Vec<[f64; 2]>,
}

/// The least size and the least number of a node's clusters.
#[derive(Clone, Copy)]
struct Least {
    /// The smallest number of samples.
    size: f64,
    /// The smallest number of a cluster; [`NOBODY`] where all clusters have merged.
    cluster: u32,
}

impl Least {
    const NOBODY: Self = Self { size: f64::INFINITY, cluster: NOBODY };

    fn and(self, other: Self) -> Self {
        Self { size: self.size.min(other.size), cluster: self.cluster.min(other.cluster) }
    }
}

/// A node, by its place in the tree, and its leaves.
struct Node {
    index: usize,
    leaves: Range<usize>,
}

impl Node {
    fn children(&self) -> Option<[Self; 2]> {
        let Range { start, end } = self.leaves;
        let lower = (end - start).div_ceil(2);
        (end - start > 1).then(|| {
            let below = Self { index: self.index + 1, leaves: start..start + lower };
            let above = Self { index: self.index + 2 * lower, leaves: start + lower..end };
            [below, above]
        })
    }
}

impl Tree {
    /// A tree of all clusters. If the meter is stopped, searches in the tree find anything.
    pub(super) fn of<M: Element<Mean = M>>(clusters: &Clusters<M>, meter: &Meter) -> Self {
        let places = filled(0, clusters.len());
        Self::build(clusters, collected(0..clusters.len() as u32), places, meter)
    }

    /// The same clusters in a tree without empty places.
    pub(super) fn rebuilt<M: Element<Mean = M>>(
        self,
        clusters: &Clusters<M>,
        meter: &Meter,
    ) -> Self {
        let left = gathered(self.clusters().filter(|&cluster| cluster != NOBODY));
        Self::build(clusters, left, self.places, meter)
    }

    fn build<M: Element<Mean = M>>(
        clusters: &Clusters<M>,
        left: Vec<u32>,
        mut places: Vec<u32>,
        meter: &Meter,
    ) -> Self {
        let rows = clusters.rows();
        let width = rows.features();
        let load = |numbers: &(dyn Fn(usize) -> u32 + Sync), as_points: bool| {
            let mut means = filled(0.0, left.len() * width);
            means.par_chunks_mut(LOADED * width).enumerate().shared().for_each(|(part, means)| {
                for (at, mean) in means.chunks_exact_mut(width).enumerate() {
                    if !meter.stopped() {
                        let number = numbers(part * LOADED + at) as usize;
                        match as_points {
                            true => rows.load_point(number, mean),
                            false => rows.load(number, mean),
                        }
                    }
                }
            });
            means
        };
        let means = load(&|at| left[at], true);
        let mut order = collected(0..left.len() as u32);
        let value = |at: u32, axis: usize| coordinate(means[at as usize * width + axis]);
        Halving { width, leaf: LEAF, value, meter }.halve(&mut order);
        drop(means);
        let in_order = collected(order.iter().map(|&at| left[at as usize]));
        let means = load(&|place| in_order[place], false);
        let has_points = rows.metric == Metric::Cosine;
        let points = has_points.then(|| load(&|place| in_order[place], true));
        for (place, &cluster) in in_order.iter().enumerate() {
            places[cluster as usize] = place as u32;
        }
        let nodes = 2 * in_order.len().div_ceil(LEAF) - 1;
        let mut tree = Self {
            metric: clusters.metric,
            linkage: clusters.linkage,
            width,
            sizes: collected(in_order.iter().map(|&cluster| clusters.size(cluster))),
            clusters: in_order,
            means,
            points,
            places,
            least: filled(Least::NOBODY, nodes),
            boxes: filled([f64::INFINITY, f64::NEG_INFINITY], nodes * width),
        };
        tree.enclose(&tree.root(), &tree.root().leaves, meter);
        tree
    }

    /// The number of places, some of which may be empty.
    pub(super) fn len(&self) -> usize {
        self.clusters.len()
    }

    /// The clusters that are left, in an order in which near ones follow each other, and [`NOBODY`]
    /// at empty places.
    pub(super) fn clusters(&self) -> impl ExactSizeIterator<Item = u32> {
        self.clusters.iter().copied()
    }

    /// Merges cluster b into cluster a, which has the sum of the sizes and another mean.
    pub(super) fn join<M: Element<Mean = M>>(
        &mut self,
        [a, b]: [u32; 2],
        clusters: &Clusters<M>,
        meter: &Meter,
    ) {
        let [of_a, of_b] = [a, b].map(|cluster| self.places[cluster as usize] as usize);
        let a_is_larger = self.sizes[of_a] >= self.sizes[of_b];
        let [kept, emptied] = if a_is_larger { [of_a, of_b] } else { [of_b, of_a] };
        self.clusters[emptied] = NOBODY;
        self.clusters[kept] = a;
        self.places[a as usize] = kept as u32;
        self.sizes[kept] = clusters.size(a);
        let of_kept = kept * self.width..(kept + 1) * self.width;
        clusters.rows().load(a as usize, &mut self.means[of_kept.clone()]);
        if let Some(points) = &mut self.points {
            clusters.rows().load_point(a as usize, &mut points[of_kept]);
        }
        let [kept, emptied] = [kept, emptied].map(|place| place / LEAF);
        self.enclose(&self.root(), &(kept..kept + 1), meter);
        if emptied != kept {
            self.enclose(&self.root(), &(emptied..emptied + 1), meter);
        }
    }

    /// The closest cluster to one, of all others.
    pub(super) fn closest(&self, cluster: u32) -> Closest {
        self.search(cluster).closest
    }

    /// The number of places that are looked at for the closest cluster to one.
    pub(super) fn looks(&self, cluster: u32) -> usize {
        self.search(cluster).looks
    }

    fn search(&self, cluster: u32) -> Search<'_> {
        let place = self.places[cluster as usize] as usize;
        let size = self.sizes[place];
        let (mean, point) = (self.mean(place), self.point(place));
        let closest = Closest::NOBODY;
        let mut search = Search { tree: self, cluster, size, mean, point, closest, looks: 0 };
        search.visit(&self.root());
        search
    }

    fn root(&self) -> Node {
        Node { index: 0, leaves: 0..self.clusters.len().div_ceil(LEAF) }
    }

    fn mean(&self, place: usize) -> &[f64] {
        &self.means[place * self.width..][..self.width]
    }

    fn point(&self, place: usize) -> &[f64] {
        let points = self.points.as_ref().unwrap_or(&self.means);
        &points[place * self.width..][..self.width]
    }

    fn bounds(&self, node: usize) -> &[[f64; 2]] {
        &self.boxes[node * self.width..][..self.width]
    }

    fn places_of(&self, leaf: usize) -> Range<usize> {
        leaf * LEAF..self.clusters.len().min((leaf + 1) * LEAF)
    }

    /// Brings a node and the nodes below it up to date with some leaves that have changed.
    fn enclose(&mut self, node: &Node, changed: &Range<usize>, meter: &Meter) {
        let apart = node.leaves.end <= changed.start || changed.end <= node.leaves.start;
        if apart || meter.stopped() {
            return;
        }
        let (index, width) = (node.index, self.width);
        let Some(children) = node.children() else {
            self.enclose_leaf(node);
            return;
        };
        children.iter().for_each(|child| self.enclose(child, changed, meter));
        let [below, above] = children.map(|child| child.index);
        self.least[index] = self.least[below].and(self.least[above]);
        for axis in 0..width {
            let [below, above] = [below, above].map(|child| self.boxes[child * width + axis]);
            self.boxes[index * width + axis] = [below[0].min(above[0]), below[1].max(above[1])];
        }
    }

    fn enclose_leaf(&mut self, node: &Node) {
        let places = self.places_of(node.leaves.start);
        let boxes = &mut self.boxes[node.index * self.width..][..self.width];
        boxes.fill([f64::INFINITY, f64::NEG_INFINITY]);
        let mut least = Least::NOBODY;
        for place in places.filter(|&place| self.clusters[place] != NOBODY) {
            least = least.and(Least { size: self.sizes[place], cluster: self.clusters[place] });
            let points = self.points.as_ref().unwrap_or(&self.means);
            let point = &points[place * self.width..][..self.width];
            for ([low, high], &value) in boxes.iter_mut().zip(point) {
                *low = low.min(coordinate(value));
                *high = high.max(coordinate(value));
            }
        }
        self.least[node.index] = least;
    }
}

/// Where a mean lies along an axis. A mean without a direction, which is loaded as NaN, lies at the
/// origin: the squared distance of the origin and any direction, 1, is below the key, 2.
fn coordinate(value: f64) -> f64 {
    if value.is_nan() { 0.0 } else { value }
}

/// A search of the closest cluster to one, and what it has found.
struct Search<'a> {
    tree: &'a Tree,
    cluster: u32,
    size: f64,
    mean: &'a [f64],
    point: &'a [f64],
    closest: Closest,
    /// The number of places that have been looked at.
    looks: usize,
}

impl Search<'_> {
    /// Visits the clusters of a node that may be closer than what is found.
    fn visit(&mut self, node: &Node) {
        let Some(children) = node.children() else {
            self.compare(node);
            return;
        };
        let least = children.each_ref().map(|child| self.least(child.index));
        let order = if least[1] < least[0] { [1, 0] } else { [0, 1] };
        for child in order {
            if least[child] < self.closest {
                self.visit(&children[child]);
            }
        }
    }

    /// A lower bound, by height and then by number, of the clusters of a node.
    fn least(&self, node: usize) -> Closest {
        let Tree { metric, linkage, .. } = *self.tree;
        let Least { size, cluster } = self.tree.least[node];
        if cluster == NOBODY {
            return Closest::NOBODY;
        }
        let key = metric.key_to_box(self.point, self.tree.bounds(node));
        let height = linkage.least_height(metric, [self.size, size], key);
        Closest { height, cluster }
    }

    /// Compares the cluster with those of a leaf.
    fn compare(&mut self, leaf: &Node) {
        let Tree { metric, linkage, .. } = *self.tree;
        let places = self.tree.places_of(leaf.leaves.start);
        self.looks += places.len();
        for place in places {
            let cluster = self.tree.clusters[place];
            if cluster != NOBODY && cluster != self.cluster {
                if self.tree.points.is_some() {
                    // A look at the points, since the key takes longer.
                    let squared = squares(self.point, self.tree.point(place));
                    let sizes = [self.size, self.tree.sizes[place]];
                    let least = linkage.least_height(metric, sizes, metric.key_from(squared));
                    if least > self.closest.height {
                        continue;
                    }
                }
                let key = metric.key(self.mean, self.tree.mean(place));
                let height = linkage.height(metric, [self.size, self.tree.sizes[place]], key);
                let candidate = Closest { height, cluster };
                if candidate < self.closest {
                    self.closest = candidate;
                }
            }
        }
    }
}
