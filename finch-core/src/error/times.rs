//! The faults of the times of samples.

use std::fmt;

use super::counted::counted_from;
use super::number::Number;

/// The fault of the times of samples ([`Times`](crate::Times)).
#[derive(Clone, Debug, PartialEq)]
#[non_exhaustive]
pub enum TimeFault {
    /// A time stamp is NaN, infinite, or beyond ±10¹⁴⁰.
    NotFinite {
        /// The sample.
        sample: usize,
        /// Its time stamp.
        time: f64,
    },
    /// The operation asked for does not look at times, and the hierarchy was made with times
    /// ([`Finch::fit_timed`](crate::Finch::fit_timed)). Cluster without times for it.
    Ignored {
        /// The operation that does not look at times.
        what: &'static str,
    },
    /// The operation asked for would join samples that are apart in time, and clusters are to be
    /// contiguous segments ([`Times::contiguous`](crate::Times::contiguous)).
    Apart {
        /// The operation that would join samples.
        what: &'static str,
    },
}

impl fmt::Display for TimeFault {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::NotFinite { sample, time } => {
                let (first, from) = counted_from(f);
                write!(
                    f,
                    "sample {}{from} has the time stamp {}: give finite numbers within 1e140",
                    sample + first,
                    Number(*time)
                )
            }
            Self::Ignored { what } => write!(
                f,
                "{what} does not look at times, and the clusters were made with times: cluster \
                 without"
            ),
            Self::Apart { what } => write!(
                f,
                "{what} would tear contiguous segments of time: ask for clusters that need not be \
                 contiguous"
            ),
        }
    }
}
