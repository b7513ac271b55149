//! The share of the true neighbours that an approximate search found.

/// The share of the k nearest neighbours that a search found, measured on samples drawn at random.
///
/// A neighbour counts as found if it is as near as the k-th nearest: of samples at equal distances
/// any will do.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Recall {
    /// The share that was found, from 0 to 1.
    pub estimate: f64,
    /// The lower end of the 95 % confidence interval (Wilson 1927).
    pub low: f64,
    /// The upper end of that interval.
    pub high: f64,
    /// The number of samples whose exact neighbours were searched to measure the share.
    pub samples: usize,
}

impl Recall {
    /// The recall of a search that found the mean share `estimate` of the neighbours of some
    /// samples. `None` without samples, which happens if no sample has a direction. (If k > 1 the
    /// interval is wider than it need be: shares between 0 and 1 vary less than hits and misses.)
    pub(crate) fn of(estimate: f64, samples: usize) -> Option<Self> {
        /// The normal quantile of 97.5 %.
        const Z: f64 = 1.959_963_984_540_054;
        let n = if samples > 0 { samples as f64 } else { return None };
        let middle = (estimate + Z * Z / (2.0 * n)) / (1.0 + Z * Z / n);
        let variance = estimate * (1.0 - estimate) / n + Z * Z / (4.0 * n * n);
        let half = Z / (1.0 + Z * Z / n) * variance.sqrt();
        let [low, high] = [middle - half, middle + half].map(|end| end.clamp(0.0, 1.0));
        // Where all or nothing was found, rounding may leave the estimate outside of the interval.
        Some(Self { estimate, low: low.min(estimate), high: high.max(estimate), samples })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Values of scipy.stats.binomtest(hits, n).proportion_ci(method="wilson").
    #[test]
    fn intervals_are_those_of_wilson() {
        for (hits, n, low, high) in [
            (99, 100, 0.945_513_803_8, 0.998_232_567_9),
            (2048, 2048, 0.998_127_799_4, 1.0),
            (0, 10, 0.0, 0.277_532_799_9),
            (5, 10, 0.236_593_090_5, 0.763_406_909_5),
        ] {
            let recall = Recall::of(f64::from(hits) / f64::from(n), n as usize).unwrap();
            assert!((recall.low - low).abs() < 1e-9, "{hits} of {n}: {recall:?}");
            assert!((recall.high - high).abs() < 1e-9, "{hits} of {n}: {recall:?}");
        }
        assert_eq!(Recall::of(1.0, 0), None);
    }
}
