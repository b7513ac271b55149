//! `--report`: a page about the clusters, beside what else a command does.

use std::error::Error;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use finch_core::{
    Choice, Describe, Element, Hierarchy, Labels, LinkBound, Run, Samples, Suggestion,
};
use finch_deep::data::{
    Feature, FeatureKind, Input, Matrix, Missing, ReadOptions, Recipe, STANDARD_INPUT, Standardize,
};
use finch_deep::report::{ClusterReport, Described, Distinction, Image, Truth};
use finch_deep::scores::Percentages;
use ndarray::ArrayView1;

use crate::input::error::ImageValues;
use crate::output::columns::Columns;
use crate::output::file::write_file;
use crate::output::place::{Place, is_standard_output};
use crate::output::summary::{PartitionSummary, Report};

/// Samples that stand for a cluster: the medoid and others.
const EXEMPLARS: usize = 6;
/// Clusters and features that are told.
const CLUSTERS: usize = 60;
const FEATURES: usize = 5;
/// A smaller difference of means is written as 0.0.
const LEAST: f64 = 0.05;
/// Files and features that are named.
const FILES: usize = 4;
const NAMES: usize = 24;

// Not a doc comment: clap would make that the description of the command.
#[derive(clap::Args)]
pub(crate) struct ReportArgs {
    /// Write a page about the clusters (HTML)
    ///
    /// The page shows the tree of partitions, maps, the reasons for the number of clusters, and the
    /// content of each cluster.
    #[arg(long, value_name = "FILE")]
    pub(crate) report: Option<PathBuf>,

    /// Show samples as images of this size, such as 28x28, or 32x32x3 for red, green and blue
    #[arg(long, value_name = "HxW", requires = "report")]
    pub(crate) image: Option<Image>,
}

/// A page cannot be printed.
#[derive(Debug, thiserror::Error)]
#[error("a page is written into a file: name one by --report")]
pub(crate) struct Printed;

/// The subject of a page, but for the samples.
pub(crate) struct About<'a> {
    pub(crate) command: &'static str,
    pub(crate) files: &'a [PathBuf],
    /// Names and values: what was read and how.
    pub(crate) facts: Vec<(String, String)>,
    pub(crate) hierarchy: &'a Hierarchy,
    pub(crate) names: Option<&'a [String]>,
    pub(crate) recipe: Option<&'a Recipe>,
    pub(crate) truth: Option<&'a [u32]>,
    /// The scores of each partition, where there is a truth.
    pub(crate) scores: Vec<Percentages>,
    pub(crate) labelling: Labelling<'a>,
    pub(crate) suggestion: Option<&'a Suggestion>,
    /// The time of reading, and the time of everything until now.
    pub(crate) time: Option<[Duration; 2]>,
}

/// The input of `finch cluster`.
pub(crate) struct Beside<'a> {
    pub(crate) files: &'a [PathBuf],
    pub(crate) input: &'a Input,
    pub(crate) options: &'a ReadOptions,
    /// None of samples that were embedded.
    pub(crate) recipe: Option<Recipe>,
    /// As they are clustered; none of sparse samples, of which there is no page.
    pub(crate) samples: Option<Matrix<'a>>,
    pub(crate) truth: Option<&'a [u32]>,
    pub(crate) began: Instant,
    /// The time of reading.
    pub(crate) read: Duration,
}

/// The result of `finch cluster`.
pub(crate) struct Found<'a> {
    pub(crate) hierarchy: &'a Hierarchy,
    pub(crate) report: &'a Report,
    pub(crate) requested: Option<&'a Labels>,
    /// The suggested clusters, with noise.
    pub(crate) suggested: Option<&'a Labels>,
    pub(crate) suggestion: Option<&'a Suggestion>,
}

/// The clusters that are told one by one.
pub(crate) struct Labelling<'a> {
    pub(crate) name: String,
    pub(crate) labels: &'a Labels,
    /// The names of the clusters, where these are not their numbers.
    pub(crate) names: Vec<String>,
    pub(crate) scores: Option<Percentages>,
}

