//! The search that ran, and the reason.

use std::fmt::{self, Display};

use super::look::Look;
use super::recall::Recall;
use super::search::Search;
use crate::warning::Warning;

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
    pub look: Look,
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
        if self.look != Look::default() {
            write!(f, "; {}", self.look)?;
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
            Self::FewDimensions => f.write_str("since the data has few true dimensions"),
            Self::Bits => f.write_str("since the samples are bits"),
            Self::Metric => {
                f.write_str("since no faster one serves this metric in so many features")
            }
            Self::Small => f.write_str("since there is too little data for main axes to help"),
            Self::Axes => f.write_str("since the data has main axes that help"),
            Self::NoAxes => f.write_str("since the data has no main axes that help"),
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
