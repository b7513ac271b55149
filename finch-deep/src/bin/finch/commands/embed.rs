//! `finch embed`: what a trained network makes of samples.

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use finch_core::Metric;
use finch_deep::data::{self, Escaped, Input, Recipe, write_npy};
use finch_deep::run::{RunError, newest_checkpoint, recipe};
use finch_deep::train::{self, Backend, Checkpoint, TrainError};
use ndarray::Array2;

use crate::args::read::{FileReading, tell_notes};
use crate::input::error::Unsound;
use crate::input::mapped::on_unchanged;
use crate::input::run_folder::run_of;
use crate::output::file::write_file;
use crate::output::place::Place;
use crate::output::places::expect_places;
use crate::process::progress::Watch;
use crate::process::signals;
use crate::process::training_progress::TrainingWatch;

/// Embed samples by the network of a run
///
/// Writes N × 512 numbers (f32), the values of the last hidden layer; or N × 10, if the network has learnt
/// the graph of nearest neighbours. The samples may be new ones with the same columns, by name if there is a
/// header. finch fills, scales and encodes them as it did the samples of the run.
#[derive(clap::Args)]
#[command(after_help = "\
Examples:
  finch embed run new.npy --out embedding.npy
  finch cluster embedding.npy --metric cosine --clusters 10
  finch cluster --embed run new.npy --clusters 10      # both at once")]
pub(crate) struct Args {
    /// The run directory
    run: PathBuf,

    /// Files of samples
    #[arg(required = true, value_name = "INPUT")]
    inputs: Vec<PathBuf>,

    /// Write the embedding to this .npy file; without --force it must not exist yet
    #[arg(short, long, value_name = "FILE", value_parser = OsStringValueParser::new().try_map(npy))]
    out: PathBuf,

    /// Write over a file that exists
    #[arg(long)]
    force: bool,

    /// Device that computes the network
    #[arg(long, default_value = "cpu")]
    backend: Backend,

    /// No progress bar
    #[arg(short, long)]
    quiet: bool,

    #[command(flatten)]
    reading: FileReading,
}

fn npy(path: OsString) -> Result<PathBuf, &'static str> {
    let path = PathBuf::from(path);
    // Under another name no command would read the embedding again.
    let named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"));
    if named { Ok(path) } else { Err("the embedding is written as .npy: name it so") }
}

/// Runs the command.
///
/// # Errors
/// Any error of reading, embedding or writing; after an error nothing is written.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    expect_places([place(args)], &args.inputs)?;
    let mut watch = Watch::new(args.quiet);
    watch.reading();
    let trained = trained(&run_of(&args.run, args.quiet)?)?;
    let mut options = args.reading.options();
    options.recipe = Some(trained.recipe);
    let input = data::read(&args.inputs, &options)?;
    signals::hold();
    watch.of(&input);
    let embedding = on_unchanged(&input, || {
        embedded(&trained.checkpoint, &args.inputs, &input, args.backend, &mut watch)
    });
    watch.clear();
    let embedding = embedding?;
    if !args.quiet {
        tell_notes(&input, &mut io::stderr());
    }
    write_file(&place(args), |file| write_npy(file, &embedding))
}

fn place(args: &Args) -> Place<'_> {
    Place::new("--out", &args.out, args.force)
}

/// The parts of a run that embed samples.
pub(crate) struct Trained {
    pub(crate) checkpoint: Checkpoint,
    pub(crate) recipe: Recipe,
}

impl Trained {
    /// The recipe by which the samples of the run were read.
    pub(crate) fn recipe(&self) -> &Recipe {
        &self.recipe
    }
}

/// The newest checkpoint of a run that can be read, and how samples are to be read for it.
pub(crate) fn trained(run: &Path) -> Result<Trained, RunError> {
    Ok(Trained { checkpoint: checkpoint(run)?, recipe: recipe(run)? })
}

/// The newest checkpoint of a run that can be read; says which ones cannot.
pub(crate) fn checkpoint(run: &Path) -> Result<Checkpoint, RunError> {
    let (checkpoint, faults) = newest_checkpoint(run)?;
    for fault in faults {
        let _ = writeln!(io::stderr(), "finch: passed over {}", Escaped(fault));
    }
    Ok(checkpoint)
}

/// The error, with the files of the samples if it is about the samples.
pub(crate) fn with_files(inputs: &[PathBuf], error: TrainError) -> Box<dyn Error> {
    match error {
        TrainError::Core(_) | TrainError::Features { .. } | TrainError::OtherInput { .. } => {
            Unsound::of(inputs, error).into()
        }
        other => other.into(),
    }
}

/// The samples of these files as a stored network embeds them, and the metric that the embedding
/// was trained for.
pub(crate) fn embedding(
    Trained { checkpoint, .. }: &Trained,
    inputs: &[PathBuf],
    input: &Input,
    watch: &mut Watch<'_>,
) -> Result<(Array2<f32>, Metric), Box<dyn Error>> {
    let embedding = embedded(checkpoint, inputs, input, Backend::Cpu, watch)?;
    let metric = checkpoint.metric().ok_or(TrainError::Untrained)?;
    Ok((embedding, metric))
}

fn embedded(
    checkpoint: &Checkpoint,
    inputs: &[PathBuf],
    input: &Input,
    backend: Backend,
    watch: &mut Watch<'_>,
) -> Result<Array2<f32>, Box<dyn Error>> {
    let mut watch = TrainingWatch::new(watch, checkpoint.config().all_epochs());
    train::embed(checkpoint, input.matrix(), backend, &mut |progress| watch.see(progress))
        .map_err(|error| with_files(inputs, error))
}
