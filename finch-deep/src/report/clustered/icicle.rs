//! The partitions as an icicle: under the clusters of the page a row for each, the coarsest above, in which
//! a cluster is as wide as it has samples and stands above its parts.

use maud::{Markup, html};

use super::lineage::{Level, Lineage};
use crate::report::parts::bar::{Cell, bar, cells, flex, width};
use crate::report::parts::colours::{COLOURS, Colour};
use crate::report::parts::groups::Groups;
use crate::report::parts::text::{count, counted, percent, shortened};

/// The most samples that have a row of their own, under the partitions.
const MOST_SAMPLES: usize = 60;

/// The clusters that the page tells of.
pub(super) struct Own<'a> {
    pub(super) clusters: &'a Groups,
    pub(super) weights: &'a [f64],
    pub(super) colours: &'a [Colour],
    pub(super) name: &'a str,
}

/// The icicle. `names` are those of samples.
pub(super) fn icicle(lineage: &Lineage, own: &Own<'_>, names: Option<&[String]>) -> Markup {
    let levels = lineage.levels.iter().enumerate().rev();
    let counts: Vec<String> = levels.clone().map(|(_, level)| count(level.groups.len())).collect();
    let samples = lineage.levels[0].groups.of.len();
    let description = format!(
        "the partitions as rows, of {} clusters: a cluster is as wide as it has samples, and stands above \
         its parts",
        counts.join(", ")
    );
    html! {
        div.icicle {
            div.level { b { (counted(own.clusters.clusters(), "cluster")) } " " (own.name) }
            (bar(own.clusters, own.weights, own.colours))
        }
        div.icicle role="img" aria-label=(description) {
            @for (number, level) in levels {
                div.level {
                    b { (counted(level.groups.len(), "cluster")) } " partition " (number)
                }
                div.row.fine[level.groups.len() > COLOURS] {
                    @for cell in cells(&level.order, &level.weights, &level.colours) {
                        (drawn(&cell, level, number))
                    }
                }
            }
            @if let Some(names) = names.filter(|_| samples <= MOST_SAMPLES) {
                div.level { b { (counted(samples, "sample")) } }
                div.row.samples { (of_samples(&lineage.levels[0], names)) }
            }
        }
    }
}

fn drawn(cell: &Cell, level: &Level, number: usize) -> Markup {
    let all: f64 = level.weights.iter().sum();
    let share = percent(100.0 * cell.width / all);
    let Colour { hue, shade } = cell.colour;
    match cell.of {
        Ok(cluster) => {
            let (name, size) = (&level.groups.names[cluster], level.groups.sizes[cluster]);
            let title =
                format!("partition {number}, label {name}: {}, {share} %", counted(size, "sample"));
            // Text can be read on colours themselves, but not on all of their shades. The labels of
            // another partition are no numbers of the clusters of this page, and only in the title.
            html! {
                i title=(title) class=(format!("h{hue} s{shade}")) style=(flex(cell.width)) {
                    @if shade == 0 { small class=(format!("r{}", 1 + width(&share, 0.5))) { (share) " %" } }
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
            @let of = finest.weights[cluster] / members[cluster].len() as f64;
            @let name = shortened(&names[sample]);
            i title=(names[sample]) style=(flex(of)) {
                span class=(format!("r{}", width(&name, 0.5))) { (name) }
            }
        } }
    }
}
