//! The suggested number of clusters, and the reasons.

use finch_core::{Clustered, Suggestion};
use maud::{Markup, html};

use super::ClusterReport;
use crate::report::parts::suggestion::{REASON, Suggested, figure};
use crate::report::parts::text::{count, counted, short};

/// The section, if anything was suggested.
pub(super) fn section(report: &ClusterReport<'_>) -> Option<Markup> {
    let suggestion = report.suggestion?;
    let described = report.described.partition;
    let asked = (*described != suggestion.cut).then(|| described.clusters());
    let suggested =
        Suggested { clusters: suggestion.cut.clusters(), scores: &suggestion.scores, asked };
    let agrees = report.hierarchy.partitions()[suggestion.partition].clusters();
    Some(html! {
        section #number {
            h2 { "How many clusters" }
            p {
                b { (counted(suggested.clusters, "cluster")) }
                @if suggested.clusters == 1 { " is" } @else { " are" }
                " suggested"
                @if suggested.by_score() { ": " (REASON) ". " (next(suggestion)) }
                @else if suggestion.scores.is_empty() {
                    ": the finest partition has no more, and leaves nothing to choose. "
                } @else if suggested.clusters <= suggestion.scores.len() + 1 {
                    ": with so few clusters in the finest partition no other number is considered. "
                } @else { ": so many pieces have no links between them. " }
                @if let Some(asked) = asked {
                    "This page tells of " (counted(asked, "cluster")) ". "
                }
                @if report.hierarchy.partitions().len() > 1 {
                    "Of the partitions, " (suggestion.partition)
                    " agrees best with the suggestion: it has " (counted(agrees, "cluster")) "."
                }
            }
            p {
                @let mixing = format!("{:.1}", 100.0 * suggestion.mixing);
                @let mixed = format!("{:.1}", 100.0 * Suggestion::MOST_MIXING);
                @if suggestion.clustered == Clustered::Yes {
                    "There seem to be clusters: at the border of the clearest one " (mixing)
                    " % of the links go to other clusters, where within a single cloud, noise or a line "
                    (mixed) " % or more would."
                } @else if suggestion.clustered == Clustered::TooFew {
                    "Too few samples, or too few that differ, to tell whether there are clusters at all."
                } @else {
                    "But there may be none: at the borders of clusters " (mixing) " % of the links go to "
                    "other clusters, as within a single cloud, noise or a line. Clusters have one with less "
                    "than " (mixed) " %."
                }
            }
            @if let Some(curve) = figure(suggested, None) {
                div.charts { (curve) }
            }
        }
    })
}

/// The score and the persistence of the suggested number, and the numbers of clusters that fit next best.
fn next(suggestion: &Suggestion) -> String {
    let score = |k: usize| short(suggestion.scores[k - 2]);
    let told = |(&k, persistence): (&usize, &f64)| {
        format!("{} ({}, {})", count(k), score(k), share(*persistence))
    };
    let mut fits = suggestion.best.iter().zip(&suggestion.persistence_of_best);
    let (best, persistence) = fits.next().expect("the suggested number is first");
    let next: Vec<String> = fits.map(told).collect();
    let next = match next.is_empty() {
        true => String::new(),
        false => format!("; next best are {}", next.join(", ")),
    };
    format!(
        "Its score is {}, and from other samples of the same kind its clusters would come back to {}{next}. ",
        score(*best),
        share(*persistence)
    )
}

/// A persistence as the share of a cluster.
fn share(persistence: f64) -> String {
    format!("{:.0} %", 100.0 * persistence)
}
