//! The searches that there are, which one ran, and why.

use std::fmt::{self, Display};

use super::recall::Recall;
use crate::names::named;

/// How neighbours are searched. All searches but [`Search::Approximate`] are exact: they give the
/// same answer bit for bit, and differ in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Search {
    /// The fastest exact search for the number of samples and features, the metric, the true
    /// dimension of the data and its main axes. Where every exact search would take more than about five minutes on one
    /// core, and a recall below 1 is enough, the approximate search.
    #[default]
    Auto,
    /// Every pair, one by one: O(N²d). The oracle that the others are tested against.
    Brute,
    /// A k-d tree, for data of few true dimensions, however many features these are written in.
    KdTree,
    /// All pairs as blocks of a matrix product, for many features; Euclidean and cosine.
    Blocked,
    /// All pairs as blocks of a matrix product along the main axes of the data, and direct
    /// distances where the product leaves a doubt: for at least [`Search::PROJECTED_FEATURES`];
    /// Euclidean and cosine.
    Projected,
    /// Most neighbours (see [`Finch::recall`](crate::Finch::recall)), for millions of samples: only
    /// pairs that share one of several small cells are compared; Euclidean and cosine. Beside the
    /// data, the answer depends on the seed and the recall alone: not on threads, memory layout or
    /// processor.
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
}

impl Choice {
    /// Whether every neighbour is the true one.
    pub fn exact(&self) -> bool {
        self.search != Search::Approximate
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
    /// The data has few true dimensions, as the rows that a tree visits tell.
    FewDimensions,
    /// For Manhattan distances of many features there is no other search.
    Metric,
    /// There are too few samples or features for main axes to help.
    Small,
    /// The data has main axes, and they help.
    Axes,
    /// The data has no main axes that help.
    NoAxes,
    /// An exact search would take long.
    Long {
        /// Its estimated time, in seconds of one core.
        seconds: f64,
    },
    /// An exact search would take long and did, since the approximate search found too few
    /// neighbours.
    Unreached,
}

impl Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked => f.write_str("as asked for"),
            Self::FewSamples => f.write_str("since there are few samples"),
            Self::AllEqual => f.write_str("since all samples are equal"),
            Self::FewFeatures => f.write_str("since there are few features"),
            Self::FewDimensions => f.write_str("since the data has few true dimensions"),
            Self::Metric => f.write_str("since no other serves this metric in so many features"),
            Self::Small => f.write_str("since there is too little data for main axes to help"),
            Self::Axes => f.write_str("since the data has main axes that help"),
            Self::NoAxes => f.write_str("since the data has no main axes that help"),
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
            Self::Unreached => f.write_str("since an approximate one finds too few neighbours"),
        }
    }
}
