//! `finch cluster`: files of samples in, a hierarchy of partitions out.

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use finch_core::{
    Element, Finch, Hierarchy, LinkBound, Linkage, Metric, Partition, Refine, Run, Samples, Search,
};
use finch_deep::data::{self, Input, Matrix};
use finch_deep::run;
use ndarray::ArrayView2;

use crate::embed::{checkpoint, embedding};
use crate::inputs::expanded;
use crate::interrupt;
use crate::mapped::on_unchanged;
use crate::output::{self, Output};
use crate::profiles::profiles;
use crate::reading::{LabelReading, Reading, of_samples, tell_notes};
use crate::records::{LabelFile, Records, TextFormat};
use crate::report::{PartitionSummary, Printed, Report, Requested, Seconds, Suggested, groups};
use crate::unsound::{LabelCount, Unsound};
use crate::usage::Usage;
use crate::values::{one_of, recall, seconds, threads, whole};
use crate::watch::Watch;

/// Up to this many named samples are listed by cluster.
const LISTED: usize = 100;

/// Cluster files of samples into a hierarchy of partitions
///
/// Reads .npy, .npz, .csv, .tsv, .txt, .mat and IDX files, gzipped or not; rows are samples.
/// Several inputs are stacked; - is standard input. Partitions are numbered from 0, the finest.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch cluster planets.csv
  finch cluster customers.csv --standardize zscore --missing median --out labels.csv
  finch cluster customers.csv --drop id --categorical auto --append -o with-labels.csv
  zcat table.csv.gz | finch cluster - --format csv --json --with-labels
  finch cluster features.npy --metric cosine --out run
  finch cluster features.npy --clusters 10 --json
  finch cluster features.npy --suggest
  finch cluster millions.npy --recall 0.95 --verbose
  finch cluster millions.npy --time-limit 60
  finch cluster --embed run features.npy --clusters 10
  finch cluster train-images-idx3-ubyte.gz t10k-images-idx3-ubyte.gz \\
      --labels train-labels-idx1-ubyte.gz t10k-labels-idx1-ubyte.gz")]
pub(crate) struct Args {
    /// Files of samples, or -
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// True classes, to score each partition with (stacked like the inputs)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    labels: Vec<PathBuf>,

    /// Embed the samples by the network of this run of `finch train` first
    #[arg(long, value_name = "RUN")]
    embed: Option<PathBuf>,

    /// Distance between samples [default: euclidean; with --embed the run's]
    #[arg(long, value_parser = one_of(Metric::ALL, Metric::name))]
    metric: Option<Metric>,

