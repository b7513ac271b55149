//! The doubt whether data has clusters at all, beside a suggestion.

use finch_core::{Clustered, Suggestion};

use super::summary::counted;

/// A doubt, as a sentence that begins with the number of clusters.
pub(crate) fn doubted(clusters: usize, doubt: &str) -> String {
    let are = if clusters == 1 { "is" } else { "are" };
    format!("{} {are} suggested, {doubt}", counted(clusters, "cluster"))
}

/// A sentence for people, where the suggested clusters may be none.
pub(crate) fn doubt(suggestion: &Suggestion) -> Option<String> {
    match suggestion.clustered {
        Clustered::Yes => None,
        Clustered::TooFew => {
            Some("too few samples, or too few that differ, to tell whether there are any".into())
        }
        Clustered::No => Some(format!(
            "but there may be none: at the borders of clusters {:.0} % of the links go to other \
             clusters, as within a single cloud, noise or a line",
            100.0 * suggestion.mixing
        )),
    }
}
