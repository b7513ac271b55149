//! The `finch` command.

mod args;
mod commands;
mod input;
mod output;
mod process;

use std::env;
use std::error::Error;
use std::ffi::OsString;
use std::io::{self, Write};
use std::panic::{self, AssertUnwindSafe};
use std::process::ExitCode;
use std::sync::LazyLock;

use clap::error::ErrorKind;
use clap::{CommandFactory, FromArgMatches, Parser, Subcommand};
use finch_deep::data::{Escaped, ReadError};

use args::help::{described, with_help_all};
use input::error::Usage;

/// Exit codes, beside those of signals and of bugs.
const FAILURE: u8 = 1;
const WRONG_USAGE: u8 = 2;

/// The version, and what this build has of what may be left out.
static VERSION: LazyLock<String> = LazyLock::new(|| {
    let features = [
        ("mat73", cfg!(feature = "mat73")),
        ("parquet", cfg!(feature = "parquet")),
        ("zstd", cfg!(feature = "zstd")),
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

/// Clustering without a parameter, by first neighbours (FINCH, CVPR 2019)
#[derive(Parser)]
#[command(name = "finch", version, propagate_version = true)]
#[command(after_help = "\
Begin with:
  finch cluster table.csv --report page.html   clusters, as many as fit best, and a page about them
  finch cluster --help                         the options that most people need, and examples

Exit codes: 0 done, 1 a fault of the data or the run, 2 wrong usage, 101 a bug; 129, 130, 143
stopped by SIGHUP, Ctrl-C, SIGTERM.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Cluster(Box<commands::cluster::Args>),
    Predict(Box<commands::predict::Args>),
    Suggest(Box<commands::suggest::Args>),
    Tree(Box<commands::tree::Args>),
    Neighbors(Box<commands::neighbors::Args>),
    Describe(Box<commands::describe::Args>),
    Extend(Box<commands::extend::Args>),
    Train(Box<commands::train::Args>),
    Embed(commands::embed::Args),
    Export(commands::export::Args),
    Score(commands::score::Args),
    Completions(commands::manual::Completions),
    Man(commands::manual::Manual),
}

fn main() -> ExitCode {
    process::panics::listen();
    process::signals::listen();
    input::mapped::listen();
    let parsed = cli().mut_subcommands(described).try_get_matches();
    let parsed = parsed.and_then(|found| Cli::from_arg_matches(&found));
    let command = match parsed {
        Ok(cli) => cli.command,
        Err(error) => return explain(&error),
    };
    let (code, message) = match panic::catch_unwind(AssertUnwindSafe(|| run(command))) {
        Ok(Ok(())) => return ExitCode::SUCCESS,
        Ok(Err(error)) if closed_pipe(error.as_ref()) => return ExitCode::SUCCESS,
        Ok(Err(error)) if error.is::<Usage>() => return explain(&of_usage(error.as_ref())),
        Ok(Err(error)) => match process::signals::asked() {
            Some(signal) => (signal.exit_code(), process::signals::message(signal)),
            None if error.is::<io::Error>() => (FAILURE, format!("standard output: {error}")),
            None => (FAILURE, with_advice(error.as_ref())),
        },
        Err(_) => (process::panics::EXIT_CODE, process::panics::message()),
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
        .mut_subcommands(with_help_all)
}

fn run(command: Command) -> Result<(), Box<dyn Error>> {
    match command {
        Command::Cluster(args) => commands::cluster::run(&args),
        Command::Predict(args) => commands::predict::run(&args),
        Command::Suggest(args) => commands::suggest::run(&args),
        Command::Tree(args) => commands::tree::run(&args),
        Command::Neighbors(args) => commands::neighbors::run(&args),
        Command::Describe(args) => commands::describe::run(&args),
        Command::Extend(args) => commands::extend::run(&args),
        Command::Train(args) => commands::train::run(&args),
        Command::Embed(args) => commands::embed::run(&args),
        Command::Export(args) => commands::export::run(&args),
        Command::Score(args) => commands::score::run(&args),
        Command::Completions(args) => args.run(cli()),
        Command::Man(args) => args.run(cli()),
    }
}

/// The message of an error, and of a table that was refused all columns at fault, and commands that read it.
fn with_advice(error: &(dyn Error + 'static)) -> String {
    let message = error.to_string().trim_end().to_string();
    match error.downcast_ref::<ReadError>().and_then(|error| error.advice.as_deref()) {
        Some(found) => format!("{message}\n{}", output::advice::advice(found)),
        None => message,
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
