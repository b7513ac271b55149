//! The `finch` command.

#[cfg(feature = "train")]
mod again;
mod bug;
mod checked;
#[cfg(feature = "train")]
mod choices;
mod cluster;
#[cfg(feature = "train")]
mod clusterings;
mod columns;
mod describe;
#[cfg(feature = "train")]
mod embed;
#[cfg(feature = "train")]
mod export;
mod extend;
mod free;
mod given;
mod inputs;
mod interrupt;
mod kept;
mod manual;
mod mapped;
mod neighbors;
mod output;
mod page;
mod per_sample;
mod predict;
mod profiles;
mod reading;
mod records;
mod report;
mod ruling;
mod score;
mod searching;
mod signals;
#[cfg(feature = "train")]
mod sources;
mod subject;
mod suggest;
mod table_format;
mod timing;
#[cfg(feature = "train")]
mod train;
mod tree;
mod typed;
mod unsound;
#[cfg(not(feature = "train"))]
mod untrained;
mod usage;
mod values;
mod watch;
mod weighing;
mod writing;

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use finch_deep::data::Escaped;

#[cfg(not(feature = "train"))]
use crate::untrained::{embed, export, train};
use crate::usage::Usage;

/// Exit codes, beside those of signals and of bugs.
const FAILURE: u8 = 1;
const WRONG_USAGE: u8 = 2;

/// The version, and what this build has of what may be left out.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let features = [
        ("parquet", cfg!(feature = "parquet")),
        ("train", cfg!(feature = "train")),
        ("cuda", cfg!(feature = "cuda")),
        ("wgpu", cfg!(feature = "wgpu")),
    ];
    let listed = |built| {
        let names = features.iter().filter(|(_, has)| *has == built).map(|(name, _)| *name);
        names.collect::<Vec<_>>().join(", ")
    };
    let (has, lacks, number) = (listed(true), listed(false), env!("CARGO_PKG_VERSION"));
    match (has.as_str(), lacks.as_str()) {
        ("", lacks) => format!("{number} (without {lacks})"),
        (has, "") => format!("{number} (with {has})"),
        (has, lacks) => format!("{number} (with {has}; without {lacks})"),
    }
});

/// A step of training makes and frees a few dozen tensors of a megabyte. The system's allocator gives
/// their pages back each time, and faulting them in again takes a quarter of the step.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Parameter-free clustering by first neighbours (FINCH, CVPR 2019)
#[derive(Parser)]
#[command(name = "finch", version, propagate_version = true)]
#[command(after_help = "\
Exit codes: 0 done, 1 the data or the run is at fault, 2 wrong usage, 101 a bug; stopped: 129 by
SIGHUP, 130 by Ctrl-C, 143 by SIGTERM.
`finch COMMAND --help` has examples.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Cluster(Box<cluster::Args>),
    Predict(Box<predict::Args>),
    Suggest(Box<suggest::Args>),
    Tree(Box<tree::Args>),
    Neighbors(Box<neighbors::Args>),
    Describe(Box<describe::Args>),
    Extend(Box<extend::Args>),
    Train(Box<train::Args>),
    Embed(embed::Args),
    Export(export::Args),
    Score(score::Args),
    Completions(manual::Completions),
    Man(manual::Manual),
}

fn main() -> ExitCode {
    bug::listen();
    interrupt::listen();
    mapped::listen();
    let parsed = cli().try_get_matches().and_then(|found| Cli::from_arg_matches(&found));
    let command = match parsed {
        Ok(cli) => cli.command,
        Err(error) => return explain(&error),
    };
    let (code, message) = match panic::catch_unwind(AssertUnwindSafe(|| run(command))) {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(error)) if closed_pipe(error.as_ref()) => return ExitCode::SUCCESS,
        Ok(Err(error)) if error.is::<Usage>() => return explain(&of_usage(error.as_ref())),
        Ok(Err(error)) => match interrupt::asked() {
            Some(signal) => (signal.exit_code(), interrupt::message(signal)),
            None if error.is::<io::Error>() => (FAILURE, format!("standard output: {error}")),
            None => (FAILURE, error.to_string().trim_end().into()),
        },
        Err(_) => (bug::EXIT_CODE, bug::message()),
    };
    say(&format!("finch: {message}"));
    ExitCode::from(code)
}

/// The parser of arguments.
fn cli() -> clap::Command {
    // Of a tree, --format is what is written, as everybody calls it.
    let of_input = |format: clap::Arg| format.long("input-format");
    Cli::command()
        .version(VERSION.as_str())
        .mut_subcommand("tree", |tree| tree.mut_arg("input_format", of_input))
}

fn run(command: Command) -> Result<(), Box<dyn Error>> {
    match command {
        Command::Cluster(args) => cluster::run(&args),
        Command::Predict(args) => predict::run(&args),
        Command::Suggest(args) => suggest::run(&args),
        Command::Tree(args) => tree::run(&args),
        Command::Neighbors(args) => neighbors::run(&args),
        Command::Describe(args) => describe::run(&args),
        Command::Extend(args) => extend::run(&args),
        Command::Train(args) => train::run(&args),
        Command::Embed(args) => embed::run(&args),
        Command::Export(args) => export::run(&args),
        Command::Score(args) => score::run(&args),
        Command::Completions(args) => args.run(cli()),
        Command::Man(args) => args.run(cli()),
    }
}

/// Prints on standard error, line by line, with characters escaped that would steer a terminal.
fn say(text: &str) {
    let lines: String = text.lines().map(|line| format!("{}\n", Escaped(line))).collect();
    // Where standard error is closed, the exit code still tells.
    let _ = io::stderr().write_all(lines.as_bytes());
}

/// True if the reader of the output closed it, as `head` does when it has seen enough.
fn closed_pipe(error: &(dyn Error + 'static)) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}

/// The error in the form of the parser of arguments, with a line on the usage.
fn of_usage(error: &(dyn Error + 'static)) -> clap::Error {
    let mut cli = cli();
    cli.build();
    let command = error.downcast_ref().map_or("", |usage: &Usage| usage.command);
    let command = cli.find_subcommand_mut(command).expect("a command names itself");
    command.error(ErrorKind::MissingRequiredArgument, error)
}

/// Prints what the parser of arguments says: an error, the help or the version.
fn explain(error: &clap::Error) -> ExitCode {
    let steers = |argument: OsString| {
        let text = argument.to_string_lossy();
        Escaped(&text).to_string() != text
    };
    if error.use_stderr() && env::args_os().any(steers) {
        // Without colours, which would be escaped, too.
        say(&error.render().to_string());
    } else if let Err(failed) = error.print()
        && !error.use_stderr()
        && failed.kind() != io::ErrorKind::BrokenPipe
    {
        say(&format!("finch: standard output: {failed}"));
        return ExitCode::FAILURE;
    }
    ExitCode::from(if error.use_stderr() { WRONG_USAGE } else { 0 })
}
