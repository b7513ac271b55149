//! `finch describe`: what is in each cluster, and what sets it apart.

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;

use comfy_table::CellAlignment;
use csv::WriterBuilder;
use finch_core::{
    Describe, Description, Element, Hierarchy, Labels, Linkage, Metric, Neighbors, Refine, Run,
    Samples, Suggestion,
};
use finch_deep::data::{ColumnValues, Escaped, write_columns};
use finch_deep::with_matrix;
use ndarray::ArrayView2;
use serde::Serialize;

use super::subject::Subject;
use crate::args::read::Reading;
use crate::args::report::{About, Labelling, ReportArgs, facts_of_input, facts_of_model};
use crate::args::search::SearchArgs;
use crate::args::values::{one_of, whole};
use crate::args::write::{MessageArgs, OutputArgs};
use crate::input::model_file::Names;
use crate::output::columns::{Columns, Summary};
use crate::output::doubt::{doubt, doubted};
use crate::output::profiles::short;
use crate::output::summary::{Prepared, counted, plain};
use crate::output::table_format::TableFormat;
use crate::process::progress::Watch;

const COMMAND: &str = "describe";

/// Clusters and features that are shown to people.
const SHOWN: usize = 60;
const APART: usize = 3;

/// Describe each cluster, and the features that set it apart from the rest
///
/// INPUT are files of samples, or a model that keeps them. finch tells of each cluster:
///   size
///   medoid       the sample with the least distance to the others; exemplars that cover the cluster
///   spread       distance of samples from the mean
///   silhouette   separation by means, -1 to 1
///   modularity   share of links to nearest neighbours that stay within the cluster, beyond the share
///                that chance gives, -1 to 1
///   features     mean and standard deviation, in the unit of the file; and the features that set the
///                cluster apart: (mean in − mean out) / standard deviation over all samples
/// Standard deviations are of the population.
#[derive(clap::Args)]
#[command(verbatim_doc_comment)]
#[command(after_help = "\
Examples:
  finch describe wine.csv --standardize zscore --clusters 3
  finch describe customers.finch
  finch describe customers.finch --partition 1 --json
  finch describe customers.finch --out clusters.csv   # a row for each cluster and feature
  finch describe customers.finch --report page.html   # to look at")]
pub(crate) struct Args {
    /// Files of samples, -, or a model
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// Partition to describe [default: the requested clusters of a model, else the suggested ones of a
    /// model, else those that finch suggest recommends]
    #[arg(
        long,
        value_name = "PARTITION",
        value_parser = whole::<usize>,
        allow_negative_numbers = true,
        conflicts_with = "clusters"
    )]
    partition: Option<usize>,

    /// Describe exactly K clusters
    #[arg(
        short = 'k',
        long,
        value_name = "K",
        value_parser = whole::<usize>,
        allow_negative_numbers = true
    )]
    clusters: Option<usize>,

    /// Clusters that merge first on the way to K
    #[arg(
        long,
        default_value = Linkage::default().name(),
        value_parser = one_of(Linkage::ALL, Linkage::name),
        requires = "clusters"
    )]
    linkage: Linkage,

    /// Number of exemplars of each cluster; the first is the medoid
    #[arg(long, value_name = "N", value_parser = whole::<u32>, default_value_t = 3)]
    exemplars: u32,

    /// Also list the N samples with the highest outlier scores, from 0 to 1
    #[arg(long, value_name = "N", value_parser = whole::<usize>, default_value_t = 0)]
    outliers: usize,

    /// Distance between samples [default: euclidean; of a model its own]
    #[arg(long, value_parser = one_of(Metric::ALL, Metric::name))]
    metric: Option<Metric>,

    #[command(flatten)]
    searching: SearchArgs,

    #[command(flatten)]
    writing: OutputArgs,

    #[command(flatten)]
    paging: ReportArgs,

    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    telling: MessageArgs,

    #[command(flatten)]
    reading: Reading,
}

