//! A few rows: the key of each pair.
//!
//! The key of cosine takes sums of twice the digits, so one look at a product in f64 comes first. With a slack for
//! all rounding, the key of a pair is within the slack of what the product tells. So the key of a row's nearest is
//! at most the least that products tell of the row, and the slack; and what the product tells of the nearest is
//! at most the slack more.

use super::keys::{Keys, offer_pair};
use crate::neighbors::lists::Nearest;
use crate::run::progress::Meter;
use crate::samples::metric::{Metric, slack_of_cosine};
use crate::samples::twofold::rounded_product;
use crate::support::memory::{collected, filled};

/// The fewest rows that a look pays for: of three rows each pair has a row that it is the nearest of.
const FEWEST_LOOKED_AT: usize = 4;

/// Lists of the `k` nearest of each row.
pub(super) fn search(keys: &Keys<'_>, k: usize, meter: &Meter) -> Vec<Nearest> {
    let (count, features) = (keys.len(), keys.rows.features());
    let mut values = Vec::new();
    keys.rows.load_values(0..count, &mut values);
    let row = |row: usize| &values[row * features..][..features];
    let mut nearest = filled(Nearest::NONE, count * k);
    let looks = Looks::of(keys, row, k);
    for i in 0..count {
        if meter.stopped() {
            break;
        }
        for j in i + 1..count {
            if looks.as_ref().is_none_or(|looks| looks.leave([i, j])) {
                let key = keys.of_pair([i, j], [i, j].map(row));
                offer_pair(&mut nearest, k, [i, j], key);
            }
        }
    }
    nearest
}

/// Keys of cosine as products in f64 tell them.
struct Looks {
    count: usize,
    /// Of each pair, row by row; not a number where products tell nothing.
    keys: Vec<f64>,
    /// The largest of these with which a row may be the nearest of each row.
    limits: Vec<f64>,
}

impl Looks {
    /// `None` where each pair is compared by key.
    fn of<'a>(keys: &Keys<'_>, row: impl Fn(usize) -> &'a [f64], k: usize) -> Option<Self> {
        let count = keys.len();
        let is_slow = keys.rows.metric == Metric::Cosine && !keys.element().is_whole();
        if !is_slow || k > 1 || count < FEWEST_LOOKED_AT {
            return None;
        }
        let mut looks = filled(f64::NAN, count * count);
        let mut limits = filled(f64::INFINITY, count);
        let inverse = |row| keys.square(row).map_or(f64::NAN, |square| 1.0 / square.sqrt());
        let inverses: Vec<f64> = collected((0..count).map(inverse));
        for i in 0..count {
            for j in i + 1..count {
                let cosine = rounded_product(row(i), row(j)) * (inverses[i] * inverses[j]);
                let key = 2.0 - 2.0 * cosine;
                looks[i * count + j] = key;
                // The smaller of a number and NaN is the number.
                limits[i] = limits[i].min(key);
                limits[j] = limits[j].min(key);
            }
        }
        let slack = slack_of_cosine(keys.rows.features());
        limits.iter_mut().for_each(|limit| *limit += 2.0 * slack);
        Some(Self { count, keys: looks, limits })
    }

    /// True if the rows of a pair, of which the first has the smaller number, may be nearest to each other.
    fn leave(&self, [i, j]: [usize; 2]) -> bool {
        let key = self.keys[i * self.count + j];
        key.is_nan() || key <= self.limits[i].max(self.limits[j])
    }
}
