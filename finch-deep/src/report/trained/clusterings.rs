//! The clusterings by FINCH before, between and after the rounds of training.

use maud::{Markup, html};

use crate::metrics::{Candidate, Clustering, ScoredPartition, Verdict};
use crate::report::parts::chart::{Chart, Range, Series};
use crate::report::parts::figure::{figure, legend};
use crate::report::parts::glossary::term;
use crate::report::parts::suggestion::{self, Suggested};
use crate::report::parts::table::{self, Column, numbers};
use crate::report::parts::text::{count, counted, percent};
use crate::scores::Percentages;

/// The section, if anything was clustered.
pub(super) fn section(clusterings: &[&Clustering]) -> Option<Markup> {
    let last = clusterings.last()?.epoch;
    Some(html! {
        section #clusterings {
            h2 { "Before and after training" }
            @if let Some(verdict) = clusterings.last().and_then(|one| one.verdict.as_ref()) {
                p {
                    (capital(&verdict.to_string())) ". " (term("modularity", "Modularity"))
                    " needs no true classes; scores against them have no say."
                    @if !verdict.beside.is_empty() {
                        " k-means and Ward linkage of the input are there to compare with."
                    }
                }
                (candidates(verdict))
            }
            p {
                "FINCH clusters the input first, and the embedding after each round of training. Each clustering "
                "is a hierarchy of " (term("partition", "partitions")) ", from fine to coarse; its "
                (term("agreement", "agreement")) " is that with the one before."
                @if is_scored(clusterings) {
                    " " (term("accuracy", "ACC")) ", " (term("nmi", "NMI")) " and " (term("ari", "ARI"))
                    " are scores against the true classes."
                }
            }
            div.charts {
                (partitions(clusterings))
                @if let Some(scores) = scores(clusterings, last) { (scores) }
                @if let Some(agreement) = agreement(clusterings, last) { (agreement) }
                @if let Some(curve) = suggestion(clusterings) { (curve) }
            }
            (rounds(clusterings))
        }
    })
}

/// The score of each number of clusters, if K was suggested for its score.
fn suggestion(clusterings: &[&Clustering]) -> Option<Markup> {
    let input = clusterings.first()?;
    let scores = input.suggestion.as_deref()?;
    let clusters = input.requested.as_ref()?.clusters;
    let legend = html! {
        ul.legend { li { (count(clusters)) " clusters fit best: their " (term("score", "score")) " is highest" } }
    };
    suggestion::figure(Suggested { clusters, scores, asked: None }, Some(legend))
}

/// Says what was clustered: the input, or the embedding after some epochs.
fn name(clustering: &Clustering) -> String {
    match clustering.epoch {
        0 => "input".into(),
        epoch => format!("epoch {epoch}"),
    }
}

/// Clusters in each partition, a line for each clustering.
fn partitions(clusterings: &[&Clustering]) -> Markup {
    let rounds = clusterings.iter().filter(|clustering| clustering.epoch > 0).count();
    let mut round = 0;
    let mut lines = Vec::new();
    for clustering in clusterings {
        let input = clustering.epoch == 0;
        let colour = if input {
            "var(--muted)".to_string()
        } else {
            round += 1;
            // The later the clustering, the stronger its line.
            let part = 30 + 70 * round / rounds;
            format!("color-mix(in oklab, var(--accent) {part}%, var(--paper))")
        };
        let point = |(partition, number): (&ScoredPartition, u32)| {
            let tip = format!(
                "{}, partition {number}: {}",
                name(clustering),
                counted(partition.clusters, "cluster")
            );
            (f64::from(number), partition.clusters as f64, tip)
        };
        let points = clustering.partitions.iter().zip(0..).map(point).collect();
        lines.push((name(clustering), Series { colour, dashed: input, steps: false, points }));
    }
    let deepest = lines.iter().map(|(_, line)| line.points.len()).max().unwrap_or(1).max(1);
    let mut entries: Vec<(String, String)> =
        lines.iter().map(|(name, line)| (line.colour.clone(), name.clone())).collect();
    let requested = clusterings.iter().rev().find_map(|clustering| clustering.requested.as_ref());
    if let Some(partition) = requested {
        entries.push(("var(--mark)".into(), format!("{} asked for", count(partition.clusters))));
    }
    let chart = Chart {
        series: lines.into_iter().map(|(_, line)| line).collect(),
        x: ("partition", [0.0, deepest as f64 - 1.0]),
        y: ("clusters", Range::Logarithmic),
        marks: Vec::new(),
        reference: requested.map(|partition| partition.clusters as f64),
    };
    let description = "clusters in each partition, for the input and after each round";
    figure(
        "partitions",
        "Clusters in each partition",
        Some(legend(entries)),
        chart.draw(description),
    )
}

/// ACC and NMI of the partition that was asked for.
fn scores(clusterings: &[&Clustering], last: usize) -> Option<Markup> {
    let scored: Vec<(&Clustering, Percentages)> = clusterings
        .iter()
        .filter_map(|clustering| Some((*clustering, clustering.requested.as_ref()?.scores?)))
        .collect();
    let (first, best) = (scored.first()?.1, scored.last()?.1);
    let line = |name: &str, colour: &str, value: fn(&Percentages) -> Option<f64>| {
        let point = |(clustering, scores): &(&Clustering, Percentages)| {
            let value = value(scores)?;
            let of = self::name(clustering);
            Some((clustering.epoch as f64, value, format!("{of}: {name} {} %", percent(value))))
        };
        let points = scored.iter().filter_map(point).collect();
        Series { colour: colour.into(), dashed: false, steps: false, points }
    };
    let chart = Chart {
        series: vec![
            line("NMI", "var(--second)", |scores| Some(scores.nmi)),
            line("ACC", "var(--accent)", |scores| scores.acc),
        ],
        x: ("epochs trained", [0.0, last as f64]),
        y: ("ACC and NMI, %", Range::Percent),
        marks: Vec::new(),
        reference: None,
    };
    let description = format!(
        "ACC and NMI after each clustering; NMI from {} to {} %",
        percent(first.nmi),
        percent(best.nmi)
    );
    let entries =
        vec![("var(--accent)".into(), "ACC".into()), ("var(--second)".into(), "NMI".into())];
    let title = "Agreement with the true classes";
    Some(figure("scores", title, Some(legend(entries)), chart.draw(&description)))
}

