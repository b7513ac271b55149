//! `finch neighbors`: the k nearest samples of each sample.

use std::error::Error;
use std::io::{self, Cursor};
use std::path::{Path, PathBuf};

use finch_core::{AnySamples, Metric, Neighbors, Warning};
use finch_deep::data::write_npy;
use ndarray_npy::WriteNpyExt;
use zip::write::SimpleFileOptions;
use zip::{CompressionMethod, ZipWriter};

use super::subject::Subject;
use crate::args::read::Reading;
use crate::args::search::{LISTED, SearchArgs};
use crate::args::values::{one_of, whole};
use crate::args::write::{MessageArgs, OutputArgs};
use crate::input::error::Usage;
use crate::output::records::{Records, Values};
use crate::output::summary::tell_warnings;
use crate::output::table_format::TableFormat;
use crate::process::progress::Watch;

const COMMAND: &str = "neighbors";

/// Search the k nearest samples of each sample
///
/// INPUT are files of samples, or a model that keeps them. A sample is no neighbour of itself. Of equal
/// distances the smaller number comes first.
///
/// The name of --out decides the format: .npz has index (int32) and distance (f64), samples × k each; .npy
/// has index alone; .csv, .tsv, .json and .jsonl have a row for each sample, with index_0, distance_0,
/// index_1, …
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch neighbors features.npy -k 10 --out neighbors.npz
  finch neighbors planets.csv -k 1
  finch neighbors millions.npy -k 15 --recall 0.9 --metric cosine --out neighbors.npy")]
pub(crate) struct Args {
    /// Files of samples, -, or a model
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// Number of neighbours of each sample
    #[arg(short, value_name = "K", value_parser = whole::<usize>, allow_negative_numbers = true)]
    k: usize,

    /// Distance between samples [default: euclidean; of a model its own]
    #[arg(long, value_parser = one_of(Metric::ALL, Metric::name))]
    metric: Option<Metric>,

    #[command(flatten)]
    searching: SearchArgs,

    #[command(flatten)]
    writing: OutputArgs,

    #[command(flatten)]
    telling: MessageArgs,

    #[command(flatten)]
    reading: Reading,
}

/// The format of the output.
enum Format {
    Npy,
    Npz,
    Table(TableFormat),
}

impl Format {
    fn of(path: Option<&Path>) -> Result<Self, Usage> {
        let Some(path) = path else { return Ok(Format::Table(TableFormat::Csv)) };
        let is =
            |name| path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case(name));
        let message = "neighbours are written as .npz, .npy, .csv, .tsv, .json, .jsonl, .parquet or \
                       .arrow: name the file of --out so";
        match TableFormat::of(path) {
            Some(table) => Ok(Format::Table(table)),
            None if is("npy") => Ok(Format::Npy),
            None if is("npz") => Ok(Format::Npz),
            None => Err(Usage { command: COMMAND, message }),
        }
    }
}

/// Runs the command.
///
/// # Errors
/// Any error of reading, searching or writing; after an error nothing is written.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let format = Format::of(args.writing.file())?;
    args.writing.prepare(&[], &args.inputs)?;
    let mut watch = Watch::new(args.telling.quiet);
    let options = args.reading.sparse_options();
    let subject = Subject::read(&args.inputs, options, &args.searching, &args.telling, &mut watch)?;
    subject.show_to(&mut watch);
    let found = subject.compute_on(COMMAND, |samples| found(samples, &subject, args, &mut watch));
    watch.clear();
    let neighbors = found?;
    subject.tell(&args.telling, &args.searching, None);
    if !args.telling.quiet {
        let asked = args.searching.wanted_recall();
        let warning = neighbors.choice().and_then(|choice| {
            Warning::of_search(&choice, neighbors.samples(), asked)
                .map(|warning| warning.to_string())
        });
        tell_warnings(warning.as_slice(), &mut io::stderr());
    }
    let table = match format {
        Format::Table(table) => table,
        Format::Npy => {
            let index = index(&neighbors);
            return args.writing.write(|out| write_npy(out, &index));
        }
        Format::Npz => {
            let archive = archive(&neighbors)?;
            return args.writing.write(|out| out.write_all(&archive));
        }
    };
    // The table counts rows of the input, and so do its numbers of neighbours.
    let rows = subject.row_numbers();
    let row_of = |sample: u32| match &rows {
        Some(rows) if sample != Neighbors::NONE => rows[sample as usize],
        _ => sample,
    };
    let distance = |rank| neighbors.distance().column(rank).to_vec();
    let distances: Vec<Vec<f64>> = (0..neighbors.k()).map(distance).collect();
    let columns = distances.iter().enumerate().flat_map(|(rank, distances)| {
        let index = neighbors.index().column(rank).mapv(row_of).to_vec();
        [
            (format!("index_{rank}"), Values::Indices(index)),
            (format!("distance_{rank}"), Values::Numbers(distances)),
        ]
    });
    let records = Records::new(subject.rows(), columns.collect());
    let few = neighbors.samples() <= LISTED && args.k <= 5 && !args.telling.quiet;
    args.writing.write_records(&records, table, few)
}

fn found(
    samples: AnySamples<'_>,
    subject: &Subject,
    args: &Args,
    watch: &mut Watch<'_>,
) -> Result<Neighbors, Box<dyn Error>> {
    let finch = args.searching.finch(subject.metric(args.metric));
    Ok(finch.nearest_neighbors(samples, args.k, &mut args.searching.run(watch))?)
}

/// Numbers of neighbours as NumPy's int32; all are below 2³¹.
fn index(neighbors: &Neighbors) -> ndarray::Array2<i32> {
    neighbors.index().mapv(|index| index as i32)
}

/// The .npz of neighbours, as NumPy writes it.
fn archive(neighbors: &Neighbors) -> Result<Vec<u8>, Box<dyn Error>> {
    let mut zip = ZipWriter::new(Cursor::new(Vec::new()));
    let stored =
        SimpleFileOptions::default().compression_method(CompressionMethod::Stored).large_file(true);
    zip.start_file("index.npy", stored)?;
    index(neighbors).write_npy(&mut zip)?;
    zip.start_file("distance.npy", stored)?;
    neighbors.distance().write_npy(&mut zip)?;
    Ok(zip.finish()?.into_inner())
}
