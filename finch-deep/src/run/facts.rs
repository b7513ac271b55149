//! `run.json`: what a run began with.

use std::ffi::{OsStr, OsString};
use std::fmt;
use std::path::Path;

use serde::{Deserialize, Serialize};

use crate::report::Image;
use crate::train::Backend;

/// The facts with which a run began, beside its configuration.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Facts {
    /// The version of finch.
    pub version: String,
    /// The arguments of the command line that say which files to read, and how.
    pub sources: Vec<Argument>,
    /// The number of samples, N.
    pub samples: usize,
    /// The number of features, d.
    pub features: usize,
    /// CRC-32 of the values of all samples.
    pub checksum: u32,
    /// The device that computes the network.
    pub backend: Backend,
    /// The shape of the samples, if they are images to be shown.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub image: Option<Image>,
}

impl Facts {
    /// The names and values of the facts, for people. Files are without their folders, which a page that
    /// is sent to others does not tell.
    pub fn lines(&self) -> Vec<(String, String)> {
        let Self { version, sources, samples, features, checksum, backend, image: _ } = self;
        let read_from: Vec<String> = sources.iter().map(Argument::without_folders).collect();
        [
            ("samples", samples.to_string()),
            ("features", features.to_string()),
            ("read from", read_from.join(" ")),
            ("CRC-32 of the values", format!("{checksum:08x}")),
            ("computed by", backend.name().to_string()),
            ("finch", version.clone()),
        ]
        .map(|(name, value)| (name.to_string(), value))
        .to_vec()
    }
}

/// An argument of the command line.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(untagged)]
pub enum Argument {
    /// In Unicode.
    Text(String),
    /// The bytes of another one, such as the name of a file of an older system.
    Bytes(Vec<u8>),
}

impl Argument {
    /// An argument as JSON can hold it; nothing for one that is not in Unicode where the system's names
    /// are no bytes.
    pub fn of(argument: OsString) -> Option<Self> {
        match argument.into_string() {
            Ok(text) => Some(Self::Text(text)),
            Err(argument) => bytes(&argument).map(Self::Bytes),
        }
    }

    /// An argument for people, without the folders of a file. Options have their values in one word
    /// with them, and every other word is a file.
    fn without_folders(&self) -> String {
        let text = self.to_string();
        match Path::new(&text).file_name() {
            Some(name) if !text.starts_with('-') => name.to_string_lossy().into_owned(),
            _ => text,
        }
    }

    /// The argument as the system has it.
    pub fn to_os_string(&self) -> OsString {
        match self {
            Self::Text(text) => text.into(),
            #[cfg(unix)]
            Self::Bytes(bytes) => {
                <OsStr as std::os::unix::ffi::OsStrExt>::from_bytes(bytes).to_owned()
            }
            #[cfg(not(unix))]
            Self::Bytes(bytes) => String::from_utf8_lossy(bytes).into_owned().into(),
        }
    }
}

#[cfg(unix)]
fn bytes(argument: &OsStr) -> Option<Vec<u8>> {
    Some(std::os::unix::ffi::OsStrExt::as_bytes(argument).to_vec())
}

#[cfg(not(unix))]
fn bytes(_: &OsStr) -> Option<Vec<u8>> {
    None
}

/// For people.
impl fmt::Display for Argument {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text(text) => f.write_str(text),
            Self::Bytes(bytes) => f.write_str(&String::from_utf8_lossy(bytes)),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn people_are_told_files_without_their_folders() {
        let arguments =
            ["--select=a/b,c", "--labels", "/home/ann/truth.csv", "--", "/home/ann/x.npy"];
        let sources = arguments.map(|text| Argument::Text(text.into())).to_vec();
        let facts = Facts {
            version: "1".into(),
            sources,
            samples: 2,
            features: 2,
            checksum: 0,
            backend: Backend::default(),
            image: None,
        };
        let (_, read_from) =
            facts.lines().into_iter().find(|(name, _)| name == "read from").unwrap();
        assert_eq!(read_from, "--select=a/b,c --labels truth.csv -- x.npy");
    }
}