/// The output of `--json`.
#[derive(Serialize)]
struct Said {
    samples: usize,
    features: usize,
    metric: &'static str,
    /// The changes that options made to the columns.
    #[serde(skip_serializing_if = "Option::is_none")]
    prepared: Option<Prepared>,
    labelling: String,
    clusters: Vec<Cluster>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    outliers: Vec<Outlier>,
    /// The doubt whether there are clusters at all, where they were suggested.
    #[serde(skip_serializing_if = "Option::is_none")]
    doubt: Option<String>,
    /// The page that `--report` writes.
    #[serde(skip)]
    page: Option<Vec<u8>>,
}

#[derive(Serialize)]
struct Cluster {
    cluster: u32,
    size: f64,
    share: f64,
    medoid: String,
    exemplars: Vec<String>,
    /// True if medoid and exemplars come from a sample of the cluster.
    sampled: bool,
    spread: f64,
    silhouette: f64,
    modularity: f64,
    /// The features that differ most from those of other samples.
    apart: Vec<String>,
    /// Their places among the features, whose names may be equal.
    #[serde(skip)]
    apart_at: Vec<usize>,
    features: Vec<Summary>,
}

#[derive(Serialize)]
struct Outlier {
    sample: String,
    /// -1 for noise.
    cluster: i64,
    score: f64,
}

/// Runs the command. With `--out` a table of clusters and features goes into that file, or as .json what
/// `--json` prints.
///
/// # Errors
/// Any error of reading, clustering or writing; after an error nothing is written.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let format = args.writing.table_format(COMMAND)?;
    args.writing.expect_alone(COMMAND, args.json)?;
    let page = args.paging.place(args.writing.force)?;
    args.writing.prepare(page.as_slice(), &args.inputs)?;
    let mut watch = Watch::new(args.telling.quiet);
    let options = args.reading.options();
    let subject = Subject::read(&args.inputs, options, &args.searching, &args.telling, &mut watch)?;
    subject.show_to(&mut watch);
    let matrix = subject.matrix(COMMAND)?;
    let said = subject
        .compute(|| with_matrix!(matrix, matrix => described(matrix, &subject, args, &mut watch)));
    watch.clear();
    let said = said?;
    if args.writing.out.is_some() {
        args.writing.write(|out| match format {
            TableFormat::Csv => said.write_table(b',', out),
            TableFormat::Tsv => said.write_table(b'\t', out),
            TableFormat::Json => {
                serde_json::to_writer_pretty(&mut *out, &said)?;
                writeln!(out)
            }
            TableFormat::Columns(format) => write_columns(format, &said.columns(), out),
            TableFormat::JsonLines => said.clusters.iter().try_for_each(|cluster| {
                serde_json::to_writer(&mut *out, cluster)?;
                writeln!(out)
            }),
        })?;
    }
    args.paging.write(said.page.as_deref(), args.writing.force)?;
    if args.writing.is_printed() {
        return Ok(());
    }
    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut out, &said).map_err(io::Error::from)?;
        writeln!(out)?;
    } else if !args.telling.quiet {
        said.show(&mut out)?;
    }
    Ok(out.flush()?)
}

