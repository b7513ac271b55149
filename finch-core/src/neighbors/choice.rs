//! The searches that there are, which one ran, and why.

use std::fmt::{self, Display};

use super::recall::Recall;
use crate::names::named;

/// How neighbours are searched. All but the last give the same answer; they differ in time.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Search {
    /// The fastest of the exact ones for the number of samples and features, the metric, and how
    /// many main axes the data has; or, where all of these would take more than about five minutes
    /// on one core, and less than all neighbours are enough, the approximate one.
    #[default]
    Auto,
    /// Every pair, one by one: O(N²d). The oracle that the others are tested against.
    Brute,
    /// A k-d tree (the kiddo crate), for few features: at most [`Search::KD_TREE_FEATURES`].
    KdTree,
    /// All pairs as blocks of a matrix product, for many features; Euclidean and cosine.
    Blocked,
    /// Such blocks along the main axes of the data, and direct distances where these leave a doubt:
    /// for at least [`Search::PROJECTED_FEATURES`]; Euclidean and cosine.
    Projected,
    /// Most neighbours (see [`Finch::recall`](crate::Finch::recall)), for millions of samples:
    /// pairs that share one of several small cells; Euclidean and cosine. The answer depends on the
    /// seed and the recall, and on nothing else: no thread count, layout or processor.
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
    /// Why it was this one.
    pub reason: Reason,
    /// How much of the truth it found, if it is approximate.
    pub recall: Option<Recall>,
}

impl Choice {
    /// Whether every neighbour is the true one.
    pub fn exact(&self) -> bool {
        self.search != Search::Approximate
    }
}

/// Why a search was chosen. As text, it goes on where the name of the search ends.
#[derive(Clone, Copy, Debug, PartialEq)]
#[non_exhaustive]
pub enum Reason {
    /// It was asked for.
    Asked,
    /// For at most 200 samples nothing is faster.
    FewSamples,
    /// For so few features nothing is faster.
    FewFeatures,
    /// For Manhattan distances of many features there is no other.
    Metric,
    /// There are too few samples or features for main axes to help.
    Small,
    /// The data has main axes, and they help.
    Axes,
    /// The data has no main axes that help.
    NoAxes,
    /// An exact search would take long.
    Long {
        /// An estimate of how long, in seconds of one core.
        seconds: f64,
    },
    /// An exact search takes long, but the approximate one found too few neighbours.
    Unreached,
}

impl Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Asked => f.write_str("as asked for"),
            Self::FewSamples => f.write_str("since there are few samples"),
            Self::FewFeatures => f.write_str("since there are few features"),
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
