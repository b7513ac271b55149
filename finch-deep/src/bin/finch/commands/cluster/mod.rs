//! `finch cluster`: files of samples in, a hierarchy of partitions out.

mod args;

pub(crate) use self::args::Args;

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::Instant;

use finch_core::{Hierarchy, Linkage, Metric, Model, Partition, Refine};
use finch_deep::data::{self, Input, Matrix, SparseFault};
use finch_deep::run;

use super::embed::{embedding, trained};
use crate::args::constraints::Rules;
use crate::args::precomputed::Known;
use crate::args::read::{of_samples, tell_notes};
use crate::args::report::{Beside, Found};
use crate::args::search::LISTED;
use crate::input::error::{LabelCount, Unsound, Usage};
use crate::input::mapped::on_unchanged;
use crate::input::model_file::{self, Notes, Refined};
use crate::input::paths::expanded;
use crate::input::samples::Checked;
use crate::output::directory::{Output, Unusable};
use crate::output::profiles::profiles;
use crate::output::records::{LabelFile, Records, Rows};
use crate::output::summary::{
    PartitionSummary, Printed, Report, Requested, Seconds, Suggested, groups, tell_warnings,
};
use crate::output::table_format::TableFormat;
use crate::process::progress::Watch;
use crate::process::signals;

/// Runs the command.
///
/// # Errors
/// Any error of reading, clustering or writing; after an error nothing is written.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let began = Instant::now();
    let text = args.out.as_deref().and_then(TableFormat::of);
    if args.append && text.is_none() {
        let message = "--append is for a table of labels: name a .csv, .tsv, .json, .jsonl, .parquet or \
                       .arrow by --out";
        return Err(Usage { command: "cluster", message }.into());
    }
    if args.model.is_some() && args.embed.is_some() {
        let message =
            "--model keeps no network: write the samples by finch embed, and cluster those";
        return Err(Usage { command: "cluster", message }.into());
    }
    if args.embed.is_some() && args.reading.is_of_columns() {
        let message = "--embed reads the columns as those of the run were read: leave out --exclude, \
                       --select, --categorical, --missing and --standardize";
        return Err(Usage { command: "cluster", message }.into());
    }
    if args.paging.report.is_some() && !args.given.has_samples(&args.inputs) {
        let message = "--report shows samples: give them as INPUT, beside --known-neighbors";
        return Err(Usage { command: "cluster", message }.into());
    }
    let mut options = args.reading.sparse_options();
    let inputs = &args.given.inputs(&expanded(&args.inputs)?, &mut options);
    let trained = args.embed.as_deref().map(trained).transpose()?;
    options.recipe = trained.as_ref().map(|trained| trained.recipe().clone());
    let mut watch = Watch::new(args.quiet);
    watch.reading();
    (options.keep_cells, options.profile) = (args.append, args.verbose);
    options.threads = args.searching.threads;
    let (weights, times) = (args.weighing.numbers(), args.timing.numbers());
    weights.prepare(&mut options);
    times.prepare(&mut options);
    let of_option = |error| times.of_option(weights.of_option(error));
    let input = data::read(inputs, &options).map_err(of_option)?;
    expect_dense(args, inputs, &input)?;
    let weights = weights.read(&input, &options)?;
    let times = times.read(&input, &options)?;
    let rules = &args.ruling.read(&input)?;
    let truth = match args.labels.as_slice() {
        [] => None,
        files => Some(args.label_reading.read_truth(files, args.reading.memory_limit())?),
    };
    let truth = truth.map(|truth| of_samples(truth, &input));
    let truth = truth.as_deref();
    let read = began.elapsed();

    // From here on a signal ends the run when it next reports progress, and the directory is
    // removed.
    signals::hold();
    if let Some(directory) = args.out.as_deref().filter(|directory| run::is_run(directory)) {
        return Err(Unusable::Run(directory.into()).into());
    }
    args.model.as_deref().map(model_file::expect_place).transpose()?;
    args.paging.prepare()?;
    let destination = match (args.out.as_deref(), text) {
        (None, _) => None,
        (Some(path), Some(format)) => {
            Some(Destination::File(LabelFile::prepare(path, format, inputs)?))
        }
        (Some(path), None) => Some(Destination::Directory(Output::prepare(path)?)),
    };
    watch.of(&input);
    let clustering = on_unchanged(&input, || {
        let embedded = match &trained {
            Some(trained) => Some(embedding(trained, inputs, &input, &mut watch)?),
            None => None,
        };
        let embedding = embedded.as_ref().map(|(embedding, _)| Matrix::from(embedding.view()));
        let metric = embedded.as_ref().map_or(Metric::default(), |(_, metric)| *metric);
        let metric = args.metric.unwrap_or(metric);
        let recipe = embedded.is_none().then(|| input.recipe(&options));
        let samples = match &embedding {
            Some(embedding) => Some(embedding.view()),
            None => input.sparse().is_none().then(|| input.matrix()),
        };
        let options = &options;
        let read =
            Beside { files: inputs, input: &input, options, recipe, samples, truth, began, read };
        let (weights, times) = (weights.as_deref(), times.as_deref());
        let on = On { inputs, input: &input, truth, weights, times, rules, metric, beside: &read };
        cluster(embedding.as_ref(), &on, args, &mut watch)
    });
    watch.clear();
    let clustering = clustering?;
    tell(args, &input, &clustering.report);
    let Clustering { hierarchy, requested, suggested, report, model, page } = clustering;
    let further = [requested.as_ref(), suggested.as_ref()];
    let [of_k, of_suggestion] = further;
    let named = [("requested", of_k), ("suggested", of_suggestion)];
    let rows = Rows::of(&input, args.append);
    let records = Records::of_labels(rows, hierarchy.partitions(), named);
    match destination {
        Some(Destination::Directory(output)) => output.write(&hierarchy, further, &report)?,
        Some(Destination::File(file)) => file.write(&records, inputs)?,
        None => {}
    }
    if let (Some(path), Some(model)) = (&args.model, model) {
        let refined = refined(report.requested.as_ref(), suggested.is_some());
        match model.element() {
            Some(_) => model_file::save(
                path,
                model,
                &Notes::new(input.recipe(&options), input.names(), refined),
            )?,
            // Notes tell how samples were read.
            None => model_file::save_bare(path, &model)?,
        }
    }
    args.paging.write(page.as_deref())?;

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
        let _ = write!(err, "{}{}", profiles(input), report.searches());
    }
    if args.quiet {
        return;
    }
    tell_notes(input, &mut err);
    args.searching.tell_useless(&mut err);
    tell_warnings(&report.warnings, &mut err);
}

