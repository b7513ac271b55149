//! A k-d tree that is kept, and asked for the nearest rows of one point at a time.
//!
//! The boxes of nodes bound keys from below without a slack: differences, terms and sums are rounded as those of a
//! key, and rounding never turns ≤ around (see [`Metric::key_to_box`]). Points of a leaf are compared by their keys
//! themselves, sixteen abreast. A node is passed over if no row of it can precede what a list holds, by the distance
//! of its box, and of equally near rows by the smallest number in it: so thousands of rows in one place do not slow a
//! query down. A node whose rows all have the label of the nearest is passed over by the nearest alone, so that
//! the nearest row of another label is found without a look at the rows of a large cluster.
//!
//! Rejected: the trees of the kiddo crate (6.3.0). Their queries know no labels, of equally near rows they find any, and
//! they allocate without asking. Two microseconds a query of noise are as fast, and 143 on a grid of equal rows are
//! twenty times as slow (`benches/prediction.md`).

use pulp::{Simd, WithSimd};

use super::points::Points;
use super::tree::{KdTree, LEAF, Lanes, Magnitudes, Norm, Squares};
use crate::neighbors::lists::{Nearest, Ranking};
use crate::run::progress::Meter;
use crate::samples::element::AnyMatrix;
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::support::memory::{expect_room, filled};
use crate::support::simd::{stored, widest};

/// The most features of rows in a kept tree: as many as share no partial sum of a key.
const MOST_FEATURES: usize = 8;

/// Nodes that are yet to be visited, at most: one for each halving of 2³¹ rows, and one.
const VISITS: usize = 32;

/// The label of a node that has rows of several labels.
const SEVERAL: u32 = u32::MAX;

/// Rows in a tree, which need not be at hand.
pub(crate) struct KeptTree {
    metric: Metric,
    tree: KdTree,
    /// The smallest number of a row in each node.
    least: Vec<u32>,
}

/// The label of each node of a tree whose rows have one label.
pub(crate) struct NodeLabels(Vec<u32>);

impl KeptTree {
    /// True for rows that a tree serves.
    pub(crate) fn serves(rows: &Rows<'_>) -> bool {
        let has_norm = matches!(rows.metric, Metric::Euclidean | Metric::Manhattan);
        let are_numbers = !matches!(rows.samples, AnyMatrix::Bits(_));
        has_norm && are_numbers && rows.features() <= MOST_FEATURES
    }

    /// A tree of at least one row; `None` if the run is stopped. Asks for all memory first: the time to build a tree is
    /// not spent where its memory will be refused.
    pub(crate) fn of(rows: &Rows<'_>, meter: &Meter) -> Option<Self> {
        let of_tree = 2 * LEAF.max(rows.len()) * (2 * rows.features() * size_of::<f64>() + 16);
        expect_room(of_tree);
        let points = Points::of(rows, None, meter);
        if meter.stopped() {
            return None;
        }
        let tree = KdTree::of(&points, meter);
        let of_leaf = |leaf| tree.points(leaf).iter().copied().min().unwrap_or(SEVERAL);
        let least = of_nodes(&tree, of_leaf, u32::min);
        (!meter.stopped()).then_some(Self { metric: rows.metric, tree, least })
    }

    /// The number of rows.
    pub(crate) fn len(&self) -> usize {
        (0..self.tree.leaves()).last().map_or(0, |last| last * LEAF + self.tree.points(last).len())
    }

    /// The labels of the nodes, by those of all rows.
    pub(crate) fn labels(&self, labels: &[u32]) -> NodeLabels {
        let both = |a: u32, b: u32| if a == b { a } else { SEVERAL };
        let of_leaf = |leaf| {
            let of_points = self.tree.points(leaf).iter().map(|&row| labels[row as usize]);
            of_points.reduce(both).unwrap_or(SEVERAL)
        };
        NodeLabels(of_nodes(&self.tree, of_leaf, both))
    }

    /// Offers all rows that may enter the list of a point to it. `labels` are of the labels of the ranking, if these
    /// count.
    pub(in crate::neighbors) fn offer(
        &self,
        ranking: impl Ranking,
        labels: Option<&NodeLabels>,
        point: &[f64],
        list: &mut [Nearest],
    ) {
        match self.metric {
            Metric::Manhattan => {
                widest(Descent { tree: self, labels, point, norm: Magnitudes, ranking, list });
            }
            _ => widest(Descent { tree: self, labels, point, norm: Squares, ranking, list }),
        }
    }
}

