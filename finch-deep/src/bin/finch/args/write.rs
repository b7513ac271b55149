//! The outputs of a command: options shared by the commands.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use finch_deep::data::{Escaped, WriteError, write_atomically};

use crate::input::error::Usage;
use crate::output::directory::expect_writable;
use crate::output::records::Records;
use crate::output::table_format::TableFormat;

// Not a doc comment: clap would make that the description of the command.
#[derive(clap::Args)]
pub(crate) struct OutputArgs {
    /// Write to this file instead of standard output; without --force it must not exist yet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Write even if the file exists
    #[arg(long, requires = "out")]
    force: bool,
}

// The amount of messages.
#[derive(clap::Args)]
pub(crate) struct MessageArgs {
    /// Say what is in each column, and which search found the neighbours
    #[arg(short, long)]
    pub(crate) verbose: bool,

    /// No table, no progress bar and no advice
    #[arg(short, long)]
    pub(crate) quiet: bool,
}

impl OutputArgs {
    /// Finds faults that a long run would only meet at its end.
    pub(crate) fn prepare(&self) -> Result<(), Box<dyn std::error::Error>> {
        let Some(path) = &self.out else { return Ok(()) };
        expect_free(path, self.force)?;
        TableFormat::of(path).map_or(Ok(()), TableFormat::expect_built)?;
        Ok(expect_writable(path)?)
    }

    /// The format of a table that the file's name tells; CSV on standard output.
    pub(crate) fn table_format(&self, command: &'static str) -> Result<TableFormat, Usage> {
        let message = "a table is written as .csv, .tsv, .json, .jsonl, .parquet or .arrow: name the file \
                       of --out so";
        match &self.out {
            Some(path) => TableFormat::of(path).ok_or(Usage { command, message }),
            None => Ok(TableFormat::Csv),
        }
    }

    /// Writes a table; one of few rows for people, where a terminal is all that there is.
    pub(crate) fn write_records(
        &self,
        records: &Records<'_>,
        format: TableFormat,
        few: bool,
    ) -> Result<(), Box<dyn std::error::Error>> {
        let shown = few && self.out.is_none() && io::stdout().is_terminal();
        self.write(|out| match shown {
            true => writeln!(out, "{}", records.shown().trim_fmt()),
            false => records.write(format, out),
        })
    }

    /// Writes the file as a whole, or on standard output.
    pub(crate) fn write(
        &self,
        mut write: impl FnMut(&mut dyn Write) -> io::Result<()>,
    ) -> Result<(), Box<dyn std::error::Error>> {
        match &self.out {
            Some(path) => {
                // A file may have come there meanwhile.
                expect_free(path, self.force)?;
                let written: Result<(), WriteError> = write_atomically(path, |file| write(file));
                Ok(written?)
            }
            None => {
                let mut out = io::stdout().lock();
                write(&mut out)?;
                Ok(out.flush()?)
            }
        }
    }
}

/// The file that `--out` names exists already, and may be anybody's.
#[derive(Debug, thiserror::Error)]
#[error("{} is there already: choose another --out, or write over it by --force", Escaped(.0.display()))]
pub(crate) struct Taken(PathBuf);

/// Checks that a file is not there yet, or may be written over.
pub(crate) fn expect_free(path: &Path, force: bool) -> Result<(), Taken> {
    match !force && path.symlink_metadata().is_ok() {
        true => Err(Taken(path.into())),
        false => Ok(()),
    }
}
