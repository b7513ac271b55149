//! Exact search of data of few true dimensions, by a k-d tree.
//!
//! The tree is over points whose distances bound those of rows from below (`points.rs`): it proposes
//! pairs, and each pair that is proposed is compared by key. So data of any number of features is
//! searched fast if its true dimension is low.

use rayon::prelude::*;

use super::kd_tree::{KdTree, LEAF, Magnitudes, Query, Squares, compare_near};
use super::points::Points;
use crate::element::Element;
use crate::memory::filled;
use crate::metric::Metric;
use crate::neighbors::nearest::{Nearest, last, offer};
use crate::progress::Meter;
use crate::rows::Rows;

/// Lists of the `k` nearest of each row. Rows without a direction have empty lists, and are in no
/// other row's list.
pub(crate) fn search<A: Element>(rows: &Rows<'_, A>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let mut nearest = filled(Nearest::NONE, rows.len() * k);
    let points = Points::of(rows, meter);
    if points.len() == 0 || meter.stopped() {
        return nearest;
    }
    let tree = KdTree::of(&points, meter);
    let mut found = filled(Nearest::NONE, points.len() * k);
    let scratch = || [(); 2].map(|()| vec![0.0; rows.features()]);
    found.par_chunks_mut(LEAF * k).enumerate().for_each_init(scratch, |pair, (leaf, lists)| {
        if meter.stopped() {
            return;
        }
        let queries = tree.points(leaf);
        let [of_query, of_other] = pair;
        let mut loaded = None;
        let compare = &mut |lane: usize, other: u32| {
            let (query, list) = (queries[lane], &mut lists[lane * k..][..k]);
            if query != other {
                let [row, other] = [query, other].map(|point| points.rows[point as usize]);
                if loaded != Some(query) {
                    rows.load(row as usize, of_query);
                    loaded = Some(query);
                }
                offer(list, rows.key(of_query, other as usize, of_other), other);
            }
            points.limit(query as usize, last(list).key)
        };
        let tree = &tree;
        match rows.metric {
            Metric::Euclidean | Metric::Cosine => {
                compare_near(Query { tree, leaf, norm: Squares, compare })
            }
            Metric::Manhattan => compare_near(Query { tree, leaf, norm: Magnitudes, compare }),
        };
        meter.advance(queries.len() as u64 * rows.len() as u64);
    });
    for (leaf, lists) in found.chunks(LEAF * k).enumerate() {
        for (&point, list) in tree.points(leaf).iter().zip(lists.chunks_exact(k)) {
            nearest[points.rows[point as usize] as usize * k..][..k].copy_from_slice(list);
        }
    }
    nearest
}
