//! `finch embed`: what a trained network makes of samples.

use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use clap::builder::{OsStringValueParser, TypedValueParser};
use finch_deep::data::{self, write_embedding};
use finch_deep::run::{RunError, newest_checkpoint};
use finch_deep::train::{self, Backend, Checkpoint};

use crate::interrupt;
use crate::reading::Reading;
use crate::sources::Unsound;
use crate::watch::Watch;

/// Embed samples by the network of a run
///
/// Writes N × 512 numbers (f32): what the last hidden layer of the network says of each sample. The
/// samples may be others than those of the run, with as many features each.
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

    /// Write the embedding here, as .npy
    #[arg(long, value_name = "FILE", value_parser = OsStringValueParser::new().try_map(npy))]
    out: PathBuf,

    /// What computes the network
    #[arg(long, default_value = "cpu")]
    backend: Backend,

    /// No progress bar
    #[arg(long)]
    quiet: bool,

    #[command(flatten)]
    reading: Reading,
}

fn npy(path: OsString) -> Result<PathBuf, &'static str> {
    let path = PathBuf::from(path);
    // By another name no command would read it again.
    let named = path.extension().is_some_and(|extension| extension.eq_ignore_ascii_case("npy"));
    if named { Ok(path) } else { Err("the embedding is written as .npy: name it so") }
}

/// Runs the command.
///
/// # Errors
/// What reading, embedding or writing says; nothing has been written then.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    let mut watch = Watch::new(args.quiet);
    watch.reading();
    let checkpoint = checkpoint(&args.run)?;
    let input = data::read(&args.inputs, &args.reading.options())?;
    interrupt::hold();
    let embedding = train::embed(&checkpoint, input.matrix(), args.backend, &mut |progress| {
        watch.train(progress)
    });
    watch.clear();
    let embedding = embedding.map_err(|error| Unsound::of(&args.inputs, error))?;
    write_embedding(&args.out, embedding.view())?;
    Ok(())
}

/// The newest checkpoint of a run that can be read; says which ones cannot.
pub(crate) fn checkpoint(run: &Path) -> Result<Checkpoint, RunError> {
    let (checkpoint, faults) = newest_checkpoint(run)?;
    for fault in faults {
        let _ = writeln!(io::stderr(), "finch: passed over {fault}");
    }
    Ok(checkpoint)
}
