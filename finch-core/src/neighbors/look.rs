//! The evidence of a look at the data before a search was chosen. Types only.

use std::fmt::{self, Display};

use super::search::Search;

/// The knowledge of [`Search::Auto`] about the samples, or about the means of a level, when it chose.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
#[non_exhaustive]
pub struct Look {
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

impl Look {
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

/// "83338 distinct, of about 4.2 true dimensions; on one core kd-tree 1 s, blocked 70 s"; empty where
/// nothing was looked at.
impl Display for Look {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut separator = "";
        if let Some(distinct) = self.distinct {
            write!(f, "{distinct} distinct")?;
            separator = ", ";
        }
        if let Some(dimension) = self.dimension {
            write!(f, "{separator}about {dimension:.1} true dimensions")?;
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_look_reads_as_a_sentence_does() {
        assert_eq!(Look::default().to_string(), "");
        let considered =
            [Some((Search::KdTree, 0.123)), Some((Search::Blocked, 1234.5)), None, None];
        let mut look = Look { distinct: Some(83_338), dimension: Some(4.21), considered };
        let of_all =
            "83338 distinct, about 4.2 true dimensions; on one core kd-tree 0.12 s, blocked 1234 s";
        assert_eq!(look.to_string(), of_all);
        (look.distinct, look.dimension) = (None, None);
        assert_eq!(look.to_string(), "on one core kd-tree 0.12 s, blocked 1234 s");
    }
}
