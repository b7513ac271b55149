//! Inputs that can be read again: files, and copies of pipes.

use std::collections::HashMap;
use std::fs::File;
use std::io::{self, Seek};
use std::path::{Path, PathBuf};

use super::{STANDARD_INPUT, Source, standard_input};
use crate::data::error::Fault;

/// Copies of the pipes among some inputs, which can be read once only.
#[derive(Default)]
pub(in crate::data) struct Spool(HashMap<PathBuf, File>);

impl Spool {
    /// Copies a pipe into a file without a name; other files stay as they are.
    pub(in crate::data) fn copy(&mut self, path: &Path) -> Result<(), Fault> {
        let piped = path == Path::new(STANDARD_INPUT);
        let is_file = || path.metadata().is_ok_and(|found| found.is_file() || found.is_dir());
        if !piped && (is_file() || !path.exists()) {
            return Ok(());
        }
        let from = if piped { standard_input() } else { File::open(path) };
        let mut copy = tempfile::tempfile().map_err(Fault::Unreadable)?;
        io::copy(&mut from.map_err(Fault::Unreadable)?, &mut copy).map_err(Fault::Unreadable)?;
        self.0.insert(path.into(), copy);
        Ok(())
    }

    /// Opens an input, or its copy.
    pub(in crate::data) fn open(&self, path: &Path) -> Result<Source, Fault> {
        match self.0.get(path) {
            None => Source::open(path),
            Some(copy) => {
                let mut file = copy.try_clone().map_err(Fault::Unreadable)?;
                file.rewind().map_err(Fault::Unreadable)?;
                Source::of(file)
            }
        }
    }
}
