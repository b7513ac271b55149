//! The partitions, from coarse to fine: as an icicle, in a table and on maps.

use finch_core::{Labelling, Partition};
use maud::{Markup, html};

use super::icicle::{Own, icicle};
use super::lineage::{Level, Lineage};
use super::{ClusterReport, Described};
use crate::report::parts::figure::figure;
use crate::report::parts::glossary::term;
use crate::report::parts::map::projection::Projection;
use crate::report::parts::map::{self, Shown};
use crate::report::parts::table::{Column, numbers, table};
use crate::report::parts::text::{count, counted, percent};
use crate::scores::Percentages;

/// The most partitions on maps, the coarsest ones. FINCH hardly makes more than ten.
const MOST_MAPS: usize = 9;

/// The tree of partitions.
pub(super) fn tree(report: &ClusterReport<'_>, lineage: &Lineage, own: &Own<'_>) -> Markup {
    let (partitions, weighted) = (lineage.levels.len(), report.hierarchy.weights().is_some());
    html! {
        section #tree {
            h2 { "From coarse to fine" }
            p {
                "Above, the clusters of this page. Below, "
                @if partitions > 1 {
                    "the " (count(partitions)) " " (term("partition", "partitions")) " that finch found on the "
                    "way, from coarse to fine: a cluster is as wide as "
                    @if weighted { "its samples weigh" } @else { "it has samples" }
                    ", and stands above its parts."
                } @else {
                    "the only " (term("partition", "partition")) " that finch found on the way: a cluster is "
                    "as wide as "
                    @if weighted { "its samples weigh." } @else { "it has samples." }
                }
                " It has the colour of the cluster above that it shares most samples with, in shades where "
                "that has several parts; cells too narrow to be drawn are striped."
            }
            figure #icicle { (icicle(lineage, own, report.names)) }
            (levels(report, lineage))
        }
    }
}

/// The partitions as a table of numbers.
fn levels(report: &ClusterReport<'_>, lineage: &Lineage) -> Markup {
    let scored = report.scores.len() == lineage.levels.len();
    let columns = ["partition", "clusters", "smallest", "median", "largest"].into_iter();
    let columns: Vec<Column> =
        columns.chain(SCORES.into_iter().filter(|_| scored)).map(numbers).collect();
    let row = |name: String, mut sizes: Vec<usize>, scores: Option<&Percentages>| {
        sizes.sort_unstable();
        let counts = [sizes.len(), sizes[0], sizes[sizes.len() / 2], sizes[sizes.len() - 1]];
        let scores = scores.filter(|_| scored).into_iter().flat_map(cells_of);
        let cells = [name].into_iter().chain(counts.map(count)).chain(scores);
        cells.map(|cell| html! { (cell) }).collect()
    };
    let of_level = |(number, level): (usize, &Level)| {
        row(number.to_string(), level.groups.sizes.clone(), report.scores.get(number))
    };
    let Described { name, labels, ref scores, .. } = report.described;
    let described = row(name.into(), Labelling::from(labels).sizes(), scores.as_ref());
    let rows = lineage.levels.iter().enumerate().rev().map(of_level);
    // A partition itself is in the table already.
    let is_own = |partition: &Partition| partition.labels() == labels.labels();
    let own = !report.hierarchy.partitions().iter().any(is_own);
    html! {
        (table(&columns, rows.chain(own.then_some(described))))
        @if scored {
            p {
                "Scores against the true classes: " (term("accuracy", "ACC")) ", " (term("nmi", "NMI")) ", "
                (term("ari", "ARI")) " and " (term("purity", "purity")) "."
            }
        }
    }
}

/// The columns of scores, in percent.
const SCORES: [&str; 4] = ["ACC, %", "NMI (geometric), %", "ARI, %", "purity, %"];

fn cells_of(scores: &Percentages) -> [String; 4] {
    let acc = scores.acc.map_or("–".into(), percent);
    [acc, percent(scores.nmi), percent(scores.ari), percent(scores.purity)]
}

/// A map at each level.
pub(super) fn maps(lineage: &Lineage, projection: &Projection) -> Markup {
    let levels = &lineage.levels[lineage.levels.len().saturating_sub(MOST_MAPS)..];
    let first = lineage.levels.len() - levels.len();
    html! {
        section #levels {
            h2 { "A map at each level" }
            p {
                "The same map, in the colours of each " (term("partition", "partition")) " as above."
                @if first > 0 { " The " (counted(levels.len(), "coarsest partition")) " are shown." }
            }
            div.charts.maps.small { @for (number, level) in levels.iter().enumerate().rev() {
                @let number = number + first;
                @let title =
                    format!("Partition {number}: {}", counted(level.groups.len(), "cluster"));
                (figure(&format!("map-{number}"), &title, None, draw(level, projection)))
            } }
        }
    }
}

fn draw(level: &Level, projection: &Projection) -> Markup {
    let places = map::places(projection, &level.groups);
    // The labels of another partition are no numbers of the clusters of this page.
    let shown = Shown {
        groups: &level.groups,
        places: &places,
        colours: &level.colours,
        noun: "label",
        named: false,
        samples: None,
        wide: false,
    };
    map::draw(projection, &shown)
}
