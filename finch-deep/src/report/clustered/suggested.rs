//! The suggested number of clusters, and the reasons.

use finch_core::{Clustered, Suggestion};
use maud::{Markup, html};

use super::ClusterReport;
use crate::report::parts::glossary::term;
use crate::report::parts::suggestion::{Suggested, figure};
use crate::report::parts::table::{numbers, table};
use crate::report::parts::text::{count, counted, joined, short};

/// The verdict, in bold, and the answer to whether there are clusters at all.
pub(super) fn verdict(report: &ClusterReport<'_>) -> Markup {
    let told = counted(report.described.labels.clusters(), "cluster");
    let Some(suggestion) = report.suggestion else {
        return html! { b { (told) ", " (report.described.name) "." } };
    };
    let fits = suggestion.cut.clusters();
    html! {
        @if is_suggested(report, suggestion) {
            b { "How many? " (count(fits)) @if fits == 1 { " fits best." } @else { " fit best." } }
            (next(suggestion))
        } @else {
            b { (told) ", " (report.described.name) "." }
            " How many? " (count(fits)) @if fits == 1 { " fits best." } @else { " fit best." }
        }
        @match report.described.labels.noise() {
            0 => {}
            1 => " 1 sample is noise, in no cluster.",
            noise => { " " (count(noise)) " samples are noise, in no cluster." }
        }
        " "
        @match suggestion.clustered {
            Clustered::Yes => { "There seem to be clusters." }
            Clustered::TooFew => {
                "Whether there are clusters at all cannot be told: too few samples, or too few that differ."
            }
            _ => { b { "But there may be no clusters at all." } }
        }
        " " a href="#number" { "Why" }
    }
}

/// The section, if anything was suggested.
pub(super) fn section(report: &ClusterReport<'_>) -> Option<Markup> {
    let suggestion = report.suggestion?;
    let asked = (!is_suggested(report, suggestion)).then(|| report.described.labels.clusters());
    let fits = suggestion.cut.clusters();
    let suggested = Suggested { clusters: fits, scores: &suggestion.scores, asked };
    let agrees = report.hierarchy.partitions()[suggestion.partition].clusters();
    Some(html! {
        section #number {
            h2 { "How many clusters" }
            p {
                b { (counted(fits, "cluster")) @if fits == 1 { " fits best" } @else { " fit best" } }
                @if suggested.by_score() { "." (next(suggestion)) " " }
                @else if suggestion.scores.is_empty() {
                    ": finch began with no more, and nothing is left to choose. "
                } @else if fits <= suggestion.scores.len() + 1 {
                    ": finch began with so few clusters that no other number is considered. "
                } @else { ": so many pieces have no links between them. " }
                @if let Some(asked) = asked {
                    "This page tells of " (counted(asked, "cluster")) ", " (report.described.name) ". "
                }
            }
            @if let Some(ambiguity) = suggestion.ambiguity() {
                p { (ambiguity) "." }
            }
            p {
                @match suggestion.clustered {
                    Clustered::Yes => {
                        "There seem to be clusters: the clearest one has few links to others at its border."
                    }
                    Clustered::TooFew => {
                        "Too few samples, or too few that differ, to tell whether there are clusters at all."
                    }
                    _ => {
                        "But there may be none: at their borders clusters have as many links to others as parts "
                        "of a single cloud, of noise or of a line have."
                    }
                }
            }
            @if let Some(curve) = figure(suggested, None) {
                div.charts { (curve) }
            }
            @if suggested.by_score()
                || suggestion.clustered != Clustered::TooFew
                || report.hierarchy.partitions().len() > 1
            { details {
                summary { "How this is told" }
                @if suggested.by_score() {
                    p {
                        "For each number of clusters finch looks at what would merge next: the "
                        (term("score", "score")) " is high where that is much less alike than what merged before. "
                        "The numbers that fit best:"
                    }
                    (best(suggestion))
                }
                @if suggestion.clustered != Clustered::TooFew {
                    p {
                        "At the border of the clearest cluster " (share(suggestion.mixing)) " of the links go to "
                        "other clusters. Within a single cloud, noise or a line it would be "
                        (share(Suggestion::MOST_MIXING)) " or more."
                    }
                }
                @if report.hierarchy.partitions().len() > 1 {
                    p {
                        "Of the " (term("partition", "partitions")) ", " (suggestion.partition)
                        " agrees best with the suggestion: it has " (counted(agrees, "cluster")) "."
                    }
                }
            } }
        }
    })
}

/// True if the page tells of the suggested clusters, some of whose samples may be noise.
fn is_suggested(report: &ClusterReport<'_>, suggestion: &Suggestion) -> bool {
    let labels = report.described.labels;
    if labels.noise() == 0 {
        return labels.labels() == suggestion.cut.labels();
    }
    // Clusters may have other numbers, and some may be gone.
    let mut of = vec![None; labels.clusters()];
    labels.labels().iter().zip(suggestion.cut.labels()).all(|(&label, &suggested)| {
        let known = of.get_mut(label as usize);
        known.is_none_or(|known| *known.get_or_insert(suggested) == suggested)
    })
}

/// The numbers of clusters that fit next best, as a sentence.
fn next(suggestion: &Suggestion) -> String {
    let next: Vec<String> = suggestion.best.iter().skip(1).map(|&k| count(k)).collect();
    match &next[..] {
        [] => String::new(),
        [one] => format!(" Next best is {one}."),
        _ => format!(" Next best are {}.", joined(&next)),
    }
}

/// The numbers of clusters that fit best, with their scores and persistence.
fn best(suggestion: &Suggestion) -> Markup {
    let columns = [numbers("clusters"), numbers("score"), numbers("found again, %")];
    let rows = suggestion.best.iter().zip(&suggestion.persistence_of_best);
    let row = |(&k, persistence): (&usize, &f64)| {
        let score =
            suggestion.scores.get(k.wrapping_sub(2)).map_or("–".into(), |&score| short(score));
        vec![
            html! { (count(k)) },
            html! { (score) },
            html! { (format!("{:.0}", 100.0 * persistence)) },
        ]
    };
    html! {
        (table(&columns, rows.map(row)))
        p { (term("recovery", "Found again")) ": how much of each cluster would come back from other samples." }
    }
}

/// A share, in percent to one decimal.
fn share(share: f64) -> String {
    format!("{:.1} %", 100.0 * share)
}
