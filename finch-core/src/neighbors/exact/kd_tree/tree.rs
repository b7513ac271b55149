//! A k-d tree over points, asked for what is near to all points of a leaf at once.
//!
//! Points are halved until at most [`LEAF`] are left (see `neighbors/kd_split.rs`). Each node knows the box
//! around its points. A query is a leaf: nodes whose box is beyond the limits of all of its points are
//! passed over, and the points of the leaves that are left are compared with it a vector at a time.
//!
//! Rejected: the immutable tree of the kiddo crate. Its dimension is a constant, so that it is compiled
//! for each number of features, 16 times; it goes down from the root for each point, and slows down
//! where thousands of points coincide.

use super::points::Points;
use crate::neighbors::exact::tuning::MOST_COORDINATES;
use crate::neighbors::kd_split::Halving;
use crate::run::progress::Meter;
use crate::support::memory::{collected, filled};
use crate::support::simd::{stored, vectorized};

/// The most points of a leaf.
pub(in crate::neighbors::exact) const LEAF: usize = 16;

/// One coordinate of all points of a leaf.
pub(super) type Lanes = [f64; LEAF];

/// Points in a tree.
pub(in crate::neighbors::exact) struct KdTree {
    width: usize,
    /// The points by leaf.
    points: Vec<u32>,
    /// The coordinates of each leaf, coordinate by coordinate; infinite where it has no point.
    coordinates: Vec<Lanes>,
    /// The box of each node: for each coordinate the least value, then for each the greatest. A node is
    /// followed by the nodes of its lower half, and then by those of its upper half.
    boxes: Vec<f64>,
}

impl KdTree {
    /// A tree of at least one point.
    pub(in crate::neighbors::exact) fn of(points: &Points, meter: &Meter) -> Self {
        let width = points.width;
        let mut order: Vec<u32> = collected(0..points.len() as u32);
        let value = |point: u32, axis: usize| points.of_point(point)[axis];
        Halving { width, leaf: LEAF, value, meter }.halve(&mut order);
        let leaves = order.len().div_ceil(LEAF);
        let mut coordinates = filled([f64::INFINITY; LEAF], leaves * width);
        for (leaf, points_of_leaf) in coordinates.chunks_exact_mut(width).zip(order.chunks(LEAF)) {
            for (lane, &point) in points_of_leaf.iter().enumerate() {
                let values = leaf.iter_mut().zip(points.of_point(point));
                values.for_each(|(lanes, value)| lanes[lane] = *value);
            }
        }
        let mut boxes = filled(0.0, (2 * leaves - 1) * 2 * width);
        enclose(&coordinates, width, &mut boxes);
        Self { width, points: order, coordinates, boxes }
    }

    /// The number of leaves.
    pub(in crate::neighbors::exact) fn leaves(&self) -> usize {
        self.points.len().div_ceil(LEAF)
    }

    /// The points of a leaf.
    pub(in crate::neighbors::exact) fn points(&self, leaf: usize) -> &[u32] {
        &self.points[leaf * LEAF..self.points.len().min((leaf + 1) * LEAF)]
    }

    /// The coordinates of a leaf, coordinate by coordinate.
    pub(super) fn lanes(&self, leaf: usize) -> &[Lanes] {
        &self.coordinates[leaf * self.width..][..self.width]
    }

    /// The box of a node: the least values, and the greatest.
    pub(super) fn bounds(&self, node: usize) -> (&[f64], &[f64]) {
        self.boxes[node * 2 * self.width..][..2 * self.width].split_at(self.width)
    }
}

/// The rule by which the distances of coordinates add up to that of points.
pub(in crate::neighbors::exact) trait Norm: Copy {
    /// The amount that a difference along one coordinate adds.
    fn term(self, difference: f64) -> f64;
}

/// Squared Euclidean distances.
#[derive(Clone, Copy)]
pub(in crate::neighbors::exact) struct Squares;

impl Norm for Squares {
    #[inline(always)]
    fn term(self, difference: f64) -> f64 {
        difference * difference
    }
}

/// Manhattan distances.
#[derive(Clone, Copy)]
pub(in crate::neighbors::exact) struct Magnitudes;

impl Norm for Magnitudes {
    #[inline(always)]
    fn term(self, difference: f64) -> f64 {
        difference.abs()
    }
}

