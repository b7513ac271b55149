//! Exact search of data of few true dimensions, by a k-d tree.
//!
//! The tree is over points whose distances bound those of rows from below (`points.rs`): it proposes
//! pairs, and each pair that is proposed is compared by key. So data of any number of features is
//! searched fast if its true dimension is low.

use rayon::prelude::*;

use super::kd_tree::{KdTree, LEAF, Magnitudes, Query, Squares, compare_near};
use super::points::{self, Points};
use crate::element::Element;
use crate::memory::filled;
use crate::metric::Metric;
use crate::neighbors::nearest::{Nearest, last, offer};
use crate::progress::Meter;
use crate::projection::Projection;
use crate::rows::Rows;

/// Lists of the `k` nearest of each row. Rows without a direction have empty lists, and are in no
/// other row's list.
pub(crate) fn search<A: Element>(rows: &Rows<'_, A>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let axes = points::axes_of(rows, meter);
    let empty = || filled(Nearest::NONE, rows.len() * k);
    let Some(tree) = Tree::of(rows, k, axes.as_ref(), meter) else { return empty() };
    let mut found = filled(Nearest::NONE, tree.points.len() * k);
    let comparing = || Comparing::new(rows.features());
    found.par_chunks_mut(LEAF * k).enumerate().for_each_init(
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
pub(super) struct Tree<'a, A> {
    rows: Rows<'a, A>,
    k: usize,
    points: Points,
    tree: KdTree,
}

/// What one thread compares a leaf in, and what it has done.
pub(super) struct Comparing {
    query: Vec<f64>,
    other: Vec<f64>,
    /// Points that were looked at.
    pub(super) looked_at: usize,
    /// Rows that were compared by key.
    pub(super) keys: usize,
}

impl Comparing {
    pub(super) fn new(features: usize) -> Self {
        let [query, other] = [(); 2].map(|()| filled(0.0, features));
        Self { query, other, looked_at: 0, keys: 0 }
    }
}

impl<'a, A: Element> Tree<'a, A> {
    /// A tree of rows whose points are along `axes` (see [`Points::of`]). `None` if no row has a
    /// direction, or if the run is stopped.
    pub(super) fn of(
        rows: &'a Rows<'_, A>,
        k: usize,
        axes: Option<&Projection>,
        meter: &Meter,
    ) -> Option<Self> {
        let points = Points::of(rows, axes, meter);
        let is_empty = points.len() == 0 || meter.stopped();
        (!is_empty).then(|| Self {
            rows: rows.reborrow(),
            k,
            tree: KdTree::of(&points, meter),
            points,
        })
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
        let Comparing { query: of_query, other: of_other, looked_at, keys } = comparing;
        let queries = tree.points(leaf);
        let mut loaded = None;
        let compare = &mut |lane: usize, other: u32| {
            let (query, list) = (queries[lane], &mut lists[lane * k..][..k]);
            if query != other {
                let [row, other] = [query, other].map(|point| points.rows[point as usize]);
                if loaded != Some(query) {
                    rows.load(row as usize, of_query);
                    loaded = Some(query);
                }
                *keys += 1;
                offer(list, rows.key(of_query, other as usize, of_other), other);
            }
            points.limit(query as usize, last(list).key)
        };
        *looked_at += match rows.metric {
            Metric::Euclidean | Metric::Cosine => {
                compare_near(Query { tree, leaf, norm: Squares, compare })
            }
            Metric::Manhattan => compare_near(Query { tree, leaf, norm: Magnitudes, compare }),
        };
    }
}
