//! The reasons for the number of clusters, where none was given.

use maud::Markup;

use super::chart::{Chart, Range, Series};
use super::text::{count, short};

/// A suggested number of clusters.
#[derive(Clone, Copy, Debug)]
pub(in crate::report) struct Suggested<'a> {
    /// K.
    pub(in crate::report) clusters: usize,
    /// The scores of 2 clusters and more.
    pub(in crate::report) scores: &'a [f64],
    /// The number of clusters that was asked for beside.
    pub(in crate::report) asked: Option<usize>,
}

impl Suggested<'_> {
    /// True if the score decided: there is more than one K to choose, and K is not the number of pieces
    /// that nothing links.
    pub(in crate::report) fn by_score(&self) -> bool {
        self.scores.len() > 1 && self.clusters <= self.scores.len() + 1
    }
}

/// The score of each number of clusters, if K was suggested for its score. Of many numbers, those up to
/// some beyond K.
pub(in crate::report) fn figure(
    suggested: Suggested<'_>,
    legend: Option<Markup>,
) -> Option<Markup> {
    let Suggested { clusters, scores, asked } = suggested;
    if !suggested.by_score() {
        return None;
    }
    let largest = clusters.max(asked.unwrap_or(0));
    let scores = &scores[..scores.len().min(usize::max(30, 3 * largest))];
    let point = |(number, &score): (usize, &f64)| {
        let k = number + 2;
        (k as f64, score.max(0.0), format!("{} clusters: {}", count(k), short(score)))
    };
    let points = scores.iter().enumerate().map(point).collect();
    let line = Series { colour: "var(--accent)".into(), dashed: false, steps: false, points };
    let chart = Chart {
        series: vec![line],
        x: ("number of clusters", [2.0, (scores.len() + 1) as f64]),
        y: ("score", Range::FromZero),
        marks: vec![clusters as f64],
        reference: None,
    };
    let description = format!("score of numbers of clusters, highest at {}", count(clusters));
    let title = "Score of each number of clusters";
    Some(super::figure::figure("suggestion", title, legend, chart.draw(&description)))
}
