//! The check that samples are those that a hierarchy was made from.

use super::Hierarchy;
use crate::error::{Error, Result};
use crate::samples::metric::Metric;
use crate::samples::rows::Rows;
use crate::samples::{AnySamples, Kind};
use crate::support::memory::filled;

/// Samples that are compared with their first neighbours anew, at most.
const LOOKED_AT: usize = 16;

/// The share by which a distance may differ, as between samples and the same rounded to halves.
const ROUNDED: f64 = 0.1;

/// Features of a sparse row that is written out, at most.
const WRITTEN_OUT: usize = 1 << 20;

impl Hierarchy {
    /// Checks that samples are about as far from their first neighbours as they were when they were clustered: scaled in
    /// another way, or in another order, most are not.
    ///
    /// A few samples tell. Where the caller brought the neighbours, or distances count times, nothing is known of how
    /// far they are.
    pub(super) fn expect_same(&self, samples: &AnySamples<'_>) -> Result<()> {
        let (first, count) = (&self.first_neighbors, self.samples());
        let is_told = first.search().is_some() && self.timeline.is_none();
        // Rows without any value stand for samples that are not there, as in the file of a hierarchy alone.
        let is_told = is_told && !matches!(&samples.0, Kind::Sparse(rows) if rows.values() == 0);
        // A sample alone has no neighbour.
        if !is_told || first.index().len() != count || samples.features() > WRITTEN_OUT {
            return Ok(());
        }
        let distance = distance_of(samples, self.metric());
        let (mut looked_at, mut others, mut fault) = (0, 0, None);
        for sample in (0..count).step_by(count.div_ceil(LOOKED_AT).max(1)) {
            let (neighbor, expected) = (first.index()[sample] as usize, first.distance()[sample]);
            if neighbor == sample || neighbor >= count || !expected.is_finite() {
                continue;
            }
            let found = distance(sample, neighbor);
            looked_at += 1;
            if (found - expected).abs() > ROUNDED * found.max(expected) || found.is_nan() {
                others += 1;
                fault.get_or_insert(Error::OtherSamples { sample, neighbor, expected, found });
            }
        }
        match fault {
            Some(fault) if 2 * others > looked_at => Err(fault),
            _ => Ok(()),
        }
    }
}

/// The distance of two samples by their numbers. Without threads: nobody is told of so little work.
fn distance_of(samples: &AnySamples<'_>, metric: Metric) -> impl Fn(usize, usize) -> f64 {
    let samples = samples.reborrow();
    move |one, other| {
        let [mut x, mut y] = [(); 2].map(|()| filled(0.0, samples.features()));
        match &samples.0 {
            Kind::Dense(matrix) => {
                let rows = Rows::new(matrix.reborrow(), metric);
                rows.load(one, &mut x);
                rows.load(other, &mut y);
            }
            Kind::Sparse(sparse) => {
                for (row, out) in [(one, &mut x), (other, &mut y)] {
                    sparse.for_each(row, |feature, value| out[feature as usize] = value);
                }
            }
        }
        metric.distance(metric.key(&x, &y))
    }
}