/// A value of each node: that of a leaf, or of both nodes below, joined.
fn of_nodes<T: Copy + Default + Send>(
    tree: &KdTree,
    of_leaf: impl Fn(usize) -> T + Sync,
    joined: impl Fn(T, T) -> T + Sync,
) -> Vec<T> {
    fn fill<T: Copy + Send>(
        [first, leaves]: [usize; 2],
        values: &mut [T],
        of_leaf: &(impl Fn(usize) -> T + Sync),
        joined: &(impl Fn(T, T) -> T + Sync),
    ) {
        if leaves == 1 {
            values[0] = of_leaf(first);
            return;
        }
        let lower = leaves.div_ceil(2);
        let (own, below) = values.split_at_mut(1);
        let (below, above) = below.split_at_mut(2 * lower - 1);
        rayon::join(
            || fill([first, lower], below, of_leaf, joined),
            || fill([first + lower, leaves - lower], above, of_leaf, joined),
        );
        own[0] = joined(below[0], above[0]);
    }
    let mut values = filled(T::default(), 2 * tree.leaves() - 1);
    fill([0, tree.leaves()], &mut values, &of_leaf, &joined);
    values
}

/// A way down the tree for one point.
struct Descent<'a, N, R> {
    tree: &'a KeptTree,
    labels: Option<&'a NodeLabels>,
    point: &'a [f64],
    norm: N,
    ranking: R,
    list: &'a mut [Nearest],
}

/// A node that is yet to be visited.
#[derive(Clone, Copy, Default)]
struct Visit {
    node: usize,
    first_leaf: usize,
    leaves: usize,
    /// The least key of a row in the box of the node.
    key: f64,
}

impl<N: Norm, R: Ranking> WithSimd for Descent<'_, N, R> {
    type Output = ();

    #[inline(always)]
    fn with_simd<S: Simd>(self, _: S) {
        let Self { tree: kept, labels, point, norm, ranking, list } = self;
        let tree = &kept.tree;
        let mut visits = [Visit::default(); VISITS];
        visits[0] = Visit { node: 0, first_leaf: 0, leaves: tree.leaves(), key: 0.0 };
        let mut waiting = 1;
        while waiting > 0 {
            waiting -= 1;
            let Visit { node, first_leaf, leaves, key } = visits[waiting];
            let label = labels.map(|labels| labels.0[node]).filter(|&label| label != SEVERAL);
            let best = Nearest { key, index: kept.least[node] };
            if !best.precedes(ranking.bar_of_block(list, label)) {
                continue;
            }
            if leaves > 1 {
                let lower = leaves.div_ceil(2);
                let below = [node + 1, first_leaf, lower];
                let above = [node + 2 * lower, first_leaf + lower, leaves - lower];
                let [below, above] = [below, above].map(|[node, first_leaf, leaves]| {
                    let key = key_to_box(norm, point, tree.bounds(node));
                    Visit { node, first_leaf, leaves, key }
                });
                let order = |visit: &Visit| (visit.key, kept.least[visit.node]);
                let nearer_last = match order(&below) < order(&above) {
                    true => [above, below],
                    false => [below, above],
                };
                visits[waiting..waiting + 2].copy_from_slice(&nearer_last);
                waiting += 2;
                continue;
            }
            let keys = keys(norm, point, tree.lanes(first_leaf));
            for (&key, &row) in keys.iter().zip(tree.points(first_leaf)) {
                if key <= ranking.bar_of_block(list, label).key {
                    ranking.offer(list, key, row);
                }
            }
        }
    }
}

/// The sum of the terms of the features, in the order of a key (see `samples/metric.rs`).
#[inline(always)]
fn in_order(features: usize, term: impl Fn(usize) -> f64) -> f64 {
    match features {
        MOST_FEATURES => {
            let [a, b, c, d] = [0, 2, 4, 6].map(|first| term(first) + term(first + 1));
            (a + b) + (c + d)
        }
        _ => (0..features).fold(0.0, |sum, feature| sum + term(feature)),
    }
}

