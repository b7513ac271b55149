//! Why this number of clusters, where none was given.

use maud::{Markup, html};

use super::chart::{Chart, Range, Series};
use super::text::{count, short};
use crate::metrics::Clustering;

/// The score of each number of clusters, if K was suggested for its score: there is more than one to
/// choose, and K is not the number of pieces that nothing links.
pub(super) fn figure(clusterings: &[&Clustering]) -> Option<Markup> {
    let input = clusterings.first()?;
    let scores = input.suggestion.as_ref().filter(|scores| scores.len() > 1)?;
    let clusters = input.requested.as_ref()?.clusters;
    if clusters > scores.len() + 1 {
        return None;
    }
    let point = |(number, &score): (usize, &f64)| {
        let k = number + 2;
        (k as f64, score.max(0.0), format!("{} clusters: {}", count(k), short(score)))
    };
    let points = scores.iter().enumerate().map(point).collect();
    let line = Series { colour: "var(--accent)".into(), dashed: false, steps: false, points };
    let chart = Chart {
        series: vec![line],
        x: ("clusters", [2.0, (scores.len() + 1) as f64]),
        y: Range::FromZero,
        marks: vec![clusters as f64],
        reference: None,
    };
    let description = format!("score of numbers of clusters, highest at {}", count(clusters));
    let legend = html! {
        ul.legend { li {
            (count(clusters)) " clusters were suggested: there the similarity of what merges drops \
             most, weighted by how much more linked clusters are within than by chance"
        } }
    };
    Some(super::figure::figure(
        "suggestion",
        "Score of numbers of clusters",
        Some(legend),
        chart.draw(&description),
    ))
}
