//! The page around the plots.

use std::io;

use maud::{DOCTYPE, Markup, PreEscaped, html};

use super::figure::figure;
use super::groups::Groups;
use super::matching::Matching;
use super::projection::{Method, Projection};
use super::text::{count, counted, percent, short};
use super::{Report, clusterings, clusters, colours, confusion, map, sizes, training};
use crate::data::Matrix;
use crate::metrics::{Clustering, Epoch, Measurement};
use crate::scores::Percentages;

/// The style of the page.
const STYLE: &str = include_str!("page.css");

/// The content security policy: browsers load nothing beyond this file, and run no scripts.
const POLICY: &str = "default-src 'none'; style-src 'unsafe-inline'; img-src data:";

impl Report<'_> {
    /// The most samples on the map: enough to fill it, in seconds and some 100 kB. Of more, as many
    /// are drawn at random.
    pub const MAP_SAMPLES: usize = 5_000;

    /// Writes the page, as UTF-8.
    ///
    /// The same report gives the same bytes, whatever the number of threads. The map takes nearly
    /// all of the time: some seconds, on one core.
    ///
    /// # Errors
    /// [`io::ErrorKind::InvalidInput`], with nothing written, if labels or classes are not as many
    /// as the samples; and whatever writing returns.
    pub fn write(&self, to: &mut impl io::Write) -> io::Result<()> {
        let samples = self.embedding.nrows();
        let truth = self.truth.map(|truth| ("classes", truth.labels.len()));
        let input = self.input.as_ref().map(|input| ("rows of input", input.samples.rows()));
        for (what, found) in [("labels", self.labels.len())].into_iter().chain(truth).chain(input) {
            if found != samples {
                let message = format!("{found} {what} of {samples} samples");
                return Err(io::Error::new(io::ErrorKind::InvalidInput, message));
            }
        }
        to.write_all(page(self).into_string().as_bytes())
    }
}

/// The whole page.
fn page(report: &Report<'_>) -> Markup {
    let mut epochs: Vec<&Epoch> = Vec::new();
    let mut rounds: Vec<&Clustering> = Vec::new();
    for metric in report.metrics {
        match metric {
            Measurement::Epoch(epoch) => epochs.push(epoch),
            Measurement::Clustering(clustering) => rounds.push(clustering),
        }
    }
    let clusters = Groups::new(report.labels, &[]);
    let classes = report.truth.map(|truth| Groups::new(truth.labels, truth.names));
    let matching = classes.as_ref().and_then(|classes| Matching::new(&clusters, classes));
    let truth = classes.as_ref().zip(matching.as_ref());
    let (projection, of_input) = projections(report);
    let places_of = |projection: Option<&Projection>, groups: &Groups| match projection {
        Some(projection) => map::places(projection, groups),
        None => vec![None; groups.len()],
    };
    let places = places_of(projection.as_ref(), &clusters);
    let colours = colours::choose(&vec![None; clusters.len()], &places, &clusters.by_size());
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="color-scheme" content="light dark";
                meta http-equiv="Content-Security-Policy" content=(POLICY);
                link rel="icon" href="data:,";
                title { (report.title) " – finch" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                header {
                    p.kicker { "finch train" }
                    h1 { (report.title) }
                    (tiles(report, &clusters, &epochs, &rounds))
                }
                main {
                    @if let Some(projection) = &projection {
                        section #map {
                            h2 { "Map of the embedding" @if of_input.is_some() { ", and of the input" } }
                            (about(projection, report.labels.len(), &clusters, classes.as_ref()))
                            div.charts.maps {
                                @let drawing =
                                    map::draw(projection, &clusters, &places, &colours, "cluster");
                                (figure("map-clusters", "By cluster", None, drawing))
                                @if let Some(input) = &of_input {
                                    @let places = places_of(Some(input), &clusters);
                                    @let drawing =
                                        map::draw(input, &clusters, &places, &colours, "cluster");
                                    (figure("map-input", "The input, by cluster", None, drawing))
                                }
                                @if let Some(classes) = &classes {
                                    @let places = places_of(Some(projection), classes);
                                    @let colours =
                                        colours_of(classes, matching.as_ref(), &colours, &places);
                                    @let drawing =
                                        map::draw(projection, classes, &places, &colours, "class");
                                    (figure("map-classes", "By true class", None, drawing))
                                    @if let Some(input) = &of_input {
                                        @let places = places_of(Some(input), classes);
                                        @let drawing =
                                            map::draw(input, classes, &places, &colours, "class");
                                        @let title = "The input, by true class";
                                        (figure("map-input-classes", title, None, drawing))
                                    }
                                }
                            }
                        }
                    }
                    @if let Some(input) = &report.input {
                        @if let Some(section) = clusters::section(input, &clusters, &colours) {
                            (section)
                        }
                    }
                    @if let Some(section) = training::section(&epochs, &rounds) { (section) }
                    @if let Some(section) = clusterings::section(&rounds) { (section) }
                    @if let Some(classes) = &classes {
                        @let section = confusion::section(&clusters, classes, matching.as_ref());
                        @if let Some(section) = section { (section) }
                    }
                    @if clusters.len() > 0 { (sizes::section(&clusters, &colours, truth)) }
                    (run(report))
                }
            }
        }
    }
}

