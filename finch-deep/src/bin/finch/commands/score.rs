//! `finch score`: labels against the true classes.

use std::error::Error;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use finch_deep::data::{self, Column, Escaped, Fault, LabelOptions, Labelling, Labels, ReadError};
use finch_deep::scores::Percentages;
use serde::Serialize;

use crate::args::read::{LabelReading, MemoryLimit, TruthError, column};
use crate::output::summary::measures;

/// Compare labels with the true classes of the same samples
///
/// LABELS and TRUTH are lists of labels, one for each sample: .npy, .npz, .mat, IDX, .svmlight, or a table,
/// such as text with a label (a number or a word) in each line. Of a table with several columns the last
/// one counts, or those of --column and --truth-column. LABELS may have several labellings, as the labels.npy
/// of finch cluster --out has one for each partition; finch compares each. All values are percentages.
/// Samples of label -1 are noise, and left out; their share is told, too.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch score run/labels.npy t10k-labels-idx1-ubyte.gz
  finch score labels.csv truth.csv --column requested,suggested --truth-column class
  finch score mine.csv truth.csv --json")]
pub(crate) struct Args {
    /// Labels of a clustering
    labels: PathBuf,

    /// The true classes
    truth: PathBuf,

    /// Columns of LABELS, a table, by names or by numbers from 0; each is compared [default: the last]
    #[arg(long, value_name = "COLUMN,…", value_parser = column, value_delimiter = ',')]
    column: Vec<Column>,

    /// Column of TRUTH, a table, by its name or by its number from 0 [default: the last]
    #[arg(long, value_name = "COLUMN", value_parser = column)]
    truth_column: Option<Column>,

    /// Print JSON: one object for each labelling
    #[arg(long)]
    json: bool,

    /// No remark on the column or the header of a file
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    reading: LabelReading,

    #[command(flatten)]
    memory: MemoryLimit,
}

/// A file of labels that is compared, and how it is read.
struct Side<'a> {
    path: &'a Path,
    options: LabelOptions,
    /// The option that names columns of this side alone.
    option: &'static str,
    /// True if that option is given.
    asked: bool,
}

/// The labels of one side.
struct Found {
    /// The name of each labelling, where columns were asked for.
    titles: Option<Vec<String>>,
    labellings: Vec<Labelling>,
    /// The column of a table, the first one where several are asked for.
    of: Option<data::LabelColumn>,
}

/// The measures of one labelling.
#[derive(Serialize)]
struct Scored {
    /// The column, where one was asked for.
    #[serde(skip_serializing_if = "Option::is_none")]
    column: Option<String>,
    #[serde(flatten)]
    scores: Percentages,
}

/// Labels and classes of other numbers of samples.
#[derive(Debug, thiserror::Error)]
#[error(
    "{} has {labels} labels and {} {classes}: give one for each sample (if a line of text is a header, say \
     --label-header)",
    Escaped(path.display()), Escaped(truth.display())
)]
struct Differ {
    path: PathBuf,
    labels: usize,
    truth: PathBuf,
    classes: usize,
}

