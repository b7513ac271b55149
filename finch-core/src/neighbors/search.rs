//! The searches that there are.

use crate::names::named;

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