/// Where samples are on the map of the embedding, and on that of the input: the same samples.
fn projections(report: &Report<'_>) -> (Option<Projection>, Option<Projection>) {
    let samples = report.labels.len();
    let project = |matrix: &Matrix<'_>, metric| {
        Projection::new(matrix, samples, metric, Report::MAP_SAMPLES, report.seed)
    };
    rayon::join(
        || project(&Matrix::from(report.embedding), report.distance),
        || report.input.as_ref().and_then(|input| project(&input.samples, input.metric)),
    )
}

/// The colours of classes: those of the clusters matched with them, and others for the rest.
fn colours_of(
    classes: &Groups,
    matching: Option<&Matching>,
    of_clusters: &[usize],
    places: &[Option<[f64; 2]>],
) -> Vec<usize> {
    let given = match matching {
        Some(matching) => {
            let clusters = matching.cluster().into_iter();
            clusters.map(|cluster| cluster.map(|cluster| of_clusters[cluster])).collect()
        }
        None => vec![None; classes.len()],
    };
    colours::choose(&given, places, &classes.by_size())
}

/// The numbers that people look for first.
fn tiles(
    report: &Report<'_>,
    clusters: &Groups,
    epochs: &[&Epoch],
    rounds: &[&Clustering],
) -> Markup {
    let tile = |name: &str, value: String, more: String| {
        html! { div.tile { dt { (name) } dd { (value) @if !more.is_empty() { small { (more) } } } } }
    };
    let found = report.truth.and_then(|truth| Percentages::of(report.labels, truth.labels).ok());
    let input = rounds.iter().find(|round| round.epoch == 0);
    let input = input.and_then(|round| round.requested.as_ref()?.scores);
    let from = |value: Option<f64>| {
        value.map_or(String::new(), |value| format!("{} % on the input", percent(value)))
    };
    html! {
        dl.tiles {
            (tile("samples", count(report.labels.len()), String::new()))
            (tile("clusters", count(clusters.len()), String::new()))
            @if let Some(scores) = found {
                @if let Some(acc) = scores.acc {
                    @let before = from(input.and_then(|it| it.acc));
                    (tile("accuracy (ACC)", format!("{} %", percent(acc)), before))
                }
                (tile("NMI", format!("{} %", percent(scores.nmi)), from(input.map(|it| it.nmi))))
            }
            @if let Some(last) = epochs.last() {
                (tile("epochs", count(epochs.len()), format!("last loss {}", short(last.loss))))
            }
        }
    }
}

/// How the run was set up, if that was told.
fn run(report: &Report<'_>) -> Markup {
    let config = report.config.trim();
    if report.facts.is_empty() && config.is_empty() {
        return html! {};
    }
    html! {
        section #run {
            h2 { "Run" }
            @if !report.facts.is_empty() {
                dl { @for (name, value) in report.facts { div { dt { (name) } dd { (value) } } } }
            }
            @if !config.is_empty() {
                h3 { "Configuration" }
                pre tabindex="0" { code { (config) } }
            }
        }
    }
}

/// What the map shows.
fn about(
    projection: &Projection,
    samples: usize,
    clusters: &Groups,
    classes: Option<&Groups>,
) -> Markup {
    let drawn = projection.samples.len();
    html! {
        p {
            @if drawn < samples {
                (count(drawn)) " of the " (counted(samples, "sample")) ", drawn at random, "
            } @else {
                "All " (counted(drawn, "sample")) " "
            }
            @match projection.method {
                Method::Tsne { perplexity } => {
                    "by t-SNE (perplexity " (perplexity) "): who is near whom means much, distances "
                    "between clusters and their sizes mean little."
                }
                Method::Principal => { "by their two principal components." }
            }
            @if classes.is_some() {
                " A class has the colour of the cluster matched with it."
            }
            @if classes.map_or(0, Groups::len).max(clusters.len()) > colours::COLOURS {
                " Colours repeat, but far apart; point at a dot to see which group it is of."
            }
        }
    }
}
