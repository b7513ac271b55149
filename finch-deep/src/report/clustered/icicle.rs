//! The partitions as an icicle: a row for each, the coarsest above, in which a cluster is as wide as it
//! has samples and stands above its parts.

use maud::{Markup, html};

use super::lineage::{Level, Lineage};
use crate::report::parts::colours::{COLOURS, Colour};
use crate::report::parts::text::{count, counted, percent};

/// The least share of a row that a cluster has to itself, about two pixels of a screen; narrower
/// neighbours share a cell.
const NARROWEST: f64 = 1.0 / 500.0;

/// The most samples that have a row of their own, under the partitions.
const MOST_SAMPLES: usize = 60;

/// A piece of a row.
#[derive(Debug, PartialEq)]
struct Cell {
    /// The width, in samples or their weights.
    width: f64,
    colour: Colour,
    /// The one cluster that it is of, or how many.
    of: Result<usize, usize>,
    /// The weight of the heaviest.
    heaviest: f64,
}

/// The icicle. `names` are those of samples.
pub(super) fn icicle(lineage: &Lineage, names: Option<&[String]>) -> Markup {
    let levels = lineage.levels.iter().enumerate().rev();
    let counts: Vec<String> = levels.clone().map(|(_, level)| count(level.groups.len())).collect();
    let samples = lineage.levels[0].groups.of.len();
    let description = format!(
        "the partitions as rows, of {} clusters: a cluster is as wide as it has samples, and stands above \
         its parts",
        counts.join(", ")
    );
    html! {
        div.icicle role="img" aria-label=(description) {
            @for (number, level) in levels {
                div.level {
                    b { (counted(level.groups.len(), "cluster")) } " partition " (number)
                }
                div.row.fine[level.groups.len() > COLOURS] { @for cell in cells(level) { (drawn(&cell, level, number)) } }
            }
            @if let Some(names) = names.filter(|_| samples <= MOST_SAMPLES) {
                div.level { b { (counted(samples, "sample")) } }
                div.row.samples { (of_samples(&lineage.levels[0], names)) }
            }
        }
    }
}

/// The cells of a row, from left to right.
fn cells(level: &Level) -> Vec<Cell> {
    let least = NARROWEST * level.weights.iter().sum::<f64>();
    let mut cells: Vec<Cell> = Vec::new();
    for &cluster in &level.order {
        let (weight, colour) = (level.weights[cluster], level.colours[cluster]);
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

fn drawn(cell: &Cell, level: &Level, number: usize) -> Markup {
    let all: f64 = level.weights.iter().sum();
    let share = percent(100.0 * cell.width / all);
    let Colour { hue, shade } = cell.colour;
    match cell.of {
        Ok(cluster) => {
            let (name, size) = (&level.groups.names[cluster], level.groups.sizes[cluster]);
            let title = format!(
                "partition {number}, cluster {name}: {}, {share} %",
                counted(size, "sample")
            );
            // Text can be read on colours themselves, but not on all of their shades.
            html! {
                i title=(title) class=(format!("h{hue} s{shade}")) style=(flex(cell.width)) {
                    @if shade == 0 { span { (name) small { (share) " %" } } }
                }
            }
        }
        Err(many) => {
            let title = format!(
                "partition {number}: {}, {share} % together",
                counted(many, "small cluster")
            );
            html! { i title=(title) class=(format!("many h{hue}")) style=(flex(cell.width)) {} }
        }
    }
}

/// A cell for each sample.
fn of_samples(finest: &Level, names: &[String]) -> Markup {
    let mut members = vec![Vec::new(); finest.groups.len()];
    for (sample, &cluster) in finest.groups.of.iter().enumerate() {
        members[cluster].push(sample);
    }
    html! {
        @for &cluster in &finest.order { @for &sample in &members[cluster] {
            @let width = finest.weights[cluster] / members[cluster].len() as f64;
            i title=(names[sample]) style=(flex(width)) { span { (names[sample]) } }
        } }
    }
}

fn flex(width: f64) -> String {
    format!("flex:{width}")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::parts::groups::Groups;

    fn level(weights: &[f64], hues: &[usize]) -> Level {
        let labels: Vec<u32> = (0..weights.len() as u32).collect();
        Level {
            groups: Groups::new(&labels, &[]),
            weights: weights.to_vec(),
            order: (0..weights.len()).collect(),
            colours: hues.iter().map(|&hue| Colour::plain(hue)).collect(),
        }
    }

    #[test]
    fn narrow_neighbours_share_a_cell() {
        let found = cells(&level(&[900.0, 1.0, 1.0, 1.5, 1.0, 95.5, 0.5], &[0, 0, 0, 0, 1, 1, 1]));
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
        let found = cells(&level(&weights, &hues));
        assert_eq!(found.len(), 20);
        assert_eq!(found.iter().map(|cell| cell.width).sum::<f64>(), weights.iter().sum::<f64>());
    }
}