/// One leaf that asks for what is near to its points.
pub(in crate::neighbors::exact) struct Query<'a, N> {
    pub(in crate::neighbors::exact) tree: &'a KdTree,
    pub(in crate::neighbors::exact) leaf: usize,
    pub(in crate::neighbors::exact) norm: N,
    /// Told of each point of the tree that is within the limit of a point of the leaf, which it has by
    /// its place in the leaf; returns the new limit of that point, which must not rise. A point may be
    /// told of itself.
    pub(in crate::neighbors::exact) compare: &'a mut dyn FnMut(usize, u32) -> f64,
    /// Empty before and after; kept from one query to the next for its room.
    pub(in crate::neighbors::exact) visits: &'a mut Vec<Visit>,
}

/// A node that is yet to be visited.
pub(in crate::neighbors::exact) struct Visit {
    node: usize,
    first_leaf: usize,
    leaves: usize,
    /// The distance of its box to that of the query.
    distance: f64,
}

vectorized! {
    /// Compares the points of a leaf with all that is within their limits, which are infinite at first.
    /// Boxes that are nearer are visited first, the leaf itself before all. Returns the number of points
    /// and boxes that were looked at, for all points of the leaf together.
    pub(in crate::neighbors::exact) fn compare_near<'a, N: Norm>(query: Query<'a, N>) -> usize {
        let Query { tree, leaf, compare, norm, visits } = query;
        let count = tree.points(leaf).len();
        let mut limits = [f64::NEG_INFINITY; LEAF];
        limits[..count].fill(f64::INFINITY);
        let of_query = tree.lanes(leaf);
        let own = &mut [0.0; 2 * MOST_COORDINATES][..2 * tree.width];
        box_of_leaf(of_query, own);
        let (lows, highs) = own.split_at(tree.width);
        let mut looked_at = 0;
        visits.push(Visit { node: 0, first_leaf: 0, leaves: tree.leaves(), distance: 0.0 });
        while let Some(Visit { node, first_leaf, leaves, distance }) = visits.pop() {
            let largest = limits.iter().fold(f64::NEG_INFINITY, |a, b| f64::max(a, *b));
            if distance > largest {
                continue;
            }
            if leaves > 1 {
                looked_at += 2;
                let lower = leaves.div_ceil(2);
                let below = (node + 1, first_leaf, lower);
                let above = (node + 2 * lower, first_leaf + lower, leaves - lower);
                let [below, above] = [below, above].map(|(node, first_leaf, leaves)| {
                    let (others_lows, others_highs) = tree.bounds(node);
                    let distance = distance_of_boxes(norm, [lows, highs], [others_lows, others_highs]);
                    Visit { node, first_leaf, leaves, distance }
                });
                // Of two boxes that are as near, as those around the leaf, the one that it is in.
                let above_first = match below.distance == above.distance {
                    true => leaf >= above.first_leaf,
                    false => above.distance < below.distance,
                };
                visits.extend(if above_first { [below, above] } else { [above, below] });
                continue;
            }
            let others = tree.lanes(first_leaf);
            let points = tree.points(first_leaf);
            let (others_lows, others_highs) = tree.bounds(node);
            let to_box = distances_to_box(norm, of_query, [others_lows, others_highs]);
            looked_at += LEAF;
            for (lane, limit) in limits[..count].iter_mut().enumerate() {
                if to_box[lane] > *limit {
                    continue;
                }
                looked_at += points.len();
                let distances = distances(norm, of_query, lane, others);
                for (other, &point) in points.iter().enumerate() {
                    if distances[other] <= *limit {
                        *limit = compare(lane, point);
                    }
                }
            }
        }
        looked_at
    }
}

#[inline(always)]
fn distance_of_boxes<N: Norm>(norm: N, [lows, highs]: [&[f64]; 2], others: [&[f64]; 2]) -> f64 {
    let [others_lows, others_highs] = others;
    let mut distance = 0.0;
    for axis in 0..lows.len() {
        let apart = f64::max(others_lows[axis] - highs[axis], lows[axis] - others_highs[axis]);
        distance += norm.term(f64::max(apart, 0.0));
    }
    distance
}

/// The distances of all points of a query to a box.
#[inline(always)]
fn distances_to_box<N: Norm>(norm: N, query: &[Lanes], [lows, highs]: [&[f64]; 2]) -> Lanes {
    let mut distances = [0.0; LEAF];
    for (axis, values) in query.iter().enumerate() {
        let (low, high) = (lows[axis], highs[axis]);
        for lane in 0..LEAF {
            let beyond = f64::max(low - values[lane], values[lane] - high);
            distances[lane] += norm.term(f64::max(beyond, 0.0));
        }
    }
    stored(distances)
}

/// The distances of a query's point to all points of a leaf.
#[inline(always)]
fn distances<N: Norm>(norm: N, query: &[Lanes], lane: usize, others: &[Lanes]) -> Lanes {
    let mut distances = [0.0; LEAF];
    for (of_query, others) in query.iter().zip(others) {
        let value = of_query[lane];
        for other in 0..LEAF {
            distances[other] += norm.term(others[other] - value);
        }
    }
    stored(distances)
}

