//! `run.json`: what a run began with.

use serde::{Deserialize, Serialize};

use crate::report::Image;
use crate::train::Backend;

/// What a run began with, beside its configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The version of finch.
    pub version: String,
    /// The arguments of the command line that say which files to read, and how.
    pub sources: Vec<String>,
    /// The number of samples, N.
    pub samples: usize,
    /// The number of features, d.
    pub features: usize,
    /// CRC-32 of the values of all samples.
    pub checksum: u32,
    /// What computes the network.
    pub backend: Backend,
    /// The shape of the samples, if they are images to be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Image>,
}

impl Facts {
    /// The names and values of the facts, for people.
    pub fn lines(&self) -> Vec<(String, String)> {
        let Self { version, sources, samples, features, checksum, backend, image: _ } = self;
        [
            ("samples", samples.to_string()),
            ("features", features.to_string()),
            ("read from", sources.join(" ")),
            ("CRC-32 of the values", format!("{checksum:08x}")),
            ("computed by", backend.name().to_string()),
            ("finch", version.clone()),
        ]
        .map(|(name, value)| (name.to_string(), value))
        .to_vec()
    }
}