/// Where the labels go.
enum Destination {
    Directory(Output),
    File(LabelFile),
}

/// The samples to cluster, and the options.
struct On<'a> {
    inputs: &'a [PathBuf],
    input: &'a Input,
    truth: Option<&'a [u32]>,
    weights: Option<&'a [f64]>,
    times: Option<&'a [f64]>,
    rules: &'a Rules,
    metric: Metric,
    beside: &'a Beside<'a>,
}

/// The result of one run.
struct Clustering {
    hierarchy: Arc<Hierarchy>,
    requested: Option<Partition>,
    suggested: Option<Partition>,
    report: Report,
    /// If one is to be saved.
    model: Option<Model>,
    page: Option<Vec<u8>>,
}

/// The sources of the refined labellings of a model.
fn refined(requested: Option<&Requested>, suggested: bool) -> Vec<Refined> {
    let requested =
        requested.map(|one| Refined::Requested { linkage: one.linkage.into(), from: one.from });
    requested.into_iter().chain(suggested.then_some(Refined::Suggested)).collect()
}

/// Clusters an embedding of the samples, or else the samples.
fn cluster(
    embedding: Option<&Matrix<'_>>,
    on: &On<'_>,
    args: &Args,
    watch: &mut Watch<'_>,
) -> Result<Clustering, Box<dyn Error>> {
    let On { inputs, input, truth, weights, times, rules, metric, .. } = *on;
    let checked = match args.given.has_samples(&args.inputs) {
        true => match embedding {
            Some(matrix) => Some(Checked::of_matrix(matrix.view())),
            None => Some(Checked::of(input)),
        },
        false => None,
    };
    let checked = checked.transpose().map_err(|error| Unsound::of_samples(inputs, input, error))?;
    input.expect_any_order();
    let count = input.samples();
    expect_sound(args, count, truth)?;
    let mut run = args.searching.run(watch);
    // The neighbours that merging needs are found in the same search.
    let suggest = args.suggest || args.paging.report.is_some();
    let linkage = match args.linkage {
        // Clusters with times have no other links than by means.
        Linkage::Neighbor if times.is_some() => Linkage::Centroid,
        linkage => linkage,
    };
    let linkages = [args.clusters.map(|_| linkage), suggest.then_some(Linkage::Neighbor)];
    let neighbors = |linkage: Linkage| linkage.neighbors(count);
    let kept = linkages.into_iter().flatten().map(neighbors).max().unwrap_or(0);
    let finch = args.searching.finch(metric).link_bound(args.link_bound).keep_neighbors(kept);
    let known = Known(checked.as_ref().map(Checked::any));
    let hierarchy = Arc::new(match (weights, times, known.0) {
        (_, Some(times), Some(samples)) => finch
            .fit_timed(samples, args.timing.of(times), &mut run)
            .map_err(|error| Unsound::of(inputs, error))?,
        (Some(weights), None, Some(samples)) => finch
            .fit_weighted(samples, weights, &mut run)
            .map_err(|error| Unsound::of(inputs, error))?,
        _ => args.given.cluster(finch, &known, input, inputs, &mut run)?,
    });

    let partitions = hierarchy.partitions();
    let mut report = Report::new(&hierarchy, args.link_bound);
    report.dropped = input.dropped().iter().map(|dropped| dropped.row).collect();
    let summary = |partition: &Partition| PartitionSummary::of(partition, truth, weights);
    for partition in partitions {
        // Scoring many clusters takes a while, too.
        if signals::asked().is_some() {
            return Err(finch_core::Error::Cancelled.into());
        }
        report.partitions.push(summary(partition)?);
    }
    let mut suggested = None;
    if suggest {
        let suggestion = known.suggest(&hierarchy, &mut run)?;
        let summary = summary(&suggestion.cut)?;
        report.suggested = Some(Suggested { partition: suggestion.partition, summary });
        suggested = Some(suggestion);
    }
    let mut requested = None;
    if let Some(clusters) = args.clusters {
        let refine = Refine::new(clusters).linkage(linkage);
        let refine = rules.of(args.from.map_or(refine, |from| refine.from(from)));
        let from = refine.start(&hierarchy)?;
        let partition = match &suggested {
            // The dendrogram of the suggestion has these clusters already.
            Some(suggestion)
                if linkage == Linkage::Neighbor && from == Some(0) && rules.is_empty() =>
            {
                suggestion.dendrogram.cut(clusters)?
            }
            _ => known.refine(&refine, &hierarchy, &mut run)?,
        };
        let summary = summary(&partition)?;
        report.requested = Some(Requested { linkage: linkage.name(), from, summary });
        requested = Some(partition);
    }
    let (labels, suggestion) = (requested.as_ref(), suggested.as_ref());
    let found = Found { hierarchy: &hierarchy, report: &report, requested: labels, suggestion };
    let page = match &checked {
        Some(Checked::F64(samples)) => args.paging.page_of(samples, on.beside, &found, &mut run)?,
        Some(Checked::F32(samples)) => args.paging.page_of(samples, on.beside, &found, &mut run)?,
        Some(Checked::U8(samples)) => args.paging.page_of(samples, on.beside, &found, &mut run)?,
        Some(Checked::Sparse(_)) | None => None,
    };
    let suggested = suggested.map(|suggestion| suggestion.cut);
    let mut model = None;
    if args.model.is_some() {
        let refined = requested.iter().chain(&suggested).cloned().collect();
        model = Some(known.model(&hierarchy, refined, !args.without_samples, &mut run)?);
    }
    Ok(Clustering { hierarchy, requested, suggested, report, model, page })
}

/// Checks that no option was given that takes dense rows, where those of the input are sparse.
fn expect_dense(args: &Args, inputs: &[PathBuf], input: &Input) -> Result<(), Unsound> {
    let options = [
        ("embed", args.embed.is_some()),
        ("report", args.paging.report.is_some()),
        ("precomputed", args.given.is_precomputed()),
    ];
    match options.into_iter().find(|(_, given)| *given && input.sparse().is_some()) {
        Some((option, _)) => Err(Unsound::of(inputs, SparseFault::NeedsDense { option })),
        None => Ok(()),
    }
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
