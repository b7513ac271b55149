//! `finch suggest`: how many clusters, where nobody knows.

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;

use finch_core::{AnySamples, Linkage, Metric, Suggestion};
use serde_json::json;

use super::subject::Subject;
use crate::args::read::Reading;
use crate::args::search::SearchArgs;
use crate::args::values::one_of;
use crate::args::write::{MessageArgs, OutputArgs};
use crate::output::doubt::doubt;
use crate::output::records::{Records, Values};
use crate::output::summary::{counted, plain};
use crate::process::progress::Watch;

/// Numbers of clusters that are shown to people.
const SHOWN: usize = 10;

const COMMAND: &str = "suggest";

/// Recommend a number of clusters, and the partition that agrees best
///
/// INPUT are files of samples, or a model that keeps them. finch shows the numbers of clusters with the
/// best scores. The best score decides, unless the data has more pieces without links between them. Clusters come
/// back from other samples of the same kind to some percent: the Jaccard index to expect of each and the one
/// found in its place, their persistence. Where another number fits almost as well, finch names it: with a few samples
/// more or fewer it might be suggested. finch recommends a number even for data that has no clusters, and
/// then says so.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch suggest features.npy
  finch suggest customers.csv --standardize zscore --out labels.csv
  finch suggest features.npy --json | jq .clusters")]
pub(crate) struct Args {
    /// Files of samples, -, or a model
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// Distance between samples [default: euclidean; of a model its own]
    #[arg(long, value_parser = one_of(Metric::ALL, Metric::name))]
    metric: Option<Metric>,

    #[command(flatten)]
    searching: SearchArgs,

    #[command(flatten)]
    writing: OutputArgs,

    /// Print one JSON object, with the scores of all numbers of clusters
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    telling: MessageArgs,

    #[command(flatten)]
    reading: Reading,
}

/// Runs the command. With `--out` the labels of the suggested clusters go into that file.
///
/// # Errors
/// Any error of reading, clustering or writing; after an error nothing is written.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let format = args.writing.table_format(COMMAND)?;
    args.writing.expect_alone(COMMAND, args.json)?;
    args.writing.prepare(&[], &args.inputs)?;
    let mut watch = Watch::new(args.telling.quiet);
    let options = args.reading.sparse_options();
    let subject = Subject::read(&args.inputs, options, &args.searching, &args.telling, &mut watch)?;
    subject.show_to(&mut watch);
    let suggested =
        subject.compute_on(COMMAND, |samples| suggested(samples, &subject, args, &mut watch));
    watch.clear();
    let (suggestion, counts) = suggested?;
    let Suggestion { cut, best, partition, scores, mixing, .. } = &suggestion;
    if args.writing.out.is_some() {
        let columns = vec![("suggested".to_string(), Values::Labels(cut.labels()))];
        args.writing.write_records(&Records::new(subject.rows(), columns), format, false)?;
    }
    let mut out = io::stdout().lock();
    if args.writing.is_printed() {
        return Ok(());
    }
    if args.json {
        let scores = (2..).zip(scores).map(
            |(clusters, score): (usize, &f64)| json!({ "clusters": clusters, "score": score }),
        );
        let mut object = json!({
            "samples": cut.samples(),
            "clusters": cut.clusters(),
            "best": best,
            "rivals": suggestion.rivals,
            "persistence_of_best": suggestion.persistence_of_best,
            "persistence": suggestion.persistence()?,
            "partition": partition,
            "partition_clusters": counts[*partition],
            "mixing": mixing,
            "has_clusters": suggestion.has_clusters(),
            "clustered": suggestion.clustered.name(),
            "scores": scores.collect::<Vec<_>>(),
        });
        if let Some(prepared) = subject.prepared() {
            object["prepared"] = serde_json::to_value(prepared)?;
        }
        writeln!(out, "{object}")?;
    } else if !args.telling.quiet {
        writeln!(out, "{}{}", counted(cut.clusters(), "cluster"), persistence(&suggestion))?;
        if let Some(ambiguity) = suggestion.ambiguity() {
            writeln!(out, "{ambiguity}")?;
        }
        if let Some(doubt) = doubt(&suggestion) {
            writeln!(out, "{doubt}")?;
        }
        let of_partition = counted(counts[*partition], "cluster");
        writeln!(out, "of the partitions, {partition} agrees best: {of_partition}\n")?;
        let mut ranked: Vec<(usize, f64)> = (2..).zip(scores.iter().copied()).collect();
        ranked.sort_by(|a, b| b.1.total_cmp(&a.1).then(a.0.cmp(&b.0)));
        let mut table = plain(&["clusters", "score"]);
        for (clusters, score) in ranked.iter().take(SHOWN) {
            table.add_row([clusters.to_string(), format!("{score:.4}")]);
        }
        writeln!(out, "{}", table.trim_fmt())?;
    }
    Ok(out.flush()?)
}

/// The persistence of the suggested clusters, and the numbers of clusters that fit next best, with theirs.
fn persistence(suggestion: &Suggestion) -> String {
    let Suggestion { best, persistence_of_best, .. } = suggestion;
    let told = |(clusters, persistence): (&usize, &f64)| {
        format!("{clusters} ({:.0} %)", 100.0 * persistence)
    };
    let next: Vec<String> = best.iter().zip(persistence_of_best).skip(1).map(told).collect();
    let next = match next.is_empty() {
        true => String::new(),
        false => format!("; next best: {}", next.join(", ")),
    };
    match best[0] {
        1 => String::new(),
        _ => {
            let own = 100.0 * persistence_of_best[0];
            format!(", which would come back from other samples to {own:.0} %{next}")
        }
    }
}

fn suggested(
    samples: AnySamples<'_>,
    subject: &Subject,
    args: &Args,
    watch: &mut Watch<'_>,
) -> Result<(Suggestion, Vec<usize>), Box<dyn Error>> {
    let mut run = args.searching.run(watch);
    let finch = args.searching.finch(subject.metric(args.metric));
    let hierarchy = subject.hierarchy(samples, finch, Some(Linkage::Neighbor), &mut run)?;
    let suggestion = hierarchy.suggest_with(samples, &mut run)?;
    subject.tell(&args.telling, &args.searching, Some(&hierarchy));
    Ok((suggestion, hierarchy.cluster_counts()))
}
