//! The clusterings of a training run, for people.

use comfy_table::{CellAlignment, Table};
use finch_deep::metrics::{Clustering, Measurement, Verdict};
use finch_deep::scores::Percentages;

use super::summary::plain;

const DASH: &str = "–";

/// The clusterings of a training run, a line each.
pub(crate) fn clusterings(metrics: &[Measurement]) -> Table {
    let clusterings: Vec<&Clustering> =
        metrics.iter().filter_map(Measurement::clustering).collect();
    let mut columns = vec!["after epoch", "partitions", "pseudo-labels", "clusters"];
    let requested = clusterings.iter().filter_map(|clustering| clustering.requested.as_ref());
    if requested.clone().any(|partition| partition.scores.is_some()) {
        columns.extend(SCORES);
    }
    let mut table = plain(&columns);
    for clustering in clusterings {
        let counts: Vec<String> =
            clustering.partitions.iter().map(|partition| partition.clusters.to_string()).collect();
        let mut cells = vec![
            clustering.epoch.to_string(),
            counts.join(", "),
            clustering.pseudo_labels.map_or_else(|| DASH.into(), |count| count.to_string()),
        ];
        if let Some(partition) = &clustering.requested {
            cells.push(partition.clusters.to_string());
            cells.extend(partition.scores.iter().flat_map(scores));
        }
        table.add_row(cells);
    }
    table
}

/// The clusters that could have been the result of a run, a line each.
pub(crate) fn candidates(verdict: &Verdict) -> Table {
    let mut columns = vec!["clusters of", "modularity", "separation", "agreement"];
    if verdict.candidates.iter().any(|candidate| candidate.scores.is_some()) {
        columns.extend(SCORES);
    }
    columns.push("why");
    let mut table = plain(&columns);
    for candidate in &verdict.candidates {
        let mut cells = vec![
            candidate.source.to_string(),
            format!("{:.3}", candidate.modularity),
            candidate.separation.map_or_else(|| DASH.into(), |gain| format!("{gain:+.3}")),
            format!("{:.2}", candidate.agreement),
        ];
        cells.extend(candidate.scores.iter().flat_map(scores));
        cells.push(verdict.why(candidate).into());
        table.add_row(cells);
    }
    for beside in &verdict.beside {
        let mut cells = vec![beside.method.to_string(), DASH.into(), DASH.into(), DASH.into()];
        cells.extend(scores(&beside.scores));
        cells.push("to compare with, and without a say".into());
        table.add_row(cells);
    }
    if let Some(why) = table.column_mut(columns.len() - 1) {
        why.set_cell_alignment(CellAlignment::Left);
    }
    table
}

const SCORES: [&str; 3] = ["ACC", "NMI (geometric)", "ARI"];

fn scores(scores: &Percentages) -> [String; 3] {
    let scores = [scores.acc, Some(scores.nmi), Some(scores.ari)];
    scores.map(|score| score.map_or_else(|| DASH.into(), |score| format!("{score:.2}")))
}
