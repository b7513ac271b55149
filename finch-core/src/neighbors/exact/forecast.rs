//! How long a k-d tree takes, told from trees of samples of the rows.
//!
//! What a query looks at grows as a power of the number of rows: hardly, where the data has few true
//! dimensions, and in proportion, where it has many. Two samples, one four times the other, tell the
//! power; and how much is looked at in the larger sample is carried on to all rows by it.

use rayon::prelude::*;

use super::kd_tree::LEAF;
use super::projected::Axes;
use super::tree::{Comparing, Tree};
use super::tuning::{
    KEY_NS, MOST_COORDINATES, PROBED_LEAVES, TREE_KEY_NS, TREE_LOOK_NS, TREE_SAMPLE,
};
use crate::element::Element;
use crate::memory::{collected, collected_in_parallel, filled};
use crate::neighbors::nearest::Nearest;
use crate::progress::Meter;
use crate::projection::Projection;
use crate::rows::{Rows, spread};
use crate::samples::Samples;

/// Seconds that a tree takes on one core; infinite if they are clearly more than the seconds `most`.
pub(crate) fn seconds_of_tree<A: Element>(
    rows: &Rows<'_, A>,
    k: usize,
    axes: &mut Axes,
    most: f64,
    meter: &Meter,
) -> f64 {
    let is_along_axes = rows.features() > MOST_COORDINATES && rows.metric.has_products();
    let axes = is_along_axes.then(|| axes.of(rows, meter));
    let large = (rows.len() / 4).min(TREE_SAMPLE);
    let of_query = most * 1e9 / rows.len() as f64;
    let Some(of_small) = nanoseconds_of_query(rows, large / 4, k, axes, of_query, meter) else {
        return f64::INFINITY;
    };
    let Some(of_large) = nanoseconds_of_query(rows, large, k, axes, of_query, meter) else {
        return f64::INFINITY;
    };
    let power = ((of_large / of_small).ln() / 4_f64.ln()).clamp(0.0, 1.0);
    let growth = (rows.len() as f64 / large as f64).powf(power);
    of_large * growth * rows.len() as f64 * 1e-9
}

/// Nanoseconds that a tree of so many of the rows takes for a query; `None` if they are more than
/// `most`.
fn nanoseconds_of_query<A: Element>(
    rows: &Rows<'_, A>,
    count: usize,
    k: usize,
    axes: Option<&Projection>,
    most: f64,
    meter: &Meter,
) -> Option<f64> {
    let sample: Vec<u32> =
        collected(spread(rows.len(), rows.len().div_ceil(count)).map(|row| row as u32));
    let matrix = rows.samples.select(&sample);
    let rows = Rows::new(Samples::checked(matrix.view()), rows.metric);
    let k = k.min(rows.len() - 1);
    let tree = Tree::of(&rows, k, axes, meter)?;
    let leaves = tree.leaves();
    let probed: Vec<usize> = collected(spread(leaves, leaves.div_ceil(PROBED_LEAVES)));
    let of_key = TREE_KEY_NS + KEY_NS * rows.features() as f64;
    let nanoseconds = |leaf: &usize| {
        let mut comparing = Comparing::new(rows.features());
        let mut lists = filled(Nearest::NONE, LEAF * k);
        if !meter.stopped() {
            tree.compare(*leaf, &mut lists, &mut comparing);
        }
        let looks = TREE_LOOK_NS * (comparing.looked_at * tree.width()) as f64;
        (looks + of_key * comparing.keys as f64) / tree.rows_of(*leaf).len() as f64
    };
    let of_leaves: Vec<f64> = collected_in_parallel(probed.par_iter().map(nanoseconds));
    let of_query = of_leaves.iter().sum::<f64>() / probed.len() as f64;
    (of_query <= most).then_some(of_query)
}