fn described<A: Element + Into<f64>>(
    matrix: ArrayView2<'_, A>,
    subject: &Subject,
    args: &Args,
    watch: &mut Watch<'_>,
) -> Result<Said, Box<dyn Error>> {
    let samples = subject.samples(matrix)?;
    let mut run = args.searching.run(watch);
    let finch = args.searching.finch(subject.metric(args.metric));
    let linkage = match (args.partition, args.clusters) {
        _ if args.paging.report.is_some() => Some(Linkage::Neighbor),
        (Some(_), _) => (args.outliers > 0).then_some(Linkage::Neighbor),
        (None, Some(_)) => Some(args.linkage),
        (None, None) => Some(Linkage::Neighbor),
    };
    let hierarchy = subject.hierarchy(&samples, finch, linkage, &mut run)?;
    subject.tell(&args.telling, &args.searching, Some(&hierarchy));
    let mut chosen = Chosen::by(args, subject, &hierarchy, &samples, &mut run)?;
    let describe = Describe::new((args.exemplars as usize).max(1));
    let describe = hierarchy.weights().map_or(describe, |weights| describe.weights(weights));
    let first = hierarchy.first_neighbors().index();
    let first = ArrayView2::from_shape((samples.len(), first.len() / samples.len()), first);
    let first = first.expect("one first neighbour for each sample, or none for a single one");
    let neighbors = hierarchy.neighbors().map_or(first, Neighbors::index);
    let describe = describe.neighbors(neighbors);
    let metric = hierarchy.metric();
    let description = describe.run_with_noise(&samples, &chosen.labels, metric, &mut run)?;
    let outliers = match args.outliers {
        0 => Vec::new(),
        most => {
            let scores = hierarchy.outlier_scores(&samples, &mut run)?;
            outliers(most, &scores, &chosen, subject)
        }
    };
    let columns =
        Columns::of(samples.matrix(), &chosen.labels, hierarchy.weights(), subject.recipe());
    let clusters = clusters(subject, &description, &columns, args, &|label| chosen.name(label));
    let page = page(args, subject, &hierarchy, &samples, &mut chosen, &mut run)?;
    Ok(Said {
        samples: samples.len(),
        features: samples.features(),
        metric: metric.name(),
        prepared: subject.prepared(),
        labelling: chosen.labelling,
        clusters,
        outliers,
        doubt: chosen.doubt,
        page,
    })
}

/// The labelling that is described.
struct Chosen<'a> {
    /// Its name.
    labelling: String,
    labels: Labels,
    /// The names of its clusters, where they are not their numbers.
    names: Option<&'a Names>,
    suggestion: Option<Suggestion>,
    doubt: Option<String>,
}

impl<'a> Chosen<'a> {
    /// The labelling that options ask for; else the first refined one of a model, or the suggestion.
    fn by<A: Element>(
        args: &Args,
        subject: &'a Subject,
        hierarchy: &Hierarchy,
        samples: &Samples<'_, A>,
        run: &mut Run<'_>,
    ) -> Result<Self, Box<dyn Error>> {
        let of = |labelling: String, labels: Labels, names: Option<&'a Names>| Self {
            labelling,
            labels,
            names,
            suggestion: None,
            doubt: None,
        };
        let refined = || subject.kept().filter(|kept| !kept.model.refined().is_empty());
        Ok(match (args.partition, args.clusters) {
            (Some(number), _) => {
                let names = subject.kept().and_then(|kept| kept.cluster_names(number));
                of(number.to_string(), hierarchy.partition(number)?.into(), names)
            }
            (None, Some(clusters)) => {
                let refine = Refine::new(clusters).linkage(args.linkage);
                let found = refine.run_with(samples, hierarchy, run)?;
                of(counted(clusters, "cluster"), found.into(), None)
            }
            (None, None) => match refined() {
                Some(kept) => {
                    let labelling = kept.labelling(None)?;
                    let name = kept.labelling_names().swap_remove(labelling);
                    let labels = kept.model.labelling(labelling)?.to_labels();
                    of(name, labels, kept.cluster_names(labelling))
                }
                None => {
                    let found = hierarchy.suggest_with(samples, run)?;
                    let doubt = doubt(&found);
                    let chosen = of("suggested".into(), Labels::from(&found.cut), None);
                    Self { suggestion: Some(found), doubt, ..chosen }
                }
            },
        })
    }

    /// The name of a cluster.
    fn name(&self, label: u32) -> u32 {
        self.names.map_or(label, |names| names.names[label as usize])
    }
}

/// The samples of the largest outlier scores, the largest first.
fn outliers(most: usize, scores: &[f64], chosen: &Chosen<'_>, subject: &Subject) -> Vec<Outlier> {
    let mut order: Vec<usize> = (0..scores.len()).collect();
    order.sort_by(|&a, &b| scores[b].total_cmp(&scores[a]).then(a.cmp(&b)));
    let outlier = |sample: usize| Outlier {
        sample: sample_name(subject, sample),
        cluster: match chosen.labels.labels()[sample] {
            Labels::NOISE => -1,
            label => i64::from(chosen.name(label)),
        },
        score: scores[sample],
    };
    order.into_iter().take(most).map(outlier).collect()
}

