//! The searches that there are, and the one that ran: why, what was known of the data, and its
//! recall.

use std::fmt::{self, Display};

use crate::error::warning::Warning;
use crate::support::names::named;

/// The search for neighbours. All searches but [`Search::Approximate`] are exact: they give the same
/// answer bit for bit, and differ in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Search {
    /// The fastest exact search for the number of samples and features, the metric, the intrinsic
    /// dimension of the data and its principal axes. Where every exact search would take more than about
    /// twenty seconds on one core, and much longer than the approximate search, and a recall below 1
    /// is enough, the approximate search. Dense samples most of whose values are 0 are searched as
    /// sparse ones are where that is faster.
    #[default]
    Auto,
    /// Every pair, one by one: O(N²d). The oracle that the others are tested against.
    Brute,
    /// A k-d tree, for data of few intrinsic dimensions, however many features these are written in.
    KdTree,
    /// All pairs by blocks, for many features: bounds from a matrix product, or for Manhattan from
    /// sums of differences, and direct distances where a bound leaves a doubt.
    Blocked,
    /// All pairs as blocks of a matrix product along the principal axes of the data, and direct
    /// distances where the product leaves a doubt: for at least [`Search::PROJECTED_FEATURES`];
    /// Euclidean and cosine.
    Projected,
    /// Most neighbours (see [`Finch::recall`](crate::Finch::recall)), for millions of samples: only
    /// pairs that share one of several small cells are compared; not for Jaccard. Of sparse
    /// samples, and of dense ones most of whose values are 0: pairs that share rare features, or
    /// are near by random projections. Beside the data, the answer depends on the seed and the
    /// recall alone: not on threads, memory layout or processor.
    Approximate,
}

named!(
    Search,
    "search",
    Auto = "auto",
    Brute = "brute",
    KdTree = "kd-tree",
    Blocked = "blocked",
    Projected = "projected",
    Approximate = "approximate"
);

/// The search that ran, and why.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub struct Choice {
    /// Never [`Search::Auto`].
    pub search: Search,
    /// Why this search ran.
    pub reason: Reason,
    /// The share of true neighbours that was found, if the search is approximate.
    pub recall: Option<Recall>,
    /// The evidence seen in the data before.
    pub evidence: Evidence,
}

impl Choice {
    /// True if every neighbour is the true one.
    pub fn exact(&self) -> bool {
        self.search != Search::Approximate
    }
}

impl Warning {
    /// The warning of a search for the neighbours of so many samples, if it found less than `asked`.
    pub fn of_search(choice: &Choice, samples: usize, asked: f64) -> Option<Self> {
        Self::of_recall(0, samples, choice.recall.map(|recall| recall.estimate), asked)
    }
}

/// "approximate search, since …; recall 0.9951; 250000 distinct, …": one line.
impl Display for Choice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} search, {}", self.search.name(), self.reason)?;
        if let Some(recall) = self.recall {
            write!(f, "; recall {:.4}", recall.estimate)?;
        }
        if self.evidence != Evidence::default() {
            write!(f, "; {}", self.evidence)?;
        }
        Ok(())
    }
}

/// Why a search ran. As text, a reason follows the name of the search: "since …".
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// The search was asked for.
    Asked,
    /// For at most 200 samples no search is faster.
    FewSamples,
    /// All samples are equal, and none needs to be searched.
    AllEqual,
    /// For so few features no search is faster.
    FewFeatures,
    /// The data has few intrinsic dimensions, as the rows that a tree visits tell.
    FewDimensions,
    /// The metric has no exact search along principal axes, and for so many features no other search is
    /// faster.
    Metric,
    /// There are too few samples or features for principal axes to help.
    Small,
    /// The data has principal axes, and they help.
    Axes,
    /// The data has no principal axes that help.
    NoAxes,
    /// An exact search would take long, or longer than the time limit.
    Long {
        /// Its estimated time, in seconds of one core.
        seconds: f64,
    },
    /// An exact search would take long and did, since the approximate search found too few
    /// neighbours.
    Unreached,
    /// The neighbours of most samples were known, and only new samples were compared.
    Extended,
    /// The samples are sparse, or dense with most values 0, and products of sparse rows serve them.
    Sparse,
    /// The samples are bits, of which those that differ are counted.
    Bits,
}