/// The key of a point and the nearest point of a box.
#[inline(always)]
fn key_to_box<N: Norm>(norm: N, point: &[f64], (lows, highs): (&[f64], &[f64])) -> f64 {
    in_order(point.len(), |feature| {
        let (x, low, high) = (point[feature], lows[feature], highs[feature]);
        norm.term(f64::max(f64::max(low - x, x - high), 0.0))
    })
}

/// The keys of a point and all points of a leaf.
#[inline(always)]
fn keys<N: Norm>(norm: N, point: &[f64], leaf: &[Lanes]) -> Lanes {
    let mut keys = [0.0; LEAF];
    for lane in 0..LEAF {
        keys[lane] =
            in_order(point.len(), |feature| norm.term(point[feature] - leaf[feature][lane]));
    }
    stored(keys)
}

#[cfg(test)]
mod tests {
    use ndarray::Array2;

    use super::*;
    use crate::neighbors::exact::brute;
    use crate::neighbors::lists::{KNearest, OtherLabel};
    use crate::samples::element::Element;
    use crate::support::random::scrambled;

    fn noise(number: usize) -> f64 {
        (scrambled(number as u64) >> 11) as f64 / 2f64.powi(52) - 1.0
    }

    /// Rows of the tree and others are found as by brute force: the lists of `k`, and by labels.
    fn check<A: Element>(matrix: &Array2<A>, rows: usize, metric: Metric, context: &str) {
        let all = Rows::new(A::any(matrix.view()), metric);
        let part = matrix.slice(ndarray::s![..rows, ..]);
        let base = Rows::new(A::any(part), metric);
        assert!(KeptTree::serves(&base));
        let meter = &Meter::stopped_at_once(false);
        let tree = KeptTree::of(&base, meter).unwrap();
        // No query has the number of a row of the base.
        let queries = Rows { first: rows, ..all };
        let mut point = vec![0.0; all.features()];
        for k in [1, 2, 7] {
            let [mut ours, mut expected] =
                [(); 2].map(|()| filled(Nearest::NONE, k * queries.len()));
            brute::update(KNearest, &queries, &base, &mut expected, meter);
            for (query, list) in ours.chunks_exact_mut(k).enumerate() {
                queries.load(query, &mut point);
                tree.offer(KNearest, None, &point, list);
            }
            assert!(ours == expected, "{context}, {metric}, {k} nearest");
        }
        for of_label in [1, 40, rows] {
            let labels: Vec<u32> = (0..rows).map(|row| (row / of_label) as u32).collect();
            let ranking = OtherLabel(&labels);
            let [mut ours, mut expected] =
                [(); 2].map(|()| filled(Nearest::NONE, 2 * queries.len()));
            brute::update(ranking, &queries, &base, &mut expected, meter);
            for of_nodes in [None, Some(tree.labels(&labels))] {
                ours.fill(Nearest::NONE);
                for (query, list) in ours.chunks_exact_mut(2).enumerate() {
                    queries.load(query, &mut point);
                    tree.offer(ranking, of_nodes.as_ref(), &point, list);
                }
                assert!(ours == expected, "{context}, {metric}, labels of {of_label}");
            }
        }
    }

    #[test]
    fn a_point_finds_what_brute_force_finds() {
        for kind in ["noise", "grid", "repeated", "in one place", "huge", "tiny", "near"] {
            for (rows, features) in [(1, 1), (16, 3), (17, 2), (300, 1), (400, 7), (500, 8)] {
                let matrix = Array2::from_shape_fn((rows + 30, features), |(i, j)| {
                    let value = noise(i * features + j);
                    match kind {
                        "grid" => (value * 2.0).round(),
                        "repeated" => noise(i % 9 * features + j),
                        "in one place" => {
                            if i < 3 {
                                value
                            } else {
                                noise(j)
                            }
                        }
                        "huge" => value * 1e139,
                        "tiny" => value * 1e-139,
                        "near" => 1e6 + 1e-9 * value,
                        _ => value,
                    }
                });
                for metric in [Metric::Euclidean, Metric::Manhattan] {
                    let context = format!("{kind} of {rows} × {features}");
                    check(&matrix, rows, metric, &context);
                    if !["huge", "tiny"].contains(&kind) {
                        check(&matrix.mapv(|x| x as f32), rows, metric, &context);
                    }
                    check(&matrix.mapv(|x| (x * 100.0) as u8), rows, metric, &context);
                }
            }
        }
    }
}
