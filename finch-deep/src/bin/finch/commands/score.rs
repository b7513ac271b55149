//! `finch score`: labels against the true classes.

use std::error::Error;
use std::io::{self, Write};
use std::path::PathBuf;
use std::slice;

use finch_deep::data::{self, Escaped};
use finch_deep::scores::Percentages;

use crate::args::read::{LabelReading, MemoryLimit, one_labelling};
use crate::output::summary::measures;

/// Compare labels with the true classes of the same samples
///
/// LABELS and TRUTH are lists of labels, one for each sample: .npy, .npz, .mat, IDX, or a table, such as text
/// with a label (a number or a word) in each line. LABELS may have several columns, as the labels.npy of finch cluster --out
/// has one for each partition; finch compares each. All values are percentages. Samples of label -1 are
/// noise, and left out; their share is told, too.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch score run/labels.npy t10k-labels-idx1-ubyte.gz
  finch score mine.csv truth.csv --json")]
pub(crate) struct Args {
    /// Labels of a clustering
    labels: PathBuf,

    /// The true classes
    truth: PathBuf,

    /// Print JSON: one object for each labelling
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    reading: LabelReading,

    #[command(flatten)]
    memory: MemoryLimit,
}

/// Runs the command.
///
/// # Errors
/// An error of reading, or that the files differ in their number of samples.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let options = args.reading.options(args.memory.memory_limit);
    options.expect_useful(&[&args.labels, &args.truth])?;
    let labels = data::read_labels(&[&args.labels], &options)?;
    let truth = one_labelling(slice::from_ref(&args.truth), &options)?;
    let samples = labels.columns.first().map_or(0, |labelling| labelling.labels.len());
    if samples != truth.len() {
        let [labels, of_truth] = [&args.labels, &args.truth].map(|path| Escaped(path.display()));
        let found = truth.len();
        let hint = "if a line of text is a header, say --label-header";
        return Err(format!("{labels} has {samples} labels and {of_truth} {found}: {hint}").into());
    }
    let scores = labels.columns.iter().map(|labelling| match labelling.noise {
        Some(noise) => Percentages::without(noise, &labelling.labels, &truth),
        None => Percentages::of(&labelling.labels, &truth),
    });
    let scores: Vec<Percentages> = scores.collect::<finch_core::Result<_>>()?;
    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut out, &scores).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        writeln!(out, "{}", measures(&scores).trim_fmt())?;
    }
    Ok(out.flush()?)
}
