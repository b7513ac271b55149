//! Clusters as a bar: each is as wide as it has samples, and leads to its card.

use maud::{Markup, html};

use super::cards;
use super::colours::Colour;
use super::groups::Groups;
use super::text::{counted, percent, shortened};

/// The least share of a bar that a cluster has to itself, about two pixels of a screen; narrower
/// neighbours share a cell.
const NARROWEST: f64 = 1.0 / 500.0;
/// The most clusters that are told to readers who do not see the bar.
const TOLD: usize = 12;
/// The widest text of a cell, in rem: `page.css` has a rule for each width.
const WIDEST: usize = 16;

/// A piece of a bar.
#[derive(Debug, PartialEq)]
pub(in crate::report) struct Cell {
    /// The width, in samples or their weights.
    pub(in crate::report) width: f64,
    pub(in crate::report) colour: Colour,
    /// The one cluster that it is of, or how many.
    pub(in crate::report) of: Result<usize, usize>,
    /// The weight of the heaviest.
    heaviest: f64,
}

/// The cells of a bar, from left to right, of clusters in an order.
pub(in crate::report) fn cells(order: &[usize], weights: &[f64], colours: &[Colour]) -> Vec<Cell> {
    let least = NARROWEST * weights.iter().sum::<f64>();
    let mut cells: Vec<Cell> = Vec::new();
    for &cluster in order {
        let (weight, colour) = (weights[cluster], colours[cluster]);
        let beside = cells.last_mut().filter(|cell| {
            // Of one hue, and none of both wide enough.
            weight < least && cell.heaviest < least && cell.colour.hue == colour.hue
        });
        match beside {
            Some(cell) => {
                cell.width += weight;
                cell.heaviest = cell.heaviest.max(weight);
                cell.of = Err(cell.of.map_or_else(|many| many + 1, |_| 2));
            }
            None => cells.push(Cell { width: weight, colour, of: Ok(cluster), heaviest: weight }),
        }
    }
    cells
}

/// The bar of the clusters that a page tells of, the largest first.
pub(in crate::report) fn bar(clusters: &Groups, weights: &[f64], colours: &[Colour]) -> Markup {
    let all: f64 = weights.iter().sum();
    let order = clusters.by_size();
    let share = |width: f64| percent(100.0 * width / all);
    let told = |&cluster: &usize| {
        format!("{} with {} %", clusters.names[cluster], share(weights[cluster]))
    };
    let told: Vec<String> = order.iter().take(TOLD).map(told).collect();
    let more = if order.len() > TOLD { ", …" } else { "" };
    let label =
        format!("{} by size: {}{more}", counted(clusters.clusters(), "cluster"), told.join(", "));
    let carded = clusters.largest(cards::MOST);
    html! {
        ul.row.own aria-label=(label) { @for cell in cells(&order, weights, colours) {
            @let Colour { hue, .. } = cell.colour;
            @match cell.of {
                Ok(cluster) => {
                    @let name = &clusters.names[cluster];
                    @let (size, share) = (counted(clusters.sizes[cluster], "sample"), share(cell.width));
                    @let noun = if clusters.noise == Some(cluster) { "" } else { "cluster " };
                    @let title = format!("{noun}{name}: {size}, {share} %");
                    li class=(format!("h{hue}")) title=(title) style=(flex(cell.width)) {
                        @if carded.contains(&cluster) {
                            // The name of a link holds the text that is seen.
                            @let label = format!("Cluster {} {share} %, {size}", shortened(name));
                            a href=(format!("#cluster-{cluster}")) aria-label=(label) { (text(name, &share)) }
                        } @else { (text(name, &share)) }
                    }
                }
                Err(many) => {
                    @let title = format!("{}, {} % together", counted(many, "small cluster"), share(cell.width));
                    li class=(format!("many h{hue}")) title=(title) style=(flex(cell.width)) {}
                }
            }
        } }
    }
}

/// The name of a cell, and its share in percent, each where it fits.
fn text(name: &str, share: &str) -> Markup {
    let name = shortened(name);
    let (short, long) = (width(&name, 0.55), width(&format!("{name}{share} %"), 0.55) + 1);
    html! { span class=(format!("r{short}")) { (name) } " " small class=(format!("r{}", long.min(WIDEST))) { (share) " %" } }
}

/// The whole rem that a text takes with the room around it, at so many a character.
pub(in crate::report) fn width(text: &str, character: f64) -> usize {
    ((1.0 + character * text.chars().count() as f64).ceil() as usize).min(WIDEST)
}

/// The width of a cell, as CSS.
pub(in crate::report) fn flex(width: f64) -> String {
    format!("flex:{width}")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn found(weights: &[f64], hues: &[usize]) -> Vec<Cell> {
        let order: Vec<usize> = (0..weights.len()).collect();
        let colours: Vec<Colour> = hues.iter().map(|&hue| Colour::plain(hue)).collect();
        cells(&order, weights, &colours)
    }

    #[test]
    fn narrow_neighbours_share_a_cell() {
        let found = found(&[900.0, 1.0, 1.0, 1.5, 1.0, 95.5, 0.5], &[0, 0, 0, 0, 1, 1, 1]);
        let found: Vec<_> = found.iter().map(|cell| (cell.width, cell.of)).collect();
        let (one, many) = (Ok::<usize, usize>, Err::<usize, usize>);
        assert_eq!(
            found,
            [(900.0, one(0)), (3.5, many(3)), (1.0, one(4)), (95.5, one(5)), (0.5, one(6))]
        );
    }

    #[test]
    fn a_row_of_many_clusters_is_short() {
        let weights: Vec<f64> = (0..30_000).map(|i| f64::from(1 + i % 7)).collect();
        let hues: Vec<usize> = (0..30_000).map(|i| i / 1_500).collect();
        let found = found(&weights, &hues);
        assert_eq!(found.len(), 20);
        assert_eq!(found.iter().map(|cell| cell.width).sum::<f64>(), weights.iter().sum::<f64>());
    }

    #[test]
    fn the_largest_cluster_is_first_and_leads_to_its_card() {
        let clusters = Groups::new(&[7, 1, 7, 7], &[]);
        let bar = bar(&clusters, &[1.0, 3.0], &[Colour::plain(1), Colour::plain(0)]).into_string();
        let [first, second] = ["#cluster-1", "#cluster-0"].map(|link| bar.find(link).unwrap());
        assert!(first < second && bar.contains("2 clusters by size: 7 with 75.0 %, 1 with 25.0 %"));
    }
}
