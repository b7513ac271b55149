//! The page around the sections.

use std::io;

use maud::{Markup, html};

use super::lineage::Lineage;
use super::{ClusterReport, described, levels, outliers, suggested};
use crate::report::parts::colours::{self, COLOURS, Colour};
use crate::report::parts::figure::figure;
use crate::report::parts::frame::{Frame, Tile, facts};
use crate::report::parts::groups::Groups;
use crate::report::parts::map::{self, MAP_SAMPLES, Shown};
use crate::report::parts::matching::{Matching, colours_of};
use crate::report::parts::projection::Projection;
use crate::report::parts::text::{count, percent};
use crate::report::parts::{confusion, sizes};

impl ClusterReport<'_> {
    /// Writes the page, as UTF-8.
    ///
    /// The same report gives the same bytes, whatever the number of threads. The map takes nearly
    /// all of the time: some seconds, on one core.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`], with nothing written, if samples, labels, names, classes or
    /// outlier scores are not as many as the samples of the hierarchy, or a cluster is not described; and
    /// whatever writing returns.
    pub fn write(&self, to: &mut impl io::Write) -> io::Result<()> {
        let (samples, clusters) = (self.hierarchy.samples(), self.described.partition.clusters());
        let outliers = (!self.outliers.is_empty()).then_some(self.outliers.len());
        let lengths = [
            (Some(self.samples.rows()), "rows", samples),
            (Some(self.described.partition.samples()), "labels", samples),
            (self.names.map(<[String]>::len), "names", samples),
            (self.truth.map(|truth| truth.labels.len()), "classes", samples),
            (outliers, "outlier scores", samples),
            (Some(self.described.description.medoids.len()), "medoids", clusters),
        ];
        for (found, what, expected) in lengths {
            if let Some(found) = found.filter(|&found| found != expected) {
                let message = format!("{found} {what} where there are {expected}");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
        }
        to.write_all(page(self).into_string().as_bytes())
    }
}

/// The whole page.
fn page(report: &ClusterReport<'_>) -> Markup {
    let lineage = Lineage::new(report.hierarchy);
    let samples = report.hierarchy.samples();
    let clusters = Groups::new(report.described.partition.labels(), report.described.names);
    let classes = report.truth.map(|truth| Groups::new(truth.labels, truth.names));
    let matching = classes.as_ref().and_then(|classes| Matching::new(&clusters, classes));
    let truth = classes.as_ref().zip(matching.as_ref());
    let metric = report.hierarchy.metric();
    let projection = Projection::new(&report.samples, samples, metric, MAP_SAMPLES, report.seed);
    let places = match &projection {
        Some(projection) => map::places(projection, &clusters),
        None => vec![None; clusters.len()],
    };
    let colours = colours::choose(&given(&lineage, &clusters), &places, &clusters.by_size());
    let maps = projection.as_ref().map(|projection| {
        let shown = Shown {
            groups: &clusters,
            places: &places,
            colours: &colours,
            noun: "cluster",
            names: report.names,
        };
        html! {
            section #map {
                h2 { "Map" }
                (about(projection, samples, &clusters, classes.as_ref()))
                div.charts.maps {
                    @let title = format!("By cluster: {}", report.described.name);
                    (figure("map-clusters", &title, None, map::draw(projection, &shown)))
                    @if let Some(classes) = &classes {
                        @let places = map::places(projection, classes);
                        @let colours = colours_of(classes, matching.as_ref(), &colours, &places);
                        @let shown = Shown {
                            groups: classes,
                            places: &places,
                            colours: &colours,
                            noun: "class",
                            names: None,
                        };
                        (figure("map-classes", "By true class", None, map::draw(projection, &shown)))
                    }
                }
            }
        }
    });
    let of_classes = |classes: &Groups| confusion::section(&clusters, classes, matching.as_ref());
    let tree = levels::tree(report, &lineage);
    // The map of the only partition is there already.
    let alone = report.hierarchy.partitions() == [report.described.partition.clone()];
    let levels = projection.as_ref().filter(|_| !alone);
    let levels = levels.map(|projection| levels::maps(&lineage, projection));
    let sections = [
        ("tree", "Partitions", Some(tree)),
        ("number", "How many", suggested::section(report)),
        ("map", "Map", maps),
        ("clusters", "Clusters", Some(described::section(report, &clusters, &colours))),
        (
            "sizes",
            "Sizes",
            Some(sizes::section(&clusters, &colours, truth, &described::figures(report))),
        ),
        ("outliers", "Outliers", outliers::section(report, &clusters, &colours)),
        ("confusion", "Classes", classes.as_ref().and_then(of_classes)),
        ("levels", "Levels", levels),
        ("run", "How it was made", run(report)),
    ];
    let links = sections.iter().filter(|(.., section)| section.is_some());
    let links = links.map(|&(id, name, _)| (id, name)).collect();
    let frame = Frame {
        command: report.command,
        title: report.title,
        tiles: tiles(report),
        sections: sections.into_iter().filter_map(|(.., section)| section).collect(),
        links,
    };
    frame.page()
}

/// The colours of clusters that are much the same as some of the tree: these.
fn given(lineage: &Lineage, clusters: &Groups) -> Vec<Option<Colour>> {
    let level = &lineage.levels[lineage.coloured];
    let fits = [clusters.len(), level.groups.len()].iter().all(|&groups| groups <= COLOURS);
    match Matching::new(clusters, &level.groups).filter(|_| fits) {
        Some(matching) => {
            let same = matching.class.iter();
            same.map(|same| same.map(|cluster| level.colours[cluster])).collect()
        }
        None => vec![None; clusters.len()],
    }
}

/// The numbers that people look for first.
fn tiles(report: &ClusterReport<'_>) -> Vec<Tile> {
    let hierarchy = report.hierarchy;
    let counts: Vec<String> = hierarchy.cluster_counts().into_iter().rev().map(count).collect();
    let features = hierarchy.features();
    let mut tiles = vec![
        Tile::new("samples", count(hierarchy.samples()), String::new()),
        Tile::new("features", count(features), format!("{} distance", hierarchy.metric().name())),
        Tile::new("partitions", count(counts.len()), format!("of {} clusters", counts.join(", "))),
        Tile::new(
            "clusters",
            count(report.described.partition.clusters()),
            report.described.name.into(),
        ),
    ];
    if let Some(scores) = report.described.scores {
        let score = |name, value| Tile::new(name, format!("{} %", percent(value)), String::new());
        tiles.extend(scores.acc.map(|acc| score("accuracy (ACC)", acc)));
        tiles.push(score("NMI (geometric)", scores.nmi));
    }
    tiles
}

/// The options of the clustering, if they were told.
fn run(report: &ClusterReport<'_>) -> Option<Markup> {
    let section = html! {
        section #run {
            h2 { "What was clustered, and how" }
            (facts(report.facts))
        }
    };
    (!report.facts.is_empty()).then_some(section)
}

/// The explanation of the map.
fn about(
    projection: &Projection,
    samples: usize,
    clusters: &Groups,
    classes: Option<&Groups>,
) -> Markup {
    html! {
        p {
            (map::about(projection, samples))
            @if classes.is_some() { " A class has the colour of the cluster matched with it." }
            @if classes.map_or(0, Groups::len).max(clusters.len()) > COLOURS {
                " Colours repeat, but far apart; point at a dot to see which group it is of."
            }
        }
    }
}