impl ReportArgs {
    /// The place of the page, if one was asked for.
    pub(crate) fn place(&self, force: bool) -> Result<Option<Place<'_>>, Printed> {
        match self.report.as_deref() {
            Some(path) if is_standard_output(path) => Err(Printed),
            path => Ok(path.map(|path| Place::new("--report", path, force))),
        }
    }

    /// The page about a clustering, if one was asked for: about the requested clusters, else about the
    /// suggested ones.
    pub(crate) fn page_of<A: Element + Into<f64>>(
        &self,
        samples: &Samples<'_, A>,
        beside: &Beside<'_>,
        found: &Found<'_>,
        run: &mut Run<'_>,
    ) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
        let Found { hierarchy, report, requested, suggested, suggestion } = *found;
        let scores_of = |summary: &PartitionSummary| summary.scores;
        let (name, labels, scores) = match (requested, &report.requested, suggested) {
            (Some(labels), Some(summary), _) => {
                let name = match summary.linkage {
                    "means" => "as asked for, by means".to_owned(),
                    linkage => format!("as asked for, by {linkage} linkage"),
                };
                (name, labels, scores_of(&summary.summary))
            }
            (.., Some(labels)) => {
                let summary = report.suggested.as_ref().map(|one| &one.summary);
                ("suggested".into(), labels, summary.and_then(scores_of))
            }
            _ => return Ok(None),
        };
        let about = About {
            command: "finch cluster",
            files: beside.files,
            facts: facts_of_input(beside.files, beside.input, beside.options, self.image.is_some()),
            hierarchy,
            names: beside.input.titles(),
            recipe: beside.recipe.as_ref(),
            truth: beside.truth,
            scores: report.partitions.iter().filter_map(scores_of).collect(),
            labelling: Labelling { name, labels, names: Vec::new(), scores },
            suggestion,
            time: Some([beside.read, beside.began.elapsed()]),
        };
        match &beside.samples {
            Some(matrix) => self.page(samples, matrix, &about, run),
            None => Ok(None),
        }
    }

    /// The page, if one was asked for.
    pub(crate) fn page<A: Element + Into<f64>>(
        &self,
        samples: &Samples<'_, A>,
        matrix: &Matrix<'_>,
        about: &About<'_>,
        run: &mut Run<'_>,
    ) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
        if self.report.is_none() {
            return Ok(None);
        }
        let features = samples.features();
        if let Some(image) = self.image.filter(|image| image.values() != features) {
            return Err(ImageValues { image, features }.into());
        }
        let About { hierarchy, ref labelling, .. } = *about;
        let weights = hierarchy.weights();
        let describe = Describe::new(EXEMPLARS);
        let describe = weights.map_or(describe, |weights| describe.weights(weights));
        let metric = hierarchy.metric();
        let description = describe.run_with_noise(samples, labelling.labels, metric, run)?;
        let outliers = hierarchy.outlier_scores(samples, run)?;
        let distinctions = match self.image {
            // Of a pixel there is nothing to tell beside the pictures.
            Some(_) => Vec::new(),
            None => {
                let columns =
                    Columns::of(samples.matrix(), labelling.labels, weights, about.recipe);
                let features = about.recipe.and_then(Recipe::columns).unwrap_or_default();
                distinctions(samples, &columns, features, &description.sizes)
            }
        };
        let page = ClusterReport {
            command: about.command,
            title: &title(about.files),
            facts: &facts(about),
            hierarchy,
            samples: matrix.view(),
            names: about.names,
            columns: about.recipe.and_then(Recipe::columns),
            image: self.image,
            truth: about.truth.map(|labels| Truth { labels, names: &[] }),
            scores: &about.scores,
            described: Described {
                name: &labelling.name,
                labels: labelling.labels,
                names: &labelling.names,
                description: &description,
                distinctions: &distinctions,
                scores: labelling.scores,
            },
            suggestion: about.suggestion,
            outliers: &outliers,
            seed: 0,
        };
        let mut bytes = Vec::new();
        page.write(&mut bytes)?;
        Ok(Some(bytes))
    }

    /// Writes the page as a whole.
    pub(crate) fn write(&self, page: Option<&[u8]>, force: bool) -> Result<(), Box<dyn Error>> {
        match (self.place(force)?, page) {
            (Some(place), Some(page)) => write_file(&place, |file| file.write_all(page)),
            _ => Ok(()),
        }
    }
}

/// The features that set the largest clusters apart; nothing for the others.
fn distinctions<A: Element + Into<f64>>(
    samples: &Samples<'_, A>,
    columns: &Columns,
    features: &[Feature],
    sizes: &[f64],
) -> Vec<Vec<Distinction>> {
    let is_share = |(feature, column): (usize, ArrayView1<'_, A>)| match features.get(feature) {
        // Whatever their scale.
        Some(Feature { kind: FeatureKind::Boolean | FeatureKind::Category, .. }) => true,
        _ => column.iter().all(|&value| matches!(value.into(), 0.0 | 1.0)),
    };
    let shares: Vec<bool> =
        samples.matrix().columns().into_iter().enumerate().map(is_share).collect();
    let mut largest: Vec<usize> = (0..sizes.len()).collect();
    largest.sort_by(|&a, &b| sizes[b].total_cmp(&sizes[a]).then(a.cmp(&b)));
    let mut all = vec![Vec::new(); sizes.len()];
    for &cluster in largest.iter().take(CLUSTERS) {
        let summaries = columns.summaries(cluster).into_iter().zip(&shares).enumerate();
        let mut found: Vec<Distinction> = summaries
            .filter_map(|(feature, (summary, &share))| {
                let difference = summary.difference.filter(|by| by.abs() >= LEAST)?;
                // Of a column of two words the word that the cluster has more of tells all.
                if difference < 0.0 && Feature::of_other_word(features, feature).is_some() {
                    return None;
                }
                Some(Distinction {
                    feature: summary.feature,
                    difference,
                    mean: summary.mean,
                    outside: summary.mean_outside?,
                    share,
                    column: features.get(feature).cloned(),
                })
            })
            .collect();
        // Of equal differences the first feature.
        found.sort_by(|a, b| b.difference.abs().total_cmp(&a.difference.abs()));
        found.truncate(FEATURES);
        all[cluster] = found;
    }
    all
}