/// The page of `--report`, which has a suggestion in any case.
fn page<A: Element + Into<f64>>(
    args: &Args,
    subject: &Subject,
    hierarchy: &Hierarchy,
    samples: &Samples<'_, A>,
    chosen: &mut Chosen<'_>,
    run: &mut Run<'_>,
) -> Result<Option<Vec<u8>>, Box<dyn Error>> {
    if args.paging.report.is_none() {
        return Ok(None);
    }
    if chosen.suggestion.is_none() {
        chosen.suggestion = Some(hierarchy.suggest_with(samples, run)?);
    }
    let (recipe, pictures) = (subject.recipe(), args.paging.image.is_some());
    let of_cluster = |cluster: usize| chosen.name(cluster as u32).to_string();
    let about = About {
        command: "finch describe",
        files: &args.inputs,
        facts: match subject {
            Subject::Input { inputs, input, .. } => {
                facts_of_input(inputs, input, &args.reading.options(), pictures)
            }
            Subject::Model(kept) => facts_of_model(&kept.path, recipe, pictures),
        },
        hierarchy,
        names: subject.names(),
        recipe,
        truth: None,
        scores: Vec::new(),
        labelling: Labelling {
            name: titled(&chosen.labelling),
            labels: &chosen.labels,
            names: (0..chosen.labels.clusters()).map(of_cluster).collect(),
            scores: None,
        },
        suggestion: chosen.suggestion.as_ref(),
        time: None,
    };
    args.paging.page(samples, &subject.matrix(COMMAND)?, &about, run)
}

/// The title of a labelling, whose name is the number of a partition or a word.
fn titled(labelling: &str) -> String {
    match labelling.parse::<usize>() {
        Ok(partition) => format!("partition {partition}"),
        Err(_) => labelling.into(),
    }
}

fn clusters(
    subject: &Subject,
    description: &Description,
    columns: &Columns,
    args: &Args,
    name: &dyn Fn(u32) -> u32,
) -> Vec<Cluster> {
    let all: f64 = description.sizes.iter().sum();
    let modularities = description.modularities.as_ref().expect("neighbours were given");
    let cluster = |cluster: usize| {
        let features = columns.summaries(cluster);
        let mut order: Vec<usize> = (0..features.len()).collect();
        let distance = |at: usize| features[at].difference.unwrap_or(0.0).abs();
        order.sort_by(|&a, &b| distance(b).total_cmp(&distance(a)).then(a.cmp(&b)));
        let apart = order.into_iter().take(APART).filter(|&at| distance(at) > 0.0);
        let apart_at: Vec<usize> = apart.collect();
        let exemplars = description.exemplars[cluster].iter().take(args.exemplars as usize);
        Cluster {
            cluster: name(cluster as u32),
            size: description.sizes[cluster],
            share: description.sizes[cluster] / all,
            medoid: sample_name(subject, description.medoids[cluster] as usize),
            exemplars: exemplars.map(|&sample| sample_name(subject, sample as usize)).collect(),
            sampled: description.sampled[cluster],
            spread: description.spreads[cluster],
            silhouette: description.silhouettes[cluster],
            modularity: modularities[cluster],
            apart: apart_at.iter().map(|&at| features[at].feature.clone()).collect(),
            apart_at,
            features,
        }
    };
    (0..description.sizes.len()).map(cluster).collect()
}

/// A sample by its name, or its number.
fn sample_name(subject: &Subject, sample: usize) -> String {
    subject.names().map_or_else(|| sample.to_string(), |names| names[sample].clone())
}

