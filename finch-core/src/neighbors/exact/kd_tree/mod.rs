//! Exact search of data of few intrinsic dimensions, by a k-d tree.
//!
//! The tree is over points whose distances bound those of rows from below (`points.rs`): it proposes
//! pairs, and each pair that is proposed is compared by key. So data of any number of features is
//! searched fast if its intrinsic dimension is low.

pub(crate) mod forecast;
pub(crate) mod kept;
mod points;
mod tree;

use rayon::prelude::*;

use points::Points;
use tree::{KdTree, LEAF, Magnitudes, Query, Squares, Visit, compare_near};

use super::tuning::LEAVES_AT_ONCE;
use crate::neighbors::lists::{Nearest, last, offer};
use crate::run::progress::Meter;
use crate::samples::metric::Metric;
use crate::samples::principal_axes::Projection;
use crate::samples::rows::Rows;
use crate::support::memory::filled;
use crate::support::parallel::SharedSplitting as _;

/// Lists of the `k` nearest of each row. Rows without a direction have empty lists, and are in no
/// other row's list.
pub(crate) fn search(rows: &Rows<'_>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let axes = points::axes_of(rows, meter);
    let empty = || filled(Nearest::NONE, rows.len() * k);
    let Some(tree) = Tree::of(rows, k, axes.as_ref(), meter) else { return empty() };
    let mut found = filled(Nearest::NONE, tree.points.len() * k);
    let comparing = || Comparing::new(&tree);
    found.par_chunks_mut(LEAF * k).enumerate().with_max_len(LEAVES_AT_ONCE).shared().for_each_init(
        comparing,
        |comparing, (leaf, lists)| {
            if !meter.stopped() {
                tree.compare(leaf, lists, comparing);
                meter.advance(tree.rows_of(leaf).len() as u64 * rows.len() as u64);
            }
        },
    );
    let mut nearest = empty();
    for (leaf, lists) in found.chunks(LEAF * k).enumerate() {
        for (row, list) in tree.rows_of(leaf).zip(lists.chunks_exact(k)) {
            nearest[row as usize * k..][..k].copy_from_slice(list);
        }
    }
    nearest
}

/// The rows of a search, in a tree.
pub(super) struct Tree<'a> {
    rows: Rows<'a>,
    k: usize,
    points: Points,
    tree: KdTree,
}

/// The memory in which one thread compares a leaf, and the work that it has done.
pub(super) struct Comparing {
    /// The rows of the leaf, where points are not rows.
    queries: Vec<f64>,
    other: Vec<f64>,
    visits: Vec<Visit>,
    /// Points that were looked at.
    pub(super) looked_at: usize,
    /// Rows that were compared by key.
    pub(super) keys: usize,
}

impl Comparing {
    pub(super) fn new(tree: &Tree<'_>) -> Self {
        let features = if tree.points.are_rows() { 0 } else { tree.rows.features() };
        Self {
            queries: filled(0.0, LEAF * features),
            other: filled(0.0, features),
            visits: Vec::with_capacity(64),
            looked_at: 0,
            keys: 0,
        }
    }
}

impl<'a> Tree<'a> {
    /// A tree of rows whose points are along `axes` (see [`Points::of`]). `None` if no row has a
    /// direction, or if the run is stopped.
    pub(super) fn of(
        rows: &'a Rows<'_>,
        k: usize,
        axes: Option<&Projection>,
        meter: &Meter,
    ) -> Option<Self> {
        let mut points = Points::of(rows, axes, meter);
        if points.len() == 0 || meter.stopped() {
            return None;
        }
        let tree = KdTree::of(&points, meter);
        points.keep_rows();
        Some(Self { rows: rows.reborrow(), k, points, tree })
    }

    /// The number of leaves.
    pub(super) fn leaves(&self) -> usize {
        self.tree.leaves()
    }

    /// The coordinates of a point.
    pub(super) fn width(&self) -> usize {
        self.points.width
    }

    /// The rows of a leaf.
    pub(super) fn rows_of(&self, leaf: usize) -> impl ExactSizeIterator<Item = u32> {
        self.tree.points(leaf).iter().map(|&point| self.points.rows[point as usize])
    }

    /// Fills the lists of the rows of a leaf.
    pub(super) fn compare(&self, leaf: usize, lists: &mut [Nearest], comparing: &mut Comparing) {
        let Self { rows, k, ref points, ref tree } = *self;
        let Comparing { queries: loaded, other: buffer, visits, looked_at, keys } = comparing;
        let (queries, features) = (tree.points(leaf), rows.features());
        for (query, out) in self.rows_of(leaf).zip(loaded.chunks_exact_mut(features)) {
            rows.load(query as usize, out);
        }
        let compare = &mut |lane: usize, other: u32| {
            let (query, list) = (queries[lane], &mut lists[lane * k..][..k]);
            if query != other {
                let row = points.rows[other as usize];
                let key = match points.are_rows() {
                    true => rows.metric.key(points.of_point(query), points.of_point(other)),
                    false => {
                        let query = &loaded[lane * features..][..features];
                        rows.key_within(query, row as usize, last(list).key, buffer)
                    }
                };
                *keys += 1;
                offer(list, key, row);
            }
            points.limit(query as usize, last(list).key)
        };
        *looked_at += match rows.metric {
            Metric::Euclidean | Metric::Cosine => {
                compare_near(Query { tree, leaf, norm: Squares, compare, visits })
            }
            Metric::Manhattan | Metric::Hamming | Metric::Jaccard => {
                compare_near(Query { tree, leaf, norm: Magnitudes, compare, visits })
            }
        };
    }
}