/// Runs the command.
///
/// # Errors
/// An error of reading, or that the files differ in their number of samples.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let options = args.reading.options(args.memory.memory_limit);
    options.expect_useful(&[&args.labels, &args.truth])?;
    let side = |path, option, columns: Vec<Column>| {
        let (mut options, asked) = (options.clone(), !columns.is_empty());
        if asked {
            options.columns = columns;
        }
        Side { path, options, option, asked }
    };
    let truth_columns = args.truth_column.iter().cloned().collect();
    let mut sides = [
        side(&args.labels, "column", args.column.clone()),
        side(&args.truth, "truth-column", truth_columns),
    ];
    let mut found = [sides[0].read()?, sides[1].read()?];
    let mut remarks = Vec::new();
    // A header of words over words shows by the sample that it would be.
    let counts = found.each_ref().map(Found::samples);
    let longer = usize::from(counts[1] > counts[0]);
    if counts[0].abs_diff(counts[1]) == 1 && options.header.is_none() {
        sides[longer].options.header = Some(true);
        if let Ok(without) = sides[longer].read()
            && without.samples() == counts[1 - longer]
            && without.has_name()
        {
            found[longer] = without;
            let path = Escaped(sides[longer].path.display());
            remarks
                .push(format!("{path}: the first line is one too many, and is taken as a header"));
        }
    }
    for (side, found) in sides.iter().zip(&found) {
        remarks.extend(found.remark(side));
    }
    if options.header.is_none() && found.iter().all(Found::begins_alone) {
        remarks.push(
            "the first line of each file has a label that no other line has: if it is a header, say \
             --label-header"
                .into(),
        );
    }
    let [labels, truth] = found;
    let [classes] = &truth.labellings[..] else {
        let (file, columns) = (args.truth.clone(), truth.labellings.len());
        return Err(TruthError::Several { file, columns }.into());
    };
    if labels.samples() != classes.labels.len() {
        let (path, truth) = (args.labels.clone(), args.truth.clone());
        let (labels, classes) = (labels.samples(), classes.labels.len());
        return Err(Differ { path, labels, truth, classes }.into());
    }
    let scored = |(at, labelling): (usize, &Labelling)| -> finch_core::Result<Scored> {
        let scores = match labelling.noise {
            Some(noise) => Percentages::without(noise, &labelling.labels, &classes.labels)?,
            None => Percentages::of(&labelling.labels, &classes.labels)?,
        };
        let column = labels.titles.as_ref().map(|titles| titles[at].clone());
        Ok(Scored { column, scores })
    };
    let scores: Vec<Scored> =
        labels.labellings.iter().enumerate().map(scored).collect::<finch_core::Result<_>>()?;
    if !args.quiet {
        for remark in remarks {
            // It is no error if nobody reads that.
            let _ = writeln!(io::stderr(), "finch: {remark}");
        }
    }
    let mut out = io::stdout().lock();
    if args.json {
        serde_json::to_writer(&mut out, &scores).map_err(io::Error::from)?;
        writeln!(out)?;
    } else {
        let of: Vec<Percentages> = scores.iter().map(|one| one.scores).collect();
        writeln!(out, "{}", measures(&of, labels.titles.as_deref()).trim_fmt())?;
    }
    Ok(out.flush()?)
}

impl Side<'_> {
    fn read(&self) -> Result<Found, ReadError> {
        let files = [self.path];
        let named = |mut error: ReadError| {
            if let Fault::UselessOption { option, .. } = &mut error.fault {
                *option = self.option;
            }
            error
        };
        if self.asked {
            self.options.expect_useful(&files).map_err(named)?;
        }
        let Labels { columns, of, .. } = data::read_labels(&files, &self.options)?;
        let title = |column: &Column| match column {
            Column::Name(name) => name.clone(),
            Column::Index(index) => format!("column {index}"),
        };
        let titles = self.asked.then(|| self.options.columns.iter().map(title).collect());
        Ok(Found { titles, labellings: columns, of })
    }
}

impl Found {
    /// True if the first line calls the column by a word, and not by a number, which may be a label.
    fn has_name(&self) -> bool {
        let name = self.of.as_ref().and_then(|of| of.at.name.as_ref());
        name.is_some_and(|name| name.parse::<f64>().is_err())
    }

    fn samples(&self) -> usize {
        self.labellings.first().map_or(0, |labelling| labelling.labels.len())
    }

    /// True if the first line of a text without a header has a label of its own, as a header has, and later lines
    /// share theirs.
    fn begins_alone(&self) -> bool {
        let alone = |one: &Labelling| match one.labels.split_first() {
            Some((first, later)) => one.classes < one.labels.len() && !later.contains(first),
            None => false,
        };
        self.of.as_ref().is_some_and(|of| of.at.name.is_none()) && self.labellings.iter().all(alone)
    }

    /// A remark on the column that was taken, where there are others.
    fn remark(&self, side: &Side<'_>) -> Option<String> {
        let is_last = side.options.columns.is_empty();
        let of = self.of.as_ref().filter(|of| of.columns > 1 && is_last)?;
        let path = Escaped(side.path.display());
        let column = Escaped(&of.at);
        let (columns, option) = (of.columns, side.option);
        Some(format!(
            "{path}: the labels are those of {column}, the last of {columns}: --{option} names another"
        ))
    }
}
