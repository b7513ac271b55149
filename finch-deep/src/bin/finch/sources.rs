//! The files that a command reads, and how.

use std::error::Error;
use std::path::PathBuf;

use clap::Parser;
use finch_deep::data::{self, Escaped, Input};

use crate::reading::{LabelReading, Reading, of_samples};
use crate::unsound::LabelCount;

/// Samples, and their true classes if there are some.
#[derive(clap::Args)]
pub(crate) struct Sources {
    /// Files of samples
    #[arg(value_name = "INPUT")]
    pub(crate) inputs: Vec<PathBuf>,

    /// True classes, only to score with (stacked like the inputs)
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
    sources: Sources,
}

impl Sources {
    /// Reads the samples.
    pub(crate) fn samples(&self) -> Result<Input, data::ReadError> {
        data::read(&self.inputs, &self.reading.options())
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

    /// Whether any file or option was given.
    pub(crate) fn any(&self) -> bool {
        let Self { inputs, labels, reading, label_reading } = self;
        !(inputs.is_empty()
            && labels.is_empty()
            && reading.arguments().is_empty()
            && label_reading.arguments().is_empty())
    }

    /// The arguments that give these sources, whatever the working directory.
    pub(crate) fn arguments(&self) -> Result<Vec<String>, Unstorable> {
        let absolute = |path: &PathBuf| {
            let unstorable = |reason| Unstorable { path: path.clone(), reason };
            if path.as_os_str() == data::STANDARD_INPUT {
                let reason =
                    "standard input cannot be read again: save it to a file, and train on that";
                return Err(unstorable(reason.into()));
            }
            let path = std::path::absolute(path).map_err(|error| unstorable(error.to_string()))?;
            path.into_os_string()
                .into_string()
                .map_err(|_| unstorable("is not a name in Unicode, and cannot be stored".into()))
        };
        let mut arguments = self.reading.arguments();
        arguments.extend(self.label_reading.arguments());
        if !self.labels.is_empty() {
            arguments.push("--labels".into());
            for path in &self.labels {
                arguments.push(absolute(path)?);
            }
        }
        arguments.push("--".into());
        for path in &self.inputs {
            arguments.push(absolute(path)?);
        }
        Ok(arguments)
    }

    /// The sources that stored arguments give. The limit of memory is that of `given`: it is a
    /// matter of the machine, and not stored.
    pub(crate) fn of(arguments: &[String], given: &Self) -> Result<Self, clap::Error> {
        let program = std::iter::once("finch".to_string());
        let again = Again::try_parse_from(program.chain(arguments.iter().cloned()))?;
        let reading = again.sources.reading.within(given.reading.memory_limit());
        Ok(Self { reading, ..again.sources })
    }
}

/// A path that cannot be stored.
#[derive(Debug, thiserror::Error)]
#[error("{}: {reason}", Escaped(path.display()))]
pub(crate) struct Unstorable {
    path: PathBuf,
    reason: String,
}
