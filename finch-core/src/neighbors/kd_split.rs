//! Points halved again and again, until few are left: the leaves of a k-d tree.

use crate::run::progress::Meter;

/// Points, at most, that tell along which coordinate all points spread most.
const SPREAD_SAMPLE: usize = 64;

/// Points to halve: their coordinates, and the size of a leaf.
pub(crate) struct Halving<'a, V> {
    /// The coordinates of a point.
    pub(crate) width: usize,
    /// The most points of a leaf.
    pub(crate) leaf: usize,
    /// The value that a point, by its number, has along a coordinate.
    pub(crate) value: V,
    pub(crate) meter: &'a Meter<'a>,
}

impl<V: Fn(u32, usize) -> f64 + Sync> Halving<'_, V> {
    /// Reorders points, given by their numbers, so that each run of [`Halving::leaf`] points is a
    /// leaf; only the last leaf may have fewer points. Points are halved at the median of the
    /// coordinate along which a sample of them spreads most, and points of equal value by their
    /// numbers. If the meter is stopped, the points are left in any order.
    pub(crate) fn halve(&self, order: &mut [u32]) {
        if order.len() <= self.leaf || self.meter.stopped() {
            return;
        }
        let value = &self.value;
        // The mean distance to the mean: unlike the variance, one value far out does not decide it.
        let spread = |axis: usize| {
            let sample = order.iter().step_by(order.len().div_ceil(SPREAD_SAMPLE));
            let count = sample.len() as f64;
            let mean = sample.clone().map(|&point| value(point, axis) / count).sum::<f64>();
            sample.map(|&point| (value(point, axis) - mean).abs() / count).sum::<f64>()
        };
        let axes = (0..self.width).map(|axis| (spread(axis), axis));
        let (_, axis) = axes.max_by(|a, b| a.0.total_cmp(&b.0)).expect("points have a coordinate");
        let leaves = order.len().div_ceil(self.leaf);
        let half = leaves.div_ceil(2) * self.leaf;
        order.select_nth_unstable_by(half, |&a, &b| {
            value(a, axis).total_cmp(&value(b, axis)).then(a.cmp(&b))
        });
        let (below, above) = order.split_at_mut(half);
        rayon::join(|| self.halve(below), || self.halve(above));
    }
}