impl Said {
    /// The table of clusters and features.
    fn columns(&self) -> Vec<(String, ColumnValues)> {
        let rows = || {
            let of = |cluster: usize| {
                self.clusters[cluster].features.iter().map(move |one| (cluster, one))
            };
            (0..self.clusters.len()).flat_map(of)
        };
        let whole = |value: fn(&Cluster) -> i64| {
            ColumnValues::Integers(rows().map(|(at, _)| Some(value(&self.clusters[at]))).collect())
        };
        let number = |value: fn(&Cluster) -> f64| {
            ColumnValues::Numbers(rows().map(|(at, _)| Some(value(&self.clusters[at]))).collect())
        };
        let text = |value: &dyn Fn(&Cluster, &Summary) -> String| {
            let texts = rows().map(|(at, feature)| Some(value(&self.clusters[at], feature)));
            ColumnValues::Texts(texts.collect())
        };
        let of_feature = |value: fn(&Summary) -> Option<f64>| {
            ColumnValues::Numbers(rows().map(|(_, feature)| value(feature)).collect())
        };
        let columns = [
            ("cluster", whole(|cluster| cluster.cluster.into())),
            ("size", number(|cluster| cluster.size)),
            ("medoid", text(&|cluster, _| cluster.medoid.clone())),
            ("spread", number(|cluster| cluster.spread)),
            ("silhouette", number(|cluster| cluster.silhouette)),
            ("modularity", number(|cluster| cluster.modularity)),
            ("feature", text(&|_, feature| feature.feature.clone())),
            ("mean", of_feature(|feature| Some(feature.mean))),
            ("deviation", of_feature(|feature| Some(feature.deviation))),
            ("mean_outside", of_feature(|feature| feature.mean_outside)),
            ("difference", of_feature(|feature| feature.difference)),
        ];
        columns.map(|(name, values)| (name.to_string(), values)).into()
    }

    fn write_table(&self, delimiter: u8, out: &mut dyn Write) -> io::Result<()> {
        let mut writer = WriterBuilder::new().delimiter(delimiter).from_writer(out);
        let columns = self.columns();
        writer.write_record(columns.iter().map(|(name, _)| name))?;
        let rows = self.clusters.iter().map(|cluster| cluster.features.len()).sum();
        for row in 0..rows {
            writer.write_record(columns.iter().map(|(_, values)| values.text(row)))?;
        }
        writer.flush()
    }

    fn show(&self, out: &mut dyn Write) -> io::Result<()> {
        let Said { samples, features, metric, labelling, clusters, outliers, doubt, .. } = self;
        let labelling = titled(labelling);
        let (samples, features) = (counted(*samples, "sample"), counted(*features, "feature"));
        writeln!(out, "{samples} × {features}, {metric}, {labelling}\n")?;
        let mut table = plain(&[
            "cluster",
            "size",
            "spread",
            "silhouette",
            "modularity",
            "exemplars",
            "apart by",
        ]);
        for cluster in clusters.iter().take(SHOWN) {
            let apart = |&at: &usize| {
                let Summary { feature, difference, .. } = &cluster.features[at];
                format!("{} {:+.2}", Escaped(feature), difference.unwrap_or(0.0))
            };
            let apart: Vec<String> = cluster.apart_at.iter().map(apart).collect();
            let exemplars: Vec<String> =
                cluster.exemplars.iter().map(|name| Escaped(name).to_string()).collect();
            table.add_row([
                cluster.cluster.to_string(),
                short(cluster.size),
                short(cluster.spread),
                format!("{:.2}", cluster.silhouette),
                format!("{:.2}", cluster.modularity),
                exemplars.join(", "),
                apart.join(", "),
            ]);
        }
        for left in [5, 6] {
            if let Some(column) = table.column_mut(left) {
                column.set_cell_alignment(CellAlignment::Left);
            }
        }
        writeln!(out, "{}", table.trim_fmt())?;
        if clusters.len() > SHOWN {
            let more = counted(clusters.len() - SHOWN, "more cluster");
            writeln!(out, "… and {more}")?;
        }
        if let Some(doubt) = doubt {
            writeln!(out, "\n{}", doubted(clusters.len(), doubt))?;
        }
        for Outlier { sample, cluster, score } in outliers {
            writeln!(out, "outlier {} of cluster {cluster}: {score:.3}", Escaped(sample))?;
        }
        Ok(())
    }
}
