//! The page around the plots.

use std::io;

use maud::{Markup, html};

use super::{Input, Report, clusterings, clusters, training};
use crate::data::Matrix;
use crate::metrics::{Clustering, Effect, Epoch, Measurement};
use crate::report::parts::colours::{self, COLOURS, Colour};
use crate::report::parts::figure::figure;
use crate::report::parts::frame::{Frame, Section, Tile, facts};
use crate::report::parts::groups::Groups;
use crate::report::parts::map::projection::Projection;
use crate::report::parts::map::{self, MAP_SAMPLES, Shown, Told};
use crate::report::parts::matching::{Matching, colours_of};
use crate::report::parts::text::{count, counted, percent, short};
use crate::report::parts::{confusion, sizes};
use crate::scores::Percentages;

impl Report<'_> {
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
    let names = report.input.as_ref().and_then(|input| input.names);
    let told = Some(Told { names, features: &[] });
    let maps = projection.as_ref().map(|projection| {
        html! {
            section #map {
                h2 { "Map of the embedding" @if of_input.is_some() { ", and of the input" } }
                (about(projection, report.labels.len(), &clusters, classes.as_ref()))
                div.charts.maps.wide[classes.is_none() && of_input.is_none()] {
                    @let wide = classes.is_none() && of_input.is_none();
                    @let drawing = draw(projection, &clusters, &colours, "cluster", told, wide);
                    (figure("map-clusters", "The embedding, by cluster", None, drawing))
                    @if let Some(input) = &of_input {
                        @let drawing = draw(input, &clusters, &colours, "cluster", told, false);
                        (figure("map-input", "The input, by cluster", None, drawing))
                    }
                    @if let Some(classes) = &classes {
                        @let places = places_of(Some(projection), classes);
                        @let colours = colours_of(classes, matching.as_ref(), &colours, &places);
                        @let drawing = draw(projection, classes, &colours, "class", None, false);
                        (figure("map-classes", "The embedding, by true class", None, drawing))
                        @if let Some(input) = &of_input {
                            @let drawing = draw(input, classes, &colours, "class", None, false);
                            (figure("map-input-classes", "The input, by true class", None, drawing))
                        }
                    }
                }
            }
        }
    });
    let of_input = |input: &Input<'_>| clusters::section(input, &clusters, &colours);
    let of_classes = |classes: &Groups| confusion::section(&clusters, classes, matching.as_ref());
    let with_cards = report.input.is_some();
    let sizes =
        (clusters.len() > 0).then(|| sizes::section(&clusters, &colours, truth, &[], with_cards));
    let sections = vec![
        Section::new("clusters", "Clusters", report.input.as_ref().and_then(of_input)),
        Section::new("map", "Map", maps),
        Section::new("sizes", "Sizes", sizes),
        Section::new("confusion", "Classes", classes.as_ref().and_then(of_classes)),
        Section::new("clusterings", "Before and after", clusterings::section(&rounds)),
        Section::new("training", "Training", training::section(&epochs, &rounds)),
        Section::new("run", "How it was made", run(report)),
    ];
    let frame = Frame {
        command: "finch train",
        title: report.title,
        verdict: verdict(&clusters, &rounds),
        tiles: tiles(report, &clusters, &epochs, &rounds),
        sections,
    };
    frame.page()
}

/// The effect of training, in a sentence.
fn verdict(clusters: &Groups, rounds: &[&Clustering]) -> Option<Markup> {
    let verdict = rounds.last()?.verdict.as_ref()?;
    let result = verdict.result;
    let (word, rest) = match verdict.training {
        Effect::Helped => {
            ("Training helped.", format!("The result is the clusters of the {result}."))
        }
        Effect::Unclear => (
            "Whether training helped cannot be told.",
            format!("The result is the clusters of the {result}."),
        ),
        Effect::ChangedNothing => {
            ("Training changed nothing.", "The result is the clusters of the input.".into())
        }
        Effect::DidNotHelp => {
            ("Training did not help here.", "The result is the clusters of the input.".into())
        }
    };
    Some(html! {
        b { (counted(clusters.len(), "cluster")) ". " (word) } " " (rest) " "
        a href="#clusterings" { "Why" }
    })
}

/// A map of some groups.
fn draw(
    on: &Projection,
    groups: &Groups,
    colours: &[Colour],
    noun: &str,
    samples: Option<Told<'_>>,
    wide: bool,
) -> Markup {
    let places = map::places(on, groups);
    map::draw(on, &Shown { groups, places: &places, colours, noun, named: true, samples, wide })
}

/// Where samples are on the map of the embedding, and on that of the input: the same samples.
fn projections(report: &Report<'_>) -> (Option<Projection>, Option<Projection>) {
    let samples = report.labels.len();
    let project = |matrix: &Matrix<'_>, metric| {
        Projection::new(matrix, samples, metric, MAP_SAMPLES, report.seed)
    };
    rayon::join(
        || project(&Matrix::from(report.embedding), report.distance),
        || report.input.as_ref().and_then(|input| project(&input.samples, input.metric)),
    )
}

/// The numbers that people look for first.
fn tiles(
    report: &Report<'_>,
    clusters: &Groups,
    epochs: &[&Epoch],
    rounds: &[&Clustering],
) -> Vec<Tile> {
    let found = report.truth.and_then(|truth| Percentages::of(report.labels, truth.labels).ok());
    let input = rounds.iter().find(|round| round.epoch == 0);
    let input = input.and_then(|round| round.requested.as_ref()?.scores);
    let from = |value: Option<f64>| {
        value.map_or(String::new(), |value| format!("{} % on the input", percent(value)))
    };
    let score = |name, value: f64, before: Option<f64>| {
        Tile::new(name, format!("{} %", percent(value)), from(before))
    };
    let mut tiles = vec![
        Tile::new("clusters", count(clusters.len()), String::new()),
        Tile::new("samples", count(report.labels.len()), String::new()),
    ];
    if let Some(scores) = found {
        let acc = scores.acc.map(|acc| score("accuracy (ACC)", acc, input.and_then(|it| it.acc)));
        tiles.extend(acc);
        tiles.push(score("NMI (geometric)", scores.nmi, input.map(|it| it.nmi)));
    }
    if let Some(last) = epochs.last() {
        let loss = format!("last loss {}", short(last.loss));
        tiles.push(Tile::new("epochs", count(epochs.len()), loss));
    }
    tiles
}

/// The set-up of the run, if that was told.
fn run(report: &Report<'_>) -> Option<Markup> {
    let config = report.config.trim();
    if report.facts.is_empty() && config.is_empty() {
        return None;
    }
    Some(html! {
        section #run {
            h2 { "How it was made" }
            @if !report.facts.is_empty() { (facts(report.facts)) }
            @if !config.is_empty() {
                h3 { "Configuration" }
                pre tabindex="0" { code { (config) } }
            }
        }
    })
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
            @if classes.is_some() {
                " A class has the colour of the cluster matched with it."
            }
            @if classes.map_or(0, Groups::len).max(clusters.len()) > COLOURS {
                " Colours repeat, but far apart; point at a dot to see which group it is of."
            }
        }
    }
}
