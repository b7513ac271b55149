//! The time of searches, by all features and along principal axes: told from the pairs that bounds leave
//! of a few rows.

use rayon::prelude::*;

use super::coordinates::Coordinates;
use crate::neighbors::exact::bits::{bits_of, nanoseconds_of_bits};
use crate::neighbors::exact::blocked::frame::Frame;
use crate::neighbors::exact::tuning::{
    BYTE_NS, CLOSER_NS, KEY_NS, KEY_OF_COLUMNS_NS, LADDER, LARGER_NS, LOOK_NS, PROBED, PRODUCT_NS,
    PROJECTED_NS,
};
use crate::neighbors::kernel::Terms;
use crate::neighbors::lists::{Nearest, last, offer};
use crate::run::progress::Meter;
use crate::samples::rows::Rows;
use crate::support::memory::{collected, filled, room};
use crate::support::parallel::SharedSplitting as _;
use crate::support::random::spread;

/// Nanoseconds that a search takes for a pair, on one core.
pub(in crate::neighbors::exact) struct Estimate {
    /// The share of pairs that bounds along the axes of each rung leave.
    share: [f64; LADDER.len()],
    /// The rungs that there are axes for.
    rungs: usize,
    /// Nanoseconds for a pair that is compared by key.
    of_key: f64,
    features: usize,
    /// Along the axes of each rung of the ladder; infinite on rungs that there are no axes for.
    projected: [f64; LADDER.len()],
    /// By all features.
    blocked: f64,
    /// The least of all, if the values of a row followed each other in memory.
    least: f64,
}

/// Nanoseconds that a search by all features takes for a pair, on one core.
pub(crate) fn nanoseconds_of_blocked(rows: &Rows<'_>, meter: &Meter) -> f64 {
    let features = rows.features();
    if bits_of(rows).is_some() {
        return nanoseconds_of_bits(features);
    }
    let of_feature = match rows.metric.has_products() {
        true => PRODUCT_NS,
        // A sample tells.
        false => match Frame::of(rows, meter).terms() {
            Terms::Bytes => BYTE_NS,
            Terms::Larger | Terms::Products | Terms::Squares => LARGER_NS,
        },
    };
    of_feature * features as f64 + LOOK_NS
}

impl Estimate {
    /// Counts the others that bounds along principal axes leave of a few of the rows. `coordinates` are
    /// of one row out of every `step`.
    pub(in crate::neighbors::exact) fn of(
        rows: &Rows<'_>,
        step: usize,
        coordinates: &Coordinates,
        frame: &Frame,
        k: usize,
        meter: &Meter,
    ) -> Self {
        let count = coordinates.len();
        let probed: Vec<usize> = collected(spread(count, count.div_ceil(PROBED)));
        // The number of a row's k nearest that are in the sample.
        let of_sample = k.div_ceil(step).min(count - 1);
        let survivors = probed
            .par_iter()
            .shared()
            .filter(|_| !meter.stopped())
            .map(|&probe| count_survivors(rows, coordinates, frame, of_sample, probe))
            .reduce(|| [0; LADDER.len()], |a, b| std::array::from_fn(|i| a[i] + b[i]));
        // Neighbours in a sample are farther, so that bounds leave more there: the share falls
        // about as the root of the number of rows grows (MNIST: to an eighth from 2,000 to 70,000).
        let rarer = (k as f64 / (of_sample * step) as f64).min(1.0).sqrt();
        let share = survivors.map(|left| rarer * left as f64 / (probed.len() * count) as f64);

        let features = rows.features() as f64;
        let of_pair = |key: f64| {
            let by_key = share[coordinates.rungs().count() - 1] * key * features;
            let mut projected = [f64::INFINITY; LADDER.len()];
            for (rung, axes) in coordinates.rungs() {
                // A pair that is left is looked at from both of its rows.
                let of_left = 2.0 * (share[rung] * CLOSER_NS + by_key);
                projected[rung] = PRODUCT_NS * (axes + 1) as f64 + LOOK_NS + of_left;
            }
            projected
        };
        let blocked = nanoseconds_of_blocked(rows, meter);
        let key = if rows.contiguous() { KEY_NS } else { KEY_OF_COLUMNS_NS };
        Self {
            share,
            rungs: coordinates.rungs().count(),
            of_key: key * features,
            features: rows.features(),
            projected: of_pair(key),
            blocked,
            least: of_pair(KEY_NS).into_iter().fold(blocked, f64::min),
        }
    }

