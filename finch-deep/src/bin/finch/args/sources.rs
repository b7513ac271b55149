//! The files that a command reads, and how.

use std::error::Error;
use std::path::PathBuf;

use clap::Parser;
use finch_deep::data::{self, Escaped, Input, Recipe};
use finch_deep::run::Argument;

use super::read::{LabelReading, Reading, of_samples};
use crate::input::error::LabelCount;

/// Samples, and their true classes if there are some.
#[derive(Clone, clap::Args)]
pub(crate) struct SourceArgs {
    /// Files of samples
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// True classes, for scores alone (stacked like the inputs)
    #[arg(long, value_name = "FILE", num_args = 1..)]
    labels: Vec<PathBuf>,

    #[command(flatten)]
    reading: Reading,

    #[command(flatten)]
    label_reading: LabelReading,
}

/// Reads options that a run stored.
#[derive(Parser)]
struct Again {
    #[command(flatten)]
    sources: SourceArgs,
}

impl SourceArgs {
    /// Reads the samples.
    pub(crate) fn samples(&self) -> Result<Input, data::ReadError> {
        data::read(&self.inputs, &self.reading.options())
    }

    /// The recipe by which these samples were read.
    pub(crate) fn recipe(&self, input: &Input) -> Recipe {
        input.recipe(&self.reading.options())
    }

    /// Reads the true classes of these samples.
    pub(crate) fn truth(&self, input: &Input) -> Result<Option<Vec<u32>>, Box<dyn Error>> {
        if self.labels.is_empty() {
            return Ok(None);
        }
        let truth = self.label_reading.read_truth(&self.labels, self.reading.memory_limit())?;
        let (truth, samples) = (of_samples(truth, input), input.samples());
        match truth.len() == samples {
            true => Ok(Some(truth)),
            false => Err(LabelCount { labels: truth.len(), samples }.into()),
        }
    }

    /// True if any file or option was given.
    pub(crate) fn any(&self) -> bool {
        let Self { inputs, labels, reading, label_reading } = self;
        !(inputs.is_empty()
            && labels.is_empty()
            && reading.arguments().is_empty()
            && label_reading.arguments().is_empty())
    }

    /// The arguments that give these sources, whatever the working directory.
    pub(crate) fn arguments(&self) -> Result<Vec<Argument>, Unstorable> {
        let absolute = |path: &PathBuf| {
            let unstorable = |reason| Unstorable { path: path.clone(), reason };
            if path.as_os_str() == data::STANDARD_INPUT {
                let reason =
                    "standard input cannot be read again: save it to a file, and train on that";
                return Err(unstorable(reason.into()));
            }
            let whole = std::path::absolute(path).map_err(|error| unstorable(error.to_string()))?;
            Argument::of(whole.into_os_string())
                .ok_or_else(|| unstorable("is not a name in Unicode, and cannot be stored".into()))
        };
        let options = self.reading.arguments().into_iter().chain(self.label_reading.arguments());
        let mut arguments: Vec<Argument> = options.map(Argument::Text).collect();
        if !self.labels.is_empty() {
            arguments.push(Argument::Text("--labels".into()));
            for path in &self.labels {
                arguments.push(absolute(path)?);
            }
        }
        arguments.push(Argument::Text("--".into()));
        for path in &self.inputs {
            arguments.push(absolute(path)?);
        }
        Ok(arguments)
    }

    /// The sources that stored arguments give, but for those of `given`: inputs are those given, if
    /// there are any, with true classes from beside them; and they are read as they were stored, unless it
    /// is said how. The limit of memory is that of `given`: it is a matter of the machine, and not stored.
    pub(crate) fn of(arguments: &[Argument], given: Self) -> Result<Self, clap::Error> {
        let program = std::iter::once("finch".into());
        let arguments = arguments.iter().map(Argument::to_os_string);
        let stored = Again::try_parse_from(program.chain(arguments))?.sources;
        let limit = given.reading.memory_limit();
        if given.inputs.is_empty() {
            return Ok(Self { reading: stored.reading.within(limit), ..stored });
        }
        let as_stored = given.reading.arguments().is_empty();
        let reading = if as_stored { stored.reading } else { given.reading };
        let as_stored = given.label_reading.arguments().is_empty();
        let label_reading = if as_stored { stored.label_reading } else { given.label_reading };
        Ok(Self { reading: reading.within(limit), label_reading, ..given })
    }
}

/// A path that cannot be stored.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", Escaped(path.display()))]
pub(crate) struct Unstorable {
    path: PathBuf,
    reason: String,
}