/// Writes the boxes of a node and of the nodes below it, whose leaves have these coordinates.
fn enclose(coordinates: &[Lanes], width: usize, boxes: &mut [f64]) {
    let (own, below) = boxes.split_at_mut(2 * width);
    let leaves = coordinates.len() / width;
    if leaves == 1 {
        box_of_leaf(coordinates, own);
        return;
    }
    let lower = leaves.div_ceil(2);
    let (coordinates_below, coordinates_above) = coordinates.split_at(lower * width);
    let (below, above) = below.split_at_mut((2 * lower - 1) * 2 * width);
    rayon::join(
        || enclose(coordinates_below, width, below),
        || enclose(coordinates_above, width, above),
    );
    for axis in 0..width {
        own[axis] = f64::min(below[axis], above[axis]);
        own[width + axis] = f64::max(below[width + axis], above[width + axis]);
    }
}

/// Writes the least value of each coordinate of a leaf, and then the greatest.
#[inline(always)]
fn box_of_leaf(coordinates: &[Lanes], bounds: &mut [f64]) {
    let (lows, highs) = bounds.split_at_mut(coordinates.len());
    for (axis, lanes) in coordinates.iter().enumerate() {
        lows[axis] = lanes.iter().copied().fold(f64::INFINITY, f64::min);
        // A lane without a point is infinite.
        let points = lanes.iter().copied().filter(|value| value.is_finite());
        highs[axis] = points.fold(f64::NEG_INFINITY, f64::max);
    }
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::neighbors::exact::kd_tree::points::axes_of;
    use crate::samples::Samples;
    use crate::samples::metric::Metric;
    use crate::samples::rows::Rows;
    use crate::support::random::scrambled;

    /// Some data of many features, as points and in a tree.
    fn check(count: usize, features: usize, metric: Metric) {
        let number = |i: usize| (scrambled(i as u64) >> 50) as f64;
        let matrix = Array2::from_shape_fn((count, features), |(i, j)| {
            number(i % 5) * number(i + j / 3) + number(i * features + j)
        });
        let rows = &Rows::new(Samples::new(matrix.view()).unwrap(), metric);
        let meter = &Meter::stopped_at_once(false);
        let points = Points::of(rows, axes_of(rows, meter).as_ref(), meter);
        let tree = KdTree::of(&points, meter);
        let mut all: Vec<u32> =
            (0..tree.leaves()).flat_map(|leaf| tree.points(leaf).to_vec()).collect();
        all.sort_unstable();
        assert_eq!(all, (0..count as u32).collect::<Vec<u32>>());
        let [mut row, mut buffer] = [(); 2].map(|()| vec![0.0; features]);
        for leaf in 0..tree.leaves() {
            // Each point looks as far as its 20th nearest row is.
            let keys: Vec<Vec<f64>> = tree
                .points(leaf)
                .iter()
                .map(|&point| {
                    rows.load(point as usize, &mut row);
                    (0..count).map(|other| rows.key(&row, other, &mut buffer)).collect()
                })
                .collect();
            let limits: Vec<f64> = keys
                .iter()
                .map(|keys| {
                    let mut sorted = keys.clone();
                    *sorted.select_nth_unstable_by(20.min(count - 1), f64::total_cmp).1
                })
                .collect();
            let mut told = vec![vec![false; count]; keys.len()];
            let compare = &mut |lane: usize, other: u32| {
                assert!(!std::mem::replace(&mut told[lane][other as usize], true), "told twice");
                points.limit(tree.points(leaf)[lane] as usize, limits[lane])
            };
            let (tree, visits) = (&tree, &mut Vec::new());
            match metric {
                Metric::Manhattan => {
                    compare_near(Query { tree, leaf, norm: Magnitudes, compare, visits })
                }
                _ => compare_near(Query { tree, leaf, norm: Squares, compare, visits }),
            };
            for (lane, keys) in keys.iter().enumerate() {
                for (other, &key) in keys.iter().enumerate() {
                    assert!(
                        told[lane][other] || key > limits[lane],
                        "{lane} and {other} of {count}"
                    );
                }
            }
        }
    }

    #[test]
    fn each_point_is_told_of_all_within_its_limit() {
        for metric in [Metric::Euclidean, Metric::Cosine, Metric::Manhattan] {
            for (count, features) in [(1, 3), (16, 2), (17, 1), (700, 3), (999, 16), (500, 50)] {
                check(count, features, metric);
            }
        }
    }
}
