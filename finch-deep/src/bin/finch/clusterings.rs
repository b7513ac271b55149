//! The clusterings of a training run, for people.

use comfy_table::Table;
use finch_deep::metrics::{Clustering, Measurement};

use crate::report::plain;

/// The clusterings of a training run, a line each.
pub(crate) fn clusterings(metrics: &[Measurement]) -> Table {
    let clusterings: Vec<&Clustering> =
        metrics.iter().filter_map(Measurement::clustering).collect();
    let mut columns = vec!["after epoch", "partitions", "pseudo-labels", "clusters"];
    let requested = clusterings.iter().filter_map(|clustering| clustering.requested.as_ref());
    if requested.clone().any(|partition| partition.scores.is_some()) {
        columns.extend(["ACC", "NMI", "ARI"]);
    }
    let mut table = plain(&columns);
    for clustering in clusterings {
        let counts: Vec<String> =
            clustering.partitions.iter().map(|partition| partition.clusters.to_string()).collect();
        let dash = || String::from("–");
        let mut cells = vec![
            clustering.epoch.to_string(),
            counts.join(", "),
            clustering.pseudo_labels.map_or_else(dash, |count| count.to_string()),
        ];
        if let Some(partition) = &clustering.requested {
            cells.push(partition.clusters.to_string());
            cells.extend(partition.scores.iter().flat_map(|scores| {
                let scores = [scores.acc, Some(scores.nmi), Some(scores.ari)];
                scores.map(|score| score.map_or_else(dash, |score| format!("{score:.2}")))
            }));
        }
        table.add_row(cells);
    }
    table
}
