//! The time of a search by a k-d tree, told from trees of samples of the rows.
//!
//! The number of rows that a query looks at grows as a power of the number of rows: hardly, where the
//! data has few intrinsic dimensions, and in proportion, where it has many. Two samples, one four times the
//! other, tell the power; and how much is looked at in the larger sample is carried on to all rows by
//! it.
//!
//! The forecast is for rows whose values follow each other in memory, in whatever layout they are: it
//! has a part in whether the approximate search runs, which the layout must not decide.

use rayon::prelude::*;

use super::tree::LEAF;
use super::{Comparing, Tree, points};
use crate::neighbors::exact::tuning::{
    KEY_NS, PROBED_LEAVES, TREE_KEY_NS, TREE_LOOK_NS, TREE_SAMPLE,
};
use crate::neighbors::lists::Nearest;
use crate::run::progress::Meter;
use crate::samples::principal_axes::Projection;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, collected_in_parallel, filled};
use crate::support::random::spread;

/// Seconds that a tree takes on one core; infinite if they are clearly more than the seconds `most`.
/// `axes` are principal axes of the rows, if they are known.
pub(crate) fn seconds_of_tree(
    rows: &Rows<'_>,
    k: usize,
    axes: Option<&Projection>,
    most: f64,
    meter: &Meter,
) -> f64 {
    // Of all rows, for the trees of both samples.
    let own = if axes.is_none() { points::axes_of(rows, meter) } else { None };
    let axes = axes.or(own.as_ref());
    let large = (rows.len() / 4).min(TREE_SAMPLE);
    let of_query = most * 1e9 / rows.len() as f64;
    let probe = |count| probe(rows, count, k, axes, of_query, meter);
    let Some(small) = probe(large / 4) else { return f64::INFINITY };
    let Some(large) = probe(large) else { return f64::INFINITY };
    let rises = large.nanoseconds_of_query / small.nanoseconds_of_query;
    let power = (rises.ln() / (large.rows / small.rows).ln()).clamp(0.0, 1.0);
    let growth = (rows.len() as f64 / large.rows).powf(power);
    large.nanoseconds_of_query * growth * rows.len() as f64 * 1e-9
}

/// The cost of a tree of a sample of the rows.
struct Probe {
    rows: f64,
    nanoseconds_of_query: f64,
}

/// The cost of a tree of about `count` of the rows; `None` if a query takes more nanoseconds than
/// `most`.
fn probe(
    rows: &Rows<'_>,
    count: usize,
    k: usize,
    axes: Option<&Projection>,
    most: f64,
    meter: &Meter,
) -> Option<Probe> {
    let step = rows.len().div_ceil(count);
    let sample: Vec<u32> = collected(spread(rows.len(), step).map(|row| row as u32));
    let matrix = rows.samples.select(&sample);
    let rows = Rows::new(matrix.view(), rows.metric);
    let k = k.min(rows.len() - 1);
    let tree = Tree::of(&rows, k, axes, meter)?;
    let leaves = tree.leaves();
    let probed: Vec<usize> = collected(spread(leaves, leaves.div_ceil(PROBED_LEAVES)));
    let of_key = TREE_KEY_NS + KEY_NS * rows.features() as f64;
    let nanoseconds = |leaf: &usize| {
        let mut comparing = Comparing::new(&tree);
        let mut lists = filled(Nearest::NONE, LEAF * k);
        if !meter.stopped() {
            tree.compare(*leaf, &mut lists, &mut comparing);
        }
        let looks = TREE_LOOK_NS * (comparing.looked_at * tree.width()) as f64;
        (looks + of_key * comparing.keys as f64) / tree.rows_of(*leaf).len() as f64
    };
    let of_leaves: Vec<f64> = collected_in_parallel(probed.par_iter().map(nanoseconds));
    let of_query = of_leaves.iter().sum::<f64>() / probed.len() as f64;
    (of_query <= most).then_some(Probe { rows: rows.len() as f64, nanoseconds_of_query: of_query })
}
