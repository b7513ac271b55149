//! Inputs that can be read but not used, and wrong usage that only a command itself can tell.

use std::path::PathBuf;

use finch_core::Error;
use finch_deep::data::{Escaped, Input};

/// Samples that cannot be used, with the files that they are from.
#[derive(Debug, thiserror::Error)]
#[error("{}: {source}", inputs.join(" + "))]
pub(crate) struct Unsound {
    inputs: Vec<String>,
    source: Box<dyn std::error::Error>,
}

impl Unsound {
    /// An error about the samples of these files.
    pub(crate) fn of(inputs: &[PathBuf], source: impl Into<Box<dyn std::error::Error>>) -> Self {
        let inputs = inputs.iter().map(|path| Escaped(path.display()).to_string()).collect();
        Self { inputs, source: source.into() }
    }

    /// An error about the samples of these files, with the line that it is about, or with what to do
    /// about missing values.
    pub(crate) fn of_samples(inputs: &[PathBuf], input: &Input, error: Error) -> Self {
        let place = match error {
            Error::NonFinite { row, .. } | Error::TooLarge { row, .. } => input.line(row),
            _ => None,
        };
        match (place, &error) {
            (Some((path, line)), _) => {
                Self::of(&[path.to_path_buf()], format!("line {line}: {error}"))
            }
            (None, Error::NonFinite { value, .. }) if value.is_nan() => {
                Self::of(inputs, format!("{error}; or say --missing drop, mean or median"))
            }
            _ => Self::of(inputs, error),
        }
    }
}

/// The samples are not images of the shape that was given.
#[derive(Debug, thiserror::Error)]
#[error(
    "--image {image} has {} values, and the samples have {features} features: give the height and the \
     width of the images, times 3 with colours",
    image.values()
)]
pub(crate) struct ImageValues {
    pub(crate) image: finch_deep::report::Image,
    pub(crate) features: usize,
}

/// The true classes are not those of the inputs.
#[derive(Debug, thiserror::Error)]
#[error(
    "--labels has {labels} labels and the input {samples} samples: give one for each (if a line of \
     text is a header, say --label-header)"
)]
pub(crate) struct LabelCount {
    pub(crate) labels: usize,
    pub(crate) samples: usize,
}

/// Arguments of a command that do not go together.
#[derive(Debug, thiserror::Error)]
#[error("{message}")]
pub(crate) struct Usage {
    /// The name of the command.
    pub(crate) command: &'static str,
    pub(crate) message: &'static str,
}