/// The name of a file without its folders, which a page that is sent to others does not tell.
fn name(path: &Path) -> String {
    match path.as_os_str() == STANDARD_INPUT {
        true => "standard input".into(),
        false => path.file_name().unwrap_or(path.as_os_str()).to_string_lossy().into_owned(),
    }
}

/// The title of a page about files.
fn title(files: &[PathBuf]) -> String {
    match files {
        [] => "samples".into(),
        [one] => name(one),
        [first, rest @ ..] => {
            let files = if rest.len() == 1 { "file" } else { "files" };
            format!("{} and {} more {files}", name(first), rest.len())
        }
    }
}

/// The input, and the changes made to it, as names and values.
pub(crate) fn facts_of_input(
    files: &[PathBuf],
    input: &Input,
    options: &ReadOptions,
    pictures: bool,
) -> Vec<(String, String)> {
    let options = input.options(options);
    let mut facts =
        vec![("read from".to_string(), listed(files.iter().map(|path| name(path)), FILES))];
    let dropped = match input.dropped().len() {
        0 => String::new(),
        1 => ", and 1 left out for missing values".into(),
        many => format!(", and {many} left out for missing values"),
    };
    facts.push(("samples".into(), format!("{}{dropped}", input.samples())));
    if let Some(features) = input.feature_columns().filter(|_| !pictures) {
        let titles = features.iter().map(|feature| feature.title());
        facts.push(("features".into(), listed(titles, NAMES)));
    }
    if let Some(survey) = input.survey() {
        facts.push(("columns, by --auto".into(), survey.lines().join("; ")));
    }
    if let Some(missing) = options.missing.filter(|&missing| missing != Missing::Error) {
        facts.push(("missing values".into(), missing.name().into()));
    }
    if options.log {
        facts.push(("logarithm".into(), "log(1 + x) of numbers".into()));
    }
    if let Some(how) = options.standardize.filter(|&how| how != Standardize::None) {
        facts.push(("scaling".into(), how.name().into()));
    }
    facts
}

/// The facts known of a model's samples, as names and values.
pub(crate) fn facts_of_model(
    path: &Path,
    recipe: Option<&Recipe>,
    pictures: bool,
) -> Vec<(String, String)> {
    let mut facts = vec![("model".to_string(), name(path))];
    if let Some(recipe) = recipe {
        if let Some(names) = recipe.names().filter(|_| !pictures) {
            facts.push(("features".into(), listed(names.iter(), NAMES)));
        }
        let scaled = recipe.preparation().scale.iter().filter(|&&scale| scale != 1.0).count();
        if scaled > 0 {
            facts.push(("scaled features".into(), scaled.to_string()));
        }
    }
    facts
}

/// The facts, and those of the clustering.
fn facts(about: &About<'_>) -> Vec<(String, String)> {
    let hierarchy = about.hierarchy;
    let mut facts = about.facts.clone();
    let mut add = |name: &str, value: String| facts.push((name.into(), value));
    if let Some(weights) = hierarchy.weights() {
        add("weight of all samples", format!("{}", weights.iter().sum::<f64>()));
    }
    add("distance", hierarchy.metric().name().into());
    if hierarchy.link_bound() != LinkBound::default() {
        add("link bound", hierarchy.link_bound().name().into());
    }
    let choice = hierarchy.first_neighbors().choice();
    add("first neighbours", choice.map_or("given".into(), |choice: Choice| choice.to_string()));
    add("clusters", about.labelling.name.clone());
    if let Some([reading, all]) = about.time {
        let seconds = [reading, all].map(|time| time.as_secs_f64());
        add("time", format!("{:.2} s, of which {:.2} s to read", seconds[1], seconds[0]));
    }
    add("finch", env!("CARGO_PKG_VERSION").into());
    facts
}

/// The first of some, and how many more there are.
fn listed(all: impl ExactSizeIterator<Item = impl ToString>, most: usize) -> String {
    let more = all.len().saturating_sub(most);
    let named: Vec<String> = all.take(most).map(|one| one.to_string()).collect();
    let more = if more > 0 { format!(" and {more} more") } else { String::new() };
    named.join(", ") + &more
}
