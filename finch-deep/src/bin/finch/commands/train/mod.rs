//! `finch train`: samples in, a run directory with a network and its embedding out.

mod args;
mod begun;
mod measured;
mod result;
mod seeds;
mod session;

pub(crate) use self::args::Args;

use std::error::Error;
use std::io::{self, Write};
use std::path::Path;

use finch_deep::data::{Escaped, Fault, ReadError};
use finch_deep::run::{self, Run, RunError};
use finch_deep::train::{TrainError, Trainer};

use self::begun::Begun;
use self::measured::OtherMethods;
use self::session::Session;
use super::embed::{checkpoint, with_files};
use crate::args::read::tell_notes;
use crate::args::sources::SourceArgs;
use crate::input::error::{ImageValues, Usage};
use crate::input::mapped::on_unchanged;
use crate::input::run_folder::run_of;
use crate::output::place::is_standard_output;
use crate::output::shell::again;
use crate::output::summary::counted;
use crate::output::table_format::TableFormat;
use crate::process::progress::Watch;
use crate::process::signals;

/// Runs the command.
///
/// # Errors
/// Any error of reading, training or writing. The state after the last whole epoch is kept.
pub(crate) fn run(args: &Args) -> Result<(), Box<dyn Error>> {
    if let Some(threads) = args.threads {
        // The network computes in the pool of threads that it is called in.
        rayon::ThreadPoolBuilder::new().num_threads(threads).build_global()?;
    }
    match &args.resume {
        Some(directory) => resume(directory, args),
        None => begin(args),
    }
}

fn begin(args: &Args) -> Result<(), Box<dyn Error>> {
    let Some(directory) = &args.out else {
        return usage("the following required arguments were not provided:\n  --out <RUN>");
    };
    if args.sources.inputs.is_empty() {
        return usage("the following required arguments were not provided:\n  <INPUT>...");
    }
    if is_standard_output(directory) || TableFormat::of(directory).is_some() {
        return usage(
            "a run is a directory, with its labels in labels.csv: name a directory by --out",
        );
    }
    let config = args.choices.config()?;
    let seeds = args.seeds.filter(|&seeds| seeds > 1);
    if seeds.is_some() {
        // A run is in a directory of its own, below the one that is named.
        seeds::expect_free(directory)?;
    }
    let watch = Watch::new(args.quiet);
    watch.reading();
    let input = args.sources.samples()?;
    if !args.quiet {
        watch.aside(|| tell_notes(&input, &mut io::stderr()));
    }
    let truth = args.sources.truth(&input)?;
    if let Some(image) = args.image.filter(|image| image.values() != input.features()) {
        return Err(ImageValues { image, features: input.features() }.into());
    }
    let begun = Begun { args, input: &input, truth };
    match seeds {
        None => begun.run(directory, config, watch, true).map(drop),
        Some(seeds) => {
            watch.clear();
            seeds::run(&begun, directory, &config, seeds)
        }
    }
}

fn resume(directory: &Path, args: &Args) -> Result<(), Box<dyn Error>> {
    if args.choices.any_but_rounds() {
        return usage(
            "--resume goes on with the configuration of the run: give no options of training but \
             --rounds",
        );
    }
    let elsewhere = !args.sources.inputs.is_empty();
    if args.sources.any() && !elsewhere {
        return usage(
            "--resume reads the files of the run as it did: to read others, name the inputs, too",
        );
    }
    let directory = &run_of(directory, args.quiet)?;
    let (mut run, mut config, facts) = Run::open(directory)?;
    let watch = Watch::new(args.quiet);
    watch.reading();
    let sources = &SourceArgs::of(&facts.sources, args.sources.clone())?;
    let again = again(directory);
    let missing = |error: ReadError| match error.fault {
        Fault::Unreadable(_) if !elsewhere => Missing { error, again: again.clone() }.into(),
        _ => Box::<dyn Error>::from(error),
    };
    let input = sources.samples().map_err(missing)?;
    let truth = sources.truth(&input)?;
    let unsound = |error| with_files(&sources.inputs, error);
    let more = args.choices.rounds.unwrap_or(0);
    config.rounds = config.rounds.saturating_add(more);
    let (trainer, metrics) = match checkpoint(directory) {
        Ok(mut checkpoint) => {
            checkpoint.extend(config.rounds)?;
            let trainer = on_unchanged(&input, || {
                Trainer::resume(input.matrix(), &checkpoint, facts.backend).map_err(unsound)
            })?;
            (trainer, run.metrics_until(Some(&checkpoint))?)
        }
        // The run was stopped before its first checkpoint.
        Err(RunError::NoCheckpoint { faults, .. }) if faults.is_empty() => {
            let trainer = on_unchanged(&input, || {
                Trainer::new(input.matrix(), config.clone(), facts.backend).map_err(unsound)
            })?;
            let found = (input.samples(), input.features(), trainer.checksum());
            if found != (facts.samples, facts.features, facts.checksum) {
                return Err(unsound(TrainError::OtherInput { what: "a value" }));
            }
            (trainer, run.metrics_until(None)?)
        }
        Err(error) => return Err(error.into()),
    };
    if more > 0 {
        run.configure(&config)?;
    }
    // The checksum has told that the samples are those that the run began with.
    if matches!(run::recipe(directory), Err(RunError::NoRecipe(_) | RunError::Damaged { .. })) {
        run.keep_recipe(&sources.recipe(&input))?;
    }
    if trainer.is_done() {
        run.prune()?;
        let directory = Escaped(directory.display());
        watch.clear();
        writeln!(io::stdout(), "{directory} is done, with {}", counted(trainer.epoch(), "epoch"))?;
        return Ok(());
    }
    input.expect_any_order();
    signals::hold();
    let session = Session {
        run,
        facts,
        truth,
        recipe: sources.recipe(&input),
        metrics,
        others: OtherMethods::default(),
        kept: true,
        quiet: args.quiet,
        shows: true,
        threads: args.threads.unwrap_or(0),
    };
    session.run(trainer.threads(args.threads.unwrap_or(0)), &input, watch).map(drop)
}

/// Says what is wrong with the arguments.
fn usage(message: &'static str) -> Result<(), Box<dyn Error>> {
    Err(Usage { command: "train", message }.into())
}

/// The input files of a run are no longer where they were.
#[derive(Debug, thiserror::Error)]
#[error("{error}; if it is elsewhere now: {again} INPUT...")]
struct Missing {
    error: ReadError,
    again: String,
}