/// The stability of the pseudo-labels: NMI.
fn agreement(clusterings: &[&Clustering], last: usize) -> Option<Markup> {
    let point = |clustering: &&Clustering| {
        let nmi = clustering.agreement?;
        let tip = format!("{}: NMI {} % with the labels before", name(clustering), percent(nmi));
        Some((clustering.epoch as f64, nmi, tip))
    };
    let points: Vec<_> = clusterings.iter().filter_map(point).collect();
    // One point is no line: the table has it.
    let ends = match &*points {
        [first, .., last] => [first.1, last.1].map(percent),
        _ => return None,
    };
    let line = Series { colour: "var(--accent)".into(), dashed: false, steps: false, points };
    let chart = Chart {
        series: vec![line],
        x: ("epochs trained", [0.0, last as f64]),
        y: ("NMI, %", Range::Percent),
        marks: Vec::new(),
        reference: None,
    };
    let description =
        format!("agreement of pseudo-labels with those before, from {} to {} %", ends[0], ends[1]);
    let title = "Agreement with the labels before";
    Some(figure("agreement", title, None, chart.draw(&description)))
}

/// The clusters that could have been the result, as a table of numbers.
fn candidates(verdict: &Verdict) -> Markup {
    let scored = verdict.candidates.iter().any(|candidate| candidate.scores.is_some());
    let mut columns = vec!["clusters of", "modularity", "separation", "agreement"];
    columns.extend(if scored { &SCORES[..] } else { &[] });
    let columns: Vec<Column> = columns.into_iter().map(numbers).collect();
    let row = |candidate: &Candidate| {
        let mut cells = vec![
            html! { (candidate.source) },
            html! { (format!("{:.3}", candidate.modularity)) },
            html! { (candidate.separation.map_or("–".into(), |gain| format!("{gain:+.3}"))) },
            html! { (percent(candidate.agreement)) },
        ];
        cells.extend(scores_of(candidate.scores).into_iter().filter(|_| scored));
        cells
    };
    let beside = verdict.beside.iter().map(|beside| {
        let none = || html! { "–" };
        let cells = vec![html! { (beside.method) }, none(), none(), none()];
        cells
            .into_iter()
            .chain(scores_of(Some(beside.scores)).into_iter().filter(|_| scored))
            .collect()
    });
    table::table(&columns, verdict.candidates.iter().map(row).chain(beside))
}

/// The columns of scores.
const SCORES: [&str; 3] = ["ACC", "NMI (geometric)", "ARI"];

/// The cells of these columns.
fn scores_of(scores: Option<Percentages>) -> [Markup; 3] {
    let values = [scores.and_then(|it| it.acc), scores.map(|it| it.nmi), scores.map(|it| it.ari)];
    values.map(|value| html! { (optional(value)) })
}

fn optional(percentage: Option<f64>) -> String {
    percentage.map_or("–".into(), percent)
}

/// True if the truth is known.
fn is_scored(clusterings: &[&Clustering]) -> bool {
    let requested = clusterings.iter().filter_map(|clustering| clustering.requested.as_ref());
    requested.into_iter().any(|partition| partition.scores.is_some())
}

/// The clusterings as a table of numbers.
fn rounds(clusterings: &[&Clustering]) -> Markup {
    let scored = is_scored(clusterings);
    let asked_for = clusterings.iter().any(|clustering| clustering.requested.is_some());
    let mut columns = vec![
        numbers("clustered"),
        Column { name: "clusters in each partition", class: Some("text") },
    ];
    columns.extend(asked_for.then(|| numbers("asked for")));
    columns.extend(SCORES.into_iter().filter(|_| scored).map(numbers));
    columns.extend(["pseudo-labels", "agreement"].map(numbers));
    let row = |clustering: &&Clustering| {
        let requested = clustering.requested.as_ref();
        let counts = clustering.partitions.iter().map(|partition| count(partition.clusters));
        let mut cells =
            vec![html! { (name(clustering)) }, html! { (counts.collect::<Vec<_>>().join(" → ")) }];
        let clusters = requested.map_or("–".into(), |partition| count(partition.clusters));
        cells.extend(asked_for.then(|| html! { (clusters) }));
        let scores = scores_of(requested.and_then(|partition| partition.scores));
        cells.extend(scores.into_iter().filter(|_| scored));
        cells.push(html! { (clustering.pseudo_labels.map_or("–".into(), count)) });
        cells.push(html! { (optional(clustering.agreement)) });
        cells
    };
    table::table(&columns, clusterings.iter().map(row))
}

/// A sentence that begins with a capital letter.
fn capital(sentence: &str) -> String {
    let mut letters = sentence.chars();
    letters.next().into_iter().flat_map(char::to_uppercase).chain(letters).collect()
}

#[cfg(test)]
mod tests {
    #[test]
    fn a_sentence_begins_with_a_capital_of_any_alphabet() {
        assert_eq!(super::capital("élan, and"), "Élan, and");
    }
}
