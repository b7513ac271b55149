//! What bounds along main axes would save.

use rayon::prelude::*;

use super::coordinates::{AXES, Coordinates};
use super::frame::Frame;
use crate::element::Element;
use crate::neighbors::nearest::{Nearest, offer};
use crate::progress::Meter;
use crate::rows::{Rows, spread};

/// Nanoseconds for a pair and a feature in a product, for a look at the pair's bound, for the
/// closer bound of a pair that is left, and for a pair and a feature by key: on one thread of Zen
/// 3, two of which share a core, with MNIST. It is their ratio that decides.
const PRODUCT: f64 = 0.033;
const LOOK: f64 = 0.3;
const CLOSER: f64 = 54.0;
const KEY: f64 = 0.35;
/// The latter where a row is read from as many cache lines, of 8 values each, as it has features.
const KEY_OF_COLUMNS: f64 = 8.0 * KEY;

/// Rows of which is counted how many others the bounds leave.
const PROBED: usize = 32;

/// How long a search takes along each of `AXES`, and with all features.
pub(super) struct Estimate {
    /// Nanoseconds for a pair; infinite along more axes than there are.
    projected: [f64; AXES.len()],
    plain: f64,
    /// The least of these, if rows were contiguous.
    least: f64,
}

/// Nanoseconds for a pair with all features.
pub(crate) fn plain(features: usize) -> f64 {
    PRODUCT * features as f64 + LOOK
}

impl Estimate {
    /// Counts what the bounds along main axes leave, of one row out of every `step`.
    pub(super) fn of<A: Element>(
        rows: &Rows<'_, A>,
        step: usize,
        coordinates: &Coordinates,
        frame: &Frame,
        k: usize,
        meter: &Meter,
    ) -> Self {
        let count = coordinates.len();
        let probed: Vec<usize> = spread(count, count.div_ceil(PROBED)).collect();
        // In a sample, of as many of the nearest as there are in it.
        let of_sample = k.div_ceil(step).min(count - 1);
        let left = probed
            .par_iter()
            .filter(|_| !meter.stopped())
            .map(|&probe| left(rows, coordinates, frame, of_sample, probe))
            .reduce(|| [0; AXES.len()], |a, b| std::array::from_fn(|i| a[i] + b[i]));
        // Neighbours in a sample are farther, so that more is left: the share falls about as the
        // root of what is looked at grows (MNIST: to an eighth from 2,000 to 70,000).
        let rarer = (k as f64 / (of_sample * step) as f64).min(1.0).sqrt();
        let share = left.map(|left| rarer * left as f64 / (probed.len() * count) as f64);

        let features = rows.features() as f64;
        let of_pair = |key: f64| {
            let by_key = share[coordinates.choices().count() - 1] * key * features;
            let mut projected = [f64::INFINITY; AXES.len()];
            for (choice, axes) in coordinates.choices() {
                // What is left is looked at from both sides of a pair.
                let left = 2.0 * (share[choice] * CLOSER + by_key);
                projected[choice] = PRODUCT * (axes + 1) as f64 + LOOK + left;
            }
            projected
        };
        let plain = plain(rows.features());
        Self {
            projected: of_pair(if rows.contiguous() { KEY } else { KEY_OF_COLUMNS }),
            plain,
            least: of_pair(KEY).into_iter().fold(plain, f64::min),
        }
    }

    /// Nanoseconds for a pair, whichever way is fastest: the same for any layout in memory.
    pub(super) fn least(&self) -> f64 {
        self.least
    }

    /// Which of `AXES` takes the least time.
    pub(super) fn choice(&self) -> usize {
        let choices = self.projected.iter().enumerate();
        choices.min_by(|a, b| a.1.total_cmp(b.1)).map_or(0, |(choice, _)| choice)
    }

    /// Whether that is less than with all features.
    pub(super) fn pays(&self) -> bool {
        self.projected[self.choice()] < self.plain
    }
}

/// How many others the bounds along each of `AXES` leave of a row, once neighbours are known that
/// are as near as its k nearest by the closest bound.
fn left<A: Element>(
    rows: &Rows<'_, A>,
    coordinates: &Coordinates,
    frame: &Frame,
    k: usize,
    probe: usize,
) -> [usize; AXES.len()] {
    let others = (0..coordinates.len()).filter(|&other| other != probe);
    let mut bounds: Vec<(usize, [f32; AXES.len()])> =
        others.map(|other| (other, coordinates.bounds(probe, other))).collect();
    let closest = coordinates.choices().count() - 1;
    bounds.select_nth_unstable_by(k - 1, |a, b| a.1[closest].total_cmp(&b.1[closest]));
    let [mut of_probe, mut of_other] = [(); 2].map(|()| vec![0.0; rows.features()]);
    rows.load(coordinates.number(probe), &mut of_probe);
    let mut list = vec![Nearest::NONE; k];
    for &(other, _) in &bounds[..k] {
        rows.load(coordinates.number(other), &mut of_other);
        offer(&mut list, rows.metric.key(&of_probe, &of_other), other as u32);
    }
    let limit = frame.limit(&list).min(f32::MAX);
    std::array::from_fn(|choice| bounds.iter().filter(|(_, of)| of[choice] <= limit).count())
}
