//! The final clusters in a table.

use maud::{Markup, html};

use super::cards;
use super::colours::Colour;
use super::figure::swatch;
use super::groups::Groups;
use super::matching::Matching;
use super::table::{Column, numbers};
use super::text::{count, counted, percent};

/// The most clusters that are seen at once; the rest can be unfolded.
const OPEN: usize = 20;
/// The most clusters in the table at all.
const MOST: usize = 1_000;

/// The figures of each cluster beside its size: a column of numbers.
pub(in crate::report) struct Figures {
    pub(in crate::report) name: &'static str,
    /// A text for each cluster.
    pub(in crate::report) values: Vec<String>,
}

/// The section, with the class of each cluster where the truth is known. Clusters with cards lead there.
pub(in crate::report) fn section(
    clusters: &Groups,
    colours: &[Colour],
    truth: Option<(&Groups, &Matching)>,
    figures: &[Figures],
    with_cards: bool,
) -> Markup {
    let order = clusters.by_size();
    let (open, rest) = order.split_at(order.len().min(OPEN));
    let folded = &rest[..rest.len().min(MOST - OPEN)];
    let left = &rest[folded.len()..];
    let carded = if with_cards { clusters.largest(cards::MOST) } else { Vec::new() };
    let table = |rows: &[usize]| table(rows, clusters, colours, truth, figures, &carded);
    html! {
        section #sizes {
            h2 { "All clusters, by size" }
            (table(open))
            @if !folded.is_empty() {
                details {
                    summary { (counted(folded.len(), "smaller cluster")) }
                    (table(folded))
                }
            }
            @if !left.is_empty() {
                p {
                    "And " (count(left.len())) " more, of "
                    (counted(left.iter().map(|&cluster| clusters.sizes[cluster]).sum(), "sample"))
                    " together."
                }
            }
        }
    }
}

fn table(
    rows: &[usize],
    clusters: &Groups,
    colours: &[Colour],
    truth: Option<(&Groups, &Matching)>,
    figures: &[Figures],
    carded: &[usize],
) -> Markup {
    let samples = clusters.of.len() as f64;
    let largest = clusters.sizes.iter().max().copied().unwrap_or(1) as f64;
    let largest_class = |cluster: usize| {
        let (classes, matching) = truth?;
        let row = matching.shared.row(cluster);
        let class = (0..row.len()).rev().max_by_key(|&class| row[class])?;
        Some((&classes.names[class], 100.0 * row[class] as f64 / clusters.sizes[cluster] as f64))
    };
    let mut columns = vec![numbers("cluster"), numbers("samples"), numbers("% of all"), bar()];
    columns.extend(figures.iter().map(|figures| numbers(figures.name)));
    if truth.is_some() {
        columns.extend(["matched class", "largest class", "% of the cluster"].map(numbers));
    }
    let row = |&cluster: &usize| {
        let size = clusters.sizes[cluster] as f64;
        let mut cells = vec![
            html! {
                span {
                    (swatch(&colours[cluster].css()))
                    @if carded.contains(&cluster) {
                        a href=(format!("#cluster-{cluster}")) { (clusters.names[cluster]) }
                    } @else { (clusters.names[cluster]) }
                }
            },
            html! { (count(clusters.sizes[cluster])) },
            html! { (percent(100.0 * size / samples)) },
            html! {
                @let colour = colours[cluster].css();
                div style=(format!("width:{:.1}%;background:{colour}", 100.0 * size / largest)) {}
            },
        ];
        let figures = figures.iter().map(|figures| &figures.values[cluster]);
        cells.extend(figures.map(|figure| html! { (figure) }));
        if let Some((classes, matching)) = truth {
            let matched = matching.class[cluster].map_or("–", |class| &classes.names[class]);
            cells.push(html! { (matched) });
            if let Some((name, share)) = largest_class(cluster) {
                cells.extend([html! { (name) }, html! { (percent(share)) }]);
            }
        }
        cells
    };
    html! { div.sizes { (super::table::table(&columns, rows.iter().map(row))) } }
}

/// A column of bars.
fn bar() -> Column {
    Column { name: "", class: Some("bar") }
}