impl Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked => f.write_str("as asked for"),
            Self::FewSamples => f.write_str("since there are few samples"),
            Self::AllEqual => f.write_str("since all samples are equal"),
            Self::FewFeatures => f.write_str("since there are few features"),
            Self::FewDimensions => f.write_str("since the data has a low intrinsic dimension"),
            Self::Bits => f.write_str("since the samples are bits"),
            Self::Metric => {
                f.write_str("since no faster one serves this metric in so many features")
            }
            Self::Small => f.write_str("since there is too little data for principal axes to help"),
            Self::Axes => f.write_str("since the data has principal axes that help"),
            Self::NoAxes => f.write_str("since the data has no principal axes that help"),
            Self::Long { seconds } if *seconds < 1.0 => {
                f.write_str("since an exact one would take longer than is left")
            }
            Self::Long { seconds } if *seconds < 90.0 => {
                write!(f, "since an exact one would take about {seconds:.0} s on one core")
            }
            Self::Long { seconds } if *seconds < 5_400.0 => {
                write!(
                    f,
                    "since an exact one would take about {:.0} min on one core",
                    seconds / 60.0
                )
            }
            Self::Long { seconds } => {
                write!(
                    f,
                    "since an exact one would take about {:.0} h on one core",
                    seconds / 3_600.0
                )
            }
            Self::Extended => f.write_str("since only new samples had to be compared"),
            Self::Sparse => f.write_str("since the samples are sparse"),
            Self::Unreached => f.write_str("since an approximate one finds too few neighbours"),
        }
    }
}

/// The knowledge of [`Search::Auto`] about the samples, or about the means of a level, when it chose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Evidence {
    /// The number of distinct rows, which alone are searched; `None` where they were not counted.
    pub distinct: Option<usize>,
    /// The intrinsic dimension of the rows, as a sample of them tells it: the dimension of a surface on
    /// which neighbours lie as these do. By the ratio of the distances to the two nearest (Facco et
    /// al., "Estimating the intrinsic dimension of datasets by a minimal neighborhood information",
    /// 2017). `None` where samples are too few to look at, or searched as sparse ones, or their distances
    /// equal.
    pub dimension: Option<f64>,
    pub(super) considered: [Option<(Search, f64)>; Self::MOST],
}

impl Evidence {
    /// Searches that are considered, at most.
    pub(crate) const MOST: usize = 4;

    /// The evidence of a look that was taken elsewhere, and kept.
    pub(crate) fn of(
        distinct: Option<usize>,
        dimension: Option<f64>,
        considered: [Option<(Search, f64)>; Self::MOST],
    ) -> Self {
        Self { distinct, dimension, considered }
    }

    /// The searches that were considered, each at its place.
    pub(crate) fn places(&self) -> &[Option<(Search, f64)>; Self::MOST] {
        &self.considered
    }

    /// The searches that were considered, and how many seconds each was expected to take on one core.
    /// Empty where the numbers of samples and features decided.
    pub fn considered(&self) -> impl Iterator<Item = (Search, f64)> {
        self.considered.into_iter().flatten()
    }
}

/// "83338 distinct, intrinsic dimension about 4.2; on one core kd-tree 1 s, blocked 70 s"; empty where
/// nothing was looked at.
impl Display for Evidence {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(distinct) = self.distinct {
            write!(f, "{distinct} distinct")?;
            separator = ", ";
        }
        if let Some(dimension) = self.dimension {
            write!(f, "{separator}intrinsic dimension about {dimension:.1}")?;
            separator = "; ";
        }
        for (number, (search, seconds)) in self.considered().enumerate() {
            let separator = if number == 0 { separator } else { ", " };
            let on = if number == 0 { "on one core " } else { "" };
            write!(f, "{separator}{on}{} {} s", search.name(), Rounded(seconds))?;
        }
        Ok(())
    }
}

/// A number with two digits that count, or all digits before the point.
struct Rounded(f64);

impl Display for Rounded {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let digits = (1.0 - self.0.max(1e-3).log10().floor()).max(0.0) as usize;
        write!(f, "{:.digits$}", self.0)
    }
}

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

    #[test]
    fn a_look_reads_as_a_sentence_does() {
        assert_eq!(Evidence::default().to_string(), "");
        let considered =
            [Some((Search::KdTree, 0.123)), Some((Search::Blocked, 1234.5)), None, None];
        let mut evidence = Evidence { distinct: Some(83_338), dimension: Some(4.21), considered };
        let of_all = "83338 distinct, intrinsic dimension about 4.2; on one core kd-tree 0.12 s, blocked 1234 s";
        assert_eq!(evidence.to_string(), of_all);
        (evidence.distinct, evidence.dimension) = (None, None);
        assert_eq!(evidence.to_string(), "on one core kd-tree 0.12 s, blocked 1234 s");
    }

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