    /// Links that may merge clusters; first-neighbor, as in the paper's tables, drops links longer
    /// than every first-neighbour link between samples
    #[arg(
        long,
        default_value = LinkBound::default().name(),
        value_parser = one_of(LinkBound::ALL, LinkBound::name)
    )]
    link_bound: LinkBound,

    /// Also make exactly K clusters
    #[arg(
        short = 'k',
        long,
        value_name = "K",
        value_parser = whole::<usize>,
        allow_negative_numbers = true
    )]
    clusters: Option<usize>,

    /// Which clusters merge first on the way to K: those whose samples share the most neighbours
    /// (neighbor; not single linkage), those with the closest means (centroid, Algorithm 2 of the
    /// paper), or those whose merging adds least to the squared distances from means (ward)
    #[arg(
        long,
        default_value = Linkage::default().name(),
        value_parser = one_of(Linkage::ALL, Linkage::name),
        requires = "clusters"
    )]
    linkage: Linkage,

    /// Partition to merge from [default: 0 for neighbor linkage, else the coarsest with at least K
    /// clusters; where none has K or more, partition 0 is split]
    #[arg(
        long,
        value_name = "PARTITION",
        value_parser = whole::<usize>,
        allow_negative_numbers = true,
        requires = "clusters"
    )]
    from: Option<usize>,

    /// Also recommend a number of clusters and a partition, even for data that has no clusters
    #[arg(long)]
    suggest: bool,

    /// How neighbours are searched: every search but approximate is exact, and auto takes
    /// approximate where an exact search would take more than about twenty seconds on one core, and
    /// much longer
    #[arg(
        long,
        default_value = Search::default().name(),
        value_parser = one_of(Search::ALL, Search::name)
    )]
    neighbors: Search,

    /// The share of first neighbours that approximate search is to find (with --clusters or
    /// --suggest, of the k nearest); with 1, auto is exact [default: 0.99]
    #[arg(long, value_name = "SHARE", value_parser = recall)]
    recall: Option<f64>,

    /// Seconds that searching neighbours may take: auto is then exact where that fits, and else
    /// approximate, with as many neighbours as it finds in this time
    #[arg(long, value_name = "SECONDS", value_parser = seconds, allow_negative_numbers = true)]
    time_limit: Option<Duration>,

    /// The seed of the random numbers of approximate search [default: 0]
    #[arg(
        long,
        value_name = "N",
        value_parser = whole::<u64>,
        allow_negative_numbers = true
    )]
    seed: Option<u64>,

    /// Number of threads, on which no result depends [default: one for each core]
    #[arg(long, value_name = "N", value_parser = threads)]
    threads: Option<usize>,

    /// Write labels.npy (int32, samples × partitions), requested.npy, suggested.npy and
    /// hierarchy.json into this directory; or, by the name's end, labels as text into this file: .csv,
    /// .tsv, .json or .jsonl, a row for each sample with its name (or row, from 0), partition_0, …,
    /// requested and suggested
    #[arg(short, long, value_name = "DIR|FILE")]
    out: Option<PathBuf>,

    /// Write all columns of the input (text) before those of the labels
    #[arg(long, requires = "out")]
    append: bool,

    /// Print one JSON object instead of a table
    #[arg(long)]
    json: bool,

    /// Print names and labels in the JSON object, too
    #[arg(long, requires = "json")]
    with_labels: bool,

    /// Say what is in each column, and of each level what was seen of the data, which search was
    /// chosen, why, and what it found
    #[arg(short, long)]
    verbose: bool,

    /// No table, no progress bar and no advice
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    label_reading: LabelReading,
}