    /// Nanoseconds for a pair by the fastest search: the same for any layout in memory.
    pub(in crate::neighbors::exact) fn least(&self) -> f64 {
        self.least
    }

    /// The rung along whose axes a search takes the least time.
    pub(in crate::neighbors::exact) fn fastest_rung(&self) -> usize {
        let rungs = self.projected.iter().enumerate();
        rungs.min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(rung, _)| rung)
    }

    /// The rung along whose axes pairs are multiplied, and the rung of the axes of the closer bound, so
    /// that comparing each of some rows with `others` takes the least time, which is also told, in
    /// nanoseconds for a row. Where others are few, it takes longer to project a row along many axes
    /// than to compare by key what few axes leave.
    pub(in crate::neighbors::exact) fn fastest_of_few(&self, others: usize) -> (f64, [usize; 2]) {
        let rungs = (0..self.rungs).flat_map(|all| (0..=all).map(move |rung| [rung, all]));
        let nanoseconds = |[rung, all]: [usize; 2]| {
            let closer = if rung < all { self.share[rung] * CLOSER_NS } else { 0.0 };
            let of_left = 2.0 * (closer + self.share[all] * self.of_key);
            let of_pair = PRODUCT_NS * (LADDER[rung] + 1) as f64 + LOOK_NS + of_left;
            PROJECTED_NS * (self.features * LADDER[all]) as f64 + others as f64 * of_pair
        };
        let timed = rungs.map(|rungs| (nanoseconds(rungs), rungs));
        timed.min_by(|a, b| a.0.total_cmp(&b.0)).expect("there is a rung")
    }

    /// Nanoseconds that comparing a row with `others` takes by all features.
    pub(in crate::neighbors::exact) fn of_blocked(&self, others: usize) -> f64 {
        self.blocked * others as f64
    }

    /// True if a search along those axes takes less time than one by all features.
    pub(in crate::neighbors::exact) fn pays(&self) -> bool {
        self.projected[self.fastest_rung()] < self.blocked
    }
}

/// For each rung the number of others that bounds leave of row `probe`, once its list holds
/// neighbours that are as near as its k nearest by the closest bound.
fn count_survivors(
    rows: &Rows<'_>,
    coordinates: &Coordinates,
    frame: &Frame,
    k: usize,
    probe: usize,
) -> [usize; LADDER.len()] {
    let others = (0..coordinates.len()).filter(|&other| other != probe);
    let mut bounds: Vec<(usize, [f32; LADDER.len()])> = room(coordinates.len());
    bounds.extend(others.map(|other| (other, coordinates.bounds(probe, other))));
    let closest = coordinates.rungs().count() - 1;
    bounds.select_nth_unstable_by(k - 1, |a, b| a.1[closest].total_cmp(&b.1[closest]));
    let [mut of_probe, mut of_other] = [(); 2].map(|()| filled(0.0, rows.features()));
    rows.load(coordinates.number(probe), &mut of_probe);
    let mut list = filled(Nearest::NONE, k);
    for &(other, _) in &bounds[..k] {
        rows.load(coordinates.number(other), &mut of_other);
        offer(&mut list, rows.key_of_loaded(&of_probe, &of_other), other as u32);
    }
    let limit = frame.limit(last(&list).key).min(f32::MAX);
    std::array::from_fn(|rung| bounds.iter().filter(|(_, of)| of[rung] <= limit).count())
}
