//! The `finch` command.

#[cfg(feature = "train")]
mod choices;
mod cluster;
#[cfg(feature = "train")]
mod clusterings;
#[cfg(feature = "train")]
mod embed;
mod interrupt;
mod output;
mod reading;
mod report;
mod score;
#[cfg(feature = "train")]
mod sources;
#[cfg(feature = "train")]
mod train;
mod unsound;
#[cfg(not(feature = "train"))]
mod untrained;
mod watch;

use std::error::Error;
use std::io::{self, Write};
use std::process::ExitCode;

use clap::{Parser, Subcommand};

#[cfg(not(feature = "train"))]
use crate::untrained::{embed, train};

/// A step of training makes and frees a few dozen tensors of a megabyte. The system's allocator gives
/// their pages back each time, and faulting them in again takes a quarter of the step.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;

/// Parameter-free clustering by first neighbours (FINCH, CVPR 2019)
#[derive(Parser)]
#[command(name = "finch", version, propagate_version = true)]
#[command(after_help = "\
Exit codes: 0 done, 1 the data or the run is at fault, 2 wrong usage, 130 stopped by Ctrl-C.
`finch COMMAND --help` has examples.")]
struct Cli {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    Cluster(Box<cluster::Args>),
    Train(Box<train::Args>),
    Embed(embed::Args),
    Score(score::Args),
}

fn main() -> ExitCode {
    interrupt::listen();
    let done = match Cli::parse().command {
        Command::Cluster(args) => cluster::run(&args),
        Command::Train(args) => train::run(*args),
        Command::Embed(args) => embed::run(&args),
        Command::Score(args) => score::run(&args),
    };
    let (code, message) = match done {
        Ok(()) => return ExitCode::SUCCESS,
        Err(error) if closed_pipe(error.as_ref()) => return ExitCode::SUCCESS,
        Err(_) if interrupt::asked() => {
            (ExitCode::from(interrupt::EXIT_CODE), interrupt::message())
        }
        Err(error) if error.is::<io::Error>() => {
            (ExitCode::FAILURE, format!("standard output: {error}"))
        }
        Err(error) => (ExitCode::FAILURE, error.to_string().trim_end().into()),
    };
    // If nobody hears it, the exit code still tells.
    let _ = writeln!(io::stderr(), "finch: {message}");
    code
}

/// Whether whoever reads the output has seen enough, as `head` does.
fn closed_pipe(error: &(dyn Error + 'static)) -> bool {
    let io = error.downcast_ref::<io::Error>();
    io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
}
