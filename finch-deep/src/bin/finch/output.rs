//! The files that `--out` asks for: all of them, or none.

use std::error::Error;
use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use finch_core::{Hierarchy, Partition};
use finch_deep::data::{write_atomically, write_labelling, write_labels};

use crate::report::Report;

/// A directory that is there and can be written to, from before a long run until after it.
pub(crate) struct Output {
    directory: PathBuf,
    /// Whether it has been made for this run, and goes again if the run fails.
    made: bool,
}

/// The directory cannot be used.
#[derive(Debug, thiserror::Error)]
#[error("cannot write to the directory {}: {source}", directory.display())]
pub(crate) struct Unwritable {
    directory: PathBuf,
    source: io::Error,
}

impl Output {
    /// Makes the directory if need be, and tries whether files can be made in it.
    pub(crate) fn prepare(directory: &Path) -> Result<Self, Unwritable> {
        let output = Self { directory: directory.into(), made: !directory.exists() };
        fs::create_dir_all(directory)
            .and_then(|()| tempfile::tempfile_in(directory))
            .map_err(|source| output.unwritable(source))?;
        Ok(output)
    }

    fn unwritable(&self, source: io::Error) -> Unwritable {
        Unwritable { directory: self.directory.clone(), source }
    }

    /// Writes `labels.npy` (int32, N × partitions), `requested.npy` (int32, N) if there is such a
    /// partition, and `hierarchy.json`, each beside itself and then renamed.
    pub(crate) fn write(
        mut self,
        hierarchy: &Hierarchy,
        requested: Option<&Partition>,
        report: &Report,
    ) -> Result<(), Box<dyn Error>> {
        let labels: Vec<&[u32]> = hierarchy.partitions().iter().map(Partition::labels).collect();
        write_labels(&self.directory.join("labels.npy"), &labels)?;
        let path = self.directory.join("requested.npy");
        match requested {
            Some(requested) => write_labelling(&path, requested.labels())?,
            // One of an earlier run would not belong to these labels.
            None if path.exists() => fs::remove_file(&path).map_err(|e| self.unwritable(e))?,
            None => {}
        }
        write_atomically(&self.directory.join("hierarchy.json"), |file| {
            serde_json::to_writer_pretty(&mut *file, report)?;
            file.write_all(b"\n")
        })?;
        self.made = false;
        Ok(())
    }
}

impl Drop for Output {
    fn drop(&mut self) {
        if self.made {
            // Only if it is empty; there is nobody left to tell if it is not.
            let _ = fs::remove_dir(&self.directory);
        }
    }
}