/// Runs the command.
///
/// # Errors
/// Any error of reading, clustering or writing; after an error nothing is written.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let text = args.out.as_deref().and_then(TextFormat::of);
    if args.append && text.is_none() {
        let message = "--append is for labels as text: name a .csv, .tsv, .json or .jsonl by --out";
        return Err(Usage { command: "cluster", message }.into());
    }
    let inputs = &expanded(&args.inputs)?;
    let checkpoint = args.embed.as_deref().map(checkpoint).transpose()?;
    let mut watch = Watch::new(args.quiet);
    watch.reading();
    let mut options = args.reading.options();
    (options.keep_cells, options.profile) = (args.append, args.verbose);
    options.threads = args.threads;
    let input = data::read(inputs, &options)?;
    let truth = match args.labels.as_slice() {
        [] => None,
        files => Some(args.label_reading.read_truth(files, args.reading.memory_limit())?),
    };
    let truth = truth.map(|truth| of_samples(truth, &input));
    let truth = truth.as_deref();
    let read = began.elapsed();

    // From here on a signal ends the run when it next reports progress, and the directory is
    // removed.
    interrupt::hold();
    if let Some(directory) = args.out.as_deref().filter(|directory| run::is_run(directory)) {
        return Err(output::Unusable::Run(directory.into()).into());
    }
    let destination = match (args.out.as_deref(), text) {
        (None, _) => None,
        (Some(path), Some(format)) => {
            Some(Destination::File(LabelFile::prepare(path, format, inputs)?))
        }
        (Some(path), None) => Some(Destination::Directory(Output::prepare(path)?)),
    };
    watch.of(&input);
    let clustering = on_unchanged(&input, || {
        let embedded = match &checkpoint {
            Some(checkpoint) => Some(embedding(checkpoint, inputs, &input, &mut watch)?),
            None => None,
        };
        let (matrix, metric) = match &embedded {
            Some((embedding, metric)) => (embedding.view().into(), *metric),
            None => (input.matrix(), Metric::default()),
        };
        let metric = args.metric.unwrap_or(metric);
        let on = On { inputs, input: &input, truth, metric };
        match matrix {
            Matrix::F64(matrix) => cluster(matrix, &on, args, &mut watch),
            Matrix::F32(matrix) => cluster(matrix, &on, args, &mut watch),
            Matrix::U8(matrix) => cluster(matrix, &on, args, &mut watch),
        }
    });
    watch.clear();
    let clustering = clustering?;
    tell(args, &input, &clustering.report);
    let Clustering { hierarchy, requested, suggested, report } = clustering;
    let further = [requested.as_ref(), suggested.as_ref()];
    let [of_k, of_suggestion] = further;
    let named = [("requested", of_k), ("suggested", of_suggestion)];
    let records = Records::new(&input, hierarchy.partitions(), named, args.append);
    match destination {
        Some(Destination::Directory(output)) => output.write(&hierarchy, further, &report)?,
        Some(Destination::File(file)) => file.write(&records, inputs)?,
        None => {}
    }

    let seconds = Seconds {
        read: read.as_secs_f64(),
        neighbors: watch.neighbors().as_secs_f64(),
        merging: watch.merging().as_secs_f64(),
        total: began.elapsed().as_secs_f64(),
    };
    let mut out = io::stdout().lock();
    if args.json {
        let printed = Printed::new(&report, seconds);
        let printed = match args.with_labels {
            true => printed.with_labels(records.names(), records.labels()),
            false => printed,
        };
        serde_json::to_writer(&mut out, &printed).map_err(io::Error::from)?;
        writeln!(out)?;
    } else if !args.quiet {
        writeln!(out, "{report}, {:.2} s\n\n{}", seconds.total, report.table().trim_fmt())?;
        if let Some(Suggested { partition, .. }) = report.suggested {
            writeln!(out, "\nof the partitions, {partition} agrees best with the suggested one")?;
        }
        if let Some(names) = input.names().filter(|names| names.len() <= LISTED) {
            for (number, partition) in hierarchy.partitions().iter().enumerate() {
                write!(out, "\npartition {number}\n{}", groups(partition, names))?;
            }
            for (name, partition) in [("requested", &requested), ("suggested", &suggested)] {
                if let Some(partition) = partition {
                    write!(out, "\n{name}\n{}", groups(partition, names))?;
                }
            }
        }
    }
    Ok(out.flush()?)
}

/// Says on standard error what was found in the columns and by the searches, and what may not be
/// meant so. It is no error if nobody reads that.
fn tell(args: &Args, input: &Input, report: &Report) {
    let mut err = io::stderr().lock();
    if args.verbose {
        let _ = write!(err, "{}\n{}", profiles(input.profile()), report.searches());
    }
    if args.quiet {
        return;
    }
    tell_notes(input, &mut err);
    let exact = !matches!(args.neighbors, Search::Auto | Search::Approximate);
    let useless = [
        ("--recall", args.recall.is_some()),
        ("--seed", args.seed.is_some()),
        ("--time-limit", args.time_limit.is_some()),
    ];
    for (option, _) in useless.into_iter().filter(|(_, given)| exact && *given) {
        let search = args.neighbors.name();
        let _ =
            writeln!(err, "finch: {option} does nothing with --neighbors {search}, which is exact");
    }
    if let Some(short) = report.short_of(args.recall.unwrap_or(Finch::DEFAULT_RECALL)) {
        let _ = writeln!(err, "finch: {short}");
    }
}

/// Where the labels go.
enum Destination {
    Directory(Output),
    File(LabelFile),
}

