//! The page around the sections.

use std::io;

use maud::{Markup, html};

use super::icicle::Own;
use super::lineage::Lineage;
use super::{ClusterReport, described, levels, outliers, suggested};
use crate::report::parts::colours::{self, COLOURS, Colour};
use crate::report::parts::figure::figure;
use crate::report::parts::frame::{Frame, Section, Tile, facts};
use crate::report::parts::groups::Groups;
use crate::report::parts::map::projection::Projection;
use crate::report::parts::map::{self, MAP_SAMPLES, Shown, Told};
use crate::report::parts::matching::{Matching, colours_of};
use crate::report::parts::text::{count, counted, percent};
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
        let (samples, clusters) = (self.hierarchy.samples(), self.described.labels.clusters());
        let outliers = (!self.outliers.is_empty()).then_some(self.outliers.len());
        let lengths = [
            (Some(self.samples.rows()), "rows", samples),
            (Some(self.described.labels.samples()), "labels", samples),
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
    let samples = report.hierarchy.samples();
    let described = &report.described;
    let clusters = Groups::new(described.labels.labels(), described.names);
    // The label of noise is the largest.
    let clusters = if described.labels.noise() > 0 { clusters.with_noise_last() } else { clusters };
    let classes = report.truth.map(|truth| Groups::new(truth.labels, truth.names));
    let matching = classes.as_ref().and_then(|classes| Matching::new(&clusters, classes));
    let truth = classes.as_ref().zip(matching.as_ref());
    let metric = report.hierarchy.metric();
    let projection = Projection::new(&report.samples, samples, metric, MAP_SAMPLES, report.seed);
    let places = match &projection {
        Some(projection) => map::places(projection, &clusters),
        None => vec![None; clusters.len()],
    };
    let mut given = vec![None; clusters.len()];
    if let Some(noise) = clusters.noise {
        given[noise] = Some(Colour::NOISE);
    }
    let colours = colours::choose(&given, &places, &clusters.by_size());
    let lineage = Lineage::new(report.hierarchy, &clusters, &colours);
    let mut weights = report.described.description.sizes.clone();
    if let Some(noise) = clusters.noise {
        weights.push(match report.hierarchy.weights() {
            Some(weights) => {
                let of_noise = weights.iter().zip(&clusters.of).filter(|&(_, &of)| of == noise);
                of_noise.map(|(weight, _)| weight).sum()
            }
            None => clusters.sizes[noise] as f64,
        });
    }
    let name = report.described.name;
    let own = Own { clusters: &clusters, weights: &weights, colours: &colours, name };
    let features: Vec<String> =
        report.columns.unwrap_or_default().iter().map(|column| column.title()).collect();
    let told = Some(Told { names: report.names, features: &features });
    let maps = projection.as_ref().map(|projection| {
        let wide = classes.is_none();
        let shown = Shown {
            groups: &clusters,
            places: &places,
            colours: &colours,
            noun: "cluster",
            named: true,
            samples: told,
            wide,
        };
        html! {
            section #map {
                h2 { "Map" }
                (about(projection, samples, &clusters, classes.as_ref()))
                div.charts.maps.wide[wide] {
                    (figure("map-clusters", "By cluster", None, map::draw(projection, &shown)))
                    @if let Some(classes) = &classes {
                        @let places = map::places(projection, classes);
                        @let colours = colours_of(classes, matching.as_ref(), &colours, &places);
                        @let shown = Shown {
                            groups: classes,
                            places: &places,
                            colours: &colours,
                            noun: "class",
                            ..shown
                        };
                        (figure("map-classes", "By true class", None, map::draw(projection, &shown)))
                    }
                }
            }
        }
    });
    let of_classes = |classes: &Groups| confusion::section(&clusters, classes, matching.as_ref());
    let tree = levels::tree(report, &lineage, &own);
    // The map of the only partition is there already.
    let alone = report.hierarchy.partitions().len() == 1
        && report.hierarchy.finest().labels() == described.labels.labels();
    let levels = projection.as_ref().filter(|_| !alone);
    let levels = levels.map(|projection| levels::maps(&lineage, projection));
    let figures = described::figures(report);
    let sections = vec![
        Section::new("clusters", "Clusters", Some(described::section(report, &own))),
        Section::new("number", "How many", suggested::section(report)),
        Section::new("map", "Map", maps),
        Section::new(
            "sizes",
            "Sizes",
            Some(sizes::section(&clusters, &colours, truth, &figures, true)),
        ),
        Section::new("outliers", "Outliers", outliers::section(report, &clusters, &colours)),
        Section::new("confusion", "Classes", classes.as_ref().and_then(of_classes)),
        Section::new("tree", "From coarse to fine", Some(tree)),
        Section::new("levels", "Levels", levels),
        Section::new("run", "How it was made", run(report)),
    ];
    let frame = Frame {
        command: report.command,
        title: report.title,
        verdict: Some(suggested::verdict(report)),
        tiles: tiles(report),
        sections,
    };
    frame.page()
}

/// The numbers that people look for first.
fn tiles(report: &ClusterReport<'_>) -> Vec<Tile> {
    let hierarchy = report.hierarchy;
    let features = hierarchy.features();
    let mut tiles = vec![
        Tile::new(
            "clusters",
            count(report.described.labels.clusters()),
            match report.described.labels.noise() {
                0 => report.described.name.into(),
                noise => {
                    format!("{}; {} of noise", report.described.name, counted(noise, "sample"))
                }
            },
        ),
        Tile::new("samples", count(hierarchy.samples()), String::new()),
        Tile::new(
            "features",
            count(features),
            format!("{}{} distance", of_table(report), hierarchy.metric().name()),
        ),
    ];
    if let Some(scores) = report.described.scores {
        let score = |name, value| Tile::new(name, format!("{} %", percent(value)), String::new());
        tiles.extend(scores.acc.map(|acc| score("accuracy (ACC)", acc)));
        tiles.push(score("NMI (geometric)", scores.nmi));
    }
    tiles
}

/// The number of columns of a table that features are made of, where it is another.
fn of_table(report: &ClusterReport<'_>) -> String {
    let mut columns: Vec<usize> =
        report.columns.unwrap_or_default().iter().map(|feature| feature.column).collect();
    columns.dedup();
    let features = report.hierarchy.features();
    match columns.len() {
        of if of == 0 || of == features => String::new(),
        of => format!("of {}, ", counted(of, "column")),
    }
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
