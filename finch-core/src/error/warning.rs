//! Warnings of a hierarchy, and of predictions.

use std::fmt::{self, Display};

use crate::error::counted::counted_from;

/// A warning of a hierarchy ([`Hierarchy::warnings`](crate::Hierarchy::warnings)) or of a run
/// ([`Run::warnings`](crate::Run::warnings)): it did what it was asked to do, and its result may mean less
/// than it seems to. As text, a warning is a sentence that says what was found, and what to do.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Warning {
    /// An approximate search found fewer of the nearest neighbours than were asked for
    /// ([`Finch::recall`](crate::Finch::recall)), by more than [`Warning::RECALL_TOLERANCE`].
    #[non_exhaustive]
    LowRecall {
        /// The level of the search: 0 is the samples, 1 the means of the first partition, …
        level: usize,
        /// The number of samples, or of means, of that level.
        rows: usize,
        /// The share that was found, as measured, from 0 to 1.
        recall: f64,
        /// The share that was asked for.
        asked: f64,
    },
    /// More than a quarter of the first neighbours ([`Warning::TIES`]) are ties: another sample, which
    /// is not equal to the first neighbour, is exactly as near. Of a tie the sample with the smallest
    /// number counts, so that clusters depend on the order of the samples.
    #[non_exhaustive]
    Ties {
        /// The share that are ties, from 0 to 1: of all samples where two neighbours or more of each
        /// are known, and else as measured on up to 1,024 samples.
        share: f64,
    },
    /// Under cosine some samples are zeros and have no direction. They are at distance 0 from each other
    /// and near to no other sample, and so a cluster of their own in every partition.
    #[non_exhaustive]
    ZeroRows {
        /// The number of samples of zeros.
        rows: usize,
        /// The first of them, from 0.
        first: u32,
    },
    /// Nothing in a model is near some new samples, under cosine: zeros, which have no direction, where it keeps
    /// none of their like, or others where it keeps zeros alone. Their labels mean nothing
    /// ([`Prediction::labels`](crate::Prediction::labels)).
    #[non_exhaustive]
    NothingNear {
        /// The number of these samples.
        rows: usize,
        /// The first of them, from 0.
        first: u32,
    },
}

impl Warning {
    /// The largest share of first neighbours that are ties without a warning.
    pub const TIES: f64 = 0.25;

    /// The shortfall of recall that is allowed without a warning: about the half width of the interval
    /// in which the recall of a search lies whose recall was measured as 0.99 on 400 samples.
    pub const RECALL_TOLERANCE: f64 = 0.01;

    /// The warning of a search of so many rows that found the share `recall`, if that is too little.
    pub(crate) fn of_recall(
        level: usize,
        rows: usize,
        recall: Option<f64>,
        asked: f64,
    ) -> Option<Self> {
        let recall = recall?;
        let is_low = recall < asked - Self::RECALL_TOLERANCE;
        is_low.then_some(Self::LowRecall { level, rows, recall, asked })
    }

    /// The warning of so many ties, if they are many.
    pub(crate) fn of_ties(share: Option<f64>) -> Option<Self> {
        share.filter(|share| *share > Self::TIES).map(|share| Self::Ties { share })
    }

    /// True if what the hierarchy says is more likely wrong than right.
    pub fn is_grave(&self) -> bool {
        match self {
            Self::LowRecall { recall, .. } => *recall < 0.5,
            Self::Ties { .. } => false,
            Self::ZeroRows { .. } | Self::NothingNear { .. } => false,
        }
    }
}

impl Display for Warning {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::LowRecall { level, rows, recall, asked } => {
                if self.is_grave() {
                    f.write_str("MOST NEIGHBOURS ARE WRONG, and clusters of them mean little: ")?;
                }
                let of = if level == 0 { "samples" } else { "cluster means" };
                write!(
                    f,
                    "the approximate search found {} % of the nearest neighbours of {rows} {of}, \
                     where {} % were asked for: ask for an exact search, or give it more time",
                    Percent(recall),
                    Percent(asked)
                )
            }
            Self::Ties { share } => write!(
                f,
                "about {:.0} % of the first neighbours are ties: another sample is exactly as near, the \
                 one of the smallest number counts, and clusters depend on the order of the samples. \
                 Cluster them in another order, too, and trust what stays the same",
                100.0 * share
            ),
            Self::ZeroRows { rows, first } => {
                let (counted, from) = counted_from(f);
                let first = first as usize + counted;
                match rows {
                    1 => write!(
                        f,
                        "sample {first}{from} is all zeros, which has no direction under cosine, and is \
                         a cluster of its own: leave it out, or take another metric"
                    ),
                    _ => write!(
                        f,
                        "{rows} samples are all zeros, which have no direction under cosine, and are a \
                         cluster of their own; the first is sample {first}{from}: leave them out, or \
                         take another metric"
                    ),
                }
            }
            Self::NothingNear { rows, first } => {
                let (counted, from) = counted_from(f);
                let first = first as usize + counted;
                match rows {
                    1 => write!(
                        f,
                        "nothing in the model is near new sample {first}{from}, since zeros have no direction \
                         under cosine, and its label means nothing: leave it out"
                    ),
                    _ => write!(
                        f,
                        "nothing in the model is near {rows} new samples, the first is sample {first}{from}, \
                         since zeros have no direction under cosine, and their labels mean nothing: leave \
                         them out"
                    ),
                }
            }
        }
    }
}

/// A share in percent, with at most two digits after the point.
struct Percent(f64);

impl Display for Percent {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}", (1e4 * self.0).round() / 1e2)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn of(found: f64, asked: f64) -> Option<Warning> {
        Warning::of_recall(1, 2310, Some(found), asked)
    }

    #[test]
    fn less_than_was_asked_for_is_a_warning_and_less_than_half_a_grave_one() {
        for (found, asked, warned, grave) in [
            (1.0, 0.99, false, false),
            (0.985, 0.99, false, false),
            (0.97, 0.99, true, false),
            (0.68, 0.99, true, false),
            (0.04, 0.99, true, true),
            (0.4, 0.4, false, false),
            (0.9, 1.0, true, false),
        ] {
            let warning = of(found, asked);
            let seen = (warning.is_some(), warning.is_some_and(|warning| warning.is_grave()));
            assert_eq!(seen, (warned, grave), "{found} of {asked}");
        }
        assert_eq!(Warning::of_recall(0, 5, None, 0.99), None, "an exact search");
    }

    #[test]
    fn a_warning_is_a_sentence() {
        let found = "the approximate search found 68 % of the nearest neighbours of 2310 cluster means, \
                     where 99.5 % were asked for: ask for an exact search, or give it more time";
        assert_eq!(of(0.68, 0.995).unwrap().to_string(), found);
        let grave = of(0.041, 0.99).unwrap().to_string();
        assert!(grave.starts_with("MOST NEIGHBOURS ARE WRONG"), "{grave}");
        assert!(grave.contains("found 4.1 %"), "{grave}");
        let zero_rows = |rows| Warning::ZeroRows { rows, first: 4 };
        assert!(zero_rows(1).to_string().starts_with("sample 4 (from 0) is all zeros"));
        assert!(format!("{:#}", zero_rows(1)).starts_with("sample 5 is all zeros"));
        assert!(format!("{:#}", zero_rows(3)).contains("the first is sample 5:"));
        let alone = |rows| Warning::NothingNear { rows, first: 4 };
        assert!(alone(1).to_string().contains("near new sample 4 (from 0), since zeros"));
        assert!(format!("{:#}", alone(2)).contains("the first is sample 5, since"));
    }
}
