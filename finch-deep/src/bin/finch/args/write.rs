//! The outputs of a command: options shared by the commands.

use std::io::{self, IsTerminal, Write};
use std::path::{Path, PathBuf};

use crate::input::error::Usage;
use crate::input::paths::expanded;
use crate::output::file::write_file;
use crate::output::place::{Place, is_standard_output};
use crate::output::places::expect_places;
use crate::output::records::Records;
use crate::output::table_format::TableFormat;

// Not a doc comment: clap would make that the description of the command.
#[derive(clap::Args)]
pub(crate) struct OutputArgs {
    /// Write to this file instead of standard output (-); without --force it must not exist yet
    #[arg(short, long, value_name = "FILE")]
    pub(crate) out: Option<PathBuf>,

    /// Write over files that exist
    #[arg(long)]
    pub(crate) force: bool,
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
    /// Finds faults of this file, and of further ones, that a long run would only meet at its end. Inputs are never
    /// written over.
    pub(crate) fn prepare(
        &self,
        further: &[Place<'_>],
        inputs: &[PathBuf],
    ) -> Result<(), Box<dyn std::error::Error>> {
        let place = self.place();
        if let Some(place) = place {
            TableFormat::of(place.path).map_or(Ok(()), TableFormat::expect_built)?;
        }
        expect_places(place.into_iter().chain(further.iter().copied()), &expanded(inputs)?)
    }

    /// The file; none of standard output.
    fn place(&self) -> Option<Place<'_>> {
        let path = self.out.as_deref().filter(|path| !is_standard_output(path))?;
        Some(Place::new("--out", path, self.force))
    }

    /// The path of the file; none of standard output.
    pub(crate) fn file(&self) -> Option<&Path> {
        self.place().map(|place| place.path)
    }

    /// True if `--out` names standard output, where nothing else is then printed.
    pub(crate) fn is_printed(&self) -> bool {
        self.out.as_deref().is_some_and(is_standard_output)
    }

    /// Refuses two tables on standard output: that of `--out`, and that of `--json`.
    pub(crate) fn expect_alone(&self, command: &'static str, json: bool) -> Result<(), Usage> {
        expect_alone(self.is_printed(), command, json)
    }

    /// The format of a table that the file's name tells; CSV on standard output.
    pub(crate) fn table_format(&self, command: &'static str) -> Result<TableFormat, Usage> {
        let message = "a table is written as .csv, .tsv, .json, .jsonl, .parquet or .arrow: name the file \
                       of --out so";
        match self.place() {
            Some(place) => TableFormat::of(place.path).ok_or(Usage { command, message }),
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
        match self.place() {
            Some(place) => write_file(&place, |file| write(file)),
            None => {
                let mut out = io::stdout().lock();
                write(&mut out)?;
                Ok(out.flush()?)
            }
        }
    }
}

/// Refuses two tables on standard output.
pub(crate) fn expect_alone(
    is_printed: bool,
    command: &'static str,
    json: bool,
) -> Result<(), Usage> {
    let message =
        "--json and --out - both write on standard output: name a file of --out, or leave one out";
    match is_printed && json {
        true => Err(Usage { command, message }),
        false => Ok(()),
    }
}