/// What is clustered, and how.
struct On<'a> {
    inputs: &'a [PathBuf],
    input: &'a Input,
    truth: Option<&'a [u32]>,
    metric: Metric,
}

/// What one run found.
struct Clustering {
    hierarchy: Hierarchy,
    requested: Option<Partition>,
    suggested: Option<Partition>,
    report: Report,
}

fn cluster<A: Element>(
    matrix: ArrayView2<'_, A>,
    on: &On<'_>,
    args: &Args,
    watch: &mut Watch<'_>,
) -> Result<Clustering, Box<dyn Error>> {
    let On { inputs, input, truth, metric } = *on;
    let samples =
        Samples::new(matrix).map_err(|error| Unsound::of_samples(inputs, input, error))?;
    input.expect_any_order();
    expect_sound(args, samples.len(), truth)?;
    let threads = args.threads.unwrap_or(0);
    let mut run = Run::new().threads(threads).progress(|progress| watch.see(progress));
    // The neighbours that merging needs are found in the same search.
    let linkages = [args.clusters.map(|_| args.linkage), args.suggest.then_some(Linkage::Neighbor)];
    let neighbors = |linkage: Linkage| linkage.neighbors(samples.len());
    let kept = linkages.into_iter().flatten().map(neighbors).max().unwrap_or(0);
    let finch = Finch::new()
        .metric(metric)
        .link_bound(args.link_bound)
        .search(args.neighbors)
        .recall(args.recall.unwrap_or(Finch::DEFAULT_RECALL))
        .seed(args.seed.unwrap_or(0))
        .keep_neighbors(kept);
    let finch = args.time_limit.map_or(finch, |limit| finch.time_limit(limit));
    let hierarchy = finch.fit_with(&samples, &mut run)?;

    let partitions = hierarchy.partitions();
    let mut report = Report::new(&hierarchy, args.link_bound);
    report.dropped = input.dropped().iter().map(|dropped| dropped.row).collect();
    for partition in partitions {
        // Scoring many clusters takes a while, too.
        if interrupt::asked().is_some() {
            return Err(finch_core::Error::Cancelled.into());
        }
        report.partitions.push(PartitionSummary::of(partition, truth)?);
    }
    let mut suggested = None;
    if args.suggest {
        let suggestion = hierarchy.suggest_with(&samples, &mut run)?;
        let summary = PartitionSummary::of(&suggestion.cut, truth)?;
        report.suggested = Some(Suggested { partition: suggestion.partition, summary });
        suggested = Some(suggestion);
    }
    let mut requested = None;
    if let Some(clusters) = args.clusters {
        let refine = Refine::new(clusters).linkage(args.linkage);
        let refine = args.from.map_or(refine, |from| refine.from(from));
        let from = refine.start(&hierarchy)?;
        let partition = match &suggested {
            // The dendrogram of the suggestion has these clusters already.
            Some(suggestion) if args.linkage == Linkage::Neighbor && from == Some(0) => {
                suggestion.dendrogram.cut(clusters)?
            }
            _ => refine.run_with(&samples, &hierarchy, &mut run)?,
        };
        let summary = PartitionSummary::of(&partition, truth)?;
        report.requested = Some(Requested { linkage: args.linkage.name(), from, summary });
        requested = Some(partition);
    }
    let suggested = suggested.map(|suggestion| suggestion.cut);
    Ok(Clustering { hierarchy, requested, suggested, report })
}

/// Finds faults that a long run would only meet at its end.
fn expect_sound(args: &Args, samples: usize, truth: Option<&[u32]>) -> Result<(), Box<dyn Error>> {
    if let Some(requested) = args.clusters.filter(|&k| k == 0 || k > samples) {
        return Err(finch_core::Error::ClusterCount { requested, samples }.into());
    }
    if let Some(labels) = truth.map(<[u32]>::len).filter(|&labels| labels != samples) {
        return Err(LabelCount { labels, samples }.into());
    }
    Ok(())
}
